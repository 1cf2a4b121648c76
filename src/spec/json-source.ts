/** JSON documents with places: the strict reader decides, a second pass over the accepted text finds the offsets. */
import { LiftgateError, type Problem } from '../base/errors.ts';
import { decodeUtf8, type JsonSource, readJson } from '../base/strict-json.ts';
import { formatPath, type SpecPath } from './finding.ts';
import { positionOf, type SourceReading, type Span } from './source.ts';

/**
 * The problem a reader's error stands for.
 * @example problemOfError(new LiftgateError('json-invalid', 'M.'), 'a.json').where // => { file: 'a.json' }
 */
export function problemOfError(error: unknown, file: string): Problem {
  if (!(error instanceof LiftgateError)) throw error;
  return {
    code: error.code,
    where: { ...error.where, file: error.where?.file ?? file },
    message: error.message,
    mend: error.mend ?? 'Mend the file and try again.',
  };
}

/**
 * Reads one strict JSON document with the offsets of its members.
 * @example readJsonSource(encode('{"a": 1}'), 'a.json').status // => 'read'
 */
export function readJsonSource(bytes: Uint8Array, file: string): SourceReading {
  const source: JsonSource = { file };
  try {
    const text = decodeUtf8(bytes, source);
    const value = readJson(text, source);
    const spans = jsonSpans(text);
    const odd = [...spans].find(([path]) => /(?:^|\.)__proto__$/.test(path));
    if (odd !== undefined) return { status: 'refused', problems: [oddKey(file, text, odd)] };
    return { status: 'read', document: { value, text, spans } };
  } catch (error) {
    return { status: 'refused', problems: [problemOfError(error, file)] };
  }
}

function oddKey(file: string, text: string, [path, span]: readonly [string, Span]): Problem {
  return {
    code: 'json-invalid',
    where: { file, ...positionOf(text, span.key ?? span.value), path },
    message: 'The key __proto__ has a meaning of its own.',
    mend: 'Use another key.',
  };
}

const tokenPattern = /[{}[\],:]|"(?:[^"\\]|\\.)*"|[^\s{}[\],:"]+/gy;

/**
 * Offsets of every member and item of a JSON text that the strict reader has accepted.
 * @param depthLimit  containers below this depth are skipped over (the root is 0), for long lists of rows
 * @example [...jsonSpans('{"a": [7]}')].map(([path, span]) => `${path}@${span.value}`) // => ['@0', 'a@6', 'a[0]@7']
 */
export function jsonSpans(text: string, depthLimit = Number.POSITIVE_INFINITY): Map<string, Span> {
  return new SpanScan(text, depthLimit).spans;
}

class SpanScan {
  readonly spans = new Map<string, Span>();
  private readonly text: string;
  private readonly depthLimit: number;
  private at = 0;

  constructor(text: string, depthLimit: number) {
    this.text = text;
    this.depthLimit = depthLimit;
    this.value([], null);
  }

  private next(): { token: string; start: number } {
    while (/\s/.test(this.text.charAt(this.at))) this.at += 1;
    tokenPattern.lastIndex = this.at;
    const token = tokenPattern.exec(this.text)?.[0] ?? '';
    const start = this.at;
    this.at += token.length;
    return { token, start };
  }

  private value(path: SpecPath, key: number | null): void {
    const { token, start } = this.next();
    if (path.length <= this.depthLimit) this.spans.set(formatPath(path), { key, value: start });
    if (token === '{') this.members(path);
    else if (token === '[') this.items(path);
  }

  private members(path: SpecPath): void {
    for (;;) {
      const { token, start } = this.next();
      if (token === '}' || token === '') return;
      if (token === ',') continue;
      const name = readJson(token);
      this.next();
      this.value([...path, typeof name === 'string' ? name : token], start);
    }
  }

  private items(path: SpecPath): void {
    let index = 0;
    for (;;) {
      const mark = this.at;
      const { token } = this.next();
      if (token === ']' || token === '') return;
      if (token === ',') continue;
      this.at = mark;
      this.value([...path, index], null);
      index += 1;
    }
  }
}
