/**
 * The ledger: append by compare-and-swap on the next number, the same state machine over every store.
 *
 * An append reads the new tail, answers a repeated request with the recorded entry, checks the transition, and puts the bytes under
 * the next number; whoever loses the race reads again. Nothing is locked and nothing is written in part.
 */
import { type Digest, digestOf } from '../base/digest.ts';
import { LiftgateError } from '../base/errors.ts';
import type { Signer } from '../base/signature.ts';
import { readObjectsFor } from './branch.ts';
import { extendChain } from './chain.ts';
import {
  type CheckedLedger,
  type LedgerPin,
  type LedgerReport,
  type PinOf,
  readLedger,
  requireSoundBranch,
} from './check-ledger.ts';
import {
  checkEntry,
  createGenesis,
  type EntryKind,
  type EntryOf,
  type EntryRequest,
  formatEntry,
  isKind,
  type LedgerEntry,
  namedObjects,
  recordedSeal,
  type StoredEntry,
  transitionObjects,
} from './entry.ts';
import { signWhereDemanded } from './policy-demands.ts';
import { answerTo, emptyState, type LedgerState, type ObjectResolver } from './projection.ts';
import { applyEntry } from './state.ts';
import { asDamage, conflict } from './transitions.ts';

/** Where entries and objects are kept. Every method that writes returns only after the bytes are durable. */
export interface LedgerStore {
  /**
   * Number of entries, after checking that they are numbered 0 .. n-1 and that nothing else lies among them.
   * @param known  entries followed before; a store may count on from them, so that the cost does not grow with the ledger
   */
  listEntries(known?: number): Promise<number>;
  /** Stored bytes; what is not a plain file of its own is damage. */
  readEntry(seq: number): Promise<Uint8Array>;
  /** Stores an entry under its number; false when the number is taken. */
  putIfAbsent(seq: number, bytes: Uint8Array): Promise<boolean>;
  /** Makes an existing entry durable again before it is acknowledged to somebody else. */
  syncEntry(seq: number): Promise<void>;
  readObject(digest: Digest): Promise<Uint8Array | null>;
  /** Stores bytes under their digest; storing them again changes nothing. */
  putObject(bytes: Uint8Array): Promise<Digest>;
  /** Keeps other writers waiting during an append; spares lost races and is needed for nothing else. */
  inTurn?<Result>(append: () => Promise<Result>): Promise<Result>;
}

/** What the ledger needs from its surroundings. */
export interface LedgerPorts {
  /** UTC, ISO 8601 with milliseconds; recorded as a claim. */
  readonly now: () => string;
  /** Who writes; recorded as a claim. */
  readonly actor: string;
  /** 32 random hex digits, for the id of a new ledger. */
  readonly random: () => string;
  /** Waits a little before try number `attempt` (from 1) of a contested append. */
  readonly jitter: (attempt: number) => Promise<void>;
  /** Where the ledger belongs, as its genesis says. */
  readonly origin: string;
  /** Unicode version behind unit ids, as its genesis says. */
  readonly unicode: string;
  /** Head of the ledger this one continues; recorded at genesis. */
  readonly parent?: Digest | null;
  /** Opens the key that signs entries where the policy of a family wants them signed; asked only then. */
  readonly signer?: () => Promise<Signer>;
}

/** An acknowledged entry; `replayed` when the same request had been recorded before. */
export interface Appended<Kind extends EntryKind = EntryKind> {
  readonly entry: EntryOf<Kind>;
  readonly entryId: Digest;
  /** A replayed `expose` or `attempt` gives no right to dispatch. */
  readonly replayed: boolean;
}

/** An append-only, hash-chained log of what was claimed, exposed and found. */
export interface Ledger {
  /**
   * State after all entries now in the store.
   * @throws {LiftgateError} ledger-damaged, ledger-unsafe
   */
  state(): Promise<LedgerState>;
  /**
   * Records a request, or answers it with the entry that already records it.
   * @throws {LiftgateError} usage            when the body has not its declared shape
   * @throws {LiftgateError} ledger-conflict  when the history does not allow it, or the request id was used for another body
   * @throws {LiftgateError} ledger-busy      after 50 lost races
   * @throws {LiftgateError} ledger-damaged, ledger-unsafe
   */
  append<Kind extends EntryKind>(request: EntryRequest<Kind>): Promise<Appended<Kind>>;
  /** Stored bytes of an object; null when there is none. */
  object(digest: Digest): Promise<Uint8Array | null>;
  /** Stores bytes under their digest. */
  putObject(bytes: Uint8Array): Promise<Digest>;
  /** All entries in order. */
  entries(): Promise<readonly StoredEntry[]>;
  /** Reads everything again and checks every invariant; never throws for damage, it reports it. A pin may be looked up by the id. */
  verify(pin?: LedgerPin | PinOf): Promise<LedgerReport>;
}

