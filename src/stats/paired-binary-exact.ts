/**
 * The exact unconditional bound for the paired risk difference: an error that holds at every number of units, every rate of
 * discordance and every true difference, by enumeration of the tables and not by a limit law.
 *
 * Tables are ranked by their Tango lower limit at the same one-sided error. The lower bound is the smallest difference D at
 * which the tables ranked at least as high as the one seen have a probability above the error for some nuisance rate q, the
 * probability of a loss (Buehler's bound). That probability grows with D at its worst q, because the ranked set is increasing
 * in gains and decreasing in losses.
 *
 * The worst q is bounded from above, never estimated: the range of q is halved until every piece is shown to stay below
 * the error. Two bounds serve a piece [q1, q2]: gains as likely as at q2 and losses as rare as at q1 dominate every q of it; and
 * between its ends P bends by at most √(2 P (1 − P)) n I(q), I the information of one unit about q. A piece of 2⁻²¹ that neither
 * bound clears counts as exceeding. Differences are taken on the grid of whole multiples of 2⁻²¹, so the bound is at most 1e-6
 * below Buehler's and never above it; a better table never has a lower bound.
 */
import { requireError, requireOpenProbability, requireWithin } from './arguments.ts';
import { normalUpperQuantile } from './distribution.ts';
import {
  type Bounds,
  errorPerSide,
  type Indeterminate,
  type Interval,
  indeterminate,
} from './interval.ts';
import {
  lowerBound,
  type PairedCounts,
  scoreAt,
  swapped,
  type Table,
  tableOf,
} from './paired-binary.ts';
import {
  type CellProbabilities,
  type IncreasingSet,
  setProbability,
} from './paired-probability.ts';

/** The grid of differences, 2⁻²¹ ≈ 4.8e-7. */
export const finest = 1 / 2097152;

/** The narrowest piece as a share of the nuisance range, which is at most ½ wide: 2⁻²¹ again. */
const narrowest = 2 * finest;

/** Room for rounding in a computed probability: relative, and absolute for the mass it drops. */
const slack = { relative: 1e-9, absolute: 1e-15 } as const;

/** A score this close below the critical one counts as reaching it: ties belong to the set. */
const tie = 1e-9;

/**
 * The tables whose Tango lower limit is at least that of the given table, all at the same one-sided error.
 *
 * A table is a member when its score at that limit reaches the critical value; the score rises with gains and falls with
 * losses, so the members form a staircase. Ties within 1e-9 are members.
 *
 * @param table  at least one unit, and not every unit a loss (whose limit is −1 and whose set is every table)
 * @param error  one-sided error, in (0, 0.5)
 * @example [...tablesAtLeast({ gains: 1, losses: 0, units: 3 }, 0.025).fewestGains] // => [1]
 */
export function tablesAtLeast(table: Table, error: number): IncreasingSet {
  const z = normalUpperQuantile(error);
  return tablesReaching({ units: table.units, limit: lowerBound(table, z), z });
}

/** Units, a Tango lower limit and the critical value it is taken at. */
type Ranking = { readonly units: number; readonly limit: number; readonly z: number };

/**
 * The tables whose score at a limit reaches the critical value z; a higher limit leaves fewer.
 * @example [...tablesReaching({ units: 3, limit: 0, z: 1 }).fewestGains] // => [1]
 */
export function tablesReaching({ units, limit, z }: Ranking): IncreasingSet {
  const fewest: number[] = [];
  let gains = 0;
  for (let losses = 0; losses <= units; losses += 1) {
    while (gains + losses <= units && scoreAt({ gains, losses, units }, limit) < z - tie) {
      gains += 1;
    }
    if (gains + losses > units) break;
    fewest.push(gains);
  }
  return { units, fewestGains: Int32Array.from(fewest) };
}

/** The search at one difference D. */
export interface Search {
  readonly probability: (cell: CellProbabilities) => number;
  readonly units: number;
  readonly error: number;
  readonly difference: number;
}

