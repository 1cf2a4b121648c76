/** A document as read: its value, and the place of every key and value for messages. */
import type { Json } from '../base/canonical.ts';
import type { Place, Problem } from '../base/errors.ts';
import { parentPath, type SpecPath } from './finding.ts';

/** Offsets of a member in the text; list items have no key. */
export interface Span {
  readonly key: number | null;
  readonly value: number;
}

/** A document read without loss: nothing in it was repaired, merged or rounded. */
export interface SourceDocument {
  readonly value: Json;
  /** Spans by formatted path; '' is the root. */
  readonly spans: ReadonlyMap<string, Span>;
  readonly text: string;
}

/** Either a document or what keeps the text from being one. */
export type SourceReading =
  | { readonly status: 'read'; readonly document: SourceDocument }
  | { readonly status: 'refused'; readonly problems: readonly Problem[] };

/**
 * Line and column of an offset, both from 1; columns count UTF-16 code units.
 * @example positionOf('a: 1\nb: 2', 8) // => { line: 2, column: 4 }
 */
export function positionOf(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset);
  const line = before.split('\n').length;
  return { line, column: offset - (before.lastIndexOf('\n') + 1) + 1 };
}

/**
 * Positions of ascending offsets in one pass over the text.
 * @example positionsOf('[1,\n2]', [1, 4]) // => [{ line: 1, column: 2 }, { line: 2, column: 1 }]
 */
export function positionsOf(
  text: string,
  offsets: readonly number[],
): { line: number; column: number }[] {
  let line = 1;
  let lineStart = 0;
  return offsets.map((offset) => {
    for (let next = text.indexOf('\n', lineStart); next >= 0 && next < offset; ) {
      line += 1;
      lineStart = next + 1;
      next = text.indexOf('\n', lineStart);
    }
    return { line, column: offset - lineStart + 1 };
  });
}

/** Finds places of paths in one document; a path that is not in the text takes the place of what encloses it. */
export class PlaceFinder {
  private readonly file: string;
  private readonly document: SourceDocument;

  constructor(file: string, document: SourceDocument) {
    this.file = file;
    this.document = document;
  }

  /** Place of a formatted path. */
  placeOf(path: string, at: 'key' | 'value' = 'value'): Place {
    const span = this.document.spans.get(path);
    if (span !== undefined)
      return this.place(path, at === 'key' ? (span.key ?? span.value) : span.value);
    let outer = path;
    while (outer !== '' && !this.document.spans.has(outer)) outer = parentPath(outer);
    const around = this.document.spans.get(outer);
    return this.place(path, around?.key ?? around?.value ?? 0);
  }

  private place(path: string, offset: number): Place {
    const position = positionOf(this.document.text, offset);
    return path === '' ? { file: this.file, ...position } : { file: this.file, ...position, path };
  }
}

/**
 * Value at a path, or undefined where the path leaves the document.
 * @example valueAt({ gates: [{ gate: 'lift' }] }, ['gates', 0, 'gate']) // => 'lift'
 */
export function valueAt(value: Json | undefined, path: SpecPath): Json | undefined {
  let current: Json | undefined = value;
  for (const step of path) {
    if (current === null || typeof current !== 'object') return undefined;
    if (Array.isArray(current)) current = typeof step === 'number' ? current[step] : undefined;
    else current = memberOf(current, String(step));
  }
  return current;
}

function memberOf(value: Json, key: string): Json | undefined {
  if (!isMapping(value)) return undefined;
  return Object.hasOwn(value, key) ? value[key] : undefined;
}

/**
 * Whether a value is a mapping (neither a list nor a scalar).
 * @example isMapping([]) // => false
 */
export function isMapping(value: Json | undefined): value is { readonly [key: string]: Json } {
  return (
    value !== undefined && value !== null && typeof value === 'object' && !Array.isArray(value)
  );
}
