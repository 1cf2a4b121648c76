/**
 * Lines that are read in a form are lines that the careful reader takes, with the same value; held against that reader on mutated
 * lines of the project's own ledger and runs, and on values at the edges of what expressions can say.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canonicalLine, canonicalText } from '../../src/base/canonical.ts';
import * as z from '../../src/base/shape.ts';
import { learnForm, readInForm } from '../../src/base/shape-form.ts';
import { readJson, readRecorded } from '../../src/base/strict-json.ts';
import { entrySchema } from '../../src/ledger/entry.ts';
import { journalLineSchema } from '../../src/run/journal.ts';

const project = resolve(import.meta.dirname, '../..');
const refused = Symbol('refused');

/** The careful answer: the strict reader, the writer, the shape with its findings. */
function carefully(shape: z.Shape<unknown>, text: string): unknown {
  try {
    const value = readJson(text);
    if (`${canonicalText(value)}\n` !== text) return refused;
    const { success, data } = shape.safeParse(value);
    return success ? data : refused;
  } catch {
    return refused;
  }
}

function quickly(shape: z.Shape<unknown>, text: string): unknown {
  try {
    const { success, data } = readRecorded(Buffer.from(text), shape);
    return success ? data : refused;
  } catch {
    return refused;
  }
}

/** Shows a shape examples until it knows their forms. */
function taught<Of extends z.Shape<unknown>>(shape: Of, values: readonly unknown[]): Of {
  const lines = values.map((value) => canonicalLine(value));
  for (let turn = 0; turn * values.length < 200; turn += 1) {
    for (const line of lines) learnForm(shape, readJson(line), line);
  }
  return shape;
}

function linesOf(folder: string, name: RegExp): string[] {
  return readdirSync(join(project, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => name.test(path))
    .sort()
    .flatMap((path) => readFileSync(join(project, folder, path), 'utf8').match(/[^\n]*\n/g) ?? []);
}

const entries = linesOf('ledger/log', /\.json$/);
const journals = linesOf('experiments', /journal\.jsonl$/);
/** Lines from all over the runs. */
const journalLines = journals.filter((_, at) => at % Math.ceil(journals.length / 400) === 0);

const inserted = [
  ...['0', '00', '1', '-', '-0', '.', '.0', '.5', 'e5', 'e-7', 'E2', '9007199254740993', '1e400'],
  ...[' ', '\t', '\n', '"', '\\', '\\u0041', '\\/', '\\n', '\\u000a', '\\u001f', '\\ud800', '\0'],
  ...['\u0006', '\u007f', 'A', 'f', '\u00e9', '\u{1f600}', '{', '}', '[', ']', ',', ':', 'null'],
  ...['true', '"a":1,', ',"zz":0', '"__proto__":1,', '"v":1,', '""', '[]', '{}', '0.0000001', '\r'],
];

/** A line with something put in, taken out, doubled, exchanged or taken from another line. */
function mutated(line: string, other: string, draws: readonly number[]): string {
  const [how = 0, place = 0, size = 0, what = 0] = draws;
  const at = place % line.length;
  const end = at + 1 + (size % 12);
  const piece = inserted[what % inserted.length] ?? '';
  const from = place % other.length;
  switch (how % 7) {
    case 0:
      return line.slice(0, at) + piece + line.slice(at);
    case 1:
      return line.slice(0, at) + piece + line.slice(at + 1);
    case 2:
      return line.slice(0, at) + line.slice(end);
    case 3:
      return line.slice(0, end) + line.slice(at);
    case 4:
      return line.slice(0, at) + other.slice(from);
    case 5:
      return exchanged(line, at);
    default:
      return line.replace(/[0-9]/g, (digit, position: number) =>
        position > at && position < end + 20 ? String((Number(digit) + size) % 10) : digit,
      );
  }
}

/** The member at a place and the one behind it, the other way round. */
function exchanged(line: string, at: number): string {
  const member = '("[^"\\\\]*":(?:"[^"\\\\]*"|[^,{}\\[\\]"]+))';
  const pair = new RegExp(`${member},${member}`, 'g');
  pair.lastIndex = at;
  const found = pair.exec(line);
  if (found === null) return line.slice(0, at);
  const [whole, first, second] = found;
  return `${line.slice(0, found.index)}${second},${first}${line.slice(found.index + whole.length)}`;
}

/** Changes of lines of each shape; `npm run soak` makes more. */
const changes = process.env['LIFTGATE_SOAK'] === '1' ? 50_000 : 10_000;

describe('lines read in a form', () => {
  test.each([
    { name: 'entries', shape: entrySchema, lines: entries },
    { name: 'journal lines', shape: journalLineSchema, lines: journalLines },
  ])(
    'get the verdict of the careful reader after any of many changes: $name',
    ({ shape, lines }) => {
      const values = lines.map((line) => readJson(line));
      taught<z.Shape<unknown>>(shape, values);
      const known = lines.filter((line) => readInForm(shape, line) !== undefined);
      expect(known.length).toBeGreaterThan(lines.length * 0.8);
      let taken = 0;
      const ofThem = fc.constantFrom(...lines);
      const draws = fc.array(fc.nat(), { minLength: 4, maxLength: 4 });
      fc.assert(
        fc.property(ofThem, ofThem, draws, (one, other, drawn) => {
          const text = mutated(one, other, drawn);
          if (readInForm(shape, text) !== undefined) taken += 1;
          const careful = carefully(shape, text);
          if (!isDeepStrictEqual(quickly(shape, text), careful)) {
            expect({ text, value: quickly(shape, text) }).toEqual({ text, value: careful });
          }
        }),
        { seed: 5, numRuns: changes },
      );
      expect(taken).toBeGreaterThan(changes / 50);
    },
  );
});

const word = z.string().regex(/^[a-z][a-z0-9_.-]{0,7}$/);
const part = z.strictObject({
  id: word,
  kind: z.enum(['a', 'b"c', '\u00e9']),
  on: z.boolean().nullable(),
});
const everything = z.strictObject({
  any: z.json(),
  at: z.array(z.int().min(0)),
  choice: z.discriminatedUnion('is', [
    z.strictObject({ is: z.literal(['p', 'q']), n: z.int().min(1).max(1000) }),
    z.strictObject({ is: z.literal('r'), t: z.string().min(1).max(4) }),
  ]),
  either: z.union([z.string(), z.array(z.number())]),
  free: z.string(),
  maybe: z.number().min(0).optional(),
  names: z.record(word, z.number().max(250)),
  odd: z.string().regex(/^(?:[^x]|yy)$/u),
  parts: z.array(part).max(3),
  visible: z
    .string()
    .regex(/^[\x21-\x7e]{1,5}$/)
    .nullable(),
  whole: z.int().refine((value) => value % 7 !== 0),
});

const texts = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 6 }).filter((text) => text.isWellFormed()),
  fc.constantFrom(
    '',
    'a',
    'yy',
    'x',
    '"',
    '\\',
    '\n',
    '\0',
    '\u001f',
    '\u007f',
    '\u{1f600}',
    'abcd',
  ),
);
const numbers = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.integer(),
  fc.integer({ min: -3, max: 12 }),
  fc.double({ min: 0, max: 1e-5, noNaN: true }),
  fc.tuple(fc.integer({ min: -1e6, max: 1e6 }), fc.nat(9)).map(([n, d]) => n / 10 ** d),
);
const scalars = fc.oneof(texts, numbers, fc.boolean(), fc.constant(null));
const choices = fc.oneof(
  fc.record({ is: fc.constantFrom('p', 'q', 'r'), n: numbers }),
  fc.record({ is: fc.constantFrom('p', 'q', 'r'), t: texts }),
);
const parts = fc.record({
  id: fc.oneof(fc.constantFrom('a', 'b-1', 'z._'), texts),
  kind: fc.constantFrom('a', 'b"c', '\u00e9', 'c'),
  on: fc.constantFrom(true, false, null),
});
const wholes = fc.oneof(fc.constant(3), numbers);

