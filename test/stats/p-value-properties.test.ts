/**
 * No test gives a p below the least it can attain, and a test and its interval give one answer at the margin: a hypothesis is
 * refused at an error exactly where the bound at that error leaves it out.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { clusterSignFlipTest, wildClusterTest } from '../../src/stats/cluster-resampling.ts';
import { clusteredMeanBounds, clusteredTTest } from '../../src/stats/clustered.ts';
import { binomialUpper, normalUpperQuantile } from '../../src/stats/distribution.ts';
import { type Bounds, type Indeterminate, isIndeterminate } from '../../src/stats/interval.ts';
import { maxTAdjust, maxTLowerBounds } from '../../src/stats/max-t.ts';
import { meanDifferenceBounds } from '../../src/stats/mean-difference.ts';
import {
  mcnemarExact,
  type PairedCounts,
  pairedRiskDifferenceBounds,
  tangoStatistic,
} from '../../src/stats/paired-binary.ts';
import {
  exactUnconditionalClears,
  exactUnconditionalLower,
} from '../../src/stats/paired-binary-exact.ts';
import { conditionalExactInterval } from '../../src/stats/paired-binary-intervals.ts';
import { mcnemarMidP, pairedNoninferiorityTest } from '../../src/stats/paired-binary-tests.ts';
import {
  clopperPearsonLower,
  clopperPearsonUpper,
  wilsonInterval,
} from '../../src/stats/proportion.ts';
import { signedRankTest, signTest } from '../../src/stats/rank.ts';
import { signFlipInterval, signFlipMonteCarlo, signFlipTest } from '../../src/stats/sign-flip.ts';
import { equivalenceTest, pairedTTest } from '../../src/stats/t-test.ts';
import { computed, testSeed } from '../support/statistics.ts';

const settings = { seed: 20261130, numRuns: 40 };
const draws = { seed: testSeed(21), resamples: 199 };

interface Tails {
  readonly pTwoSided: number;
  readonly pGreater?: number;
  readonly pLess?: number;
}

const differences = fc.array(fc.integer({ min: -20, max: 20 }), { minLength: 1, maxLength: 14 });
const units = fc.array(fc.array(fc.integer({ min: -9, max: 9 }), { minLength: 1, maxLength: 3 }), {
  minLength: 2,
  maxLength: 6,
});
const nonZero = (values: readonly number[]): number => values.filter((value) => value !== 0).length;
const totals = (evidence: readonly (readonly number[])[]): number[] =>
  evidence.map((unit) => unit.reduce((sum, value) => sum + value, 0));

/** A test of one list with the least one-sided p its evidence can give. */
const ofLists: Readonly<
  Record<string, readonly [(list: number[]) => Tails | Indeterminate, (list: number[]) => number]>
> = {
  'sign-flip': [signFlipTest, (list) => 2 ** -nonZero(list)],
  'sign-flip, drawn': [(list) => signFlipMonteCarlo(list, draws), () => 1 / 200],
  'sign test': [signTest, (list) => 2 ** -nonZero(list)],
  'signed-rank': [(list) => signedRankTest(list, 'wilcoxon'), (list) => 2 ** -nonZero(list)],
  'signed-rank, Pratt': [(list) => signedRankTest(list, 'pratt'), (list) => 2 ** -nonZero(list)],
};

function expectFloor(found: Tails | Indeterminate, floor: number): void {
  if (isIndeterminate(found)) return;
  const { pTwoSided, pGreater = 1, pLess = 1 } = found;
  expect(Math.min(pGreater, pLess)).toBeGreaterThanOrEqual(floor * (1 - 1e-12));
  expect(pTwoSided).toBeGreaterThanOrEqual(Math.min(1, 2 * floor) * (1 - 1e-12));
  for (const p of [pTwoSided, pGreater, pLess]) expect(p).toBeLessThanOrEqual(1);
}

