import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { admitCases, placeOfRow } from '../../src/analysis/admission.ts';
import { digestOfValue } from '../../src/base/digest.ts';
import { formatProblem } from '../../src/base/errors.ts';
import { admittedCases, caseIndexSchema } from '../../src/spec/case-index.ts';
import type { ExperimentSpec } from '../../src/spec/spec.ts';
import type { CaseRow } from '../../src/spec/units.ts';
import { changed, smallExperiment, specOf } from '../spec/small-experiment.ts';
import { rowsOf } from './rows.ts';

type Fields = CaseRow['fields'];

const spec = await specOf(smallExperiment);
const rosterSpec = await specOf(
  changed(['generalization: new-units', 'generalization: fixed-roster']),
);

function texts(rows: readonly CaseRow[], under: ExperimentSpec = spec): string[] {
  return admitCases(under, rows).problems.map(formatProblem);
}

const first: Fields = { id: 'c1', family: 'u1', split: 'final' };

describe('admitCases', () => {
  test('splits a row into what execute and grade are shown', () => {
    const { cases, problems } = admitCases(spec, rowsOf({ ...first, text: 'Hi', label: 1 }));
    expect(problems).toEqual([]);
    expect(cases).toEqual([
      {
        id: 'c1',
        unit: 'u1',
        split: 'final',
        row: 1,
        fields: { id: 'c1', family: 'u1', split: 'final', text: 'Hi', label: 1 },
        input: { text: 'Hi' },
        expected: { label: 1 },
      },
    ]);
  });

  test('shows execute exactly the fields that cases.input names, the unit too if it is named', () => {
    const named = { ...spec, cases: { ...spec.cases, input: ['text', 'family', 'absent'] } };
    const { cases } = admitCases(named, rowsOf(first));
    expect(cases[0]?.input).toEqual({ text: 'text 0', family: 'u1' });
  });

  test('records what verification needs without the texts', () => {
    const where = { field: 'hard', op: 'eq', value: true } as const;
    const polite = spec.measures['polite'];
    const under: ExperimentSpec = {
      ...spec,
      measures: {
        ...spec.measures,
        ...(polite === undefined ? {} : { polite: { ...polite, where } }),
      },
    };
    const rows = rowsOf(
      { ...first, hard: true },
      { id: 'c2', family: 'u1', split: 'final', label: null },
      { id: 'c3', family: 'u2', split: 'train' },
    );
    const { index } = admitCases(under, rows);
    expect(caseIndexSchema.parse(index)).toEqual(index);
    expect(index).toEqual({
      type: 'liftgate/cases/v1',
      rules: ['labelled', 'distinct'],
      rows: [
        {
          row: 1,
          id: 'c1',
          unit: 'u1',
          split: 'final',
          excluded: null,
          applies: ['duration_ms', 'harm', 'polite', 'right'],
          inputDigest: digestOfValue({ text: 'text 0', hard: true }),
          expectedDigest: digestOfValue({ label: 1 }),
        },
        { row: 2, excluded: 'labelled' },
        {
          row: 3,
          id: 'c3',
          unit: 'u2',
          split: 'train',
          excluded: null,
          applies: ['duration_ms', 'harm', 'right'],
          inputDigest: digestOfValue({ text: 'text 2' }),
          expectedDigest: digestOfValue({ label: 1 }),
        },
      ],
    });
  });

  test('applies rules in their order: a row dropped by one is not seen by the next, the first of equals stays', () => {
    const { index, cases } = admitCases(
      spec,
      rowsOf(
        { ...first, text: 'Same', label: null },
        { ...first, id: 'c2', text: ' same ' },
        { ...first, id: 'c3', text: 'SAME' },
        { ...first, id: 'c4', text: 'other' },
      ),
    );
    expect(index.rows.map((row) => row.excluded)).toEqual(['labelled', null, 'distinct', null]);
    expect(cases.map((each) => each.id)).toEqual(['c2', 'c4']);
  });

  test('unique compares values, not their spelling as text', () => {
    const under: ExperimentSpec = {
      ...spec,
      admission: [{ id: 'distinct', unique: { field: 'key', normalize: 'none' } }],
    };
    const keys = [1, '1', [1], { a: 1, b: 2 }, { b: 2, a: 1 }, 'A', 'a', true];
    const rows = rowsOf(...keys.map((key, at) => ({ ...first, id: `c${at}`, key })));
    const { index } = admitCases(under, rows);
    expect(index.rows.flatMap(({ row, excluded }) => (excluded === null ? [] : [row]))).toEqual([
      5,
    ]);
  });

  test('a dropped row may lack everything else', () => {
    const rows = rowsOf({ label: null }, first);
    expect(texts(rows)).toEqual([]);
    expect(admitCases(spec, rows).cases.map((each) => each.row)).toEqual([2]);
  });

  test('every row is either admitted or excluded by a declared rule', () => {
    const fields = fc.record({
      id: fc.nat().map((n) => `c${n}`),
      family: fc.nat(5).map((n) => `u${n}`),
      text: fc.constantFrom('a', 'A ', 'b', 'c'),
      label: fc.constantFrom(null, 0, 1),
    });
    const whole: ExperimentSpec = {
      ...spec,
      splits: { by: 'hash', salt: 's', final: 1, selection: 0, train: 0 },
    };
    fc.assert(
      fc.property(fc.uniqueArray(fields, { selector: ({ id }) => id, maxLength: 30 }), (each) => {
        const { index, cases, problems } = admitCases(whole, rowsOf(...each));
        expect(problems).toEqual([]);
        expect(index.rows.map(({ row }) => row)).toEqual(each.map((_, position) => position + 1));
        expect(admittedCases(index).map(({ row }) => row)).toEqual(cases.map(({ row }) => row));
        expect(
          new Set(cases.map(({ fields: { text } }) => String(text).trim().toLowerCase())).size,
        ).toBe(cases.length);
      }),
      { seed: 4, numRuns: 100 },
    );
  });
});

