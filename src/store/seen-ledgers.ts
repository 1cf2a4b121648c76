/**
 * How far ledgers were seen, kept outside of them: size and head digest, one small file per size in a folder of the ledger's id. The
 * end of a hash chain is protected by nothing inside the ledger, so this is what shows a tail that was cut off or written anew. This
 * machine keeps its own memory (pins), a witness another one.
 */
import { homedir } from 'node:os';
import { join } from 'node:path';
import { canonicalLine } from '../base/canonical.ts';
import { type Digest, isDigest } from '../base/digest.ts';
import { LiftgateError } from '../base/errors.ts';
import { readCanonical } from '../base/strict-json.ts';
import type { LedgerPin, PinOf } from '../ledger/check-ledger.ts';
import type { EntryKind, EntryRequest, StoredEntry } from '../ledger/entry.ts';
import type { Appended, Ledger } from '../ledger/ledger.ts';
import { errorCodeOf, type LedgerFiles, nodeFiles, writeDraft } from './ledger-files.ts';

/** Memory of ledgers by their id. */
export interface SeenLedgers {
  /** The farthest that was seen of a ledger; null when it was never seen. */
  latest(ledger: string): Promise<LedgerPin | null>;
  /**
   * Remembers a ledger as it is now; durable when it returns.
   * @param read     gives all its entries in order, each time anew
   * @param imports  tells whether an entry is one of a branch it imported; by default it imported none
   * @throws {LiftgateError} ledger-damaged  when these entries neither continue nor have imported what was seen before
   */
  remember(
    read: () => Promise<readonly StoredEntry[]>,
    imports?: (id: Digest) => Promise<boolean>,
  ): Promise<void>;
}

/** Largest file of a memory. */
const largestFile = 4096;
const fileName = /^([0-9]{8})\.json$/;

/**
 * The folder where this machine keeps its pins: below `LIFTGATE_STATE_DIR`, or in a folder of the user; null when the variable is set
 * and empty.
 * @example pinFolder({ LIFTGATE_STATE_DIR: '' }) // => null
 */
export function pinFolder(environment: NodeJS.ProcessEnv = process.env): string | null {
  return environment['LIFTGATE_STATE_DIR'] === '' ? null : join(stateFolder(environment), 'pins');
}

/** The folder of a witness's memory, in the same place; a witness is never without one. */
export function witnessFolder(environment: NodeJS.ProcessEnv = process.env): string {
  return join(stateFolder(environment), 'witness');
}

function stateFolder(environment: NodeJS.ProcessEnv): string {
  const state = environment['XDG_STATE_HOME'] || join(homedir(), '.local', 'state');
  return environment['LIFTGATE_STATE_DIR'] || join(state, 'liftgate');
}

/**
 * The memory in a folder, made with the first ledger it sees. What cannot be read of it counts for nothing: it protects whoever works
 * here, it never blocks them.
 */
export function seenLedgers(folder: string, files: LedgerFiles = nodeFiles): SeenLedgers {
  return new SeenFolder(folder, files, () => null);
}

/**
 * The memory of a witness. Others rely on what it saw, so it signs nothing when it cannot read what it remembers: both operations then
 * throw a LiftgateError ledger-unsafe with the reason memory-damaged.
 */
export function witnessMemory(folder: string, files: LedgerFiles = nodeFiles): SeenLedgers {
  return new SeenFolder(folder, files, (file) => {
    throw new LiftgateError('ledger-unsafe', 'What this witness has seen cannot be read.', {
      where: { file },
      mend: 'Restore the memory from a copy. Without one, compare the ledger with what others have seen of it before you remove the damaged memory and sign again.',
      details: { reason: 'memory-damaged' },
    });
  });
}

/** Exact bytes of a memory of one ledger. */
export function formatPin(ledger: string, { size, head }: LedgerPin): Uint8Array {
  return new TextEncoder().encode(canonicalLine({ v: 1, ledger, size, head }));
}

/** What such bytes remember of this ledger at this size; null for any other bytes. */
export function parsePin(bytes: Uint8Array, ledger: string, size: number): LedgerPin | null {
  try {
    const { head } = { head: null, ...Object(readCanonical(bytes)) };
    const pin = isDigest(head) ? { size, head } : null;
    return pin !== null && Buffer.compare(formatPin(ledger, pin), bytes) === 0 ? pin : null;
  } catch (error) {
    if (error instanceof LiftgateError) return null;
    throw error;
  }
}

class SeenFolder implements SeenLedgers {
  private readonly folder: string;
  private readonly files: LedgerFiles;
  /** What a memory that cannot be read counts as. */
  private readonly unreadable: (file: string) => null;

  constructor(folder: string, files: LedgerFiles, unreadable: (file: string) => null) {
    this.folder = folder;
    this.files = files;
    this.unreadable = unreadable;
  }

  async latest(ledger: string): Promise<LedgerPin | null> {
    return (await this.pins(ledger)).at(-1) ?? null;
  }

  async remember(
    read: () => Promise<readonly StoredEntry[]>,
    imports: (id: Digest) => Promise<boolean> = () => Promise.resolve(false),
  ): Promise<void> {
    const ledger = (await read())[0]?.entry.ledger;
    if (ledger === undefined) return;
    for (let longer = true; longer; ) {
      // In this order: whoever appends meanwhile remembers more than was read before.
      const seen = await this.pins(ledger);
      const entries = await read();
      const before = await this.withoutImported(ledger, { entries, pins: seen, imports });
      this.refuseContradiction(entries, before);
      if (!before.some(({ size }) => size === entries.length)) await this.write(ledger, entries);
      // Somebody else may have remembered another continuation meanwhile: one of the two sees the other.
      const after = await this.pins(ledger);
      longer = after.some(({ size }) => size > entries.length);
      if (longer) continue;
      this.refuseContradiction(entries, after);
      for (const { size } of after.slice(0, -1)) await this.forget(ledger, size);
    }
  }

