import { describe, expect, test } from 'vitest';
import { bootstrapInterval, bootstrapLaw } from '../../src/stats/bootstrap-interval.ts';
import type { BootstrapLaw } from '../../src/stats/bootstrap-law.ts';
import { bcaShares } from '../../src/stats/bootstrap-law.ts';
import { type BootstrapStatistic, prepareStatistic } from '../../src/stats/bootstrap-statistic.ts';
import { enumerateCounts } from '../../src/stats/resampling.ts';
import { moments } from '../../src/stats/summary.ts';
import { readReference, referenceTests } from '../support/reference.ts';
import { computed, orNull, testSeed } from '../support/statistics.ts';

const seed = testSeed(20260805);
const resamples = 1000;

interface Input {
  readonly statistic: string;
  readonly data?: readonly number[];
  readonly x?: readonly number[];
  readonly y?: readonly number[];
  readonly confidence: number;
}

/** The sample and the statistic a case of the file names. */
function sampleOf(input: Input): {
  values: readonly number[];
  statistic: BootstrapStatistic;
} {
  switch (input.statistic) {
    case 'mean':
      return { values: input.data ?? [], statistic: { kind: 'mean' } };
    case 'median':
      return { values: input.data ?? [], statistic: { kind: 'median' } };
    case 'trimmedMean20':
      return { values: input.data ?? [], statistic: { kind: 'trimmed-mean', trimPercent: 20 } };
    case 'ratioOfMeans':
      return {
        values: input.y ?? [],
        statistic: { kind: 'ratio-of-means', denominators: input.x ?? [] },
      };
    default:
      throw new Error(`unknown statistic ${input.statistic}`);
  }
}

function bca(
  law: BootstrapLaw,
  { below, jackknife, error }: { below: number; jackknife: Float64Array; error: number },
): Record<string, number> | null {
  const shares = orNull(bcaShares(below, jackknife, error));
  return (
    shares && {
      z0: shares.z0,
      acceleration: shares.acceleration,
      alpha1: shares.lowerShare,
      alpha2: shares.upperShare,
      lower: law.quantile(shares.lowerShare),
      upper: law.quantile(shares.upperShare),
    }
  );
}

/** The exact quantiles at p ∓ (4 binomial standard errors + 1/B): where an engine of B resamples must land. */
function bracket(law: BootstrapLaw, p: number): number[] {
  const draws = 10000;
  const reach = 4 * Math.sqrt((p * (1 - p)) / draws) + 1 / draws;
  return [law.quantile(Math.max(0, p - reach)), law.quantile(Math.min(1, p + reach))];
}

function brackets(law: BootstrapLaw, low: number, high: number): Record<string, unknown> {
  return { B: 10000, lower: bracket(law, low), upper: bracket(law, high) };
}

/** Every field the file states of an exact law. */
function exactFields(
  values: readonly number[],
  statistic: BootstrapStatistic,
  confidence: number,
): Record<string, unknown> {
  const law = computed(bootstrapLaw(values, { statistic, seed, resamples }));
  const { estimate, jackknife } = prepareStatistic(values, statistic);
  expect(law.source).not.toBe('resampling');
  const error = (1 - confidence) / 2;
  const jack = jackknife();
  const middle = (law.below(estimate) + law.cdf(estimate)) / 2;
  const mid = bca(law, { below: middle, jackknife: jack, error });
  const [low, high] = [law.quantile(error), law.quantile(1 - error)];
  const spread = law.moments();
  return {
    estimate,
    percentile: { lower: low, upper: high },
    basic: { lower: 2 * estimate - high, upper: 2 * estimate - low },
    bootMean: spread.mean,
    bcaMid: mid,
    bcaStrict: bca(law, { below: law.below(estimate), jackknife: jack, error }),
    pLeZero: law.cdf(0),
    monteCarloBracketPercentile: brackets(law, error, 1 - error),
    bootSe: spread.standardDeviation,
  };
}

function latticeValues(input: {
  support: readonly number[];
  counts: readonly number[];
  scale: number;
}): number[] {
  return input.support.flatMap((value, index) =>
    new Array<number>(input.counts[index] ?? 0).fill(value * input.scale),
  );
}

/** The probability that every unit of a resample has the same value. */
function degenerateShare(data: readonly number[]): number {
  let share = 0;
  enumerateCounts(data.length, (counts, weight) => {
    const drawn = data.filter((_, unit) => (counts[unit] ?? 0) > 0);
    if (new Set(drawn).size === 1) share += weight;
  });
  return share / data.length ** data.length;
}

