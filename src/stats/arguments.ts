/** Checks of arguments: a caller's mistake stops with `stats-argument-invalid`, evidence that is thin never does. */
import { LiftgateError } from '../base/errors.ts';
import type { Bounds } from './interval.ts';

function refuse(name: string, expected: string, got: unknown): never {
  throw new LiftgateError('stats-argument-invalid', `${name} must be ${expected}, got ${got}`, {
    where: { path: name },
    mend: `Pass ${expected} as ${name}.`,
  });
}

/**
 * Refuses anything but a finite number.
 * @throws {LiftgateError} stats-argument-invalid
 */
export function requireFinite(name: string, value: number): void {
  if (!Number.isFinite(value)) refuse(name, 'a finite number', value);
}

/**
 * Refuses anything but a whole number >= minimum (0 by default) that a double holds exactly.
 * @throws {LiftgateError} stats-argument-invalid
 */
export function requireCount(name: string, value: number, minimum = 0): void {
  if (!Number.isSafeInteger(value) || value < minimum) {
    refuse(name, `a whole number of at least ${minimum}`, value);
  }
}

/**
 * Refuses anything but a finite number above 0.
 * @throws {LiftgateError} stats-argument-invalid
 */
export function requirePositive(name: string, value: number): void {
  if (!(Number.isFinite(value) && value > 0)) refuse(name, 'a finite number above 0', value);
}

/**
 * Refuses anything but a finite number from 0 up.
 * @throws {LiftgateError} stats-argument-invalid
 */
export function requireNotNegative(name: string, value: number): void {
  if (!(Number.isFinite(value) && value >= 0)) refuse(name, 'a finite number of at least 0', value);
}

/**
 * Refuses anything but a probability in [0, 1].
 * @throws {LiftgateError} stats-argument-invalid
 */
export function requireProbability(name: string, value: number): void {
  if (!(value >= 0 && value <= 1)) refuse(name, 'a probability from 0 to 1', value);
}

/**
 * Refuses anything but a probability strictly between 0 and 1 (levels, targets).
 * @throws {LiftgateError} stats-argument-invalid
 */
export function requireOpenProbability(name: string, value: number): void {
  if (!(value > 0 && value < 1)) refuse(name, 'a probability strictly between 0 and 1', value);
}

/**
 * Refuses anything but a one-sided error in (0, 0.5).
 * @throws {LiftgateError} stats-argument-invalid
 */
export function requireError(name: string, value: number): void {
  if (!(value > 0 && value < 0.5))
    refuse(name, 'a one-sided error strictly between 0 and 0.5', value);
}

/**
 * Refuses anything outside [lower, upper].
 * @throws {LiftgateError} stats-argument-invalid
 */
export function requireWithin(name: string, value: number, range: Bounds): void {
  if (!(value >= range.lower && value <= range.upper)) {
    refuse(name, `a number from ${range.lower} to ${range.upper}`, value);
  }
}

/**
 * Refuses anything but a number above a bound.
 * @throws {LiftgateError} stats-argument-invalid
 */
export function requireAbove(name: string, value: number, bound: number): void {
  if (!(value > bound)) refuse(name, `a number above ${bound}`, value);
}

/**
 * Refuses anything but a list of the wanted length.
 * @throws {LiftgateError} stats-argument-invalid
 */
export function requireLength(name: string, values: readonly unknown[], length: number): void {
  if (values.length !== length) refuse(name, `a list of ${length} values`, values.length);
}

/**
 * Refuses a list that holds anything but finite numbers, naming the first offender's index.
 * @throws {LiftgateError} stats-argument-invalid
 */
export function requireFiniteList(name: string, values: readonly number[]): void {
  const index = values.findIndex((value) => !Number.isFinite(value));
  if (index >= 0) refuse(`${name}[${index}]`, 'a finite number', values[index]);
}

/**
 * Refuses a seed that is not 64 lower-case hex digits.
 * @throws {LiftgateError} stats-argument-invalid
 */
export function requireSeed(name: string, value: string): void {
  if (!/^[0-9a-f]{64}$/.test(value)) refuse(name, '64 lower-case hex digits', value);
}

/**
 * Refuses anything but one of the choices.
 * @throws {LiftgateError} stats-argument-invalid
 */
export function requireOneOf(name: string, value: unknown, choices: readonly unknown[]): void {
  if (!choices.includes(value)) refuse(name, `one of ${choices.join(', ')}`, value);
}
