/**
 * exp, log, log1p and expm1 from + − × ÷ alone, so that every platform gives the same bits.
 *
 * ECMAScript leaves the last digits of Math.exp and Math.log to the engine; these are used wherever a number can reach a
 * bound. Each stays within about one unit in the last place.
 */

/** ln 2 split so that k × (the first part) is exact for |k| < 2^20. */
const ln2High = 0.6931471803691238;
const ln2Low = 1.9082149292705877e-10;
const inverseLn2 = Math.LOG2E;
const halfLn2 = 0.34657359027997264;
const sqrtHalf = Math.sqrt(0.5);

const scratch = new DataView(new ArrayBuffer(8));

/** 2^exponent for a whole exponent from −1022 to 1023, built from its bits. */
function powerOfTwo(exponent: number): number {
  scratch.setUint32(0, (exponent + 1023) * 1048576);
  scratch.setUint32(4, 0);
  return scratch.getFloat64(0);
}

/** value × 2^exponent; two factors keep the intermediate in range, and only a subnormal result rounds. */
function scale(value: number, exponent: number): number {
  if (exponent > 1023) return value * powerOfTwo(1023) * powerOfTwo(exponent - 1023);
  if (exponent < -1021) return value * powerOfTwo(exponent + 600) * powerOfTwo(-600);
  return value * powerOfTwo(exponent);
}

/** (e^r − 1 − r) / r² by its power series; |r| ≤ 0.3466 leaves a remainder below 1e-18. */
function expTail(r: number): number {
  let term = 1 / 15;
  for (let k = 14; k >= 3; k -= 1) term = (1 + r * term) / k;
  return (1 + r * term) / 2;
}

/** Splits x = k ln 2 + r + correction with |r| ≤ ln(2)/2. */
function reduce(x: number): {
  readonly k: number;
  readonly r: number;
  readonly correction: number;
} {
  const k = Math.floor(x * inverseLn2 + 0.5);
  const high = x - k * ln2High;
  const low = k * ln2Low;
  const r = high - low;
  return { k, r, correction: high - r - low };
}

/**
 * e^x.
 *
 * @param x  any number; above 709.78 the result is Infinity, below −745.13 it is 0
 * @example exp(1) // => 2.718281828459045
 */
export function exp(x: number): number {
  if (Number.isNaN(x)) return Number.NaN;
  if (x > 709.782712893384) return Number.POSITIVE_INFINITY;
  if (x < -745.1332191019412) return 0;
  const { k, r, correction } = reduce(x);
  return scale(1 + (r + (r * r * expTail(r) + correction * (1 + r))), k);
}

/**
 * e^x − 1 without cancellation near 0.
 *
 * @param x  any number; above 709.78 the result is Infinity
 * @example expm1(1e-10) // => 1.00000000005e-10
 */
export function expm1(x: number): number {
  if (x > 44 || Number.isNaN(x)) return exp(x);
  if (x < -44) return -1;
  if (Math.abs(x) <= halfLn2) return x + x * x * expTail(x);
  const { k, r, correction } = reduce(x);
  const power = powerOfTwo(k);
  return power * (r + (r * r * expTail(r) + correction * (1 + r))) + (power - 1);
}

/** Splits a positive normal x into a whole power of two and a factor in [√½, √2). */
function splitExponent(x: number): { readonly exponent: number; readonly factor: number } {
  scratch.setFloat64(0, x);
  const head = scratch.getUint32(0);
  const exponent = Math.floor(head / 1048576) - 1023;
  scratch.setUint32(0, (head % 1048576) + 1023 * 1048576);
  const factor = scratch.getFloat64(0);
  return factor * sqrtHalf >= 1
    ? { exponent: exponent + 1, factor: factor / 2 }
    : { exponent, factor };
}

/** 2/3 s² + 2/5 s⁴ + …: what remains of 2 artanh(s)/s − 2; |s| ≤ 0.1716 leaves a remainder below 1e-18. */
function artanhTail(square: number): number {
  let sum = 0;
  for (let odd = 23; odd >= 3; odd -= 2) sum = square * (2 / odd + sum);
  return sum;
}

/**
 * Natural logarithm.
 *
 * @param x  log(0) is −Infinity, a negative x gives NaN
 * @example log(10) // => 2.302585092994046
 */
export function log(x: number): number {
  if (!(x > 0)) return x === 0 ? Number.NEGATIVE_INFINITY : Number.NaN;
  if (x === Number.POSITIVE_INFINITY) return x;
  if (x < 2.2250738585072014e-308) return log(x * 18014398509481984) - 54 * ln2High - 54 * ln2Low;
  const { exponent, factor } = splitExponent(x);
  const f = factor - 1;
  const s = f / (2 + f);
  const halfSquare = (f * f) / 2;
  const tail = s * (halfSquare + artanhTail(s * s)) + exponent * ln2Low;
  return exponent * ln2High + (f - (halfSquare - tail));
}

/**
 * ln(1 + x) without cancellation near 0.
 *
 * @param x  log1p(−1) is −Infinity, below −1 the result is NaN
 * @example log1p(1e-10) // => 9.9999999995e-11 to 15 digits
 */
export function log1p(x: number): number {
  if (Math.abs(x) < 0.29) {
    const s = x / (2 + x);
    const halfSquare = (x * x) / 2;
    return x - (halfSquare - s * (halfSquare + artanhTail(s * s)));
  }
  const sum = 1 + x;
  if (!(sum > 0) || sum === Number.POSITIVE_INFINITY) return log(sum);
  const lost = Math.abs(x) > 1 ? 1 - (sum - x) : x - (sum - 1);
  return log(sum) + lost / sum;
}
