/** What a command prints: people's text or one JSON document on stdout, everything else on stderr, all of it awaited before exit. */
import { prettyText } from '../base/canonical.ts';
import { formatPlace, formatProblem, LiftgateError } from '../base/errors.ts';
import { visibleText } from '../report/visible-text.ts';

/** A stream that can be written to and waited for. */
export interface Sink {
  write(text: string, done: (error?: Error | null) => void): boolean;
}

export interface Output {
  /** Whether stdout carries one JSON document instead of text. */
  readonly json: boolean;
  /** A line for people: stdout, or stderr under `--json`. Control characters that files or hosts brought along are shown, not sent. */
  line(text: string): void;
  /** A remark beside the result: always stderr. */
  note(text: string): void;
  /** The result as JSON; printed only under `--json`. */
  document(value: unknown): void;
  /** Resolves when everything written so far has left the process. */
  flush(): Promise<void>;
}

export function createOutput(options: { json: boolean; stdout: Sink; stderr: Sink }): Output {
  const pending: Promise<void>[] = [];
  const write = (sink: Sink, text: string): void => {
    pending.push(
      new Promise((resolve) => {
        sink.write(text, () => resolve());
      }),
    );
  };
  return {
    json: options.json,
    line: (text) => write(options.json ? options.stderr : options.stdout, `${visibleText(text)}\n`),
    note: (text) => write(options.stderr, `${visibleText(text)}\n`),
    document: (value) => {
      if (options.json) write(options.stdout, prettyText(value));
    },
    flush: async () => {
      await Promise.all(pending);
    },
  };
}

/** The text of a failure: where and code, what, how to mend, what a failed host said; problems of a list one after another. */
export function failureText(error: LiftgateError): string {
  if (error.problems.length > 0) {
    const count = error.problems.length === 1 ? '1 problem' : `${error.problems.length} problems`;
    return [...error.problems.map(formatProblem), `${count} found; nothing was done.`].join('\n');
  }
  const head = [error.where === undefined ? '' : formatPlace(error.where), `[${error.code}]`]
    .filter((part) => part !== '')
    .join(' ');
  return [
    head,
    `  ${error.message}`,
    ...(error.mend === undefined ? [] : [`  ${error.mend}`]),
    ...hostWords(error),
  ].join('\n');
}

/** What a host that could not be used wrote to standard error, indented. */
function hostWords({ details }: LiftgateError): string[] {
  const { stderr } = details;
  if (typeof stderr !== 'string' || stderr.trim() === '') return [];
  const lines = stderr.trim().split('\n');
  return ['  The host wrote to standard error:', ...lines.map((line) => `    ${line}`)];
}

/** The same failure as a JSON document. */
export function failureDocument(error: LiftgateError): unknown {
  const place = (where: LiftgateError['where']): unknown => ({
    file: where?.file ?? null,
    line: where?.line ?? null,
    column: where?.column ?? null,
    path: where?.path ?? null,
  });
  return {
    error: {
      code: error.code,
      exitCode: error.exitCode,
      message: error.message,
      mend: error.mend ?? null,
      where: place(error.where),
      hostWrote: typeof error.details['stderr'] === 'string' ? error.details['stderr'] : null,
      problems: error.problems.map(({ code, message, mend, where }) => ({
        code,
        message,
        mend,
        where: place(where),
      })),
    },
  };
}

/** Turns anything thrown into a LiftgateError; what is not one of ours is a bug (exit 70). */
export function asLiftgateError(thrown: unknown): LiftgateError {
  if (thrown instanceof LiftgateError) return thrown;
  const text = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
  return new LiftgateError('internal', `Liftgate failed unexpectedly: ${text}`, {
    mend: 'Please report this with the command you ran.',
    cause: thrown,
  });
}

/** Shows whatever was thrown and gives its exit code. */
export function reportFailure(thrown: unknown, output: Output): number {
  const failure = asLiftgateError(thrown);
  output.note(failureText(failure));
  output.document(failureDocument(failure));
  return failure.exitCode;
}

/** Columns padded to the widest cell; the last column is not padded. */
export function table(rows: readonly (readonly string[])[]): string[] {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [column, cell] of row.entries())
      widths[column] = Math.max(widths[column] ?? 0, cell.length);
  }
  return rows.map((row) =>
    row
      .map((cell, column) => (column === row.length - 1 ? cell : cell.padEnd(widths[column] ?? 0)))
      .join('  '),
  );
}
