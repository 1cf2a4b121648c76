/** `liftgate init`: what it writes runs as it is, with both hosts, from a clone and from the packed package. */
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { documentOf, liftgate, linesOf, projectFolder, startProgram } from '../support/cli.ts';
import { temporaryFolders } from '../support/temporary-folder.ts';

const makeFolder = temporaryFolders();

/** Every file below a folder with its text. */
function textsOf(folder: string): Record<string, string> {
  const found = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((each) =>
    each.isFile(),
  );
  return Object.fromEntries(
    found.map(({ parentPath, name }) => {
      const path = join(parentPath, name);
      return [path.slice(folder.length + 1), readFileSync(path, 'utf8')];
    }),
  );
}

describe('liftgate init NAME', () => {
  test.each([
    ['javascript', 'host.mjs'],
    ['python', 'host.py'],
  ])(
    'writes an experiment with a host in %s that passes check, plan, run --seal and verify',
    async (language, host) => {
      const folder = await makeFolder();
      const made = await liftgate(folder, 'init', 'mine', '--host', language);
      expect([made.exitCode, made.stderr]).toEqual([0, '']);
      expect(readdirSync(join(folder, 'mine')).sort()).toEqual(
        ['.gitattributes', 'README.md', 'arms', 'cases.jsonl', 'experiment.yaml', host].sort(),
      );
      const commands = [...made.stdout.matchAll(/^ {2}liftgate (.*)$/gm)].map(([, words = '']) =>
        words.split(' '),
      );
      expect(commands).toEqual([
        ['check', 'mine'],
        ['plan', 'mine'],
        ['run', 'mine', '--seal'],
      ]);
      const [checked, planned, ran] = [
        await liftgate(folder, ...(commands[0] ?? [])),
        await liftgate(folder, ...(commands[1] ?? [])),
        await liftgate(folder, ...(commands[2] ?? [])),
      ];
      expect([checked.exitCode, planned.exitCode, ran.exitCode]).toEqual([0, 0, 0]);
      expect(checked.stdout).toContain('final: 24 units, 48 cases');
      expect(planned.stdout).toContain('The most favourable receipts would ship');
      expect(ran.stdout).toMatch(/^comma: ship \| right \+0\.5 .* n=24 units/m);
      const verified = await liftgate(
        folder,
        'verify',
        `mine/runs/${readdirSync(join(folder, 'mine/runs'))[0]}`,
      );
      expect(verified.stdout).toContain('\nRESULT confirmed\n');
    },
  );

  test('says which lines to change, and they are those lines', async () => {
    const folder = await makeFolder();
    const { edits } = documentOf(await liftgate(folder, 'init', 'mine', '--json')) as {
      edits: { file: string; line: number; what: string }[];
    };
    const shown = edits.map(({ file, line }) => {
      const text = linesOf(readFileSync(join(folder, file), 'utf8'))[line - 1] ?? '';
      return `${file}: ${text.slice(0, 16)}`;
    });
    expect(shown).toEqual([
      'mine/experiment.yaml: name: mine',
      'mine/experiment.yaml: claim:',
      'mine/experiment.yaml: measures:',
      'mine/cases.jsonl: {"id":"total-0",',
      String.raw`mine/arms/plain.json: {"pattern":"\\d+`,
      String.raw`mine/arms/comma.json: {"pattern":"\\d+`,
      'mine/host.mjs: function readPri',
      'mine/host.mjs: function grade({',
    ]);
    const python = await liftgate(folder, 'init', 'yours', '--host', 'python');
    expect(python.stdout).toMatch(/yours\/host\.py:13 +call your agent/);
    expect(textsOf(join(folder, 'yours'))['host.py']?.split('\n')[12]).toContain('def read_price');
  });

  test('lets two of them run in one ledger, since no unit of one is a unit of the other', async () => {
    const folder = await makeFolder();
    for (const name of ['first', 'second']) {
      await liftgate(folder, 'init', name);
      expect((await liftgate(folder, 'run', name, '--seal')).exitCode).toBe(0);
    }
    expect((await liftgate(folder, 'ledger', 'verify')).exitCode).toBe(0);
  });

  test.each(['true', 'Null', 'v1.25_a-b'])(
    'writes the name %s so that check reads the same name back',
    async (name) => {
      const folder = await makeFolder();
      await liftgate(folder, 'init', `deep/er/${name}`);
      const checked = await liftgate(folder, 'check', `deep/er/${name}`, '--json');
      expect(documentOf(checked)).toMatchObject({ ok: true, experiment: name });
    },
  );

  test('leaves the name of the template nowhere in another experiment', async () => {
    const folder = await makeFolder();
    for (const language of ['javascript', 'python']) {
      await liftgate(folder, 'init', `mine-${language}`, '--host', language);
      const texts = Object.entries(textsOf(join(folder, `mine-${language}`)));
      expect(texts.filter(([, text]) => text.includes('prices')).map(([path]) => path)).toEqual([]);
      const other = language === 'python' ? /host\.mjs|readPrice/ : /host\.py|read_price|python/;
      expect(texts.filter(([, text]) => other.test(text)).map(([path]) => path)).toEqual([]);
    }
  });

  test('refuses a folder that holds anything, says what, and changes nothing', async () => {
    const folder = await makeFolder();
    mkdirSync(join(folder, 'mine'));
    writeFileSync(join(folder, 'mine/experiment.yaml'), 'precious');
    const refused = await liftgate(folder, 'init', 'mine');
    expect([refused.exitCode, refused.stdout]).toEqual([64, '']);
    expect(refused.stderr).toBe(
      'mine [usage]\n  The folder is not empty: it holds experiment.yaml.\n  Name a new or an empty folder; nothing was written.\n',
    );
    expect(textsOf(join(folder, 'mine'))).toEqual({ 'experiment.yaml': 'precious' });
  });

  test('fills an empty folder, and refuses a file or a place below one', async () => {
    const folder = await makeFolder();
    mkdirSync(join(folder, 'empty'));
    expect((await liftgate(folder, 'init', 'empty/')).exitCode).toBe(0);
    expect(existsSync(join(folder, 'empty/experiment.yaml'))).toBe(true);
    writeFileSync(join(folder, 'file'), 'precious');
    for (const path of ['file', 'file/below']) {
      const refused = await liftgate(folder, 'init', path);
      expect([refused.exitCode, linesOf(refused.stderr).slice(0, 2)]).toEqual([
        64,
        [`${path} [usage]`, '  A file stands where the folder would be.'],
      ]);
    }
    expect(readFileSync(join(folder, 'file'), 'utf8')).toBe('precious');
  });

  test('takes what it wrote away again when it cannot write all of it', async () => {
    const folder = await makeFolder();
    // No file may grow: making folders works, the first write fails.
    const script = 'ulimit -f 0; trap "" XFSZ; exec "$@"';
    const command = [process.execPath, `${projectFolder}bin/liftgate.js`, 'init', 'a/b'];
    const ended = await startProgram(folder, ['bash', '-c', script, 'bash', ...command]).ended;
    expect(ended.stderr).toContain('a/b [usage]\n  The folder cannot be written (EFBIG).');
    expect(ended.exitCode).toBe(64);
    expect(readdirSync(folder)).toEqual([]);
  });

  test.each(['odd name', '9lives', 'ünit', 'a'.repeat(65), '..'])(
    'refuses %j as a name and writes nothing',
    async (name) => {
      const folder = await makeFolder();
      mkdirSync(join(folder, '0'));
      const refused = await liftgate(join(folder, '0'), 'init', '--', name);
      expect(refused.exitCode).toBe(64);
      expect(refused.stderr).toMatch(/cannot name an experiment|not empty/);
      expect(readdirSync(folder)).toEqual(['0']);
      expect(readdirSync(join(folder, '0'))).toEqual([]);
    },
  );

  test('refuses a host language it has no host in', async () => {
    const refused = await liftgate(await makeFolder(), 'init', 'mine', '--host', 'cobol');
    expect(refused.exitCode).toBe(64);
    expect(refused.stderr).toContain('Allowed choices are javascript, python');
  });
});

