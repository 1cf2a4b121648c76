import { describe, expect, test } from 'vitest';
import { coinProbabilities, coinSums } from '../../src/stats/coin-sums.ts';
import { decimalGrid } from '../../src/stats/decimal-grid.ts';
import {
  monteCarloP,
  signFlipInterval,
  signFlipMonteCarlo,
  signFlipTest,
} from '../../src/stats/sign-flip.ts';
import { computed, expectRefusal, testSeed } from '../support/statistics.ts';

/** Sums of all subsets, listed. */
function slowSums(parts: readonly number[]): number[] {
  return parts.reduce<number[]>((sums, part) => sums.concat(sums.map((sum) => sum + part)), [0]);
}

describe('coinSums', () => {
  const lists: readonly (readonly number[])[] = [
    [],
    [0],
    [5],
    [1, 1],
    [1, 2, 3],
    [0, 0, 4, 4, 9],
    [7, 1, 3, 3, 12, 2, 2, 9, 5, 1, 1, 4],
  ];

  test.each(lists.map((parts) => [parts] as const))('of %j are the counts of subsets', (parts) => {
    const sums = slowSums(parts);
    const law = coinSums(parts);
    const total = parts.reduce((sum, part) => sum + part, 0);
    expect(law?.total).toBe(total);
    for (let bound = -1; bound <= total + 1; bound += 1) {
      const wanted = sums.filter((sum) => sum >= bound).length / sums.length;
      expect(law?.atLeast(bound)).toBeCloseTo(wanted, 15);
    }
  });

  /** P(X ≥ k) of a fair binomial, from Pascal's triangle. */
  function coins(trials: number, k: number): number {
    let row = [1];
    for (let trial = 0; trial < trials; trial += 1) {
      row = [...row, 0].map((ways, at) => (ways + (row[at - 1] ?? 0)) / 2);
    }
    return row.slice(Math.max(0, k)).reduce((sum, share) => sum + share, 0);
  }

  test.each([
    ['halves, 24 parts', 24],
    ['the lattice, 25 parts', 25],
    ['the lattice, 41 parts', 41],
  ])('equal parts are coins, by %s', (_, trials) => {
    const law = coinSums(new Array<number>(trials).fill(3));
    for (const k of [0, 1, 9, 12, 13, trials - 1, trials]) {
      expect(law?.atLeast(3 * k)).toBeCloseTo(coins(trials, k), 14);
      expect(law?.atLeast(3 * k - 2)).toBeCloseTo(coins(trials, k), 14);
    }
    expect(law?.atLeast(-1)).toBe(1);
    expect(law?.atLeast(3 * trials + 1)).toBe(0);
  });

  test('a wide lattice of at most 40 parts is listed by halves, more parts are too many', () => {
    // Thirty coins and one part a million times as large: P(X ≥ k) / 2 on each side of it.
    const parts = [...new Array<number>(29).fill(1), 4e6];
    const law = coinSums(parts);
    expect(law?.atLeast(4e6 + 15)).toBeCloseTo(coins(29, 15) / 2, 14);
    expect(law?.atLeast(15)).toBeCloseTo(0.5 + coins(29, 15) / 2, 14);
    expect(coinSums([...new Array<number>(40).fill(1), 3e6])).toBeUndefined();
  });

  test('both tails and the two-sided p, at most 1', () => {
    const law = { total: 3, atLeast: (bound: number) => [1, 0.9, 0.6, 0.25][bound] ?? 0 };
    expect(coinProbabilities(law, 3)).toEqual({ pGreater: 0.25, pLess: 1, pTwoSided: 0.5 });
    expect(coinProbabilities(law, 1)).toEqual({ pGreater: 0.9, pLess: 0.6, pTwoSided: 1 });
    expect(coinProbabilities(law, 0)).toEqual({ pGreater: 1, pLess: 0.25, pTwoSided: 0.5 });
  });
});

describe('decimalGrid', () => {
  test.each([
    [[0.1, 0.2, -0.3], [1, 2, -3], 0.1],
    [[0.1 + 0.2, 0.3], [1, 1], 0.3],
    [[4, 6, 10], [2, 3, 5], 2],
    [[0.25, -0.75], [1, -3], 0.25],
    [[-0.5], [-1], 0.5],
    [[1e-12, 1], [0, 1], 1],
    [[1e-11, 1], [1, 1e11], 1e-11],
    [[-1e12, 3e12], [-1, 3], 1e12],
    [[], [], 1],
    [[0], [0], 1],
  ])('of %j are the steps %j of %f', (values, steps, step) => {
    const grid = decimalGrid(values);
    expect(grid.steps).toEqual(steps);
    expect(grid.fromSteps(1)).toBe(step);
    expect(grid.fromSteps(-2)).toBe(-2 * step);
    // Never −0, which JSON would not keep.
    for (const each of grid.steps) expect(Object.is(each, -0)).toBe(false);
  });

  test('rounds to the nearest of twelve digits of the largest', () => {
    expect(decimalGrid([1, 1 + 4e-12]).steps).toEqual([1, 1]);
    expect(decimalGrid([1, 1 + 6e-12]).steps).toEqual([1e11, 1e11 + 1]);
    expect(decimalGrid([9, 1 + 6e-12]).steps).toEqual([9e11, 1e11 + 1]);
  });
});

