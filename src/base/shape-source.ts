/**
 * Regular expressions for the canonical texts of values in one shape: for most of them and for no other text. What an expression
 * matches is what the text says: strings with a pattern or a length match only where they are written without escapes.
 */
import { canonicalText, compareCodeUnits } from './canonical.ts';
import type { ShapeCheck } from './shape-check.ts';
import { ObjectShape } from './shape-compound.ts';
import { type AnyShape, DefaultShape, NullableShape, OptionalShape, Shape } from './shape-core.ts';
import {
  BooleanShape,
  CustomShape,
  EnumShape,
  LiteralShape,
  NullShape,
  NumberShape,
  StringShape,
} from './shape-scalar.ts';

/** Characters of a string that stand for themselves. */
const plainClass = '[^"\\\\\\x00-\\x1f]';
const escapeSource = '\\\\(?:["\\\\bfnrt]|u00(?:0[0-7be-f]|1[0-9a-f]))';
const behindQuote = `${plainClass}*(?:${escapeSource}${plainClass}*)*"`;
const anyString = `"${behindQuote}`;
const anyNumber = fractionSource(undefined, 15);

/** Any canonical text that is no list and no object. */
export const anyScalar = `(?:${anyString}|${anyNumber}|true|false|null)`;

type BareWrapper = NullableShape<AnyShape> | OptionalShape<AnyShape> | DefaultShape<AnyShape>;

/** Whether a shape only says what happens where a value is missing. */
export function isBareWrapper(shape: AnyShape): shape is BareWrapper {
  const wraps =
    shape instanceof NullableShape ||
    shape instanceof OptionalShape ||
    shape instanceof DefaultShape;
  return wraps && shape.checks.length === 0;
}

/** A member's name and its colon. */
export function keySource(key: string): string {
  return `${wordSource(key)}:`;
}

/** One word, number or name as it is. */
export function wordSource(word: unknown): string {
  return canonicalText(word).replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}

/** The expression of a shape whose texts all have the same members; undefined when there is none. */
export function fixedSource(shape: AnyShape): string | undefined {
  if (isBareWrapper(shape)) {
    const inner = fixedSource(shape.inner);
    return shape instanceof NullableShape && inner !== undefined ? `(?:null|${inner})` : inner;
  }
  if (shape instanceof StringShape) return stringSource(shape.checks);
  if (shape instanceof NumberShape) return numberSource(shape);
  if (shape instanceof CustomShape) return customSource(shape);
  return shape instanceof Shape && shape.checks.length === 0 ? uncheckedSource(shape) : undefined;
}

function customSource({ pattern, checks }: CustomShape<unknown>): string | undefined {
  // Its own test is the first check.
  return pattern === undefined || checks.length > 1 ? undefined : embedded(pattern, '"');
}

function uncheckedSource(shape: Shape<unknown>): string | undefined {
  if (shape instanceof BooleanShape) return '(?:true|false)';
  if (shape instanceof NullShape) return 'null';
  if (shape instanceof LiteralShape || shape instanceof EnumShape) {
    const words: readonly unknown[] = shape.values;
    return words.length === 1 ? wordSource(words[0]) : `(?:${words.map(wordSource).join('|')})`;
  }
  return shape instanceof ObjectShape && !shape.loose ? objectSource(shape.shape) : undefined;
}

/** Objects without a member that may be missing. */
function objectSource(members: Readonly<Record<string, AnyShape>>): string | undefined {
  const sources: string[] = [];
  for (const key of Object.keys(members).sort(compareCodeUnits)) {
    const member = members[key];
    const source = member?.absence === 'nothing' ? undefined : member && fixedSource(member);
    if (source === undefined) return undefined;
    sources.push(`${keySource(key)}${source}`);
  }
  return `\\{${sources.join(',')}\\}`;
}

/** Strings with lengths and at most one pattern. */
function stringSource(checks: readonly ShapeCheck[]): string | undefined {
  const patterns = checks.flatMap((check) => (check.kind === 'pattern' ? [check.pattern] : []));
  const lengths = (kind: 'shortest' | 'longest'): number[] =>
    checks.flatMap((check) => (check.kind === kind ? [check.bound] : []));
  const [least, most] = [lengths('shortest'), lengths('longest')];
  const [shortest, longest] = [Math.max(0, ...least), Math.min(...most)];
  // Other lengths than none count characters, of which two code units may make one.
  const sayable = patterns.length + least.length + most.length === checks.length && shortest <= 1;
  const [pattern, ...others] = patterns;
  if (!sayable || others.length > 0) return undefined;
  const size = `{${shortest},${most.length === 0 ? '' : longest}}`;
  if (pattern !== undefined) {
    return embedded(pattern, least.length + most.length === 0 ? '"' : `"(?=[^"]${size}")`);
  }
  if (most.length > 0) return `"${plainClass}${size}"`;
  return shortest === 0 ? anyString : `"(?!")${behindQuote}`;
}

