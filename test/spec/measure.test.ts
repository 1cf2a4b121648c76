import { describe, expect, test } from 'vitest';
import {
  bestValue,
  failureValue,
  isLogScale,
  isWallClock,
  type Measure,
  measureSchema,
  valueProblem,
  valueRange,
  worstValue,
} from '../../src/spec/measure.ts';

const common = { role: 'reported', direction: 'higher' } as const;

function measure(shape: Record<string, unknown>): Measure {
  return measureSchema.parse({ ...common, ...shape });
}

const binary = measure({ kind: 'binary' });
const points = measure({ kind: 'binary', scale: 100, direction: 'lower' });
const score = measure({ kind: 'score', min: -1, max: 3 });
const ordinal = measure({ kind: 'ordinal', levels: [1, 2, 5] });
const count = measure({ kind: 'count', max: 4, direction: 'lower' });
const openCount = measure({ kind: 'count', unbounded: true });
const duration = measure({ kind: 'duration', direction: 'lower' });
const flooredCost = measure({ kind: 'cost', floor: 0.001, direction: 'lower' });
const continuous = measure({ kind: 'continuous' });

describe('valueRange, worstValue, bestValue', () => {
  test.each([
    { name: 'binary', each: binary, range: [0, 1], worst: 0, best: 1 },
    { name: 'points, lower is better', each: points, range: [0, 100], worst: 100, best: 0 },
    { name: 'score', each: score, range: [-1, 3], worst: -1, best: 3 },
    { name: 'ordinal', each: ordinal, range: [1, 5], worst: 1, best: 5 },
    { name: 'bounded count, lower is better', each: count, range: [0, 4], worst: 4, best: 0 },
  ])('$name', ({ each, range: [lower, upper], worst, best }) => {
    expect(valueRange(each)).toEqual({ lower, upper });
    expect(worstValue(each)).toBe(worst);
    expect(bestValue(each)).toBe(best);
  });

  test.each([openCount, duration, flooredCost, continuous])('$kind has no range', (each) => {
    expect(valueRange(each)).toBeNull();
    expect(worstValue(each)).toBeNull();
    expect(bestValue(each)).toBeNull();
  });
});

describe('values of an unbounded measure', () => {
  test.each([continuous, duration, flooredCost])('$kind keeps sums within the numbers', (each) => {
    expect(valueProblem(each, 1e100)).toBeNull();
    expect(valueProblem(each, 1.7e308)).toBe('expected a number within +-1e+100');
  });

  test('reach far below zero where they may be negative, and no further than above', () => {
    expect(valueProblem(continuous, -1e100)).toBeNull();
    expect(valueProblem(continuous, -1.7e308)).toBe('expected a number within +-1e+100');
  });
});

describe('failureValue', () => {
  test('is the worst declared value unless the spec says otherwise', () => {
    expect(failureValue(binary)).toBe(0);
    expect(failureValue(points)).toBe(100);
    expect(failureValue(duration)).toBeNull();
    expect(failureValue({ ...score, onFailure: 1 })).toBe(1);
    expect(failureValue({ ...score, onFailure: 'indeterminate' })).toBeNull();
  });
});

describe('valueProblem', () => {
  test.each([
    ['binary', binary, 0, null],
    ['binary', binary, 0.5, 'expected 0 or 1'],
    ['points', points, 1, 'expected 0 or 100'],
    ['score', score, 3, null],
    ['score', score, 3.1, 'expected -1 .. 3'],
    ['ordinal', ordinal, 5, null],
    ['ordinal', ordinal, 3, 'expected one of 1, 2, 5'],
    ['count', count, 4, null],
    ['count', count, 5, 'expected at most 4'],
    ['count', count, 0.5, 'expected a whole number >= 0'],
    ['open count', openCount, 1e6, null],
    ['duration', duration, 0, 'expected a value above 0'],
    ['duration', duration, 0.1, null],
    ['floored cost', flooredCost, 0, null],
    ['floored cost', flooredCost, -1, 'expected a value >= 0'],
    ['continuous', continuous, -1e9, null],
  ] as const)('%s of %s', (_name, each, value, expected) => {
    expect(valueProblem(each, value)).toBe(expected);
  });

  test.each([Number.NaN, Number.POSITIVE_INFINITY])('%s is no value of any measure', (value) => {
    for (const each of [binary, score, ordinal, openCount, duration, continuous]) {
      expect(valueProblem(each, value)).toContain('expected');
    }
  });
});

test('durations and costs are ratios; only durations hang on the clock', () => {
  expect([duration, flooredCost, continuous].map(isLogScale)).toEqual([true, true, false]);
  expect([duration, flooredCost, continuous].map(isWallClock)).toEqual([true, false, false]);
});

describe('measureSchema', () => {
  test.each([
    ['a score without bounds', { kind: 'score' }],
    ['another scale', { kind: 'binary', scale: 10 }],
    ['one level', { kind: 'ordinal', levels: [1] }],
    ['a floor of zero', { kind: 'cost', floor: 0 }],
    ['a kind nobody declared', { kind: 'percent' }],
    ['a range nobody may infer', { kind: 'binary', min: 0 }],
    ['NaN', { kind: 'score', min: Number.NaN, max: 1 }],
  ])('refuses %s', (_name, shape) => {
    expect(measureSchema.safeParse({ ...common, ...shape }).success).toBe(false);
  });
});
