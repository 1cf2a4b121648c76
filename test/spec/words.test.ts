import { describe, expect, test } from 'vitest';
import {
  type Condition,
  conditionSchema,
  digestSchema,
  idSchema,
  meets,
  packagePinSchema,
  relativePathSchema,
} from '../../src/spec/words.ts';

describe('idSchema', () => {
  test.each(['a', 'r.2', 'fields_right', 'A-1', `a${'b'.repeat(63)}`])('accepts %s', (id) => {
    expect(idSchema.safeParse(id).success).toBe(true);
  });

  test.each(['', '1a', '_a', 'a b', 'ä', 'a/b', `a${'b'.repeat(64)}`, 'a\n'])(
    'refuses %j',
    (id) => {
      expect(idSchema.safeParse(id).success).toBe(false);
    },
  );
});

describe('relativePathSchema', () => {
  test.each(['a', 'a/b.txt', '.hidden/x', 'a b/c', 'a..b', '...'])('accepts %s', (path) => {
    expect(relativePathSchema.safeParse(path).success).toBe(true);
  });

  test.each([
    '',
    '/a',
    'C:/a',
    'c:a',
    'a\\b',
    '..',
    '../a',
    'a/../b',
    'a/..',
    './a',
    'a/./b',
    'a//b',
    'a/',
    '.',
    'cafe\u0301',
  ])('refuses %j', (path) => {
    expect(relativePathSchema.safeParse(path).success).toBe(false);
  });
});

describe('packagePinSchema', () => {
  test.each([
    'sentiment@5.0.2',
    '@scope/name@1.0.0-rc.1',
    'sentiment-2=sentiment@2.1.0',
    'x=@a/b@1.2.3',
  ])('accepts %s', (pin) => {
    expect(packagePinSchema.safeParse(pin).success).toBe(true);
  });

  test.each([
    'sentiment',
    'sentiment@^5.0.2',
    'sentiment@5',
    'sentiment@latest',
    '@5.0.2',
    '../x@1.0.0',
    'a=../x@1.0.0',
    '..=x@1.0.0',
    '../..=x@1.0.0',
    '@a/../b@1.0.0',
    './a@1.0.0',
  ])('refuses %s', (pin) => {
    expect(packagePinSchema.safeParse(pin).success).toBe(false);
  });
});

test('digestSchema accepts sha256 in lower case only', () => {
  expect(digestSchema.safeParse(`sha256:${'a'.repeat(64)}`).success).toBe(true);
  expect(digestSchema.safeParse(`sha256:${'A'.repeat(64)}`).success).toBe(false);
  expect(digestSchema.safeParse('a'.repeat(64)).success).toBe(false);
});

describe('meets', () => {
  const cases: readonly (readonly [Condition['op'], Condition['value'], unknown, boolean])[] = [
    ['eq', 1, 1, true],
    ['eq', 1, '1', false],
    ['ne', null, 0, true],
    ['ne', null, null, false],
    ['lt', 2, 1, true],
    ['lt', 2, 2, false],
    ['le', 2, 2, true],
    ['gt', 2, 3, true],
    ['gt', 2, 2, false],
    ['ge', 2, 2, true],
    ['ge', 2, 1, false],
    ['lt', 2, '1', false],
    ['in', ['a', 1], 'a', true],
    ['in', ['a', 1], 'b', false],
    ['in', 'a', 'a', false],
  ];
  test.each(cases)('%s %j of %j is %s', (op, value, found, expected) => {
    expect(meets({ field: 'f', op, value }, { f: found })).toBe(expected);
  });

  test('a missing field counts as null, inherited members as missing', () => {
    expect(meets({ field: 'f', op: 'eq', value: null }, {})).toBe(true);
    expect(meets({ field: 'toString', op: 'eq', value: null }, {})).toBe(true);
  });
});

test('a condition knows no further keys', () => {
  expect(conditionSchema.safeParse({ field: 'f', op: 'eq', value: 1, not: true }).success).toBe(
    false,
  );
});
