/** Checks a whole ledger from its stored bytes: chain, history, objects; every fault is reported, none is thrown. */
import { type Digest, digestOf } from '../base/digest.ts';
import { LiftgateError, type Problem } from '../base/errors.ts';
import { merkleRoot, rootOfPeaks } from '../base/merkle.ts';
import { branchStore, type EntryAt, type ReadableStore, readBranchObjects } from './branch.ts';
import {
  type ChainHead,
  chainFaults,
  emptyChain,
  type InvariantId,
  invariantIds,
  invariantTexts,
} from './chain.ts';
import {
  type EntryOf,
  entryFileName,
  entryId,
  isKind,
  type LedgerEntry,
  namedObjects,
  parseEntry,
  recordedSeal,
  type StoredEntry,
  transitionObjects,
} from './entry.ts';
import { emptyState, type LedgerState } from './projection.ts';
import { applyEntry } from './state.ts';

/** Size and head of a ledger as they were known somewhere else. */
export interface LedgerPin {
  readonly size: number;
  readonly head: Digest;
}

/** Looks up how far a ledger is known by its id, null when no entry can be read. */
export type PinOf = (ledger: string | null) => Promise<LedgerPin | undefined>;

/** One invariant and how it was found. */
export interface LedgerCheck {
  readonly id: InvariantId;
  readonly passed: boolean;
  readonly detail: string;
}

/** What `verify` says about a ledger. */
export interface LedgerReport {
  /** Number of entries read. */
  readonly entries: number;
  /** Digest of the last entry; null when there is none. */
  readonly head: Digest | null;
  /** Id of the ledger; null when there is no readable entry. */
  readonly ledger: string | null;
  /** Merkle root over the entries' bytes. */
  readonly root: Digest;
  /** No problem was found. */
  readonly ok: boolean;
  readonly checks: readonly LedgerCheck[];
  readonly problems: readonly Problem[];
  /** `unknown`: without an outside pin a removed or replaced tail leaves no trace inside the ledger. */
  readonly completeness: 'unknown' | 'pinned' | 'contradicted';
  /** The sentence that goes with it. */
  readonly completenessDetail: string;
}

/** What is checked of single entries, of the chain and of objects; the other invariants are about the history. */
const apartIds: readonly InvariantId[] = ['I1', 'I2', 'I3', 'I12'];

const historyIds: ReadonlySet<InvariantId> = new Set(
  invariantIds.filter((id) => !apartIds.includes(id)),
);

const restore =
  'Restore the ledger folder from version control or a copy; entries are never edited.';

class Findings {
  readonly problems: Problem[] = [];
  private readonly broken = new Map<InvariantId, string>();

  add(invariant: InvariantId, problem: Omit<Problem, 'code'>): void {
    this.problems.push({ code: invariant, ...problem });
    if (!this.broken.has(invariant)) this.broken.set(invariant, problem.message);
  }

  caught(error: unknown, fallback: InvariantId, file?: string): void {
    if (!(error instanceof LiftgateError)) throw error;
    const named = error.details['invariant'];
    this.add(invariantIds.find((id) => id === named) ?? fallback, {
      where: error.where ?? { file },
      message: error.message,
      mend: error.mend ?? restore,
    });
  }

  checks(stoppedAt: number | null): LedgerCheck[] {
    return invariantIds.map((id) => {
      const fault = this.broken.get(id);
      if (fault !== undefined) return { id, passed: false, detail: fault };
      if (stoppedAt !== null && historyIds.has(id)) {
        return { id, passed: false, detail: `not checked from entry ${stoppedAt} on` };
      }
      return { id, passed: true, detail: invariantTexts[id] };
    });
  }
}

interface ReadEntries {
  readonly bytes: readonly Uint8Array[];
  /** Digest of the last of them. */
  readonly head: Digest | null;
  readonly stored: readonly (StoredEntry | null)[];
  readonly ledger: string | null;
}

