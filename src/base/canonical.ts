/**
 * Canonical JSON (RFC 8785 on I-JSON): the only encoder behind a digest.
 *
 * Object members are sorted by UTF-16 code units of their raw keys, numbers are written as ECMAScript writes them, `-0` as `0`,
 * strings with the shortest escapes, no white space. Whatever JSON would drop, convert or merge in silence is refused.
 */
import { LiftgateError } from './errors.ts';

/** A value canonical JSON can hold. */
export type Json =
  | null
  | boolean
  | number
  | string
  | readonly Json[]
  | { readonly [key: string]: Json };

/** Deepest nesting accepted by writer and reader. */
export const maximumDepth = 200;

export type CanonicalReason =
  | 'E_TYPE'
  | 'E_NONFINITE'
  | 'E_UNSAFE_INTEGER'
  | 'E_SURROGATE'
  | 'E_CYCLE'
  | 'E_DEPTH';

/** Compares strings by UTF-16 code units: the only order that may reach a digest. */
export function compareCodeUnits(first: string, second: string): number {
  if (first === second) return 0;
  return first < second ? -1 : 1;
}

/** What a string is not written with as it is: escapes, surrogates, control characters. */
const oddCharacter = /[^ !#-[\]-\ud7ff\ue000-\uffff]/;

/** What stands before a member's name: nothing yet, a value, a text whose closing quote is still to be written. */
const [afterNothing, afterValue, afterText] = [0, 1, 2] as const;
const beforeNames = ['{', ',', '",'] as const;
type Behind = 0 | 1 | 2;

/** A member's name as it is written, with what comes before and behind it: every piece of text that is joined costs time. */
class WrittenName {
  readonly key: string;
  /** By what stands before; behind them comes a value. */
  readonly pieces: readonly string[];
  /** The same with the opening quote of a text. */
  readonly quoted: readonly string[];
  /** The name that followed it in an object last, which is one of a later key. */
  next: WrittenName | undefined = undefined;
  /** The first name of the object that was its value last. */
  inner: WrittenName | undefined = undefined;

  constructor(key: string) {
    const name = `${JSON.stringify(key)}:`;
    this.key = key;
    this.pieces = beforeNames.map((before) => before + name);
    this.quoted = this.pieces.map((piece) => `${piece}"`);
  }
}

/** Names come again and again, and after the same ones. */
const writtenNames = new Map<string, WrittenName>();
const mostNames = 4096;
const longestName = 64;
/** What is around a value that is no member. */
const outermost = new WrittenName('');

function writtenName(key: string): WrittenName {
  const known = writtenNames.get(key);
  if (known !== undefined) return known;
  const name = new WrittenName(key);
  if (key.length <= longestName && writtenNames.size < mostNames) writtenNames.set(key, name);
  return name;
}

/** The name of the first member of the object that `around` names. */
function firstName(around: WrittenName, key: string): WrittenName | undefined {
  if (around.inner?.key === key) return around.inner;
  const name = key.isWellFormed() ? writtenName(key) : undefined;
  if (key.length <= longestName) around.inner = name;
  return name;
}

/** The name of the member behind another one; undefined where it belongs before it. */
function nextName(before: WrittenName, key: string): WrittenName | undefined {
  if (before.next?.key === key) return before.next;
  const name = before.key < key && key.isWellFormed() ? writtenName(key) : undefined;
  if (name !== undefined && key.length <= longestName) before.next = name;
  return name;
}

/**
 * Writes plain data whose members stand in their order already, as most of what we make ourselves. Every member is read once, and
 * nothing is refused here: whatever is unusual is left to the careful writer, from the beginning.
 */
class QuickWriter {
  /** Whether nothing unusual was met; what is written after that is worth nothing. */
  isUsual = true;
  text = '';

  value(value: unknown, depth: number, around: WrittenName): void {
    switch (typeof value) {
      case 'string':
        this.text += oddCharacter.test(value) ? this.oddString(value) : `"${value}"`;
        return;
      case 'number':
        if (Number.isSafeInteger(value) || value % 1 !== 0) this.number(value);
        else this.leave();
        return;
      case 'boolean':
        this.text += value ? 'true' : 'false';
        return;
      case 'object':
        if (value === null) this.text += 'null';
        else this.nested(value, depth + 1, around);
        return;
      case 'undefined':
      case 'bigint':
      case 'symbol':
      case 'function':
        this.leave();
    }
  }

  private leave(): void {
    this.isUsual = false;
  }

  private number(value: number): void {
    if (Number.isFinite(value)) this.text += value;
    else this.leave();
  }

  private oddString(text: string): string {
    if (!text.isWellFormed()) this.leave();
    return JSON.stringify(text);
  }

  private nested(value: object, depth: number, around: WrittenName): void {
    // A value that contains itself ends here too.
    if (!this.isUsual || depth > maximumDepth) this.leave();
    else if (Array.isArray(value)) this.array(value, depth, around);
    else if (Object.getPrototypeOf(value) === Object.prototype) this.object(value, depth, around);
    else this.leave();
  }

  private array(items: readonly unknown[], depth: number, around: WrittenName): void {
    if (Reflect.ownKeys(items).length !== items.length + 1) this.leave();
    this.text += '[';
    for (let at = 0; at < items.length; at += 1) {
      if (at > 0) this.text += ',';
      this.value(items[at], depth, around);
    }
    this.text += ']';
  }

  private object(value: object, depth: number, around: WrittenName): void {
    let [count, behind, name]: [number, Behind, WrittenName] = [0, afterNothing, around];
    for (const key in value) {
      const member = Object.getOwnPropertyDescriptor(value, key);
      const next = count === 0 ? firstName(around, key) : nextName(name, key);
      if (next === undefined || member === undefined || !('value' in member)) {
        this.leave();
        return;
      }
      behind = this.member(next, member.value, { behind, depth });
      name = next;
      count += 1;
    }
    this.text += count === 0 ? '{}' : behind === afterText ? '"}' : '}';
    const hasMore =
      Object.getOwnPropertyNames(value).length > count ||
      Object.getOwnPropertySymbols(value).length > 0;
    if (hasMore) this.leave();
  }

  /** Writes one member, without the closing quote of a text; tells what stands behind it. */
  private member(
    name: WrittenName,
    value: unknown,
    { behind, depth }: { readonly behind: Behind; readonly depth: number },
  ): Behind {
    if (typeof value === 'string' && !oddCharacter.test(value)) {
      this.text += name.quoted[behind];
      this.text += value;
      return afterText;
    }
    this.text += name.pieces[behind];
    this.value(value, depth, name);
    return afterValue;
  }
}

/** Writes one value; remembers the way to the member it is at, for the text of a refusal. */
class CarefulWriter {
  private readonly way: (string | number)[] = [];
  private readonly ancestors: object[] = [];
  private readonly recorded: boolean;

  /** @param recorded  whether what is written must be read again by the strict reader, which refuses integers that may be rounded */
  constructor(recorded: boolean) {
    this.recorded = recorded;
  }

  value(value: unknown): string {
    switch (typeof value) {
      case 'string':
        return this.string(value);
      case 'number':
        if (!Number.isFinite(value)) this.refuse('E_NONFINITE', `The number ${value}`);
        return this.number(value);
      case 'boolean':
        return value ? 'true' : 'false';
      case 'object':
        return value === null ? 'null' : this.nested(value);
      case 'undefined':
      case 'bigint':
      case 'symbol':
      case 'function':
        return this.refuse('E_TYPE', `A value of type ${typeof value}`);
    }
  }

  private number(value: number): string {
    const text = JSON.stringify(value);
    if (this.recorded && !Number.isSafeInteger(value) && /^-?\d+$/.test(text))
      this.refuse('E_UNSAFE_INTEGER', `The integer ${text}, which may have been rounded,`);
    return text;
  }

  private string(text: string): string {
    if (!text.isWellFormed()) this.refuse('E_SURROGATE', 'A string with a lone surrogate');
    return JSON.stringify(text);
  }

  private nested(value: object): string {
    if (this.ancestors.includes(value)) this.refuse('E_CYCLE', 'A value that contains itself');
    if (this.ancestors.length >= maximumDepth)
      this.refuse('E_DEPTH', `Nesting deeper than ${maximumDepth}`);
    this.ancestors.push(value);
    const text = Array.isArray(value) ? this.array(value) : this.object(value);
    this.ancestors.pop();
    return text;
  }

  private array(items: readonly unknown[]): string {
    if (Reflect.ownKeys(items).length !== items.length + 1)
      this.refuse('E_TYPE', 'An array with holes or extra members');
    let text = '[';
    for (let at = 0; at < items.length; at += 1) {
      if (at > 0) text += ',';
      text += this.member(at, items[at]);
    }
    return `${text}]`;
  }

  private object(value: object): string {
    const prototype: unknown = Object.getPrototypeOf(value);
    if (prototype !== Object.prototype && prototype !== null) {
      this.refuse('E_TYPE', `An object of class ${value.constructor?.name ?? 'unknown'}`);
    }
    let text = '{';
    for (const key of this.sortedKeys(value)) {
      const member = Object.getOwnPropertyDescriptor(value, key);
      if (member?.enumerable !== true || !('value' in member)) {
        this.way.push(key);
        this.refuse('E_TYPE', 'A getter or hidden member');
      }
      if (text.length > 1) text += ',';
      text += `${this.string(key)}:${this.member(key, member.value)}`;
    }
    return `${text}}`;
  }

  /** Own keys in the order of their code units. */
  private sortedKeys(value: object): string[] {
    const keys: string[] = [];
    let ordered = true;
    for (const key of Reflect.ownKeys(value)) {
      if (typeof key === 'symbol') this.refuse('E_TYPE', 'A symbol key');
      ordered &&= keys.length === 0 || (keys[keys.length - 1] ?? '') < key;
      keys.push(key);
    }
    return ordered ? keys : keys.sort(compareCodeUnits);
  }

  private member(key: string | number, value: unknown): string {
    this.way.push(key);
    const text = this.value(value);
    this.way.pop();
    return text;
  }

  private refuse(reason: CanonicalReason, what: string): never {
    const path = this.way.map((key) => (typeof key === 'number' ? `[${key}]` : `.${key}`)).join('');
    throw new LiftgateError(
      'value-not-canonical',
      `${what} cannot be written as canonical JSON (${reason}).`,
      {
        where: { path: path === '' ? '(root)' : path.replace(/^\./, '') },
        mend: 'Use null, booleans, finite numbers, well-formed strings, plain arrays and plain objects only.',
        details: { reason },
      },
    );
  }
}

function textOf(value: unknown, recorded: boolean): string {
  const quick = new QuickWriter();
  quick.value(value, 0, outermost);
  return quick.isUsual ? quick.text : new CarefulWriter(recorded).value(value);
}

/**
 * Canonical JSON text of a value.
 *
 * @throws {LiftgateError} value-not-canonical  with `details.reason` E_TYPE, E_NONFINITE, E_SURROGATE, E_CYCLE or E_DEPTH
 * @example canonicalText({ b: [1, -0], a: 'x' }) // => '{"a":"x","b":[1,0]}'
 * @see RFC 8785 (JSON Canonicalization Scheme), section 3.2
 */
export function canonicalText(value: unknown): string {
  return textOf(value, false);
}

/**
 * Canonical JSON text of a value that is going to be recorded: `canonicalText`, without what the strict reader would not take back.
 * @throws {LiftgateError} value-not-canonical as `canonicalText`, and with `details.reason` E_UNSAFE_INTEGER for integers beyond +-(2^53 - 1)
 * @example recordedText({ n: 9007199254740991 }) // => '{"n":9007199254740991}'
 */
export function recordedText(value: unknown): string {
  return textOf(value, true);
}

/** UTF-8 bytes of `canonicalText`, without a line end. */
export function canonicalBytes(value: unknown): Uint8Array {
  return new TextEncoder().encode(canonicalText(value));
}

/** Canonical text and one line feed: how every recorded file and journal line ends. */
export function canonicalLine(value: unknown): string {
  return `${recordedText(value)}\n`;
}

/** The same value indented for people; recorded evidence never uses it. */
export function prettyText(value: unknown): string {
  return `${JSON.stringify(JSON.parse(canonicalText(value)), null, 2)}\n`;
}
