/** Every argument that cannot be is refused by its name; what is only too little evidence is indeterminate, with its reason. */
import { describe, expect, test } from 'vitest';
import { bettingBounds } from '../../src/stats/betting.ts';
import { clusteredMeanBounds, clusteredMeanInterval } from '../../src/stats/clustered.ts';
import { holmByBounds } from '../../src/stats/multiplicity.ts';
import { pairedRiskDifferenceBounds } from '../../src/stats/paired-binary.ts';
import {
  agrestiCoullInterval,
  clopperPearsonInterval,
  clopperPearsonLower,
  clopperPearsonUpper,
  jeffreysInterval,
  midPInterval,
  wilsonContinuityInterval,
  wilsonInterval,
} from '../../src/stats/proportion.ts';
import { equivalenceTest, pairedTTest, pooledTTest, welchTTest } from '../../src/stats/t-test.ts';
import { expectRefusal } from '../support/statistics.ts';

const values = [1, 2, 4];
const arms = { baseline: [1, 2], candidate: [1, 5, 9] };
const counts = { successes: 3, units: 10 };
const margins = { lower: -1, upper: 1 };
const range = { lower: 0, upper: 1 };
const level = 0.95;
const betting = { range, error: 0.025, truncation: 0.95 };

const refused: Readonly<Record<string, readonly [call: () => unknown, message: string]>> = {
  'a hypothesis that is no number': [
    () => pairedTTest(values, { hypothesis: Number.NaN, level }),
    'hypothesis must be a finite number, got NaN',
  ],
  'a level of 1 for paired t': [
    () => pairedTTest(values, { hypothesis: 0, level: 1 }),
    'level must be a probability strictly between 0 and 1, got 1',
  ],
  'a level of 0 for Welch': [
    () => welchTTest(arms, 0),
    'level must be a probability strictly between 0 and 1, got 0',
  ],
  'a level of 2 for pooled t': [
    () => pooledTTest(arms, 2),
    'level must be a probability strictly between 0 and 1, got 2',
  ],
  'a baseline value that is no number': [
    () => welchTTest({ ...arms, baseline: [1, Number.NaN] }, level),
    'baseline[1] must be a finite number, got NaN',
  ],
  'a candidate value that is no number': [
    () => pooledTTest({ ...arms, candidate: [Number.POSITIVE_INFINITY] }, level),
    'candidate[0] must be a finite number, got Infinity',
  ],
  'a lower margin that is no number': [
    () => equivalenceTest(values, { margins: { ...margins, lower: Number.NaN }, error: 0.05 }),
    'margins.lower must be a finite number, got NaN',
  ],
  'an upper margin that is no number': [
    () => equivalenceTest(values, { margins: { ...margins, upper: Number.NaN }, error: 0.05 }),
    'margins.upper must be a finite number, got NaN',
  ],
  'an equivalence error of one half': [
    () => equivalenceTest(values, { margins, error: 0.5 }),
    'error must be a one-sided error strictly between 0 and 0.5, got 0.5',
  ],
  'an error of 0.6 for cases within units': [
    () => clusteredMeanBounds([[1], [2]], 0.6),
    'error must be a one-sided error strictly between 0 and 0.5, got 0.6',
  ],
  'a level of 1 for cases within units': [
    () => clusteredMeanInterval([[1], [2]], 1),
    'level must be a probability strictly between 0 and 1, got 1',
  ],
  'half a unit': [
    () => wilsonInterval({ successes: 0, units: 1.5 }, level),
    'units must be a whole number of at least 0, got 1.5',
  ],
  'an error of 0 for a lower bound': [
    () => clopperPearsonLower(counts, 0),
    'error must be a one-sided error strictly between 0 and 0.5, got 0',
  ],
  'a count that is not whole': [
    () =>
      pairedRiskDifferenceBounds(
        { both: 0.5, onlyCandidate: 1, onlyBaseline: 1, neither: 1 },
        0.025,
      ),
    'both must be a whole number of at least 0, got 0.5',
  ],
  'a range without an end': [
    () =>
      bettingBounds([0.5], { ...betting, range: { lower: 0, upper: Number.POSITIVE_INFINITY } }),
    'range[1] must be a finite number, got Infinity',
  ],
};

