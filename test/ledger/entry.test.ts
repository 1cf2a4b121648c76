import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { canonicalLine } from '../../src/base/canonical.ts';
import { LiftgateError } from '../../src/base/errors.ts';
import {
  checkEntry,
  entryFileName,
  entrySchema,
  formatEntry,
  isKind,
  type LedgerEntry,
  maximumEntryBytes,
  namedObjects,
  parseEntry,
} from '../../src/ledger/entry.ts';
import { around, d, everyKind, release } from '../support/ledger-entries.ts';
import { bytesOf } from '../support/ledger-story.ts';

/** An amendment of a much used family: 10,000 exposures had been seen, and so many final seals. */
function amendmentAfter(finals: number, declared: string[]): LedgerEntry {
  const many = (length: number) => Array.from({ length }, () => d);
  return {
    ...around,
    kind: 'amend',
    body: {
      ...{ experimentId: 'e', from: d, to: d, size: 1, reason: 'r' },
      changed: [{ pointer: '/spec', from: d, to: d }],
      seen: { exposures: many(10_000), finals: many(finals), declared },
    },
  };
}

function failure(work: () => unknown): LiftgateError {
  try {
    work();
  } catch (error) {
    if (error instanceof LiftgateError) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}

function refused(bytes: Uint8Array): boolean {
  try {
    parseEntry(bytes);
    return false;
  } catch (error) {
    if (error instanceof LiftgateError) return error.exitCode === 42;
    throw error;
  }
}

describe('formatEntry and parseEntry', () => {
  it('cover every kind of the format', () => {
    expect(everyKind.map((entry) => entry.kind)).toEqual(
      entrySchema.options.map((option) => option.shape.kind.value),
    );
  });

  test.each(everyKind)('are inverse for $kind and write one canonical line', (entry) => {
    const bytes = formatEntry(entry);
    expect(parseEntry(bytes)).toEqual(entry);
    expect(new TextDecoder().decode(bytes)).toBe(canonicalLine(entry));
  });

  test.each(everyKind)('refuse every proper prefix and suffix of $kind', (entry) => {
    const bytes = formatEntry(entry);
    for (let at = 1; at < bytes.length; at += 1) {
      expect(refused(bytes.subarray(0, at))).toBe(true);
      expect(refused(bytes.subarray(at))).toBe(true);
    }
    expect(refused(new Uint8Array())).toBe(true);
    expect(refused(bytesOf(`${new TextDecoder().decode(bytes)}\n`))).toBe(true);
  });

  test.each(everyKind)('refuse an unknown or missing member of $kind', (entry) => {
    expect(refused(bytesOf(canonicalLine({ ...entry, more: 1 })))).toBe(true);
    expect(refused(bytesOf(canonicalLine({ ...entry, body: { ...entry.body, more: 1 } })))).toBe(
      true,
    );
    for (const member of Object.keys(entry)) {
      const rest = Object.fromEntries(Object.entries(entry).filter(([key]) => key !== member));
      expect(refused(bytesOf(canonicalLine(rest)))).toBe(true);
    }
    for (const member of Object.keys(entry.body)) {
      const body = Object.fromEntries(Object.entries(entry.body).filter(([key]) => key !== member));
      // Exposures and outcomes recorded before the controls were bound have no root over them.
      const older = member === 'controlsRoot';
      expect(refused(bytesOf(canonicalLine({ ...entry, body })))).toBe(!older);
    }
  });

  it('survive any text in the free members', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 100 }), (reason) => {
        const entry: LedgerEntry = { ...release, body: { reserve: 2, reason } };
        expect(parseEntry(formatEntry(entry))).toEqual(entry);
      }),
      { seed: 20260103, numRuns: 100 },
    );
  });

  it('refuse an entry beyond 1 MiB on both sides', () => {
    const digests = Array.from({ length: 1000 }, (_, index) => ({
      id: `a${index}`.padEnd(64, 'x'),
      digest: d,
    }));
    const many = everyKind.find((entry) => isKind(entry, 'expose'));
    const wide = checkEntry({ ...many, body: { ...many?.body, arms: digests } });
    expect(formatEntry(wide).length).toBeLessThan(maximumEntryBytes);
    const tooLong = failure(() => formatEntry(amendmentAfter(10_000, ['x'])));
    expect(tooLong.code).toBe('usage');
    expect(tooLong.message).toMatch(/^The entry has \d+ bytes; an entry has at most 1048576\.$/);
    const read = failure(() => parseEntry(new Uint8Array(maximumEntryBytes + 1), '00000007.json'));
    expect(read.code).toBe('ledger-damaged');
    expect(read.message).toBe('The entry has 1048577 bytes; an entry has at most 1048576.');
  });

  it('take an entry of exactly 1 MiB and refuse one byte more', () => {
    const padded = (extra: number): LedgerEntry => {
      const pads = Array.from({ length: 30 }, (_, index) =>
        'x'.repeat(1 + Math.max(0, Math.min(511, extra - 511 * index))),
      );
      return amendmentAfter(4_000, pads);
    };
    const room = maximumEntryBytes - formatEntry(padded(0)).length;
    expect(room).toBeLessThan(30 * 511);
    const full = formatEntry(padded(room));
    expect(full).toHaveLength(maximumEntryBytes);
    expect(parseEntry(full)).toEqual(padded(room));
    expect(failure(() => formatEntry(padded(room + 1))).code).toBe('usage');
  });

  it('say what is wrong with a damaged file and how to mend it', () => {
    const line = canonicalLine(release);
    const crlf = failure(() => parseEntry(bytesOf(line.replace('\n', '\r\n')), '00000007.json'));
    expect(crlf).toMatchObject({
      code: 'ledger-damaged',
      exitCode: 42,
      message:
        'The bytes are not the canonical form of their value (line ends were converted to CRLF).',
      where: { file: '00000007.json' },
    });
    const shape = failure(() =>
      parseEntry(bytesOf(line.replace('"seq":7', '"seq":-7')), '00000007.json'),
    );
    expect(shape.message).toMatch(/^The entry does not have its declared shape: /);
    expect(shape.where).toEqual({ file: '00000007.json', path: 'seq' });
    expect(shape.mend).toBe(
      'Restore the recorded file from version control or a copy; entries are never edited.',
    );
  });

  test.each([
    ['another version', { v: 2 }, 'version 2 and kind "release"'],
    ['an unknown kind', { kind: 'transfer' }, 'version 1 and kind "transfer"'],
  ])('tell %s from damage', (_, change, words) => {
    const error = failure(() => parseEntry(bytesOf(canonicalLine({ ...release, ...change }))));
    expect(error.code).toBe('ledger-unsafe');
    expect(error.message).toBe(`The entry has ${words}, which this Liftgate does not know.`);
    expect(error.mend).toBe(
      'Use a newer Liftgate; an entry that is not understood is never skipped.',
    );
  });
});

