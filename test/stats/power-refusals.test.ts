/** What the planning functions refuse, each argument by its name, and what they answer at the ends of their ranges. */
import { describe, expect, test } from 'vitest';
import { normalUpper } from '../../src/stats/distribution.ts';
import {
  detectableEffect,
  pairedTPower,
  pairedTUnits,
  plannedUnits,
  requiredUnits,
} from '../../src/stats/power.ts';
import {
  arcsineUnits,
  clusteredPlan,
  designEffect,
  designEffectOfSizes,
  simulatedPower,
  twoProportionUnits,
} from '../../src/stats/power-design.ts';
import {
  allTiedUnits,
  mcnemarPower,
  mcnemarSearch,
  mcnemarUnits,
  tangoPower,
} from '../../src/stats/power-paired-binary.ts';
import {
  exactUnconditionalPower,
  exactUnconditionalUnits,
} from '../../src/stats/power-paired-binary-exact.ts';
import { expectRefusal, testSeed } from '../support/statistics.ts';

const aim = { error: 0.025, sides: 2, power: 0.8 } as const;
const rates = { onlyCandidate: 0.2, onlyBaseline: 0.1 };
const rule = { test: 'exact', error: 0.025, sides: 2 } as const;
const plain = { standardDeviation: 1, effect: 0.5, threshold: 0, error: 0.025, power: 0.8 };
const tango = { units: 20, rates, threshold: -0.1, error: 0.025 };
const simulated = {
  units: 3,
  draw: () => 1,
  clears: () => true,
  simulations: 10,
  seed: testSeed(1),
};
const none = 'must be a finite number, got NaN';
const half = 'must be a one-sided error strictly between 0 and 0.5, got 0.5';
const open = 'must be a probability strictly between 0 and 1, got 1';

