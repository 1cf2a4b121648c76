/**
 * A branch of a ledger: the entries in which another copy differs from this one, kept by an `import` entry as one object, the exact
 * bytes of their files one after another. Nothing of them is changed, so receipts and statements that name them stay valid.
 */
import type { Digest } from '../base/digest.ts';
import type { LiftgateError } from '../base/errors.ts';
import { addLeaf, leafDigest, rootOfPeaks } from '../base/merkle.ts';
import { type ChainHead, extendChain } from './chain.ts';
import {
  checkEntry,
  type EntryOf,
  entryId,
  isKind,
  type LedgerEntry,
  namedObjects,
  parseEntry,
  type StoredEntry,
} from './entry.ts';
import type { Past } from './past.ts';
import type { ObjectResolver } from './projection.ts';
import { conflict } from './transitions.ts';

/**
 * Bytes of the object that keeps a branch.
 * @param entries  at least one
 */
export function formatBranch(entries: readonly StoredEntry[]): Uint8Array {
  return new Uint8Array(Buffer.concat(entries.map(({ bytes }) => bytes)));
}

/**
 * Reads the object of a branch: entries as their files hold them.
 * @throws {LiftgateError} ledger-damaged, ledger-unsafe
 */
export function parseBranch(bytes: Uint8Array, file: string): StoredEntry[] {
  const entries: StoredEntry[] = [];
  for (let from = 0; from < bytes.length; ) {
    const end = bytes.indexOf(0x0a, from);
    const line = bytes.slice(from, end < 0 ? bytes.length : end + 1);
    entries.push({ entry: parseEntry(line, file), entryId: entryId(line), bytes: line });
    from += line.length;
  }
  return entries;
}

/**
 * Holds a branch to what its import says: it continues the common entries, and ends with that size, head and root.
 * @param fork  this ledger as it was before the branches parted; null when it never had that size
 * @param next  identity of this ledger's own entry `forkSeq`; null when there is none
 * @throws {LiftgateError} ledger-conflict I1, ledger-damaged
 */
export function checkBranch(
  { body, ledger }: EntryOf<'import'>,
  branch: readonly StoredEntry[],
  { fork, next }: { readonly fork: Past | null; readonly next: Digest | null },
): void {
  if (fork?.stored.entryId !== body.forkId)
    throw refused(
      `Entry ${body.forkSeq - 1} of this ledger is not ${body.forkId}, the last common one.`,
    );
  let chain: ChainHead = { size: body.forkSeq, head: body.forkId, ledger };
  let { peaks } = fork;
  for (const { bytes } of branch) {
    ({ chain } = extendChain(chain, bytes));
    peaks = addLeaf(peaks, leafDigest(bytes));
  }
  const [first] = branch;
  if (first === undefined || next === null || next === first.entryId)
    throw refused(
      `Nothing differs from entry ${body.forkSeq} on, so there is no branch to import.`,
    );
  if (chain.size !== body.size || chain.head !== body.head)
    throw refused(
      `The branch ends with entry ${chain.size - 1}, ${chain.head}; the import says otherwise.`,
    );
  if (rootOfPeaks(peaks) !== body.root)
    throw refused(
      `The branch has the Merkle root ${rootOfPeaks(peaks)}; the import says ${body.root}.`,
    );
}

function refused(message: string): LiftgateError {
  return conflict('I1', message, {
    mend: 'Import with `liftgate ledger import`, which takes these from the other ledger itself.',
    details: { reason: 'branch-differs' },
  });
}

/** The entry as another ledger numbers it; numbers inside its body are those of entries. */
export function renumbered(
  entry: LedgerEntry,
  seq: number,
  numberOf: (seq: number) => number,
): LedgerEntry {
  const body: Record<string, unknown> = { ...entry.body };
  for (const name of ['reserve', 'expose', 'outcome']) {
    const number = body[name];
    if (typeof number === 'number') body[name] = numberOf(number);
  }
  return checkEntry({ ...entry, seq, body });
}

/** Reads an object; null when it is not there. */
export type ReadObject = (digest: Digest) => Promise<Uint8Array | null>;

/** Gives an entry by its number; undefined when there is none. */
export type EntryAt = (seq: number) => LedgerEntry | undefined;

/**
 * Objects that imported entries name, with what their transition needs: lists of units of reservations before the fork that only they
 * exposed. An object that is not stored is null.
 *
 * @param entryAt  entries of the ledger that imports
 * @throws {LiftgateError} ledger-damaged, ledger-unsafe  when a branch cannot be read
 */
