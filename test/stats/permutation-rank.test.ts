import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { coinSums } from '../../src/stats/coin-sums.ts';
import { decimalGrid } from '../../src/stats/decimal-grid.ts';
import { isIndeterminate } from '../../src/stats/interval.ts';
import { hodgesLehmann, signedRankTest, signTest } from '../../src/stats/rank.ts';
import {
  monteCarloP,
  signFlipInterval,
  signFlipMonteCarlo,
  signFlipTest,
} from '../../src/stats/sign-flip.ts';
import { referenceTests } from '../support/reference.ts';
import { computed, expectRefusal, testSeed } from '../support/statistics.ts';

/** The file writes an interval that does not exist for want of units as unbounded. */
function orUnbounded(interval: ReturnType<typeof signFlipInterval>): {
  lower: number;
  upper: number;
} {
  if (!isIndeterminate(interval)) return interval;
  expect(interval.reason).toBe('too-few-units');
  return { lower: Number.NEGATIVE_INFINITY, upper: Number.POSITIVE_INFINITY };
}

describe('permutation and rank methods', () => {
  referenceTests('permutation-rank.json', {
    methods: {
      signFlip: { compute: ({ differences }) => ({ ...computed(signFlipTest(differences)) }) },
      signFlipCi: {
        compute: ({ differences, confidence }) =>
          orUnbounded(signFlipInterval(differences, confidence)),
      },
      signTest: { compute: ({ differences }) => ({ ...signTest(differences) }) },
      wilcoxonSignedRank: {
        compute: ({ differences, zeroMethod }) => {
          const { units, rankSum, normal, ...p } = computed(
            signedRankTest(differences, zeroMethod),
          );
          const asymptotic = isIndeterminate(normal) ? { z: null, pTwoSided: null } : normal;
          return {
            nUsed: units,
            wPlus: rankSum,
            ...p,
            z: asymptotic.z,
            pAsymptotic: asymptotic.pTwoSided,
          };
        },
      },
      hodgesLehmann: {
        compute: ({ differences, confidence }) => {
          const found = computed(hodgesLehmann(differences, confidence));
          const { lower, upper } = orUnbounded(found.interval);
          return {
            estimate: found.estimate,
            k: found.rank,
            lower,
            upper,
            achievedConfidence: found.achievedLevel,
          };
        },
      },
      monteCarloP: {
        compute: ({ exceedances, draws }) => ({ p: monteCarloP(exceedances, draws) }),
      },
    },
    leftOutMethods: [],
  });
});

const settings = { seed: 20260903, numRuns: 200 };
const tenths = fc.array(
  fc.integer({ min: -9, max: 9 }).map((tenth) => tenth / 10),
  {
    minLength: 1,
    maxLength: 10,
  },
);

/** Every sign vector, one by one, on integers. */
function slowSignFlip(differences: readonly number[]): { pGreater: number; pTwoSided: number } {
  const whole = differences.map((value) => Math.round(value * 10));
  const seen = whole.reduce((total, value) => total + value, 0);
  let greater = 0;
  let far = 0;
  const vectors = 2 ** whole.length;
  for (let mask = 0; mask < vectors; mask += 1) {
    const flipped = whole.reduce(
      (total, value, index) => total + (mask & (1 << index) ? value : -value),
      0,
    );
    if (flipped >= seen) greater += 1;
    if (Math.abs(flipped) >= Math.abs(seen)) far += 1;
  }
  return { pGreater: greater / vectors, pTwoSided: far / vectors };
}

