import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import type { SettledCell } from '../../src/analysis/settle.ts';
import { latencyViews } from '../../src/report/view-latency.ts';
import { armUsages } from '../../src/report/view-usage.ts';
import type { OutcomeClass } from '../../src/spec/spec.ts';
import { evidenceOf } from '../support/evidence.ts';

const [line] = evidenceOf({
  cases: [{ id: 'c', unit: 'u', cells: { baseline: 1, next: 1 } }],
}).lines;

function cell(activeMs: number | null, outcome: OutcomeClass = 'completed'): SettledCell {
  if (line === undefined) throw new Error('the table has a receipt');
  const { receipt } = line;
  const timed = { ...receipt, outcome, timing: { ...receipt.timing, activeMs } };
  return { cell: line.cell, attempts: 1, settlement: { status: 'settled', receipt: timed } };
}

const lost: SettledCell = { ...cell(1), settlement: { status: 'missing', reason: 'cancelled' } };

const timesSchema = z.object({
  id: z.string(),
  samplesMs: z.array(z.number().nullable()).min(1),
  expect: z.object({
    count: z.number(),
    unknown: z.number(),
    min: z.number().nullable(),
    max: z.number().nullable(),
    percentiles: z.record(z.string(), z.number().nullable()),
    resolved: z.record(z.string(), z.boolean()),
  }),
});

/** Cases with samples; those that a receipt's schema refuses before (negative, not a number) have no counts to expect. */
function referenceCases(): z.infer<typeof timesSchema>[] {
  const path = new URL('../reference/latency-cases.json', import.meta.url);
  const file = z.object({ cases: z.array(z.unknown()) });
  return file.parse(JSON.parse(readFileSync(path, 'utf8'))).cases.flatMap((each) => {
    const parsed = timesSchema.safeParse(each);
    return parsed.success ? [parsed.data] : [];
  });
}

describe('latencyViews', () => {
  test('are held against the reference', () => {
    expect(referenceCases().length).toBeGreaterThanOrEqual(18);
  });

  test.each(referenceCases())(
    'counts, extremes and percentiles of the reference case $id',
    ({ samplesMs, expect: wanted }) => {
      const [found] = latencyViews([
        { arm: 'a', cells: samplesMs.map((ms) => cell(ms)) },
      ]).populations;
      expect([found?.known, found?.unknown]).toEqual([wanted.count, wanted.unknown]);
      expect([found?.minMs, found?.maxMs]).toEqual([wanted.min, wanted.max]);
      for (const { percent, valueMs, resolved } of found?.percentiles ?? []) {
        const name = String(percent);
        if (!(name in wanted.percentiles)) continue;
        expect([valueMs, resolved]).toEqual([wanted.percentiles[name], wanted.resolved[name]]);
      }
      expect((found?.bins ?? []).reduce((total, count) => total + count, 0)).toBe(
        samplesMs.some((ms) => ms !== null && ms > 0) ? wanted.count : 0,
      );
    },
  );

  test('keeps completed, refused, failed and limited cells apart; limited ones are lower bounds', () => {
    const views = latencyViews([
      { arm: 'baseline', cells: [cell(10), cell(null), cell(500, 'limitExceeded'), lost] },
      { arm: 'next', cells: [cell(20), cell(7, 'agentError'), cell(3, 'safeRefusal')] },
    ]);
    expect(
      views.populations.map(({ arm, population, censored, known, unknown, maxMs }) => [
        arm,
        population,
        censored,
        known,
        unknown,
        maxMs,
      ]),
    ).toEqual([
      ['baseline', 'completed', false, 1, 1, 10],
      ['baseline', 'limitExceeded', true, 1, 0, 500],
      ['next', 'completed', false, 1, 0, 20],
      ['next', 'safeRefusal', false, 1, 0, 3],
      ['next', 'agentError', false, 1, 0, 7],
    ]);
    expect(views.missing).toEqual([{ arm: 'baseline', cells: 1 }]);
  });

  test('has no bins where no time is above zero, and one where all are equal', () => {
    expect(latencyViews([{ arm: 'a', cells: [cell(0), cell(null)] }])).toMatchObject({
      edgesMs: [],
      populations: [{ known: 1, unknown: 1, minMs: 0, bins: [] }],
    });
    expect(latencyViews([{ arm: 'a', cells: [cell(5), cell(5), cell(0)] }])).toMatchObject({
      edgesMs: [5, 5],
      populations: [{ bins: [3] }],
    });
  });
});

describe('armUsages', () => {
  test('counts unknown cost and tokens and adds up the known ones', () => {
    if (line === undefined) throw new Error('the table has a receipt');
    const tokens = { input: 5, cachedInput: 1, output: 2, reasoning: 0 };
    const known = { costUsd: 0.1, costKnown: true, costSource: null, tokens, tokensKnown: true };
    const unknown = { ...known, costUsd: null, costKnown: false, tokens: null, tokensKnown: false };
    const lines = [known, known, unknown].map((usage) => ({
      ...line,
      receipt: { ...line.receipt, usage, gradeUsage: unknown },
    }));
    expect(armUsages(['baseline', 'other'], lines)).toMatchObject([
      {
        attempts: 3,
        execution: { knownUsd: 0.2, known: 2, unknown: 1 },
        grading: { knownUsd: 0, known: 0, unknown: 3 },
        tokens: { input: 10, cachedInput: 2, output: 4, reasoning: 0, known: 2, unknown: 1 },
      },
      { attempts: 0, classes: [] },
    ]);
  });
});
