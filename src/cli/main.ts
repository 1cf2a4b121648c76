/** The `liftgate` command as a process: its streams, its signals, its exit code. What is asked for most often loads least. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { engineVersion, sourceFolder } from '../store/package.ts';
import { createOutput, type Output } from './print.ts';
import { programFor } from './programs.ts';

/** Runs one command line and sets the exit code of the process. */
export async function main(words: readonly string[]): Promise<void> {
  const output = createOutput({
    json: words.includes('--json'),
    stdout: process.stdout,
    stderr: process.stderr,
  });
  for (const stream of [process.stdout, process.stderr]) stream.on('error', outputClosed);
  const interrupt = new AbortController();
  const stop = (): void => {
    if (interrupt.signal.aborted) process.exit(130);
    output.note(
      'Interrupted: cells in flight are being settled; press Ctrl-C again to stop at once.',
    );
    interrupt.abort();
  };
  // Only what calls a host has something to settle; every other command may end where it is.
  const calls = words[0] === 'run' || (words[0] === 'plan' && words.includes('--aa'));
  const signals = calls ? (['SIGINT', 'SIGTERM'] as const) : [];
  for (const name of signals) process.on(name, stop);
  process.exitCode = answerAtOnce(words, output)
    ? 0
    : await (await programFor(words)).runWords(words, {
        cwd: process.cwd(),
        output,
        signal: interrupt.signal,
      });
  await output.flush();
  for (const name of signals) process.removeListener(name, stop);
}

/** A reader that went away (`liftgate report RUN | head`) changes no result and no exit code. */
function outputClosed(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error;
}

/** Help and version alone need no parser: the build wrote the help down from the commands themselves. */
function answerAtOnce([first, ...others]: readonly string[], output: Output): boolean {
  if (others.length > 0) return false;
  if (first === '--version' || first === '-V') {
    output.line(engineVersion());
    return true;
  }
  const help = first === '--help' || first === '-h' ? writtenHelp() : null;
  if (help !== null) output.line(help.trimEnd());
  return help !== null;
}

/** Null where nothing is built, as in a test that runs the sources. */
function writtenHelp(): string | null {
  try {
    return readFileSync(join(sourceFolder, 'cli/help.txt'), 'utf8');
  } catch {
    return null;
  }
}
