/** What every command is given. */
import type { Output } from './print.ts';

export interface CommandContext {
  /** Folder that relative paths start from. */
  readonly cwd: string;
  readonly output: Output;
  /** Aborted by the first Ctrl-C. */
  readonly signal: AbortSignal;
}

/** A command's work: prints through the context, returns the exit code of DESIGN 10. */
export type Command<Arguments extends readonly string[], Options> = (
  context: CommandContext,
  options: Options,
  ...words: Arguments
) => Promise<number>;
