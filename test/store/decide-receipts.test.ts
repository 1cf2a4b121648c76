import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Ledger } from '../../src/ledger/ledger.ts';
import { memoryLedger } from '../../src/ledger/memory-ledger.ts';
import { formatJournalLine, type JournalLine } from '../../src/run/journal.ts';
import { decide } from '../../src/serve/library.ts';
import { loadExperiment } from '../../src/store/experiment-folder.ts';
import { runFile, runFileNames } from '../../src/verify/record.ts';
import { journalOf, withReceipt } from '../support/forgery.ts';
import { refusalOf } from '../support/refusal.ts';
import { mailsIn, type SettledRun, settledRun, writeFiles } from '../support/run.ts';
import { temporaryFolders } from '../support/temporary-folder.ts';

const makeFolder = temporaryFolders();
let run: SettledRun;
let journal: string;
let controls: string;

beforeAll(async () => {
  run = await settledRun({ folder: await makeFolder() });
  journal = new TextDecoder().decode(runFile(run.files, runFileNames.journal));
  controls = new TextDecoder().decode(runFile(run.files, runFileNames.controls));
});

function decideFrom(receipts: string, ledger = run.ledger) {
  return decide({ loaded: run.loaded, ledger, receipts, file: 'r.jsonl' });
}

function text(lines: readonly JournalLine[]): string {
  return lines.map(formatJournalLine).join('');
}

/** Hand-written receipts of a perfect candidate. */
function perfect(): string {
  return ['baseline', 'new', 'same']
    .flatMap((arm) =>
      Array.from({ length: 12 }, (_, at) => ({
        case: `m${at + 1}`,
        arm,
        scores: { right: arm === 'baseline' ? 0 : 1, harm: 0 },
        critical: [],
      })),
    )
    .map((each) => `${JSON.stringify(each)}\n`)
    .join('');
}