describe('checkEntry', () => {
  test.each([
    ['a request id with a space', { requestId: 'a b' }, 'requestId'],
    ['an empty request id', { requestId: '' }, 'requestId'],
    ['a time without milliseconds', { at: '2026-01-01T00:00:00Z' }, 'at'],
    ['a month 13', { at: '2026-13-01T00:00:00.000Z' }, 'at'],
    ['an hour 24', { at: '2026-01-01T24:00:00.000Z' }, 'at'],
    ['an actor with a line feed', { actor: 'a\nb' }, 'actor'],
    ['a short ledger id', { ledger: 'ab' }, 'ledger'],
    ['a digest in upper case', { prev: d.toUpperCase() }, 'prev'],
    ['a number beyond eight digits', { seq: 100_000_000 }, 'seq'],
    ['a fraction as a number', { seq: 1.5 }, 'seq'],
    ['an empty reason', { body: { reserve: 2, reason: '' } }, 'body.reason'],
  ])('refuses %s and names the member', (_, change, path) => {
    const error = failure(() => checkEntry({ ...release, ...change }));
    expect(error.code).toBe('usage');
    expect(error.where).toEqual({ path });
    expect(error.message).toMatch(/^This cannot be recorded in the ledger: .+\.$/);
    expect(error.mend).toBe(
      'Give every member of the body its declared shape (ledger/README.md lists them by kind).',
    );
  });

  it('refuses an exposure with one arm and a first attempt in an attempt entry', () => {
    const expose = everyKind.find((entry) => isKind(entry, 'expose'));
    const arms = [{ id: 'baseline', digest: d }];
    expect(failure(() => checkEntry({ ...expose, body: { ...expose?.body, arms } })).code).toBe(
      'usage',
    );
    const attempt = everyKind.find((entry) => isKind(entry, 'attempt'));
    expect(
      failure(() => checkEntry({ ...attempt, body: { ...attempt?.body, attempt: 1 } })).where,
    ).toEqual({ path: 'body.attempt' });
  });
});

describe('entryFileName', () => {
  it('executes its documented example', () => {
    expect(entryFileName(42)).toBe('00000042.json');
    expect(entryFileName(99_999_999)).toBe('99999999.json');
  });
});

describe('namedObjects', () => {
  test.each([
    ['genesis', 0],
    ['policy', 0],
    ['key', 0],
    ['seal', 1],
    ['amend', 2],
    ['reserve', 1],
    ['release', 0],
    ['expose', 2],
    ['attempt', 1],
    ['journal', 0],
    ['outcome', 2],
    ['abort', 0],
    ['void', 0],
    ['leak', 1],
    ['retire', 1],
    ['import', 2],
    ['anchor', 1],
    ['develop', 1],
  ])('of %s are %i', (kind, count) => {
    const entry = everyKind.find((each) => each.kind === kind) ?? release;
    expect(namedObjects(entry)).toEqual(Array.from({ length: count }, () => d));
  });

  it('leave out what is null', () => {
    const entry = everyKind.find((each) => isKind(each, 'outcome'));
    const none = checkEntry({ ...entry, body: { ...entry?.body, receiptsObject: null } });
    expect(namedObjects(none)).toEqual([d]);
  });
});
