/** The histories that a ledger has taken in: its own, and those of the branches it imported, each from genesis on. */
import type { Digest } from '../base/digest.ts';
import type { LedgerEntry, StoredEntry } from './entry.ts';
import type { LedgerState } from './projection.ts';

/** An entry that a ledger knows, under its number there. */
export interface KnownEntry {
  readonly number: number;
  /** As this ledger numbers it, with the numbers inside its body. */
  readonly entry: LedgerEntry;
  /** As recorded, byte for byte. */
  readonly stored: StoredEntry;
  /** Number and identity of the own entry that holds it: itself, or the import that brought it. */
  readonly heldBy: number;
  readonly heldById: Digest;
}

function ownEntries({ past }: LedgerState): StoredEntry[] {
  const entries: StoredEntry[] = [];
  for (let at = past; at !== null; at = at.before) entries.push(at.stored);
  return entries.reverse();
}

/** By state: nobody changes one, and whoever checks a run asks for its entries many times. */
const entriesKnown = new WeakMap<LedgerState, ReadonlyMap<Digest, KnownEntry>>();

/** Every entry a ledger knows by identity: its own in order, then the imported ones in the order of their numbers. */
export function knownEntries(state: LedgerState): ReadonlyMap<Digest, KnownEntry> {
  const known = entriesKnown.get(state) ?? collectEntries(state);
  entriesKnown.set(state, known);
  return known;
}

function collectEntries(state: LedgerState): ReadonlyMap<Digest, KnownEntry> {
  const known = new Map<Digest, KnownEntry>();
  const own = ownEntries(state);
  for (const stored of own) {
    const { entry, entryId } = stored;
    known.set(entryId, {
      ...{ number: entry.seq, entry, stored },
      ...{ heldBy: entry.seq, heldById: entryId },
    });
  }
  for (const { entry, stored, importSeq } of state.imported.values())
    known.set(stored.entryId, {
      ...{ number: entry.seq, entry, stored },
      ...{ heldBy: importSeq, heldById: own[importSeq]?.entryId ?? stored.entryId },
    });
  return known;
}

/**
 * Every history from genesis to its last entry: this ledger's first, then one for each branch it imported.
 * @example historiesOf(emptyState) // => [[]]
 */
export function historiesOf(state: LedgerState): readonly (readonly StoredEntry[])[] {
  const known = knownEntries(state);
  const heads = [...known.values()].flatMap(({ stored: { entry } }) =>
    entry.kind === 'import' ? [entry.body.head] : [],
  );
  const follow = (head: Digest): StoredEntry[] => {
    const entries: StoredEntry[] = [];
    for (let at = known.get(head); at !== undefined; at = known.get(at.stored.entry.prev ?? head)) {
      entries.push(at.stored);
      if (at.stored.entry.prev === null) break;
    }
    return entries.reverse();
  };
  return [ownEntries(state), ...[...new Set(heads)].map(follow)];
}
