import { describe, expect, test } from 'vitest';
import {
  clusteredMcnemar,
  clusteredRiskDifferenceBounds,
  clusteredRiskDifferenceInterval,
  effectiveTangoBounds,
} from '../../src/stats/clustered-binary.ts';
import { tUpperQuantile } from '../../src/stats/distribution.ts';
import { errorPerSide } from '../../src/stats/interval.ts';
import { computed, expectRefusal } from '../support/statistics.ts';

const units = [
  [1, 0, 0, 0],
  [0, 0, 0, 0],
  [1, 1, 1, 1],
  [1, 0, 0, 0],
  [0, 1, 1, 0],
];
const indeterminate = (reason: string) => ({ status: 'indeterminate', reason });
const half = 'error must be a one-sided error strictly between 0 and 0.5, got 0.5';

describe('clusteredRiskDifferenceBounds', () => {
  test('units that agree as cases do cost nothing: the design effect is at least 1', () => {
    // All but one unit have one gain of two: they differ less than independent cases would.
    const even = [
      [1, 0],
      [0, 1],
      [1, 0],
      [0, 1],
      [1, 0],
      [1, 0],
      [0, 0],
    ];
    const found = computed(clusteredRiskDifferenceBounds(even, 0.025));
    expect(found.designEffect).toBe(1);
    expect(found.effectiveCases).toBe(14);
    expect(found.critical).toBe(tUpperQuantile(0.025, 6));
    expect(computed(effectiveTangoBounds(even, 0.025)).designEffect).toBeLessThan(0.5);
  });

  test('units without any spread between them count once each, and have no plain design effect', () => {
    const same = [
      [1, 0],
      [0, 1],
      [1, 0],
    ];
    expect(computed(clusteredRiskDifferenceBounds(same, 0.025)).effectiveCases).toBe(3);
    expect(effectiveTangoBounds(same, 0.025)).toEqual(indeterminate('constant-differences'));
  });

  test('without a discordant pair the effective cases are the units', () => {
    const found = computed(clusteredRiskDifferenceBounds([[0, 0, 0], [0], [0, 0]], 0.05));
    expect(found.designEffect).toBe(2);
    expect(found.effectiveCases).toBe(3);
    expect(found.upper).toBe(0 - found.lower);
  });

  test('the interval spends half of its error on each side', () => {
    const { lower, upper } = computed(clusteredRiskDifferenceBounds(units, errorPerSide(0.9)));
    expect(clusteredRiskDifferenceInterval(units, 0.9)).toEqual({
      lower,
      upper,
      level: 0.9,
      method: 'tango-effective-n',
      guarantee: 'asymptotic',
    });
  });

  test('has none below two units and refuses by name', () => {
    for (const bounds of [clusteredRiskDifferenceBounds, effectiveTangoBounds]) {
      expect(bounds([], 0.05)).toEqual(indeterminate('no-units'));
      expect(bounds([[1, 0]], 0.05)).toEqual(indeterminate('too-few-units'));
      expectRefusal(() => bounds(units, 0.5), half);
      expectRefusal(
        () => bounds([[1], [0.5]], 0.05),
        '1 + units[1][0] must be a whole number of at least 0, got 1.5',
      );
      expectRefusal(
        () => bounds([[1], [0, 2]], 0.05),
        'units[1][1] must be a number from -1 to 1, got 2',
      );
    }
    expect(clusteredRiskDifferenceInterval([], 0.9)).toEqual(indeterminate('no-units'));
    expectRefusal(
      () => clusteredRiskDifferenceInterval(units, 1),
      'level must be a probability strictly between 0 and 1, got 1',
    );
  });
});

describe('clusteredMcnemar', () => {
  test('with one case per unit Obuchowski’s statistic is McNemar’s times (K − 1)/K', () => {
    // Seven gains and two losses of ten units: (7 − 2)² / 9 × 9 / 10.
    const counts = {
      gains: [1, 1, 1, 1, 1, 1, 1, 0, 0, 0],
      losses: [0, 0, 0, 0, 0, 0, 0, 1, 1, 0],
      sizes: new Array<number>(10).fill(1),
    };
    const found = computed(clusteredMcnemar(counts));
    expect(found.obuchowski.statistic).toBeCloseTo(2.5, 12);
    expect(found.durkalski.statistic).toBeCloseTo(25 / 9, 12);
    // Yang: the mean of Σ(s − 1/2)² and Σ s², which are 6.5 and 9.
    expect(found.yang.statistic).toBeCloseTo((0.9 * 25) / 7.75, 12);
    // P(χ² > 2.5) with one degree of freedom.
    expect(found.obuchowski.p).toBeCloseTo(0.11384629800665769, 12);
  });

  test('two units are enough, one is not', () => {
    expect(clusteredMcnemar({ gains: [2, 0], losses: [0, 0], sizes: [2, 1] })).toHaveProperty(
      'yang',
    );
    expect(clusteredMcnemar({ gains: [2], losses: [0], sizes: [2] })).toEqual(
      indeterminate('too-few-units'),
    );
    expect(clusteredMcnemar({ gains: [], losses: [], sizes: [] })).toEqual(
      indeterminate('no-units'),
    );
    expect(clusteredMcnemar({ gains: [1, 0], losses: [1, 0], sizes: [2, 1] })).toEqual(
      indeterminate('constant-differences'),
    );
  });

  test('refuses counts that cannot be, by name', () => {
    const rows = [
      [{ gains: [1] }, 'gains must be a list of 2 values, got 1'],
      [{ losses: [1, 0, 0] }, 'losses must be a list of 2 values, got 3'],
      [{ sizes: [2, 0] }, 'sizes[1] must be a whole number of at least 1, got 0'],
      [{ gains: [-1, 0] }, 'gains[0] must be a whole number of at least 0, got -1'],
      [{ gains: [0, 0.5] }, 'gains[1] must be a whole number of at least 0, got 0.5'],
      [{ losses: [0, -1] }, 'losses[1] must be a whole number of at least 0, got -1'],
      [
        { gains: [2, 0], losses: [1, 0] },
        'sizes[0] - gains[0] - losses[0] must be a whole number of at least 0, got -1',
      ],
    ] as const;
    for (const [changes, text] of rows) {
      const counts = { gains: [0, 0], losses: [0, 0], sizes: [2, 1], ...changes };
      expectRefusal(() => clusteredMcnemar(counts), text);
    }
  });
});