describe('decide', () => {
  test('gives the recorded verdict, confirmatory, from the journal and controls of the run', async () => {
    const { document } = await decideFrom(journal + controls);
    expect(document.verdict).toEqual(run.result.document.verdict);
    expect(document.verdict.evidence).toBe('confirmatory');
    expect(document.decisions).toEqual(run.result.document.decisions);
  });

  test('does not care in which order the lines come', async () => {
    const lines = `${controls}${journal}`.trimEnd().split('\n');
    const odd = lines.filter((_, at) => at % 2 === 1);
    const even = lines.filter((_, at) => at % 2 === 0);
    const controlOrder = controls.trimEnd().split('\n');
    const mixed = [...odd, ...even].filter((line) => !controlOrder.includes(line));
    const { document } = await decideFrom(
      `${[...mixed.toReversed(), ...controlOrder].join('\n')}\n`,
    );
    expect(document.verdict).toEqual(run.result.document.verdict);
    expect(document.run).toEqual(run.result.document.run);
  });

  test('without the controls nothing ships: a required gate has no input', async () => {
    const { document } = await decideFrom(journal);
    expect(document.decisions.map((each) => each.decision)).not.toContain('ship');
    const found = document.decisions.flatMap(({ contributions }) =>
      contributions.filter(({ gate }) => gate === 'controls').map(({ finding }) => finding),
    );
    expect(found).toEqual(['missing', 'missing']);
  });

  test.each([
    ['better scores', (lines: string) => lines.replace('"right":0', '"right":1')],
    ['a receipt less', (lines: string) => lines.replace(/^.*\n/, '')],
    ['another time', (lines: string) => lines.replace('"receivedAt":"2026', '"receivedAt":"2027')],
  ])('controls with %s are not those of the run: the gate has no input', async (_what, change) => {
    expect(change(controls)).not.toBe(controls);
    const { document } = await decideFrom(journal + change(controls));
    const found = document.decisions.flatMap(({ contributions }) =>
      contributions.filter(({ gate }) => gate === 'controls').map(({ finding }) => finding),
    );
    expect(found).toEqual(['missing', 'missing']);
  });

  test.each([1e300, 2e9])('a cost of %d dollars is refused with its line: 41', async (costUsd) => {
    const wrong = withReceipt(
      journalOf(run.files),
      () => true,
      (line) => ({
        ...line,
        receipt: { ...line.receipt, usage: { ...line.receipt.usage, costUsd } },
      }),
    );
    const error = await refusalOf(decideFrom(text(wrong) + controls));
    expect([error.code, error.exitCode]).toEqual(['receipt-invalid', 41]);
    expect(error.problems[0]?.where.line).toBe(2);
  });

  const tampered: [string, (lines: readonly JournalLine[]) => readonly JournalLine[]][] = [
    [
      'a changed score',
      (lines) =>
        withReceipt(
          lines,
          ({ cell }) => cell.case === 'm9' && cell.arm === 'same',
          (line) => ({
            ...line,
            receipt: { ...line.receipt, scores: { ...line.receipt.scores, right: 1 } },
          }),
        ),
    ],
    [
      'a changed time',
      (lines) =>
        withReceipt(
          lines,
          () => true,
          (line) => ({ ...line, receivedAt: '2030-01-01T00:00:00.000Z' }),
        ),
    ],
    ['a dropped receipt', (lines) => lines.slice(0, -1)],
    [
      'another fence',
      (lines) =>
        withReceipt(
          lines,
          () => true,
          (line) => ({ ...line, fence: 'e'.repeat(32) }),
        ),
    ],
    [
      'no exposure',
      (lines) =>
        withReceipt(
          lines,
          () => true,
          (line) => ({ ...line, expose: null, fence: null, ledger: null }),
        ),
    ],
  ];
  test.each(tampered)('%s is not confirmatory any more', async (_what, change) => {
    const { document } = await decideFrom(text(change(journalOf(run.files))) + controls);
    expect(document.verdict.evidence).toBe('not-confirmatory');
    expect(document.decisions.map((each) => each.decision)).not.toContain('ship');
    expect(document.decisions[0]?.reason).toContain(
      'not-confirmatory: receipts from outside a sealed run decide nothing',
    );
  });

  test('the receipts of a run are not confirmatory under another ledger', async () => {
    const { document } = await decideFrom(journal + controls, memoryLedger());
    expect(document.verdict.evidence).toBe('not-confirmatory');
    expect(document.verdict.exitCode).toBe(21);
  });

  test('receipts of an exposure without a recorded outcome are not confirmatory: nothing binds their bytes', async () => {
    const ledger = memoryLedger();
    const unrecorded: Ledger = {
      state: () => ledger.state(),
      append: (request) =>
        request.kind === 'outcome' ? Promise.reject(new Error('lost')) : ledger.append(request),
      object: (digest) => ledger.object(digest),
      putObject: (bytes) => ledger.putObject(bytes),
      entries: () => ledger.entries(),
      verify: () => ledger.verify(),
    };
    const folder = await makeFolder();
    await expect(settledRun({ folder, ledger: unrecorded })).rejects.toThrow('lost');
    const loaded = await loadExperiment(folder);
    const receipts = [runFileNames.journal, runFileNames.controls]
      .map((name) => readFileSync(join(folder, 'run', name), 'utf8'))
      .join('');
    const { document } = await decide({ loaded, ledger, receipts });
    expect(document.verdict.decisions[0]?.improvement).toBe(
      run.result.document.verdict.decisions[0]?.improvement,
    );
    expect(document.verdict.evidence).toBe('not-confirmatory');
  });

  test('receipts of a voided outcome are not confirmatory', async () => {
    const voided = await settledRun({ folder: await makeFolder() });
    await voided.ledger.append({
      kind: 'void',
      requestId: 'void',
      body: { outcome: voided.view.entries.at(-1)?.entry.seq ?? -1, reason: 'bug', evidence: '' },
    });
    const receipts = [runFileNames.journal, runFileNames.controls]
      .map((name) => new TextDecoder().decode(runFile(voided.files, name)))
      .join('');
    const { document } = await decide({ loaded: voided.loaded, ledger: voided.ledger, receipts });
    expect(document.verdict.evidence).toBe('not-confirmatory');
  });

  test('hand-written receipts are analysed and capped, however good they are', async () => {
    for (const ledger of [run.ledger, memoryLedger()]) {
      const { document } = await decideFrom(perfect(), ledger);
      expect(document.decisions.map((each) => [each.decision, each.cap])).toEqual([
        ['need_more_work', 'not-confirmatory'],
        ['need_more_work', 'not-confirmatory'],
      ]);
      expect(document.decisions[0]?.improvement?.value).toBe(1);
    }
  });

  test('one hand-written line among recorded ones caps them all', async () => {
    const lines = journalOf(run.files);
    const last = lines.findLastIndex((each) => each.kind === 'receipt');
    const line = lines[last];
    if (line?.kind !== 'receipt') throw new Error('the journal holds receipts');
    const { cell, receipt } = line.line;
    const hand = {
      case: cell.case,
      arm: cell.arm,
      attempt: receipt.attempt,
      scores: receipt.scores,
    };
    const { document } = await decideFrom(
      `${text(lines.toSpliced(last, 1))}${controls}${JSON.stringify(hand)}\n`,
    );
    expect(document.verdict.evidence).toBe('not-confirmatory');
  });

  test('no receipts at all decide nothing', async () => {
    const { document } = await decideFrom('');
    expect(document.verdict.evidence).toBe('not-confirmatory');
    expect(document.decisions.map((each) => each.decision)).not.toContain('ship');
  });

  test('two answers to one attempt are refused by their cell', async () => {
    const [line] = perfect().split('\n');
    const worse = line?.replace('"right":0', '"right":1') ?? '';
    const error = await refusalOf(decideFrom(`${perfect()}${worse}\n`));
    expect(error.code).toBe('receipt-invalid');
    expect(`${error.message} ${error.where?.path ?? ''}`).toContain('m1');
  });

  test('files that changed after sealing are refused before a receipt is read', async () => {
    const folder = await makeFolder();
    const sealed = await settledRun({ folder });
    writeFiles(folder, { 'rules/new.txt': '11' });
    const loaded = await loadExperiment(folder);
    const error = await refusalOf(decide({ loaded, ledger: sealed.ledger, receipts: 'no JSON' }));
    expect([error.code, error.exitCode]).toEqual(['seal-drift', 41]);
  });

  test('an experiment that was never sealed is decided under a seal made from its files', async () => {
    const loaded = await mailsIn(await makeFolder());
    const { seal, document } = await decide({
      loaded,
      ledger: memoryLedger(),
      receipts: perfect(),
    });
    expect(seal.stage).toBe('final');
    expect(document.verdict.evidence).toBe('not-confirmatory');
  });
});
