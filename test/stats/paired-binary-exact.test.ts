import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { PairedCounts } from '../../src/stats/paired-binary.ts';
import { pairedRiskDifferenceBounds } from '../../src/stats/paired-binary.ts';
import {
  exactUnconditionalBounds,
  exactUnconditionalClears,
  exactUnconditionalInterval,
  exactUnconditionalLower,
  tablesAtLeast,
} from '../../src/stats/paired-binary-exact.ts';
import { setProbability } from '../../src/stats/paired-probability.ts';
import { computed, expectRefusal } from '../support/statistics.ts';

const error = 0.025;

function counts(gains: number, losses: number, units: number): PairedCounts {
  return Object.freeze({
    both: units - gains - losses,
    onlyCandidate: gains,
    onlyBaseline: losses,
    neither: 0,
  });
}

interface Member {
  readonly gains: number;
  readonly losses: number;
}

function* tablesOf(units: number): Generator<Member> {
  for (let gains = 0; gains <= units; gains += 1) {
    for (let losses = 0; losses <= units - gains; losses += 1) yield { gains, losses };
  }
}

/** Every table of some units with its Tango lower limit. */
function rankedTables(units: number): (Member & { readonly limit: number })[] {
  return [...tablesOf(units)].map((table) => ({
    ...table,
    limit: computed(pairedRiskDifferenceBounds(counts(table.gains, table.losses, units), error))
      .lower,
  }));
}

/** Multinomial probability of a list of tables by plain powers: nothing shared with the code under test. */
function probabilityOfList(
  members: readonly Member[],
  units: number,
  cell: { gain: number; loss: number },
): number {
  const logs = [0];
  for (let k = 1; k <= units; k += 1) logs.push((logs[k - 1] ?? 0) + Math.log(k));
  const rest = Math.max(0, 1 - cell.gain - cell.loss);
  const power = (base: number, times: number): number => (times === 0 ? 0 : times * Math.log(base));
  let sum = 0;
  for (const { gains, losses } of members) {
    const ties = units - gains - losses;
    const orders =
      (logs[units] ?? 0) - (logs[gains] ?? 0) - (logs[losses] ?? 0) - (logs[ties] ?? 0);
    sum += Math.exp(
      orders + power(cell.gain, gains) + power(cell.loss, losses) + power(rest, ties),
    );
  }
  return sum;
}

/** The largest probability over the nuisance rate at one difference: a grid, then ternary refinement around its best point. */
function supremum(members: readonly Member[], units: number, difference: number): number {
  const at = (share: number): number => {
    const rarer = (share * (1 - Math.abs(difference))) / 2;
    return probabilityOfList(members, units, {
      gain: rarer + Math.max(0, difference),
      loss: rarer + Math.max(0, -difference),
    });
  };
  const points = 160;
  const grid = Array.from({ length: points + 1 }, (_, index) => at(index / points));
  const best = grid.indexOf(Math.max(...grid));
  let left = Math.max(0, best - 1) / points;
  let right = Math.min(points, best + 1) / points;
  for (let step = 0; step < 40; step += 1) {
    const third = (right - left) / 3;
    if (at(left + third) < at(right - third)) left += third;
    else right -= third;
  }
  return Math.max(at((left + right) / 2), ...grid);
}

/** The tables that clear a threshold: for each number of losses the fewest gains, walked along the edge of the set. */
function clearingSet(units: number, threshold: number): Member[] {
  const members: Member[] = [];
  let fewest = 0;
  for (let losses = 0; losses <= units; losses += 1) {
    while (
      fewest + losses <= units &&
      exactUnconditionalClears(counts(fewest, losses, units), { error, threshold }) === false
    ) {
      fewest += 1;
    }
    for (let gains = fewest; gains + losses <= units; gains += 1) members.push({ gains, losses });
  }
  return members;
}

const margins = [-0.1, -0.05, -0.02, 0, 0.05];

describe('the error of the exact unconditional bound, by enumeration of every table', () => {
  test.each([5, 10, 20, 40, 76, 100])(
    'with %i units the bound clears no margin it should not more often than 2.5 %%, at any nuisance rate',
    (units) => {
      const worst = margins.map((margin) => supremum(clearingSet(units, margin), units, margin));
      for (const each of worst) expect(each).toBeLessThanOrEqual(error);
      // The bound is not merely wide: some margin uses most of the error it may spend.
      expect(Math.max(...worst)).toBeGreaterThan(units < 20 ? 0.008 : 0.018);
    },
  );

  test('Tango spends up to twice the nominal error where the exact bound does not', () => {
    const members = [...tablesOf(100)].filter(
      ({ gains, losses }) =>
        computed(pairedRiskDifferenceBounds(counts(gains, losses, 100), error)).lower > 0.04,
    );
    expect(supremum(members, 100, 0.04)).toBeGreaterThan(0.045);
    expect(supremum(clearingSet(100, 0.04), 100, 0.04)).toBeLessThanOrEqual(error);
  });
});

