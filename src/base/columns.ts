/**
 * Columns: one member of very many rows, in as few bytes as its values need. A column of which all values are equal takes none, one of
 * few different values a byte or two per row. Rows are filled in any order; one that was never filled has the first value, or null.
 */
import { invariant } from './errors.ts';

type Whole = Uint8Array | Uint16Array | Uint32Array;

/** Room for rows up to a place: what was expected first, then half as much again. */
function roomFor(row: number, expected: number, held: number): number {
  return Math.max(row + 1, expected, held + (held >>> 1));
}

/** Whole numbers from 0 below 2^32; 0 where none was set. */
export class WholeColumn {
  private readonly expected: number;
  private values: Whole | null = null;

  /** @param expected  number of rows to make room for at once */
  constructor(expected = 0) {
    this.expected = expected;
  }

  get(row: number): number {
    return this.values?.[row] ?? 0;
  }

  set(row: number, value: number): void {
    if (value === 0 && (this.values === null || row >= this.values.length)) return;
    this.widen(row, value);
    if (this.values !== null) this.values[row] = value;
  }

  private widen(row: number, value: number): void {
    const { values } = this;
    const held = values?.length ?? 0;
    const size = Math.max(values?.BYTES_PER_ELEMENT ?? 1, value < 256 ? 1 : value < 65_536 ? 2 : 4);
    if (values !== null && row < held && size === values.BYTES_PER_ELEMENT) return;
    const room = row < held ? held : roomFor(row, this.expected, held);
    const wider =
      size === 1
        ? new Uint8Array(room)
        : size === 2
          ? new Uint16Array(room)
          : new Uint32Array(room);
    if (values !== null) wider.set(values);
    this.values = wider;
  }
}

/** Most different values that are looked for among those a column knows. */
const mostKnown = 16_384;

/** Values of any kind, equal ones kept once. */
export class SharedColumn<Value> {
  private readonly codes: WholeColumn;
  private readonly values: Value[] = [];
  private readonly known = new Map<string | null, number>();

  constructor(expected = 0) {
    this.codes = new WholeColumn(expected);
  }

  get(row: number): Value {
    const value = this.values[this.codes.get(row)];
    invariant(value !== undefined, 'a column that is read was filled');
    return value;
  }

  /** @param key  equal for equal values and for no others */
  set(row: number, key: string | null, value: Value): void {
    this.codes.set(row, this.codeOf(key, value));
  }

  private codeOf(key: string | null, value: Value): number {
    const known = this.known.get(key);
    if (known !== undefined) return known;
    const code = this.values.push(value) - 1;
    if (code < mostKnown) this.known.set(key, code);
    return code;
  }
}

/** Most different numbers that are kept apart from their rows. */
const mostShared = 65_536;

/** Finite numbers or null; null where none was set. */
export class NumberColumn {
  private readonly expected: number;
  private codes: WholeColumn | null;
  private shared: (number | null)[] = [null];
  private known = new Map<number | null, number>([[null, 0]]);
  private own = new Float64Array(0);
  private rows = 0;

  constructor(expected = 0) {
    this.expected = expected;
    this.codes = new WholeColumn(expected);
  }

  get(row: number): number | null {
    if (this.codes !== null) return this.shared[this.codes.get(row)] ?? null;
    const value = this.own[row] ?? Number.NaN;
    return Number.isNaN(value) ? null : value;
  }

  set(row: number, value: number | null): void {
    this.rows = Math.max(this.rows, row + 1);
    if (this.codes !== null) {
      const code = this.codeOf(value);
      if (code !== null) {
        this.codes.set(row, code);
        return;
      }
      this.separate(this.codes);
    }
    if (row >= this.own.length) this.makeRoom(roomFor(row, this.expected, this.own.length));
    this.own[row] = value ?? Number.NaN;
  }

  /** Number of a value among the shared ones; null once there are too many, and for minus zero, which would be found as zero. */
  private codeOf(value: number | null): number | null {
    if (Object.is(value, -0)) return null;
    const known = this.known.get(value);
    if (known !== undefined) return known;
    if (this.shared.length === mostShared) return null;
    const code = this.shared.push(value) - 1;
    this.known.set(value, code);
    return code;
  }

  private separate(codes: WholeColumn): void {
    this.makeRoom(Math.max(this.rows, this.expected));
    for (let row = 0; row < this.rows; row += 1)
      this.own[row] = this.shared[codes.get(row)] ?? Number.NaN;
    this.codes = null;
    this.shared = [];
    this.known = new Map();
  }

  private makeRoom(room: number): void {
    const longer = new Float64Array(room).fill(Number.NaN);
    longer.set(this.own);
    this.own = longer;
  }
}

/** Byte strings of one length. */
export class BytesColumn {
  private readonly width: number;
  private readonly expected: number;
  private bytes = Buffer.alloc(0);

  constructor(width: number, expected = 0) {
    this.width = width;
    this.expected = expected;
  }

  /** The bytes of a row that was set as a text. */
  text(row: number, encoding: 'hex' | 'latin1'): string {
    return this.bytes.toString(encoding, row * this.width, (row + 1) * this.width);
  }

  /** @param text  the bytes in an encoding */
  set(row: number, text: string, encoding: 'hex' | 'latin1'): void {
    const { width } = this;
    if ((row + 1) * width > this.bytes.length) {
      const held = this.bytes.length / width;
      const longer = Buffer.alloc(width * roomFor(row, this.expected, held));
      longer.set(this.bytes);
      this.bytes = longer;
    }
    const written = this.bytes.write(text, row * width, width, encoding);
    invariant(written === width, 'a column of bytes has one length');
  }
}

/** Digits of a text that are kept as numbers: eight of the day, then nine each, so that each is whole and exact. */
const digitGroups = [8, 9, 9, 9] as const;
const mostDigits = 35;

/** Texts that differ in their digits above all, as times do: the rest is kept once, the digits as numbers. */
export class TimeColumn {
  private readonly forms: SharedColumn<string>;
  private readonly whole: WholeColumn;
  private readonly groups: readonly NumberColumn[];

  constructor(expected = 0) {
    this.forms = new SharedColumn(expected);
    this.whole = new WholeColumn(expected);
    this.groups = digitGroups.map(() => new NumberColumn(expected));
  }

  get(row: number): string {
    const form = this.forms.get(row);
    if (this.whole.get(row) === 1) return form;
    let rest = (form.match(/#/g) ?? []).length;
    const digits = this.groups.map((group, at) => {
      const length = Math.min(digitGroups[at] ?? 0, rest);
      rest -= length;
      return length === 0 ? '' : String(group.get(row) ?? 0).padStart(length, '0');
    });
    const all = digits.join('');
    let next = 0;
    return form.replaceAll('#', () => all[next++] ?? '');
  }

  set(row: number, text: string): void {
    const digits = text.replace(/[^0-9]+/g, '');
    const isWhole = digits.length > mostDigits || text.includes('#');
    const form = isWhole ? text : text.replace(/[0-9]/g, '#');
    this.forms.set(row, `${isWhole ? 'whole' : 'form'} ${form}`, form);
    this.whole.set(row, isWhole ? 1 : 0);
    if (isWhole) return;
    let from = 0;
    digitGroups.forEach((length, at) => {
      const group = digits.slice(from, from + length);
      from += length;
      this.groups[at]?.set(row, group === '' ? null : Number(group));
    });
  }
}