/** Races an append may lose before it gives up. */
export const maximumTries = 50;

function unsafe(message: string, mend: string, reason: string): LiftgateError {
  return new LiftgateError('ledger-unsafe', message, { mend, details: { reason } });
}

/** A request of any kind before its shape is checked. */
interface Draft {
  readonly kind: EntryKind;
  readonly requestId: string;
  readonly body: unknown;
}

class StoreLedger implements Ledger {
  private readonly store: LedgerStore;
  private readonly ports: LedgerPorts;
  private known: LedgerState = emptyState;
  private tail: StoredEntry[] = [];
  private turn: Promise<unknown> = Promise.resolve();

  constructor(store: LedgerStore, ports: LedgerPorts) {
    this.store = store;
    this.ports = ports;
  }

  state(): Promise<LedgerState> {
    return this.inTurn(() => this.follow());
  }

  entries(): Promise<readonly StoredEntry[]> {
    return this.inTurn(async () => {
      await this.follow();
      return [...this.tail];
    });
  }

  object(digest: Digest): Promise<Uint8Array | null> {
    return this.store.readObject(digest);
  }

  putObject(bytes: Uint8Array): Promise<Digest> {
    return this.store.putObject(bytes);
  }

  verify(pin?: LedgerPin | PinOf): Promise<LedgerReport> {
    return this.inTurn(async () => {
      const checked = await readLedger(this.store, pin);
      if (checked.report.ok) this.keep(checked);
      return checked.report;
    });
  }

  /** What a check has followed need not be followed again; a history other than the known one is left to `follow` to refuse. */
  private keep({ entries, state }: CheckedLedger): void {
    const { size, head } = this.known.chain;
    if (size > 0 && entries[size - 1]?.entryId !== head) return;
    this.known = state;
    this.tail = [...entries];
  }

  append<Kind extends EntryKind>(request: EntryRequest<Kind>): Promise<Appended<Kind>> {
    const append = () => this.appendNow(request);
    return this.inTurn(() => this.store.inTurn?.(append) ?? append());
  }

