/**
 * Sums and moments. What is decided uses our own sums in index order over shards of fixed size; simple-statistics serves
 * the descriptive numbers of a report and nothing else.
 */
import {
  max as greatest,
  mean as plainMean,
  quantile as plainQuantile,
  sampleStandardDeviation,
  min as smallest,
} from 'simple-statistics';
import { requireFiniteList, requireProbability } from './arguments.ts';
import { type Indeterminate, indeterminate } from './interval.ts';

/** Values per shard of a sum; fixed, so that the same list gives the same bits however the work is divided. */
const shardLength = 4096;

/**
 * The sum in index order: shards of 4,096 values, then the shards' sums in order.
 *
 * @param values  finite numbers; the empty sum is 0
 * @example sum([1, 2, 3]) // => 6
 */
export function sum(values: ArrayLike<number>): number {
  let total = 0;
  for (let start = 0; start < values.length; start += shardLength) {
    const end = Math.min(values.length, start + shardLength);
    let shard = 0;
    for (let index = start; index < end; index += 1) shard += values[index] ?? 0;
    total += shard;
  }
  return total;
}

/**
 * The greatest of any number of values: a list of a hundred thousand is no longer a list of arguments.
 *
 * @param values  numbers; without one the result is -Infinity
 * @example largest([1, 3, 2]) // => 3
 */
export function largest(values: Iterable<number>): number {
  let found = Number.NEGATIVE_INFINITY;
  for (const value of values) found = Math.max(found, value);
  return found;
}

/** Count, mean and sample variance (divisor n − 1; 0 for a single value). */
export interface Moments {
  readonly units: number;
  readonly mean: number;
  readonly variance: number;
}

/**
 * Mean and sample variance in two passes: the residuals are summed again, so a large common offset costs no digits.
 *
 * A spread below 1e-12 of the largest value is rounding noise of equal values and counts as no spread: variance 0.
 *
 * @param values  finite numbers, at least one
 * @example moments([1, 2, 3, 4]) // => { units: 4, mean: 2.5, variance: 1.6666666666666667 }
 * @see Chan, Golub & LeVeque (1983), The American Statistician 37:242
 */
export function moments(values: readonly number[]): Moments {
  const units = values.length;
  const first = sum(values) / units;
  const residuals = values.map((value) => value - first);
  const slip = sum(residuals);
  const squares = sum(residuals.map((residual) => residual * residual));
  const variance = units < 2 ? 0 : Math.max(0, squares - (slip * slip) / units) / (units - 1);
  const noise = 1e-12 * values.reduce((size, value) => Math.max(size, Math.abs(value)), 0);
  return {
    units,
    mean: first + slip / units,
    variance: Math.sqrt(variance) <= noise ? 0 : variance,
  };
}

/** What a report prints about a list of numbers; `standardDeviation` is indeterminate below 2 values. */
export interface Description {
  readonly count: number;
  readonly mean: number;
  readonly standardDeviation: number | Indeterminate;
  readonly minimum: number;
  readonly median: number;
  readonly maximum: number;
}

/**
 * Descriptive numbers for a report; nothing that is decided reads them.
 *
 * @param values  finite numbers
 * @returns       indeterminate('no-units') for an empty list
 * @throws {LiftgateError} stats-argument-invalid  if a value is not finite
 * @example describeValues([1, 2, 3, 4])
 * // => { count: 4, mean: 2.5, standardDeviation: 1.2909944487358056, minimum: 1, median: 2.5, maximum: 4 }
 */
export function describeValues(values: readonly number[]): Description | Indeterminate {
  requireFiniteList('values', values);
  if (values.length === 0) return indeterminate('no-units');
  const list = [...values];
  return {
    count: list.length,
    mean: plainMean(list),
    standardDeviation:
      list.length < 2 ? indeterminate('too-few-units') : sampleStandardDeviation(list),
    minimum: smallest(list),
    median: plainQuantile(list, 0.5),
    maximum: greatest(list),
  };
}

/**
 * A descriptive quantile, interpolated between neighbours at rank 1 + (n − 1)p (type 7).
 *
 * @param values  finite numbers
 * @param p       a probability from 0 to 1
 * @returns       indeterminate('no-units') for an empty list
 * @throws {LiftgateError} stats-argument-invalid  if a value is not finite or p is outside [0, 1]
 * @example descriptiveQuantile([3, 1, 2], 0.5) // => 2
 */
export function descriptiveQuantile(values: readonly number[], p: number): number | Indeterminate {
  requireFiniteList('values', values);
  requireProbability('p', p);
  return values.length === 0 ? indeterminate('no-units') : plainQuantile([...values], p);
}
