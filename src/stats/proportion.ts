/**
 * One arm's rate: Wilson's score interval to show, Clopper and Pearson's exact bounds to decide; Jeffreys', Agresti and Coull's,
 * the continuity-corrected and the mid-P interval to compare with.
 */
import { requireCount, requireError, requireOpenProbability } from './arguments.ts';
import {
  betaQuantile,
  betaUpperQuantile,
  binomialUpper,
  normalUpperQuantile,
} from './distribution.ts';
import { exp, expm1, log } from './elementary.ts';
import {
  type Bounds,
  errorPerSide,
  type Indeterminate,
  type Interval,
  type IntervalMethod,
  indeterminate,
} from './interval.ts';
import { lastHolding } from './monotone-root.ts';

/** Successes among independent units; whole numbers, 0 ≤ successes ≤ units. */
export interface ProportionCounts {
  readonly successes: number;
  readonly units: number;
}

function requireCounts({ successes, units }: ProportionCounts): void {
  requireCount('units', units);
  requireCount('successes', successes);
  requireCount('units - successes', units - successes);
}

/**
 * Wilson's score interval for one proportion, without continuity correction.
 *
 * The lower end is exactly 0 at no success and the upper end exactly 1 at no failure.
 *
 * @param counts  successes among units
 * @param level   coverage wanted, a probability in (0, 1)
 * @returns       on the probability scale; indeterminate('no-units') without units
 * @throws {LiftgateError} stats-argument-invalid  if a count is negative or not whole, or the level is outside (0, 1)
 * @example wilsonInterval({ successes: 81, units: 263 }, 0.95).lower // => 0.255289 to 6 digits
 * @see Wilson (1927), JASA 22:209; Newcombe (1998), Statistics in Medicine 17:857, method 3
 */
export function wilsonInterval(counts: ProportionCounts, level: number): Interval | Indeterminate {
  requireCounts(counts);
  requireOpenProbability('level', level);
  const { successes, units } = counts;
  if (units === 0) return indeterminate('no-units');
  const z = normalUpperQuantile(errorPerSide(level));
  const lower = successes === 0 ? 0 : wilsonLower(successes, units, z);
  const upper = successes === units ? 1 : 1 - wilsonLower(units - successes, units, z);
  return { lower, upper, level, method: 'wilson', guarantee: 'asymptotic' };
}

/** The smaller root of (n + z²) p² − (2x + z²) p + x²/n = 0, through the larger one so that no digits cancel. */
function wilsonLower(successes: number, units: number, z: number): number {
  const square = z * z;
  const spread = z * Math.sqrt(square + 4 * successes * ((units - successes) / units));
  return (2 * successes * (successes / units)) / (2 * successes + square + spread);
}

/**
 * Clopper and Pearson's exact one-sided lower bound for a proportion.
 *
 * @param counts  successes among units
 * @param error   one-sided error, in (0, 0.5)
 * @returns       0 without a success; indeterminate('no-units') without units
 * @throws {LiftgateError} stats-argument-invalid  if a count is negative or not whole, or the error is outside (0, 0.5)
 * @example clopperPearsonLower({ successes: 20, units: 20 }, 0.05) // => 0.860891659332 to 12 digits
 * @see Clopper & Pearson (1934), Biometrika 26:404
 */
export function clopperPearsonLower(
  counts: ProportionCounts,
  error: number,
): number | Indeterminate {
  requireCounts(counts);
  requireError('error', error);
  const { successes, units } = counts;
  if (units === 0) return indeterminate('no-units');
  if (successes === 0) return 0;
  if (successes === units) return exp(log(error) / units);
  return betaQuantile(error, { a: successes, b: units - successes + 1 });
}

/**
 * Clopper and Pearson's exact one-sided upper bound for a proportion.
 *
 * @param counts  successes among units
 * @param error   one-sided error, in (0, 0.5)
 * @returns       1 without a failure; indeterminate('no-units') without units
 * @throws {LiftgateError} stats-argument-invalid  if a count is negative or not whole, or the error is outside (0, 0.5)
 * @example clopperPearsonUpper({ successes: 0, units: 20 }, 0.05) // => 0.139108340668 to 12 digits
 * @see Clopper & Pearson (1934), Biometrika 26:404
 */
