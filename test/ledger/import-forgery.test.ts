import { beforeAll, describe, expect, it, test } from 'vitest';
import { canonicalLine } from '../../src/base/canonical.ts';
import { type Digest, digestOf } from '../../src/base/digest.ts';
import { merkleRoot } from '../../src/base/merkle.ts';
import { formatBranch } from '../../src/ledger/branch.ts';
import { checkLedger } from '../../src/ledger/check-ledger.ts';
import { type EntryOf, entryId, formatEntry, type StoredEntry } from '../../src/ledger/entry.ts';
import { importBranch } from '../../src/ledger/import.ts';
import { type Ledger, type LedgerStore, openLedgerStore } from '../../src/ledger/ledger.ts';
import { memoryStore } from '../../src/ledger/memory-ledger.ts';
import { anchorNow, importFrom, parted } from '../support/branches.ts';
import {
  bytesOf,
  countingPorts,
  digestNamed,
  exposeExperiment,
  recordPlan,
  unitsNamed,
} from '../support/ledger-story.ts';
import { refusalOf } from '../support/refusal.ts';

type ImportBody = EntryOf<'import'>['body'];
const begin = (ledger: Ledger) => recordPlan(ledger, 'base');

let sound: { store: LedgerStore; entries: readonly StoredEntry[]; theirs: readonly StoredEntry[] };

beforeAll(async () => {
  const { ours, theirs, stores } = await parted(begin);
  await exposeExperiment(ours, 'left', unitsNamed(['u-1', 'u-2']));
  await exposeExperiment(theirs, 'right', unitsNamed(['u-2', 'u-3']));
  await importFrom(ours, theirs);
  await anchorNow(ours);
  sound = { store: stores.ours, entries: await ours.entries(), theirs: await theirs.entries() };
});

/** The same ledger with entries from `from` on written anew, each naming the one before: what whoever rewrites it would leave. */
async function rewritten(
  from: number,
  change: (entry: StoredEntry['entry']) => StoredEntry['entry'],
): Promise<LedgerStore> {
  const store = memoryStore();
  let prev: Digest | null = null;
  for (const { entry } of sound.entries) {
    const next = entry.seq === from ? change(entry) : entry;
    const bytes = formatEntry({ ...next, prev });
    await store.putIfAbsent(entry.seq, bytes);
    prev = entryId(bytes);
  }
  return {
    ...store,
    readObject: async (digest) =>
      (await store.readObject(digest)) ?? sound.store.readObject(digest),
  };
}

const codesOf = async (store: LedgerStore) =>
  (await checkLedger(store)).problems.map(({ code }) => code);
const importSeq = () => sound.entries.findIndex(({ entry }) => entry.kind === 'import');
const importBody = (): ImportBody => {
  const entry = sound.entries[importSeq()]?.entry;
  if (entry?.kind !== 'import') throw new Error('the ledger imports');
  return entry.body;
};

/** The ledger with another import body, and objects that go with it. */
async function withImport(
  change: Partial<ImportBody>,
  objects: readonly Uint8Array[] = [],
): Promise<LedgerStore> {
  const store = await rewritten(importSeq(), (entry) =>
    entry.kind === 'import' ? { ...entry, body: { ...entry.body, ...change } } : entry,
  );
  for (const bytes of objects) await store.putObject(bytes);
  return store;
}

/** Their branch written anew from its entry `at` on. */
function branchWith(
  at: number,
  change: (entry: StoredEntry['entry']) => StoredEntry['entry'] | null,
): StoredEntry[] {
  const { forkSeq } = importBody();
  const common = sound.theirs.slice(0, forkSeq);
  const whole = [...common];
  for (const { entry } of sound.theirs.slice(forkSeq)) {
    const next = entry.seq === at ? change(entry) : entry;
    if (next === null) continue;
    const bytes = formatEntry({ ...next, seq: whole.length, prev: whole.at(-1)?.entryId ?? null });
    whole.push({ entry: next, entryId: entryId(bytes), bytes });
  }
  return whole.slice(forkSeq);
}

/** The members of an import of such a branch, all fitting. */
function fitting(branch: readonly StoredEntry[]): {
  change: Partial<ImportBody>;
  object: Uint8Array;
} {
  const { forkSeq } = importBody();
  const whole = [...sound.theirs.slice(0, forkSeq), ...branch];
  const object = formatBranch(branch);
  return {
    object,
    change: {
      size: whole.length,
      head: whole.at(-1)?.entryId ?? digestOf(''),
      root: merkleRoot(whole.map(({ bytes }) => bytes)),
      entriesObject: digestOf(object),
    },
  };
}