export async function readBranchObjects(
  entry: EntryOf<'import'>,
  entryAt: EntryAt,
  read: ReadObject,
): Promise<ReadonlyMap<Digest, Uint8Array | null>> {
  const found = new Map<Digest, Uint8Array | null>();
  const keep = async (digests: readonly Digest[]): Promise<void> => {
    for (const digest of digests) if (!found.has(digest)) found.set(digest, await read(digest));
  };
  const visit = async (own: EntryOf<'import'>, before: EntryAt): Promise<void> => {
    const { forkSeq, entriesObject } = own.body;
    await keep(namedObjects(own));
    const branch = parseBranch(found.get(entriesObject) ?? new Uint8Array(), entriesObject);
    const at: EntryAt = (seq) => (seq < forkSeq ? before(seq) : branch[seq - forkSeq]?.entry);
    for (const { entry: each } of branch) {
      await keep(namedObjects(each));
      const claim = isKind(each, 'expose') ? at(each.body.reserve) : undefined;
      if (claim?.kind === 'reserve') await keep([claim.body.unitsObject]);
      if (isKind(each, 'import')) await visit(each, at);
    }
  };
  await visit(entry, entryAt);
  return found;
}

/**
 * Every object behind entries: those they name, and those that the entries of imported branches name.
 * @param objects  what is there; an imported branch that is missing names nothing
 * @throws {LiftgateError} ledger-damaged, ledger-unsafe  when a branch cannot be read
 */
export function objectsBehind(
  entries: readonly LedgerEntry[],
  objects: ReadonlyMap<Digest, Uint8Array>,
): ReadonlySet<Digest> {
  const needed = new Set<Digest>();
  const visit = (entry: LedgerEntry): void => {
    for (const digest of namedObjects(entry)) needed.add(digest);
    if (!isKind(entry, 'import')) return;
    const { entriesObject } = entry.body;
    const bytes = objects.get(entriesObject) ?? new Uint8Array();
    for (const each of parseBranch(bytes, entriesObject)) visit(each.entry);
  };
  for (const entry of entries) visit(entry);
  return needed;
}

/** Every object behind entries with its bytes, read; null when it is not there. */
export async function readObjectsBehind(
  entries: readonly StoredEntry[],
  read: ReadObject,
): Promise<ReadonlyMap<Digest, Uint8Array | null>> {
  const found = new Map<Digest, Uint8Array | null>();
  for (const { entry } of entries) {
    const own = isKind(entry, 'import')
      ? await readBranchObjects(entry, (seq) => entries[seq]?.entry, read)
      : [];
    for (const [digest, bytes] of own) found.set(digest, bytes);
    for (const digest of namedObjects(entry))
      if (!found.has(digest)) found.set(digest, await read(digest));
  }
  return found;
}

/** Reads objects that an entry names, and for an import those its branch needs. */
export async function readObjectsFor(
  entry: LedgerEntry,
  digests: readonly Digest[],
  { entryAt, read }: { readonly entryAt: EntryAt; readonly read: ReadObject },
): Promise<ObjectResolver> {
  const brought = isKind(entry, 'import') ? await readBranchObjects(entry, entryAt, read) : [];
  const found = new Map(brought);
  for (const digest of digests) if (!found.has(digest)) found.set(digest, await read(digest));
  return (digest) => found.get(digest) ?? null;
}

/** The part of a store that reading needs. */
export interface ReadableStore {
  listEntries(): Promise<number>;
  readEntry(seq: number): Promise<Uint8Array>;
  readObject(digest: Digest): Promise<Uint8Array | null>;
}

/**
 * The ledger as its other branch held it: the common entries and its own, over the objects of the ledger that imported it.
 * @throws {LiftgateError} ledger-damaged  when the branch cannot be read
 */
export async function branchStore(
  store: ReadableStore,
  { body }: EntryOf<'import'>,
): Promise<ReadableStore> {
  const { forkSeq, entriesObject } = body;
  const bytes = await store.readObject(entriesObject);
  const branch = parseBranch(bytes ?? new Uint8Array(), entriesObject);
  return {
    listEntries: () => Promise.resolve(forkSeq + branch.length),
    readEntry: (seq) => {
      const own = branch[seq - forkSeq];
      return own === undefined ? store.readEntry(seq) : Promise.resolve(own.bytes);
    },
    readObject: (digest) => store.readObject(digest),
  };
}
