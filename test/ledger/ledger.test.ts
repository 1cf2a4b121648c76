import { describe, expect, it } from 'vitest';
import { digestOf } from '../../src/base/digest.ts';
import { formatEntry } from '../../src/ledger/entry.ts';
import { type LedgerStore, maximumTries, openLedgerStore } from '../../src/ledger/ledger.ts';
import { memoryLedger, memoryStore, stillPorts } from '../../src/ledger/memory-ledger.ts';
import {
  bytesOf,
  countingPorts,
  digestNamed,
  exposeExperiment,
  outcomeBody,
  recordPlan,
  reserve,
  tellStory,
  unitsNamed,
} from '../support/ledger-story.ts';
import { refusalOf } from '../support/refusal.ts';

const sealBytes = bytesOf('plan\n');
const sealRequest = {
  kind: 'seal',
  requestId: 'seal-1',
  body: {
    experimentId: 'e',
    sealDigest: digestOf(sealBytes),
    size: sealBytes.length,
    stage: 'plan',
    plan: null,
  },
} as const;

describe('append', () => {
  it('writes genesis first, then the request', async () => {
    const ledger = memoryLedger({ ...countingPorts(), parent: digestNamed('old head') });
    await ledger.putObject(sealBytes);
    const appended = await ledger.append(sealRequest);
    const entries = await ledger.entries();
    expect(entries.map(({ entry }) => entry.kind)).toEqual(['genesis', 'seal']);
    expect(entries[0]?.entry).toEqual({
      v: 1,
      ledger: 'ab'.repeat(16),
      seq: 0,
      prev: null,
      kind: 'genesis',
      requestId: 'genesis',
      at: '2026-01-01T00:00:00.001Z',
      actor: 'tester',
      body: {
        origin: 'example.com/tests',
        hash: 'sha256',
        unicode: '15.1',
        parent: digestNamed('old head'),
      },
    });
    expect(appended).toEqual({
      entry: entries[1]?.entry,
      entryId: digestOf(entries[1]?.bytes ?? ''),
      replayed: false,
    });
    expect(appended.entry.prev).toBe(entries[0]?.entryId);
    expect(appended.entry.body).toEqual(sealRequest.body);
  });

  it('leaves an empty ledger empty when its first request is refused', async () => {
    const ledger = memoryLedger();
    const lone = await refusalOf(ledger.append(sealRequest));
    expect(lone.message).toBe(
      `The seal entry names the object ${digestOf(sealBytes)}, which is not stored.`,
    );
    expect(lone.mend).toBe('Store the object (putObject) before the entry that names it.');
    const body = { reserve: 0, reason: 'r' };
    const early = await refusalOf(ledger.append({ kind: 'release', requestId: 'r', body }));
    expect(early.message).toBe('Entry 0 is not a reservation.');
    expect(await ledger.entries()).toEqual([]);
  });

  it('refuses a seal whose size is not that of its bytes', async () => {
    const ledger = memoryLedger();
    await ledger.putObject(sealBytes);
    const body = { ...sealRequest.body, size: 4 };
    const error = await refusalOf(ledger.append({ ...sealRequest, body }));
    expect(error.message).toBe(
      `The seal entry names the object ${digestOf(sealBytes)}, which has 5 bytes, not 4.`,
    );
  });

  it('refuses a malformed body as a usage error', async () => {
    const error = await refusalOf(
      memoryLedger().append({ kind: 'release', requestId: 'r', body: { reserve: 0, reason: '' } }),
    );
    expect(error.code).toBe('usage');
    expect(error.where).toEqual({ path: 'body.reason' });
  });

  it('does not write genesis on request', async () => {
    const body = { origin: 'x', hash: 'sha256', unicode: '15.1', parent: null } as const;
    const error = await refusalOf(memoryLedger().append({ kind: 'genesis', requestId: 'g', body }));
    expect(error.message).toBe('Genesis is written with the first entry, never on request.');
  });
});

