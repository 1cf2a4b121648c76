import { describe, expect, test } from 'vitest';
import { LiftgateError } from '../../src/base/errors.ts';
import { executeCells } from '../../src/run/execute.ts';
import {
  type Dispatch,
  fenceFaults,
  formatJournalLine,
  type JournalLine,
  type JournalPrefix,
  journalPrefix,
  parseJournal,
  WitnessedJournal,
  witnessDue,
} from '../../src/run/journal.ts';
import { freshState } from '../../src/run/resume.ts';
import { exampleTests } from '../support/examples.ts';
import { deskOf, MemoryJournal, quiet, ScriptedHost, StillClock } from './desk.ts';

const dispatch: Dispatch = {
  kind: 'dispatch',
  cell: { unit: 'u', case: 'c', arm: 'baseline', repeat: 0 },
  position: 0,
  attempt: 1,
  cellKey: 'a'.repeat(64),
  fence: null,
  reservedUsd: 0.01,
  at: '2026-08-01T00:00:00.000Z',
};

function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

function refusal(text: string): LiftgateError {
  try {
    parseJournal(bytesOf(text), 'journal.jsonl');
  } catch (error) {
    if (error instanceof LiftgateError) return error;
    throw error;
  }
  throw new Error('the journal was accepted');
}

const line = formatJournalLine(dispatch);

describe('parseJournal', () => {
  test('reads back every line a run wrote', async () => {
    const desk = deskOf();
    const journal = new MemoryJournal();
    await executeCells({
      ...desk,
      host: new ScriptedHost(),
      journal,
      resumed: freshState(desk.schedule),
      clock: new StillClock(),
      signal: quiet,
    });
    const text = journal.lines.map(formatJournalLine).join('');
    const read = parseJournal(bytesOf(text), 'journal.jsonl');
    expect(read.lines).toEqual(journal.lines);
    expect(read.keptBytes).toBe(text.length);
  });

  test('drops a torn last line and says where the kept bytes end', () => {
    for (let cut = 0; cut < line.length; cut += 1) {
      const read = parseJournal(bytesOf(line + line.slice(0, cut)), 'journal.jsonl');
      expect(read).toEqual({ lines: [dispatch], keptBytes: line.length });
    }
  });

  test('drops the zero bytes a file system may leave after a power cut', () => {
    expect(parseJournal(bytesOf(`${line}\0\0\0\0`), 'journal.jsonl').keptBytes).toBe(line.length);
  });

  test('refuses a damaged line that is not the last, with file and line', () => {
    const error = refusal(`${line}{"kind":\n${line}`);
    expect(error.code).toBe('run-invalid');
    expect(error.where).toMatchObject({ file: 'journal.jsonl', line: 2 });
  });

  test('refuses a complete last line that is not canonical', () => {
    const error = refusal(`${line}${line.replace('{', '{ ')}`);
    expect(error.code).toBe('run-invalid');
    expect(error.message).toBe('The bytes are not the canonical form of their value.');
    expect(error.where).toMatchObject({ file: 'journal.jsonl', line: 2 });
  });

  test('refuses an unknown kind of line', () => {
    const error = refusal(line.replace('"dispatch"', '"guess"'));
    expect(error.where).toMatchObject({ file: 'journal.jsonl', line: 1, path: 'kind' });
    expect(error.mend).toBe('Restore the recorded journal; it must not be edited.');
  });

  test('refuses an unknown member', () => {
    expect(refusal(line.replace('"attempt"', '"arm":"x","attempt"')).code).toBe('run-invalid');
  });
});

describe('witnessDue', () => {
  test.each([
    [1, 0, 0, true],
    [8, 1, 0, false],
    [9, 1, 0, true],
    [23, 16, 0, false],
    [24, 16, 0, true],
    [149, 100, 0, false],
    [150, 100, 0, true],
    [10_999, 10_000, 0, false],
    [11_000, 10_000, 0, true],
    [17, 16, 59_999, false],
    [17, 16, 60_000, true],
    [16, 16, 60_000, false],
  ])('with %i lines, %i of them known, after %i ms: %s', (lines, known, elapsedMs, due) => {
    expect(witnessDue({ lines, elapsedMs }, { lines: known, elapsedMs: 0 })).toBe(due);
  });
});

