/** docs/custom-gates.md: its gate is run as written, on the built binary, and what it says of input, answer and verification holds. */
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { gateAnswerSchema } from '../../src/run/gate-reply.ts';
import { type Ended, liftgate, projectFolder, startProgram } from '../support/cli.ts';
import { single } from '../support/custom-gates.ts';
import { mailsFiles, writeFiles } from '../support/run.ts';
import { temporaryFolders } from '../support/temporary-folder.ts';

const makeFolder = temporaryFolders();
const page = readFileSync(join(projectFolder, 'docs/custom-gates.md'), 'utf8');
const [, path = '', code = ''] = /^```js file=(\S+)\n([\s\S]*?)^```$/m.exec(page) ?? [];
const declared = /^ {2}- \{gate: custom.*$/m.exec(page)?.[0] ?? '';

/** The mails with the page's gate, where the new rule says yes to the mails up to this one. */
async function writeMails(most: number, gate = declared): Promise<string> {
  const folder = await makeFolder();
  writeFiles(join(folder, 'mails'), {
    ...mailsFiles(),
    'experiment.yaml': `${single}${gate}\n`,
    'rules/new.txt': String(most),
    [path]: code,
  });
  return folder;
}

const run = (folder: string): Promise<Ended> =>
  liftgate(folder, 'run', 'mails', '--seal', '--out', 'run');

describe('the gate of docs/custom-gates.md', { timeout: 120_000 }, () => {
  test('ships where every quarter is served, and the run verifies with its code run again', async () => {
    const folder = await writeMails(12);
    const ended = await run(folder);
    expect(ended.stdout).toMatch(/^new: ship \|/m);
    expect(ended.exitCode).toBe(0);
    const verified = await liftgate(folder, 'verify', 'run');
    expect(verified.stdout).toContain('1 reply; their code was not run');
    expect(verified.stdout).toMatch(/Cannot be checked offline:[\s\S]*verify --run-gates/);
    const again = await liftgate(folder, 'verify', '--run-gates', 'run');
    expect(again.stdout).toContain('1 reply; their code run again says the same');
    expect(again.stdout).not.toContain('verify --run-gates');
    expect([verified.exitCode, again.exitCode]).toEqual([0, 0]);
    const bundled = await liftgate(folder, 'bundle', 'run', '--out', 'run.tar');
    expect(bundled.exitCode).toBe(0);
    expect((await liftgate(folder, 'verify', '--run-gates', 'run.tar')).exitCode).toBe(0);
  });

  test('says model_ceiling where some quarters are perfect and one is not, in every format', async () => {
    const folder = await writeMails(10, declared.replace('floor: 0.5', 'floor: 0.7'));
    const ended = await run(folder);
    expect(ended.stdout).toMatch(
      /^new: model_ceiling \|.*floor: \d quarters are perfect and one stays below the floor$/m,
    );
    expect(ended.exitCode).toBe(22);
    for (const format of ['html', 'markdown', 'junit', 'json']) {
      const { stdout } = await liftgate(folder, 'report', 'run', '--format', format);
      expect(stdout).toContain('model_ceiling');
      expect(stdout).toContain('one stays below the floor');
    }
  });

  test('check loads it where it would run, tells what changed since the seal, and where broken code breaks', async () => {
    const folder = await writeMails(12);
    const loaded = await liftgate(folder, 'check', 'mails');
    expect(loaded.stdout).toContain('  gate floor: gates/floor.mjs loads\n');
    expect((await liftgate(folder, 'seal', 'mails')).exitCode).toBe(0);
    const module = join(folder, 'mails/gates/floor.mjs');
    const text = readFileSync(module, 'utf8');
    writeFileSync(module, `${text}\n`);
    const changed = await liftgate(folder, 'check', 'mails', '--json');
    expect(JSON.parse(changed.stdout)).toMatchObject({
      gates: [{ gate: 'floor', module: 'gates/floor.mjs', changed: ['gates/floor.mjs'] }],
    });
    expect(changed.stderr).toContain('gates/floor.mjs changed since mails.seal.json');
    writeFileSync(module, `${text}const = 1;\n`);
    const broken = await liftgate(folder, 'check', 'mails');
    expect(broken.exitCode).toBe(40);
    const line = text.split('\n').length;
    expect(broken.stderr).toContain(`cannot be used: gates/floor.mjs:${line}:7: Unexpected token`);
  });

  test('what-if asks it again only with --run-gates', async () => {
    const folder = await writeMails(12);
    await run(folder);
    writeFileSync(join(folder, 'rule.yaml'), 'inference: {level: 0.9}\n');
    const without = await liftgate(folder, 'decide', 'run', '--what-if', 'rule.yaml');
    expect(without.stdout).toContain(
      'floor: not_evaluated (insufficient): its code was not run on this evidence',
    );
    const asked = await liftgate(folder, 'decide', 'run', '--what-if', 'rule.yaml', '--run-gates');
    expect(asked.stdout).toContain('floor: pass (cleared): every quarter is above the floor');
  });

  test('plan runs no gate: it takes them to pass, and names them', async () => {
    const folder = await writeMails(12);
    writeFileSync(join(folder, 'mails', path), 'no module at all');
    const { stdout, exitCode } = await liftgate(folder, 'plan', 'mails');
    expect(exitCode).toBe(0);
    expect(stdout).toContain(
      'floor: the answer of gates/floor.mjs, read from "right", which this plan takes to be ship',
    );
    expect(stdout).toMatch(
      /Not simulated, and taken to pass[\s\S]*floor: its code is not run on simulated evidence/,
    );
  });

  test('code that is no gate is refused by seal, run and amend before anything is spent', async () => {
    const folder = await writeMails(12);
    writeFileSync(join(folder, 'mails', path), "import 'node:fs';\n");
    for (const words of [
      ['seal', 'mails'],
      ['run', 'mails', '--seal'],
      ['amend', 'mails', '--reason', 'another gate'],
    ]) {
      const { stderr, exitCode } = await liftgate(folder, ...words);
      expect(exitCode).toBe(40);
      expect(stderr).toContain('gates[1].module [design-refused]');
      expect(stderr).toContain(
        'gates/floor.mjs imports "node:fs"; a gate imports liftgate/gate and the files it names',
      );
    }
  });

  test('bytes that are no text are refused', async () => {
    const folder = await writeMails(12);
    writeFileSync(join(folder, 'mails', path), `\u{feff}${code}`);
    const { stderr, exitCode } = await liftgate(folder, 'check', 'mails');
    expect(exitCode).toBe(40);
    expect(stderr).toContain('[gate-module-invalid]');
    expect(stderr).toContain('gates/floor.mjs is not plain UTF-8');
  });
});

describe('docs/custom-gates.md', { timeout: 120_000 }, () => {
  test('its gate compiles as TypeScript against the entry point liftgate/gate, and other answers do not', async () => {
    const folder = await makeFolder();
    mkdirSync(join(folder, 'node_modules'));
    symlinkSync(projectFolder, join(folder, 'node_modules/liftgate'));
    writeFileSync(join(folder, 'package.json'), '{"type": "module"}');
    const typed = code
      .replace('defineGate(', 'defineGate<{ floor: number }>(')
      .replace('measures.right', 'measures.right!');
    writeFileSync(join(folder, 'floor.mts'), typed);
    const compile = (): Promise<Ended> =>
      startProgram(folder, [
        process.execPath,
        join(projectFolder, 'node_modules/typescript/bin/tsc'),
        ...[
          '--strict',
          '--module',
          'nodenext',
          '--target',
          'es2022',
          '--outDir',
          'gates',
          'floor.mts',
        ],
      ]).ended;
    expect((await compile()).stdout).toBe('');
    expect(readFileSync(join(folder, 'gates/floor.mjs'), 'utf8')).toContain('defineGate(');
    writeFileSync(join(folder, 'floor.mts'), typed.replace("'ship'", "'release'"));
    expect((await compile()).stdout).toContain('"release"');
  });

  test('tells every member of an answer', () => {
    const section = page.slice(
      page.indexOf('## What it answers'),
      page.indexOf('## What takes the place'),
    );
    const named = [...section.matchAll(/^\| (`[^|]*`) \|/gm)].flatMap(([, cell = '']) =>
      [...cell.matchAll(/`(\w+)`/g)].map(([, name = '']) => name),
    );
    for (const member of Object.keys(gateAnswerSchema.shape)) expect(named).toContain(member);
  });
});
