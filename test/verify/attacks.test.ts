import { beforeAll, describe, expect, test } from 'vitest';
import { digestOf } from '../../src/base/digest.ts';
import { memoryLedger } from '../../src/ledger/memory-ledger.ts';
import type { JournalLine } from '../../src/run/journal.ts';
import { cellKeyOf, type ReceiptLine } from '../../src/run/receipt.ts';
import { ledgerView } from '../../src/verify/reading.ts';
import { runFile, runFileNames } from '../../src/verify/record.ts';
import { checkRun, type Verification } from '../../src/verify/verify.ts';
import {
  failures,
  formatLines,
  journalOf,
  redecided,
  remanifested,
  sealOf,
  withReceipt,
} from '../support/forgery.ts';
import { type SettledRun, settledRun } from '../support/run.ts';
import { temporaryFolders } from '../support/temporary-folder.ts';

const makeFolder = temporaryFolders();
let run: SettledRun;
let other: SettledRun;

beforeAll(async () => {
  run = await settledRun({ folder: await makeFolder() });
  other = await settledRun({
    folder: await makeFolder(),
    files: { 'rules/new.txt': '11' },
    ledger: memoryLedger({ random: () => '1'.repeat(32) }),
  });
});

type CellLine = Exclude<JournalLine, { kind: 'look' }>;

function journal(): readonly CellLine[] {
  return journalOf(run.files).filter((line) => line.kind !== 'look');
}

function isReceiptOf(caseId: string, arm: string): (line: ReceiptLine) => boolean {
  return ({ cell }) => cell.case === caseId && cell.arm === arm;
}

/** A receipt with other scores: what it claims, not what happened. */
function rescored(line: ReceiptLine, right: number): ReceiptLine {
  return { ...line, receipt: { ...line.receipt, scores: { ...line.receipt.scores, right } } };
}

function forged(lines: readonly JournalLine[]): Verification {
  return checkRun(
    remanifested(run.files, { [runFileNames.journal]: formatLines(lines) }),
    run.view,
  );
}

/** An attack on the journal alone must fail with 41 and say, beside the ledger's own findings, where. */
function expectFound(verification: Verification, said: string): void {
  expect(verification.ok).toBe(false);
  expect(verification.exitCode).toBe(41);
  expect(failures(verification).join('\n')).toContain(said);
}

describe('an attacker who rewrites the folder and its manifest', () => {
  test('is caught by the outcome entry when one score and everything that follows from it was changed', () => {
    const improved = withReceipt(journal(), isReceiptOf('m9', 'same'), (line) => rescored(line, 1));
    const known = redecided(run.files, improved);
    expect(failures(checkRun(known, null)).join()).toMatch(
      /^receipts: the first \d+ lines of the journal are not those that entry \d+ knows$/,
    );
    const entries = new TextDecoder().decode(runFile(run.files, runFileNames.entries));
    const files = remanifested(known, {
      [runFileNames.entries]: entries.replace(/^.*"kind":"journal".*\n/gm, ''),
    });
    const alone = checkRun(files, null);
    expect(failures(alone)).toEqual([]);
    expect(
      alone.checks.filter((check) => check.status === 'not-checked').map(({ id }) => id),
    ).toEqual(['ledger', 'outcome']);
    const verification = checkRun(files, run.view);
    expect(verification.exitCode).toBe(41);
    expect(failures(verification)).toEqual([
      expect.stringMatching(/^ledger: the run leaves out entry \d+ \(journal\); /),
      'outcome: the manifest has another digest than recorded; the decision has another digest than recorded; the receipts are not those recorded',
    ]);
  });

  test('is caught when a decision was turned from need_more_work to ship without touching a receipt', () => {
    const text = new TextDecoder().decode(runFile(run.files, runFileNames.decision));
    const files = remanifested(run.files, {
      [runFileNames.decision]: text.replaceAll('"decision":"need_more_work"', '"decision":"ship"'),
    });
    expect(failures(checkRun(files, null))).toEqual([
      'decision: recomputed: new ship, same need_more_work; decision.json says something else',
    ]);
  });

  test('is caught when only the summary was rewritten', () => {
    const text = new TextDecoder().decode(runFile(run.files, runFileNames.summary));
    const files = remanifested(run.files, {
      [runFileNames.summary]: text.replaceAll('need_more_work', 'ship'),
    });
    expect(failures(checkRun(files, null))).toEqual([
      'summary: summary.md differs from the recomputed summary',
    ]);
  });
});

