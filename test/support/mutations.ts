/**
 * Changes of recorded bytes: blind ones, and such as know lines, members and numbers and write what they changed in the canonical form
 * again. A change is a few whole numbers, so that a seed names it for ever.
 */
import { canonicalText, type Json } from '../../src/base/canonical.ts';
import { bytesOf } from './ledger-story.ts';

/** Which change, where (two places, taken modulo what is there), and how much. */
export interface Mutation {
  readonly kind: MutationKind;
  readonly line: number;
  readonly place: number;
  readonly amount: number;
}

const byteKinds = ['flip', 'put', 'cut', 'copy', 'insert', 'tail'] as const;
const lineKinds = ['swap-lines', 'drop-line', 'double-line', 'move-line', 'cut-lines'] as const;
const valueKinds = [
  'drop-member',
  'rename-member',
  'add-member',
  'double-item',
  'swap-siblings',
  'reverse',
  'ulp',
  'step',
  'extreme',
  'other-text',
  'look-alike',
  'decompose',
  'invisible',
  'letter-case',
  'retype',
  'nest',
  'spelling',
] as const;

export const mutationKinds = [...byteKinds, ...lineKinds, ...valueKinds] as const;
export type MutationKind = (typeof mutationKinds)[number];

const includes = <Word extends string>(words: readonly Word[], word: string): word is Word =>
  (words as readonly string[]).includes(word);

/**
 * The bytes after the change; the same bytes where it finds nothing to change.
 * @param texts  texts of the whole record, from which `other-text` takes a digest or a name in the place of another
 */
export function mutated(
  bytes: Uint8Array,
  mutation: Mutation,
  texts: readonly string[],
): Uint8Array {
  if (includes(byteKinds, mutation.kind)) return withBytes(bytes, mutation, mutation.kind);
  const lines = new TextDecoder().decode(bytes).split(/(?<=\n)/);
  if (includes(lineKinds, mutation.kind))
    return bytesOf(withLines(lines, mutation, mutation.kind).join(''));
  const at = mutation.line % Math.max(1, lines.length);
  const line = withValue(lines[at] ?? '', mutation, texts);
  return bytesOf(lines.with(at, line).join(''));
}

/** Bytes that mean something in recorded files, or nothing anywhere. */
export const strangeBytes = [
  '0',
  '1',
  '"',
  '}',
  '{',
  ',',
  '\n',
  '\0',
  'null',
  '1e400',
  '\ud83d',
  '\ufeff',
];

/** One change of bytes at a place of them. */
export interface ByteEdit {
  readonly kind: (typeof byteKinds)[number];
  readonly from: number;
  readonly length: number;
  readonly given: Uint8Array;
}

/** Bytes with one change made to them. */
export function editedBytes(
  bytes: Uint8Array,
  { kind, from, length, given }: ByteEdit,
): Uint8Array {
  const [before, after] = [bytes.subarray(0, from), bytes.subarray(from)];
  switch (kind) {
    case 'flip':
      return bytes.length === 0
        ? given
        : bytes.with(from, (bytes[from] ?? 0) ^ (1 << (length % 8)));
    case 'put':
      return Buffer.concat([before, given, after.subarray(given.length)]);
    case 'cut':
      return Buffer.concat([before, after.subarray(length)]);
    case 'copy':
      return Buffer.concat([before, after.subarray(0, length), after]);
    case 'insert':
      return Buffer.concat([before, given, after]);
    case 'tail':
      return before;
  }
}

function withBytes(
  bytes: Uint8Array,
  { line, place, amount }: Mutation,
  kind: (typeof byteKinds)[number],
): Uint8Array {
  const from = (line * 65_537 + place) % Math.max(1, bytes.length);
  const given = bytesOf(strangeBytes[amount % strangeBytes.length] ?? '');
  return editedBytes(bytes, { kind, from, length: 1 + (amount % 40), given });
}

function withLines(
  lines: readonly string[],
  { line, place }: Mutation,
  kind: (typeof lineKinds)[number],
): string[] {
  const [one, other] = [line % Math.max(1, lines.length), place % Math.max(1, lines.length)];
  const [first, second] = [lines[one] ?? '', lines[other] ?? ''];
  switch (kind) {
    case 'swap-lines':
      return lines.with(one, second).with(other, first);
    case 'drop-line':
      return lines.toSpliced(one, 1);
    case 'double-line':
      return lines.toSpliced(other, 0, first);
    case 'move-line':
      return lines.toSpliced(one, 1).toSpliced(other, 0, first);
    case 'cut-lines':
      return lines.slice(0, one);
  }
}

