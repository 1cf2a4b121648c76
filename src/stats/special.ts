/** Special functions under the distributions: log-gamma, the incomplete beta and gamma functions with both tails, the normal tail. */
import { exp, log, log1p } from './elementary.ts';

const halfLogTwoPi = 0.9189385332046728;
const inverseSqrtTwoPi = 0.3989422804014327;

/**
 * Stirling's remainder: ln Γ(x + 1) − (x + ½) ln x + x − ½ ln 2π.
 *
 * From 16 on the asymptotic series reaches 1e-17; below, the recurrence climbs to 16.
 *
 * @param x  above 0
 * @example stirlingRemainder(100) // => 0.000833330555635 to 12 digits
 * @see Loader (2000), Fast and accurate computation of binomial probabilities
 */
export function stirlingRemainder(x: number): number {
  let climbed = 0;
  let from = x;
  while (from < 16) {
    climbed += (from + 0.5) * log1p(1 / from) - 1;
    from += 1;
  }
  const square = 1 / (from * from);
  const series =
    1 / 12 -
    square *
      (1 / 360 -
        square * (1 / 1260 - square * (1 / 1680 - square * (1 / 1188 - square * (691 / 360360)))));
  return climbed + series / from;
}

/**
 * ln Γ(x), to about 1e-15 of max(1, |ln Γ(x)|).
 *
 * @param x  above 0
 * @example logGamma(0.5) // => 0.572364942925 to 12 digits
 */
export function logGamma(x: number): number {
  return (x - 0.5) * log(x) - x + halfLogTwoPi + stirlingRemainder(x);
}

/** v − ln(ratio) where ratio = 1 + v: the series near 0, where the difference would cancel; the ratio keeps v near −1. */
function logGap(v: number, ratio: number): number {
  if (Math.abs(v) > 0.25) return v - log(ratio);
  const s = v / (2 + v);
  const square = s * s;
  let tail = 0;
  for (let odd = 27; odd >= 3; odd -= 2) tail = square * (2 / odd + tail);
  return s * (v - tail);
}

/** A point of [0, 1] given with its complement, so that neither loses digits: x + y = 1. */
export interface BetaPoint {
  readonly x: number;
  readonly y: number;
}

/** The shape of a beta distribution; both above 0. */
export interface BetaShape {
  readonly a: number;
  readonly b: number;
}

/** x^a y^b / B(a, b) in saddle-point form, which keeps its digits at any size of a and b (Loader 2000). */
function betaKernel({ x, y }: BetaPoint, { a, b }: BetaShape): number {
  const distance = b * x - a * y;
  const exponent =
    stirlingRemainder(a + b) -
    stirlingRemainder(a) -
    stirlingRemainder(b) -
    a * logGap(distance / a, x * ((a + b) / a)) -
    b * logGap(-distance / b, y * ((a + b) / b));
  return Math.sqrt((a / (a + b)) * b) * inverseSqrtTwoPi * exp(exponent);
}

/**
 * The continued fraction of the lower tail by the modified Lentz rule, for x at most about a/(a + b). Its even part is
 * used: the terms hold a·y − b·x, which keeps its digits where 1 − x·(a + b)/(a + 1) would lose them all.
 */
function betaFraction({ x, y }: BetaPoint, { a, b }: BetaShape): number {
  const tiny = 1e-300;
  const limit = 1000 + 40 * Math.sqrt(Math.max(a, b));
  const offset = a * y - b * x + 1;
  let c = Math.max(tiny, (a / (a + 1)) * offset);
  let d = 0;
  let fraction = c;
  for (let n = 1; n <= limit; n += 1) {
    const odd = a + 2 * n - 1;
    const share = (n * (b - n) * x) / odd;
    const numerator = share * (((a + n - 1) * x) / odd) * (a + b + n - 1);
    const denominator = n + share + ((a + n) / (odd + 2)) * (offset + n * (1 + y));
    d = denominator + numerator * d;
    d = 1 / (d === 0 ? tiny : d);
    c = denominator + numerator / c;
    if (c === 0) c = tiny;
    fraction *= c * d;
    if (Math.abs(c * d - 1) < 2e-16) break;
  }
  return 1 / fraction;
}

/** Both tails of a beta distribution at one point, and x^a y^b / B(a, b), which is density × x × y. */
export interface BetaTails {
  readonly lower: number;
  readonly upper: number;
  readonly kernel: number;
}

/**
 * The regularized incomplete beta function I_x(a, b) and its complement.
 *
 * The tail on the near side of the mean comes from its own continued fraction, so it keeps its relative digits however
 * small it is; the other is one minus it. Cost grows with √max(a, b).
 *
 * @param point  x with y = 1 − x, both in [0, 1]
 * @param shape  a and b above 0
 * @example incompleteBeta({ x: 0.3, y: 0.7 }, { a: 2, b: 3 }).lower // => 0.3483 to 12 digits
 * @see DiDonato & Morris (1992), ACM TOMS 18:360, eq. 9; NIST DLMF 8.17.22
 */
