import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type BootstrapLawOptions,
  bootstrapInterval,
  bootstrapLaw,
  bootstrapWork,
} from '../../src/stats/bootstrap-interval.ts';
import { type BootstrapStatistic, prepareStatistic } from '../../src/stats/bootstrap-statistic.ts';
import { isIndeterminate } from '../../src/stats/interval.ts';
import { resamplingStream } from '../../src/stats/random.ts';
import { computed, expectRefusal, testSeed } from '../support/statistics.ts';

const seed = testSeed(20260805);
const resamples = 1000;

const stream = resamplingStream(testSeed(9));
function uniform(): number {
  return stream.word() / 2 ** 32;
}
const smooth = Array.from({ length: 60 }, () => uniform() + uniform() + uniform() * uniform());
const denominators = Array.from({ length: 60 }, () => 5 + 20 * uniform());

const byLaw: readonly (readonly [string, readonly number[], BootstrapStatistic, string])[] = [
  [
    'a mean on a coarse grid',
    smooth.map((v) => Math.round(v * 20) / 20),
    { kind: 'mean' },
    'convolution',
  ],
  [
    'a mean on a fine grid',
    smooth.map((v) => Math.round(v * 5000) / 5000),
    { kind: 'mean' },
    'inversion',
  ],
  ['a mean on no grid', smooth, { kind: 'mean' }, 'inversion'],
  ['a mean of ten on no grid', smooth.slice(0, 10), { kind: 'mean' }, 'enumeration'],
  ['a mean of thirds', smooth.map((v) => Math.round(v * 3) / 3), { kind: 'mean' }, 'convolution'],
  ['a median of an even number', smooth, { kind: 'median' }, 'order-statistics'],
  ['a median of an odd number', smooth.slice(1), { kind: 'median' }, 'order-statistics'],
  ['a quantile', smooth, { kind: 'quantile', percent: 90 }, 'order-statistics'],
  ['a ratio of means', smooth, { kind: 'ratio-of-means', denominators }, 'inversion'],
  [
    'a trimmed mean of eight',
    smooth.slice(0, 8),
    { kind: 'trimmed-mean', trimPercent: 20 },
    'enumeration',
  ],
];

describe('exact laws against resampling', () => {
  test.each(byLaw)(
    '%s agrees with 100,000 resamples everywhere',
    (_, values, statistic, source) => {
      const exact = computed(bootstrapLaw(values, { statistic, seed, resamples }));
      const options: BootstrapLawOptions = {
        statistic,
        seed,
        resamples: 100000,
        prefer: 'resample',
      };
      const drawn = computed(bootstrapLaw(values, options));
      expect([exact.source, drawn.source]).toEqual([source, 'resampling']);
      for (const p of [0.001, 0.025, 0.2, 0.5, 0.8, 0.975, 0.999]) {
        const at = drawn.quantile(p);
        const error = Math.sqrt((p * (1 - p)) / 100000);
        expect(exact.cdf(at), `share at ${p}`).toBeGreaterThan(p - 5 * error);
        expect(exact.below(at), `share below at ${p}`).toBeLessThan(p + 5 * error);
        const bound = exact.quantile(p);
        expect(exact.cdf(bound)).toBeGreaterThan(p - 1e-9);
        expect(exact.quantileError(p)).toBe(0);
      }
      const [own, other] = [exact.moments(), drawn.moments()];
      expect(own.standardDeviation / other.standardDeviation).toBeGreaterThan(0.97);
      expect(own.standardDeviation / other.standardDeviation).toBeLessThan(1.03);
      expect(Math.abs(own.mean - other.mean)).toBeLessThan(0.05 * other.standardDeviation);
    },
  );

  test('both inversions and the convolution give one law where all three can be had', () => {
    const values = smooth.map((value) => Math.round(value * 100) / 100);
    const coarse = computed(bootstrapLaw(values, { seed, resamples }));
    // A shift by less than the grid of twelve digits can show leaves the law in place and takes the lattice away.
    const shifted = values.map((value, index) => value + index * 1e-10);
    const fine = computed(bootstrapLaw(shifted, { seed, resamples }));
    expect([coarse.source, fine.source]).toEqual(['convolution', 'inversion']);
    const step = 0.01 / values.length;
    for (const p of [0.01, 0.3, 0.99]) {
      expect(Math.abs(coarse.quantile(p) - fine.quantile(p))).toBeLessThan(step);
    }
  });

  test('one value far from all others keeps its jumps', () => {
    const values = [...new Array<number>(39).fill(0), 1000];
    const law = computed(bootstrapLaw(values, { seed, resamples }));
    expect(law.cdf(0)).toBeCloseTo((39 / 40) ** 40, 12);
    expect(law.cdf(25)).toBeCloseTo((39 / 40) ** 40 + (39 / 40) ** 39, 12);
  });

  test('falls back to resampling where an inversion does not settle, and says so', () => {
    const values = [...smooth.slice(0, 11), 1e9 + 0.123];
    const found = computed(
      bootstrapInterval(values, { method: 'bootstrap-percentile', level: 0.95, seed, resamples }),
    );
    expect(found.law).toBe('monte-carlo');
    expect(found.monteCarloError.upper).toBeGreaterThan(0);
  });
});

