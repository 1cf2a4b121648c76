import { describe, expect, test } from 'vitest';
import { LiftgateError } from '../../src/base/errors.ts';
import { executeCells } from '../../src/run/execute.ts';
import { type Dispatch, formatJournalLine, parseJournal } from '../../src/run/journal.ts';
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

exampleTests('src/run/journal.ts', {
  names: ['parseJournal', 'formatJournalLine'],
  scope: { parseJournal, formatJournalLine, dispatch },
});
