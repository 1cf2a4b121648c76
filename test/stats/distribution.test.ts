import fc from 'fast-check';
import { jStat } from 'jstat';
import { describe, expect, test } from 'vitest';
import * as c from '../../src/stats/chi-square.ts';
import * as d from '../../src/stats/distribution.ts';
import { type ReferenceMethod, referenceTests } from '../support/reference.ts';
import { bitsOf, expectRefusal } from '../support/statistics.ts';

interface Point {
  readonly x: number;
  readonly p: number;
  readonly q: number;
  readonly df: number;
  readonly a: number;
  readonly b: number;
  readonly k: number;
  readonly n: number;
  readonly d1: number;
  readonly d2: number;
}

function ratioDegrees({ d1, d2 }: Point): c.RatioDegrees {
  return { numerator: d1, denominator: d2 };
}

function over(compute: (point: Point) => number): ReferenceMethod {
  return { compute: (input) => ({ values: input.points.map(compute) }) };
}

describe('distributions', () => {
  referenceTests('distributions.json', {
    methods: {
      'normal.cdf': over(({ x }) => d.normalCdf(x)),
      'normal.sf': over(({ x }) => d.normalUpper(x)),
      'normal.ppf': over(({ p }) => d.normalQuantile(p)),
      'normal.isf': over(({ q }) => d.normalUpperQuantile(q)),
      't.cdf': over(({ x, df }) => d.tCdf(x, df)),
      't.sf': over(({ x, df }) => d.tUpper(x, df)),
      't.ppf': over(({ p, df }) => d.tQuantile(p, df)),
      't.isf': over(({ q, df }) => d.tUpperQuantile(q, df)),
      'beta.cdf': over(({ x, a, b }) => d.betaCdf(x, { a, b })),
      'beta.sf': over(({ x, a, b }) => d.betaUpper(x, { a, b })),
      'beta.ppf': over(({ p, a, b }) => d.betaQuantile(p, { a, b })),
      'beta.isf': over(({ q, a, b }) => d.betaUpperQuantile(q, { a, b })),
      'binomial.cdf': over(({ k, n, p }) => d.binomialCdf(k, { trials: n, probability: p })),
      'binomial.sf': over(({ k, n, p }) => d.binomialUpper(k, { trials: n, probability: p })),
      'binomial.ppf': over(({ q, n, p }) => d.binomialQuantile(q, { trials: n, probability: p })),
      'chi2.cdf': over(({ x, df }) => c.chiSquareCdf(x, df)),
      'chi2.sf': over(({ x, df }) => c.chiSquareUpper(x, df)),
      'chi2.ppf': over(({ p, df }) => c.chiSquareQuantile(p, df)),
      'chi2.isf': over(({ q, df }) => c.chiSquareUpperQuantile(q, df)),
      'F.cdf': over((point) => c.fCdf(point.x, ratioDegrees(point))),
      'F.sf': over((point) => c.fUpper(point.x, ratioDegrees(point))),
      'F.ppf': over((point) => c.fQuantile(point.p, ratioDegrees(point))),
      'F.isf': over((point) => c.fUpperQuantile(point.q, ratioDegrees(point))),
    },
    leftOutMethods: [],
  });
});

describe('published traps', () => {
  test('PB-37: the normal tail at -10 is not 0', () => {
    expect(d.normalCdf(-10) / 7.619853e-24).toBeCloseTo(1, 6);
    expect(d.binomialUpper(49, { trials: 50, probability: 0.5 }) / 8.881784e-16).toBeCloseTo(1, 6);
  });

  test('PB-38: no four-digit table stands behind the normal distribution', () => {
    expect(d.normalCdf(-5) / 2.866516e-7).toBeCloseTo(1, 6);
    expect(d.normalCdf(0.567)).toBeCloseTo(0.714643, 6);
    expect(d.normalQuantile(0.975)).toBeCloseTo(1.959964, 6);
  });

  test('PB-39: the lower t quantile is negative, the upper one positive', () => {
    expect(d.tQuantile(0.05, 5)).toBeCloseTo(-2.015048, 6);
    expect(d.tQuantile(0.95, 5)).toBeCloseTo(2.015048, 6);
  });
});

