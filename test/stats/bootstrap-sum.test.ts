import { describe, expect, test } from 'vitest';
import type { BootstrapLaw } from '../../src/stats/bootstrap-law.ts';
import { isOffGrids, meanLaw, ratioLaw } from '../../src/stats/bootstrap-sum.ts';
import { resamplingStream } from '../../src/stats/random.ts';
import { moments } from '../../src/stats/summary.ts';
import { testSeed } from '../support/statistics.ts';

const stream = resamplingStream(testSeed(41));
const uniform = (): number => stream.word() / 2 ** 32;
const smooth = Float64Array.from({ length: 40 }, () => uniform() + uniform() * uniform()).sort();

/** Thousandths: too fine to convolve, coarse enough for a short series. */
const fine = [...smooth]
  .filter((_, at) => at % 5 > 0)
  .map((value) => Math.round(value * 1000) / 1000);

function lawOfMean(values: Iterable<number>): BootstrapLaw {
  const law = meanLaw(Float64Array.from(values).sort());
  if (law === undefined) throw new Error('there is an exact law');
  return law;
}

function lawOfRatio(tops: Float64Array, bottoms: Float64Array): BootstrapLaw {
  const law = ratioLaw(tops, bottoms);
  if (law === undefined) throw new Error('there is an exact law');
  return law;
}

/** The mean of resamples has the mean of the values and 1/n of their variance with divisor n. */
function expectMoments(law: BootstrapLaw, values: readonly number[]): void {
  const { mean, variance, units } = moments(values);
  expect(law.moments().mean).toBeCloseTo(mean, 11);
  expect(law.moments().standardDeviation).toBeCloseTo(
    Math.sqrt((variance * (units - 1)) / units / units),
    11,
  );
  expect(law.quantileError(0.5)).toBe(0);
  expect(law.undefinedShare).toBe(0);
}

const shares = [1e-6, 0.01, 0.2, 0.5, 0.7, 0.975, 0.9999];

