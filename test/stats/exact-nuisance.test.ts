import { describe, expect, test } from 'vitest';
import {
  climbFrom,
  exceedingNuisance,
  probabilityAt,
  type Search,
  stays,
} from '../../src/stats/paired-binary-exact.ts';
import { type CellProbabilities, setProbability } from '../../src/stats/paired-probability.ts';

function searchOf(
  probability: (cell: CellProbabilities) => number,
  more: Partial<Search> = {},
): Search {
  return { probability, units: 2, error: 0.025, difference: 0, ...more };
}

describe('probabilityAt', () => {
  test.each([
    [0.2, 0, 0.2, 0],
    [0.2, 1, 0.6, 0.4],
    [0.2, 0.5, 0.4, 0.2],
    [-0.2, 0, 0, 0.2],
    [-0.2, 1, 0.4, 0.6],
    [-0.5, 0.5, 0.125, 0.625],
    [0, 0.5, 0.25, 0.25],
  ])(
    'difference %f at the share %f of the widest nuisance rate: gain %f, loss %f',
    (difference, nuisance, gain, loss) => {
      const seen: CellProbabilities[] = [];
      const search = searchOf(
        (cell) => {
          seen.push(cell);
          return 0.125;
        },
        { difference },
      );
      expect(probabilityAt(search, nuisance)).toBe(0.125);
      expect(seen).toHaveLength(1);
      expect(seen[0]?.gain).toBeCloseTo(gain, 15);
      expect(seen[0]?.loss).toBeCloseTo(loss, 15);
    },
  );
});

describe('stays', () => {
  const search = searchOf(() => 0);
  test('counts a billionth of the probability against it', () => {
    expect(stays(search, 0.025 * (1 - 1.001e-9))).toBe(true);
    expect(stays(search, 0.025 * (1 - 0.999e-9))).toBe(false);
    expect(stays(search, 0.025)).toBe(false);
    expect(stays(search, 0)).toBe(true);
  });

  test('counts 1e-15 of dropped mass against it, however small the error', () => {
    expect(stays({ ...search, error: 1e-15 }, 0)).toBe(true);
    expect(stays({ ...search, error: 0.999e-15 }, 0)).toBe(false);
    expect(stays({ ...search, error: 3e-15 }, 1.9e-15)).toBe(true);
    expect(stays({ ...search, error: 3e-15 }, 2.1e-15)).toBe(false);
  });
});

