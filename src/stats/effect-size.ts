/** Sizes of an effect without a unit: the standardized difference, dominance of one arm, the paired odds ratio. */
import {
  requireCount,
  requireFiniteList,
  requireLength,
  requireOpenProbability,
} from './arguments.ts';
import { betaPoint, normalUpperQuantile } from './distribution.ts';
import { exp, log } from './elementary.ts';
import { errorPerSide, type Indeterminate, type Interval, indeterminate } from './interval.ts';
import { spreadOf } from './mean-difference.ts';
import { noncentralityAt } from './noncentral-t.ts';
import type { DiscordantCounts } from './paired-binary.ts';
import { sorted } from './percentile.ts';
import { logGamma } from './special.ts';
import { moments } from './summary.ts';
import type { TwoArms } from './t-test.ts';

/** The mean difference in standard deviations of the differences. */
export interface StandardizedDifference {
  /** d_z = mean / standard deviation of the differences. */
  readonly dz: number;
  /** J, the factor that removes d_z's small-sample bias; indeterminate('too-few-units') below 3 units. */
  readonly correction: number | Indeterminate;
  /** Hedges' g = J × d_z. */
  readonly hedgesG: number | Indeterminate;
  /** Of d_z, exact for normal differences. */
  readonly interval: Interval;
}

/**
 * The standardized mean difference of pairs, its unbiased version and its exact interval.
 *
 * @param differences  one finite number per unit, candidate − baseline
 * @param level        coverage wanted, a probability in (0, 1)
 * @returns            indeterminate('no-units' | 'too-few-units' | 'constant-differences' | 'spread-too-large')
 * @throws {LiftgateError} stats-argument-invalid  if a difference is not finite or the level is outside (0, 1)
 * @example standardizedDifference([1, 2, 3, 4], 0.95).dz // => 1.93649167310 to 12 digits
 * @see Hedges (1981), Journal of Educational Statistics 6:107; Steiger & Fouladi (1997), What If There Were No Significance Tests?, 221
 */
export function standardizedDifference(
  differences: readonly number[],
  level: number,
): StandardizedDifference | Indeterminate {
  requireOpenProbability('level', level);
  const spread = spreadOf(differences);
  if ('status' in spread) return spread;
  const { mean, variance, standardError, units } = spread;
  const dz = mean / Math.sqrt(variance);
  const df = units - 1;
  const correction = df < 2 ? indeterminate('too-few-units') : hedgesCorrection(df);
  const error = errorPerSide(level);
  const boundAt = (tail: number): number =>
    noncentralityAt({ statistic: mean / standardError, df, tail }) / Math.sqrt(units);
  return {
    dz,
    correction,
    hedgesG: typeof correction === 'number' ? correction * dz : correction,
    interval: {
      lower: boundAt(error),
      upper: boundAt(1 - error),
      level,
      method: 'noncentral-t',
      guarantee: 'asymptotic',
    },
  };
}

/** Γ(df/2) / (√(df/2) Γ((df − 1)/2)). */
function hedgesCorrection(df: number): number {
  return exp(logGamma(df / 2) - logGamma((df - 1) / 2)) / Math.sqrt(df / 2);
}

/** The mean difference in standard deviations of the arms themselves. */
export interface ArmStandardized {
  /** By the mean of both standard deviations. */
  readonly byAverageDeviation: number;
  /** By the root of the mean of both variances. */
  readonly byPooledDeviation: number;
}

/**
 * The difference of paired means in standard deviations of the arms, not of the differences.
 *
 * @param arms  values of both arms, one per unit in the same order
 * @returns     indeterminate('no-units' | 'too-few-units' | 'constant-values') below 2 units or without spread in both arms
 * @throws {LiftgateError} stats-argument-invalid  if a value is not finite or the arms differ in length
 * @example armStandardizedDifference({ baseline: [1, 2, 3], candidate: [2, 3, 4] })
 * // => { byAverageDeviation: 1, byPooledDeviation: 1 }
 * @see Lakens (2013), Frontiers in Psychology 4:863
 */
export function armStandardizedDifference(arms: TwoArms): ArmStandardized | Indeterminate {
  const { baseline, candidate } = arms;
  requireFiniteList('baseline', baseline);
  requireFiniteList('candidate', candidate);
  requireLength('candidate', candidate, baseline.length);
  if (baseline.length === 0) return indeterminate('no-units');
  if (baseline.length < 2) return indeterminate('too-few-units');
  const first = moments(baseline);
  const second = moments(candidate);
  if (first.variance + second.variance === 0) return indeterminate('constant-values');
  const difference = moments(candidate.map((value, index) => value - (baseline[index] ?? 0))).mean;
  return {
    byAverageDeviation: (2 * difference) / (Math.sqrt(first.variance) + Math.sqrt(second.variance)),
    byPooledDeviation: difference / Math.sqrt((first.variance + second.variance) / 2),
  };
}

