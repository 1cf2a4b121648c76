/**
 * The journal of a run: what was dispatched and what came back, one canonical JSON line each, durable before the next step.
 *
 *     {"attempt":1,"at":"2026-09-01T10:00:00.000Z","cell":{...},"cellKey":"...","fence":"...","kind":"dispatch","position":0,"reservedUsd":0.01}
 *     {"kind":"receipt","line":{...}}
 *     {"at":"2026-09-01T10:00:00.000Z","decides":false,"fence":"...","findings":[...],"kind":"look","look":1,"of":3,"units":20}
 *
 * A dispatch stands in the journal before its request is sent, a receipt before the cell counts as settled. A run killed between
 * the two leaves a dispatch without receipt: that attempt is recorded as a host crash. A look of a sequential design stands after the
 * last receipt of its units and before the first dispatch behind them; after one that decides nothing is dispatched. A future version
 * adds kinds; readers refuse kinds they do not know.
 */
import { canonicalLine } from '../base/canonical.ts';
import { type Content, isWholeLine, linesOf } from '../base/content.ts';
import { type Digest, digestOf, runningDigest } from '../base/digest.ts';
import { LiftgateError } from '../base/errors.ts';
import * as z from '../base/shape.ts';
import { type JsonSource, readJson, readRecorded } from '../base/strict-json.ts';
import { verdictSchema } from '../ledger/entry-bodies.ts';
import { digestSchema } from '../spec/words.ts';
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

/** What a look said, per candidate it found undecided: decision, digest of the contributions, logarithm of the wealth bet at any time. */
const lookFindingSchema = z.strictObject({
  candidate: z.string(),
  decision: verdictSchema,
  contributions: digestSchema,
  wealth: z.number().nullable(),
});

export const lookLineSchema = z.strictObject({
  kind: z.literal('look'),
  look: z.int().min(1),
  of: z.int().min(1),
  units: z.int().min(1),
  findings: z.array(lookFindingSchema),
  decides: z.boolean(),
  fence: z.string().nullable(),
  at: z.string(),
});
/** One look that was taken, durable before anything else is dispatched. */
export type LookLine = z.infer<typeof lookLineSchema>;

export const journalLineSchema = z.discriminatedUnion('kind', [
  dispatchSchema,
  lookLineSchema,
  z.strictObject({ kind: z.literal('receipt'), line: receiptLineSchema }),
]);
/** One line of the journal. */
export type JournalLine = z.infer<typeof journalLineSchema>;

/** The first lines of a journal: how many, and the SHA-256 of their bytes. */
export interface JournalPrefix {
  readonly lines: number;
  readonly digest: Digest;
}

/** Where a journal is known besides its own file; as a rule the ledger. */
export interface JournalWitness {
  /** Resolves when it is durable there that the journal holds these lines; rejects when another runner has taken the journal over. */
  keep(prefix: JournalPrefix): Promise<void>;
}

/** Lines of which nothing but the journal itself knows, at most: half of what is known, from 8 to 1,000; none before the first. */
const fewestLines = 8;
const mostLines = 1000;
/** A journal with new lines is known again after this time, however few they are. */
const longestMs = 60_000;

/**
 * Whether a witness is to be told of a journal again: of its first line at once, so that an empty journal is known to have been
 * emptied, then often while it is short, and rarely enough afterwards that a long run needs few entries.
 * @example witnessDue({ lines: 1, elapsedMs: 0 }, { lines: 0, elapsedMs: 0 }) // => true
 */
export function witnessDue(
  now: { readonly lines: number; readonly elapsedMs: number },
  told: { readonly lines: number; readonly elapsedMs: number },
): boolean {
  const fresh = now.lines - told.lines;
  const many = Math.min(Math.max(Math.floor(told.lines / 2), fewestLines), mostLines);
  return (
    fresh >= (told.lines === 0 ? 1 : many) ||
    (fresh > 0 && now.elapsedMs - told.elapsedMs >= longestMs)
  );
}

/**
 * A journal over an append-only log that tells a witness now and then how far it has come. The witness is told only of durable
 * lines, in order; an append that makes the telling due resolves after it.
 */
export class WitnessedJournal implements Journal {
  private readonly log: { append(line: string): Promise<void> };
  private readonly witness: JournalWitness;
  private readonly elapsedMs: () => number;
  private readonly running = runningDigest();
  private lines: number;
  private told: { readonly lines: number; readonly elapsedMs: number };
  private turn: Promise<void> = Promise.resolve();

  /** @param kept  bytes of the lines that are in the log already, all of them known to the witness */
  constructor(parts: {
    readonly log: { append(line: string): Promise<void> };
    readonly witness: JournalWitness;
    readonly elapsedMs: () => number;
    readonly kept: { readonly bytes: Uint8Array; readonly lines: number };
  }) {
    this.log = parts.log;
    this.witness = parts.witness;
    this.elapsedMs = parts.elapsedMs;
    this.running.add(parts.kept.bytes);
    this.lines = parts.kept.lines;
    this.told = { lines: this.lines, elapsedMs: this.elapsedMs() };
  }

