import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { tUpperQuantile } from '../../src/stats/distribution.ts';
import { rosterBounds } from '../../src/stats/fixed-roster.ts';
import { isIndeterminate } from '../../src/stats/interval.ts';
import { meanDifferenceBounds } from '../../src/stats/mean-difference.ts';
import { computed, expectRefusal } from '../support/statistics.ts';

const unit = fc.array(fc.integer({ min: -8, max: 8 }), { minLength: 2, maxLength: 5 });
const roster = fc.array(unit, { minLength: 1, maxLength: 6 });

describe('rosterBounds', () => {
  test('adds the variances of unit means by hand: units 2 and 5, variances 1 / 3 and 3 / 3', () => {
    const found = computed(
      rosterBounds(
        [
          [1, 2, 3],
          [4, 4, 7],
        ],
        0.025,
      ),
    );
    expect(found.estimate).toBe(3.5);
    expect(found.variance).toBeCloseTo((1 / 3 + 1) / 4, 14);
    expect(found.df).toBeCloseTo((4 / 3) ** 2 / (1 / 9 / 2 + 1 / 2), 12);
    expect(found.lower).toBeCloseTo(3.5 - tUpperQuantile(0.025, 3.2) * Math.sqrt(1 / 3), 12);
    expect(found.lower).toBeCloseTo(1.725901390256, 9);
  });

  test("is Student's interval of the repeats when one unit is listed", () => {
    const repeats = [0.2, 0.5, 0.1, 0.9];
    const student = computed(meanDifferenceBounds(repeats, 0.05));
    const found = computed(rosterBounds([repeats], 0.05));
    expect(found.lower).toBeCloseTo(student.lower, 13);
    expect(found.upper).toBeCloseTo(student.upper, 13);
    expect(found.df).toBe(3);
  });

  test('takes its degrees of freedom from the units that vary', () => {
    const found = computed(
      rosterBounds(
        [
          [1, 1],
          [1, 1],
          [0, 1],
        ],
        0.025,
      ),
    );
    expect(found.df).toBe(1);
  });

  test.each([
    [[], 'no-units'],
    [[[1, 2], [3]], 'too-few-repeats'],
    [
      [
        [1, 1],
        [0, 0],
      ],
      'constant-repeats',
    ],
    [
      [
        [0.1 + 0.2, 0.3],
        [0, 0],
      ],
      'constant-repeats',
    ],
    [
      [
        [0, 0],
        [0, 0],
      ],
      'constant-repeats',
    ],
  ])('says of %j that it is indeterminate: %s', (units, reason) => {
    expect(rosterBounds(units, 0.025)).toEqual({ status: 'indeterminate', reason });
  });

  test('refuses what is not a number and an error outside (0, 0.5)', () => {
    expectRefusal(
      () => rosterBounds([[1, Number.NaN]], 0.025),
      'units[0][1] must be a finite number, got NaN',
    );
    expectRefusal(
      () => rosterBounds([[1, 2]], 0.5),
      'error must be a one-sided error strictly between 0 and 0.5, got 0.5',
    );
  });

  test('flips with its arms, ignores the order of units and widens with a smaller error', () => {
    fc.assert(
      fc.property(roster, (units) => {
        const found = rosterBounds(units, 0.025);
        if (isIndeterminate(found)) return;
        const flipped = computed(
          rosterBounds(
            units.map((each) => each.map((x) => -x)),
            0.025,
          ),
        );
        expect(flipped.lower).toBeCloseTo(-found.upper, 9);
        const reversed = computed(rosterBounds([...units].reverse(), 0.025));
        expect(reversed.lower).toBeCloseTo(found.lower, 9);
        expect(computed(rosterBounds(units, 0.01)).lower).toBeLessThan(found.lower);
        expect(found.lower).toBeLessThan(found.estimate);
      }),
      { seed: 4 },
    );
  });
});
