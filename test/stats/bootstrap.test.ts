import { describe, expect, test } from 'vitest';
import { bootstrapTBounds, enumeratedUnits, tBootstrapTBounds } from '../../src/stats/bootstrap.ts';
import { meanDifferenceBounds } from '../../src/stats/mean-difference.ts';
import { resamplingStream } from '../../src/stats/random.ts';
import { enumerateResamples } from '../../src/stats/resampling.ts';
import { moments } from '../../src/stats/summary.ts';
import { computed, expectRefusal, testSeed } from '../support/statistics.ts';

const seed = testSeed(20260805);

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

describe('recorded results', () => {
  const word = resamplingStream(testSeed(77));
  const list = Array.from({ length: 5000 }, () => word.word() / 2 ** 31 - 0.9);
  test.each([
    [100, [-0.04032719027767326, 0.20465240312343483], [-0.04032719027767326, 0.20465240312343483]],
    [1000, [0.08633592683659005, 0.15998257579662017], [0.08633592683659005, 0.15998257579662017]],
    [5000, [0.09961040075846944, 0.13126400308156852], [0.09861710009613645, 0.13126400308156852]],
  ])('keep their bits at %i units: they are sealed', (units, own, wider) => {
    const options = { error: 0.025, seed: testSeed(78), resamples: 1000 };
    const found = computed(bootstrapTBounds(list.slice(0, units), options));
    const union = computed(tBootstrapTBounds(list.slice(0, units), options));
    expect([found.lower, found.upper]).toEqual(own);
    expect([union.lower, union.upper]).toEqual(wider);
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
