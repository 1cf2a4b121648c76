/** What somebody with the whole folder can do to entries of the kinds key, amend, leak and retire: every change of what they say is found. */
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { LiftgateError } from '../../src/base/errors.ts';
import { checkLedger } from '../../src/ledger/check-ledger.ts';
import { entryId, formatEntry, type LedgerEntry, parseEntry } from '../../src/ledger/entry.ts';
import { type LedgerStore, openLedgerStore } from '../../src/ledger/ledger.ts';
import { memoryStore } from '../../src/ledger/memory-ledger.ts';
import { countingPorts, digestNamed } from '../support/ledger-story.ts';
import { tellUpkeep } from '../support/ledger-upkeep.ts';

let store: LedgerStore;
let told: readonly LedgerEntry[];

beforeAll(async () => {
  store = memoryStore();
  const ledger = openLedgerStore(store, countingPorts());
  await tellUpkeep(ledger);
  told = (await ledger.entries()).map(({ entry }) => entry);
});

/** The ledger with its entries chained anew. */
function chained(entries: readonly LedgerEntry[]): LedgerStore {
  const bytes: Uint8Array[] = [];
  for (const [seq, entry] of entries.entries()) {
    const before = bytes.at(-1);
    const prev = before === undefined ? null : entryId(before);
    bytes.push(formatEntry({ ...entry, seq, prev }));
  }
  return {
    ...store,
    listEntries: () => Promise.resolve(bytes.length),
    readEntry: (seq) => Promise.resolve(bytes[seq] ?? new Uint8Array()),
  };
}

async function broken(entries: readonly LedgerEntry[]): Promise<string[]> {
  const { problems } = await checkLedger(chained(entries));
  return [...new Set(problems.map(({ code }) => code as string))];
}

const at = (kind: LedgerEntry['kind'], skip = 0): number =>
  told.findIndex((entry, seq) => {
    const before = told.slice(0, seq).filter((each) => each.kind === kind).length;
    return entry.kind === kind && before === skip;
  });

/** Every leaf of a value with another one in its place. */
function otherLeaves(value: unknown): unknown[] {
  if (Array.isArray(value)) {
    const shorter = value.map((_, index) => value.toSpliced(index, 1));
    const changed = value.map((item, index) =>
      otherLeaves(item).map((other) => value.with(index, other)),
    );
    return [...changed.flat(), ...shorter];
  }
  if (typeof value === 'object' && value !== null) {
    return Object.entries(value).flatMap(([name, item]) =>
      otherLeaves(item).map((other) => ({ ...value, [name]: other })),
    );
  }
  if (typeof value === 'number') return [value + 1];
  return [typeof value === 'string' ? otherText(value) : digestNamed('forged')];
}

function otherText(text: string): string {
  if (text.startsWith('sha256:')) return digestNamed('forged');
  const last = text.at(-1) === 'A' ? 'B' : 'A';
  return text.startsWith('SHA256:') ? `${text.slice(0, 10)}${last}${text.slice(11)}` : `${text}x`;
}

/** Bodies with one leaf changed that still have the shape of an entry. */
function forgeries(seq: number): LedgerEntry[] {
  const entry = told[seq];
  return otherLeaves(entry?.body).flatMap((body) => {
    try {
      return [parseEntry(formatEntry({ ...entry, body } as LedgerEntry))];
    } catch (error) {
      if (error instanceof LiftgateError) return [];
      throw error;
    }
  });
}

describe('a ledger whose entries were written anew', () => {
  it('is sound as it was told', async () => {
    expect(await broken(told)).toEqual([]);
    expect(told.map(({ kind }) => kind)).toEqual([
      ...['genesis', 'seal', 'reserve', 'seal', 'expose', 'outcome', 'key', 'key', 'seal', 'seal'],
      ...['reserve', 'amend', 'seal', 'key', 'key', 'leak', 'retire', 'retire'],
    ]);
  });

  it.each([0, 1, 2, 3])('shows every change of key entry %i', async (skip) => {
    const seq = at('key', skip);
    const changed = forgeries(seq);
    expect(changed.length).toBeGreaterThanOrEqual(4);
    for (const entry of changed) expect(await broken(told.with(seq, entry))).toContain('I13');
  });

  it('shows every change of an amendment', async () => {
    const seq = at('amend');
    const changed = forgeries(seq);
    expect(changed.length).toBeGreaterThan(8);
    for (const entry of changed) {
      const found = await broken(told.with(seq, entry));
      expect(found.some((code) => ['I6', 'I12', 'I14'].includes(code))).toBe(true);
    }
  });

  it.each(['leak', 'retire'] as const)('shows other units in a %s', async (kind) => {
    const seq = at(kind);
    const found = await Promise.all(
      forgeries(seq).map(async (entry) => [entry, await broken(told.with(seq, entry))] as const),
    );
    const unnoticed = found.filter(([, codes]) => codes.length === 0).map(([entry]) => entry.body);
    // What no other entry binds: who wrote it says these, and only a pin keeps them.
    for (const body of unnoticed) {
      const { population, source, reason, family } = Object(body);
      const units = Object(Object(body).units ?? body);
      const same = Object(told[seq]?.body).units ?? told[seq]?.body;
      expect(units.unitsObject).toBe(Object(same).unitsObject);
      expect([population, source, reason, family].join()).not.toBe('');
    }
    expect(found.length - unnoticed.length).toBeGreaterThanOrEqual(3);
  });

  it.each(['key', 'amend'] as const)('shows that a %s was left out or told twice', async (kind) => {
    const seq = at(kind);
    const twice = { ...told[seq], requestId: 'again' } as LedgerEntry;
    expect(await broken(told.toSpliced(seq, 1))).not.toEqual([]);
    expect(await broken(told.toSpliced(seq + 1, 0, twice))).not.toEqual([]);
  });

  it('shows a revoked key that signs for another, or comes back', async () => {
    const first = told[at('key', 1)];
    if (first === undefined) throw new Error('no key');
    const back = { ...first, requestId: 'back' };
    expect(await broken([...told, back])).toEqual(['I13']);
  });
});

describe('entries of these kinds under random edits', () => {
  const kinds = ['key', 'amend', 'leak', 'retire', 'policy'];
  it('are refused, or are another entry; reading never crashes', () => {
    const entries = told.filter(({ kind }) => kinds.includes(kind)).map(formatEntry);
    let refusals = 0;
    fc.assert(
      fc.property(
        fc.nat(entries.length - 1),
        fc.array(fc.record({ at: fc.nat(4000), byte: fc.nat(255), cut: fc.nat(3) }), {
          minLength: 1,
          maxLength: 3,
        }),
        (which, edits) => {
          const original = entries[which] ?? new Uint8Array();
          const bytes = edits.reduce((before: Uint8Array, { at: place, byte, cut }) => {
            const from = place % Math.max(1, before.length);
            const changed = [...before.subarray(0, from), byte, ...before.subarray(from + cut)];
            return Uint8Array.from(changed);
          }, original);
          if (Buffer.compare(bytes, original) === 0) return;
          try {
            expect(entryId(formatEntry(parseEntry(bytes)))).not.toBe(entryId(original));
          } catch (error) {
            if (!(error instanceof LiftgateError)) throw error;
            refusals += 1;
            expect(error.exitCode).toBe(42);
          }
        },
      ),
      { seed: 20261130, numRuns: 3_000 },
    );
    expect(refusals).toBeGreaterThan(2_000);
  });
});
