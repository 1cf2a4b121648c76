/** The built binary as a process: its words, its streams, its exit code, its signals. */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';

/** Folder of the project, with a closing slash. */
export const projectFolder: string = fileURLToPath(new URL('../../', import.meta.url));

/** What a process left. */
export interface Ended {
  readonly stdout: string;
  readonly stderr: string;
  /** Null when a signal ended it. */
  readonly exitCode: number | null;
}

/** A process that may still run. */
export interface Running {
  readonly pid: number;
  readonly ended: Promise<Ended>;
  signal(name: NodeJS.Signals): void;
}

const running = new Set<ChildProcessByStdio<null, Readable, Readable>>();
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** Starts any program; it is killed should the tests end before it does. */
export function startProgram(cwd: string, command: readonly [string, ...string[]]): Running {
  const [program, ...words] = command;
  const child = spawn(program, words, { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  running.add(child);
  child.once('close', () => running.delete(child));
  if (child.pid === undefined) throw new Error(`${program} could not be started`);
  return { pid: child.pid, ended: endOf(child), signal: (name) => void child.kill(name) };
}

async function endOf(child: ChildProcessByStdio<null, Readable, Readable>): Promise<Ended> {
  const chunks: { readonly stdout: Buffer[]; readonly stderr: Buffer[] } = {
    stdout: [],
    stderr: [],
  };
  child.stdout.on('data', (chunk: Buffer) => chunks.stdout.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => chunks.stderr.push(chunk));
  const exitCode = await new Promise<number | null>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve(code));
  });
  return {
    stdout: Buffer.concat(chunks.stdout).toString('utf8'),
    stderr: Buffer.concat(chunks.stderr).toString('utf8'),
    exitCode,
  };
}

/** Starts `liftgate` with these words. */
export function startLiftgate(cwd: string, ...words: string[]): Running {
  return startProgram(cwd, [process.execPath, `${projectFolder}bin/liftgate.js`, ...words]);
}

/** Runs `liftgate` with these words to its end. */
export function liftgate(cwd: string, ...words: string[]): Promise<Ended> {
  return startLiftgate(cwd, ...words).ended;
}

/** The one JSON document of a `--json` call; fails when stdout holds anything else. */
export function documentOf(ended: Ended): unknown {
  const document: unknown = JSON.parse(ended.stdout);
  return document;
}

/**
 * What output must look like to be the one that a page shows: `...` as a line stands for any lines, inside a line for any
 * characters; columns may be padded otherwise.
 */
export function outputPattern(shown: string): RegExp {
  const literal = (part: string): string =>
    part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/ +/g, ' +');
  const lines = shown.trimEnd().split('\n');
  const pattern = lines.map((line) =>
    line === '...' ? '(?:.*\\n)*' : `${line.split('...').map(literal).join('.*')}\\n`,
  );
  return new RegExp(`^${pattern.join('')}`, 'm');
}

/** Lines of a text without the empty one after its last line feed. */
export function linesOf(text: string): string[] {
  return text === '' ? [] : text.trimEnd().split('\n');
}

/** Waits until a condition holds; fails after 30 seconds, naming what was waited for. */
export async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 30_000;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`waited in vain for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** Whether a process exists. */
export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
