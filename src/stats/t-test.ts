/** Student's t for paired and for independent arms, and equivalence by two one-sided tests. Sample variances throughout. */
import {
  requireAbove,
  requireError,
  requireFinite,
  requireFiniteList,
  requireOpenProbability,
} from './arguments.ts';
import type { ThreeProbabilities } from './coin-sums.ts';
import { tUpper, tUpperQuantile } from './distribution.ts';
import {
  type Bounds,
  errorPerSide,
  type Indeterminate,
  type Interval,
  type IntervalMethod,
  indeterminate,
} from './interval.ts';
import { meanDifferenceBounds, spreadOf } from './mean-difference.ts';
import { moments } from './summary.ts';

/** A t test of `estimate` against a hypothesis; `pGreater` is small when the estimate lies above it. */
export interface TTest extends ThreeProbabilities {
  readonly estimate: number;
  readonly standardError: number;
  readonly t: number;
  readonly df: number;
  readonly interval: Interval;
}

interface Estimate {
  readonly estimate: number;
  readonly standardError: number;
  readonly df: number;
}

interface TestedAt {
  readonly hypothesis: number;
  readonly level: number;
  readonly method: IntervalMethod;
}

function tTestOf(found: Estimate, { hypothesis, level, method }: TestedAt): TTest {
  const { estimate, standardError, df } = found;
  const t = (estimate - hypothesis) / standardError;
  const pGreater = tUpper(t, df);
  const pLess = tUpper(-t, df);
  const half = tUpperQuantile(errorPerSide(level), df) * standardError;
  const bounds = { lower: estimate - half, upper: estimate + half };
  return {
    estimate,
    standardError,
    t,
    df,
    pGreater,
    pLess,
    pTwoSided: Math.min(1, 2 * Math.min(pGreater, pLess)),
    interval: { ...bounds, level, method, guarantee: 'asymptotic' },
  };
}

/** `hypothesis` is the mean difference tested against, finite; `level` the coverage of the interval, in (0, 1). */
export interface PairedTOptions {
  readonly hypothesis: number;
  readonly level: number;
}

/**
 * The paired t test of the mean difference.
 *
 * @param differences  one finite number per unit, candidate − baseline
 * @param options      hypothesis and level
 * @returns            indeterminate('no-units' | 'too-few-units' | 'constant-differences' | 'spread-too-large'): without
 *                     spread there is no t, and certainly no p of 0
 * @throws {LiftgateError} stats-argument-invalid  if a number is not finite or the level is outside (0, 1)
 * @example pairedTTest([1, 2, 3, 4], { hypothesis: 0, level: 0.95 }).t // => 3.87298334621 to 12 digits
 * @see Student (1908), Biometrika 6:1
 */
export function pairedTTest(
  differences: readonly number[],
  { hypothesis, level }: PairedTOptions,
): TTest | Indeterminate {
  requireFinite('hypothesis', hypothesis);
  requireOpenProbability('level', level);
  const spread = spreadOf(differences);
  if ('status' in spread) return spread;
  const { mean, standardError, units } = spread;
  const found = { estimate: mean, standardError, df: units - 1 };
  return tTestOf(found, { hypothesis, level, method: 't' });
}

/** The values of two independent arms, one finite number per unit. */
export interface TwoArms {
  readonly baseline: readonly number[];
  readonly candidate: readonly number[];
}

interface ArmMoments {
  readonly difference: number;
  readonly counts: readonly [baseline: number, candidate: number];
  readonly variances: readonly [baseline: number, candidate: number];
}

function armMoments({ baseline, candidate }: TwoArms): ArmMoments | Indeterminate {
  requireFiniteList('baseline', baseline);
  requireFiniteList('candidate', candidate);
  if (baseline.length === 0 || candidate.length === 0) return indeterminate('no-units');
  if (baseline.length < 2 || candidate.length < 2) return indeterminate('too-few-units');
  const first = moments(baseline);
  const second = moments(candidate);
  if (!Number.isFinite(first.variance + second.variance)) return indeterminate('spread-too-large');
  if (first.variance + second.variance === 0) return indeterminate('constant-values');
  return {
    difference: second.mean - first.mean,
    counts: [baseline.length, candidate.length],
    variances: [first.variance, second.variance],
  };
}

/**
 * Welch's t test of the difference of two independent means, with Satterthwaite's degrees of freedom.
 *
 * @param arms   values of both arms
 * @param level  coverage of the interval, in (0, 1)
 * @returns      indeterminate('no-units' | 'too-few-units' | 'constant-values' | 'spread-too-large') below 2 units in an arm
 *               or without spread in both
 * @throws {LiftgateError} stats-argument-invalid  if a value is not finite or the level is outside (0, 1)
 * @example welchTTest({ baseline: [1, 2], candidate: [1, 5, 9] }, 0.95).df // => 2.18230432669 to 12 digits
 * @see Welch (1947), Biometrika 34:28
 */
