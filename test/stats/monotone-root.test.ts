import { describe, expect, test } from 'vitest';
import { crossedBy, fallingRoot } from '../../src/stats/monotone-root.ts';

describe('fallingRoot', () => {
  test('finds the crossing to neighbouring doubles, also of a step', () => {
    expect(fallingRoot((x) => 1 - x, { lower: 0, upper: 3 })).toBeCloseTo(1, 14);
    expect(fallingRoot((x) => (x < 0.3 ? 1 : -1), { lower: 0, upper: 1 })).toBeCloseTo(0.3, 14);
  });

  test('ends at the bracket where the sign never changes', () => {
    expect(fallingRoot(() => 1, { lower: 0, upper: 1 })).toBeCloseTo(1, 12);
    expect(fallingRoot(() => -1, { lower: 1, upper: 2 })).toBeCloseTo(1, 12);
  });
});

describe('crossedBy', () => {
  test('doubles the distance until the function is no longer above 0', () => {
    expect(crossedBy((x) => 3 - x, 2, 0.25)).toBe(3);
    expect(crossedBy(() => -1, 2, 1)).toBe(3);
    expect(crossedBy(() => 1, 0, 1)).toBe(Number.POSITIVE_INFINITY);
  });
});