/** A piece of the nuisance range with the probability of the set at both ends. */
interface Piece {
  readonly from: number;
  readonly to: number;
  readonly pFrom: number;
  readonly pTo: number;
}

/** The probability of the rarer kind of discordance; the other kind has |D| more. */
function rarer({ difference }: Search, nuisance: number): number {
  return (nuisance * (1 - Math.abs(difference))) / 2;
}

function gainAt(search: Search, nuisance: number): number {
  return rarer(search, nuisance) + Math.max(0, search.difference);
}

function lossAt(search: Search, nuisance: number): number {
  return rarer(search, nuisance) + Math.max(0, -search.difference);
}

/**
 * The probability of the set at one nuisance rate, a share in [0, 1] of the widest rate of the rarer kind.
 * @example probabilityAt({ probability: ({ loss }) => loss, units: 1, error: 0.025, difference: -0.5 }, 0) // => 0.5
 */
export function probabilityAt(search: Search, nuisance: number): number {
  return search.probability({ gain: gainAt(search, nuisance), loss: lossAt(search, nuisance) });
}

/** n I: the information of n units about the rate of the rarer kind. */
function information(search: Search, nuisance: number): number {
  const gain = gainAt(search, nuisance);
  const loss = lossAt(search, nuisance);
  const rest = 1 - gain - loss;
  if (nuisance <= 0 || rest <= 0) return Number.POSITIVE_INFINITY;
  return search.units * (1 / gain + 1 / loss + 4 / rest);
}

/**
 * Whether a probability stays at or below the error, rounding counted against it.
 * @example stays({ probability: () => 0, units: 1, error: 0.025, difference: 0 }, 0.025) // => false
 */
export function stays({ error }: Search, probability: number): boolean {
  return probability * (1 + slack.relative) + slack.absolute <= error;
}

/** Whether P is shown to stay at or below the error on the whole piece, by dominance or by its bend. */
function isCleared(search: Search, { from, to, pFrom, pTo }: Piece): boolean {
  const highest = Math.max(pFrom, pTo);
  if (!stays(search, highest)) return false;
  const dominating = search.probability({ gain: gainAt(search, to), loss: lossAt(search, from) });
  if (stays(search, dominating)) return true;
  const spread = Math.min(0.5, dominating);
  const bend =
    Math.sqrt(2 * spread * (1 - spread)) *
    Math.max(information(search, from), information(search, to));
  const width = rarer(search, to) - rarer(search, from);
  return stays(search, highest + (bend * width * width) / 8);
}

/**
 * A nuisance rate at which the set may be more likely than the error, or null when it is shown that there is none. The pieces
 * are halves of halves of the whole range, the same for every table; the more likely half is searched first.
 * @example exceedingNuisance({ probability: () => 0, units: 1, error: 0.025, difference: 0 }) // => null
 */
export function exceedingNuisance(search: Search): number | null {
  const pFrom = probabilityAt(search, 0);
  const pTo = probabilityAt(search, 1);
  if (Math.max(pFrom, pTo) > search.error) return pFrom > pTo ? 0 : 1;
  const pieces: Piece[] = [{ from: 0, to: 1, pFrom, pTo }];
  for (let piece = pieces.pop(); piece !== undefined; piece = pieces.pop()) {
    if (isCleared(search, piece)) continue;
    const middle = (piece.from + piece.to) / 2;
    const pMiddle = probabilityAt(search, middle);
    if (pMiddle > search.error || piece.to - piece.from <= narrowest) return middle;
    const left = { ...piece, to: middle, pTo: pMiddle };
    const right = { ...piece, from: middle, pFrom: pMiddle };
    pieces.push(...(piece.pFrom > piece.pTo ? [right, left] : [left, right]));
  }
  return null;
}

/** Steps of the grid between a difference of 0 and of 1. */
const steps = 1 / finest;

