import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  armStandardizedDifference,
  cliffsDelta,
  pairedDominance,
  pairedOddsRatio,
  standardizedDifference,
} from '../../src/stats/effect-size.ts';
import { type Indeterminate, isIndeterminate } from '../../src/stats/interval.ts';
import { moments } from '../../src/stats/summary.ts';
import {
  equivalenceTest,
  pairedTTest,
  pooledTTest,
  type TTest,
  type TwoArms,
  welchTTest,
} from '../../src/stats/t-test.ts';
import { referenceTests } from '../support/reference.ts';
import { computed, expectRefusal, orNull } from '../support/statistics.ts';

/** The file's words for why a test does not exist. */
const degenerateWords: Readonly<Record<string, string>> = {
  'too-few-units': 'n<2',
  'constant-differences': 'zero-variance',
  'constant-values': 'zero-variance',
};

const refusedTest = { se: null, t: null, df: null, pGreater: null, pLess: null, pTwoSided: null };

function testFields(found: TTest | Indeterminate): Record<string, unknown> {
  if (isIndeterminate(found)) {
    return { ...refusedTest, ci: null, degenerate: degenerateWords[found.reason] };
  }
  const { estimate, standardError, t, df, pGreater, pLess, pTwoSided, interval } = found;
  const p = { pGreater, pLess, pTwoSided };
  return { estimate, se: standardError, t, df, ...p, ci: interval, degenerate: null };
}

function differencesOf({ baseline, candidate }: TwoArms): number[] {
  return candidate.map((value, index) => value - (baseline[index] ?? 0));
}

interface PairedInput extends TwoArms {
  readonly mu0: number;
  readonly confidence: number;
}

function pairedFields(input: PairedInput): Record<string, unknown> {
  const differences = differencesOf(input);
  const n = differences.length;
  const { mean, variance } = moments(differences);
  const fields = testFields(
    pairedTTest(differences, { hypothesis: input.mu0, level: input.confidence }),
  );
  const spread = n < 2 ? null : Math.sqrt(variance);
  const described = { estimate: mean, n, df: n - 1, sd: spread };
  return { ...fields, ...described, se: fields['se'] ?? spread };
}

function twoArmFields(arms: TwoArms, found: TTest | Indeterminate): Record<string, unknown> {
  const estimate = moments(arms.candidate).mean - moments(arms.baseline).mean;
  return { estimate, ...testFields(found) };
}

function effectFields(input: PairedInput): Record<string, unknown> {
  const differences = differencesOf(input);
  const found = standardizedDifference(differences, input.confidence);
  const arms = armStandardizedDifference(input);
  const size = isIndeterminate(found)
    ? { dz: null, J: null, gz: null, dzCi: null }
    : {
        dz: found.dz,
        J: orNull(found.correction),
        gz: orNull(found.hedgesG),
        dzCi: found.interval,
      };
  return {
    ...size,
    cliffsDelta: orNull(cliffsDelta(input)),
    pairedDominance: orNull(pairedDominance(differences)),
    dAv: isIndeterminate(arms) ? null : arms.byAverageDeviation,
    dPooled: isIndeterminate(arms) ? null : arms.byPooledDeviation,
  };
}

describe('t tests and effect sizes', () => {
  referenceTests('t-and-effects.json', {
    methods: {
      pairedT: { compute: pairedFields },
      effects: { compute: effectFields },
      welchT: { compute: (input) => twoArmFields(input, welchTTest(input, input.confidence)) },
      pooledT: { compute: (input) => twoArmFields(input, pooledTTest(input, input.confidence)) },
      tost: {
        compute: ({ differences, lowMargin, highMargin, alpha }) => {
          const margins = { lower: lowMargin, upper: highMargin };
          const found = equivalenceTest(differences, { margins, error: alpha });
          if (isIndeterminate(found)) {
            const degenerate = degenerateWords[found.reason];
            return { pLower: null, pUpper: null, pTost: null, equivalent: null, degenerate };
          }
          const { estimate, standardError, pLower, pUpper, p, equivalent, bounds } = found;
          const tested = { pLower, pUpper, pTost: p, equivalent };
          return { estimate, se: standardError, ...tested, ci: bounds, degenerate: null };
        },
      },
      pairedOddsRatio: {
        compute: ({ b, c, confidence }) => {
          const found = pairedOddsRatio({ onlyCandidate: b, onlyBaseline: c }, confidence);
          if (isIndeterminate(found)) return { oddsRatio: null, exact: null, logWald: null };
          return { ...found, logWald: orNull(found.logWald) };
        },
      },
    },
    leftOutMethods: [],
  });
});

const settings = { seed: 20260905, numRuns: 100 };
const values = fc.array(fc.integer({ min: -50, max: 50 }), { minLength: 3, maxLength: 25 });

