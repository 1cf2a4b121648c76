import { describe, expect, test } from 'vitest';
import { rosterBounds } from '../../src/stats/fixed-roster.ts';
import { intersectionUnionP } from '../../src/stats/several-claims.ts';
import {
  describeValues,
  descriptiveQuantile,
  largest,
  moments,
  sum,
} from '../../src/stats/summary.ts';
import { expectRefusal } from '../support/statistics.ts';

describe('sum', () => {
  test('adds in index order, shard by shard', () => {
    expect(sum([])).toBe(0);
    expect(sum([1e16, 1, -1e16])).toBe(0);
    const long = Array.from({ length: 10000 }, (_, index) => index / 7);
    const shards = [0, 4096, 8192].map((start) =>
      long.slice(start, start + 4096).reduce((total, value) => total + value, 0),
    );
    expect(sum(long)).toBe(shards.reduce((total, value) => total + value, 0));
    expect(sum(Float64Array.of(0.5, 0.25))).toBe(0.75);
  });
});

describe('a list longer than any list of arguments', () => {
  const size = 300_000;

  test('has a largest value', () => {
    expect(largest(Array.from({ length: size }, (_, at) => at % 1000))).toBe(999);
    expect(largest([])).toBe(Number.NEGATIVE_INFINITY);
  });

  test('is no burden to what looks for one', () => {
    const repeats = Array.from({ length: size }, (_, at) => [at % 2, (at + 1) % 2]);
    expect(rosterBounds(repeats, 0.025)).toMatchObject({ estimate: 0.5 });
    expect(intersectionUnionP(Array.from({ length: size }, () => 0.01))).toBe(0.01);
  });
});

describe('moments', () => {
  test('a large common offset costs no digits', () => {
    const { mean, variance } = moments([1e9 + 4, 1e9 + 7, 1e9 + 13, 1e9 + 16]);
    expect(mean).toBe(1e9 + 10);
    expect(variance).toBe(30);
  });

  test('one value has no variance, nor have values equal up to rounding', () => {
    expect(moments([3])).toEqual({ units: 1, mean: 3, variance: 0 });
    expect(moments([0.3 - 0.2, 0.1, 0.4 - 0.3]).variance).toBe(0);
    expect(moments([0, 0, 0]).variance).toBe(0);
    expect(moments([1e-9, 2e-9]).variance).toBeCloseTo(5e-19, 25);
  });
});

describe('describeValues', () => {
  test('PB-24: one value has no standard deviation, none has nothing', () => {
    expect(describeValues([2])).toEqual({
      count: 1,
      mean: 2,
      standardDeviation: { status: 'indeterminate', reason: 'too-few-units' },
      minimum: 2,
      median: 2,
      maximum: 2,
    });
    expect(describeValues([])).toEqual({ status: 'indeterminate', reason: 'no-units' });
  });

  test('uses the sample standard deviation and leaves the argument alone', () => {
    const values = Object.freeze([9, 1, 4, 2]);
    expect(describeValues(values)).toMatchObject({
      mean: 4,
      standardDeviation: Math.sqrt(38 / 3),
      minimum: 1,
      median: 3,
      maximum: 9,
    });
  });

  test('refuses NaN by its place', () => {
    expectRefusal(
      () => describeValues([1, Number.NaN]),
      'values[1] must be a finite number, got NaN',
    );
  });
});

describe('descriptiveQuantile', () => {
  test('interpolates between neighbours', () => {
    const values = Object.freeze([10, 2, 8, 4, 6]);
    expect(descriptiveQuantile(values, 0)).toBe(2);
    expect(descriptiveQuantile(values, 0.5)).toBe(6);
    expect(descriptiveQuantile(values, 0.95)).toBeCloseTo(9.6, 12);
    expect(descriptiveQuantile([1, 2, 3, 4], 0.25)).toBe(1.75);
    expect(descriptiveQuantile([], 0.5)).toEqual({ status: 'indeterminate', reason: 'no-units' });
  });

  test('refuses a probability above 1', () => {
    expectRefusal(() => descriptiveQuantile([1], 2), 'p must be a probability from 0 to 1, got 2');
  });
});
