import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  anytimeBounds,
  type BettingSequenceState,
  bettingSequenceBounds,
  bettingSequenceWealth,
  checkBettingSequence,
  empiricalBernsteinBounds,
  extendBettingSequence,
  startBettingSequence,
} from '../../src/stats/betting-sequence.ts';
import { exp } from '../../src/stats/elementary.ts';
import { resamplingStream } from '../../src/stats/random.ts';
import {
  checkSignProcess,
  extendSignProcess,
  logSignE,
  readSignProcess,
  startSignProcess,
} from '../../src/stats/sign-e-process.ts';
import { expectRefusal, testSeed } from '../support/statistics.ts';

const unitRange = Object.freeze({ lower: 0, upper: 1 });

function stateOf(values: readonly number[], error: number): BettingSequenceState {
  return extendBettingSequence(
    startBettingSequence({ range: unitRange, error, sides: 'both' }),
    values,
  );
}

const shares = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), {
  minLength: 1,
  maxLength: 60,
});

describe('bettingSequenceBounds', () => {
  test('the running bounds are the intersection of all looks so far, and only ever tighten', () => {
    fc.assert(
      fc.property(shares, (values) => {
        let lower = 0;
        let upper = 1;
        values.forEach((_, index) => {
          const { latest, running } = bettingSequenceBounds(
            stateOf(values.slice(0, index + 1), 0.1),
          );
          lower = Math.max(lower, latest.lower);
          upper = Math.min(upper, latest.upper);
          expect(running.lower).toBeCloseTo(lower, 12);
          expect(running.upper).toBeCloseTo(upper, 12);
        });
      }),
      { seed: 20261201, numRuns: 40 },
    );
  });

  test('mirrors with the values and moves with the range', () => {
    fc.assert(
      fc.property(shares, (values) => {
        const found = bettingSequenceBounds(stateOf(values, 0.1)).running;
        const mirrored = bettingSequenceBounds(
          stateOf(
            values.map((value) => 1 - value),
            0.1,
          ),
        ).running;
        const wide = bettingSequenceBounds({
          ...stateOf([], 0.1),
          range: { lower: -1, upper: 1 },
          values: values.map((value) => Math.max(-1, Math.min(1, 2 * value - 1))),
        }).running;
        expect(mirrored.upper).toBeCloseTo(1 - found.lower, 10);
        expect(wide.lower).toBeCloseTo(2 * found.lower - 1, 10);
      }),
      { seed: 20261202, numRuns: 80 },
    );
  });

  test('one side alone is tighter there and leaves the other end open', () => {
    const values = Array.from({ length: 40 }, (_, index) => (index % 3 === 0 ? 0.2 : 0.9));
    const both = bettingSequenceBounds(stateOf(values, 0.05)).running;
    const lower = bettingSequenceBounds({ ...stateOf(values, 0.05), sides: 'lower' }).running;
    const upper = bettingSequenceBounds({ ...stateOf(values, 0.05), sides: 'upper' }).running;
    expect(lower.lower).toBeGreaterThan(both.lower);
    expect(upper.upper).toBeLessThan(both.upper);
    expect([lower.upper, upper.lower]).toEqual([1, 0]);
  });

  test('ever excludes the true mean in no more than its error of 1,000 sequences watched throughout', () => {
    const stream = resamplingStream(testSeed(41));
    let missed = 0;
    for (let run = 0; run < 1000; run += 1) {
      const values = Array.from({ length: 60 }, () => (stream.below(10) < 3 ? 1 : 0));
      const { running } = bettingSequenceBounds(stateOf(values, 0.1));
      if (running.lower > 0.3 || running.upper < 0.3) missed += 1;
    }
    expect(missed).toBeLessThanOrEqual(100);
  });
});

describe('checkBettingSequence', () => {
  const state = stateOf([0.5, 1], 0.05);

  test('gives back what was written, so that a sequence resumes where it stopped', () => {
    const read = checkBettingSequence(JSON.parse(JSON.stringify(state)));
    expect(bettingSequenceBounds(extendBettingSequence(read, [0.25]))).toEqual(
      bettingSequenceBounds(stateOf([0.5, 1, 0.25], 0.05)),
    );
  });

  test.each<[string, unknown, string]>([
    ['nothing', null, 'state must be a record'],
    [
      'a further member',
      { ...state, lower: 0 },
      'state must have the members error, format, range, sides, values, got error, format, lower, range, sides, values',
    ],
    ['another format', { ...state, format: 'x' }, 'format must be betting-sequence/1, got x'],
    [
      'an unknown side',
      { ...state, sides: 'left' },
      'sides must be both, lower or upper, got left',
    ],
    ['no list', { ...state, values: 3 }, 'values must be a list'],
    ['a text among the values', { ...state, values: ['1'] }, 'values[0] must be a number'],
    [
      'a value outside',
      { ...state, values: [1.5] },
      'values[0] must be a number from 0 to 1, got 1.5',
    ],
    [
      'a turned range',
      { ...state, range: { lower: 1, upper: 0 } },
      'range must hold numbers with lower below upper',
    ],
    [
      'an error of one',
      { ...state, error: 1 },
      'error must be a one-sided error strictly between 0 and 0.5, got 1',
    ],
  ])('refuses %s', (_, value, message) => {
    expectRefusal(() => checkBettingSequence(value), message);
  });

  test('the empirical Bernstein form is two-sided and begins with the whole range', () => {
    expectRefusal(
      () => empiricalBernsteinBounds({ ...state, sides: 'lower' }),
      'sides must be both, got lower',
    );
    expect(empiricalBernsteinBounds(stateOf([], 0.05))).toEqual(unitRange);
  });
});

