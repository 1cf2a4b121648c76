import { describe, expect, test } from 'vitest';
import {
  batchSize,
  characteristicBatches,
  cosSin,
  latticeSpectrum,
} from '../../src/stats/characteristic-function.ts';
import { invertedSum } from '../../src/stats/inverted-sum.ts';
import { latticeSum } from '../../src/stats/lattice-sum.ts';
import { resamplingStream } from '../../src/stats/random.ts';
import { bitsOf, testSeed } from '../support/statistics.ts';

describe('cosSin', () => {
  test('agrees with the platform over a million turns', () => {
    for (let step = -2000; step <= 2000; step += 1) {
      const angle = step * 0.7853 + step * step * step * 1e-4;
      const found = cosSin(angle, { cos: 0, sin: 0 });
      expect(Math.abs(found.cos - Math.cos(angle))).toBeLessThan(3e-16);
      expect(Math.abs(found.sin - Math.sin(angle))).toBeLessThan(3e-16);
    }
  });
});

describe('characteristicBatches', () => {
  const stream = resamplingStream(testSeed(32));
  const uniform = (): number => stream.word() / 2 ** 32;
  const near = Array.from({ length: 300 }, () => uniform() + uniform() - 1);

  test.each([
    ['all near', near, 60, false],
    ['a few far out', [...near, 9, -14, 40], 300, false],
    ['all far out', near, 3, false],
    ['whole numbers', near.map((value) => Math.round(40 * value)), 1201, true],
  ] as const)('gives φ − 1 of values %s', (_, values, width, lattice) => {
    const shares = new Float64Array(values.length).fill(1 / values.length);
    const batches = characteristicBatches(
      { deviations: Float64Array.from(values), shares },
      { width, lattice },
    );
    for (const first of [1, 33, 65]) {
      const found = batches(first);
      expect(found.real.length).toBe(batchSize);
      for (let at = 0; at < batchSize; at += 1) {
        const angle = (2 * Math.PI * (first + at)) / width;
        let real = 0;
        let imaginary = 0;
        for (const value of values) {
          real -= (2 * Math.sin((angle * value) / 2) ** 2) / values.length;
          imaginary += Math.sin(angle * value) / values.length;
        }
        expect(Math.abs((found.real[at] ?? 0) - real)).toBeLessThan(5e-14);
        expect(Math.abs((found.imaginary[at] ?? 0) - imaginary)).toBeLessThan(5e-14);
      }
    }
  });

  test('the transform of a lattice is its characteristic function', () => {
    const deviations = Float64Array.from([-7, 0, 3, 1000]);
    const shares = Float64Array.from([0.1, 0.2, 0.3, 0.4]);
    const { real, imaginary } = latticeSpectrum({ deviations, shares }, 33);
    expect(real.length).toBe(64);
    real.forEach((found, k) => {
      const sum = (turn: (angle: number) => number): number =>
        deviations.reduce(
          (total, value, at) => total + (shares[at] ?? 0) * turn((2 * Math.PI * k * value) / 64),
          0,
        );
      expect(found).toBeCloseTo(sum(Math.cos), 12);
      expect(imaginary[k]).toBeCloseTo(sum(Math.sin), 12);
    });
  });
});

/** The law of a sum, draw by draw. */
function slowSum(single: readonly number[], draws: number): number[] {
  let law = [1];
  for (let draw = 0; draw < draws; draw += 1) {
    const next = new Array<number>(law.length + single.length - 1).fill(0);
    law.forEach((mass, at) => {
      single.forEach((share, step) => {
        next[at + step] = (next[at + step] ?? 0) + mass * share;
      });
    });
    law = next;
  }
  return law;
}

describe('laws of sums', () => {
  const single = [0.1, 0, 0.25, 0.4, 0, 0, 0.2, 0.05];

  test.each([1, 2, 7, 32, 45])('convolution and inversion are the sum of %i draws', (draws) => {
    const slow = slowSum(single, draws);
    const { start, mass } = latticeSum({ start: -3, mass: Float64Array.from(single) }, draws);
    const sum = invertedSum({
      values: Float64Array.from(single, (_, index) => index - 3),
      shares: Float64Array.from(single),
      draws,
      lattice: true,
    });
    let below = 0;
    slow.forEach((share, at) => {
      const value = at - 3 * draws;
      const own = mass[value - start] ?? 0;
      if (share > 1e-20) expect(own / share).toBeCloseTo(1, 11);
      expect(sum?.share(value)).toBeCloseTo(below, 12);
      below += share;
    });
    expect(sum?.share(-3 * draws - 1)).toBe(0);
    expect(sum?.share(4 * draws + 1)).toBe(1);
  });

  test('half a million draws keep thirteen digits: a fair coin', () => {
    const draws = 500_000;
    const sum = invertedSum({
      values: Float64Array.from([0, 1]),
      shares: Float64Array.from([0.5, 0.5]),
      draws,
      lattice: true,
    });
    // Symmetry: P(sum < n/2) = (1 − P(sum = n/2)) / 2, with Stirling's series for the middle share.
    const middle =
      (1 - 1 / (4 * draws) + 1 / (32 * draws * draws)) / Math.sqrt((Math.PI * draws) / 2);
    expect(Math.abs((sum?.share(draws / 2) ?? 0) - (1 - middle) / 2)).toBeLessThan(2e-13);
    expect(Math.abs((sum?.share(draws / 2 + 1) ?? 0) - (1 + middle) / 2)).toBeLessThan(2e-13);
  });

  test('values close to a coarser lattice come back late and are followed', () => {
    const values = Float64Array.from([-2, 0, 2, 3]);
    const shares = Float64Array.from([0.3, 0.39, 0.3, 0.01]);
    const draws = 100;
    const sum = invertedSum({ values, shares, draws, lattice: true });
    const slow = slowSum([0.3, 0, 0.39, 0, 0.3, 0.01], draws);
    let below = 0;
    slow.forEach((share, at) => {
      expect(sum?.share(at - 2 * draws)).toBeCloseTo(below, 12);
      below += share;
    });
  });

  test('an inversion that does not settle is no law', () => {
    const values = Float64Array.from([0, 1, Math.SQRT2, 1e7]);
    const shares = new Float64Array(4).fill(0.25);
    expect(invertedSum({ values, shares, draws: 4, lattice: false })).toBeUndefined();
  });
});