/** Reads and chains all entries; after a break the chain goes on from the bytes that are there, so that every break is named. */
async function readEntries(store: ReadableStore, findings: Findings): Promise<ReadEntries> {
  const bytes: Uint8Array[] = [];
  const stored: (StoredEntry | null)[] = [];
  let chain: ChainHead = emptyChain;
  let last: Digest | null = null;
  const size = await countEntries(store, findings);
  for (let seq = 0; seq < size; seq += 1) {
    const next = await readOne(store, seq, findings);
    if (next.bytes !== null) bytes.push(next.bytes);
    if (next.stored !== null) {
      for (const fault of chainFaults(chain, next.stored.entry)) {
        const where = { file: entryFileName(seq) };
        findings.add(fault.invariant, { where, message: fault.message, mend: restore });
      }
    }
    stored.push(next.stored);
    const head = next.stored?.entryId ?? (next.bytes === null ? null : entryId(next.bytes));
    last = head ?? last;
    chain = { size: seq + 1, head, ledger: chain.ledger ?? next.stored?.entry.ledger ?? null };
  }
  return { bytes, head: last, stored, ledger: chain.ledger };
}

async function countEntries(store: ReadableStore, findings: Findings): Promise<number> {
  try {
    return await store.listEntries();
  } catch (error) {
    findings.caught(error, 'I1');
    return 0;
  }
}

async function readOne(
  store: ReadableStore,
  seq: number,
  findings: Findings,
): Promise<{ readonly bytes: Uint8Array | null; readonly stored: StoredEntry | null }> {
  let bytes: Uint8Array | null = null;
  try {
    bytes = await store.readEntry(seq);
    const entry = parseEntry(bytes, entryFileName(seq));
    return { bytes, stored: { entry, entryId: entryId(bytes), bytes } };
  } catch (error) {
    findings.caught(error, 'I2', entryFileName(seq));
    return { bytes, stored: null };
  }
}

type Objects = Map<Digest, Uint8Array>;

/** Checks the objects of one entry and keeps those its transition reads. */
async function checkObjects(
  store: ReadableStore,
  entry: LedgerEntry,
  found: { readonly findings: Findings; readonly objects: Objects; readonly entryAt: EntryAt },
): Promise<void> {
  for (const digest of namedObjects(entry)) {
    const fault = await objectFault(store, digest, entry, found.objects);
    if (fault === null) continue;
    found.findings.add('I12', {
      where: { file: `objects/${digest.slice('sha256:'.length)}` },
      message: `Entry ${entry.seq} (${entry.kind}) names an object that ${fault}.`,
      mend: 'Restore the object from version control or a copy.',
    });
  }
}

/** What an import brings along: objects its transition reads, and a ledger that must be sound by itself. */
async function checkBranch(
  store: ReadableStore,
  entry: EntryOf<'import'>,
  found: { readonly findings: Findings; readonly objects: Objects; readonly entryAt: EntryAt },
): Promise<void> {
  const { findings, objects, entryAt } = found;
  const read = (digest: Digest) => store.readObject(digest).catch(() => null);
  try {
    for (const [digest, bytes] of await readBranchObjects(entry, entryAt, read))
      if (bytes !== null && digestOf(bytes) === digest) objects.set(digest, bytes);
    const { problems } = await checkLedger(await branchStore(store, entry));
    for (const problem of problems)
      findings.add(invariantIds.find((id) => id === problem.code) ?? 'I12', {
        ...problem,
        message: `In the branch that entry ${entry.seq} imports: ${problem.message}`,
      });
  } catch (error) {
    findings.caught(error, 'I12', entryFileName(entry.seq));
  }
}

async function objectFault(
  store: ReadableStore,
  digest: Digest,
  entry: LedgerEntry,
  objects: Objects,
): Promise<string | null> {
  try {
    const bytes = await store.readObject(digest);
    if (bytes === null) return 'is missing';
    if (digestOf(bytes) !== digest) return `has other bytes (${digestOf(bytes)})`;
    const seal = recordedSeal(entry);
    if (seal?.digest === digest && seal.size !== bytes.length)
      return `has ${bytes.length} bytes, not ${seal.size}`;
    if (transitionObjects(entry).includes(digest)) objects.set(digest, bytes);
    return null;
  } catch (error) {
    if (error instanceof LiftgateError) return `cannot be read: ${error.message}`;
    throw error;
  }
}

/** Applies the entries in order: the state, and the number at which history could not be followed further, or null. */
function followHistory(
  entries: ReadEntries,
  objects: Objects,
  findings: Findings,
): { readonly state: LedgerState; readonly stoppedAt: number | null } {
  let state: LedgerState = emptyState;
  for (const [seq, stored] of entries.stored.entries()) {
    if (stored === null) return { state, stoppedAt: seq };
    try {
      state = applyEntry(state, stored, (digest) => objects.get(digest) ?? null);
    } catch (error) {
      findings.caught(error, 'I6', entryFileName(seq));
      return { state, stoppedAt: seq };
    }
  }
  return { state, stoppedAt: null };
}

