/**
 * Merges a branch into a ledger: its entries are followed after those of this ledger, each with its effect and none refused, and what
 * both sides claimed is contested for both. A branch that imported others brings these along.
 */
import { type Digest, digestOf } from '../base/digest.ts';
import { type Absorbing, absorb, type Transition } from './absorb.ts';
import { checkBranch, parseBranch, renumbered } from './branch.ts';
import { contest, formatContested } from './contest.ts';
import type { EntryOf, LedgerEntry, StoredEntry } from './entry.ts';
import { importedFrom, pastOf } from './past.ts';
import { type LedgerState, type ObjectResolver, requestKey } from './projection.ts';
import { storedObject } from './stored-objects.ts';
import { conflict, type Step } from './transitions.ts';

/** What a ledger knew of entries when it had some size, in its own numbers. */
interface Numbering {
  /** Number in the ledger that merges. */
  numberOf(own: number): number | undefined;
  /** Whether it held an entry when it had `size` of its own, imported ones included. */
  held(id: Digest, size: number): boolean;
  /** Number its next imported entry would have got then. */
  nextAt(size: number): number;
}

/** The ledger that merges, whose numbers are its own. */
class OwnNumbering implements Numbering {
  private readonly numbers: ReadonlyMap<Digest, number>;
  private readonly state: LedgerState;

  constructor(state: LedgerState, numbers: ReadonlyMap<Digest, number>) {
    this.state = state;
    this.numbers = numbers;
  }

  numberOf(own: number): number {
    return own;
  }

  held(id: Digest, size: number): boolean {
    const number = this.numbers.get(id);
    if (number === undefined) return false;
    return number >= importedFrom ? number < this.nextAt(size) : number < size;
  }

  nextAt(size: number): number {
    const before = this.state.imported.values().filter(({ importSeq }) => importSeq < size);
    return importedFrom + before.length;
  }
}

/** A branch, which numbers like the ledger it left up to the fork and on its own from there. */
class BranchNumbering implements Numbering {
  private readonly before: Numbering;
  private readonly fork: number;
  private readonly numbers = new Map<number, number>();
  /** Number of its own entry with which it came to hold an entry. */
  private readonly since = new Map<Digest, number>();
  private readonly imports: { readonly size: number; readonly next: number }[] = [];

  constructor(before: Numbering, fork: number) {
    this.before = before;
    this.fork = fork;
  }

  numberOf(own: number): number | undefined {
    const known = this.numbers.get(own);
    const common = own < importedFrom ? own < this.fork : own < this.before.nextAt(this.fork);
    return known ?? (common ? this.before.numberOf(own) : undefined);
  }

  held(id: Digest, size: number): boolean {
    return (this.since.get(id) ?? size) < size || this.before.held(id, Math.min(size, this.fork));
  }

  nextAt(size: number): number {
    if (size <= this.fork) return this.before.nextAt(size);
    const last = this.imports.findLast((each) => each.size < size);
    return last?.next ?? this.before.nextAt(this.fork);
  }

  /** Learns its own entry. */
  learn(own: number, id: Digest, number: number): void {
    this.numbers.set(own, number);
    this.since.set(id, own);
  }

  /** Learns an entry that its own entry `by` imported. */
  learnImported(by: number, id: Digest, number: number): void {
    const own = this.nextAt(by + 1);
    this.numbers.set(own, number);
    this.since.set(id, by);
    this.imports.push({ size: by, next: own + 1 });
  }

  /** What it came to hold since the fork, in this order. */
  learnt(): Digest[] {
    return [...this.since.keys()];
  }
}

class Merge {
  state: LedgerState;
  readonly clashes = new Set<number>();
  private readonly numbers = new Map<Digest, number>();
  private readonly byNumber = new Map<number, StoredEntry>();
  private readonly importSeq: number;
  private readonly absorbing: Absorbing;

  constructor(state: LedgerState, importSeq: number, objects: ObjectResolver, apply: Transition) {
    this.state = state;
    this.importSeq = importSeq;
    for (let past = state.past; past !== null; past = past.before)
      this.know(past.stored.entry.seq, past.stored);
    for (const { entry, stored } of state.imported.values()) this.know(entry.seq, stored);
    this.absorbing = {
      objects,
      apply,
      firstNew: state.nextImported,
      entryAt: (seq) => this.numbered(seq),
      clashes: this.clashes,
    };
  }

  own(): Numbering {
    return new OwnNumbering(this.state, new Map(this.numbers));
  }

  /** Follows a branch; `learn` hears of each of its entries. */
  follow(branch: readonly StoredEntry[], numbering: BranchNumbering): void {
    for (const stored of branch) {
      const number = this.place(stored, numbering);
      numbering.learn(stored.entry.seq, stored.entryId, number);
      if (stored.entry.kind === 'import') this.followNested(stored.entry, number, numbering);
    }
  }

