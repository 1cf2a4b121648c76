/**
 * Percentiles of what was measured. Nearest rank never invents a value and its rank is exact integer arithmetic: 0.07 × 100
 * is 7.000000000000001 in doubles and would take the eighth of a hundred values. Interpolated types and Harrell-Davis serve
 * description.
 */
import { LiftgateError } from '../base/errors.ts';
import {
  requireCount,
  requireError,
  requireFiniteList,
  requireOneOf,
  requireOpenProbability,
} from './arguments.ts';
import { binomialCdf, binomialUpper } from './distribution.ts';
import { log } from './elementary.ts';
import { type Indeterminate, indeterminate } from './interval.ts';
import { roundSignificant } from './rounding.ts';
import { incompleteBeta } from './special.ts';

/** A percentile from 0 to 100: a number, or the decimal as written, such as "99.9". */
export type Percent = number | string;

/** A percentile as a fraction of whole numbers, numerator / denominator from 0 to 1. */
interface Share {
  readonly numerator: bigint;
  readonly denominator: bigint;
}

function refusePercent(name: string, percent: Percent): never {
  throw new LiftgateError(
    'stats-argument-invalid',
    `${name} must be a decimal from 0 to 100, got ${percent}`,
    { where: { path: name }, mend: `Pass a percentile such as 95 or "99.9" as ${name}.` },
  );
}

function shareOf(name: string, percent: Percent): Share {
  const text = String(percent);
  const parts = /^(\d{1,3})(?:\.(\d{1,15}))?$/.exec(text);
  if (parts === null) refusePercent(name, percent);
  const [, whole = '0', decimals = ''] = parts;
  const numerator = BigInt(whole + decimals);
  const denominator = 100n * 10n ** BigInt(decimals.length);
  return numerator > denominator ? refusePercent(name, percent) : { numerator, denominator };
}

/** ⌈share × count⌉ and whether share × count is whole. */
function exactRank(
  share: Share,
  count: number,
): { readonly rank: number; readonly whole: boolean } {
  const product = share.numerator * BigInt(count);
  const down = product / share.denominator;
  const whole = down * share.denominator === product;
  return { rank: Number(whole ? down : down + 1n), whole };
}

/**
 * trimPercent × count / 100 rounded down, exactly: values trimmed from each end.
 * @throws {LiftgateError} stats-argument-invalid  if trimPercent is outside [0, 100]
 * @example trimmedCount(29, 100) // => 29
 */
export function trimmedCount(trimPercent: Percent, count: number): number {
  const { rank, whole } = exactRank(shareOf('trimPercent', trimPercent), count);
  return whole ? rank : rank - 1;
}

/**
 * The values in rising order, a copy.
 * @example [...sorted([3, 1, 2])] // => [1, 2, 3]
 */
export function sorted(values: readonly number[]): Float64Array {
  return Float64Array.from(values).sort();
}

/** A value that was measured, its rank from 1, and whether fewer than 100 % could have had a larger one. */
export interface NearestRank {
  readonly value: number;
  readonly rank: number;
  readonly resolved: boolean;
}

function nearestRankOf(ordered: Float64Array, share: Share): NearestRank {
  const rank = Math.max(1, exactRank(share, ordered.length).rank);
  const resolved = rank < ordered.length || share.numerator === share.denominator;
  return { value: ordered[rank - 1] ?? 0, rank, resolved };
}

/**
 * The nearest-rank percentile: the value of rank ⌈percent × n / 100⌉ in rising order, at 0 the smallest.
 *
 * @param values   finite numbers
 * @param percent  from 0 to 100
 * @returns        `resolved` is false where the percentile is only the maximum: p95 needs 20 values, p99 needs 100;
 *                 indeterminate('no-units') for an empty list
 * @throws {LiftgateError} stats-argument-invalid  if a value is not finite or the percentile is outside [0, 100]
 * @example nearestRank([300, 100], 95) // => { value: 300, rank: 2, resolved: false }
 * @example nearestRank([1, 2, 3, 4], '50') // => { value: 2, rank: 2, resolved: true }
 */
export function nearestRank(
  values: readonly number[],
  percent: Percent,
): NearestRank | Indeterminate {
  requireFiniteList('values', values);
  const share = shareOf('percent', percent);
  return values.length === 0 ? indeterminate('no-units') : nearestRankOf(sorted(values), share);
}

/**
 * Rules of Hyndman & Fan (1996): 1 inverse of the distribution function, 2 the same averaged at its steps, 6 rank (n + 1)p,
 * 7 rank 1 + (n − 1)p, 8 rank 1/3 + (n + 1/3)p, approximately median-unbiased.
 */
export type PercentileType = 1 | 2 | 6 | 7 | 8;