const settings = { seed: 20260815, numRuns: 300 };
const tail = fc.double({ min: 1e-12, max: 1 - 1e-12, noNaN: true });

describe('quantiles', () => {
  test('of the normal distribution lead back to their tail', () => {
    fc.assert(
      fc.property(tail, (p) => {
        expect(d.normalUpper(d.normalUpperQuantile(p)) / p).toBeCloseTo(1, 12);
        expect(d.normalCdf(d.normalQuantile(p)) / p).toBeCloseTo(1, 12);
      }),
      settings,
    );
  });

  test('of the t distribution lead back to their tail, whatever the degrees of freedom', () => {
    fc.assert(
      fc.property(tail, fc.double({ min: 0.5, max: 1e6, noNaN: true }), (p, df) => {
        expect(d.tUpper(d.tUpperQuantile(p, df), df) / p).toBeCloseTo(1, 9);
      }),
      settings,
    );
  });

  test('of the beta distribution lead back to their tail', () => {
    const shape = fc.double({ min: 0.5, max: 1e5, noNaN: true });
    fc.assert(
      fc.property(tail, shape, shape, (p, a, b) => {
        expect(d.betaCdf(d.betaQuantile(p, { a, b }), { a, b }) / p).toBeCloseTo(1, 7);
        const high = d.betaUpperQuantile(p, { a, b });
        // Next to 1 the doubles are too coarse to hold the quantile itself.
        if (high < 0.999) expect(d.betaUpper(high, { a, b }) / p).toBeCloseTo(1, 7);
      }),
      settings,
    );
  });

  test('of a binomial are the smallest count that reaches the tail', () => {
    fc.assert(
      fc.property(tail, fc.integer({ min: 1, max: 500 }), tail, (p, trials, probability) => {
        const k = d.binomialQuantile(p, { trials, probability });
        expect(d.binomialCdf(k, { trials, probability })).toBeGreaterThanOrEqual(p * (1 - 1e-13));
        expect(d.binomialCdf(k - 1, { trials, probability })).toBeLessThan(p);
      }),
      settings,
    );
  });
});

describe('edges', () => {
  test('binomial counts outside the trials', () => {
    const coin = { trials: 4, probability: 0.5 };
    expect([d.binomialCdf(-1, coin), d.binomialUpper(-1, coin)]).toEqual([0, 1]);
    expect([d.binomialCdf(4, coin), d.binomialUpper(4, coin)]).toEqual([1, 0]);
    expect(d.binomialCdf(0, { trials: 4, probability: 0 })).toBe(1);
    expect(d.binomialUpper(3, { trials: 4, probability: 1 })).toBe(1);
    expect(d.binomialCdf(0, { trials: 0, probability: 0.5 })).toBe(1);
  });

  test('infinite and central points', () => {
    expect(d.normalUpper(Number.POSITIVE_INFINITY)).toBe(0);
    expect(d.normalUpper(Number.NEGATIVE_INFINITY)).toBe(1);
    expect(d.tUpper(1e200, 3)).toBe(0);
    expect(d.tUpper(-1e200, 3)).toBe(1);
    expect([d.tUpper(0, 3), d.normalQuantile(0.5) === 0, d.tUpperQuantile(0.5, 3)]).toEqual([
      0.5,
      true,
      0,
    ]);
    expect([d.betaCdf(-1, { a: 1, b: 1 }), d.betaUpper(2, { a: 1, b: 1 })]).toEqual([0, 0]);
  });

  test('arguments that cannot be are refused by name', () => {
    expectRefusal(
      () => d.normalQuantile(0),
      'upperTail must be a probability strictly between 0 and 1, got 0',
    );
    expectRefusal(() => d.tUpper(1, 0), 'df must be a finite number above 0, got 0');
    expectRefusal(() => d.betaCdf(0.5, { a: 0, b: 1 }), 'a must be a finite number above 0, got 0');
    expectRefusal(
      () => d.binomialCdf(1.5, { trials: 3, probability: 0.5 }),
      'successes must be a whole number of at least 0, got 1.5',
    );
    expectRefusal(
      () => d.binomialCdf(1, { trials: 3, probability: 1.1 }),
      'probability must be a probability from 0 to 1, got 1.1',
    );
  });
});

