import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { binomialUpper, normalUpper, normalUpperQuantile } from '../../src/stats/distribution.ts';
import {
  mcnemarExact,
  type PairedCounts,
  pairedRiskDifferenceBounds,
  pairedRiskDifferenceInterval,
  tangoStatistic,
} from '../../src/stats/paired-binary.ts';
import { computed, expectRefusal } from '../support/statistics.ts';

function counts(
  both: number,
  onlyCandidate: number,
  onlyBaseline: number,
  neither: number,
): PairedCounts {
  return Object.freeze({ both, onlyCandidate, onlyBaseline, neither });
}

/** Every table of up to `most` units by gains, losses and units. */
function* allTables(most: number): Generator<{ gains: number; losses: number; units: number }> {
  for (let units = 1; units <= most; units += 1) {
    for (let gains = 0; gains <= units; gains += 1) {
      for (let losses = 0; losses <= units - gains; losses += 1) yield { gains, losses, units };
    }
  }
}

function boundsAt(gains: number, losses: number, units: number): { lower: number; upper: number } {
  return computed(
    pairedRiskDifferenceBounds(counts(units - gains - losses, gains, losses, 0), 0.025),
  );
}

describe('pairedRiskDifferenceBounds on every table up to 12 units', () => {
  test('lower <= estimate <= upper inside [-1, 1], never of zero width', () => {
    for (const { gains, losses, units } of allTables(12)) {
      const { lower, upper } = boundsAt(gains, losses, units);
      const estimate = (gains - losses) / units;
      expect(lower).toBeGreaterThanOrEqual(-1);
      expect(lower).toBeLessThanOrEqual(estimate);
      expect(upper).toBeGreaterThanOrEqual(estimate);
      expect(upper).toBeLessThanOrEqual(1);
      expect(upper - lower).toBeGreaterThan(0.05);
    }
  });

  test('swapping the arms flips the sign to the last bit', () => {
    for (const { gains, losses, units } of allTables(12)) {
      const { lower, upper } = boundsAt(gains, losses, units);
      const swapped = boundsAt(losses, gains, units);
      expect(swapped.upper).toBe(-lower);
      expect(swapped.lower).toBe(-upper);
    }
  });

  test('one candidate failure turned into a success never lowers a bound', () => {
    for (const { gains, losses, units } of allTables(12)) {
      const now = boundsAt(gains, losses, units);
      if (losses > 0) {
        const better = boundsAt(gains, losses - 1, units);
        expect(better.lower).toBeGreaterThanOrEqual(now.lower);
        expect(better.upper).toBeGreaterThanOrEqual(now.upper);
      }
      if (gains + losses < units) {
        const better = boundsAt(gains + 1, losses, units);
        expect(better.lower).toBeGreaterThanOrEqual(now.lower);
        expect(better.upper).toBeGreaterThanOrEqual(now.upper);
      }
    }
  });

  test('the statistic at a bound is the critical value', () => {
    const z = normalUpperQuantile(0.025);
    for (const { gains, losses, units } of allTables(12)) {
      const { lower } = boundsAt(gains, losses, units);
      if (losses < units) {
        const table = counts(units - gains - losses, gains, losses, 0);
        expect(computed(tangoStatistic(table, lower))).toBeCloseTo(z, 9);
      }
    }
  });
});

describe('pairedRiskDifferenceInterval', () => {
  test('with no discordant pair it is the closed form z²/(n + z²) on both sides', () => {
    const square = normalUpperQuantile(0.025) ** 2;
    for (const units of [1, 20, 100, 1e6]) {
      const found = computed(pairedRiskDifferenceInterval(counts(0, 0, 0, units), 0.95));
      expect(found.upper).toBeCloseTo(square / (units + square), 14);
      expect(found.lower).toBe(-found.upper);
    }
  });

  test('only gains reach 1, only losses reach -1', () => {
    expect(pairedRiskDifferenceInterval(counts(0, 7, 0, 0), 0.95)).toMatchObject({ upper: 1 });
    expect(pairedRiskDifferenceInterval(counts(0, 0, 7, 0), 0.95)).toMatchObject({ lower: -1 });
  });

  test('only discordant counts and their total matter, and a higher level never narrows, up to a million units', () => {
    const cell = fc.nat({ max: 250000 });
    fc.assert(
      fc.property(cell, cell, cell, cell, (both, gains, losses, neither) => {
        fc.pre(both + gains + losses + neither > 0);
        const found = computed(
          pairedRiskDifferenceInterval(counts(both, gains, losses, neither), 0.9),
        );
        const moved = computed(
          pairedRiskDifferenceInterval(counts(neither, gains, losses, both), 0.9),
        );
        const wider = computed(
          pairedRiskDifferenceInterval(counts(both, gains, losses, neither), 0.99),
        );
        expect(moved).toEqual(found);
        expect(wider.lower).toBeLessThan(found.lower === -1 ? 0 : found.lower);
        expect(wider.upper).toBeGreaterThan(found.upper === 1 ? 0 : found.upper);
      }),
      { seed: 20260803, numRuns: 200 },
    );
  });

  test('PB-68: five losses and no win in 50', () => {
    const { lower, upper } = computed(pairedRiskDifferenceInterval(counts(45, 0, 5, 0), 0.95));
    expect(lower).toBeCloseTo(-0.213602, 6);
    expect(upper).toBeCloseTo(-0.021518, 6);
    expect(mcnemarExact({ onlyCandidate: 0, onlyBaseline: 5 }).pTwoSided).toBeCloseTo(0.0625, 14);
  });

  test('no units give no interval', () => {
    const nothing = { status: 'indeterminate', reason: 'no-units' };
    expect(pairedRiskDifferenceInterval(counts(0, 0, 0, 0), 0.95)).toEqual(nothing);
    expect(pairedRiskDifferenceBounds(counts(0, 0, 0, 0), 0.05)).toEqual(nothing);
    expect(tangoStatistic(counts(0, 0, 0, 0), 0)).toEqual(nothing);
  });

  test('names its method and guarantee', () => {
    expect(pairedRiskDifferenceInterval(counts(1, 1, 0, 0), 0.9)).toMatchObject({
      level: 0.9,
      method: 'tango-score',
      guarantee: 'asymptotic',
    });
  });

  test('refuses impossible counts and levels', () => {
    expectRefusal(
      () => pairedRiskDifferenceInterval(counts(1, -1, 0, 0), 0.95),
      'onlyCandidate must be a whole number of at least 0, got -1',
    );
    expectRefusal(
      () => pairedRiskDifferenceInterval(counts(1, 1, 0, 0.5), 0.95),
      'neither must be a whole number of at least 0, got 0.5',
    );
    expectRefusal(
      () => pairedRiskDifferenceInterval(counts(1, 1, 0, 0), 0),
      'level must be a probability strictly between 0 and 1, got 0',
    );
    expectRefusal(
      () => pairedRiskDifferenceBounds(counts(1, 1, 0, 0), 0.6),
      'error must be a one-sided error strictly between 0 and 0.5, got 0.6',
    );
  });
});

