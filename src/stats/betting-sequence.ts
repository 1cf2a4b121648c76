/**
 * Confidence sequences for the mean of bounded values: intervals that hold at every unit at once, so that one may look after
 * each and stop when one likes. Hedged betting (two-sided), betting against one side, and the empirical Bernstein closed form.
 *
 * The state of a sequence is what was seen and what was promised: `{ format, range, error, sides, values }`, plain JSON. All
 * bounds are recomputed from it, so a state read back can be wrong only in ways that `checkBettingSequence` sees. A later
 * version may add members under a new format word, never change the meaning of these.
 */
import { LiftgateError } from '../base/errors.ts';
import { requireError, requireFiniteList, requireWithin } from './arguments.ts';
import { log } from './elementary.ts';
import type { Bounds } from './interval.ts';
import { fallingRoot } from './monotone-root.ts';

/** Bets stop at this share of what could be lost. */
const truncation = 0.5;

/** The format word of a recorded state. */
export const bettingSequenceFormat = 'betting-sequence/1';

/**
 * `range` is declared for one value, lower < upper. `error` in (0, 0.5) is the probability that the sequence ever misses: of
 * both sides together, or of the one side that `sides` names. The mean of a value given the earlier ones is the same throughout.
 */
export interface BettingSequenceState {
  readonly format: typeof bettingSequenceFormat;
  readonly range: Bounds;
  readonly error: number;
  readonly sides: 'both' | 'lower' | 'upper';
  readonly values: readonly number[];
}

/** What is promised before the first value. */
export type BettingSequencePlan = Pick<BettingSequenceState, 'range' | 'error' | 'sides'>;

/** `latest` rests on the capital at the last value; `running` on the largest so far, and is what may be reported. */
export interface SequenceBounds {
  readonly latest: Bounds;
  readonly running: Bounds;
}

