/**
 * The hash chain over entry bytes. I1: numbers run from 0 without gaps and every `prev` is the digest of the predecessor's bytes.
 * I2: the bytes are canonical. I3: one ledger id.
 *
 * The last entry of a chain is protected by nothing inside the ledger: whoever replaces it also replaces its digest. Only a size and
 * a head digest kept elsewhere show that.
 */
import type { Digest } from '../base/digest.ts';
import { LiftgateError } from '../base/errors.ts';
import { entryFileName, entryId, type LedgerEntry, parseEntry, type StoredEntry } from './entry.ts';

/** How far a chain was followed: number of entries, digest of the last one, id of the ledger (null when empty). */
export interface ChainHead {
  readonly size: number;
  readonly head: Digest | null;
  readonly ledger: string | null;
}

/** The chain of a ledger without entries. */
export const emptyChain: ChainHead = { size: 0, head: null, ledger: null };

/** The invariants of a ledger, numbered as in `ledger/README.md`. */
export type InvariantId =
  | 'I1'
  | 'I2'
  | 'I3'
  | 'I4'
  | 'I5'
  | 'I6'
  | 'I7'
  | 'I8'
  | 'I9'
  | 'I10'
  | 'I11'
  | 'I12'
  | 'I13'
  | 'I14'
  | 'I15'
  | 'I16';

/** What each invariant says, in the order of the report. */
export const invariantTexts: Readonly<Record<InvariantId, string>> = {
  I1: 'numbers run from 0 without gaps and every entry names the digest of the one before it',
  I2: 'every entry has exactly its canonical bytes',
  I3: 'all entries belong to one ledger',
  I4: 'a unit is held by at most one experiment at a time, under one spelling and one content',
  I5: 'a unit is exposed by at most one experiment; under alpha-slots by one at a time, and never again once retired',
  I6: 'no entry undoes an exposure and kinds follow their order',
  I7: 'attempts are numbered without gaps, each with its own fence, and no journal shrinks (receipts are checked with their run)',
  I8: 'every outcome covers exactly its planned cells',
  I9: 'error spent is the error that was held, and no more than the policy of its family gives',
  I10: 'every request is recorded once',
  I11: 'development units and final units are disjoint',
  I12: 'every object an entry names is stored with those bytes',
  I13: 'every signing key was signed for by a valid one, and a revoked or replaced key signs nothing later',
  I14: 'every amendment names all it changes and what had been exposed, before its own exposure',
  I15: 'every entry that a policy wants signed is signed by a key that may, and no signature is broken',
  I16: 'where a policy wants anchors, reservation and exposure were anchored before what followed them',
};

/** All of them, in order. */
export const invariantIds: readonly InvariantId[] = [
  'I1',
  'I2',
  'I3',
  'I4',
  'I5',
  'I6',
  'I7',
  'I8',
  'I9',
  'I10',
  'I11',
  'I12',
  'I13',
  'I14',
  'I15',
  'I16',
];

/** One break of the chain rules. */
export interface ChainFault {
  readonly invariant: 'I1' | 'I3';
  readonly message: string;
}

function continues(chain: ChainHead, entry: LedgerEntry): boolean {
  return (
    entry.seq === chain.size &&
    entry.prev === chain.head &&
    (entry.kind === 'genesis') === (chain.size === 0) &&
    (chain.ledger === null || entry.ledger === chain.ledger)
  );
}

/** Where an entry does not continue a chain; empty when it does. */
export function chainFaults(chain: ChainHead, entry: LedgerEntry): ChainFault[] {
  if (continues(chain, entry)) return [];
  const faults: ChainFault[] = [];
  const add = (invariant: 'I1' | 'I3', message: string) => faults.push({ invariant, message });
  if (entry.seq !== chain.size) {
    add('I1', `Entry number ${entry.seq} stands where number ${chain.size} belongs.`);
  }
  if (entry.prev !== chain.head) {
    add(
      'I1',
      `Entry ${chain.size} continues ${entry.prev ?? 'nothing'}, but the entry before it is ${chain.head ?? 'none'}.`,
    );
  }
  if ((entry.kind === 'genesis') !== (chain.size === 0)) {
    add(
      'I1',
      `Entry ${chain.size} is of kind "${entry.kind}"; genesis is entry 0 and only entry 0.`,
    );
  }
  if (chain.ledger !== null && entry.ledger !== chain.ledger) {
    add(
      'I3',
      `Entry ${chain.size} belongs to ledger ${entry.ledger}, this ledger is ${chain.ledger}.`,
    );
  }
  return faults;
}

/**
 * Follows a chain by one entry.
 *
 * @param bytes  stored bytes of the next entry
 * @returns      the chain including it, and the entry with its identity
 * @throws {LiftgateError} ledger-damaged  with `details.invariant` I1, I2 or I3
 */
export function extendChain(
  chain: ChainHead,
  bytes: Uint8Array,
): { readonly chain: ChainHead; readonly stored: StoredEntry } {
  const file = entryFileName(chain.size);
  const entry = parseEntry(bytes, file);
  const fault = chainFaults(chain, entry)[0];
  if (fault !== undefined) {
    throw new LiftgateError('ledger-damaged', fault.message, {
      where: { file },
      mend: 'Restore the ledger folder from version control or a copy; entries are never edited, removed or reordered.',
      details: { invariant: fault.invariant },
    });
  }
  const stored = { entry, entryId: entryId(bytes), bytes };
  return {
    chain: { size: chain.size + 1, head: stored.entryId, ledger: entry.ledger },
    stored,
  };
}
