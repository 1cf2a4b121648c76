import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { normalUpper } from '../../src/stats/distribution.ts';
import type { Indeterminate, Interval } from '../../src/stats/interval.ts';
import {
  mcnemarExact,
  type PairedCounts,
  pairedRiskDifferenceBounds,
  pairedRiskDifferenceInterval,
} from '../../src/stats/paired-binary.ts';
import {
  agrestiMinInterval,
  bonettPriceInterval,
  conditionalExactInterval,
  type NewcombePairedMethod,
  newcombePairedInterval,
  pairedWaldInterval,
} from '../../src/stats/paired-binary-intervals.ts';
import {
  mcnemarAsymptotic,
  mcnemarMidP,
  pairedNoninferiorityTest,
} from '../../src/stats/paired-binary-tests.ts';
import { referenceTests } from '../support/reference.ts';
import { computed, endsOf, expectRefusal, orNull } from '../support/statistics.ts';

type PairedInterval = (counts: PairedCounts, level: number) => Interval | Indeterminate;

function newcombe(method: NewcombePairedMethod): PairedInterval {
  return (counts, level) => newcombePairedInterval(counts, { level, method });
}

/** The methods under the names of the reference files. */
const methods: Readonly<Record<string, PairedInterval>> = {
  tango: pairedRiskDifferenceInterval,
  newcombe8: newcombe('newcombe-8'),
  newcombe9Cc: newcombe('newcombe-9-continuity'),
  newcombe10: newcombe('newcombe-10'),
  newcombe10Cc: newcombe('newcombe-10-continuity'),
  bonettPrice: bonettPriceInterval,
  agrestiMin: agrestiMinInterval,
  wald: (counts, level) => pairedWaldInterval(counts, { level, continuity: false }),
  waldCc: (counts, level) => pairedWaldInterval(counts, { level, continuity: true }),
  conditionalExact: conditionalExactInterval,
};

interface Letters {
  readonly a: number;
  readonly b: number;
  readonly c: number;
  readonly d: number;
}

function countsOf({ a, b, c, d }: Letters): PairedCounts {
  return Object.freeze({ both: a, onlyCandidate: b, onlyBaseline: c, neither: d });
}

function mcnemarFields(counts: { onlyCandidate: number; onlyBaseline: number }) {
  const exact = mcnemarExact(counts);
  const mid = mcnemarMidP(counts);
  const plain = mcnemarAsymptotic(counts, false);
  const corrected = mcnemarAsymptotic(counts, true);
  return {
    discordant: counts.onlyCandidate + counts.onlyBaseline,
    chi2: orNull(plain.chiSquare),
    pAsymptotic: plain.pTwoSided,
    chi2Cc: orNull(corrected.chiSquare),
    pAsymptoticCc: corrected.pTwoSided,
    pExact: exact.pTwoSided,
    pMid: mid.pTwoSided,
    pExactGreater: exact.pGreater,
    pExactLess: exact.pLess,
    pMidGreater: mid.pGreater,
    pMidLess: mid.pLess,
  };
}

describe('paired binary outcomes', () => {
  referenceTests('paired-binary.json', {
    methods: {
      pairedDifferenceIntervals: {
        compute: (input, expected) => ({
          ...Object.fromEntries(
            Object.entries(methods).map(([name, interval]) => [
              name,
              endsOf(interval(countsOf(input), input.confidence), expected[name]),
            ]),
          ),
          estimate: (input.b - input.c) / (input.a + input.b + input.c + input.d),
        }),
      },
      mcnemar: { compute: ({ b, c }) => mcnemarFields({ onlyCandidate: b, onlyBaseline: c }) },
      tangoNoninferiority: {
        compute: ({ margin, alpha, ...letters }) => {
          const found = computed(pairedNoninferiorityTest(countsOf(letters), margin));
          const { lower } = computed(pairedRiskDifferenceBounds(countsOf(letters), alpha));
          expect(lower > -margin).toBe(found.pValue <= alpha);
          return {
            z: found.statistic,
            pValue: found.pValue,
            lowerBoundOneSided: lower,
            noninferior: found.pValue <= alpha,
          };
        },
      },
      publishedInterval: {
        compute: ({ method, confidence, ...letters }) => {
          const interval = methods[method];
          if (interval === undefined) throw new Error(`no method ${method}`);
          return { ...computed(interval(countsOf(letters), confidence)) };
        },
      },
      publishedP: {
        compute: ({ b, c, kind }) => {
          const fields = mcnemarFields({ onlyCandidate: b, onlyBaseline: c });
          return { p: Object.entries(fields).find(([name]) => name === kind)?.[1] };
        },
      },
    },
    leftOutMethods: [],
  });
});

const cell = fc.nat({ max: 60 });
const tables = fc
  .record({ a: cell, b: cell, c: cell, d: cell })
  .filter(({ a, b, c, d }) => a + b + c + d > 0);
const settings = { seed: 20260806, numRuns: 150 };
const nothing = { status: 'indeterminate', reason: 'no-units' };