describe('meanLaw', () => {
  test.each([
    ['two values', [0, 1], 'convolution'],
    ['equal values', [0.3, 0.3, 0.3], 'convolution'],
    ['tenths', [0.1, 0.4, 0.4, 0.9, 1.3, 2.2], 'convolution'],
    ['thirds', Array.from({ length: 30 }, (_, at) => ((at * 7) % 11) / 3), 'convolution'],
    [
      'sixty-fourths of a third',
      Array.from({ length: 60 }, (_, at) => (at % 5) / 63),
      'convolution',
    ],
    ['ten off any grid', [...smooth].slice(0, 10), 'enumeration'],
    ['twenty off any grid', [...smooth].filter((_, at) => at % 2 === 0), 'inversion'],
    ['a fine grid', fine, 'inversion'],
    ['many off any grid', Array.from({ length: 450 }, () => uniform()), 'inversion'],
    [
      'many on a coarse grid',
      Array.from({ length: 450 }, () => Math.round(20 * uniform()) / 20),
      'convolution',
    ],
    [
      'many on elevenths',
      Array.from({ length: 450 }, () => Math.round(11 * uniform()) / 11),
      'convolution',
    ],
  ] as const)('of %s has the moments of a resample’s mean', (_, values, source) => {
    const law = lawOfMean(values);
    expect(law.source).toBe(source);
    expectMoments(law, [...values]);
    const { mean, standardDeviation } = law.moments();
    // Its quantiles hold their shares, and near the middle they are close to the mean.
    for (const p of shares) {
      const at = law.quantile(p);
      expect(law.cdf(at)).toBeGreaterThanOrEqual(p - 1e-9);
      expect(law.below(at)).toBeLessThanOrEqual(p + 1e-9);
    }
    expect(Math.abs(law.quantile(0.5) - mean)).toBeLessThanOrEqual(0.6 * standardDeviation);
  });

  test('by hand: three values on tenths', () => {
    const law = lawOfMean([0, 0.1, 0.3]);
    // Totals in tenths: 0 (1 way), 1 (3), 2 (3), 3 (1 + 3), 4 (6), 5 (3), 6 (3), 7 (3), 9 (1) of 27.
    const ways = [1, 3, 3, 4, 6, 3, 3, 3, 0, 1];
    let below = 0;
    ways.forEach((count, total) => {
      const at = total / 30;
      expect(law.below(at)).toBeCloseTo(below / 27, 13);
      expect(law.cdf(at)).toBeCloseTo((below + count) / 27, 13);
      if (count > 0) expect(law.quantile((below + count / 2) / 27)).toBeCloseTo(at, 14);
      below += count;
    });
    expect(law.cdf(-0.01)).toBe(0);
    expect(law.cdf(0.31)).toBe(1);
  });

  test('a fine grid keeps its jumps: at a step the share up to it holds the step, the share below does not', () => {
    const law = lawOfMean(fine);
    for (const p of shares.slice(1, 6)) {
      const at = law.quantile(p);
      const steps = at * 1000 * fine.length;
      expect(Math.abs(steps - Math.round(steps))).toBeLessThan(1e-6);
      const jump = law.cdf(at) - law.below(at);
      expect(jump).toBeGreaterThan(1e-7);
      // Half a step beside it there is nothing.
      const half = 0.5 / 1000 / fine.length;
      expect(law.below(at + half)).toBe(law.cdf(at));
      expect(law.cdf(at - half)).toBe(law.below(at));
    }
  });

  test('moves and stretches with the values, on a grid, off it, and far from 0', () => {
    for (const values of [[...smooth], fine]) {
      const plain = lawOfMean(values);
      const moved = lawOfMean(values.map((value) => value + 1e6));
      const turned = lawOfMean(values.map((value) => -4 * value));
      for (const p of shares.slice(1, 6)) {
        expect(moved.quantile(p) - 1e6).toBeCloseTo(plain.quantile(p), 5);
        expect(turned.quantile(1 - p) / -4).toBeCloseTo(plain.quantile(p), 4);
      }
    }
  });

  test('ends where the doubles of the sum do', () => {
    const law = lawOfMean([...smooth].map((value) => value / 64 + 2 ** 33));
    expect(law.quantile(0.3)).toBeGreaterThan(2 ** 33);
    expect(law.quantile(0.3)).toBeLessThan(2 ** 33 + 0.03);
  });
});

