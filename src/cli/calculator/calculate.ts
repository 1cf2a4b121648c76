/** Runs one calculator: what the kernel refuses as an argument is wrong usage here, since people typed it. */
import { LiftgateError } from '../../base/errors.ts';
import type { CommandContext } from '../context.ts';
import { type Answer, printAnswer } from './answer.ts';
import type { Given } from './arguments.ts';

/** A calculator: from words and options to an answer. */
export type Calculator = (given: Given) => Answer | Promise<Answer>;

/** Answers and prints. @throws {LiftgateError} usage (64) for anything wrong with the arguments */
export async function calculate(
  context: CommandContext,
  calculator: Calculator,
  call: Omit<Given, 'cwd'>,
): Promise<number> {
  try {
    printAnswer(await calculator({ ...call, cwd: context.cwd }), context.output);
    return 0;
  } catch (thrown) {
    if (!(thrown instanceof LiftgateError) || thrown.code !== 'stats-argument-invalid')
      throw thrown;
    throw new LiftgateError('usage', thrown.message, { mend: thrown.mend, cause: thrown });
  }
}
