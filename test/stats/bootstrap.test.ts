import { describe, expect, test } from 'vitest';
import {
  type BootstrapMethod,
  bootstrapInterval,
  bootstrapTBounds,
  enumeratedUnits,
  tBootstrapTBounds,
} from '../../src/stats/bootstrap.ts';
import { isIndeterminate } from '../../src/stats/interval.ts';
import { meanDifferenceBounds } from '../../src/stats/mean-difference.ts';
import { enumerateResamples } from '../../src/stats/resampling.ts';
import { moments } from '../../src/stats/summary.ts';
import { readReference, referenceTests } from '../support/reference.ts';
import { computed, expectRefusal, orNull, testSeed } from '../support/statistics.ts';

const seed = testSeed(20260805);

function twoSided(
  data: readonly number[],
  method: BootstrapMethod,
  { level = 0.95, resamples = 10000 } = {},
): { lower: number; upper: number } | null {
  return orNull(bootstrapInterval(data, { method, level, seed, resamples }));
}

/** The cases about a statistic other than the mean, and constant data, where a zero-width interval is refused. */
const notMeans = [
  'exact-median-n7-deltas-c0.95',
  'exact-trimmedMean20-n7-deltas-c0.95',
  'exact-median-n6-skewed-c0.9',
  'exact-trimmedMean20-n6-skewed-c0.95',
  'exact-mean-constant-c0.95',
  'exact-median-constant-c0.95',
  'exact-median-n8-ints-c0.95',
  'exact-trimmedMean20-n8-outlier-c0.95',
  'exact-ratio-n7-c0.95',
  'exact-ratio-n5-c0.95',
];

/** The probability that every unit of a resample has the same value. */
function degenerateShare(data: readonly number[]): number {
  let share = 0;
  enumerateResamples(Float64Array.from(data), ({ total, squares }, weight) => {
    if (Math.abs(squares - (total * total) / data.length) < 1e-12) share += weight;
  });
  return share / data.length ** data.length;
}

describe('bootstrap of the mean', () => {
  referenceTests('bootstrap.json', {
    methods: {
      exactBootstrap: {
        compute: ({ data, confidence }) => ({
          estimate: moments(data).mean,
          percentile: twoSided(data, 'bootstrap-percentile', { level: confidence }),
          basic: twoSided(data, 'bootstrap-basic', { level: confidence }),
        }),
        leftOutCases: notMeans,
        leftOutFields: [
          'bootMean',
          'bcaMid',
          'bcaStrict',
          'pLeZero',
          'monteCarloBracketPercentile',
          'monteCarloBracketBcaMid',
          'bootSe',
        ],
      },
      exactStudentizedBootstrap: {
        compute: ({ data, confidence }) => {
          const { mean, variance } = moments(data);
          const se = Math.sqrt(variance / data.length);
          const found = twoSided(data, 'bootstrap-t', { level: confidence });
          return {
            estimate: mean,
            se,
            tLow: (mean - (found?.upper ?? Number.NaN)) / se,
            tHigh: (mean - (found?.lower ?? Number.NaN)) / se,
            lower: found?.lower,
            upper: found?.upper,
            degenerateResampleProbability: degenerateShare(data),
          };
        },
      },
      largeB: {
        compute: ({ data }) => ({
          estimate: moments(data).mean,
          percentile: twoSided(data, 'bootstrap-percentile', { resamples: 200000 }),
        }),
        leftOutCases: ['largeB-trimmedMean20-n50-normal', 'largeB-trimmedMean20-n30-lognormal'],
        leftOutFields: [
          'acceleration',
          'bcaMid',
          'percentile.mcSeLower',
          'percentile.mcSeUpper',
          'percentile.mcSdPerRunB200000',
        ],
        // Six standard deviations of a run of 200,000 resamples; the larger of the two bounds' stated values.
        tolerance: (input) => ({
          abs: input.data.length === 30 ? 6 * 0.00142 : 6 * 0.0011,
          rel: 0,
        }),
      },
    },
    leftOutMethods: ['exactLatticeBootstrap'],
  });

  test('lands inside the Monte Carlo bracket of every exact lattice distribution', () => {
    const lattices = readReference('bootstrap.json').cases.filter(
      ({ method, name }) => method === 'exactLatticeBootstrap' && !name.includes('b0c0'),
    );
    expect(lattices).toHaveLength(10);
    for (const { input, expected, name } of lattices) {
      const data: number[] = input.support.flatMap((value: number, index: number) =>
        Array.from({ length: input.counts[index] }, () => value * input.scale),
      );
      const bracket = expected['monteCarloBracketPercentile'] as {
        lower: number[];
        upper: number[];
      };
      const found = twoSided(data, 'bootstrap-percentile');
      expect(found?.lower, name).toBeGreaterThanOrEqual((bracket.lower[0] ?? Number.NaN) - 1e-9);
      expect(found?.lower, name).toBeLessThanOrEqual((bracket.lower[1] ?? Number.NaN) + 1e-9);
      expect(found?.upper, name).toBeGreaterThanOrEqual((bracket.upper[0] ?? Number.NaN) - 1e-9);
      expect(found?.upper, name).toBeLessThanOrEqual((bracket.upper[1] ?? Number.NaN) + 1e-9);
    }
  });
});

const skewed = [1.2, 3.4, 0.7, 9.8, 2.1, 1.1, 0.2, 5.5, 2.4, 1.9];