describe('exceedingNuisance', () => {
  /** Two units, at least one gain and no loss: P = g² + 2 g (1 − g − l), which at no difference is 2q − 3q², most 1/3 at q = 1/3. */
  const gainOfTwo = setProbability({ units: 2, fewestGains: Int32Array.from([1]) });

  test('finds a rate near the only one that exceeds, and knows when there is none', () => {
    const found = exceedingNuisance(searchOf(gainOfTwo, { error: 1 / 3 - 1e-9 }));
    expect(found).not.toBeNull();
    expect(Math.abs(Number(found) - 2 / 3)).toBeLessThan(2 * Math.sqrt(1e-9 / 3) + 1e-9);
    expect(exceedingNuisance(searchOf(gainOfTwo, { error: 1 / 3 + 1e-6 }))).toBeNull();
  });

  test('a rate it gives does exceed, or is a piece too narrow to clear', () => {
    for (const difference of [-0.4, -0.1, 0, 0.05, 0.3]) {
      for (const error of [0.01, 0.1, 0.2, 0.3, 0.33, 0.45]) {
        const search = searchOf(gainOfTwo, { error, difference });
        const found = exceedingNuisance(search);
        // The largest probability by a grid of the closed form.
        const most = Math.max(
          ...Array.from({ length: 2001 }, (_, at) => {
            const loss = Math.max(0, -difference) + ((at / 2000) * (1 - Math.abs(difference))) / 2;
            const gain = loss + difference;
            return gain * gain + 2 * gain * (1 - gain - loss);
          }),
        );
        expect(found !== null, `${difference} ${error}`).toBe(most > error);
        if (found !== null) expect(probabilityAt(search, found)).toBeGreaterThan(error);
      }
    }
  });

  test('names the more likely end where an end exceeds', () => {
    const rising = searchOf(({ loss }) => 0.5 * loss + 0.01, { error: 0.1 });
    expect(exceedingNuisance(rising)).toBe(1);
    const falling = searchOf(({ loss }) => 0.3 - 0.5 * loss, { error: 0.1 });
    expect(exceedingNuisance(falling)).toBe(0);
    const level = searchOf(() => 0.1, { error: 0.1 });
    // Equal to the error is not above it, but no rounding is left: the search cannot clear it and ends in a narrowest piece.
    expect(exceedingNuisance(level)).not.toBeNull();
    expect(exceedingNuisance({ ...level, error: 0.0999 })).toBe(1);
  });

  /** The rates on the line of the difference a search looked at, in order. */
  function looks(search: Search): { readonly seen: number[]; readonly found: number | null } {
    const seen: number[] = [];
    const { difference } = search;
    const found = exceedingNuisance({
      ...search,
      probability: (cell) => {
        if (Math.abs(cell.gain - cell.loss - difference) < 1e-12) {
          const rarer = Math.min(cell.gain, cell.loss);
          seen.push(Math.round((2 * rarer * 2 ** 24) / (1 - Math.abs(difference))) / 2 ** 24);
        }
        return search.probability(cell);
      },
    });
    return { seen, found };
  }

  test('ends at once where gains as likely and losses as rare as anywhere stay below the error', () => {
    expect(looks(searchOf(() => 0.02)).seen).toEqual([0, 1]);
    expect(looks(searchOf(() => 0.02)).found).toBeNull();
  });

  test('the more likely half is searched first', () => {
    // Nothing clears by dominance before the halves of halves; where they look first shows the order.
    const rising = searchOf((cell) => (cell.gain === cell.loss ? 0.01 + cell.loss / 100 : 1));
    expect(looks(rising).seen.slice(0, 4)).toEqual([0, 1, 0.5, 0.75]);
    const falling = searchOf((cell) => (cell.gain === cell.loss ? 0.02 - cell.loss / 100 : 1));
    expect(looks(falling).seen.slice(0, 4)).toEqual([0, 1, 0.5, 0.25]);
  });

  /**
   * A set whose probability is `level` on the line of the difference, `dominating` off it in the two inner quarters, and which
   * dominance clears in the outer ones. At the difference 0.2 the inner quarters end at rates of loss 0.1, 0.2 and 0.3. The
   * information of one unit is 1/0.3 + 1/0.1 + 4/0.6 = 20, 1/0.4 + 1/0.2 + 4/0.4 = 17.5 and 1/0.5 + 1/0.3 + 4/0.2 = 25.33.
   */
  function bent(units: number, level: number, dominating: number): Search {
    const probability = ({ gain, loss }: CellProbabilities): number => {
      if (Math.abs(gain - loss - 0.2) < 1e-12) return level;
      const whole = loss === 0 && gain > 0.55;
      const outer = gain < 0.3 + 1e-12 || loss > 0.3 - 1e-12;
      const half = gain - loss > 0.2 + 0.15;
      if (whole || half) return 1;
      return outer ? 0 : dominating;
    };
    return searchOf(probability, { units, error: 0.4, difference: 0.2 });
  }

  const quarters = [0, 0.25, 0.5, 0.75, 1];

  function sortedLooks(search: Search): number[] {
    return looks(search).seen.sort((left, right) => left - right);
  }

  test('clears a piece between whose ends the probability cannot bend above the error: √(2P(1−P)) n I width²/8', () => {
    // 0.01 + √(2 × 0.41 × 0.59) × 25.33 n × 0.1² / 8 reaches 0.4 at n = 17.7.
    expect(sortedLooks(bent(17.6, 0.01, 0.41))).toEqual(quarters);
    expect(sortedLooks(bent(17.8, 0.01, 0.41)).length).toBeGreaterThan(quarters.length);
    // The variance is largest at one half: a dominating probability above it counts as one half, and 17.42 units are the most.
    expect(sortedLooks(bent(17.4, 0.01, 0.9))).toEqual(quarters);
    expect(sortedLooks(bent(17.5, 0.01, 0.9)).length).toBeGreaterThan(quarters.length);
    // The level counts: 0.2 + … reaches 0.4 at n = 8.93.
    expect(sortedLooks(bent(8.9, 0.2, 0.9))).toEqual(quarters);
    expect(sortedLooks(bent(8.96, 0.2, 0.9)).length).toBeGreaterThan(quarters.length);
  });

  test('the higher of the two ends counts, whichever it is', () => {
    for (const high of [0.25, 0.5, 0.75]) {
      const base = bent(8.95, 0.01, 0.9);
      const probability = (cell: CellProbabilities): number =>
        Math.abs(cell.gain - cell.loss - 0.2) < 1e-12 && Math.abs(cell.loss - 0.4 * high) < 1e-9
          ? 0.3
          : base.probability(cell);
      expect(looks({ ...base, probability }).seen.length).toBeGreaterThan(quarters.length);
    }
  });

  test('a piece of 2⁻²⁰ of the range that nothing clears counts as exceeding, and none wider', () => {
    const wall = 1 / 3;
    // Dominance never clears a piece around the wall and the bend of a million units clears nothing.
    const search = searchOf(
      ({ gain, loss }) => (2 * gain >= wall && 2 * loss <= wall ? 0.03 : 0.001),
      { units: 1e13 },
    );
    const line = (cell: CellProbabilities): number =>
      cell.gain === cell.loss ? 0.001 : search.probability(cell);
    const { found, seen } = looks({ ...search, probability: line });
    expect(Math.abs(Number(found) - wall)).toBeLessThan(2 ** -20);
    // Two ends and one middle for each halving of 1 down to 2⁻²⁰.
    expect(seen).toHaveLength(2 + 21);
  });
});