describe('a repeated request', () => {
  it('is answered with the recorded entry after making it durable again', async () => {
    const store = memoryStore();
    const synced: number[] = [];
    const watched: LedgerStore = {
      ...store,
      syncEntry: (seq) => {
        synced.push(seq);
        return store.syncEntry(seq);
      },
    };
    const ledger = openLedgerStore(watched, countingPorts());
    await ledger.putObject(sealBytes);
    const first = await ledger.append(sealRequest);
    expect(synced).toEqual([]);
    expect(await ledger.append(sealRequest)).toEqual({ ...first, replayed: true });
    const elsewhere = openLedgerStore(watched, countingPorts());
    expect(await elsewhere.append(sealRequest)).toEqual({ ...first, replayed: true });
    expect(synced).toEqual([1, 1]);
    expect(await ledger.entries()).toHaveLength(2);
  });

  it('with another body is a conflict', async () => {
    const ledger = memoryLedger();
    await ledger.putObject(sealBytes);
    await ledger.append(sealRequest);
    const body = { ...sealRequest.body, experimentId: 'f' };
    const error = await refusalOf(ledger.append({ ...sealRequest, body }));
    expect(error.code).toBe('ledger-conflict');
    expect(error.message).toBe(
      'The request "seal-1" of kind "seal" is recorded in entry 1 with another body.',
    );
    expect(error.mend).toBe(
      'Repeat the recorded request unchanged, or give a new request a new id.',
    );
  });

  it('of an exposure is replayed also after the outcome', async () => {
    const ledger = memoryLedger(countingPorts());
    const {
      plan,
      reserve: reserved,
      expose,
    } = await exposeExperiment(ledger, 'e', unitsNamed(['u-1']));
    await ledger.append({ kind: 'outcome', requestId: 'o', body: outcomeBody(expose) });
    const again = await reserve(ledger, 'e', plan, unitsNamed(['u-1']));
    expect(again).toMatchObject({ replayed: true, entry: { seq: reserved } });
  });

  it('may share its id with a request of another kind', async () => {
    const ledger = memoryLedger();
    await ledger.putObject(sealBytes);
    await ledger.append(sealRequest);
    const body = { reserve: 1, reason: 'r' };
    const error = await refusalOf(ledger.append({ kind: 'release', requestId: 'seal-1', body }));
    expect(error.message).toBe('Entry 1 is not a reservation.');
  });
});

describe('two writers of one store', () => {
  it('take turns without losing an entry', async () => {
    const store = memoryStore();
    const writers = [1, 2, 3].map(() => openLedgerStore(store, countingPorts()));
    await Promise.all(
      Array.from({ length: 30 }, (_, index) => {
        const writer = writers[index % 3];
        if (writer === undefined) throw new Error('no writer');
        return recordPlan(writer, `e${index}`);
      }),
    );
    const entries = await (writers[0] ?? memoryLedger()).entries();
    expect(entries.map(({ entry }) => entry.seq)).toEqual(Array.from({ length: 31 }, (_, i) => i));
    expect((await (writers[1] ?? memoryLedger()).verify()).ok).toBe(true);
  });

  it('give one of them the units and tell the other', async () => {
    const store = memoryStore();
    const [first, second] = [1, 2].map(() => openLedgerStore(store, countingPorts()));
    if (first === undefined || second === undefined) throw new Error('no writers');
    const plans = [await recordPlan(first, 'first'), await recordPlan(second, 'second')] as const;
    const results = await Promise.allSettled([
      reserve(first, 'first', plans[0], unitsNamed(['u-1', 'u-2'])),
      reserve(second, 'second', plans[1], unitsNamed(['u-2', 'u-3'])),
    ]);
    expect(results.map((result) => result.status).sort()).toEqual(['fulfilled', 'rejected']);
  });

  it('give up after 50 lost races, waiting before every further try', async () => {
    const store = memoryStore();
    const waits: number[] = [];
    const contested: LedgerStore = { ...store, putIfAbsent: () => Promise.resolve(false) };
    const ledger = openLedgerStore(contested, {
      ...stillPorts,
      jitter: (attempt) => {
        waits.push(attempt);
        return Promise.resolve();
      },
    });
    await ledger.putObject(sealBytes);
    const error = await refusalOf(ledger.append(sealRequest));
    expect(error.code).toBe('ledger-busy');
    expect(error.message).toBe('Another writer was faster 50 times in a row.');
    expect(error.mend).toBe('Try again; the same request id makes that safe.');
    expect(waits).toEqual(Array.from({ length: maximumTries - 1 }, (_, index) => index + 1));
  });
});