const differences = fc.array(fc.integer({ min: -20, max: 20 }), { minLength: 3, maxLength: 30 });
const means = { seed, resamples, level: 0.9 };

describe('grids of long lists', () => {
  const long = Array.from({ length: 500 }, () => uniform() + uniform());

  test.each([
    ['percents', 100, 'inversion'],
    ['thirds', 3, 'convolution'],
    ['sevenths of a hundredth, which no grid shows,', 700, 'inversion'],
  ])('%s are found among 500 values', (_, denominator, source) => {
    const values = long.map((value) => Math.round(value * denominator) / denominator);
    const law = computed(bootstrapLaw(values, { seed, resamples }));
    expect(law.source).toBe(source);
    const steps = law.quantile(0.3) * values.length * denominator;
    const onGrid = Math.abs(steps - Math.round(steps)) < 1e-6;
    expect(onGrid).toBe(denominator !== 700);
  });

  test('a list of few distinct values is put on its fractions however long it is', () => {
    const values = long.map((value) => Math.round(value * 11) / 11);
    expect(computed(bootstrapLaw(values, { seed, resamples })).source).toBe('convolution');
  });
});

describe('bootstrapInterval', () => {
  test('mirrors with the arms, moves with a shift, keeps its order and never narrows with the level', () => {
    fc.assert(
      fc.property(differences, (list) => {
        fc.pre(new Set(list).size > 1);
        const options = { ...means, method: 'bootstrap-percentile' } as const;
        const found = bootstrapInterval(list, options);
        if (isIndeterminate(found)) return;
        const moved = computed(
          bootstrapInterval(
            list.map((value) => value + 7),
            options,
          ),
        );
        const mirrored = computed(
          bootstrapInterval(
            list.map((value) => -value),
            options,
          ),
        );
        const wide = computed(bootstrapInterval([...list].reverse(), { ...options, level: 0.99 }));
        const step = 1 / list.length + 1e-9;
        expect(moved.lower).toBeCloseTo(found.lower + 7, 9);
        // The quantile rule takes the smallest value that reaches p on both sides: one step at most where p is met exactly.
        expect(Math.abs(mirrored.upper + found.lower)).toBeLessThan(step);
        expect(wide.lower).toBeLessThanOrEqual(found.lower);
        expect(wide.upper).toBeGreaterThanOrEqual(found.upper);
      }),
      { seed: 20261130, numRuns: 150 },
    );
  });

  test('a custom statistic of positions reproduces the built-in mean', () => {
    const values = smooth.slice(0, 7);
    const mean = (positions: Uint32Array): number =>
      positions.reduce((total, position) => total + (values[position] ?? 0), 0) / positions.length;
    for (const method of ['bootstrap-percentile', 'bootstrap-basic', 'bootstrap-bca'] as const) {
      const own = computed(bootstrapInterval(values, { ...means, method }));
      const custom = computed(
        bootstrapInterval(values, {
          ...means,
          method,
          statistic: { kind: 'custom', compute: mean },
        }),
      );
      expect(custom.lower).toBeCloseTo(own.lower, 12);
      expect(custom.upper).toBeCloseTo(own.upper, 12);
    }
  });

  test.each([
    ['no unit', [], 'bootstrap-percentile', { kind: 'mean' }, 'no-units'],
    ['one unit', [4], 'bootstrap-bca', { kind: 'mean' }, 'too-few-units'],
    ['equal values', [2, 2, 2], 'bootstrap-percentile', { kind: 'mean' }, 'constant-resamples'],
    ['equal values', [2, 2, 2], 'bootstrap-bca', { kind: 'mean' }, 'constant-jackknife'],
    ['zeros alone', [0, 0, 0], 'bootstrap-bca', { kind: 'mean' }, 'constant-jackknife'],
    ['zeros alone', [0, 0, 0, 0], 'bootstrap-bca', { kind: 'median' }, 'constant-jackknife'],
    ['equal values', [2, 2, 2], 'bootstrap-t', { kind: 'mean' }, 'constant-differences'],
    ['a median', [1, 2, 3], 'bootstrap-t', { kind: 'median' }, 'no-standard-error'],
  ] as const)('%s gives no %s', (...[, values, method, statistic, reason]) => {
    const found = bootstrapInterval(values, { ...means, method, statistic });
    expect(found).toEqual({ status: 'indeterminate', reason });
  });

  test('names its method and its law', () => {
    for (const method of ['bootstrap-percentile', 'bootstrap-basic', 'bootstrap-bca'] as const) {
      expect(bootstrapInterval(smooth, { ...means, method })).toMatchObject({
        method,
        level: 0.9,
        guarantee: 'asymptotic',
        law: 'exact',
        monteCarloError: { lower: 0, upper: 0 },
      });
    }
  });

  test('refuses wrong arguments by name', () => {
    const options = { ...means, method: 'bootstrap-percentile' } as const;
    expectRefusal(
      () => bootstrapInterval([1, Number.NaN], options),
      'values[1] must be a finite number, got NaN',
    );
    expectRefusal(
      () => bootstrapInterval([1, 2], { ...options, level: 1 }),
      'level must be a probability strictly between 0 and 1, got 1',
    );
    expectRefusal(
      () => bootstrapInterval([1, 2], { ...options, resamples: 10 }),
      'resamples must be a whole number of at least 1000, got 10',
    );
    expectRefusal(
      () =>
        bootstrapInterval([1, 2], {
          ...options,
          statistic: { kind: 'ratio-of-means', denominators: [1, 0] },
        }),
      'denominators must be one number above 0 per value, got 2 for 2 values, 0 at 1',
    );
    expectRefusal(
      () =>
        bootstrapInterval([1, 2], {
          ...options,
          statistic: { kind: 'trimmed-mean', trimPercent: 50 },
        }),
      'trimPercent must be a number from 0 to 49.999, got 50',
    );
  });
});

