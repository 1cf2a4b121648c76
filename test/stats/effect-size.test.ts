import { describe, expect, test } from 'vitest';
import {
  armStandardizedDifference,
  cliffsDelta,
  pairedDominance,
  pairedOddsRatio,
  standardizedDifference,
} from '../../src/stats/effect-size.ts';
import { computed, expectRefusal } from '../support/statistics.ts';

const indeterminate = (reason: string) => ({ status: 'indeterminate', reason });
const none = 'must be a finite number, got NaN';

describe('standardizedDifference', () => {
  test('its correction by hand: √(2/π) for three units, and none for two', () => {
    // J(2) = Γ(1) / (√1 Γ(½)) = 1/√π; J(3) = Γ(3/2) / √(3/2) = √(π/6); J(4) = 1 / (√2 × √π/2) = √(2/π).
    const correctionOf = (values: readonly number[]) =>
      computed(standardizedDifference(values, 0.9)).correction;
    expect(correctionOf([1, 2])).toEqual(indeterminate('too-few-units'));
    expect(correctionOf([1, 2, 4])).toBeCloseTo(1 / Math.sqrt(Math.PI), 12);
    expect(correctionOf([1, 2, 4, 5])).toBeCloseTo(Math.sqrt(Math.PI / 6), 12);
    expect(correctionOf([1, 2, 4, 5, 9])).toBeCloseTo(Math.sqrt(2 / Math.PI), 12);
  });

  test('g is the corrected d, and names its interval', () => {
    const found = computed(standardizedDifference([1, 2, 4], 0.9));
    expect(found.dz).toBeCloseTo(7 / 3 / Math.sqrt(7 / 3), 13);
    expect(found.hedgesG).toBeCloseTo(found.dz / Math.sqrt(Math.PI), 12);
    expect(found.interval).toMatchObject({
      level: 0.9,
      method: 'noncentral-t',
      guarantee: 'asymptotic',
    });
    const two = computed(standardizedDifference([1, 2], 0.9));
    expect(two.hedgesG).toEqual(indeterminate('too-few-units'));
    expect(two.interval.lower).toBeLessThan(two.dz);
    expect(two.interval.upper).toBeGreaterThan(two.dz);
  });

  test('refuses a level by name', () => {
    expectRefusal(
      () => standardizedDifference([1, 2], 1),
      'level must be a probability strictly between 0 and 1, got 1',
    );
  });
});

describe('armStandardizedDifference', () => {
  test('divides by the mean of both deviations, and by the root of the mean of both variances', () => {
    // Variances 1 and 9, difference 4 on average.
    const arms = { baseline: [1, 2, 3], candidate: [3, 6, 9] };
    expect(armStandardizedDifference(arms)).toEqual({
      byAverageDeviation: 2,
      byPooledDeviation: 4 / Math.sqrt(5),
    });
    // One arm without spread is enough of the other's.
    const still = computed(
      armStandardizedDifference({ baseline: [2, 2, 2], candidate: [3, 6, 9] }),
    );
    expect(still.byAverageDeviation).toBeCloseTo(8 / 3, 13);
  });

  test('has none without units, spread or a second unit, and refuses by name', () => {
    expect(armStandardizedDifference({ baseline: [], candidate: [] })).toEqual(
      indeterminate('no-units'),
    );
    expect(armStandardizedDifference({ baseline: [1], candidate: [2] })).toEqual(
      indeterminate('too-few-units'),
    );
    expect(armStandardizedDifference({ baseline: [1, 1], candidate: [2, 2] })).toEqual(
      indeterminate('constant-values'),
    );
    expectRefusal(
      () => armStandardizedDifference({ baseline: [Number.NaN], candidate: [1] }),
      `baseline[0] ${none}`,
    );
    expectRefusal(
      () => armStandardizedDifference({ baseline: [1], candidate: [Number.NaN] }),
      `candidate[0] ${none}`,
    );
    expectRefusal(
      () => armStandardizedDifference({ baseline: [1, 2], candidate: [1] }),
      'candidate must be a list of 2 values, got 1',
    );
  });
});

