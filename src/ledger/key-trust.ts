/**
 * Whose signatures count: the keys a reader trusts, and the keys these have introduced in the ledger. A key of the ledger counts when a
 * chain of `key` entries leads from it to a key of the trust list; what such a key introduces speaks for the same party, so nobody
 * becomes two witnesses by making keys. A key of the list that the ledger has revoked or replaced counts no longer either.
 */
import { fingerprintOf, type PublicKey } from '../base/signature.ts';
import type { TrustedKey } from '../base/trust.ts';
import type { KeyScope } from './entry-bodies.ts';
import { importedFrom } from './past.ts';
import type { LedgerKey, LedgerState } from './projection.ts';
import { conflict } from './transitions.ts';

/** A key that counts, and for how much of the ledger. */
export interface CountingKey extends TrustedKey {
  readonly keyId: string;
  /** The key of the trust list that it is or descends from. */
  readonly root: TrustedKey;
  /** Number of the entry that introduced it; null for a key of the list that the ledger does not know. */
  readonly addedSeq: number | null;
  /** What it may sign; null: whatever its reader lets it. */
  readonly scopes: readonly KeyScope[] | null;
  readonly ended: LedgerKey['ended'];
}

/** What became of a signature. */
export type Standing =
  | { readonly counts: true }
  | { readonly counts: false; readonly misused: boolean; readonly reason: string };

const counts: Standing = { counts: true };

/** The keys that count, those of the list first and in its order, then those of the ledger in theirs. */
export function countingKeys(
  state: Pick<LedgerState, 'keys'>,
  trust: readonly TrustedKey[],
): readonly CountingKey[] {
  const found = trust.map((trusted): CountingKey => {
    const keyId = fingerprintOf(trusted.key);
    const known = state.keys.get(keyId);
    return {
      ...trusted,
      keyId,
      root: trusted,
      addedSeq: known?.addedSeq ?? null,
      scopes: known?.scopes ?? null,
      ended: known?.ended ?? null,
    };
  });
  const roots = new Map(found.map(({ keyId, root }) => [keyId, root]));
  for (const known of inOrder(state)) {
    const root = roots.get(known.signer);
    if (root === undefined || roots.has(known.keyId)) continue;
    roots.set(known.keyId, root);
    found.push({ ...known, root });
  }
  return found;
}

/** All keys of a ledger in the order of their entries. */
export function inOrder(state: Pick<LedgerState, 'keys'>): readonly LedgerKey[] {
  return state.keys.values().sort((first, second) => first.addedSeq - second.addedSeq);
}

/**
 * Stops whoever is about to sign with a key that the ledger has ended, or introduced for something else; a key that the ledger does not
 * know is for its readers to judge.
 * @throws {LiftgateError} ledger-conflict  I13
 */
export function requireSigner(
  state: Pick<LedgerState, 'keys'>,
  key: PublicKey,
  wanted: readonly KeyScope[],
): void {
  const known = state.keys.get(fingerprintOf(key));
  if (known === undefined) return;
  const { keyId, name, ended, scopes } = known;
  const ending = ended === null ? '' : `was ${ended.how} in entry ${ended.seq}`;
  const scope = wanted.some((each) => scopes.includes(each));
  if (ended === null && scope) return;
  throw conflict(
    'I13',
    `The key ${keyId} of ${name} ${ended === null ? `may sign ${scopes.join(', ')} and nothing else` : ending}.`,
    {
      mend: 'Sign with a key that may, as `liftgate ledger key list` shows them, or introduce one.',
      details: { reason: ended === null ? 'key-not-allowed' : 'key-ended' },
    },
  );
}

function outOfScope({ name, scopes }: CountingKey, wanted: readonly KeyScope[]): Standing | null {
  if (scopes === null || wanted.some((scope) => scopes.includes(scope))) return null;
  const reason = `the key of ${name} signs ${scopes.join(', ')} and nothing else`;
  return { counts: false, misused: true, reason };
}

/** What a checkpoint covers; entries by their numbers in the ledger that was read. */
export interface Coverage {
  /** Whether the checkpoint covers an entry. */
  readonly covers: (seq: number) => boolean;
  /**
   * Whether a checkpoint that a key without an end has signed covers it: only that shows that the history before a revocation was not
   * rewritten by whoever had the key.
   */
  readonly vouched: (seq: number) => boolean;
}

/** Whether the signature of a key on a checkpoint counts. */
export function standingOnCheckpoint(key: CountingKey, { covers, vouched }: Coverage): Standing {
  const { name, addedSeq, ended, root, keyId } = key;
  const scope = outOfScope(key, ['checkpoint', 'witness']);
  if (scope !== null) return scope;
  if (fingerprintOf(root.key) !== keyId && addedSeq !== null && !covers(addedSeq)) {
    const reason = `the key of ${name} was introduced in entry ${addedSeq}, after this checkpoint`;
    return { counts: false, misused: false, reason };
  }
  if (ended === null) return counts;
  if (covers(ended.seq)) {
    const reason = `the key of ${name} was ${ended.how} in entry ${ended.seq}, before this checkpoint`;
    return { counts: false, misused: true, reason };
  }
  if (ended.how === 'rotated' || vouched(ended.seq)) return counts;
  return { counts: false, misused: false, reason: undated(name, ended.seq) };
}

function undated(name: string, seq: number): string {
  return `the key of ${name} was revoked in entry ${seq}, and no valid key vouches that this was signed before`;
}

/** Whether the signature of a key on a statement about entry `seq` counts; numbers are those of the ledger that was read. */
export function standingOnStatement(key: CountingKey, seq: number): Standing {
  const scope = outOfScope(key, ['statement']);
  if (scope !== null) return scope;
  const { name, ended } = key;
  if (ended === null || (ended.how === 'rotated' && seq < ended.seq)) return counts;
  const comparable = seq < importedFrom === ended.seq < importedFrom;
  const misused = comparable && seq > ended.seq;
  const reason = misused
    ? `the key of ${name} was ${ended.how} in entry ${ended.seq}, before entry ${seq}`
    : undated(name, ended.seq);
  return { counts: false, misused, reason };
}
