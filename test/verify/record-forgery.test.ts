import { beforeAll, describe, expect, test } from 'vitest';
import { type Digest, digestOf } from '../../src/base/digest.ts';
import type { ReceiptLine } from '../../src/run/receipt.ts';
import { canonicalLines, runFile, runFileNames } from '../../src/verify/record.ts';
import { checkRun, type Verification } from '../../src/verify/verify.ts';
import { controlsOf, failures, formatLines, ledgerTold, remanifested } from '../support/forgery.ts';
import { type SettledRun, settledRun } from '../support/run.ts';
import { temporaryFolders } from '../support/temporary-folder.ts';

const makeFolder = temporaryFolders();
let run: SettledRun;

beforeAll(async () => {
  run = await settledRun({ folder: await makeFolder() });
});

/** A receipt with another score: what it claims, not what happened. */
function rescored(line: ReceiptLine, right: number): ReceiptLine {
  return { ...line, receipt: { ...line.receipt, scores: { ...line.receipt.scores, right } } };
}

/** An attack must fail with 41 and say, beside the ledger's own findings, where. */
function expectFound(verification: Verification, said: string): void {
  expect(verification.exitCode).toBe(41);
  expect(failures(verification).join('\n')).toContain(said);
}

describe('controls', () => {
  function controlled(change: (lines: ReceiptLine[]) => ReceiptLine[]): Verification {
    const text = formatLines(change(controlsOf(run.files)));
    return checkRun(remanifested(run.files, { [runFileNames.controls]: text }), run.view);
  }
  const isOf =
    (id: string) =>
    ({ cell }: ReceiptLine): boolean =>
      cell.arm === id;
  const only = (
    id: string,
    change: (line: ReceiptLine) => ReceiptLine,
  ): ((lines: ReceiptLine[]) => ReceiptLine[]) => {
    return (lines) => lines.map((line) => (isOf(id)(line) ? change(line) : line));
  };

  const attacks: [string, (lines: ReceiptLine[]) => ReceiptLine[], string][] = [
    ['no receipts', () => [], 'ceiling ran 0 cases that are not the 2 sealed ones'],
    [
      'fewer cells',
      (lines) => lines.toSpliced(lines.findIndex(isOf('floor')), 1),
      'floor ran 1 cases that are not the 2 sealed ones',
    ],
    [
      'a whole control left out',
      (lines) => lines.filter((line) => !isOf('scorer')(line)),
      'scorer',
    ],
    [
      'a final case',
      only('ceiling', (line) => ({ ...line, cell: { ...line.cell, case: 'm1', unit: 'f1' } })),
      'ceiling ran 1 cases that are not the 2 sealed ones',
    ],
    [
      'another surface',
      only('floor', (line) => ({ ...line, armDigest: digestOf('x') })),
      'floor ran another surface',
    ],
    [
      'another evaluator',
      only('floor', (line) => ({ ...line, evaluatorTree: digestOf('x') })),
      'floor ran under another evaluator',
    ],
    [
      'another experiment',
      only('floor', (line) => ({
        ...line,
        receipt: { ...line.receipt, experimentDigest: digestOf('x') },
      })),
      'floor ran for another experiment',
    ],
    [
      'cell keys of another attempt',
      only('ceiling', (line) => ({ ...line, receipt: { ...line.receipt, attempt: 2 } })),
      'ceiling names attempts that are not 1, 2, ... of its cells',
    ],
    [
      'cell keys of other cells',
      only('ceiling', (line) => ({
        ...line,
        receipt: { ...line.receipt, cellKey: 'a'.repeat(64) },
      })),
      'ceiling has a cell key that is not its own',
    ],
    [
      'an exposure',
      only('ceiling', (line) => ({ ...line, fence: '0'.repeat(32) })),
      'ceiling claims an exposure; controls run before it',
    ],
    [
      'an unknown control',
      (lines) => [
        ...lines,
        ...lines.slice(0, 1).map((line) => ({ ...line, cell: { ...line.cell, arm: 'extra' } })),
      ],
      'extra is no sealed control',
    ],
    [
      'a ceiling that was missed',
      only('ceiling', (line) => rescored(line, 0)),
      'ceiling: the mean of right is 0, expected at least 1',
    ],
    [
      'a repeated receipt that overwrites another',
      (lines) => [...lines, ...lines.filter(isOf('ceiling')).map((line) => rescored(line, 1))],
      'ceiling names attempts that are not 1, 2, ... of its cells',
    ],
  ];
  test.each(attacks)('a control file with %s is refused by the control', (_what, change, said) => {
    expectFound(controlled(change), said);
  });
});

