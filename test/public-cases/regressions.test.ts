/** Small tables whose right answer is known, each under the sentence that says it. */
import { describe, expect, test } from 'vitest';
import { readSpec } from '../../src/spec/parse.ts';
import { bettingLowerBound } from '../../src/stats/betting.ts';
import { tBootstrapTBounds } from '../../src/stats/bootstrap.ts';
import { clusteredMeanBounds } from '../../src/stats/clustered.ts';
import { isIndeterminate } from '../../src/stats/interval.ts';
import { meanDifferenceBounds } from '../../src/stats/mean-difference.ts';
import { mcnemarExact } from '../../src/stats/paired-binary.ts';
import { exactUnconditionalLower } from '../../src/stats/paired-binary-exact.ts';
import { type ResamplingStream, resamplingStream } from '../../src/stats/random.ts';
import { parseReceiptLines } from '../../src/verify/record.ts';
import {
  binaryCases,
  type CaseTable,
  type EvidenceTable,
  rightMeasure,
} from '../support/evidence.ts';
import { gateOf, judged } from '../support/judged.ts';
import { computed, testSeed } from '../support/statistics.ts';

type Counts = Parameters<typeof binaryCases>[0];

const guarded = (margin: number, counts: Counts) =>
  judged({
    measures: { right: { ...rightMeasure, role: 'guardrail' } },
    gates: [{ gate: 'no-regression', measure: 'right', margin }],
    cases: binaryCases(counts),
  });

const lifted = (counts: Counts, inference: Readonly<Record<string, unknown>> = {}) =>
  judged({ cases: binaryCases(counts), inference });

function casesOf(
  count: number,
  cells: (at: number) => CaseTable['cells'],
  unitOf: (at: number) => string = (at) => `u${String(at).padStart(3, '0')}`,
): CaseTable[] {
  return Array.from({ length: count }, (_, at) => ({
    id: `c${String(at).padStart(3, '0')}`,
    unit: unitOf(at),
    cells: cells(at),
  }));
}

const score = { kind: 'score', min: 0, max: 1, role: 'primary', direction: 'higher' };
const continuous = { kind: 'continuous', role: 'primary', direction: 'higher' };

function uniform(stream: ResamplingStream): number {
  return (stream.word() + 0.5) / 2 ** 32;
}

/** Share of trials whose decision is ship. */
function shipRate(trials: number, table: (trial: number) => EvidenceTable): number {
  const decisions = Array.from({ length: trials }, (_, trial) => judged(table(trial)).decision);
  return decisions.filter((decision) => decision === 'ship').length / trials;
}

