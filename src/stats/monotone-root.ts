/** The one root of a function that never rises, by halving a bracket: slow, certain and the same on every platform. */

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
  for (let step = 0; step < 200; step += 1) {
    const middle = (lower + upper) / 2;
    if (middle <= lower || middle >= upper) break;
    if (fall(middle) > 0) lower = middle;
    else upper = middle;
    if (upper - lower <= 1e-15 * Math.max(Math.abs(lower), Math.abs(upper))) break;
  }
  return (lower + upper) / 2;
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
