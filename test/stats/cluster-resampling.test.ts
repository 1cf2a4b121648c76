import { describe, expect, test } from 'vitest';
import {
  clusterBootstrapBounds,
  clusterSignFlipTest,
  wildClusterTest,
} from '../../src/stats/cluster-resampling.ts';
import { signFlipTest } from '../../src/stats/sign-flip.ts';
import { computed, expectRefusal, testSeed } from '../support/statistics.ts';

const draws = { resamples: 4000, seed: testSeed(17) };
const indeterminate = (reason: string) => ({ status: 'indeterminate', reason });

/** Twelve units of one to four cases. */
const twelve = Array.from({ length: 12 }, (_, unit) =>
  Array.from({ length: 1 + (unit % 4) }, (_case, at) => ((unit * 7 + at * 5) % 9) / 4 - 0.5),
);

describe('clusterSignFlipTest', () => {
  test('flips the sums of units, not their cases', () => {
    const units = [[1, 0.5], [-0.25], [2, 2, -1]];
    expect(clusterSignFlipTest(units)).toEqual(signFlipTest([1.5, -0.25, 3]));
    expect(clusterSignFlipTest(units)).toMatchObject({ pGreater: 0.25, pTwoSided: 0.5 });
  });
});

describe('clusterBootstrapBounds', () => {
  test('of three units by hand: 27 resamples of a ratio of sums', () => {
    // Sums and sizes (2, 2), (0, 1), (3, 1): the pooled means of all multisets with their orders, in rising order.
    const units = [[1, 1], [0], [3]];
    // 000: 0 ×1; 001: 2/4 ×3; 011: 4/5 ×3; 111 (6/6): 1 ×1; 002: 3/3 ×3; 012: 5/4 ×6; 112: 7/5 ×3; 022: 6/3 ×3; 122: 8/4 ×3; 222: 3 ×1.
    const at = (level: number) => computed(clusterBootstrapBounds(units, { level, ...draws }));
    expect(at(1 - 2 * (1.5 / 27))).toEqual({ lower: 0.5, upper: 2, resamples: 'exact' });
    expect(at(1 - 2 * (0.5 / 27))).toEqual({ lower: 0, upper: 3, resamples: 'exact' });
    expect(at(1 - 2 * (5.5 / 27))).toMatchObject({ lower: 0.8, upper: 2 });
    expect(at(1 - 2 * (9 / 27))).toMatchObject({ lower: 1, upper: 1.4 });
    // A share met exactly is read at the value that meets it.
    expect(at(1 - 2 * (4 / 27))).toMatchObject({ lower: 0.5 });
  });

  test('counts up to ten units and draws beyond, near what CR1 says', () => {
    const ten = twelve.slice(0, 10);
    expect(computed(clusterBootstrapBounds(ten, { level: 0.9, ...draws })).resamples).toBe('exact');
    const drawn = computed(clusterBootstrapBounds(twelve, { level: 0.9, ...draws }));
    expect(drawn.resamples).toBe(4000);
    const sums = twelve.map((unit) => unit.reduce((total, value) => total + value, 0));
    const cases = twelve.flat().length;
    const mean = sums.reduce((total, value) => total + value, 0) / cases;
    const spread = Math.sqrt(
      sums.reduce(
        (total, sum, unit) => total + (sum - (twelve[unit]?.length ?? 0) * mean) ** 2,
        0,
      ) /
        cases ** 2,
    );
    expect((drawn.upper - drawn.lower) / (2 * 1.645 * spread)).toBeGreaterThan(0.9);
    expect((drawn.upper - drawn.lower) / (2 * 1.645 * spread)).toBeLessThan(1.1);
    expect(drawn.lower).toBeLessThan(mean);
    expect(drawn.upper).toBeGreaterThan(mean);
    expect(clusterBootstrapBounds(twelve, { level: 0.9, ...draws })).toEqual(drawn);
    expect(clusterBootstrapBounds(twelve, { level: 0.9, ...draws, seed: testSeed(3) })).not.toEqual(
      drawn,
    );
  });

  test('says why there is none, and refuses by name', () => {
    const options = { level: 0.9, ...draws };
    expect(clusterBootstrapBounds([], options)).toEqual(indeterminate('no-units'));
    expect(clusterBootstrapBounds([[1, 2]], options)).toEqual(indeterminate('too-few-units'));
    expect(clusterBootstrapBounds([[1], [1, 1]], options)).toEqual(
      indeterminate('constant-differences'),
    );
    expect(clusterBootstrapBounds([[1], [2]], options)).toEqual({
      lower: 1,
      upper: 2,
      resamples: 'exact',
    });
    expectRefusal(
      () => clusterBootstrapBounds(twelve, { ...options, level: 0 }),
      'level must be a probability strictly between 0 and 1, got 0',
    );
    expectRefusal(
      () => clusterBootstrapBounds(twelve, { ...options, resamples: 0 }),
      'resamples must be a whole number of at least 1, got 0',
    );
    expectRefusal(
      () => clusterBootstrapBounds(twelve, { ...options, seed: 'z' }),
      'seed must be 64 lower-case hex digits, got z',
    );
  });
});