  /** What a branch imported, and what it contested by that. */
  private followNested(entry: EntryOf<'import'>, number: number, outer: BranchNumbering): void {
    const inner = new BranchNumbering(outer, entry.body.forkSeq);
    this.follow(readBranch(entry, this.absorbing.objects), inner);
    const [innerEnd, outerEnd] = [entry.body.size, entry.seq];
    const side =
      (own: Numbering, end: number, other: (id: Digest) => boolean) =>
      (seq: number): boolean => {
        const id = this.byNumber.get(seq)?.entryId;
        return id !== undefined && own.held(id, end) && !other(id);
      };
    const sides = {
      mine: side(inner, innerEnd, (id) => outer.held(id, outerEnd)),
      theirs: side(outer, outerEnd, (id) => inner.held(id, innerEnd)),
      clashes: new Set<number>(),
    };
    for (const id of inner.learnt()) {
      const known = this.numbers.get(id);
      if (known !== undefined && !outer.held(id, outerEnd))
        outer.learnImported(outerEnd, id, known);
    }
    this.state = contest(this.state, sides, number).state;
  }

  /** Number of an entry in this ledger: the one it has, or the next one, with its effect. */
  private place(stored: StoredEntry, numbering: Numbering): number {
    const known = this.numbers.get(stored.entryId);
    if (known !== undefined) return known;
    const number = this.state.nextImported;
    const entry = renumbered(stored.entry, number, (own) => this.translated(own, numbering));
    this.know(number, stored);
    const imported = { entry, stored, importSeq: this.importSeq };
    this.state = {
      ...this.state,
      imported: this.state.imported.with([[stored.entryId, imported]]),
      nextImported: number + 1,
    };
    const next = absorb(this.state, { entry, entryId: stored.entryId }, this.absorbing);
    this.state = answered(next, { entry, entryId: stored.entryId });
    return number;
  }

  private translated(own: number, numbering: Numbering): number {
    const number = numbering.numberOf(own);
    if (number !== undefined) return number;
    throw conflict('I1', `The branch refers to entry ${own}, which it does not have.`, {
      mend: 'Import from the ledger itself, after `liftgate ledger verify` found it sound.',
      details: { reason: 'branch-differs' },
    });
  }

  private know(number: number, stored: StoredEntry): void {
    this.numbers.set(stored.entryId, number);
    this.byNumber.set(number, stored);
  }

  private numbered(seq: number): Step<LedgerEntry> | undefined {
    const stored = this.byNumber.get(seq);
    if (stored === undefined) return undefined;
    const imported = this.state.imported.get(stored.entryId);
    return { entry: imported?.entry ?? stored.entry, entryId: stored.entryId };
  }
}

/** A request of the branch is answered by its entry, unless this ledger answered one of that name. */
function answered(state: LedgerState, { entry, entryId }: Step<LedgerEntry>): LedgerState {
  const key = requestKey(entry.kind, entry.requestId);
  if (state.requests.get(key) !== undefined) return state;
  const answer = { seq: entry.seq, entryId, body: entry.body };
  return { ...state, requests: state.requests.with([[key, answer]]) };
}

function readBranch(entry: EntryOf<'import'>, objects: ObjectResolver): StoredEntry[] {
  const { entriesObject } = entry.body;
  return storedObject({ entry, objects }, entriesObject, {
    what: 'branch',
    parse: (bytes) => parseBranch(bytes, entriesObject),
  });
}

/** What merging needs beside state and entry. */
export interface Merging {
  readonly objects: ObjectResolver;
  /** The ordinary transition of an entry. */
  readonly apply: Transition;
}

/**
 * The state after an import, and the list of contested units it must name; null when there are none.
 * @throws {LiftgateError} ledger-conflict  I1, I12  when the branch is not the one the entry tells of, or objects are missing
 */
export function mergeBranch(
  state: LedgerState,
  entry: EntryOf<'import'>,
  { objects, apply }: Merging,
): { readonly state: LedgerState; readonly contested: Uint8Array | null } {
  const { forkSeq } = entry.body;
  const branch = readBranch(entry, objects);
  const next = pastOf(state.past, forkSeq + 1)?.stored.entryId ?? null;
  checkBranch(entry, branch, { fork: pastOf(state.past, forkSeq), next });
  const merge = new Merge(state, entry.seq, objects, apply);
  const own = merge.own();
  merge.follow(branch, new BranchNumbering(own, forkSeq));
  const [firstCommon, firstNew] = [own.nextAt(forkSeq), state.nextImported];
  const sides = {
    mine: (seq: number) => seq >= firstNew,
    theirs: (seq: number) =>
      seq >= importedFrom ? seq >= firstCommon && seq < firstNew : seq >= forkSeq,
    clashes: merge.clashes,
  };
  const { state: merged, units } = contest(merge.state, sides, entry.seq);
  return { state: merged, contested: units.length === 0 ? null : formatContested(units) };
}

/** Merges the branch that an entry imports; the list of contested units is the one it names. */
export function applyImport(
  state: LedgerState,
  entry: EntryOf<'import'>,
  merging: Merging,
): LedgerState {
  const { state: next, contested } = mergeBranch(state, entry, merging);
  const found = contested === null ? null : digestOf(contested);
  if (found === entry.body.contestedObject) return next;
  throw conflict(
    'I4',
    `The import names the contested units ${entry.body.contestedObject ?? 'none'}; they are ${found ?? 'none'}.`,
    {
      mend: 'Repeat the import: the ledger has grown since it was prepared.',
      details: { reason: 'contested-differ' },
    },
  );
}