describe('receipts', () => {
  test('a dropped receipt is named', () => {
    const at = journal().findIndex(
      (line) => line.kind === 'receipt' && line.line.cell.case === 'm3',
    );
    expectFound(forged(journal().toSpliced(at, 1)), '1 dispatches have no receipt');
  });

  test('a cell dropped with its dispatch changes the recomputed decision', () => {
    const without = journal().filter(
      (line) => (line.kind === 'receipt' ? line.line.cell : line.cell).case !== 'm3',
    );
    expectFound(forged(without), 'decision.json says something else');
  });

  test('a duplicated receipt is held to the recorded bytes', () => {
    const twice = journal().flatMap((line, at) => (at === 1 ? [line, line] : [line]));
    expectFound(forged(twice), 'receipts: 1 receipts are recorded twice');
  });

  test('a second receipt of one attempt is refused by its cell', () => {
    const [, first] = journal();
    if (first?.kind !== 'receipt') throw new Error('the second line is the first receipt');
    const second: JournalLine = { kind: 'receipt', line: rescored(first.line, 0.5) };
    expectFound(forged([...journal(), second]), 'Two different receipts name attempt 1');
  });

  test('swapped arms are refused by the cell key and the surface', () => {
    const swapped = journal().map((line): CellLine => {
      const swap = (arm: string): string =>
        (({ new: 'same', same: 'new' }) as Record<string, string>)[arm] ?? arm;
      if (line.kind === 'dispatch')
        return { ...line, cell: { ...line.cell, arm: swap(line.cell.arm) } };
      const { cell } = line.line;
      return { kind: 'receipt', line: { ...line.line, cell: { ...cell, arm: swap(cell.arm) } } };
    });
    expectFound(forged(swapped), 'The journal puts the cell at place');
    const placed = swapped.map((line): JournalLine => {
      const position = (cell: ReceiptLine['cell']): number => {
        const found = journal().find(
          (each) =>
            each.kind === 'dispatch' && each.cell.case === cell.case && each.cell.arm === cell.arm,
        );
        return found?.kind === 'dispatch' ? found.position : -1;
      };
      return line.kind === 'dispatch'
        ? { ...line, position: position(line.cell) }
        : { kind: 'receipt', line: { ...line.line, position: position(line.line.cell) } };
    });
    expectFound(
      forged(placed),
      'arm same, repeat 0, attempt 1: another surface than the sealed arm',
    );
  });

  test('receipts of another run are refused by experiment and exposure', () => {
    const foreign = journalOf(other.files);
    expectFound(forged(foreign), 'another exposure');
    expectFound(forged(foreign), 'another experiment');
  });

  const receiptFaults: [string, (line: ReceiptLine) => ReceiptLine, string][] = [
    [
      'a fence nobody holds',
      (line) => ({ ...line, fence: 'f'.repeat(32) }),
      'a fence that no attempt holds',
    ],
    ['no fence', (line) => ({ ...line, fence: null }), 'a fence that no attempt holds'],
    ['another exposure', (line) => ({ ...line, expose: digestOf('x') }), 'another exposure'],
    ['another ledger', (line) => ({ ...line, ledger: 'f'.repeat(32) }), 'another exposure'],
    [
      'another evaluator',
      (line) => ({ ...line, evaluatorTree: digestOf('x') }),
      'another evaluator',
    ],
    [
      'another surface',
      (line) => ({ ...line, armDigest: digestOf('x') }),
      'another surface than the sealed arm',
    ],
    [
      'another experiment',
      (line) => ({ ...line, receipt: { ...line.receipt, experimentDigest: digestOf('x') } }),
      'another experiment',
    ],
  ];
  test.each(receiptFaults)('a receipt with %s is refused by its cell', (_what, change, said) => {
    const lines = withReceipt(journal(), isReceiptOf('m2', 'new'), change);
    expectFound(forged(lines), `receipts: case m2, arm new, repeat 0, attempt 1: ${said}`);
  });

  test('a receipt under the cell key of another attempt is refused', () => {
    const [line] = journal().flatMap((each) =>
      each.kind === 'receipt' && isReceiptOf('m2', 'new')(each.line) ? [each.line] : [],
    );
    if (line === undefined) throw new Error('the cell was run');
    const cellKey = cellKeyOf({
      designDigest: sealOf(run.files).digests.design,
      caseId: 'm2',
      repeat: 0,
      surfaceDigest: line.armDigest,
      attempt: 2,
    });
    const moved = journal().map((each): JournalLine => {
      if (each.kind === 'dispatch')
        return each.cellKey === line.receipt.cellKey ? { ...each, cellKey } : each;
      return each.line.receipt.cellKey === line.receipt.cellKey
        ? { kind: 'receipt', line: { ...each.line, receipt: { ...each.line.receipt, cellKey } } }
        : each;
    });
    expectFound(forged(moved), 'case m2, arm new, repeat 0, attempt 1: a key that is not its own');
    const only = withReceipt(journal(), isReceiptOf('m2', 'new'), (each) => ({
      ...each,
      receipt: { ...each.receipt, cellKey },
    }));
    expectFound(forged(only), 'which was never dispatched');
  });

  test('a torn last line is refused', () => {
    const text = new TextDecoder().decode(runFile(run.files, runFileNames.journal));
    const files = remanifested(run.files, { [runFileNames.journal]: `${text}{"at":"2026` });
    expectFound(checkRun(files, run.view), 'receipts: the journal ends in a torn line');
  });
});

