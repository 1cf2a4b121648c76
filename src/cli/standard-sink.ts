/** Standard output and standard error of this process, as what a command prints is written to them. */
import { writeSync } from 'node:fs';
import type { Sink } from './print.ts';

/** Windows translates what goes to a terminal, which only its stream does. */
const writesAtOnce = process.platform !== 'win32';

/**
 * Standard output (1) or standard error (2).
 *
 * Files, terminals and pipes take text at once, and Node's streams write to them so, too; to load the stream takes as long as many a
 * command works. So the stream is made only for what is not taken: when a pipe is full and does not wait (EAGAIN), and when something
 * fails, which the stream then meets again and reports. Once it is there, everything goes through it, in order.
 *
 * A reader that went away (`liftgate report RUN | head`) changes no result and no exit code.
 */
export function standardSink(descriptor: 1 | 2): Sink {
  let stream: NodeJS.WriteStream | null = null;
  return {
    write: (text, done) => {
      const rest = stream === null && writesAtOnce ? leftOf(descriptor, text) : text;
      if (rest.length === 0) {
        done();
        return true;
      }
      stream ??= openStream(descriptor);
      return stream.write(rest, done);
    },
  };
}

/** What the system did not take of a text. */
function leftOf(descriptor: number, text: string): Uint8Array {
  const bytes = Buffer.from(text);
  let taken = 0;
  try {
    while (taken < bytes.length) taken += writeSync(descriptor, bytes, taken);
  } catch {
    // The stream is given the rest.
  }
  return bytes.subarray(taken);
}

function openStream(descriptor: 1 | 2): NodeJS.WriteStream {
  const stream = descriptor === 1 ? process.stdout : process.stderr;
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
  return stream;
}
