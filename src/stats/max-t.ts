/**
 * Several candidates on the same units, tested together: the largest t of resampled units (Westfall and Young).
 *
 * Candidates that share their units are correlated; resampling whole units keeps that, so the adjustment is never larger than
 * Holm's by much and often smaller. The law of the largest t is approached as units grow: it describes, and does not decide.
 */
import { LiftgateError } from '../base/errors.ts';
import { requireCount, requireError, requireFiniteList } from './arguments.ts';
import { type Indeterminate, indeterminate } from './interval.ts';
import { fillBelow, resamplingState } from './random.ts';
import { moments } from './summary.ts';

/** Seed and number of resamples; `seed` is 64 hex digits, `resamples` at least 1. */
export interface MaxTOptions {
  readonly seed: string;
  readonly resamples: number;
}

/** One candidate's t statistic of its mean difference, and its p-value adjusted for all of them. */
export interface MaxTResult {
  readonly statistic: number;
  /** Step-down, one-sided: (1 + resamples whose largest t reaches the statistic) / (1 + resamples), never falling. */
  readonly adjusted: number;
}

/** One candidate's differences about their mean, with the mean and its standard error. */
interface Candidate {
  readonly centred: Float64Array;
  readonly mean: number;
  readonly standardError: number;
}

function candidatesOf(differences: readonly (readonly number[])[]): Candidate[] | Indeterminate {
  const units = differences[0]?.length ?? 0;
  differences.forEach((values, index) => {
    requireFiniteList(`differences[${index}]`, values);
    if (values.length !== units) {
      throw new LiftgateError(
        'stats-argument-invalid',
        `differences[${index}] must hold ${units} values, one per unit, got ${values.length}`,
        {
          where: { path: `differences[${index}]` },
          mend: 'Give every candidate one difference per unit, in the same order of units.',
        },
      );
    }
  });
  if (units < 2) return indeterminate('too-few-units');
  const candidates = differences.map((values) => {
    const { mean, variance } = moments(values);
    const centred = Float64Array.from(values, (value) => value - mean);
    return { centred, mean, standardError: Math.sqrt(variance / units) };
  });
  if (candidates.some(({ standardError }) => !(standardError > 0))) {
    return indeterminate('constant-differences');
  }
  return candidates;
}

/** t of the resampled units about the observed mean; without spread it is infinite on the side of its mean. */
function resampledT(centred: Float64Array, drawn: Uint32Array): number {
  const units = drawn.length;
  let total = 0;
  let squares = 0;
  for (let at = 0; at < units; at += 1) {
    const value = centred[drawn[at] ?? 0] ?? 0;
    total += value;
    squares += value * value;
  }
  const mean = total / units;
  const variance = Math.max(0, squares - total * mean) / (units - 1);
  return mean === 0 ? 0 : mean / Math.sqrt(variance / units);
}

/** Calls `visit` with the t of every candidate, once per resample; the units are drawn once for all candidates. */
function forEachResample(
  candidates: readonly Candidate[],
  { seed, resamples }: MaxTOptions,
  visit: (statistics: readonly number[]) => void,
): void {
  const state = resamplingState(seed);
  const units = candidates[0]?.centred.length ?? 0;
  const drawn = new Uint32Array(units);
  for (let resample = 0; resample < resamples; resample += 1) {
    fillBelow(state, drawn, units);
    visit(candidates.map(({ centred }) => resampledT(centred, drawn)));
  }
}

/**
 * One-sided step-down max-T p-values of several mean differences over the same units, against 0.
 *
 * @param differences  one list per candidate, each with one difference per unit in the same order
 * @param options      64 hex digits of seed, and resamples ≥ 1; cost grows with candidates × units × resamples
 * @returns            one result per candidate, in the order given; indeterminate('too-few-units') below 2 units,
 *                     ('constant-differences') when a candidate's differences are all equal
 * @throws {LiftgateError} stats-argument-invalid  if lists differ in length, hold non-finite numbers, or an option is invalid
 * @example maxTAdjust([[1, 2, 3], [3, 2, 1]], { seed: '00'.repeat(32), resamples: 1 }).length // => 2
 * @see Westfall & Young (1993), Resampling-Based Multiple Testing, algorithm 4.1
 */
export function maxTAdjust(
  differences: readonly (readonly number[])[],
  options: MaxTOptions,
): MaxTResult[] | Indeterminate {
  requireCount('resamples', options.resamples, 1);
  if (differences.length === 0) return [];
  const candidates = candidatesOf(differences);
  if ('status' in candidates) return candidates;
  const statistics = candidates.map(({ mean, standardError }) => mean / standardError);
  const order = statistics
    .map((_, index) => index)
    .sort((one, other) => (statistics[other] ?? 0) - (statistics[one] ?? 0) || one - other);
  const reached = new Float64Array(order.length);
  forEachResample(candidates, options, (drawn) => {
    let largest = Number.NEGATIVE_INFINITY;
    for (let step = order.length - 1; step >= 0; step -= 1) {
      const index = order[step] ?? 0;
      largest = Math.max(largest, drawn[index] ?? 0);
      if (largest >= (statistics[index] ?? 0)) reached[step] = (reached[step] ?? 0) + 1;
    }
  });
  const adjusted = new Float64Array(order.length);
  let smallest = 0;
  order.forEach((index, step) => {
    smallest = Math.max(smallest, (1 + (reached[step] ?? 0)) / (1 + options.resamples));
    adjusted[index] = smallest;
  });
  return statistics.map((statistic, index) => ({ statistic, adjusted: adjusted[index] ?? 1 }));
}

/**
 * Simultaneous one-sided lower bounds of several mean differences over the same units: each mean less the same quantile of
 * the largest t in standard errors.
 *
 * @param differences  one list per candidate, each with one difference per unit in the same order
 * @param options      seed, resamples and the familywise one-sided `error` in (0, 0.5)
 * @returns            one bound per candidate; indeterminate as in maxTAdjust, or ('infinite-quantile') when more than `error` of
 *                     the resamples have no spread
 * @throws {LiftgateError} stats-argument-invalid  if lists differ in length, hold non-finite numbers, or an option is invalid
 * @example maxTLowerBounds([], { seed: '00'.repeat(32), resamples: 99, error: 0.05 }) // => []
 * @see Romano & Wolf (2005), JASA 100:94
 */
export function maxTLowerBounds(
  differences: readonly (readonly number[])[],
  options: MaxTOptions & { readonly error: number },
): number[] | Indeterminate {
  requireCount('resamples', options.resamples, 1);
  requireError('error', options.error);
  if (differences.length === 0) return [];
  const candidates = candidatesOf(differences);
  if ('status' in candidates) return candidates;
  const largest = new Float64Array(options.resamples);
  let at = 0;
  forEachResample(candidates, options, (drawn) => {
    largest[at] = Math.max(...drawn);
    at += 1;
  });
  largest.sort();
  const wanted = Math.floor((options.resamples + 1) * (1 - options.error) - 1e-9) + 1;
  const rank = Math.min(options.resamples, wanted);
  const quantile = largest[rank - 1] ?? Number.POSITIVE_INFINITY;
  if (!Number.isFinite(quantile)) return indeterminate('infinite-quantile');
  return candidates.map(({ mean, standardError }) => mean - quantile * standardError);
}
