/** The failure a piece of work ends with; a test that expects one fails when there is none. */
import { LiftgateError } from '../../src/base/errors.ts';

/** Waits for work that must be refused and returns the refusal. */
export async function refusalOf(work: Promise<unknown>): Promise<LiftgateError> {
  try {
    await work;
  } catch (error) {
    if (error instanceof LiftgateError) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}
