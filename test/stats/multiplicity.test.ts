import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { normalUpper, normalUpperQuantile } from '../../src/stats/distribution.ts';
import {
  benjaminiHochbergAdjust,
  benjaminiYekutieliAdjust,
  bonferroniAdjust,
  hochbergAdjust,
  holmAdjust,
  holmByBounds,
  holmSidakAdjust,
  hommelAdjust,
  sidakAdjust,
  simesGlobalP,
  stepDownByBounds,
} from '../../src/stats/multiplicity.ts';
import {
  type BoundedClaim,
  fallbackProcedure,
  fixedSequenceAdjust,
  holmLowerBounds,
  intersectionUnionP,
} from '../../src/stats/several-claims.ts';
import { readReference, referenceTests } from '../support/reference.ts';
import { expectRefusal } from '../support/statistics.ts';

function verdict(adjusted: readonly number[], alpha: number): Record<string, unknown> {
  return { adjusted, rejected: adjusted.map((p) => p <= alpha) };
}

/** Claims about normal estimates: the p-value against 0 and the ordinary bound. */
function normalClaims(
  estimates: readonly number[],
  standardErrors: readonly number[],
): BoundedClaim[] {
  return estimates.map((estimate, index) => {
    const standardError = standardErrors[index] ?? Number.NaN;
    return {
      pValue: normalUpper(estimate / standardError),
      lowerAt: (error) => estimate - normalUpperQuantile(error) * standardError,
    };
  });
}

describe('several candidates', () => {
  referenceTests('multiplicity.json', {
    methods: {
      adjust: {
        compute: ({ p, alpha }) => ({
          bonferroni: verdict(bonferroniAdjust(p), alpha),
          holm: verdict(holmAdjust(p), alpha),
          hochberg: verdict(hochbergAdjust(p), alpha),
          hommel: verdict(hommelAdjust(p), alpha),
          bh: verdict(benjaminiHochbergAdjust(p), alpha),
          by: verdict(benjaminiYekutieliAdjust(p), alpha),
          sidak: verdict(sidakAdjust(p), alpha),
          holmSidak: verdict(holmSidakAdjust(p), alpha),
        }),
      },
      fixedSequence: { compute: ({ p, alpha }) => verdict(fixedSequenceAdjust(p), alpha) },
      fallback: {
        compute: ({ p, weights, alpha }) => {
          const claims = p.map((pValue: number, index: number) => ({
            pValue,
            weight: weights[index],
          }));
          const steps = fallbackProcedure(claims, alpha);
          return {
            rejected: steps.map((step) => step.rejected),
            levels: steps.map((step) => step.significanceLevel),
          };
        },
      },
      intersectionUnion: {
        compute: ({ p, alpha }) => ({
          allP: intersectionUnionP(p),
          allPass: intersectionUnionP(p) <= alpha,
          bonferroniGlobal: Math.min(...bonferroniAdjust(p)),
          simes: simesGlobalP(p),
        }),
      },
      holmLowerBounds: {
        compute: ({ estimates, standardErrors, alpha }) => {
          const claims = normalClaims(estimates, standardErrors);
          const pValues = claims.map((claim) => claim.pValue);
          return {
            pOneSided: pValues,
            rejected: holmAdjust(pValues).map((p) => p <= alpha),
            holmLower: holmLowerBounds(claims, alpha),
            bonferroniLower: claims.map((claim) => claim.lowerAt(alpha / claims.length)),
          };
        },
      },
    },
    leftOutMethods: [],
  });
});

/** The answers of candidates whose gates clear exactly when p ≤ alpha / k. */
function clearsFor(pValues: readonly number[], alpha: number): boolean[][] {
  return pValues.map((p) => pValues.map((_, index) => p * (index + 1) <= alpha));
}

describe('stepDownByBounds', () => {
  test('is Holm with the number of those left as divisor, whatever clears', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 5 }).chain((count) =>
          fc.array(fc.array(fc.boolean(), { minLength: count, maxLength: count }), {
            minLength: count,
            maxLength: count,
          }),
        ),
        (levels) => {
          const steps = stepDownByBounds({
            count: levels.length,
            divisorOf: (open) => open.length,
            clears: (at, divisor) => levels[at]?.[divisor - 1] === true,
          });
          expect(steps).toEqual(holmByBounds(levels));
        },
      ),
    );
  });

  test('rejects no fewer at smaller divisors, and shows those it does not reject at the count', () => {
    // p of 0.011, 0.02 and 0.03 at an error of 0.025: clears divisors up to 2.27, 1.25 and none.
    const clears = (at: number, divisor: number): boolean =>
      ([0.011, 0.02, 0.03][at] ?? 1) * divisor <= 0.025;
    const family = (shrink: number) =>
      stepDownByBounds({ count: 3, divisorOf: (open) => 1 + shrink * (open.length - 1), clears });
    expect(family(1).map(({ rejected }) => rejected)).toEqual([false, false, false]);
    expect(family(0.6)).toEqual([
      { rejected: true, step: 1, divisor: 2.2 },
      { rejected: false, step: 2, divisor: 3 },
      { rejected: false, step: 3, divisor: 3 },
    ]);
    expect(family(0.2).map(({ rejected, divisor }) => [rejected, divisor])).toEqual([
      [true, 1.4],
      [true, 1.2],
      [false, 3],
    ]);
  });

  test('never lets a divisor grow from step to step, and clears every whole divisor below', () => {
    const growing = stepDownByBounds({
      count: 2,
      divisorOf: (open) => (open.length === 2 ? 1.2 : 1.9),
      clears: (_, divisor) => divisor < 1.5,
    });
    expect(growing.map(({ divisor }) => divisor)).toEqual([1.2, 1.2]);
    const gap = {
      count: 2,
      divisorOf: () => 1.5,
      clears: (_: number, divisor: number) => divisor > 1,
    };
    expect(stepDownByBounds(gap).some(({ rejected }) => rejected)).toBe(false);
  });
});

