/**
 * The statistics a bootstrap can resample, with what each needs: its value, its law (exact wherever that can be computed),
 * its leave-one-out values and its Monte Carlo job.
 */
import { LiftgateError } from '../base/errors.ts';
import { requireFiniteList, requireOneOf, requireWithin } from './arguments.ts';
import type { BootstrapLaw } from './bootstrap-law.ts';
import { lawOfEnumeration, type WeightedValue } from './bootstrap-law.ts';
import { medianLaw, orderStatisticLaw } from './bootstrap-order.ts';
import { meanLaw, ratioLaw } from './bootstrap-sum.ts';
import { isIndeterminate } from './interval.ts';
import { nearestRank, type Percent, sorted, trimmedCount } from './percentile.ts';
import { type ResampleStatistic, ratioOfTotals } from './resample-shards.ts';
import { enumerateCounts } from './resampling.ts';
import { sum } from './summary.ts';

/**
 * What is estimated. `quantile` is the nearest-rank one; `ratio-of-means` divides the mean of the values by the mean of
 * `denominators`, one above 0 per value; `custom` is any number computed from the positions of the drawn values.
 */
export type BootstrapStatistic =
  | { readonly kind: 'mean' }
  | { readonly kind: 'median' }
  | { readonly kind: 'quantile'; readonly percent: Percent }
  | { readonly kind: 'trimmed-mean'; readonly trimPercent: Percent }
  | { readonly kind: 'ratio-of-means'; readonly denominators: readonly number[] }
  | { readonly kind: 'custom'; readonly compute: (positions: Uint32Array) => number };

const statisticKinds: readonly BootstrapStatistic['kind'][] = [
  'mean',
  'median',
  'quantile',
  'trimmed-mean',
  'ratio-of-means',
  'custom',
];

/** One statistic of one sample, ready to be resampled. */
export interface PreparedStatistic {
  readonly units: number;
  readonly estimate: number;
  /** The exact law, or undefined where only resampling is left. */
  readonly exactLaw: () => BootstrapLaw | undefined;
  /** The statistic without each unit in turn. */
  readonly jackknife: () => Float64Array;
  readonly resample: ResampleStatistic;
}

/** Up to so many units any statistic is enumerated. */
export const enumeratedStatisticUnits = 8;

function positionsOf(units: number): Uint32Array {
  return Uint32Array.from({ length: units }, (_, index) => index);
}

/** Every multiset of units with its weight, for a statistic of counts or of positions. */
function enumeratedLaw(units: number, resample: ResampleStatistic): BootstrapLaw | undefined {
  if (units > enumeratedStatisticUnits || resample.kind === 'total') return undefined;
  const positions = new Uint32Array(units);
  const points: WeightedValue[] = [];
  enumerateCounts(units, (counts, weight) => {
    if (resample.kind === 'counts') {
      points.push({ value: resample.of(counts), weight });
      return;
    }
    let filled = 0;
    counts.forEach((times, unit) => {
      positions.fill(unit, filled, filled + times);
      filled += times;
    });
    const value =
      resample.kind === 'ratio' ? ratioOfTotals(resample, positions) : resample.of(positions);
    points.push({ value, weight });
  });
  return lawOfEnumeration(points);
}

function preparedMean(values: readonly number[]): PreparedStatistic {
  const ordered = sorted(values);
  const units = ordered.length;
  const total = sum(ordered);
  return {
    units,
    estimate: total / units,
    exactLaw: () => meanLaw(ordered),
    jackknife: () => ordered.map((value) => (total - value) / (units - 1)),
    resample: { kind: 'total', values: ordered, of: (drawn) => drawn / units },
  };
}

/** The value at a rank of a resample given by counts over sorted values. */
function atRank(ordered: Float64Array, counts: Uint32Array, rank: number): number {
  let index = -1;
  for (let reached = 0; reached < rank; ) {
    index += 1;
    reached += counts[index] ?? rank;
  }
  return ordered[index] ?? Number.NaN;
}

/** The value at a rank once the value at position `without` has left. */
function remainingAt(ordered: Float64Array, without: number, rank: number): number {
  return ordered[rank - 1 < without ? rank - 1 : rank] ?? Number.NaN;
}

function preparedMedian(values: readonly number[]): PreparedStatistic {
  const ordered = sorted(values);
  const units = ordered.length;
  const middle = (count: number, at: (rank: number) => number): number => {
    const half = Math.floor((count + 1) / 2);
    return count % 2 === 1 ? at(half) : at(half) / 2 + at(half + 1) / 2;
  };
  return {
    units,
    estimate: middle(units, (rank) => ordered[rank - 1] ?? Number.NaN),
    exactLaw: () => medianLaw(ordered),
    jackknife: () =>
      ordered.map((_, without) => middle(units - 1, (rank) => remainingAt(ordered, without, rank))),
    resample: {
      kind: 'counts',
      of: (counts) => middle(units, (rank) => atRank(ordered, counts, rank)),
    },
  };
}

/** The nearest rank ⌈percent × n / 100⌉, counted exactly. */
function rankOfPercent(percent: Percent, units: number): number {
  const found = nearestRank(
    Array.from({ length: units }, (_, index) => index),
    percent,
  );
  return isIndeterminate(found) ? 1 : found.rank;
}

function preparedQuantile(values: readonly number[], percent: Percent): PreparedStatistic {
  const ordered = sorted(values);
  const units = ordered.length;
  const rank = rankOfPercent(percent, units);
  return {
    units,
    estimate: ordered[rank - 1] ?? Number.NaN,
    exactLaw: () => orderStatisticLaw(ordered, rank),
    jackknife: () => {
      const remainingRank = rankOfPercent(percent, units - 1);
      return ordered.map((_, without) => remainingAt(ordered, without, remainingRank));
    },
    resample: { kind: 'counts', of: (counts) => atRank(ordered, counts, rank) },
  };
}

