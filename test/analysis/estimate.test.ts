import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { clearsImprovement } from '../../src/analysis/clears.ts';
import {
  discordantUnits,
  type Estimate,
  type EstimateResult,
  estimateImprovement,
  estimateSchema,
} from '../../src/analysis/estimate.ts';
import type { Sample } from '../../src/analysis/unit-value.ts';
import type { MethodName } from '../../src/spec/inference.ts';
import { type Measure, measureSchema } from '../../src/spec/measure.ts';
import { seedHex } from '../../src/spec/seeds.ts';
import { bettingBounds } from '../../src/stats/betting.ts';
import { tBootstrapTBounds } from '../../src/stats/bootstrap.ts';
import { isIndeterminate } from '../../src/stats/interval.ts';
import { meanDifferenceBounds } from '../../src/stats/mean-difference.ts';
import { roundSignificant } from '../../src/stats/rounding.ts';
import { casesDigest, evidenceOf } from '../support/evidence.ts';

const { seal } = evidenceOf({ cases: [] });

function measure(declared: Readonly<Record<string, unknown>>): Measure {
  return measureSchema.parse({ role: 'primary', direction: 'higher', ...declared });
}

const binary = measure({ kind: 'binary' });
const score = measure({ kind: 'score', min: 0, max: 1 });
const continuous = measure({ kind: 'continuous' });

function sampleOf(values: readonly number[], pairs = 1): Sample {
  const discordant = values.filter((value) => value !== 0).length;
  return {
    units: values.map((improvement, at) => ({
      unit: `u${at}`,
      improvement,
      pairs,
      values: Array.from({ length: pairs }, (_, repeat) => ({
        case: `c${at}`,
        repeat,
        improvement,
      })),
    })),
    n: {
      units: values.length,
      pairs: pairs * values.length,
      cells: 2 * pairs * values.length,
      discordant,
    },
    lost: [],
    plannedValues: 2 * pairs * values.length,
  };
}

interface Asked {
  readonly declared: Measure;
  readonly method: MethodName;
  readonly values: readonly number[];
  readonly error?: number;
  readonly pairs?: number;
}

function estimated({ declared, method, values, error = 0.025, pairs = 1 }: Asked): EstimateResult {
  return estimateImprovement({
    seal,
    measureId: 'right',
    measure: declared,
    sample: sampleOf(values, pairs),
    method,
    error,
  });
}

function estimateOf(asked: Asked): Estimate {
  const result = estimated(asked);
  if (result.status !== 'estimated') throw new Error(`no estimate: ${result.reason}`);
  return result.estimate;
}

const repeated = (value: number, count: number) => Array.from({ length: count }, () => value);
const spread = Array.from({ length: 24 }, (_, at) => ((at * 7) % 11) / 20 - 0.1);