describe('climbFrom', () => {
  /** A tent over the nuisance rate, counted. */
  function climb(peak: number, from: number) {
    let looks = 0;
    const search = searchOf(({ loss }) => {
      looks += 1;
      return 0.5 - Math.abs(2 * loss - peak);
    });
    return { top: climbFrom(search, from), looks };
  }

  test.each([
    [0.51, 0.5],
    [0.49, 0.5],
    [0.015, 0.005],
    [0.995, 0.985],
    [0.5199, 0.5],
  ])('finds the peak at %f from %f to a millionth, in 27 looks', (peak, from) => {
    const { top, looks } = climb(peak, from);
    expect(Math.abs(top - peak)).toBeLessThan(1e-6);
    expect(looks).toBe(27);
  });

  test('goes 0.02 at most, and never out of [0, 1]', () => {
    expect(climb(0.9, 0.5).top).toBeCloseTo(0.52, 6);
    expect(climb(0.1, 0.5).top).toBeCloseTo(0.48, 6);
    expect(climb(-1, 0.01).top).toBeGreaterThanOrEqual(0);
    expect(climb(-1, 0.01).top).toBeLessThan(1e-6);
    expect(climb(2, 0.99).top).toBeLessThanOrEqual(1);
    expect(climb(2, 0.99).top).toBeGreaterThan(1 - 1e-6);
  });

  test('stays where nothing near is more likely', () => {
    expect(climb(0.5, 0.5).top).toBe(0.5);
    expect(
      climbFrom(
        searchOf(() => 0.3),
        0.123,
      ),
    ).toBe(0.123);
    const valley = searchOf(({ loss }) => Math.min(0.4, Math.abs(2 * loss - 0.5)));
    expect(climbFrom(valley, 0.9)).toBe(0.9);
  });
});
