/** Shell completion: the printed scripts, loaded and asked by the shells themselves. */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { type CommandTree, completionScript } from '../../src/cli/commands/completion.ts';
import { documentOf, liftgate, linesOf } from '../support/cli.ts';
import { temporaryFolders } from '../support/temporary-folder.ts';

const makeFolder = temporaryFolders();
let folder = '';
let script = '';

beforeAll(async () => {
  folder = await makeFolder();
  script = (await liftgate(folder, 'completion', 'bash')).stdout;
  writeFileSync(join(folder, 'completion.bash'), script);
});

/** What bash offers after these words; the last one is being typed. */
function offered(...words: string[]): string[] {
  const program =
    'source completion.bash; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _liftgate; printf "%s\\n" "$'.concat(
      '{COMPREPLY[@]}"',
    );
  const call = ['--noprofile', '--norc', '-uc', program, 'bash', 'liftgate', ...words];
  const ended = spawnSync('bash', call, { cwd: folder, encoding: 'utf8' });
  expect([ended.status, ended.stderr]).toEqual([0, '']);
  return ended.stdout.split('\n').filter((word) => word !== '');
}

/** Names of the commands, or spellings of the options, that a help text lists. */
async function shownBy(what: 'Commands' | 'Options', ...words: string[]): Promise<string[]> {
  const { stdout } = await liftgate(folder, ...words, '--help');
  const section = stdout.split(`\n${what}:\n`)[1]?.split('\n\n')[0] ?? '';
  const pattern = what === 'Commands' ? /^ {2}([a-z-]+)/gm : /^ {2}(?:-\w, )?(--[a-z-]+)/gm;
  return [...section.matchAll(pattern)].map(([, name = '']) => name);
}

describe('liftgate completion bash', () => {
  test('offers every command of the program, and those that begin as typed', async () => {
    const commands = await shownBy('Commands');
    expect(commands.length).toBeGreaterThan(10);
    expect(offered('')).toEqual(commands);
    expect(offered('re')).toEqual(['reserve', 'report']);
    expect(offered('--v')).toEqual(['--version']);
  });

  test.each([['ledger'], ['stats'], ['power']])('offers every command below %s', async (group) => {
    const commands = await shownBy('Commands', group);
    expect(commands.length).toBeGreaterThan(3);
    expect(offered(group, '')).toEqual(commands);
  });

  test.each(['init', 'run', 'report', 'ledger release', 'stats mean'])(
    'offers every option of %s',
    async (words) => {
      const path = words.split(' ');
      const options = await shownBy('Options', ...path);
      expect(options.length).toBeGreaterThan(2);
      expect(offered(...path, '--')).toEqual(options);
      expect(offered(...path, 'some-word', '--')).toEqual(options);
    },
  );

  test('offers the values of an option and of an argument, however the value is written', () => {
    const formats = ['markdown', 'html', 'junit', 'github', 'json'];
    expect(offered('report', 'RUN', '--format', '')).toEqual(formats);
    expect(offered('report', '--format', '=')).toEqual(formats);
    expect(offered('report', '--format', '=', 'ht')).toEqual(['html']);
    expect(offered('init', 'mine', '--host', 'p')).toEqual(['python']);
    expect(offered('completion', '')).toEqual(['bash', 'zsh', 'fish']);
  });

  test('leaves experiments, runs and values without choices to the completion of file names', () => {
    expect(offered('run', '')).toEqual([]);
    expect(offered('report', '--out', '')).toEqual([]);
    expect(offered('report', '--format', 'html', '')).toEqual([]);
    expect(script).toContain('\ncomplete -o default -F _liftgate liftgate\n');
  });

  test('evaluates nothing that was typed', () => {
    const typed = '$(touch evaluated)`touch evaluated`;touch evaluated';
    expect(offered(typed, '')).not.toEqual([]);
    expect(offered('report', '--format', typed)).toEqual([]);
    expect(spawnSync('ls', { cwd: folder, encoding: 'utf8' }).stdout).toBe('completion.bash\n');
  });
});

describe('liftgate completion SHELL', () => {
  test('gives the script as JSON, and refuses shells it has none for', async () => {
    const answer = documentOf(await liftgate(folder, 'completion', 'bash', '--json'));
    expect(answer).toEqual({ shell: 'bash', script });
    const refused = await liftgate(folder, 'completion', 'tcsh');
    expect([refused.exitCode, refused.stdout]).toEqual([64, '']);
    expect(refused.stderr).toContain('Allowed choices are bash, zsh, fish');
  });

  /** Words as completion files of these shells spell them. */
  const spelled = {
    zsh: [
      `'check:`,
      `'--format:`,
      'offered=(markdown html junit github json)',
      `' ledger release --reason'`,
    ],
    fish: [
      ' -f -a check -d ',
      ' -l format -x -a ',
      "'markdown html junit github json'",
      ' -l reason -r -d ',
    ],
  } as const;

  test.each(['zsh', 'fish'] as const)(
    'writes a script that %s can load, with every word',
    async (shell) => {
      const text = (await liftgate(folder, 'completion', shell)).stdout;
      for (const words of spelled[shell]) expect(text).toContain(words);
      writeFileSync(join(folder, `completion.${shell}`), text);
      const loaded = spawnSync(shell, ['-n', `completion.${shell}`], {
        cwd: folder,
        encoding: 'utf8',
      });
      // A machine without the shell still holds the script to its words.
      const absent =
        loaded.error !== undefined && 'code' in loaded.error && loaded.error.code === 'ENOENT';
      expect(absent ? [0, ''] : [loaded.status, loaded.stderr]).toEqual([0, '']);
    },
  );
});

describe('completionScript', () => {
  const tree: CommandTree = {
    name: 'liftgate',
    does: '',
    choices: [],
    options: [],
    commands: [
      {
        name: 'odd',
        does: "it's a: `tick` $HOME \\",
        choices: [],
        options: [{ spellings: ['--to'], does: '', takesValue: true, choices: [] }],
        commands: [],
      },
    ],
  };

  test('quotes descriptions so that no shell reads them', () => {
    expect(linesOf(completionScript('zsh', tree)).join('\n')).toContain(
      "'odd:it'\\''s a\\: `tick` $HOME \\'",
    );
    expect(completionScript('fish', tree)).toContain("-d 'it\\'s a: `tick` $HOME \\\\'");
    expect(completionScript('bash', tree)).not.toContain('tick');
  });
});