function refuse(path: string, message: string): never {
  throw new LiftgateError('stats-argument-invalid', message, {
    where: { path },
    mend: 'Pass a state as extendBettingSequence returned it.',
  });
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isSides(value: unknown): value is BettingSequenceState['sides'] {
  return value === 'both' || value === 'lower' || value === 'upper';
}

function rangeOf(value: unknown): Bounds {
  const { lower, upper } = isRecord(value) ? value : {};
  if (typeof lower !== 'number' || typeof upper !== 'number' || !(lower < upper)) {
    refuse('range', 'range must hold numbers with lower below upper');
  }
  requireFiniteList('range', [lower, upper]);
  return { lower, upper };
}

/**
 * A state read back from outside, checked member by member.
 *
 * @param value  what was parsed
 * @throws {LiftgateError} stats-argument-invalid  if a member is missing, unknown, or outside its range
 * @example checkBettingSequence({ format: 'betting-sequence/1', range: { lower: 0, upper: 1 }, error: 0.05, sides: 'both',
 *   values: [1] }).values // => [1]
 */
export function checkBettingSequence(value: unknown): BettingSequenceState {
  if (!isRecord(value)) refuse('state', 'state must be a record');
  const known = ['error', 'format', 'range', 'sides', 'values'];
  const members = Object.keys(value).sort();
  if (members.join() !== known.join()) {
    refuse('state', `state must have the members ${known.join(', ')}, got ${members.join(', ')}`);
  }
  const { format, error, sides, values } = value;
  if (format !== bettingSequenceFormat) {
    refuse('format', `format must be ${bettingSequenceFormat}, got ${String(format)}`);
  }
  if (!isSides(sides)) refuse('sides', `sides must be both, lower or upper, got ${String(sides)}`);
  if (!Array.isArray(values)) refuse('values', 'values must be a list');
  const range = rangeOf(value['range']);
  requireError('error', Number(error));
  const numbers = values.map((entry, index) => {
    if (typeof entry !== 'number') refuse(`values[${index}]`, `values[${index}] must be a number`);
    requireWithin(`values[${index}]`, entry, range);
    return entry;
  });
  return { format: bettingSequenceFormat, range, error: Number(error), sides, values: numbers };
}

/**
 * The sequence before the first value.
 *
 * @throws {LiftgateError} stats-argument-invalid  if the range or the error is outside its own
 * @example startBettingSequence({ range: { lower: -1, upper: 1 }, error: 0.05, sides: 'both' }).values // => []
 */
export function startBettingSequence(plan: BettingSequencePlan): BettingSequenceState {
  return checkBettingSequence({ ...plan, format: bettingSequenceFormat, values: [] });
}

/**
 * The sequence after further values, in the order they were seen.
 *
 * @throws {LiftgateError} stats-argument-invalid  if the state is not one or a value is outside the range
 * @example extendBettingSequence(startBettingSequence({ range: { lower: 0, upper: 1 }, error: 0.05, sides: 'both' }), [1, 0])
 *   .values // => [1, 0]
 */
export function extendBettingSequence(
  state: BettingSequenceState,
  values: readonly number[],
): BettingSequenceState {
  return checkBettingSequence({ ...state, values: [...state.values, ...values] });
}

/** Shares of the range with the bet made before each: √(2 ln(1/error) / (s² t ln(1 + t))), s² from earlier values only. */
interface Wager {
  readonly shares: Float64Array;
  readonly bets: Float64Array;
  /** The mean expected before each value. */
  readonly means: Float64Array;
  readonly logGoal: number;
}

function wagerOn(values: readonly number[], range: Bounds, logGoal: number): Wager {
  const width = range.upper - range.lower;
  const shares = Float64Array.from(values, (value) =>
    Math.max(0, Math.min(1, (value - range.lower) / width)),
  );
  const bets = new Float64Array(shares.length);
  const means = new Float64Array(shares.length);
  let total = 0.5;
  let squares = 0.25;
  shares.forEach((share, index) => {
    const time = index + 1;
    means[index] = total / time;
    bets[index] = Math.sqrt((2 * logGoal) / ((squares / time) * time * log(1 + time)));
    total += share;
    const centre = total / (time + 1);
    squares += (share - centre) * (share - centre);
  });
  return { shares, bets, means, logGoal };
}

/** Log capital of a gambler on a mean above m: at the last value, its largest so far, and the number of values that took it beyond the goal. */
function logCapital(
  { shares, bets, logGoal }: Wager,
  m: number,
): { latest: number; largest: number; refutedAt: number | null } {
  const most = truncation / m;
  let latest = 0;
  let largest = 0;
  let refutedAt: number | null = null;
  // Products of 32 factors between 1/2^32 and 1e300 stay finite, and one logarithm serves them all.
  let product = 1;
  for (let index = 0; index < shares.length; index += 1) {
    product *= 1 + Math.min(bets[index] ?? 0, most) * ((shares[index] ?? 0) - m);
    if (product > 1e100 || product < 1e-100) {
      latest += log(product);
      product = 1;
    }
    largest = Math.max(largest, product > 1 || latest > 0 ? latest + log(product) : 0);
    if (refutedAt === null && largest > logGoal) refutedAt = index + 1;
  }
  return { latest: latest + log(product), largest, refutedAt };
}

/** The share of the range below which every mean is refuted, by the last capital and by the largest so far. */
function lowerShares(wager: Wager): { readonly latest: number; readonly running: number } {
  const root = (capitalAt: (m: number) => number): number =>
    capitalAt(0) < wager.logGoal
      ? 0
      : fallingRoot((m) => capitalAt(m) - wager.logGoal, { lower: 0, upper: 1 });
  return {
    latest: root((m) => logCapital(wager, m).latest),
    running: root((m) => logCapital(wager, m).largest),
  };
}

/** How large a capital must grow: 1/error, twice that when it is split between two sides. */
function logGoalOf({ error, sides }: BettingSequencePlan): number {
  return log((sides === 'both' ? 2 : 1) / error);
}

/**
 * The bounds of a betting sequence after its last value.
 *
 * The side that is not asked for keeps the end of the range. Bets are never negative, so each side speaks against a mean at or
 * beyond its bound and not only against one mean. Cost: about 100 passes over the values.
 *
 * @param state  from startBettingSequence and extendBettingSequence
 * @throws {LiftgateError} stats-argument-invalid  if the state is not one
 * @example bettingSequenceBounds({ format: 'betting-sequence/1', range: { lower: 0, upper: 1 }, error: 0.05, sides: 'both',
 *   values: [0.5, 1, 0, 0.25, 0.75] }).running.lower // => 0.0978681249300 to 12 digits
 * @see Waudby-Smith & Ramdas (2024), Journal of the Royal Statistical Society B 86:1, theorem 3
 */
export function bettingSequenceBounds(state: BettingSequenceState): SequenceBounds {
  const { range, sides, values } = checkBettingSequence(state);
  const goal = logGoalOf(state);
  const width = range.upper - range.lower;
  const none = { latest: 0, running: 0 };
  const low = sides === 'upper' ? none : lowerShares(wagerOn(values, range, goal));
  const mirrored = { lower: -range.upper, upper: -range.lower };
  const negated = values.map((value) => -value);
  const high = sides === 'lower' ? none : lowerShares(wagerOn(negated, mirrored, goal));
  const bounds = (below: number, above: number): Bounds => ({
    lower: range.lower + below * width,
    upper: range.upper - above * width,
  });
  return {
    latest: bounds(low.latest, high.latest),
    running: bounds(low.running, high.running),
  };
}

/** `range` declared for one value, lower < upper; `error` of each side alone, in (0, 0.5). */
export interface AnytimeOptions {
  readonly range: Bounds;
  readonly error: number;
}

/**
 * Both one-sided betting bounds that hold at every value at once, each at the same error: the running ones after the last value.
 *
 * @param values   one per unit in the sealed order, each inside the range; none give the whole range
 * @param options  declared range and one-sided error
 * @throws {LiftgateError} stats-argument-invalid  if a value is outside the range or an option outside its own
 * @example anytimeBounds([0.5, 1, 0, 0.25, 0.75], { range: { lower: 0, upper: 1 }, error: 0.025 }).lower
 * // => 0.0978681249300 to 12 digits
 * @see Waudby-Smith & Ramdas (2024), Journal of the Royal Statistical Society B 86:1, theorem 3
 */
export function anytimeBounds(values: readonly number[], options: AnytimeOptions): Bounds {
  const side = (sides: 'lower' | 'upper'): Bounds => {
    const start = startBettingSequence({ ...options, sides });
    return bettingSequenceBounds(extendBettingSequence(start, values)).running;
  };
  return { lower: side('lower').lower, upper: side('upper').upper };
}

/**
 * The capital of a gambler who bets, value after value, that the mean is above a number: evidence that may be read at any time.
 * Bets are never negative, so losses earn nothing.
 *
 * @param state    from startBettingSequence and extendBettingSequence; its side that speaks against `against` is the lower one
 * @param against  the mean that is doubted, inside the range
 * @returns        natural logarithms at the last value and of the largest so far; the mean is refuted above log(1/error), for the
 *                 first time after `refutedAt` values
 * @throws {LiftgateError} stats-argument-invalid  if the state is not one or the mean is outside the range
 * @example bettingSequenceWealth({ format: 'betting-sequence/1', range: { lower: 0, upper: 1 }, error: 0.05, sides: 'lower',
 *   values: [0, 0, 0] }, 0.5).largest // => 0
 * @see Waudby-Smith & Ramdas (2024), Journal of the Royal Statistical Society B 86:1, theorem 3
 */
export function bettingSequenceWealth(
  state: BettingSequenceState,
  against: number,
): { readonly latest: number; readonly largest: number; readonly refutedAt: number | null } {
  const { range, values } = checkBettingSequence(state);
  requireWithin('against', against, range);
  const share = (against - range.lower) / (range.upper - range.lower);
  return logCapital(wagerOn(values, range, logGoalOf(state)), share);
}

/**
 * The empirical Bernstein confidence sequence at the last value: closed, wider than betting.
 *
 * @param state  `sides` must be both
 * @returns      inside the range; the whole range while the variance is not yet known well enough
 * @throws {LiftgateError} stats-argument-invalid  if the state is not one or is one-sided
 * @example empiricalBernsteinBounds({ format: 'betting-sequence/1', range: { lower: 0, upper: 1 }, error: 0.05, sides: 'both',
 *   values: new Array(12).fill(1) }).lower // => 0.372592139925 to 12 digits
 * @see Waudby-Smith & Ramdas (2024), Journal of the Royal Statistical Society B 86:1, theorem 2
 */
export function empiricalBernsteinBounds(state: BettingSequenceState): Bounds {
  const { range, sides, values } = checkBettingSequence(state);
  if (sides !== 'both') refuse('sides', `sides must be both, got ${sides}`);
  const { shares, bets, means, logGoal } = wagerOn(values, range, logGoalOf(state));
  let weights = 0;
  let weighted = 0;
  let price = logGoal;
  shares.forEach((share, index) => {
    const bet = Math.min(bets[index] ?? 0, truncation);
    const surprise = share - (means[index] ?? 0);
    weights += bet;
    weighted += bet * share;
    price += surprise * surprise * (0 - log(1 - bet) - bet);
  });
  if (weights === 0) return range;
  const width = range.upper - range.lower;
  const [centre, half] = [weighted / weights, price / weights];
  return {
    lower: range.lower + Math.max(0, centre - half) * width,
    upper: range.lower + Math.min(1, centre + half) * width,
  };
}
