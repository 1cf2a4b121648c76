import { describe, expect, test } from 'vitest';
import { maxTAdjust, maxTLowerBounds } from '../../src/stats/max-t.ts';
import { resamplingStream } from '../../src/stats/random.ts';
import { computed, expectRefusal, testSeed } from '../support/statistics.ts';

/** Differences of some candidates over the same units; `shared` is the part of the noise they have in common. */
function drawn(family: {
  readonly means: readonly number[];
  readonly shared: number;
  readonly units: number;
  readonly seed: number;
}): number[][] {
  const stream = resamplingStream(testSeed(family.seed));
  const noise = (): number => (stream.word() + stream.word() + stream.word()) / 2 ** 31 - 3;
  const common = Array.from({ length: family.units }, noise);
  return family.means.map((mean) =>
    common.map((each) => mean + family.shared * each + (1 - family.shared) * noise()),
  );
}

const options = { seed: testSeed(21), resamples: 2000 };

describe('maxTAdjust', () => {
  test('the same seed gives the same answer, another seed nearly the same', () => {
    const differences = drawn({ means: [0.25, 0, 0.1], shared: 0.5, units: 60, seed: 1 });
    const found = computed(maxTAdjust(differences, options));
    expect(computed(maxTAdjust(differences, options))).toEqual(found);
    const other = computed(maxTAdjust(differences, { ...options, seed: testSeed(22) }));
    found.forEach(({ adjusted, statistic }, index) => {
      expect(other[index]?.statistic).toBe(statistic);
      expect(Math.abs((other[index]?.adjusted ?? 0) - adjusted)).toBeLessThan(0.05);
    });
  });

  test('a clear candidate keeps a small p beside two without an effect, and order follows the statistics', () => {
    const differences = drawn({ means: [0, 1, 0], shared: 0.5, units: 60, seed: 2 });
    const found = computed(maxTAdjust(differences, options));
    expect(found[1]?.adjusted).toBe(1 / 2001);
    const sorted = [...found].sort((one, other) => other.statistic - one.statistic);
    for (const [rank, { adjusted }] of sorted.slice(1).entries()) {
      expect(adjusted).toBeGreaterThanOrEqual(sorted[rank]?.adjusted ?? 1);
      expect(adjusted).toBeLessThanOrEqual(1);
    }
  });

  test('two copies of one candidate cost nothing: they are one', () => {
    const [first = []] = drawn({ means: [0.2], shared: 0, units: 50, seed: 3 });
    const alone = computed(maxTAdjust([first], options));
    const twice = computed(maxTAdjust([first, first], options));
    expect(twice).toEqual([alone[0], alone[0]]);
  });

  test('with candidates that share no noise the family is rejected about as often as it may be', () => {
    let rejected = 0;
    const families = 300;
    for (let number = 0; number < families; number += 1) {
      const differences = drawn({ means: [0, 0, 0], shared: 0, units: 40, seed: 100 + number });
      const found = computed(maxTAdjust(differences, { seed: testSeed(number), resamples: 199 }));
      if (found.some(({ adjusted }) => adjusted <= 0.1)) rejected += 1;
    }
    // Three standard errors of a share of 0.1 in 300 families are 0.052.
    expect(rejected / families).toBeGreaterThan(0.048);
    expect(rejected / families).toBeLessThan(0.152);
  });

  test('has no number for one unit or for equal differences', () => {
    expect(maxTAdjust([], options)).toEqual([]);
    expect(maxTAdjust([[1], [2]], options)).toEqual({
      status: 'indeterminate',
      reason: 'too-few-units',
    });
    expect(
      maxTAdjust(
        [
          [1, 2],
          [1, 1],
        ],
        options,
      ),
    ).toEqual({ status: 'indeterminate', reason: 'constant-differences' });
  });

  test('refuses lists of unequal length, numbers that are none, and no resamples', () => {
    expectRefusal(
      () => maxTAdjust([[1, 2], [1]], options),
      'differences[1] must hold 2 values, one per unit, got 1',
    );
    expectRefusal(
      () => maxTAdjust([[1, Number.NaN]], options),
      'differences[0][1] must be a finite number, got NaN',
    );
    expectRefusal(
      () => maxTAdjust([[1, 2]], { ...options, resamples: 0 }),
      'resamples must be a whole number of at least 1, got 0',
    );
  });
});

