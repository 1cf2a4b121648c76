/**
 * The ledger entry: one canonical JSON object (RFC 8785) and one line feed, at most 1 MiB, in a file of its own.
 *
 *     {"actor":"local","at":"2026-01-01T00:00:00.000Z","body":{"reason":"search ended","reserve":2},"kind":"release",
 *      "ledger":"00112233445566778899aabbccddeeff","prev":"sha256:5f…","requestId":"release:2","seq":3,"v":1}
 *
 * v          1
 * ledger     32 hex digits drawn at genesis; stops copying entries between ledgers
 * seq        number of the entry, from 0 without gaps; file `log/00000003.json`
 * prev       SHA-256 of the bytes of the predecessor's file, null for entry 0
 * kind,body  what happened: `entry-bodies.ts`, one strict shape per kind
 * requestId  with `kind` the key of idempotency
 * at, actor  claims of the writer, never used for order or expiry
 * signature  {signer, value} where the policy of a family asks for it, otherwise absent: `policy-demands.ts`
 *
 * The identity of an entry is the SHA-256 of its file's bytes, so `sha256sum` checks a whole ledger. Any other byte, member, kind
 * or `v` is refused, never skipped. A later version may add kinds and bodies under a new `v`; it keeps reading `v` 1 as written
 * here.
 */
import { canonicalBytes } from '../base/canonical.ts';
import { type Digest, digestOf } from '../base/digest.ts';
import { LiftgateError } from '../base/errors.ts';
import * as z from '../base/shape.ts';
import { readCanonical, readRecorded } from '../base/strict-json.ts';
import { digestSchema, timeSchema } from '../spec/words.ts';
import {
  abortBody,
  amendBody,
  anchorBody,
  attemptBody,
  developBody,
  entrySignatureSchema,
  exposeBody,
  genesisBody,
  hex32Schema,
  importBody,
  journalBody,
  keyBody,
  leakBody,
  outcomeBody,
  policyBody,
  releaseBody,
  reserveBody,
  retireBody,
  sealBody,
  seqSchema,
  voidBody,
} from './entry-bodies.ts';

/** Longest entry in bytes, its line feed included. */
export const maximumEntryBytes = 1_048_576;

/** Key of one request: 1 to 200 visible ASCII characters. */
export const requestIdSchema = z
  .string()
  .regex(/^[\x21-\x7e]{1,200}$/, 'a request id has 1 to 200 visible ASCII characters');

/** Who says it wrote the entry: 1 to 256 characters without control characters. */
export const actorSchema = z
  .string()
  .regex(/^[^\p{Cc}\p{Cs}]{1,256}$/u, 'an actor has 1 to 256 characters and no control characters');

function entryOf<Kind extends string, Body extends z.AnyShape>(kind: Kind, body: Body) {
  return z.strictObject({
    v: z.literal(1),
    ledger: hex32Schema,
    seq: seqSchema,
    prev: digestSchema.nullable(),
    kind: z.literal(kind),
    requestId: requestIdSchema,
    at: timeSchema,
    actor: actorSchema,
    body,
    signature: entrySignatureSchema.optional(),
  });
}

/** Shape of an entry of any kind. */
export const entrySchema = z.discriminatedUnion('kind', [
  entryOf('genesis', genesisBody),
  entryOf('policy', policyBody),
  entryOf('key', keyBody),
  entryOf('seal', sealBody),
  entryOf('amend', amendBody),
  entryOf('reserve', reserveBody),
  entryOf('release', releaseBody),
  entryOf('expose', exposeBody),
  entryOf('attempt', attemptBody),
  entryOf('journal', journalBody),
  entryOf('outcome', outcomeBody),
  entryOf('abort', abortBody),
  entryOf('void', voidBody),
  entryOf('leak', leakBody),
  entryOf('retire', retireBody),
  entryOf('import', importBody),
  entryOf('anchor', anchorBody),
  entryOf('develop', developBody),
]);

/** One entry of the ledger. */
export type LedgerEntry = z.infer<typeof entrySchema>;

/** What an entry records. */
export type EntryKind = LedgerEntry['kind'];

