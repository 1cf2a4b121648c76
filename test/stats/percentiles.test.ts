import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { LiftgateError } from '../../src/base/errors.ts';
import { isIndeterminate } from '../../src/stats/interval.ts';
import {
  durationSummary,
  harrellDavis,
  nearestRank,
  percentile,
  quantileRanks,
} from '../../src/stats/percentile.ts';
import { hodgesLehmann } from '../../src/stats/rank.ts';
import {
  median,
  medianDeviation,
  robustSummary,
  trimmedMean,
  trimmedMeanInterval,
} from '../../src/stats/robust.ts';
import { referencePath, referenceTests } from '../support/reference.ts';
import { computed, expectRefusal, orNull } from '../support/statistics.ts';

describe('percentiles and robust summaries', () => {
  referenceTests('percentiles.json', {
    methods: {
      percentile: {
        compute: ({ data, percent }) => ({
          nearestRank: computed(nearestRank(data, percent)).value,
          type1: percentile(data, percent, 1),
          type2: percentile(data, percent, 2),
          type6: percentile(data, percent, 6),
          type7: percentile(data, percent, 7),
          type8: percentile(data, percent, 8),
          harrellDavis: orNull(harrellDavis(data, percent)),
        }),
      },
      robust: {
        compute: ({ data }) => {
          const found = computed(robustSummary(data));
          return {
            median: found.median,
            mad: found.medianDeviation,
            madScaled: found.scaledDeviation,
            trimmedMean10: found.trimmed10.mean,
            trimmedMean20: found.trimmed20.mean,
            iqr: found.interquartileRange,
            min: found.minimum,
            max: found.maximum,
            winsorizedVariance20: orNull(found.trimmed20.winsorizedVariance),
            trimmedSe20: orNull(found.trimmed20.standardError),
            hodgesLehmann: computed(hodgesLehmann(data, 0.95)).estimate,
          };
        },
      },
    },
    leftOutMethods: [],
  });
});

interface LatencyCase {
  readonly id: string;
  readonly samplesMs: readonly (number | null)[];
  readonly percentiles: readonly (number | string)[];
  readonly expect: Readonly<Record<string, unknown>>;
}

const refusalTexts: Readonly<Record<string, RegExp>> = {
  negative_sample: /^samplesMs\[1\] must be at least 0; a negative duration is a defect/,
  percentile_out_of_range: /^percentiles\[0\] must be a decimal from 0 to 100, got (0|101)$/,
  not_a_number: /^samplesMs\[1\] must be a finite number or null, got 7$/,
};

function refusalOf(call: () => unknown): string {
  try {
    call();
  } catch (error) {
    if (error instanceof LiftgateError && error.code === 'stats-argument-invalid') {
      return error.message;
    }
  }
  return 'not refused';
}

describe('reference latency-cases.json', () => {
  const { cases }: { readonly cases: readonly LatencyCase[] } = JSON.parse(
    readFileSync(referencePath('latency-cases.json'), 'utf8'),
  );

  test.each(cases.map((entry) => [entry.id, entry] as const))('agrees with %s', (_, entry) => {
    const call = () => durationSummary(entry.samplesMs, entry.percentiles);
    const refused = entry.expect['refused'];
    if (typeof refused === 'string') expect(refusalOf(call)).toMatch(refusalTexts[refused] ?? '');
    else expect(call()).toEqual(entry.expect);
  });
});

const settings = { seed: 20260904, numRuns: 300 };
const list = fc.array(fc.integer({ min: -1000, max: 1000 }), { minLength: 1, maxLength: 60 });

