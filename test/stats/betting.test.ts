import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  bettingBounds,
  bettingBracket,
  bettingLowerBound,
  bettingLowerClears,
  bettingTruncation,
  bettingUpperBound,
} from '../../src/stats/betting.ts';
import { resamplingStream } from '../../src/stats/random.ts';
import { sum } from '../../src/stats/summary.ts';
import { referenceTests } from '../support/reference.ts';
import { computed, expectRefusal, testSeed } from '../support/statistics.ts';

const unitRange = Object.freeze({ lower: 0, upper: 1 });
const differenceRange = Object.freeze({ lower: -1, upper: 1 });

describe('betting bounds', () => {
  referenceTests('sequential.json', {
    methods: {
      bettingFixedN: {
        compute: ({ x, alpha }) => ({
          ...computed(bettingBounds(x, { range: unitRange, error: alpha, truncation: 0.75 })),
        }),
      },
    },
    leftOutMethods: [
      'hedgedBetting',
      'empiricalBernstein',
      'signEProcess',
      'signEPath',
      'normalMixture',
      'asymptoticCs',
      'groupSequential',
      'publishedGroupSequential',
    ],
  });
});

const values = fc.array(fc.double({ min: -1, max: 1, noNaN: true }), {
  minLength: 1,
  maxLength: 60,
});