/** The entry of one kind. */
export type EntryOf<Kind extends EntryKind> = Extract<LedgerEntry, { kind: Kind }>;

/** What a caller asks to be appended; the ledger adds number, predecessor, time and actor. */
export interface EntryRequest<Kind extends EntryKind = EntryKind> {
  readonly kind: Kind;
  readonly requestId: string;
  readonly body: EntryOf<Kind>['body'];
}

/** An entry with its identity and its stored bytes. */
export interface StoredEntry {
  readonly entry: LedgerEntry;
  readonly entryId: Digest;
  readonly bytes: Uint8Array;
}

/** Narrows an entry to one kind. */
export function isKind<Kind extends EntryKind>(
  entry: LedgerEntry,
  kind: Kind,
): entry is EntryOf<Kind> {
  return entry.kind === kind;
}

/** Objects that the transition of an entry reads; it names them too. */
export function transitionObjects(entry: LedgerEntry): readonly Digest[] {
  switch (entry.kind) {
    case 'reserve':
    case 'develop':
    case 'leak':
      return [entry.body.unitsObject];
    case 'retire':
      return present(entry.body.units?.unitsObject);
    case 'amend':
      return [entry.body.from, entry.body.to];
    case 'anchor':
      return [entry.body.object];
    case 'genesis':
    case 'policy':
    case 'key':
    case 'seal':
    case 'release':
    case 'expose':
    case 'attempt':
    case 'journal':
    case 'outcome':
    case 'abort':
    case 'void':
      return [];
    case 'import':
      return [entry.body.entriesObject];
  }
}

/** Whether an entry belongs to the execution of an exposure: a right to dispatch, or what was known of its journal. */
export function isOfExposure(
  entry: LedgerEntry,
  expose: number | undefined,
): entry is EntryOf<'attempt'> | EntryOf<'journal'> {
  return (isKind(entry, 'attempt') || isKind(entry, 'journal')) && entry.body.expose === expose;
}

/**
 * Name of the file that holds an entry, in the folder `log`.
 * @example entryFileName(42) // => '00000042.json'
 */
export function entryFileName(seq: number): string {
  return `${String(seq).padStart(8, '0')}.json`;
}

/** Bytes of the seal that an entry records; undefined for entries that record none. */
export function recordedSeal(
  entry: LedgerEntry,
): { readonly digest: Digest; readonly size: number } | undefined {
  if (entry.kind === 'seal') return { digest: entry.body.sealDigest, size: entry.body.size };
  return entry.kind === 'amend' ? { digest: entry.body.to, size: entry.body.size } : undefined;
}

/** Identity of an entry: SHA-256 of its stored bytes. */
export function entryId(bytes: Uint8Array): Digest {
  return digestOf(bytes);
}

function firstIssue(error: z.ShapeError): { readonly path: string; readonly message: string } {
  const issue = error.issues[0];
  const inner = issue?.code === 'invalid_union' ? issue.errors[0]?.[0] : undefined;
  return {
    path: [...(issue?.path ?? []), ...(inner?.path ?? [])].join('.'),
    message: inner?.message ?? issue?.message ?? 'unknown shape',
  };
}

/**
 * Checks a value that is about to become an entry.
 * @throws {LiftgateError} usage  when a member is missing, unknown or malformed; `where.path` names it
 */
export function checkEntry(value: unknown): LedgerEntry {
  const parsed = entrySchema.safeParse(value);
  if (parsed.success) return parsed.data;
  const { path, message } = firstIssue(parsed.error);
  throw new LiftgateError('usage', `This cannot be recorded in the ledger: ${message}.`, {
    where: { path },
    mend: 'Give every member of the body its declared shape (ledger/README.md lists them by kind).',
  });
}

/** The first entry of a ledger; its request id is `genesis`. */
export function createGenesis(parts: {
  readonly ledger: string;
  readonly at: string;
  readonly actor: string;
  readonly body: EntryOf<'genesis'>['body'];
}): LedgerEntry {
  return checkEntry({
    v: 1,
    ledger: parts.ledger,
    seq: 0,
    prev: null,
    kind: 'genesis',
    requestId: 'genesis',
    at: parts.at,
    actor: parts.actor,
    body: parts.body,
  });
}

