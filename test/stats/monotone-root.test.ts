import { describe, expect, test } from 'vitest';
import { crossedBy, fallingRoot, lastHolding } from '../../src/stats/monotone-root.ts';

describe('fallingRoot', () => {
  test('finds the crossing to neighbouring doubles, also of a step', () => {
    expect(fallingRoot((x) => 1 - x, { lower: 0, upper: 3 })).toBeCloseTo(1, 14);
    expect(fallingRoot((x) => (x < 0.3 ? 1 : -1), { lower: 0, upper: 1 })).toBeCloseTo(0.3, 14);
  });

  test('halves no more often than it must: two hundred times at most, where the root is 0', () => {
    const looks = (root: number, bracket: { lower: number; upper: number }): number => {
      let seen = 0;
      fallingRoot((x) => {
        seen += 1;
        return root - x;
      }, bracket);
      return seen;
    };
    expect(looks(0, { lower: -1, upper: 1 })).toBe(200);
    expect(looks(1 / 3, { lower: 0, upper: 1 })).toBeLessThan(54);
    expect(looks(1e6 / 3, { lower: 1, upper: 1e6 })).toBeLessThan(54);
    expect(looks(-0.3, { lower: -1, upper: -0.1 })).toBeLessThan(54);
    expect(fallingRoot((x) => 1 / 3 - x, { lower: 0, upper: 1 })).toBeCloseTo(1 / 3, 15);
  });

  test('ends at the bracket where the sign never changes', () => {
    expect(fallingRoot(() => 1, { lower: 0, upper: 1 })).toBeCloseTo(1, 12);
    expect(fallingRoot(() => -1, { lower: 1, upper: 2 })).toBeCloseTo(1, 12);
  });
});

describe('fallingRoot at its edges', () => {
  test('where the function stays at 0 the first point of it is the root', () => {
    const plateau = (x: number) => (x < 1 ? 1 : x < 2 ? 0 : -1);
    expect(fallingRoot(plateau, { lower: 0, upper: 3 })).toBeCloseTo(1, 14);
    expect(fallingRoot(() => 0, { lower: 1, upper: 3 })).toBeCloseTo(1, 14);
  });

  test('looks nowhere inside a bracket without a point inside, or one turned round', () => {
    const never = (): number => {
      throw new Error('looked');
    };
    expect(fallingRoot(never, { lower: 2, upper: 2 })).toBe(2);
    expect(fallingRoot(never, { lower: 1, upper: 1 + 2 ** -52 })).toBeCloseTo(1, 15);
    expect(fallingRoot(never, { lower: 3, upper: 1 })).toBe(2);
  });
});

describe('lastHolding', () => {
  /** The points looked at, and the end. */
  function searched(root: number, bracket: { lower: number; upper: number }, nearest: number) {
    const seen: number[] = [];
    const found = lastHolding(
      (x) => {
        seen.push(x);
        return x <= root;
      },
      bracket,
      nearest,
    );
    return { seen, found };
  }

  test('ends at the last double that holds, whatever the root', () => {
    for (const root of [0.1, 1 / 3, 0.75, 1.999]) {
      expect(searched(root, { lower: 0, upper: 2 }, 0).found).toBe(root);
    }
    expect(searched(-0.3, { lower: -1, upper: 1 }, 0).found).toBe(-0.3);
  });

  test('halves: the first points are the middles of what is left', () => {
    expect(searched(0.3, { lower: 0, upper: 1 }, 0).seen.slice(0, 4)).toEqual([
      0.5, 0.25, 0.375, 0.3125,
    ]);
  });

  test('stops at the distance given, on the side that holds', () => {
    const { seen, found } = searched(0, { lower: -1, upper: 3 }, 0.25);
    expect(seen).toEqual([1, 0, 0.5, 0.25]);
    expect(found).toBe(0);
    expect(searched(1e-40, { lower: 0, upper: 1 }, 1e-17).found).toBe(0);
  });

  test('looks nowhere inside a bracket that is near enough or has no point inside', () => {
    expect(searched(5, { lower: 1, upper: 1 }, 0)).toEqual({ seen: [], found: 1 });
    expect(searched(5, { lower: 1, upper: 1.5 }, 0.5)).toEqual({ seen: [], found: 1 });
    expect(searched(0, { lower: 1, upper: 1 + 2 ** -52 }, 0)).toEqual({ seen: [], found: 1 });
    expect(searched(0, { lower: 1 + 2 ** -52, upper: 1 + 2 ** -51 }, 0).seen).toEqual([]);
  });
});

describe('crossedBy', () => {
  test('doubles the distance until the function is no longer above 0', () => {
    expect(crossedBy((x) => 3 - x, 2, 0.25)).toBe(3);
    expect(crossedBy(() => -1, 2, 1)).toBe(3);
    expect(crossedBy(() => 1, 0, 1)).toBe(Number.POSITIVE_INFINITY);
    expect(crossedBy((x) => 4 - x, 0, 1)).toBe(4);
  });

  test('never asks for the value at infinity', () => {
    const finite = (x: number): number => {
      expect(Number.isFinite(x)).toBe(true);
      return 1;
    };
    expect(crossedBy(finite, 1e308, 1e308)).toBe(Number.POSITIVE_INFINITY);
  });
});
