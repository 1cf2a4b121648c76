import { describe, expect, test } from 'vitest';
import {
  PlaceList,
  RowList,
  type Rows,
  requireRow,
  rowsAs,
  rowsAt,
  rowsOf,
} from '../../src/base/rows.ts';
import { exampleTests } from '../support/examples.ts';

class Squares extends RowList<number> {
  readonly length: number;

  constructor(length: number) {
    super();
    this.length = length;
  }

  protected row(index: number): number {
    return index * index;
  }
}

const kinds: [string, (length: number) => Rows<number>][] = [
  ['made', (length) => new Squares(length)],
  [
    'chosen',
    (length) =>
      rowsAt(
        new Squares(length),
        Uint32Array.from({ length }, (_, at) => at),
      ),
  ],
  ['turned', (length) => rowsAs(new Squares(length), (each) => each)],
  ['joined', (length) => rowsOf(new Squares(0), new Squares(length), [])],
];

describe('rows', () => {
  test.each(kinds)('%s ones say what a list says', (_, made) => {
    for (const length of [0, 1, 5]) {
      const rows = made(length);
      const list = [...new Squares(length)];
      expect([...rows]).toEqual(list);
      expect(rows.length).toBe(length);
      expect([-6, -1, 0, 4, 5].map((at) => rows.at(at))).toEqual(
        [-6, -1, 0, 4, 5].map((at) => list.at(at)),
      );
      const even = (each: number): boolean => each % 2 === 0;
      expect([...rows.filter(even)]).toEqual(list.filter(even));
      expect([rows.find(even), rows.some(even), rows.every(even)]).toEqual([
        list.find(even),
        list.some(even),
        list.every(even),
      ]);
      expect(rows.map((each, at) => each + at)).toEqual(list.map((each, at) => each + at));
      const twice = (each: number): number[] => (even(each) ? [each, each] : []);
      expect(rows.flatMap(twice)).toEqual(list.flatMap(twice));
      expect(rows.reduce((total, each, at) => total + each * at, 7)).toBe(
        list.reduce((total, each, at) => total + each * at, 7),
      );
    }
  });

  test('choose among chosen ones', () => {
    const odd = new Squares(10).filter((each) => each % 2 === 1);
    expect([...odd.filter((each) => each > 9)]).toEqual([25, 49, 81]);
  });

  test('that must be there are refused where they are not', () => {
    expect(() => requireRow(new Squares(2), 2)).toThrow('a place lies among its rows');
  });
});

describe('PlaceList', () => {
  test('keeps any number of places in their order', () => {
    const places = new PlaceList();
    for (let at = 0; at < 100; at += 1) places.add(4_294_967_295 - at);
    expect(places.length).toBe(100);
    expect(places.at(99)).toBe(4_294_967_196);
    expect(places.value()).toEqual(
      Uint32Array.from({ length: 100 }, (_, at) => 4_294_967_295 - at),
    );
  });
});

exampleTests('src/base/rows.ts', {
  names: ['rowsAt', 'rowsAs', 'rowsOf', 'requireRow'],
  scope: { rowsAt, rowsAs, rowsOf, requireRow },
});
