/** Brings the entries of another copy of a ledger into it: as they are where they only continue it, as an `import` where it went on otherwise. */
import { type Digest, digestHex, digestOf } from '../base/digest.ts';
import { LiftgateError } from '../base/errors.ts';
import { addLeaf, leafDigest, type Peaks, rootOfPeaks } from '../base/merkle.ts';
import { formatBranch, readBranchObjects } from './branch.ts';
import { checkEntry, type EntryOf, isKind, namedObjects, type StoredEntry } from './entry.ts';
import { type Appended, type Ledger, type LedgerStore, maximumTries } from './ledger.ts';
import type { LedgerState } from './projection.ts';
import { contestedBy } from './state.ts';

/** Another copy of a ledger, as far as it is needed. */
export interface OtherLedger {
  readonly entries: readonly StoredEntry[];
  readObject(digest: Digest): Promise<Uint8Array | null>;
}

/** How two copies of a ledger go together; `fork` is the number of the first entry in which they differ. */
export type Relation = 'same' | 'ahead' | 'behind' | 'forked';

/**
 * How another copy stands to this one: `ahead` has entries beyond it, `behind` lacks some, `forked` has others.
 * @throws {LiftgateError} ledger-conflict  when they are two ledgers
 */
export function relationOf(
  ours: readonly StoredEntry[],
  theirs: readonly StoredEntry[],
): { readonly relation: Relation; readonly fork: number } {
  const shorter = Math.min(ours.length, theirs.length);
  let fork = 0;
  while (fork < shorter && ours[fork]?.entryId === theirs[fork]?.entryId) fork += 1;
  if (fork === ours.length && fork === theirs.length) return { relation: 'same', fork };
  if (fork === ours.length) return { relation: 'ahead', fork };
  if (fork === theirs.length) return { relation: 'behind', fork };
  if (fork > 0) return { relation: 'forked', fork };
  const [own, other] = [ours[0]?.entry.ledger, theirs[0]?.entry.ledger];
  throw new LiftgateError(
    'ledger-conflict',
    own === other
      ? `Both are ledger ${own}, but they do not begin with the same entry.`
      : `This is ledger ${own}, the other one is ledger ${other}.`,
    {
      mend: 'Only branches of one ledger can be imported: what another ledger spent is recorded with `liftgate ledger leak`.',
      details: { reason: 'other-ledger' },
    },
  );
}

/**
 * Records the branch in which another copy went on otherwise. Repeating it changes nothing.
 *
 * @returns the import; null when every entry of the branch is known already
 * @throws {LiftgateError} ledger-conflict  when they are two ledgers
 * @throws {LiftgateError} ledger-damaged   when the other copy is not sound, or lacks an object that its branch names
 */
export async function importBranch(
  ledger: Ledger,
  theirs: OtherLedger,
): Promise<Appended<'import'> | null> {
  for (let attempt = 1; ; attempt += 1) {
    const [ours, state] = [await ledger.entries(), await ledger.state()];
    const { fork } = relationOf(ours, theirs.entries);
    const branch = theirs.entries.slice(fork);
    if (branch.every(({ entryId }) => state.imported.get(entryId) !== undefined)) return null;
    const body = await prepareImport(ledger, { ours, theirs, fork, state });
    try {
      return await ledger.append({
        kind: 'import',
        requestId: `import:${digestHex(body.head)}:${state.chain.size}`,
        body,
      });
    } catch (error) {
      const grown =
        error instanceof LiftgateError && error.details['reason'] === 'contested-differ';
      if (attempt === maximumTries || !grown) throw error;
    }
  }
}

/** Stores what the branch needs; the body of its import into the ledger as it is now. */
async function prepareImport(
  ledger: Ledger,
  found: {
    readonly ours: readonly StoredEntry[];
    readonly theirs: OtherLedger;
    readonly fork: number;
    readonly state: LedgerState;
  },
): Promise<EntryOf<'import'>['body']> {
  const { ours, theirs, fork, state } = found;
  const bytes = formatBranch(theirs.entries.slice(fork));
  const [common, last] = [theirs.entries[fork - 1], theirs.entries.at(-1)];
  let peaks: Peaks | null = null;
  for (const stored of theirs.entries) peaks = addLeaf(peaks, leafDigest(stored.bytes));
  const body = {
    forkSeq: fork,
    forkId: common?.entryId ?? digestOf(''),
    size: theirs.entries.length,
    head: last?.entryId ?? digestOf(''),
    root: rootOfPeaks(peaks),
    entriesObject: await ledger.putObject(bytes),
    contestedObject: null,
  };
  const entry = draftOf(state, body);
  const read = async (digest: Digest): Promise<Uint8Array | null> =>
    digest === body.entriesObject
      ? bytes
      : ((await theirs.readObject(digest)) ?? (await ledger.object(digest)));
  const objects = await readBranchObjects(entry, (seq) => ours[seq]?.entry, read);
  for (const object of objects.values()) if (object !== null) await ledger.putObject(object);
  const contested = contestedBy(state, entry, (digest) => objects.get(digest) ?? null);
  return {
    ...body,
    contestedObject: contested === null ? null : await ledger.putObject(contested),
  };
}

function draftOf(state: LedgerState, body: EntryOf<'import'>['body']): EntryOf<'import'> {
  const { size, head, ledger } = state.chain;
  const entry = checkEntry({
    ...{ v: 1, ledger, seq: size, prev: head, kind: 'import', requestId: 'draft' },
    ...{ at: '1970-01-01T00:00:00.000Z', actor: 'draft', body },
  });
  if (isKind(entry, 'import')) return entry;
  throw new LiftgateError('internal', 'A draft of an import has another kind.');
}

/**
 * Appends the entries of a copy that only continues this ledger, as they are.
 *
 * @param from  number of entries this ledger has
 * @throws {LiftgateError} ledger-busy  when somebody appended meanwhile
 */
export async function continueLedger(
  store: LedgerStore,
  from: number,
  theirs: OtherLedger,
): Promise<void> {
  for (const { entry, bytes } of theirs.entries.slice(from)) {
    for (const digest of await objectsBehind(entry, theirs)) {
      const object = await theirs.readObject(digest);
      if (object !== null) await store.putObject(object);
    }
    if (await store.putIfAbsent(entry.seq, bytes)) continue;
    throw new LiftgateError('ledger-busy', `Entry ${entry.seq} was written by somebody else.`, {
      mend: 'Repeat the import: what they appended is then imported beside it.',
    });
  }
}

/** Objects an entry names, and for an import those of its branch. */
async function objectsBehind(
  entry: StoredEntry['entry'],
  { entries, readObject }: OtherLedger,
): Promise<Iterable<Digest>> {
  if (!isKind(entry, 'import')) return namedObjects(entry);
  return (await readBranchObjects(entry, (seq) => entries[seq]?.entry, readObject)).keys();
}
