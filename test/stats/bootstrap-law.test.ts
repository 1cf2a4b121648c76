import { describe, expect, test } from 'vitest';
import {
  bcaShares,
  boundsAtShares,
  firstReaching,
  lawOfDraws,
  lawOfEnumeration,
  lawOfPoints,
  reversedBounds,
  shareSlack,
  withBiasError,
} from '../../src/stats/bootstrap-law.ts';
import { normalCdf, normalQuantile } from '../../src/stats/distribution.ts';
import { computed } from '../support/statistics.ts';

describe('firstReaching', () => {
  test.each([0, 1, 5, 6, 7])('finds %i among eight, in three looks', (wanted) => {
    let looks = 0;
    const found = firstReaching({ below: -1, enough: 7 }, (index) => {
      looks += 1;
      expect(index).toBeGreaterThan(-1);
      expect(index).toBeLessThan(7);
      return index >= wanted;
    });
    expect(found).toBe(wanted);
    expect(looks).toBe(3);
  });

  test('takes the end as reaching, without a look at it', () => {
    expect(firstReaching({ below: 3, enough: 4 }, () => false)).toBe(4);
    expect(firstReaching({ below: 3, enough: 9 }, () => false)).toBe(9);
    expect(firstReaching({ below: -4, enough: 4 }, () => true)).toBe(-3);
  });
});

/** Values 1, 2, 4 with the shares 0.2, 0.5, 0.3. */
const weighed = lawOfPoints(
  {
    values: Float64Array.from([1, 2, 4]),
    cumulated: Float64Array.from([2, 7, 10]),
    total: 10,
  },
  'convolution',
);
const plain = lawOfPoints(
  { values: Float64Array.from([1, 2, 2, 4]), cumulated: undefined, total: 4 },
  'resampling',
);

describe('lawOfPoints', () => {
  test.each([
    [0, 1],
    [0.19, 1],
    [0.2, 1],
    [0.2 + 2e-12, 2],
    [0.2 + 0.5e-12, 1],
    [0.5, 2],
    [0.7, 2],
    [0.71, 4],
    [1, 4],
  ])('its quantile at %f is %f, a share met but for rounding counting as reached', (p, value) => {
    expect(weighed.quantile(p)).toBe(value);
  });

  test.each([
    [0, 1],
    [0.25, 1],
    [0.25 + 1e-11, 2],
    [0.25 + 0.5e-12, 1],
    [0.75, 2],
    [0.76, 4],
    [1, 4],
  ])('without weights the quantile at %f is %f', (p, value) => {
    expect(plain.quantile(p)).toBe(value);
  });

  test.each([
    [0.999, 0, 0],
    [1, 0.2, 0],
    [1.5, 0.2, 0.2],
    [2, 0.7, 0.2],
    [3.999, 0.7, 0.7],
    [4, 1, 0.7],
    [9, 1, 1],
  ])('at %f the share up to it is %f and the share below %f', (at, upTo, below) => {
    expect(weighed.cdf(at)).toBeCloseTo(upTo, 15);
    expect(weighed.below(at)).toBeCloseTo(below, 15);
  });

  test('without weights shares are counts', () => {
    expect([plain.below(2), plain.cdf(2)]).toEqual([0.25, 0.75]);
    expect([plain.below(4), plain.cdf(4)]).toEqual([0.75, 1]);
    expect([plain.below(1), plain.cdf(0.9)]).toEqual([0, 0]);
  });

  test('values within 1e-12 of the largest in size are one value, whichever end is largest', () => {
    for (const values of [
      [-1000, 1, 2],
      [-2, -1, 1000],
    ]) {
      const law = lawOfPoints(
        { values: Float64Array.from(values), cumulated: undefined, total: 3 },
        'enumeration',
      );
      const middle = values[1] ?? 0;
      expect(law.cdf(middle - 0.9e-9)).toBeCloseTo(2 / 3, 15);
      expect(law.cdf(middle - 1.1e-9)).toBeCloseTo(1 / 3, 15);
      expect(law.below(middle + 0.9e-9)).toBeCloseTo(1 / 3, 15);
      expect(law.below(middle + 1.1e-9)).toBeCloseTo(2 / 3, 15);
    }
  });

  test('nothing lies below 0 where every value is 0', () => {
    const zeros = lawOfDraws(new Float64Array(3));
    expect([zeros.below(0), zeros.cdf(0)]).toEqual([0, 1]);
  });

  test('its moments are those of the weighed values', () => {
    // 0.2 + 1 + 1.2 = 2.4; 0.2 × 1.96 + 0.5 × 0.16 + 0.3 × 2.56 = 1.24.
    expect(weighed.moments().mean).toBeCloseTo(2.4, 14);
    expect(weighed.moments().standardDeviation).toBeCloseTo(Math.sqrt(1.24), 14);
    expect(plain.moments().mean).toBeCloseTo(2.25, 14);
    expect(plain.moments().standardDeviation).toBeCloseTo(Math.sqrt(4.75 / 4), 14);
  });

  test('only drawn laws have a Monte Carlo error: half the way between quantiles a binomial error to each side', () => {
    expect(weighed.quantileError(0.5)).toBe(0);
    const hundred = lawOfPoints(
      {
        values: Float64Array.from({ length: 100 }, (_, at) => (at + 1) ** 2),
        cumulated: undefined,
        total: 100,
      },
      'resampling',
    );
    // At ½ the error is 0.05: ranks 45 and 55. At 0.1 it is 0.03: ranks 7 and 13. At the ends it is 0.
    expect(hundred.quantileError(0.5)).toBe((55 ** 2 - 45 ** 2) / 2);
    expect(hundred.quantileError(0.1)).toBe((13 ** 2 - 7 ** 2) / 2);
    expect(hundred.quantileError(0)).toBe(0);
    expect(hundred.quantileError(1)).toBe(0);
    // 0.98 ± 0.014: ranks 97 and 100; 0.995 ± 0.007 would lie above 1.
    expect(hundred.quantileError(0.98)).toBe((100 ** 2 - 97 ** 2) / 2);
    expect(hundred.quantileError(0.995)).toBe((100 ** 2 - 99 ** 2) / 2);
    expect(hundred.quantileError(0.005)).toBe((2 ** 2 - 1) / 2);
  });

  test('names its source and that every resample has a value', () => {
    expect([weighed.source, plain.source]).toEqual(['convolution', 'resampling']);
    expect([weighed.undefinedShare, plain.undefinedShare]).toEqual([0, 0]);
    expect(shareSlack).toBe(1e-12);
  });
});

