/**
 * Checkpoints: what a ledger was, in three lines, signed by people who saw it. A checkpoint is a signed note (C2SP tlog-checkpoint):
 *
 *     liftgate/8f8679f6528dd56acf8a2a52aa61c616        origin of the genesis entry, "/", ledger id
 *     57                                               number of entries
 *     GuXQz1zv...bIJQ=                                 Merkle root over the entries' bytes, base64
 *                                                      (an empty line)
 *     — alice@example.org H8u1...                      one line per signer: base64 of key id (4 bytes) and signature
 *
 * What is signed is everything before the empty line, its last line end included. ed25519 signs it plainly, other keys through an SSH
 * signature in the namespace `liftgate`. Lines of unknown keys are kept and count for nothing. A future version may add lines below the
 * root; readers of this version refuse them.
 */
import { type Digest, digestHex, isDigest } from '../base/digest.ts';
import { LiftgateError } from '../base/errors.ts';
import {
  checkConsistency,
  checkInclusion,
  leafDigest,
  merkleRootOf,
  proveConsistency,
  proveInclusion,
} from '../base/merkle.ts';
import { decodeBase64, type Signer } from '../base/signature.ts';
import { readJson } from '../base/strict-json.ts';
import { checkSignature, noteKeyId, type TrustedKey } from '../base/trust.ts';
import type { StoredEntry } from './entry.ts';

/** Size and Merkle root of a ledger at some moment. */
export interface Checkpoint {
  readonly origin: string;
  readonly size: number;
  readonly root: Digest;
}

/** A checkpoint and the signature lines below it, none of them checked. */
export interface SignedCheckpoint extends Checkpoint {
  /** The exact text that was signed. */
  readonly text: string;
  readonly lines: readonly SignatureLine[];
}

/** One line `— NAME BASE64`. */
export interface SignatureLine {
  readonly name: string;
  readonly keyId: Uint8Array;
  readonly signature: Uint8Array;
}

/** Proof that an entry stands in the ledger of a checkpoint; everything a stranger needs, digests as in the ledger. */
export interface EntryProof {
  readonly v: 1;
  readonly type: 'liftgate/entry-proof/v1';
  /** Exact text of the entry's file. */
  readonly entry: string;
  readonly index: number;
  readonly size: number;
  readonly root: Digest;
  readonly proof: readonly Digest[];
  /** The signed note the root was taken from; null when the proof names a root nobody signed. */
  readonly checkpoint: string | null;
}

const leavesOf = (entries: readonly StoredEntry[]): readonly Digest[] =>
  entries.map(({ bytes }) => leafDigest(bytes));

/**
 * Checkpoint of the first `size` entries.
 * @param size  1 <= size <= entries.length; all of them when left out
 */
export function checkpointOf(entries: readonly StoredEntry[], size = entries.length): Checkpoint {
  const first = entries[0]?.entry;
  if (first?.kind !== 'genesis' || size < 1 || size > entries.length) {
    throw new LiftgateError(
      'ledger-damaged',
      `The ledger has ${entries.length} entries, so there is no checkpoint of ${size}.`,
      {
        mend: 'Fetch the newest ledger, or name a size it has.',
      },
    );
  }
  return {
    origin: `${first.body.origin}/${first.ledger}`,
    size,
    root: merkleRootOf(leavesOf(entries.slice(0, size))),
  };
}

/**
 * The text that signers sign.
 * @example formatCheckpoint({ origin: 'o', size: 1, root: leafDigest('') }) // => 'o\n1\nbjQLnP+zepicpUTmu3gKLHiQHT+zNzh2hRGjBhevoB0=\n'
 */
export function formatCheckpoint({ origin, size, root }: Checkpoint): string {
  return `${origin}\n${size}\n${Buffer.from(digestHex(root), 'hex').toString('base64')}\n`;
}

/** A signer's line for a checkpoint. */
export async function signCheckpoint(
  checkpoint: Checkpoint,
  signer: Signer,
): Promise<SignatureLine> {
  const signature = await signer.sign(Buffer.from(formatCheckpoint(checkpoint)));
  return { name: signer.name, keyId: noteKeyId(signer), signature };
}

/** The whole note: text, empty line, signature lines. */
export function formatSignedCheckpoint(
  checkpoint: Checkpoint,
  lines: readonly SignatureLine[],
): string {
  const formatted = lines.map(
    ({ name, keyId, signature }) =>
      `— ${name} ${Buffer.concat([keyId, signature]).toString('base64')}\n`,
  );
  return `${formatCheckpoint(checkpoint)}\n${formatted.join('')}`;
}

/**
 * Reads a note without trusting it: formatting it again gives the same text.
 * @throws {LiftgateError} signature-invalid  when it is no checkpoint
 */
export function parseCheckpoint(note: string, file?: string): SignedCheckpoint {
  const [, text = '', origin = '', size = '', base64 = '', below = ''] =
    /^(([^\n\p{Cc}]+)\n(0|[1-9][0-9]{0,14})\n([A-Za-z0-9+/]{43}=)\n)\n((?:— [^\n]+\n)*)$/u.exec(
      note,
    ) ?? [];
  const lines = below
    .split('\n')
    .filter((line) => line !== '')
    .map(parseLine);
  const root = decodeBase64(base64);
  if (root?.length === 32 && lines.every((line) => line !== null)) {
    return {
      origin,
      size: Number(size),
      root: `sha256:${Buffer.from(root).toString('hex')}`,
      text,
      lines,
    };
  }
  throw invalid(
    'This is no checkpoint: three lines, an empty line, and signature lines are expected.',
    file,
  );
}

