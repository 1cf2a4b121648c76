import { describe, expect, test } from 'vitest';
import {
  type BootstrapStatistic,
  enumeratedStatisticUnits,
  prepareStatistic,
} from '../../src/stats/bootstrap-statistic.ts';
import { resampleShards } from '../../src/stats/resample-shards.ts';
import { expectRefusal, testSeed } from '../support/statistics.ts';

const values = Object.freeze([7, -2, 4, 4, 19, 0.5, 11, 3]);
const denominators = Object.freeze([2, 1, 5, 3, 8, 1, 4, 2]);

function mean(list: readonly number[]): number {
  return list.reduce((total, value) => total + value, 0) / list.length;
}

function rising(list: readonly number[]): number[] {
  return [...list].sort((left, right) => left - right);
}

function trimmed(list: readonly number[], cut: number): number {
  return mean(rising(list).slice(cut, list.length - cut));
}

function median(list: readonly number[]): number {
  const half = list.length / 2;
  const ordered = rising(list);
  return ((ordered[Math.ceil(half) - 1] ?? 0) + (ordered[Math.floor(half)] ?? 0)) / 2;
}

/** A statistic and the same thing computed from the positions of the drawn units, cut or rank by the number drawn. */
const statistics: readonly {
  readonly name: string;
  readonly statistic: BootstrapStatistic;
  readonly slow: (positions: readonly number[]) => number;
}[] = [
  {
    name: 'mean',
    statistic: { kind: 'mean' },
    slow: (at) => mean(at.map((unit) => values[unit] ?? 0)),
  },
  {
    name: 'median',
    statistic: { kind: 'median' },
    slow: (at) => median(at.map((unit) => values[unit] ?? 0)),
  },
  {
    name: 'quantile',
    statistic: { kind: 'quantile', percent: 30 },
    slow: (at) => rising(at.map((unit) => values[unit] ?? 0))[Math.ceil(0.3 * at.length) - 1] ?? 0,
  },
  {
    name: 'trimmed mean',
    statistic: { kind: 'trimmed-mean', trimPercent: 15 },
    slow: (at) =>
      trimmed(
        at.map((unit) => values[unit] ?? 0),
        Math.floor(0.15 * at.length),
      ),
  },
  {
    name: 'untrimmed mean',
    statistic: { kind: 'trimmed-mean', trimPercent: 0 },
    slow: (at) => mean(at.map((unit) => values[unit] ?? 0)),
  },
  {
    name: 'ratio of means',
    statistic: { kind: 'ratio-of-means', denominators },
    slow: (at) =>
      mean(at.map((unit) => values[unit] ?? 0)) / mean(at.map((unit) => denominators[unit] ?? 0)),
  },
  {
    name: 'custom statistic',
    statistic: {
      kind: 'custom',
      compute: (at) => Math.max(...Array.from(at, (unit) => values[unit] ?? 0)),
    },
    slow: (at) => Math.max(...at.map((unit) => values[unit] ?? 0)),
  },
];

const all = values.map((_, unit) => unit);

