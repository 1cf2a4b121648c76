/** A host child as the engine holds one: lines out, lines in, and its exit code. */
import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface, type Interface } from 'node:readline';

/** A running child; `ask` sends one request and waits for the next line. */
export interface WorkerSession {
  readonly hello: unknown;
  readonly ask: (request: unknown) => Promise<unknown>;
  readonly sendText: (text: string) => void;
  readonly exitCode: () => Promise<number | null>;
  /** Ends the child's input and waits for the lines it still writes and for its exit code. */
  readonly finish: () => Promise<{
    readonly lines: readonly string[];
    readonly code: number | null;
  }>;
}

function exitOf(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve) => child.once('exit', (code) => resolve(code)));
}

async function nextLine(lines: AsyncIterator<string>): Promise<string> {
  const next = await lines.next();
  if (next.done === true) throw new Error('the host ended without answering');
  return next.value;
}

/** Starts `node host.mjs` in the folder and reads its first line. */
export async function startWorker(folder: string): Promise<WorkerSession> {
  const child = spawn(process.execPath, ['host.mjs'], {
    cwd: folder,
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const exited = exitOf(child);
  const reader: Interface = createInterface({ input: child.stdout });
  const lines = reader[Symbol.asyncIterator]();
  const hello: unknown = JSON.parse(await nextLine(lines));
  const sendText = (text: string): void => {
    child.stdin.write(text);
  };
  return {
    hello,
    sendText,
    exitCode: () => exited,
    ask: async (request) => {
      sendText(`${JSON.stringify(request)}\n`);
      return JSON.parse(await nextLine(lines));
    },
    finish: async () => {
      child.stdin.end();
      const rest: string[] = [];
      for (let next = await lines.next(); next.done !== true; next = await lines.next())
        rest.push(next.value);
      return { lines: rest, code: await exited };
    },
  };
}