describe('estimateImprovement', () => {
  test.each([
    [20, 0.161125158053],
    [100, 0.036993498207],
  ])('gives %d tied binary units the interval of plus and minus %d', (units, half) => {
    const { interval, value, flags, unseenLossShare } = estimateOf({
      declared: binary,
      method: 'tango-score',
      values: repeated(0, units),
    });
    expect(value).toBe(0);
    expect(interval).toEqual({
      lower: -half,
      upper: half,
      level: 0.95,
      method: 'tango-score',
      guarantee: 'asymptotic',
    });
    expect(flags).toEqual(['rare-loss-exposed']);
    expect(unseenLossShare).toBeCloseTo(1 - 0.025 ** (1 / units), 11);
  });

  test('keeps the units of the measure on the scale of 100', () => {
    const { interval } = estimateOf({
      declared: measure({ kind: 'binary', scale: 100 }),
      method: 'tango-score',
      values: repeated(0, 20),
    });
    expect(interval.upper).toBeCloseTo(16.1125158053, 9);
  });

  test('drops the rare-loss flag once 5 units show a loss', () => {
    const four = estimateOf({
      declared: binary,
      method: 'tango-score',
      values: [...repeated(-1, 4), ...repeated(1, 20)],
    });
    const five = estimateOf({
      declared: binary,
      method: 'tango-score',
      values: [...repeated(-1, 5), ...repeated(1, 20)],
    });
    expect(four.flags).toEqual(['rare-loss-exposed']);
    expect(five.flags).toEqual([]);
    expect(five.unseenLossShare).toBeNull();
  });

  test('refuses the Tango interval for units of several pairs', () => {
    expect(
      estimated({ declared: binary, method: 'tango-score', values: [1, 1, 0], pairs: 2 }),
    ).toMatchObject({
      status: 'indeterminate',
      reason: 'several-pairs-per-unit',
    });
  });

  test('is the betting bound on the declared range of the difference', () => {
    const found = estimateOf({ declared: score, method: 'betting-fixed-n', values: spread });
    const bounds = bettingBounds(spread, {
      range: { lower: -1, upper: 1 },
      error: 0.025,
      truncation: 0.95,
    });
    if (isIndeterminate(bounds)) throw new Error('24 units have a bound');
    expect(found.interval).toMatchObject({
      lower: roundSignificant(bounds.lower, 1),
      upper: roundSignificant(bounds.upper, 1),
    });
    expect(found.guarantee).toBe('finite-sample');
    expect(found.flags).toEqual([]);
  });

  test('is t by name', () => {
    const found = estimateOf({ declared: score, method: 't', values: spread });
    const bounds = meanDifferenceBounds(spread, 0.025);
    if (isIndeterminate(bounds)) throw new Error('24 units have a spread');
    expect(found.interval).toMatchObject({ lower: roundSignificant(bounds.lower, 1), method: 't' });
    expect(found.bootstrap).toBeNull();
  });

  test('is the wider of t and bootstrap-t by name, seeded by the cases and the measure', () => {
    const found = estimateOf({ declared: score, method: 't-bootstrap-t', values: spread });
    const seed = seedHex(casesDigest, 'resample/right');
    const bounds = tBootstrapTBounds(spread, { error: 0.025, seed, resamples: 1000 });
    if (isIndeterminate(bounds)) throw new Error('24 units have a spread');
    expect(found.interval).toMatchObject({
      lower: roundSignificant(bounds.lower, 1),
      upper: roundSignificant(bounds.upper, 1),
    });
    expect(found.bootstrap).toMatchObject({ seed, resamples: 1000, law: 'monte-carlo' });
    expect(found.bootstrap?.monteCarloError.lower).toBeGreaterThan(0);
  });

  test.each<[string, readonly number[]]>([
    ['19 units', spread.slice(0, 19)],
    ['9 differences', [...repeated(0, 21), ...spread.filter((value) => value !== 0).slice(0, 9)]],
    ['no spread', repeated(0.5, 24)],
  ])('falls back to the betting bound for a bounded measure with %s', (_, values) => {
    for (const method of ['t', 't-bootstrap-t'] as const) {
      const found = estimateOf({ declared: score, method, values });
      expect(found.method).toBe('betting-fixed-n');
      expect(found.flags).toEqual(['floor-fallback-betting']);
    }
  });

  test('is insufficient below 10 units of an unbounded measure and estimated from 10 on', () => {
    const values = [3, -1, 4, 1, -5, 9, 2, 6, 5, 3];
    expect(
      estimated({ declared: continuous, method: 't-bootstrap-t', values: values.slice(1) }),
    ).toMatchObject({
      status: 'insufficient',
      reason: 'too-few-units',
      n: { units: 9 },
    });
    expect(estimateOf({ declared: continuous, method: 't-bootstrap-t', values }).value).toBe(2.7);
  });

  test('is indeterminate when the interval has no width at 12 digits', () => {
    const values = Array.from({ length: 40 }, (_, at) => (at % 2 === 0 ? 1e6 : 1e6 + 4e-6));
    expect(estimated({ declared: continuous, method: 't', values })).toMatchObject({
      status: 'indeterminate',
      reason: 'zero-width-interval',
    });
  });

  test('is indeterminate without spread and without a range to bet on', () => {
    expect(estimated({ declared: continuous, method: 't', values: repeated(2, 12) })).toMatchObject(
      {
        status: 'indeterminate',
        reason: 'constant-differences',
      },
    );
    expect(
      estimated({ declared: continuous, method: 'betting-fixed-n', values: repeated(2, 12) }),
    ).toMatchObject({
      status: 'indeterminate',
      reason: 'no-declared-range',
    });
  });

  test.each(['tango-score', 'betting-fixed-n', 't', 't-bootstrap-t'] as const)(
    'is insufficient for no unit and for one unit under %s',
    (method) => {
      expect(estimated({ declared: binary, method, values: [] })).toMatchObject({
        status: 'insufficient',
        reason: 'no-units',
      });
      expect(estimated({ declared: binary, method, values: [1] })).toMatchObject({
        status: 'insufficient',
        reason: 'one-unit',
      });
    },
  );

  test('says what scale it is on', () => {
    const duration = measure({ kind: 'duration', direction: 'lower' });
    const found = estimateOf({
      declared: duration,
      method: 't',
      values: [0.1, 0.2, -0.1, 0, 0.3, 0.1, 0, 0.2, 0.1, 0.4],
    });
    expect(found.scale).toBe('log-ratio');
    expect(estimateSchema.parse(found)).toEqual(found);
  });

  test('never excludes its own value, and a smaller error never narrows it', () => {
    const values = fc.array(fc.constantFrom(-1, -0.5, 0, 0.25, 1), { minLength: 2, maxLength: 30 });
    fc.assert(
      fc.property(
        values,
        fc.constantFrom('betting-fixed-n' as const, 't' as const),
        (drawn, method) => {
          const wide = estimateOf({ declared: score, method, values: drawn, error: 0.005 });
          const narrow = estimateOf({ declared: score, method, values: drawn, error: 0.025 });
          if (wide.method !== narrow.method) return;
          expect(narrow.interval.lower).toBeLessThanOrEqual(narrow.value);
          expect(narrow.interval.upper).toBeGreaterThanOrEqual(narrow.value);
          if (wide.method === 't') expect(wide.interval.lower).toBeLessThan(narrow.interval.lower);
        },
      ),
      { seed: 11, numRuns: 60 },
    );
  });

  test('changes its sign when the arms are swapped', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(-1, 0, 1), { minLength: 2, maxLength: 30 }),
        fc.constantFrom('tango-score' as const, 'betting-fixed-n' as const),
        (values, method) => {
          const found = estimateOf({ declared: binary, method, values });
          const turned = estimateOf({
            declared: binary,
            method,
            values: values.map((value) => 0 - value),
          });
          expect(turned.value).toBe(0 - found.value);
          expect(turned.interval.lower).toBe(0 - found.interval.upper);
          expect(turned.interval.upper).toBe(0 - found.interval.lower);
        },
      ),
      { seed: 12, numRuns: 60 },
    );
  });
});

