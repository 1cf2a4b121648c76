/** The mean of one difference per unit: Student's t, which needs spread and at least two units. */
import { requireError, requireFiniteList, requireOpenProbability } from './arguments.ts';
import { tUpperQuantile } from './distribution.ts';
import {
  type Bounds,
  errorPerSide,
  type Indeterminate,
  type Interval,
  indeterminate,
  isIndeterminate,
} from './interval.ts';
import { type Moments, moments } from './summary.ts';

/** Mean, variance and standard error of the differences, or why there is none. */
export function spreadOf(
  differences: readonly number[],
): (Moments & { readonly standardError: number }) | Indeterminate {
  requireFiniteList('differences', differences);
  if (differences.length === 0) return indeterminate('no-units');
  if (differences.length < 2) return indeterminate('too-few-units');
  const found = moments(differences);
  if (!Number.isFinite(found.variance)) return indeterminate('spread-too-large');
  if (found.variance === 0) return indeterminate('constant-differences');
  return { ...found, standardError: Math.sqrt(found.variance / found.units) };
}

/**
 * One-sided t bounds for the mean difference, each at the given error.
 *
 * Not monotone: one larger difference can widen the spread and lower the lower bound.
 *
 * @param differences  one finite number per unit, candidate − baseline
 * @param error        one-sided error, in (0, 0.5)
 * @returns            indeterminate('no-units' | 'too-few-units' | 'constant-differences') below 2 units or without spread
 * @throws {LiftgateError} stats-argument-invalid  if a difference is not finite or the error is outside (0, 0.5)
 * @example meanDifferenceBounds([1, 2, 3, 4], 0.025).lower // => 0.445739743239 to 12 digits
 * @see Student (1908), Biometrika 6:1
 */
export function meanDifferenceBounds(
  differences: readonly number[],
  error: number,
): Bounds | Indeterminate {
  requireError('error', error);
  const spread = spreadOf(differences);
  if (isIndeterminate(spread)) return spread;
  const half = tUpperQuantile(error, spread.units - 1) * spread.standardError;
  return { lower: spread.mean - half, upper: spread.mean + half };
}

/**
 * Student's t interval for the mean difference.
 *
 * @param differences  one finite number per unit, candidate − baseline
 * @param level        coverage wanted, a probability in (0, 1)
 * @returns            indeterminate('no-units' | 'too-few-units' | 'constant-differences') below 2 units or without spread
 * @throws {LiftgateError} stats-argument-invalid  if a difference is not finite or the level is outside (0, 1)
 * @example meanDifferenceInterval([1, 2, 3, 4], 0.95).upper // => 4.55426025676 to 12 digits
 * @see Student (1908), Biometrika 6:1
 */
export function meanDifferenceInterval(
  differences: readonly number[],
  level: number,
): Interval | Indeterminate {
  requireOpenProbability('level', level);
  const bounds = meanDifferenceBounds(differences, errorPerSide(level));
  return isIndeterminate(bounds)
    ? bounds
    : { ...bounds, level, method: 't', guarantee: 'asymptotic' };
}
