/** Location and spread that a few wild values do not move: median, median deviation, trimmed means, and Yuen's interval. */
import { requireFiniteList, requireOpenProbability, requireWithin } from './arguments.ts';
import { tUpperQuantile } from './distribution.ts';
import { errorPerSide, type Indeterminate, type Interval, indeterminate } from './interval.ts';
import { percentile, sorted, trimmedCount } from './percentile.ts';
import { moments, sum } from './summary.ts';

/** 1 / Φ⁻¹(0.75): the median deviation times this estimates the standard deviation of normal values. */
const normalScale = 1.482602218505602;

/**
 * The median; between the middle two of an even number of values.
 *
 * @param values  finite numbers
 * @returns       indeterminate('no-units') for an empty list
 * @throws {LiftgateError} stats-argument-invalid  if a value is not finite
 * @example median([1, 4, 2, 3]) // => 2.5
 */
export function median(values: readonly number[]): number | Indeterminate {
  requireFiniteList('values', values);
  return values.length === 0 ? indeterminate('no-units') : medianOf(sorted(values));
}

function medianOf(ordered: Float64Array): number {
  const half = Math.floor(ordered.length / 2);
  const upper = ordered[half] ?? 0;
  return ordered.length % 2 === 1 ? upper : (ordered[half - 1] ?? 0) / 2 + upper / 2;
}

/**
 * The median absolute deviation from the median, unscaled.
 *
 * @param values  finite numbers
 * @returns       0 where more than half the values are equal; indeterminate('no-units') for an empty list
 * @throws {LiftgateError} stats-argument-invalid  if a value is not finite
 * @example medianDeviation([1, 1, 1, 2, 2, 5]) // => 0.5
 * @see Hampel (1974), Journal of the American Statistical Association 69:383
 */
export function medianDeviation(values: readonly number[]): number | Indeterminate {
  requireFiniteList('values', values);
  return values.length === 0 ? indeterminate('no-units') : deviationOf(sorted(values));
}

function deviationOf(ordered: Float64Array): number {
  const middle = medianOf(ordered);
  return medianOf(ordered.map((value) => Math.abs(value - middle)).sort());
}

/** What a trimmed mean rests on: `trimmed` values leave each end, `kept` = n − 2 × trimmed remain. */
export interface TrimmedMean {
  readonly mean: number;
  readonly trimmed: number;
  readonly kept: number;
  /** Sample variance of the values with each end pulled in to the nearest kept value; indeterminate below 2 values. */
  readonly winsorizedVariance: number | Indeterminate;
  /** √winsorizedVariance / ((1 − 2 × share) √n). */
  readonly standardError: number | Indeterminate;
}

/**
 * The trimmed mean and its standard error.
 *
 * @param values       finite numbers
 * @param trimPercent  leaves each end, from 0 to below 50; ⌊percent × n / 100⌋ values, counted exactly
 * @returns            indeterminate('no-units') for an empty list
 * @throws {LiftgateError} stats-argument-invalid  if a value is not finite or trimPercent is outside its range
 * @example trimmedMean([812, 1033, 640, 2977], 20)
 * // => { mean: 1365.5, trimmed: 0, kept: 4, winsorizedVariance: 1180067, standardError: 905.2574066099776 }
 * @see Tukey & McLaughlin (1963), Sankhya A 25:331; Yuen (1974), Biometrika 61:165
 */
export function trimmedMean(
  values: readonly number[],
  trimPercent: number,
): TrimmedMean | Indeterminate {
  requireFiniteList('values', values);
  requireWithin('trimPercent', trimPercent, { lower: 0, upper: 49.999 });
  if (values.length === 0) return indeterminate('no-units');
  return trimmedOf(sorted(values), trimPercent);
}

