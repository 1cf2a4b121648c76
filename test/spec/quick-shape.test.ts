import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { entrySchema } from '../../src/ledger/entry.ts';
import { journalLineSchema } from '../../src/run/journal.ts';
import { quickShape } from '../../src/spec/quick-shape.ts';
import { exampleTests } from '../support/examples.ts';

exampleTests('src/spec/quick-shape.ts', { names: ['quickShape'], scope: { quickShape, z } });

const project = join(import.meta.dirname, '../..');

function recorded(folder: string, name: RegExp): unknown[] {
  return readdirSync(join(project, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => name.test(file))
    .flatMap((file) =>
      readFileSync(join(project, folder, file), 'utf8')
        .trimEnd()
        .split('\n'),
    )
    .map((line) => JSON.parse(line));
}

/** Whether the predicate keeps its word: yes only where the schema gives back an equal value. */
function keepsItsWord(schema: z.ZodType, value: unknown): boolean {
  const sure = quickShape(schema)(value);
  if (sure) {
    const parsed = schema.safeParse(value);
    expect(parsed.success && parsed.data).toEqual(value);
  }
  return sure;
}

describe('quickShape', () => {
  const kinds = [
    [
      'journal lines',
      journalLineSchema,
      recorded('experiments/refund-desk/runs', /journal\.jsonl$/),
    ],
    ['entries', entrySchema, recorded('ledger/log', /^\d{8}\.json$/)],
  ] as const;

  test.each(kinds)('is sure of all recorded %s', (_, schema, values) => {
    expect(values.length).toBeGreaterThan(10);
    for (const value of values.slice(0, 200)) expect(keepsItsWord(schema, value)).toBe(true);
  });

  const odd = [
    null,
    undefined,
    0,
    -1,
    1.5,
    2 ** 53,
    Number.NaN,
    '',
    'x',
    true,
    [],
    {},
    [null],
    { a: 1 },
  ];

  function changedList(
    list: unknown[],
    path: readonly number[],
    by: unknown,
    how: number,
  ): unknown {
    const [step = 0, ...rest] = path;
    const at = step % (list.length + 1);
    const inner = rest.length > 0 ? changed(list[at], rest, by, how) : by;
    return how === 0 ? list.toSpliced(at, 1) : list.toSpliced(at, how, inner);
  }

  /** A copy with one place, chosen by a path of numbers, removed, replaced, or given another member. */
  function changed(value: unknown, path: readonly number[], by: unknown, how: number): unknown {
    const [step = 0, ...rest] = path;
    if (typeof value !== 'object' || value === null || path.length === 0) return by;
    if (Array.isArray(value)) return changedList(value, path, by, how);
    const keys = Object.keys(value);
    const key = keys[step % Math.max(keys.length, 1)] ?? 'new';
    const copy: Record<string, unknown> = { ...value };
    if (rest.length > 0) copy[key] = changed(copy[key], rest, by, how);
    else if (how === 0) delete copy[key];
    else copy[how === 1 ? key : 'stray'] = by;
    return copy;
  }

  test.each(kinds)(
    'is never sure of a changed one that the schema takes otherwise: %s',
    (_, schema, values) => {
      const sane = values.slice(0, 200);
      let refused = 0;
      fc.assert(
        fc.property(
          fc.nat(sane.length - 1),
          fc.array(fc.nat(30), { minLength: 1, maxLength: 5 }),
          fc.constantFrom(...odd),
          fc.nat(2),
          (index, path, by, how) => {
            if (!keepsItsWord(schema, changed(sane[index], path, by, how))) refused += 1;
          },
        ),
        { seed: 17, numRuns: 3000 },
      );
      expect(refused).toBeGreaterThan(1000);
    },
  );

  test.each([
    ['a default that would be filled in', z.strictObject({ a: z.int().default(1) }), {}, { a: 2 }],
    ['a member that is dropped', z.object({ a: z.int() }), { a: 1, b: 2 }, undefined],
    ['a changed value', z.string().trim(), ' a', undefined],
    ['a transformed value', z.int().transform((n) => n + 1), 1, undefined],
    ['a format it does not know', z.email(), 'a@b.example', undefined],
    [
      'a key that records pass over',
      z.record(z.string(), z.int()),
      JSON.parse('{"__proto__":1}'),
      { a: 1 },
    ],
    [
      'a loose option',
      z.union([z.strictObject({ a: z.int().default(1) }), z.strictObject({})]),
      {},
      undefined,
    ],
    ['a member called undefined', z.strictObject({ a: z.int().optional() }), { a: undefined }, {}],
    ['a refinement', z.int().refine((n) => n !== 3), 3, 4],
    ['a bound', z.number().gt(1).max(3), 1, 3],
    ['a length', z.string().min(2).max(3), 'a', 'abc'],
    ['an object of a class', z.strictObject({}), new Map(), {}],
    ['a hidden list', z.array(z.int()).max(1), [1, 2], [1]],
  ])('leaves %s to the schema', (_, schema, doubtful, sure) => {
    const quick = quickShape(schema);
    expect(quick(doubtful)).toBe(false);
    if (sure !== undefined) expect(keepsItsWord(schema, sure)).toBe(true);
  });

  test('knows shapes that contain themselves', () => {
    const quick = quickShape(z.strictObject({ value: z.json() }));
    expect(quick({ value: { a: [1, null, { b: 'x' }, true] } })).toBe(true);
    expect(quick({ value: { a: [Number.NaN] } })).toBe(false);
    expect(quick({ value: undefined })).toBe(false);
  });
});