describe('prepareStatistic', () => {
  test.each(statistics)(
    '$name: its estimate, and the jackknife as a set of leave-one-out values',
    ({ statistic, slow }) => {
      const prepared = prepareStatistic(values, statistic);
      expect(prepared.units).toBe(8);
      expect(prepared.estimate).toBeCloseTo(slow(all), 13);
      const wanted = rising(all.map((without) => slow(all.filter((unit) => unit !== without))));
      const found = rising([...prepared.jackknife()]);
      expect(found).toHaveLength(8);
      found.forEach((value, at) => {
        expect(value).toBeCloseTo(wanted[at] ?? Number.NaN, 12);
      });
    },
  );

  test.each(statistics)(
    '$name: a drawn resample and the exact law agree with a count',
    ({ statistic, slow }) => {
      // Three of the values, so that all 27 resamples can be listed.
      const three = [4, 0, 2];
      const chosen = three.map((unit) => values[unit] ?? 0);
      const own: BootstrapStatistic =
        statistic.kind === 'custom'
          ? {
              kind: 'custom',
              compute: (at) => statistic.compute(at.map((unit) => three[unit] ?? 0)),
            }
          : statistic.kind === 'ratio-of-means'
            ? { ...statistic, denominators: three.map((unit) => denominators[unit] ?? 0) }
            : statistic;
      const prepared = prepareStatistic(chosen, own);
      const points = Array.from({ length: 27 }, (_, number) =>
        slow([0, 1, 2].map((at) => three[Math.floor(number / 3 ** at) % 3] ?? 0)),
      );
      const law = prepared.exactLaw();
      for (const point of points) {
        const upTo = points.filter((other) => other <= point + 1e-9).length / 27;
        expect(law?.cdf(point)).toBeCloseTo(upTo, 11);
      }
      const { resample, units } = prepared;
      const drawn = resampleShards({
        units,
        resamples: 400,
        seed: testSeed(4),
        statistic: resample,
      });
      const seen = drawn.run(0);
      const near = (value: number, others: readonly number[]): boolean =>
        others.some((other) => Math.abs(value - other) < 1e-9);
      for (const value of seen) expect(near(value, points)).toBe(true);
      for (const point of points) expect(near(point, [...seen])).toBe(true);
    },
  );

  test.each<[string, BootstrapStatistic]>([
    ['trimmed mean', { kind: 'trimmed-mean', trimPercent: 10 }],
    ['custom statistic', { kind: 'custom', compute: (at) => at[0] ?? 0 }],
  ])('a %s is enumerated up to eight units and no further', (_, statistic) => {
    expect(enumeratedStatisticUnits).toBe(8);
    expect(prepareStatistic(values, statistic).exactLaw()?.source).toBe('enumeration');
    expect(prepareStatistic([...values, 5], statistic).exactLaw()).toBeUndefined();
  });

  test('a ratio is enumerated up to eight units and inverted beyond, where its terms vanish', () => {
    const ratio = (units: number): BootstrapStatistic => ({
      kind: 'ratio-of-means',
      denominators: Array.from({ length: units }, (_, at) => 1 + ((at * 7) % 11) / 9.7),
    });
    const list = (units: number): number[] =>
      Array.from({ length: units }, (_, at) => ((at * 13) % 29) / 3.1);
    expect(prepareStatistic(list(8), ratio(8)).exactLaw()?.source).toBe('enumeration');
    expect(prepareStatistic(list(50), ratio(50)).exactLaw()?.source).toBe('inversion');
  });

  test('the order of the units changes no bit, of values nor of pairs', () => {
    const order = [3, 7, 1, 0, 6, 2, 5, 4];
    const other = order.map((unit) => values[unit] ?? 0);
    for (const { statistic } of statistics.slice(0, 6)) {
      const turned: BootstrapStatistic =
        statistic.kind === 'ratio-of-means'
          ? { ...statistic, denominators: order.map((unit) => denominators[unit] ?? 0) }
          : statistic;
      const [one, two] = [prepareStatistic(values, statistic), prepareStatistic(other, turned)];
      expect(two.estimate).toBe(one.estimate);
      expect([...two.jackknife()]).toEqual([...one.jackknife()]);
      const job = { units: 8, resamples: 50, seed: testSeed(8) };
      expect(resampleShards({ ...job, statistic: two.resample }).run(0)).toEqual(
        resampleShards({ ...job, statistic: one.resample }).run(0),
      );
    }
  });

  test('refuses denominators and trims that cannot be', () => {
    const over = (list: readonly number[]) => () =>
      prepareStatistic([1, 2, 3], { kind: 'ratio-of-means', denominators: list });
    const text = 'denominators must be one number above 0 per value, got';
    expectRefusal(over([1, 2]), `${text} 2 for 3 values`);
    expectRefusal(over([1, 0, 2]), `${text} 3 for 3 values, 0 at 1`);
    expectRefusal(over([-1, 1, 2]), `${text} 3 for 3 values, -1 at 0`);
    expectRefusal(over([1, Number.NaN, 2]), 'denominators[1] must be a finite number, got NaN');
    expectRefusal(
      () => prepareStatistic(values, { kind: 'trimmed-mean', trimPercent: 50 }),
      'trimPercent must be a number from 0 to 49.999, got 50',
    );
    expectRefusal(
      () => prepareStatistic([Number.POSITIVE_INFINITY], { kind: 'mean' }),
      'values[0] must be a finite number, got Infinity',
    );
  });
});
