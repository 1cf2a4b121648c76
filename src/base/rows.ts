/**
 * Rows: values in an order that are read and never changed, whatever holds them. A list is rows; so are columns, which make a row when
 * it is asked for, so that a million of them take the memory of their columns and not of their objects.
 */
import { invariant } from './errors.ts';

/** The part of a list that readers need; every list has it. */
export interface Rows<Row> extends Iterable<Row> {
  readonly length: number;
  /** The row at a place from 0, or from -1 backwards; undefined beyond the ends. */
  at(index: number): Row | undefined;
  find(test: (row: Row, index: number) => boolean): Row | undefined;
  some(test: (row: Row, index: number) => boolean): boolean;
  every(test: (row: Row, index: number) => boolean): boolean;
  filter(test: (row: Row, index: number) => boolean): Rows<Row>;
  map<Result>(make: (row: Row, index: number) => Result): Result[];
  flatMap<Result>(make: (row: Row, index: number) => Result | readonly Result[]): Result[];
  reduce<Result>(step: (soFar: Result, row: Row, index: number) => Result, start: Result): Result;
}

/** Rows that are made one by one from what a subclass holds. */
export abstract class RowList<Row> implements Rows<Row> {
  abstract readonly length: number;

  /** The row at a place from 0 below the length. */
  protected abstract row(index: number): Row;

  at(index: number): Row | undefined {
    const place = index < 0 ? this.length + index : index;
    return place >= 0 && place < this.length ? this.row(place) : undefined;
  }

  *[Symbol.iterator](): Generator<Row, void> {
    for (let index = 0; index < this.length; index += 1) yield this.row(index);
  }

  find(test: (row: Row, index: number) => boolean): Row | undefined {
    for (let index = 0; index < this.length; index += 1) {
      const row = this.row(index);
      if (test(row, index)) return row;
    }
    return undefined;
  }

  some(test: (row: Row, index: number) => boolean): boolean {
    for (let index = 0; index < this.length; index += 1)
      if (test(this.row(index), index)) return true;
    return false;
  }

  every(test: (row: Row, index: number) => boolean): boolean {
    return !this.some((row, index) => !test(row, index));
  }

  filter(test: (row: Row, index: number) => boolean): Rows<Row> {
    const places = new PlaceList();
    for (let index = 0; index < this.length; index += 1)
      if (test(this.row(index), index)) places.add(index);
    return rowsAt(this, places.value());
  }

  map<Result>(make: (row: Row, index: number) => Result): Result[] {
    const made: Result[] = [];
    for (let index = 0; index < this.length; index += 1) made.push(make(this.row(index), index));
    return made;
  }

  flatMap<Result>(make: (row: Row, index: number) => Result | readonly Result[]): Result[] {
    const made: Result[] = [];
    for (let index = 0; index < this.length; index += 1) {
      const found = make(this.row(index), index);
      if (isList(found)) for (const each of found) made.push(each);
      else made.push(found);
    }
    return made;
  }

  reduce<Result>(step: (soFar: Result, row: Row, index: number) => Result, start: Result): Result {
    let soFar = start;
    for (let index = 0; index < this.length; index += 1)
      soFar = step(soFar, this.row(index), index);
    return soFar;
  }
}

function isList<Result>(found: Result | readonly Result[]): found is readonly Result[] {
  return Array.isArray(found);
}

/** Whole numbers below 2^32 that are added one by one. */
export class PlaceList {
  private places = new Uint32Array(16);
  length = 0;

  add(place: number): void {
    if (this.length === this.places.length) {
      const longer = new Uint32Array(2 * this.length);
      longer.set(this.places);
      this.places = longer;
    }
    this.places[this.length] = place;
    this.length += 1;
  }

  /** The number that was added at a place below the length. */
  at(index: number): number {
    return this.places[index] ?? 0;
  }

  /** All of them, in the order they were added. */
  value(): Uint32Array {
    return this.places.slice(0, this.length);
  }
}

class ChosenRows<Row> extends RowList<Row> {
  private readonly from: Rows<Row>;
  private readonly places: Uint32Array;

  constructor(from: Rows<Row>, places: Uint32Array) {
    super();
    this.from = from;
    this.places = places;
  }

  get length(): number {
    return this.places.length;
  }

  protected row(index: number): Row {
    return requireRow(this.from, this.places[index] ?? -1);
  }
}

/**
 * Some of the rows in an order of their own.
 * @param places  places in `from`, each below its length
 * @example [...rowsAt(['a', 'b', 'c'], Uint32Array.of(2, 0))] // => ['c', 'a']
 */
export function rowsAt<Row>(from: Rows<Row>, places: Uint32Array): Rows<Row> {
  return new ChosenRows(from, places);
}

class MadeRows<From, Row> extends RowList<Row> {
  private readonly from: Rows<From>;
  private readonly make: (row: From) => Row;

  constructor(from: Rows<From>, make: (row: From) => Row) {
    super();
    this.from = from;
    this.make = make;
  }

  get length(): number {
    return this.from.length;
  }

  protected row(index: number): Row {
    return this.make(requireRow(this.from, index));
  }
}

/**
 * The same rows as something else, made anew whenever one is read.
 * @example [...rowsAs([1, 2], (each) => 10 * each)] // => [10, 20]
 */
export function rowsAs<From, Row>(from: Rows<From>, make: (row: From) => Row): Rows<Row> {
  return new MadeRows(from, make);
}

class JoinedRows<Row> extends RowList<Row> {
  readonly length: number;
  private readonly parts: readonly Rows<Row>[];

  constructor(parts: readonly Rows<Row>[]) {
    super();
    this.parts = parts;
    this.length = parts.reduce((total, part) => total + part.length, 0);
  }

  protected row(index: number): Row {
    let at = index;
    let part = 0;
    for (let own = this.parts[0]; own !== undefined && at >= own.length; own = this.parts[part]) {
      at -= own.length;
      part += 1;
    }
    return requireRow(this.parts[part] ?? [], at);
  }
}

/**
 * Rows after rows.
 * @example [...rowsOf(['a'], [], ['b', 'c'])] // => ['a', 'b', 'c']
 */
export function rowsOf<Row>(...parts: readonly Rows<Row>[]): Rows<Row> {
  return new JoinedRows(parts);
}

/**
 * A row that must be there.
 * @example requireRow(['a', 'b'], 1) // => 'b'
 */
export function requireRow<Row>(rows: Rows<Row>, index: number): Row {
  const row = rows.at(index);
  invariant(row !== undefined, 'a place lies among its rows');
  return row;
}
