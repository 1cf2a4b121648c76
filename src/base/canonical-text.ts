/**
 * Whether a text is canonical JSON, judged by its characters alone: recorded bytes are proved canonical without writing their value
 * again. One pass, no value is made.
 *
 * A text that passes is what `recordedText` writes for the value `JSON.parse` reads from it: grammar without white space, members in
 * strictly rising order of their keys (so none twice), the shortest escapes, numbers as ECMAScript writes them, no lone surrogate,
 * no integer beyond 2^53, no more than 200 levels. In doubt the answer is no, and the slow reader has the word: for keys with escapes,
 * whose order their text does not show, and for integers written with an exponent.
 */
import { maximumDepth } from './canonical.ts';

const [quote, backslash, minus, comma, colon] = [0x22, 0x5c, 0x2d, 0x2c, 0x3a] as const;
const [openArray, closeArray, openObject, closeObject] = [0x5b, 0x5d, 0x7b, 0x7d] as const;

/** Longest run of digits that is a safe integer whatever its digits are. */
const safeDigits = 15;

/** Escapes that RFC 8785 writes; control characters with a short one have no other. */
const escapePattern = /\\(?:["\\bfnrt]|u00(?:0[0-7be-f]|1[0-9a-f]))/y;
/** What cannot stand in a string, or not alone. */
const specialPattern = /[^ -[\]-\ud7ff\ue000-\uffff]/g;
const numberPattern = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:e[+-][0-9]+)?/y;

/** Scans one text; `at` is the next character, and -1 once the text is refused. */
class Scanner {
  private readonly text: string;
  private at = 0;
  private escaped = false;
  /** Next character that makes a string more than its characters, at `at` or behind it; the last one is the line feed. */
  private special = -1;

  constructor(text: string) {
    this.text = text;
  }

  /** Whether one canonical value reaches exactly to `end`. */
  reaches(end: number): boolean {
    this.value(0);
    return this.at === end;
  }

  private value(depth: number): void {
    const first = this.text.charCodeAt(this.at);
    if (first === quote) this.string();
    else if (first === openObject) this.object(depth);
    else if (first === openArray) this.array(depth);
    else if (first === minus || (first >= 0x30 && first <= 0x39)) this.number();
    else this.word();
  }

  private word(): void {
    const { text, at } = this;
    if (text.startsWith('null', at) || text.startsWith('true', at)) this.at = at + 4;
    else this.at = text.startsWith('false', at) ? at + 5 : -1;
  }

  /** From its opening to behind its closing quote. */
  private string(): void {
    const close = this.text.indexOf('"', this.at + 1);
    this.escaped = false;
    if (close !== -1 && close < this.specialFrom(this.at)) this.at = close + 1;
    else this.oddString();
  }

  private specialFrom(at: number): number {
    if (this.special < at) {
      specialPattern.lastIndex = at;
      this.special = specialPattern.test(this.text)
        ? specialPattern.lastIndex - 1
        : this.text.length;
    }
    return this.special;
  }

  /** A string with escapes or surrogates, or none at all. */
  private oddString(): void {
    const { text } = this;
    let at = this.at + 1;
    let code = text.charCodeAt(at);
    while (code !== quote && at > 0) {
      at = code >= 0x20 && code < 0xd800 && code !== backslash ? at + 1 : this.behind(code, at);
      code = text.charCodeAt(at);
    }
    this.at = at > 0 ? at + 1 : -1;
  }

  /** Place behind an escape, a surrogate pair or a character above them; -1 for anything else, the end of the text (NaN) included. */
  private behind(code: number, at: number): number {
    if (code > 0xdfff) return at + 1;
    if (code === backslash) {
      this.escaped = true;
      escapePattern.lastIndex = at;
      return escapePattern.test(this.text) ? escapePattern.lastIndex : -1;
    }
    const next = this.text.charCodeAt(at + 1);
    return code >= 0xd800 && code <= 0xdbff && next >= 0xdc00 && next <= 0xdfff ? at + 2 : -1;
  }

  private number(): void {
    const { text } = this;
    let at = this.at;
    if (text.charCodeAt(at) === minus) at += 1;
    const start = at;
    while (text.charCodeAt(at) >= 0x30 && text.charCodeAt(at) <= 0x39) at += 1;
    const next = text.charCodeAt(at);
    const whole = next !== 0x2e && next !== 0x65;
    const plain = text.charCodeAt(start) !== 0x30 || (at === start + 1 && start === this.at);
    if (whole && at > start && at - start <= safeDigits && plain) this.at = at;
    else this.oddNumber();
  }

  private oddNumber(): void {
    numberPattern.lastIndex = this.at;
    const literal = numberPattern.exec(this.text)?.[0] ?? '';
    const value = Number(literal);
    const same = literal !== '' && String(value) === literal;
    const sure = Number.isSafeInteger(value) || (Number.isFinite(value) && value % 1 !== 0);
    this.at = same && sure ? this.at + literal.length : -1;
  }

  /** Takes an opening bracket; false when that was all: nothing is inside, or it is too deep. */
  private opens(closing: number, depth: number): boolean {
    this.at += 1;
    const empty = this.text.charCodeAt(this.at) === closing;
    if (empty) this.at += 1;
    if (depth >= maximumDepth) this.at = -1;
    return !empty && this.at !== -1;
  }

  private array(depth: number): void {
    let more = this.opens(closeArray, depth);
    while (more) {
      this.value(depth + 1);
      more = this.goesOn(closeArray);
    }
  }

  private object(depth: number): void {
    let more = this.opens(closeObject, depth);
    let before = -1;
    while (more) {
      const start = this.at;
      if (this.key(before, start)) this.value(depth + 1);
      else this.at = -1;
      before = start;
      more = this.goesOn(closeObject);
    }
  }

  /** Takes a key and its colon; false unless it follows the key that starts at `before` (-1: there is none). */
  private key(before: number, start: number): boolean {
    if (this.text.charCodeAt(start) !== quote) return false;
    this.string();
    if (this.at === -1 || this.escaped || this.text.charCodeAt(this.at) !== colon) return false;
    this.at += 1;
    return before === -1 || this.rises(before + 1, start + 1);
  }

  /** Whether the key that starts at `second` comes after the one at `first`; a closing quote ends either. */
  private rises(first: number, second: number): boolean {
    const { text } = this;
    let offset = 0;
    let one = text.charCodeAt(first);
    let two = text.charCodeAt(second);
    while (one === two && one !== quote) {
      offset += 1;
      one = text.charCodeAt(first + offset);
      two = text.charCodeAt(second + offset);
    }
    return two !== quote && (one === quote || one < two);
  }

  /** Takes a comma (true) or the closing character (false); anything else is refused. */
  private goesOn(closing: number): boolean {
    if (this.at === -1) return false;
    const code = this.text.charCodeAt(this.at);
    this.at = code === comma || code === closing ? this.at + 1 : -1;
    return code === comma;
  }
}

/**
 * Whether a text is exactly the line that `canonicalLine` writes for the value `JSON.parse` reads from it; false also when in doubt.
 * @example isCanonicalLine('{"a":1,"b":[]}\n') // => true
 */
export function isCanonicalLine(text: string): boolean {
  const end = text.length - 1;
  return text.charCodeAt(end) === 0x0a && new Scanner(text).reaches(end);
}