describe('t tests', () => {
  test('interval and two-sided test agree at the hypothesis', () => {
    fc.assert(
      fc.property(values, fc.integer({ min: -20, max: 20 }), (differences, hypothesis) => {
        fc.pre(new Set(differences).size > 1);
        const { interval, pTwoSided, pGreater, pLess } = computed(
          pairedTTest(differences, { hypothesis, level: 0.9 }),
        );
        const inside = interval.lower < hypothesis && hypothesis < interval.upper;
        expect(pTwoSided > 0.1).toBe(inside);
        expect(pGreater + pLess).toBeCloseTo(1, 12);
      }),
      settings,
    );
  });

  test('swapping independent arms flips the sign; equal sizes and variances make Welch pooled', () => {
    fc.assert(
      fc.property(values, values, (baseline, candidate) => {
        fc.pre(new Set(baseline).size > 1);
        const found = computed(welchTTest({ baseline, candidate }, 0.9));
        const swapped = computed(welchTTest({ baseline: candidate, candidate: baseline }, 0.9));
        expect(swapped.t).toBeCloseTo(-found.t, 12);
        expect(swapped.pGreater).toBeCloseTo(found.pLess, 12);
        const shifted = baseline.map((value) => value + 2);
        const twins = { baseline, candidate: shifted };
        const welch = computed(welchTTest(twins, 0.9));
        const pooled = computed(pooledTTest(twins, 0.9));
        expect(welch.t).toBeCloseTo(pooled.t, 10);
        expect(welch.df).toBeCloseTo(pooled.df, 8);
      }),
      settings,
    );
  });

  test('an empty arm, a single value and a spread no double can hold are named', () => {
    const cases: readonly (readonly [TwoArms, string])[] = [
      [{ baseline: [], candidate: [1] }, 'no-units'],
      [{ baseline: [1], candidate: [1, 2] }, 'too-few-units'],
      [{ baseline: [1, 1], candidate: [2, 2] }, 'constant-values'],
      [{ baseline: [1e200, -1e200], candidate: [1, 2] }, 'spread-too-large'],
    ];
    for (const [arms, reason] of cases) {
      expect(welchTTest(arms, 0.95)).toEqual({ status: 'indeterminate', reason });
      expect(pooledTTest(arms, 0.95)).toEqual({ status: 'indeterminate', reason });
    }
  });

  test('refuses what is outside its range', () => {
    expectRefusal(
      () => equivalenceTest([1, 2], { margins: { lower: 1, upper: 1 }, error: 0.05 }),
      'margins.upper must be a number above 1, got 1',
    );
    expectRefusal(
      () => welchTTest({ baseline: [1, Number.NaN], candidate: [] }, 0.95),
      'baseline[1] must be a finite number, got NaN',
    );
    expectRefusal(
      () => armStandardizedDifference({ baseline: [1, 2], candidate: [1] }),
      'candidate must be a list of 2 values, got 1',
    );
  });
});

describe('effect sizes', () => {
  test('follow the arms and ignore the scale', () => {
    fc.assert(
      fc.property(values, (differences) => {
        fc.pre(new Set(differences).size > 1);
        const found = computed(standardizedDifference(differences, 0.9));
        const scaled = computed(
          standardizedDifference(
            differences.map((value) => -3 * value),
            0.9,
          ),
        );
        expect(scaled.dz).toBeCloseTo(-found.dz, 10);
        expect(scaled.interval.lower).toBeCloseTo(-found.interval.upper, 8);
        expect(found.interval.lower).toBeLessThan(found.dz);
        expect(found.interval.upper).toBeGreaterThan(found.dz);
      }),
      { ...settings, numRuns: 20 },
    );
  });

  test("Cliff's delta counts every cross pair", () => {
    fc.assert(
      fc.property(values, values, (baseline, candidate) => {
        const surplus = candidate.flatMap((value) =>
          baseline.map((other): number => Math.sign(value - other)),
        );
        const slow = surplus.reduce((total, sign) => total + sign, 0) / surplus.length;
        expect(computed(cliffsDelta({ baseline, candidate }))).toBeCloseTo(slow, 12);
      }),
      settings,
    );
  });

  test('are undefined, with the reason, where nothing can be said', () => {
    const none = (reason: string): Indeterminate => ({ status: 'indeterminate', reason });
    expect(standardizedDifference([0.5, 0.5], 0.95)).toEqual(none('constant-differences'));
    expect(standardizedDifference([1], 0.95)).toEqual(none('too-few-units'));
    expect(cliffsDelta({ baseline: [], candidate: [1] })).toEqual(none('no-units'));
    expect(pairedDominance([])).toEqual(none('no-units'));
    expect(armStandardizedDifference({ baseline: [], candidate: [] })).toEqual(none('no-units'));
    expect(pairedOddsRatio({ onlyCandidate: 0, onlyBaseline: 0 }, 0.95)).toEqual(
      none('no-discordant-pairs'),
    );
    expect(computed(pairedOddsRatio({ onlyCandidate: 0, onlyBaseline: 2 }, 0.95)).logWald).toEqual(
      none('no-gains'),
    );
  });

  test('the exact odds of 1,000 gains and no loss keep their digits', () => {
    const { exact } = computed(pairedOddsRatio({ onlyCandidate: 1000, onlyBaseline: 0 }, 0.95));
    // p = 0.025^(1/1000), so the odds are 1 / (0.025^(−1/1000) − 1).
    expect(exact.lower * (0.025 ** (-1 / 1000) - 1)).toBeCloseTo(1, 11);
    expect(exact.upper).toBe(Number.POSITIVE_INFINITY);
  });
});
