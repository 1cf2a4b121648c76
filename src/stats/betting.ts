/**
 * Bounds for the mean of bounded values that hold at every sample size, zero variance included: a gambler bets, unit after
 * unit, that the mean is larger than m; an m at which the capital ever reaches 1/error is refuted.
 *
 * The bets depend on the order, so units come in their sealed order. Not monotone: a better value can change later bets.
 */

import { LiftgateError } from '../base/errors.ts';
import {
  requireError,
  requireFiniteList,
  requireOpenProbability,
  requireWithin,
} from './arguments.ts';
import { chordRoot } from './chord-root.ts';
import { log } from './elementary.ts';
import { type Bounds, type Indeterminate, indeterminate } from './interval.ts';
import { lastHolding } from './monotone-root.ts';
import { sum } from './summary.ts';

/** Bets stop at this share of 1/m in Liftgate's own decisions: the worst unit never takes the whole capital. */
export const bettingTruncation = 0.95;

/** `range` declared for one value, lower < upper; `error` one-sided in (0, 0.5); `truncation` in (0, 1). */
export interface BettingOptions {
  readonly range: Bounds;
  readonly error: number;
  readonly truncation: number;
}

function requireOptions({ range, error, truncation }: BettingOptions): void {
  requireFiniteList('range', [range.lower, range.upper]);
  if (!(range.lower < range.upper)) {
    throw new LiftgateError(
      'stats-argument-invalid',
      `range must have lower below upper, got ${range.lower} and ${range.upper}`,
      {
        where: { path: 'range' },
        mend: 'Declare the smallest and the largest value one unit can take.',
      },
    );
  }
  requireError('error', error);
  requireOpenProbability('truncation', truncation);
}

/** The share of the range at which a value lies, from its lower end; a value off by rounding alone is pulled in. */
function shareOf(value: number, { lower, upper }: Bounds, index: number): number {
  const width = upper - lower;
  if (!(value >= lower - 1e-12 * width && value <= upper + 1e-12 * width)) {
    const slack = { lower: lower - 1e-12 * width, upper: upper + 1e-12 * width };
    requireWithin(`values[${index}]`, value, slack);
  }
  return Math.max(0, Math.min(1, (value - lower) / width));
}

function sharesOf(values: readonly number[], range: Bounds): Float64Array {
  const shares = new Float64Array(values.length);
  for (let index = 0; index < shares.length; index += 1) {
    shares[index] = shareOf(values[index] ?? Number.NaN, range, index);
  }
  return shares;
}

/** The bet before each unit: √(2 ln(1/error) / (n s²)), s² regularized and from earlier units only. */
function betsFor(shares: Float64Array, error: number): Float64Array {
  const target = 2 * log(1 / error);
  const bets = new Float64Array(shares.length);
  let total = 0.5;
  let squares = 0.25;
  for (let index = 0; index < shares.length; index += 1) {
    const share = shares[index] ?? 0;
    bets[index] = Math.sqrt(target / (shares.length * (squares / (index + 1))));
    total += share;
    const centre = total / (index + 2);
    squares += (share - centre) * (share - centre);
  }
  return bets;
}

interface Wager {
  readonly shares: Float64Array;
  readonly bets: Float64Array;
  readonly options: BettingOptions;
}

/** Whether the capital of a gambler against mean m ever reaches 1/error. Capital falls as m rises. */
function refuted({ shares, bets, options }: Wager, m: number): boolean {
  const largest = options.truncation / m;
  const goal = 1 / options.error;
  let capital = 1;
  for (let index = 0; index < shares.length; index += 1) {
    capital *= 1 + Math.min(bets[index] ?? 0, largest) * ((shares[index] ?? 0) - m);
    if (capital >= goal) return true;
  }
  return false;
}

/** How far from the bound, as a share of the range, one pass decides: far more than both are rounded by. */
const decidedApart = 1e-9;

