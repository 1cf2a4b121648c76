/** One arm's rate: Wilson's score interval to show, Clopper and Pearson's exact bounds to decide. */
import { requireCount, requireError, requireOpenProbability } from './arguments.ts';
import { betaQuantile, betaUpperQuantile, normalUpperQuantile } from './distribution.ts';
import { exp, expm1, log } from './elementary.ts';
import { errorPerSide, type Indeterminate, type Interval, indeterminate } from './interval.ts';

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
