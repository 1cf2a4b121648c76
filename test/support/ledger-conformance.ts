/** What every ledger store must do; one suite, run on each of them. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Digest, digestOf } from '../../src/base/digest.ts';
import { type Ledger, type LedgerStore, openLedgerStore } from '../../src/ledger/ledger.ts';
import { memoryLedger, memoryStore } from '../../src/ledger/memory-ledger.ts';
import { branchesArbitrary, tellBranches } from './branches.ts';
import { demanding, demandKeys, signingPorts, tellDemanding } from './ledger-demands.ts';
import { operationsArbitrary, runOperations } from './ledger-operations.ts';
import { bytesOf, countingPorts, digestNamed, tellStory } from './ledger-story.ts';
import { refusalOf } from './refusal.ts';

/** A fresh place to store a ledger; every call of `open` gives another store over the same place. */
export interface StorePlace {
  readonly open: () => LedgerStore;
}

/**
 * Declares the suite for one kind of store.
 * @param newPlace  makes an empty place
 * @param runs      random sequences to run; each appends some dozens of entries
 */
export function describeLedgerStore(
  name: string,
  newPlace: () => Promise<StorePlace>,
  runs: number,
): void {
  describe(`the ${name} store`, () => {
    it('starts empty', async () => {
      const store = (await newPlace()).open();
      expect(await store.listEntries()).toBe(0);
      expect(await store.readObject(digestNamed('x'))).toBeNull();
    });

    it('stores an entry once and gives back its bytes', async () => {
      const place = await newPlace();
      const store = place.open();
      expect(await store.putIfAbsent(0, bytesOf('first\n'))).toBe(true);
      expect(await store.putIfAbsent(0, bytesOf('second\n'))).toBe(false);
      expect(await place.open().putIfAbsent(0, bytesOf('third\n'))).toBe(false);
      expect(await store.putIfAbsent(1, bytesOf('next\n'))).toBe(true);
      await store.syncEntry(1);
      for (const each of [store, place.open()]) {
        expect(await each.listEntries()).toBe(2);
        expect(await each.readEntry(0)).toEqual(bytesOf('first\n'));
        expect(await each.readEntry(1)).toEqual(bytesOf('next\n'));
      }
    });

    it('refuses to read an entry that is not there', async () => {
      const error = await refusalOf((await newPlace()).open().readEntry(3));
      expect(error.code).toBe('ledger-damaged');
    });

    it('stores objects under their digest, any number of times', async () => {
      const place = await newPlace();
      const store = place.open();
      const bytes = Uint8Array.from({ length: 256 }, (_, index) => index);
      expect(await store.putObject(bytes)).toBe(digestOf(bytes));
      expect(await place.open().putObject(bytes)).toBe(digestOf(bytes));
      expect(await store.putObject(new Uint8Array())).toBe(digestOf(''));
      expect(await place.open().readObject(digestOf(bytes))).toEqual(bytes);
      expect(await store.readObject(digestOf(''))).toEqual(new Uint8Array());
      expect(await store.listEntries()).toBe(0);
    });

    it('gives entries whose change does not reach the store', async () => {
      const store = (await newPlace()).open();
      const bytes = bytesOf('first\n');
      await store.putIfAbsent(0, bytes);
      bytes.fill(0);
      (await store.readEntry(0)).fill(0);
      expect(await store.readEntry(0)).toEqual(bytesOf('first\n'));
    });

    it('lets exactly one of many writers take a number', async () => {
      const place = await newPlace();
      const taken = await Promise.all(
        Array.from({ length: 8 }, (_, index) =>
          place.open().putIfAbsent(0, bytesOf(`writer ${index}\n`)),
        ),
      );
      const winner = taken.indexOf(true);
      expect(taken.filter((won) => won)).toHaveLength(1);
      expect(await place.open().readEntry(0)).toEqual(bytesOf(`writer ${winner}\n`));
    });

    it('holds a whole story that verifies', async () => {
      const place = await newPlace();
      await tellStory(openLedgerStore(place.open(), countingPorts()));
      const report = await openLedgerStore(place.open(), countingPorts()).verify();
      expect(report.problems).toEqual([]);
      expect(report.entries).toBe(17);
    });

    it('holds signed and anchored entries in the same bytes as memory', async () => {
      const place = await newPlace();
      const ports = () => signingPorts(demandKeys.root);
      await tellDemanding(openLedgerStore(place.open(), ports()));
      const reference = memoryLedger(ports());
      await tellDemanding(reference);
      const reread = openLedgerStore(place.open(), countingPorts());
      expect(await reread.entries()).toEqual(await reference.entries());
      expect((await reread.verify()).problems).toEqual([]);
      const { size } = (await reread.state()).chain;
      const body = demanding({ requireSignature: true, requireAnchor: true, alphaNano: 1 });
      const request = { kind: 'policy', requestId: 'later', body } as const;
      const refused = await refusalOf(reread.append(request));
      expect(refused.details['invariant']).toBe('I15');
      expect(await place.open().listEntries()).toBe(size);
      const signed = await openLedgerStore(place.open(), ports()).append(request);
      expect(signed.entry.seq).toBe(size);
    });

    it('gives the same answers and the same bytes as memory for any sequence of requests', async () => {
      await fc.assert(
        fc.asyncProperty(operationsArbitrary, async (operations) => {
          const place = await newPlace();
          const stored = new Set<Digest>();
          const ledger = watched(openLedgerStore(place.open(), countingPorts()), stored);
          const reference = memoryLedger(countingPorts());
          const answers = await runOperations(() => ledger, operations);
          expect(answers).toEqual(await runOperations(() => reference, operations));
          const reread = openLedgerStore(place.open(), countingPorts());
          expect(await reread.entries()).toEqual(await reference.entries());
          expect(stored.size).toBeGreaterThan(3);
          for (const digest of stored) {
            const bytes = await reference.object(digest);
            expect(bytes).not.toBeNull();
            expect(await reread.object(digest)).toEqual(bytes);
          }
        }),
        { seed: 20260105, numRuns: runs },
      );
    }, 120_000);

    it('gives the same bytes as memory when it imports a branch, anchors and goes on', async () => {
      const told = { imported: 0, contested: 0 };
      await fc.assert(
        fc.asyncProperty(branchesArbitrary, async (branches) => {
          const place = await newPlace();
          const tell = (ledger: () => Ledger) => tellBranches(ledger, branches);
          const own = openLedgerStore(place.open(), countingPorts());
          const kept = await tell(() => own);
          const reference = memoryLedger(countingPorts());
          expect(kept).toEqual(await tell(() => reference));
          const reread = openLedgerStore(place.open(), countingPorts());
          expect(await reread.entries()).toEqual(await reference.entries());
          expect((await reread.verify()).problems).toEqual([]);
          told.imported += kept.imported;
          told.contested += kept.contested;
        }),
        { seed: 20260109, numRuns: Math.max(3, Math.ceil(runs / 2)) },
      );
      expect(told.imported).toBeGreaterThan(0);
    }, 240_000);
  });
}

/** The same ledger; remembers the digest of every object it was given. */
export function watched(ledger: Ledger, stored: Set<Digest>): Ledger {
  return {
    state: () => ledger.state(),
    append: (request) => ledger.append(request),
    object: (digest) => ledger.object(digest),
    putObject: async (bytes) => {
      const digest = await ledger.putObject(bytes);
      stored.add(digest);
      return digest;
    },
    entries: () => ledger.entries(),
    verify: (pin) => ledger.verify(pin),
  };
}

/** A place in memory. */
export function memoryPlace(): Promise<StorePlace> {
  const store = memoryStore();
  return Promise.resolve({ open: () => store });
}
