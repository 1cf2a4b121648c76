import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type AgreementMeasure,
  agreementInterval,
  cohenKappa,
  kendallTauB,
  linConcordance,
  pairDistance,
  pearson,
  spearman,
} from '../../src/stats/agreement.ts';
import type { Indeterminate } from '../../src/stats/interval.ts';
import { isIndeterminate } from '../../src/stats/interval.ts';
import { type IntraclassCorrelation, intraclassCorrelations } from '../../src/stats/intraclass.ts';
import { fleissKappa, gwetAgreement, krippendorffAlpha } from '../../src/stats/reliability.ts';
import { referenceTests } from '../support/reference.ts';
import { computed, expectRefusal, orNull, testSeed } from '../support/statistics.ts';

function iccFields({ value, bounds }: IntraclassCorrelation): Record<string, unknown> {
  const none = { lower: null, upper: null };
  return { value: orNull(value), ...(orNull(bounds) ?? none) };
}

function iccs(ratings: number[][], confidence: number): Record<string, unknown> {
  const found = computed(intraclassCorrelations(ratings, confidence));
  const { meanSquares } = found;
  return {
    msRows: meanSquares.rows,
    msColumns: meanSquares.columns,
    msWithin: meanSquares.within,
    msError: meanSquares.error,
    icc1: iccFields(found.oneWay),
    icc2: iccFields(found.agreement),
    icc3: iccFields(found.consistency),
    icc1k: iccFields(found.oneWayAverage),
    icc2k: iccFields(found.agreementAverage),
    icc3k: iccFields(found.consistencyAverage),
  };
}

function alphas(units: (number | null)[][]): Record<string, unknown> {
  const found = computed(krippendorffAlpha(units));
  return {
    pairableValues: found.pairableValues,
    nominal: orNull(found.nominal),
    ordinal: orNull(found.ordinal),
    interval: orNull(found.interval),
  };
}

describe('agreement', () => {
  referenceTests('agreement.json', {
    methods: {
      pairStats: {
        compute: ({ x, y }) => {
          const pairs = { first: x, second: y };
          const distance = computed(pairDistance(pairs));
          return {
            n: distance.units,
            pearson: orNull(pearson(pairs)),
            spearman: orNull(spearman(pairs)),
            kendallTauB: orNull(kendallTauB(pairs)),
            mae: distance.meanAbsoluteError,
            rmse: distance.rootMeanSquareError,
            meanDifference: distance.meanDifference,
            ccc: orNull(linConcordance(pairs)),
          };
        },
      },
      cohenKappa: {
        compute: ({ a, b, categories }) => {
          const found = computed(cohenKappa({ first: a, second: b, categories }));
          return {
            unweighted: orNull(found.unweighted),
            linear: orNull(found.linear),
            quadratic: orNull(found.quadratic),
            observedAgreement: found.observedAgreement,
          };
        },
      },
      icc: { compute: ({ ratings, confidence }) => iccs(ratings, confidence) },
      publishedIcc: {
        compute: ({ ratings }) => {
          const found = computed(intraclassCorrelations(ratings, 0.95));
          return {
            icc1: found.oneWay.value,
            icc2: found.agreement.value,
            icc3: found.consistency.value,
            icc1k: found.oneWayAverage.value,
            icc2k: found.agreementAverage.value,
            icc3k: found.consistencyAverage.value,
          };
        },
      },
      krippendorff: { compute: ({ units }) => alphas(units) },
      publishedAlpha: { compute: ({ units }) => alphas(units) },
      fleissKappa: {
        compute: ({ counts }) => {
          const { coefficient, ...found } = computed(fleissKappa(counts));
          return { ...found, kappa: orNull(coefficient) };
        },
      },
      publishedFleiss: {
        compute: ({ counts }) => ({ kappa: computed(fleissKappa(counts)).coefficient }),
      },
      gwetAC1: {
        compute: (input) => {
          const { coefficient, ...found } = computed(gwetAgreement(input));
          return { ...found, ac1: orNull(coefficient) };
        },
      },
      publishedAC1: {
        compute: (input) => ({ ac1: computed(gwetAgreement(input)).coefficient }),
      },
    },
    leftOutMethods: [],
  });
});

const nothing = (reason: string): Indeterminate => ({ status: 'indeterminate', reason });