describe('jackknife', () => {
  test.each<[string, BootstrapStatistic]>([
    ['mean', { kind: 'mean' }],
    ['median', { kind: 'median' }],
    ['quantile', { kind: 'quantile', percent: 75 }],
    ['trimmed mean', { kind: 'trimmed-mean', trimPercent: 20 }],
  ])('%s leaves each unit out in turn', (_, statistic) => {
    for (const n of [6, 7, 10, 11]) {
      const values = smooth.slice(0, n).sort((left, right) => left - right);
      const fast = prepareStatistic(values, statistic).jackknife();
      values.forEach((_value, without) => {
        const left = values.filter((_other, index) => index !== without);
        expect(fast[without]).toBeCloseTo(prepareStatistic(left, statistic).estimate, 12);
      });
    }
  });
});

describe('bootstrapWork', () => {
  const options: BootstrapLawOptions = {
    statistic: { kind: 'trimmed-mean', trimPercent: 10 },
    seed,
    resamples: 5000,
  };

  test('gives the same law whoever runs its blocks, in whatever order', () => {
    const work = computed(bootstrapWork(smooth, options));
    if (work.kind !== 'shards') throw new Error('a trimmed mean of sixty is resampled');
    expect(work.shards.count).toBe(5);
    const results: Float64Array[] = [];
    for (const shard of [3, 0, 4, 1, 2]) results[shard] = work.shards.run(shard);
    const law = work.finish(results);
    const inPlace = computed(bootstrapLaw(smooth, options));
    for (const p of [0.01, 0.5, 0.99]) expect(law.quantile(p)).toBe(inPlace.quantile(p));
    expectRefusal(
      () => work.finish(results.slice(1)),
      'resamples drawn must be a whole number of at least 5000, got 3976',
    );
  });
});