describe('ratioLaw', () => {
  const ones = new Float64Array(40).fill(1);

  test('over equal denominators is the law of the mean', () => {
    const tops = Float64Array.from(smooth, (_, at) => smooth[(at * 17) % 40] ?? 0);
    const mean = lawOfMean(smooth);
    const ratio = lawOfRatio(
      tops,
      ones.map(() => 4),
    );
    for (const p of shares) {
      expect(ratio.quantile(p)).toBeCloseTo(mean.quantile(p) / 4, 8);
      expect(ratio.cdf(mean.quantile(p) / 4)).toBeCloseTo(p, 7);
      expect(ratio.below(mean.quantile(p) / 4)).toBeCloseTo(p, 7);
    }
    expect(ratio.moments().mean).toBeCloseTo(mean.moments().mean / 4, 12);
    expect(ratio.moments().standardDeviation).toBeCloseTo(mean.moments().standardDeviation / 4, 12);
    expect(ratio.source).toBe('inversion');
    expect(ratio.quantileError(0.5)).toBe(0);
    expect(ratio.undefinedShare).toBe(0);
  });

  const bottoms = Float64Array.from(smooth, () => 1 + uniform());
  const tops = Float64Array.from(smooth, (_, at) => smooth[(at * 17) % 40] ?? 0);

  test('moves by c when c times the denominators is added, and halves when they double', () => {
    const plain = lawOfRatio(tops, bottoms);
    const moved = lawOfRatio(
      tops.map((top, at) => top + 3 * (bottoms[at] ?? 0)),
      bottoms,
    );
    const halved = lawOfRatio(
      tops,
      bottoms.map((bottom) => 2 * bottom),
    );
    for (const p of shares) {
      expect(moved.quantile(p) - 3).toBeCloseTo(plain.quantile(p), 8);
      expect(halved.quantile(p) * 2).toBeCloseTo(plain.quantile(p), 8);
      expect(plain.cdf(plain.quantile(p))).toBeCloseTo(p, 11);
    }
    expect(moved.moments().mean).toBeCloseTo(plain.moments().mean + 3, 12);
    expect(moved.moments().standardDeviation).toBeCloseTo(plain.moments().standardDeviation, 12);
  });

  test('lies between the least and the largest ratio of a unit', () => {
    const law = lawOfRatio(tops, bottoms);
    const ratios = [...tops].map((top, at) => top / (bottoms[at] ?? 1));
    const [least, most] = [Math.min(...ratios), Math.max(...ratios)];
    expect([law.cdf(least), law.cdf(least - 1), law.cdf(most), law.cdf(most + 1)]).toEqual([
      0, 0, 1, 1,
    ]);
    expect(law.quantile(0)).toBe(least);
    expect(law.cdf(law.quantile(1))).toBeCloseTo(1, 14);
    expect(law.quantile(1)).toBeLessThanOrEqual(most);
    expect(law.quantile(1e-12)).toBeGreaterThan(least);
    expect(law.quantile(1 - 1e-12)).toBeLessThan(most);
  });

  test('there is none where all ratios are one, nor of a few units', () => {
    expect(ratioLaw(ones, ones)).toBeUndefined();
    expect(
      ratioLaw(
        bottoms.map((bottom) => 2 * bottom),
        bottoms,
      ),
    ).toBeUndefined();
    expect(ratioLaw(tops.slice(0, 3), bottoms.slice(0, 3))).toBeUndefined();
    // One unit far from all others: the series does not vanish at the estimate.
    const far = tops.slice();
    far[0] = 1e9;
    expect(ratioLaw(far, ones)).toBeUndefined();
  });
});

describe('isOffGrids', () => {
  const listed = (length: number, value: (at: number) => number): Float64Array =>
    Float64Array.from({ length }, (_, at) => value(at)).sort();

  test('two hundred values are always put on a grid, more only where a hundred of them leave one', () => {
    const off = (at: number): number => Math.sqrt(at + 2);
    expect(isOffGrids(listed(200, off))).toBe(false);
    expect(isOffGrids(listed(201, off))).toBe(true);
    expect(isOffGrids(listed(5000, off))).toBe(true);
    expect(isOffGrids(listed(5000, (at) => at % 300))).toBe(false);
  });

  test('a grid of four million points is one, and one step more is none', () => {
    // Of 1,000 values on whole steps from 0 to 3,999 the hundred seen hold neighbours, so that no wider step serves.
    const upTo =
      (last: number) =>
      (at: number): number =>
        at === 999 ? last : Math.floor((at * 3990) / 999);
    expect(isOffGrids(listed(1000, upTo(3999)))).toBe(false);
    expect(isOffGrids(listed(1000, upTo(4000)))).toBe(true);
  });

  test('one value far from all others is seen, at either end', () => {
    const far =
      (end: number) =>
      (at: number): number =>
        at === 0 ? end : at % 500;
    expect(isOffGrids(listed(1000, far(250)))).toBe(false);
    expect(isOffGrids(listed(1000, far(1e7)))).toBe(true);
    expect(isOffGrids(listed(1000, far(-1e7)))).toBe(true);
  });

  test('up to 64 distinct values may lie on the grid of a fraction', () => {
    const roots =
      (distinct: number) =>
      (at: number): number =>
        Math.sqrt((at % distinct) + 2);
    expect(isOffGrids(listed(1000, roots(64)))).toBe(false);
    expect(isOffGrids(listed(1000, roots(66)))).toBe(true);
  });
});
