/**
 * Every declared shape reads every value as zod reads it under the same declaration: the same result, the same faults in the same
 * order with the same texts, the same JSON Schema. The declarations are loaded twice, once with zod in place of `base/shape`.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import * as z from 'zod';
import { prettyText } from '../../src/base/canonical.ts';
import * as own from '../../src/base/shape.ts';
import { Shape } from '../../src/base/shape-core.ts';
import { jsonSchemaOf } from '../../src/base/shape-json-schema.ts';
import { executeRequest, gradeRequest } from '../support/host-conformance.ts';

const project = resolve(import.meta.dirname, '../..');

/** Modules that declare shapes. */
const declaring = readdirSync(join(project, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts'))
  .map((path) => join(project, 'src', path))
  .filter((path) => /import \* as z from '\.\.\/base\/shape\.ts'/.test(readFileSync(path, 'utf8')))
  .sort();

interface Pair {
  readonly name: string;
  readonly own: Shape<unknown>;
  readonly reference: z.ZodType;
}

/** Each exported shape beside what zod makes of its declaration. */
async function loadPairs(): Promise<Pair[]> {
  const declared = new Map<string, unknown>();
  for (const path of declaring) {
    for (const [name, value] of Object.entries(await import(path)))
      declared.set(`${path} ${name}`, value);
  }
  vi.resetModules();
  vi.doMock('../../src/base/shape.ts', () => z);
  const loaded: Pair[] = [];
  for (const path of declaring) {
    for (const [name, reference] of Object.entries(await import(path))) {
      const found = declared.get(`${path} ${name}`);
      if (reference instanceof z.ZodType && found instanceof Shape) {
        loaded.push({ name, own: found, reference });
      }
    }
  }
  vi.doUnmock('../../src/base/shape.ts');
  vi.resetModules();
  return loaded;
}

/** Kinds that no exported declaration has. */
const unexported: Pair[] = [
  {
    name: 'a loose object',
    own: own.looseObject({
      kind: own.string(),
      body: own.unknown(),
      attempt: own.int().optional(),
    }),
    reference: z.looseObject({ kind: z.string(), body: z.unknown(), attempt: z.int().optional() }),
  },
];

const pairs = [...(await loadPairs()), ...unexported];

/** JSON documents that are recorded in the project: seals, entries, decisions, journals, receipts. */
function recorded(): unknown[] {
  const files = ['experiments', 'ledger', 'schemas'].flatMap((folder) =>
    readdirSync(join(project, folder), { recursive: true, encoding: 'utf8' })
      .filter((path) => /\.jsonl?$/.test(path))
      .sort()
      .map((path) => join(project, folder, path)),
  );
  return files.flatMap((path) => {
    const text = readFileSync(path, 'utf8');
    if (path.endsWith('.json')) return [JSON.parse(text)];
    const lines = text.trim().split('\n');
    return [...lines.slice(0, 8), ...lines.slice(-4)].map((line) => JSON.parse(line));
  });
}

const written: unknown[] = [
  executeRequest('well'),
  gradeRequest('well', { fault: 'scorer-throw' }),
  { protocols: ['cell/1'], kind: 'hello', host: { name: 'h', version: '1' }, supports: [] },
  { case: 'c', arm: 'baseline', scores: { right: null, fast: 1.5 } },
  { case: 'c', arm: 'a', critical: [{ id: 'x' }], repeat: 2, outcome: 'agentError' },
  { by: 'hash', salt: 's', final: 0.5, train: 0.5 },
  { kind: 'binary', scale: 100, role: 'primary', direction: 'higher' },
  {
    kind: 'count',
    max: 4,
    role: 'guardrail',
    direction: 'lower',
    where: { field: 'a', op: 'in', value: [1, 'b', null] },
  },
  { gate: 'power', atEffect: 0.1 },
  {
    id: 'a',
    case: { text: 'x', deep: [{ n: null }] },
    surface: { s: 'a.yaml' },
    expect: { right: { min: 1 } },
  },
  { worker: ['node', 'host.mjs'], env: ['KEY'], limits: { wallMs: 5 } },
  { module: 'host.mjs', concurrency: 300 },
  { sequence: [] },
  [],
  {},
  '',
  'holm',
  '\u{1F600}'.repeat(4000),
  'sha256:',
  0,
  -0,
  1,
  1.5,
  2 ** 53,
  -(2 ** 60),
  Number.NaN,
  Number.POSITIVE_INFINITY,
  true,
  null,
  undefined,
  { length: 0 },
  { constructor: 1 },
  new Date(0),
  new Map(),
  JSON.parse('{"__proto__":1}'),
  Object.create(null),
];

/** Different values from everywhere in the recorded documents, one of each form. */
function values(): unknown[] {
  const forms = new Map<string, number>();
  const kept: unknown[] = [];
  const visit = (value: unknown): void => {
    const inner = value !== null && typeof value === 'object' ? Object.entries(value) : [];
    const form =
      inner.length > 0
        ? inner.map(([key, each]) => `${key}:${typeof each}`).join()
        : JSON.stringify(value);
    const count = forms.get(form) ?? 0;
    forms.set(form, count + 1);
    if (count < 1) kept.push(value);
    for (const [, each] of inner) visit(each);
  };
  for (const document of recorded()) visit(document);
  return [...written, ...kept.filter((value, at) => typeof value === 'object' || at % 25 === 0)];
}

/** What of a fault anybody reads. */
function told(issue: unknown): unknown {
  const {
    code,
    path,
    message,
    expected,
    values: words,
    keys,
    origin,
    minimum,
    maximum,
    inclusive,
    errors,
    options,
    issues,
    pattern,
  } = issue as Record<string, unknown>;
  const ranged = code === 'too_small' || code === 'too_big';
  const below = (list: unknown): unknown => (Array.isArray(list) ? list.map(told) : undefined);
  return {
    ...{ code, path, message, expected, words, keys, minimum, maximum, pattern },
    inclusive: ranged ? inclusive : undefined,
    origin: ranged || code === 'invalid_key' ? origin : undefined,
    errors: Array.isArray(errors) ? errors.map(below) : undefined,
    options,
    issues: below(issues),
  };
}

/** The reading as plain data, members in the order they came out. */
function reading(
  of: Pick<Pair['reference'], 'safeParse'> | Shape<unknown>,
  value: unknown,
): unknown {
  const { success, data, error } = of.safeParse(value);
  return success ? { data, order: JSON.stringify(data) } : { issues: error?.issues.map(told) };
}

function expectSame({ name, own: shape, reference }: Pair, value: unknown): void {
  expect({ name, ...Object(reading(shape, value)) }).toStrictEqual({
    name,
    ...Object(reading(reference, value)),
  });
}

/**
 * What `accepts` says has to be what zod says of a value that it gives back as it is; members of classes, which zod takes apart or
 * takes for plain ones, are left to `safeParse`.
 */
function expectSameAnswer({ name, own: shape, reference }: Pair, value: unknown): void {
  const { success, data } = reference.safeParse(value);
  const unchanged = success && isDeepStrictEqual(data, value);
  if (shape.accepts(value) !== unchanged) {
    expect({ name, value, accepts: !unchanged }).toEqual({ name, value, accepts: unchanged });
  }
  if (unchanged && shape.readOwned(value).data !== value) {
    expect({ name, owned: shape.readOwned(value) }).toEqual({ name, owned: { data: value } });
  }
}

const odd: readonly unknown[] = [
  null,
  undefined,
  '',
  'x',
  'holm',
  0,
  1,
  -1,
  0.5,
  1e300,
  2 ** 53,
  Number.NaN,
  true,
  [],
  [1],
  {},
  { min: 1 },
  'sha256:00',
];

/** A value with one thing in it changed: taken away, put in, renamed or replaced. */
function changed(value: unknown, steps: readonly number[]): unknown {
  const [step = 0, ...rest] = steps;
  const replaced = odd[step % odd.length];
  if (value === null || typeof value !== 'object') return replaced;
  const entries = Object.entries(value);
  const at = step % (entries.length + 1);
  const [key, inner] = entries[at] ?? ['unknown', replaced];
  const way = (rest[0] ?? 0) % 6;
  const next =
    way === 0
      ? []
      : way === 1
        ? [[`${key}s`, inner]]
        : way === 2
          ? [[key, replaced]]
          : [[key, changed(inner, rest)]];
  const all = [...entries.slice(0, at), ...next, ...entries.slice(at + 1)] as [string, unknown][];
  return Array.isArray(value) ? all.map(([, each]) => each) : Object.fromEntries(all);
}

function isOfNoClass(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return true;
  return Object.getPrototypeOf(value) === Object.prototype;
}

/** The same value with the members of every object the other way round. */
function turned(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(turned);
  if (!isOfNoClass(value) || typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, each]) => [key, turned(each)]),
  );
}

