import { describe, expect, test } from 'vitest';
import type { BootstrapLaw } from '../../src/stats/bootstrap-law.ts';
import { medianLaw, orderStatisticLaw } from '../../src/stats/bootstrap-order.ts';

interface Weighed {
  readonly value: number;
  readonly share: number;
}

/** The statistic of each of the n^n resamples, in rising order. */
function everyResample(ordered: readonly number[], of: (drawn: number[]) => number): Weighed[] {
  const n = ordered.length;
  return Array.from({ length: n ** n }, (_, number) => {
    const drawn = ordered.map((_value, at) => ordered[Math.floor(number / n ** at) % n] ?? 0);
    return { value: of(drawn.sort((left, right) => left - right)), share: 1 / n ** n };
  }).sort((left, right) => left.value - right.value);
}

function medianOf(drawn: readonly number[]): number {
  const half = drawn.length / 2;
  const [low = 0, high = 0] = [drawn[Math.ceil(half) - 1], drawn[Math.floor(half)]];
  return (low + high) / 2;
}

function shareUpTo(points: readonly Weighed[], limit: number): number {
  return points.reduce((total, { value, share }) => total + (value <= limit ? share : 0), 0);
}

/** Every value the statistic takes, and the law's shares and quantiles there, beside it and between. */
function expectLaw(law: BootstrapLaw, points: readonly Weighed[]): void {
  const values = [...new Set(points.map(({ value }) => value))];
  let below = 0;
  for (const value of values) {
    const upTo = shareUpTo(points, value);
    expect(law.cdf(value)).toBeCloseTo(upTo, 12);
    expect(law.below(value)).toBeCloseTo(below, 12);
    expect(law.cdf(value - 1e-6)).toBeCloseTo(below, 12);
    expect(law.below(value + 1e-6)).toBeCloseTo(upTo, 12);
    // A share met counts as reached; one a little above is not.
    expect(law.quantile(upTo)).toBeCloseTo(value, 11);
    expect(law.quantile(upTo - 1e-9)).toBeCloseTo(value, 11);
    expect(law.quantile(below + 1e-9)).toBeCloseTo(value, 11);
    below = upTo;
  }
  const mean = points.reduce((total, { value, share }) => total + value * share, 0);
  const variance = points.reduce(
    (total, { value, share }) => total + (value - mean) ** 2 * share,
    0,
  );
  expect(law.moments().mean).toBeCloseTo(mean, 10);
  expect(law.moments().standardDeviation).toBeCloseTo(Math.sqrt(variance), 7);
  expect(law.source).toBe('order-statistics');
  expect(law.quantileError(0.3)).toBe(0);
  expect(law.undefinedShare).toBe(0);
}

const lists = [
  [5],
  [-3, 8],
  [0, 1, 10],
  [-2, -1, 4, 9],
  [-7, -7, 2, 3],
  [1, 1, 1, 6],
  [-9, 0, 0, 0, 1],
  [0.5, 0.75, 1.5, 4, 4.25],
  [-4, -1, 0, 2, 2.5, 7],
];

describe('orderStatisticLaw', () => {
  test.each(lists.map((list) => [list] as const))(
    'of %j at every rank is the count of all resamples',
    (list) => {
      for (let rank = 1; rank <= list.length; rank += 1) {
        const law = orderStatisticLaw(Float64Array.from(list), rank);
        expectLaw(
          law,
          everyResample(list, (drawn) => drawn[rank - 1] ?? Number.NaN),
        );
      }
    },
  );

  test('far from its rank nothing is left and nothing is missing, on either side', () => {
    const list = Float64Array.from({ length: 1000 }, (_, at) => at + 1);
    const law = orderStatisticLaw(list, 500);
    expect(law.cdf(340)).toBe(0);
    expect(law.cdf(341)).toBeLessThan(1e-20);
    expect(law.cdf(660)).toBe(1);
    expect(law.cdf(450)).toBeGreaterThan(5e-4);
    expect(law.cdf(450)).toBeLessThan(2e-3);
    expect(law.cdf(500)).toBeGreaterThan(0.5);
    expect(law.cdf(550) + law.cdf(450)).toBeCloseTo(1, 3);
    expect(law.cdf(550)).toBeGreaterThan(0.998);
    expect(law.quantile(1)).toBeLessThanOrEqual(660);
    expect(law.quantile(0)).toBe(1);
    expect(law.moments().mean).toBeCloseTo(500, 0);
    expect(law.moments().standardDeviation).toBeCloseTo(Math.sqrt(250), 1);
  });
});

describe('medianLaw', () => {
  test.each(lists.map((list) => [list] as const))('of %j is the count of all resamples', (list) => {
    expectLaw(medianLaw(Float64Array.from(list)), everyResample(list, medianOf));
  });

  test.each([
    ['moved', 1000],
    ['stretched', 1e-9],
    ['stretched', 1e9],
  ])('of six values %s by %f is the same law there', (word, by) => {
    const list = [-4, -1, 0, 2, 2.5, 7];
    const put = (value: number): number => (word === 'moved' ? value + by : value * by);
    const plain = medianLaw(Float64Array.from(list));
    const other = medianLaw(Float64Array.from(list, put));
    for (const p of [1e-5, 0.01, 0.2, 0.5, 0.77, 0.999, 1]) {
      expect(other.quantile(p) / put(plain.quantile(p)) || 1).toBeCloseTo(1, 11);
      expect(other.cdf(put(plain.quantile(p)))).toBeCloseTo(plain.cdf(plain.quantile(p)), 12);
    }
  });

  test('a quantile is a midpoint of two values, to the last bit', () => {
    const list = Float64Array.from([-0.7, -0.1, 0.3, 0.31, 1.1, 2.9]);
    const midpoints = new Set(
      [...list].flatMap((value) => [...list].map((other) => value / 2 + other / 2)),
    );
    const law = medianLaw(list);
    for (let p = 0.005; p < 1; p += 0.01) expect(midpoints).toContain(law.quantile(p));
  });

  test('of two hundred values keeps the pairs that are likely, and says nothing of the others', () => {
    const list = Float64Array.from({ length: 200 }, (_, at) => at);
    const law = medianLaw(list);
    // Symmetric about 99.5, and near the normal law with the spread ½√n of ranks.
    expect(law.moments().mean).toBeCloseTo(99.5, 9);
    expect(law.moments().standardDeviation).toBeGreaterThan(6.7);
    expect(law.moments().standardDeviation).toBeLessThan(7.2);
    for (const t of [80, 90.25, 99, 99.25]) {
      expect(law.cdf(t)).toBeCloseTo(1 - law.below(199 - t), 11);
    }
    expect(law.cdf(99.5)).toBeGreaterThan(0.5);
    expect(law.cdf(-1)).toBe(0);
    expect(law.cdf(20)).toBeLessThan(1e-20);
    expect(law.cdf(180)).toBeCloseTo(1, 12);
    expect(law.quantile(0.975)).toBeCloseTo(199 - law.quantile(0.025 + 1e-9), 9);
  });

  test('of zeros alone is zero', () => {
    const law = medianLaw(new Float64Array(4));
    expect([law.quantile(0), law.quantile(0.5), law.quantile(1)]).toEqual([0, 0, 0]);
    expect([law.below(0), law.cdf(0)]).toEqual([0, 1]);
    const third = orderStatisticLaw(new Float64Array(4), 3);
    expect([third.below(0), third.cdf(0), third.quantile(0.9)]).toEqual([0, 1, 0]);
    expect(law.moments()).toEqual({ mean: 0, standardDeviation: 0 });
  });
});
