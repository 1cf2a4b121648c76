/** Rows of one case file: a JSON array of objects or JSON lines, read strictly, each with the line it stands on. */
import type { Json } from '../base/canonical.ts';
import type { Place, Problem } from '../base/errors.ts';
import { decodeUtf8, readJson } from '../base/strict-json.ts';
import { jsonSpans, problemOfError } from './json-source.ts';
import { isMapping, positionsOf } from './source.ts';
import type { CaseRow } from './units.ts';

/** What a case file is to be read as. */
export interface CaseSource {
  /** Name shown in problems. */
  readonly file: string;
  /** Number of the first row over all files, from 1. */
  readonly firstRow: number;
  /** Fields added to every row; `{row}` becomes the row's number in its file, from 1. */
  readonly set?: Readonly<Record<string, string>> | undefined;
}

interface FoundRow {
  readonly value: Json;
  readonly line: number;
  readonly column: number;
}

/**
 * Rows of a case file and everything wrong with them.
 * @example readCaseRows(new TextEncoder().encode('{"id":"a"}\n'), { file: 'c.jsonl', firstRow: 1 }).rows[0]?.fields // => { id: 'a' }
 */
export function readCaseRows(
  bytes: Uint8Array,
  source: CaseSource,
): { rows: CaseRow[]; problems: Problem[] } {
  const problems: Problem[] = [];
  let found: FoundRow[];
  try {
    const text = decodeUtf8(bytes, { file: source.file, errorCode: 'cases-invalid' });
    found = /^\s*\[/.test(text)
      ? listRows(text, source, problems)
      : lineRows(text, source, problems);
  } catch (error) {
    return { rows: [], problems: [problemOfError(error, source.file)] };
  }
  const rows = found.flatMap((each, index) => rowOf(each, index, { source, problems }));
  if (found.length === 0 && problems.length === 0) problems.push(emptyFile(source.file));
  return { rows, problems };
}

function emptyFile(file: string): Problem {
  return {
    code: 'cases-empty',
    where: { file, line: 1, column: 1 },
    message: 'The case file holds no row.',
    mend: 'Write one JSON object per line, or a JSON array of objects.',
  };
}

function listRows(text: string, source: CaseSource, problems: Problem[]): FoundRow[] {
  const value = readJson(text, { file: source.file, errorCode: 'cases-invalid' });
  const spans = jsonSpans(text, 1);
  const items = Array.isArray(value) ? value : [];
  const places = positionsOf(
    text,
    items.map((_, index) => spans.get(`[${index}]`)?.value ?? 0),
  );
  if (!Array.isArray(value)) problems.push(emptyFile(source.file));
  return items.map((item: Json, index) => ({
    value: item,
    ...(places[index] ?? { line: 1, column: 1 }),
  }));
}

/** Malformed lines are reported one by one, up to this many. */
const shownLines = 20;

function lineRows(text: string, source: CaseSource, problems: Problem[]): FoundRow[] {
  const found: FoundRow[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue;
    if (problems.length >= shownLines) break;
    try {
      const value = readJson(line, {
        file: source.file,
        firstLine: index + 1,
        errorCode: 'cases-invalid',
      });
      found.push({ value, line: index + 1, column: 1 });
    } catch (error) {
      problems.push(problemOfError(error, source.file));
    }
  }
  return found;
}

function rowOf(
  { value, line, column }: FoundRow,
  index: number,
  { source, problems }: { readonly source: CaseSource; readonly problems: Problem[] },
): CaseRow[] {
  const where: Place = { file: source.file, line, column };
  if (!isMapping(value)) {
    problems.push({
      code: 'row-not-object',
      where,
      message: 'A row must be a JSON object.',
      mend: 'Write {"id": ..., ...}: one object per case.',
    });
    return [];
  }
  const added = Object.entries(source.set ?? {});
  const taken = added.find(([field]) => Object.hasOwn(value, field));
  if (taken !== undefined) {
    problems.push({
      code: 'set-field-exists',
      where: { ...where, path: taken[0] },
      message: `The row already has the field "${taken[0]}", which cases.files sets.`,
      mend: 'Set a field that the rows do not have.',
    });
    return [];
  }
  const set = added.map(
    ([field, text]) => [field, text.replaceAll('{row}', String(index + 1))] as const,
  );
  const fields = Object.fromEntries([...Object.entries(value), ...set]);
  return [{ row: source.firstRow + index, file: source.file, line, column, fields }];
}
