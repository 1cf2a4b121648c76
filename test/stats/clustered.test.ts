import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  clusterBootstrapBounds,
  clusterSignFlipTest,
  wildClusterTest,
} from '../../src/stats/cluster-resampling.ts';
import {
  clusterDesignEffect,
  clusteredMeanBounds,
  clusteredMeanInterval,
  clusteredTTest,
  clusterVariance,
  unitMeans,
  unitTotals,
} from '../../src/stats/clustered.ts';
import {
  clusteredMcnemar,
  clusteredRiskDifferenceBounds,
  clusteredRiskDifferenceInterval,
  effectiveTangoBounds,
} from '../../src/stats/clustered-binary.ts';
import { normalUpperQuantile, tUpperQuantile } from '../../src/stats/distribution.ts';
import { isIndeterminate } from '../../src/stats/interval.ts';
import { meanDifferenceInterval } from '../../src/stats/mean-difference.ts';
import { moments } from '../../src/stats/summary.ts';
import { type ReferenceMethod, referenceTests } from '../support/reference.ts';
import { computed, expectRefusal, orNull, testSeed } from '../support/statistics.ts';

const draws = { resamples: 999, seed: testSeed(7) };

interface RobustInput {
  readonly clusters: readonly (readonly number[])[];
  readonly confidence: number;
}

function meansFields({ clusters, confidence }: RobustInput): Record<string, unknown> {
  const means = unitMeans(clusters);
  const { mean, variance } = moments(means);
  const se = means.length < 2 ? null : Math.sqrt(variance / means.length);
  return { estimate: mean, se, ci: orNull(meanDifferenceInterval(means, confidence)) };
}

function robustFields(input: RobustInput): Record<string, unknown> {
  const { clusters, confidence } = input;
  const { estimate, cases } = unitTotals(clusters);
  const found = clusterVariance(clusters);
  const tested = clusteredTTest(clusters);
  const ciCr2 = orNull(clusteredMeanInterval(clusters, confidence));
  const counted = { K: clusters.length, N: cases, estimate, clusterMeans: meansFields(input) };
  const tests = isIndeterminate(tested)
    ? { tCr2: null, pCr2: null }
    : { tCr2: tested.t, pCr2: tested.pTwoSided };
  if (isIndeterminate(found)) {
    const none = { cr0: null, cr1: null, cr2: null, cr3: null, dfSatterthwaite: null };
    return { ...counted, ...none, ...tests, ciCr1: null, ciCr1Z: null, ciCr2 };
  }
  const error = (1 - confidence) / 2;
  const around = (critical: number) => {
    const half = critical * Math.sqrt(found.cr1);
    return found.cr1 === 0 ? null : { lower: estimate - half, upper: estimate + half };
  };
  const { cr0, cr1, cr2, cr3, df } = found;
  const ciCr1 = around(tUpperQuantile(error, clusters.length - 1));
  const ciCr1Z = around(normalUpperQuantile(error));
  return { ...counted, cr0, cr1, cr2, cr3, dfSatterthwaite: df, ...tests, ciCr1, ciCr1Z, ciCr2 };
}

const mcnemar: ReferenceMethod = {
  compute: (input) => {
    const found = clusteredMcnemar(input);
    const none = { statistic: null, p: null };
    return isIndeterminate(found)
      ? { obuchowski: none, durkalski: none, yang: none }
      : { ...found };
  },
};

function wild(weights: 'rademacher' | 'webb'): ReferenceMethod {
  return {
    compute: ({ clusters }) => {
      const { pTwoSided, resamples } = computed(wildClusterTest(clusters, { weights, ...draws }));
      expect(resamples).toBe('exact');
      return { pTwoSided };
    },
  };
}

describe('clustered methods', () => {
  referenceTests('clustered.json', {
    methods: {
      clusterRobust: { compute: robustFields },
      clusterSignFlip: {
        compute: ({ clusters }) => ({ ...computed(clusterSignFlipTest(clusters)) }),
      },
      clusterBootstrapExact: {
        compute: ({ clusters, confidence }) => {
          const found = clusterBootstrapBounds(clusters, { level: confidence, ...draws });
          if (!isIndeterminate(found)) return { ...found };
          // The file writes the law of equal cases as one point; the engine refuses an interval without width.
          expect(found.reason).toBe('constant-differences');
          const { estimate } = unitTotals(clusters);
          return { lower: estimate, upper: estimate };
        },
      },
      wildClusterRademacher: wild('rademacher'),
      wildClusterWebb: wild('webb'),
      clusteredMcNemar: mcnemar,
      publishedClusteredMcNemar: mcnemar,
      tangoEffectiveT: {
        compute: ({ clusters, confidence }) => {
          const { lower, upper, designEffect, effectiveCases, critical } = computed(
            clusteredRiskDifferenceBounds(clusters, (1 - confidence) / 2),
          );
          const n = { deff: designEffect, effectiveN: effectiveCases };
          return { ...n, criticalT: critical, lower, upper };
        },
      },
      tangoEffective: {
        compute: ({ clusters, confidence }) => {
          const { lower, upper, designEffect, effectiveCases } = computed(
            effectiveTangoBounds(clusters, (1 - confidence) / 2),
          );
          return { deff: designEffect, effectiveN: effectiveCases, lower, upper };
        },
      },
    },
    leftOutMethods: [],
  });
});

