import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { errorExitCodes } from '../../src/base/errors.ts';
import * as liftgate from '../../src/index.ts';
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

describe('the table of error codes in README.md', () => {
  const rows = [
    ...between('<!-- error codes -->', '<!-- error codes end -->').matchAll(
      /^\| (\d+) \| (.+) \|$/gm,
    ),
  ].flatMap(([, exit, codes = '']) =>
    [...codes.matchAll(/`([a-z-]+)`/g)].map(([, code]) => [code ?? '', Number(exit)] as const),
  );

  test('names every code of the engine with its exit code, and no other, each once', () => {
    expect(Object.fromEntries(rows)).toEqual(errorExitCodes);
    expect(rows.length).toBe(Object.keys(errorExitCodes).length);
  });

  test('has no exit code that the table of exit codes leaves out', () => {
    const known = section('Exit codes').split('Error codes by exit code')[0] ?? '';
    const explained = [...known.matchAll(/^\| ([\d /]+) \|/gm)].flatMap(([, codes = '']) =>
      codes.split('/').map(Number),
    );
    expect(explained).toEqual([0, 20, 21, 22, 23, 30, 31, 32, 40, 41, 42, 64, 70, 130]);
    expect(rows.map(([, exit]) => exit).filter((exit) => !explained.includes(exit))).toEqual([]);
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
});
