/** Builds a TypeScript file of the tests into one JavaScript file that a child process can run. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { build } from 'vite';

/**
 * Bundles a program with everything it imports.
 * @returns path of the JavaScript file in the given folder
 */
export async function buildProgram(entry: string, folder: string): Promise<string> {
  await build({
    configFile: false,
    logLevel: 'silent',
    build: {
      ssr: entry,
      outDir: folder,
      minify: false,
      rollupOptions: { output: { entryFileNames: 'program.mjs', codeSplitting: false } },
    },
    // One file starts in two thirds of the time; these two parts of pg are for others and are not there.
    ssr: { noExternal: true, external: ['pg-native', 'pg-cloudflare'] },
  });
  return join(folder, 'program.mjs');
}

/** A running child: its lines on stdout, one by one, and its end. */
export interface Child {
  /** The next line, or null when the child has ended. */
  next(): Promise<string | null>;
  send(line: string): void;
  signal(name: NodeJS.Signals): void;
  /** Ends it with SIGKILL and returns the lines that were still on their way. */
  kill(): Promise<string[]>;
  /** Closes its input and waits for its end. */
  finish(): Promise<number | null>;
}

/** Starts a built program. */
export function startChild(program: string, args: readonly string[]): Child {
  const child = spawn(process.execPath, [program, ...args], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = new Promise<number | null>((done) => child.on('close', (code) => done(code)));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async () => {
    const line = await lines.next();
    return line.done === true ? null : String(line.value);
  };
  return {
    next,
    send: (line) => child.stdin.write(`${line}\n`),
    signal: (name) => void child.kill(name),
    kill: async () => {
      child.kill('SIGKILL');
      const rest: string[] = [];
      for (let line = await next(); line !== null; line = await next()) rest.push(line);
      await ended;
      return rest;
    },
    finish: () => {
      child.stdin.end();
      return ended;
    },
  };
}