describe('bettingBounds', () => {
  test('hold the mean inside the range, flip with the arms and widen with a smaller error', () => {
    fc.assert(
      fc.property(values, (list) => {
        const options = { range: differenceRange, error: 0.05, truncation: bettingTruncation };
        const found = computed(bettingBounds(list, options));
        const flipped = computed(
          bettingBounds(
            list.map((value) => -value),
            options,
          ),
        );
        const wider = computed(bettingBounds(list, { ...options, error: 0.01 }));
        const mean = sum(list) / list.length;
        expect(found.lower).toBeGreaterThanOrEqual(-1);
        expect(found.upper).toBeLessThanOrEqual(1);
        expect(found.lower).toBeLessThan(mean + 1e-12);
        expect(found.upper).toBeGreaterThan(mean - 1e-12);
        expect(found.upper - found.lower).toBeGreaterThan(0);
        expect(flipped.upper).toBeCloseTo(-found.lower, 14);
        expect(wider.lower).toBeLessThanOrEqual(found.lower + 1e-12);
        expect(wider.upper).toBeGreaterThanOrEqual(found.upper - 1e-12);
      }),
      { seed: 20260806, numRuns: 300 },
    );
  });

  test('move and stretch with the declared range', () => {
    fc.assert(
      fc.property(values, (list) => {
        const narrow = computed(
          bettingBounds(list, { range: differenceRange, error: 0.05, truncation: 0.75 }),
        );
        const wide = computed(
          bettingBounds(
            list.map((value) => 100 * value + 50),
            { range: { lower: -50, upper: 150 }, error: 0.05, truncation: 0.75 },
          ),
        );
        expect(wide.lower).toBeCloseTo(100 * narrow.lower + 50, 9);
        expect(wide.upper).toBeCloseTo(100 * narrow.upper + 50, 9);
      }),
      { seed: 20260807, numRuns: 200 },
    );
  });

  test('a single unit refutes nothing under the reference truncation', () => {
    const options = { range: differenceRange, error: 0.025, truncation: 0.75 };
    expect(bettingBounds([1], options)).toEqual({ lower: -1, upper: 1 });
  });

  test('constant values still give a proper bound', () => {
    const options = { range: differenceRange, error: 0.025, truncation: bettingTruncation };
    const { lower, upper } = computed(
      bettingBounds(
        Array.from({ length: 100 }, () => 0),
        options,
      ),
    );
    expect(upper).toBeCloseTo(-lower, 12);
    expect(upper).toBeGreaterThan(0.03);
    expect(upper).toBeLessThan(0.05);
  });

  test('depend on the order, so the sealed order decides', () => {
    const options = { range: unitRange, error: 0.05, truncation: 0.75 };
    const list = [1, 1, 1, 1, 1, 1, 0.2, 0.2, 0.2, 0.2];
    expect(bettingLowerBound(list, options)).not.toBe(
      bettingLowerBound([...list].reverse(), options),
    );
  });

  test('no units give no bound', () => {
    const nothing = { status: 'indeterminate', reason: 'no-units' };
    const options = { range: unitRange, error: 0.05, truncation: 0.75 };
    expect(bettingLowerBound([], options)).toEqual(nothing);
    expect(bettingUpperBound([], options)).toEqual(nothing);
    expect(bettingBounds([], options)).toEqual(nothing);
  });

  test('a value beyond the range by rounding alone is pulled in, farther out it is refused by name', () => {
    const options = { range: unitRange, error: 0.05, truncation: 0.75 };
    const ones = Array.from({ length: 12 }, () => 1 + 2e-16);
    expect(computed(bettingLowerBound(ones, options))).toBeCloseTo(0.7256410695073503, 12);
    expectRefusal(
      () => bettingLowerBound([0.5, 1.5], { ...options, range: { lower: 0, upper: 1 } }),
      'values[1] must be a number from -1e-12 to 1.000000000001, got 1.5',
    );
    expectRefusal(
      () => bettingLowerBound([Number.NaN], options),
      'values[0] must be a number from -1e-12 to 1.000000000001, got NaN',
    );
  });

  test('forgives 1e-12 of the width, however wide the range', () => {
    for (const width of [1e-3, 1, 1000]) {
      const options = { range: { lower: -width, upper: 0 }, error: 0.05, truncation: 0.75 };
      const off = (by: number) => () => bettingLowerBound([by * width, -width / 2], options);
      const below = (by: number) => () => bettingLowerBound([-width - by * width], options);
      expect(off(0.9e-12)()).toBeGreaterThanOrEqual(-width);
      expect(below(0.9e-12)()).toBe(-width);
      expect(off(3e-12)).toThrow(/values\[0\] must be a number from/);
      expect(below(3e-12)).toThrow(/values\[0\] must be a number from/);
    }
  });

  test('refuses a range, an error or a truncation that cannot be', () => {
    const options = { range: unitRange, error: 0.05, truncation: 0.75 };
    expectRefusal(
      () => bettingLowerBound([1], { ...options, range: { lower: 1, upper: 1 } }),
      'range must have lower below upper, got 1 and 1',
    );
    expectRefusal(
      () => bettingLowerBound([1], { ...options, error: 0.7 }),
      'error must be a one-sided error strictly between 0 and 0.5, got 0.7',
    );
    expectRefusal(
      () => bettingLowerBound([1], { ...options, truncation: 1 }),
      'truncation must be a probability strictly between 0 and 1, got 1',
    );
  });

  /** The definition without any shortcut: bets from earlier units, capital against m, plain bisection of [0, 1]. */
  function slowLowerShare(shares: readonly number[], error: number, truncation: number): number {
    const bets = shares.map((_, index) => {
      const earlier = shares.slice(0, index);
      let [total, squares] = [0.5, 0.25];
      earlier.forEach((share, at) => {
        total += share;
        const centre = total / (at + 2);
        squares += (share - centre) * (share - centre);
      });
      return Math.sqrt((2 * Math.log(1 / error)) / (shares.length * (squares / (index + 1))));
    });
    const reaches = (m: number): boolean => {
      let capital = 1;
      return shares.some((share, index) => {
        capital *= 1 + Math.min(bets[index] ?? 0, truncation / m) * (share - m);
        return capital >= 1 / error;
      });
    };
    let [below, above] = [0, 1];
    while (above - below > 1e-15) {
      const middle = (below + above) / 2;
      if (reaches(middle)) below = middle;
      else above = middle;
    }
    return reaches(0) ? below : 0;
  }

  test.each([1, 2, 5, 20, 60, 200])(
    'are the plain bisection of their definition at %i units',
    (units) => {
      const stream = resamplingStream(testSeed(units));
      const shapes = [
        (u: number) => u,
        (u: number) => Math.round(4 * u) / 4,
        (u: number) => (u < 0.97 ? 0.6 : 0),
      ];
      for (const shape of shapes) {
        const list = Array.from({ length: units }, () => shape(stream.word() / 2 ** 32));
        for (const error of [0.05, 0.001]) {
          const options = { range: unitRange, error, truncation: bettingTruncation };
          const found = computed(bettingLowerBound(list, options));
          expect(Math.abs(found - slowLowerShare(list, error, bettingTruncation))).toBeLessThan(
            5e-15,
          );
        }
      }
    },
  );

  test('keep their error under nulls that hurt: rare large losses, fair coins, skewed scores', () => {
    const nulls: readonly { readonly mean: number; readonly draw: (u: number) => number }[] = [
      { mean: -0.05, draw: (u) => (u < 0.05 ? -1 : 0) },
      { mean: 0, draw: (u) => (u < 0.5 ? -1 : 1) },
      { mean: 0.8, draw: (u) => (u < 0.9 ? 1 : -1) },
      { mean: -1 / 3, draw: (u) => 2 * u * u - 1 },
    ];
    const trials = 2000;
    const stream = resamplingStream(testSeed(20260808));
    for (const { mean, draw } of nulls) {
      let misses = 0;
      for (let trial = 0; trial < trials; trial += 1) {
        const list = Array.from({ length: 30 }, () => draw(stream.word() / 2 ** 32));
        const options = { range: differenceRange, error: 0.05, truncation: bettingTruncation };
        misses += Number(computed(bettingLowerBound(list, options)) > mean);
      }
      const allowed = 0.05 + 4 * Math.sqrt((0.05 * 0.95) / trials);
      expect(misses / trials).toBeLessThanOrEqual(allowed);
    }
  });
});