/** Values of an ordered list that lie below, and at or below, a value: binary search. */
function countBelow(ordered: Float64Array, value: number, alsoEqual: boolean): number {
  let below = 0;
  let above = ordered.length;
  while (below < above) {
    const middle = Math.floor((below + above) / 2);
    const other = ordered[middle] ?? 0;
    if (other < value || (alsoEqual && other === value)) below = middle + 1;
    else above = middle;
  }
  return below;
}

/**
 * Cliff's delta: how much more often a candidate value exceeds a baseline value than the reverse, over all cross pairs.
 *
 * @param arms  values of both arms, of any lengths
 * @returns     from −1 to 1; indeterminate('no-units') where an arm is empty. Cost (n + m) log n
 * @throws {LiftgateError} stats-argument-invalid  if a value is not finite
 * @example cliffsDelta({ baseline: [1, 2], candidate: [1.5, 3] }) // => 0.5
 * @see Cliff (1993), Psychological Bulletin 114:494
 */
export function cliffsDelta({ baseline, candidate }: TwoArms): number | Indeterminate {
  requireFiniteList('baseline', baseline);
  requireFiniteList('candidate', candidate);
  if (baseline.length === 0 || candidate.length === 0) return indeterminate('no-units');
  const ordered = sorted(baseline);
  let surplus = 0;
  for (const value of candidate) {
    const wins = countBelow(ordered, value, false);
    const losses = ordered.length - countBelow(ordered, value, true);
    surplus += wins - losses;
  }
  return surplus / (baseline.length * candidate.length);
}

/**
 * Share of units that gained minus share that lost.
 *
 * @param differences  one finite number per unit, candidate − baseline
 * @returns            from −1 to 1; indeterminate('no-units') for an empty list
 * @throws {LiftgateError} stats-argument-invalid  if a difference is not finite
 * @example pairedDominance([1, 0, -1, 2]) // => 0.25
 */
export function pairedDominance(differences: readonly number[]): number | Indeterminate {
  requireFiniteList('differences', differences);
  if (differences.length === 0) return indeterminate('no-units');
  return differences.reduce((surplus, value) => surplus + Math.sign(value), 0) / differences.length;
}

/** Gains per loss; Infinity without a loss. */
export interface PairedOddsRatio {
  readonly oddsRatio: number;
  /** Conditional on the number of discordant pairs; the upper bound is Infinity without a loss. */
  readonly exact: Interval;
  /** On the log scale; indeterminate('no-gains' | 'no-losses') where a count is 0. */
  readonly logWald: Interval | Indeterminate;
}

/**
 * The odds ratio of paired binary outcomes, gains over losses.
 *
 * @param counts  the discordant pairs
 * @param level   coverage wanted, a probability in (0, 1)
 * @returns       indeterminate('no-discordant-pairs') without any
 * @throws {LiftgateError} stats-argument-invalid  if a count is negative or not whole, or the level is outside (0, 1)
 * @example pairedOddsRatio({ onlyCandidate: 3, onlyBaseline: 1 }, 0.95).exact.upper // => 157.492088275 to 12 digits
 * @see Clopper & Pearson (1934), Biometrika 26:404; Breslow & Day (1980), IARC 32, 5.2
 */
export function pairedOddsRatio(
  { onlyCandidate, onlyBaseline }: DiscordantCounts,
  level: number,
): PairedOddsRatio | Indeterminate {
  requireCount('onlyCandidate', onlyCandidate);
  requireCount('onlyBaseline', onlyBaseline);
  requireOpenProbability('level', level);
  if (onlyCandidate + onlyBaseline === 0) return indeterminate('no-discordant-pairs');
  return {
    oddsRatio: onlyCandidate / onlyBaseline,
    exact: exactOdds(onlyCandidate, onlyBaseline, level),
    logWald: logWaldOdds(onlyCandidate, onlyBaseline, level),
  };
}

/** The odds p / (1 − p) at the Clopper-Pearson lower bound p of `hits` among hits + misses. */
function leastOdds(hits: number, misses: number, error: number): number {
  if (hits === 0) return 0;
  const { x, y } = betaPoint(error, 1 - error, { a: hits, b: misses + 1 });
  return x / y;
}

function exactOdds(gains: number, losses: number, level: number): Interval {
  const error = errorPerSide(level);
  return {
    lower: leastOdds(gains, losses, error),
    upper: 1 / leastOdds(losses, gains, error),
    level,
    method: 'clopper-pearson',
    guarantee: 'finite-sample',
  };
}

function logWaldOdds(gains: number, losses: number, level: number): Interval | Indeterminate {
  if (gains === 0) return indeterminate('no-gains');
  if (losses === 0) return indeterminate('no-losses');
  const half = normalUpperQuantile(errorPerSide(level)) * Math.sqrt(1 / gains + 1 / losses);
  const centre = log(gains / losses);
  return {
    lower: exp(centre - half),
    upper: exp(centre + half),
    level,
    method: 'log-wald',
    guarantee: 'asymptotic',
  };
}