/**
 * Whether the lower bound lies above a threshold: true and false are the bound's own answer, found in one pass over the values where
 * the bound takes thirty; null within 1e-9 of the range around the bound, where only the bound itself can say.
 *
 * @param values     one value per unit in the sealed order, each inside the range
 * @param threshold  in the units of the values
 * @throws {LiftgateError} stats-argument-invalid  as bettingLowerBound
 * @example bettingLowerClears([1, 1, 1, 1, 1, 1], 0.1, { range: { lower: 0, upper: 1 }, error: 0.05, truncation: 0.95 }) // => true
 */
export function bettingLowerClears(
  values: ArrayLike<number>,
  threshold: number,
  options: BettingOptions,
): boolean | null {
  requireOptions(options);
  if (values.length === 0) return null;
  const { range, error, truncation } = options;
  const width = range.upper - range.lower;
  const m = (threshold - range.lower) / width;
  const [less, more] = [m - decidedApart, m + decidedApart];
  if (!(less > 0 && more < 1)) return null;
  const target = 2 * log(1 / error);
  const goal = 1 / error;
  const [mostAtLess, mostAtMore] = [truncation / less, truncation / more];
  let [total, squares] = [0.5, 0.25];
  let [atLess, atMore] = [1, 1];
  let isNear = false;
  for (let index = 0; index < values.length; index += 1) {
    const share = shareOf(values[index] ?? Number.NaN, range, index);
    const bet = Math.sqrt(target / (values.length * (squares / (index + 1))));
    atMore *= 1 + Math.min(bet, mostAtMore) * (share - more);
    if (atMore >= goal) return true;
    atLess *= 1 + Math.min(bet, mostAtLess) * (share - less);
    isNear ||= atLess >= goal;
    total += share;
    const centre = total / (index + 2);
    squares += (share - centre) * (share - centre);
  }
  return isNear ? null : false;
}

/** Logarithm of the largest capital against mean m over the goal: refuted from 0 up; ±700 where the capital has no double. */
function excess({ shares, bets, options }: Wager, m: number): number {
  const largest = options.truncation / m;
  let capital = 1;
  let most = 1;
  for (let index = 0; index < shares.length; index += 1) {
    capital *= 1 + Math.min(bets[index] ?? 0, largest) * ((shares[index] ?? 0) - m);
    if (capital > most) most = capital;
  }
  return Math.max(-700, Math.min(700, log(most * options.error)));
}

/**
 * How close to the root of the excess the bisection starts: far above the rounding of a million factors, and farther where the
 * excess is so flat that the chords settle at some distance.
 */
const rootSlacks = [1e-12, 1e-10, 1e-8] as const;

/**
 * A refuted and an unrefuted m to bisect between: around the root of the excess, found by chords in a dozen passes where
 * bisection needs forty; 0 and 1 where it is not between them. The end of the bisection is the same.
 */
function bracketOf(wager: Wager): Bounds {
  const { shares } = wager;
  const mean = sum(shares) / shares.length;
  const start = refuted(wager, mean) ? 1 : mean;
  const root = chordRoot((m) => excess(wager, m), { lower: 0, upper: start, settled: 1e-9 });
  for (const slack of rootSlacks) {
    const found = { lower: root - slack, upper: root + slack };
    if (found.lower > 0 && refuted(wager, found.lower) && !refuted(wager, found.upper))
      return found;
  }
  return { lower: 0, upper: 1 };
}

/**
 * Where the lower bound is sought, as shares of the range: the bound lies between, and with a bound inside the range the ends are
 * 2e-8 apart at most, mostly 2e-12, so that a last bisection costs a few passes and not forty.
 *
 * @param values   one value per unit in the sealed order, at least one, each inside the range
 * @param options  as for bettingLowerBound, not checked here
 * @example bettingBracket([0, 0], { range: { lower: 0, upper: 1 }, error: 0.05, truncation: 0.75 }) // => { lower: 0, upper: 1 }
 */
