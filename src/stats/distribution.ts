/**
 * Normal, Student t, beta and binomial: tails and quantiles. An upper tail is always computed on its own branch, never as
 * one minus a lower tail, so a tail of 1e-200 keeps its digits. Held to `distributions.json` within 1e-10 relative.
 */
import {
  requireCount,
  requireOpenProbability,
  requirePositive,
  requireProbability,
} from './arguments.ts';
import { type SlopedTail, tailRoot } from './chord-root.ts';
import { exp, log } from './elementary.ts';
import type { BetaPoint, BetaShape } from './special.ts';
import { incompleteBeta, normalCentre, normalDensity, normalFarTail } from './special.ts';

/** From here on the normal tail comes from its continued fraction. */
const farTailFrom = 1;

/**
 * P(Z > x) of a standard normal Z.
 *
 * @param x  any number; 0 below the smallest double, beyond x ≈ 38.5
 * @example normalUpper(10) // => 7.61985302416e-24 to 12 digits
 */
export function normalUpper(x: number): number {
  if (x < 0) return x > -farTailFrom ? 0.5 + normalCentre(-x) : 1 - normalFarTail(-x);
  return x < farTailFrom ? 0.5 - normalCentre(x) : normalFarTail(x);
}

/**
 * P(Z ≤ x) of a standard normal Z.
 *
 * @param x  any number
 * @example normalCdf(-10) // => 7.61985302416e-24 to 12 digits
 */
export function normalCdf(x: number): number {
  return normalUpper(-x);
}

/** First guess of an upper quantile, within 4.5e-4 (Abramowitz & Stegun 26.2.23). */
function normalQuantileGuess(upperTail: number): number {
  const t = Math.sqrt(-2 * log(upperTail));
  const numerator = 2.515517 + t * (0.802853 + t * 0.010328);
  return t - numerator / (1 + t * (1.432788 + t * (0.189269 + t * 0.001308)));
}

/**
 * The x with P(Z > x) = upperTail.
 *
 * @param upperTail  a probability in (0, 1)
 * @returns          the guess refined by three Halley steps, relative error about 1e-15
 * @throws {LiftgateError} stats-argument-invalid  outside (0, 1)
 * @example normalUpperQuantile(0.025) // => 1.95996398454005 to 15 digits
 */
export function normalUpperQuantile(upperTail: number): number {
  requireOpenProbability('upperTail', upperTail);
  if (upperTail > 0.5) return -normalUpperQuantile(1 - upperTail);
  if (upperTail === 0.5) return 0;
  let x = Math.max(0, normalQuantileGuess(upperTail));
  for (let step = 0; step < 3; step += 1) {
    // 0.5 − upperTail is exact near the centre, so a quantile close to 0 keeps its relative digits.
    const excess =
      x < farTailFrom ? 0.5 - upperTail - normalCentre(x) : normalFarTail(x) - upperTail;
    const newton = excess / normalDensity(x);
    x += newton / (1 - (x * newton) / 2);
  }
  return x;
}

/**
 * The x with P(Z ≤ x) = lowerTail.
 *
 * @param lowerTail  a probability in (0, 1)
 * @throws {LiftgateError} stats-argument-invalid  outside (0, 1)
 * @example normalQuantile(0.975) // => 1.95996398454005 to 15 digits
 */
export function normalQuantile(lowerTail: number): number {
  return 0 - normalUpperQuantile(lowerTail);
}

/**
 * P(X ≤ x) of X ~ Beta(a, b).
 *
 * @param x      at or below 0 the result is 0, at or above 1 it is 1
 * @param shape  a and b above 0
 * @throws {LiftgateError} stats-argument-invalid  if a shape is not a finite number above 0
 * @example betaCdf(0.3, { a: 2, b: 3 }) // => 0.3483 to 12 digits
 */
export function betaCdf(x: number, shape: BetaShape): number {
  requireShape(shape);
  return incompleteBeta({ x, y: 1 - x }, shape).lower;
}

/**
 * P(X > x) of X ~ Beta(a, b), from its own branch.
 *
 * @param x      at or below 0 the result is 1, at or above 1 it is 0
 * @param shape  a and b above 0
 * @throws {LiftgateError} stats-argument-invalid  if a shape is not a finite number above 0
 * @example betaUpper(0.2, { a: 3.5, b: 1000 }) // => 2.124353394586e-92 to 12 digits
 */
