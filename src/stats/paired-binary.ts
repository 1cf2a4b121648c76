/**
 * One pair per unit, each arm right or wrong: the risk difference (candidate − baseline) and the exact test at 0.
 */
import { requireCount, requireError, requireOpenProbability, requireWithin } from './arguments.ts';
import { binomialUpper, normalUpperQuantile } from './distribution.ts';
import {
  type Bounds,
  errorPerSide,
  type Indeterminate,
  type Interval,
  indeterminate,
} from './interval.ts';
import { lastHolding } from './monotone-root.ts';

/** Units by outcome pair; whole numbers ≥ 0. The middle two are the discordant pairs. */
export interface PairedCounts {
  readonly both: number;
  readonly onlyCandidate: number;
  readonly onlyBaseline: number;
  readonly neither: number;
}

/** The discordant pairs alone, all that the exact test needs. */
export type DiscordantCounts = Pick<PairedCounts, 'onlyCandidate' | 'onlyBaseline'>;

/** What Tango's statistic needs of a table: gains, losses and all units; whole numbers, gains + losses ≤ units, units ≥ 1. */
export interface Table {
  readonly gains: number;
  readonly losses: number;
  readonly units: number;
}

/**
 * The table of the counts, checked.
 * @throws {LiftgateError} stats-argument-invalid  if a count is negative or not whole
 * @example tableOf({ both: 1, onlyCandidate: 2, onlyBaseline: 3, neither: 4 }) // => { gains: 2, losses: 3, units: 10 }
 */
export function tableOf(counts: PairedCounts): Table {
  requireCount('both', counts.both);
  requireCount('onlyCandidate', counts.onlyCandidate);
  requireCount('onlyBaseline', counts.onlyBaseline);
  requireCount('neither', counts.neither);
  return {
    gains: counts.onlyCandidate,
    losses: counts.onlyBaseline,
    units: counts.both + counts.onlyCandidate + counts.onlyBaseline + counts.neither,
  };
}

/**
 * The table seen from the other arm.
 * @example swapped({ gains: 2, losses: 3, units: 10 }) // => { gains: 3, losses: 2, units: 10 }
 */
export function swapped({ gains, losses, units }: Table): Table {
  return { gains: losses, losses: gains, units };
}

/** The loss probability that is most likely when the true difference is D ≥ 0 (Tango 1998, eq. 6), digits kept. */
function likeliestLoss({ gains, losses, units }: Table, difference: number): number {
  const linear = gains + losses - (2 * units - gains + losses) * difference;
  const constant = losses * difference * (1 - difference);
  const root = Math.sqrt(linear * linear + 8 * units * constant);
  return linear > 0
    ? (linear + root) / (4 * units)
    : root === linear
      ? 0
      : (2 * constant) / (root - linear);
}

/**
 * T(D) of a table for any D in [−1, 1], unchecked; a negative D is the swapped table's positive one.
 * @example scoreAt({ gains: 3, losses: 1, units: 10 }, 0.2) // => 0
 */
export function scoreAt(table: Table, difference: number): number {
  if (difference < 0) return -scoreAt(swapped(table), -difference);
  const { gains, losses, units } = table;
  const distance = gains - losses - units * difference;
  const loss = likeliestLoss(table, difference);
  const variance = units * (2 * loss + difference * (1 - difference));
  return distance === 0 ? 0 : distance / Math.sqrt(variance);
}

/**
 * The smallest D whose score is at most z: bisection down to neighbouring doubles, the side with the larger score kept.
 * @example lowerBound({ gains: 0, losses: 5, units: 5 }, 1.96) // => -1
 */
export function lowerBound(table: Table, z: number): number {
  const { gains, losses, units } = table;
  if (losses === units) return -1;
  const estimate = (gains - losses) / units;
  return lastHolding(
    (difference) => scoreAt(table, difference) > z,
    { lower: -1, upper: estimate },
    1e-17,
  );
}

function tangoBounds(table: Table, error: number): Bounds {
  const z = normalUpperQuantile(error);
  return { lower: lowerBound(table, z), upper: 0 - lowerBound(swapped(table), z) };
}