describe('bettingBracket', () => {
  const options = Object.freeze({ range: unitRange, error: 0.025, truncation: bettingTruncation });
  const lists = [
    [0.5, 1, 0, 0.25, 0.75, 0.5, 1, 1, 1, 1, 0.5],
    Array.from({ length: 40 }, (_, at) => 0.55 + (at % 4) / 10),
    Array.from({ length: 200 }, (_, at) => (at % 9 === 0 ? 0 : 0.6)),
    Array.from({ length: 300 }, (_, at) => (at % 2 === 0 ? 0.9 : 0.1)),
    // The first hundred refute more than the mean of all is: the search goes beyond it.
    Array.from({ length: 160 }, (_, at) => (at < 100 ? 1 : 0)),
  ];

  test.each(lists.map((list) => [list.length, list] as const))(
    'of %i units holds the bound and is 2e-8 wide at most',
    (_, list) => {
      const { lower, upper } = bettingBracket(list, options);
      const bound = computed(bettingLowerBound(list, options));
      expect(bound).toBeGreaterThan(0);
      expect(lower).toBeLessThanOrEqual(bound);
      expect(upper).toBeGreaterThan(bound);
      expect(upper - lower).toBeGreaterThan(1e-12);
      expect(upper - lower).toBeLessThan(2.1e-8);
    },
  );

  test('is 2e-12 wide where the capital is steep', () => {
    for (const list of [lists[0], lists[2], lists[3], lists[4]]) {
      const { lower, upper } = bettingBracket(list ?? [], options);
      expect(upper - lower).toBeLessThan(2.1e-12);
    }
  });

  test('is the same share of every range', () => {
    const list = lists[1] ?? [];
    const wide = bettingBracket(
      list.map((value) => 20 * value - 10),
      { ...options, range: { lower: -10, upper: 10 } },
    );
    expect(wide.lower).toBeCloseTo(bettingBracket(list, options).lower, 12);
  });

  test('is the whole range where there is no bound inside it or a capital has no double', () => {
    expect(bettingBracket([0, 0, 0], options)).toEqual({ lower: 0, upper: 1 });
    expect(bettingBracket([0.1], options)).toEqual({ lower: 0, upper: 1 });
  });

  test('is as narrow where capitals grow beyond every double', () => {
    const list = Array.from({ length: 5000 }, () => 1);
    const { lower, upper } = bettingBracket(list, options);
    expect(upper - lower).toBeLessThan(2.1e-12);
    expect(lower).toBeGreaterThan(0.99);
  });
});

describe('bettingLowerClears', () => {
  const threshold = fc.double({ min: -0.99, max: 0.99, noNaN: true });

  test('is the answer of the bound wherever it gives one', () => {
    let decided = 0;
    fc.assert(
      fc.property(values, threshold, fc.constantFrom(0.025, 0.2), (list, at, error) => {
        const options = { range: differenceRange, error, truncation: bettingTruncation };
        const clears = bettingLowerClears(list, at, options);
        if (clears !== null) {
          decided += 1;
          expect(clears).toBe(computed(bettingBounds(list, options)).lower > at);
        }
      }),
      { seed: 31, numRuns: 500 },
    );
    expect(decided).toBeGreaterThan(450);
  });

  test('leaves to the bound what lies beside it, and what no bound reaches', () => {
    const options = { range: unitRange, error: 0.05, truncation: bettingTruncation };
    const list = [1, 1, 0.5, 1, 1, 0.75, 1];
    const { lower: bound } = computed(bettingBounds(list, options));
    expect(bettingLowerClears(list, bound, options)).toBeNull();
    expect(bettingLowerClears(list, bound - 1e-6, options)).toBe(true);
    expect(bettingLowerClears(list, bound + 1e-6, options)).toBe(false);
    expect(bettingLowerClears([1, 1, 1, 1, 1, 1], 0.1, options)).toBe(true);
    expect(bettingLowerClears(list, 0, options)).toBeNull();
    expect(bettingLowerClears(list, 1, options)).toBeNull();
    expect(bettingLowerClears([], 0.5, options)).toBeNull();
    expect(() => bettingLowerClears([2], 0.5, options)).toThrow(/values\[0\]/);
  });
});