describe('tangoStatistic', () => {
  test('is 0 at the estimate, and infinite where the table is impossible', () => {
    expect(tangoStatistic(counts(5, 3, 1, 1), 0.2)).toBe(0);
    expect(tangoStatistic(counts(5, 0, 0, 5), 0)).toBe(0);
    expect(tangoStatistic(counts(5, 3, 1, 1), 1)).toBe(Number.NEGATIVE_INFINITY);
    expect(tangoStatistic(counts(5, 3, 1, 1), -1)).toBe(Number.POSITIVE_INFINITY);
  });

  test('refuses a difference outside [-1, 1]', () => {
    expectRefusal(
      () => tangoStatistic(counts(1, 0, 0, 0), 1.5),
      'riskDifference must be a number from -1 to 1, got 1.5',
    );
  });
});

describe('mcnemarExact', () => {
  test('PB-37: 50 wins and no loss keep a p-value', () => {
    const { pGreater, pLess } = mcnemarExact({ onlyCandidate: 50, onlyBaseline: 0 });
    expect(pGreater / 2 ** -50).toBeCloseTo(1, 12);
    expect(pLess).toBe(1);
  });

  test('PB-14: twelve wins against nine losses', () => {
    const { pTwoSided, pGreater } = mcnemarExact({ onlyCandidate: 12, onlyBaseline: 9 });
    expect(pTwoSided).toBeCloseTo(0.663624, 6);
    expect(pGreater).toBeCloseTo(0.331812, 6);
  });

  test('without a discordant pair every p is 1', () => {
    expect(mcnemarExact({ onlyCandidate: 0, onlyBaseline: 0 })).toEqual({
      pTwoSided: 1,
      pGreater: 1,
      pLess: 1,
    });
  });

  test('the tails of every table up to 40 discordant pairs overlap in the point seen', () => {
    for (let total = 1; total <= 40; total += 1) {
      for (let gains = 0; gains <= total; gains += 1) {
        const { pGreater, pLess } = mcnemarExact({
          onlyCandidate: gains,
          onlyBaseline: total - gains,
        });
        const point = pGreater - binomialUpper(gains, { trials: total, probability: 0.5 });
        expect(pGreater + pLess - point).toBeCloseTo(1, 12);
      }
    }
  });

  test('a better table never speaks less for the candidate', () => {
    for (const { gains, losses } of allTables(12)) {
      const now = mcnemarExact({ onlyCandidate: gains, onlyBaseline: losses }).pGreater;
      const gained = mcnemarExact({ onlyCandidate: gains + 1, onlyBaseline: losses }).pGreater;
      expect(gained).toBeLessThanOrEqual(now);
      if (losses > 0) {
        const spared = mcnemarExact({ onlyCandidate: gains, onlyBaseline: losses - 1 }).pGreater;
        expect(spared).toBeLessThanOrEqual(now);
      }
    }
  });

  test('works with a million discordant pairs', () => {
    const { pTwoSided } = mcnemarExact({ onlyCandidate: 501000, onlyBaseline: 499000 });
    expect(pTwoSided).toBeCloseTo(2 * normalUpper(1999 / 1000), 6);
  });

  test('refuses counts that are not whole', () => {
    expectRefusal(
      () => mcnemarExact({ onlyCandidate: 1.5, onlyBaseline: 0 }),
      'onlyCandidate must be a whole number of at least 0, got 1.5',
    );
  });
});