describe('the ledger', () => {
  test('that never recorded the run does not confirm it', async () => {
    const empty = await ledgerView(memoryLedger());
    const verification = checkRun(run.files, empty);
    expect(verification.exitCode).toBe(41);
    expect(failures(verification).at(-1)).toBe(
      'outcome: the ledger records no outcome of this exposure',
    );
    expect(checkRun(run.files, other.view).exitCode).toBe(41);
  });

  test('that is damaged gives exit code 42, whatever the folder says', () => {
    const message = 'entry 3 does not follow entry 2';
    const problems = [{ code: 'I1' as const, where: {}, message, mend: '' }];
    for (const entries of [[], run.view.entries]) {
      const verification = checkRun(run.files, { ...run.view, entries, problems });
      expect(verification.exitCode).toBe(42);
      expect(failures(verification).join('\n')).toContain('entry 3 does not follow entry 2');
    }
  });

  test('that voided the outcome does not confirm it', async () => {
    const folder = await makeFolder();
    const voided = await settledRun({ folder });
    const { entry } = voided.view.entries.at(-1) ?? {};
    await voided.ledger.append({
      kind: 'void',
      requestId: 'void',
      body: { outcome: entry?.seq ?? -1, reason: 'scorer bug', evidence: '' },
    });
    const verification = checkRun(voided.files, await ledgerView(voided.ledger));
    expectFound(verification, 'was voided and must not be used');
  });

  test('is not asked when none is given, and the report says so', () => {
    const verification = checkRun(run.files, null);
    expect(verification.exitCode).toBe(0);
    const skipped = verification.checks.filter((check) => check.status === 'not-checked');
    expect(skipped.map(({ id, detail }) => `${id}: ${detail}`)).toEqual([
      'ledger: no ledger was given: the folder could have been remade as a whole',
      'outcome: no ledger was given: the folder could have been remade as a whole',
    ]);
  });
});
