/** Roots and last points of what only ever falls, by halving a bracket: slow, certain and the same on every platform. */

/** A bracket; `lower` < `upper`. */
export interface Bracket {
  readonly lower: number;
  readonly upper: number;
}

/**
 * The point where a falling function crosses 0, to neighbouring doubles or 1e-15 of the bracket's larger end.
 *
 * @param fall     never rises over the bracket; above 0 at its lower end, at or below 0 at its upper end
 * @param bracket  where the crossing lies
 * @returns        an end of the bracket when the function does not change sign inside it
 * @example fallingRoot((x) => 2 - x * x, { lower: 0, upper: 2 }) // => 1.41421356237 to 12 digits
 */
export function fallingRoot(fall: (x: number) => number, bracket: Bracket): number {
  let { lower, upper } = bracket;
  const isWide = (): boolean => upper - lower > 1e-15 * Math.max(Math.abs(lower), Math.abs(upper));
  for (let step = 0; step < 200 && isWide(); step += 1) {
    const middle = (lower + upper) / 2;
    if (fall(middle) > 0) lower = middle;
    else upper = middle;
  }
  return (lower + upper) / 2;
}

/**
 * The last point at which a condition holds that, once broken, stays broken: to neighbouring doubles, or to `nearest`. The end of the
 * bracket is taken as broken, its start as holding, whatever they are.
 *
 * @param holds    true from the lower end of the bracket up to some point, false after it
 * @param bracket  where that point lies
 * @param nearest  a distance at which the halving may stop, 0 or above
 * @returns        a point of the holding side
 * @example lastHolding((x) => x * x <= 2, { lower: 0, upper: 2 }, 0) // => 1.41421356237 to 12 digits
 */
export function lastHolding(
  holds: (x: number) => boolean,
  { lower, upper }: Bracket,
  nearest: number,
): number {
  let below = lower;
  let above = upper;
  while (above - below > nearest) {
    const middle = (below + above) / 2;
    if (middle === below || middle === above) break;
    if (holds(middle)) below = middle;
    else above = middle;
  }
  return below;
}

/**
 * A number above `from` at which a falling function is no longer above 0: the distance doubles until it is.
 *
 * @param fall  never rises
 * @param from  where the search starts
 * @param step  the first distance, above 0
 * @returns     Infinity when no finite point is reached
 * @example crossedBy((x) => 10 - x, 0, 1) // => 16
 */
export function crossedBy(fall: (x: number) => number, from: number, step: number): number {
  let distance = step;
  while (Number.isFinite(from + distance) && fall(from + distance) > 0) distance *= 2;
  return from + distance;
}
