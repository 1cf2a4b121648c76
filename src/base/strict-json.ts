/**
 * Strict JSON reader: everything `JSON.parse` repairs in silence (duplicate keys, rounded integers, overflow, lone surrogates,
 * byte order marks, invalid UTF-8) is refused with its place.
 */
import { canonicalText, type Json, maximumDepth } from './canonical.ts';
import { isCanonicalLine } from './canonical-text.ts';
import { type ErrorCode, LiftgateError } from './errors.ts';
import type { Reading, Shape } from './shape-core.ts';
import { learnForm, readInForm } from './shape-form.ts';

export type JsonReason =
  | 'E_SYNTAX'
  | 'E_DUPLICATE_KEY'
  | 'E_SURROGATE'
  | 'E_NONFINITE'
  | 'E_UNSAFE_INTEGER'
  | 'E_UNDERFLOW'
  | 'E_BOM'
  | 'E_UTF8'
  | 'E_DEPTH';

const mends: Record<JsonReason, string> = {
  E_SYNTAX:
    'Write standard JSON: double quotes, no comments, no trailing commas, one value per document.',
  E_DUPLICATE_KEY: 'Keep one of the two members.',
  E_SURROGATE: 'Write complete surrogate pairs or the character itself.',
  E_NONFINITE: 'Use a number that fits a double.',
  E_UNSAFE_INTEGER: 'Write integers beyond 9007199254740991 as strings.',
  E_UNDERFLOW: 'Use a number that does not round to zero.',
  E_BOM: 'Save the file as UTF-8 without a byte order mark.',
  E_UTF8: 'Save the file as UTF-8.',
  E_DEPTH: `Nest at most ${maximumDepth} levels.`,
};

export interface JsonSource {
  /** Name shown in errors. */
  readonly file?: string | undefined;
  /** Line of the first character, from 1; for one line of a JSON Lines file. */
  readonly firstLine?: number | undefined;
  readonly errorCode?: ErrorCode | undefined;
}

const escapes: Readonly<Record<string, string>> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
};

const numberPattern = /-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?/y;

class Reader {
  private readonly text: string;
  private readonly source: JsonSource;
  private at = 0;

  constructor(text: string, source: JsonSource) {
    this.text = text;
    this.source = source;
  }

  document(): Json {
    if (this.text.startsWith('\uFEFF'))
      this.refuse('E_BOM', 'The text starts with a byte order mark');
    const value = this.value(0);
    this.space();
    if (this.at < this.text.length) this.refuse('E_SYNTAX', 'Text follows the JSON value');
    return value;
  }

  private refuse(reason: JsonReason, what: string, at = this.at): never {
    const before = this.text.slice(0, at).split('\n');
    const line = (this.source.firstLine ?? 1) + before.length - 1;
    throw new LiftgateError(this.source.errorCode ?? 'json-invalid', `${what} (${reason}).`, {
      where: { file: this.source.file, line, column: (before.at(-1) ?? '').length + 1 },
      mend: mends[reason],
      details: { reason },
    });
  }

  private space(): void {
    while (this.at < this.text.length && ' \t\n\r'.includes(this.text.charAt(this.at)))
      this.at += 1;
  }

  private value(depth: number): Json {
    this.space();
    const first = this.text.charAt(this.at);
    if (first === '{') return this.object(depth + 1);
    if (first === '[') return this.array(depth + 1);
    if (first === '"') return this.string();
    if (first === '-' || (first >= '0' && first <= '9')) return this.number();
    return this.word();
  }

  private word(): null | boolean {
    for (const [word, value] of [
      ['true', true],
      ['false', false],
      ['null', null],
    ] as const) {
      if (this.text.startsWith(word, this.at)) {
        this.at += word.length;
        return value;
      }
    }
    const found = this.text.charAt(this.at);
    return this.refuse(
      'E_SYNTAX',
      found === '' ? 'A value is missing' : `Unexpected character ${found}`,
    );
  }