const refused: Readonly<Record<string, readonly [call: () => unknown, message: string]>> = {
  'pairedTPower: units': [
    () => pairedTPower({ ...aim, units: 1, standardizedEffect: 1 }),
    'units must be a whole number of at least 2, got 1',
  ],
  'pairedTPower: effect': [
    () => pairedTPower({ ...aim, units: 9, standardizedEffect: Number.NaN }),
    `standardizedEffect ${none}`,
  ],
  'pairedTPower: error': [
    () => pairedTPower({ ...aim, units: 9, standardizedEffect: 1, error: 0.5 }),
    `error ${half}`,
  ],
  'pairedTUnits: no effect': [
    () => pairedTUnits({ ...aim, standardizedEffect: 0 }),
    'standardizedEffect must be a number above 0, got 0',
  ],
  'pairedTUnits: infinite effect': [
    () => pairedTUnits({ ...aim, standardizedEffect: Number.POSITIVE_INFINITY }),
    'standardizedEffect must be a finite number, got Infinity',
  ],
  'pairedTUnits: power': [
    () => pairedTUnits({ ...aim, standardizedEffect: 1, power: 1 }),
    `power ${open}`,
  ],
  'pairedTUnits: power below the error of both sides': [
    () => pairedTUnits({ ...aim, standardizedEffect: 1, power: 0.05 }),
    'power must be a number above 0.05, got 0.05',
  ],
  'detectableEffect: units': [
    () => detectableEffect({ ...aim, units: 1.5 }),
    'units must be a whole number of at least 2, got 1.5',
  ],
  'detectableEffect: error': [
    () => detectableEffect({ ...aim, units: 9, error: 0.5 }),
    `error ${half}`,
  ],
  'requiredUnits: threshold': [
    () => requiredUnits({ ...plain, threshold: Number.NaN }),
    `threshold ${none}`,
  ],
  'requiredUnits: error': [() => requiredUnits({ ...plain, error: 0.5 }), `error ${half}`],
  'arcsineUnits: effect': [() => arcsineUnits({ ...aim, effect: Number.NaN }), `effect ${none}`],
  'arcsineUnits: no effect': [
    () => arcsineUnits({ ...aim, effect: 0 }),
    'the size of the effect must be a number above 0, got 0',
  ],
  'arcsineUnits: power of one half': [
    () => arcsineUnits({ ...aim, effect: 1, power: 0.5 }),
    'power must be a number above 0.5, got 0.5',
  ],
  'arcsineUnits: power of one': [
    () => arcsineUnits({ ...aim, effect: 1, power: 1 }),
    `power ${open}`,
  ],
  'arcsineUnits: error': [() => arcsineUnits({ ...aim, effect: 1, error: 0.5 }), `error ${half}`],
  'twoProportionUnits: baseline': [
    () => twoProportionUnits({ ...aim, baseline: -0.1, candidate: 0.5 }),
    'baseline must be a probability from 0 to 1, got -0.1',
  ],
  'twoProportionUnits: candidate': [
    () => twoProportionUnits({ ...aim, baseline: 0.1, candidate: 1.5 }),
    'candidate must be a probability from 0 to 1, got 1.5',
  ],
  'twoProportionUnits: equal': [
    () => twoProportionUnits({ ...aim, baseline: 0.5, candidate: 0.5 }),
    'the distance of the probabilities must be a number above 0, got 0',
  ],
  'designEffect: mean size': [
    () => designEffect({ meanSize: Number.NaN, intraclassCorrelation: 0, sizeVariation: 0 }),
    `meanSize ${none}`,
  ],
  'designEffect: mean size below one': [
    () => designEffect({ meanSize: 0.5, intraclassCorrelation: 0, sizeVariation: 0 }),
    `meanSize must be a number above ${1 - 1e-12}, got 0.5`,
  ],
  'designEffect: correlation': [
    () => designEffect({ meanSize: 2, intraclassCorrelation: 2, sizeVariation: 0 }),
    'intraclassCorrelation must be a probability from 0 to 1, got 2',
  ],
  'designEffect: variation': [
    () => designEffect({ meanSize: 2, intraclassCorrelation: 0, sizeVariation: -1 }),
    'sizeVariation must be a finite number of at least 0, got -1',
  ],
  'designEffectOfSizes: a size': [
    () => designEffectOfSizes([2, 0], 0.1),
    'sizes[1] must be a whole number of at least 1, got 0',
  ],
  'designEffectOfSizes: correlation': [
    () => designEffectOfSizes([2], -0.1),
    'intraclassCorrelation must be a probability from 0 to 1, got -0.1',
  ],
  'clusteredPlan: cases': [
    () => clusteredPlan({ independentCases: -1, designEffect: 1, meanSize: 1 }),
    'independentCases must be a finite number of at least 0, got -1',
  ],
  'clusteredPlan: design effect': [
    () => clusteredPlan({ independentCases: 1, designEffect: Number.NaN, meanSize: 1 }),
    `designEffect ${none}`,
  ],
  'clusteredPlan: design effect below one': [
    () => clusteredPlan({ independentCases: 1, designEffect: 0.9, meanSize: 1 }),
    `designEffect must be a number above ${1 - 1e-12}, got 0.9`,
  ],
  'clusteredPlan: mean size': [
    () => clusteredPlan({ independentCases: 1, designEffect: 1, meanSize: Number.NaN }),
    `meanSize ${none}`,
  ],
  'clusteredPlan: mean size below one': [
    () => clusteredPlan({ independentCases: 1, designEffect: 1, meanSize: 0.9 }),
    `meanSize must be a number above ${1 - 1e-12}, got 0.9`,
  ],
  'simulatedPower: units': [
    () => simulatedPower({ ...simulated, units: 0 }),
    'units must be a whole number of at least 1, got 0',
  ],
  'simulatedPower: simulations': [
    () => simulatedPower({ ...simulated, simulations: 0 }),
    'simulations must be a whole number of at least 1, got 0',
  ],
  'simulatedPower: seed': [
    () => simulatedPower({ ...simulated, seed: 'x' }),
    'seed must be 64 lower-case hex digits, got x',
  ],
  'mcnemarUnits: error': [() => mcnemarUnits({ rates, error: 0.5, power: 0.8 }), `error ${half}`],
  'mcnemarUnits: power': [() => mcnemarUnits({ rates, error: 0.1, power: 1 }), `power ${open}`],
  'mcnemarUnits: power of one half': [
    () => mcnemarUnits({ rates, error: 0.1, power: 0.5 }),
    'power must be a number above 0.5, got 0.5',
  ],
  'mcnemarUnits: a rate of gains': [
    () => mcnemarUnits({ rates: { ...rates, onlyCandidate: -1 }, error: 0.1, power: 0.8 }),
    'rates.onlyCandidate must be a probability from 0 to 1, got -1',
  ],
  'mcnemarUnits: a rate of losses': [
    () => mcnemarUnits({ rates: { ...rates, onlyBaseline: 2 }, error: 0.1, power: 0.8 }),
    'rates.onlyBaseline must be a probability from 0 to 1, got 2',
  ],
  'mcnemarPower: units': [
    () => mcnemarPower({ ...rule, rates, units: -1 }),
    'units must be a whole number of at least 0, got -1',
  ],
  'mcnemarPower: error': [
    () => mcnemarPower({ ...rule, rates, units: 5, error: 0.5 }),
    `error ${half}`,
  ],
  'mcnemarSearch: limit': [
    () => mcnemarSearch({ ...rule, rates, power: 0.8, limit: 0 }),
    'limit must be a whole number of at least 1, got 0',
  ],
  'tangoPower: units': [
    () => tangoPower({ ...tango, units: 0 }),
    'units must be a whole number of at least 1, got 0',
  ],
  'tangoPower: threshold of −1': [
    () => tangoPower({ ...tango, threshold: -1 }),
    'threshold must be a number above -1, got -1',
  ],
  'tangoPower: threshold of 1': [
    () => tangoPower({ ...tango, threshold: 1 }),
    `threshold must be a number from -1 to ${1 - 1e-12}, got 1`,
  ],
  'tangoPower: error': [() => tangoPower({ ...tango, error: 0.5 }), `error ${half}`],
  'allTiedUnits: margin': [() => allTiedUnits({ margin: 1, error: 0.1 }), `margin ${open}`],
  'allTiedUnits: error': [() => allTiedUnits({ margin: 0.1, error: 0.5 }), `error ${half}`],
  'exactUnconditionalPower: units': [
    () => exactUnconditionalPower({ ...tango, units: 0 }),
    'units must be a whole number of at least 1, got 0',
  ],
  'exactUnconditionalPower: threshold': [
    () => exactUnconditionalPower({ ...tango, threshold: -1 }),
    `threshold must be a number from ${-1 + 1e-6} to ${1 - 1e-6}, got -1`,
  ],
  'exactUnconditionalPower: error': [
    () => exactUnconditionalPower({ ...tango, error: 0.5 }),
    `error ${half}`,
  ],
  'exactUnconditionalUnits: power': [
    () => exactUnconditionalUnits({ ...tango, power: 1, limit: 9 }),
    `power ${open}`,
  ],
  'exactUnconditionalUnits: limit': [
    () => exactUnconditionalUnits({ ...tango, power: 0.8, limit: 0 }),
    'limit must be a whole number of at least 1, got 0',
  ],
};