function interpolate(ordered: Float64Array, position: number): number {
  const inside = Math.min(Math.max(position, 1), ordered.length);
  const rank = Math.floor(inside);
  const below = ordered[rank - 1] ?? 0;
  const above = ordered[rank] ?? below;
  return below + (inside - rank) * (above - below);
}

function stepValue(ordered: Float64Array, share: Share, averaged: boolean): number {
  const { rank, whole } = exactRank(share, ordered.length);
  const at = (index: number): number =>
    ordered[Math.min(Math.max(index, 1), ordered.length) - 1] ?? 0;
  return averaged && whole ? (at(rank) + at(rank + 1)) / 2 : at(rank);
}

function typedValue(ordered: Float64Array, share: Share, type: PercentileType): number {
  const n = ordered.length;
  const p = Number(share.numerator) / Number(share.denominator);
  switch (type) {
    case 1:
      return stepValue(ordered, share, false);
    case 2:
      // At 0 both neighbours are the smallest value.
      return share.numerator === 0n ? (ordered[0] ?? 0) : stepValue(ordered, share, true);
    case 6:
      return interpolate(ordered, (n + 1) * p);
    case 7:
      return interpolate(ordered, 1 + (n - 1) * p);
    case 8:
      return interpolate(ordered, 1 / 3 + (n + 1 / 3) * p);
  }
}

/**
 * A descriptive percentile by one of five rules.
 *
 * @param values   finite numbers
 * @param percent  from 0 to 100
 * @param type     the rule; 7 is the default of most software
 * @returns        indeterminate('no-units') for an empty list
 * @throws {LiftgateError} stats-argument-invalid  if a value is not finite or the percentile is outside [0, 100]
 * @example percentile([10, 20], 95, 7) // => 19.5
 * @see Hyndman & Fan (1996), The American Statistician 50:361
 */
export function percentile(
  values: readonly number[],
  percent: Percent,
  type: PercentileType,
): number | Indeterminate {
  requireFiniteList('values', values);
  requireOneOf('type', type, [1, 2, 6, 7, 8]);
  const share = shareOf('percent', percent);
  return values.length === 0 ? indeterminate('no-units') : typedValue(sorted(values), share, type);
}

/**
 * The Harrell-Davis percentile: every order statistic, weighted by a beta law about the percentile.
 *
 * @param values   finite numbers
 * @param percent  strictly between 0 and 100
 * @returns        indeterminate('no-units') for an empty list, indeterminate('extreme-percentile') at 0 and 100, where no
 *                 weights exist
 * @throws {LiftgateError} stats-argument-invalid  if a value is not finite or the percentile is outside [0, 100]
 * @example harrellDavis([10, 20], 50) // => 15 to 12 digits
 * @see Harrell & Davis (1982), Biometrika 69:635
 */
export function harrellDavis(values: readonly number[], percent: Percent): number | Indeterminate {
  requireFiniteList('values', values);
  const { numerator, denominator } = shareOf('percent', percent);
  if (values.length === 0) return indeterminate('no-units');
  if (numerator === 0n || numerator === denominator) return indeterminate('extreme-percentile');
  const n = values.length;
  const a = ((n + 1) * Number(numerator)) / Number(denominator);
  const b = ((n + 1) * Number(denominator - numerator)) / Number(denominator);
  let reached = 0;
  let total = 0;
  sorted(values).forEach((value, index) => {
    const point = { x: (index + 1) / n, y: (n - index - 1) / n };
    const { lower } = incompleteBeta(point, { a, b });
    total += (lower - reached) * value;
    reached = lower;
  });
  return total;
}

/** A quantile as a share in (0, 1) and the one-sided error of each bound in (0, 0.5). */
export interface QuantileOptions {
  readonly quantile: number;
  readonly error: number;
}

/** Ranks from 1 in rising order of the values that bound a quantile; null where even the extreme value bounds it at a larger error. */
export interface QuantileRanks {
  readonly lower: number | null;
  readonly upper: number | null;
  /** Units from which on an upper bound exists. */
  readonly unitsForUpper: number;
}

/** The smallest whole number from `least` on at which a condition that stays true once it is true holds. */
function firstWhere(least: number, most: number, holds: (at: number) => boolean): number {
  let below = least - 1;
  let found = most;
  while (found - below > 1) {
    const middle = Math.floor((below + found) / 2);
    if (holds(middle)) found = middle;
    else below = middle;
  }
  return found;
}

