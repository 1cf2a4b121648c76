/**
 * Chi-square and F, the distributions of variances and of their ratios: tails and quantiles, each upper tail from its own
 * branch. Held to `distributions.json` within 1e-10 relative.
 */
import { requireOpenProbability, requirePositive } from './arguments.ts';
import { type SlopedTail, tailRoot } from './chord-root.ts';
import { betaPoint } from './distribution.ts';
import { exp, log } from './elementary.ts';
import type { BetaPoint, BetaShape } from './special.ts';
import { incompleteBeta, incompleteGamma } from './special.ts';

/**
 * P(X ≤ x) of a chi-square X.
 *
 * @param x   at or below 0 the result is 0
 * @param df  degrees of freedom, above 0, whole or not
 * @throws {LiftgateError} stats-argument-invalid  if df is not a finite number above 0
 * @example chiSquareCdf(10, 2) // => 0.993262053001 to 12 digits
 */
export function chiSquareCdf(x: number, df: number): number {
  requirePositive('df', df);
  return incompleteGamma(x / 2, df / 2).lower;
}

/**
 * P(X > x) of a chi-square X, from its own branch.
 *
 * @param x   at or below 0 the result is 1
 * @param df  degrees of freedom, above 0, whole or not
 * @throws {LiftgateError} stats-argument-invalid  if df is not a finite number above 0
 * @example chiSquareUpper(200, 5) // => 2.84062289864e-41 to 12 digits
 */
export function chiSquareUpper(x: number, df: number): number {
  requirePositive('df', df);
  return incompleteGamma(x / 2, df / 2).upper;
}

/** The gamma point whose named tail is `tail`, sought over u = ln x. */
function gammaPoint(tail: number, side: 'lower' | 'upper', shape: number): number {
  const at = (u: number): SlopedTail => {
    const tails = incompleteGamma(exp(u), shape);
    return { tail: tails[side], slope: tails.kernel };
  };
  const direction = side === 'lower' ? 1 : -1;
  const bracket = { left: -745, right: 709, start: log(shape), mostSteps: 300 };
  return exp(tailRoot(at, { goal: tail, direction, ...bracket }));
}

/**
 * The x with P(X ≤ x) = lowerTail of a chi-square X.
 *
 * @param lowerTail  a probability in (0, 1)
 * @param df         degrees of freedom, above 0
 * @throws {LiftgateError} stats-argument-invalid  if an argument is outside its range
 * @example chiSquareQuantile(0.95, 1) // => 3.84145882069 to 12 digits
 */
export function chiSquareQuantile(lowerTail: number, df: number): number {
  requireOpenProbability('lowerTail', lowerTail);
  requirePositive('df', df);
  return lowerTail <= 0.5
    ? 2 * gammaPoint(lowerTail, 'lower', df / 2)
    : 2 * gammaPoint(1 - lowerTail, 'upper', df / 2);
}

/**
 * The x with P(X > x) = upperTail of a chi-square X.
 *
 * @param upperTail  a probability in (0, 1)
 * @param df         degrees of freedom, above 0
 * @throws {LiftgateError} stats-argument-invalid  if an argument is outside its range
 * @example chiSquareUpperQuantile(1e-10, 3) // => 49.5421559275 to 12 digits
 */
export function chiSquareUpperQuantile(upperTail: number, df: number): number {
  requireOpenProbability('upperTail', upperTail);
  requirePositive('df', df);
  return upperTail < 0.5
    ? 2 * gammaPoint(upperTail, 'upper', df / 2)
    : 2 * gammaPoint(1 - upperTail, 'lower', df / 2);
}

/** Degrees of freedom of an F ratio, both above 0, whole or not. */
export interface RatioDegrees {
  readonly numerator: number;
  readonly denominator: number;
}

function betaShapeOf({ numerator, denominator }: RatioDegrees): BetaShape {
  requirePositive('numerator', numerator);
  requirePositive('denominator', denominator);
  return { a: numerator / 2, b: denominator / 2 };
}

/** F as the beta point x = n F / (n F + d). */
function ratioPoint(ratio: number, { numerator, denominator }: RatioDegrees): BetaPoint {
  if (ratio === Number.POSITIVE_INFINITY) return { x: 1, y: 0 };
  const total = numerator * ratio + denominator;
  return { x: (numerator * ratio) / total, y: denominator / total };
}

/**
 * P(F ≤ x) of an F ratio.
 *
 * @param x   at or below 0 the result is 0
 * @param df  degrees of freedom of numerator and denominator
 * @throws {LiftgateError} stats-argument-invalid  if a number of degrees is not finite and above 0
 * @example fCdf(4, { numerator: 1, denominator: 10 }) // => 0.926611965229 to 12 digits
 */
export function fCdf(x: number, df: RatioDegrees): number {
  const shape = betaShapeOf(df);
  return x <= 0 ? 0 : incompleteBeta(ratioPoint(x, df), shape).lower;
}

/**
 * P(F > x) of an F ratio, from its own branch.
 *
 * @param x   at or below 0 the result is 1
 * @param df  degrees of freedom of numerator and denominator
 * @throws {LiftgateError} stats-argument-invalid  if a number of degrees is not finite and above 0
 * @example fUpper(20, { numerator: 5, denominator: 5 }) // => 0.00255226071987 to 12 digits
 */
export function fUpper(x: number, df: RatioDegrees): number {
  const shape = betaShapeOf(df);
  return x <= 0 ? 1 : incompleteBeta(ratioPoint(x, df), shape).upper;
}

/**
 * The x with P(F ≤ x) = lowerTail of an F ratio.
 *
 * @param lowerTail  a probability in (0, 1)
 * @param df         degrees of freedom of numerator and denominator
 * @throws {LiftgateError} stats-argument-invalid  if an argument is outside its range
 * @example fQuantile(0.95, { numerator: 1, denominator: 10 }) // => 4.96460274373 to 12 digits
 */
export function fQuantile(lowerTail: number, df: RatioDegrees): number {
  requireOpenProbability('lowerTail', lowerTail);
  const { x, y } = betaPoint(lowerTail, 1 - lowerTail, betaShapeOf(df));
  return (df.denominator * x) / (df.numerator * y);
}

/**
 * The x with P(F > x) = upperTail of an F ratio.
 *
 * @param upperTail  a probability in (0, 1)
 * @param df         degrees of freedom of numerator and denominator
 * @throws {LiftgateError} stats-argument-invalid  if an argument is outside its range
 * @example fUpperQuantile(1e-6, { numerator: 4, denominator: 6 }) // => 236.233970379 to 12 digits
 */
export function fUpperQuantile(upperTail: number, df: RatioDegrees): number {
  requireOpenProbability('upperTail', upperTail);
  const { x, y } = betaPoint(1 - upperTail, upperTail, betaShapeOf(df));
  return (df.denominator * x) / (df.numerator * y);
}
