import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  BytesColumn,
  NumberColumn,
  SharedColumn,
  TimeColumn,
  WholeColumn,
} from '../../src/base/columns.ts';

describe('WholeColumn', () => {
  test('keeps whole numbers of any width, whatever comes first, and 0 where none was set', () => {
    const one = fc.oneof(fc.nat(255), fc.nat(65_535), fc.nat(4_294_967_295));
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(300), one)), fc.nat(100), (sets, expected) => {
        const column = new WholeColumn(expected);
        const known = new Map<number, number>();
        for (const [row, value] of sets) {
          column.set(row, value);
          known.set(row, value);
        }
        for (let row = 0; row < 310; row += 1) expect(column.get(row)).toBe(known.get(row) ?? 0);
      }),
      { numRuns: 15, seed: 1 },
    );
  });
});

describe('NumberColumn', () => {
  test('keeps numbers and null bit by bit, few or many different ones', () => {
    for (const different of [3, 70_000]) {
      const values = Array.from({ length: 70_010 }, (_, at) =>
        at % 7 === 0 ? null : (at % different) / 3,
      );
      const column = new NumberColumn();
      values.forEach((value, row) => {
        column.set(row, value);
      });
      expect(values.findIndex((value, row) => !Object.is(value, column.get(row)))).toBe(-1);
      expect(column.get(80_000)).toBeNull();
    }
  });

  test('tells minus zero from zero', () => {
    const column = new NumberColumn();
    [0, -0, 1, null].forEach((value, row) => {
      column.set(row, value);
    });
    expect([0, 1, 2, 3].map((row) => column.get(row))).toEqual([0, -0, 1, null]);
  });
});

describe('SharedColumn', () => {
  test('keeps more different values than it looks for', () => {
    const column = new SharedColumn<string | null>();
    const value = (row: number): string | null => (row % 5 === 0 ? null : `value ${row % 20_000}`);
    for (let row = 0; row < 40_000; row += 1) column.set(row, value(row), value(row));
    const wrong = Array.from({ length: 40_000 }, (_, row) => row).find(
      (row) => column.get(row) !== value(row),
    );
    expect(wrong).toBeUndefined();
  });
});

describe('TimeColumn', () => {
  test('gives every text back', () => {
    const texts = [
      '2026-08-01T00:00:00.000Z',
      '2026-08-01T00:00:00.123456789+02:00',
      '0000-00-00T00:00:00Z',
      '',
      '#',
      '##',
      'form 1',
      'whole #',
      '1#',
      '2026',
      '####',
      '0'.repeat(35),
      '1'.repeat(36),
      '٣ digits of another script',
    ];
    const column = new TimeColumn();
    texts.forEach((text, row) => {
      column.set(row, text);
    });
    expect(texts.map((_, row) => column.get(row))).toEqual(texts);
    fc.assert(
      fc.property(fc.array(fc.string({ unit: fc.constantFrom(...'0179#Z:-x') })), (many) => {
        const other = new TimeColumn(many.length);
        many.forEach((text, row) => {
          other.set(row, text);
        });
        expect(many.map((_, row) => other.get(row))).toEqual(many);
      }),
      { numRuns: 200, seed: 2 },
    );
  });
});

describe('BytesColumn', () => {
  test('keeps bytes of one length and refuses others', () => {
    const column = new BytesColumn(2, 1);
    column.set(0, 'ff00', 'hex');
    column.set(3, '\u00e9\u0001', 'latin1');
    expect(column.text(0, 'latin1')).toBe('\u00ff\u0000');
    expect(column.text(3, 'hex')).toBe('e901');
    expect(() => column.set(1, 'f', 'latin1')).toThrow('a column of bytes has one length');
  });
});
