import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import * as c from '../../src/stats/chi-square.ts';
import { normalUpper, tUpper } from '../../src/stats/distribution.ts';
import { readReference } from '../support/reference.ts';
import { expectRefusal } from '../support/statistics.ts';

const settings = { seed: 20260901, numRuns: 300 };
const tail = fc.double({ min: 1e-12, max: 1 - 1e-12, noNaN: true });
const degrees = fc.double({ min: 0.5, max: 1e5, noNaN: true });

describe('chi-square', () => {
  test('keeps ten digits where the reference file asks for nine', () => {
    const cases = readReference('distributions.json').cases.filter(({ method }) =>
      method.startsWith('chi2.'),
    );
    const compute: Readonly<Record<string, (point: Record<string, number>) => number>> = {
      'chi2.cdf': ({ x = 0, df = 0 }) => c.chiSquareCdf(x, df),
      'chi2.sf': ({ x = 0, df = 0 }) => c.chiSquareUpper(x, df),
      'chi2.ppf': ({ p = 0, df = 0 }) => c.chiSquareQuantile(p, df),
      'chi2.isf': ({ q = 0, df = 0 }) => c.chiSquareUpperQuantile(q, df),
    };
    const errors = cases.flatMap(({ method, input, expected }) => {
      const values = expected['values'] as readonly number[];
      return values.map((value, index) =>
        Math.abs((compute[method]?.(input.points[index]) ?? Number.NaN) / value - 1),
      );
    });
    expect(errors.length).toBe(54);
    expect(Math.max(...errors)).toBeLessThan(1e-10);
  });

  test('of one degree of freedom is the square of a normal', () => {
    fc.assert(
      fc.property(fc.double({ min: 1e-3, max: 30, noNaN: true }), (z) => {
        expect(c.chiSquareUpper(z * z, 1) / (2 * normalUpper(z))).toBeCloseTo(1, 12);
      }),
      settings,
    );
  });

  test('quantiles lead back to their tail', () => {
    fc.assert(
      fc.property(tail, degrees, (p, df) => {
        expect(c.chiSquareCdf(c.chiSquareQuantile(p, df), df) / p).toBeCloseTo(1, 9);
        expect(c.chiSquareUpper(c.chiSquareUpperQuantile(p, df), df) / p).toBeCloseTo(1, 9);
      }),
      settings,
    );
  });

  test('edges and refusals', () => {
    expect([c.chiSquareCdf(0, 3), c.chiSquareUpper(-1, 3)]).toEqual([0, 1]);
    expect(c.chiSquareUpper(Number.POSITIVE_INFINITY, 3)).toBe(0);
    expectRefusal(() => c.chiSquareCdf(1, 0), 'df must be a finite number above 0, got 0');
    expectRefusal(
      () => c.chiSquareQuantile(1, 3),
      'lowerTail must be a probability strictly between 0 and 1, got 1',
    );
  });
});

describe('F', () => {
  test('with one numerator degree is the square of a t', () => {
    fc.assert(
      fc.property(fc.double({ min: 1e-3, max: 1e3, noNaN: true }), degrees, (t, df) => {
        const twoTails = 2 * tUpper(t, df);
        fc.pre(twoTails > 1e-290);
        const square = c.fUpper(t * t, { numerator: 1, denominator: df });
        expect(square / twoTails).toBeCloseTo(1, 9);
      }),
      settings,
    );
  });

  test('quantiles lead back to their tail, and swapping the degrees inverts the ratio', () => {
    fc.assert(
      fc.property(tail, degrees, degrees, (p, numerator, denominator) => {
        const df = { numerator, denominator };
        const high = c.fUpperQuantile(p, df);
        expect(c.fUpper(high, df) / p).toBeCloseTo(1, 6);
        expect(
          c.fQuantile(p, { numerator: denominator, denominator: numerator }) * high,
        ).toBeCloseTo(1, 9);
      }),
      settings,
    );
  });

  test('edges and refusals', () => {
    const df = { numerator: 2, denominator: 3 };
    expect([c.fCdf(0, df), c.fUpper(-1, df)]).toEqual([0, 1]);
    expect(c.fUpper(Number.POSITIVE_INFINITY, df)).toBe(0);
    expectRefusal(
      () => c.fCdf(1, { numerator: 0, denominator: 3 }),
      'numerator must be a finite number above 0, got 0',
    );
  });
});

describe('edges of chi-square and F', () => {
  test('every argument is refused by its name', () => {
    const df = { numerator: 2, denominator: 3 };
    expectRefusal(() => c.chiSquareUpper(1, -1), 'df must be a finite number above 0, got -1');
    expectRefusal(() => c.chiSquareQuantile(0.5, 0), 'df must be a finite number above 0, got 0');
    expectRefusal(
      () => c.chiSquareUpperQuantile(0.5, 0),
      'df must be a finite number above 0, got 0',
    );
    expectRefusal(
      () => c.chiSquareUpperQuantile(0, 3),
      'upperTail must be a probability strictly between 0 and 1, got 0',
    );
    expectRefusal(
      () => c.fQuantile(1, df),
      'lowerTail must be a probability strictly between 0 and 1, got 1',
    );
    expectRefusal(
      () => c.fUpperQuantile(0, df),
      'upperTail must be a probability strictly between 0 and 1, got 0',
    );
    expectRefusal(
      () => c.fUpper(1, { numerator: 1, denominator: 0 }),
      'denominator must be a finite number above 0, got 0',
    );
  });

  test('the tails of quantiles near 0 and near 1 keep their digits on both sides', () => {
    for (const df of [0.5, 1, 3, 40, 1e4]) {
      for (const p of [1e-15, 1e-300]) {
        const [low, high] = [c.chiSquareQuantile(p, df), c.chiSquareUpperQuantile(p, df)];
        if (low > 1e-300) expect(c.chiSquareCdf(low, df) / p, `${df} ${p}`).toBeCloseTo(1, 9);
        expect(c.chiSquareUpper(high, df) / p, `${df} ${p}`).toBeCloseTo(1, 9);
      }
      // The upper tail of a lower one near 1 is what rounding left of it: sought there, not on the rounded side.
      const p = 1 - 2 ** -50;
      expect(c.chiSquareUpper(c.chiSquareQuantile(p, df), df) / 2 ** -50).toBeCloseTo(1, 9);
      expect(c.chiSquareCdf(c.chiSquareUpperQuantile(p, df), df) / 2 ** -50).toBeCloseTo(1, 9);
    }
  });

  test('the whole of an F lies between 0 and infinity', () => {
    const df = { numerator: 2, denominator: 3 };
    expect([c.fCdf(0, df), c.fCdf(-1, df), c.fUpper(0, df), c.fUpper(-1, df)]).toEqual([
      0, 0, 1, 1,
    ]);
    expect([c.fCdf(Number.POSITIVE_INFINITY, df), c.fUpper(Number.POSITIVE_INFINITY, df)]).toEqual([
      1, 0,
    ]);
    expect(c.fCdf(-0.5, df)).toBe(0);
    // P(F > x) with 2 and 3 degrees is (1 + 2x/3)^(−3/2).
    expect(c.fUpper(6, df)).toBeCloseTo(5 ** -1.5, 14);
    expect(c.fUpperQuantile(5 ** -1.5, df)).toBeCloseTo(6, 12);
    expect(c.fQuantile(1 - 5 ** -1.5, df)).toBeCloseTo(6, 12);
  });
});