describe('holmByBounds', () => {
  test('rejects what Holm rejects, on every reference case', () => {
    const cases = readReference('multiplicity.json').cases.filter(
      ({ method }) => method === 'adjust',
    );
    expect(cases).toHaveLength(10);
    for (const { input, expected } of cases) {
      const { rejected } = expected['holm'] as { rejected: boolean[] };
      expect(holmByBounds(clearsFor(input.p, input.alpha)).map((step) => step.rejected)).toEqual(
        rejected,
      );
    }
  });

  test('agrees with the bounds of normal estimates in the reference', () => {
    const cases = readReference('multiplicity.json').cases.filter(
      ({ method }) => method === 'holmLowerBounds',
    );
    expect(cases).toHaveLength(3);
    for (const { input, expected } of cases) {
      const p: number[] = input.estimates.map((estimate: number, index: number) =>
        normalUpper(estimate / input.standardErrors[index]),
      );
      expect(holmByBounds(clearsFor(p, input.alpha)).map((step) => step.rejected)).toEqual(
        expected['rejected'],
      );
    }
  });

  test('rejects what the adjusted p-values reject, whatever the p-values', () => {
    // Sixteenths are exact in doubles, so both comparisons see the same ties.
    const p = fc.integer({ min: 1, max: 64 }).map((value) => value / 1024);
    fc.assert(
      fc.property(fc.array(p, { maxLength: 8 }), (pValues) => {
        const steps = holmByBounds(clearsFor(pValues, 1 / 16));
        expect(steps.map((step) => step.rejected)).toEqual(
          holmAdjust(pValues).map((value) => value <= 1 / 16),
        );
        expect(steps.map((step) => step.step).sort((a, b) => a - b)).toEqual(
          pValues.map((_, index) => index + 1),
        );
      }),
      { seed: 20260809, numRuns: 500 },
    );
  });

  test('a candidate that clears a level but not a smaller divisor has not cleared it', () => {
    expect(holmByBounds([[false, true]].concat([[true, false]]))).toEqual([
      { rejected: false, step: 2, divisor: 2 },
      { rejected: false, step: 1, divisor: 2 },
    ]);
  });

  test('ties go by position, and the divisor falls by one at every step', () => {
    const all = [true, true, true];
    expect(holmByBounds([all, all, all])).toEqual([
      { rejected: true, step: 1, divisor: 3 },
      { rejected: true, step: 2, divisor: 2 },
      { rejected: true, step: 3, divisor: 1 },
    ]);
  });

  test('a failed first step keeps everybody at error/m', () => {
    expect(
      holmByBounds([
        [true, true, false],
        [true, false, false],
        [true, true, false],
      ]),
    ).toEqual([
      { rejected: false, step: 1, divisor: 3 },
      { rejected: false, step: 3, divisor: 3 },
      { rejected: false, step: 2, divisor: 3 },
    ]);
  });

  test('one candidate is plain testing, none is an empty list', () => {
    expect(holmByBounds([[true]])).toEqual([{ rejected: true, step: 1, divisor: 1 }]);
    expect(holmByBounds([[false]])).toEqual([{ rejected: false, step: 1, divisor: 1 }]);
    expect(holmByBounds([])).toEqual([]);
  });

  test('refuses a candidate without an answer for every divisor', () => {
    expectRefusal(
      () => holmByBounds([[true, true], [true]]),
      'clears[1] must hold 2 answers, one per divisor, got 1',
    );
  });
});

describe('adjusted p-values', () => {
  test('PB-41: a value at the boundary is rejected by every correction alike', () => {
    const rejects = (adjusted: number[]): boolean[] => adjusted.map((p) => p <= 0.05);
    expect(rejects(benjaminiHochbergAdjust([0.05, 0.05]))).toEqual([true, true]);
    const four = [0.0125, 0.0125, 0.0125, 0.0125];
    expect(rejects(bonferroniAdjust(four))).toEqual([true, true, true, true]);
    expect(rejects(holmAdjust(four))).toEqual([true, true, true, true]);
  });

  test('an empty list stays empty, and the argument stays as it was', () => {
    const p = Object.freeze([0.3, 0.01]);
    for (const adjust of [bonferroniAdjust, holmAdjust, benjaminiHochbergAdjust]) {
      expect(adjust([])).toEqual([]);
      expect(adjust(p)).toHaveLength(2);
    }
    expect(p).toEqual([0.3, 0.01]);
  });

  test.each([bonferroniAdjust, holmAdjust, benjaminiHochbergAdjust])(
    '%o refuses NaN by its place',
    (adjust) => {
      expectRefusal(
        () => adjust([0.5, Number.NaN]),
        'pValues[1] must be a probability from 0 to 1, got NaN',
      );
    },
  );
});
