/** Public cases about single statistical functions: an undefined number is said to be undefined, and never a certain one. */
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { cohenKappa } from '../../src/stats/agreement.ts';
import {
  bettingSequenceBounds,
  extendBettingSequence,
  startBettingSequence,
} from '../../src/stats/betting-sequence.ts';
import { clusterVariance } from '../../src/stats/clustered.ts';
import { intraclassCorrelations } from '../../src/stats/intraclass.ts';
import { clopperPearsonInterval } from '../../src/stats/proportion.ts';
import { resamplingStream } from '../../src/stats/random.ts';
import { signedRankTest } from '../../src/stats/rank.ts';
import { krippendorffAlpha } from '../../src/stats/reliability.ts';
import { logSignE } from '../../src/stats/sign-e-process.ts';
import { signFlipTest } from '../../src/stats/sign-flip.ts';
import { moments } from '../../src/stats/summary.ts';
import { inputNumbers, publicCase } from '../support/public-cases.ts';
import { computed, expectRefusal, testSeed } from '../support/statistics.ts';

function expectedNumber(id: string, field: string): number {
  return z.number().parse(publicCase(id).expected[field]);
}

describe('public cases', () => {
  test('PB-21: five equal gains have a measured p-value, which is also the least there can be', () => {
    const differences = inputNumbers('PB-21', 'differences');
    const wanted = expectedNumber('PB-21', 'p_two_sided');
    expect(computed(signedRankTest(differences, 'wilcoxon')).pTwoSided).toBe(wanted);
    expect(computed(signFlipTest(differences)).pTwoSided).toBe(wanted);
    expect(2 / 2 ** differences.length).toBe(expectedNumber('PB-21', 'p_floor'));
  });

  test('PB-22: NaN among the values is refused by its place, at once', () => {
    const { a, b } = z
      .object({ a: z.array(z.number()), b: z.array(z.union([z.number(), z.literal('NaN')])) })
      .parse(publicCase('PB-22').input);
    const second = b.map(Number);
    const differences = second.map((value, at) => value - (a[at] ?? 0));
    const started = performance.now();
    expectRefusal(
      () => signedRankTest(differences, 'wilcoxon'),
      'differences[0] must be a finite number, got NaN',
    );
    expectRefusal(
      () => signFlipTest(differences),
      'differences[0] must be a finite number, got NaN',
    );
    expect(performance.now() - started).toBeLessThan(
      z.number().parse(publicCase('PB-22').input['timeout_ms']),
    );
  });

  test('PB-23: three passages of four answers have the standard error of three units', () => {
    const scores = z
      .record(z.string(), z.array(z.number()))
      .parse(publicCase('PB-23').input['scores']);
    const found = computed(clusterVariance(Object.values(scores)));
    expect(Math.sqrt(found.cr1)).toBeCloseTo(
      expectedNumber('PB-23', 'clustered_se_with_C_over_C_minus_1'),
      6,
    );
    expect(found.units).toBe(expectedNumber('PB-23', 'independent_units'));
    // Even three gains of whole units are no evidence at 5 %: the least two-sided p-value there is.
    expect(computed(signFlipTest([1, 1, 1])).pTwoSided).toBe(0.25);
  });

  test('PB-26: strictly between none and all, the standard error is positive and the interval has width', () => {
    const { rows } = z
      .object({ rows: z.array(z.object({ n: z.number(), passes: z.number() })) })
      .parse(publicCase('PB-26').input);
    const wanted = z.array(z.number()).parse(publicCase('PB-26').expected['se_sample']);
    for (const [at, { n, passes }] of rows.entries()) {
      const values = Array.from({ length: n }, (_, unit) => (unit < passes ? 1 : 0));
      const { variance } = moments(values);
      expect(Math.sqrt(variance / n)).toBeCloseTo(wanted[at] ?? Number.NaN, 6);
      const counts = { successes: passes, units: n };
      const { lower, upper } = computed(clopperPearsonInterval(counts, 0.95));
      expect(lower).toBeLessThan(passes / n);
      expect(upper).toBeGreaterThan(passes / n);
    }
  });

  test('PB-33: one category alone has agreement and no kappa', () => {
    const found = computed(
      cohenKappa({
        first: inputNumbers('PB-33', 'rater_a'),
        second: inputNumbers('PB-33', 'rater_b'),
        categories: [0, 1],
      }),
    );
    expect(found.observedAgreement).toBe(expectedNumber('PB-33', 'raw_agreement'));
    expect(found.unweighted).toMatchObject({ reason: 'one-category' });
  });

  test('PB-34: identical judges agree, opposed judges do not', () => {
    const input = z
      .object({
        judge_a: z.array(z.number()),
        judge_b: z.array(z.number()),
        // biome-ignore lint/suspicious/noThenProperty: the file calls the second pair of judges so
        then: z.object({ judge_a: z.array(z.number()), judge_b: z.array(z.number()) }),
      })
      .parse(publicCase('PB-34').input);
    const byUnit = (a: readonly number[], b: readonly number[]): number[][] =>
      a.map((value, at) => [value, b[at] ?? Number.NaN]);
    const same = byUnit(input.judge_a, input.judge_b);
    const opposed = byUnit(input.then.judge_a, input.then.judge_b);
    expect(computed(computed(krippendorffAlpha(same)).interval)).toBe(1);
    expect(computed(computed(krippendorffAlpha(opposed)).interval)).toBeLessThanOrEqual(0);
    expect(computed(computed(intraclassCorrelations(same, 0.95)).agreement.value)).toBe(1);
    expect(
      computed(computed(intraclassCorrelations(opposed, 0.95)).agreement.value),
    ).toBeLessThanOrEqual(0);
  });

  test('PB-45: looking after every pair of identical arms ships at most as often as sealed', () => {
    const {
      trials,
      max_pairs: pairs,
      pass_rate: rate,
    } = z
      .object({ trials: z.number(), max_pairs: z.number(), pass_rate: z.number() })
      .parse(z.looseObject({}).parse(publicCase('PB-45').input)['simulate']);
    const error = z.number().parse(publicCase('PB-45').input['alpha']);
    const stream = resamplingStream(testSeed(45));
    const passed = (): number => ((stream.word() + 0.5) / 2 ** 32 < rate ? 1 : 0);
    const ships = (): boolean => {
      const counts = { wins: 0, losses: 0 };
      for (let pair = 0; pair < pairs; pair += 1) {
        const difference = passed() - passed();
        counts.wins += Math.max(0, difference);
        counts.losses += Math.max(0, -difference);
        if (difference > 0 && logSignE(counts) >= Math.log(1 / error)) return true;
      }
      return false;
    };
    const shipped = Array.from({ length: trials }, ships).filter(Boolean).length;
    const observed = computed(clopperPearsonInterval({ successes: shipped, units: trials }, 0.95));
    expect(shipped / trials).toBeLessThanOrEqual(
      expectedNumber('PB-45', 'false_ship_rate_at_most'),
    );
    expect(observed.lower).toBeLessThan(error);
    // Most of it is spent, so the bound is no accident of a rule that never ships.
    expect(shipped / trials).toBeGreaterThan(0.005);
  });

  test('PB-45: the confidence sequence of the same looks covers no difference throughout', () => {
    const stream = resamplingStream(testSeed(46));
    let missed = 0;
    for (let trial = 0; trial < 100; trial += 1) {
      const values = Array.from(
        { length: 200 },
        () => (stream.word() % 5 < 4 ? 1 : 0) - (stream.word() % 5 < 4 ? 1 : 0),
      );
      const plan = { range: { lower: -1, upper: 1 }, error: 0.05, sides: 'lower' } as const;
      const bounds = bettingSequenceBounds(
        extendBettingSequence(startBettingSequence(plan), values),
      );
      if (bounds.running.lower > 0) missed += 1;
    }
    expect(missed).toBeLessThanOrEqual(11);
  });
});
