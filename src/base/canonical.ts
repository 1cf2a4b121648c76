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

export type CanonicalReason = 'E_TYPE' | 'E_NONFINITE' | 'E_SURROGATE' | 'E_CYCLE' | 'E_DEPTH';

function refuse(reason: CanonicalReason, path: string, what: string): never {
  throw new LiftgateError(
    'value-not-canonical',
    `${what} cannot be written as canonical JSON (${reason}).`,
    {
      where: { path: path === '' ? '(root)' : path },
      mend: 'Use null, booleans, finite numbers, well-formed strings, plain arrays and plain objects only.',
      details: { reason },
    },
  );
}

/** Compares strings by UTF-16 code units: the only order that may reach a digest. */
export function compareCodeUnits(first: string, second: string): number {
  if (first === second) return 0;
  return first < second ? -1 : 1;
}

function writeString(text: string, path: string): string {
  if (!text.isWellFormed()) refuse('E_SURROGATE', path, 'A string with a lone surrogate');
  return JSON.stringify(text);
}

function writeNumber(value: number, path: string): string {
  if (!Number.isFinite(value)) refuse('E_NONFINITE', path, `The number ${value}`);
  return JSON.stringify(value);
}

/** Own string keys of a plain object; refuses getters, hidden members, symbols and foreign prototypes. */
function plainKeys(value: object, path: string): string[] {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) {
    refuse('E_TYPE', path, `An object of class ${value.constructor?.name ?? 'unknown'}`);
  }
  const keys: string[] = [];
  for (const key of Reflect.ownKeys(value)) {
    if (typeof key === 'symbol') refuse('E_TYPE', path, 'A symbol key');
    const member = Object.getOwnPropertyDescriptor(value, key);
    if (member?.enumerable !== true || !('value' in member)) {
      refuse('E_TYPE', `${path}.${key}`, 'A getter or hidden member');
    }
    keys.push(key);
  }
  return keys.sort(compareCodeUnits);
}

interface Frame {
  readonly path: string;
  readonly ancestors: readonly object[];
}

function nested(value: object, frame: Frame, path: string): Frame {
  if (frame.ancestors.includes(value)) refuse('E_CYCLE', path, 'A value that contains itself');
  if (frame.ancestors.length >= maximumDepth)
    refuse('E_DEPTH', path, `Nesting deeper than ${maximumDepth}`);
  return { path, ancestors: [...frame.ancestors, value] };
}

function writeArray(items: readonly unknown[], frame: Frame): string {
  const inner = nested(items, frame, frame.path);
  if (Reflect.ownKeys(items).length !== items.length + 1) {
    refuse('E_TYPE', frame.path, 'An array with holes or extra members');
  }
  const parts = items.map((item, index) =>
    writeValue(item, { ...inner, path: `${frame.path}[${index}]` }),
  );
  return `[${parts.join(',')}]`;
}

function writeObject(value: object, frame: Frame): string {
  const inner = nested(value, frame, frame.path);
  const parts = plainKeys(value, frame.path).map((key) => {
    const member: unknown = Reflect.get(value, key);
    const path = frame.path === '' ? key : `${frame.path}.${key}`;
    return `${writeString(key, path)}:${writeValue(member, { ...inner, path })}`;
  });
  return `{${parts.join(',')}}`;
}

function writeValue(value: unknown, frame: Frame): string {
  switch (typeof value) {
    case 'string':
      return writeString(value, frame.path);
    case 'number':
      return writeNumber(value, frame.path);
    case 'boolean':
      return value ? 'true' : 'false';
    case 'object':
      if (value === null) return 'null';
      return Array.isArray(value) ? writeArray(value, frame) : writeObject(value, frame);
    case 'undefined':
    case 'bigint':
    case 'symbol':
    case 'function':
      return refuse('E_TYPE', frame.path, `A value of type ${typeof value}`);
  }
}

/**
 * Canonical JSON text of a value.
 *
 * @throws {LiftgateError} value-not-canonical  with `details.reason` E_TYPE, E_NONFINITE, E_SURROGATE, E_CYCLE or E_DEPTH
 * @example canonicalText({ b: [1, -0], a: 'x' }) // => '{"a":"x","b":[1,0]}'
 * @see RFC 8785 (JSON Canonicalization Scheme), section 3.2
 */
export function canonicalText(value: unknown): string {
  return writeValue(value, { path: '', ancestors: [] });
}

/** UTF-8 bytes of `canonicalText`, without a line end. */
export function canonicalBytes(value: unknown): Uint8Array {
  return new TextEncoder().encode(canonicalText(value));
}

/** Canonical text and one line feed: how every recorded file and journal line ends. */
export function canonicalLine(value: unknown): string {
  return `${canonicalText(value)}\n`;
}

/** The same value indented for people; recorded evidence never uses it. */
export function prettyText(value: unknown): string {
  return `${JSON.stringify(JSON.parse(canonicalText(value)), null, 2)}\n`;
}