/** zod numbers each use of any JSON value; they are all the same. */
function oneDefinition(text: string): string {
  return text.replace(/__schema\d+/g, '__schema0');
}

const corpus = values();

describe('shapes and zod', () => {
  test('are compared for every exported declaration', () => {
    expect(declaring.length).toBeGreaterThan(20);
    expect(pairs.length).toBeGreaterThan(80);
    expect(pairs.map(({ name }) => name)).toEqual(
      expect.arrayContaining([
        'specSchema',
        'sealSchema',
        'entrySchema',
        'receiptLineSchema',
        'decisionDocumentSchema',
      ]),
    );
    expect(corpus.length).toBeGreaterThan(500);
  });

  test.each(pairs)('read recorded and odd values alike: $name', (pair) => {
    for (const value of corpus) expectSame(pair, value);
  });

  test.each(pairs)('read damaged values alike: $name', (pair) => {
    const fits = corpus.filter((value) => pair.reference.safeParse(value).success).slice(0, 30);
    const from = fits.length > 0 ? fits : [{}];
    fc.assert(
      fc.property(
        fc.nat(from.length - 1),
        fc.array(fc.nat(1000), { minLength: 8, maxLength: 8 }),
        (at, steps) => {
          expectSame(pair, changed(from[at], steps));
        },
      ),
      { seed: 20261130, numRuns: 60 },
    );
  });

  test.each(pairs)('accept exactly what reading leaves as it is: $name', (pair) => {
    const plain = corpus.filter((value) => isOfNoClass(value));
    for (const value of plain) expectSameAnswer(pair, value);
    const read = corpus.flatMap((value) => {
      const { success, data } = pair.reference.safeParse(value);
      return success ? [data] : [];
    });
    const from = read.length > 0 ? read.slice(0, 30) : [{}];
    fc.assert(
      fc.property(
        fc.nat(from.length - 1),
        fc.array(fc.nat(1000), { minLength: 8, maxLength: 8 }),
        (at, steps) => {
          const value = changed(from[at], steps);
          expectSameAnswer(pair, value);
          expectSameAnswer(pair, turned(value));
        },
      ),
      { seed: 20261201, numRuns: 60 },
    );
  });

  test.each(pairs)('describe themselves alike: $name', ({ own: shape, reference }) => {
    for (const io of ['input', 'output'] as const) {
      const schema = z.toJSONSchema(reference, {
        target: 'draft-2020-12',
        io,
        unrepresentable: 'any',
      });
      expect(JSON.parse(prettyText(jsonSchemaOf(shape, { io, custom: () => ({}) })))).toEqual(
        JSON.parse(oneDefinition(JSON.stringify(schema))),
      );
    }
  });
});