export function betaUpper(x: number, shape: BetaShape): number {
  requireShape(shape);
  return incompleteBeta({ x, y: 1 - x }, shape).upper;
}

function requireShape({ a, b }: BetaShape): void {
  requirePositive('a', a);
  requirePositive('b', b);
}

/** The point of the logit u = ln(x/y). */
function fromLogit(u: number): BetaPoint {
  const small = exp(-Math.abs(u));
  const near = small / (1 + small);
  const far = 1 / (1 + small);
  return u < 0 ? { x: near, y: far } : { x: far, y: near };
}

/** The point whose lower tail is `tail` ≤ ½, sought over the logit. */
function betaLowerPoint(tail: number, shape: BetaShape): BetaPoint {
  const at = (u: number): SlopedTail => {
    const { lower, kernel } = incompleteBeta(fromLogit(u), shape);
    return { tail: lower, slope: kernel };
  };
  const bracket = { left: -745, right: 745, start: log(shape.a / shape.b), mostSteps: 200 };
  return fromLogit(tailRoot(at, { goal: tail, direction: 1, ...bracket }));
}

/**
 * The x (with its complement) of Beta(a, b) whose lower tail is p and upper tail q = 1 − p; the smaller one is used.
 *
 * @param p      lower tail, above 0
 * @param q      upper tail, above 0; p + q = 1
 * @param shape  a and b above 0
 * @example betaPoint(0.5, 0.5, { a: 2, b: 2 }) // => { x: 0.5, y: 0.5 }
 */
export function betaPoint(p: number, q: number, shape: BetaShape): BetaPoint {
  if (p <= q) return betaLowerPoint(p, shape);
  const { x, y } = betaLowerPoint(q, { a: shape.b, b: shape.a });
  return { x: y, y: x };
}

/**
 * The x with P(X ≤ x) = lowerTail of X ~ Beta(a, b).
 *
 * @param lowerTail  a probability in (0, 1)
 * @param shape      a and b above 0
 * @throws {LiftgateError} stats-argument-invalid  if an argument is outside its range
 * @example betaQuantile(0.05, { a: 1, b: 3 }) // => 0.0169524275084 to 12 digits
 */
export function betaQuantile(lowerTail: number, shape: BetaShape): number {
  requireOpenProbability('lowerTail', lowerTail);
  requireShape(shape);
  return betaPoint(lowerTail, 1 - lowerTail, shape).x;
}

/**
 * The x with P(X > x) = upperTail of X ~ Beta(a, b).
 *
 * @param upperTail  a probability in (0, 1)
 * @param shape      a and b above 0
 * @throws {LiftgateError} stats-argument-invalid  if an argument is outside its range
 * @example betaUpperQuantile(0.05, { a: 1, b: 3 }) // => 0.631596850136 to 12 digits
 */
export function betaUpperQuantile(upperTail: number, shape: BetaShape): number {
  requireOpenProbability('upperTail', upperTail);
  requireShape(shape);
  return betaPoint(1 - upperTail, upperTail, shape).x;
}

/**
 * P(T > x) of Student's t.
 *
 * @param x   any finite number
 * @param df  degrees of freedom, above 0, whole or not
 * @throws {LiftgateError} stats-argument-invalid  if df is not a finite number above 0
 * @example tUpper(2, 2) // => 0.0917517095361 to 12 digits
 */
export function tUpper(x: number, df: number): number {
  requirePositive('df', df);
  const square = x * x;
  if (square === Number.POSITIVE_INFINITY) return x > 0 ? 0 : 1;
  const point = { x: df / (df + square), y: square / (df + square) };
  const { lower, upper } = incompleteBeta(point, { a: df / 2, b: 0.5 });
  return x > 0 ? lower / 2 : 0.5 + upper / 2;
}

/**
 * P(T ≤ x) of Student's t.
 *
 * @param x   any finite number
 * @param df  degrees of freedom, above 0
 * @throws {LiftgateError} stats-argument-invalid  if df is not a finite number above 0
 * @example tCdf(0, 7) // => 0.5
 */
