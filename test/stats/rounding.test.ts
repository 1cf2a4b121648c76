import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { roundSignificant } from '../../src/stats/rounding.ts';
import { expectRefusal } from '../support/statistics.ts';

describe('roundSignificant', () => {
  test.each([
    [0.1 + 0.2, 0.3],
    [1 / 3, 0.333333333333],
    [123456789012.4, 123456789012],
    [-2 / 3, -0.666666666667],
    [1.7976931348623157e308, 1.79769313486e308],
    [5e-324, 5e-324],
    [0, 0],
    [-0, 0],
  ])('%f becomes %f', (value, wanted) => {
    expect(roundSignificant(value)).toBe(wanted);
  });

  test('noise below 1e-12 of the range becomes 0, from either side', () => {
    expect(roundSignificant(9.9e-13, 1)).toBe(0);
    expect(roundSignificant(-9.9e-13, 1)).toBe(0);
    expect(roundSignificant(1.1e-12, 1)).toBe(1.1e-12);
    expect(roundSignificant(9e-11, 100)).toBe(0);
    expect(roundSignificant(1e-12, 1)).toBe(1e-12);
    expect(Object.is(roundSignificant(-1e-13, 1), 0)).toBe(true);
    expect(roundSignificant(1e-300)).toBe(1e-300);
  });

  test('rounding twice changes nothing, and moves a number by at most half a unit in the twelfth digit', () => {
    fc.assert(
      fc.property(fc.double({ min: -1e300, max: 1e300, noNaN: true }), (value) => {
        fc.pre(Math.abs(value) > 1e-290);
        const once = roundSignificant(value);
        expect(roundSignificant(once)).toBe(once);
        expect(Math.abs(once / value - 1)).toBeLessThan(5.0001e-12);
      }),
      { seed: 20260811, numRuns: 2000 },
    );
  });

  test('refuses what is not finite and a negative range', () => {
    expectRefusal(() => roundSignificant(Number.NaN), 'value must be a finite number, got NaN');
    expectRefusal(
      () => roundSignificant(Number.POSITIVE_INFINITY),
      'value must be a finite number, got Infinity',
    );
    expectRefusal(
      () => roundSignificant(1, -1),
      'range must be a finite number of at least 0, got -1',
    );
  });
});
