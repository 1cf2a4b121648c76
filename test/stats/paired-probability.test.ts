import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type CellProbabilities,
  type IncreasingSet,
  setProbability,
} from '../../src/stats/paired-probability.ts';

/** A staircase given by its fewest gains at 0, 1, 2, ... losses. */
function staircase(units: number, fewest: readonly number[]): IncreasingSet {
  return { units, fewestGains: Int32Array.from(fewest) };
}

/** Every table with at most `most` losses, whatever its gains. */
function lossesUpTo(units: number, most: number): IncreasingSet {
  return staircase(units, new Array(most + 1).fill(0));
}

function logFactorials(units: number): number[] {
  const logs = [0];
  for (let k = 1; k <= units; k += 1) logs.push((logs[k - 1] ?? 0) + Math.log(k));
  return logs;
}

function logPower(base: number, times: number): number {
  return times === 0 ? 0 : times * Math.log(base);
}

/** The trinomial sum over the members, term by term. */
function slowProbability({ units, fewestGains }: IncreasingSet, cell: CellProbabilities): number {
  const logs = logFactorials(units);
  const rest = Math.max(0, 1 - cell.gain - cell.loss);
  let sum = 0;
  fewestGains.forEach((fewest, losses) => {
    for (let gains = fewest; gains + losses <= units; gains += 1) {
      const ties = units - gains - losses;
      const orders =
        (logs[units] ?? 0) - (logs[gains] ?? 0) - (logs[losses] ?? 0) - (logs[ties] ?? 0);
      const chance =
        logPower(cell.gain, gains) + logPower(cell.loss, losses) + logPower(rest, ties);
      sum += Math.exp(orders + chance);
    }
  });
  return sum;
}

function expectClose(got: number, wanted: number, relative: number): void {
  expect(Math.abs(got - wanted)).toBeLessThanOrEqual(2e-16 + relative * wanted);
}

