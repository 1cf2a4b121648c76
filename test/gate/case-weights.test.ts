/** Claims that count every case once: reference values through the whole judgement, floors, invariances, exact false-ship rates. */
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { requiredUnits } from '../../src/stats/power.ts';
import { type CaseTable, type EvidenceTable, rightMeasure } from '../support/evidence.ts';
import { gateOf, judged } from '../support/judged.ts';
import { referencePath } from '../support/reference.ts';

const continuous = { kind: 'continuous', role: 'primary', direction: 'higher' } as const;
const gates = [{ gate: 'lift', measure: 'right' }];

type Units = readonly (readonly number[])[];

/** Cells whose difference is the number given: the baseline has what the candidate loses. */
function pairOf(difference: number): { baseline: number; next: number } {
  return { baseline: Math.max(0, -difference), next: Math.max(0, difference) };
}

function tableOf(units: Units, changes: Partial<EvidenceTable> = {}): EvidenceTable {
  const cases = units.flatMap((differences, unit) =>
    differences.map((difference, at) => ({
      id: `u${unit}-c${at}`,
      unit: `u${unit}`,
      cells: pairOf(difference),
    })),
  );
  return { cases, gates, inference: { weights: 'case' }, ...changes };
}

function liftOf(table: EvidenceTable) {
  return gateOf(judged(table), 'lift:right');
}

function intervalOf(table: EvidenceTable): { lower: number; upper: number } {
  const interval = liftOf(table).estimate?.interval;
  if (interval === undefined) throw new Error('the gate shows no interval');
  return { lower: interval.lower, upper: interval.upper };
}

const endsSchema = z.object({ lower: z.number(), upper: z.number() });
const references = z
  .object({
    cases: z.array(
      z.object({
        name: z.string(),
        method: z.string(),
        input: z.looseObject({ clusters: z.array(z.array(z.number())).optional() }),
        expected: z.record(z.string(), z.unknown()),
      }),
    ),
  })
  .parse(JSON.parse(readFileSync(referencePath('clustered.json'), 'utf8'))).cases;

function referencesOf(method: string) {
  return references.flatMap(({ name, method: own, input, expected }) =>
    own === method && input.clusters !== undefined
      ? [{ name, units: input.clusters, expected }]
      : [],
  );
}

/** Reference data sets below a floor, and the floor. */
const belowFloors: Readonly<Record<string, string>> = {
  'k3-equal': 'fewer units than the method needs',
  'k4-unequal-binary': 'fewer units than the method needs',
  k2: 'fewer units than the method needs',
  'k6-unequal-cont': 'one unit holds more than a third of the cases',
  'k7-one-dominant': 'one unit holds more than a third of the cases',
  'k5-all-gain': 'units so unequal in size leave fewer than 4 degrees of freedom',
  k1: 'one unit carries no inference about new units',
};

function floorOf(name: string): string | undefined {
  return Object.entries(belowFloors).find(([set]) => name.endsWith(`-${set}`))?.[1];
}

describe('the reference values of clustered evidence', () => {
  test.each(referencesOf('tangoEffectiveT'))(
    'decide a binary lift: $name',
    ({ name, units, expected }) => {
      const lift = liftOf(tableOf(units));
      const floor = floorOf(name);
      if (floor !== undefined) {
        expect(lift).toMatchObject({ finding: 'insufficient', reason: floor, estimate: null });
        return;
      }
      const { lower, upper } = endsSchema.parse(expected);
      expect(lift.estimate).toMatchObject({
        estimand: 'mean improvement across cases, weights: case',
        method: 'tango-effective-n',
        guarantee: 'asymptotic',
      });
      expect(lift.estimate?.interval.lower).toBeCloseTo(lower, 10);
      expect(lift.estimate?.interval.upper).toBeCloseTo(upper, 10);
    },
  );

  test.each(referencesOf('clusterRobust'))(
    'decide a continuous lift: $name',
    ({ name, units, expected }) => {
      const lift = liftOf(tableOf(units, { measures: { right: continuous } }));
      const floor = floorOf(name);
      if (floor !== undefined) {
        expect(lift).toMatchObject({ finding: 'insufficient', reason: floor, estimate: null });
        return;
      }
      if (units.flat().every((each) => each === 0)) {
        expect(lift.finding).toBe('indeterminate');
        return;
      }
      const { lower, upper } = endsSchema.parse(expected['ciCr2']);
      expect(lift.estimate).toMatchObject({
        method: 'cr2',
        value: expect.closeTo(Number(expected['estimate']), 10),
      });
      expect(lift.estimate?.interval.lower).toBeCloseTo(lower, 9);
      expect(lift.estimate?.interval.upper).toBeCloseTo(upper, 9);
    },
  );
});