describe('maxTLowerBounds', () => {
  test('each bound is below its mean by the same number of standard errors, and fewer candidates cost less', () => {
    const differences = drawn({ means: [0.25, 0, 0.1], shared: 0.5, units: 60, seed: 4 });
    const all = computed(maxTLowerBounds(differences, { ...options, error: 0.05 }));
    const alone = computed(maxTLowerBounds(differences.slice(0, 1), { ...options, error: 0.05 }));
    expect(alone[0]).toBeGreaterThan(all[0] ?? 0);
    const statistics = computed(maxTAdjust(differences, options));
    const distances = differences.map((values, index) => {
      const mean = values.reduce((total, value) => total + value, 0) / values.length;
      return (mean - (all[index] ?? 0)) * ((statistics[index]?.statistic ?? 0) / mean);
    });
    for (const distance of distances) expect(distance).toBeCloseTo(distances[0] ?? 0, 9);
    expect(distances[0]).toBeGreaterThan(1.7);
    expect(distances[0]).toBeLessThan(2.6);
  });

  test('is infinite, and so refused, where resamples without spread are common', () => {
    const found = maxTLowerBounds([[0, 1]], { ...options, error: 0.05 });
    expect(found).toEqual({ status: 'indeterminate', reason: 'infinite-quantile' });
  });

  test('refuses an error that is none', () => {
    expectRefusal(
      () => maxTLowerBounds([[1, 2]], { ...options, error: 0 }),
      'error must be a one-sided error strictly between 0 and 0.5, got 0',
    );
  });
});

describe('the largest t of three units at −1, 0 and 1, by hand', () => {
  // Of 27 resamples t is −Infinity in 1, −2 in 3, −1 in 3, −½ in 3, 0 in 7, ½ in 3, 1 in 3, 2 in 3, +Infinity in 1.
  const centred = [-1, 0, 1];
  const standardError = 1 / Math.sqrt(3);
  const at = (statistic: number): number[] =>
    centred.map((each) => each + statistic * standardError);
  const many = { seed: testSeed(23), resamples: 5000 };

  test.each([
    [0.75, 7 / 27],
    [1.5, 4 / 27],
    [3, 1 / 27],
    [-0.25, 17 / 27],
    [-3, 26 / 27],
  ])('a statistic of %f is reached by the share %f', (statistic, share) => {
    const [found] = computed(maxTAdjust([at(statistic)], many));
    expect(found?.statistic).toBeCloseTo(statistic, 12);
    const error = Math.sqrt((share * (1 - share)) / 5000);
    expect(Math.abs((found?.adjusted ?? 0) - share)).toBeLessThan(5 * error + 1e-3);
  });

  test('of two candidates that mirror each other the larger counts, and the lesser only itself', () => {
    // The mirrored candidate has −t: the larger of both is |t|, at least 1.5 in 8 of 27.
    const mirrored = at(0.75).map((each) => 1.5 * standardError - each);
    const found = computed(maxTAdjust([mirrored, at(1.5)], many));
    expect(found[1]?.adjusted).toBeGreaterThan(8 / 27 - 0.035);
    expect(found[1]?.adjusted).toBeLessThan(8 / 27 + 0.035);
    // The second step asks for its own t alone, 7 of 27, and may not fall below the first.
    expect(found[0]?.statistic).toBeCloseTo(0.75, 12);
    expect(found[0]?.adjusted).toBe(found[1]?.adjusted);
    const apart = computed(
      maxTAdjust([mirrored.map((each) => each - standardError), at(1.5)], many),
    );
    expect(apart[0]?.statistic).toBeCloseTo(-0.25, 12);
    expect(Math.abs((apart[0]?.adjusted ?? 0) - 17 / 27)).toBeLessThan(0.035);
  });

  test.each([
    [0.1, 2],
    [0.2, 1],
    [0.3, 0.5],
    [0.45, 0],
  ])('with the error %f the bound lies %f standard errors below the mean', (error, distance) => {
    const [bound] = computed(maxTLowerBounds([at(7)], { ...many, error }));
    expect(bound).toBeCloseTo((7 - distance) * standardError, 9);
    const both = computed(maxTLowerBounds([at(7), at(9)], { ...many, error }));
    expect(both[1]).toBeCloseTo((9 - distance) * standardError, 9);
  });

  test('refuses and has no bounds where maxTAdjust does', () => {
    const wanted = { ...many, error: 0.05 };
    expect(maxTLowerBounds([], wanted)).toEqual([]);
    expect(maxTLowerBounds([[1], [2]], wanted)).toEqual({
      status: 'indeterminate',
      reason: 'too-few-units',
    });
    expectRefusal(
      () => maxTLowerBounds([[1, 2]], { ...wanted, resamples: 0 }),
      'resamples must be a whole number of at least 1, got 0',
    );
  });
});
