/**
 * Checkpoints of a ledger on the disk: `00000057.txt` is the signed note over the first 57 entries. A file only ever gains signature
 * lines; a checkpoint is written only for a ledger that continues every earlier one.
 */
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { LiftgateError } from '../base/errors.ts';
import type { Signer } from '../base/signature.ts';
import { decodeUtf8 } from '../base/strict-json.ts';
import type { TrustedKey } from '../base/trust.ts';
import {
  type Checkpoint,
  checkGrowth,
  checkpointOf,
  contradictionOf,
  formatSignedCheckpoint,
  parseCheckpoint,
  proveGrowth,
  type SignatureLine,
  type SignedCheckpoint,
  signCheckpoint,
  signersOf,
} from '../ledger/checkpoint.ts';
import type { StoredEntry } from '../ledger/entry.ts';
import { type NoteFiles, notePattern } from '../verify/bundle.ts';
import { type LedgerFiles, nodeFiles, writeDraft } from './ledger-files.ts';
import type { SeenLedgers } from './seen-ledgers.ts';

const fileName = /^([0-9]{8})\.txt$/;
const largestNote = 1_048_576;

/** A note with its path. */
export interface StoredCheckpoint {
  readonly file: string;
  readonly note: string;
  readonly signed: SignedCheckpoint;
}

/**
 * The checkpoints of a folder, smallest first; none when there is no such folder.
 * @throws {LiftgateError} signature-invalid  for a file that is no checkpoint, or not one of the size in its name
 */
export async function readCheckpoints(
  folder: string,
  files: LedgerFiles = nodeFiles,
): Promise<readonly StoredCheckpoint[]> {
  const type = await files.typeOf(folder);
  const names = type === 'folder' ? await files.list(folder) : [];
  const found: StoredCheckpoint[] = [];
  for (const name of names.filter((each) => fileName.test(each)).sort()) {
    const file = join(folder, name);
    const bytes = await files.read(file, largestNote);
    const note = decodeUtf8(bytes, { file, errorCode: 'signature-invalid' });
    const signed = parseCheckpoint(note, file);
    if (signed.size !== Number(name.slice(0, 8))) {
      throw new LiftgateError(
        'signature-invalid',
        `This checkpoint covers ${signed.size} entries, its name says otherwise.`,
        {
          where: { file },
          mend: 'Restore the file from version control.',
        },
      );
    }
    found.push({ file, note, signed });
  }
  return found;
}

/**
 * Signed notes and proofs of time in a folder by name, unread; none when there is no such folder. Other files are left alone.
 */
export async function readNotes(
  folder: string,
  files: LedgerFiles = nodeFiles,
): Promise<NoteFiles> {
  const names = (await files.typeOf(folder)) === 'folder' ? await files.list(folder) : [];
  const notes = new Map<string, Uint8Array>();
  for (const name of names.filter((each) => notePattern.test(each)).sort()) {
    notes.set(name, await files.read(join(folder, name), largestNote));
  }
  return notes;
}

/**
 * Refuses a ledger that does not continue a checkpoint.
 * @throws {LiftgateError} ledger-damaged
 */
export function requireContinuation(
  entries: readonly StoredEntry[],
  { file, signed }: StoredCheckpoint,
): void {
  const message = contradictionOf(entries, signed);
  if (message !== null) {
    throw new LiftgateError('ledger-damaged', message, {
      where: { file },
      mend: 'Restore the ledger from version control or a copy; a checkpoint is never made for a rewritten one.',
    });
  }
}

/**
 * Signs the ledger as it is, after every earlier checkpoint of the folder was found to be its beginning and the proof of growth from
 * the newest one was checked.
 */
export async function addCheckpoint(options: {
  readonly folder: string;
  readonly entries: readonly StoredEntry[];
  readonly signer: Signer;
  readonly files?: LedgerFiles;
}): Promise<StoredCheckpoint> {
  const { folder, entries, signer, files = nodeFiles } = options;
  const earlier = await readCheckpoints(folder, files);
  for (const each of earlier) requireContinuation(entries, each);
  const checkpoint = checkpointOf(entries);
  const newest = earlier.at(-1);
  if (newest !== undefined) requireGrowth(newest, entries);
  const lines = newest?.signed.size === checkpoint.size ? newest.signed.lines : [];
  const file = join(folder, `${String(checkpoint.size).padStart(8, '0')}.txt`);
  return addLine({ checkpoint, lines, file, folder, files, signer });
}

/** The proof a stranger would check, checked before anything is signed. */
function requireGrowth({ signed, file }: StoredCheckpoint, entries: readonly StoredEntry[]): void {
  if (checkGrowth(signed, checkpointOf(entries), proveGrowth(entries, signed.size))) return;
  throw new LiftgateError(
    'ledger-damaged',
    'The ledger does not grow out of its newest checkpoint.',
    {
      where: { file },
      mend: 'Restore the ledger from version control or a copy.',
    },
  );
}

/**
 * Co-signs the newest checkpoint as a witness: its log's signature holds, the ledger at hand is the one it shows, and it continues
 * whatever this witness has seen, which is remembered before the signature is given.
 *
 * @throws {LiftgateError} signature-missing  when there is no checkpoint, or nobody trusted has signed it
 * @throws {LiftgateError} ledger-damaged     when the ledger contradicts the checkpoint or the witness's memory
 */
export async function witnessCheckpoint(options: {
  readonly folder: string;
  readonly entries: readonly StoredEntry[];
  readonly signer: Signer;
  readonly trust: readonly TrustedKey[];
  readonly seen: SeenLedgers;
  readonly files?: LedgerFiles;
}): Promise<StoredCheckpoint> {
  const { folder, entries, signer, trust, seen, files = nodeFiles } = options;
  const newest = (await readCheckpoints(folder, files)).at(-1);
  if (newest === undefined || signersOf(newest.signed, trust, newest.file).length === 0) {
    throw new LiftgateError(
      'signature-missing',
      newest === undefined
        ? 'There is no checkpoint to witness.'
        : 'Nobody trusted has signed the newest checkpoint.',
      {
        where: { file: newest?.file ?? folder },
        mend: 'Let `liftgate ledger checkpoint` make one, and name its key with --trust.',
      },
    );
  }
  requireContinuation(entries, newest);
  const covered = entries.slice(0, newest.signed.size);
  await seen.remember(() => Promise.resolve(covered));
  const { file, signed } = newest;
  return addLine({ checkpoint: signed, lines: signed.lines, file, folder, files, signer });
}

/** Adds a signer's line, in place of an earlier one of the same key. */
async function addLine(options: {
  readonly checkpoint: Checkpoint;
  readonly lines: readonly SignatureLine[];
  readonly file: string;
  readonly folder: string;
  readonly files: LedgerFiles;
  readonly signer: Signer;
}): Promise<StoredCheckpoint> {
  const { checkpoint, lines, file, folder, files, signer } = options;
  const added = await signCheckpoint(checkpoint, signer);
  const others = lines.filter(({ keyId }) => Buffer.compare(keyId, added.keyId) !== 0);
  const note = formatSignedCheckpoint(checkpoint, [...others, added]);
  await replaceFile({ folder, file, note, files });
  return { file, note, signed: parseCheckpoint(note, file) };
}

async function replaceFile(options: {
  readonly folder: string;
  readonly file: string;
  readonly note: string;
  readonly files: LedgerFiles;
}): Promise<void> {
  const { folder, file, note, files } = options;
  const draft = await writeDraft(files, folder, Buffer.from(note));
  await rename(draft, file);
  await files.syncFolder(folder);
}