/**
 * Tango's score statistic for the hypothesis that the risk difference is D; standard normal when it is.
 *
 * It falls as D rises; values above z speak for a larger difference. At D = −margin it is the noninferiority statistic.
 *
 * @param counts          units by outcome pair
 * @param riskDifference  D, in [−1, 1]
 * @returns               0 where the table shows exactly D, ±Infinity where D is impossible for the table;
 *                        indeterminate('no-units') without units
 * @throws {LiftgateError} stats-argument-invalid  if a count is negative or not whole, or D is outside [−1, 1]
 * @example tangoStatistic({ both: 43, onlyCandidate: 0, onlyBaseline: 1, neither: 0 }, -0.1) // => 1.70856428594 to 12 digits
 * @see Tango (1998), Statistics in Medicine 17:891, eq. 5
 */
export function tangoStatistic(
  counts: PairedCounts,
  riskDifference: number,
): number | Indeterminate {
  const table = tableOf(counts);
  requireWithin('riskDifference', riskDifference, { lower: -1, upper: 1 });
  return table.units === 0 ? indeterminate('no-units') : scoreAt(table, riskDifference);
}

/**
 * One-sided Tango score bounds for the risk difference, each at the given error.
 *
 * A better table never lowers a bound; swapping the arms flips the sign. Never of zero width.
 *
 * @param counts  units by outcome pair
 * @param error   one-sided error, in (0, 0.5)
 * @returns       on the probability scale; lower is −1 when every unit is a loss, upper is 1 when every unit is a gain;
 *                indeterminate('no-units') without units
 * @throws {LiftgateError} stats-argument-invalid  if a count is negative or not whole, or the error is outside (0, 0.5)
 * @example pairedRiskDifferenceBounds({ both: 20, onlyCandidate: 0, onlyBaseline: 0, neither: 0 }, 0.025).lower
 * // => -0.161125158053 to 12 digits
 * @see Tango (1998), Statistics in Medicine 17:891
 */
export function pairedRiskDifferenceBounds(
  counts: PairedCounts,
  error: number,
): Bounds | Indeterminate {
  const table = tableOf(counts);
  requireError('error', error);
  return table.units === 0 ? indeterminate('no-units') : tangoBounds(table, error);
}

/**
 * Tango's score interval for the difference of two paired proportions, candidate − baseline.
 *
 * @param counts  units by outcome pair
 * @param level   coverage wanted, a probability in (0, 1)
 * @returns       on the probability scale, −1 ≤ lower ≤ difference ≤ upper ≤ 1, never of zero width;
 *                indeterminate('no-units') without units
 * @throws {LiftgateError} stats-argument-invalid  if a count is negative or not whole, or the level is outside (0, 1)
 * @example pairedRiskDifferenceInterval({ both: 33, onlyCandidate: 7, onlyBaseline: 0, neither: 10 }, 0.95).lower
 * // => 0.0586637369880 to 12 digits
 * @see Tango (1998), Statistics in Medicine 17:891
 */
export function pairedRiskDifferenceInterval(
  counts: PairedCounts,
  level: number,
): Interval | Indeterminate {
  const table = tableOf(counts);
  requireOpenProbability('level', level);
  if (table.units === 0) return indeterminate('no-units');
  return {
    ...tangoBounds(table, errorPerSide(level)),
    level,
    method: 'tango-score',
    guarantee: 'asymptotic',
  };
}

/** Probabilities of McNemar's exact test; `pGreater` speaks for the candidate when it is small. */
export interface McnemarTest {
  readonly pTwoSided: number;
  readonly pGreater: number;
  readonly pLess: number;
}

/**
 * McNemar's exact test of no difference: the discordant pairs against a fair coin.
 *
 * Tails come from the binomial's own branches, so 50 gains and no loss give 8.9e-16 and not 0. Without a discordant pair
 * every p is 1.
 *
 * @param counts  the discordant pairs
 * @returns       pGreater = P(gains ≥ seen), pLess = P(gains ≤ seen), pTwoSided twice the smaller, at most 1
 * @throws {LiftgateError} stats-argument-invalid  if a count is negative or not whole
 * @example mcnemarExact({ onlyCandidate: 5, onlyBaseline: 0 }).pGreater // => 0.03125 to 12 digits
 * @see McNemar (1947), Psychometrika 12:153
 */
export function mcnemarExact(counts: DiscordantCounts): McnemarTest {
  const { onlyCandidate, onlyBaseline } = counts;
  requireCount('onlyCandidate', onlyCandidate);
  requireCount('onlyBaseline', onlyBaseline);
  const coin = { trials: onlyCandidate + onlyBaseline, probability: 0.5 };
  const pGreater = binomialUpper(onlyCandidate - 1, coin);
  const pLess = binomialUpper(onlyBaseline - 1, coin);
  return { pTwoSided: Math.min(1, 2 * Math.min(pGreater, pLess)), pGreater, pLess };
}
