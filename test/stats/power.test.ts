import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isIndeterminate } from '../../src/stats/interval.ts';
import {
  detectableEffect,
  pairedTPower,
  pairedTUnits,
  plannedUnits,
  requiredUnits,
} from '../../src/stats/power.ts';
import { readReference } from '../support/reference.ts';
import { expectRefusal } from '../support/statistics.ts';

const plain = { standardDeviation: 1, effect: 0.5, threshold: 0, error: 0.025, power: 0.8 };

describe('requiredUnits', () => {
  test('gives the normal approximation of every paired t sample size in the reference', () => {
    const cases = readReference('power.json').cases.filter(
      ({ method }) => method === 'pairedTSampleSize',
    );
    expect(cases).toHaveLength(6);
    for (const { input, expected, name } of cases) {
      const found = requiredUnits({
        standardDeviation: 1,
        effect: input.dz,
        threshold: 0,
        error: input.alpha / input.sided,
        power: input.power,
      });
      expect(found, name).toEqual({
        status: 'reachable',
        units: expected['nNormal'],
        method: 'normal-approximation',
      });
    }
  });

  test('counts from the threshold, not from 0', () => {
    expect(requiredUnits({ ...plain, effect: 0.7, threshold: 0.2 })).toEqual(requiredUnits(plain));
    expect(requiredUnits({ ...plain, effect: 0.4, threshold: -0.1 })).toEqual(requiredUnits(plain));
  });

  test.each([
    ['points the wrong way', -0.0008],
    ['is zero', 0],
  ])('PB-43: an effect that %s is unreachable, with the reason', (_, effect) => {
    expect(requiredUnits({ ...plain, effect })).toEqual({
      status: 'unreachable',
      reason: 'effect-not-above-threshold',
    });
  });

  test('an effect too small to count for is unreachable too', () => {
    expect(requiredUnits({ ...plain, effect: 1e-200 })).toEqual({
      status: 'unreachable',
      reason: 'more-units-than-can-be-counted',
    });
  });

  test('never asks for fewer than two units, even where half the power is enough', () => {
    expect(requiredUnits({ ...plain, effect: 100 })).toMatchObject({ units: 2 });
    expect(requiredUnits({ ...plain, power: 0.001 })).toMatchObject({ units: 2 });
  });

  test('says nothing without spread', () => {
    const found = requiredUnits({ ...plain, standardDeviation: 0 });
    expect(isIndeterminate(found) && found.reason).toBe('constant-differences');
  });

  test('refuses options outside their ranges', () => {
    expectRefusal(
      () => requiredUnits({ ...plain, power: 1 }),
      'power must be a probability strictly between 0 and 1, got 1',
    );
    expectRefusal(
      () => requiredUnits({ ...plain, effect: Number.NaN }),
      'effect must be a finite number, got NaN',
    );
    expectRefusal(
      () => requiredUnits({ ...plain, standardDeviation: -1 }),
      'standardDeviation must be a finite number of at least 0, got -1',
    );
  });
});

describe('paired t planning', () => {
  test('power at the detectable effect is the wanted power, units lead back to the effect', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 3, max: 400 }),
        fc.integer({ min: 30, max: 95 }),
        (units, percent) => {
          const side = { error: 0.025, sides: 2 } as const;
          const power = percent / 100;
          const { standardizedEffect } = detectableEffect({ units, power, ...side });
          expect(pairedTPower({ units, standardizedEffect, ...side })).toBeCloseTo(power, 10);
          const found = pairedTUnits({ standardizedEffect, power, ...side });
          expect(found.fractional / units).toBeCloseTo(1, 8);
        },
      ),
      { seed: 20260907, numRuns: 8 },
    );
  });

  test('an overwhelming effect still needs two units, and a whole fraction is kept whole', () => {
    const side = { error: 0.025, sides: 1 } as const;
    expect(pairedTUnits({ standardizedEffect: 500, power: 0.8, ...side }).units).toBe(2);
    expect([plannedUnits(12), plannedUnits(12.0000001).units]).toEqual([
      { units: 12, fractional: 12 },
      13,
    ]);
  });

  test('refuses what no number of units could reach', () => {
    expectRefusal(
      () => pairedTUnits({ standardizedEffect: 0, error: 0.025, sides: 1, power: 0.8 }),
      'standardizedEffect must be a number above 0, got 0',
    );
    expectRefusal(
      () => detectableEffect({ units: 10, error: 0.025, sides: 2, power: 0.05 }),
      'power must be a number above 0.05, got 0.05',
    );
  });
});
