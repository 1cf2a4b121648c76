import { describe, expect, test } from 'vitest';
import {
  type BettingSequenceState,
  bettingSequenceBounds,
  empiricalBernsteinBounds,
  extendBettingSequence,
  startBettingSequence,
} from '../../src/stats/betting-sequence.ts';
import { exp } from '../../src/stats/elementary.ts';
import { groupSequentialBounds } from '../../src/stats/group-sequential.ts';
import { asymptoticSequence, normalMixture } from '../../src/stats/normal-sequence.ts';
import {
  extendSignProcess,
  logSignE,
  logSignETwoSided,
  readSignProcess,
  signSequenceBounds,
  startSignProcess,
} from '../../src/stats/sign-e-process.ts';
import { referenceTests } from '../support/reference.ts';
import { expectRefusal } from '../support/statistics.ts';

const unitRange = Object.freeze({ lower: 0, upper: 1 });

function stateOf(values: readonly number[], error: number): BettingSequenceState {
  return extendBettingSequence(
    startBettingSequence({ range: unitRange, error, sides: 'both' }),
    values,
  );
}

function atTimes(
  values: readonly number[],
  expected: unknown,
  bounds: (seen: readonly number[]) => { lower: number; upper: number },
): Record<string, number>[] {
  const times: readonly { t: number }[] = Object(expected);
  return times.map(({ t }) => ({ t, ...bounds(values.slice(0, t)) }));
}

const designs = {
  pocock: 'pocock',
  obrienFleming: 'obrien-fleming',
  spendingOF: 'spending-obrien-fleming',
  spendingPocock: 'spending-pocock',
} as const;

describe('sequential methods', () => {
  referenceTests('sequential.json', {
    methods: {
      hedgedBetting: {
        compute: ({ x, alpha }, expected) => {
          const { running } = bettingSequenceBounds(stateOf(x, alpha));
          return {
            atTimes: atTimes(
              x,
              expected['atTimes'],
              (seen) => bettingSequenceBounds(stateOf(seen, alpha)).latest,
            ),
            runningLower: running.lower,
            runningUpper: running.upper,
          };
        },
      },
      empiricalBernstein: {
        compute: ({ x, alpha }, expected) => ({
          atTimes: atTimes(x, expected['atTimes'], (seen) =>
            empiricalBernsteinBounds(stateOf(seen, alpha)),
          ),
        }),
      },
      signEProcess: {
        compute: ({ wins, losses, alpha: error }) => {
          const counts = { wins, losses };
          const jeffreys = logSignETwoSided(counts, 0.5);
          return {
            eTwoSidedJeffreys: exp(jeffreys),
            logETwoSidedJeffreys: jeffreys,
            eTwoSidedUniform: exp(logSignETwoSided(counts, 1)),
            eOneSided: exp(logSignE(counts)),
            logEOneSided: logSignE(counts),
            csJeffreys: signSequenceBounds(counts, { prior: 0.5, error }),
            csUniform: signSequenceBounds(counts, { prior: 1, error }),
          };
        },
      },
      signEPath: {
        compute: ({ signs, alpha }) => {
          const state = extendSignProcess(startSignProcess(alpha), signs);
          const { eValue, pAnytime } = readSignProcess(state);
          return { eFinal: eValue, pAnytime, firstCrossing: state.firstCrossing };
        },
      },
      normalMixture: {
        compute: ({ n, mean, variance, tau2, theta0, alpha }) => {
          const found = normalMixture({
            units: n,
            mean,
            variance,
            mixingVariance: tau2,
            against: theta0,
            error: alpha,
          });
          return { lambda: found.eValue, pAnytimeNow: found.pNow, halfWidth: found.halfWidth };
        },
      },
      asymptoticCs: {
        compute: ({ n, sd, nStar, alpha }) =>
          asymptoticSequence({ units: n, standardDeviation: sd, tightestAt: nStar, error: alpha }),
      },
      groupSequential: {
        compute: ({ design, looks, sided, alpha, infoRates }) => {
          const name = designs[design as keyof typeof designs];
          const found =
            name === 'pocock' || name === 'obrien-fleming'
              ? groupSequentialBounds({
                  design: name,
                  looks,
                  significanceLevel: alpha,
                  sides: sided,
                })
              : groupSequentialBounds({
                  design: name,
                  information: infoRates,
                  significanceLevel: alpha,
                });
          return {
            constant: found.constant,
            criticalZ: found.criticalZ,
            nominalP: found.nominalP,
            stageAlpha: found.stageError,
            cumulativeAlpha: found.cumulativeError,
          };
        },
      },
      publishedGroupSequential: {
        compute: ({ design, looks, alpha, sided }) => ({
          constants: looks.map(
            (count: number) =>
              groupSequentialBounds({
                design: design === 'pocock' ? 'pocock' : 'obrien-fleming',
                looks: count,
                significanceLevel: alpha,
                sides: sided,
              }).constant,
          ),
        }),
      },
    },
    // Fixed-n betting bounds have their own test file.
    leftOutMethods: ['bettingFixedN'],
  });
});

describe('groupSequentialBounds', () => {
  test('spends the whole error, and one look is the ordinary test', () => {
    for (const sides of [1, 2] as const) {
      const found = groupSequentialBounds({
        design: 'obrien-fleming',
        looks: 7,
        significanceLevel: 0.03,
        sides,
      });
      expect(found.cumulativeError[6]).toBeCloseTo(0.03, 12);
    }
    const one = groupSequentialBounds({
      design: 'pocock',
      looks: 1,
      significanceLevel: 0.05,
      sides: 2,
    });
    expect(one.constant).toBeCloseTo(1.959963984540054, 12);
  });

  test.each([[[0.5, 0.4, 1]], [[0.5]], [[]], [[0, 1]]])('refuses information %j', (information) => {
    expectRefusal(
      () =>
        groupSequentialBounds({
          design: 'spending-pocock',
          information,
          significanceLevel: 0.05,
        }),
      `information must rise from above 0 and end at 1, got ${information.join(', ')}`,
    );
  });
});