type Step = string | number;
interface Node {
  readonly path: readonly Step[];
  readonly value: Json;
}

function nodesOf(value: Json, path: readonly Step[] = []): Node[] {
  const own = [{ path, value }];
  if (Array.isArray(value))
    return [...own, ...value.flatMap((item, at) => nodesOf(item, [...path, at]))];
  if (value === null || typeof value !== 'object') return own;
  return [
    ...own,
    ...Object.entries(value).flatMap(([name, item]) => nodesOf(item, [...path, name])),
  ];
}

/** The value with the node at a path replaced; undefined takes it away. */
function replaced(value: Json, path: readonly Step[], next: Json | undefined): Json {
  const [step, ...rest] = path;
  if (step === undefined) return next ?? null;
  if (Array.isArray(value)) {
    const at = Number(step);
    const below = rest.length === 0 ? next : replaced(value[at] ?? null, rest, next);
    return below === undefined ? value.toSpliced(at, 1) : value.with(at, below);
  }
  const members = Object.entries(value as Readonly<Record<string, Json>>);
  return Object.fromEntries(
    members.flatMap(([name, item]) => {
      if (name !== step) return [[name, item]];
      const below = rest.length === 0 ? next : replaced(item, rest, next);
      return below === undefined ? [] : [[name, below]];
    }),
  );
}

function withValue(line: string, mutation: Mutation, texts: readonly string[]): string {
  let value: Json;
  try {
    value = JSON.parse(line);
  } catch {
    return line;
  }
  const { kind, place, amount } = mutation;
  if (kind === 'spelling') return otherSpelling(line, place, amount);
  const fitting = nodesOf(value).filter((each) => isFit(each, kind));
  const chosen = fitting[place % Math.max(1, fitting.length)];
  if (chosen === undefined) return line;
  const next = otherValue(chosen.value, mutation, texts);
  return `${canonicalText(replaced(value, chosen.path, next))}\n`;
}

const isText = (value: Json): value is string => typeof value === 'string' && value !== '';
const isMembers = (value: Json): value is Record<string, Json> =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

/** Whether a change has something to change in a node. */
function isFit({ path, value }: Node, kind: MutationKind): boolean {
  switch (kind) {
    case 'ulp':
    case 'step':
    case 'extreme':
      return typeof value === 'number';
    case 'other-text':
    case 'look-alike':
    case 'decompose':
    case 'invisible':
    case 'letter-case':
      return isText(value);
    case 'double-item':
    case 'reverse':
      return Array.isArray(value) && value.length > 0;
    case 'rename-member':
    case 'swap-siblings':
      return isMembers(value) && Object.keys(value).length > 0;
    case 'add-member':
      return isMembers(value);
    default:
      return path.length > 0;
  }
}

const extremes = [0, -1, 1, 0.1, 1e-7, 1e308, -1e308, 5e-324, 2 ** 53 - 1, 2 ** 53, 1e21];
const others: readonly Json[] = [null, true, false, '', 0, [], {}, 'x', [null], '0', -0];
const alike: Readonly<Record<string, string>> = {
  ...{ a: 'а', e: 'е', o: 'о', p: 'р', c: 'с', x: 'х', i: 'і', s: 'ѕ' },
  ...{ '0': '０', '1': 'l', l: '1', '/': '∕', ':': '：', '-': '‐', m: 'ｍ', f: 'ｆ' },
};

/** The next double up or down. */
function neighbour(value: number, up: boolean): number {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value === 0 ? 0 : value);
  const bits = view.getBigInt64(0);
  if (value === 0) return up ? 5e-324 : -5e-324;
  view.setBigInt64(0, bits + (up === value > 0 ? 1n : -1n));
  const next = view.getFloat64(0);
  return Number.isFinite(next) ? next : value;
}

/** What stands in the place of a node; undefined takes it away. */
function otherValue(value: Json, mutation: Mutation, texts: readonly string[]): Json | undefined {
  const { kind } = mutation;
  if (kind === 'retype' || kind === 'nest' || kind === 'drop-member')
    return otherNode(value, mutation);
  if (typeof value === 'number') return otherNumber(value, mutation);
  if (typeof value === 'string') return otherText(value, mutation, texts);
  if (Array.isArray(value)) return otherList(value, mutation);
  return isMembers(value) ? otherMembers(value, mutation) : undefined;
}