function trimmedOf(ordered: Float64Array, trimPercent: number): TrimmedMean {
  const n = ordered.length;
  const trimmed = trimmedCount(trimPercent, n);
  const kept = n - 2 * trimmed;
  const mean = sum(ordered.subarray(trimmed, n - trimmed)) / kept;
  if (n < 2) {
    const none = indeterminate('too-few-units');
    return { mean, trimmed, kept, winsorizedVariance: none, standardError: none };
  }
  const least = ordered[trimmed] ?? 0;
  const most = ordered[n - trimmed - 1] ?? 0;
  const winsorized = Array.from(ordered, (value) => Math.min(most, Math.max(least, value)));
  const { variance } = moments(winsorized);
  const standardError = Math.sqrt(variance / n) / (1 - trimPercent / 50);
  return { mean, trimmed, kept, winsorizedVariance: variance, standardError };
}

/** `trimPercent` leaves each end, from 0 to below 50; `level` a probability in (0, 1). */
export interface TrimmedMeanOptions {
  readonly trimPercent: number;
  readonly level: number;
}

/**
 * The interval of the trimmed mean of the differences, t with one degree less than the kept values.
 *
 * Its estimand is the trimmed mean and not the mean: it must be declared as such. Not monotone in a single difference.
 *
 * @param differences  one finite number per unit, candidate − baseline
 * @param options      share trimmed from each end, and coverage
 * @returns            indeterminate('no-units' | 'too-few-units' | 'constant-differences') below 2 kept values or without
 *                     spread among the winsorized ones
 * @throws {LiftgateError} stats-argument-invalid  if a difference is not finite or an option is outside its range
 * @example trimmedMeanInterval([1, 2, 3, 4, 5, 6, 7, 100], { trimPercent: 20, level: 0.95 }).lower // => 1.36 to 3 digits
 * @see Tukey & McLaughlin (1963), Sankhya A 25:331
 */
export function trimmedMeanInterval(
  differences: readonly number[],
  { trimPercent, level }: TrimmedMeanOptions,
): Interval | Indeterminate {
  requireOpenProbability('level', level);
  requireFiniteList('differences', differences);
  const found = trimmedMean(differences, trimPercent);
  if ('status' in found) return found;
  const { mean, kept, standardError } = found;
  if (typeof standardError !== 'number' || kept < 2) return indeterminate('too-few-units');
  if (standardError === 0) return indeterminate('constant-differences');
  const half = tUpperQuantile(errorPerSide(level), kept - 1) * standardError;
  return {
    lower: mean - half,
    upper: mean + half,
    level,
    method: 'trimmed-t',
    guarantee: 'asymptotic',
  };
}

/** Robust numbers for a report; nothing that is decided reads them. */
export interface RobustSummary {
  readonly minimum: number;
  readonly median: number;
  readonly maximum: number;
  readonly medianDeviation: number;
  /** 1.4826 × medianDeviation, comparable to a standard deviation. */
  readonly scaledDeviation: number;
  /** Distance of the quartiles by type 7. */
  readonly interquartileRange: number;
  readonly trimmed10: TrimmedMean;
  readonly trimmed20: TrimmedMean;
}

/**
 * Robust location and spread of a list.
 *
 * @param values  finite numbers
 * @returns       indeterminate('no-units') for an empty list
 * @throws {LiftgateError} stats-argument-invalid  if a value is not finite
 * @example robustSummary([1, 1, 1, 2, 2, 5]).interquartileRange // => 1
 */
export function robustSummary(values: readonly number[]): RobustSummary | Indeterminate {
  const lowerQuartile = percentile(values, 25, 7);
  const upperQuartile = percentile(values, 75, 7);
  if (typeof lowerQuartile !== 'number') return lowerQuartile;
  if (typeof upperQuartile !== 'number') return upperQuartile;
  const ordered = sorted(values);
  const deviation = deviationOf(ordered);
  return {
    minimum: ordered[0] ?? 0,
    median: medianOf(ordered),
    maximum: ordered[ordered.length - 1] ?? 0,
    medianDeviation: deviation,
    scaledDeviation: normalScale * deviation,
    interquartileRange: upperQuartile - lowerQuartile,
    trimmed10: trimmedOf(ordered, 10),
    trimmed20: trimmedOf(ordered, 20),
  };
}
