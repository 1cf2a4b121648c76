/** An option that is a choice is refused when it is none of them: an unknown word must not silently mean one of the others. */
import { describe, test } from 'vitest';
import { agreementInterval } from '../../src/stats/agreement.ts';
import { startBettingSequence } from '../../src/stats/betting-sequence.ts';
import { bootstrapInterval, bootstrapLaw } from '../../src/stats/bootstrap-interval.ts';
import { wildClusterTest } from '../../src/stats/cluster-resampling.ts';
import { groupSequentialBounds } from '../../src/stats/group-sequential.ts';
import { newcombePairedInterval } from '../../src/stats/paired-binary-intervals.ts';
import { percentile } from '../../src/stats/percentile.ts';
import { detectableEffect, pairedTPower, pairedTUnits } from '../../src/stats/power.ts';
import { mcnemarPower } from '../../src/stats/power-paired-binary.ts';
import { signedRankTest } from '../../src/stats/rank.ts';
import { expectRefusal, testSeed } from '../support/statistics.ts';

const seed = testSeed(1);
const bootstrap = { level: 0.95, seed, resamples: 1000 };
const counts = { both: 5, onlyCandidate: 4, onlyBaseline: 1, neither: 2 };
const rates = { onlyCandidate: 0.3, onlyBaseline: 0.1 };
const rule = { error: 0.025, sides: 1, test: 'exact' } as const;

describe('a choice that is none', () => {
  test.each<readonly [string, () => unknown, string]>([
    [
      'of the rules for zeros',
      // @ts-expect-error a word of another program
      () => signedRankTest([1, 2], 'wilcox'),
      'zeroRule must be one of wilcoxon, pratt, got wilcox',
    ],
    [
      'of the types of percentiles',
      // @ts-expect-error a type of Hyndman and Fan that is not offered
      () => percentile([1, 2], 50, 3),
      'type must be one of 1, 2, 6, 7, 8, got 3',
    ],
    [
      'of the weights of a wild bootstrap',
      // @ts-expect-error no such weights
      () => wildClusterTest([[1], [2]], { weights: 'mammen', resamples: 1000, seed }),
      'weights must be one of rademacher, webb, got mammen',
    ],
    [
      'of the paired Newcombe methods',
      // @ts-expect-error no such method
      () => newcombePairedInterval(counts, { level: 0.95, method: 'newcombe-11' }),
      'method must be one of newcombe-8, newcombe-9-continuity, newcombe-10, newcombe-10-continuity, got newcombe-11',
    ],
    [
      'of the bootstrap methods',
      // @ts-expect-error no such method
      () => bootstrapInterval([1, 2, 4], { ...bootstrap, method: 'bca' }),
      'method must be one of bootstrap-percentile, bootstrap-basic, bootstrap-bca, bootstrap-t, got bca',
    ],
    [
      'of the statistics',
      // @ts-expect-error no such statistic
      () => bootstrapLaw([1, 2, 4], { ...bootstrap, statistic: { kind: 'mode' } }),
      'statistic.kind must be one of mean, median, quantile, trimmed-mean, ratio-of-means, custom, got mode',
    ],
    [
      'of the preferences',
      // @ts-expect-error no such preference
      () => bootstrapLaw([1, 2, 4], { ...bootstrap, prefer: 'draws' }),
      'prefer must be one of exact, resample, got draws',
    ],
    [
      'of the measures of agreement',
      () =>
        agreementInterval(
          { first: [1, 2, 4], second: [1, 3, 2] },
          // @ts-expect-error no such measure
          { ...bootstrap, method: 'bootstrap-percentile', measure: 'kendall' },
        ),
      'measure must be one of pearson, spearman, kendall-tau-b, lin, mean-absolute-error, root-mean-square-error, got kendall',
    ],
    [
      'of the designs with looks',
      () =>
        groupSequentialBounds(
          // @ts-expect-error no such design
          { design: 'haybittle', looks: 3, significanceLevel: 0.05, sides: 2 },
        ),
      'design must be one of pocock, obrien-fleming, spending-obrien-fleming, spending-pocock, got haybittle',
    ],
    [
      'of the sides of a design with looks',
      () =>
        groupSequentialBounds(
          // @ts-expect-error a test has one side or two
          { design: 'pocock', looks: 3, significanceLevel: 0.05, sides: 0 },
        ),
      'sides must be one of 1, 2, got 0',
    ],
    [
      'of the sides of a t test',
      // @ts-expect-error a test has one side or two
      () => pairedTPower({ units: 10, standardizedEffect: 0.5, error: 0.025, sides: 3 }),
      'sides must be one of 1, 2, got 3',
    ],
    [
      'of the sides of its units',
      // @ts-expect-error a test has one side or two
      () => pairedTUnits({ standardizedEffect: 0.5, error: 0.025, sides: 0, power: 0.8 }),
      'sides must be one of 1, 2, got 0',
    ],
    [
      'of the sides of its effect',
      // @ts-expect-error a test has one side or two
      () => detectableEffect({ units: 10, error: 0.025, sides: '2', power: 0.8 }),
      'sides must be one of 1, 2, got 2',
    ],
    [
      'of the tests of McNemar',
      () =>
        // @ts-expect-error no such test
        mcnemarPower({ ...rule, units: 20, rates, test: 'liddell' }),
      'test must be one of exact, mid-p, asymptotic, got liddell',
    ],
    [
      'of the sides of a test of McNemar',
      // @ts-expect-error a test has one side or two
      () => mcnemarPower({ ...rule, units: 20, rates, sides: 4 }),
      'sides must be one of 1, 2, got 4',
    ],
  ])('%s is refused', (_name, call, message) => {
    expectRefusal(call, message);
  });

  test('of the sides of a betting sequence is refused', () => {
    const range = { lower: -1, upper: 1 };
    expectRefusal(
      // @ts-expect-error no such sides
      () => startBettingSequence({ range, error: 0.05, sides: 'two' }),
      'sides must be both, lower or upper, got two',
    );
  });
});
