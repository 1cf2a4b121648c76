import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { meanDifferenceBounds, meanDifferenceInterval } from '../../src/stats/mean-difference.ts';
import { sum } from '../../src/stats/summary.ts';
import { computed, expectRefusal } from '../support/statistics.ts';

const differences = fc.array(fc.integer({ min: -1000, max: 1000 }), {
  minLength: 2,
  maxLength: 40,
});

describe('meanDifferenceInterval', () => {
  test('holds the mean, flips with the arms, ignores order beyond rounding and widens with the level', () => {
    fc.assert(
      fc.property(differences, (values) => {
        fc.pre(new Set(values).size > 1);
        const mean = sum(values) / values.length;
        const found = computed(meanDifferenceInterval(values, 0.9));
        const swapped = computed(
          meanDifferenceInterval(
            values.map((value) => -value),
            0.9,
          ),
        );
        const reversed = computed(meanDifferenceInterval([...values].reverse(), 0.9));
        const wider = computed(meanDifferenceInterval(values, 0.95));
        expect(found.lower).toBeLessThan(mean);
        expect(found.upper).toBeGreaterThan(mean);
        expect(swapped.upper).toBe(-found.lower);
        expect(reversed.lower).toBeCloseTo(found.lower, 8);
        expect(wider.lower).toBeLessThan(found.lower);
        expect(wider.upper).toBeGreaterThan(found.upper);
      }),
      { seed: 20260804, numRuns: 300 },
    );
  });

  test.each([
    ['no unit', [], 'no-units'],
    ['one unit', [1], 'too-few-units'],
    ['the same difference everywhere', [0.5, 0.5, 0.5], 'constant-differences'],
    ['equal differences up to rounding', [0.3 - 0.2, 0.4 - 0.3, 0.2 - 0.1], 'constant-differences'],
    ['all ties', [0, 0, 0, 0], 'constant-differences'],
    ['a spread no double can hold', [1e200, -1e200, 3e199], 'spread-too-large'],
  ])('%s gives no interval', (_, values, reason) => {
    const nothing = { status: 'indeterminate', reason };
    expect(meanDifferenceInterval(Object.freeze([...values]), 0.95)).toEqual(nothing);
    expect(meanDifferenceBounds(Object.freeze([...values]), 0.025)).toEqual(nothing);
  });

  test('the bounds at error 0.025 are the interval at level 0.95', () => {
    const values = [1, 2, 4, 8];
    const bounds = computed(meanDifferenceBounds(values, 0.025));
    const interval = computed(meanDifferenceInterval(values, 0.95));
    expect(interval.lower).toBeCloseTo(bounds.lower, 12);
    expect(interval).toMatchObject({ method: 't', guarantee: 'asymptotic', level: 0.95 });
  });

  test('refuses a difference that is not finite, naming its place', () => {
    expectRefusal(
      () => meanDifferenceInterval([1, Number.NaN], 0.95),
      'differences[1] must be a finite number, got NaN',
    );
    expectRefusal(
      () => meanDifferenceBounds([1, 2], 0),
      'error must be a one-sided error strictly between 0 and 0.5, got 0',
    );
  });
});