function completenessOf(
  entries: ReadEntries & { readonly state: LedgerState },
  pin: LedgerPin | undefined,
  findings: Findings,
): Pick<LedgerReport, 'completeness' | 'completenessDetail'> {
  if (pin === undefined) {
    return {
      completeness: 'unknown',
      completenessDetail:
        'Completeness is unknown: without a size and head kept outside this ledger, a removed or replaced tail leaves no trace.',
    };
  }
  const pinned = entries.bytes[pin.size - 1];
  if (pinned !== undefined && entryId(pinned) === pin.head) {
    return {
      completeness: 'pinned',
      completenessDetail: `Entries 0 to ${pin.size - 1} are the pinned ones; later entries are unprotected.`,
    };
  }
  const brought = entries.state.imported.get(pin.head);
  if (brought?.stored.entry.seq === pin.size - 1) {
    return {
      completeness: 'pinned',
      completenessDetail: `The pinned entries are those of a branch that entry ${brought.importSeq} imported; the other entries are unprotected.`,
    };
  }
  const message =
    pinned === undefined
      ? `The pin knows ${pin.size} entries, the ledger has ${entries.bytes.length}.`
      : `Entry ${pin.size - 1} is ${entryId(pinned)}, the pin knows ${pin.head}.`;
  findings.add('I6', { where: {}, message, mend: restore });
  return { completeness: 'contradicted', completenessDetail: message };
}

/** A ledger after its check: the report, and what was read on the way. */
export interface CheckedLedger {
  readonly report: LedgerReport;
  /** Every entry that could be read. */
  readonly entries: readonly StoredEntry[];
  /** State after the last entry that history could be followed to: after all of them when the report is ok. */
  readonly state: LedgerState;
}

/**
 * Checks invariants I1 to I16 from the stored bytes alone; offline, without writing.
 *
 * @param pin  size (>= 1) and head known from elsewhere; without it completeness is reported as unknown
 * @returns    every fault found; `ok` when there is none
 */
export async function checkLedger(store: ReadableStore, pin?: LedgerPin): Promise<LedgerReport> {
  return (await readLedger(store, pin)).report;
}

/** `checkLedger`, with the entries and the state that it found: whoever needs them too reads no byte twice. */
export async function readLedger(
  store: ReadableStore,
  pin?: LedgerPin | PinOf,
): Promise<CheckedLedger> {
  const findings = new Findings();
  const objects: Objects = new Map();
  const entries = await readEntries(store, findings);
  const entryAt: EntryAt = (seq) => entries.stored[seq]?.entry;
  for (const stored of entries.stored) {
    if (stored === null) continue;
    const found = { findings, objects, entryAt };
    await checkObjects(store, stored.entry, found);
    if (isKind(stored.entry, 'import')) await checkBranch(store, stored.entry, found);
  }
  const { state, stoppedAt } = followHistory(entries, objects, findings);
  const known = typeof pin === 'function' ? await pin(entries.ledger) : pin;
  const completeness = completenessOf({ ...entries, state }, known, findings);
  const report = {
    entries: entries.bytes.length,
    head: entries.head,
    ledger: entries.ledger,
    // A history that was followed to its end has grown the tree over the same bytes.
    root: stoppedAt === null ? rootOfPeaks(state.past?.peaks ?? null) : merkleRoot(entries.bytes),
    ok: findings.problems.length === 0,
    checks: findings.checks(stoppedAt),
    problems: findings.problems,
    ...completeness,
  };
  return { report, entries: entries.stored.filter((stored) => stored !== null), state };
}

/**
 * Holds a branch that is to be imported to every invariant of a ledger.
 * @throws {LiftgateError} ledger-damaged  with all that is wrong with it
 */
export async function requireSoundBranch(
  store: ReadableStore,
  entry: EntryOf<'import'>,
): Promise<void> {
  const { problems } = await checkLedger(await branchStore(store, entry));
  const [first] = problems;
  if (first === undefined) return;
  throw new LiftgateError(
    'ledger-damaged',
    `The branch that is to be imported is not sound: ${first.message}`,
    {
      where: first.where,
      mend: 'Check the other ledger with `liftgate ledger verify`; what is damaged is not imported.',
      problems,
      details: { reason: 'branch-damaged' },
    },
  );
}
