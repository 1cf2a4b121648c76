import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { binomialSampler, positionOf, uniformStream } from '../../src/stats/draws.ts';
import { expectRefusal } from '../support/statistics.ts';

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

describe('inversion by hand', () => {
  /** A stream that gives one number for ever. */
  const always = (at: number) => (): number => at;

  test('a number is the count whose cumulated probability first lies above it: two coins at ¼, ¾, 1', () => {
    const draw = binomialSampler(0.5);
    const drawn = [1e-9, 0.2499, 0.2501, 0.7499, 0.7501, 1 - 1e-9].map((at) => draw(always(at), 2));
    expect(drawn).toEqual([0, 0, 1, 1, 2, 2]);
  });

  test('a rare outcome of three units: 0.729, 0.972, 0.999, 1', () => {
    const draw = binomialSampler(0.1);
    const ends = [0.729, 0.972, 0.999].flatMap((end) => [end - 1e-6, end + 1e-6]);
    expect(ends.map((at) => draw(always(at), 3))).toEqual([0, 1, 1, 2, 2, 3]);
    // Another number of units has a law of its own, and the first one is kept.
    expect(draw(always(0.85), 1)).toBe(0);
    expect(draw(always(0.85), 3)).toBe(1);
  });

  test('a common one mirrors it', () => {
    const draw = binomialSampler(0.9);
    const ends = [0.001, 0.028, 0.271].flatMap((end) => [end - 1e-6, end + 1e-6]);
    expect(ends.map((at) => draw(always(at), 3))).toEqual([0, 1, 1, 2, 2, 3]);
  });

  test('ends where less than 1e-13 of the likeliest count is left, on both sides', () => {
    // ½^50 × C(50, 5) is 1.9e-9 of 1, ½^50 itself 9e-16: no number of 32 bits finds either end.
    const draw = binomialSampler(0.5);
    const least = draw(always(0), 50);
    const most = draw(always(1 - 2 ** -53), 50);
    expect(least).toBeGreaterThan(0);
    expect(least).toBeLessThan(5);
    expect(least + most).toBe(50);
  });

  test('without numbers of the stream where there is nothing to draw', () => {
    const never = (): number => {
      throw new Error('drawn');
    };
    expect(binomialSampler(0)(never, 9)).toBe(0);
    expect(binomialSampler(-0.5)(never, 9)).toBe(0);
    expect(binomialSampler(1)(never, 9)).toBe(9);
    expect(binomialSampler(0.3)(never, 0)).toBe(0);
    expect(binomialSampler(1)(never, 0)).toBe(0);
  });

  test('positionOf takes the first cumulated probability above a number, the last where none is', () => {
    const upTo = Float64Array.of(0.1, 0.1, 0.4, 1);
    expect([0, 0.0999, 0.1, 0.3999, 0.4, 0.99, 1, 2].map((at) => positionOf(upTo, at))).toEqual([
      0, 0, 2, 2, 3, 3, 3, 3,
    ]);
    expect(positionOf(Float64Array.of(1), 0.5)).toBe(0);
  });

  test('uniformStream is sfc32 of the digest of seed and label, in the middle of 32-bit cells', () => {
    const digest = createHash('sha256').update(`${seed}\nunits`).digest();
    let [a = 0n, b = 0n, c = 0n, counter = 0n] = [0, 4, 8, 12].map((at) =>
      BigInt(digest.readUInt32BE(at)),
    );
    const wrap = (value: bigint): bigint => BigInt.asUintN(32, value);
    const word = (): number => {
      const mixed = wrap(a + b + counter);
      counter = wrap(counter + 1n);
      a = b ^ (b >> 9n);
      b = wrap(c + (c << 3n));
      c = wrap(wrap((c << 21n) | (c >> 11n)) + mixed);
      return Number(mixed);
    };
    for (let warm = 0; warm < 16; warm += 1) word();
    const uniform = uniformStream(seed, 'units');
    for (let draw = 0; draw < 50; draw += 1) expect(uniform() * 2 ** 32).toBe(word() + 0.5);
  });

  test('refuses a seed and a number of units by name', () => {
    expectRefusal(
      () => uniformStream('x', 'units'),
      'seed must be 64 lower-case hex digits, got x',
    );
    expectRefusal(
      () => binomialSampler(0.5)(always(0.5), -2),
      'n must be a whole number of at least 0, got -2',
    );
  });
});
