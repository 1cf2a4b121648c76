/**
 * The bootstrap-t of a mean difference, resampling units: the one bootstrap that may decide, beside t.
 *
 * Up to 8 units every multiset of units is enumerated with its multinomial weight, so there is no Monte Carlo error; above,
 * `resamples` seeded resamples are drawn. Values are sorted first: the order of the units changes nothing. A bootstrap
 * quantile is the smallest value whose share of resamples reaches p, on both sides.
 */
import { requireCount, requireError, requireSeed } from './arguments.ts';
import {
  type BootstrapLaw,
  lawOfDraws,
  lawOfEnumeration,
  type WeightedValue,
} from './bootstrap-law.ts';
import type { Bounds, Indeterminate } from './interval.ts';
import { indeterminate, isIndeterminate } from './interval.ts';
import { meanDifferenceBounds, spreadOf } from './mean-difference.ts';
import { type GeneratorState, resamplingState } from './random.ts';
import { enumerateResamples, type Resample } from './resampling.ts';

/** Up to so many units the bootstrap distribution is enumerated. */
export const enumeratedUnits = 8;

/** `error` one-sided in (0, 0.5); `seed` 64 lower-case hex digits; `resamples` at least 1,000. */
export interface BootstrapOptions {
  readonly error: number;
  readonly seed: string;
  readonly resamples: number;
}

/** How a bootstrap distribution was made, beside what it gave. */
export interface BootstrapOrigin {
  readonly seed: string;
  readonly resamples: number;
  /** `exact`: enumerated, seed and resamples had no part in it. */
  readonly law: 'exact' | 'monte-carlo';
  /** Standard error of each bound through the finite number of resamples; 0 for an exact law. */
  readonly monteCarloError: Bounds;
}

/** One-sided bootstrap bounds, each at the same error. */
export interface BootstrapBounds extends Bounds, BootstrapOrigin {}

type Statistic = (resample: Resample) => number;

function exactLaw(centred: Float64Array, statistic: Statistic): BootstrapLaw {
  const points: WeightedValue[] = [];
  enumerateResamples(centred, (resample, weight) => {
    points.push({ value: statistic(resample), weight });
  });
  return lawOfEnumeration(points);
}

/**
 * Total and sum of squares of one resample, added in drawing order: a sealed bound depends on it. The generator and its
 * index rule are those of fillBelow, written out here because a list between two loops costs as much as the draw itself.
 */
function drawResample(state: GeneratorState, centred: Float64Array): Resample {
  let a = state[0] ?? 0;
  let b = state[1] ?? 0;
  let c = state[2] ?? 0;
  let counter = state[3] ?? 0;
  const units = centred.length;
  const perBucket = 1 / Math.floor(4294967296 / units);
  let total = 0;
  let squares = 0;
  for (let unit = 0; unit < units; unit += 1) {
    let index: number;
    do {
      const word = (((a + b) | 0) + counter) | 0;
      counter = (counter + 1) | 0;
      a = b ^ (b >>> 9);
      b = (c + (c << 3)) | 0;
      c = (((c << 21) | (c >>> 11)) + word) | 0;
      index = (((word >>> 0) + 0.5) * perBucket) | 0;
    } while (index >= units);
    const value = centred[index] ?? 0;
    total += value;
    squares += value * value;
  }
  state[0] = a;
  state[1] = b;
  state[2] = c;
  state[3] = counter;
  return { total, squares };
}

function monteCarloLaw(
  centred: Float64Array,
  statistic: Statistic,
  { seed, resamples }: BootstrapOptions,
): BootstrapLaw {
  const state = resamplingState(seed);
  const values = new Float64Array(resamples);
  for (let at = 0; at < resamples; at += 1) values[at] = statistic(drawResample(state, centred));
  return lawOfDraws(values);
}

/** The studentized mean; a resample without spread lies at ±Infinity by the sign of its shift, at 0 without one. */
function studentized(centred: Float64Array): Statistic {
  const units = centred.length;
  const largest = Math.max(Math.abs(centred[0] ?? 0), Math.abs(centred[units - 1] ?? 0));
  const noise = 1e-12 * largest;
  return ({ total, squares }) => {
    const shift = total / units;
    const variance = (squares - total * shift) / (units - 1);
    if (variance > noise * largest) return shift / Math.sqrt(variance / units);
    return Math.abs(shift) <= noise ? 0 : shift / 0;
  };
}

