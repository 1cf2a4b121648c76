/** Two copies of one ledger that go on apart, for tests of imports. */
import fc from 'fast-check';
import { LiftgateError } from '../../src/base/errors.ts';
import { rootOfPeaks } from '../../src/base/merkle.ts';
import { importBranch } from '../../src/ledger/import.ts';
import { type Ledger, type LedgerStore, openLedgerStore } from '../../src/ledger/ledger.ts';
import { memoryLedger, memoryStore } from '../../src/ledger/memory-ledger.ts';
import {
  type Answer,
  type Operation,
  operationsArbitrary,
  runOperations,
} from './ledger-operations.ts';
import { bytesOf, countingPorts } from './ledger-story.ts';

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

/** Requests before two copies part, of either copy afterwards, and after the import. */
export interface Branches {
  readonly common: readonly Operation[];
  readonly ours: readonly Operation[];
  readonly theirs: readonly Operation[];
  readonly after: readonly Operation[];
}

/** Branches in which most requests have a fair chance to be allowed. */
export const branchesArbitrary: fc.Arbitrary<Branches> = fc
  .tuple(operationsArbitrary, operationsArbitrary, operationsArbitrary, operationsArbitrary)
  .map(([common, ours, theirs, after]) => ({
    common: common.slice(0, 8),
    ours: ours.slice(0, 20),
    theirs: theirs.slice(0, 20),
    after: after.slice(0, 8),
  }));

/** The other copy of such branches, in memory. */
export async function theirCopy({ common, theirs }: Branches): Promise<Ledger> {
  const ledger = memoryLedger(countingPorts());
  await runOperations(() => ledger, [...common, ...theirs]);
  return ledger;
}

/** Anchors the ledger as it is; null when it is empty. */
export async function anchorNow(ledger: Ledger): Promise<number | null> {
  const { chain, past } = await ledger.state();
  if (chain.head === null || past === null) return null;
  const object = await ledger.putObject(bytesOf(`proof of ${chain.size}\n`));
  const body = { size: chain.size, head: chain.head, root: rootOfPeaks(past.peaks), object };
  const requestId = `anchor:${chain.size}`;
  return (await ledger.append({ kind: 'anchor', requestId, body: { ...body, type: 'ots' } })).entry
    .seq;
}

/** What telling the branches gave. */
export interface Told {
  readonly answers: readonly Answer[];
  readonly imported: number;
  readonly contested: number;
  readonly refusal: string | null;
}

/**
 * Runs the common requests and those of this copy, imports the other copy, anchors, and goes on.
 * @param ledger  called before each step, so that a test can open the ledger anew
 */
export async function tellBranches(ledger: () => Ledger, branches: Branches): Promise<Told> {
  const { common, ours, after } = branches;
  const first = await runOperations(ledger, [...common, ...ours]);
  const theirs = await theirCopy(branches);
  let [imported, refusal]: [number, string | null] = [0, null];
  try {
    imported = (await importFrom(ledger(), theirs)) === null ? 0 : 1;
  } catch (error) {
    // One of the two has no entry, or only goes on from the other: there is no branch.
    if (!(error instanceof LiftgateError)) throw error;
    refusal = error.message;
  }
  await anchorNow(ledger());
  const last = await runOperations(ledger, after, undefined, 'after');
  const { claims } = await ledger().state();
  const contested = claims.values().filter((claim) => claim.contestedSeq !== undefined).length;
  return { answers: [...first, ...last], imported, contested, refusal };
}
