import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  benjaminiHochbergAdjust,
  benjaminiYekutieliAdjust,
  bonferroniAdjust,
  hochbergAdjust,
  holmAdjust,
  holmSidakAdjust,
  hommelAdjust,
  sidakAdjust,
  simesGlobalP,
} from '../../src/stats/multiplicity.ts';
import {
  fallbackProcedure,
  fixedSequenceAdjust,
  holmLowerBounds,
  intersectionUnionP,
} from '../../src/stats/several-claims.ts';
import { expectRefusal } from '../support/statistics.ts';

const pLists = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 1, maxLength: 9 });
const settings = { seed: 20260810, numRuns: 200 };

/** Hommel's adjusted p-value of one claim by its definition: the largest Simes p-value of any set that holds the claim. */
function hommelByClosure(pValues: readonly number[], claim: number): number {
  let largest = 0;
  for (let mask = 0; mask < 2 ** pValues.length; mask += 1) {
    const members = pValues.filter((_, index) => Math.floor(mask / 2 ** index) % 2 === 1);
    const holds = Math.floor(mask / 2 ** claim) % 2 === 1;
    if (holds) largest = Math.max(largest, simesGlobalP(members));
  }
  return largest;
}

describe('adjusted p-values', () => {
  test('Hommel is the closed test by Simes, on lists of up to nine', () => {
    fc.assert(
      fc.property(pLists, (pValues) => {
        const adjusted = hommelAdjust(pValues);
        pValues.forEach((_, index) => {
          expect(adjusted[index]).toBeCloseTo(hommelByClosure(pValues, index), 12);
        });
      }),
      { seed: 20260811, numRuns: 60 },
    );
  });

  test('none is below its p-value or above 1, and sharper procedures never give more', () => {
    fc.assert(
      fc.property(pLists, (pValues) => {
        const chains = [
          [hommelAdjust, hochbergAdjust, holmAdjust, bonferroniAdjust],
          [holmSidakAdjust, sidakAdjust, bonferroniAdjust],
          [benjaminiHochbergAdjust, benjaminiYekutieliAdjust],
          [benjaminiHochbergAdjust, hochbergAdjust],
        ];
        for (const chain of chains) {
          const adjusted = chain.map((procedure) => procedure(pValues));
          pValues.forEach((p, index) => {
            const found = [p, ...adjusted.map((each) => each[index] ?? Number.NaN), 1];
            for (const [at, value] of found.slice(1).entries()) {
              expect(value).toBeGreaterThanOrEqual((found[at] ?? 0) * (1 - 1e-12));
            }
          });
        }
      }),
      settings,
    );
  });

  test.each([
    [hochbergAdjust],
    [hommelAdjust],
    [benjaminiYekutieliAdjust],
    [sidakAdjust],
    [holmSidakAdjust],
    [fixedSequenceAdjust],
  ])('%o keeps an empty list and refuses what is no probability', (procedure) => {
    expect(procedure([])).toEqual([]);
    expectRefusal(
      () => procedure([0.1, 1.1]),
      'pValues[1] must be a probability from 0 to 1, got 1.1',
    );
  });

  test('a tiny p keeps its digits under Sidak', () => {
    expect((sidakAdjust([1e-20, 0.5])[0] ?? 0) / 2e-20).toBeCloseTo(1, 14);
  });
});

describe('fallbackProcedure', () => {
  test('a rejected claim hands on its level, a kept one nothing', () => {
    const claims = [
      { pValue: 0.001, weight: 0.5 },
      { pValue: 0.9, weight: 0.25 },
      { pValue: 0.025, weight: 0.25 },
    ];
    expect(fallbackProcedure(claims, 1 / 16)).toEqual([
      { significanceLevel: 1 / 32, rejected: true },
      { significanceLevel: 3 / 64, rejected: false },
      { significanceLevel: 1 / 64, rejected: false },
    ]);
    expect(fallbackProcedure([], 0.05)).toEqual([]);
  });

  test('the whole weight on the first claim is the fixed sequence', () => {
    fc.assert(
      fc.property(pLists, (pValues) => {
        const claims = pValues.map((pValue, index) => ({ pValue, weight: index === 0 ? 1 : 0 }));
        expect(fallbackProcedure(claims, 0.3).map((step) => step.rejected)).toEqual(
          // A level of 0 rejects a p of exactly 0, which the fixed sequence would keep.
          fixedSequenceAdjust(pValues).map((p, index) => p <= 0.3 || pValues[index] === 0),
        );
      }),
      settings,
    );
  });

  test('refuses weights beyond 1, and numbers that are no probabilities', () => {
    expectRefusal(
      () =>
        fallbackProcedure(
          [
            { pValue: 0.1, weight: 0.75 },
            { pValue: 0.1, weight: 0.5 },
          ],
          0.05,
        ),
      'the weights of the claims must add up to at most 1, got 1.25',
    );
    expectRefusal(
      () => fallbackProcedure([{ pValue: 0.1, weight: -1 }], 0.05),
      'claims[0].weight must be a probability from 0 to 1, got -1',
    );
    expectRefusal(
      () => fallbackProcedure([{ pValue: 2, weight: 1 }], 0.05),
      'claims[0].pValue must be a probability from 0 to 1, got 2',
    );
    expectRefusal(
      () => fallbackProcedure([], 1),
      'significanceLevel must be a probability strictly between 0 and 1, got 1',
    );
  });
});

describe('intersectionUnionP and simesGlobalP', () => {
  test('all claims need the weakest; no claims are no evidence', () => {
    expect(intersectionUnionP([0.2, 0.001, 0.004])).toBe(0.2);
    expect(simesGlobalP([])).toBe(1);
    expectRefusal(() => intersectionUnionP([]), 'pValues must hold at least one p-value, got none');
  });
});

describe('holmLowerBounds', () => {
  test('asks for each bound at the error of its claim', () => {
    const asked: number[] = [];
    const claim = (pValue: number) => ({
      pValue,
      lowerAt: (error: number) => {
        asked.push(error);
        return -error;
      },
    });
    expect(holmLowerBounds([claim(0.001), claim(0.5), claim(0.6)], 0.03)).toEqual([
      0, -0.015, -0.015,
    ]);
    expect(asked).toEqual([0.015, 0.015]);
    expect(holmLowerBounds([], 0.03)).toEqual([]);
    expectRefusal(
      () => holmLowerBounds([], 0.5),
      'error must be a one-sided error strictly between 0 and 0.5, got 0.5',
    );
  });
});
