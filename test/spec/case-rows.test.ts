import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatProblem } from '../../src/base/errors.ts';
import { type CaseSource, readCaseRows } from '../../src/spec/case-rows.ts';

const encoder = new TextEncoder();
const source: CaseSource = { file: 'c.jsonl', firstRow: 1 };

function read(text: string, from: CaseSource = source): ReturnType<typeof readCaseRows> {
  return readCaseRows(encoder.encode(text), from);
}

function texts(text: string, from: CaseSource = source): string[] {
  return read(text, from).problems.map(formatProblem);
}

describe('readCaseRows', () => {
  test('reads JSON lines with their line numbers; empty lines count as lines only', () => {
    const { rows, problems } = read('{"id":"a"}\n\n{"id":"b"}\r\n');
    expect(problems).toEqual([]);
    expect(rows).toEqual([
      { row: 1, file: 'c.jsonl', line: 1, column: 1, fields: { id: 'a' } },
      { row: 2, file: 'c.jsonl', line: 3, column: 1, fields: { id: 'b' } },
    ]);
  });

  test('reads a JSON array with the place of each item', () => {
    const { rows } = read(
      '[\n  {"id": "a", "x": [[1], {"y": "]"}]}, {"id": "b"},\n  {"id": "c"}\n]\n',
    );
    expect(rows.map(({ row, line, column }) => [row, line, column])).toEqual([
      [1, 2, 3],
      [2, 2, 40],
      [3, 3, 3],
    ]);
  });

  test('continues the numbering of earlier files and numbers {row} by file', () => {
    const from = { ...source, firstRow: 11, set: { source: 'yelp', id: 'yelp-{row}' } };
    expect(
      read('[{"text":"x"},{"text":"y"}]', from).rows.map(({ row, fields }) => [row, fields]),
    ).toEqual([
      [11, { text: 'x', source: 'yelp', id: 'yelp-1' }],
      [12, { text: 'y', source: 'yelp', id: 'yelp-2' }],
    ]);
  });

  test.each<[name: string, text: string, expected: string]>([
    [
      'a malformed line',
      '{"id":"a"}\n{"id":}\n',
      'c.jsonl:2:7 [cases-invalid]\n  Unexpected character } (E_SYNTAX).\n  Write standard JSON: double quotes, no comments, no trailing commas, one value per document.',
    ],
    [
      'a member told twice',
      '{"id":"a","id":"b"}\n',
      'c.jsonl:1:11 [cases-invalid]\n  The member "id" appears twice (E_DUPLICATE_KEY).\n  Keep one of the two members.',
    ],
    [
      'a rounded integer in a list',
      '[{"n": 9007199254740993}]',
      'c.jsonl:1:8 [cases-invalid]\n  The integer 9007199254740993 would be rounded (E_UNSAFE_INTEGER).\n  Write integers beyond 9007199254740991 as strings.',
    ],
    [
      'a row that is no object',
      '{"id":"a"}\n7\n',
      'c.jsonl:2:1 [row-not-object]\n  A row must be a JSON object.\n  Write {"id": ..., ...}: one object per case.',
    ],
    [
      'an empty file',
      '\n \n',
      'c.jsonl:1:1 [cases-empty]\n  The case file holds no row.\n  Write one JSON object per line, or a JSON array of objects.',
    ],
    [
      'an empty list',
      '[]',
      'c.jsonl:1:1 [cases-empty]\n  The case file holds no row.\n  Write one JSON object per line, or a JSON array of objects.',
    ],
    [
      'a byte order mark',
      '\uFEFF{"id":"a"}\n',
      'c.jsonl [cases-invalid]\n  The file starts with a byte order mark (E_BOM).\n  Save the file as UTF-8 without a byte order mark.',
    ],
  ])('refuses %s', (_name, text, expected) => {
    expect(texts(text)).toEqual([expected]);
  });

  test('refuses to overwrite a field of a row', () => {
    expect(texts('{"id":"a"}\n', { ...source, set: { id: 'x' } })).toEqual([
      'c.jsonl:1:1 id [set-field-exists]\n  The row already has the field "id", which cases.files sets.\n  Set a field that the rows do not have.',
    ]);
  });

  test('tells all malformed lines, at most twenty', () => {
    expect(texts('{\n{"id":"a"}\n}\n')).toHaveLength(2);
    expect(texts('{\n'.repeat(50))).toHaveLength(20);
  });

  test('reads the same rows from lines and from a list', () => {
    const row = fc.dictionary(fc.string({ minLength: 1 }), fc.jsonValue({ maxDepth: 2 }), {
      maxKeys: 4,
    });
    fc.assert(
      fc.property(fc.array(row, { minLength: 1, maxLength: 5 }), (rows) => {
        const lines = read(rows.map((each) => `${JSON.stringify(each)}\n`).join(''));
        const list = read(JSON.stringify(rows));
        fc.pre(lines.problems.length === 0 && list.problems.length === 0);
        expect(list.rows.map(({ fields }) => fields)).toEqual(
          lines.rows.map(({ fields }) => fields),
        );
        expect(list.rows.map(({ row: number }) => number)).toEqual(rows.map((_, at) => at + 1));
      }),
      { seed: 5, numRuns: 200 },
    );
  });
});