describe('planning refuses by name', () => {
  test.each(Object.entries(refused))('%s', (_, [call, message]) => {
    expectRefusal(call, message);
  });
});

describe('planning at the ends of its ranges', () => {
  test('certain outcomes: all succeed, none succeed, and both at once', () => {
    const all = twoProportionUnits({ ...aim, baseline: 0, candidate: 1 });
    expect(all.arcsineEffect).toBeCloseTo(-Math.PI, 14);
    expect(twoProportionUnits({ ...aim, baseline: 1, candidate: 0 }).arcsineEffect).toBeCloseTo(
      Math.PI,
      14,
    );
    // Cohen's h of ½ against 0 and against 1.
    expect(twoProportionUnits({ ...aim, baseline: 0.5, candidate: 1 }).arcsineEffect).toBeCloseTo(
      -Math.PI / 2,
      14,
    );
    // Under the null half of all succeed; (z √½ + 0)² units.
    expect(all.pooled.fractional).toBeCloseTo(1.959963984540054 ** 2 / 2, 9);
    expect(twoProportionUnits({ ...aim, baseline: 0.9, candidate: 0.1 }).pooled.fractional).toBe(
      twoProportionUnits({ ...aim, baseline: 0.1, candidate: 0.9 }).pooled.fractional,
    );
  });

  test('rates of which nothing is tied', () => {
    const sure = { onlyCandidate: 0, onlyBaseline: 1 };
    expect(tangoPower({ ...tango, rates: sure })).toBe(0);
    expect(tangoPower({ ...tango, rates: { onlyCandidate: 1, onlyBaseline: 0 } })).toBe(1);
    // Every pair disagrees, 7 in 10 a gain: 20 coins of which at least 15 are gains, the exact test at 2.5 %.
    const found = mcnemarPower({
      ...rule,
      sides: 1,
      units: 20,
      rates: { onlyCandidate: 0.7, onlyBaseline: 0.3 },
    });
    let tail = 0;
    let ways = 1;
    for (let losses = 0; losses <= 5; losses += 1) {
      tail += ways * 0.3 ** losses * 0.7 ** (20 - losses);
      ways = (ways * (20 - losses)) / (losses + 1);
    }
    expect(found).toBeCloseTo(tail, 12);
  });

  test('the error of a coin that just reaches it counts: five gains of five at 1/32', () => {
    const certain = { onlyCandidate: 1, onlyBaseline: 0 };
    const at = (error: number, units: number, kind: 'exact' | 'mid-p' | 'asymptotic'): number =>
      mcnemarPower({ test: kind, error, sides: 1, units, rates: certain });
    expect([at(1 / 32, 5, 'exact'), at(1 / 33, 5, 'exact'), at(1 / 32, 4, 'exact')]).toEqual([
      1, 0, 0,
    ]);
    expect([at(1 / 64, 5, 'mid-p'), at(1 / 65, 5, 'mid-p')]).toEqual([1, 0]);
    // Four gains of four have the score 2, the upper quantile of 0.02275.
    expect([at(0.0228, 4, 'asymptotic'), at(0.0227, 4, 'asymptotic')]).toEqual([1, 0]);
    expect(at(0.4, 0, 'asymptotic')).toBe(0);
  });

  test('a search starts at 0.6 of the formula and goes up one by one', () => {
    const wide = { onlyCandidate: 0.6, onlyBaseline: 0.1 };
    const found = mcnemarSearch({ ...rule, rates: wide, power: 0.8, limit: 200 });
    expect(found.status).toBe('reachable');
    expect(found.power).toBe(mcnemarPower({ ...rule, rates: wide, units: found.units }));
    expect(found.power).toBeGreaterThanOrEqual(0.8);
    expect(mcnemarPower({ ...rule, rates: wide, units: found.units - 1 })).toBeLessThan(0.8);
    // Where less than 0.6 of the formula is enough, that is where the search starts.
    const { connor } = mcnemarUnits({ rates: wide, error: 0.025, power: 0.8 });
    expect(found.units).toBeGreaterThanOrEqual(Math.floor(0.6 * connor.fractional));
    expect(mcnemarSearch({ ...rule, rates: wide, power: 0.8, limit: 3 })).toMatchObject({
      status: 'unreachable',
      units: 3,
    });
  });

  test('a score that is the critical value but for rounding clears: four gains of four at P(Z > 2)', () => {
    const error = normalUpper(2);
    const certain = { onlyCandidate: 1, onlyBaseline: 0 };
    expect(tangoPower({ units: 4, rates: certain, threshold: 0, error })).toBe(1);
    expect(tangoPower({ units: 3, rates: certain, threshold: 0, error })).toBe(0);
    // n ≥ z² (1 − M) / M is 4 at the margin ½.
    expect(allTiedUnits({ margin: 0.5, error })).toBe(4);
  });

  test('a search ends at the power asked for, met exactly', () => {
    const wide = { onlyCandidate: 0.6, onlyBaseline: 0.1 };
    const found = mcnemarSearch({ ...rule, rates: wide, power: 0.8, limit: 200 });
    const again = mcnemarSearch({ ...rule, rates: wide, power: found.power, limit: 200 });
    expect(again).toEqual(found);
  });

  test('two units, where they are enough, and fractions next to whole numbers', () => {
    expect(pairedTUnits({ ...aim, standardizedEffect: 1e4 })).toMatchObject({
      units: 2,
      fractional: 2,
    });
    expect(plannedUnits(14)).toEqual({ units: 14, fractional: 14 });
    expect(plannedUnits(14 + 1e-9).units).toBe(14);
    expect(plannedUnits(14 + 1e-6).units).toBe(15);
    expect(plannedUnits(0).units).toBe(0);
  });
});
