import { beforeAll, describe, expect, test } from 'vitest';
import type { ByteSource, Content } from '../../src/base/content.ts';
import { runFileNames } from '../../src/verify/record.ts';
import { checkRun, type Verification } from '../../src/verify/verify.ts';
import { smallMails } from '../support/bundles.ts';
import { failures, formatLines, journalOf, remanifested } from '../support/forgery.ts';
import { bytesOf } from '../support/ledger-story.ts';
import { type SettledRun, settledRun } from '../support/run.ts';
import { temporaryFolders } from '../support/temporary-folder.ts';

const makeFolder = temporaryFolders();
let run: SettledRun;
let text: string;

beforeAll(async () => {
  run = await settledRun({ folder: await makeFolder(), files: smallMails });
  text = new TextDecoder().decode(run.files.get(runFileNames.journal));
});

/** A file that is read in pieces, each in the place of the last one; counts how often it was read. */
function inPieces(bytes: Uint8Array, length: number): ByteSource & { passes: number } {
  const source = {
    length: bytes.length,
    passes: 0,
    chunks: function* () {
      source.passes += 1;
      const place = Buffer.alloc(length);
      for (let at = 0; at < bytes.length; at += length) {
        const piece = bytes.subarray(at, at + length);
        place.set(piece);
        yield place.subarray(0, piece.length);
      }
    },
  };
  return source;
}

/** The run with another journal, and the manifest made to fit. */
function withJournal(journal: string | Uint8Array): ReadonlyMap<string, Uint8Array> {
  return remanifested(run.files, { [runFileNames.journal]: journal });
}

/** The run with this journal, read whole and in pieces: both must give the same; gives what they gave. */
function checkedBothWays(files: ReadonlyMap<string, Uint8Array>, length: number): Verification {
  const bytes = files.get(runFileNames.journal) ?? new Uint8Array();
  const whole = checkRun(files, run.view);
  const source = inPieces(bytes, length);
  const pieces = checkRun(
    new Map<string, Content>(files).set(runFileNames.journal, source),
    run.view,
  );
  expect(pieces).toEqual(whole);
  expect(source.passes).toBe(1);
  return pieces;
}

const lengths = [1, 2, 3, 61, 1000, 1 << 20];

describe('a journal in pieces', () => {
  test.each(lengths)('of %i bytes is confirmed in one pass', (length) => {
    const found = checkedBothWays(run.files, length);
    expect(failures(found)).toEqual([]);
    expect(found.exitCode).toBe(0);
  });

  test.each(lengths)('of %i bytes is refused as a whole one is, with the right line', (length) => {
    const lines = text.split('\n').slice(0, -1);
    const deep = lines.length - 2;
    const changed = (line: string): string =>
      lines
        .toSpliced(deep - 1, 1, line)
        .join('\n')
        .concat('\n');
    const said = (journal: string | Uint8Array): string => {
      return failures(checkedBothWays(withJournal(journal), length)).join('; ');
    };
    expect(said(changed('{"kind":'))).toContain(`receipts: journal.jsonl:${deep}: A value is miss`);
    expect(said(changed('{"kind":"other"}'))).toContain(
      `receipts: journal.jsonl:${deep}: The line is no journal line`,
    );
    expect(said(changed(`${lines[deep - 1]} `))).toContain(
      `receipts: journal.jsonl:${deep}: The bytes are not the canonical form`,
    );
    expect(said(changed(''))).toContain(`receipts: journal.jsonl:${deep}: `);
    expect(said(text.replaceAll('\n', '\r\n'))).toContain(
      'receipts: journal.jsonl:1: The bytes are not the canonical form of their value (line ends were converted to CRLF)',
    );
    expect(said(text.slice(0, -1))).toContain('receipts: the journal ends in a torn line');
    expect(said('')).toContain('receipts: the first ');
    const cut = bytesOf(text);
    expect(said(cut.with(cut.length - 300, 0xff))).toContain('(E_UTF8)');
  });

  test('names a line that cannot be read before one that was not planned, wherever they stand', () => {
    const lines = text.trimEnd().split('\n');
    const [first = ''] = lines;
    const unplanned = first.replace('"position":0', '"position":1');
    const broken = [unplanned, ...lines.slice(1, -1), '{}'].join('\n');
    const files = withJournal(`${broken}\n`);
    expect(failures(checkedBothWays(files, 777)).join('; ')).toContain(
      `receipts: journal.jsonl:${lines.length}: The line is no journal line`,
    );
    const moved = [unplanned, ...lines.slice(1)].join('\n');
    const other = withJournal(`${moved}\n`);
    expect(failures(checkedBothWays(other, 777)).join('; ')).toContain(
      'The journal puts the cell at place 1 of the schedule',
    );
  });

  test('tells an equal receipt that stands twice from a second answer, though neither is kept whole', () => {
    const journal = journalOf(run.files);
    const again = journal.findLast((line) => line.kind === 'receipt');
    if (again === undefined) throw new Error('the journal has receipts');
    const twice = (line: typeof again): string =>
      failures(checkedBothWays(withJournal(formatLines([...journal, line])), 512)).join('; ');
    expect(twice(again)).toContain('receipts: 1 receipts are recorded twice');
    const later = { ...again, line: { ...again.line, receivedAt: '2030-01-01T00:00:00.000Z' } };
    expect(twice(later)).toContain('receipts: 1 receipts are recorded twice');
    const { receipt } = again.line;
    const mediaType = 'text/plain';
    const artifact = receipt.artifact === null ? null : { ...receipt.artifact, mediaType };
    const other = { ...again, line: { ...again.line, receipt: { ...receipt, artifact } } };
    expect(twice(other)).toContain('Two different receipts name attempt 1');
  });

  test('is read once for its digest when nothing else of the run can be read', () => {
    const bytes = run.files.get(runFileNames.journal) ?? new Uint8Array();
    const source = inPieces(bytes, 99);
    const files = new Map<string, Content>(run.files)
      .set(runFileNames.seal, bytesOf('{}\n'))
      .set(runFileNames.journal, source);
    const found = checkRun(files, run.view);
    expect(failures(found)[0]).toBe('manifest: seal.json has other bytes than recorded');
    expect(source.passes).toBe(1);
  });
});