describe('sign process', () => {
  const state = extendSignProcess(startSignProcess(0.05), '++0+-+++++');

  test('resumes from what was written', () => {
    const read = checkSignProcess(JSON.parse(JSON.stringify(state)));
    expect(read).toEqual(state);
    expect(extendSignProcess(read, '++')).toEqual(
      extendSignProcess(startSignProcess(0.05), '++0+-+++++++'),
    );
  });

  test('a crossing stays although the signs turn', () => {
    const crossed = extendSignProcess(startSignProcess(0.05), '++++++++++');
    const turned = extendSignProcess(crossed, '-'.repeat(30));
    expect(turned.firstCrossing).toBe(7);
    expect(readSignProcess(turned).pAnytime).toBe(readSignProcess(crossed).pAnytime);
    expect(readSignProcess(turned)).toMatchObject({ wins: 10, losses: 30, ties: 0 });
  });

  test.each<[string, unknown, string]>([
    [
      'nothing',
      null,
      'state must have the members error, firstCrossing, format, logLargest, signs, got ',
    ],
    ['another format', { ...state, format: 'x' }, 'format must be sign-e-process/1, got x'],
    ['no text', { ...state, signs: 4 }, 'signs must be a text'],
    ['an unknown sign', { ...state, signs: '+x' }, 'signs must hold only +, - and 0, got x at 1'],
    [
      'a crossing nobody saw',
      { ...state, firstCrossing: 2 },
      'logLargest and firstCrossing must follow from the signs',
    ],
    [
      'a larger e-value than the signs give',
      { ...state, logLargest: 9 },
      'logLargest and firstCrossing must follow from the signs',
    ],
  ])('refuses %s', (_, value, message) => {
    expectRefusal(() => checkSignProcess(value), message);
  });

  test('is a fair game: its expected value after a fixed number of pairs is 1 under the null', () => {
    const pairs = 12;
    let expected = 0;
    let orders = 1;
    for (let wins = 0; wins <= pairs; wins += 1) {
      expected += (orders / 2 ** pairs) * exp(logSignE({ wins, losses: pairs - wins }));
      orders = (orders * (pairs - wins)) / (wins + 1);
    }
    expect(expected).toBeCloseTo(1, 12);
  });
});

describe('anytimeBounds and bettingSequenceWealth', () => {
  const range = { lower: -1, upper: 1 };

  test('are not monotone: a better value can change later bets so that a bound falls', () => {
    const values = [1, 1, 1, -1, -1, 1, -1, 1, 1, -1, 1, -1, -1, 1, 1, 1];
    const better = values.map((value, at) => (at === 3 ? -0.8654669463634491 : value));
    const options = { range, error: 0.025 };
    expect(anytimeBounds(better, options).upper).toBeLessThan(
      anytimeBounds(values, options).upper - 1e-6,
    );
  });

  test('say the same: the wealth against a mean is beyond the goal where the bound is above it', () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: -1, max: 1, noNaN: true }), { minLength: 1, maxLength: 30 }),
        fc.constantFrom(-0.3, 0, 0.1),
        (values, against) => {
          const error = 0.2;
          const start = startBettingSequence({ range, error, sides: 'lower' });
          const wealth = bettingSequenceWealth(extendBettingSequence(start, values), against);
          const { lower } = anytimeBounds(values, { range, error });
          expect(wealth.refutedAt !== null).toBe(lower > against);
          const at = wealth.refutedAt ?? 0;
          if (at > 0) {
            const lowerAt = (count: number): number =>
              anytimeBounds(values.slice(0, count), { range, error }).lower;
            expect(lowerAt(at)).toBeGreaterThan(against);
            expect(lowerAt(at - 1)).toBeLessThanOrEqual(against);
          }
        },
      ),
      { seed: 9, numRuns: 300 },
    );
  });
});