describe('measures of pairs', () => {
  const lists = fc.array(
    fc.record({ a: fc.integer({ min: -9, max: 9 }), b: fc.integer({ min: -9, max: 9 }) }),
    { minLength: 3, maxLength: 25 },
  );

  test('do not depend on the order of the pairs nor on which list comes first; ranks follow any rising map', () => {
    fc.assert(
      fc.property(lists, (pairs) => {
        const first = pairs.map(({ a }) => a);
        const second = pairs.map(({ b }) => b);
        for (const measure of [pearson, spearman, kendallTauB, linConcordance]) {
          const found = measure({ first, second });
          const turned = measure({ first: [...second].reverse(), second: [...first].reverse() });
          if (isIndeterminate(found)) expect(turned).toEqual(found);
          else expect(turned).toBeCloseTo(found, 12);
        }
        const bent = { first: first.map((value) => value ** 3), second };
        for (const measure of [spearman, kendallTauB]) {
          expect(measure(bent)).toEqual(measure({ first, second }));
        }
      }),
      { seed: 20261203, numRuns: 200 },
    );
  });

  test.each([
    ['no pairs', [], [], 'too-few-units', 'no-units'],
    ['one pair', [1], [1], 'too-few-units', 'constant-values'],
    ['the same constant twice', [2, 2, 2], [2, 2, 2], 'constant-values', 'constant-values'],
  ])('%s has no correlation and no concordance', (...[, first, second, own, lin]) => {
    for (const measure of [pearson, spearman, kendallTauB]) {
      const found = measure({ first, second });
      expect(found).toEqual(nothing(own));
    }
    expect(linConcordance({ first, second })).toEqual(nothing(lin));
  });

  test('refuse lists of different length and unknown categories', () => {
    expectRefusal(
      () => pearson({ first: [1, 2], second: [1] }),
      'first and second must be of the same length, got 2 and 1',
    );
    expectRefusal(
      () => cohenKappa({ first: ['a'], second: ['x'], categories: ['a', 'b'] }),
      'second[0] must be one of the categories, got x',
    );
    expect(pairDistance({ first: [], second: [] })).toEqual(nothing('no-units'));
    expect(cohenKappa({ first: [], second: [], categories: [] })).toEqual(nothing('no-units'));
  });
});

describe('agreementInterval', () => {
  const first = [0.78, 0.81, 0.4, 0.9, 0.55, 0.62, 0.3, 0.95, 0.7, 0.5];
  const second = [0.7, 0.85, 0.5, 0.88, 0.6, 0.6, 0.2, 0.9, 0.75, 0.45];
  const options = {
    method: 'bootstrap-percentile',
    level: 0.9,
    seed: testSeed(12),
    resamples: 2000,
  } as const;

  test.each<AgreementMeasure>([
    'pearson',
    'spearman',
    'kendall-tau-b',
    'lin',
    'mean-absolute-error',
    'root-mean-square-error',
  ])('%s lies inside its interval, by resampling and by enumeration', (measure) => {
    const seen = {
      pearson: pearson({ first, second }),
      spearman: spearman({ first, second }),
      'kendall-tau-b': kendallTauB({ first, second }),
      lin: linConcordance({ first, second }),
      'mean-absolute-error': computed(pairDistance({ first, second })).meanAbsoluteError,
      'root-mean-square-error': computed(pairDistance({ first, second })).rootMeanSquareError,
    }[measure];
    const drawn = computed(agreementInterval({ first, second }, { ...options, measure }));
    expect(drawn.lower).toBeLessThan(Number(seen));
    expect(drawn.upper).toBeGreaterThan(Number(seen));
    expect(drawn.law).toBe('monte-carlo');
    const few = { first: first.slice(0, 6), second: second.slice(0, 6) };
    const listed = computed(agreementInterval(few, { ...options, measure }));
    expect(listed.law).toBe('exact');
    expect(listed.lower).toBeLessThan(listed.upper);
  });

  test('says when too many resamples have no correlation', () => {
    const pairs = { first: [0, 0, 0, 1], second: [0, 0.1, 0.2, 1] };
    expect(agreementInterval(pairs, { ...options, measure: 'pearson' })).toEqual(
      nothing('degenerate-resamples'),
    );
    const constant = { first: [1, 1, 1], second: [1, 2, 3] };
    expect(agreementInterval(constant, { ...options, measure: 'pearson' })).toEqual(
      nothing('constant-values'),
    );
  });
});

describe('measures of several raters', () => {
  test('say what is missing', () => {
    expect(intraclassCorrelations([[1, 2]], 0.95)).toEqual(nothing('too-few-units'));
    expect(intraclassCorrelations([[1], [2]], 0.95)).toEqual(nothing('too-few-raters'));
    expect(krippendorffAlpha([[1], [null, 2]])).toEqual(nothing('no-pairs'));
    expect(fleissKappa([[1, 0]])).toEqual(nothing('no-pairs'));
    expect(gwetAgreement({ units: [[1, 1]], categories: [1] })).toEqual(
      nothing('too-few-categories'),
    );
    expect(gwetAgreement({ units: [[1]], categories: [1, 2] })).toEqual(nothing('no-pairs'));
  });

  test('refuse tables with holes where none are allowed', () => {
    expectRefusal(
      () => intraclassCorrelations([[1, 2], [3]], 0.95),
      'ratings[1] must hold 2 ratings like the first unit, got 1',
    );
    expectRefusal(
      () =>
        fleissKappa([
          [2, 0],
          [1, 0],
        ]),
      'counts[1] must add up to 2 ratings like the first unit, got 1',
    );
  });

  test('a shift of all ratings changes no correlation, nor does the order of units', () => {
    const ratings = [
      [9, 2, 5, 8],
      [6, 1, 3, 2],
      [8, 4, 6, 8],
      [7, 1, 2, 6],
    ];
    const found = computed(intraclassCorrelations(ratings, 0.9));
    const moved = computed(
      intraclassCorrelations(
        [...ratings].reverse().map((row) => row.map((value) => value + 1000)),
        0.9,
      ),
    );
    expect(Number(moved.agreement.value)).toBeCloseTo(Number(found.agreement.value), 10);
    expect(computed(moved.agreement.bounds).lower).toBeCloseTo(
      computed(found.agreement.bounds).lower,
      9,
    );
  });
});