/**
 * Which order statistics bound a quantile of any distribution, each one-sided at the given error.
 *
 * The value of rank k lies below the quantile only if k of n units do, which a binomial count of probability `quantile` bounds;
 * ties and jumps make the error smaller, never larger. Both are the sharpest such ranks.
 *
 * @param units    independent values, whole and ≥ 0
 * @param options  quantile in (0, 1), error in (0, 0.5)
 * @throws {LiftgateError} stats-argument-invalid  if an argument is outside its range
 * @example quantileRanks(59, { quantile: 0.95, error: 0.05 }) // => { lower: 53, upper: 59, unitsForUpper: 59 }
 * @example quantileRanks(58, { quantile: 0.95, error: 0.05 }).upper // => null
 * @see Wilks (1941), Annals of Mathematical Statistics 12:91; David & Nagaraja (2003), Order Statistics, 7.1
 */
export function quantileRanks(units: number, { quantile, error }: QuantileOptions): QuantileRanks {
  requireCount('units', units);
  requireOpenProbability('quantile', quantile);
  requireError('error', error);
  const law = { trials: units, probability: quantile };
  const allowed = roundSignificant(error);
  const above = (rank: number): boolean =>
    roundSignificant(binomialUpper(rank - 1, law)) <= allowed;
  const beyond = (rank: number): boolean => roundSignificant(binomialCdf(rank - 1, law)) > allowed;
  const upper = firstWhere(1, units + 1, above);
  const lower = firstWhere(1, units + 1, beyond) - 1;
  return {
    lower: lower >= 1 ? lower : null,
    upper: upper <= units ? upper : null,
    unitsForUpper: unitsForUpper(quantile, allowed),
  };
}

/** The smallest n with quantileⁿ ≤ error: the largest of n values is an upper bound from there on. */
function unitsForUpper(quantile: number, error: number): number {
  const near = Math.floor(log(error) / log(quantile));
  const suffices = (units: number): boolean =>
    units > 0 &&
    roundSignificant(binomialUpper(units - 1, { trials: units, probability: quantile })) <= error;
  return firstWhere(Math.max(1, near - 2), near + 3, suffices);
}

/** Durations by nearest rank; the keys are the percentiles as written. `unknown` durations are counted, never read as 0. */
export interface DurationSummary {
  readonly count: number;
  readonly unknown: number;
  readonly min: number | null;
  readonly max: number | null;
  readonly percentiles: Readonly<Record<string, number>>;
  readonly resolved: Readonly<Record<string, boolean>>;
}

function checkedDurations(samplesMs: readonly (number | null)[]): number[] {
  samplesMs.forEach((sample, index) => {
    if (sample === null) return;
    const expected =
      typeof sample !== 'number' || !Number.isFinite(sample)
        ? 'a finite number or null'
        : sample < 0
          ? 'at least 0; a negative duration is a defect of the clock'
          : undefined;
    if (expected === undefined) return;
    throw new LiftgateError(
      'stats-argument-invalid',
      `samplesMs[${index}] must be ${expected}, got ${sample}`,
      { where: { path: `samplesMs[${index}]` }, mend: 'Record null where no duration is known.' },
    );
  });
  return samplesMs.filter((sample) => sample !== null);
}

/**
 * Count, range and nearest-rank percentiles of durations in milliseconds, of which some may be unknown.
 *
 * @param samplesMs    durations ≥ 0, null where unknown
 * @param percentiles  above 0 and up to 100
 * @returns            without a known duration: counts only, `min` and `max` null, no percentile
 * @throws {LiftgateError} stats-argument-invalid  if a sample is not a number ≥ 0 or a percentile is outside (0, 100]
 * @example durationSummary([100, null, 300, null, 200], [50])
 * // => { count: 3, unknown: 2, min: 100, max: 300, percentiles: { '50': 200 }, resolved: { '50': true } }
 */
export function durationSummary(
  samplesMs: readonly (number | null)[],
  percentiles: readonly Percent[],
): DurationSummary {
  const known = checkedDurations(samplesMs);
  const shares = percentiles.map((percent, index) => {
    const share = shareOf(`percentiles[${index}]`, percent);
    return share.numerator === 0n ? refusePercent(`percentiles[${index}]`, percent) : share;
  });
  const counts = { count: known.length, unknown: samplesMs.length - known.length };
  if (known.length === 0) return { ...counts, min: null, max: null, percentiles: {}, resolved: {} };
  const ordered = sorted(known);
  const ranks = shares.map((share) => nearestRankOf(ordered, share));
  const keyed = <Value>(read: (rank: NearestRank) => Value): Record<string, Value> =>
    Object.fromEntries(ranks.map((rank, index) => [String(percentiles[index]), read(rank)]));
  return {
    ...counts,
    min: ordered[0] ?? null,
    max: ordered[ordered.length - 1] ?? null,
    percentiles: keyed(({ value }) => value),
    resolved: keyed(({ resolved }) => resolved),
  };
}
