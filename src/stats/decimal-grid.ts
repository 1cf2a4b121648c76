/**
 * Numbers on a common decimal grid, as whole numbers: sums of them are exact, so that two sums which tie as decimals tie here
 * too. In doubles 0.1 + 0.2 and 0.3 do not, and a permutation test that counts ties would miss them.
 */

/** Digits of the largest number that are kept; sums of thousands of such numbers stay below 2^53. */
const keptDigits = 12;

/** `steps[i]` whole, values[i] ≈ steps[i] × step; the step is a power of ten times the common divisor. */
export interface DecimalGrid {
  readonly steps: readonly number[];
  /** The number a whole number of steps stands for. */
  readonly fromSteps: (steps: number) => number;
}

function greatestDivisor(a: number, b: number): number {
  let left = a;
  let right = b;
  while (right > 0) [left, right] = [right, left % right];
  return left;
}

function decimalExponent(size: number): number {
  return Number(size.toExponential(0).split('e')[1] ?? 0);
}

/** Powers of ten up to 22 are exact doubles, so the usual scale costs one rounding; beyond 300 it goes in two halves. */
function timesPowerOfTen(value: number, exponent: number): number {
  const first = Math.min(300, Math.abs(exponent));
  const power = Number(`1e${first}`);
  const rest = Number(`1e${Math.abs(exponent) - first}`);
  return exponent < 0 ? value / power / rest : value * power * rest;
}

/**
 * The values on their common decimal grid, each rounded to 12 significant digits of the largest.
 *
 * @param values  finite numbers
 * @example decimalGrid([0.1, 0.2, -0.3]).steps // => [1, 2, -3]
 * @example decimalGrid([0.1 + 0.2, 0.3]).steps // => [1, 1]
 */
export function decimalGrid(values: readonly number[]): DecimalGrid {
  const size = values.reduce((largest, value) => Math.max(largest, Math.abs(value)), 0);
  const exponent = size === 0 ? 0 : keptDigits - 1 - decimalExponent(size);
  const whole = values.map((value) => {
    const scaled = Math.floor(Math.abs(timesPowerOfTen(value, exponent)) + 0.5);
    return value < 0 ? 0 - scaled : scaled;
  });
  const divisor = Math.max(1, whole.map(Math.abs).reduce(greatestDivisor, 0));
  return {
    steps: whole.map((value) => value / divisor),
    fromSteps: (steps) => timesPowerOfTen(steps * divisor, -exponent),
  };
}
