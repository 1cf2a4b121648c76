/**
 * The journal of a run: what was dispatched and what came back, one canonical JSON line each, durable before the next step.
 *
 *     {"attempt":1,"at":"2026-09-01T10:00:00.000Z","cell":{...},"cellKey":"...","fence":"...","kind":"dispatch","position":0,"reservedUsd":0.01}
 *     {"kind":"receipt","line":{...}}
 *
 * A dispatch stands in the journal before its request is sent, a receipt before the cell counts as settled. A run killed between
 * the two leaves a dispatch without receipt: that attempt is recorded as a host crash. A future version adds kinds; readers refuse
 * kinds they do not know.
 */
import * as z from 'zod';
import { canonicalLine, type Json } from '../base/canonical.ts';
import { LiftgateError } from '../base/errors.ts';
import { type JsonSource, readCanonical, readJson } from '../base/strict-json.ts';
import { cellKeySchema, cellSchema, receiptLineSchema } from './receipt.ts';

export const dispatchSchema = z.strictObject({
  kind: z.literal('dispatch'),
  cell: cellSchema,
  position: z.int().min(0),
  attempt: z.int().min(1),
  cellKey: cellKeySchema,
  fence: z.string().nullable(),
  reservedUsd: z.number().min(0),
  at: z.string(),
});
/** One attempt that was about to be sent. */
export type Dispatch = z.infer<typeof dispatchSchema>;

export const journalLineSchema = z.discriminatedUnion('kind', [
  dispatchSchema,
  z.strictObject({ kind: z.literal('receipt'), line: receiptLineSchema }),
]);
/** One line of the journal. */
export type JournalLine = z.infer<typeof journalLineSchema>;

/** Where lines go. Lines stand in the order of the calls; several calls may be open at once. */
export interface Journal {
  /** Resolves when the line is durable; rejects when it may not be, which stops the run. */
  append(line: JournalLine): Promise<void>;
}

/** A journal as read. */
export interface ReadJournal {
  readonly lines: readonly JournalLine[];
  /** Bytes of the complete lines: a torn last line is cut off there before anything is appended. */
  readonly keptBytes: number;
}

/**
 * Exact bytes of a line.
 * @example parseJournal(new TextEncoder().encode(formatJournalLine(dispatch)), 'journal.jsonl').lines // => [dispatch]
 */
export function formatJournalLine(line: JournalLine): string {
  return canonicalLine(line);
}

const lineFeed = 10;

/**
 * Reads a journal. A last line without line feed is the mark of a killed run and is dropped: nothing was sent or settled on it.
 * @param file  name shown in errors
 * @throws {LiftgateError} run-invalid with file and line when any other line is not a canonical journal line
 * @example parseJournal(new Uint8Array(), 'journal.jsonl') // => { lines: [], keptBytes: 0 }
 */
export function parseJournal(bytes: Uint8Array, file: string): ReadJournal {
  const lines: JournalLine[] = [];
  let start = 0;
  for (let end = bytes.indexOf(lineFeed); end !== -1; end = bytes.indexOf(lineFeed, start)) {
    lines.push(parseLine(bytes.subarray(start, end + 1), { file, line: lines.length + 1 }));
    start = end + 1;
  }
  return { lines, keptBytes: start };
}

function parseLine(
  bytes: Uint8Array,
  where: { readonly file: string; readonly line: number },
): JournalLine {
  const value = canonicalValue(bytes, where);
  const parsed = journalLineSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw new LiftgateError('run-invalid', `The line is no journal line: ${issue?.message}.`, {
    where: { ...where, path: issue?.path.join('.') },
    mend: 'Restore the recorded journal; it must not be edited.',
  });
}

function canonicalValue(
  bytes: Uint8Array,
  where: { readonly file: string; readonly line: number },
): Json {
  const source: JsonSource = {
    file: where.file,
    firstLine: where.line,
    errorCode: 'run-invalid',
  };
  try {
    return readCanonical(bytes, source);
  } catch (error) {
    // Read again without the line feed: a syntax error at the end of the line then names this line and not the next one.
    if (error instanceof LiftgateError && 'reason' in error.details)
      readJson(bytes.subarray(0, -1), source);
    throw error;
  }
}