describe('cliffsDelta and pairedDominance', () => {
  test('count pairs won less pairs lost, ties as neither', () => {
    expect(cliffsDelta({ baseline: [1, 2, 2, 3], candidate: [2] })).toBe(0);
    expect(cliffsDelta({ baseline: [1, 2, 2, 3], candidate: [2.5, 0] })).toBe((3 - 1 - 4) / 8);
    expect(cliffsDelta({ baseline: [5], candidate: [6, 7, 8] })).toBe(1);
    expect(cliffsDelta({ baseline: [6, 7, 8], candidate: [5] })).toBe(-1);
    expect(cliffsDelta({ baseline: [5, 5], candidate: [5, 5, 5] })).toBe(0);
    expect(pairedDominance([-1, -9, 0, 4])).toBe(-0.25);
  });

  test('have none without values and refuse by name', () => {
    for (const arms of [
      { baseline: [], candidate: [1] },
      { baseline: [1], candidate: [] },
    ]) {
      expect(cliffsDelta(arms)).toEqual(indeterminate('no-units'));
    }
    expect(pairedDominance([])).toEqual(indeterminate('no-units'));
    expectRefusal(() => pairedDominance([Number.NaN]), `differences[0] ${none}`);
    expectRefusal(
      () => cliffsDelta({ baseline: [Number.NaN], candidate: [1] }),
      `baseline[0] ${none}`,
    );
    expectRefusal(
      () => cliffsDelta({ baseline: [1], candidate: [1, Number.NaN] }),
      `candidate[1] ${none}`,
    );
  });
});

describe('pairedOddsRatio', () => {
  test('as many gains as losses have the odds 1, in the middle of both intervals', () => {
    const found = computed(pairedOddsRatio({ onlyCandidate: 4, onlyBaseline: 4 }, 0.9));
    expect(found.oddsRatio).toBe(1);
    expect(found.exact.lower * found.exact.upper).toBeCloseTo(1, 12);
    expect(found.exact).toMatchObject({
      level: 0.9,
      method: 'clopper-pearson',
      guarantee: 'finite-sample',
    });
    // exp(±1.6449 √(1/4 + 1/4)).
    expect(found.logWald).toMatchObject({
      level: 0.9,
      method: 'log-wald',
      guarantee: 'asymptotic',
    });
    expect(computed(found.logWald).upper).toBeCloseTo(
      Math.exp(1.6448536269514722 / Math.SQRT2),
      12,
    );
    expect(computed(found.logWald).lower).toBeCloseTo(
      Math.exp(-1.6448536269514722 / Math.SQRT2),
      12,
    );
  });

  test('gains alone have odds without an upper bound, losses alone without a lower one', () => {
    // Clopper-Pearson for three of three: p = 0.025^(1/3).
    const p = 0.025 ** (1 / 3);
    const gains = computed(pairedOddsRatio({ onlyCandidate: 3, onlyBaseline: 0 }, 0.95));
    expect(gains.oddsRatio).toBe(Number.POSITIVE_INFINITY);
    expect(gains.exact.upper).toBe(Number.POSITIVE_INFINITY);
    expect(gains.exact.lower).toBeCloseTo(p / (1 - p), 12);
    expect(gains.logWald).toEqual(indeterminate('no-losses'));
    const losses = computed(pairedOddsRatio({ onlyCandidate: 0, onlyBaseline: 3 }, 0.95));
    expect(losses.oddsRatio).toBe(0);
    expect(losses.exact.lower).toBe(0);
    expect(losses.exact.upper).toBeCloseTo((1 - p) / p, 12);
    expect(losses.logWald).toEqual(indeterminate('no-gains'));
  });

  test('has none without discordant pairs and refuses by name', () => {
    expect(pairedOddsRatio({ onlyCandidate: 0, onlyBaseline: 0 }, 0.95)).toEqual(
      indeterminate('no-discordant-pairs'),
    );
    expectRefusal(
      () => pairedOddsRatio({ onlyCandidate: -1, onlyBaseline: 0 }, 0.95),
      'onlyCandidate must be a whole number of at least 0, got -1',
    );
    expectRefusal(
      () => pairedOddsRatio({ onlyCandidate: 1, onlyBaseline: 0.5 }, 0.95),
      'onlyBaseline must be a whole number of at least 0, got 0.5',
    );
    expectRefusal(
      () => pairedOddsRatio({ onlyCandidate: 1, onlyBaseline: 1 }, 0),
      'level must be a probability strictly between 0 and 1, got 0',
    );
  });
});