describe('signFlipTest', () => {
  test('is the enumeration of every sign vector, ties and zeros included', () => {
    fc.assert(
      fc.property(tenths, (differences) => {
        expect(computed(signFlipTest(differences))).toMatchObject(slowSignFlip(differences));
      }),
      settings,
    );
  });

  test('the list of halves and the walk over the lattice agree', () => {
    const whole = Array.from({ length: 25 }, (_, index) => 1 + ((index * 7) % 11));
    const lattice = coinSums(whole);
    const total = whole.reduce((sofar, part) => sofar + part, 0);
    const first = coinSums(whole.slice(0, 24));
    for (const bound of [0, 60, 75, 100, total]) {
      // Conditioning on the last part leads back to 24 parts, which are listed by halves.
      const kept = first?.atLeast(bound - (whole[24] ?? 0)) ?? 0;
      const dropped = first?.atLeast(bound) ?? 0;
      expect(lattice?.atLeast(bound)).toBeCloseTo((kept + dropped) / 2, 14);
    }
  });

  test('25 differences with twelve digits each are enumerated without a lattice', () => {
    const differences = Array.from({ length: 25 }, (_, index) => Math.sqrt(index + 2) - 2.4);
    const found = computed(signFlipTest(differences));
    const drawn = computed(
      signFlipMonteCarlo(differences, { resamples: 20_000, seed: testSeed(5) }),
    );
    expect(found.pGreater * 2 ** 25).toBe(Math.round(found.pGreater * 2 ** 25));
    expect(Math.abs(drawn.pGreater - found.pGreater)).toBeLessThan(0.015);
    expect(drawn.statistic).toBe(found.statistic);
  });

  test('a thousand gains and losses are exact on their lattice', () => {
    const differences = Array.from({ length: 1000 }, (_, index) => (index < 560 ? 1 : -1));
    const sign = signTest(differences);
    expect(computed(signFlipTest(differences)).pGreater / sign.pGreater).toBeCloseTo(1, 10);
  });

  test('swapping the arms swaps the tails; order and scale change nothing', () => {
    fc.assert(
      fc.property(tenths, (differences) => {
        const found = computed(signFlipTest(differences));
        const swapped = computed(signFlipTest(differences.map((value) => -value)));
        expect([swapped.pGreater, swapped.pLess]).toEqual([found.pLess, found.pGreater]);
        const moved = computed(signFlipTest([...differences].reverse().map((value) => value * 8)));
        expect(moved.pTwoSided).toBe(found.pTwoSided);
        expect(found.pTwoSided).toBeGreaterThanOrEqual(2 / 2 ** differences.length);
      }),
      settings,
    );
  });

  test('says when there is nothing to test or too much to enumerate', () => {
    expect(signFlipTest([])).toEqual({ status: 'indeterminate', reason: 'no-units' });
    const irrational = Array.from({ length: 41 }, (_, index) => Math.sqrt(index + 2));
    expect(signFlipTest(irrational)).toEqual({ status: 'indeterminate', reason: 'too-many-units' });
    expectRefusal(
      () => signFlipTest([1, Number.NaN]),
      'differences[1] must be a finite number, got NaN',
    );
  });
});

describe('signFlipMonteCarlo', () => {
  test('never gives 0 and repeats itself for a seed', () => {
    const differences = Array.from({ length: 60 }, () => 1);
    const draws = { resamples: 99, seed: testSeed(3) };
    const found = computed(signFlipMonteCarlo(differences, draws));
    expect(found).toEqual({ statistic: 60, pGreater: 0.01, pLess: 1, pTwoSided: 0.02 });
    expect(signFlipMonteCarlo(differences, draws)).toEqual(found);
    expect(signFlipMonteCarlo([], draws)).toEqual({ status: 'indeterminate', reason: 'no-units' });
    expectRefusal(() => monteCarloP(3, 2), 'exceedances must be a number from 0 to 2, got 3');
  });
});

describe('signFlipInterval', () => {
  test('holds exactly the centres the test does not reject', () => {
    const differences = [1.5, -0.5, 2, 3, 0.5, 4, -1, 2.5];
    const { lower, upper } = computed(signFlipInterval(differences, 0.9));
    const pAt = (centre: number): number =>
      computed(signFlipTest(differences.map((value) => value - centre))).pTwoSided;
    expect(pAt(lower - 1e-6)).toBeLessThanOrEqual(0.1);
    expect(pAt(upper + 1e-6)).toBeLessThanOrEqual(0.1);
    expect(pAt(lower + 1e-6)).toBeGreaterThan(0.1);
    expect(pAt(upper - 1e-6)).toBeGreaterThan(0.1);
  });

  test.each([
    ['no unit', [], 'no-units'],
    ['too few to reject anything', [1, 2, 3, 4, 5], 'too-few-units'],
    ['the same difference everywhere', [2, 2, 2, 2, 2, 2, 2], 'constant-differences'],
    ['more units than can be listed', new Array<number>(21).fill(1), 'too-many-units'],
  ])('%s gives no interval', (_, differences, reason) => {
    expect(signFlipInterval(differences, 0.95)).toEqual({ status: 'indeterminate', reason });
  });
});