describe('no p is below the least it can attain', () => {
  test.each(Object.entries(ofLists))('%s', (_, [tested, floor]) => {
    fc.assert(
      fc.property(differences, (list) => {
        expectFloor(tested(list), floor(list));
      }),
      settings,
    );
  });

  test.each([4, 7, 12])('with %i gains and nothing else every exact test attains it', (count) => {
    const list = Array.from({ length: count }, (_, at) => at + 1);
    const floor = 2 ** -count;
    const gains = { onlyCandidate: count, onlyBaseline: 0 };
    for (const { pGreater } of [
      computed(signFlipTest(list)),
      signTest(list),
      computed(signedRankTest(list, 'wilcoxon')),
      computed(signedRankTest(list, 'pratt')),
      mcnemarExact(gains),
    ]) {
      expect(pGreater / floor).toBeCloseTo(1, 12);
    }
    expect(mcnemarMidP(gains).pGreater / floor).toBeCloseTo(0.5, 12);
  });

  test('McNemar: 2 to the minus discordant pairs, half of it for mid-p', () => {
    fc.assert(
      fc.property(fc.nat(40), fc.nat(40), (onlyCandidate, onlyBaseline) => {
        const floor = 2 ** -(onlyCandidate + onlyBaseline);
        expectFloor(mcnemarExact({ onlyCandidate, onlyBaseline }), floor);
        const { pGreater } = mcnemarMidP({ onlyCandidate, onlyBaseline });
        expect(pGreater).toBeGreaterThanOrEqual((floor / 2) * (1 - 1e-12));
      }),
      settings,
    );
  });

  test('over units: 2 to the minus units, whatever the cases', () => {
    fc.assert(
      fc.property(units, (evidence) => {
        expectFloor(clusterSignFlipTest(evidence), 2 ** -nonZero(totals(evidence)));
      }),
      settings,
    );
  });

  test.each([
    ['rademacher', 2],
    ['webb', 6],
  ] as const)('wild cluster with %s weights: two of all vectors of weights', (weights, values) => {
    fc.assert(
      fc.property(units, (evidence) => {
        const wild = wildClusterTest(evidence, { ...draws, weights });
        if (isIndeterminate(wild)) return;
        expect(wild.resamples).toBe('exact');
        const least = 2 / values ** evidence.length;
        expect(wild.pTwoSided).toBeGreaterThanOrEqual(least * (1 - 1e-12));
      }),
      settings,
    );
  });

  test('max-T: one more than the resamples', () => {
    fc.assert(
      fc.property(units, (evidence) => {
        const adjusted = maxTAdjust([totals(evidence), totals(evidence).reverse()], draws);
        if (isIndeterminate(adjusted)) return;
        for (const each of adjusted) expect(each.adjusted).toBeGreaterThanOrEqual(1 / 200);
      }),
      settings,
    );
  });
});

const cell = fc.nat({ max: 25 });
const tables: fc.Arbitrary<PairedCounts> = fc
  .record({ both: cell, onlyCandidate: cell, onlyBaseline: cell, neither: cell })
  .filter((table) => Object.values(table).some((count) => count > 0));
const errors = [0.005, 0.025, 0.05, 0.2];

/** On both sides of a lower bound by a little, where the sides must differ, and further off. */
function around(bound: number, reach: number): number[] {
  return [bound - reach, bound - reach / 1000, bound + reach / 1000, bound + reach];
}

