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