describe('lawOfEnumeration and lawOfDraws', () => {
  test('sort their values, leave out what is no number and say how much of it there was', () => {
    const enumerated = lawOfEnumeration([
      { value: 4, weight: 3 },
      { value: Number.NaN, weight: 2 },
      { value: 1, weight: 2 },
      { value: 2, weight: 5 },
    ]);
    expect(enumerated.source).toBe('enumeration');
    expect(enumerated.undefinedShare).toBeCloseTo(2 / 12, 15);
    expect(enumerated.quantileError(0.5)).toBe(0);
    for (const at of [0, 1, 2, 3, 4]) expect(enumerated.cdf(at)).toBeCloseTo(weighed.cdf(at), 15);
    const drawn = lawOfDraws(Float64Array.from([2, Number.NaN, 4, 1, Number.NaN, 2]));
    expect(drawn.source).toBe('resampling');
    expect(drawn.undefinedShare).toBeCloseTo(2 / 6, 15);
    for (const at of [0, 1, 2, 3, 4]) expect(drawn.cdf(at)).toBe(plain.cdf(at));
    expect(drawn.quantile(1)).toBe(4);
  });

  test('nothing but missing values has no quantile', () => {
    const drawn = lawOfDraws(Float64Array.from([Number.NaN, Number.NaN]));
    expect(drawn.undefinedShare).toBe(1);
    expect(drawn.quantile(0.5)).toBeNaN();
  });
});

