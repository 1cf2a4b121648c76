/** Which program runs a command line. */
import type * as Program from './program.ts';

/**
 * The program for a command. The build puts another file in place of this one, which knows a program of its own for each of the
 * commands that are started most often: one file, so that little has to be found, read and compiled.
 */
export async function programFor(_command: string | undefined): Promise<typeof Program> {
  return await import('./program.ts');
}