  private number(): number {
    numberPattern.lastIndex = this.at;
    const match = numberPattern.exec(this.text);
    if (match === null) return this.refuse('E_SYNTAX', 'A malformed number');
    const literal = match[0];
    const value = Number(literal);
    if (!Number.isFinite(value)) this.refuse('E_NONFINITE', `The number ${literal} overflows`);
    const whole = match[1] === undefined && match[2] === undefined;
    if (whole && !Number.isSafeInteger(value))
      this.refuse('E_UNSAFE_INTEGER', `The integer ${literal} would be rounded`);
    if (value === 0 && /[1-9]/.test(literal.split(/[eE]/)[0] ?? '')) {
      this.refuse('E_UNDERFLOW', `The number ${literal} rounds to zero`);
    }
    this.at += literal.length;
    return value;
  }

  private string(): string {
    const start = this.at;
    this.at += 1;
    let result = '';
    for (;;) {
      const character = this.text.charAt(this.at);
      if (character === '' || character < ' ')
        this.refuse('E_SYNTAX', 'An unfinished string or a raw control character');
      this.at += 1;
      if (character === '"') break;
      result += character === '\\' ? this.escape() : character;
    }
    if (!result.isWellFormed()) this.refuse('E_SURROGATE', 'A string with a lone surrogate', start);
    return result;
  }

  private escape(): string {
    const kind = this.text.charAt(this.at);
    this.at += 1;
    if (kind === 'u') {
      const hex = this.text.slice(this.at, this.at + 4);
      if (!/^[0-9a-fA-F]{4}$/.test(hex)) this.refuse('E_SYNTAX', 'A malformed \\u escape');
      this.at += 4;
      return String.fromCharCode(Number.parseInt(hex, 16));
    }
    return escapes[kind] ?? this.refuse('E_SYNTAX', `An unknown escape \\${kind}`);
  }

  private open(depth: number): void {
    if (depth > maximumDepth) this.refuse('E_DEPTH', `Nesting deeper than ${maximumDepth}`);
    this.at += 1;
    this.space();
  }

  /** Consumes a comma (true) or the closing character (false). */
  private more(closing: string): boolean {
    this.space();
    const character = this.text.charAt(this.at);
    if (character !== ',' && character !== closing)
      this.refuse('E_SYNTAX', `Expected a comma or ${closing}`);
    this.at += 1;
    return character === ',';
  }

  private array(depth: number): Json[] {
    this.open(depth);
    const items: Json[] = [];
    if (this.text.charAt(this.at) === ']') {
      this.at += 1;
      return items;
    }
    do items.push(this.value(depth));
    while (this.more(']'));
    return items;
  }

  private object(depth: number): { [key: string]: Json } {
    this.open(depth);
    const members = new Map<string, Json>();
    if (this.text.charAt(this.at) === '}') {
      this.at += 1;
      return {};
    }
    do this.member(members, depth);
    while (this.more('}'));
    return objectOf(members);
  }

  private member(members: Map<string, Json>, depth: number): void {
    this.space();
    const start = this.at;
    if (this.text.charAt(this.at) !== '"')
      this.refuse('E_SYNTAX', 'A member name in double quotes is missing');
    const key = this.string();
    if (members.has(key))
      this.refuse('E_DUPLICATE_KEY', `The member "${key}" appears twice`, start);
    this.space();
    if (this.text.charAt(this.at) !== ':') this.refuse('E_SYNTAX', 'A colon is missing');
    this.at += 1;
    members.set(key, this.value(depth));
  }
}

/** Plain object from members; defines `__proto__` as data instead of calling its setter. */
export function objectOf(members: Iterable<readonly [string, Json]>): { [key: string]: Json } {
  const result: { [key: string]: Json } = {};
  for (const [key, value] of members) {
    Object.defineProperty(result, key, {
      value,
      enumerable: true,
      writable: true,
      configurable: true,
    });
  }
  return result;
}

