import { describe, expect, test } from 'vitest';
import { pairedTPower } from '../../src/stats/power.ts';
import { designEffectOfSizes, simulatedPower } from '../../src/stats/power-design.ts';
import { pairedTTest } from '../../src/stats/t-test.ts';
import { computed, expectRefusal, testSeed } from '../support/statistics.ts';

describe('simulatedPower', () => {
  test('agrees with the noncentral t within its Monte Carlo error and repeats for a seed', () => {
    const options = {
      units: 20,
      // Twelve uniforms less six: near enough to a normal for three digits, shifted by half a deviation.
      draw: (stream: { next(): number }) =>
        Array.from({ length: 12 }, () => stream.next()).reduce((a, b) => a + b, 0) - 6 + 0.5,
      clears: (differences: readonly number[]) =>
        computed(pairedTTest(differences, { hypothesis: 0, level: 0.95 })).interval.lower > 0,
      simulations: 2000,
      seed: testSeed(9),
    };
    const found = simulatedPower(options);
    const exact = pairedTPower({ units: 20, standardizedEffect: 0.5, error: 0.025, sides: 1 });
    expect(Math.abs(found.power - exact)).toBeLessThan(4 * found.standardError);
    expect(simulatedPower(options)).toEqual(found);
  });
});

describe('designEffectOfSizes', () => {
  test('refuses a design without units', () => {
    expectRefusal(
      () => designEffectOfSizes([], 0.1),
      'sizes.length must be a whole number of at least 1, got 0',
    );
  });
});