  /** What was seen of a branch lies in the ledger that imported it: remembering that one is enough. */
  private async withoutImported(
    ledger: string,
    seen: {
      readonly entries: readonly StoredEntry[];
      readonly pins: readonly LedgerPin[];
      readonly imports: (id: Digest) => Promise<boolean>;
    },
  ): Promise<readonly LedgerPin[]> {
    const kept: LedgerPin[] = [];
    for (const pin of seen.pins) {
      const imported =
        contradictionOf(seen.entries, pin) !== null && (await seen.imports(pin.head));
      if (imported) await this.forget(ledger, pin.size);
      else kept.push(pin);
    }
    return kept;
  }

  private refuseContradiction(entries: readonly StoredEntry[], pins: readonly LedgerPin[]): void {
    for (const pin of pins) {
      const message = contradictionOf(entries, pin);
      if (message === null) continue;
      throw new LiftgateError('ledger-damaged', message, {
        where: { file: join(this.folder, entries[0]?.entry.ledger ?? '') },
        mend: 'Fetch the newest ledger. Remove this memory only when the ledger was shortened on purpose and everybody who relies on it knows.',
        details: { reason: 'rollback', seen: pin.size, entries: entries.length },
      });
    }
  }

  /** What is remembered, smallest first. */
  private async pins(ledger: string): Promise<readonly LedgerPin[]> {
    const folder = join(this.folder, ledger);
    const names = await this.files.list(folder).catch((error: unknown) => {
      if (errorCodeOf(error) !== 'ENOENT') this.unreadable(folder);
      return [];
    });
    const sizes = names.flatMap((name) => fileName.exec(name)?.[1] ?? []).sort();
    const pins = await Promise.all(sizes.map((size) => this.read(ledger, Number(size))));
    return pins.filter((pin) => pin !== null);
  }

  private async read(ledger: string, size: number): Promise<LedgerPin | null> {
    const file = this.pathOf(ledger, size);
    let bytes: Uint8Array;
    try {
      bytes = await this.files.read(file, largestFile);
    } catch (error) {
      // Removed meanwhile by whoever remembers more.
      return errorCodeOf(error) === 'ENOENT' ? null : this.unreadable(file);
    }
    return parsePin(bytes, ledger, size) ?? this.unreadable(file);
  }

  private async write(ledger: string, entries: readonly StoredEntry[]): Promise<void> {
    const pin = { size: entries.length, head: entries.at(-1)?.entryId ?? 'sha256:' } as const;
    const folder = join(this.folder, ledger);
    const draft = await writeDraft(this.files, folder, formatPin(ledger, pin));
    try {
      await this.files.link(draft, this.pathOf(ledger, pin.size));
    } catch (error) {
      if (errorCodeOf(error) !== 'EEXIST') throw error;
    } finally {
      await this.files.remove(draft);
    }
    await this.files.syncFolder(folder);
  }

  private async forget(ledger: string, size: number): Promise<void> {
    await this.files.remove(this.pathOf(ledger, size)).catch((error: unknown) => {
      if (errorCodeOf(error) !== 'ENOENT') throw error;
    });
  }

  private pathOf(ledger: string, size: number): string {
    return join(this.folder, ledger, `${String(size).padStart(8, '0')}.json`);
  }
}

/** Why entries do not continue what was seen; null when they do. */
function contradictionOf(entries: readonly StoredEntry[], pin: LedgerPin): string | null {
  if (entries.length < pin.size) {
    return `This ledger has ${entries.length} entries; ${pin.size} were seen before. Its tail was cut off, or this is an older copy.`;
  }
  if (entries[pin.size - 1]?.entryId === pin.head) return null;
  return `Entry ${pin.size - 1} of this ledger is another one than was seen before: history was rewritten, or this is a fork.`;
}

/**
 * A ledger that is held to this machine's memory: nothing is appended to a ledger that was shortened or rewritten since, and every
 * append is remembered. A memory that cannot be written is done without.
 */
export function pinnedLedger(ledger: Ledger, seen: SeenLedgers): Ledger {
  let checked = false;
  const remember = async () => {
    try {
      await seen.remember(
        () => ledger.entries(),
        async (id) => (await ledger.state()).imported.get(id) !== undefined,
      );
    } catch (error) {
      if (error instanceof LiftgateError) throw error;
    }
  };
  return {
    state: () => ledger.state(),
    entries: () => ledger.entries(),
    object: (digest) => ledger.object(digest),
    putObject: (bytes) => ledger.putObject(bytes),
    async append<Kind extends EntryKind>(request: EntryRequest<Kind>): Promise<Appended<Kind>> {
      if (!checked) await remember();
      checked = true;
      const appended = await ledger.append(request);
      await remember();
      return appended;
    },
    async verify(pin?: LedgerPin | PinOf) {
      if (pin !== undefined) return ledger.verify(pin);
      const remembered: LedgerPin[] = [];
      const report = await ledger.verify(async (id) => {
        const latest = id === null ? null : await seen.latest(id);
        if (latest !== null) remembered.push(latest);
        return remembered[0];
      });
      // Whoever appended after the entries were read remembers more of them: they are read again.
      const longer = remembered.find(({ size }) => size > report.entries);
      return longer === undefined ? report : ledger.verify(longer);
    },
  };
}
