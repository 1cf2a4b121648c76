/**
 * A fixed roster: the claim concerns the listed units only, so that the noise of repeats within units is all the uncertainty.
 *
 * K units, r_i repeats of unit i with mean x_i and variance s_i^2; the estimate is the mean of the x_i, its variance
 * v = sum of v_i with v_i = s_i^2 / (r_i K^2).
 */
import { requireError, requireFiniteList } from './arguments.ts';
import { tUpperQuantile } from './distribution.ts';
import { type Bounds, type Indeterminate, indeterminate } from './interval.ts';
import { largest, moments, sum } from './summary.ts';

/** The mean over the listed units with what its bounds are made of. */
export interface RosterBounds extends Bounds {
  readonly estimate: number;
  readonly variance: number;
  /** Satterthwaite: v^2 / sum of v_i^2 / (r_i - 1); at least the smallest r_i - 1 of a unit that varies. */
  readonly df: number;
}

/**
 * One-sided t bounds of the mean over listed units, each at the given error, with Satterthwaite's degrees of freedom.
 *
 * Repeats of one unit must be independent of each other. A variance below 1e-24 of the squared largest difference is rounding
 * noise and counts as none. Not monotone: one larger difference can widen the spread and lower the lower bound.
 *
 * @param units  one list per unit: its difference (candidate - baseline) in each repeat
 * @param error  one-sided error, in (0, 0.5)
 * @returns      indeterminate('no-units' | 'too-few-repeats' | 'constant-repeats'): no unit, a unit with one repeat or none, or no
 *               unit whose repeats differ
 * @throws {LiftgateError} stats-argument-invalid  if a difference is not finite or the error is outside (0, 0.5)
 * @example rosterBounds([[1, 2, 3], [4, 4, 7]], 0.025).lower // => 1.72590139026 to 12 digits
 * @see Satterthwaite (1946), Biometrics Bulletin 2:110
 */
export function rosterBounds(
  units: readonly (readonly number[])[],
  error: number,
): RosterBounds | Indeterminate {
  requireError('error', error);
  units.forEach((unit, index) => {
    requireFiniteList(`units[${index}]`, unit);
  });
  if (units.length === 0) return indeterminate('no-units');
  if (units.some((unit) => unit.length < 2)) return indeterminate('too-few-repeats');
  const seen = units.map(moments);
  const count = units.length;
  const parts = seen.map((each) => each.variance / each.units / (count * count));
  const variance = sum(parts);
  const size = largest(units.map((unit) => largest(unit.map(Math.abs))));
  if (Math.sqrt(variance) <= 1e-12 * size) return indeterminate('constant-repeats');
  const estimate = sum(seen.map((each) => each.mean)) / count;
  // Shares instead of squares of variances, which could overflow or vanish.
  const df =
    1 /
    sum(
      parts.map(
        (part, at) => ((part / variance) * (part / variance)) / ((units[at]?.length ?? 2) - 1),
      ),
    );
  const half = tUpperQuantile(error, df) * Math.sqrt(variance);
  return { lower: estimate - half, upper: estimate + half, estimate, variance, df };
}