describe('signFlipMonteCarlo', () => {
  const differences = Array.from({ length: 45 }, (_, at) => ((at * 29) % 23) / 10 - 0.9);
  const draws = { resamples: 4000, seed: testSeed(6) };

  test('lies within its sampling error of the exact test on more than one word of signs', () => {
    const exact = computed(signFlipTest(differences));
    const drawn = computed(signFlipMonteCarlo(differences, draws));
    for (const tail of ['pGreater', 'pLess', 'pTwoSided'] as const) {
      expect(Math.abs(drawn[tail] - exact[tail])).toBeLessThan(
        8 * Math.sqrt((exact[tail] * (1 - exact[tail]) + 1e-6) / 4000),
      );
    }
    expect(drawn.statistic).toBe(exact.statistic);
    expect(exact.pGreater).toBeGreaterThan(0.001);
    expect(exact.pGreater).toBeLessThan(0.3);
  });

  test('its p-values are the recorded ones: they may stand in a report', () => {
    const drawn = computed(signFlipMonteCarlo(differences, draws));
    expect([drawn.pGreater * 4001, drawn.pLess * 4001]).toEqual([152, 3863]);
  });

  test('ties with what was seen count on both sides', () => {
    // Four equal sizes, two of them gains: P(X ≥ 2) = P(X ≤ 2) = 11/16, and the middle is 1.
    const middle = computed(signFlipMonteCarlo([1, 1, -1, -1], { ...draws, resamples: 20_000 }));
    expect(middle.pGreater).toBeCloseTo(11 / 16, 1);
    expect(middle.pLess).toBeCloseTo(11 / 16, 1);
    expect(middle.pGreater + middle.pLess).toBeGreaterThan(1.3);
    expect(middle.pTwoSided).toBe(1);
    const above = computed(signFlipMonteCarlo([1, 1, 1, -1], { ...draws, resamples: 20_000 }));
    expect(above.pGreater).toBeCloseTo(5 / 16, 1);
    expect(above.pTwoSided).toBe(2 * above.pGreater);
    expect(above.statistic).toBe(2);
  });

  test('its smallest p is 1 / (B + 1), whatever was seen', () => {
    const all = computed(signFlipMonteCarlo(new Array<number>(64).fill(2), draws));
    expect(all).toEqual({ statistic: 128, pGreater: 1 / 4001, pLess: 1, pTwoSided: 2 / 4001 });
    const none = computed(signFlipMonteCarlo(new Array<number>(64).fill(-2), draws));
    expect(none).toEqual({ statistic: -128, pGreater: 1, pLess: 1 / 4001, pTwoSided: 2 / 4001 });
    expect(monteCarloP(0, 1)).toBe(0.5);
    expect(monteCarloP(1, 1)).toBe(1);
  });

  test('refuses by name', () => {
    expectRefusal(
      () => signFlipMonteCarlo([Number.NaN], draws),
      'differences[0] must be a finite number, got NaN',
    );
    expectRefusal(
      () => signFlipMonteCarlo([1], { ...draws, resamples: 0 }),
      'resamples must be a whole number of at least 1, got 0',
    );
    expectRefusal(
      () => signFlipMonteCarlo([1], { ...draws, seed: '' }),
      'seed must be 64 lower-case hex digits, got ',
    );
    expectRefusal(() => monteCarloP(0, 0), 'draws must be a whole number of at least 1, got 0');
    expectRefusal(
      () => monteCarloP(-1, 3),
      'exceedances must be a whole number of at least 0, got -1',
    );
    expectRefusal(
      () => signFlipInterval([Number.NaN], 0.9),
      'differences[0] must be a finite number, got NaN',
    );
    expectRefusal(
      () => signFlipInterval([1], 1),
      'level must be a probability strictly between 0 and 1, got 1',
    );
  });
});

describe('signFlipInterval', () => {
  test('is read at the rank error × 2^n of the subset means, counted from both ends', () => {
    // Differences 1, 2, 4, 8, 16, 32 have 63 subset means; 5 % of 64 on each side is the third.
    const list = [1, 2, 4, 8, 16, 32];
    const means = slowSums(list)
      .map((sum, subset) => sum / list.filter((_, at) => (subset >> at) & 1).length)
      .slice(1)
      .sort((left, right) => left - right);
    expect(signFlipInterval(list, 0.9)).toEqual({
      lower: means[2],
      upper: means[60],
      level: 0.9,
      method: 'sign-flip',
      guarantee: 'asymptotic',
    });
    // At 1/32 on each side the rank is 2 exactly.
    expect(signFlipInterval(list, 1 - 1 / 16)).toMatchObject({ lower: means[1], upper: means[61] });
    expect(signFlipInterval([1, 2, 4, 8], 0.875)).toMatchObject({ lower: 1, upper: 8 });
    expect(signFlipInterval([1, 2, 4, 8], 0.88)).toEqual({
      status: 'indeterminate',
      reason: 'too-few-units',
    });
  });
});