describe('bootstrap', () => {
  referenceTests('bootstrap.json', {
    methods: {
      exactBootstrap: {
        compute: (input) => {
          const { values, statistic } = sampleOf(input);
          return exactFields(values, statistic, input.confidence);
        },
        leftOutFields: ['monteCarloBracketBcaMid'],
      },
      exactLatticeBootstrap: {
        compute: ({ support, counts, scale, confidence }) => {
          const values = latticeValues({ support, counts, scale });
          return exactFields(values, { kind: 'mean' }, confidence);
        },
        leftOutFields: ['monteCarloBracketBcaMid'],
      },
      exactStudentizedBootstrap: {
        compute: ({ data, confidence: level }) => {
          const { mean, variance } = moments(data);
          const se = Math.sqrt(variance / data.length);
          const found = computed(
            bootstrapInterval(data, { method: 'bootstrap-t', level, seed, resamples }),
          );
          return {
            estimate: mean,
            se,
            tLow: (mean - found.upper) / se,
            tHigh: (mean - found.lower) / se,
            lower: found.lower,
            upper: found.upper,
            degenerateResampleProbability: degenerateShare(data),
          };
        },
      },
      largeB: {
        compute: (input, expected) => {
          const { values, statistic } = sampleOf(input);
          const options = { statistic, seed, resamples: 200000, level: input.confidence };
          const law = computed(bootstrapLaw(values, options));
          const { estimate, jackknife } = prepareStatistic(values, statistic);
          const below = (law.below(estimate) + law.cdf(estimate)) / 2;
          const shares = computed(bcaShares(below, jackknife(), 0.025));
          const bounds = (method: 'bootstrap-percentile' | 'bootstrap-bca', field: string) => {
            const stated: Record<string, unknown> = Object(expected[field]);
            const deviations = Object(stated['mcSdPerRunB200000']);
            const found = computed(bootstrapInterval(values, { ...options, method }));
            expect(Math.abs(found.lower - Number(stated['lower']))).toBeLessThan(6 * deviations[0]);
            expect(Math.abs(found.upper - Number(stated['upper']))).toBeLessThan(6 * deviations[1]);
            // The mean has no Monte Carlo error here; the trimmed mean states its own, of the file's size.
            const stateds = [found.monteCarloError.lower, found.monteCarloError.upper];
            for (const [side, own] of stateds.entries()) {
              if (statistic.kind === 'mean') expect(own).toBe(0);
              else expect(own / deviations[side]).toBeGreaterThan(0.4);
              expect(own / deviations[side]).toBeLessThan(2.5);
            }
            return { lower: found.lower, upper: found.upper, z0: shares.z0 };
          };
          return {
            estimate,
            acceleration: shares.acceleration,
            percentile: bounds('bootstrap-percentile', 'percentile'),
            bcaMid: bounds('bootstrap-bca', 'bcaMid'),
          };
        },
        // Bounds are held to six times the file's own per-run deviation above; these describe the file's runs.
        leftOutFields: ['percentile', 'bcaMid'].flatMap((field) =>
          ['mcSeLower', 'mcSeUpper', 'mcSdPerRunB200000'].map((name) => `${field}.${name}`),
        ),
        tolerance: () => ({ abs: 0.025, rel: 0 }),
      },
    },
    leftOutMethods: [],
  });

  // The file states no rule for its BCa brackets, so they are held to what they are for.
  const bracketed = readReference('bootstrap.json').cases.filter(
    ({ expected }) => expected['monteCarloBracketBcaMid'] !== undefined,
  );

  test.each(bracketed.map((entry) => [entry.name, entry] as const))(
    '10,000 resamples land inside both brackets of %s',
    (_, { input, expected, method }) => {
      const { values, statistic } =
        method === 'exactLatticeBootstrap'
          ? { values: latticeValues(input), statistic: { kind: 'mean' } as const }
          : sampleOf(input);
      const options = { statistic, seed, resamples: 10000, level: input.confidence };
      for (const [bootstrapMethod, field] of [
        ['bootstrap-percentile', 'monteCarloBracketPercentile'],
        ['bootstrap-bca', 'monteCarloBracketBcaMid'],
      ] as const) {
        const { lower, upper } = Object(expected[field]);
        const found = computed(
          bootstrapInterval(values, { ...options, method: bootstrapMethod, prefer: 'resample' }),
        );
        expect(found.law).toBe('monte-carlo');
        expect(found.lower).toBeGreaterThanOrEqual(lower[0] - 1e-9);
        expect(found.lower).toBeLessThanOrEqual(lower[1] + 1e-9);
        expect(found.upper).toBeGreaterThanOrEqual(upper[0] - 1e-9);
        expect(found.upper).toBeLessThanOrEqual(upper[1] + 1e-9);
      }
    },
  );
});
