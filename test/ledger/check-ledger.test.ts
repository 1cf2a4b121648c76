import { describe, expect, it, test } from 'vitest';
import { digestHex, digestOf } from '../../src/base/digest.ts';
import { merkleRoot } from '../../src/base/merkle.ts';
import { invariantTexts } from '../../src/ledger/chain.ts';
import { checkLedger } from '../../src/ledger/check-ledger.ts';
import { entryId, formatEntry, type LedgerEntry, parseEntry } from '../../src/ledger/entry.ts';
import { type LedgerStore, openLedgerStore } from '../../src/ledger/ledger.ts';
import { memoryStore } from '../../src/ledger/memory-ledger.ts';
import { bytesOf, countingPorts, digestNamed, tellStory } from '../support/ledger-story.ts';

/** A store over given bytes; objects are those of the story. */
async function toldStore(): Promise<{ store: LedgerStore; entries: Uint8Array[] }> {
  const store = memoryStore();
  const ledger = openLedgerStore(store, countingPorts());
  await tellStory(ledger);
  return { store, entries: (await ledger.entries()).map(({ bytes }) => bytes) };
}

function withEntries(store: LedgerStore, entries: readonly Uint8Array[]): LedgerStore {
  return {
    ...store,
    listEntries: () => Promise.resolve(entries.length),
    readEntry: (seq) => Promise.resolve(entries[seq] ?? new Uint8Array()),
  };
}

/** Rewrites one entry and chains all later ones to it again: what somebody with the whole folder can do. */
function rewritten(
  entries: readonly Uint8Array[],
  seq: number,
  change: (entry: LedgerEntry) => LedgerEntry,
): Uint8Array[] {
  const result: Uint8Array[] = [];
  for (const [at, bytes] of entries.entries()) {
    const before = result.at(-1);
    const entry = parseEntry(bytes);
    const prev = before === undefined ? null : entryId(before);
    result.push(formatEntry({ ...(at === seq ? change(entry) : entry), prev }));
  }
  return result;
}

const failedIds = (report: Awaited<ReturnType<typeof checkLedger>>) =>
  report.checks.filter((check) => !check.passed).map((check) => check.id);

