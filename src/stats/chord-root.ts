/** The root of a smooth monotone function that is dear to evaluate: chords inside a bracket, by the Illinois rule. */

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