describe('templates/experiment', () => {
  const templates = textsOf(join(projectFolder, 'templates/experiment'));
  const page = readFileSync(join(projectFolder, 'docs/writing-a-spec.md'), 'utf8');
  const blocks = new Map(
    [...page.matchAll(/^```\w+ file=prices\/(\S+)\n([\s\S]*?)^```$/gm)].map(
      ([, path = '', text = '']) => [path, text],
    ),
  );

  test.each(['experiment.yaml', 'host.mjs', 'host.py'])(
    'has the %s of docs/writing-a-spec.md',
    (path) => {
      expect(templates[path]).toBe(blocks.get(path));
    },
  );

  test('has the cases and arms that the page makes', async () => {
    const folder = await makeFolder();
    writeFileSync(join(folder, 'make-cases.mjs'), blocks.get('make-cases.mjs') ?? '');
    execFileSync(process.execPath, ['make-cases.mjs'], { cwd: folder });
    const { 'make-cases.mjs': _, ...made } = textsOf(folder);
    expect(Object.keys(made).length).toBe(5);
    expect(templates).toMatchObject(made);
  });
});

describe('the packed package', () => {
  test('holds the templates: init and run --seal work where it is installed', async () => {
    const folder = await makeFolder();
    const words = ['pack', '--json', '--ignore-scripts', '--pack-destination', folder];
    const packed = execFileSync('npm', words, { cwd: projectFolder, encoding: 'utf8' });
    const [{ filename }] = JSON.parse(packed) as [{ filename: string }];
    const modules = join(folder, 'node_modules');
    mkdirSync(modules);
    execFileSync('tar', ['-xzf', join(folder, filename), '-C', modules]);
    // Its dependencies are those of the clone, so that nothing is fetched.
    const { dependencies } = JSON.parse(
      readFileSync(join(modules, 'package/package.json'), 'utf8'),
    ) as { dependencies: Record<string, string> };
    for (const name of Object.keys(dependencies)) {
      symlinkSync(join(projectFolder, 'node_modules', name), join(modules, name));
    }
    const bin = join(modules, 'package/bin/liftgate.js');
    const run = (...rest: string[]) => startProgram(folder, [process.execPath, bin, ...rest]).ended;
    const made = await run('init', 'mine');
    expect([made.exitCode, made.stderr]).toEqual([0, '']);
    const ran = await run('run', 'mine', '--seal');
    expect(ran.stdout).toMatch(/^comma: ship \| /m);
    expect(ran.exitCode).toBe(0);
  });
});
