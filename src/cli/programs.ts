/** Which program runs a command line. */

/** A program runs command lines as the process. */
export interface Program {
  readonly runCall: (words: readonly string[]) => Promise<void>;
}

/**
 * The program for a command line. The build puts another file in place of this one, which knows a program of its own for each of the
 * commands that are started most often: one file, so that little has to be found, read and compiled. `report --insight` and
 * `verify --run-gates`, which no CI job waits for, are not among them.
 */
export async function programFor(_words: readonly string[]): Promise<Program> {
  return await import('./frequent-call.ts');
}
