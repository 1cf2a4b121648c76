import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type Case,
  fingerprintOf,
  foldText,
  normalizeText,
  skeletonOf,
  unitIdProblem,
  unitRecords,
} from '../../src/spec/units.ts';
import { jcsVectors as vectors } from '../support/vectors.ts';

const accepted = vectors.unitIds.cases.filter((each) => each.skeleton !== undefined);
const refused = vectors.unitIds.cases.filter((each) => each.refuse !== undefined);

describe('unitIdProblem', () => {
  test('sees both kinds of vectors', () => {
    expect(accepted.length).toBeGreaterThanOrEqual(14);
    expect(refused.length).toBeGreaterThanOrEqual(11);
  });

  test.each(accepted)('accepts $id', ({ id }) => {
    expect(unitIdProblem(id)).toBeNull();
  });

  test.each(refused)('refuses $id as $refuse', ({ id, refuse }) => {
    expect(unitIdProblem(id)).toBe(refuse);
  });

  test('refuses lone surrogates and line separators', () => {
    expect(unitIdProblem('a\uD800')).toBe('E_ID_CHAR');
    expect(unitIdProblem('a\u2028b')).toBe('E_ID_CHAR');
    expect(unitIdProblem('a\u3000b')).toBe('E_ID_CHAR');
  });

  test('tells every character of ASCII apart: visible ones pass, a space between two of them, nothing else', () => {
    for (let code = 0; code < 0x80; code += 1) {
      const character = String.fromCharCode(code);
      const visible = code > 0x20 && code < 0x7f;
      expect(unitIdProblem(`a${character}b`)).toBe(visible || code === 0x20 ? null : 'E_ID_CHAR');
    }
    expect(['', ' ', ' a', 'a ', 'a  b'].map(unitIdProblem)).toEqual([
      'E_ID_EMPTY',
      ...Array.from({ length: 4 }, () => 'E_ID_SPACE'),
    ]);
  });

  test('counts bytes, of ASCII and of other ids', () => {
    expect(['a'.repeat(256), 'a'.repeat(257)].map(unitIdProblem)).toEqual([null, 'E_ID_LONG']);
    expect(['ß'.repeat(128), 'ß'.repeat(129)].map(unitIdProblem)).toEqual([null, 'E_ID_LONG']);
  });
});

describe('skeletonOf', () => {
  test.each(accepted)('folds $id to $skeleton', ({ id, skeleton }) => {
    expect(skeletonOf(id)).toBe(skeleton);
  });

  test('keeps its worked example', () => {
    expect(skeletonOf('STRASSE') === skeletonOf('straße')).toBe(true);
  });

  test('folds ASCII by case alone, whatever else stands in the id', () => {
    const id = Array.from({ length: 0x5e }, (_, at) => String.fromCharCode(0x21 + at)).join('');
    // The invisible character is dropped, and asks for the rules of all other characters.
    expect(skeletonOf(`${id} ${id}`)).toBe(skeletonOf(`${id} ${id}\u00ad`));
    expect(skeletonOf(`${id} ${id}`)).toBe(`${id} ${id}`.toLowerCase());
  });

  test('folding twice changes nothing more for ids that may name units', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 12 }), (id) => {
        fc.pre(unitIdProblem(id) === null);
        const once = skeletonOf(id);
        expect(skeletonOf(once)).toBe(once);
      }),
      { seed: 3, numRuns: 500 },
    );
  });
});

describe('fingerprintOf', () => {
  test('survives case, width, white space and key order', () => {
    const first = fingerprintOf({ mail: 'Refund  42 EUR', order: { b: 1, a: ['X'] } });
    const second = fingerprintOf({ order: { a: ['x'], b: 1 }, mail: ' ｒefund 42\neur' });
    expect(second).toBe(first);
  });

  test('leaves ignored fields out and nothing else', () => {
    const whole = fingerprintOf({ mail: 'a', sent: '2026-08-01' });
    expect(fingerprintOf({ mail: 'a', sent: '2026-08-02' })).not.toBe(whole);
    expect(fingerprintOf({ mail: 'a', sent: '2026-08-02' }, ['sent'])).toBe(
      fingerprintOf({ mail: 'a', sent: '2026-08-01' }, ['sent']),
    );
  });

  test('tells values apart that only look alike', () => {
    expect(fingerprintOf({ n: 1 })).not.toBe(fingerprintOf({ n: '1' }));
    expect(fingerprintOf({ n: null })).not.toBe(fingerprintOf({}));
  });
});

describe('text folding', () => {
  test('foldText keeps words and punctuation', () => {
    expect(foldText('  Good,\t CASE! ')).toBe('good, case!');
  });

  test.each([
    ['none', '  Good,  CASE! '],
    ['whitespace-case', 'good, case!'],
    ['words', 'good case'],
  ] as const)('normalizeText by %s', (how, expected) => {
    expect(normalizeText('  Good,  CASE! ', how)).toBe(expected);
  });
});

describe('unitRecords', () => {
  const one = (unit: string, mail: string): Case => ({
    id: `${unit}/${mail}`,
    unit,
    split: 'final',
    row: 1,
    fields: {},
    input: { mail },
    expected: {},
  });

  test('holds every unit once, sorted by code units, with its distinct fingerprints sorted', () => {
    const records = unitRecords([
      one('b', 'x'),
      one('a', 'y'),
      one('b', 'z'),
      one('b', 'X'),
      one('B', 'x'),
    ]);
    expect(records.map(({ id, skeleton }) => [id, skeleton])).toEqual([
      ['B', 'b'],
      ['a', 'a'],
      ['b', 'b'],
    ]);
    expect(records[2]?.fingerprints).toEqual(
      [fingerprintOf({ mail: 'x' }), fingerprintOf({ mail: 'z' })].sort(),
    );
  });

  test('is empty for no cases', () => {
    expect(unitRecords([])).toEqual([]);
  });
});
