/**
 * The root of a smooth monotone function that is dear to evaluate: chords inside a bracket, by the Illinois rule; for the tail of a
 * distribution, whose slope is known, Newton's method on its logarithm.
 */
import { log } from './elementary.ts';

/** Two points with the values there, one on each side of 0. */
export interface ChordBracket {
  readonly lower: number;
  readonly upper: number;
  /** The function is close enough to 0 at this size. */
  readonly settled: number;
}

/** Where the chord crosses 0, or the middle where that is no point inside. */
function crossingOf(ends: {
  readonly low: number;
  readonly high: number;
  readonly lowValue: number;
  readonly highValue: number;
}): number {
  const { low, high, lowValue, highValue } = ends;
  const crossing = low - (lowValue * (high - low)) / (highValue - lowValue);
  return crossing > low && crossing < high ? crossing : (low + high) / 2;
}

/**
 * Where a monotone function crosses 0; an end that stays twice running counts half.
 *
 * @param value    rises or falls over the bracket and changes sign in it or is 0 at an end, which is the answer then
 * @param bracket  where the crossing lies, and how small a value ends the search
 * @returns        NaN as soon as the function gives NaN; the last point after 60 steps
 * @example chordRoot((x) => x * x - 2, { lower: 0, upper: 2, settled: 1e-13 }) // => 1.41421356237 to 12 digits
 * @see Dowell & Jarratt (1971), BIT 11:168
 */
export function chordRoot(value: (x: number) => number, bracket: ChordBracket): number {
  let low = bracket.lower;
  let high = bracket.upper;
  let [lowValue, highValue] = [value(low), value(high)];
  if (lowValue === 0) return low;
  if (highValue === 0) return high;
  let side = 0;
  for (let step = 0; step < 60; step += 1) {
    const at = crossingOf({ low, high, lowValue, highValue });
    const found = value(at);
    if (!(Math.abs(found) > bracket.settled) || at <= low || at >= high) return at + 0 * found;
    if (found > 0 === highValue > 0) {
      [high, highValue] = [at, found];
      if (side > 0) lowValue /= 2;
      side = 1;
    } else {
      [low, lowValue] = [at, found];
      if (side < 0) highValue /= 2;
      side = -1;
    }
  }
  return (low + high) / 2;
}

/** A tail at a point, and the size of its slope there. */
export interface SlopedTail {
  readonly tail: number;
  readonly slope: number;
}

/** The tail wanted, above 0; whether tails rise (1) or fall (−1); a bracket of the point and where the search starts; its end. */
export interface TailSearch {
  readonly goal: number;
  readonly direction: 1 | -1;
  readonly left: number;
  readonly right: number;
  readonly start: number;
  readonly mostSteps: number;
}

/**
 * The point at which a tail has the wanted size: Newton on the logarithm of the tail, which is concave in the logarithm or logit of
 * the variable for beta and gamma, so that the iterates climb to the root from one side. A step that leaves the bracket, or a tail
 * that underflows, falls back to halving it.
 *
 * @param at      the tail at a point
 * @param search  goal, direction, bracket and start
 * @returns       to 1e-15 of its own size, or of 1 where it is smaller
 * @example tailRoot((u) => ({ tail: u / 2, slope: 0.5 }), { goal: 0.25, direction: 1, left: 0, right: 2, start: 1, mostSteps: 99 })
 * // => 0.5 to 12 digits
 */
export function tailRoot(at: (point: number) => SlopedTail, search: TailSearch): number {
  const { goal, direction, mostSteps } = search;
  const logGoal = log(goal);
  let { left, right, start: point } = search;
  for (let step = 0; step < mostSteps; step += 1) {
    const { tail, slope } = at(point);
    if (direction * (tail - goal) < 0) left = point;
    else right = point;
    const move = (direction * (log(tail) - logGoal) * tail) / slope;
    if (Math.abs(move) <= 1e-15 * Math.max(1, Math.abs(point))) break;
    const next = point - move;
    point = next > left && next < right ? next : (left + right) / 2;
  }
  return point;
}