describe('nearestRank', () => {
  test('is the smallest value with at least percent of the values at or below it', () => {
    fc.assert(
      fc.property(list, fc.integer({ min: 1, max: 100 }), (values, percent) => {
        const { value, rank, resolved } = computed(nearestRank(values, percent));
        const atOrBelow = values.filter((other) => other <= value).length;
        const below = values.filter((other) => other < value).length;
        expect(100 * atOrBelow).toBeGreaterThanOrEqual(percent * values.length);
        expect(100 * below).toBeLessThan(percent * values.length);
        expect(resolved).toBe(rank < values.length || percent === 100);
      }),
      settings,
    );
  });

  test('counts decimals exactly, as numbers and as text', () => {
    const values = Array.from({ length: 10_000 }, (_, index) => index + 1);
    for (const percent of [0.07, '0.07', 7, 28, 29, 57, 99.9, '99.90', '99.99']) {
      const expected = Math.round(Number(percent) * 100);
      expect(computed(nearestRank(values, percent)).value).toBe(expected);
    }
  });

  test.each([[101], [-1], ['95%'], [''], [Number.NaN], ['1e1']])('refuses %s', (percent) => {
    expectRefusal(
      () => nearestRank([1], percent),
      `percent must be a decimal from 0 to 100, got ${percent}`,
    );
  });

  test('says nothing about an empty list', () => {
    const none = { status: 'indeterminate', reason: 'no-units' };
    expect(nearestRank([], 50)).toEqual(none);
    expect(percentile([], 50, 7)).toEqual(none);
    expect(harrellDavis([], 50)).toEqual(none);
    expect([median([]), medianDeviation([]), robustSummary([]), trimmedMean([], 20)]).toEqual([
      none,
      none,
      none,
      none,
    ]);
  });
});

describe('percentile and harrellDavis', () => {
  test('lie within the values, rise with the percentile and follow shift and scale', () => {
    const types = [1, 2, 6, 7, 8] as const;
    fc.assert(
      fc.property(list, fc.integer({ min: 1, max: 98 }), (values, percent) => {
        for (const type of types) {
          const found = computed(percentile(values, percent, type));
          expect(found).toBeGreaterThanOrEqual(Math.min(...values));
          expect(computed(percentile(values, percent + 1, type))).toBeGreaterThanOrEqual(found);
          const moved = values.map((value) => 2 * value + 1);
          expect(computed(percentile(moved, percent, type))).toBeCloseTo(2 * found + 1, 8);
        }
        const smooth = computed(harrellDavis(values, percent));
        expect(smooth).toBeLessThanOrEqual(Math.max(...values) + 1e-9);
        expect(smooth).toBeGreaterThanOrEqual(Math.min(...values) - 1e-9);
      }),
      settings,
    );
  });

  test('Harrell-Davis has no weights at the ends', () => {
    const none = { status: 'indeterminate', reason: 'extreme-percentile' };
    expect([harrellDavis([1, 2], 0), harrellDavis([1, 2], 100)]).toEqual([none, none]);
  });
});

describe('trimmedMeanInterval', () => {
  test('without trimming is the t interval', () => {
    const found = computed(trimmedMeanInterval([1, 2, 3, 4], { trimPercent: 0, level: 0.95 }));
    expect(found.lower).toBeCloseTo(0.445739743239, 11);
    expect(found).toMatchObject({ method: 'trimmed-t', guarantee: 'asymptotic', level: 0.95 });
  });

  test('mirrors with the arms and ignores how wild a trimmed value is', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: -50, max: 50 }), { minLength: 5, maxLength: 30 }),
        (values) => {
          const options = { trimPercent: 20, level: 0.9 };
          const wild = trimmedMeanInterval([...values, 1000], options);
          const wilder = trimmedMeanInterval([...values, 1e9], options);
          const mirrored = trimmedMeanInterval(
            [...values, 1000].map((value) => -value),
            options,
          );
          expect(wilder).toEqual(wild);
          if (isIndeterminate(wild) || isIndeterminate(mirrored)) return;
          expect(mirrored.lower).toBeCloseTo(-wild.upper, 9);
          expect(wild.lower).toBeLessThan(wild.upper);
        },
      ),
      settings,
    );
  });

  test.each([
    ['no unit', [], 'no-units'],
    ['one unit', [1], 'too-few-units'],
    ['one kept value', [1, 2, 3], 'too-few-units'],
    ['equal kept values', [-9, 1, 1, 1, 1, 1, 9], 'constant-differences'],
  ])('%s gives no interval', (_, values, reason) => {
    expect(trimmedMeanInterval(values, { trimPercent: 40, level: 0.95 })).toEqual({
      status: 'indeterminate',
      reason,
    });
  });

  test('refuses to trim half of the values away', () => {
    expectRefusal(
      () => trimmedMean([1, 2], 50),
      'trimPercent must be a number from 0 to 49.999, got 50',
    );
  });
});