/** The highest step at which the set, at this one nuisance rate, is not more likely than the error; none above can clear. */
function highestStepAt(searchAt: (step: number) => Search, nuisance: number): number {
  let below = -steps;
  let above = steps;
  while (above - below > 1) {
    const middle = Math.floor((below + above) / 2);
    const search = searchAt(middle);
    if (probabilityAt(search, nuisance) > search.error) above = middle;
    else below = middle;
  }
  return below;
}

/**
 * A more likely nuisance rate near the given one, by golden section; a hint that spares work and decides nothing.
 * @example climbFrom({ probability: () => 0, units: 1, error: 0.025, difference: 0 }, 0.5) // => 0.5
 */
export function climbFrom(search: Search, nuisance: number): number {
  const golden = (Math.sqrt(5) - 1) / 2;
  let left = Math.max(0, nuisance - 0.02);
  let right = Math.min(1, nuisance + 0.02);
  let inner = { left: right - golden * (right - left), right: left + golden * (right - left) };
  let pLeft = probabilityAt(search, inner.left);
  let pRight = probabilityAt(search, inner.right);
  for (let step = 0; step < 24; step += 1) {
    if (pLeft >= pRight) {
      right = inner.right;
      inner = { left: right - golden * (right - left), right: inner.left };
      pRight = pLeft;
      pLeft = probabilityAt(search, inner.left);
    } else {
      left = inner.left;
      inner = { left: inner.right, right: left + golden * (right - left) };
      pLeft = pRight;
      pRight = probabilityAt(search, inner.right);
    }
  }
  const top = pLeft >= pRight ? inner.left : inner.right;
  return Math.max(pLeft, pRight) > probabilityAt(search, nuisance) ? top : nuisance;
}

/** The search of a table at every step of the grid. */
function searchesOf(table: Table, error: number): (step: number) => Search {
  const probability = setProbability(tablesAtLeast(table, error));
  return (step) => ({ probability, units: table.units, error, difference: step * finest });
}

/** The highest step of the grid that clears, as a difference; −1 when none does. */
function exactLower(table: Table, error: number): number {
  if (table.losses === table.units) return -1;
  const searchAt = searchesOf(table, error);
  const seen = (2 * Math.min(table.gains, table.losses)) / table.units;
  let step = Math.min(steps - 1, highestStepAt(searchAt, seen));
  while (step > -steps) {
    const search = searchAt(step);
    const exceeding = exceedingNuisance(search);
    if (exceeding === null) return step * finest;
    step = Math.min(step - 1, highestStepAt(searchAt, climbFrom(search, exceeding)));
  }
  return -1;
}

function exactBounds(table: Table, error: number): Bounds {
  return { lower: exactLower(table, error), upper: 0 - exactLower(swapped(table), error) };
}

/**
 * The exact unconditional lower bound for the paired risk difference, candidate − baseline.
 *
 * The chance that it lies above the true difference is at most `error` at every number of units and every rate of
 * discordance. A better table never has a lower bound. Time grows with the units: milliseconds at 100, a few seconds at 5,000.
 *
 * @param counts  units by outcome pair
 * @param error   one-sided error, in (0, 0.5); also ranks the tables, so a smaller error may in rare tables raise the bound
 * @returns       a whole multiple of 2⁻²¹ in [−1, 1), at most 1e-6 below Buehler's bound and never above it; −1 when every unit
 *                is a loss; indeterminate('no-units') without units
 * @throws {LiftgateError} stats-argument-invalid  if a count is negative or not whole, or the error is outside (0, 0.5)
 * @example exactUnconditionalLower({ both: 0, onlyCandidate: 0, onlyBaseline: 0, neither: 20 }, 0.025) // => -0.184377 to 6 digits
 * @see Buehler (1957), JASA 52:482; the ranking: Tango (1998), Statistics in Medicine 17:891
 */