describe('exactUnconditionalLower', () => {
  test('is within 1e-6 of the bound a slow search finds, on every table up to 12 units', () => {
    for (let units = 1; units <= 12; units += 1) {
      const ranked = rankedTables(units);
      for (const { gains, losses, limit } of ranked) {
        const lower = computed(exactUnconditionalLower(counts(gains, losses, units), error));
        const members = ranked.filter((other) => other.limit >= limit - 1e-9);
        if (losses < units) {
          expect(supremum(members, units, lower)).toBeLessThanOrEqual(error * (1 + 1e-9));
          expect(supremum(members, units, lower + 1.1e-6)).toBeGreaterThan(error * (1 - 1e-7));
        } else expect(lower).toBe(-1);
      }
    }
  }, 120_000);

  test('is never above the estimate, and a better table never lowers it', () => {
    for (const units of [1, 2, 7, 12]) {
      for (const { gains, losses } of tablesOf(units)) {
        const lower = computed(exactUnconditionalLower(counts(gains, losses, units), error));
        expect(lower).toBeLessThanOrEqual((gains - losses) / units);
        if (losses > 0) {
          const spared = computed(exactUnconditionalLower(counts(gains, losses - 1, units), error));
          expect(spared).toBeGreaterThanOrEqual(lower);
        }
        if (gains + losses < units) {
          const gained = computed(exactUnconditionalLower(counts(gains + 1, losses, units), error));
          expect(gained).toBeGreaterThanOrEqual(lower);
        }
      }
    }
  });

  test('is Buehler’s closed form where only one table ranks as high: every unit a gain', () => {
    // P(all gains) = gain^n is largest without ties, where gain = (1 + D)/2; the bound is at most two steps of the grid below.
    for (const units of [1, 3, 20]) {
      const lower = computed(exactUnconditionalLower(counts(units, 0, units), error));
      const closed = 2 * error ** (1 / units) - 1;
      expect(lower).toBeLessThanOrEqual(closed);
      expect(lower).toBeGreaterThan(closed - 1e-6);
    }
  });

  test('every unit a loss gives -1', () => {
    expect(exactUnconditionalLower(counts(0, 4, 4), error)).toBe(-1);
    expect(exactUnconditionalBounds(counts(4, 0, 4), error)).toMatchObject({ upper: 1 });
  });

  test('knows 3,000 units', () => {
    const lower = computed(exactUnconditionalLower(counts(300, 240, 3000), error));
    const tango = computed(pairedRiskDifferenceBounds(counts(300, 240, 3000), error)).lower;
    expect(lower).toBeLessThan(tango);
    expect(lower).toBeGreaterThan(tango - 0.0005);
  });
});

describe('exactUnconditionalBounds and exactUnconditionalInterval', () => {
  test('swapping the arms flips the sign to the last bit, and the order of both and neither is nothing', () => {
    fc.assert(
      fc.property(fc.nat(15), fc.nat(15), fc.nat(15), fc.nat(15), (a, b, c, d) => {
        fc.pre(a + b + c + d > 0);
        const found = computed(
          exactUnconditionalBounds(
            { both: a, onlyCandidate: b, onlyBaseline: c, neither: d },
            0.05,
          ),
        );
        const other = computed(
          exactUnconditionalBounds(
            { both: d, onlyCandidate: c, onlyBaseline: b, neither: a },
            0.05,
          ),
        );
        expect(other.upper).toBe(0 - found.lower);
        expect(other.lower).toBe(0 - found.upper);
        expect(found.lower).toBeLessThan(found.upper);
      }),
      { seed: 20260804, numRuns: 60 },
    );
  });

  test('the interval spends half of its error on each side and names its guarantee', () => {
    const table = counts(15, 5, 76);
    expect(exactUnconditionalInterval(table, 0.95)).toEqual({
      ...computed(exactUnconditionalBounds(table, (1 - 0.95) / 2)),
      level: 0.95,
      method: 'exact-unconditional',
      guarantee: 'finite-sample',
    });
  });

  test('no units give no bound', () => {
    const nothing = { status: 'indeterminate', reason: 'no-units' };
    expect(exactUnconditionalLower(counts(0, 0, 0), error)).toEqual(nothing);
    expect(exactUnconditionalBounds(counts(0, 0, 0), error)).toEqual(nothing);
    expect(exactUnconditionalInterval(counts(0, 0, 0), 0.95)).toEqual(nothing);
    expect(exactUnconditionalClears(counts(0, 0, 0), { error, threshold: 0 })).toEqual(nothing);
  });

  test('refuses impossible arguments', () => {
    expectRefusal(
      () => exactUnconditionalLower(counts(1, -1, 5), error),
      'onlyBaseline must be a whole number of at least 0, got -1',
    );
    expectRefusal(
      () => exactUnconditionalBounds(counts(1, 1, 5), 0.5),
      'error must be a one-sided error strictly between 0 and 0.5, got 0.5',
    );
    expectRefusal(
      () => exactUnconditionalInterval(counts(1, 1, 5), 1),
      'level must be a probability strictly between 0 and 1, got 1',
    );
    expectRefusal(
      () => exactUnconditionalClears(counts(1, 1, 5), { error, threshold: 1.5 }),
      'threshold must be a number from -1 to 1, got 1.5',
    );
  });
});