export function incompleteBeta(point: BetaPoint, shape: BetaShape): BetaTails {
  const { x, y } = point;
  const { a, b } = shape;
  if (x <= 0) return { lower: 0, upper: 1, kernel: 0 };
  if (y <= 0) return { lower: 1, upper: 0, kernel: 0 };
  const kernel = betaKernel(point, shape);
  if (x * (a + b + 2) <= a + 1) {
    const lower = Math.min(1, kernel * betaFraction(point, shape));
    return { lower, upper: 1 - lower, kernel };
  }
  const upper = Math.min(1, kernel * betaFraction({ x: y, y: x }, { a: b, b: a }));
  return { lower: 1 - upper, upper, kernel };
}

/** Both tails of a gamma distribution at one point, and x^a e^−x / Γ(a), which is density × x. */
export interface GammaTails {
  readonly lower: number;
  readonly upper: number;
  readonly kernel: number;
}

/** x^a e^−x / Γ(a) in saddle-point form, which keeps its digits at any size of a (Loader 2000). */
function gammaKernel(x: number, a: number): number {
  const exponent = -stirlingRemainder(a) - a * logGap((x - a) / a, x / a);
  return Math.sqrt(a) * inverseSqrtTwoPi * exp(exponent);
}

/** The series of the lower tail over the kernel; every term is positive. */
function gammaSeries(x: number, a: number): number {
  let term = 1 / a;
  let total = term;
  for (let n = 1; term > total * 1e-17; n += 1) {
    term *= x / (a + n);
    total += term;
  }
  return total;
}

/** The continued fraction of the upper tail over the kernel by the modified Lentz rule, for x above a. */
function gammaFraction(x: number, a: number): number {
  const tiny = 1e-300;
  const limit = 1000 + 40 * Math.sqrt(a);
  let b = x + 1 - a;
  let c = 1 / tiny;
  let d = 1 / b;
  let fraction = d;
  for (let n = 1; n <= limit; n += 1) {
    const numerator = n * (a - n);
    b += 2;
    d = b + numerator * d;
    d = 1 / (d === 0 ? tiny : d);
    c = b + numerator / c;
    if (c === 0) c = tiny;
    fraction *= c * d;
    if (Math.abs(c * d - 1) < 2e-16) break;
  }
  return fraction;
}

/**
 * The regularized incomplete gamma function P(a, x) and its complement Q(a, x).
 *
 * Below a + 1 the lower tail comes from its series and the upper is one minus it; above, the upper comes from its own
 * continued fraction. Cost grows with √a.
 *
 * @param x  at or below 0 the lower tail is 0
 * @param a  the shape, above 0
 * @example incompleteGamma(1, 1).upper // => 0.367879441171 to 12 digits
 * @see NIST DLMF 8.11.4, 8.9.2
 */
export function incompleteGamma(x: number, a: number): GammaTails {
  if (x <= 0) return { lower: 0, upper: 1, kernel: 0 };
  if (x === Number.POSITIVE_INFINITY) return { lower: 1, upper: 0, kernel: 0 };
  const kernel = gammaKernel(x, a);
  if (x < a + 1) {
    const lower = Math.min(1, kernel * gammaSeries(x, a));
    return { lower, upper: 1 - lower, kernel };
  }
  const upper = Math.min(1, kernel * gammaFraction(x, a));
  return { lower: 1 - upper, upper, kernel };
}

/** The standard normal density; the square is split so that the far tail keeps its digits. */
export function normalDensity(x: number): number {
  const size = Math.abs(x);
  if (size > 40) return 0;
  const coarse = Math.floor(size * 16) / 16;
  return (
    inverseSqrtTwoPi * exp((-coarse * coarse) / 2) * exp((-(size - coarse) * (size + coarse)) / 2)
  );
}

/**
 * P(0 < Z < x) of a standard normal Z, by its series of positive terms; for 0 ≤ x ≤ 3.
 *
 * @example normalCentre(1) // => 0.341344746068543
 * @see Marsaglia (2004), Journal of Statistical Software 11(4)
 */
export function normalCentre(x: number): number {
  let term = x;
  let sum = x;
  for (let odd = 3; Math.abs(term) > Math.abs(sum) * 1e-18; odd += 2) {
    term *= (x * x) / odd;
    sum += term;
  }
  return sum * normalDensity(x);
}

/**
 * P(Z > x) of a standard normal Z for x ≥ 1, by its continued fraction (Mills ratio).
 *
 * @example normalFarTail(10) // => 7.61985302416e-24 to 12 digits
 * @see NIST DLMF 7.9.1
 */
export function normalFarTail(x: number): number {
  let denominator = x;
  for (let k = Math.floor(24 + 400 / (x * x)); k >= 1; k -= 1) denominator = x + k / denominator;
  return normalDensity(x) / denominator;
}

/**
 * The complementary error function, 2/√π ∫ from x to ∞ of e^(−t²) dt.
 *
 * @example erfc(0) // => 1
 */
export function erfc(x: number): number {
  const z = x * Math.SQRT2;
  if (z < 0) return 2 - erfc(-x);
  return z < 1 ? 1 - 2 * normalCentre(z) : 2 * normalFarTail(z);
}
