/** Two copies of one ledger that go on apart, for tests of imports. */
import { importBranch } from '../../src/ledger/import.ts';
import { type Ledger, type LedgerStore, openLedgerStore } from '../../src/ledger/ledger.ts';
import { memoryStore } from '../../src/ledger/memory-ledger.ts';
import { countingPorts } from './ledger-story.ts';

/** Copies that begin with the same entries; each goes on as its author likes. */
export interface Parted {
  readonly ours: Ledger;
  readonly theirs: Ledger;
  readonly stores: { readonly ours: LedgerStore; readonly theirs: LedgerStore };
}

/** Tells the same beginning in two ledgers: equal requests give equal bytes. */
export async function parted(begin: (ledger: Ledger) => Promise<unknown>): Promise<Parted> {
  const stores = { ours: memoryStore(), theirs: memoryStore() };
  const ours = openLedgerStore(stores.ours, countingPorts());
  const theirs = openLedgerStore(stores.theirs, countingPorts());
  await begin(ours);
  await begin(theirs);
  return { ours, theirs, stores };
}

/** Imports another copy into a ledger. */
export async function importFrom(ledger: Ledger, theirs: Ledger) {
  return importBranch(ledger, {
    entries: await theirs.entries(),
    readObject: (digest) => theirs.object(digest),
  });
}
