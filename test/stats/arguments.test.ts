import { describe, expect, test } from 'vitest';
import {
  requireAbove,
  requireCount,
  requireError,
  requireFinite,
  requireFiniteList,
  requireLength,
  requireNotNegative,
  requireOpenProbability,
  requirePositive,
  requireProbability,
  requireSeed,
  requireWithin,
} from '../../src/stats/arguments.ts';
import { expectRefusal } from '../support/statistics.ts';

const infinity = Number.POSITIVE_INFINITY;
const digits = '0123456789abcdef'.repeat(4);

interface Row {
  readonly check: (value: number) => void;
  readonly expected: string;
  readonly accepted: readonly number[];
  readonly refused: readonly number[];
}

const rows: Readonly<Record<string, Row>> = {
  requireFinite: {
    check: (value) => requireFinite('x', value),
    expected: 'a finite number',
    accepted: [0, -1.5, Number.MAX_VALUE],
    refused: [Number.NaN, infinity, -infinity],
  },
  requireCount: {
    check: (value) => requireCount('x', value),
    expected: 'a whole number of at least 0',
    accepted: [0, 1, Number.MAX_SAFE_INTEGER],
    refused: [-1, 0.5, Number.NaN, infinity, Number.MAX_SAFE_INTEGER + 1],
  },
  'requireCount from 3': {
    check: (value) => requireCount('x', value, 3),
    expected: 'a whole number of at least 3',
    accepted: [3, 4],
    refused: [2, 3.5],
  },
  requirePositive: {
    check: (value) => requirePositive('x', value),
    expected: 'a finite number above 0',
    accepted: [Number.MIN_VALUE, 2],
    refused: [0, -1, infinity, Number.NaN],
  },
  requireNotNegative: {
    check: (value) => requireNotNegative('x', value),
    expected: 'a finite number of at least 0',
    accepted: [0, 2],
    refused: [-Number.MIN_VALUE, infinity, Number.NaN],
  },
  requireProbability: {
    check: (value) => requireProbability('x', value),
    expected: 'a probability from 0 to 1',
    accepted: [0, 0.5, 1],
    refused: [-1e-9, 1.000001, Number.NaN],
  },
  requireOpenProbability: {
    check: (value) => requireOpenProbability('x', value),
    expected: 'a probability strictly between 0 and 1',
    accepted: [1e-300, 0.5, 1 - 2 ** -53],
    refused: [0, 1, Number.NaN, 2],
  },
  requireError: {
    check: (value) => requireError('x', value),
    expected: 'a one-sided error strictly between 0 and 0.5',
    accepted: [1e-300, 0.4999],
    refused: [0, 0.5, Number.NaN, 0.9],
  },
  requireWithin: {
    check: (value) => requireWithin('x', value, { lower: -2, upper: 3 }),
    expected: 'a number from -2 to 3',
    accepted: [-2, 0, 3],
    refused: [-2.01, 3.01, Number.NaN],
  },
  requireAbove: {
    check: (value) => requireAbove('x', value, 7),
    expected: 'a number above 7',
    accepted: [7.1, infinity],
    refused: [7, -infinity, Number.NaN],
  },
};

describe('checks of numbers', () => {
  test.each(Object.entries(rows))('%s', (_, { check, expected, accepted, refused }) => {
    for (const value of accepted) expect(() => check(value)).not.toThrow();
    for (const value of refused)
      expectRefusal(() => check(value), `x must be ${expected}, got ${value}`);
  });
});

describe('checks of lists and seeds', () => {
  test('a list of a wanted length', () => {
    expect(() => requireLength('list', [1, 2], 2)).not.toThrow();
    expectRefusal(() => requireLength('list', [1, 2], 3), 'list must be a list of 3 values, got 2');
    expectRefusal(() => requireLength('list', [1, 2], 1), 'list must be a list of 1 values, got 2');
  });

  test('a list of finite numbers, by the place of the first that is none', () => {
    expect(() => requireFiniteList('list', [])).not.toThrow();
    expect(() => requireFiniteList('list', [0, -1e300])).not.toThrow();
    expectRefusal(
      () => requireFiniteList('list', [Number.NaN, 1]),
      'list[0] must be a finite number, got NaN',
    );
    expectRefusal(
      () => requireFiniteList('list', [1, 2, infinity, Number.NaN]),
      'list[2] must be a finite number, got Infinity',
    );
  });

  test('a seed is 64 lower-case hex digits and nothing around them', () => {
    expect(() => requireSeed('seed', digits)).not.toThrow();
    for (const seed of [
      '',
      digits.slice(1),
      `${digits}0`,
      digits.toUpperCase(),
      ` ${digits}`,
      `${digits}\n`,
      `g${digits.slice(1)}`,
    ]) {
      expectRefusal(
        () => requireSeed('seed', seed),
        `seed must be 64 lower-case hex digits, got ${seed}`,
      );
    }
  });

  test('a refusal names the place and says what to pass', () => {
    try {
      requireCount('units', -1);
      expect.unreachable();
    } catch (error) {
      expect(error).toMatchObject({
        where: { path: 'units' },
        mend: 'Pass a whole number of at least 0 as units.',
      });
    }
  });
});
