/**
 * What a state keeps of the entries it was made of: all of its own, to hold branches and anchors against them, and those of other
 * branches.
 *
 * In this ledger the numbers of imported entries are taken. They are known under numbers of their own, from 90,000,000 on in the order
 * in which they were imported; later entries refer to them by these.
 */
import { addLeaf, leafDigest, type Peaks } from '../base/merkle.ts';
import type { LedgerEntry, StoredEntry } from './entry.ts';

/** Number of the first imported entry. A ledger of its own never gets there. */
export const importedFrom = 90_000_000;

/** An imported entry. */
export interface ImportedEntry {
  /** As this ledger numbers it, with the numbers inside its body likewise. */
  readonly entry: LedgerEntry;
  /** As its own branch holds it, byte for byte. */
  readonly stored: StoredEntry;
  /** Number of the entry of this ledger that brought it. */
  readonly importSeq: number;
}

/** How far a ledger was followed: its last entry, the tree over all of them, and the past before; shared, never changed. */
export interface Past {
  readonly stored: StoredEntry;
  readonly peaks: Peaks;
  readonly before: Past | null;
}

/** The past with one more entry. */
export function extendPast(before: Past | null, stored: StoredEntry): Past {
  const peaks = addLeaf(before?.peaks ?? null, leafDigest(stored.bytes));
  return { stored, peaks, before };
}

/** The past as it was when the ledger had `size` entries; null when it never had. */
export function pastOf(past: Past | null, size: number): Past | null {
  let at = past;
  while (at !== null && at.stored.entry.seq >= size) at = at.before;
  return at?.stored.entry.seq === size - 1 ? at : null;
}