describe('bits on every platform', () => {
  // Bounds read from these laws are sealed and decided by: any other bit would be another record.
  test('of cosines and sines are the recorded ones', () => {
    const turned = Array.from({ length: 2001 }, (_, at) => {
      const { cos, sin } = cosSin((at - 1000) * 0.0123 * (1 + (at % 7) ** 3), { cos: 0, sin: 0 });
      return [cos, sin];
    });
    expect(bitsOf(turned.flat())).toBe('eb854ca99124504d');
  });

  const spread = Array.from({ length: 60 }, (_, at) => ((at * 37) % 101) / 7 + (at % 3) * 0.01);
  const share = new Float64Array(60).fill(1 / 60);

  test.each([
    ['a window as wide as the values', 15, '725d57545a0b43b5'],
    ['a window a hundred times as wide', 1500, '3b6a94f973462695'],
    ['a window of which half the values lie out', 900, '0ed3d6e0762aaf02'],
  ] as const)('of a characteristic function over %s', (_, width, recorded) => {
    const centre = 7.1;
    const batches = characteristicBatches(
      { deviations: Float64Array.from(spread, (value) => value - centre), shares: share },
      { width, lattice: false },
    );
    const found = [1, 33, 65, 97].flatMap((first) => {
      const { real, imaginary } = batches(first);
      return [...real, ...imaginary];
    });
    expect(bitsOf(found)).toBe(recorded);
  });

  const whole = spread.map((value) => Math.floor(10 * value));

  test.each([
    ['continuous values', { values: spread, draws: 60, lattice: false }, '0eddbd7f2f26d58e'],
    [
      'continuous values drawn often',
      { values: spread, draws: 5000, lattice: false },
      'ede8e460eafaab02',
    ],
    ['whole values', { values: whole, draws: 60, lattice: true }, '9aabb9a3c87263ea'],
    [
      'whole values far from 0',
      { values: whole.map((value) => value - 900), draws: 7, lattice: true },
      '8ded2fb3fe81fd2a',
    ],
  ] as const)('of the law of a sum of %s', (_, { values, draws, lattice }, recorded) => {
    const law = invertedSum({ values: Float64Array.from(values), shares: share, draws, lattice });
    if (law === undefined) throw new Error('the series vanishes');
    const { lower, upper } = law;
    const at = Array.from({ length: 41 }, (_point, step) => lower + ((upper - lower) * step) / 40);
    const read = at.map((x) => law.share(lattice ? Math.floor(x) : x));
    read.forEach((p, step) => {
      expect(p).toBeGreaterThan((read[step - 1] ?? 0) - 1e-13);
    });
    expect(bitsOf([lower, upper, ...read])).toBe(recorded);
  });

  test('of a convolution', () => {
    const { start, mass } = latticeSum(
      { start: -2, mass: Float64Array.from([0.1, 0.3, 0, 0.35, 0.25]) },
      117,
    );
    expect(bitsOf([start, ...mass])).toBe('38202b2a37ad77aa');
  });
});

describe('latticeSum', () => {
  test('drops ends that together weigh less than 1e-30, and nothing else', () => {
    const rare = 1e-8;
    const single = { start: 0, mass: Float64Array.from([1 - 2 * rare, rare, 0, rare]) };
    const { start, mass } = latticeSum(single, 8);
    const slow = slowSum([...single.mass], 8);
    // Three rare draws weigh some 1e-22, four 1e-30: sums up to 9 or 10 are kept, and 24 is not.
    expect(start).toBe(0);
    expect(mass.length).toBeGreaterThan(9);
    expect(mass.length).toBeLessThan(13);
    mass.forEach((share, at) => {
      if (share > 1e-28) expect(share / (slow[at] ?? 0)).toBeCloseTo(1, 9);
    });
    const turned = latticeSum({ start: 5, mass: Float64Array.from([...single.mass].reverse()) }, 8);
    expect(turned.start + turned.mass.length - 1).toBe(8 * (5 + 3));
    expect(turned.mass.length).toBe(mass.length);
    expect([...turned.mass].reverse()).toEqual([...mass]);
  });

  test('a single draw is the law itself, and a law of one point stays one', () => {
    const single = { start: -1, mass: Float64Array.from([0.25, 0.5, 0.25]) };
    expect(latticeSum(single, 1)).toEqual(single);
    expect(latticeSum({ start: 3, mass: Float64Array.from([1]) }, 1000)).toEqual({
      start: 3000,
      mass: Float64Array.from([1]),
    });
    expect(latticeSum(single, 2)).toEqual({
      start: -2,
      mass: Float64Array.from([0.0625, 0.25, 0.375, 0.25, 0.0625]),
    });
  });
});
