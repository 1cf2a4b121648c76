/** What the built command line loads: little for help, no more than needed for the rest. `npm run bench:startup` measures it. */
import { cpSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { digestHex, digestOf } from '../../src/base/digest.ts';
import { liftgate, linesOf, projectFolder, startProgram } from '../support/cli.ts';
import { temporaryFolders } from '../support/temporary-folder.ts';

const makeFolder = temporaryFolders();

/** Texts of the files of the package that a command line loads. */
async function loadedBy(...words: string[]): Promise<string[]> {
  const folder = await makeFolder();
  const list = join(folder, 'loaded.txt');
  const code = `process.on('exit', () => require('node:fs').writeFileSync(${JSON.stringify(list)}, Object.keys(require.cache).join('\\n')));`;
  writeFileSync(join(folder, 'hook.cjs'), code);
  const bin = join(projectFolder, 'bin/liftgate.js');
  const call = [process.execPath, '--require', join(folder, 'hook.cjs'), bin, ...words] as const;
  await startProgram(projectFolder, [...call]).ended;
  return linesOf(readFileSync(list, 'utf8'))
    .filter((path) => path.startsWith(projectFolder))
    .map((path) => readFileSync(path, 'utf8'));
}

const marks = {
  parser: 'class Command extends',
  shapes: 'unrecognized_keys',
  yaml: 'YAMLParseError',
} as const;

function found(texts: readonly string[]): string[] {
  return Object.entries(marks)
    .filter(([, mark]) => texts.some((text) => text.includes(mark)))
    .map(([what]) => what);
}

describe('what a command line loads', () => {
  test.each(['--help', '--version', '-h', '-V'])(
    '%s needs neither parser nor shapes',
    async (word) => {
      const texts = await loadedBy(word);
      expect(texts.length).toBeGreaterThan(1);
      expect(found(texts)).toEqual([]);
      expect(texts.join('').length).toBeLessThan(30_000);
    },
  );

  test('help of a command needs the parser alone', async () => {
    expect(found(await loadedBy('plan', '--help'))).toEqual(['parser']);
  });

  test.each(['check', 'report', 'seal', 'verify'])(
    '%s has a file of its own, and no parser for a call with nothing wrong in it',
    async (command) => {
      const texts = await loadedBy(command, '--json', 'experiments/none');
      expect(texts.filter((text) => text.length > 30_000)).toHaveLength(1);
      expect(found(texts)).not.toContain('parser');
      expect(found(await loadedBy(command, '--jason', 'experiments/none'))).toContain('parser');
    },
  );

  test.each(['check', 'report', 'seal', 'verify'])(
    'help of %s is what the program with all commands says of it',
    async (command) => {
      const folder = await makeFolder();
      const [own, all] = await Promise.all([
        liftgate(folder, command, '--help'),
        liftgate(folder, 'help', command),
      ]);
      expect(own.stdout).toContain(`Usage: liftgate ${command} `);
      expect(own.stdout).toBe(all.stdout);
    },
  );

  test.each(['verify', 'report'])('%s reads records without YAML', async (command) => {
    const run = 'experiments/refund-desk/runs/none';
    expect(found(await loadedBy(command, run))).toEqual(['shapes']);
  });

  test('verify leaves proofs and merged branches alone until a run needs them', async () => {
    const texts = await loadedBy('verify', 'experiments/refund-desk/runs/33d19367904c');
    expect(found(texts)).toEqual(['shapes']);
    // What stands for a deferred function takes whatever it is given.
    const marked = (name: string) =>
      texts.filter((text) => new RegExp(`function ${name}\\((?!\\.{3}given)`).test(text)).length;
    expect(marked('checkRun')).toBe(1);
    expect(['parseTimeStamp', 'mergeBranch'].map(marked)).toEqual([0, 0]);
  });

  test('the source of the programs is plain ASCII', () => {
    const folder = join(projectFolder, 'dist/cli');
    const files = readdirSync(folder).filter((name) => name.endsWith('.cjs'));
    expect(files.length).toBeGreaterThan(50);
    const wide = files.filter((name) =>
      /[\u0080-\uffff]/.test(readFileSync(join(folder, name), 'latin1')),
    );
    expect(wide).toEqual([]);
  });

  test('check loads YAML for a YAML file', async () => {
    expect(found(await loadedBy('check', 'experiments/refund-desk'))).toContain('yaml');
  });
});

describe('liftgate --help', () => {
  test('is what the commands themselves say', async () => {
    const folder = await makeFolder();
    const written = await liftgate(folder, '--help');
    const parsed = await liftgate(folder, 'help');
    expect([written.exitCode, written.stderr]).toEqual([0, '']);
    expect(written.stdout).toContain('\nCommands:\n  init ');
    expect(written.stdout).toBe(parsed.stdout);
    expect((await liftgate(folder, '-h')).stdout).toBe(written.stdout);
  });

  test('and --version stay one JSON document under --json', async () => {
    const folder = await makeFolder();
    for (const word of ['--help', '--version']) {
      const { stdout, exitCode } = await liftgate(folder, word, '--json');
      expect(exitCode).toBe(0);
      expect(JSON.parse(stdout)).toMatchObject({
        version: expect.stringMatching(/^\d+\.\d+\.\d+/),
      });
    }
  });

  test('names the version of package.json', async () => {
    const { version } = JSON.parse(readFileSync(join(projectFolder, 'package.json'), 'utf8')) as {
      version: string;
    };
    expect((await liftgate(await makeFolder(), '--version')).stdout).toBe(`${version}\n`);
  });
});

describe('compiled code that the build kept', () => {
  const words = ['verify', 'experiments/refund-desk/runs/33d19367904c'];

  /** The command line of a copy of the package, after something was done to the files of `verify`. */
  async function told(change: (core: string) => void): Promise<string> {
    const folder = await makeFolder();
    for (const part of ['bin', 'dist/cli', 'package.json'])
      cpSync(join(projectFolder, part), join(folder, part), { recursive: true });
    const cli = join(folder, 'dist/cli');
    const core = readdirSync(cli).find((name) => /^own-verify-core.*[.]cjs$/.test(name));
    change(join(cli, core ?? 'none'));
    const bin = join(folder, 'bin/liftgate.js');
    const ended = await startProgram(projectFolder, [process.execPath, bin, ...words]).ended;
    return `${ended.stdout}${ended.stderr}${ended.exitCode}`;
  }

  function changeByte(path: string): void {
    const bytes = readFileSync(path);
    const at = bytes.length >> 1;
    bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at);
    writeFileSync(path, bytes);
  }

  test('says what the source says, and gives way to it when it was changed or is not there', async () => {
    const said = await told(() => undefined);
    expect(said).toContain('RESULT confirmed');
    expect(await told((core) => changeByte(`${core}.code`))).toBe(said);
    expect(await told((core) => rmSync(`${core}.code`))).toBe(said);
    expect(await told((core) => truncateSync(`${core}.code`, 100))).toBe(said);
  });

  test('is not used beside another source, though it is as long', async () => {
    const said = await told((core) => {
      const text = readFileSync(core, 'latin1');
      expect(text.split('`RESULT $').length).toBe(2);
      writeFileSync(core, text.replace('`RESULT $', '`CHANGED$'));
    });
    expect(said).toContain('CHANGEDconfirmed');
    expect(said).not.toContain('RESULT');
  });

  test('has the same bytes whenever and wherever it is made', async () => {
    const folder = await makeFolder();
    for (const part of ['dist/cli', 'package.json', 'templates'])
      cpSync(join(projectFolder, part), join(folder, part), { recursive: true });
    const cli = join(folder, 'dist/cli');
    const kept = readdirSync(cli).find((name) => /^own-seal-core.*[.]code$/.test(name)) ?? 'none';
    const digestIn = (of: string) => digestOf(readFileSync(join(of, kept)));
    const made = digestIn(cli);
    rmSync(join(cli, kept));
    const parts = JSON.stringify({ project: projectFolder, folder: cli, programs: ['seal'] });
    const module = JSON.stringify(join(projectFolder, 'scripts/kept-code.mjs'));
    const code = `import(${module}).then(({ keepCode }) => keepCode(${parts}))`;
    const ended = await startProgram(projectFolder, [process.execPath, '-e', code]).ended;
    expect([ended.stderr, ended.exitCode]).toEqual(['', 0]);
    expect(digestIn(cli)).toBe(made);
    expect(readFileSync(join(cli, 'main.cjs'), 'utf8')).toContain(digestHex(made));
  });

  test('is named with its digest in a file that the digest of the engine covers', () => {
    const cli = join(projectFolder, 'dist/cli');
    const list = readFileSync(join(cli, 'main.cjs'), 'utf8');
    const kept = readdirSync(cli).filter((name) => name.endsWith('.code'));
    expect(kept).toHaveLength(3);
    for (const name of kept)
      expect(list).toContain(digestHex(digestOf(readFileSync(join(cli, name)))));
  });
});