/** P(X ≤ k) for k = 0 .. n by adding up the terms, without the incomplete beta function the bounds come from. */
function summedCdf(units: number, probability: number): number[] {
  let terms = [1];
  for (let unit = 0; unit < units; unit += 1) {
    terms = Array.from(
      { length: terms.length + 1 },
      (_, at) => (terms[at] ?? 0) * (1 - probability) + (terms[at - 1] ?? 0) * probability,
    );
  }
  let total = 0;
  return terms.map((term) => {
    total += term;
    return total;
  });
}

describe('quantileRanks', () => {
  const errors = [0.1, 0.05, 0.025, 0.025 / 3, 0.005];

  /** What is wrong with the ranks of one design: a bound that misses too often, or a sharper one that would not. */
  function faults(units: number, quantile: number, cdf: readonly number[]): string[] {
    const upTo = (count: number): number => (count < 0 ? 0 : (cdf[count] ?? 1));
    return errors.flatMap((error) => {
      const ranks = quantileRanks(units, { quantile, error });
      const [lower, upper] = [ranks.lower ?? 0, ranks.upper ?? units + 1];
      // The value of rank k misses above when k values lie below the quantile, below when fewer than k lie at or below it.
      const missed = [upper > units ? 0 : 1 - upTo(upper - 1), lower < 1 ? 0 : upTo(lower - 1)];
      const sharper = [1 - upTo(upper - 2), lower >= units ? 1 : upTo(lower)];
      const sound =
        missed.every((each) => each <= error * (1 + 1e-9)) &&
        sharper.every((each) => each > error * (1 - 1e-9));
      return sound ? [] : [`n ${units}, quantile ${quantile}, error ${error}`];
    });
  }

  test.each([0.05, 0.25, 0.5, 0.8, 0.9, 0.95, 0.99])(
    'bounds the %d quantile within every error, and no sharper rank does, for every n up to 150',
    (quantile) => {
      const sizes = Array.from({ length: 151 }, (_, units) => units);
      expect(sizes.flatMap((units) => faults(units, quantile, summedCdf(units, quantile)))).toEqual(
        [],
      );
    },
  );

  test.each([
    [0.9, 0.05, 29],
    [0.95, 0.05, 59],
    [0.99, 0.05, 299],
    [0.95, 0.01, 90],
    [0.95, 0.025, 72],
    [0.5, 0.0625, 4],
    [0.5, 0.05, 5],
    [0.999, 0.025, 3688],
  ])('the %d quantile at error %d is bounded from %d units on', (quantile, error, units) => {
    const ranks = quantileRanks(units, { quantile, error });
    expect(ranks.unitsForUpper).toBe(units);
    expect(ranks.upper).toBe(units);
    expect(quantileRanks(units - 1, { quantile, error })).toMatchObject({
      upper: null,
      unitsForUpper: units,
    });
  });

  test('the second largest of 93 and the third largest of 124 bound the 95 % quantile at 95 %', () => {
    expect(quantileRanks(93, { quantile: 0.95, error: 0.05 }).upper).toBe(92);
    expect(quantileRanks(124, { quantile: 0.95, error: 0.05 }).upper).toBe(122);
  });

  test('no bound exists without units', () => {
    expect(quantileRanks(0, { quantile: 0.5, error: 0.05 })).toEqual({
      lower: null,
      upper: null,
      unitsForUpper: 5,
    });
  });

  test('refuses a quantile at the ends and an error without meaning', () => {
    expectRefusal(
      () => quantileRanks(10, { quantile: 1, error: 0.05 }),
      'quantile must be a probability strictly between 0 and 1, got 1',
    );
    expectRefusal(
      () => quantileRanks(10, { quantile: 0.5, error: 0.5 }),
      'error must be a one-sided error strictly between 0 and 0.5, got 0.5',
    );
  });
});