describe('signedRankTest', () => {
  test('is the enumeration of every sign vector of the mid-ranks', () => {
    fc.assert(
      fc.property(tenths, (differences) => {
        const nonzero = differences.filter((value) => value !== 0);
        const rankOf = (value: number): number =>
          nonzero.filter((other) => Math.abs(other) < Math.abs(value)).length +
          (nonzero.filter((other) => Math.abs(other) === Math.abs(value)).length + 1) / 2;
        const signed = nonzero.map((value) => Math.sign(value) * rankOf(value));
        const found = computed(signedRankTest(differences, 'wilcoxon'));
        const slow = slowSignFlip(signed);
        expect(found.pGreater).toBe(slow.pGreater);
        expect(found.pTwoSided).toBe(slow.pTwoSided);
      }),
      settings,
    );
  });

  test('stays exact at 200 units and says when it cannot', () => {
    const differences = Array.from({ length: 200 }, (_, index) => index - 90.5);
    const found = computed(signedRankTest(differences, 'pratt'));
    const normal = computed(found.normal);
    expect(found.pTwoSided / normal.pTwoSided).toBeGreaterThan(0.9);
    expect(found.pTwoSided / normal.pTwoSided).toBeLessThan(1.1);
    const many = Array.from({ length: 600 }, (_, index) => index + 1);
    expect(signedRankTest(many, 'wilcoxon')).toEqual({
      status: 'indeterminate',
      reason: 'too-many-units',
    });
  });
});

describe('hodgesLehmann', () => {
  test('moves with a shift, mirrors with the arms and lies inside its interval', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: -500, max: 500 }), { minLength: 6, maxLength: 30 }),
        (differences) => {
          fc.pre(new Set(differences).size > 3);
          const found = computed(hodgesLehmann(differences, 0.9));
          const moved = computed(
            hodgesLehmann(
              differences.map((value) => value + 3),
              0.9,
            ),
          );
          const mirrored = computed(
            hodgesLehmann(
              differences.map((value) => -value),
              0.9,
            ),
          );
          expect(moved.estimate).toBeCloseTo(found.estimate + 3, 9);
          expect(mirrored.estimate).toBeCloseTo(-found.estimate, 9);
          expect(found.achievedLevel).toBeGreaterThanOrEqual(0.9);
          if (isIndeterminate(found.interval)) return;
          expect(found.interval.lower).toBeLessThanOrEqual(found.estimate);
          expect(found.interval.upper).toBeGreaterThanOrEqual(found.estimate);
        },
      ),
      settings,
    );
  });

  test('says why there is no interval', () => {
    expect(hodgesLehmann([], 0.95)).toEqual({ status: 'indeterminate', reason: 'no-units' });
    expect(computed(hodgesLehmann([2, 2, 2, 2, 2, 2, 2], 0.95)).interval).toEqual({
      status: 'indeterminate',
      reason: 'constant-differences',
    });
    const many = Array.from({ length: 700 }, (_, index) => index);
    expect(computed(hodgesLehmann(many, 0.95))).toMatchObject({
      estimate: 349.5,
      interval: { status: 'indeterminate', reason: 'too-many-units' },
    });
  });
});

describe('decimalGrid', () => {
  test('keeps decimals as written, at every size', () => {
    for (const scale of [1e-310, 1e-20, 1e-3, 1, 1e15, 1e300]) {
      const grid = decimalGrid([3 * scale, -1 * scale, 0]);
      expect(grid.steps).toEqual([3, -1, 0]);
      expect(grid.fromSteps(3) / (3 * scale)).toBeCloseTo(1, 12);
    }
    expect(decimalGrid([0, 0]).steps).toEqual([0, 0]);
    expect(decimalGrid([0.1, 0.2, 0.3]).fromSteps(1)).toBe(0.1);
  });
});