describe('roots over the controls', () => {
  const recordedWith = async (
    kind: 'expose' | 'outcome',
    controlsRoot?: Digest,
  ): Promise<SettledRun> =>
    settledRun({ folder: await makeFolder(), ledger: ledgerTold(kind, controlsRoot) });
  const problemsOf = ({ files, view }: SettledRun): [string, string][] =>
    checkRun(files, view).checks.flatMap(({ problems }) =>
      problems.map(({ code, message }): [string, string] => [code, message]),
    );

  test('an exposure that knows other controls than the outcome is refused at both', async () => {
    const other = await recordedWith('expose', digestOf('x'));
    expect(problemsOf(other)).toEqual([
      ['controls-differ', 'the receipts are not those that entry 5 (expose) knows'],
      ['controls-differ', 'the outcome names other controls than the exposure in entry 5'],
    ]);
    expect(checkRun(other.files, other.view).exitCode).toBe(41);
  });

  test.each([
    ['another root', digestOf('x')],
    ['no root', undefined],
  ])('an outcome with %s after an exposure that has one is refused', async (_, controlsRoot) => {
    expect(problemsOf(await recordedWith('outcome', controlsRoot))).toContainEqual([
      'controls-differ',
      'the outcome names other controls than the exposure in entry 5',
    ]);
  });

  test('controls that were changed and still pass are refused without any ledger', () => {
    const controls = formatLines(
      controlsOf(run.files).map((line) => ({ ...line, receivedAt: '2031-01-01T00:00:00.000Z' })),
    );
    const files = remanifested(run.files, { [runFileNames.controls]: controls });
    expect(failures(checkRun(files, null)).join()).toContain(
      'controls: the receipts are not those that entry 5 (expose) knows',
    );
  });
});

describe('entries', () => {
  function withEntries(change: (values: Record<string, unknown>[]) => unknown[]): Verification {
    const values = canonicalLines(
      runFile(run.files, runFileNames.entries),
      runFileNames.entries,
    ).map(({ value }) => value as Record<string, unknown>);
    const files = remanifested(run.files, { [runFileNames.entries]: formatLines(change(values)) });
    return checkRun(files, run.view);
  }
  const edited = (
    kind: string,
    change: Record<string, unknown>,
  ): ((values: Record<string, unknown>[]) => unknown[]) => {
    return (values) =>
      values.map((value) =>
        value['kind'] === kind
          ? { ...value, body: { ...(value['body'] as Record<string, unknown>), ...change } }
          : value,
      );
  };
  const attacks: [string, (values: Record<string, unknown>[]) => unknown[], string][] = [
    [
      'another plan',
      edited('reserve', { plan: digestOf('x') }),
      'the reservation names another plan',
    ],
    [
      'other units',
      edited('reserve', { unitsObject: digestOf('x') }),
      'the reservation names other units',
    ],
    [
      'another reservation',
      edited('expose', { reserve: 0 }),
      'the exposure names another reservation',
    ],
    [
      'another seal',
      edited('expose', { seal: digestOf('x') }),
      'the exposure names another final seal',
    ],
    [
      'other arms',
      edited('expose', {
        arms: [
          { id: 'new', digest: digestOf('x') },
          { id: 'b', digest: digestOf('y') },
        ],
      }),
      'the exposure names other arms',
    ],
    [
      'another evaluator',
      edited('expose', { evaluatorTree: digestOf('x') }),
      'the exposure names another evaluator',
    ],
    [
      'other cells',
      edited('expose', { cellsObject: digestOf('x') }),
      'the exposure names other cells',
    ],
    ['another fence', edited('expose', { fence: 'e'.repeat(32) }), 'a fence that no attempt holds'],
    [
      'a claimed time',
      (values) => values.map((value) => ({ ...value, at: '2030-01-01T00:00:00.000Z' })),
      "entry 5 of the run is not the ledger's",
    ],
    [
      'no exposure',
      (values) => values.slice(0, 1),
      'are not a reservation, an exposure and its attempts',
    ],
    [
      'no reservation',
      (values) => values.slice(1),
      'are not a reservation, an exposure and its attempts',
    ],
    ['nothing', () => [], 'are not a reservation, an exposure and its attempts'],
    [
      'the exposure first',
      (values) => values.toReversed(),
      'are not a reservation, an exposure and its attempts',
    ],
    [
      'the exposure twice',
      (values) => [...values, ...values.slice(-1)],
      'are not a reservation, an exposure and its attempts',
    ],
  ];
  test.each(attacks)('forged entries with %s are refused', (_what, change, said) => {
    expectFound(withEntries(change), said);
  });
});
