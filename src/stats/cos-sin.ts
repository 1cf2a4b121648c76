/** Cosine and sine from + − × alone, so that an inverted characteristic function has the same bits on every platform. */

/** π/2 in three parts; whole multiples below 2^20 of the first two are exact. */
const halfPiHigh = 1.5707963267341256;
const halfPiMiddle = 6.077100506303966e-11;
const halfPiLow = 2.0222662487959506e-21;
const inverseHalfPi = 2 / Math.PI;

/** Cosine and sine of one angle. */
export interface CosSin {
  cos: number;
  sin: number;
}

function sinSeries(x: number, square: number): number {
  const tail = 1 - (square / 272) * (1 - square / 342);
  const far = 1 - (square / 110) * (1 - (square / 156) * (1 - (square / 210) * tail));
  return (
    x * (1 - (square / 6) * (1 - (square / 20) * (1 - (square / 42) * (1 - (square / 72) * far))))
  );
}

function cosSeries(square: number): number {
  const tail = 1 - (square / 240) * (1 - square / 306);
  const far = 1 - (square / 90) * (1 - (square / 132) * (1 - (square / 182) * tail));
  return 1 - (square / 2) * (1 - (square / 12) * (1 - (square / 30) * (1 - (square / 56) * far)));
}

/**
 * Writes cosine and sine of an angle into `into` and returns it; about one unit in the last place.
 *
 * @param angle  in radians, |angle| up to about a million
 * @param into   is overwritten: the loops that call this allocate nothing
 * @example cosSin(Math.PI / 3, { cos: 0, sin: 0 }).cos // => 0.5 to 14 digits
 * @see NIST DLMF 4.19.1, 4.19.2 (the power series, on |angle| ≤ π/4 after reduction)
 */
export function cosSin(angle: number, into: CosSin): CosSin {
  const turns = Math.floor(angle * inverseHalfPi + 0.5);
  const rest = angle - turns * halfPiHigh - turns * halfPiMiddle - turns * halfPiLow;
  const square = rest * rest;
  const sine = sinSeries(rest, square);
  const cosine = cosSeries(square);
  const quarter = turns - 4 * Math.floor(turns / 4);
  const swapped = quarter === 1 || quarter === 3;
  const cos = swapped ? sine : cosine;
  const sin = swapped ? cosine : sine;
  into.cos = quarter === 1 || quarter === 2 ? 0 - cos : cos;
  into.sin = quarter >= 2 ? 0 - sin : sin;
  return into;
}
