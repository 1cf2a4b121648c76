import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Indeterminate, Interval } from '../../src/stats/interval.ts';
import {
  agrestiCaffoInterval,
  meeInterval,
  miettinenNurminenInterval,
  newcombeInterval,
  type TwoProportions,
  twoProportionWaldInterval,
} from '../../src/stats/two-proportions.ts';
import { referenceTests } from '../support/reference.ts';
import { computed, endsOf, expectRefusal } from '../support/statistics.ts';

type GroupInterval = (groups: TwoProportions, level: number) => Interval | Indeterminate;

/** The methods under the names of the reference files. */
const methods: Readonly<Record<string, GroupInterval>> = {
  newcombe: (groups, level) => newcombeInterval(groups, { level, continuity: false }),
  newcombeCc: (groups, level) => newcombeInterval(groups, { level, continuity: true }),
  miettinenNurminen: miettinenNurminenInterval,
  mee: meeInterval,
  agrestiCaffo: agrestiCaffoInterval,
  wald: twoProportionWaldInterval,
};

interface Letters {
  readonly x1: number;
  readonly n1: number;
  readonly x2: number;
  readonly n2: number;
}

function groupsOf({ x1, n1, x2, n2 }: Letters): TwoProportions {
  return Object.freeze({
    candidate: { successes: x1, units: n1 },
    baseline: { successes: x2, units: n2 },
  });
}

describe('two independent proportions', () => {
  referenceTests('two-proportion.json', {
    methods: {
      twoProportionIntervals: {
        compute: (input, expected) => ({
          ...Object.fromEntries(
            Object.entries(methods).map(([name, interval]) => [
              name,
              endsOf(interval(groupsOf(input), input.confidence), expected[name]),
            ]),
          ),
          estimate: input.x1 / input.n1 - input.x2 / input.n2,
        }),
      },
      publishedInterval: {
        compute: ({ method, confidence, ...letters }, expected) => {
          const interval = methods[method];
          if (interval === undefined) throw new Error(`no method ${method}`);
          return { ...endsOf(interval(groupsOf(letters), confidence), expected) };
        },
      },
    },
    leftOutMethods: [],
  });
});

const group = fc
  .integer({ min: 1, max: 80 })
  .chain((units) => fc.record({ units: fc.constant(units), successes: fc.nat({ max: units }) }));

describe.each(Object.entries(methods))('the %s interval of two groups', (name, interval) => {
  test('mirrors when the groups swap, holds the estimate, and widens with the level', () => {
    fc.assert(
      fc.property(group, group, (candidate, baseline) => {
        const found = interval({ candidate, baseline }, 0.9);
        const mirrored = interval({ candidate: baseline, baseline: candidate }, 0.9);
        if ('status' in found) {
          expect(mirrored).toEqual(found);
          return;
        }
        const wider = computed(interval({ candidate, baseline }, 0.99));
        const estimate =
          candidate.successes / candidate.units - baseline.successes / baseline.units;
        // Agresti and Caffo's estimate is drawn to 0, and may leave out an extreme one.
        const reach = name === 'agrestiCaffo' ? 0.35 : 1e-12;
        expect(computed(mirrored).lower).toBeCloseTo(-found.upper, 12);
        expect(computed(mirrored).upper).toBeCloseTo(-found.lower, 12);
        expect(found.lower).toBeLessThanOrEqual(estimate + reach);
        expect(found.upper).toBeGreaterThanOrEqual(estimate - reach);
        expect(wider.lower).toBeLessThanOrEqual(found.lower);
        expect(wider.upper).toBeGreaterThanOrEqual(found.upper);
      }),
      { seed: 20260807, numRuns: 150 },
    );
  });

  test('needs a unit in both groups, and counts and a level that can be', () => {
    const nothing = { status: 'indeterminate', reason: 'no-units' };
    expect(interval(groupsOf({ x1: 0, n1: 0, x2: 1, n2: 2 }), 0.95)).toEqual(nothing);
    expect(interval(groupsOf({ x1: 1, n1: 2, x2: 0, n2: 0 }), 0.95)).toEqual(nothing);
    expectRefusal(
      () => interval(groupsOf({ x1: 3, n1: 2, x2: 1, n2: 2 }), 0.95),
      'candidate.units - candidate.successes must be a whole number of at least 0, got -1',
    );
    expectRefusal(
      () => interval(groupsOf({ x1: 1, n1: 2, x2: 1, n2: 2 }), 0),
      'level must be a probability strictly between 0 and 1, got 0',
    );
  });
});

describe('twoProportionWaldInterval', () => {
  test('is indeterminate where neither group varies, not a point', () => {
    expect(twoProportionWaldInterval(groupsOf({ x1: 0, n1: 10, x2: 0, n2: 20 }), 0.95)).toEqual({
      status: 'indeterminate',
      reason: 'zero-width-interval',
    });
  });
});
