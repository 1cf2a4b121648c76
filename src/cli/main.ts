/** The `liftgate` command: what is asked for most often loads least. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { engineVersion, sourceFolder } from '../store/package.ts';
import { programFor } from './programs.ts';
import { standardSink } from './standard-sink.ts';

/** Runs one command line and sets the exit code of the process. */
export async function main(words: readonly string[]): Promise<void> {
  const answer = answerAtOnce(words);
  if (answer === null) await (await programFor(words)).runCall(words);
  else standardSink(1).write(`${answer}\n`, () => undefined);
}

/** Help and version alone need no parser: the build wrote the help down from the commands themselves. */
function answerAtOnce([first, ...others]: readonly string[]): string | null {
  if (others.length > 0) return null;
  if (first === '--version' || first === '-V') return engineVersion();
  return first === '--help' || first === '-h' ? writtenHelp() : null;
}

/** Null where nothing is built, as in a test that runs the sources. */
function writtenHelp(): string | null {
  try {
    return readFileSync(join(sourceFolder, 'cli/help.txt'), 'utf8').trimEnd();
  } catch {
    return null;
  }
}