describe('checkLedger', () => {
  it('confirms a sound ledger and says what it cannot know', async () => {
    const { store, entries } = await toldStore();
    const report = await checkLedger(store);
    expect(report).toEqual({
      entries: 17,
      head: digestOf(entries.at(-1) ?? ''),
      ledger: 'ab'.repeat(16),
      root: merkleRoot(entries),
      ok: true,
      checks: Object.entries(invariantTexts).map(([id, detail]) => ({ id, passed: true, detail })),
      problems: [],
      completeness: 'unknown',
      completenessDetail:
        'Completeness is unknown: without a size and head kept outside this ledger, a removed or replaced tail leaves no trace.',
    });
  });

  it('finds nothing wrong with an empty ledger', async () => {
    const report = await checkLedger(memoryStore());
    expect(report).toMatchObject({ entries: 0, head: null, ledger: null, ok: true });
  });

  it('compares the ledger with a pin', async () => {
    const { store, entries } = await toldStore();
    const pin = { size: 5, head: digestOf(entries[4] ?? '') };
    expect(await checkLedger(store, pin)).toMatchObject({
      ok: true,
      completeness: 'pinned',
      completenessDetail: 'Entries 0 to 4 are the pinned ones; later entries are unprotected.',
    });
    const cut = await checkLedger(withEntries(store, entries.slice(0, 4)), pin);
    expect(cut).toMatchObject({
      ok: false,
      completeness: 'contradicted',
      completenessDetail: 'The pin knows 5 entries, the ledger has 4.',
    });
    const other = rewritten(entries, 3, (entry) => ({ ...entry, actor: 'somebody else' }));
    const forged = await checkLedger(withEntries(store, other), pin);
    expect(forged.completenessDetail).toBe(
      `Entry 4 is ${digestOf(other[4] ?? '')}, the pin knows ${pin.head}.`,
    );
    expect((await checkLedger(withEntries(store, other))).ok).toBe(true);
  });

  test.each([
    ['deleted', (entries: Uint8Array[]) => entries.toSpliced(5, 1)],
    [
      'doubled',
      (entries: Uint8Array[]) =>
        entries.toSpliced(5, 0, entries[5] ?? entries[0] ?? new Uint8Array()),
    ],
    [
      'swapped with its successor',
      (entries: Uint8Array[]) => entries.toSpliced(5, 2, ...entries.slice(5, 7).reverse()),
    ],
  ])('reports an entry that was %s', async (_, change) => {
    const { store, entries } = await toldStore();
    const report = await checkLedger(withEntries(store, change(entries)));
    expect(report.ok).toBe(false);
    expect(failedIds(report)).toContain('I1');
    expect(report.problems[0]).toMatchObject({
      code: 'I1',
      where: { file: expect.stringMatching(/^0000000\d\.json$/) },
      mend: 'Restore the ledger folder from version control or a copy; entries are never edited.',
    });
  });

  it('goes on after a break and names every one', async () => {
    const { store, entries } = await toldStore();
    const broken = entries.with(3, bytesOf('not an entry\n')).with(9, bytesOf('{}\n'));
    const report = await checkLedger(withEntries(store, broken));
    expect(report.problems.map((problem) => [problem.code, problem.where.file])).toEqual([
      ['I2', '00000003.json'],
      ['I1', '00000004.json'],
      ['I2', '00000009.json'],
      ['I1', '00000010.json'],
    ]);
    expect(report.checks.find((check) => check.id === 'I5')).toEqual({
      id: 'I5',
      passed: false,
      detail: 'not checked from entry 3 on',
    });
  });

  it('reports an entry of another ledger', async () => {
    const { store, entries } = await toldStore();
    const foreign = rewritten(entries, 8, (entry) => ({ ...entry, ledger: 'cd'.repeat(16) }));
    const report = await checkLedger(withEntries(store, foreign));
    expect(failedIds(report)).toEqual(['I3']);
    expect(report.problems[0]?.message).toBe(
      `Entry 8 belongs to ledger ${'cd'.repeat(16)}, this ledger is ${'ab'.repeat(16)}.`,
    );
  });

  test.each([
    ['I6', 'release', { reserve: 3 }],
    ['I7', 'attempt', { attempt: 4 }],
    ['I7', 'attempt', { fence: '01'.repeat(16) }],
    ['I8', 'outcome', { receiptsCount: 1 }],
    ['I9', 'outcome', { alphaNano: 5 }],
    ['I12', 'seal', { size: 999 }],
    ['I12', 'reserve', { unitCount: 7 }],
    ['I12', 'develop', { unitsRoot: digestNamed('other') }],
  ])('reports a broken %s in a chained-up %s entry', async (invariant, kind, change) => {
    const { store, entries } = await toldStore();
    const seq = entries.findIndex((bytes) => parseEntry(bytes).kind === kind);
    const forged = rewritten(entries, seq, (entry) =>
      parseEntry(
        bytesOf(
          new TextDecoder()
            .decode(formatEntry(entry))
            .replace(
              new RegExp(`"(${Object.keys(change)[0]})":("[^"]*"|\\d+)`),
              (_, key) => `"${key}":${JSON.stringify(Object.values(change)[0])}`,
            ),
        ),
      ),
    );
    const report = await checkLedger(withEntries(store, forged));
    expect(failedIds(report)).toContain(invariant);
    expect(report.problems[0]?.code).toBe(invariant);
    expect(report.problems[0]?.where.file).toMatch(/^\d{8}\.json$|^objects\/\w{64}$/);
  });

  it('reports a request recorded twice', async () => {
    const { store, entries } = await toldStore();
    const seal = entries.findIndex((bytes) => parseEntry(bytes).kind === 'seal');
    const last = entries.at(-1) ?? new Uint8Array();
    const again = { ...parseEntry(entries[seal] ?? last), seq: 17, prev: entryId(last) };
    const report = await checkLedger(withEntries(store, [...entries, formatEntry(again)]));
    expect(failedIds(report)).toEqual(expect.arrayContaining(['I10']));
    expect(report.problems[0]?.code).toBe('I10');
  });

  it('reports every missing or changed object with the entry that names it', async () => {
    const { store, entries } = await toldStore();
    const objects = entries
      .map((bytes) => parseEntry(bytes))
      .flatMap((entry) => (entry.kind === 'seal' ? [entry.body.sealDigest] : []));
    for (const lost of objects) {
      const report = await checkLedger({
        ...store,
        readObject: (digest) =>
          digest === lost ? Promise.resolve(null) : store.readObject(digest),
      });
      expect(failedIds(report)).toEqual(['I12']);
      expect(report.problems[0]).toMatchObject({
        where: { file: `objects/${digestHex(lost)}` },
        message: expect.stringMatching(/^Entry \d+ \(\w+\) names an object that is missing\.$/),
        mend: 'Restore the object from version control or a copy.',
      });
    }
    const changed = await checkLedger({
      ...store,
      readObject: async (digest) => (await store.readObject(digest))?.with(0, 0x21) ?? null,
    });
    const named = entries.map((bytes) => parseEntry(bytes).kind);
    expect(changed.problems.length).toBeGreaterThan(named.filter((k) => k === 'seal').length);
    expect(changed.problems[0]?.message).toMatch(
      /^Entry 1 \(develop\) names an object that has other bytes \(sha256:\w{64}\)\.$/,
    );
  });

  it('reports a list of units that has the right bytes but not the right shape', async () => {
    const store = memoryStore();
    const { entries } = await toldStore();
    const object = await store.putObject(bytesOf('[{"id":"u-1"}]\n'));
    const forged = rewritten(entries.slice(0, 2), 1, (entry) =>
      entry.kind === 'develop' ? { ...entry, body: { ...entry.body, unitsObject: object } } : entry,
    );
    const report = await checkLedger(withEntries(store, forged));
    expect(failedIds(report)).toContain('I12');
    expect(report.problems[0]?.message).toMatch(
      /^Entry 1 \(develop\) names an object that cannot be read: A unit has not the shape/,
    );
  });
});
