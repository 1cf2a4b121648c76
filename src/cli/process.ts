/** A command line as a process: its streams, its signals, its exit code. */
import type { CommandContext } from './context.ts';
import { createOutput } from './print.ts';
import { standardSink } from './standard-sink.ts';

/** Runs a command line in a context and gives its exit code. */
export type RunWords = (words: readonly string[], context: CommandContext) => Promise<number>;

/** Runs one command line as the process and sets the exit code. */
export async function runProcess(words: readonly string[], runWords: RunWords): Promise<void> {
  const output = createOutput({
    json: words.includes('--json'),
    stdout: standardSink(1),
    stderr: standardSink(2),
  });
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
  process.exitCode = await runWords(words, {
    cwd: process.cwd(),
    output,
    signal: interrupt.signal,
  });
  await output.flush();
  for (const name of signals) process.removeListener(name, stop);
}
