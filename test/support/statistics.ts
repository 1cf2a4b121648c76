/** Small checks the statistics tests share. */
import { createHash } from 'node:crypto';
import { expect } from 'vitest';
import { LiftgateError } from '../../src/base/errors.ts';
import type { Indeterminate } from '../../src/stats/interval.ts';
import { isIndeterminate } from '../../src/stats/interval.ts';

/** The number, bounds or interval a method gave; fails the test when it says that none exists. */
export function computed<Value>(result: Value | Indeterminate): Value {
  if (isIndeterminate(result)) throw new Error(`no number: ${result.reason}`);
  return result;
}

/** Asserts a refusal of an argument: its text, the argument it names, and a sentence that says how to mend it. */
export function expectRefusal(call: () => unknown, message: string): void {
  let caught: unknown;
  try {
    call();
  } catch (error) {
    caught = error;
  }
  expect(caught).toBeInstanceOf(LiftgateError);
  expect(caught).toMatchObject({ code: 'stats-argument-invalid', message });
  const { where, mend }: Partial<LiftgateError> = Object(caught);
  expect(where?.path).toMatch(/^\w/);
  expect(message).toContain(/^\w+/.exec(String(where?.path))?.[0]);
  expect(mend).toMatch(/^[A-Z].{10,}\.$/);
}

/** A seed of 64 hex digits for tests, from a small whole number. */
export function testSeed(number: number): string {
  return number.toString(16).padStart(8, '0').repeat(8);
}

/** null where a method refuses, as the reference files write it. */
export function orNull<Value>(result: Value | Indeterminate): Value | null {
  return isIndeterminate(result) ? null : result;
}

/** The ends of an interval as a reference file writes them. */
export interface Ends {
  readonly lower: number;
  readonly upper: number;
}

/**
 * The ends of an interval for comparison with a reference value. Where the engine refuses an interval of zero width, the
 * reference must indeed show one; where it refuses for another reason, the reference must show null.
 */
export function endsOf(result: Ends | Indeterminate, expected: unknown): Ends | null {
  if (!isIndeterminate(result)) return { lower: result.lower, upper: result.upper };
  if (result.reason !== 'zero-width-interval') return null;
  const shown: Partial<Ends> = Object(expected);
  if (shown.lower === undefined || shown.lower !== shown.upper) {
    throw new Error(`refused a zero width where the reference has ${String(expected)}`);
  }
  return { lower: shown.lower, upper: shown.lower };
}

/** The first eight bytes of the digest of some numbers, bit for bit: what every platform has to reproduce. */
export function bitsOf(values: readonly number[]): string {
  const view = new DataView(new ArrayBuffer(8 * values.length));
  values.forEach((value, at) => {
    view.setFloat64(8 * at, value);
  });
  return createHash('sha256').update(new Uint8Array(view.buffer)).digest('hex').slice(0, 16);
}