describe('cross-check against jstat, where it is accurate', () => {
  test('normal, t and beta agree to the digits jstat has', () => {
    const central = fc.double({ min: 0.01, max: 0.99, noNaN: true });
    fc.assert(
      fc.property(central, fc.double({ min: 1, max: 90, noNaN: true }), central, (p, df, x) => {
        expect(jStat.normal.inv(p, 0, 1)).toBeCloseTo(d.normalQuantile(p), 9);
        expect(jStat.studentt.cdf(4 * x - 2, df)).toBeCloseTo(d.tCdf(4 * x - 2, df), 6);
        expect(jStat.beta.cdf(x, df, 20)).toBeCloseTo(d.betaCdf(x, { a: df, b: 20 }), 6);
        const trials = Math.floor(df);
        expect(jStat.binomial.cdf(3, trials, x)).toBeCloseTo(
          d.binomialCdf(3, { trials, probability: x }),
          6,
        );
      }),
      settings,
    );
  });
});

describe('the normal quantile', () => {
  test('is right to the last digits from the centre to 1e-300', () => {
    const tails = [0.49999, 0.4, 0.3, 0.2, 0.1, 0.05, 0.01];
    for (let exponent = 3; exponent <= 300; exponent += 9) tails.push(Number(`1e-${exponent}`));
    for (const p of tails) {
      const x = d.normalUpperQuantile(p);
      // An error of x by its last digit moves the tail by x² of that.
      expect(Math.abs(d.normalUpper(x) / p - 1), `${p}`).toBeLessThan(4e-15 * (1 + x * x));
    }
    expect(d.normalUpperQuantile(1e-300)).toBeCloseTo(37.0470964, 6);
    expect(d.normalUpperQuantile(0.3)).toBeCloseTo(0.5244005127080407, 15);
    expect(d.normalUpperQuantile(0.5)).toBe(0);
  });

  test('near the centre it is the distance from one half over the density', () => {
    expect(d.normalUpperQuantile(0.5 - 2 ** -40) / (2 ** -40 * Math.sqrt(2 * Math.PI))).toBeCloseTo(
      1,
      14,
    );
  });

  test('tails below 0 are one minus those above, on both branches', () => {
    for (const x of [0, 0.25, 0.999, 1, 1.001, 2, 8, 40]) {
      expect(d.normalUpper(-x)).toBeCloseTo(1 - d.normalUpper(x), 15);
      expect(d.normalUpper(-x) + d.normalUpper(x)).toBeCloseTo(1, 15);
    }
    expect(d.normalUpper(-40)).toBe(1);
    expect(d.normalUpper(40)).toBe(0);
    expect(d.normalUpper(-0.5)).toBeCloseTo(0.6914624612740131, 15);
    expect(d.normalUpper(-1.5)).toBeCloseTo(0.9331927987311419, 15);
  });
});