export function clopperPearsonUpper(
  counts: ProportionCounts,
  error: number,
): number | Indeterminate {
  requireCounts(counts);
  requireError('error', error);
  const { successes, units } = counts;
  if (units === 0) return indeterminate('no-units');
  if (successes === units) return 1;
  if (successes === 0) return -expm1(log(error) / units);
  return betaUpperQuantile(error, { a: successes + 1, b: units - successes });
}

/**
 * Clopper and Pearson's exact two-sided interval for one proportion, equal tails.
 *
 * @param counts  successes among units
 * @param level   coverage wanted, a probability in (0, 1)
 * @returns       coverage is at least `level` at every n; indeterminate('no-units') without units
 * @throws {LiftgateError} stats-argument-invalid  if a count is negative or not whole, or the level is outside (0, 1)
 * @example clopperPearsonInterval({ successes: 0, units: 1000 }, 1 - 1e-7).upper // => 0.0166707224 to 9 digits
 * @see Clopper & Pearson (1934), Biometrika 26:404
 */
export function clopperPearsonInterval(
  counts: ProportionCounts,
  level: number,
): Interval | Indeterminate {
  requireOpenProbability('level', level);
  const lower = clopperPearsonLower(counts, errorPerSide(level));
  const upper = clopperPearsonUpper(counts, errorPerSide(level));
  if (typeof lower !== 'number') return lower;
  if (typeof upper !== 'number') return upper;
  return { lower, upper, level, method: 'clopper-pearson', guarantee: 'finite-sample' };
}

/** The interval of an asymptotic method on one proportion, clamped to the scale. */
function proportionInterval(
  bounds: Bounds,
  { level, method }: { readonly level: number; readonly method: IntervalMethod },
): Interval {
  const lower = Math.max(0, bounds.lower);
  return { lower, upper: Math.min(1, bounds.upper), level, method, guarantee: 'asymptotic' };
}

/**
 * Wilson's score interval for one proportion with continuity correction.
 *
 * @param counts  successes among units
 * @param level   coverage wanted, a probability in (0, 1)
 * @returns       exactly 0 and 1 at the ends; indeterminate('no-units') without units
 * @throws {LiftgateError} stats-argument-invalid  if a count is negative or not whole, or the level is outside (0, 1)
 * @example wilsonContinuityInterval({ successes: 0, units: 1 }, 0.95).upper // => 0.945379244471 to 12 digits
 * @see Newcombe (1998), Statistics in Medicine 17:857, method 4
 */
export function wilsonContinuityInterval(
  counts: ProportionCounts,
  level: number,
): Interval | Indeterminate {
  requireCounts(counts);
  requireOpenProbability('level', level);
  const { successes, units } = counts;
  if (units === 0) return indeterminate('no-units');
  const z = normalUpperQuantile(errorPerSide(level));
  const bounds = {
    lower: wilsonContinuityLower(successes, units, z),
    upper: 1 - wilsonContinuityLower(units - successes, units, z),
  };
  return proportionInterval(bounds, { level, method: 'wilson-continuity' });
}

function wilsonContinuityLower(successes: number, units: number, z: number): number {
  if (successes === 0) return 0;
  const share = successes / units;
  const square = z * z;
  const spread = square - 2 - 1 / units + 4 * share * (units - successes + 1);
  return Math.max(
    0,
    (2 * successes + square - 1 - z * Math.sqrt(Math.max(0, spread))) / (2 * (units + square)),
  );
}