/** Sum of the middle of a resample given by counts over sorted values, `cut` values left out at each end. */
function middleTotal(ordered: Float64Array, counts: Uint32Array, cut: number): number {
  const end = ordered.length - cut;
  let index = 0;
  let reached = 0;
  while (reached <= cut) {
    reached += counts[index] ?? end;
    index += 1;
  }
  // The value at which the low end stops, and the one at which the high end starts, count in part.
  let total = (Math.min(reached, end) - cut) * (ordered[index - 1] ?? 0);
  while (reached < end) {
    const before = reached;
    reached += counts[index] ?? end;
    total += (Math.min(reached, end) - before) * (ordered[index] ?? 0);
    index += 1;
  }
  return total;
}

/** Leave-one-out trimmed means in one pass over prefix sums. */
function trimmedJackknife(ordered: Float64Array, trimPercent: Percent): Float64Array {
  const left = ordered.length - 1;
  const cut = trimmedCount(trimPercent, left);
  const prefix = new Float64Array(ordered.length + 1);
  ordered.forEach((value, index) => {
    prefix[index + 1] = (prefix[index] ?? 0) + value;
  });
  const between = (from: number, to: number): number => (prefix[to] ?? 0) - (prefix[from] ?? 0);
  const end = left - cut;
  return ordered.map((value, without) => {
    if (without >= end) return between(cut, end) / (left - 2 * cut);
    if (without <= cut) return between(cut + 1, end + 1) / (left - 2 * cut);
    return (between(cut, end + 1) - value) / (left - 2 * cut);
  });
}

function preparedTrimmed(values: readonly number[], trimPercent: Percent): PreparedStatistic {
  const ordered = sorted(values);
  const units = ordered.length;
  const cut = trimmedCount(trimPercent, units);
  requireWithin('trimPercent', Number(trimPercent), { lower: 0, upper: 49.999 });
  const kept = units - 2 * cut;
  const resample: ResampleStatistic = {
    kind: 'counts',
    of: (counts) => middleTotal(ordered, counts, cut) / kept,
  };
  return {
    units,
    estimate: sum(ordered.subarray(cut, units - cut)) / kept,
    exactLaw: () => enumeratedLaw(units, resample),
    jackknife: () => trimmedJackknife(ordered, trimPercent),
    resample,
  };
}

function requireDenominators(values: readonly number[], denominators: readonly number[]): void {
  requireFiniteList('denominators', denominators);
  const wrong = denominators.findIndex((value) => value <= 0);
  if (denominators.length === values.length && wrong < 0) return;
  throw new LiftgateError(
    'stats-argument-invalid',
    `denominators must be one number above 0 per value, got ${denominators.length} for ${values.length} values${wrong < 0 ? '' : `, ${denominators[wrong]} at ${wrong}`}`,
    { where: { path: 'denominators' }, mend: 'Pass one denominator above 0 for every value.' },
  );
}

function preparedRatio(
  values: readonly number[],
  denominators: readonly number[],
): PreparedStatistic {
  requireDenominators(values, denominators);
  const order = values
    .map((value, index) => ({ value, denominator: denominators[index] ?? 0 }))
    .sort((left, right) => left.value - right.value || left.denominator - right.denominator);
  const tops = Float64Array.from(order, ({ value }) => value);
  const bottoms = Float64Array.from(order, ({ denominator }) => denominator);
  const [top, bottom] = [sum(tops), sum(bottoms)];
  const resample: ResampleStatistic = { kind: 'ratio', tops, bottoms };
  return {
    units: order.length,
    estimate: top / bottom,
    exactLaw: () => enumeratedLaw(order.length, resample) ?? ratioLaw(tops, bottoms),
    jackknife: () => tops.map((value, at) => (top - value) / (bottom - (bottoms[at] ?? 0))),
    resample,
  };
}

function preparedCustom(
  values: readonly number[],
  compute: (positions: Uint32Array) => number,
): PreparedStatistic {
  const units = values.length;
  const all = positionsOf(units);
  const resample: ResampleStatistic = { kind: 'indices', of: compute };
  return {
    units,
    estimate: compute(all.slice()),
    exactLaw: () => enumeratedLaw(units, resample),
    jackknife: () => {
      const jack = new Float64Array(units);
      all.forEach((without) => {
        jack[without] = compute(all.filter((position) => position !== without));
      });
      return jack;
    },
    resample,
  };
}

/**
 * A statistic of a sample, ready for its law. The order of the values changes nothing, except under `custom`.
 *
 * @param values     one finite number per unit, at least one
 * @param statistic  what is estimated
 * @throws {LiftgateError} stats-argument-invalid  if a value or a parameter of the statistic is outside its range
 * @example prepareStatistic([1, 2, 3, 10], { kind: 'median' }).estimate // => 2.5
 */
export function prepareStatistic(
  values: readonly number[],
  statistic: BootstrapStatistic,
): PreparedStatistic {
  requireFiniteList('values', values);
  requireOneOf('statistic.kind', statistic.kind, statisticKinds);
  switch (statistic.kind) {
    case 'mean':
      return preparedMean(values);
    case 'median':
      return preparedMedian(values);
    case 'quantile':
      return preparedQuantile(values, statistic.percent);
    case 'trimmed-mean':
      return preparedTrimmed(values, statistic.trimPercent);
    case 'ratio-of-means':
      return preparedRatio(values, statistic.denominators);
    case 'custom':
      return preparedCustom(values, statistic.compute);
  }
}