function parseLine(line: string): SignatureLine | null {
  const [, name, base64] = /^— ([^\s+]+) ([A-Za-z0-9+/=]+)$/u.exec(line) ?? [];
  const bytes = decodeBase64(base64 ?? '');
  if (name === undefined || bytes === null || bytes.length < 5) return null;
  return { name, keyId: bytes.subarray(0, 4), signature: bytes.subarray(4) };
}

/**
 * Names of the trusted keys that signed a checkpoint, in the order of the list; empty when none did.
 * @throws {LiftgateError} signature-invalid  when a line claims a trusted key and its signature does not hold
 */
export function signersOf(
  signed: SignedCheckpoint,
  trust: readonly TrustedKey[],
  file?: string,
): readonly string[] {
  const message = Buffer.from(signed.text);
  return trust.flatMap((trusted) => {
    const id = noteKeyId(trusted);
    const lines = signed.lines.filter(
      ({ name, keyId }) => name === trusted.name && Buffer.compare(keyId, id) === 0,
    );
    for (const { signature } of lines) {
      const fault = checkSignature(trusted.key, message, signature);
      if (fault !== null)
        throw invalid(`The signature of ${trusted.name} does not hold: ${fault}.`, file);
    }
    return lines.length > 0 ? [trusted.name] : [];
  });
}

/**
 * Why a ledger is no continuation of a checkpoint; null when its first entries are exactly those of the checkpoint.
 */
export function contradictionOf(
  entries: readonly StoredEntry[],
  earlier: Checkpoint,
): string | null {
  if (entries.length < earlier.size) {
    return `The ledger has ${entries.length} entries, the checkpoint has seen ${earlier.size}: its tail was cut off.`;
  }
  const then = checkpointOf(entries, earlier.size);
  if (then.origin !== earlier.origin)
    return `The ledger is ${then.origin}, the checkpoint is of ${earlier.origin}.`;
  return then.root === earlier.root
    ? null
    : `The first ${earlier.size} entries are not those of the checkpoint: history was rewritten.`;
}

/** Proof that a later checkpoint only appended to an earlier one, to be checked with {@link checkGrowth}. */
export function proveGrowth(entries: readonly StoredEntry[], from: number): readonly Digest[] {
  return proveConsistency(leavesOf(entries), from);
}

/** Whether a proof shows that one checkpoint continues another. */
export function checkGrowth(
  earlier: Checkpoint,
  later: Checkpoint,
  proof: readonly Digest[],
): boolean {
  if (earlier.origin !== later.origin) return false;
  return checkConsistency({
    from: earlier.size,
    to: later.size,
    fromRoot: earlier.root,
    toRoot: later.root,
    proof,
  });
}

/**
 * Proof that entry `seq` belongs to the ledger as a checkpoint shows it.
 * @param checkpoint  a signed note of this ledger that covers the entry; null takes the ledger as it is
 */
export function proveEntry(
  entries: readonly StoredEntry[],
  seq: number,
  checkpoint: string | null,
): EntryProof {
  const size = checkpoint === null ? entries.length : parseCheckpoint(checkpoint).size;
  const covered = entries.slice(0, size);
  const stored = covered[seq];
  if (stored === undefined) {
    throw new LiftgateError(
      'usage',
      `There is no entry ${seq} among the first ${covered.length} entries.`,
      {
        mend: 'Name an entry the checkpoint covers, or make a newer checkpoint.',
      },
    );
  }
  return {
    v: 1,
    type: 'liftgate/entry-proof/v1',
    entry: Buffer.from(stored.bytes).toString('utf8'),
    index: seq,
    size,
    root: checkpointOf(entries, size).root,
    proof: proveInclusion(leavesOf(covered), seq),
    checkpoint,
  };
}

/**
 * Reads a proof and checks it: the entry stands at its place of the tree, and the tree is the one of the checkpoint it names.
 * Signatures are left to {@link signersOf}.
 * @throws {LiftgateError} json-invalid, signature-invalid
 */
export function parseEntryProof(bytes: Uint8Array, file: string): EntryProof {
  const value = readJson(bytes, { file });
  if (!isEntryProof(value)) throw invalid('This is no proof of an entry.', file);
  const fault = faultOfProof(value);
  if (fault !== null) throw invalid(fault, file);
  return value;
}

function isEntryProof(value: unknown): value is EntryProof {
  const { v, type, entry, index, size, root, proof, checkpoint, ...rest } = Object(value);
  return (
    v === 1 &&
    type === 'liftgate/entry-proof/v1' &&
    typeof entry === 'string' &&
    Number.isSafeInteger(index) &&
    Number.isSafeInteger(size) &&
    isDigest(root) &&
    Array.isArray(proof) &&
    proof.every(isDigest) &&
    (checkpoint === null || typeof checkpoint === 'string') &&
    Object.keys(rest).length === 0
  );
}

/** Why a proof does not hold; null when the entry stands at its place in the tree, and the tree is that of its checkpoint. */
export function faultOfProof(proof: EntryProof): string | null {
  const { entry, index, size, root } = proof;
  if (!checkInclusion({ leaf: leafDigest(entry), index, size, root, proof: proof.proof })) {
    return 'The entry is not the one at this place of a ledger with this root.';
  }
  if (proof.checkpoint === null) return null;
  const signed = parseCheckpoint(proof.checkpoint);
  return signed.root === root && signed.size === size
    ? null
    : 'The root is not the one of the checkpoint.';
}

function invalid(message: string, file: string | undefined): LiftgateError {
  return new LiftgateError('signature-invalid', message, {
    where: { file },
    mend: 'Ask whoever signed it for the note as they made it.',
  });
}
