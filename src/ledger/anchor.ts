/**
 * Anchors: where an outside proof lies that the ledger was what it is, and how far. The entry binds size, head and root; whether whoever
 * gave the proof is to be believed is for whoever verifies.
 */
import { canonicalLine } from '../base/canonical.ts';
import { LiftgateError } from '../base/errors.ts';
import { commitId, commitSigner, type GitProof, gitProofFault } from '../base/git-proof.ts';
import { rootOfPeaks } from '../base/merkle.ts';
import { decodeBase64 } from '../base/signature.ts';
import { decodeUtf8, readCanonical } from '../base/strict-json.ts';
import {
  type Authority,
  parseTimeStamp,
  stampsBytes,
  type TimeStamp,
  timeStampFault,
} from '../base/time-stamp.ts';
import { describeKey, type TrustedKey } from '../base/trust.ts';
import {
  checkpointOf,
  formatCheckpoint,
  parseCheckpoint,
  type SignedCheckpoint,
  signersOf,
} from './checkpoint.ts';
import { type EntryOf, entryFileName, type StoredEntry } from './entry.ts';
import { type Past, pastOf } from './past.ts';
import type { LedgerState, ObjectResolver } from './projection.ts';
import { conflict } from './transitions.ts';

/**
 * An anchor changes nothing that it speaks of; one whose proof is about these entries lets pass what a policy wants anchored first.
 * @throws {LiftgateError} ledger-conflict I1  when the first entries of this ledger are others
 */
export function applyAnchor(
  state: LedgerState,
  { body }: EntryOf<'anchor'>,
  objects: ObjectResolver,
): LedgerState {
  const past = pastOf(state.past, body.size);
  if (past?.stored.entryId === body.head && rootOfPeaks(past.peaks) === body.root) {
    const counts = body.size > state.anchored && isAbout(state, body, past, objects);
    return counts ? { ...state, anchored: body.size } : state;
  }
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

/**
 * Whether the proof of an anchor is about the entries it binds, as far as that shows without knowing whom to believe. A note needs the
 * signature of a valid key of the ledger with the scope witness; an OpenTimestamps file, which is not read, never counts.
 */
function isAbout(
  state: LedgerState,
  body: EntryOf<'anchor'>['body'],
  past: Past,
  objects: ObjectResolver,
): boolean {
  const proof = objects(body.object);
  const genesis = pastOf(past, 1)?.stored.entry;
  if (proof === null || genesis?.kind !== 'genesis') return false;
  const origin = `${genesis.body.origin}/${genesis.ledger}`;
  const text = formatCheckpoint({ origin, size: body.size, root: body.root });
  const signing = state.keys
    .values()
    .filter(({ ended }) => ended === null)
    .filter(({ scopes }) => scopes.includes('witness'));
  try {
    const opened = openProof(body, { text, last: past.stored.bytes, proof });
    if (typeof opened === 'string') return false;
    return opened.type !== 'witness' || signersOf(opened.note, signing).length > 0;
  } catch (error) {
    if (error instanceof LiftgateError) return false;
    throw error;
  }
}

/** Whom a reader believes about anchors; none of it is taken from what is checked. */
export interface AnchorTrust {
  /** Keys whose signatures count under a witnessed note and on a commit. */
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

/** A proof that was read and is about the entries it should be about. */
type OpenedProof =
  | { readonly type: 'rfc3161'; readonly stamp: TimeStamp }
  | { readonly type: 'git-commit'; readonly commit: GitProof }
  | { readonly type: 'witness'; readonly note: SignedCheckpoint };

/** What a proof is held against: the text of the checkpoint it should show, and the bytes of the last entry it covers. */
interface Anchored {
  readonly text: string;
  readonly last: Uint8Array;
  readonly proof: Uint8Array;
}

/** Reads a proof; words say why it is not about these entries. */
function openProof(
  { size, type, object }: EntryOf<'anchor'>['body'],
  { text, last, proof }: Anchored,
): OpenedProof | string {
  switch (type) {
    case 'rfc3161': {
      const stamp = parseTimeStamp(proof, object);
      const own = stampsBytes(stamp, new TextEncoder().encode(text));
      return own ? { type, stamp } : 'it stamps something else';
    }
    case 'git-commit': {
      const commit = parseGitProof(proof, object);
      if (commit === null) return 'it is no proof by a commit';
      const fault = gitProofFault(commit, last);
      if (fault !== null) return `the commit does not hold entry ${size - 1}: ${fault}`;
      const own = commit.path.endsWith(`log/${entryFileName(size - 1)}`);
      return own ? { type, commit } : 'it is about another file';
    }
    case 'witness': {
      const note = parseCheckpoint(
        decodeUtf8(proof, { file: object, errorCode: 'signature-invalid' }),
      );
      return note.text === text ? { type, note } : 'the note is of other entries';
    }
    case 'ots':
      return 'OpenTimestamps files are kept and not checked';
  }
}

/**
 * What an anchor of a ledger is worth.
 *
 * @param entries  the history it stands in, at least `size` long
 * @param proof    the bytes of its object
 * @throws {LiftgateError} signature-invalid, run-invalid  when the proof cannot be read, or a trusted signature is broken
 */
export function findAnchor(
  body: EntryOf<'anchor'>['body'],
  found: { readonly entries: readonly StoredEntry[]; readonly proof: Uint8Array },
  trust: AnchorTrust,
): AnchorFinding {
  const { size, object } = body;
  const { entries, proof } = found;
  const last = entries[size - 1]?.bytes ?? new Uint8Array();
  const opened = openProof(body, { text: anchoredText(entries, size), last, proof });
  const judged = typeof opened === 'string' ? { fault: opened } : judge(opened, trust, object);
  return 'by' in judged
    ? { holds: true, size, by: judged.by }
    : { holds: false, size, reason: judged.fault };
}

/** Who a reader believes to stand behind a proof, or why nobody does. */
function judge(
  opened: OpenedProof,
  trust: AnchorTrust,
  file: string,
): { readonly by: string } | { readonly fault: string } {
  switch (opened.type) {
    case 'rfc3161': {
      const fault = timeStampFault(opened.stamp, trust.authorities);
      return fault === null ? { by: `a time stamp of ${opened.stamp.time}` } : { fault };
    }
    case 'git-commit': {
      const id = commitId(opened.commit);
      if (trust.commits.includes(id)) return { by: `commit ${id}` };
      const signer = commitSigner(opened.commit, trust.keys);
      return signer === null
        ? {
            fault: `the reader does not know commit ${id} from elsewhere, and nobody trusted signed it`,
          }
        : { by: `commit ${id}, signed by ${describeKey(signer)}` };
    }
    case 'witness': {
      const signers = trust.keys.filter((key) => signersOf(opened.note, [key], file).length > 0);
      return signers.length > 0
        ? { by: `a note signed by ${signers.map(describeKey).join(', ')}` }
        : { fault: 'nobody trusted signed the note' };
    }
  }
}