const settings = { seed: 20260906, numRuns: 200 };
const binaryUnits = fc.array(
  fc.array(fc.integer({ min: -1, max: 1 }), { minLength: 1, maxLength: 6 }),
  { minLength: 2, maxLength: 9 },
);

const mirrored = (units: readonly (readonly number[])[]) =>
  units.map((unit) => unit.map((value) => 0 - value));

describe('clustered mean', () => {
  test('of units with one case each is the t interval', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: -50, max: 50 }), { minLength: 2, maxLength: 30 }),
        (differences) => {
          fc.pre(new Set(differences).size > 1);
          const single = differences.map((value) => [value]);
          const found = computed(clusteredMeanInterval(single, 0.9));
          const plain = computed(meanDifferenceInterval(differences, 0.9));
          expect(found.lower).toBeCloseTo(plain.lower, 9);
          expect(found.upper).toBeCloseTo(plain.upper, 9);
          expect(found).toMatchObject({ method: 'cr2', guarantee: 'asymptotic', level: 0.9 });
        },
      ),
      settings,
    );
  });

  test('Satterthwaite degrees are the double sum over units, written out', () => {
    fc.assert(
      fc.property(binaryUnits, (units) => {
        const { df, cases } = computed(clusterVariance(units));
        const sizes = units.map((unit) => unit.length);
        let squares = 0;
        for (const [i, m] of sizes.entries()) {
          for (const [j, k] of sizes.entries()) {
            const q = (i === j ? m : 0) - (m * k) / cases;
            squares += (q * q) / ((1 - m / cases) * (1 - k / cases));
          }
        }
        expect(df).toBeCloseTo((cases * cases) / squares, 9);
        expect(df).toBeLessThanOrEqual(units.length - 1 + 1e-9);
      }),
      settings,
    );
  });

  test('doubling every case of every unit narrows nothing', () => {
    fc.assert(
      fc.property(binaryUnits, (units) => {
        const doubled = units.map((unit) => [...unit, ...unit]);
        const found = clusteredMeanBounds(units, 0.025);
        const again = clusteredMeanBounds(doubled, 0.025);
        if (isIndeterminate(found)) {
          expect(again).toEqual(found);
          return;
        }
        expect(computed(again).lower).toBeCloseTo(found.lower, 9);
        expect(computed(again).upper).toBeCloseTo(found.upper, 9);
      }),
      settings,
    );
  });

  test.each([
    ['no unit', [], 'no-units'],
    ['one unit', [[1, 0, 1]], 'too-few-units'],
    ['no discordance', [[0, 0], [0]], 'constant-differences'],
    ['equal decimals', [[0.1, 0.1], [0.1], [0.1, 0.1, 0.1]], 'constant-differences'],
  ])('%s gives no interval, no test and no design effect', (_, units, reason) => {
    const none = { status: 'indeterminate', reason };
    expect(clusteredMeanInterval(units, 0.95)).toEqual(none);
    expect(clusteredTTest(units)).toEqual(none);
    expect(clusterDesignEffect(units)).toEqual(none);
    expect(clusterBootstrapBounds(units, { level: 0.95, ...draws })).toEqual(none);
  });

  test('refuses an empty unit and a value that is not finite, naming the place', () => {
    expectRefusal(
      () => clusterVariance([[1], []]),
      'units[1].length must be a whole number of at least 1, got 0',
    );
    expectRefusal(
      () => unitTotals([[1], [0, Number.NaN]]),
      'units[1][1] must be a finite number, got NaN',
    );
  });

  test('reports the largest unit’s share of the cases', () => {
    expect(computed(clusterVariance([[1, 0, 0], [1]])).largestShare).toBe(0.75);
  });
});

