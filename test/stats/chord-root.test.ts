import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type ChordBracket,
  chordRoot,
  type SlopedTail,
  tailRoot,
} from '../../src/stats/chord-root.ts';

/** The root and the points looked at, the ends first. */
function searched(value: (x: number) => number, bracket: ChordBracket) {
  const seen: number[] = [];
  const root = chordRoot((x) => {
    seen.push(x);
    return value(x);
  }, bracket);
  return { root, seen };
}

function expectPoints(got: readonly number[], wanted: readonly number[]): void {
  expect(got.length).toBeGreaterThanOrEqual(wanted.length);
  wanted.forEach((point, at) => {
    expect(got[at], `point ${at}`).toBeCloseTo(point, 13);
  });
}

describe('chordRoot', () => {
  test('looks where the chords of the Illinois rule cross 0, worked by hand for the root of 2', () => {
    // Chords from (0, -2) and (2, 2): 1; from (1, -1): 4/3; then the upper value, kept twice, counts 1 in place of 2: 16/11.
    const { seen } = searched((x) => x * x - 2, { lower: 0, upper: 2, settled: 1e-13 });
    expectPoints(seen, [0, 2, 1, 4 / 3, 16 / 11]);
    // (256/121 - 2) = 14/121 above, -2/9 below, and no value halved, for the side has changed.
    const next = 4 / 3 + ((2 / 9) * (16 / 11 - 4 / 3)) / (14 / 121 + 2 / 9);
    expectPoints(seen, [0, 2, 1, 4 / 3, 16 / 11, next]);
  });

  test('halves the lower value where the upper end moves twice running, also of a falling function', () => {
    // 2 - x² mirrored: -2 + x² at -x. The upper end moves to -1, then to -4/3.
    const rising = searched((x) => 2 - x * x, { lower: -2, upper: 0, settled: 1e-13 });
    expectPoints(rising.seen, [-2, 0, -1, -4 / 3, -16 / 11]);
    const falling = searched((x) => x * x - 2, { lower: -2, upper: 0, settled: 1e-13 });
    expectPoints(falling.seen, [-2, 0, -1, -4 / 3, -16 / 11]);
    expect(rising.root).toBeCloseTo(-Math.SQRT2, 13);
    expect(falling.root).toBeCloseTo(-Math.SQRT2, 13);
  });

  test('needs a dozen looks where a halving of the bracket needs forty', () => {
    const cubic = searched((x) => x * x * x - 5, { lower: 0, upper: 3, settled: 1e-12 });
    expect(cubic.root).toBeCloseTo(1.709975946676697, 12);
    expect(cubic.seen.length).toBeLessThanOrEqual(14);
    const steep = searched((x) => x ** 9 - 0.5, { lower: 0, upper: 1, settled: 1e-12 });
    expect(steep.root).toBeCloseTo(0.5 ** (1 / 9), 12);
    expect(steep.seen.length).toBeLessThanOrEqual(16);
    const fall = searched((x) => 5 - x * x * x, { lower: 0, upper: 3, settled: 1e-12 });
    expect(fall.seen).toEqual(cubic.seen);
  });

  test('ends at the first value as small as asked, the bound of that size included', () => {
    // Points 1 and 4/3 have the values -1 and -2/9.
    expect(searched((x) => x * x - 2, { lower: 0, upper: 2, settled: 1 }).seen).toEqual([0, 2, 1]);
    expect(
      searched((x) => x * x - 2, { lower: 0, upper: 2, settled: 0.999 }).seen.length,
    ).toBeGreaterThan(3);
    expect(chordRoot((x) => x * x - 2, { lower: 0, upper: 2, settled: 1 })).toBe(1);
    const line = searched((x) => 2 * x - 1, { lower: 0, upper: 4, settled: 0 });
    expect(line).toEqual({ root: 0.5, seen: [0, 4, 0.5] });
  });

  test('takes the middle where the chord has no point inside: infinite values', () => {
    const wall = (x: number) => (x < 0.75 ? Number.NEGATIVE_INFINITY : x - 0.5);
    expect(searched(wall, { lower: 0, upper: 1, settled: 1e-9 }).seen.slice(0, 4)).toEqual([
      0, 1, 0.5, 0.75,
    ]);
    const cliff = (x: number) => (x < 0.25 ? x - 0.5 : Number.POSITIVE_INFINITY);
    expect(searched(cliff, { lower: 0, upper: 1, settled: 1e-9 }).seen.slice(0, 4)).toEqual([
      0, 1, 0.5, 0.25,
    ]);
  });

  test('takes the middle where the crossing is no further from an end than its rounding', () => {
    const small = 1e-30;
    const upper = searched((x) => (x < 0.9 ? -1 : small), { lower: 0, upper: 1, settled: 0 });
    expect(upper.seen.slice(0, 3)).toEqual([0, 1, 0.5]);
    const lower = searched((x) => (x < 1.1 ? small : -1), { lower: 1, upper: 2, settled: 0 });
    expect(lower.seen.slice(0, 3)).toEqual([1, 2, 1.5]);
  });

  test('an end on the root is the root, without a search', () => {
    const lower = searched((x) => x, { lower: 0, upper: 2, settled: 0 });
    expect(lower).toEqual({ root: 0, seen: [0, 2] });
    const upper = searched((x) => x - 2, { lower: 0, upper: 2, settled: 0 });
    expect(upper).toEqual({ root: 2, seen: [0, 2] });
    expect(chordRoot((x) => 2 - x, { lower: 0, upper: 2, settled: 1e-9 })).toBe(2);
  });

  test('a step ends at neighbouring doubles: at an end of the last bracket', () => {
    const step = (x: number) => (x < 0.3 ? -1 : 1);
    const { root, seen } = searched(step, { lower: 0, upper: 1, settled: 0 });
    expect(Math.abs(root - 0.3)).toBeLessThanOrEqual(2 ** -53);
    expect(seen.length).toBeLessThan(63);
    const narrow = { lower: 1, upper: 1 + 2 ** -52, settled: 0 };
    const none = searched((x) => (x > 1 ? 1 : -1), narrow);
    expect(none.seen).toHaveLength(3);
    expect([narrow.lower, narrow.upper]).toContain(none.root);
    const next = { lower: 1 + 2 ** -52, upper: 1 + 2 ** -51, settled: 0 };
    const other = searched((x) => (x > next.lower ? 1 : -1), next);
    expect(other.seen).toHaveLength(3);
    expect([next.lower, next.upper]).toContain(other.root);
  });

  test('gives NaN as soon as the function does', () => {
    const { root, seen } = searched((x) => (x === 0 ? -1 : x === 1 ? 1 : Number.NaN), {
      lower: 0,
      upper: 1,
      settled: 1e-9,
    });
    expect(root).toBeNaN();
    expect(seen).toEqual([0, 1, 0.5]);
  });

  test('ends after sixty steps inside the last bracket where the function never settles', () => {
    // The root is 0, near which doubles grow ever finer: no bracket around it runs out of them.
    const { root, seen } = searched((x) => (x < 1e-300 ? -1 : 1), {
      lower: -1,
      upper: 1,
      settled: 0,
    });
    expect(seen).toHaveLength(62);
    const [below, above] = [
      Math.max(...seen.filter((x) => x < 1e-300)),
      Math.min(...seen.filter((x) => x >= 1e-300)),
    ];
    expect(root).toBe((below + above) / 2);
  });

  test('finds the root of every cubic that rises, whichever way it is turned', () => {
    fc.assert(
      fc.property(
        fc.double({ min: -3, max: 3, noNaN: true }),
        fc.double({ min: 0.01, max: 5, noNaN: true }),
        fc.constantFrom(1, -1),
        (wanted, slope, turn) => {
          const value = (x: number) => turn * ((x - wanted) ** 3 + slope * (x - wanted));
          const root = chordRoot(value, { lower: -4, upper: 5, settled: 1e-10 });
          expect(Math.abs(root - wanted)).toBeLessThan(2e-10 / slope + 1e-12);
        },
      ),
      { seed: 20261130, numRuns: 200 },
    );
  });
});

