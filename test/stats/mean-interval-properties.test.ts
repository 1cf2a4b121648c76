/** Properties of every interval of values: means of units, of cases within units, of a roster, and sequences of looks. */
import fc from 'fast-check';
import { describe } from 'vitest';
import { bettingBounds, bettingTruncation } from '../../src/stats/betting.ts';
import {
  bettingSequenceBounds,
  empiricalBernsteinBounds,
  extendBettingSequence,
  startBettingSequence,
} from '../../src/stats/betting-sequence.ts';
import { tBootstrapTBounds } from '../../src/stats/bootstrap.ts';
import { bootstrapInterval } from '../../src/stats/bootstrap-interval.ts';
import { clusterBootstrapBounds } from '../../src/stats/cluster-resampling.ts';
import { clusteredMeanInterval, unitTotals } from '../../src/stats/clustered.ts';
import { clusteredRiskDifferenceInterval } from '../../src/stats/clustered-binary.ts';
import { standardizedDifference } from '../../src/stats/effect-size.ts';
import { rosterBounds } from '../../src/stats/fixed-roster.ts';
import { type Bounds, errorPerSide, type Indeterminate } from '../../src/stats/interval.ts';
import { meanDifferenceInterval } from '../../src/stats/mean-difference.ts';
import { hodgesLehmann } from '../../src/stats/rank.ts';
import { trimmedMean, trimmedMeanInterval } from '../../src/stats/robust.ts';
import { signFlipInterval } from '../../src/stats/sign-flip.ts';
import { moments } from '../../src/stats/summary.ts';
import { pooledTTest, type TwoArms, welchTTest } from '../../src/stats/t-test.ts';
import { propertiesOf, type Row } from '../support/interval-properties.ts';
import { computed, testSeed } from '../support/statistics.ts';

const seed = testSeed(11);
const resamples = 1000;

const meanOf = (values: readonly number[]): number => moments(values).mean;
const negated = (values: readonly number[]): number[] => values.map((value) => 0 - value);
/** An order no rule of the kernel sorts by: the second half first, backwards. */
const reordered = <Value>(values: readonly Value[]): Value[] => [
  ...values.slice(values.length / 2).reverse(),
  ...values.slice(0, values.length / 2),
];

describe('intervals of one value per unit', () => {
  type Values = readonly number[];
  const bootstrap =
    (
      method: 'bootstrap-percentile' | 'bootstrap-basic' | 'bootstrap-bca' | 'bootstrap-t',
    ): Row<Values>['interval'] =>
    (values, level) =>
      bootstrapInterval(values, { method, level, seed, resamples });
  const ends = ({ interval }: { readonly interval: Bounds | Indeterminate }) => interval;
  propertiesOf<Values>(
    {
      // Unequal steps, so that no two sums of resamples meet by chance.
      arbitrary: fc
        .uniqueArray(fc.integer({ min: -400, max: 400 }), { minLength: 7, maxLength: 14 })
        .map((steps) => steps.map((step) => step / 16)),
      swap: negated,
      reorder: reordered,
      move: (values, by) => values.map((value) => value + by),
      stretch: (values, by) => values.map((value) => value * by),
      mirror: (value) => -value,
    },
    {
      t: { interval: meanDifferenceInterval, estimate: meanOf },
      'bootstrap-t': { interval: bootstrap('bootstrap-t'), mirrorSlack: 0.12, estimate: meanOf },
      't-bootstrap-t': {
        interval: (values, level) =>
          tBootstrapTBounds(values, { error: errorPerSide(level), seed, resamples }),
        bare: true,
        mirrorSlack: 0.12,
        estimate: meanOf,
      },
      'bootstrap-percentile': {
        interval: bootstrap('bootstrap-percentile'),
        mirrorSlack: 0.02,
        estimate: meanOf,
      },
      'bootstrap-basic': {
        interval: bootstrap('bootstrap-basic'),
        mirrorSlack: 0.02,
        estimate: meanOf,
      },
      'bootstrap-bca': {
        interval: bootstrap('bootstrap-bca'),
        mirrorSlack: 0.02,
        estimate: meanOf,
      },
      'trimmed-t': {
        interval: (values, level) => trimmedMeanInterval(values, { trimPercent: 20, level }),
        estimate: (values) => computed(trimmedMean(values, 20)).mean,
      },
      'hodges-lehmann': {
        interval: (values, level) => ends(computed(hodgesLehmann(values, level))),
        estimate: (values) => computed(hodgesLehmann(values, 0.9)).estimate,
      },
      'sign-flip': { interval: signFlipInterval, estimate: meanOf },
    },
    12,
  );
});

describe('standardized intervals of one value per unit', () => {
  propertiesOf<readonly number[]>(
    {
      arbitrary: fc
        .uniqueArray(fc.integer({ min: -400, max: 400 }), { minLength: 3, maxLength: 20 })
        .map((steps) => steps.map((step) => step / 16)),
      swap: negated,
      reorder: reordered,
      mirror: (value) => -value,
    },
    {
      'noncentral-t': {
        interval: (values, level) => computed(standardizedDifference(values, level)).interval,
        estimate: (values) => computed(standardizedDifference(values, 0.9)).dz,
      },
    },
    5,
  );
});