describe('clusteredRiskDifferenceInterval', () => {
  test('has width, holds the estimate, mirrors with the arms and widens with the level', () => {
    fc.assert(
      fc.property(binaryUnits, (units) => {
        const { estimate } = unitTotals(units);
        const found = computed(clusteredRiskDifferenceInterval(units, 0.9));
        const swapped = computed(clusteredRiskDifferenceInterval(mirrored(units), 0.9));
        const wider = computed(clusteredRiskDifferenceInterval(units, 0.95));
        expect(found.lower).toBeLessThan(found.upper);
        expect(found.lower).toBeLessThanOrEqual(estimate + 1e-12);
        expect(found.upper).toBeGreaterThanOrEqual(estimate - 1e-12);
        expect(swapped.lower).toBeCloseTo(-found.upper, 12);
        expect(wider.lower).toBeLessThanOrEqual(found.lower);
        expect(wider.upper).toBeGreaterThanOrEqual(found.upper);
        expect(found).toMatchObject({ method: 'tango-effective-n', guarantee: 'asymptotic' });
      }),
      settings,
    );
  });

  test('without discordance the effective cases are the units', () => {
    const found = computed(clusteredRiskDifferenceBounds([[0, 0, 0], [0], [0, 0], [0]], 0.025));
    expect(found.effectiveCases).toBe(4);
    expect(found.upper).toBeCloseTo(-found.lower, 14);
  });

  test('refuses what is not a gain, a loss or a tie', () => {
    expectRefusal(
      () => clusteredRiskDifferenceBounds([[0.5], [1]], 0.025),
      '1 + units[0][0] must be a whole number of at least 0, got 1.5',
    );
    expectRefusal(
      () => effectiveTangoBounds([[2], [1]], 0.025),
      'units[0][0] must be a number from -1 to 1, got 2',
    );
    expect(clusteredRiskDifferenceBounds([], 0.025)).toMatchObject({ reason: 'no-units' });
    expect(clusteredRiskDifferenceBounds([[1]], 0.025)).toMatchObject({ reason: 'too-few-units' });
  });
});

describe('clusteredMcnemar', () => {
  test('says when there is nothing to test and refuses impossible counts', () => {
    expect(clusteredMcnemar({ gains: [], losses: [], sizes: [] })).toMatchObject({
      reason: 'no-units',
    });
    expect(clusteredMcnemar({ gains: [1], losses: [0], sizes: [1] })).toMatchObject({
      reason: 'too-few-units',
    });
    expect(clusteredMcnemar({ gains: [1, 0], losses: [1, 0], sizes: [2, 1] })).toMatchObject({
      reason: 'constant-differences',
    });
    expectRefusal(
      () => clusteredMcnemar({ gains: [2, 0], losses: [1, 0], sizes: [2, 1] }),
      'sizes[0] - gains[0] - losses[0] must be a whole number of at least 0, got -1',
    );
    expectRefusal(
      () => clusteredMcnemar({ gains: [1], losses: [0, 0], sizes: [2, 1] }),
      'gains must be a list of 2 values, got 1',
    );
  });
});

describe('resampling of units', () => {
  const many = Array.from({ length: 24 }, (_, index) =>
    Array.from({ length: 1 + (index % 3) }, (__, at) => Math.sin(3 * index + at) + 0.2),
  );

  test('draws beyond what can be counted repeat for a seed and lie near CR2', () => {
    const found = computed(clusterBootstrapBounds(many, { level: 0.95, ...draws }));
    const cr2 = computed(clusteredMeanInterval(many, 0.95));
    expect(found.resamples).toBe(999);
    expect(clusterBootstrapBounds(many, { level: 0.95, ...draws })).toEqual(found);
    expect(Math.abs(found.lower - cr2.lower)).toBeLessThan(0.15);
    expect(Math.abs(found.upper - cr2.upper)).toBeLessThan(0.15);
  });

  test('the drawn wild test is near the CR2 test and never 0', () => {
    for (const weights of ['rademacher', 'webb'] as const) {
      const found = computed(wildClusterTest(many, { weights, ...draws }));
      expect(found.resamples).toBe(999);
      expect(Math.abs(found.pTwoSided - computed(clusteredTTest(many)).pTwoSided)).toBeLessThan(
        0.06,
      );
      const certain = many.map((unit, index) => unit.map(() => 1 + index / 100));
      expect(computed(wildClusterTest(certain, { weights, ...draws })).pTwoSided).toBeGreaterThan(
        0,
      );
    }
  });

  test('an observed table without spread is tested by its exceeding vectors, all zeros not at all', () => {
    const allGain = [[1, 1], [1], [1, 1, 1]];
    const found = computed(wildClusterTest(allGain, { weights: 'rademacher', ...draws }));
    expect(found.pTwoSided).toBe(0.25);
    expect(wildClusterTest([[0], [0, 0]], { weights: 'webb', ...draws })).toMatchObject({
      reason: 'constant-differences',
    });
    expect(wildClusterTest([[1]], { weights: 'webb', ...draws })).toMatchObject({
      reason: 'too-few-units',
    });
  });
});