function otherNumber(value: number, { kind, amount }: Mutation): number {
  if (kind === 'ulp') return neighbour(value, amount % 2 === 0);
  if (kind === 'step') return value + (amount % 2 === 0 ? 1 : -1);
  return extremes[amount % extremes.length] ?? 0;
}

function otherList(value: readonly Json[], { kind, amount }: Mutation): Json {
  const item = value[amount % Math.max(1, value.length)] ?? null;
  return kind === 'double-item' ? [...value, item] : value.toReversed();
}

function otherNode(value: Json, { kind, amount }: Mutation): Json | undefined {
  if (kind === 'retype') return others[amount % others.length] ?? null;
  if (kind === 'nest') return amount % 2 === 0 ? [value] : { value };
  return undefined;
}

function otherText(
  text: string,
  { kind, amount }: Mutation,
  texts: readonly string[],
): string | undefined {
  const at = amount % text.length;
  const [before, here, after] = [text.slice(0, at), text.charAt(at), text.slice(at + 1)];
  switch (kind) {
    case 'other-text': {
      const form = text.replaceAll(/[0-9a-f]/g, 'x');
      const same = texts.filter(
        (each) => each !== text && each.replaceAll(/[0-9a-f]/g, 'x') === form,
      );
      return (same.length > 0 ? same : texts)[amount % Math.max(1, same.length || texts.length)];
    }
    case 'look-alike': {
      const from = [...text].findIndex((each, index) => index >= at && each in alike);
      return from < 0
        ? `${text}\u0301`
        : [...text].with(from, alike[text.charAt(from)] ?? '').join('');
    }
    case 'decompose':
      return `${before}${here}\u0301${after}`;
    case 'invisible':
      return `${before}${['\u200b', '\u00a0', '\u202e', '\ufeff', '\u00ad'][amount % 5]}${here}${after}`;
    case 'letter-case':
      return here === here.toLowerCase()
        ? `${before}${here.toUpperCase()}${after}`
        : `${before}${here.toLowerCase()}${after}`;
    default:
      return undefined;
  }
}

function otherMembers(value: Readonly<Record<string, Json>>, { kind, amount }: Mutation): Json {
  const entries = Object.entries(value);
  const at = amount % Math.max(1, entries.length);
  const [name, own] = entries[at] ?? ['', null];
  const [next, beside] = entries[(at + 1) % entries.length] ?? ['', null];
  switch (kind) {
    case 'rename-member': {
      const words = [`${name}s`, name.toUpperCase(), `${name}\u200b`, '__proto__', next, ''];
      const word = words[amount % words.length] ?? '';
      return Object.fromEntries(entries.with(at, [word, own]));
    }
    case 'add-member':
      return {
        ...value,
        [['constructor', 'toJSON', 'extra', 'length'][amount % 4] ?? 'x']: amount,
      };
    case 'swap-siblings':
      return { ...value, [name]: beside, [next]: own };
    default:
      return value;
  }
}

/** The same value in another spelling of JSON. */
function otherSpelling(line: string, place: number, amount: number): string {
  const spellings: readonly ((text: string) => string)[] = [
    (text) => text.replace(/^\{/, '{ '),
    (text) => text.replace(/:(\d+)([,}])/, ':$1.0$2'),
    (text) => text.replace(/:(\d+)([,}])/, ':$1e0$2'),
    (text) => text.replace(/:0([,}])/, ':-0$1'),
    (text) => text.replace(/"([a-z])/, (_, letter) => `"\\u00${letter.charCodeAt(0).toString(16)}`),
    (text) => text.replace(/^\{("[a-zA-Z]+":[^,{[]+),/, '{$1,$1,'),
    (text) => text.replace(/\//, '\\/'),
    (text) => text.replace(/\n$/, '\r\n'),
    (text) => text.replace(/\n$/, '\n\n'),
    (text) => text.replace(/\n$/, ''),
    (text) => text.replace(/\n$/, ' \n'),
    (text) => text.replace(/\}(?=\n?$)/, ',}'),
    (text) => `\u{2028}${text}`,
    (text) => `${text}${text}`,
  ];
  const spell = spellings[(place + amount) % spellings.length] ?? ((text) => text);
  return spell(line);
}