export function welchTTest(arms: TwoArms, level: number): TTest | Indeterminate {
  requireOpenProbability('level', level);
  const found = armMoments(arms);
  if ('status' in found) return found;
  const first = found.variances[0] / found.counts[0];
  const second = found.variances[1] / found.counts[1];
  const variance = first + second;
  // As shares of the whole, so that tiny variances do not underflow when squared.
  const firstShare = first / variance;
  const secondShare = second / variance;
  const df =
    1 /
    ((firstShare * firstShare) / (found.counts[0] - 1) +
      (secondShare * secondShare) / (found.counts[1] - 1));
  const estimate = { estimate: found.difference, standardError: Math.sqrt(variance), df };
  return tTestOf(estimate, { hypothesis: 0, level, method: 'welch-t' });
}

/**
 * Student's t test of the difference of two independent means with one common variance.
 *
 * @param arms   values of both arms
 * @param level  coverage of the interval, in (0, 1)
 * @returns      indeterminate('no-units' | 'too-few-units' | 'constant-values' | 'spread-too-large') below 2 units in an arm
 *               or without spread in both
 * @throws {LiftgateError} stats-argument-invalid  if a value is not finite or the level is outside (0, 1)
 * @example pooledTTest({ baseline: [1, 2], candidate: [1, 5, 9] }, 0.95).df // => 3
 * @see Student (1908), Biometrika 6:1
 */
export function pooledTTest(arms: TwoArms, level: number): TTest | Indeterminate {
  requireOpenProbability('level', level);
  const found = armMoments(arms);
  if ('status' in found) return found;
  const [baseline, candidate] = found.counts;
  const df = baseline + candidate - 2;
  const pooled =
    ((baseline - 1) / df) * found.variances[0] + ((candidate - 1) / df) * found.variances[1];
  const standardError = Math.sqrt(pooled / baseline + pooled / candidate);
  const estimate = { estimate: found.difference, standardError, df };
  return tTestOf(estimate, { hypothesis: 0, level, method: 'pooled-t' });
}

/** Margins of equivalence, lower < upper, and the one-sided error of each test, in (0, 0.5). */
export interface EquivalenceOptions {
  readonly margins: Bounds;
  readonly error: number;
}

/** Two one-sided tests; `bounds` are the one-sided bounds at the same error, inside the margins when equivalent. */
export interface EquivalenceTest {
  readonly estimate: number;
  readonly standardError: number;
  /** Of the mean being at or below the lower margin; at margin −M the noninferiority p. */
  readonly pLower: number;
  /** Of the mean being at or above the upper margin. */
  readonly pUpper: number;
  /** The larger of the two. */
  readonly p: number;
  readonly equivalent: boolean;
  readonly bounds: Bounds;
}

/**
 * Equivalence of paired arms by two one-sided t tests.
 *
 * @param differences  one finite number per unit, candidate − baseline
 * @param options      margins and one-sided error
 * @returns            indeterminate('no-units' | 'too-few-units' | 'constant-differences' | 'spread-too-large')
 * @throws {LiftgateError} stats-argument-invalid  if a number is not finite, the lower margin is not below the upper one or
 *                         the error is outside (0, 0.5)
 * @example equivalenceTest([0.1, -0.1, 0.2, 0], { margins: { lower: -1, upper: 1 }, error: 0.05 }).equivalent // => true
 * @see Schuirmann (1987), Journal of Pharmacokinetics and Biopharmaceutics 15:657
 */
export function equivalenceTest(
  differences: readonly number[],
  { margins, error }: EquivalenceOptions,
): EquivalenceTest | Indeterminate {
  requireFinite('margins.lower', margins.lower);
  requireFinite('margins.upper', margins.upper);
  requireAbove('margins.upper', margins.upper, margins.lower);
  requireError('error', error);
  const spread = spreadOf(differences);
  if ('status' in spread) return spread;
  const bounds = meanDifferenceBounds(differences, error);
  if ('status' in bounds) return bounds;
  const { mean, standardError, units } = spread;
  const pLower = tUpper((mean - margins.lower) / standardError, units - 1);
  const pUpper = tUpper((margins.upper - mean) / standardError, units - 1);
  const p = Math.max(pLower, pUpper);
  return { estimate: mean, standardError, pLower, pUpper, p, equivalent: p <= error, bounds };
}
