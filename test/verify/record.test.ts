import { describe, expect, test } from 'vitest';
import { canonicalLine } from '../../src/base/canonical.ts';
import { digestOf } from '../../src/base/digest.ts';
import { materialOf } from '../../src/spec/seal.ts';
import {
  buildManifest,
  canonicalLines,
  formatManifest,
  manifestDifferences,
  manifestDigest,
  parseManifest,
  parseReceiptLines,
  runFile,
} from '../../src/verify/record.ts';
import { refusedBy } from '../support/refused-by.ts';

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
const files = new Map([
  ['seal.json', encode('{}\n')],
  ['cases.json', encode('[]\n')],
  ['notes.txt', encode('mine')],
  ['manifest.json', encode('old')],
]);
const seal = digestOf('seal');

describe('buildManifest', () => {
  test('lists the files of a run by name, never itself and never a stray file', () => {
    const manifest = buildManifest('mails', seal, files);
    expect(manifest.files.map(({ path }) => path)).toEqual(['cases.json', 'seal.json']);
    expect(manifest.files[1]).toEqual(materialOf('seal.json', encode('{}\n')));
    expect(manifestDigest(manifest)).toBe(digestOf(formatManifest(manifest)));
  });

  test('is empty for no files', () => {
    expect(buildManifest('mails', seal, new Map()).files).toEqual([]);
  });
});

describe('manifestDifferences', () => {
  const manifest = buildManifest('mails', seal, files);

  test('names a stray, a missing and a changed file, and a listed one that no run has', () => {
    expect(manifestDifferences(manifest, files)).toEqual(['notes.txt was not recorded']);
    const changed = new Map([['seal.json', encode('{} \n')]]);
    expect(manifestDifferences(manifest, changed)).toEqual([
      'cases.json is missing',
      'seal.json has other bytes than recorded',
    ]);
    const notes = materialOf('notes.txt', encode('mine'));
    expect(manifestDifferences({ ...manifest, files: [...manifest.files, notes] }, files)).toEqual([
      'notes.txt is listed but is no file of a run',
    ]);
  });
});

describe('parseManifest', () => {
  test('reads back what formatManifest wrote', () => {
    const manifest = buildManifest('mails', seal, files);
    const stored = new Map([['manifest.json', encode(formatManifest(manifest))]]);
    expect(parseManifest(stored)).toEqual(manifest);
  });

  test('refuses another version, and a folder without one', () => {
    const other = canonicalLine({
      ...buildManifest('mails', seal, files),
      type: 'liftgate/run/v2',
    });
    expect(refusedBy(() => parseManifest(new Map([['manifest.json', encode(other)]])))).toBe(
      'run-invalid: The manifest does not have the shape liftgate/run/v1. Restore the recorded manifest.',
    );
    expect(refusedBy(() => parseManifest(new Map()))).toBe(
      'run-invalid: The run folder has no manifest.json. Restore the whole run folder; every file of a run is needed to check it.',
    );
  });
});

describe('runFile', () => {
  test('gives the bytes of a file, empty ones too', () => {
    expect(runFile(new Map([['a', new Uint8Array()]]), 'a')).toEqual(new Uint8Array());
  });
});

describe('canonicalLines', () => {
  test('numbers lines from 1; an empty file has none', () => {
    expect(canonicalLines(encode('{"a":1}\n[2]\n'), 'f')).toEqual([
      { line: 1, value: { a: 1 } },
      { line: 2, value: [2] },
    ]);
    expect(canonicalLines(new Uint8Array(), 'f')).toEqual([]);
  });

  test('refuses a last line without line feed and any line that is not canonical', () => {
    expect(refusedBy(() => canonicalLines(encode('{}\n{}'), 'f'))).toBe(
      'run-invalid: The last line has no line feed, so it may be torn. Restore the recorded file.',
    );
    expect(refusedBy(() => canonicalLines(encode('{}\n{"b":1,"a":2}\n'), 'f'))).toContain(
      'The bytes are not the canonical form of their value',
    );
  });
});

describe('parseReceiptLines', () => {
  test('refuses a line that is no receipt line, with what is wrong', () => {
    expect(refusedBy(() => parseReceiptLines(encode('{"v":2}\n'), 'controls.jsonl'))).toBe(
      'run-invalid: The line is no receipt line: Invalid input: expected 1. Restore the recorded file; receipts are never edited.',
    );
  });
});