const strong: Units = Array.from({ length: 12 }, (_, at) => [1, 1, 1, at % 3 === 0 ? 0 : 1]);

describe('the floors of case weights', () => {
  test('ship at five units or more, none dominating', () => {
    expect(judged(tableOf(strong)).decision).toBe('ship');
  });

  test.each<[name: string, units: Units, reason: string]>([
    ['four units', strong.slice(0, 4), 'fewer units than the method needs'],
    [
      'one unit above a third of the cases',
      [...strong.slice(0, 5), Array.from({ length: 11 }, () => 1)],
      'one unit holds more than a third of the cases',
    ],
    [
      'fewer than 4 degrees of freedom',
      [[1, 1, 1, 1], [1, 1, 1, 1], [1, 1], [1], [1]],
      'units so unequal in size leave fewer than 4 degrees of freedom',
    ],
  ])('need more work with %s, however large the gain', (_name, units, reason) => {
    const judgement = judged(tableOf(units));
    expect(gateOf(judgement, 'lift:right')).toMatchObject({ finding: 'insufficient', reason });
    expect(judgement.decision).toBe('need_more_work');
  });

  test('let exactly a third of the cases be', () => {
    const units = [...strong.slice(0, 6).map((each) => each.slice(0, 2)), [1, 1, 1, 1, 1, 1]];
    expect(liftOf(tableOf(units)).finding).toBe('cleared');
  });
});

describe('case weights', () => {
  test('count cases, where unit weights count units', () => {
    const units = [[1, 1, 1], [0], [0], [0], [0], [0], [0], [0], [1, 0, 1]];
    const byUnit = tableOf(units, { inference: { weights: 'unit' } });
    expect(liftOf(tableOf(units)).estimate?.value).toBeCloseTo(5 / 13, 11);
    expect(liftOf(byUnit).estimate?.value).toBeCloseTo(5 / 27, 11);
  });

  test('take repeats of a case for further members of its unit, never for units', () => {
    const singles = Array.from({ length: 9 }, (_, at) => (at % 3 === 0 ? 0 : 1));
    const once = tableOf(singles.map((each) => [each]));
    const fourfold = { ...once, repeats: 4 };
    expect(intervalOf(fourfold)).toEqual(intervalOf(once));
    expect(liftOf(fourfold).n).toMatchObject({ units: 9, pairs: 36 });
  });

  test('average the repeats of a case before they weigh it', () => {
    const table = tableOf(strong, { measures: { right: continuous } });
    const cases = table.cases.map((each, at): CaseTable => {
      const next = each.cells['next'];
      const own = typeof next === 'number' ? next : 0;
      const spread = (at % 5) / 10;
      return { ...each, cells: { baseline: 0, next: { repeats: [own - spread, own + spread] } } };
    });
    const repeated = liftOf({ ...table, cases, repeats: 2 });
    expect(repeated.estimate?.interval).toEqual(liftOf(table).estimate?.interval);
  });

  test('show the rare losses of units whose mean gains', () => {
    const units = Array.from({ length: 10 }, (_, at) => (at < 5 ? [1, 1, -1] : [1, 1, 0]));
    expect(liftOf(tableOf(units)).flags).not.toContain('rare-loss-exposed');
    const fewer = units.map((each, at) => (at === 0 ? [1, 1, 0] : each));
    expect(liftOf(tableOf(fewer)).flags).toContain('rare-loss-exposed');
  });

  test('plan further units from the spread between units', () => {
    const units = Array.from({ length: 10 }, (_, at) => (at < 4 ? [1, 1, 1] : [-1, 0, 0]));
    const [plan] = judged(tableOf(units)).furtherUnits;
    expect(plan?.atObserved).toMatchObject({ effect: 0.2, reason: null });
    expect(plan?.atObserved.units).toBeGreaterThan(60);
  });

  test('plan a binary measure for as many cases as independent ones, not for as many units', () => {
    const independent = Array.from({ length: 10 }, (_, at) => [
      at % 2,
      ...Array.from({ length: 9 }, () => 0),
    ]);
    const [plan] = judged(tableOf(independent)).furtherUnits;
    const cases = requiredUnits({
      standardDeviation: Math.sqrt(0.05 * 0.95),
      effect: 0.05,
      threshold: 0,
      error: 0.025,
      power: 0.8,
    });
    if (!('units' in cases)) throw new Error('a positive effect is reachable');
    expect(cases.units).toBe(150);
    expect(plan?.atObserved).toMatchObject({ effect: 0.05, units: 15, further: 5 });
  });

  test('plan a tied sample as if the cases of a unit told one thing', () => {
    const tied = Array.from({ length: 10 }, () => [0, 0, 0, 0]);
    const claim = { minimumEffect: 0.2 };
    const [byCase] = judged(tableOf(tied, { claim })).furtherUnits;
    const [byUnit] = judged(
      tableOf(
        tied.map(() => [0]),
        { claim },
      ),
    ).furtherUnits;
    expect(byCase?.atEffect).toMatchObject({ effect: 0.2, reason: null });
    expect(byCase?.atEffect).toEqual(byUnit?.atEffect);
  });
});

