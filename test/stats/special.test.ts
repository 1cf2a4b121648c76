import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  erfc,
  incompleteBeta,
  logGamma,
  normalCentre,
  normalDensity,
  normalFarTail,
  stirlingRemainder,
} from '../../src/stats/special.ts';

describe('logGamma', () => {
  test('is the logarithm of the factorials', () => {
    let factorial = 1;
    for (let n = 1; n <= 20; n += 1) {
      expect(logGamma(n)).toBeCloseTo(Math.log(factorial), 12);
      factorial *= n;
    }
  });

  test('obeys its recurrence and duplication for shapes small and huge', () => {
    fc.assert(
      fc.property(fc.double({ min: 1e-3, max: 1e6, noNaN: true }), (x) => {
        const size = Math.max(1, Math.abs(logGamma(2 * x)));
        expect(Math.abs(logGamma(x + 1) - logGamma(x) - Math.log(x)) / size).toBeLessThan(1e-13);
        const doubled =
          logGamma(x) + logGamma(x + 0.5) + (2 * x - 1) * Math.LN2 - 0.5 * Math.log(Math.PI);
        expect(Math.abs(logGamma(2 * x) - doubled) / size).toBeLessThan(1e-13);
      }),
      { seed: 20260812, numRuns: 1000 },
    );
  });
});

describe('stirlingRemainder', () => {
  test('falls towards 1/(12x)', () => {
    for (const x of [0.5, 1, 7.5, 16, 1000, 1e9]) {
      const remainder = stirlingRemainder(x);
      expect(remainder).toBeLessThanOrEqual(1 / (12 * x));
      expect(remainder).toBeGreaterThan(1 / (12 * x + 1));
    }
  });
});

describe('incompleteBeta', () => {
  test('swaps its tails when the arguments swap, and both add up to 1', () => {
    const shape = fc.double({ min: 0.01, max: 5000, noNaN: true });
    fc.assert(
      fc.property(shape, shape, fc.double({ min: 1e-6, max: 1 - 1e-6, noNaN: true }), (a, b, x) => {
        const { lower, upper } = incompleteBeta({ x, y: 1 - x }, { a, b });
        const swapped = incompleteBeta({ x: 1 - x, y: x }, { a: b, b: a });
        expect(swapped.upper).toBeCloseTo(lower, 12);
        expect(lower + upper).toBeCloseTo(1, 12);
        expect(lower).toBeGreaterThanOrEqual(0);
        expect(upper).toBeGreaterThanOrEqual(0);
      }),
      { seed: 20260813, numRuns: 1000 },
    );
  });

  test('obeys I_x(a, b) = I_x(a + 1, b) + kernel/a', () => {
    const shape = fc.double({ min: 0.05, max: 300, noNaN: true });
    fc.assert(
      fc.property(shape, shape, fc.double({ min: 0.001, max: 0.999, noNaN: true }), (a, b, x) => {
        const here = incompleteBeta({ x, y: 1 - x }, { a, b });
        const next = incompleteBeta({ x, y: 1 - x }, { a: a + 1, b });
        // x^a y^b / B(a, b), divided by a, is the step of the recurrence.
        expect(here.lower - next.lower).toBeCloseTo(here.kernel / a, 11);
      }),
      { seed: 20260814, numRuns: 1000 },
    );
  });

  test('is 0 and 1 at the ends', () => {
    expect(incompleteBeta({ x: 0, y: 1 }, { a: 2, b: 3 })).toMatchObject({ lower: 0, upper: 1 });
    expect(incompleteBeta({ x: 1, y: 0 }, { a: 2, b: 3 })).toMatchObject({ lower: 1, upper: 0 });
  });
});

describe('the normal tail', () => {
  test('series and continued fraction meet where one takes over', () => {
    for (let x = 1; x <= 3; x += 0.05) {
      expect(normalFarTail(x)).toBeCloseTo(0.5 - normalCentre(x), 14);
    }
  });

  test('the density keeps its digits far out and ends at 0', () => {
    expect(normalDensity(0)).toBeCloseTo(1 / Math.sqrt(2 * Math.PI), 16);
    expect(normalDensity(-37) / (Math.exp(-684.5) / Math.sqrt(2 * Math.PI))).toBeCloseTo(1, 10);
    expect(normalDensity(50)).toBe(0);
  });

  test('erfc mirrors at 0 and keeps its tail', () => {
    expect(erfc(0)).toBe(1);
    expect(erfc(0.5)).toBeCloseTo(0.4795001221869535, 15);
    expect(erfc(-0.5)).toBeCloseTo(2 - 0.4795001221869535, 15);
    expect(erfc(5) / 1.5374597944280349e-12).toBeCloseTo(1, 12);
  });
});