/** Squared t with CR1 up to constants, over every vector of the weights: the definition, written out. */
function slowWild(units: readonly (readonly number[])[], values: readonly number[]): number {
  const sums = units.map((unit) => unit.reduce((total, value) => total + value, 0));
  const sizes = units.map((unit) => unit.length);
  const cases = sizes.reduce((total, size) => total + size, 0);
  const squared = (weighted: readonly number[]): number => {
    const total = weighted.reduce((sum, value) => sum + value, 0);
    const spread = weighted.reduce(
      (sum, value, unit) => sum + (value - ((sizes[unit] ?? 0) * total) / cases) ** 2,
      0,
    );
    if (spread < 1e-20) return Math.abs(total) < 1e-12 ? 0 : Number.POSITIVE_INFINITY;
    return total ** 2 / spread;
  };
  const seen = squared(sums);
  const vectors = values.length ** units.length;
  let exceeding = 0;
  for (let number = 0; number < vectors; number += 1) {
    const weighted = sums.map(
      (sum, unit) =>
        sum * (values[Math.floor(number / values.length ** unit) % values.length] ?? 0),
    );
    if (squared(weighted) >= seen * (1 - 1e-9)) exceeding += 1;
  }
  return exceeding / vectors;
}

const webb = [-Math.sqrt(1.5), -1, -Math.sqrt(0.5), Math.sqrt(0.5), 1, Math.sqrt(1.5)];

describe('wildClusterTest', () => {
  const lists = [
    [[1, 0], [1, 1], [0.5]],
    [[2], [-1, 0.5], [0.25, 0.25, 1], [3]],
    [[1], [1], [1], [-1]],
    [[0.5, 2, 1], [0], [-0.75], [1.5, 1], [2, 0.25]],
    [[2], [2]],
  ];

  test.each(lists.map((units) => [units] as const))(
    'of %j is the count over every vector',
    (units) => {
      const signs = computed(wildClusterTest(units, { weights: 'rademacher', ...draws }));
      expect(signs).toEqual({ pTwoSided: slowWild(units, [-1, 1]), resamples: 'exact' });
      const six = computed(wildClusterTest(units, { weights: 'webb', ...draws }));
      expect(six.pTwoSided).toBeCloseTo(slowWild(units, webb), 14);
      expect(six.resamples).toBe('exact');
    },
  );

  test('counts two million vectors at most: 20 units of signs, 8 of Webb’s weights', () => {
    const many = [...twelve, ...twelve];
    const options = { resamples: 500, seed: testSeed(2) };
    const resamplesOf = (units: number, weights: 'rademacher' | 'webb') =>
      computed(wildClusterTest(many.slice(0, units), { weights, ...options })).resamples;
    expect(resamplesOf(6, 'webb')).toBe('exact');
    expect(resamplesOf(9, 'webb')).toBe(500);
    expect(resamplesOf(14, 'rademacher')).toBe('exact');
    expect(resamplesOf(21, 'rademacher')).toBe(500);
  });

  test('drawn vectors come near the count, and p is never 0', () => {
    const nine = twelve.slice(0, 9);
    const counted = computed(wildClusterTest(nine, { weights: 'rademacher', ...draws })).pTwoSided;
    const drawn = computed(wildClusterTest(nine, { weights: 'webb', ...draws })).pTwoSided;
    expect(Math.abs(drawn - counted)).toBeLessThan(0.08);
    const sure = Array.from({ length: 40 }, (_, unit) => [1 + (unit % 5) / 100]);
    expect(wildClusterTest(sure, { weights: 'rademacher', ...draws })).toEqual({
      pTwoSided: 1 / 4001,
      resamples: 4000,
    });
  });

  test('says why there is none, and refuses by name', () => {
    const options = { weights: 'rademacher', ...draws } as const;
    expect(wildClusterTest([], options)).toEqual(indeterminate('no-units'));
    expect(wildClusterTest([[1]], options)).toEqual(indeterminate('too-few-units'));
    expect(wildClusterTest([[0], [1, -1]], options)).toEqual(indeterminate('constant-differences'));
    expectRefusal(
      () => wildClusterTest(twelve, { ...options, resamples: 0.5 }),
      'resamples must be a whole number of at least 1, got 0.5',
    );
    expectRefusal(
      () => wildClusterTest(twelve, { ...options, seed: '' }),
      'seed must be 64 lower-case hex digits, got ',
    );
  });
});
