import { spawnSync } from 'node:child_process';
import { cpSync, readFileSync, symlinkSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { errorExitCodes } from '../../src/base/errors.ts';
import * as liftgate from '../../src/index.ts';
import { outputPattern, startProgram } from '../support/cli.ts';
import { mailsIn } from '../support/run.ts';
import { temporaryFolders } from '../support/temporary-folder.ts';

const project = fileURLToPath(new URL('../../', import.meta.url));
const readme = readFileSync(join(project, 'README.md'), 'utf8');
const makeFolder = temporaryFolders();

/** Text between two markers. */
function between(from: string, to: string): string {
  const start = readme.indexOf(from);
  const end = readme.indexOf(to, start + from.length);
  if (start < 0 || end < 0) throw new Error(`README.md has no ${from} ... ${to}`);
  return readme.slice(start + from.length, end);
}

function section(title: string): string {
  return between(`\n## ${title}\n`, '\n## ');
}

describe('the table of exit codes in README.md', () => {
  test('has every exit code of the program, and refusals.md a section for each that refuses', () => {
    const explained = [...section('Exit codes').matchAll(/^\| ([\d /]+) \|/gm)].flatMap(
      ([, codes = '']) => codes.split('/').map(Number),
    );
    expect(explained).toEqual([0, 20, 21, 22, 23, 30, 31, 32, 40, 41, 42, 64, 70, 130]);
    const refusals = readFileSync(join(project, 'docs/refusals.md'), 'utf8');
    const sections = [...refusals.matchAll(/^## (\d+): /gm)].map(([, exit]) => Number(exit));
    expect(sections).toEqual(explained.filter((exit) => exit >= 30));
    expect(Object.values(errorExitCodes).filter((exit) => !sections.includes(exit))).toEqual([]);
  });
});

/** A block of the tour with what the page shows of its output. */
interface Shown {
  readonly commands: string;
  readonly output: string | null;
}

/** Shell blocks of a part of the page, each with the output block behind it. */
function shellBlocks(text: string): Shown[] {
  const pattern = /^```sh\n([\s\S]*?)^```$(?:\s*^```text output\n([\s\S]*?)^```$)?/gm;
  return [...text.matchAll(pattern)].map(([, commands = '', output]) => ({
    commands,
    output: output ?? null,
  }));
}

/** A copy of the project as a clone has it, with the packages that `npm ci` would install. */
async function clone(): Promise<string> {
  const folder = join(await makeFolder(), 'clone');
  const left = new Set(['node_modules', '.git', 'coverage', '.demo', '.stryker-tmp']);
  cpSync(project, folder, {
    recursive: true,
    filter: (path) => !left.has(relative(project, path)),
  });
  symlinkSync(join(project, 'node_modules'), join(folder, 'node_modules'));
  return folder;
}

/** Runs blocks one after another in one shell, and gives the output of each. */
async function follow(folder: string, blocks: readonly Shown[]): Promise<string[]> {
  const mark = '@@ next block';
  const script = blocks.map(({ commands }) => `${commands}echo '${mark}'\n`).join('');
  const offline = 'export npm_config_offline=true npm_config_update_notifier=false';
  const { stdout, exitCode } = await startProgram(folder, [
    'bash',
    '-c',
    `exec 2>&1; set -e; ${offline}\n${script}`,
  ]).ended;
  if (exitCode !== 0) throw new Error(`the commands of the page end with ${exitCode}:\n${stdout}`);
  return stdout.split(`${mark}\n`).slice(0, -1);
}

describe('the commands of README.md', { timeout: 300_000 }, () => {
  const blocks = shellBlocks(readme);
  const [first, second, ...others] = blocks;

  test('begin with the two that a fresh machine needs, on the first screen', () => {
    expect(first?.commands).toBe('npm ci && npm run demo\n');
    expect(second?.commands).toBe('npm ci && npm test\n');
    expect(readme.slice(0, readme.indexOf('npm ci && npm test')).split('\n').length).toBeLessThan(
      25,
    );
    // .ci/run takes the second from this page and runs it.
    expect(readFileSync(join(project, '.ci/run'), 'utf8')).toContain('npm ci && npm test$/&/p');
  });

  test('are all run here, or by CI', () => {
    const shells = readme.match(/^```sh/gm)?.length;
    expect(shells).toBe(blocks.length);
    expect(others.length).toBeGreaterThan(4);
    const fences = [...readme.matchAll(/^```(\S.*)$/gm)].map(([, kind]) => kind);
    expect(new Set(fences)).toEqual(new Set(['sh', 'text output', 'ts']));
  });

  test('the demo ends with the lines that the page shows', async () => {
    const demo = { commands: 'npm run demo\n', output: null };
    const [printed = ''] = await follow(await clone(), [demo]);
    const [, output = ''] =
      /```text output\n([\s\S]*?)```/.exec(section('What the demo shows')) ?? [];
    expect(printed).toMatch(outputPattern(output));
  });

  test('the tour prints what the page shows', async () => {
    const tour = shellBlocks(section('Ten minutes'));
    const printed = await follow(await clone(), tour);
    expect(printed.length).toBe(tour.length);
    expect(tour.filter(({ output }) => output !== null).length).toBeGreaterThan(2);
    tour.forEach(({ output }, index) => {
      if (output !== null) expect(printed[index]).toMatch(outputPattern(output));
    });
  });

  test("the project's own evidence verifies, and its decision is printed again", async () => {
    const [evidence, ...rest] = shellBlocks(section("The project's own evidence"));
    expect(rest).toEqual([]);
    const [printed = ''] = await follow(await clone(), evidence === undefined ? [] : [evidence]);
    expect(printed).toContain('RESULT sound\n');
    expect(printed).toContain('Recorded decision; nothing was dispatched.\n');
    expect(printed).toMatch(/^r2: ship .*\nr3: hold .*\nr4: need_more_work .*\nr5: hold /m);
  });
});

describe('the library section of README.md', () => {
  const code = /```ts\n([\s\S]*?)```/.exec(section('Library'))?.[1] ?? '';

  test('imports public names only', () => {
    const [, names = ''] = /import \{([^}]*)\} from 'liftgate'/.exec(code) ?? [];
    const unknown = names
      .split(',')
      .map((name) => name.trim())
      .filter((name) => !Object.hasOwn(liftgate, name));
    expect(names.length).toBeGreaterThan(50);
    expect(unknown).toEqual([]);
  });

  test('mentions calls that exist', () => {
    const called = [...section('Library').matchAll(/`([a-z]+[A-Z]?\w*)(?:\(|`)/g)].flatMap(
      ([, name = '']) => (/^(?:code|exitCode|where|mend)$/.test(name) ? [] : [name]),
    );
    expect(called).toContain('decide');
    expect(called.filter((name) => !Object.hasOwn(liftgate, name))).toEqual([]);
  });

  test('does the whole job when it is run, on a small experiment in place of the named one', async () => {
    const { folder } = await mailsIn(await makeFolder());
    const body = code
      .replace(/^import .*$/m, '')
      .replace("'experiments/refund-desk'", JSON.stringify(folder))
      .replace("openLedger('ledger')", `openLedger(${JSON.stringify(join(folder, 'ledger'))})`);
    const printed: unknown[][] = [];
    const scope = {
      ...liftgate,
      console: { log: (...words: unknown[]) => printed.push(words) },
      process: { exitCode: -1 },
    };
    const work = new Function(
      ...Object.keys(scope),
      `'use strict'; return (async () => {${body}})();`,
    );
    await work(...Object.values(scope));
    expect(scope.process.exitCode).toBe(0);
    expect(printed.slice(0, 2).map(([candidate, decision]) => [candidate, decision])).toEqual([
      ['new', 'ship'],
      ['same', 'need_more_work'],
    ]);
    expect(String(printed[2]?.[0])).toMatch(/^# mails: new may ship\n/);
  });
});

describe('README.md', () => {
  test('shows every command of the program and no other', () => {
    const command = join(project, 'bin/liftgate.js');
    const { stdout } = spawnSync(process.execPath, [command, '--help'], { encoding: 'utf8' });
    const program = [...stdout.matchAll(/^ {2}([a-z]+) .*(?:\[options\]|<\w+>|\[command\])?/gm)]
      .map(([, name = '']) => name)
      .filter((name) => name !== 'help');
    const shown = [...section('Commands').matchAll(/^\| `liftgate ([a-z]+)/gm)].map(
      ([, name = '']) => name,
    );
    expect(program.length).toBeGreaterThan(5);
    expect([...new Set(shown)].sort()).toEqual([...new Set(program)].sort());
  });

  test('shows every command of the ledger and no other', () => {
    const command = join(project, 'bin/liftgate.js');
    const words = [command, 'ledger', '--help'];
    const { stdout } = spawnSync(process.execPath, words, { encoding: 'utf8' });
    const commands = /^Commands:\n((?: +.*\n)+)/m.exec(stdout)?.[1] ?? '';
    const program = [...commands.matchAll(/^ {2}([a-z-]+) /gm)]
      .map(([, name]) => name)
      .filter((name) => name !== 'help');
    const shown = [...section('Commands').matchAll(/`liftgate ledger ([a-z\\|-]+)/g)].flatMap(
      ([, names = '']) => names.split('\\|'),
    );
    expect(program.length).toBeGreaterThan(5);
    expect(shown.sort()).toEqual(program.sort());
  });
});
