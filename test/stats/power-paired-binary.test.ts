import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { binomialCdf } from '../../src/stats/distribution.ts';
import { mcnemarExact, pairedRiskDifferenceBounds } from '../../src/stats/paired-binary.ts';
import {
  allTiedUnits,
  mcnemarPower,
  mcnemarSearch,
  mcnemarUnits,
  tangoPower,
} from '../../src/stats/power-paired-binary.ts';
import { computed, expectRefusal } from '../support/statistics.ts';

const settings = { seed: 20260907, numRuns: 40 };
const share = fc.integer({ min: 0, max: 40 }).map((percent) => percent / 100);

function choose(n: number, k: number): number {
  let ways = 1;
  for (let index = 1; index <= k; index += 1) ways = (ways * (n - k + index)) / index;
  return ways;
}

/** Every table of gains and losses with its trinomial probability. */
function overTables(
  units: number,
  rates: { readonly onlyCandidate: number; readonly onlyBaseline: number },
  clears: (gains: number, losses: number) => boolean,
): number {
  const tied = 1 - rates.onlyCandidate - rates.onlyBaseline;
  let total = 0;
  for (let gains = 0; gains <= units; gains += 1) {
    for (let losses = 0; gains + losses <= units; losses += 1) {
      const ways = choose(units, gains) * choose(units - gains, losses);
      const probability =
        ways *
        rates.onlyCandidate ** gains *
        rates.onlyBaseline ** losses *
        tied ** (units - gains - losses);
      if (clears(gains, losses)) total += probability;
    }
  }
  return total;
}

describe('mcnemarPower', () => {
  test('is the sum over every table on which the test rejects', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 18 }), share, share, (units, up, down) => {
        const rates = { onlyCandidate: up, onlyBaseline: down };
        const slow = overTables(units, rates, (gains, losses) => {
          const { pTwoSided } = mcnemarExact({ onlyCandidate: gains, onlyBaseline: losses });
          return pTwoSided <= 0.0625 * (1 + 1e-12);
        });
        const rule = { test: 'exact', error: 0.03125, sides: 2 } as const;
        expect(mcnemarPower({ units, rates, ...rule })).toBeCloseTo(slow, 11);
      }),
      settings,
    );
  });

  test('is 0 without discordant pairs and without units', () => {
    const rule = { test: 'mid-p', error: 0.025, sides: 2 } as const;
    const none = { onlyCandidate: 0, onlyBaseline: 0 };
    expect(mcnemarPower({ units: 50, rates: none, ...rule })).toBe(0);
    expect(
      mcnemarPower({ units: 0, rates: { onlyCandidate: 0.5, onlyBaseline: 0.5 }, ...rule }),
    ).toBe(0);
    const certain = { onlyCandidate: 1, onlyBaseline: 0 };
    expect(mcnemarPower({ units: 20, rates: certain, ...rule })).toBe(1);
  });
});

describe('tangoPower', () => {
  test('is the sum over every table whose Tango bound clears the threshold', () => {
    const threshold = fc.integer({ min: -20, max: 20 }).map((percent) => percent / 100 + 0.003);
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 14 }),
        share,
        share,
        threshold,
        (units, up, down, at) => {
          const rates = { onlyCandidate: up, onlyBaseline: down };
          const slow = overTables(units, rates, (gains, losses) => {
            const counts = {
              both: units - gains - losses,
              onlyCandidate: gains,
              onlyBaseline: losses,
              neither: 0,
            };
            return computed(pairedRiskDifferenceBounds(counts, 0.025)).lower > at;
          });
          expect(tangoPower({ units, rates, threshold: at, error: 0.025 })).toBeCloseTo(slow, 11);
        },
      ),
      settings,
    );
  });

  test('is affordable and exact at thousands of units', () => {
    const rates = { onlyCandidate: 0, onlyBaseline: 0 };
    expect(tangoPower({ units: 5000, rates, threshold: -0.01, error: 0.025 })).toBe(1);
    const losses = { onlyCandidate: 0, onlyBaseline: 0.02 };
    const power = tangoPower({ units: 5000, rates: losses, threshold: -0.02, error: 0.025 });
    // Only losses: the claim needs few enough of them, a binomial tail.
    let most = -1;
    while (
      computed(
        pairedRiskDifferenceBounds(
          { both: 5000 - most - 1, onlyCandidate: 0, onlyBaseline: most + 1, neither: 0 },
          0.025,
        ),
      ).lower > -0.02
    ) {
      most += 1;
    }
    expect(power).toBeCloseTo(binomialCdf(most, { trials: 5000, probability: 0.02 }), 10);
  });
});

describe('allTiedUnits', () => {
  test.each([
    [0.05, [268, 133, 88, 52, 25, 16, 11]],
    [0.025, [381, 189, 125, 73, 35, 22, 16]],
    [0.01, [536, 266, 175, 103, 49, 31, 22]],
  ])('at one-sided error %f gives the published row', (error, expected) => {
    const margins = [0.01, 0.02, 0.03, 0.05, 0.1, 0.15, 0.2];
    expect(margins.map((margin) => allTiedUnits({ margin, error }))).toEqual(expected);
  });

  test('is the first size at which the Tango bound of an all-tied table clears the margin', () => {
    for (const margin of [0.02, 0.05, 0.15]) {
      const units = allTiedUnits({ margin, error: 0.025 });
      const lowerAt = (both: number): number =>
        computed(
          pairedRiskDifferenceBounds(
            { both, onlyCandidate: 0, onlyBaseline: 0, neither: 0 },
            0.025,
          ),
        ).lower;
      expect(lowerAt(units)).toBeGreaterThan(-margin);
      expect(lowerAt(units - 1)).toBeLessThan(-margin);
    }
  });
});

describe('mcnemarSearch', () => {
  test('ends at its limit with the power found there', () => {
    const rates = { onlyCandidate: 0.3, onlyBaseline: 0.25 };
    const rule = { test: 'exact', error: 0.025, sides: 2 } as const;
    const found = mcnemarSearch({ rates, ...rule, power: 0.8, limit: 40 });
    expect(found).toEqual({
      status: 'unreachable',
      units: 40,
      power: mcnemarPower({ units: 40, rates, ...rule }),
    });
  });

  test('refuses equal rates and rates that add up to more than 1', () => {
    const wanted = { error: 0.025, power: 0.8 };
    expectRefusal(
      () => mcnemarUnits({ rates: { onlyCandidate: 0.2, onlyBaseline: 0.2 }, ...wanted }),
      'the distance of the rates must be a number above 0, got 0',
    );
    const rates = { onlyCandidate: 0.75, onlyBaseline: 0.5 };
    expectRefusal(
      () => tangoPower({ units: 5, rates, threshold: 0, error: 0.025 }),
      `rates.onlyCandidate + rates.onlyBaseline must be a number from 0 to ${1 + 1e-12}, got 1.25`,
    );
  });
});