  /** One operation of this instance after another; other processes are met by compare-and-swap. */
  private inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.turn.then(work, work);
    this.turn = result.catch(() => undefined);
    return result;
  }

  /** Reads the entries that came since; the last known entry is read again, so a rewritten or shortened tail is noticed. */
  private async follow(): Promise<LedgerState> {
    const size = await this.store.listEntries(this.known.chain.size);
    await this.checkKnownHead(size);
    while (this.known.chain.size < size) await this.followOne();
    return this.known;
  }

  private async checkKnownHead(size: number): Promise<void> {
    const { chain } = this.known;
    if (size < chain.size) {
      throw unsafe(
        `The ledger has ${size} entries; ${chain.size} were there before.`,
        'Return to the newer state of the ledger folder; entries are never removed.',
        'rollback',
      );
    }
    if (chain.size === 0) return;
    if (digestOf(await this.store.readEntry(chain.size - 1)) === chain.head) return;
    throw unsafe(
      `Entry ${chain.size - 1} is no longer the one that was read before.`,
      'Find out who replaced it; restore the ledger folder from version control or a copy.',
      'fork',
    );
  }

  private async followOne(): Promise<void> {
    const seq = this.known.chain.size;
    const { stored } = extendChain(this.known.chain, await this.store.readEntry(seq));
    const objects = await this.objectsOf(stored.entry, transitionObjects(stored.entry));
    try {
      this.known = applyEntry(this.known, stored, objects);
    } catch (error) {
      throw asDamage(error, seq);
    }
    this.tail.push(stored);
  }

  private objectsOf(entry: LedgerEntry, digests: readonly Digest[]): Promise<ObjectResolver> {
    const read = (digest: Digest) => this.store.readObject(digest);
    return readObjectsFor(entry, digests, { read, entryAt: (seq) => this.tail[seq]?.entry });
  }

  private async appendNow<Kind extends EntryKind>(
    request: EntryRequest<Kind>,
  ): Promise<Appended<Kind>> {
    this.refuseKind(request);
    for (let attempt = 0; attempt < maximumTries; attempt += 1) {
      if (attempt > 0) await this.ports.jitter(attempt);
      await this.follow();
      const appended = (await this.replay(request)) ?? (await this.tryAppend(request));
      if (appended !== null) return appended;
    }
    throw new LiftgateError(
      'ledger-busy',
      `Another writer was faster ${maximumTries} times in a row.`,
      { mend: 'Try again; the same request id makes that safe.' },
    );
  }

  private refuseKind(request: Draft): void {
    if (request.kind !== 'genesis') return;
    throw new LiftgateError(
      'ledger-conflict',
      'Genesis is written with the first entry, never on request.',
      {
        mend: 'Ask for an entry of any other kind.',
        details: { reason: 'kind-not-written' },
      },
    );
  }

  /** The recorded answer of a request: same body replays it, another body is a conflict. */
  private async replay<Kind extends EntryKind>(
    request: EntryRequest<Kind>,
  ): Promise<Appended<Kind> | null> {
    const answered = answerTo(this.known, request);
    if (answered === undefined) return null;
    const imported = this.known.imported.get(answered.entryId);
    const entry = imported?.entry ?? this.tail[answered.seq]?.entry;
    if (entry === undefined || !isKind(entry, request.kind)) return null;
    if (!answered.isSame) {
      throw conflict(
        'I10',
        `The request "${request.requestId}" of kind "${request.kind}" is recorded in entry ${answered.seq} with another body.`,
        {
          mend: 'Repeat the recorded request unchanged, or give a new request a new id.',
          details: { reason: 'request-differs', ownerSeq: answered.seq },
        },
      );
    }
    await this.store.syncEntry(imported?.importSeq ?? answered.seq);
    return { entry, entryId: answered.entryId, replayed: true };
  }

  private async tryAppend<Kind extends EntryKind>(
    request: EntryRequest<Kind>,
  ): Promise<Appended<Kind> | null> {
    if (this.known.chain.size === 0) return this.begin(request);
    const { stored, next } = await this.prepare(this.known, request);
    if (!(await this.put(stored, next)) || !isKind(stored.entry, request.kind)) return null;
    return { entry: stored.entry, entryId: stored.entryId, replayed: false };
  }

  /** Writes genesis once the request is known to be allowed after it; the request itself follows in the next try. */
  private async begin(request: Draft): Promise<null> {
    const { origin, unicode, parent, now, actor, random } = this.ports;
    const body = { origin, hash: 'sha256' as const, unicode, parent: parent ?? null };
    const genesis = createGenesis({ ledger: random(), at: now(), actor, body });
    const { stored } = extendChain(emptyState.chain, formatEntry(genesis));
    const next = applyEntry(emptyState, stored, () => null);
    await this.prepare(next, request);
    await this.put(stored, next);
    return null;
  }

  /** The entry a request would become after the given state, with its objects and its transition checked. */
  private async prepare(
    state: LedgerState,
    { kind, requestId, body }: Draft,
  ): Promise<{ readonly stored: StoredEntry; readonly next: LedgerState }> {
    const { size, head, ledger } = state.chain;
    const { now, actor } = this.ports;
    const unsigned = checkEntry({
      ...{ v: 1, ledger, seq: size, prev: head },
      ...{ kind, requestId, at: now(), actor, body },
    });
    const entry = await signWhereDemanded(state, unsigned, this.ports.signer);
    const objects = await this.readObjects(entry);
    const { stored } = extendChain(state.chain, formatEntry(entry));
    return { stored, next: applyEntry(state, stored, objects) };
  }

  /** Objects first, entry last: what an entry names is stored before it. */
  private async readObjects(entry: LedgerEntry): Promise<ObjectResolver> {
    const objects = await this.objectsOf(entry, namedObjects(entry));
    for (const digest of namedObjects(entry)) {
      const bytes = objects(digest);
      const seal = recordedSeal(entry);
      const expected = seal?.digest === digest ? seal.size : bytes?.length;
      if (bytes?.length === expected && bytes !== null) continue;
      const state = bytes === null ? 'is not stored' : `has ${bytes.length} bytes, not ${expected}`;
      throw conflict('I12', `The ${entry.kind} entry names the object ${digest}, which ${state}.`, {
        mend: 'Store the object (putObject) before the entry that names it.',
        details: { reason: 'object-missing', object: digest },
      });
    }
    if (isKind(entry, 'import')) await requireSoundBranch(this.store, entry);
    return objects;
  }

  /** False when somebody else took the number. */
  private async put(stored: StoredEntry, next: LedgerState): Promise<boolean> {
    if (!(await this.store.putIfAbsent(stored.entry.seq, stored.bytes))) return false;
    this.known = next;
    this.tail.push(stored);
    return true;
  }
}

/**
 * A ledger over a store. Nothing is read or written before the first call; an empty store gets its genesis with the first append.
 */
export function openLedgerStore(store: LedgerStore, ports: LedgerPorts): Ledger {
  return new StoreLedger(store, ports);
}