export function bettingBracket(values: readonly number[], options: BettingOptions): Bounds {
  const shares = sharesOf(values, options.range);
  return bracketOf({ shares, bets: betsFor(shares, options.error), options });
}

/** The largest m that is refuted, as a share of the range; bisection to neighbouring doubles, the refuted side kept. */
function lowerShare(shares: Float64Array, options: BettingOptions): number {
  const wager = { shares, bets: betsFor(shares, options.error), options };
  if (!refuted(wager, 0)) return 0;
  const known = bracketOf(wager);
  const isRefuted = (m: number): boolean =>
    m <= known.lower || (m < known.upper && refuted(wager, m));
  return lastHolding(isRefuted, { lower: 0, upper: 1 }, 1e-17);
}

/**
 * One-sided lower betting bound for the mean of bounded values, valid at every sample size.
 *
 * The values must be independent, or their means given the earlier ones all equal. Cost: about 60 passes over the values.
 *
 * @param values   one value per unit in the sealed order, each inside the range (1e-12 of its width is forgiven)
 * @param options  declared range, one-sided error, truncation
 * @returns        inside the range, its lower end when nothing is refuted; indeterminate('no-units') without values
 * @throws {LiftgateError} stats-argument-invalid  if a value is outside the range or an option outside its own
 * @example bettingLowerBound([0.5, 1, 0, 0.25, 0.75], { range: { lower: 0, upper: 1 }, error: 0.05, truncation: 0.75 })
 * // => 0.102650173860 to 12 digits
 * @see Waudby-Smith & Ramdas (2024), JRSS B 86:1, section 4
 */
export function bettingLowerBound(
  values: readonly number[],
  options: BettingOptions,
): number | Indeterminate {
  requireOptions(options);
  if (values.length === 0) return indeterminate('no-units');
  const { range } = options;
  const share = lowerShare(sharesOf(values, range), options);
  return Math.min(range.upper, range.lower + share * (range.upper - range.lower));
}

/**
 * One-sided upper betting bound: the lower bound of the mirrored values, mirrored back.
 *
 * @param values   one value per unit in the sealed order, each inside the range
 * @param options  declared range, one-sided error, truncation
 * @returns        inside the range, its upper end when nothing is refuted; indeterminate('no-units') without values
 * @throws {LiftgateError} stats-argument-invalid  if a value is outside the range or an option outside its own
 * @example bettingUpperBound([0.5, 1, 0, 0.25, 0.75], { range: { lower: 0, upper: 1 }, error: 0.05, truncation: 0.75 })
 * // => 0.897909080136 to 12 digits
 * @see Waudby-Smith & Ramdas (2024), JRSS B 86:1, section 4
 */
export function bettingUpperBound(
  values: readonly number[],
  options: BettingOptions,
): number | Indeterminate {
  const mirrored = { lower: -options.range.upper, upper: -options.range.lower };
  const negated = values.map((value) => -value);
  const bound = bettingLowerBound(negated, { ...options, range: mirrored });
  return typeof bound === 'number' ? 0 - bound : bound;
}

/**
 * Both one-sided betting bounds at the same error.
 *
 * @param values   one value per unit in the sealed order, each inside the range
 * @param options  declared range, one-sided error, truncation
 * @returns        lower < upper inside the range; indeterminate('no-units') without values
 * @throws {LiftgateError} stats-argument-invalid  if a value is outside the range or an option outside its own
 * @example bettingBounds([1, 1, 1], { range: { lower: 0, upper: 1 }, error: 0.05, truncation: 0.95 }).upper // => 1
 */
export function bettingBounds(
  values: readonly number[],
  options: BettingOptions,
): Bounds | Indeterminate {
  const lower = bettingLowerBound(values, options);
  const upper = bettingUpperBound(values, options);
  if (typeof lower !== 'number') return lower;
  if (typeof upper !== 'number') return upper;
  return { lower, upper };
}
