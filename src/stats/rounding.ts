/** Rounding before a number meets a threshold or a digest: 12 significant digits, and noise around 0 becomes 0. */
import { requireFinite, requireNotNegative } from './arguments.ts';

/** Significant digits every decided number is rounded to. */
export const significantDigits = 12;

/** Below this share of a measure's range a number counts as 0. */
const noiseShare = 1e-12;

/**
 * A number rounded to 12 significant digits, the nearest such decimal (ties away from zero).
 *
 * @param value  a finite number
 * @param range  width of the measure's declared range, ≥ 0; a value smaller than 1e-12 of it becomes 0. Default 0: none does
 * @returns      never −0
 * @throws {LiftgateError} stats-argument-invalid  if value is not finite or range is negative or not finite
 * @example roundSignificant(0.1 + 0.2) // => 0.3
 * @example roundSignificant(1e-13, 1) // => 0
 */
export function roundSignificant(value: number, range = 0): number {
  requireFinite('value', value);
  requireNotNegative('range', range);
  if (Math.abs(value) < noiseShare * range) return 0;
  // Decimals are written without the sign of −0.
  return Number(value.toPrecision(significantDigits));
}
