import { describe, expect, expectTypeOf, test } from 'vitest';
import {
  errorPerSide,
  type Indeterminate,
  type Interval,
  indeterminate,
  isIndeterminate,
} from '../../src/stats/interval.ts';

describe('isIndeterminate', () => {
  test.each([
    [indeterminate('no-units'), true],
    [{ status: 'indeterminate', reason: 7 }, false],
    [{ status: 'indeterminate' }, false],
    [{ status: 'reachable', reason: 'x' }, false],
    [{ lower: 0, upper: 1 }, false],
    [null, false],
    [undefined, false],
    [0, false],
    ['indeterminate', false],
  ])('%j: %s', (value, wanted) => {
    expect(isIndeterminate(value)).toBe(wanted);
  });

  test('narrows a result to its interval', () => {
    const narrow = (result: Interval | Indeterminate): number => {
      if (isIndeterminate(result)) return Number.NaN;
      expectTypeOf(result).toEqualTypeOf<Interval>();
      return result.lower;
    };
    expect(narrow(indeterminate('no-units'))).toBeNaN();
  });
});

describe('errorPerSide', () => {
  test('halves what the level leaves', () => {
    expect(errorPerSide(0.95)).toBeCloseTo(0.025, 15);
    expect(errorPerSide(0.5)).toBe(0.25);
  });
});
