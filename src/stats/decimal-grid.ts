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

/**
 * Multiplication by a power of ten. Powers up to 22 are exact doubles, so the usual scale costs one rounding; beyond 300 it
 * goes in two halves.
 */
function scaling(exponent: number): (value: number) => number {
  const first = Math.min(300, Math.abs(exponent));
  const power = Number(`1e${first}`);
  const rest = Number(`1e${Math.abs(exponent) - first}`);
  return exponent < 0 ? (value) => value / power / rest : (value) => value * power * rest;
}

/**
 * The values on their common decimal grid, each rounded to 12 significant digits of the largest.
 *
 * @param values  finite numbers
 * @example decimalGrid([0.1, 0.2, -0.3]).steps // => [1, 2, -3]
 * @example decimalGrid([0.1 + 0.2, 0.3]).steps // => [1, 1]
 */
export function decimalGrid(values: readonly number[]): DecimalGrid {
  let size = 0;
  for (const value of values) size = Math.max(size, Math.abs(value));
  const exponent = size === 0 ? 0 : keptDigits - 1 - decimalExponent(size);
  const scaled = scaling(exponent);
  const steps = new Array<number>(values.length);
  let divisor = 0;
  for (let at = 0; at < steps.length; at += 1) {
    const value = values[at] ?? 0;
    const whole = Math.floor(Math.abs(scaled(value)) + 0.5);
    steps[at] = value < 0 ? 0 - whole : whole;
    if (divisor !== 1) divisor = greatestDivisor(divisor, whole);
  }
  const step = Math.max(1, divisor);
  if (step > 1) for (let at = 0; at < steps.length; at += 1) steps[at] = (steps[at] ?? 0) / step;
  const unscaled = scaling(-exponent);
  return { steps, fromSteps: (count) => unscaled(count * step) };
}