/** Values of each member, fitting or nearly so. */
const members: Readonly<Record<keyof typeof everything.shape, fc.Arbitrary<unknown>>> = {
  any: fc.oneof(scalars, fc.record({ x: scalars, y: fc.array(scalars, { maxLength: 2 }) })),
  at: fc.array(fc.oneof(fc.nat(), wholes), { maxLength: 3 }),
  choice: choices,
  either: fc.oneof(texts, fc.array(numbers, { maxLength: 2 })),
  free: texts,
  maybe: numbers,
  names: fc.dictionary(fc.constantFrom('a', 'b-1', '10', '9'), numbers, { maxKeys: 2 }),
  odd: fc.oneof(fc.constantFrom('a', 'yy', '\u{1f600}'), texts),
  parts: fc.array(parts, { maxLength: 4 }),
  visible: fc.oneof(fc.constantFrom(null, 'a', '"', 'ab"', '\\', '!~'), texts),
  whole: wholes,
};
const examples: readonly Readonly<Record<string, unknown>>[] = [
  {
    ...{ any: 1, at: [1], choice: { is: 'p', n: 5 }, either: 'x', free: 't', maybe: 0.5 },
    ...{ names: { a: 1.5 }, odd: 'a', parts: [], visible: 'a', whole: 3 },
  },
  {
    ...{ any: { x: 1, y: [2] }, at: [], choice: { is: 'r', t: 'a' }, either: [0.5], free: '' },
    ...{ names: { 'b-1': 1 }, odd: 'b', visible: null, whole: -1 },
    parts: [{ id: 'a', kind: 'b"c', on: null }],
  },
];

