import { describe, expect, test } from 'vitest';
import { binomialSampler, positionOf, uniformStream } from '../../src/stats/draws.ts';

const seed = '3c'.repeat(32);

describe('uniformStream', () => {
  test('gives numbers inside (0, 1) that its label and seed fix', () => {
    const [first, again, other] = ['a', 'a', 'b'].map((label) => uniformStream(seed, label));
    const drawn = Array.from({ length: 1000 }, () => first?.() ?? 0);
    expect(drawn).toEqual(Array.from({ length: 1000 }, () => again?.()));
    expect(drawn[0]).not.toBe(other?.());
    expect(Math.min(...drawn)).toBeGreaterThan(0);
    expect(Math.max(...drawn)).toBeLessThan(1);
    const mean = drawn.reduce((total, each) => total + each, 0) / 1000;
    expect(Math.abs(mean - 0.5)).toBeLessThan(5 * Math.sqrt(1 / 12 / 1000));
  });

  test('executes its documented examples and refuses another seed', () => {
    expect(uniformStream('00'.repeat(32), 'units')() < 1).toBe(true);
    expect(binomialSampler(1)(uniformStream('00'.repeat(32), 'units'), 5)).toBe(5);
    expect(positionOf(Float64Array.of(0.2, 0.9, 1), 0.5)).toBe(1);
    expect(() => uniformStream('abc', 'units')).toThrow(/64/);
  });
});

describe('binomialSampler', () => {
  const choose = (n: number, k: number): number =>
    Array.from({ length: k }, (_, at) => (n - at) / (at + 1)).reduce((all, each) => all * each, 1);

  test.each([
    [12, 0.25],
    [7, 0.5],
    [30, 0.02],
    [5, 0.97],
  ])('draws every count of %d units at %d as often as the law says', (n, p) => {
    const draws = 40_000;
    const uniform = uniformStream(seed, `binomial ${n} ${p}`);
    const draw = binomialSampler(p);
    const seen = new Array<number>(n + 1).fill(0);
    for (let at = 0; at < draws; at += 1) {
      const k = draw(uniform, n);
      seen[k] = (seen[k] ?? 0) + 1;
    }
    for (let k = 0; k <= n; k += 1) {
      const mass = choose(n, k) * p ** k * (1 - p) ** (n - k);
      const error = Math.sqrt((mass * (1 - mass)) / draws);
      expect(Math.abs((seen[k] ?? 0) / draws - mass)).toBeLessThan(5 * error + 1e-9);
    }
  });

  test('knows certainty, impossibility, no unit and many of them', () => {
    const uniform = uniformStream(seed, 'edges');
    expect(binomialSampler(0)(uniform, 9)).toBe(0);
    expect(binomialSampler(1)(uniform, 9)).toBe(9);
    expect(binomialSampler(0.3)(uniform, 0)).toBe(0);
    const many = binomialSampler(0.3)(uniform, 1_000_000);
    expect(Math.abs(many - 300_000)).toBeLessThan(5 * Math.sqrt(210_000));
    expect(() => binomialSampler(0.3)(uniform, 1.5)).toThrow(/whole number/);
  });
});