describe('WitnessedJournal', () => {
  function witnessed(kept = '') {
    const written: string[] = [];
    const told: JournalPrefix[] = [];
    const clock = { now: 0 };
    const faults = { log: false, witness: false };
    const journal = new WitnessedJournal({
      log: {
        append: (text) => {
          if (faults.log) return Promise.reject(new Error('disk full'));
          written.push(text);
          return Promise.resolve();
        },
      },
      witness: {
        keep: (prefix) => {
          if (faults.witness) return Promise.reject(new Error('taken over'));
          told.push(prefix);
          return Promise.resolve();
        },
      },
      elapsedMs: () => clock.now,
      kept: { bytes: bytesOf(kept), lines: kept.split('\n').length - 1 },
    });
    return { journal, written, told, clock, faults };
  }

  test('tells of durable lines only, with the digest that the file has there', async () => {
    const { journal, written, told } = witnessed();
    await Promise.all(Array.from({ length: 20 }, () => journal.append(dispatch)));
    expect(told.map((prefix) => prefix.lines)).toEqual([1, 9, 17]);
    const bytes = bytesOf(written.join(''));
    for (const prefix of told) expect(journalPrefix(bytes, prefix.lines)).toEqual(prefix);
    expect(journal.prefix()).toEqual(journalPrefix(bytes, 20));
  });

  test('goes on from the lines that were kept', async () => {
    const { journal, told } = witnessed(line.repeat(16));
    for (let more = 0; more < 8; more += 1) await journal.append(dispatch);
    expect(told).toEqual([journalPrefix(bytesOf(line.repeat(24)), 24)]);
  });

  test('tells of a single line after a minute', async () => {
    const { journal, told, clock } = witnessed(line);
    await journal.append(dispatch);
    expect(told).toEqual([]);
    clock.now = 60_000;
    await journal.append(dispatch);
    expect(told.map((prefix) => prefix.lines)).toEqual([3]);
  });

  test('never tells of a line that may not be on disk, and hands on that another runner took over', async () => {
    const { journal, told, faults } = witnessed(line.repeat(7));
    faults.log = true;
    await expect(journal.append(dispatch)).rejects.toThrow('disk full');
    expect(told).toEqual([]);
    const other = witnessed(line);
    other.faults.witness = true;
    for (let more = 0; more < 7; more += 1) await other.journal.append(dispatch);
    await expect(other.journal.append(dispatch)).rejects.toThrow('taken over');
  });
});

describe('journalPrefix', () => {
  test('is null where the journal is shorter; a torn line is no line', () => {
    const bytes = bytesOf(`${line}${line}{"kind"`);
    expect(journalPrefix(bytes, 0)?.digest).toMatch(/^sha256:e3b0c442/);
    expect(journalPrefix(bytes, 2)).toEqual(journalPrefix(bytesOf(line + line), 2));
    expect(journalPrefix(bytes, 3)).toBe(null);
  });
});

describe('fenceFaults', () => {
  const rights = [
    { fence: 'a', lines: 0 },
    { fence: 'b', lines: 2 },
  ];
  const under = (fence: string | null): JournalLine => ({ ...dispatch, fence });

  test('accepts every dispatch under the fence of its time', () => {
    expect(fenceFaults([under('a'), under('a'), under('b')], rights)).toEqual([]);
  });

  test.each([
    ['a', 2, 'was written under a fence that another runner had replaced'],
    ['b', 1, 'names a fence that was given later'],
    ['c', 0, 'names a fence nobody holds'],
    [null, 0, 'names a fence nobody holds'],
  ])('refuses fence %s at line index %i', (fence, at, said) => {
    const lines = [under('a'), under('a'), under('b')];
    lines[at] = under(fence);
    expect(fenceFaults(lines, rights)).toEqual([
      `line ${at + 1} (dispatch of case c, arm baseline) ${said}`,
    ]);
  });
});

exampleTests('src/run/journal.ts', {
  names: ['parseJournal', 'formatJournalLine', 'journalPrefix', 'witnessDue'],
  scope: { parseJournal, formatJournalLine, journalPrefix, witnessDue, dispatch },
});