describe('an argument that cannot be', () => {
  test.each(Object.entries(refused))('is refused by its name: %s', (_, [call, message]) => {
    expectRefusal(call, message);
  });

  test('a candidate without an answer at every divisor is refused with its place and a way out', () => {
    expect(() => holmByBounds([[true, true], [true]])).toThrow(
      expect.objectContaining({
        where: { path: 'clears[1]' },
        mend: 'Evaluate every candidate at every divisor from 1 to m.',
      }),
    );
  });

  test('a range without width is refused with its place and a way out', () => {
    expect(() => bettingBounds([0.5], { ...betting, range: { lower: 1, upper: 1 } })).toThrow(
      expect.objectContaining({
        where: { path: 'range' },
        mend: 'Declare the smallest and the largest value one unit can take.',
      }),
    );
  });

  test('a value a little beyond the declared range is pulled in, whatever the width of the range', () => {
    for (const width of [1e-3, 1, 1e6]) {
      const wide = { ...betting, range: { lower: 0, upper: width } };
      const inside = new Array<number>(9).fill(width);
      const beyond = inside.map((value) => value * (1 + 5e-13));
      expect(bettingBounds(beyond, wide)).toEqual(bettingBounds(inside, wide));
      expect(() => bettingBounds([width * (1 + 2e-12)], wide)).toThrow('values[0] must be');
      expect(() => bettingBounds([-2e-12 * width], wide)).toThrow('values[0] must be');
      expect(bettingBounds([-5e-13 * width], wide)).toEqual(bettingBounds([0], wide));
    }
  });
});

describe('evidence that is too little', () => {
  const nothing = { status: 'indeterminate', reason: 'no-units' };
  const tooFew = { status: 'indeterminate', reason: 'too-few-units' };

  test.each([
    ['wilson', () => wilsonInterval({ successes: 0, units: 0 }, level)],
    ['wilson-continuity', () => wilsonContinuityInterval({ successes: 0, units: 0 }, level)],
    ['clopper-pearson', () => clopperPearsonInterval({ successes: 0, units: 0 }, level)],
    ['clopper-pearson lower', () => clopperPearsonLower({ successes: 0, units: 0 }, 0.05)],
    ['clopper-pearson upper', () => clopperPearsonUpper({ successes: 0, units: 0 }, 0.05)],
    ['jeffreys', () => jeffreysInterval({ successes: 0, units: 0 }, { level, closedEnds: true })],
    ['agresti-coull', () => agrestiCoullInterval({ successes: 0, units: 0 }, level)],
    ['mid-p', () => midPInterval({ successes: 0, units: 0 }, level)],
    ['betting', () => bettingBounds([], betting)],
    ['an empty baseline', () => welchTTest({ ...arms, baseline: [] }, level)],
    ['an empty candidate', () => pooledTTest({ ...arms, candidate: [] }, level)],
    ['no differences', () => equivalenceTest([], { margins, error: 0.05 })],
  ])('no units: %s', (_, call) => {
    expect(call()).toEqual(nothing);
  });

  test('one unit in either arm has no spread, one difference neither', () => {
    expect(welchTTest({ ...arms, baseline: [1] }, level)).toEqual(tooFew);
    expect(pooledTTest({ ...arms, candidate: [1] }, level)).toEqual(tooFew);
    expect(equivalenceTest([1], { margins, error: 0.05 })).toEqual(tooFew);
  });

  test('a spread no double can hold is said, in either arm', () => {
    const huge = [-1e200, 1e200];
    const large = { status: 'indeterminate', reason: 'spread-too-large' };
    expect(welchTTest({ baseline: huge, candidate: huge }, level)).toEqual(large);
    expect(welchTTest({ baseline: values, candidate: huge }, level)).toEqual(large);
  });
});

describe('ends that are exact', () => {
  test('Wilson is 0 without a success and 1 without a failure, at any number of units', () => {
    for (let units = 1; units <= 400; units += 1) {
      expect(wilsonInterval({ successes: 0, units }, level)).toMatchObject({ lower: 0 });
      expect(wilsonInterval({ successes: units, units }, level)).toMatchObject({ upper: 1 });
    }
  });

  test('mid-P is 0 without a success and 1 without a failure', () => {
    expect(midPInterval({ successes: 0, units: 7 }, level)).toMatchObject({ lower: 0 });
    expect(midPInterval({ successes: 7, units: 7 }, level)).toMatchObject({ upper: 1 });
  });
});
