/** A ledger that lives in memory: for tests, dry runs and callers without a folder. */
import { type Digest, digestOf } from '../base/digest.ts';
import { LiftgateError } from '../base/errors.ts';
import { entryFileName } from './entry.ts';
import { type Ledger, type LedgerPorts, type LedgerStore, openLedgerStore } from './ledger.ts';

/** A store that forgets; several ledgers may share it as several processes share a folder. */
export function memoryStore(): LedgerStore {
  const entries: Uint8Array[] = [];
  const objects = new Map<Digest, Uint8Array>();
  return {
    listEntries: () => Promise.resolve(entries.length),
    readEntry: (seq) => {
      const bytes = entries[seq];
      return bytes === undefined
        ? Promise.reject(
            new LiftgateError('ledger-damaged', `Entry ${entryFileName(seq)} is not there.`),
          )
        : Promise.resolve(bytes.slice());
    },
    putIfAbsent: (seq, bytes) => {
      if (seq !== entries.length) return Promise.resolve(false);
      entries.push(bytes.slice());
      return Promise.resolve(true);
    },
    syncEntry: () => Promise.resolve(),
    readObject: (digest) => Promise.resolve(objects.get(digest)?.slice() ?? null),
    putObject: (bytes) => {
      const digest = digestOf(bytes);
      objects.set(digest, bytes.slice());
      return Promise.resolve(digest);
    },
  };
}

/** Ports without surroundings: a still clock, no waiting, a fixed id. */
export const stillPorts: LedgerPorts = {
  now: () => '1970-01-01T00:00:00.000Z',
  actor: 'memory',
  random: () => '00000000000000000000000000000000',
  jitter: () => Promise.resolve(),
  origin: 'memory',
  unicode: 'unknown',
};

/**
 * A ledger in memory with the rules of every other store.
 * @param ports  replaces the still clock, actor or id where they matter
 * @example (await memoryLedger().entries()).length // => 0
 */
export function memoryLedger(ports: Partial<LedgerPorts> = {}): Ledger {
  return openLedgerStore(memoryStore(), { ...stillPorts, ...ports });
}