describe('regression cases', () => {
  test('20 all-pass pairs at a 5-point margin do not ship (16.1 points either way), 100 do (3.7)', () => {
    const [few, many] = [guarded(0.05, { both: 20 }), guarded(0.05, { both: 100 })];
    expect(few.decision).toBe('need_more_work');
    expect(gateOf(few, 'no-regression:right').estimate?.interval).toMatchObject({
      lower: expect.closeTo(-0.161, 3),
      upper: expect.closeTo(0.161, 3),
    });
    expect(many.decision).toBe('ship');
    expect(gateOf(many, 'no-regression:right').estimate?.interval).toMatchObject({
      lower: expect.closeTo(-0.037, 3),
      upper: expect.closeTo(0.037, 3),
    });
  });

  test('5 wins and no loss of 6 do not ship under asymptotic and do under finite-sample; 6 of 6 do', () => {
    expect(mcnemarExact({ onlyCandidate: 5, onlyBaseline: 0 }).pGreater).toBeCloseTo(1 / 32, 15);
    expect(lifted({ gains: 5, both: 1 }).decision).toBe('need_more_work');
    expect(lifted({ gains: 5, both: 1 }, { guarantee: 'finite-sample' }).decision).toBe('ship');
    const table = { both: 1, onlyCandidate: 5, onlyBaseline: 0, neither: 0 };
    expect(computed(exactUnconditionalLower(table, 0.0195))).toBeGreaterThan(0);
    expect(computed(exactUnconditionalLower(table, 0.0193))).toBeLessThanOrEqual(0);
    expect(lifted({ gains: 6 }).decision).toBe('ship');
    expect(lifted({ gains: 6 }, { guarantee: 'finite-sample' }).decision).toBe('ship');
  });

  test('15 wins and 5 losses of 76 ship; the mirror image does not clear a 5-point margin', () => {
    expect(lifted({ gains: 15, losses: 5, both: 56 }).decision).toBe('ship');
    expect(guarded(0.05, { gains: 5, losses: 15, both: 56 }).decision).not.toBe('ship');
  });

  test('ten constant gains of a continuous measure are indeterminate', () => {
    const cases = casesOf(10, () => ({ baseline: 1, next: 1.5 }));
    const found = judged({ measures: { right: continuous }, cases });
    expect(gateOf(found, 'lift:right')).toMatchObject({
      status: 'not_evaluated',
      finding: 'indeterminate',
    });
    expect(found.decision).toBe('need_more_work');
  });

  test('14 of 15 units fixed in both repeats ship, and still do when half of the last is fixed too', () => {
    const fixed = (last: number) =>
      judged({
        repeats: 2,
        cases: casesOf(15, (at) => ({
          baseline: { repeats: [0, 0] },
          next: { repeats: [at < 14 ? 1 : last, at < 14 ? 1 : 0] },
        })),
      });
    expect(fixed(0).decision).toBe('ship');
    expect(fixed(1).decision).toBe('ship');
  });

  test('twenty bounded scores of many tiny gains and rare large losses, mean 0, ship at most as often as sealed', () => {
    const stream = resamplingStream(testSeed(20));
    const gain = 0.05;
    const loss = 0.95;
    const share = gain / (gain + loss);
    const rate = shipRate(200, () => ({
      measures: { right: score },
      cases: casesOf(20, () => {
        const change = uniform(stream) < share ? -loss : gain;
        return { baseline: 0.95, next: 0.95 + change };
      }),
    }));
    expect(rate).toBeLessThanOrEqual(0.025);
  });

  test('a safety measure from 0 to 10 that drops 3.9 points (n = 40, sd 1, margin 0.5) holds', () => {
    const stream = resamplingStream(testSeed(39));
    const noise = () => (uniform(stream) - 0.5) * Math.sqrt(12);
    const found = judged({
      measures: {
        right: { kind: 'score', min: 0, max: 10, role: 'guardrail', direction: 'higher' },
      },
      gates: [{ gate: 'no-regression', measure: 'right', margin: 0.5 }],
      cases: casesOf(40, () => ({ baseline: 8, next: Math.min(10, Math.max(0, 4.1 + noise())) })),
    });
    expect(gateOf(found, 'no-regression:right')).toMatchObject({
      status: 'fail',
      finding: 'breached',
    });
    expect(found.decision).toBe('hold');
  });

  test('ten scenarios of ten repeats with noise of the scenario and no effect ship at most as often as sealed', () => {
    const stream = resamplingStream(testSeed(10));
    const rate = shipRate(200, () => ({
      measures: { right: score },
      repeats: 10,
      cases: casesOf(10, () => {
        const shift = (uniform(stream) - 0.5) * 0.8;
        const around = () => ({
          repeats: Array.from(
            { length: 10 },
            () => 0.5 + shift / 2 + (uniform(stream) - 0.5) * 0.1,
          ),
        });
        return { baseline: { repeats: Array.from({ length: 10 }, () => 0.5) }, next: around() };
      }),
    }));
    expect(rate).toBeLessThanOrEqual(0.025);
  });

  test('one incident repeated a hundred times is one unit and needs more work', () => {
    const found = judged({
      cases: casesOf(
        100,
        () => ({ baseline: 0, next: 1 }),
        () => 'incident',
      ),
    });
    expect(found.decision).toBe('need_more_work');
    expect(gateOf(found, 'lift:right').n).toMatchObject({ units: 1, pairs: 100 });
  });

  test.each(['unit', 'case'])('two clusters never ship (weights: %s)', (weights) => {
    const found = judged({
      inference: { weights },
      cases: casesOf(
        200,
        () => ({ baseline: 0, next: 1 }),
        (at) => `cluster-${at % 2}`,
      ),
    });
    expect(found.decision).toBe('need_more_work');
  });

  test('42 wins and 2 losses of a primary that is not critical ship', () => {
    expect(lifted({ gains: 42, losses: 2, both: 6 }).decision).toBe('ship');
  });

  test('five missing outcomes of the baseline invent no gain', () => {
    const found = judged({
      measures: { right: score },
      cases: casesOf(20, (at) => ({ baseline: at < 5 ? null : 0.5, next: at < 5 ? 1 : 0.5 })),
    });
    expect(gateOf(found, 'lift:right').estimate?.value).toBe(0);
    expect(gateOf(found, 'lift:right').n).toMatchObject({ units: 15, pairs: 15 });
    expect(found.decision).toBe('need_more_work');
  });

  test('three identical differences of +0.5 have no p-value of 0', () => {
    expect(meanDifferenceBounds([0.5, 0.5, 0.5], 0.025)).toMatchObject({
      reason: 'constant-differences',
    });
    const found = judged({
      measures: { right: continuous },
      cases: casesOf(3, () => ({ baseline: 0, next: 0.5 })),
    });
    expect(gateOf(found, 'lift:right')).toMatchObject({ status: 'not_evaluated' });
    expect(found.decision).toBe('need_more_work');
  });

  test.each<[string, () => unknown]>([
    [
      'the betting bound',
      () =>
        bettingLowerBound([Number.NaN, 0.5], {
          range: { lower: -1, upper: 1 },
          error: 0.025,
          truncation: 0.95,
        }),
    ],
    ['t', () => meanDifferenceBounds([Number.NaN, 0.5], 0.025)],
    [
      'bootstrap-t',
      () =>
        tBootstrapTBounds([Number.NaN, 0.5], { error: 0.025, seed: testSeed(1), resamples: 1000 }),
    ],
    ['CR2', () => clusteredMeanBounds([[Number.NaN], [0.5]], 0.025)],
    ['the exact test', () => mcnemarExact({ onlyCandidate: Number.NaN, onlyBaseline: 1 })],
  ])('NaN is refused by %s', (_name, call) => {
    expect(call).toThrow(/must be .*got NaN/);
  });

  test('NaN in a recorded score is no JSON and is refused with its line', () => {
    const line = '{"scores":{"right":NaN}}';
    const bytes = new TextEncoder().encode(`${line}\n`);
    expect(() => parseReceiptLines(bytes, 'controls.jsonl')).toThrow(
      'Unexpected character N (E_SYNTAX).',
    );
  });

  test('a missing baseline is an error, not a comparison of the candidate with itself', async () => {
    const spec = JSON.stringify({
      liftgate: 1,
      name: 'x',
      arms: { candidates: { next: { surface: { skill: 'next.json' } } } },
    });
    const { problems } = await readSpec(new TextEncoder().encode(spec), 'experiment.json');
    expect(problems.find(({ where }) => where.path === 'arms.baseline')?.message).toBeDefined();
    const lost = judged({ cases: casesOf(30, () => ({ baseline: null, next: 1 })) });
    expect(gateOf(lost, 'lift:right').n).toMatchObject({ pairs: 0 });
    expect(lost.decision).toBe('need_more_work');
    expect(isIndeterminate(meanDifferenceBounds([], 0.025))).toBe(true);
  });
});
