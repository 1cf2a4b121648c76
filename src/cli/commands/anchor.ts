/** `liftgate ledger anchor`: binds the ledger to a proof that lies outside of it. */
import { readFile, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { digestHex, digestOf } from '../../base/digest.ts';
import { LiftgateError } from '../../base/errors.ts';
import { commitId } from '../../base/git-proof.ts';
import { rootOfPeaks } from '../../base/merkle.ts';
import { decodeUtf8 } from '../../base/strict-json.ts';
import { parseTimeStamp, stampsBytes } from '../../base/time-stamp.ts';
import { anchoredText, formatGitProof } from '../../ledger/anchor.ts';
import { checkpointOf, formatCheckpoint, parseCheckpoint } from '../../ledger/checkpoint.ts';
import type { EntryOf, StoredEntry } from '../../ledger/entry.ts';
import type { Past } from '../../ledger/past.ts';
import { gitProofOf } from '../../store/git-ledger.ts';
import { refuseOddFile } from '../../store/places.ts';
import { isPostgresUrl } from '../../store/postgres-place.ts';
import type { CommandContext } from '../context.ts';
import { existingLedger } from '../workspace.ts';

/** What `liftgate ledger anchor` takes: one of them. */
export interface AnchorFlags {
  readonly ledger: string;
  readonly text?: string;
  readonly commit?: string;
  readonly timeStamp?: string;
  readonly note?: string;
  readonly ots?: string;
}

type Type = EntryOf<'anchor'>['body']['type'];

/** A proof and how many entries it covers. */
interface Proof {
  readonly type: Type;
  readonly bytes: Uint8Array;
  readonly size: number;
  readonly shown: string;
}

/**
 * Writes the text that others stamp, or records the proof they gave.
 * @throws {LiftgateError} usage, signature-invalid, ledger-conflict  when the proof is not about this ledger
 */
export async function anchor(context: CommandContext, options: AnchorFlags): Promise<number> {
  const given = [options.text, options.commit, options.timeStamp, options.note, options.ots];
  if (given.filter((each) => each !== undefined).length !== 1) {
    throw new LiftgateError('usage', 'An anchor is made from one thing at a time.', {
      mend: 'Name one of --text, --commit, --time-stamp, --note and --ots.',
    });
  }
  const ledger = await existingLedger(context, options);
  const entries = await ledger.entries();
  if (options.text !== undefined) return writeText(context, options.text, entries);
  const { past } = await ledger.state();
  const { type, bytes, size, shown } = await proofOf(context, options, { entries, past });
  const body = {
    size,
    head: entries[size - 1]?.entryId ?? digestOf(''),
    root: checkpointOf(entries, size).root,
    type,
    object: await ledger.putObject(bytes),
  };
  const requestId = `anchor:${digestHex(body.object)}`;
  const { entry, replayed } = await ledger.append({ kind: 'anchor', requestId, body });
  const again = replayed ? ' (recorded before)' : '';
  context.output.line(
    `anchored the first ${size} entries by ${shown}, in entry ${entry.seq}${again}`,
  );
  context.output.document({ entry: entry.seq, ...body });
  return 0;
}

async function writeText(
  { cwd, output }: CommandContext,
  file: string,
  entries: readonly StoredEntry[],
): Promise<number> {
  const text = anchoredText(entries, entries.length);
  refuseOddFile(resolve(cwd, file), file);
  await writeFile(resolve(cwd, file), text);
  output.line(
    `${file}: the checkpoint of ${entries.length} entries; have its bytes stamped or signed`,
  );
  output.document({ file, size: entries.length, text });
  return 0;
}

interface Anchored {
  readonly entries: readonly StoredEntry[];
  readonly past: Past | null;
}

async function proofOf(
  context: CommandContext,
  options: AnchorFlags,
  anchored: Anchored,
): Promise<Proof> {
  if (options.commit !== undefined) return commitProof(context, options, options.commit);
  if (options.note !== undefined) return noteProof(context, options.note, anchored);
  const file = options.timeStamp ?? options.ots ?? '';
  const bytes = await bytesOf(context, file);
  const type = options.ots === undefined ? 'rfc3161' : 'ots';
  const stamp = type === 'rfc3161' ? parseTimeStamp(bytes, file) : null;
  const stamps = (text: Uint8Array): boolean =>
    stamp === null ? stampsInOts(bytes, text) : stampsBytes(stamp, text);
  const size = sizeStamped(anchored, stamps);
  if (size !== null)
    return { type, bytes, size, shown: stamp === null ? file : `a time stamp of ${stamp.time}` };
  throw foreign(file, 'It stamps no checkpoint of this ledger.');
}

/** The number of entries whose checkpoint was stamped, the longest first. */
function sizeStamped(
  { entries, past }: Anchored,
  stamps: (text: Uint8Array) => boolean,
): number | null {
  const { origin } = checkpointOf(entries);
  for (let at = past; at !== null; at = at.before) {
    const size = at.stored.entry.seq + 1;
    const text = formatCheckpoint({ origin, size, root: rootOfPeaks(at.peaks) });
    if (stamps(new TextEncoder().encode(text))) return size;
  }
  return null;
}

/** Start of an OpenTimestamps file over a SHA-256 digest: its magic number, version 1, the operation, and then the digest. */
const otsStart = '004f70656e54696d657374616d7073000050726f6f6600bf89e2e884e892940108';

function stampsInOts(bytes: Uint8Array, text: Uint8Array): boolean {
  const start = Buffer.from(bytes.subarray(0, otsStart.length / 2 + 32)).toString('hex');
  return start === `${otsStart}${digestHex(digestOf(text))}`;
}

function commitProof(context: CommandContext, { ledger }: AnchorFlags, word: string): Proof {
  if (isPostgresUrl(ledger)) throw foreign(word, 'A ledger in PostgreSQL lies in no commit.');
  const { proof, entries } = gitProofOf(resolve(context.cwd, ledger), word);
  const shown = `commit ${commitId(proof)}`;
  return { type: 'git-commit', bytes: formatGitProof(proof), size: entries.length, shown };
}

async function noteProof(
  context: CommandContext,
  file: string,
  { entries }: Anchored,
): Promise<Proof> {
  const bytes = await bytesOf(context, file);
  const note = parseCheckpoint(decodeUtf8(bytes, { file, errorCode: 'signature-invalid' }), file);
  const own = note.size <= entries.length && note.text === anchoredText(entries, note.size);
  if (!own) throw foreign(file, 'The note is of another ledger, or of other entries.');
  if (note.lines.length === 0) throw foreign(file, 'Nobody has signed the note.');
  const names = note.lines.map(({ name }) => name).join(', ');
  return { type: 'witness', bytes, size: note.size, shown: `a note signed by ${names}` };
}

async function bytesOf({ cwd }: CommandContext, file: string): Promise<Uint8Array> {
  try {
    return new Uint8Array(await readFile(resolve(cwd, file)));
  } catch (cause) {
    throw new LiftgateError('usage', 'The proof cannot be read.', {
      where: { file },
      mend: 'Name an existing file.',
      cause,
    });
  }
}

function foreign(file: string, message: string): LiftgateError {
  return new LiftgateError('usage', message, {
    where: { file },
    mend: 'Have the file stamped or signed that `liftgate ledger anchor --text FILE` writes, or name a commit that holds this ledger.',
  });
}