/**
 * Agresti and Coull's interval: Wald's after adding z²/2 successes and as many failures.
 *
 * @param counts  successes among units
 * @param level   coverage wanted, a probability in (0, 1)
 * @returns       clamped to [0, 1]; indeterminate('no-units') without units
 * @throws {LiftgateError} stats-argument-invalid  if a count is negative or not whole, or the level is outside (0, 1)
 * @example agrestiCoullInterval({ successes: 0, units: 1 }, 0.95).upper // => 0.832500514521 to 12 digits
 * @see Agresti & Coull (1998), The American Statistician 52:119
 */
export function agrestiCoullInterval(
  counts: ProportionCounts,
  level: number,
): Interval | Indeterminate {
  requireCounts(counts);
  requireOpenProbability('level', level);
  if (counts.units === 0) return indeterminate('no-units');
  const z = normalUpperQuantile(errorPerSide(level));
  const units = counts.units + z * z;
  const share = (counts.successes + (z * z) / 2) / units;
  const half = z * Math.sqrt((share * (1 - share)) / units);
  const bounds = { lower: share - half, upper: share + half };
  return proportionInterval(bounds, { level, method: 'agresti-coull' });
}

/**
 * Jeffreys' interval: equal tails of Beta(successes + ½, failures + ½).
 *
 * @param counts   successes among units
 * @param options  `level` in (0, 1); `closedEnds` sets the lower end to 0 at no success and the upper to 1 at no failure
 * @returns        indeterminate('no-units') without units
 * @throws {LiftgateError} stats-argument-invalid  if a count is negative or not whole, or the level is outside (0, 1)
 * @example jeffreysInterval({ successes: 0, units: 1 }, { level: 0.95, closedEnds: true }).upper // => 0.853253683690 to 12 digits
 * @see Brown, Cai & DasGupta (2001), Statistical Science 16:101
 */
export function jeffreysInterval(
  counts: ProportionCounts,
  { level, closedEnds }: { readonly level: number; readonly closedEnds: boolean },
): Interval | Indeterminate {
  requireCounts(counts);
  requireOpenProbability('level', level);
  const { successes, units } = counts;
  if (units === 0) return indeterminate('no-units');
  const shape = { a: successes + 0.5, b: units - successes + 0.5 };
  const error = errorPerSide(level);
  const bounds = {
    lower: closedEnds && successes === 0 ? 0 : betaQuantile(error, shape),
    upper: closedEnds && successes === units ? 1 : betaUpperQuantile(error, shape),
  };
  const method = closedEnds ? 'jeffreys' : 'jeffreys-open-ends';
  return proportionInterval(bounds, { level, method });
}

/** The rate at which P(X > x) + ½ P(X = x) equals the error, by halving down to neighbouring doubles. */
function midPLower({ successes, units }: ProportionCounts, error: number): number {
  if (successes === 0) return 0;
  const isBelow = (probability: number): boolean => {
    const trial = { trials: units, probability };
    return (binomialUpper(successes - 1, trial) + binomialUpper(successes, trial)) / 2 < error;
  };
  return lastHolding(isBelow, { lower: 0, upper: 1 }, 1e-16);
}

/**
 * The mid-P interval: Clopper and Pearson's with half of the probability of the result seen left out of each tail.
 *
 * @param counts  successes among units
 * @param level   coverage wanted, a probability in (0, 1)
 * @returns       0 and 1 at the ends; narrower than the exact one, its coverage may dip below `level`; indeterminate('no-units')
 *                without units
 * @throws {LiftgateError} stats-argument-invalid  if a count is negative or not whole, or the level is outside (0, 1)
 * @example midPInterval({ successes: 0, units: 1 }, 0.95).upper // => 0.95 to 12 digits
 * @see Berry & Armitage (1995), The Statistician 44:417
 */
export function midPInterval(counts: ProportionCounts, level: number): Interval | Indeterminate {
  requireCounts(counts);
  requireOpenProbability('level', level);
  const { successes, units } = counts;
  if (units === 0) return indeterminate('no-units');
  const error = errorPerSide(level);
  const bounds = {
    lower: midPLower(counts, error),
    upper: 1 - midPLower({ successes: units - successes, units }, error),
  };
  return proportionInterval(bounds, { level, method: 'mid-p' });
}