describe('a test and its bound agree at the margin', () => {
  test('Tango: the noninferiority p reaches the error where the bound clears the margin', () => {
    fc.assert(
      fc.property(tables, (table) => {
        for (const error of errors) {
          const { lower } = computed(pairedRiskDifferenceBounds(table, error));
          for (const margin of around(-lower, 1e-4).filter((each) => each >= 0 && each <= 1)) {
            const { pValue } = computed(pairedNoninferiorityTest(table, margin));
            expect(pValue <= error).toBe(lower > -margin);
          }
          const z = normalUpperQuantile(error);
          for (const at of around(lower, 1e-4).filter((each) => Math.abs(each) <= 1)) {
            expect(computed(tangoStatistic(table, at)) > z).toBe(at < lower);
          }
        }
      }),
      settings,
    );
  });

  test('exact unconditional: clears every threshold below its bound and none from it on', () => {
    const few = fc.nat({ max: 6 });
    const small = fc
      .record({ both: few, onlyCandidate: few, onlyBaseline: few, neither: few })
      .filter((table) => Object.values(table).some((count) => count > 0));
    fc.assert(
      fc.property(small, (table) => {
        const lower = computed(exactUnconditionalLower(table, 0.025));
        for (const threshold of [lower - 0.01, lower - 1e-7, lower, lower + 0.01]) {
          if (Math.abs(threshold) > 1) continue;
          const clears = exactUnconditionalClears(table, { error: 0.025, threshold });
          expect(clears).toBe(lower > threshold);
        }
      }),
      { ...settings, numRuns: 15 },
    );
  });

  test('McNemar exact: refused at 0 where the conditional interval leaves 0 out', () => {
    fc.assert(
      fc.property(tables, (table) => {
        for (const error of errors) {
          const found = conditionalExactInterval(table, 1 - 2 * error);
          if (isIndeterminate(found)) continue;
          const { pGreater, pLess } = mcnemarExact(table);
          expect(pGreater <= error).toBe(found.lower > -1e-12 && found.lower !== 0);
          expect(pLess <= error).toBe(found.upper < 1e-12 && found.upper !== 0);
        }
      }),
      settings,
    );
  });

  test('Clopper-Pearson: the binomial tail is the error at the bound', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 60 }), fc.nat(60), (trials, at) => {
        const successes = Math.min(trials, at);
        const counts = { successes, units: trials };
        for (const error of errors) {
          const lower = computed(clopperPearsonLower(counts, error));
          const upper = computed(clopperPearsonUpper(counts, error));
          if (successes > 0) {
            const tail = binomialUpper(successes - 1, { trials, probability: lower });
            expect(tail / error).toBeCloseTo(1, 9);
          } else expect(lower).toBe(0);
          if (successes < trials) {
            const tail = 1 - binomialUpper(successes, { trials, probability: upper });
            expect(tail / error).toBeCloseTo(1, 7);
          } else expect(upper).toBe(1);
        }
      }),
      settings,
    );
  });

  test('Wilson: the score of its ends is the critical value', () => {
    for (let count = 1; count < 30; count += 1) {
      const { lower, upper } = computed(wilsonInterval({ successes: count, units: 30 }, 0.95));
      const score = (rate: number): number =>
        (count / 30 - rate) / Math.sqrt((rate * (1 - rate)) / 30);
      expect(score(lower)).toBeCloseTo(normalUpperQuantile(0.025), 10);
      expect(score(upper)).toBeCloseTo(-normalUpperQuantile(0.025), 10);
    }
  });

  /** Bounds by error, and the one-sided p of a mean difference. */
  const byMean: Readonly<
    Record<
      string,
      readonly [
        bounds: (list: number[], error: number) => Bounds | Indeterminate,
        pGreater: (list: number[], mean: number) => number | Indeterminate,
      ]
    >
  > = {
    t: [
      meanDifferenceBounds,
      (list, hypothesis) => {
        const found = pairedTTest(list, { hypothesis, level: 0.9 });
        return isIndeterminate(found) ? found : found.pGreater;
      },
    ],
    'two one-sided tests': [
      (list, error) => {
        const found = equivalenceTest(list, { margins: { lower: -1, upper: 1 }, error });
        return isIndeterminate(found) ? found : found.bounds;
      },
      (list, lower) => {
        const found = equivalenceTest(list, { margins: { lower, upper: 1e6 }, error: 0.05 });
        return isIndeterminate(found) ? found : found.pLower;
      },
    ],
    'sign-flip': [
      (list, error) => signFlipInterval(list, 1 - 2 * error),
      (list, mean) => {
        const found = signFlipTest(list.map((value) => value - mean));
        return isIndeterminate(found) ? found : found.pGreater;
      },
    ],
  };

  test.each(Object.entries(byMean))(
    '%s: refused below the bound, kept above it',
    (_, [bounds, pGreater]) => {
      fc.assert(
        fc.property(
          fc.uniqueArray(fc.integer({ min: -50, max: 50 }), { minLength: 3, maxLength: 9 }),
          (list) => {
            for (const error of [0.025, 0.1, 0.2]) {
              const found = bounds(list, error);
              if (isIndeterminate(found)) continue;
              for (const at of around(found.lower, 0.125)) {
                expect(computed(pGreater(list, at)) <= error).toBe(at < found.lower);
              }
            }
          },
        ),
        settings,
      );
    },
  );

  test('cases within units: the two-sided p at 0 reaches twice the error where a bound leaves 0 out', () => {
    fc.assert(
      fc.property(units, (evidence) => {
        const found = clusteredTTest(evidence);
        if (isIndeterminate(found)) return;
        for (const error of errors) {
          const { lower, upper } = computed(clusteredMeanBounds(evidence, error));
          expect(found.pTwoSided < 2 * error).toBe(lower > 0 || upper < 0);
        }
      }),
      settings,
    );
  });

  test('max-T: a candidate whose lower bound is above 0 has an adjusted p within the error', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: -9, max: 14 }), { minLength: 8, maxLength: 20 }),
        (list) => {
          const candidates = [list, [...list].reverse().map((value) => value - 3)];
          const lower = maxTLowerBounds(candidates, { ...draws, error: 0.1 });
          const adjusted = maxTAdjust(candidates, draws);
          if (isIndeterminate(lower) || isIndeterminate(adjusted)) return;
          lower.forEach((bound, at) => {
            if (bound > 0) expect(adjusted[at]?.adjusted).toBeLessThanOrEqual(0.1 + 1 / 200);
          });
        },
      ),
      settings,
    );
  });
});
