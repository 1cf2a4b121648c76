/**
 * Anchors: where an outside proof lies that the ledger was what it is, and how far. The entry binds size, head and root; whether the
 * proof holds, and who gave it, is for whoever verifies.
 */
import { canonicalLine } from '../base/canonical.ts';
import { commitId, type GitProof, gitProofFault } from '../base/git-proof.ts';
import { rootOfPeaks } from '../base/merkle.ts';
import { decodeBase64 } from '../base/signature.ts';
import { decodeUtf8, readCanonical } from '../base/strict-json.ts';
import { type Authority, parseTimeStamp, stampsBytes, timeStampFault } from '../base/time-stamp.ts';
import { describeKey, type TrustedKey } from '../base/trust.ts';
import { checkpointOf, formatCheckpoint, parseCheckpoint, signersOf } from './checkpoint.ts';
import { type EntryOf, entryFileName, type StoredEntry } from './entry.ts';
import { pastOf } from './past.ts';
import type { LedgerState } from './projection.ts';
import { conflict } from './transitions.ts';

/**
 * An anchor changes nothing that it speaks of.
 * @throws {LiftgateError} ledger-conflict I1  when the first entries of this ledger are others
 */
export function applyAnchor(state: LedgerState, { body }: EntryOf<'anchor'>): LedgerState {
  const past = pastOf(state.past, body.size);
  if (past?.stored.entryId === body.head && rootOfPeaks(past.peaks) === body.root) return state;
  throw conflict(
    'I1',
    past === null
      ? `The anchor covers ${body.size} entries; there are ${state.chain.size}.`
      : `The anchor binds ${body.head} under ${body.root} as the first ${body.size} entries; this ledger has others.`,
    {
      mend: 'Anchor this ledger as it is: liftgate ledger anchor.',
      details: { reason: 'anchor-differs' },
    },
  );
}

/** Whom a reader believes about anchors; none of it is taken from what is checked. */
export interface AnchorTrust {
  /** Keys whose signatures count under a witnessed note. */
  readonly keys: readonly TrustedKey[];
  /** Certificates of time-stamping authorities, or of those who issued them. */
  readonly authorities: readonly Authority[];
  /** Ids of commits that the reader has seen elsewhere. */
  readonly commits: readonly string[];
}

/** What an anchor is worth to a reader: who vouches for the first `size` entries, and since when; or why it counts for nothing. */
export type AnchorFinding =
  | { readonly holds: true; readonly size: number; readonly by: string }
  | { readonly holds: false; readonly size: number; readonly reason: string };

const gitProofType = 'liftgate/git-anchor/v1';

/** Bytes of the object that keeps a proof by a commit. */
export function formatGitProof({ commit, path, trees }: GitProof): Uint8Array {
  const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');
  const value = { type: gitProofType, commit: base64(commit), path, trees: trees.map(base64) };
  return new TextEncoder().encode(canonicalLine(value));
}

function parseGitProof(bytes: Uint8Array, file: string): GitProof | null {
  const { type, commit, path, trees, ...rest } = Object(readCanonical(bytes, { file }));
  const texts: readonly unknown[] = [commit, ...(Array.isArray(trees) ? trees : [null])];
  const decoded = texts.map((text) => (typeof text === 'string' ? decodeBase64(text) : null));
  const [first, ...others] = decoded.flatMap((each) => each ?? []);
  const whole = others.length + 1 === texts.length && Object.keys(rest).length === 0;
  if (first === undefined || !whole || type !== gitProofType || typeof path !== 'string')
    return null;
  return { commit: first, path, trees: others };
}

/** The text an authority stamps, and witnesses sign: the checkpoint of the first entries. */
export function anchoredText(entries: readonly StoredEntry[], size: number): string {
  return formatCheckpoint(checkpointOf(entries, size));
}

/**
 * What an anchor of a ledger is worth.
 *
 * @param entries  the history it stands in, at least `size` long
 * @param proof    the bytes of its object
 * @throws {LiftgateError} signature-invalid, run-invalid  when the proof cannot be read, or a trusted signature is broken
 */
export function findAnchor(
  { size, type, object }: EntryOf<'anchor'>['body'],
  found: { readonly entries: readonly StoredEntry[]; readonly proof: Uint8Array },
  trust: AnchorTrust,
): AnchorFinding {
  const { entries, proof } = found;
  switch (type) {
    case 'rfc3161': {
      const stamp = parseTimeStamp(proof, object);
      const own = stampsBytes(stamp, new TextEncoder().encode(anchoredText(entries, size)));
      const fault = own ? timeStampFault(stamp, trust.authorities) : 'it stamps something else';
      return fault === null
        ? { holds: true, size, by: `a time stamp of ${stamp.time}` }
        : { holds: false, size, reason: fault };
    }
    case 'git-commit':
      return findCommit(size, { entries, proof, object }, trust);
    case 'witness': {
      const note = parseCheckpoint(
        decodeUtf8(proof, { file: object, errorCode: 'signature-invalid' }),
      );
      if (note.text !== anchoredText(entries, size))
        return { holds: false, size, reason: 'the note is of other entries' };
      const signers = trust.keys.filter((key) => signersOf(note, [key], object).length > 0);
      return signers.length > 0
        ? { holds: true, size, by: `a note signed by ${signers.map(describeKey).join(', ')}` }
        : { holds: false, size, reason: 'nobody trusted signed the note' };
    }
    case 'ots':
      return { holds: false, size, reason: 'OpenTimestamps files are kept and not checked' };
  }
}

function findCommit(
  size: number,
  found: {
    readonly entries: readonly StoredEntry[];
    readonly proof: Uint8Array;
    readonly object: string;
  },
  { commits }: AnchorTrust,
): AnchorFinding {
  const proof = parseGitProof(found.proof, found.object);
  const bytes = found.entries[size - 1]?.bytes;
  const no = (reason: string): AnchorFinding => ({ holds: false, size, reason });
  if (proof === null || bytes === undefined) return no('it is no proof by a commit');
  const fault = gitProofFault(proof, bytes);
  if (fault !== null) return no(`the commit does not hold entry ${size - 1}: ${fault}`);
  if (!proof.path.endsWith(`log/${entryFileName(size - 1)}`)) return no('it is about another file');
  const id = commitId(proof);
  return commits.includes(id)
    ? { holds: true, size, by: `commit ${id}` }
    : no(`the reader does not know commit ${id} from elsewhere`);
}