describe('forms', () => {
  test('take no value at the edges that the shape refuses, and take most of those it accepts', () => {
    let taken = 0;
    for (const example of examples) {
      // A shape of its own, since each keeps only so many forms.
      const shape = taught(z.strictObject(everything.shape), [example]);
      expect(shape.accepts(example)).toBe(true);
      expect(readInForm(shape, canonicalLine(example))).toEqual(example);
      const others = Object.entries(members).flatMap(([key, each]) =>
        fc.sample(each, { seed: 8, numRuns: 400 }).map((value) => ({ ...example, [key]: value })),
      );
      for (const value of others) {
        const text = lineOf(value);
        if (text === null) continue;
        const read = readInForm(shape, text);
        if (read === undefined) continue;
        taken += 1;
        expect(read).toEqual(carefully(shape, text));
      }
    }
    expect(taken).toBeGreaterThan(500);
  });

  test.each<[string, string, z.Shape<unknown>, unknown]>([
    ['{"n":-0}', 'minus zero', z.strictObject({ n: z.number() }), { n: 1 }],
    ['{"n":1.50}', 'a zero at the end', z.strictObject({ n: z.number() }), { n: 1 }],
    ['{"n":01}', 'a leading zero', z.strictObject({ n: z.number() }), { n: 1 }],
    [
      '{"n":0.0000001}',
      'a number that is written with one',
      z.strictObject({ n: z.number() }),
      { n: 1 },
    ],
    ['{"n":9007199254740993}', 'a rounded integer', z.strictObject({ n: z.number() }), { n: 1 }],
    [
      '{"n":1000}',
      'a number at the next power of ten',
      z.strictObject({ n: z.int().max(999) }),
      { n: 1 },
    ],
    ['{"n":0}', 'a number below the least', z.strictObject({ n: z.int().min(1) }), { n: 1 }],
    ['{"n":0}', 'the open end of a range', z.strictObject({ n: z.number().gt(0) }), { n: 1 }],
    ['{"t":"\\/"}', 'an escape that is not needed', z.strictObject({ t: z.string() }), { t: '' }],
    ['{"t":"\u0001"}', 'a raw control character', z.strictObject({ t: z.string() }), { t: '' }],
    [
      '{"t":"\0\0"}',
      'control characters in a class',
      z.strictObject({ t: z.string().regex(/^[0-9a-f]{2}$/) }),
      { t: '0a' },
    ],
    ['{"t":"\\ud800"}', 'a lone surrogate', z.strictObject({ t: z.string() }), { t: '' }],
    ['{"t":""}', 'an empty text', z.strictObject({ t: z.string().min(1) }), { t: 'a' }],
    [
      '{"t":"abc"}',
      'a text that is too long',
      z.strictObject({ t: z.string().max(2) }),
      { t: 'a' },
    ],
    [
      '{"t":"a","u":"b"}',
      'a pattern beyond its quote',
      z.strictObject({ t: z.string().regex(/^.{5,9}$/), u: z.string() }),
      { t: 'abcde', u: 'b' },
    ],
    ['{"b":1,"a":1}', 'another order', z.strictObject({ a: z.int(), b: z.int() }), { a: 1, b: 1 }],
    [
      '{"a":1,"a":1,"b":1}',
      'a member twice',
      z.strictObject({ a: z.int(), b: z.int() }),
      { a: 1, b: 1 },
    ],
    [
      '{"x":{"9":1,"10":1}}',
      'names that are put in the order of numbers',
      z.strictObject({ x: z.json() }),
      { x: { 10: 1, 9: 1 } },
    ],
    ['[1,2,3]', 'a list that is too long', z.array(z.int()).max(2), [1]],
    [
      '{"is":"b","n":1}',
      'the word of another branch',
      z.discriminatedUnion('is', [
        z.strictObject({ is: z.literal('a'), n: z.int() }),
        z.strictObject({ is: z.literal('b'), n: z.string() }),
      ]),
      { is: 'a', n: 1 },
    ],
  ])('do not take %j: %s', (text, _, shape, example) => {
    taught(shape, [example]);
    const verdict = quickly(shape, `${text}\n`);
    expect(verdict).toEqual(carefully(shape, `${text}\n`));
    expect(verdict).toBe(refused);
    expect(readInForm(shape, `${text}\n`)).toBeUndefined();
  });

  test('are made after a hundred lines and more, and only for lines they take', () => {
    const shape = z.strictObject({ a: z.int() });
    for (let turn = 0; turn < 128; turn += 1) learnForm(shape, { a: 1 }, '{"a":1}\n');
    expect(readInForm(shape, '{"a":2}\n')).toBeUndefined();
    learnForm(shape, { a: 1 }, '{"a":1}\n');
    expect(readInForm(shape, '{"a":2}\n')).toEqual({ a: 2 });
    expect(readInForm(shape, '{"a":2}')).toBeUndefined();
    expect(readInForm(shape, '{"a":2}\n\n')).toBeUndefined();
  });

  test('say no to a long line in time', () => {
    const shape = taught(z.strictObject({ list: z.array(z.string()), t: z.string(), z: z.int() }), [
      { list: ['a'], t: 'a', z: 1 },
    ]);
    const long = `{"list":[${'"a\\n",'.repeat(3000)}"a"],"t":"${'\\\\'.repeat(5000)}","z":x}\n`;
    expect(readInForm(shape, long)).toBeUndefined();
    const good = long.replace('x}', '1}');
    expect(readInForm(shape, good)).toEqual(JSON.parse(good));
  });
});

function lineOf(value: unknown): string | null {
  try {
    return canonicalLine(value);
  } catch {
    return null;
  }
}
