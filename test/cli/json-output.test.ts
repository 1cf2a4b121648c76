/** `--json`: one document on stdout whatever happens, everything else on stderr; `--help`: an example for every command. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { documentOf, liftgate, linesOf, projectFolder, startProgram } from '../support/cli.ts';
import { temporaryFolders } from '../support/temporary-folder.ts';
import { SmallExperiment, smallCases } from '../support/workspace.ts';

const folder = temporaryFolders();

const commands = [
  'check',
  'plan',
  'seal',
  'reserve',
  'run',
  'decide',
  'report',
  'verify',
  'ledger',
  'ledger list',
  'ledger show',
  'ledger verify',
  'ledger release',
  'ledger void',
  'ledger budget',
  'ledger policy',
];

/** A folder without any experiment or ledger. */
let projectless: string;
let decided: SmallExperiment;

describe.concurrent('--help', () => {
  test.each(commands)('of %s shows an example of that command', async (command) => {
    const ended = await liftgate(projectless, ...command.split(' '), '--help');
    expect(ended.exitCode).toBe(0);
    expect(ended.stderr).toBe('');
    const [, example = ''] = ended.stdout.split('\nExample:\n');
    expect(linesOf(example)).toHaveLength(1);
    expect(`${linesOf(example)[0]} `).toContain(`$ liftgate ${command} `);
  });

  test('of liftgate lists every command and the exit codes', async () => {
    const { stdout, exitCode } = await liftgate(projectless, '--help');
    expect(exitCode).toBe(0);
    for (const command of commands.filter((each) => !each.includes(' ')))
      expect(stdout).toContain(`\n  ${command} `);
    expect(stdout).toContain(
      'Exit codes: 0 ship or done, 20 hold, 21 need_more_work, 30 incomplete',
    );
  });
});

beforeAll(async () => {
  projectless = await folder();
  decided = new SmallExperiment(await folder());
  // Two further experiments over other units, for what ends a reservation and an outcome.
  const reserved = new SmallExperiment(decided.workspace, {
    name: 'reserved',
    cases: smallCases(8, 'r'),
  });
  await reserved.call('seal');
  await reserved.call('reserve');
  writeFileSync(
    join(decided.workspace, 'hand.jsonl'),
    '{"case":"c1","arm":"new","scores":{"right":1}}\n',
  );
});

describe('--json in a story', () => {
  // In this order: each line is one step of the same story.
  test.each([
    ['check small', 0, { ok: true, experiment: 'small' }],
    ['plan small', 0, { experiment: 'small', canShip: true }],
    ['seal small --candidates', 0, { copy: 'small.seal.json' }],
    ['reserve small', 0, { experiment: 'small', phase: 'reserved', units: 8 }],
    ['run small --out small/run', 0, { status: 'decided', recorded: false, folder: 'small/run' }],
    ['run small --out small/run', 0, { status: 'decided', recorded: true, folder: 'small/run' }],
    ['run small', 0, { status: 'decided', recorded: true, folder: null }],
    ['decide small --receipts hand.jsonl', 21, { verdict: { evidence: 'not-confirmatory' } }],
    ['report small/run', 0, { verdict: { evidence: 'confirmatory' } }],
    ['verify small/run', 0, { ok: true, exitCode: 0 }],
    ['ledger show 0', 0, { entry: { kind: 'genesis', seq: 0 } }],
    ['ledger verify', 0, { ok: true }],
    ['ledger release reserved --reason stopped', 0, { experiment: 'reserved' }],
    ['ledger void small --reason wrong', 0, { experiment: 'small' }],
  ])('gives one document for %s', async (words, code, holds) => {
    const ended = await liftgate(decided.workspace, ...words.split(' '), '--json');
    expect(ended.exitCode).toBe(code);
    expect(documentOf(ended)).toMatchObject(holds);
  });

  test('gives the entries of the ledger as one list', async () => {
    const ended = await liftgate(decided.workspace, 'ledger', 'list', '--json');
    expect(ended.exitCode).toBe(0);
    const entries = documentOf(ended) as readonly { readonly entry: { readonly kind: string } }[];
    // How often the journal is kept depends on how long the cells take.
    const kinds = entries.map(({ entry }) => entry.kind).filter((kind) => kind !== 'journal');
    expect(kinds.join(' ')).toBe(
      'genesis seal develop reserve seal seal develop reserve expose outcome release void',
    );
  });
});

describe.concurrent('--json', () => {
  test.each([
    ['check nowhere', 40, 'file-unreadable'],
    ['plan nowhere', 40, 'file-unreadable'],
    ['seal nowhere', 40, 'file-unreadable'],
    ['reserve nowhere', 40, 'file-unreadable'],
    ['run nowhere', 40, 'file-unreadable'],
    ['decide nowhere --receipts none.jsonl', 40, 'file-unreadable'],
    ['report nowhere', 41, 'run-invalid'],
    ['verify nowhere', 41, 'run-invalid'],
    ['ledger show 0', 42, 'ledger-damaged'],
    ['ledger verify', 42, 'ledger-damaged'],
    ['ledger release nobody --reason none', 64, 'usage'],
    ['ledger void nobody --reason none', 64, 'usage'],
    ['ledger void nobody', 64, 'usage'],
    ['run', 64, 'usage'],
    ['swim', 64, 'usage'],
    ['', 64, 'usage'],
  ])('gives one document for the failure of "%s"', async (words, code, error) => {
    const given = words.split(' ').filter((word) => word !== '');
    const ended = await liftgate(projectless, ...given, '--json');
    expect(ended.exitCode).toBe(code);
    expect(documentOf(ended)).toMatchObject({ error: { code: error, exitCode: code } });
    expect(ended.stderr).not.toBe('');
  });

  test.each([['--help'], ['--version'], ['run --help']])(
    'gives one document for %s',
    async (words) => {
      const ended = await liftgate(projectless, ...words.split(' '), '--json');
      expect(ended.exitCode).toBe(0);
      expect(documentOf(ended)).toMatchObject({ version: '0.1.0' });
      expect(ended.stderr).not.toBe('');
    },
  );
});

describe('output', () => {
  test('a reader that goes away changes neither result nor exit code', async () => {
    const words = `report ${decided.name}/run`;
    const script = `"$0" "$1" ${words} | true; printf '%s' "\${PIPESTATUS[0]}"`;
    const binary = `${projectFolder}bin/liftgate.js`;
    const ended = await startProgram(decided.workspace, [
      'bash',
      '-c',
      script,
      process.execPath,
      binary,
    ]).ended;
    expect(ended).toEqual({ stdout: '0', stderr: '', exitCode: 0 });
  });
});
