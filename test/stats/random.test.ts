import { describe, expect, test } from 'vitest';
import {
  fillBelow,
  randomStream,
  resamplingState,
  resamplingStream,
} from '../../src/stats/random.ts';
import { expectRefusal, testSeed } from '../support/statistics.ts';

const seed = testSeed(20260810);

/** Pearson's statistic of equal frequencies. */
function unevenness(counts: readonly number[]): number {
  const expected = counts.reduce((sum, count) => sum + count, 0) / counts.length;
  return counts.reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
}

describe('randomStream', () => {
  test('gives the same draws for the same seed and label, on every platform', () => {
    const draws = (label: string): number[] => {
      const stream = randomStream(seed, label);
      return [stream.next(), stream.below(1000), stream.next()];
    };
    expect(draws('order')).toEqual(draws('order'));
    expect(draws('order')).not.toEqual(draws('arms'));
    expect(draws('order')).toEqual([0.29681874827679955, 134, 0.11332565614100248]);
  });

  test('next stays in [0, 1) and is even over ten cells', () => {
    const stream = randomStream(seed, 'even');
    const counts = Array.from({ length: 10 }, () => 0);
    for (let draw = 0; draw < 10000; draw += 1) {
      const cell = Math.floor(stream.next() * 10);
      counts[cell] = (counts[cell] ?? Number.NaN) + 1;
    }
    expect(unevenness(counts)).toBeLessThan(27.9);
  });

  test('below reaches every number alike, up to 2^32', () => {
    const stream = randomStream(seed, 'below');
    const counts = Array.from({ length: 7 }, () => 0);
    for (let draw = 0; draw < 7000; draw += 1) {
      const value = stream.below(7);
      counts[value] = (counts[value] ?? Number.NaN) + 1;
    }
    expect(unevenness(counts)).toBeLessThan(22.5);
    expect(stream.below(1)).toBe(0);
    expect(stream.below(2 ** 32)).toBeLessThan(2 ** 32);
  });

  test('shuffle returns every order of three alike and leaves the argument alone', () => {
    const stream = randomStream(seed, 'shuffle');
    const items = Object.freeze(['a', 'b', 'c']);
    const counts = new Map<string, number>();
    for (let draw = 0; draw < 6000; draw += 1) {
      const order = stream.shuffle(items).join('');
      counts.set(order, (counts.get(order) ?? 0) + 1);
    }
    expect([...counts.keys()].sort()).toEqual(['abc', 'acb', 'bac', 'bca', 'cab', 'cba']);
    expect(unevenness([...counts.values()])).toBeLessThan(20.6);
    expect(stream.shuffle([])).toEqual([]);
    expect(stream.shuffle([undefined, undefined])).toEqual([undefined, undefined]);
  });

  test('refuses seeds that are not 64 hex digits and impossible ranges', () => {
    expectRefusal(() => randomStream('1', 'x'), 'seed must be 64 lower-case hex digits, got 1');
    const stream = randomStream(seed, 'x');
    expectRefusal(() => stream.below(0), 'n must be a whole number of at least 1, got 0');
    expectRefusal(
      () => stream.below(2 ** 32 + 1),
      '2^32 - n must be a whole number of at least 0, got -1',
    );
  });
});

describe('resamplingStream', () => {
  test('gives the same words for the same seed', () => {
    const words = (): number[] => {
      const stream = resamplingStream(seed);
      return [stream.word(), stream.word(), stream.below(100)];
    };
    expect(words()).toEqual(words());
    expect(words()).toEqual([3423702862, 1293792697, 36]);
  });

  test.each([1, 2, 7, 10, 100, 1000, 65537, 2 ** 21])(
    'fillBelow gives the numbers of below(%i)',
    (n) => {
      const stream = resamplingStream(seed);
      const state = resamplingState(seed);
      const drawn = new Uint32Array(3000);
      for (const part of [drawn.subarray(0, 1777), drawn.subarray(1777)]) fillBelow(state, part, n);
      expect([...drawn]).toEqual(Array.from({ length: 3000 }, () => stream.below(n)));
    },
  );

  test('is even over 37 cells', () => {
    const stream = resamplingStream(seed);
    const counts = Array.from({ length: 37 }, () => 0);
    for (let draw = 0; draw < 370000; draw += 1) {
      const value = stream.below(37);
      counts[value] = (counts[value] ?? Number.NaN) + 1;
    }
    expect(unevenness(counts)).toBeLessThan(68);
  });

  test('refuses a seed that is not 64 hex digits', () => {
    expectRefusal(
      () => resamplingStream('A'.repeat(64)),
      `seed must be 64 lower-case hex digits, got ${'A'.repeat(64)}`,
    );
  });
});
