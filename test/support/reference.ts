/**
 * Runs the reference cases of test/reference (or of LIFTGATE_REFERENCE_DIR): every case is dispatched on its method and compared field by field. A method
 * or a field nobody handles fails, and so does an entry of a left-out list that has become stale.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

interface Tolerance {
  readonly abs: number | string;
  readonly rel: number;
}

/** One reference case; `input` and `expected` keep the spelling of the file. */
export interface ReferenceCase {
  readonly name: string;
  readonly method: string;
  // biome-ignore lint/suspicious/noExplicitAny: the shape depends on the method, and a wrong read fails the comparison
  readonly input: any;
  readonly expected: Readonly<Record<string, unknown>>;
  readonly tolerance?: Tolerance;
}

interface ReferenceFile {
  readonly tolerance: Tolerance;
  readonly cases: readonly ReferenceCase[];
}

/** How one method of a file is computed. */
export interface ReferenceMethod {
  /** The fields of `expected`; null where the engine refuses. */
  readonly compute: (
    input: ReferenceCase['input'],
    expected: ReferenceCase['expected'],
  ) => Record<string, unknown>;
  /** Fields of `expected` the engine does not produce, as dotted paths. */
  readonly leftOutFields?: readonly string[];
  /** Cases the engine does not cover, by name. */
  readonly leftOutCases?: readonly string[];
  /** Replaces the tolerance of the file where a case states a formula. */
  readonly tolerance?: (input: ReferenceCase['input']) => Tolerance;
}

/** What a test covers of one file. */
export interface ReferencePlan {
  readonly methods: Readonly<Record<string, ReferenceMethod>>;
  readonly leftOutMethods: readonly string[];
}

const committedFolder = fileURLToPath(new URL('../reference/', import.meta.url));

const foreignFolder = process.env['LIFTGATE_REFERENCE_DIR'];

/** Where the reference files lie: LIFTGATE_REFERENCE_DIR when set, so that other files of the same schema can be run. */
export function referencePath(file: string): string {
  return join(foreignFolder ?? committedFolder, file);
}

/** The parsed reference file of that name. */
export function readReference(file: string): ReferenceFile {
  const parsed: ReferenceFile = JSON.parse(readFileSync(referencePath(file), 'utf8'));
  return parsed;
}

const wordNumbers: Readonly<Record<string, number>> = {
  Infinity: Number.POSITIVE_INFINITY,
  '-Infinity': Number.NEGATIVE_INFINITY,
};

interface Comparison {
  readonly path: string;
  readonly tolerance: Tolerance;
  readonly leftOut: ReadonlySet<string>;
  readonly seen: Set<string>;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function compareNumber(got: unknown, expected: number, { path, tolerance }: Comparison): void {
  if (typeof tolerance.abs !== 'number')
    throw new Error(`${path}: tolerance formula without a rule`);
  expect(typeof got, `${path} is ${String(got)}`).toBe('number');
  const allowed = Number.isFinite(expected)
    ? tolerance.abs + tolerance.rel * Math.abs(expected)
    : 0;
  const distance = got === expected ? 0 : Math.abs(Number(got) - expected);
  expect(distance, `${path}: got ${got}, expected ${expected}`).toBeLessThanOrEqual(allowed);
}

function compareRecord(
  got: unknown,
  expected: Readonly<Record<string, unknown>>,
  at: Comparison,
): void {
  if (!isRecord(got)) throw new Error(`${at.path}: expected fields, got ${String(got)}`);
  for (const [field, value] of Object.entries(expected)) {
    const path = at.path === '' ? field : `${at.path}.${field}`;
    if (at.leftOut.has(path)) {
      at.seen.add(path);
    } else {
      expect(field in got, `nothing computed for field ${path}`).toBe(true);
      compare(got[field], value, { ...at, path });
    }
  }
}

function compare(got: unknown, expected: unknown, at: Comparison): void {
  const value = typeof expected === 'string' ? (wordNumbers[expected] ?? expected) : expected;
  if (typeof value === 'number') {
    compareNumber(got, value, at);
  } else if (Array.isArray(value)) {
    expect(Array.isArray(got) && got.length, `${at.path} length`).toBe(value.length);
    value.forEach((item, index) => {
      compare((got as unknown[])[index], item, { ...at, path: `${at.path}[${index}]` });
    });
  } else if (isRecord(value)) {
    compareRecord(got, value, at);
  } else {
    expect(got, at.path).toBe(value);
  }
}

function runMethod(file: ReferenceFile, name: string, method: ReferenceMethod): void {
  const leftOut = new Set(method.leftOutFields ?? []);
  const leftOutCases = new Set(method.leftOutCases ?? []);
  const seen = new Set<string>();
  const all = file.cases.filter((entry) => entry.method === name);
  const covered = all.filter((entry) => !leftOutCases.has(entry.name));
  test.each(covered.map((entry) => [entry.name, entry] as const))('agrees with %s', (_, entry) => {
    const tolerance = method.tolerance?.(entry.input) ?? entry.tolerance ?? file.tolerance;
    const got = method.compute(entry.input, entry.expected);
    compare(got, entry.expected, { path: '', tolerance, leftOut, seen });
  });
  if (foreignFolder !== undefined) return;
  test('leaves out only fields and cases that exist', () => {
    expect([...seen].sort()).toEqual([...leftOut].sort());
    expect(all.length - covered.length).toBe(leftOutCases.size);
  });
}

/** Declares the tests of one reference file. */
export function referenceTests(fileName: string, plan: ReferencePlan): void {
  const file = readReference(fileName);
  describe(`reference ${fileName}`, () => {
    test('every method is either computed or left out by name', () => {
      const present = [...new Set(file.cases.map((entry) => entry.method))].sort();
      const known = [...Object.keys(plan.methods), ...plan.leftOutMethods].sort();
      // Other files of the schema may hold fewer methods, never an unknown one.
      if (foreignFolder === undefined) expect(known).toEqual(present);
      else expect(known).toEqual(expect.arrayContaining(present));
    });
    for (const [name, method] of Object.entries(plan.methods)) {
      if (file.cases.some((entry) => entry.method === name)) {
        describe(name, () => runMethod(file, name, method));
      }
    }
  });
}