describe('intervals of values with a declared range', () => {
  interface Bounded {
    readonly values: readonly number[];
    readonly range: Bounds;
  }
  const sequence = ({ values, range }: Bounded, level: number) =>
    extendBettingSequence(startBettingSequence({ range, error: 1 - level, sides: 'both' }), values);
  const changed = ({ values, range }: Bounded, change: (value: number) => number): Bounded => ({
    values: values.map(change),
    range: { lower: change(range.lower), upper: change(range.upper) },
  });
  propertiesOf<Bounded>(
    {
      arbitrary: fc
        .array(fc.integer({ min: -16, max: 16 }), { minLength: 5, maxLength: 60 })
        .map((steps) => ({
          values: steps.map((step) => step / 16),
          range: { lower: -1, upper: 1 },
        })),
      swap: ({ values, range }) => ({
        values: negated(values),
        range: { lower: -range.upper, upper: -range.lower },
      }),
      reorder: ({ values, range }) => ({ values: reordered(values), range }),
      move: (evidence, by) => changed(evidence, (value) => value + by),
      stretch: (evidence, by) => changed(evidence, (value) => value * by),
      mirror: (value) => -value,
    },
    {
      'betting-fixed-n': {
        interval: ({ values, range }, level) =>
          bettingBounds(values, {
            range,
            error: errorPerSide(level),
            truncation: bettingTruncation,
          }),
        ordered: true,
        bare: true,
        estimate: ({ values }) => meanOf(values),
      },
      'betting sequence': {
        interval: (evidence, level) => bettingSequenceBounds(sequence(evidence, level)).latest,
        ordered: true,
        bare: true,
      },
      'empirical Bernstein': {
        interval: (evidence, level) => empiricalBernsteinBounds(sequence(evidence, level)),
        ordered: true,
        bare: true,
      },
    },
    40,
  );
});

type Units = readonly (readonly number[])[];

/** Two units or more, the cases of each in any order. */
const unitKind = (arbitrary: fc.Arbitrary<Units>) => ({
  arbitrary,
  swap: (units: Units): Units => units.map(negated),
  reorder: (units: Units): Units => reordered(units.map((unit) => [...unit].reverse())),
  mirror: (value: number): number => -value,
});

const valueUnits = fc
  .array(fc.array(fc.integer({ min: -64, max: 64 }), { minLength: 2, maxLength: 6 }), {
    minLength: 4,
    maxLength: 9,
  })
  .map((units) => units.map((unit) => unit.map((step) => step / 16)));

describe('intervals of several cases or repeats per unit', () => {
  const meanOfUnits = (units: Units): number => meanOf(units.map(meanOf));
  propertiesOf<Units>(
    {
      ...unitKind(valueUnits),
      move: (units, by) => units.map((unit) => unit.map((value) => value + by)),
      stretch: (units, by) => units.map((unit) => unit.map((value) => value * by)),
    },
    {
      cr2: { interval: clusteredMeanInterval, estimate: (units) => unitTotals(units).estimate },
      'cluster bootstrap': {
        interval: (units, level) => clusterBootstrapBounds(units, { level, seed, resamples }),
        bare: true,
        mirrorSlack: 0.02,
        estimate: (units) => unitTotals(units).estimate,
      },
      'roster-t': {
        interval: (units, level) => rosterBounds(units, errorPerSide(level)),
        bare: true,
        estimate: meanOfUnits,
      },
    },
    30,
  );
});

describe('the interval of gains and losses of several cases per unit', () => {
  const outcomes = fc.array(
    fc.array(fc.constantFrom(-1, 0, 0, 1), { minLength: 1, maxLength: 6 }),
    { minLength: 2, maxLength: 9 },
  );
  propertiesOf<Units>(
    unitKind(outcomes),
    {
      'tango-effective-n': {
        interval: clusteredRiskDifferenceInterval,
        estimate: (units) => unitTotals(units).estimate,
      },
    },
    60,
  );
});

describe('intervals of two independent arms', () => {
  const arm = fc
    .uniqueArray(fc.integer({ min: -400, max: 400 }), { minLength: 2, maxLength: 12 })
    .map((steps) => steps.map((step) => step / 16));
  const estimate = ({ candidate, baseline }: TwoArms): number =>
    meanOf(candidate) - meanOf(baseline);
  propertiesOf<TwoArms>(
    {
      arbitrary: fc.record({ baseline: arm, candidate: arm }),
      swap: ({ baseline, candidate }) => ({ baseline: candidate, candidate: baseline }),
      reorder: ({ baseline, candidate }) => ({
        baseline: reordered(baseline),
        candidate: reordered(candidate),
      }),
      move: ({ baseline, candidate }, by) => ({
        baseline,
        candidate: candidate.map((value) => value + by),
      }),
      stretch: ({ baseline, candidate }, by) => ({
        baseline: baseline.map((value) => value * by),
        candidate: candidate.map((value) => value * by),
      }),
      mirror: (value) => -value,
    },
    {
      'welch-t': {
        interval: (arms, level) => computed(welchTTest(arms, level)).interval,
        estimate,
      },
      'pooled-t': {
        interval: (arms, level) => computed(pooledTTest(arms, level)).interval,
        estimate,
      },
    },
    40,
  );
});