describe('edges of the distributions', () => {
  test('are refused by the name of the argument', () => {
    expectRefusal(() => d.tUpperQuantile(0.1, 0), 'df must be a finite number above 0, got 0');
    expectRefusal(() => d.tUpper(1, -1), 'df must be a finite number above 0, got -1');
    expectRefusal(
      () => d.tUpperQuantile(1, 3),
      'upperTail must be a probability strictly between 0 and 1, got 1',
    );
    expectRefusal(
      () => d.normalUpperQuantile(0),
      'upperTail must be a probability strictly between 0 and 1, got 0',
    );
    expectRefusal(
      () => d.betaQuantile(1, { a: 1, b: 1 }),
      'lowerTail must be a probability strictly between 0 and 1, got 1',
    );
    expectRefusal(
      () => d.betaUpperQuantile(0, { a: 1, b: 1 }),
      'upperTail must be a probability strictly between 0 and 1, got 0',
    );
    expectRefusal(() => d.betaCdf(0.5, { a: 0, b: 1 }), 'a must be a finite number above 0, got 0');
    expectRefusal(
      () => d.betaUpper(0.5, { a: 1, b: 0 }),
      'b must be a finite number above 0, got 0',
    );
    expectRefusal(
      () => d.betaQuantile(0.5, { a: 1, b: -2 }),
      'b must be a finite number above 0, got -2',
    );
    expectRefusal(
      () => d.betaUpperQuantile(0.5, { a: -2, b: 1 }),
      'a must be a finite number above 0, got -2',
    );
    expectRefusal(
      () => d.binomialCdf(1, { trials: 1.5, probability: 0.5 }),
      'trials must be a whole number of at least 0, got 1.5',
    );
    expectRefusal(
      () => d.binomialCdf(1, { trials: 3, probability: 1.5 }),
      'probability must be a probability from 0 to 1, got 1.5',
    );
    expectRefusal(
      () => d.binomialUpper(0.5, { trials: 3, probability: 0.5 }),
      'successes must be a whole number of at least 0, got 0.5',
    );
    expectRefusal(
      () => d.binomialQuantile(0, { trials: 3, probability: 0.5 }),
      'lowerTail must be a probability strictly between 0 and 1, got 0',
    );
  });

  test('have the tails of what cannot be passed', () => {
    const coin = { trials: 3, probability: 0.5 };
    expect([-1, 0, 2, 3, 4].map((k) => d.binomialCdf(k, coin))).toEqual([0, 0.125, 0.875, 1, 1]);
    expect([-1, 0, 2, 3, 4].map((k) => d.binomialUpper(k, coin))).toEqual([1, 0.875, 0.125, 0, 0]);
    expect(d.tUpper(1e200, 3)).toBe(0);
    expect(d.tUpper(-1e200, 3)).toBe(1);
    expect([0.125, 0.126, 0.5, 0.875, 0.876].map((p) => d.binomialQuantile(p, coin))).toEqual([
      0, 1, 1, 2, 3,
    ]);
    expect([d.betaCdf(-1, { a: 2, b: 3 }), d.betaCdf(2, { a: 2, b: 3 })]).toEqual([0, 1]);
    expect([d.betaUpper(-1, { a: 2, b: 3 }), d.betaUpper(2, { a: 2, b: 3 })]).toEqual([1, 0]);
  });
});

describe('bits on every platform', () => {
  const points = Array.from({ length: 801 }, (_, at) => (at - 400) * 0.0237);
  const tails = Array.from({ length: 199 }, (_, at) => (at + 1) / 200);
  // Products alone: powers are the engine's.
  const far = tails.map((p) =>
    Array.from({ length: 40 }, () => p).reduce((all, each) => all * each),
  );
  const shapes = [0.5, 1, 2.5, 7, 30, 400].flatMap((a) => [0.5, 3, 55].map((b) => ({ a, b })));

  // Bounds that decide are computed with these: any other bit would be another record.
  test.each([
    ['the normal tail', points.map(d.normalUpper), '8a4e7c17b7016914'],
    ['the normal quantile', [...tails, ...far].map(d.normalUpperQuantile), 'a6d0a55ed2a95bd1'],
    [
      'the t tail',
      [1, 4.5, 30].flatMap((df) => points.map((x) => d.tUpper(x, df))),
      'c8a6fedd7b59dea1',
    ],
    [
      'the t quantile',
      [1, 4.5, 30].flatMap((df) => [...tails, ...far].map((p) => d.tUpperQuantile(p, df))),
      '0614a3e380858013',
    ],
    [
      'the beta quantile',
      shapes.flatMap((shape) => tails.map((p) => d.betaQuantile(p, shape))),
      'ca71cac36c64538b',
    ],
    [
      'the upper beta quantile',
      shapes.flatMap((shape) => tails.map((p) => d.betaUpperQuantile(p, shape))),
      '3e6b9f22d1c497f2',
    ],
  ])('of %s are the recorded ones', (_, values, recorded) => {
    expect(bitsOf(values)).toBe(recorded);
  });
});