const unitOfCases = fc.array(fc.constantFrom(-1, 0, 0, 1, 1), { minLength: 2, maxLength: 3 });
const manyUnits = fc.array(unitOfCases, { minLength: 7, maxLength: 9 });
const kinds = [rightMeasure, continuous] as const;

describe.each(kinds)('a $kind measure weighed by cases', (right) => {
  const changes = { measures: { right } };

  test('does not depend on the order of rows or the names of cases', () => {
    fc.assert(
      fc.property(manyUnits, (units) => {
        const table = tableOf(units, changes);
        const lift = liftOf(table);
        const renamed = [...table.cases].reverse().map((each, at) => ({ ...each, id: `x${at}` }));
        expect(liftOf({ ...table, cases: renamed })).toEqual(lift);
      }),
      { seed: 11, numRuns: 25 },
    );
  });

  test('flips when the arms are swapped', () => {
    fc.assert(
      fc.property(manyUnits, (units) => {
        const own = liftOf(tableOf(units, changes)).estimate;
        const swapped = liftOf(
          tableOf(
            units.map((each) => each.map((d) => 0 - d)),
            changes,
          ),
        ).estimate;
        fc.pre(own !== null && swapped !== null);
        expect(swapped?.interval.lower).toBeCloseTo(0 - (own?.interval.upper ?? 0), 9);
        expect(swapped?.value).toBeCloseTo(0 - (own?.value ?? 0), 11);
      }),
      { seed: 12, numRuns: 25 },
    );
  });
});

function factorial(n: number): number {
  return n < 2 ? 1 : n * factorial(n - 1);
}

/** Rate of shipping with so many units of three cases that always agree, each unit a gain or a loss with equal probability. */
function shipRate(
  units: number,
  ships: readonly (readonly [number, number])[],
  discordance: number,
) {
  return ships.reduce((total, [gains, losses]) => {
    const ties = units - gains - losses;
    const orders = factorial(units) / (factorial(gains) * factorial(losses) * factorial(ties));
    return total + orders * (discordance / 2) ** (gains + losses) * (1 - discordance) ** ties;
  }, 0);
}

describe('the false-ship rate by cases that repeat their unit', () => {
  test.each([8, 12])('is at most nominal at every null of %d units', (units) => {
    const ships: [number, number][] = [];
    for (let gains = 0; gains <= units; gains += 1) {
      for (let losses = 0; gains + losses <= units; losses += 1) {
        const outcomes = Array.from({ length: units }, (_, at) =>
          at < gains ? 1 : at < gains + losses ? -1 : 0,
        );
        const table = tableOf(outcomes.map((each) => [each, each, each]));
        if (judged(table).decision === 'ship') ships.push([gains, losses]);
      }
    }
    expect(ships.length).toBeGreaterThan(1);
    for (const discordance of [0.1, 0.2, 0.3, 0.45, 0.6, 0.8, 1]) {
      expect(shipRate(units, ships, discordance)).toBeLessThanOrEqual(0.025);
    }
  });
});
