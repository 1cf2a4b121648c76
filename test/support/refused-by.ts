/** What a call refuses with: code, message and mend in one line, or the statement that nothing was refused. */
import { LiftgateError } from '../../src/base/errors.ts';

export function refusedBy(call: () => unknown): string {
  try {
    call();
  } catch (error) {
    if (error instanceof LiftgateError) {
      return `${error.code}: ${error.message} ${error.mend ?? ''}`.trim();
    }
    throw error;
  }
  return 'nothing was refused';
}
