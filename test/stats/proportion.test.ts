import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Indeterminate, Interval } from '../../src/stats/interval.ts';
import {
  agrestiCoullInterval,
  clopperPearsonInterval,
  clopperPearsonLower,
  clopperPearsonUpper,
  jeffreysInterval,
  midPInterval,
  type ProportionCounts,
  wilsonContinuityInterval,
  wilsonInterval,
} from '../../src/stats/proportion.ts';
import { referenceTests } from '../support/reference.ts';
import { computed, expectRefusal } from '../support/statistics.ts';

function jeffreys(seen: ProportionCounts, level: number): Interval | Indeterminate {
  return jeffreysInterval(seen, { level, closedEnds: true });
}

function jeffreysOpen(seen: ProportionCounts, level: number): Interval | Indeterminate {
  return jeffreysInterval(seen, { level, closedEnds: false });
}

const methods = {
  wilson: wilsonInterval,
  clopperPearson: clopperPearsonInterval,
  jeffreys,
  agrestiCoull: agrestiCoullInterval,
  midP: midPInterval,
  wilsonCc: wilsonContinuityInterval,
  jeffreysUnmodified: jeffreysOpen,
} as const;

describe('one proportion', () => {
  referenceTests('single-proportion.json', {
    methods: {
      intervals: {
        compute: ({ x, n, confidence }) => ({
          ...Object.fromEntries(
            Object.entries(methods).map(([name, interval]) => [
              name,
              interval({ successes: x, units: n }, confidence),
            ]),
          ),
          estimate: x / n,
        }),
      },
      clopperPearsonOneSided: {
        compute: ({ x, n, confidence, side }) => {
          const bound = side === 'upper' ? clopperPearsonUpper : clopperPearsonLower;
          return { bound: bound({ successes: x, units: n }, 1 - confidence) };
        },
      },
      publishedInterval: {
        compute: ({ method, x, n, confidence }) => {
          const chosen = Object.entries(methods).find(([name]) => name === method)?.[1];
          if (chosen === undefined) throw new Error(`no method ${method}`);
          return { ...computed(chosen({ successes: x, units: n }, confidence)) };
        },
      },
    },
    leftOutMethods: [],
  });
});

const counts = fc
  .integer({ min: 1, max: 400 })
  .chain((units) => fc.record({ units: fc.constant(units), successes: fc.nat({ max: units }) }));
const settings = { seed: 20260802, numRuns: 300 };

describe.each([
  ['wilsonInterval', wilsonInterval],
  ['clopperPearsonInterval', clopperPearsonInterval],
  ['wilsonContinuityInterval', wilsonContinuityInterval],
  ['agrestiCoullInterval', agrestiCoullInterval],
  ['jeffreysInterval with closed ends', jeffreys],
  ['midPInterval', midPInterval],
])('%s', (_, method) => {
  test('holds the rate, mirrors when successes and failures swap, and widens with the level', () => {
    fc.assert(
      fc.property(counts, ({ successes, units }) => {
        const found = computed(method({ successes, units }, 0.9));
        const mirrored = computed(method({ successes: units - successes, units }, 0.9));
        const wider = computed(method({ successes, units }, 0.99));
        expect(found.lower).toBeLessThanOrEqual(successes / units);
        expect(found.upper).toBeGreaterThanOrEqual(successes / units);
        expect(found.upper - found.lower).toBeGreaterThan(0);
        expect(1 - mirrored.upper).toBeCloseTo(found.lower, 13);
        expect(wider.lower).toBeLessThanOrEqual(found.lower);
        expect(wider.upper).toBeGreaterThanOrEqual(found.upper);
      }),
      settings,
    );
  });

  test('says that no units give no interval', () => {
    expect(method({ successes: 0, units: 0 }, 0.95)).toEqual({
      status: 'indeterminate',
      reason: 'no-units',
    });
  });

  test('refuses counts that cannot be and levels outside (0, 1)', () => {
    expectRefusal(
      () => method({ successes: 3, units: 2 }, 0.95),
      'units - successes must be a whole number of at least 0, got -1',
    );
    expectRefusal(
      () => method({ successes: 0.5, units: 2 }, 0.95),
      'successes must be a whole number of at least 0, got 0.5',
    );
    expectRefusal(
      () => method({ successes: 1, units: 2 }, 1),
      'level must be a probability strictly between 0 and 1, got 1',
    );
  });
});

describe('Clopper-Pearson bounds', () => {
  test('PB-35: the upper bound stays exact at a tail of 5e-8', () => {
    const { upper } = computed(clopperPearsonInterval({ successes: 0, units: 1000 }, 1 - 1e-7));
    expect(Math.abs(upper / 0.0166707224 - 1)).toBeLessThan(2e-9);
  });

  test('the closed forms at the ends continue the beta quantiles', () => {
    const near = computed(clopperPearsonUpper({ successes: 1, units: 50 }, 0.025));
    const end = computed(clopperPearsonUpper({ successes: 0, units: 50 }, 0.025));
    expect(end).toBeCloseTo(1 - 0.025 ** (1 / 50), 14);
    expect(end).toBeLessThan(near);
    expect(computed(clopperPearsonLower({ successes: 50, units: 50 }, 0.025))).toBeCloseTo(
      1 - end,
      14,
    );
  });

  test('mark the exact guarantee, Wilson the asymptotic one', () => {
    expect(clopperPearsonInterval({ successes: 1, units: 9 }, 0.95)).toMatchObject({
      method: 'clopper-pearson',
      guarantee: 'finite-sample',
      level: 0.95,
    });
    expect(wilsonInterval({ successes: 1, units: 9 }, 0.95)).toMatchObject({
      method: 'wilson',
      guarantee: 'asymptotic',
    });
  });

  test('refuse an error of one half or more', () => {
    expectRefusal(
      () => clopperPearsonUpper({ successes: 0, units: 5 }, 0.5),
      'error must be a one-sided error strictly between 0 and 0.5, got 0.5',
    );
  });
});
