import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canonicalText } from '../../src/base/canonical.ts';
import { digestOf } from '../../src/base/digest.ts';
import { leafText } from '../../src/base/merkle.ts';
import { LineColumns } from '../../src/run/line-columns.ts';
import { hasReceipt, lineLeaf, movedLine } from '../../src/run/measured-line.ts';
import { type ReceiptLine, receiptLineSchema } from '../../src/run/receipt.ts';
import { sparseReceipt } from '../../src/run/replies.ts';
import { planSchedule } from '../../src/run/schedule.ts';
import type { IndexedCase } from '../../src/spec/case-index.ts';

const digests = ['a', 'b'].map((text) => digestOf(text));
const [one = digestOf(''), other = one] = digests;
const cases = Array.from(
  { length: 4 },
  (_, at): IndexedCase => ({
    row: at + 1,
    id: `c${at}`,
    unit: `u${at}`,
    split: 'final',
    excluded: null,
    applies: ['right'],
    inputDigest: digestOf(`input ${at}`),
    expectedDigest: one,
  }),
);
const schedule = planSchedule({
  cases,
  arms: ['baseline', 'next'],
  repeats: 3,
  casesDigest: one,
});

const count = fc.oneof(fc.nat(3), fc.nat(Number.MAX_SAFE_INTEGER));
const span = fc.option(fc.double({ min: 0, max: 1e13, noNaN: true }).map((ms) => ms + 0));
const usage = fc.record({
  costUsd: fc.option(fc.constantFrom(0, 0.001, 0.25, 1e9)),
  costKnown: fc.boolean(),
  costSource: fc.constant(null),
  tokens: fc.option(
    fc.record({ input: count, cachedInput: count, output: count, reasoning: count }),
  ),
  tokensKnown: fc.boolean(),
});
const digest = fc.constantFrom(...digests);
const times = ['2026-08-01T00:00:00.000Z', '2026-08-01T02:00:00.5+02:00', '1999-12-31T23:59:59Z'];

/** Lines with everything that a receipt can say. */
const receiptLine = fc
  .record({
    position: fc.nat(schedule.length - 1),
    ledger: fc.option(fc.constantFrom('l', 'm')),
    expose: fc.option(digest),
    fence: fc.option(fc.constantFrom('f', 'g')),
    armDigest: digest,
    evaluatorTree: digest,
    receivedAt: fc.oneof(fc.constantFrom(...times), fc.string()),
    receipt: fc.record({
      attempt: fc.integer({ min: 1, max: 300 }),
      inputDigest: fc.option(fc.constantFrom(other, ...cases.map((each) => each.inputDigest))),
      surfaceLoadedDigest: fc.option(digest),
      outcome: fc.constantFrom('completed', 'agentError', 'infrastructureFault', 'cancelled'),
      fault: fc.option(fc.constantFrom('x', 'y').map((code) => ({ code, phase: 'agent' }))),
      scores: fc.dictionary(
        fc.constantFrom('right', 'harm', 'undeclared'),
        fc.option(fc.double({ min: 0, max: 1, noNaN: true }).map((score) => score + 0)),
      ),
      critical: fc.option(fc.array(fc.constantFrom('harm', 'right').map((id) => ({ id })))),
      usage,
      gradeUsage: fc.option(usage),
      gradeAttempts: count,
      timing: fc.record({
        startedAt: fc.constantFrom(...times),
        endedAt: fc.constant(times[0]),
        activeMs: span,
        waitedMs: span,
      }),
      model: fc.option(
        fc.record({ requested: fc.constant('m'), observed: fc.option(fc.constant('m1')) }),
      ),
      host: fc.record({ name: fc.constantFrom('h', 'i'), version: fc.constant('1') }),
      packages: fc.constantFrom(undefined, {}, { zod: '4.0.0' }),
    }),
  })
  .map(({ receipt, ...line }): ReceiptLine => {
    const { packages, ...rest } = receipt;
    const sparse = sparseReceipt({
      cellKey: '0'.repeat(64),
      attempt: 1,
      experimentDigest: one,
      outcome: 'cancelled',
      span: { startedAt: times[0] ?? '', endedAt: times[0] ?? '' },
    });
    const whole = { ...sparse, ...rest, ...(packages === undefined ? {} : { packages }) };
    const cell = schedule.at(line.position);
    const parsed = receiptLineSchema.safeParse({ v: 1, cell, ...line, receipt: whole });
    if (!parsed.success) throw new Error(JSON.stringify(parsed.error.issues));
    return parsed.data;
  });