describe('an open ledger', () => {
  async function twoEntries() {
    const store = memoryStore();
    const ledger = openLedgerStore(store, countingPorts());
    await ledger.putObject(sealBytes);
    await ledger.append(sealRequest);
    return store;
  }

  it('notices a shortened ledger', async () => {
    const store = await twoEntries();
    let size = 2;
    const shrinking = { ...store, listEntries: () => Promise.resolve(size) };
    const ledger = openLedgerStore(shrinking, countingPorts());
    await ledger.state();
    size = 1;
    const error = await refusalOf(ledger.state());
    expect(error.code).toBe('ledger-unsafe');
    expect(error.message).toBe('The ledger has 1 entries; 2 were there before.');
    expect(error.details).toEqual({ reason: 'rollback' });
  });

  it('notices a replaced last entry', async () => {
    const store = await twoEntries();
    let replaced: Uint8Array | null = null;
    const forked: LedgerStore = {
      ...store,
      readEntry: (seq) =>
        replaced !== null && seq === 1 ? Promise.resolve(replaced) : store.readEntry(seq),
    };
    const ledger = openLedgerStore(forked, countingPorts());
    const last = (await ledger.entries())[1]?.entry;
    if (last === undefined) throw new Error('no entry');
    replaced = formatEntry({ ...last, actor: 'somebody else' });
    const error = await refusalOf(ledger.append({ ...sealRequest, requestId: 'next' }));
    expect(error.message).toBe('Entry 1 is no longer the one that was read before.');
    expect(error.mend).toBe(
      'Find out who replaced it; restore the ledger folder from version control or a copy.',
    );
  });

  it('reads only what came since', async () => {
    const store = memoryStore();
    const writer = openLedgerStore(store, countingPorts());
    await tellStory(writer);
    const reads: number[] = [];
    const reader = openLedgerStore(
      {
        ...store,
        readEntry: (seq) => {
          reads.push(seq);
          return store.readEntry(seq);
        },
      },
      countingPorts(),
    );
    await reader.state();
    expect(reads).toHaveLength(17);
    reads.length = 0;
    await recordPlan(writer, 'third');
    await reader.state();
    expect(reads).toEqual([16, 17]);
  });

  it('reads again only the last entry of what a check found sound', async () => {
    const store = memoryStore();
    await tellStory(openLedgerStore(store, countingPorts()));
    const reads: number[] = [];
    const readEntry = (seq: number) => {
      reads.push(seq);
      return store.readEntry(seq);
    };
    const ledger = openLedgerStore({ ...store, readEntry }, countingPorts());
    expect(await ledger.verify()).toMatchObject({ ok: true, entries: 17 });
    reads.length = 0;
    const [state, entries] = [await ledger.state(), await ledger.entries()];
    expect(reads).toEqual([16, 16]);
    const followed = openLedgerStore(store, countingPorts());
    expect(entries).toEqual(await followed.entries());
    expect(state).toEqual(await followed.state());
  });

  it('keeps to the entries it knows when a check finds another sound history', async () => {
    const [store, other] = [memoryStore(), memoryStore()];
    await recordPlan(openLedgerStore(store, countingPorts()), 'one');
    const stranger = openLedgerStore(other, countingPorts());
    await recordPlan(stranger, 'two');
    await recordPlan(stranger, 'three');
    let now: LedgerStore = store;
    const ledger = openLedgerStore(
      {
        ...store,
        listEntries: (known) => now.listEntries(known),
        readEntry: (seq) => now.readEntry(seq),
        readObject: (digest) => now.readObject(digest),
      },
      countingPorts(),
    );
    await ledger.state();
    now = other;
    expect(await ledger.verify()).toMatchObject({ ok: true, entries: 3 });
    expect((await refusalOf(ledger.entries())).details).toEqual({ reason: 'fork' });
  });

  it('calls a history that no Liftgate writes damage', async () => {
    const store = await twoEntries();
    const [, second] = await openLedgerStore(store, countingPorts()).entries();
    if (second === undefined) throw new Error('no entry');
    const twice = formatEntry({ ...second.entry, seq: 2, prev: second.entryId });
    await store.putIfAbsent(2, twice);
    const error = await refusalOf(openLedgerStore(store, countingPorts()).state());
    expect(error.code).toBe('ledger-damaged');
    expect(error.message).toBe(
      'Entry 2 contradicts the entries before it: The request "seal-1" of kind "seal" was answered by entry 1.',
    );
    expect(error.where).toEqual({ file: '00000002.json' });
  });
});

describe('objects', () => {
  it('are stored under the digest of their bytes', async () => {
    const ledger = memoryLedger();
    const digest = await ledger.putObject(sealBytes);
    expect(digest).toBe(digestOf(sealBytes));
    expect(await ledger.object(digest)).toEqual(sealBytes);
    expect(await ledger.object(digestNamed('other'))).toBeNull();
  });
});