describe('tailRoot', () => {
  const bracket = { left: -745, right: 745, start: 0, mostSteps: 200 };

  function climbed(at: (u: number) => SlopedTail, search: Parameters<typeof tailRoot>[1]) {
    const seen: number[] = [];
    const root = tailRoot((u) => {
      seen.push(u);
      return at(u);
    }, search);
    return { root, seen };
  }

  /** The logistic distribution: its logit is the variable itself. */
  const logistic = (u: number): SlopedTail => {
    const tail = 1 / (1 + Math.exp(-u));
    return { tail, slope: tail * (1 - tail) };
  };

  test.each([0.4, 0.01, 1e-8, 1e-150])('finds the logistic tail of %f in a few steps', (goal) => {
    const { root, seen } = climbed(logistic, { ...bracket, goal, direction: 1 });
    expect(root).toBeCloseTo(Math.log(goal / (1 - goal)), 12);
    expect(seen.length).toBeLessThan(12);
    expect(seen[0]).toBe(0);
    // Newton: the logarithm falls by (ln tail − ln goal) over the relative slope, which is ½ at the start.
    expect(seen[1]).toBeCloseTo(-(Math.log(0.5) - Math.log(goal)) / 0.5, 9);
  });

  test.each([0.4, 0.01, 1e-8])('and the falling one of %f at the mirrored points', (goal) => {
    const falling = (u: number): SlopedTail => logistic(-u);
    const rising = climbed(logistic, { ...bracket, goal, direction: 1 });
    const { root, seen } = climbed(falling, { ...bracket, goal, direction: -1 });
    expect(root).toBeCloseTo(-rising.root, 13);
    expect(seen).toEqual(rising.seen.map((u) => 0 - u));
  });

  test('halves the bracket where a tail underflows or a step would leave it', () => {
    const gumbel = (u: number): SlopedTail => {
      const tail = Math.exp(-Math.exp(-u));
      return { tail, slope: tail * Math.exp(-u) };
    };
    const low = climbed(gumbel, { ...bracket, start: -20, goal: 0.5, direction: 1 });
    expect(low.root).toBeCloseTo(-Math.log(Math.LN2), 13);
    // Nothing is left of the tail at −20: the root lies to the right, in the middle of what is left first.
    expect(low.seen.slice(0, 2)).toEqual([-20, (745 - 20) / 2]);
    // At 0 a step for 1e-300 leads to −690, out of a bracket that ends at −10, where the tail is still too large.
    const end = climbed(gumbel, { ...bracket, left: -10, goal: 1e-300, direction: 1 });
    expect(end.seen.slice(0, 2)).toEqual([0, -5]);
    expect(end.root).toBeCloseTo(-Math.log(300 * Math.LN10), 12);
    expect(low.seen.length).toBeLessThan(25);
  });

  test('a step to an end of the bracket is no step inside it', () => {
    // Tail u over (0, 2): from 1 the step for e^−1 leads to 1 − 1 × 1 = 0, the left end.
    const line = (u: number): SlopedTail => ({ tail: u, slope: 1 });
    const left = climbed(line, {
      ...bracket,
      left: 0,
      right: 2,
      start: 1,
      goal: 1 / Math.E,
      direction: 1,
    });
    expect(left.seen[1]).toBeCloseTo(0.5, 6);
    expect(left.root).toBeCloseTo(1 / Math.E, 14);
  });

  test('ends where a step no longer moves the point, and after as many steps as allowed', () => {
    const line = (u: number): SlopedTail => ({ tail: u, slope: 1 });
    const search = { left: 0, right: 2e6, direction: 1, mostSteps: 200 } as const;
    expect(climbed(line, { ...search, start: 0.25, goal: 0.25 }).seen).toEqual([0.25]);
    expect(climbed(line, { ...search, start: 1e6, goal: 1e6 * (1 - 5e-16) }).seen).toHaveLength(1);
    expect(climbed(line, { ...search, start: 1e-3, goal: 1e-3 * (1 - 3e-13) }).seen).toHaveLength(
      1,
    );
    expect(climbed(line, { ...search, start: 1, goal: 1e-9, mostSteps: 3 }).seen).toHaveLength(3);
  });
});