describe('bcaShares', () => {
  const symmetric = Float64Array.from([1, 2, 3]);

  test('without bias and skew the shares are the plain ones', () => {
    const found = computed(bcaShares(0.5, symmetric, 0.05));
    expect(found.z0).toBe(0);
    expect(found.acceleration).toBe(0);
    expect(found.lowerShare).toBeCloseTo(0.05, 14);
    expect(found.upperShare).toBeCloseTo(0.95, 14);
  });

  test('bias moves both shares by twice z0', () => {
    const found = computed(bcaShares(0.6, symmetric, 0.05));
    const z0 = normalQuantile(0.6);
    expect(found.z0).toBe(z0);
    expect(found.lowerShare).toBeCloseTo(normalCdf(2 * z0 + normalQuantile(0.05)), 14);
    expect(found.upperShare).toBeCloseTo(normalCdf(2 * z0 - normalQuantile(0.05)), 14);
  });

  test('skew of the leave-one-out values bends them, by the formula of Efron', () => {
    // Values 0, 0, 0, 4 around their mean 1: Σu³ = 3 × 1 − 27 = −24 and Σu² = 12, so a = −24 / (6 × 12^1.5).
    const skewed = Float64Array.from([0, 0, 0, 4]);
    const a = -24 / (6 * 12 ** 1.5);
    const found = computed(bcaShares(0.45, skewed, 0.1));
    const z0 = normalQuantile(0.45);
    const shareAt = (z: number): number => normalCdf(z0 + (z0 + z) / (1 - a * (z0 + z)));
    expect(found.acceleration).toBeCloseTo(a, 14);
    expect(found.lowerShare).toBeCloseTo(shareAt(normalQuantile(0.1)), 13);
    expect(found.upperShare).toBeCloseTo(shareAt(normalQuantile(0.9)), 13);
    const turned = computed(
      bcaShares(
        0.55,
        skewed.map((value) => -value),
        0.1,
      ),
    );
    expect(turned.acceleration).toBeCloseTo(-a, 14);
    expect(turned.lowerShare).toBeCloseTo(1 - found.upperShare, 13);
  });

  test.each([
    [0, symmetric, 0.05, 'bias-correction-infinite'],
    [1, symmetric, 0.05, 'bias-correction-infinite'],
    [Number.NaN, symmetric, 0.05, 'bias-correction-infinite'],
    [0.5, Float64Array.from([3, 3, 3]), 0.05, 'constant-jackknife'],
    [0.5, Float64Array.from([3, 3, 3 + 1e-15]), 0.05, 'constant-jackknife'],
    [0.5, Float64Array.from([0, 0]), 0.05, 'constant-jackknife'],
    // One value apart from a hundred: |a| = 0.16; z of 6.4 against it wraps around.
    [
      0.5,
      Float64Array.from({ length: 100 }, (_, at) => Number(at === 0)),
      1e-10,
      'acceleration-too-large',
    ],
    [
      0.5,
      Float64Array.from({ length: 100 }, (_, at) => -Number(at === 0)),
      1e-10,
      'acceleration-too-large',
    ],
  ] as const)('a share of %f of %j at %f has none: %s', (below, jackknife, error, reason) => {
    expect(bcaShares(below, jackknife, error)).toEqual({ status: 'indeterminate', reason });
  });

  test('a spread just above rounding is a spread', () => {
    const found = bcaShares(0.5, Float64Array.from([1, 1 + 1e-9, 1 + 3e-9]), 0.05);
    expect(found).toHaveProperty('acceleration');
  });
});

describe('bounds of a law', () => {
  const hundred = lawOfPoints(
    {
      values: Float64Array.from({ length: 100 }, (_, at) => at + 1),
      cumulated: undefined,
      total: 100,
    },
    'resampling',
  );

  test('at shares, and reflected at the estimate', () => {
    const read = boundsAtShares(hundred, { lower: 0.1, upper: 0.98 });
    expect(read).toEqual({
      lower: 10,
      upper: 98,
      monteCarloError: { lower: 3, upper: 1.5 },
    });
    expect(reversedBounds(hundred, 50, 0.02)).toEqual({
      lower: 2,
      upper: 98,
      monteCarloError: { lower: 1.5, upper: 1.5 },
    });
    const { lower, upper } = reversedBounds(hundred, 60, 0.1);
    expect([lower, upper]).toEqual([30, 110]);
  });

  test('a BCa bound adds the error of its bias correction: √(1 + (φ(z) slope √(b(1−b)) / φ(z0) / √(s(1−s)))²)', () => {
    const bca = { z0: 0, acceleration: 0, lowerShare: 0.05, upperShare: 0.95 };
    expect(withBiasError(0, { share: 0.05, bca, below: 0.5 })).toBe(0);
    // At z = z0 = 0: slope 2, so the factor is √(1 + 4).
    expect(withBiasError(2, { share: 0.5, bca, below: 0.5 })).toBeCloseTo(2 * Math.sqrt(5), 12);
    // With acceleration 0.2 at the share of z = 1 and z0 = −0.5: shrink 1.3, slope 2.69.
    const z0 = -0.5;
    const share = normalCdf(1);
    const below = 0.3;
    const density = (z: number): number => Math.exp((-z * z) / 2);
    const passed =
      (density(1) * 2.69 * Math.sqrt(below * (1 - below))) /
      density(z0) /
      Math.sqrt(share * (1 - share));
    const bent = { ...bca, z0, acceleration: 0.2 };
    expect(withBiasError(3, { share, bca: bent, below })).toBeCloseTo(
      3 * Math.sqrt(1 + passed * passed),
      10,
    );
  });
});
