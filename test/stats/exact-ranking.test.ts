import { describe, expect, test } from 'vitest';
import type { PairedCounts } from '../../src/stats/paired-binary.ts';
import {
  exactUnconditionalClears,
  exactUnconditionalLower,
  finest,
  stepAbove,
  tablesAtLeast,
  tablesReaching,
} from '../../src/stats/paired-binary-exact.ts';
import { computed, expectRefusal } from '../support/statistics.ts';

function counts(gains: number, losses: number, units: number): PairedCounts {
  return { both: units - gains - losses, onlyCandidate: gains, onlyBaseline: losses, neither: 0 };
}

describe('stepAbove', () => {
  test('is the first multiple of 2⁻²¹ above a threshold', () => {
    expect(stepAbove(0)).toBe(1);
    expect(stepAbove(finest)).toBe(2);
    expect(stepAbove(finest * 1.5)).toBe(2);
    expect(stepAbove(-finest / 2)).toBe(0);
    expect(stepAbove(-1)).toBe(1 - 2 ** 21);
    expect(stepAbove(1)).toBe(2 ** 21 + 1);
    expect(finest).toBe(2 ** -21);
  });
});

describe('tablesReaching', () => {
  test('with one unit and the limit 0 the score of a gain is 1: z decides, and a tie belongs', () => {
    const members = (z: number, limit = 0) => [
      ...tablesReaching({ units: 1, limit, z }).fewestGains,
    ];
    expect(members(0.5)).toEqual([1]);
    expect(members(1)).toEqual([1]);
    expect(members(1 + 0.9e-9)).toEqual([1]);
    expect(members(1 + 1.1e-9)).toEqual([]);
    expect(members(0)).toEqual([0]);
    expect(members(-1)).toEqual([0, 0]);
  });

  test.each([4, 9, 16])(
    'with %i units at the limit 0 members have (gains − losses)/√(gains + losses) of at least z',
    (units) => {
      const tables = Array.from({ length: (units + 1) ** 2 }, (_, at) => ({
        gains: at % (units + 1),
        losses: Math.floor(at / (units + 1)),
      })).filter(({ gains, losses }) => gains + losses <= units);
      for (const z of [0.99, 1.5, 2.01]) {
        const { fewestGains } = tablesReaching({ units, limit: 0, z });
        for (const { gains, losses } of tables) {
          const score = (gains - losses) / Math.sqrt(Math.max(1, gains + losses));
          const fewest = fewestGains[losses] ?? units + 1;
          expect(gains >= fewest, `${gains} ${losses}`).toBe(score >= z);
        }
      }
    },
  );

  test('a set holds the table it is made for', () => {
    for (const [gains, losses, units] of [
      [3, 1, 9],
      [0, 0, 5],
      [2, 6, 9],
      [9, 0, 9],
    ] as const) {
      const set = tablesAtLeast({ gains, losses, units }, 0.025);
      expect(set.units).toBe(units);
      expect(set.fewestGains[losses]).toBe(gains);
    }
  });
});

describe('the exact bound against a grid of nuisance rates', () => {
  const error = 0.025;

  /** The largest probability of a staircase over nuisance rates, by powers and factorials. */
  function worst(set: { units: number; fewestGains: Int32Array }, difference: number): number {
    const { units, fewestGains } = set;
    const factorial = (k: number): number => (k < 2 ? 1 : k * factorial(k - 1));
    let most = 0;
    for (let at = 0; at <= 4000; at += 1) {
      const loss = Math.max(0, -difference) + ((at / 4000) * (1 - Math.abs(difference))) / 2;
      const gain = loss + difference;
      const tie = Math.max(0, 1 - gain - loss);
      let p = 0;
      fewestGains.forEach((fewest, losses) => {
        for (let gains = fewest; gains + losses <= units; gains += 1) {
          const ties = units - gains - losses;
          const ways = factorial(units) / factorial(gains) / factorial(losses) / factorial(ties);
          p += ways * gain ** gains * loss ** losses * tie ** ties;
        }
      });
      most = Math.max(most, p);
    }
    return most;
  }

  test.each([
    [1, 0, 1],
    [0, 0, 2],
    [1, 1, 3],
    [0, 1, 3],
    [2, 0, 4],
    [1, 2, 4],
    [3, 1, 5],
    [0, 4, 5],
    [0, 0, 6],
  ])(
    '%i gains and %i losses of %i units: to a millionth below, never above',
    (gains, losses, units) => {
      const set = tablesAtLeast({ gains, losses, units }, error);
      const lower = computed(exactUnconditionalLower(counts(gains, losses, units), error));
      expect(Number.isInteger(lower / finest)).toBe(true);
      expect(worst(set, lower)).toBeLessThanOrEqual(error * (1 + 1e-9));
      expect(worst(set, lower + 1.5e-6)).toBeGreaterThan(error * (1 - 1e-6));
      for (const [threshold, clears] of [
        [lower, false],
        [lower - finest, true],
        [lower - 1e-9, true],
        [lower + finest, false],
      ] as const) {
        expect(exactUnconditionalClears(counts(gains, losses, units), { error, threshold })).toBe(
          clears,
        );
      }
    },
  );
});

describe('the edges of the exact bound', () => {
  test('an error below the grid clears no step: the bound is −1', () => {
    // One tie: P(no loss) = 1 − loss is above 1e-9 at every difference of the grid above −1.
    expect(exactUnconditionalLower(counts(0, 0, 1), 1e-9)).toBe(-1);
    const oneTie = { error: 1e-9, threshold: -1 };
    expect(exactUnconditionalClears(counts(0, 0, 1), oneTie)).toBe(false);
    // At one in a hundred it is a step of the grid below −0.99.
    const lower = computed(exactUnconditionalLower(counts(0, 0, 1), 0.01));
    expect(lower).toBeLessThanOrEqual(-0.99);
    expect(lower).toBeGreaterThan(-0.99 - 1e-6);
  });

  test('an error is refused by its name', () => {
    const text = 'error must be a one-sided error strictly between 0 and 0.5, got 0.5';
    expectRefusal(() => exactUnconditionalLower(counts(0, 0, 1), 0.5), text);
    expectRefusal(
      () => exactUnconditionalClears(counts(0, 0, 1), { error: 0.5, threshold: 0 }),
      text,
    );
  });
});