describe('setProbability', () => {
  test('the examples by hand: one gain in two units with at most one loss', () => {
    const probability = setProbability(staircase(2, [1, 1]));
    // g² + 2 g (1 − g − l) + 2 g l
    expect(probability({ gain: 0.5, loss: 0.25 })).toBeCloseTo(0.75, 14);
    expect(probability({ gain: 0.1, loss: 0.2 })).toBeCloseTo(0.19, 14);
    expect(setProbability(staircase(1, [1]))({ gain: 0.3, loss: 0.4 })).toBeCloseTo(0.3, 14);
    expect(setProbability(staircase(1, [0]))({ gain: 0.3, loss: 0.4 })).toBeCloseTo(0.6, 14);
  });

  test('an impossible cell leaves a binomial: no loss, no gain, no tie', () => {
    const set = staircase(3, [1, 2]);
    const probability = setProbability(set);
    // Without losses: at least one gain of three.
    expect(probability({ gain: 0.5, loss: 0 })).toBeCloseTo(7 / 8, 14);
    expect(probability({ gain: 0.1, loss: 0 })).toBeCloseTo(1 - 0.9 ** 3, 14);
    expect(probability({ gain: 1, loss: 0 })).toBe(1);
    expect(probability({ gain: 0, loss: 0 })).toBe(0);
    // Without gains no member is possible, and with a staircase from 0 those of few losses are.
    expect(probability({ gain: 0, loss: 0.5 })).toBe(0);
    const fewLosses = setProbability(staircase(3, [0, 0, 1]));
    expect(fewLosses({ gain: 0, loss: 0.5 })).toBeCloseTo(0.5, 14);
    expect(fewLosses({ gain: 0, loss: 0.2 })).toBeCloseTo(0.8 ** 3 + 3 * 0.2 * 0.8 ** 2, 14);
    expect(fewLosses({ gain: 0, loss: 1 })).toBe(0);
    expect(fewLosses({ gain: 0, loss: 0 })).toBe(1);
    // Without ties losses are the rest: (3, 0) and (2, 1) are members, (1, 2) is not.
    expect(probability({ gain: 0.5, loss: 0.5 })).toBeCloseTo(0.5, 14);
    expect(probability({ gain: 0.2, loss: 0.8 })).toBeCloseTo(0.2 ** 3 + 3 * 0.2 ** 2 * 0.8, 14);
    expect(setProbability(staircase(3, [0, 0, 0, 0]))({ gain: 0, loss: 1 })).toBe(1);
    expect(setProbability(staircase(3, [4]))({ gain: 0.5, loss: 0 })).toBe(0);
  });

  test('no members have no probability, also where all or no losses are possible', () => {
    const nothing = setProbability(staircase(4, []));
    for (const cell of [
      { gain: 0.2, loss: 0 },
      { gain: 0, loss: 0.3 },
      { gain: 0.5, loss: 0.5 },
      { gain: 0, loss: 0 },
    ]) {
      expect(nothing(cell)).toBe(0);
    }
  });

  test('all tables have probability 1, and those of few losses that of a binomial, at 5,000 units', () => {
    for (const loss of [0.0001, 0.002, 0.05, 0.5, 0.9, 0.998]) {
      const cell = { gain: (1 - loss) / 3, loss };
      const all = setProbability(lossesUpTo(5000, 5000))(cell);
      expect(Math.abs(all - 1)).toBeLessThan(1e-10);
      expect(all).toBeLessThanOrEqual(1);
    }
    // P(X ≤ 12) of a binomial with mean 10, added up from its own ratios.
    const q = 0.998;
    let term = q ** 5000;
    let sum = term;
    for (let k = 1; k <= 12; k += 1) {
      term *= ((5001 - k) / k) * (0.002 / q);
      sum += term;
    }
    const found = setProbability(lossesUpTo(5000, 12))({ gain: 0.3, loss: 0.002 });
    expect(Math.abs(found / sum - 1)).toBeLessThan(1e-10);
  });

  test('losses far beyond the set leave nothing', () => {
    expect(setProbability(lossesUpTo(5000, 3))({ gain: 0.2, loss: 0.5 })).toBe(0);
    expect(setProbability(lossesUpTo(5000, 4900))({ gain: 0.0005, loss: 0.999 })).toBe(0);
  });

  const shapes: readonly (readonly [string, IncreasingSet])[] = [
    [
      'gains above losses',
      staircase(
        40,
        Array.from({ length: 20 }, (_, y) => y + 1),
      ),
    ],
    [
      'steep',
      staircase(
        40,
        Array.from({ length: 7 }, (_, y) => 5 * y),
      ),
    ],
    [
      'from many gains on',
      staircase(
        40,
        Array.from({ length: 9 }, (_, y) => 30 + (y >> 2)),
      ),
    ],
    ['gains alone', staircase(40, [17])],
    ['level', staircase(40, new Array(36).fill(5))],
  ];
  const rates = [1e-9, 0.001, 0.03, 0.2, 0.5, 0.79, 0.97];

  test.each(shapes)('agrees with the sum over members at 40 units: %s', (_, set) => {
    const probability = setProbability(set);
    for (const gain of rates) {
      for (const loss of rates.filter((rate) => rate + gain < 1)) {
        expectClose(probability({ gain, loss }), slowProbability(set, { gain, loss }), 1e-11);
      }
    }
  });

  test('agrees with the sum over members of any staircase', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 25 }),
        fc.array(fc.nat(3), { maxLength: 25 }),
        fc.tuple(fc.nat(60), fc.nat(60), fc.integer({ min: 0, max: 60 })),
        (units, rises, [a, b, c]) => {
          fc.pre(a + b + c > 0);
          const fewest: number[] = [];
          for (const rise of rises) {
            const next = (fewest[fewest.length - 1] ?? 0) + rise;
            if (next + fewest.length > units) break;
            fewest.push(next);
          }
          const set = staircase(units, fewest);
          const cell = { gain: a / (a + b + c), loss: b / (a + b + c) };
          expectClose(setProbability(set)(cell), slowProbability(set, cell), 1e-11);
        },
      ),
      { seed: 20261131, numRuns: 150 },
    );
  });

  test('a start that underflows is taken up again: many gains at many losses, gains being rare', () => {
    const set = staircase(
      3000,
      Array.from({ length: 60 }, (_, y) => 10 * y),
    );
    for (const cell of [
      { gain: 1e-6, loss: 0.001 },
      { gain: 0.002, loss: 0.001 },
      { gain: 0.01, loss: 0.0003 },
    ]) {
      expectClose(setProbability(set)(cell), slowProbability(set, cell), 1e-10);
    }
  });

  test('keeps its digits at 2,000 units where gains and losses nearly balance', () => {
    const set = staircase(
      2000,
      Array.from({ length: 160 }, (_, y) => y + 20),
    );
    for (const cell of [
      { gain: 0.05, loss: 0.05 },
      { gain: 0.06, loss: 0.04 },
      { gain: 0.03, loss: 0.05 },
    ]) {
      const narrow = staircase(2000, [...set.fewestGains]);
      expectClose(setProbability(narrow)(cell), slowProbability(set, cell), 1e-10);
    }
  });
});