describe('exactUnconditionalClears', () => {
  test('says what the bound says, at the bound, a step beside it and far away', () => {
    fc.assert(
      fc.property(fc.nat(20), fc.nat(20), fc.nat(40), (gains, losses, ties) => {
        fc.pre(gains + losses + ties > 0);
        const table = counts(gains, losses, gains + losses + ties);
        const lower = computed(exactUnconditionalLower(table, error));
        for (const shift of [-0.1, -1e-6, -1e-9, 0, 1e-9, 1e-6, 0.1]) {
          const threshold = Math.max(-1, Math.min(1, lower + shift));
          expect(exactUnconditionalClears(table, { error, threshold })).toBe(lower > threshold);
        }
      }),
      { seed: 20260805, numRuns: 40 },
    );
  });

  test('nothing clears 1, and only losses clear nothing', () => {
    expect(exactUnconditionalClears(counts(50, 0, 50), { error, threshold: 1 })).toBe(false);
    expect(exactUnconditionalClears(counts(0, 3, 3), { error, threshold: -1 })).toBe(false);
    expect(exactUnconditionalClears(counts(1, 2, 3), { error, threshold: -1 })).toBe(true);
  });
});

describe('tablesAtLeast', () => {
  test.each([1, 2, 5, 9, 14])(
    'with %i units it is a staircase and holds exactly the tables ranked as high',
    (units) => {
      const ranked = rankedTables(units);
      for (const { gains, losses, limit } of ranked.filter((each) => each.losses < units)) {
        const { fewestGains } = tablesAtLeast({ gains, losses, units }, error);
        expect([...fewestGains]).toEqual([...fewestGains].sort((left, right) => left - right));
        for (const other of ranked) {
          const member = other.gains >= (fewestGains[other.losses] ?? units + 1);
          const tied = Math.abs(other.limit - limit) <= 1e-8;
          expect(member).toBe(tied || other.limit > limit);
        }
      }
    },
  );
});

/** Pairs of rates of a gain and of a loss, edges and tiny ones included. */
const cells = [0, 1e-9, 0.001, 0.2, 0.45, 0.5, 0.8, 1].flatMap((gain, _, rates) =>
  rates.filter((loss) => loss + gain <= 1).map((loss) => ({ gain, loss })),
);

describe('setProbability', () => {
  test.each([1, 6, 30])(
    'with %i units it agrees with the sum over members, edges and tiny rates included',
    (units) => {
      const some = [...tablesOf(units)].filter((_, index) => index % 7 === 0);
      for (const { gains, losses } of some.filter((table) => table.losses < units)) {
        const set = tablesAtLeast({ gains, losses, units }, error);
        const members = [...tablesOf(units)].filter(
          (table) => table.gains >= (set.fewestGains[table.losses] ?? units + 1),
        );
        const probability = setProbability(set);
        for (const cell of cells) {
          const expected = probabilityOfList(members, units, cell);
          const distance = Math.abs(probability(cell) - expected);
          expect(distance).toBeLessThanOrEqual(2e-16 + 1e-10 * expected);
        }
      }
    },
  );

  test('keeps its digits at 5,000 units', () => {
    const set = tablesAtLeast({ gains: 260, losses: 240, units: 5000 }, error);
    const members: Member[] = [];
    set.fewestGains.forEach((fewest, losses) => {
      for (let gains = fewest; gains + losses <= 5000 && gains < 500; gains += 1) {
        if (losses < 450) members.push({ gains, losses });
      }
    });
    const cell = { gain: 0.05, loss: 0.05 };
    const expected = probabilityOfList(members, 5000, cell);
    expect(setProbability(set)(cell) / expected).toBeCloseTo(1, 9);
  });
});