/** Numbers with at most a least value of 0 or 1 and a largest one. */
function numberSource({ whole, checks }: NumberShape): string | undefined {
  let least: number | undefined;
  let digits = 15;
  for (const check of checks) {
    if (check.kind === 'least' && check.inclusive && least === undefined) least = check.bound;
    else if (check.kind !== 'most' || check.bound < 10) return undefined;
    // One digit less than the largest value has.
    else digits = Math.min(digits, `${Math.floor(check.bound)}`.length - 1);
  }
  if (least === undefined || least === 0 || (least === 1 && whole))
    return whole ? wholeSource(least, digits) : fractionSource(least, digits);
  return undefined;
}

function wholeSource(least: number | undefined, digits: number): string {
  const positive = `[1-9][0-9]{0,${digits - 1}}`;
  if (least === 1) return positive;
  return `(?:0|${least === undefined ? '-?' : ''}${positive})`;
}

/**
 * Numbers as ECMAScript writes them, in at most 15 characters besides the sign and with at most so many digits before the point: up to
 * 15 digits are the shortest text of the double they stand for, and from 0.000001 on it is written without an exponent.
 */
function fractionSource(least: number | undefined, digits: number): string {
  const sign = least === undefined ? '(?!-0[^.])-?' : '';
  const size = `(?=[0-9.]{1,15}[^0-9.])`;
  const large = digits < 15 ? `(?=[0-9]{1,${digits}}[^0-9])` : '';
  return `(?!-?0\\.000000)${sign}${size}${large}(?:0|[1-9][0-9]*)(?:\\.[0-9]*[1-9])?`;
}

/** Parts of a pattern that are understood: a class with or without a count, escapes, groups, counts, a point, single characters. */
const partPattern =
  /(\[\^?(?:[^\]\\]|\\.)*\]|\.)(?:\{(\d+)\})?|\\[d./+-]|\(\?:|\)|[?*+|]|\{\d+(?:,\d*)?\}|[\w:@=, /-]|(.)/gsu;

/**
 * A whole string that matches a pattern, as an expression behind its opening; undefined for patterns that are not understood. Classes
 * are cut down to ASCII without quotes, escapes and control characters, so that what matches is the text itself.
 */
function embedded(pattern: RegExp, opening: string): string | undefined {
  const inner = /^\^(.*)\$$/s.exec(pattern.source)?.[1];
  if (inner === undefined || !/^u?$/.test(pattern.flags) || !isPlainlyBuilt(inner))
    return undefined;
  let known = true;
  const text = inner.replace(
    partPattern,
    (part: string, of?: string, count?: string, odd?: string) => {
      if (odd !== undefined) known = false;
      if (of === undefined) return part;
      const plain = plainPart(new RegExp(`^${of}$`, pattern.flags));
      if (plain === undefined) known = false;
      return repeated(plain ?? part, count);
    },
  );
  return known ? `${opening}${text}"` : undefined;
}

/** Whether no group is repeated and no alternatives stand outside of groups, where the ends of a pattern would not belong to all of them. */
function isPlainlyBuilt(inner: string): boolean {
  let flat = inner.replace(/\[(?:[^\]\\]|\\.)*\]|\\./gs, '');
  const repeats = /\)[*+{]/.test(flat);
  for (let before = ''; before !== flat; ) {
    before = flat;
    flat = flat.replace(/\([^()]*\)/g, '');
  }
  return !repeats && !flat.includes('|');
}

/**
 * Characters that no JSON text holds within a string. In a class of two or three ranges they make the engine look characters up in a
 * table: random digits of a digest send the branches it takes otherwise the wrong way every third time, which costs four times as much.
 */
const impossible = '\\x00\\x02\\x04\\x06';

/** The class of visible ASCII characters that match, without quotes and escapes; undefined when there is none. */
function plainPart(one: RegExp): string | undefined {
  let [source, ranges, start] = ['', 0, -1];
  for (let code = 0x20; code <= 0x7f; code += 1) {
    const matches =
      code !== 0x22 && code !== 0x5c && code < 0x7f && one.test(String.fromCharCode(code));
    if (matches && start === -1) start = code;
    if (matches || start === -1) continue;
    source += `\\x${start.toString(16)}-\\x${(code - 1).toString(16)}`;
    ranges += 1;
    start = -1;
  }
  if (ranges === 0) return undefined;
  return `[${source}${ranges === 2 || ranges === 3 ? impossible : ''}]`;
}

/** A class so many times; sixteen at a time, since the engine counts slowly. */
function repeated(source: string, count: string | undefined): string {
  const times = Number(count ?? 1);
  if (count === undefined) return source;
  return times % 16 === 0 && times > 0
    ? `(?:${source.repeat(16)}){${times / 16}}`
    : `${source}{${count}}`;
}