export function exactUnconditionalLower(
  counts: PairedCounts,
  error: number,
): number | Indeterminate {
  const table = tableOf(counts);
  requireError('error', error);
  return table.units === 0 ? indeterminate('no-units') : exactLower(table, error);
}

/**
 * Exact unconditional one-sided bounds for the paired risk difference, each at the given error; see exactUnconditionalLower.
 *
 * Swapping the arms flips the sign.
 *
 * @param counts  units by outcome pair
 * @param error   one-sided error, in (0, 0.5)
 * @returns       on the probability scale; indeterminate('no-units') without units
 * @throws {LiftgateError} stats-argument-invalid  if a count is negative or not whole, or the error is outside (0, 0.5)
 * @example exactUnconditionalBounds({ both: 0, onlyCandidate: 15, onlyBaseline: 5, neither: 56 }, 0.025).lower
 * // => 0.0144024 to 6 digits
 * @see Buehler (1957), JASA 52:482
 */
export function exactUnconditionalBounds(
  counts: PairedCounts,
  error: number,
): Bounds | Indeterminate {
  const table = tableOf(counts);
  requireError('error', error);
  return table.units === 0 ? indeterminate('no-units') : exactBounds(table, error);
}

/**
 * The exact unconditional interval for the difference of two paired proportions, candidate − baseline; see
 * exactUnconditionalLower.
 *
 * @param counts  units by outcome pair
 * @param level   coverage wanted, a probability in (0, 1)
 * @returns       coverage is at least `level` at every n, half of the error on each side; indeterminate('no-units') without units
 * @throws {LiftgateError} stats-argument-invalid  if a count is negative or not whole, or the level is outside (0, 1)
 * @example exactUnconditionalInterval({ both: 0, onlyCandidate: 15, onlyBaseline: 5, neither: 56 }, 0.95).upper
 * // => 0.259131 to 6 digits
 * @see Buehler (1957), JASA 52:482
 */
export function exactUnconditionalInterval(
  counts: PairedCounts,
  level: number,
): Interval | Indeterminate {
  const table = tableOf(counts);
  requireOpenProbability('level', level);
  if (table.units === 0) return indeterminate('no-units');
  return {
    ...exactBounds(table, errorPerSide(level)),
    level,
    method: 'exact-unconditional',
    guarantee: 'finite-sample',
  };
}

/** The first step of the grid above a threshold, which a bound that clears it must reach. @example stepAbove(0) // => 1 */
export function stepAbove(threshold: number): number {
  return Math.floor(threshold * steps) + 1;
}

/** One decision: does the lower bound at `error`, in (0, 0.5), lie above `threshold`, in [−1, 1]? */
export interface ExactClearance {
  readonly error: number;
  readonly threshold: number;
}

/**
 * Whether the exact unconditional lower bound lies above a threshold, without computing the bound: one search at the next
 * difference of the grid. The same answer as `exactUnconditionalLower(counts, error) > threshold`, several times sooner.
 *
 * @param counts  units by outcome pair
 * @returns       indeterminate('no-units') without units
 * @throws {LiftgateError} stats-argument-invalid  if a count is negative or not whole, or an option is outside its range
 * @example exactUnconditionalClears({ both: 0, onlyCandidate: 15, onlyBaseline: 5, neither: 56 }, { error: 0.025, threshold: 0 })
 * // => true
 * @see Buehler (1957), JASA 52:482
 */
export function exactUnconditionalClears(
  counts: PairedCounts,
  { error, threshold }: ExactClearance,
): boolean | Indeterminate {
  const table = tableOf(counts);
  requireError('error', error);
  requireWithin('threshold', threshold, { lower: -1, upper: 1 });
  if (table.units === 0) return indeterminate('no-units');
  const step = stepAbove(threshold);
  if (table.losses === table.units || step >= steps) return false;
  return exceedingNuisance(searchesOf(table, error)(step)) === null;
}
