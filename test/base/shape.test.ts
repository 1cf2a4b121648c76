import { describe, expect, expectTypeOf, test } from 'vitest';
import * as z from '../../src/base/shape.ts';
import { jsonSchemaOf } from '../../src/base/shape-json-schema.ts';

const point = z.strictObject({
  name: z.string().min(1),
  at: z.array(z.number()).max(3).default([]),
  note: z.string().optional(),
});

describe('a shape', () => {
  test('reads a value as a new one, with what is missing filled in', () => {
    const at = Object.freeze([1, 2]);
    const read = point.parse(Object.freeze({ at, name: 'a' }));
    expect(read).toStrictEqual({ name: 'a', at: [1, 2] });
    expect(Object.keys(read)).toEqual(['name', 'at']);
    expect(read.at).not.toBe(at);
    expect(point.safeParse({ name: 'a' })).toEqual({ success: true, data: { name: 'a', at: [] } });
  });

  test('gives back a value of ours that fits as it is, and a copy of any other', () => {
    const whole = Object.freeze({ at: Object.freeze([1]), name: 'a', note: 'n' });
    expect(point.accepts(whole)).toBe(true);
    expect(point.readOwned(whole)).toEqual({ success: true, data: whole });
    expect(point.readOwned(whole).data).toBe(whole);
    const lacking = Object.freeze({ name: 'a' });
    expect(point.accepts(lacking)).toBe(false);
    expect(point.readOwned(lacking)).toEqual({ success: true, data: { name: 'a', at: [] } });
    expect(point.readOwned({ name: 1 })).toEqual(point.safeParse({ name: 1 }));
  });

  test.each([
    ['a further member', { name: 'a', at: [], extra: 1 }],
    ['a member that would become a prototype', JSON.parse('{"name":"a","at":[],"__proto__":1}')],
    ['inherited members', Object.create({ name: 'a', at: [] })],
    ['a class', Object.assign(new Date(0), { name: 'a', at: [] })],
    ['a list', Object.assign([], { name: 'a', at: [] })],
    ['a missing member', { at: [] }],
    ['a member of undefined', { name: undefined, at: [] }],
  ])('accepts nothing with %s', (_, value) => {
    expect(point.accepts(value)).toBe(false);
  });

  test('accepts of several shapes only what none before would change', () => {
    const filled = z.strictObject({ a: z.int(), b: z.int().default(1) });
    const either = z.union([filled, z.strictObject({ a: z.int() })]);
    expect(either.accepts({ a: 1, b: 2 })).toBe(true);
    expect(either.accepts({ a: 1 })).toBe(false);
    expect(either.readOwned({ a: 1 }).data).toEqual({ a: 1, b: 1 });
  });

  test('never hands out the same preset twice', () => {
    point.parse({ name: 'a' }).at.push(1);
    expect(point.parse({ name: 'b' }).at).toEqual([]);
  });

  test('names every fault with its path', () => {
    const { error } = point.safeParse({ name: '', at: [1, 'x'], extra: 1 });
    expect(error?.issues.map(({ path, message }) => [path.join('.'), message])).toEqual([
      ['name', 'Too small: expected string to have >=1 characters'],
      ['at.1', 'Invalid input: expected number, received string'],
      ['', 'Unrecognized key: "extra"'],
    ]);
    expect(() => point.parse({ name: 1 })).toThrow(
      new TypeError('name: Invalid input: expected string, received number'),
    );
  });

  test('stays as it was when another is made from it', () => {
    const word = z.string();
    const short = word.max(2).refine((text) => text !== 'no', 'not this one');
    expect(word.safeParse('long').success).toBe(true);
    expect(short.safeParse('no').error?.issues[0]?.message).toBe('not this one');
    expect(short.describe('Two letters.').safeParse('abc').success).toBe(false);
    expect(short.description).toBeUndefined();
  });

  test('refuses names that would become a prototype', () => {
    const evil: unknown = JSON.parse('{"name":"a","__proto__":{"at":[1]}}');
    expect(point.safeParse(evil).error?.issues[0]).toMatchObject({ keys: ['__proto__'] });
    const names = z.record(z.string(), z.json()).parse(JSON.parse('{"__proto__":{"x":1},"y":2}'));
    expect(names).toStrictEqual({ y: 2 });
  });

  test('counts characters, not code units', () => {
    expect(z.string().max(2).safeParse('\u{1F600}\u{1F600}').success).toBe(true);
    expect(z.string().max(2).safeParse('\u{1F600}\u{1F600}!').success).toBe(false);
    expect(z.string().min(2).safeParse('\u{1F600}').success).toBe(false);
  });

  test('reads no item of a list that is too long', () => {
    const { error } = z.array(z.never()).max(1).safeParse([1, 2]);
    expect(error?.issues.map(({ code }) => code)).toEqual(['too_big']);
  });

  test('has the type of what it reads', () => {
    expectTypeOf<z.infer<typeof point>>().toEqualTypeOf<{
      name: string;
      at: number[];
      note?: string | undefined;
    }>();
    const either = z.discriminatedUnion('kind', [
      z.strictObject({ kind: z.literal('a'), n: z.int().nullable() }),
      z.strictObject({ kind: z.literal('b') }),
    ]);
    expectTypeOf<z.infer<typeof either>>().toEqualTypeOf<
      { kind: 'a'; n: number | null } | { kind: 'b' }
    >();
    expect(either.parse({ kind: 'b' })).toEqual({ kind: 'b' });
  });
});

describe('jsonSchemaOf', () => {
  test('gives the keywords of draft 2020-12', () => {
    expect(
      jsonSchemaOf(z.array(z.string()).max(3), { io: 'output', custom: () => ({}) }),
    ).toStrictEqual({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'array',
      items: { type: 'string' },
      maxItems: 3,
    });
  });

  test('asks for what has no default where people write, for everything where it is recorded', () => {
    const required = (io: 'input' | 'output'): unknown =>
      jsonSchemaOf(point, { io, custom: () => ({}) })['required'];
    expect(required('input')).toEqual(['name']);
    expect(required('output')).toEqual(['name', 'at']);
  });
});