describe('problems of rows', () => {
  test.each<[name: string, rows: readonly Fields[], expected: readonly string[]]>([
    [
      'a row without an id',
      [{ family: 'u1', split: 'final' }],
      [
        'cases.jsonl:1:1 id [field-missing]\n  The row has no "id", which is the case id.\n  Add "id" to the row.',
      ],
    ],
    [
      'a row without its unit and split',
      [first, { id: 'c2' }],
      [
        'cases.jsonl:2:1 family [field-missing]\n  The row has no "family", which is the unit.\n  Add "family" to the row.',
      ],
    ],
    [
      'a number as an id',
      [{ ...first, id: 12 }],
      [
        'cases.jsonl:1:1 id [field-not-text]\n  "id" is the case id and must be text, got 12.\n  Write it in double quotes.',
      ],
    ],
    [
      'a row without a split',
      [{ id: 'c1', family: 'u1' }],
      [
        'cases.jsonl:1:1 split [field-missing]\n  The row has no "split", which is the split.\n  Write train (the optimizer reads it), selection (the optimizer chooses by it) or final (held back).',
      ],
    ],
    [
      'a split nobody knows',
      [{ ...first, split: 'test' }],
      [
        'cases.jsonl:1:1 split [split-unknown]\n  Expected the split train, selection or final in "split", got "test".\n  Write train (the optimizer reads it), selection (the optimizer chooses by it) or final (held back).',
      ],
    ],
    [
      'a row without the field that unique compares',
      [{ ...first, text: null }],
      [
        'cases.jsonl:1:1 text [field-missing]\n  The row has no value in "text", which the admission rule "distinct" compares.\n  Give the row a value, or drop it with an earlier rule {keep: {field: text, op: ne, value: null}}.',
      ],
    ],
    [
      'an id with a space at its end',
      [{ ...first, id: 'c1 ' }],
      [
        'cases.jsonl:1:1 [id-invalid]\n  The case id "c1 " cannot be used: it has a space at an end or two in a row (E_ID_SPACE).\n  Change it in the case file; ids are never repaired, so that two files cannot mean different units by one id.',
      ],
    ],
    [
      'a unit with an invisible character, once for all its cases',
      [
        { ...first, family: 'u\u200b1' },
        { ...first, id: 'c2', family: 'u\u200b1' },
      ],
      [
        'cases.jsonl:1:1 [id-invalid]\n  The unit id "u\\u{200b}1" cannot be used: it has a control, invisible, private or unassigned character or an odd space (E_ID_CHAR).\n  Change it in the case file; ids are never repaired, so that two files cannot mean different units by one id.',
      ],
    ],
    [
      'a case told twice',
      [first, first],
      [
        'cases.jsonl:2:1 [case-twice]\n  Case "c1" already stands at cases.jsonl:1.\n  Give every case its own id, or drop the copy with an admission rule {unique: {field: ...}}.',
      ],
    ],
    [
      'two spellings of one unit',
      [first, { ...first, id: 'c2', family: 'U1' }],
      [
        'cases.jsonl:2:1 [unit-alias]\n  Unit "U1" is another spelling of unit "u1" at cases.jsonl:1 (E_UNIT_ALIAS).\n  Spell one unit one way; give different units ids that differ by more than case, width, invisible characters or letters that look alike.',
      ],
    ],
    [
      'an id that looks like another, and both of its spellings',
      [first, { ...first, id: 'c2', family: '\u057d1' }, { ...first, id: 'c3', family: '\u057d1' }],
      [
        'cases.jsonl:2:1 [unit-alias]\n  Unit "\u057d1" (U+057D looks like u) is another spelling of unit "u1" at cases.jsonl:1 (E_UNIT_ALIAS).\n  Spell one unit one way; give different units ids that differ by more than case, width, invisible characters or letters that look alike.',
      ],
    ],
    [
      'a unit in two splits, once for all its cases',
      [first, { ...first, id: 'c2', split: 'train' }, { ...first, id: 'c3', split: 'train' }],
      [
        'cases.jsonl:2:1 [unit-in-two-splits]\n  Unit "u1" is in "final" (cases.jsonl:1) and in "train".\n  Keep it in one split; if the cases come from different sources, give them different unit ids.',
      ],
    ],
  ])('%s', (_name, rows, expected) => {
    expect(texts(rowsOf(...rows))).toEqual(expected);
  });

  test('final units that show exactly the same, however they are called', () => {
    const whole: ExperimentSpec = { ...spec, admission: [] };
    const rows = rowsOf(
      { ...first, text: 'Refund  42' },
      { id: 'c2', family: 'u2', split: 'final', text: 'refund 42' },
      { id: 'c3', family: 'u3', split: 'final', text: 'refund 42' },
      { id: 'c4', family: 'u3', split: 'final', text: 'refund 43' },
      { id: 'c5', family: 'u4', split: 'train', text: 'refund 44' },
      { id: 'c6', family: 'u5', split: 'train', text: 'refund 44' },
    );
    expect(texts(rows, whole)).toEqual([
      'cases.jsonl:2:1 [unit-copied]\n  Final unit "u2" shows exactly what final unit "u1" shows (cases.jsonl:1): copies never count twice toward n.\n  Drop one with an admission rule {unique: {field: ...}}, or give both the same unit id.',
    ]);
    expect(texts(rows, { ...whole, claim: rosterSpec.claim })).toEqual([]);
  });

  test('a copy under another id across the final border, but not within development', () => {
    const whole: ExperimentSpec = { ...spec, admission: [] };
    const rows = rowsOf(
      { ...first, text: 'Refund  42' },
      { id: 'c2', family: 'u2', split: 'train', text: 'refund 43' },
      { id: 'c3', family: 'u3', split: 'train', text: 'REFUND 42' },
      { id: 'c4', family: 'u3', split: 'train', text: 'refund 42 ' },
      { id: 'c5', family: 'u4', split: 'selection', text: 'refund 43' },
    );
    expect(texts(rows, whole)).toEqual([
      'cases.jsonl:3:1 [unit-renamed]\n  Unit "u3" in "train" shows what unit "u1" shows in "final" (cases.jsonl:1): a copy under another id is the same unit.\n  Drop one with an admission rule {unique: {field: ...}}, or keep both in one split.',
    ]);
    expect(texts(rows, { ...whole, claim: rosterSpec.claim })).toEqual([]);
  });

  test('dates and other ignored fields do not make a copy new', () => {
    const whole: ExperimentSpec = { ...spec, admission: [] };
    const rows = rowsOf(
      { ...first, text: 'a', sent: '1' },
      { id: 'c2', family: 'u2', split: 'train', text: 'a', sent: '2' },
    );
    expect(texts(rows, whole)).toEqual([]);
    expect(texts(rows, { ...whole, fingerprint: { ignore: ['sent'] } })).toHaveLength(1);
  });

  test('a fixed roster may share a unit between splits, but never a case', () => {
    const shared = rowsOf(first, { ...first, id: 'c2', split: 'train' });
    expect(texts(shared, rosterSpec)).toEqual([]);
    expect(texts(rowsOf(first, { ...first, split: 'train' }), rosterSpec)).toEqual([
      'cases.jsonl:2:1 [case-twice]\n  Case "c1" already stands at cases.jsonl:1, there in "final", here in "train".\n  Give every case its own id, or drop the copy with an admission rule {unique: {field: ...}}.',
    ]);
  });

  test('names the column of a row inside a list', () => {
    const [row] = rowsOf({ family: 'u1' });
    expect(row).toBeDefined();
    const listed = row === undefined ? [] : [{ ...row, line: 7, column: 40 }];
    expect(texts(listed)[0]).toMatch(/^cases\.jsonl:7:40 id \[field-missing\]/);
    expect(listed.map((each) => placeOfRow(each))).toEqual([
      { file: 'cases.jsonl', line: 7, column: 40, path: undefined },
    ]);
  });

  test('shows twenty problems of a kind and counts the rest', () => {
    const rows = rowsOf(...Array.from({ length: 30 }, (_, index) => ({ ...first, id: index })));
    const shown = texts(rows);
    expect(shown).toHaveLength(21);
    expect(shown.at(-1)).toBe(
      'cases.jsonl:21:1 id [field-not-text]\n  10 further rows from here on have the same problem.\n  Mend those shown, then check again.',
    );
  });
});