describe('bootstrapTBounds', () => {
  test('its Monte Carlo bounds agree with full enumeration within five of their own errors', () => {
    expect(skewed.length).toBeGreaterThan(enumeratedUnits);
    const { mean, variance, units } = moments(skewed);
    const points: { t: number; weight: number }[] = [];
    enumerateResamples(
      Float64Array.from(skewed, (value) => value - mean),
      ({ total, squares }, weight) => {
        const spread = (squares - (total * total) / units) / (units - 1);
        points.push({
          t: spread < 1e-12 ? total / 0 : total / units / Math.sqrt(spread / units),
          weight,
        });
      },
    );
    points.sort((left, right) => left.t - right.t);
    const quantile = (p: number): number => {
      let reached = 0;
      return (
        points.find(({ weight }) => {
          reached += weight;
          return reached >= p * units ** units;
        })?.t ?? Number.NaN
      );
    };
    const standardError = Math.sqrt(variance / units);
    const found = computed(bootstrapTBounds(skewed, { error: 0.05, seed, resamples: 50000 }));
    const exactLower = mean - quantile(0.95) * standardError;
    const exactUpper = mean - quantile(0.05) * standardError;
    expect(found.law).toBe('monte-carlo');
    expect(found.monteCarloError.lower).toBeGreaterThan(0);
    expect(found.monteCarloError.lower).toBeLessThan(0.05 * standardError);
    expect(Math.abs(found.lower - exactLower)).toBeLessThan(5 * found.monteCarloError.lower);
    expect(Math.abs(found.upper - exactUpper)).toBeLessThan(5 * found.monteCarloError.upper);
  });

  test('PB-28: the same seed gives the same bits whatever the order of the units', () => {
    const options = { error: 0.025, seed, resamples: 2000 };
    const first = bootstrapTBounds(Object.freeze([...skewed]), options);
    expect(bootstrapTBounds([...skewed].reverse(), options)).toEqual(first);
    expect(bootstrapTBounds(skewed, { ...options, seed: testSeed(1) })).not.toEqual(first);
  });

  test('says how it was made', () => {
    const options = { error: 0.025, seed, resamples: 1234 };
    expect(bootstrapTBounds(skewed, options)).toMatchObject({
      seed,
      resamples: 1234,
      law: 'monte-carlo',
    });
    expect(bootstrapTBounds(skewed.slice(0, 8), options)).toMatchObject({
      law: 'exact',
      monteCarloError: { lower: 0, upper: 0 },
    });
  });

  test('refuses an infinite bound when resamples without spread outweigh the error', () => {
    const sparse = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1];
    const nothing = { status: 'indeterminate', reason: 'degenerate-resamples' };
    expect(bootstrapTBounds(sparse, { error: 0.025, seed, resamples: 2000 })).toEqual(nothing);
    expect(tBootstrapTBounds(sparse, { error: 0.025, seed, resamples: 2000 })).toEqual(nothing);
    expect(bootstrapTBounds([0, 0, 1, 0.1], { error: 0.001, seed, resamples: 2000 })).toEqual(
      nothing,
    );
  });

  test.each([
    ['no unit', [], 'no-units'],
    ['one unit', [1], 'too-few-units'],
    ['equal differences', [2, 2, 2, 2], 'constant-differences'],
  ])('%s gives no bound', (_, values, reason) => {
    expect(bootstrapTBounds(values, { error: 0.025, seed, resamples: 1000 })).toEqual({
      status: 'indeterminate',
      reason,
    });
  });

  test('refuses a seed that is not a digest and too few resamples', () => {
    expectRefusal(
      () => bootstrapTBounds(skewed, { error: 0.025, seed: '7', resamples: 1000 }),
      'seed must be 64 lower-case hex digits, got 7',
    );
    expectRefusal(
      () => bootstrapTBounds(skewed, { error: 0.025, seed, resamples: 10 }),
      'resamples must be a whole number of at least 1000, got 10',
    );
  });
});

describe('tBootstrapTBounds', () => {
  test('takes the wider of both on each side', () => {
    const options = { error: 0.025, seed, resamples: 5000 };
    const student = computed(meanDifferenceBounds(skewed, 0.025));
    const resampled = computed(bootstrapTBounds(skewed, options));
    const union = computed(tBootstrapTBounds(skewed, options));
    expect(union.lower).toBe(Math.min(student.lower, resampled.lower));
    expect(union.upper).toBe(Math.max(student.upper, resampled.upper));
    expect(union.lower).toBe(student.lower);
    expect(union.upper).toBe(resampled.upper);
  });
});

describe('bootstrapInterval', () => {
  test('names its method, and a higher level never narrows under one seed', () => {
    for (const method of ['bootstrap-percentile', 'bootstrap-basic', 'bootstrap-t'] as const) {
      const narrow = bootstrapInterval(skewed, { method, level: 0.8, seed, resamples: 2000 });
      const wide = bootstrapInterval(skewed, { method, level: 0.95, seed, resamples: 2000 });
      expect(narrow).toMatchObject({ method, level: 0.8, guarantee: 'asymptotic' });
      expect(computed(wide).lower).toBeLessThanOrEqual(computed(narrow).lower);
      expect(computed(wide).upper).toBeGreaterThanOrEqual(computed(narrow).upper);
    }
  });

  test('refuses an interval of zero width', () => {
    const sparse = [0, 0, 0, 0, 0, 0, 0, 1];
    const found = bootstrapInterval(sparse, {
      method: 'bootstrap-percentile',
      level: 0.1,
      seed,
      resamples: 1000,
    });
    expect(isIndeterminate(found) && found.reason).toBe('constant-resamples');
  });

  test('refuses a level of 1', () => {
    expectRefusal(
      () => bootstrapInterval(skewed, { method: 'bootstrap-t', level: 1, seed, resamples: 1000 }),
      'level must be a probability strictly between 0 and 1, got 1',
    );
  });
});
