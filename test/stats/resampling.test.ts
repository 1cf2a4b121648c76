import { describe, expect, test } from 'vitest';
import { enumerateCounts, enumerateResamples } from '../../src/stats/resampling.ts';

/** Every way n units can be drawn n times, counted draw by draw. */
function slowCounts(n: number): Map<string, number> {
  const found = new Map<string, number>();
  for (let number = 0; number < n ** n; number += 1) {
    const counts = new Array<number>(n).fill(0);
    for (let draw = 0; draw < n; draw += 1) {
      const unit = Math.floor(number / n ** draw) % n;
      counts[unit] = (counts[unit] ?? 0) + 1;
    }
    const key = counts.join(' ');
    found.set(key, (found.get(key) ?? 0) + 1);
  }
  return found;
}

describe('enumerateCounts', () => {
  test.each([1, 2, 3, 4, 5])(
    'visits each multiset of %i units once, with the number of its orders',
    (n) => {
      const found = new Map<string, number>();
      enumerateCounts(n, (counts, weight) => {
        const key = [...counts].join(' ');
        expect(found.has(key)).toBe(false);
        found.set(key, weight);
      });
      expect([...found].sort()).toEqual([...slowCounts(n)].sort());
    },
  );

  test('eight units have 6,435 multisets, whose weights add up to 8^8', () => {
    let visits = 0;
    let weights = 0;
    enumerateCounts(8, (_, weight) => {
      visits += 1;
      weights += weight;
    });
    expect([visits, weights]).toEqual([6435, 8 ** 8]);
  });
});

describe('enumerateResamples', () => {
  test.each([1, 2, 3, 5])(
    'gives the sum and the sum of squares of each multiset of %i values',
    (n) => {
      // Powers of ten, so that a total shows its counts.
      const values = Float64Array.from({ length: n }, (_, at) => 10 ** at);
      const found: string[] = [];
      enumerateResamples(values, ({ total, squares }, weight) => {
        found.push(`${total} ${squares} ${weight}`);
      });
      const wanted = [...slowCounts(n)].map(([key, weight]) => {
        const counts = key.split(' ').map(Number);
        const total = counts.reduce((sum, times, at) => sum + times * 10 ** at, 0);
        const squares = counts.reduce((sum, times, at) => sum + times * 100 ** at, 0);
        return `${total} ${squares} ${weight}`;
      });
      expect(found.sort()).toEqual(wanted.sort());
    },
  );

  test('signs count in the sum and not in the squares', () => {
    const found: [number, number, number][] = [];
    enumerateResamples(Float64Array.from([-2, 3]), ({ total, squares }, weight) => {
      found.push([total, squares, weight]);
    });
    expect(found.sort((left, right) => left[0] - right[0])).toEqual([
      [-4, 8, 1],
      [1, 13, 2],
      [6, 18, 1],
    ]);
  });
});