interface Prepared {
  readonly mean: number;
  readonly standardError: number;
  readonly law: BootstrapLaw;
}

function prepare(
  differences: readonly number[],
  options: BootstrapOptions,
): Prepared | Indeterminate {
  requireError('error', options.error);
  requireSeed('seed', options.seed);
  requireCount('resamples', options.resamples, 1000);
  const spread = spreadOf(differences);
  if (isIndeterminate(spread)) return spread;
  const { mean, standardError, units } = spread;
  const centred = Float64Array.from(differences, (value) => value - mean).sort();
  const statistic = studentized(centred);
  const law =
    units <= enumeratedUnits
      ? exactLaw(centred, statistic)
      : monteCarloLaw(centred, statistic, options);
  return { mean, standardError, law };
}

/** In standard errors: quantiles of t closer than this are one value but for rounding, and their interval would have no width. */
const smallestWidth = 1e-9;

/** Both bounds from the law of t, or why there are none. */
function boundsOf({ mean, standardError, law }: Prepared, error: number): Bounds | Indeterminate {
  const low = law.quantile(error);
  const high = law.quantile(1 - error);
  if (!(Number.isFinite(low) && Number.isFinite(high)))
    return indeterminate('degenerate-resamples');
  if (!(high - low > smallestWidth)) return indeterminate('constant-resamples');
  return { lower: mean - high * standardError, upper: mean - low * standardError };
}

/**
 * One-sided bootstrap-t bounds for the mean difference.
 *
 * Not monotone, and blind to an outcome the sample does not show: with rare unseen losses the lower bound is too high.
 * Cost: units × resamples, or all multisets up to 8 units.
 *
 * @param differences  one finite number per unit, candidate − baseline
 * @param options      error, seed and resamples
 * @returns            indeterminate('no-units' | 'too-few-units' | 'constant-differences') below 2 units or without spread;
 *                     indeterminate('degenerate-resamples') when resamples without spread outweigh the error, so that a
 *                     bound would be infinite
 * @throws {LiftgateError} stats-argument-invalid  if an option or a difference is outside its range
 * @example bootstrapTBounds([0, 0, 0, 1, 1, 1, 1], { error: 0.05, seed: '0'.repeat(64), resamples: 1000 }).lower
 * // => 0.167367553608 to 12 digits
 * @see Efron & Tibshirani (1993), An Introduction to the Bootstrap, section 12.5
 */
export function bootstrapTBounds(
  differences: readonly number[],
  options: BootstrapOptions,
): BootstrapBounds | Indeterminate {
  const prepared = prepare(differences, options);
  if (isIndeterminate(prepared)) return prepared;
  const { law, standardError } = prepared;
  const { error, seed, resamples } = options;
  const bounds = boundsOf(prepared, error);
  if (isIndeterminate(bounds)) return bounds;
  return {
    ...bounds,
    seed,
    resamples,
    law: law.source === 'resampling' ? 'monte-carlo' : 'exact',
    monteCarloError: {
      lower: law.quantileError(1 - error) * standardError,
      upper: law.quantileError(error) * standardError,
    },
  };
}

/**
 * The wider of t and bootstrap-t on each side: lower is the smaller of both lower bounds, upper the larger of both upper
 * ones. t is the better of the two under symmetry, bootstrap-t under skew. Floors (units, non-zero differences) are the
 * caller's to apply.
 *
 * @param differences  one finite number per unit, candidate − baseline
 * @param options      error, seed and resamples
 * @returns            indeterminate wherever bootstrapTBounds is, with its reason
 * @throws {LiftgateError} stats-argument-invalid  if an option or a difference is outside its range
 * @example tBootstrapTBounds([0, 0, 0, 1, 1, 1, 1], { error: 0.05, seed: '0'.repeat(64), resamples: 1000 }).lower
 * // => 0.167367553608 to 12 digits
 */
export function tBootstrapTBounds(
  differences: readonly number[],
  options: BootstrapOptions,
): BootstrapBounds | Indeterminate {
  const resampled = bootstrapTBounds(differences, options);
  if (isIndeterminate(resampled)) return resampled;
  const student = meanDifferenceBounds(differences, options.error);
  if (isIndeterminate(student)) return student;
  return {
    ...resampled,
    lower: Math.min(resampled.lower, student.lower),
    upper: Math.max(resampled.upper, student.upper),
  };
}