describe('a forged import', () => {
  it('is told from the sound one', async () => {
    expect(await codesOf(sound.store)).toEqual([]);
    expect(await codesOf(await withImport({}))).toEqual([]);
  });

  test.each<[keyof ImportBody, () => unknown]>([
    ['forkSeq', () => importBody().forkSeq + 1],
    ['forkSeq', () => importBody().forkSeq - 1],
    ['forkId', () => digestNamed('other')],
    ['size', () => importBody().size + 1],
    ['head', () => digestNamed('other')],
    ['root', () => digestNamed('other')],
    ['contestedObject', () => null],
  ])('with another %s is found', async (member, value) => {
    expect(await codesOf(await withImport({ [member]: value() }))).not.toEqual([]);
  });

  it('that lists other contested units is found, though the list is stored', async () => {
    const list = bytesOf(canonicalLine([{ claims: [4], id: 'u-9', population: 'mails' }]));
    const store = await withImport({ contestedObject: digestOf(list) }, [list]);
    expect(await codesOf(store)).toContain('I4');
  });

  it('that leaves out, cuts or changes an entry of the branch is found by size, head and root', async () => {
    const { forkSeq, size } = importBody();
    for (let at = forkSeq; at < size; at += 1) {
      for (const branch of [
        branchWith(at, () => null),
        branchWith(at, (entry) => ({ ...entry, actor: 'somebody else' })),
      ]) {
        const { object } = fitting(branch);
        const store = await withImport({ entriesObject: digestOf(object) }, [object]);
        expect(await codesOf(store)).toContain('I1');
      }
    }
  });

  it('whose members all fit is found by the history of its branch', async () => {
    const { forkSeq } = importBody();
    const reserve = sound.theirs.findIndex(({ entry }) => entry.kind === 'reserve');
    const withoutReserve = fitting(branchWith(reserve, () => null));
    const store = await withImport(withoutReserve.change, [withoutReserve.object]);
    const { problems } = await checkLedger(store);
    expect(problems.some(({ message }) => message.startsWith('In the branch that entry'))).toBe(
      true,
    );
    const first = fitting(branchWith(forkSeq, () => null));
    expect(await codesOf(await withImport(first.change, [first.object]))).not.toEqual([]);
  });

  it('is found at every single-byte change of its objects', async () => {
    const { entriesObject, contestedObject } = importBody();
    for (const object of [entriesObject, contestedObject ?? entriesObject]) {
      const bytes = (await sound.store.readObject(object)) ?? new Uint8Array();
      expect(bytes.length).toBeGreaterThan(40);
      for (let at = 0; at < bytes.length; at += 37) {
        const changed = bytes.with(at, (bytes[at] ?? 0) ^ 1);
        const store: LedgerStore = {
          ...sound.store,
          readObject: (digest) =>
            digest === object ? Promise.resolve(changed) : sound.store.readObject(digest),
        };
        expect(await codesOf(store)).toContain('I12');
      }
    }
  });

  it('is not appended: a branch that is no ledger is refused', async () => {
    const { ours, theirs } = await parted(begin);
    await exposeExperiment(ours, 'left', unitsNamed(['u-1']));
    await exposeExperiment(theirs, 'right', unitsNamed(['u-2']));
    const entries = await theirs.entries();
    const cut = entries.filter(({ entry }) => entry.kind !== 'reserve');
    const again: StoredEntry[] = [];
    for (const { entry } of cut) {
      const next = { ...entry, seq: again.length, prev: again.at(-1)?.entryId ?? null };
      const bytes = formatEntry(next);
      again.push({ entry: next, entryId: entryId(bytes), bytes });
    }
    const before = (await ours.entries()).length;
    const refused = await refusalOf(
      importBranch(ours, { entries: again, readObject: (digest) => theirs.object(digest) }),
    );
    expect(['ledger-damaged', 'ledger-conflict']).toContain(refused.code);
    expect(await ours.entries()).toHaveLength(before);
  });
});

describe('a forged anchor', () => {
  const anchorSeq = () => sound.entries.findIndex(({ entry }) => entry.kind === 'anchor');

  test.each([
    ['size', 2],
    ['size', 99],
    ['head', digestNamed('other')],
    ['root', digestNamed('other')],
  ])('with %s %j is found, and not appended', async (member, value) => {
    const store = await rewritten(anchorSeq(), (each) =>
      each.kind === 'anchor' ? { ...each, body: { ...each.body, [member]: value } } : each,
    );
    expect(await codesOf(store)).toEqual(['I1']);
    const entry = sound.entries[anchorSeq()]?.entry;
    if (entry?.kind !== 'anchor') throw new Error('the ledger is anchored');
    const ledger = openLedgerStore(sound.store, countingPorts());
    const body = { ...entry.body, [member]: value };
    const refused = await refusalOf(ledger.append({ kind: 'anchor', requestId: 'forged', body }));
    expect(refused.details['reason']).toBe('anchor-differs');
  });
});