const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Decodes UTF-8 bytes, refusing invalid sequences and a byte order mark.
 * @throws {LiftgateError} `source.errorCode`, or else `errorCode`, with `details.reason` E_UTF8 or E_BOM
 */
export function decodeUtf8(
  bytes: Uint8Array,
  source: JsonSource = {},
  errorCode: ErrorCode = 'json-invalid',
): string {
  const fail = (reason: JsonReason, what: string): never => {
    throw new LiftgateError(source.errorCode ?? errorCode, `${what} (${reason}).`, {
      where: { file: source.file },
      mend: mends[reason],
      details: { reason },
    });
  };
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf)
    fail('E_BOM', 'The file starts with a byte order mark');
  try {
    return strictUtf8.decode(bytes);
  } catch {
    return fail('E_UTF8', 'The file is not valid UTF-8');
  }
}

/**
 * Reads one JSON value strictly.
 *
 * @throws {LiftgateError} json-invalid (or `source.errorCode`) with line and column and `details.reason`
 * @example readJson('{"a": [1, 2.5]}') // => { a: [1, 2.5] }
 */
export function readJson(input: Uint8Array | string, source: JsonSource = {}): Json {
  const text = typeof input === 'string' ? input : decodeUtf8(input, source);
  return new Reader(text, source).document();
}

/**
 * Reads recorded evidence: the bytes must be exactly the canonical JSON of their value and one line feed.
 * @throws {LiftgateError} run-invalid (or `source.errorCode`) when any byte differs
 */
export function readCanonical(bytes: Uint8Array, source: JsonSource = {}): Json {
  return canonicalValue(decodeUtf8(bytes, source, recordedCode), source);
}

/** Error code of recorded evidence where its reader has none of its own. */
const recordedCode = 'run-invalid';

function canonicalValue(text: string, source: JsonSource): Json {
  const errorCode = source.errorCode ?? recordedCode;
  const refuse = (cause: string): never => {
    throw new LiftgateError(
      errorCode,
      `The bytes are not the canonical form of their value${cause}.`,
      {
        where: { file: source.file, line: source.firstLine },
        mend: 'Restore the recorded file; it must not be re-indented, converted or edited.',
      },
    );
  };
  if (isCanonicalLine(text)) {
    const quick: Json = JSON.parse(text);
    return quick;
  }
  const foreign = foreignText(text);
  if (foreign !== '') refuse(foreign);
  const value = readJson(text, { ...source, errorCode });
  if (`${canonicalText(value)}\n` !== text) refuse(rewrittenText(text));
  return value;
}

/**
 * Reads recorded evidence in its declared shape; a value that fits as it is comes without a copy, its members in the order of the bytes.
 * @throws {LiftgateError} run-invalid (or `source.errorCode`) when the bytes are not canonical; another shape is told in the reading
 */
export function readRecorded<Output>(
  bytes: Uint8Array,
  shape: Shape<Output>,
  source: JsonSource = {},
): Reading<Output> {
  const text = decodeUtf8(bytes, source, recordedCode);
  const known = readInForm(shape, text);
  if (known !== undefined) return { success: true, data: known as Output };
  const value = canonicalValue(text, source);
  const reading = shape.readOwned(value);
  if (reading.data === value) learnForm(shape, value, text);
  return reading;
}

/** What version control leaves in place of a file; told before the JSON reader stumbles over it. */
function foreignText(text: string): string {
  if (/^(?:<<<<<<<|>>>>>>>) /m.test(text)) return ' (it holds merge markers)';
  if (text.startsWith('version https://git-lfs')) return ' (it is a Git LFS pointer)';
  return '';
}

function rewrittenText(text: string): string {
  if (text.includes('\r\n')) return ' (line ends were converted to CRLF)';
  if (/^[{[]\s*\n\s/.test(text)) return ' (it was re-indented)';
  if (!text.endsWith('\n')) return ' (the last line feed is missing)';
  return '';
}