/**
 * Exact bytes of an entry as stored: canonical JSON and one line feed.
 * @throws {LiftgateError} usage  when the entry has not the declared shape or exceeds 1 MiB
 */
export function formatEntry(entry: LedgerEntry): Uint8Array {
  const text = canonicalBytes(checkEntry(entry));
  if (text.length >= maximumEntryBytes) {
    throw new LiftgateError(
      'usage',
      `The entry has ${text.length + 1} bytes; an entry has at most ${maximumEntryBytes}.`,
      { mend: 'Store long content as an object and name its digest in the entry.' },
    );
  }
  const bytes = new Uint8Array(text.length + 1);
  bytes.set(text);
  bytes[text.length] = 0x0a;
  return bytes;
}

function damaged(message: string, file: string | undefined, path?: string): LiftgateError {
  return new LiftgateError('ledger-damaged', message, {
    where: { file, path },
    mend: 'Restore the recorded file from version control or a copy; entries are never edited.',
    details: { invariant: 'I2' },
  });
}

/** A `v` or `kind` of another version gets its own text: the bytes may be fine and this program too old. */
function refuseNewer(value: unknown, file: string | undefined): void {
  if (typeof value !== 'object' || value === null || !('v' in value) || !('kind' in value)) return;
  const known = entrySchema.options.some((option) => option.shape.kind.value === value.kind);
  if (value.v === 1 && known) return;
  throw new LiftgateError(
    'ledger-unsafe',
    `The entry has version ${String(value.v)} and kind "${String(value.kind)}", which this Liftgate does not know.`,
    {
      where: { file },
      mend: 'Use a newer Liftgate; an entry that is not understood is never skipped.',
      details: { invariant: 'I2' },
    },
  );
}

/**
 * Reads stored entry bytes; every byte must be the one `formatEntry` writes.
 *
 * @param file  name shown in errors
 * @throws {LiftgateError} ledger-damaged  when the bytes are not canonical, too long, or a member is missing, unknown or malformed
 * @throws {LiftgateError} ledger-unsafe   when `v` or `kind` belongs to another version of the format
 */
export function parseEntry(bytes: Uint8Array, file?: string): LedgerEntry {
  if (bytes.length > maximumEntryBytes) {
    throw damaged(
      `The entry has ${bytes.length} bytes; an entry has at most ${maximumEntryBytes}.`,
      file,
    );
  }
  const source = { file, errorCode: 'ledger-damaged' } as const;
  const parsed = readRecorded(bytes, entrySchema, source);
  if (parsed.success) return parsed.data;
  refuseNewer(readCanonical(bytes, source), file);
  const { path, message } = firstIssue(parsed.error);
  throw damaged(`The entry does not have its declared shape: ${message}.`, file, path);
}

/** Objects an entry names: stored bytes that must exist before the entry does. */
export function namedObjects(entry: LedgerEntry): Digest[] {
  switch (entry.kind) {
    case 'seal':
      return [entry.body.sealDigest];
    case 'amend':
      return [entry.body.from, entry.body.to];
    case 'reserve':
    case 'develop':
    case 'leak':
      return [entry.body.unitsObject];
    case 'expose':
      return [entry.body.seal, entry.body.cellsObject];
    case 'attempt':
      return present(entry.body.missingObject);
    case 'outcome':
      return [entry.body.resultDigest, ...present(entry.body.receiptsObject)];
    case 'retire':
      return present(entry.body.units?.unitsObject);
    case 'import':
      return [entry.body.entriesObject, ...present(entry.body.contestedObject)];
    case 'anchor':
      return [entry.body.object];
    case 'genesis':
    case 'policy':
    case 'key':
    case 'release':
    case 'journal':
    case 'abort':
    case 'void':
      return [];
  }
}

function present(digest: Digest | null | undefined): Digest[] {
  return digest === null || digest === undefined ? [] : [digest];
}