describe.each(Object.entries(methods))('the %s interval', (name, interval) => {
  test('mirrors when the arms swap, holds the estimate, and widens with the level', () => {
    fc.assert(
      fc.property(tables, (letters) => {
        const { a, b, c, d } = letters;
        const found = interval(countsOf(letters), 0.9);
        const mirrored = interval(countsOf({ a, b: c, c: b, d }), 0.9);
        const wider = interval(countsOf(letters), 0.99);
        if ('status' in found) {
          expect(mirrored).toEqual(found);
          return;
        }
        const other = computed(mirrored);
        const estimate = (b - c) / (a + b + c + d);
        // Bonett and Price's and Agresti and Min's estimates are drawn to 0, and may leave out an extreme one.
        const reach = name === 'bonettPrice' || name === 'agrestiMin' ? 0.25 : 1e-12;
        expect(other.lower).toBeCloseTo(-found.upper, 12);
        expect(other.upper).toBeCloseTo(-found.lower, 12);
        expect(found.lower).toBeLessThanOrEqual(estimate + reach);
        expect(found.upper).toBeGreaterThanOrEqual(estimate - reach);
        expect(computed(wider).lower).toBeLessThanOrEqual(found.lower);
        expect(computed(wider).upper).toBeGreaterThanOrEqual(found.upper);
      }),
      settings,
    );
  });

  test('needs a unit, and counts and a level that can be', () => {
    const empty = countsOf({ a: 0, b: 0, c: 0, d: 0 });
    const reason = name === 'conditionalExact' ? 'no-discordant-pairs' : 'no-units';
    expect(interval(empty, 0.95)).toEqual({ ...nothing, reason });
    expectRefusal(
      () => interval(countsOf({ a: 1, b: 1, c: -1, d: 1 }), 0.95),
      'onlyBaseline must be a whole number of at least 0, got -1',
    );
    expectRefusal(
      () => interval(countsOf({ a: 1, b: 1, c: 1, d: 1 }), 1),
      'level must be a probability strictly between 0 and 1, got 1',
    );
  });
});

describe('closed intervals without width', () => {
  test.each([
    ['wald', { a: 10, b: 0, c: 0, d: 10 }],
    ['newcombe8', { a: 10, b: 0, c: 0, d: 10 }],
    ['newcombe9Cc', { a: 10, b: 0, c: 0, d: 10 }],
    ['wald', { a: 0, b: 4, c: 0, d: 0 }],
  ])('%s of %j is indeterminate, not a point', (name, letters) => {
    expect(methods[name]?.(countsOf(letters), 0.95)).toEqual({
      status: 'indeterminate',
      reason: 'zero-width-interval',
    });
  });
});

describe('mcnemarMidP and mcnemarAsymptotic', () => {
  test('mid-p lies between the exact tail beyond the result and the one with it, on every table up to 30 pairs', () => {
    for (let total = 1; total <= 30; total += 1) {
      for (let gains = 0; gains <= total; gains += 1) {
        const counts = { onlyCandidate: gains, onlyBaseline: total - gains };
        const mid = mcnemarMidP(counts);
        expect(mid.pGreater).toBeLessThan(mcnemarExact(counts).pGreater);
        expect(mid.pGreater + mid.pLess).toBeCloseTo(1, 12);
        expect(mid.pTwoSided).toBeLessThanOrEqual(1);
      }
    }
  });

  test('the continuity correction never makes p smaller', () => {
    fc.assert(
      fc.property(fc.nat(200), fc.nat(200), (onlyCandidate, onlyBaseline) => {
        const counts = { onlyCandidate, onlyBaseline };
        const plain = mcnemarAsymptotic(counts, false).pTwoSided;
        expect(mcnemarAsymptotic(counts, true).pTwoSided).toBeGreaterThanOrEqual(plain);
      }),
      settings,
    );
  });

  test('refuse counts that are not whole', () => {
    const message = 'onlyBaseline must be a whole number of at least 0, got 0.5';
    expectRefusal(() => mcnemarMidP({ onlyCandidate: 1, onlyBaseline: 0.5 }), message);
    expectRefusal(() => mcnemarAsymptotic({ onlyCandidate: 1, onlyBaseline: 0.5 }, true), message);
  });
});

describe('pairedNoninferiorityTest', () => {
  test('a margin of 0 tests superiority by the signed root of the chi-square', () => {
    const counts = countsOf({ a: 10, b: 6, c: 16, d: 4 });
    const { statistic, pValue } = computed(pairedNoninferiorityTest(counts, 0));
    expect(statistic).toBeCloseTo(-10 / Math.sqrt(22), 12);
    expect(pValue).toBeCloseTo(normalUpper(statistic), 14);
  });

  test('needs units and a margin from 0 to 1', () => {
    expect(pairedNoninferiorityTest(countsOf({ a: 0, b: 0, c: 0, d: 0 }), 0.1)).toEqual(nothing);
    expectRefusal(
      () => pairedNoninferiorityTest(countsOf({ a: 1, b: 0, c: 0, d: 0 }), -0.1),
      'margin must be a number from 0 to 1, got -0.1',
    );
  });
});
