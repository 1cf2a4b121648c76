/** Runs command lines of the commands that are started most often without the parser, where nothing is wrong with them. */
import type { CommandContext } from './context.ts';
import { frequent } from './frequent.ts';
import { reportFailure } from './print.ts';
import { runProcess } from './process.ts';
import { plainCall } from './words.ts';

/** Runs one command line as the process. */
export async function runCall(words: readonly string[]): Promise<void> {
  await runProcess(words, runWords);
}

/** Runs one command line and returns its exit code. */
export async function runWords(words: readonly string[], context: CommandContext): Promise<number> {
  const command = Object.entries(frequent).find(([name]) => name === words[0])?.[1];
  const given = command === undefined ? null : plainCall(command, words.slice(1));
  if (command === undefined || given === null)
    return (await import('./program.ts')).runWords(words, context);
  try {
    return await command.run(context, given.options, given.places);
  } catch (thrown) {
    return reportFailure(thrown, context.output);
  }
}