export function tCdf(x: number, df: number): number {
  return tUpper(-x, df);
}

/**
 * The x with P(T > x) = upperTail of Student's t.
 *
 * @param upperTail  a probability in (0, 1)
 * @param df         degrees of freedom, above 0
 * @throws {LiftgateError} stats-argument-invalid  if an argument is outside its range
 * @example tUpperQuantile(0.025, 9) // => 2.26215716280 to 12 digits
 */
export function tUpperQuantile(upperTail: number, df: number): number {
  requireOpenProbability('upperTail', upperTail);
  requirePositive('df', df);
  if (upperTail > 0.5) return -tUpperQuantile(1 - upperTail, df);
  if (upperTail === 0.5) return 0;
  const { x, y } = betaPoint(2 * upperTail, 2 * (0.5 - upperTail), { a: df / 2, b: 0.5 });
  return Math.sqrt((df * y) / x);
}

/**
 * The x with P(T ≤ x) = lowerTail of Student's t.
 *
 * @param lowerTail  a probability in (0, 1)
 * @param df         degrees of freedom, above 0
 * @throws {LiftgateError} stats-argument-invalid  if an argument is outside its range
 * @example tQuantile(0.05, 5) // => -2.01504837333 to 12 digits
 */
export function tQuantile(lowerTail: number, df: number): number {
  return 0 - tUpperQuantile(lowerTail, df);
}

/** A binomial distribution: `trials` whole and ≥ 0, `probability` of a success in [0, 1]. */
export interface Binomial {
  readonly trials: number;
  readonly probability: number;
}

function binomialTails(
  successes: number,
  { trials, probability }: Binomial,
): { lower: number; upper: number } {
  requireCount('trials', trials);
  requireProbability('probability', probability);
  if (!Number.isSafeInteger(successes)) requireCount('successes', successes);
  if (successes < 0) return { lower: 0, upper: 1 };
  if (successes >= trials) return { lower: 1, upper: 0 };
  const point = { x: probability, y: 1 - probability };
  const tails = incompleteBeta(point, { a: successes + 1, b: trials - successes });
  return { lower: tails.upper, upper: tails.lower };
}

/**
 * P(X ≤ successes) of a binomial X.
 *
 * @param successes     whole; below 0 the result is 0, from `trials` on it is 1
 * @param distribution  trials and probability
 * @throws {LiftgateError} stats-argument-invalid  if a count is not whole or the probability is outside [0, 1]
 * @example binomialCdf(5, { trials: 7, probability: 0.5 }) // => 0.9375
 */
export function binomialCdf(successes: number, distribution: Binomial): number {
  return binomialTails(successes, distribution).lower;
}

/**
 * P(X > successes) of a binomial X, from its own branch.
 *
 * @param successes     whole; below 0 the result is 1, from `trials` on it is 0
 * @param distribution  trials and probability
 * @throws {LiftgateError} stats-argument-invalid  if a count is not whole or the probability is outside [0, 1]
 * @example binomialUpper(49, { trials: 50, probability: 0.5 }) // => 8.88178419700e-16 to 12 digits
 */
export function binomialUpper(successes: number, distribution: Binomial): number {
  return binomialTails(successes, distribution).upper;
}

/**
 * The smallest whole number k with P(X ≤ k) ≥ lowerTail of a binomial X.
 *
 * @param lowerTail     a probability in (0, 1)
 * @param distribution  trials and probability
 * @throws {LiftgateError} stats-argument-invalid  if an argument is outside its range
 * @example binomialQuantile(0.025, { trials: 20, probability: 0.5 }) // => 6
 */
export function binomialQuantile(lowerTail: number, distribution: Binomial): number {
  requireOpenProbability('lowerTail', lowerTail);
  // A tail equal to the wanted one up to rounding counts as reaching it.
  const reached = lowerTail * (1 - 1e-14);
  let below = -1;
  let enough = distribution.trials;
  while (enough - below > 1) {
    const middle = Math.floor((below + enough) / 2);
    if (binomialCdf(middle, distribution) >= reached) enough = middle;
    else below = middle;
  }
  return enough;
}
