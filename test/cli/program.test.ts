/** The bundled program against its sources: the same words give the same answer and exit code in this process. */
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { calculatorGroups } from '../../src/cli/calculators.ts';
import { createOutput, type Sink } from '../../src/cli/print.ts';
import { runWords } from '../../src/cli/program.ts';
import { type Ended, liftgate, projectFolder } from '../support/cli.ts';
import { temporaryFolders } from '../support/temporary-folder.ts';

const makeFolder = temporaryFolders();
const desk = 'experiments/refund-desk';
const [run = ''] = readdirSync(join(projectFolder, desk, 'runs'));
const recorded = `${desk}/runs/${run}`;

/** Keeps what is written to it. */
function sink(): Sink & { readonly text: () => string } {
  const parts: string[] = [];
  const write = (text: string, done: () => void): boolean => {
    parts.push(text);
    done();
    return true;
  };
  return { write, text: () => parts.join('') };
}

/** Runs a command line in this process. */
async function runHere(cwd: string, ...words: string[]): Promise<Ended> {
  const stdout = sink();
  const stderr = sink();
  const output = createOutput({ json: words.includes('--json'), stdout, stderr });
  const exitCode = await runWords(words, { cwd, output, signal: new AbortController().signal });
  await output.flush();
  return { stdout: stdout.text(), stderr: stderr.text(), exitCode };
}

/** Examples of the calculators that need no file. */
const examples = calculatorGroups
  .flatMap(({ kinds }) => kinds.map(({ example }) => example))
  .filter((example) => !example.includes('--file'))
  .map((example) => example.replace(/^liftgate /, ''));

describe.concurrent('the bundled program answers as its sources do', () => {
  test.each([
    ...examples,
    `check ${desk}`,
    `check ${desk} --json`,
    `plan ${desk}`,
    'ledger list',
    'ledger show 3',
    'ledger show 999',
    'ledger verify',
    'ledger budget',
    `verify ${recorded}`,
    `verify ${recorded} --without-ledger --json`,
    `report ${recorded}`,
    `report ${recorded} --format html`,
    `report ${recorded} --format junit --units`,
    `report ${recorded} --format json`,
    `run ${desk} --candidate r4`,
    `run ${desk} --candidate r9`,
    'completion bash',
    'check nowhere',
    'swim',
    'stats --help',
  ])('liftgate %s', async (line) => {
    const words = line.split(' ');
    const here = await runHere(projectFolder, ...words);
    const built = await liftgate(projectFolder, ...words);
    expect({ exitCode: here.exitCode, stdout: here.stdout }).toEqual({
      exitCode: built.exitCode,
      stdout: built.stdout,
    });
    expect(`${here.stdout}${here.stderr}`).not.toBe('');
  });
});

describe('the calculators that read files', () => {
  const files: Readonly<Record<string, string>> = {
    clustered: '{"unit":"a","difference":1}\n{"unit":"b","difference":0}\n'.repeat(4),
    agreement: '{"first":4,"second":5}\n{"first":3,"second":3}\n{"first":1,"second":2}\n',
    percentile: '1\n2\n3\n4\n',
  };
  let place = '';

  beforeAll(async () => {
    place = await makeFolder();
    for (const [kind, text] of Object.entries(files)) writeFileSync(join(place, kind), text);
  });

  test.each(Object.keys(files))('stats %s answers in both', async (kind) => {
    const words = ['stats', kind, '--file', kind];
    const here = await runHere(place, ...words);
    const built = await liftgate(place, ...words);
    expect([here.exitCode, here.stdout]).toEqual([built.exitCode, built.stdout]);
  });
});

describe('the life of an experiment in this process', () => {
  test('from its scaffold over seal, reservation and release to a verified decision', async () => {
    const place = await makeFolder();
    const ledger = ['--ledger', join(place, 'ledger')];
    const exp = join(place, 'prices');
    const codes: [string, number | null][] = [];
    const act = async (...words: string[]): Promise<Ended> => {
      const ended = await runHere(place, ...words);
      codes.push([
        words.slice(0, 2).join(' ').replace(place, '').replace(exp, 'prices'),
        ended.exitCode,
      ]);
      return ended;
    };
    await act('init', 'prices');
    await act('check', exp);
    await act('seal', exp, ...ledger);
    await act('reserve', exp, ...ledger);
    await act('ledger', 'release', 'prices', '--reason', 'a test', ...ledger);
    await act('seal', exp, '--candidates', ...ledger);
    const ran = await act('run', exp, ...ledger);
    expect(ran.stdout).toMatch(/^comma: ship \| right \+0\.5 .* n=24 units/m);
    const folder = join(exp, 'runs', readdirSync(join(exp, 'runs'))[0] ?? '');
    const verified = await act('verify', folder, ...ledger);
    expect(verified.stdout).toContain('RESULT confirmed\n');
    await act('report', folder, '--format', 'github');
    // The journal holds no receipts of controls: they are missing.
    await act('decide', exp, '--receipts', join(folder, 'journal.jsonl'), ...ledger);
    await act('ledger', 'void', 'prices', '--reason', 'a test', ...ledger);
    const after = await act('run', exp, ...ledger);
    expect(after.stderr).toContain('decides nothing: its outcome was voided (a test)');
    expect(codes.map(([, code]) => code)).toEqual([0, 0, 0, 0, 0, 0, 0, 0, 0, 20, 0, 42]);
  });
});