  async append(line: JournalLine): Promise<void> {
    const text = formatJournalLine(line);
    this.running.add(text);
    this.lines += 1;
    const now = { lines: this.lines, elapsedMs: this.elapsedMs() };
    // Whoever knows that a look was taken cannot be shown the units again as if it had not been.
    const due = line.kind === 'look' || witnessDue(now, this.told);
    const prefix = due ? this.prefix() : null;
    if (due) this.told = now;
    await this.log.append(text);
    if (prefix !== null) await this.tell(prefix);
  }

  /** What the journal holds after every append so far. */
  prefix(): JournalPrefix {
    return { lines: this.lines, digest: this.running.value() };
  }

  /** One telling after another: a journal that is known to be longer is never said to be shorter. */
  private tell(prefix: JournalPrefix): Promise<void> {
    this.turn = this.turn.then(() => this.witness.keep(prefix));
    return this.turn;
  }
}

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

/**
 * Reads a journal. A last line without line feed is the mark of a killed run and is dropped: nothing was sent or settled on it.
 * @param file  name shown in errors
 * @throws {LiftgateError} run-invalid with file and line when any other line is not a canonical journal line
 * @example parseJournal(new Uint8Array(), 'journal.jsonl') // => { lines: [], keptBytes: 0 }
 */
export function parseJournal(content: Content, file: string): ReadJournal {
  const lines: JournalLine[] = [];
  let keptBytes = 0;
  for (const bytes of linesOf(content)) {
    if (!isWholeLine(bytes)) break;
    lines.push(parseJournalLine(bytes, { file, line: lines.length + 1 }));
    keptBytes += bytes.length;
  }
  return { lines, keptBytes };
}

const lineFeed = 10;

/**
 * The first lines of a journal; null when it has fewer.
 * @param lines  how many, 0 or more
 * @example journalPrefix(new Uint8Array(), 1) // => null
 */
export function journalPrefix(bytes: Uint8Array, lines: number): JournalPrefix | null {
  let end = 0;
  for (let line = 0; line < lines; line += 1) {
    const at = bytes.indexOf(lineFeed, end);
    if (at === -1) return null;
    end = at + 1;
  }
  return { lines, digest: digestOf(bytes.subarray(0, end)) };
}

/** A right to dispatch: its fence, and how many lines the journal had when it was given. */
export interface FenceRight {
  readonly fence: string;
  readonly lines: number;
}

/**
 * Lines that a runner wrote after another had taken the journal over, a text each: dispatches stand under the fence that was current,
 * and under an earlier one nothing comes back any more but the mark of its crash.
 * @param rights  in the order they were given, the first at line 0
 */
export function fenceFaults(
  lines: readonly JournalLine[],
  rights: readonly FenceRight[],
): string[] {
  return lines.flatMap((line, at) => fenceFault(line, at, rights) ?? []);
}

/** What is wrong with the fence of one line, as {@link fenceFaults} tells it; null when it is right. */
export function fenceFault(
  line: JournalLine,
  at: number,
  rights: readonly FenceRight[],
): string | null {
  const { fence } = line.kind === 'receipt' ? line.line : line;
  const held = rights.findLastIndex((right) => right.lines <= at);
  const from = rights.findIndex((right) => right.fence === fence);
  if (from !== -1 && from === held) return null;
  const name = `line ${at + 1} (${lineWords(line)})`;
  if (from === -1) return `${name} names a fence nobody holds`;
  if (from > held) return `${name} names a fence that was given later`;
  const crash = line.kind === 'receipt' && line.line.receipt.fault?.code === hostCrash;
  return crash ? null : `${name} was written under a fence that another runner had replaced`;
}

function lineWords(line: JournalLine): string {
  if (line.kind === 'look') return `look ${line.look}`;
  const { cell } = line.kind === 'dispatch' ? line : line.line;
  return `${line.kind} of case ${cell.case}, arm ${cell.arm}`;
}

/** What canonical JSON writes before the receipt line of a journal line, whose members stand in their order. */
const receiptStart = '{"kind":"receipt","line":'.length;

/**
 * Bytes of the receipt line in a journal line that was read as one: its canonical text.
 */
export function receiptLineBytes(bytes: Uint8Array): Uint8Array {
  return bytes.subarray(receiptStart, -2);
}

/** Fault code of an attempt that never came back. */
export const hostCrash = 'hostCrash';

/**
 * One line of a journal from its bytes, the line feed included.
 * @throws {LiftgateError} run-invalid with file and line
 */
export function parseJournalLine(
  bytes: Uint8Array,
  where: { readonly file: string; readonly line: number },
): JournalLine {
  const parsed = readLine(bytes, where);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw new LiftgateError('run-invalid', `The line is no journal line: ${issue?.message}.`, {
    where: { ...where, path: issue?.path.join('.') },
    mend: 'Restore the recorded journal; it must not be edited.',
  });
}

function readLine(
  bytes: Uint8Array,
  where: { readonly file: string; readonly line: number },
): z.Reading<JournalLine> {
  const source: JsonSource = {
    file: where.file,
    firstLine: where.line,
    errorCode: 'run-invalid',
  };
  try {
    return readRecorded(bytes, journalLineSchema, source);
  } catch (error) {
    // Read again without the line feed: a syntax error at the end of the line then names this line and not the next one.
    if (error instanceof LiftgateError && 'reason' in error.details)
      readJson(bytes.subarray(0, -1), source);
    throw error;
  }
}
