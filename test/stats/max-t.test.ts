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