/** What a decision reads of a line, member by member. */
function readOf(line: Parameters<typeof movedLine>[0]): unknown {
  const { receipt, cell, position, ledger, expose, fence, armDigest, evaluatorTree } = line;
  const { attempt, experimentDigest, inputDigest, surfaceLoadedDigest, outcome, scores } = receipt;
  const usages = [receipt.usage, receipt.gradeUsage].map(
    (each) =>
      each && {
        costUsd: each.costUsd,
        costKnown: each.costKnown,
        tokens: each.tokens,
        tokensKnown: each.tokensKnown,
      },
  );
  const { startedAt, activeMs, waitedMs } = receipt.timing;
  return {
    ...{ cell, position, ledger, expose, fence, armDigest, evaluatorTree },
    receivedAt: line.receivedAt,
    ...{ attempt, experimentDigest, inputDigest, surfaceLoadedDigest, outcome, scores, usages },
    fault: receipt.fault?.code ?? null,
    critical: receipt.critical?.map(({ id }) => id) ?? null,
    gradeAttempts: receipt.gradeAttempts,
    times: [startedAt, activeMs, waitedMs],
    model: receipt.model === null ? 'none' : receipt.model.observed,
    host: receipt.host,
    packages: receipt.packages ?? null,
    leaf: lineLeaf(line),
  };
}

const bytesOf = (line: ReceiptLine): Uint8Array => new TextEncoder().encode(canonicalText(line));

describe('LineColumns', () => {
  test('say of every line what the line says', () => {
    fc.assert(
      fc.property(fc.array(receiptLine, { maxLength: 30 }), (lines) => {
        const columns = new LineColumns({ schedule, measures: ['right', 'harm'], outputs: false });
        for (const line of lines) columns.add(line, bytesOf(line));
        expect(columns.map(readOf)).toEqual(lines.map(readOf));
        for (const [at, line] of lines.entries()) {
          const known = columns.at(at);
          expect(known !== undefined && hasReceipt(known, line)).toBe(true);
          const attempt = line.receipt.attempt + 1;
          const next = { ...line, receipt: { ...line.receipt, attempt } };
          expect(known !== undefined && hasReceipt(known, next)).toBe(false);
        }
      }),
      { numRuns: 60, seed: 1 },
    );
  });

  test('keep artifacts only where they are asked for', () => {
    const [line] = fc.sample(receiptLine, { numRuns: 1, seed: 2 });
    if (line === undefined) throw new Error('no sample');
    const kept = [false, true].map((outputs) => {
      const columns = new LineColumns({ schedule, measures: [], outputs });
      columns.add(line, bytesOf(line));
      return columns.at(0)?.receipt.artifact;
    });
    expect(kept).toEqual([undefined, line.receipt.artifact]);
  });
});

describe('movedLine', () => {
  test('takes a line to another cell and keeps what it says', () => {
    const [line] = fc.sample(receiptLine, { numRuns: 1, seed: 3 });
    if (line === undefined) throw new Error('no sample');
    const columns = new LineColumns({ schedule, measures: [], outputs: false });
    columns.add(line, bytesOf(line));
    const to = { cell: { unit: 'v', case: 'd', arm: 'next', repeat: 1 }, position: 9 };
    for (const from of [line, ...columns]) {
      const moved = movedLine(from, to);
      expect([moved.cell, moved.position, moved.receipt]).toEqual([to.cell, 9, from.receipt]);
    }
    expect(movedLine(columns.at(0) ?? line, to).leaf).toBe(leafText(bytesOf(line)));
  });
});
