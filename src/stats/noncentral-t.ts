/**
 * The noncentral t distribution, for power and for intervals of a standardized difference: T = (Z + δ)/S with S the root of
 * a chi-square over its degrees of freedom.
 *
 * Both tails are integrals of positive functions over v = ln S, P(T > t) = ∫ P(Z > t e^v − δ) f(v) dv. The trapezoid rule
 * over the whole line converges geometrically for them; the step is halved until the digits stand still.
 */
import { requireFinite, requireOpenProbability, requirePositive } from './arguments.ts';
import { normalUpper } from './distribution.ts';
import { exp, expm1 } from './elementary.ts';
import { crossedBy, fallingRoot } from './monotone-root.ts';
import { stirlingRemainder } from './special.ts';

/** Degrees of freedom above 0, whole or not, and the noncentrality δ, any finite number. */
export interface NoncentralT {
  readonly df: number;
  readonly noncentrality: number;
}

/** The density of v = ln S (Loader's saddle-point form, see `special.ts`). */
function logScaleDensity(df: number): (v: number) => number {
  const norm = Math.sqrt(df / Math.PI) * exp(-stirlingRemainder(df / 2));
  return (v) => norm * exp(-(df / 2) * (expm1(2 * v) - 2 * v));
}

/** ∫ of density × tail, where 0 ≤ tail ≤ 1; each direction ends where the density alone no longer matters. */
function integral(
  density: (v: number) => number,
  tail: (v: number) => number,
  firstStep: number,
): number {
  const sideSum = (start: number, stride: number, seen: number): number => {
    let total = 0;
    for (let v = start; ; v += stride) {
      const height = density(v);
      total += height * tail(v);
      if (height <= 1e-18 * (seen + total)) return total;
    }
  };
  const lineSum = (offset: number, stride: number, seen: number): number => {
    const right = sideSum(offset, stride, seen);
    return right + sideSum(offset - stride, -stride, seen + right);
  };
  let step = firstStep;
  let heights = lineSum(0, step, 0);
  for (let halving = 0; halving < 12; halving += 1) {
    const before = step * heights;
    heights += lineSum(step / 2, step, heights);
    step /= 2;
    if (Math.abs(step * heights - before) <= 1e-14 * before) break;
  }
  return step * heights;
}

function tailOf(sign: 1 | -1, x: number, { df, noncentrality }: NoncentralT): number {
  requireFinite('x', x);
  requirePositive('df', df);
  requireFinite('noncentrality', noncentrality);
  const steepest = Math.min(Math.abs(x), Math.abs(noncentrality) + 8);
  const firstStep = 0.7 / Math.sqrt(2 * df + 4 + steepest * steepest);
  const tail = (v: number): number => normalUpper(sign * (x * exp(v) - noncentrality));
  return Math.min(1, integral(logScaleDensity(df), tail, firstStep));
}

/**
 * P(T > x) of a noncentral t, relative error about 1e-12 however small it is.
 *
 * @param x             any finite number
 * @param distribution  degrees of freedom and noncentrality
 * @throws {LiftgateError} stats-argument-invalid  if a number is not finite or df is not above 0
 * @example noncentralTUpper(2.093024054408263, { df: 19, noncentrality: 2.23606797749979 }) // => 0.564482896679 to 12 digits
 * @see Johnson, Kotz & Balakrishnan (1995), Continuous Univariate Distributions 2, 31.5
 */
export function noncentralTUpper(x: number, distribution: NoncentralT): number {
  return tailOf(1, x, distribution);
}

/**
 * P(T ≤ x) of a noncentral t, from its own integral.
 *
 * @param x             any finite number
 * @param distribution  degrees of freedom and noncentrality
 * @throws {LiftgateError} stats-argument-invalid  if a number is not finite or df is not above 0
 * @example noncentralTCdf(0, { df: 7, noncentrality: 2 }) // => 0.0227501319482 to 12 digits
 */
export function noncentralTCdf(x: number, distribution: NoncentralT): number {
  return tailOf(-1, x, distribution);
}

/** A statistic seen, its degrees of freedom and the tail it should leave. */
export interface NoncentralitySearch {
  readonly statistic: number;
  readonly df: number;
  readonly tail: number;
}

/**
 * The noncentrality at which a statistic is exceeded with probability `tail`; the bounds of δ invert it.
 *
 * @param search  statistic seen, degrees of freedom above 0, tail in (0, 1)
 * @throws {LiftgateError} stats-argument-invalid  if a number is outside its range
 * @example noncentralityAt({ statistic: 3, df: 9, tail: 0.025 }) // => 0.556840 to 6 digits
 */
export function noncentralityAt({ statistic, df, tail }: NoncentralitySearch): number {
  requireOpenProbability('tail', tail);
  const shortfall = (noncentrality: number): number =>
    tail - noncentralTUpper(statistic, { df, noncentrality });
  const excess = (negated: number): number => -shortfall(-negated);
  if (shortfall(statistic) === 0) return statistic;
  const upper = crossedBy(shortfall, statistic, 1);
  const lower = -crossedBy(excess, -statistic, 1);
  return fallingRoot(shortfall, { lower, upper });
}
