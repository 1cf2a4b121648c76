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

describe('the law of t by hand: three units at −1, 0 and 1', () => {
  // Shares of 27 orders: −Infinity 1, −2 3, −1 3, −½ 3, 0 7, and the same above. The standard error is 1/√3.
  const rows = [
    [0.1, -2, 2],
    [0.2, -1, 1],
    [0.3, -0.5, 0.5],
    [4 / 27, -2, 1],
    [7 / 27, -1, 0.5],
    [0.36, -0.5, 0.5],
  ] as const;

  test.each(rows)('at the error %f it is read at %f and %f', (error, low, high) => {
    for (const scale of [1, 1e-8, 0.1, 1e8]) {
      const middle = 2 * scale;
      const values = [middle - scale, middle, middle + scale];
      const found = computed(bootstrapTBounds(values, { error, seed, resamples: 1000 }));
      const standardError = scale / Math.sqrt(3);
      expect((found.lower - middle) / standardError).toBeCloseTo(-high, 9);
      expect((found.upper - middle) / standardError).toBeCloseTo(-low, 9);
      expect(found.monteCarloError).toEqual({ lower: 0, upper: 0 });
    }
  });

  test.each([
    [0.03, 'degenerate-resamples'],
    [0.38, 'constant-resamples'],
    [0.45, 'constant-resamples'],
  ])('at the error %f there is no bound: %s', (error, reason) => {
    for (const values of [
      [-1, 0, 1],
      [0.1, 0.2, 0.3],
      [1e6 + 0.1, 1e6 + 0.2, 1e6 + 0.3],
    ]) {
      expect(bootstrapTBounds(values, { error, seed, resamples: 1000 })).toEqual({
        status: 'indeterminate',
        reason,
      });
    }
  });

  test('one infinite end is enough for no bound', () => {
    // Of 0, 0, 1 eight of 27 resamples are 0, 0, 0 and one is 1, 1, 1: −Infinity weighs 8/27, +Infinity 1/27.
    for (const values of [
      [0, 0, 1],
      [0, 0, -1],
      [0.1, 0.1, 0.3],
    ]) {
      expect(bootstrapTBounds(values, { error: 0.1, seed, resamples: 1000 })).toEqual({
        status: 'indeterminate',
        reason: 'degenerate-resamples',
      });
    }
  });

  test('a Monte Carlo error is in the units of the values and falls with the root of the resamples', () => {
    const errorOf = (scale: number, resamples: number): number =>
      computed(
        bootstrapTBounds(
          skewed.map((value) => scale * value),
          { error: 0.1, seed, resamples },
        ),
      ).monteCarloError.lower;
    expect(errorOf(100, 4000) / errorOf(1, 4000)).toBeCloseTo(100, 6);
    expect(errorOf(1, 4000) / errorOf(1, 64000)).toBeGreaterThan(2.5);
    expect(errorOf(1, 4000) / errorOf(1, 64000)).toBeLessThan(6);
  });

  test('refuses an error by name', () => {
    expectRefusal(
      () => bootstrapTBounds(skewed, { error: 0.5, seed, resamples: 1000 }),
      'error must be a one-sided error strictly between 0 and 0.5, got 0.5',
    );
  });
});