describe('discordantUnits', () => {
  test('counts gains, losses and ties', () => {
    expect(discordantUnits(sampleOf([1, 1, -1, 0]))).toEqual({
      both: 0,
      onlyCandidate: 2,
      onlyBaseline: 1,
      neither: 1,
    });
  });
});

describe('clearsImprovement', () => {
  const asked = { seal, measureId: 'right', measure: binary, error: 0.025 } as const;
  const exact = { ...asked, method: 'exact-unconditional' } as const;

  test('is the answer of the exact bound, on every scale of a binary measure', () => {
    const percent = measure({ kind: 'binary', scale: 100 });
    for (const gains of [0, 3, 6, 9, 12]) {
      const values = [...repeated(1, gains), ...repeated(-1, 1), ...repeated(0, 27)];
      const { lower } = estimateOf({ declared: binary, method: exact.method, values }).interval;
      for (const threshold of [-0.1, -0.05, 0, 0.05, 0.1]) {
        const clears = lower > threshold;
        expect(clearsImprovement({ ...exact, sample: sampleOf(values) }, threshold)).toBe(clears);
        const sample = sampleOf(values.map((value) => 100 * value));
        const scaled = { ...exact, measure: percent, sample };
        expect(clearsImprovement(scaled, 100 * threshold)).toBe(clears);
      }
    }
  });

  test('is the answer of the betting bound, and says no where t already does', () => {
    for (const shift of [-0.1, 0, 0.1, 0.2]) {
      const values = spread.map((value) => value + shift);
      const sample = sampleOf(values);
      const bets = { ...asked, measure: score, method: 'betting-fixed-n', sample } as const;
      const free = { ...bets, measure: continuous, method: 't-bootstrap-t' } as const;
      const { lower } = estimateOf({ declared: score, method: bets.method, values }).interval;
      const smaller = estimateOf({ declared: continuous, method: free.method, values }).interval;
      for (const threshold of [-0.2, 0, 0.1, 0.5]) {
        expect(clearsImprovement(bets, threshold)).toBe(lower > threshold);
        if (smaller.lower > threshold) expect(clearsImprovement(free, threshold)).toBeNull();
      }
      expect(clearsImprovement(free, 0.5)).toBe(false);
    }
  });

  test('leaves to the estimate what it cannot decide', () => {
    const sample = sampleOf([1, 0, 1, 1]);
    expect(clearsImprovement({ ...asked, method: 'tango-score', sample }, 0)).toBe(null);
    expect(clearsImprovement({ ...exact, sample: sampleOf([1]) }, 0)).toBe(null);
    expect(clearsImprovement({ ...exact, sample: sampleOf([1, 0, 1], 2) }, 0)).toBe(null);
    expect(clearsImprovement({ ...exact, sample }, 2)).toBe(null);
    const several = estimated({
      declared: binary,
      method: exact.method,
      values: [1, 0, 1],
      pairs: 2,
    });
    expect(several).toMatchObject({ status: 'indeterminate', reason: 'several-pairs-per-unit' });
  });
});
