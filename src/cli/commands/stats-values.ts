/** `liftgate stats mean | bounded | percentile`: one number per unit. */
import { bettingBounds } from '../../stats/betting.ts';
import { bootstrapTBounds, tBootstrapTBounds } from '../../stats/bootstrap.ts';
import { bootstrapInterval } from '../../stats/bootstrap-interval.ts';
import { errorPerSide, type Indeterminate, isIndeterminate } from '../../stats/interval.ts';
import { meanDifferenceInterval } from '../../stats/mean-difference.ts';
import { harrellDavis, nearestRank, percentile as percentileOf } from '../../stats/percentile.ts';
import { hodgesLehmann, signedRankTest, signTest } from '../../stats/rank.ts';
import { trimmedMean, trimmedMeanInterval } from '../../stats/robust.ts';
import {
  type SignFlipTest,
  signFlipInterval,
  signFlipMonteCarlo,
  signFlipTest,
} from '../../stats/sign-flip.ts';
import { moments } from '../../stats/summary.ts';
import {
  type Answer,
  type IntervalRow,
  intervalRow,
  type NamedNumber,
  type TestRow,
} from '../calculator/answer.ts';
import {
  commaList,
  type Given,
  optionNumber,
  optionSeed,
  readNumber,
  readValues,
} from '../calculator/arguments.ts';

interface Spread {
  readonly values: readonly number[];
  readonly level: number;
  readonly seed: string;
  readonly resamples: number;
}

async function spreadOf(given: Given): Promise<Spread> {
  return {
    values: await readValues(given),
    level: optionNumber(given, 'level'),
    seed: optionSeed(given),
    resamples: optionNumber(given, 'resamples'),
  };
}

function estimates({ values, level }: Spread): NamedNumber[] {
  const trimmed = trimmedMean(values, 20);
  const center = hodgesLehmann(values, level);
  return [
    { name: 'mean', value: moments(values).mean, source: '' },
    {
      name: 'mean, 20 % trimmed',
      value: isIndeterminate(trimmed) ? trimmed : trimmed.mean,
      source: 'Tukey & McLaughlin 1963',
    },
    {
      name: 'pseudomedian',
      value: isIndeterminate(center) ? center : center.estimate,
      source: 'Hodges & Lehmann 1963',
    },
  ];
}

function meanIntervals({ values, level, seed, resamples }: Spread): IntervalRow[] {
  const bootstrap = { error: errorPerSide(level), seed, resamples };
  const center = hodgesLehmann(values, level);
  const bca = bootstrapInterval(values, { method: 'bootstrap-bca', level, seed, resamples });
  return [
    intervalRow('t-bootstrap-t', tBootstrapTBounds(values, bootstrap), { level, deciding: true }),
    intervalRow('t', meanDifferenceInterval(values, level), { level }),
    intervalRow('bootstrap-t', bootstrapTBounds(values, bootstrap), { level }),
    intervalRow('bootstrap-bca', bca, { level }),
    intervalRow('trimmed-t', trimmedMeanInterval(values, { trimPercent: 20, level }), { level }),
    intervalRow('hodges-lehmann', isIndeterminate(center) ? center : center.interval, { level }),
    intervalRow('sign-flip', signFlipInterval(values, level), { level }),
  ];
}

function signFlip({ values, seed, resamples }: Spread): SignFlipTest | Indeterminate {
  const exact = signFlipTest(values);
  return isIndeterminate(exact) && exact.reason === 'too-many-units'
    ? signFlipMonteCarlo(values, { seed, resamples })
    : exact;
}

/** The three probabilities of a test, without whatever else it found. */
function probabilitiesOf(
  found: Indeterminate | { pGreater: number; pLess: number; pTwoSided: number },
): TestRow['probabilities'] {
  if (isIndeterminate(found)) return found;
  const { pTwoSided, pGreater, pLess } = found;
  return { pTwoSided, pGreater, pLess };
}

function testsOf(spread: Spread): TestRow[] {
  const guarantee = 'finite-sample';
  const { values } = spread;
  return [
    {
      test: 'sign-flip',
      probabilities: probabilitiesOf(signFlip(spread)),
      guarantee,
      source: 'Fisher 1935',
    },
    {
      test: 'signed-rank',
      probabilities: probabilitiesOf(signedRankTest(values, 'pratt')),
      guarantee,
      source: 'Wilcoxon 1945; Pratt 1959',
    },
    {
      test: 'sign',
      probabilities: probabilitiesOf(signTest(values)),
      guarantee,
      source: 'Conover 1999',
    },
  ];
}

/** The mean of unbounded differences, one per unit. */
export async function mean(given: Given): Promise<Answer> {
  const spread = await spreadOf(given);
  const { values, level, seed, resamples } = spread;
  const small =
    values.length < 10
      ? ['Below 10 units no gate decides on an unbounded measure: such a design is refused.']
      : [];
  return {
    calculator: 'mean',
    question: `Mean of ${values.length} values, one per unit.`,
    input: { units: values.length, level, seed, resamples },
    numbers: estimates(spread),
    intervals: meanIntervals(spread),
    tests: testsOf(spread),
    verdict: null,
    remarks: [
      ...small,
      'The tests ask about 0; sign-flip and signed-rank take symmetry about it for granted.',
    ],
  };
}

/** The mean of values with declared bounds, in the order given. */
export async function bounded(given: Given): Promise<Answer> {
  const values = await readValues(given);
  const level = optionNumber(given, 'level');
  const range = { lower: optionNumber(given, 'min'), upper: optionNumber(given, 'max') };
  const truncation = optionNumber(given, 'truncation');
  const bounds = bettingBounds(values, { range, error: errorPerSide(level), truncation });
  return {
    calculator: 'bounded',
    question: `Mean of ${values.length} values known to lie in [${range.lower}, ${range.upper}].`,
    input: { units: values.length, level, min: range.lower, max: range.upper, truncation },
    numbers: [{ name: 'mean', value: moments(values).mean, source: '' }],
    intervals: [
      intervalRow('betting-fixed-n', bounds, { level, deciding: true }),
      intervalRow('t', meanDifferenceInterval(values, level), { level }),
    ],
    tests: [],
    verdict: null,
    remarks: [
      'The betting bound depends on the order of the values: fix it before looking, as a seal does.',
    ],
  };
}

/** Percentiles of durations and other values. */
export async function percentile(given: Given): Promise<Answer> {
  const values = await readValues(given);
  const text = given.options['percent'];
  const percents = commaList(typeof text === 'string' ? text : '');
  for (const percent of percents) readNumber('--percent', percent);
  const unresolved: string[] = [];
  const numbers = percents.flatMap((percent) => {
    const rank = nearestRank(values, percent);
    if (!isIndeterminate(rank) && !rank.resolved) unresolved.push(`p${percent}`);
    return [
      {
        name: `p${percent} nearest rank`,
        value: isIndeterminate(rank) ? rank : rank.value,
        source: 'rank ceil(np)',
      },
      {
        name: `p${percent} interpolated`,
        value: percentileOf(values, percent, 7),
        source: 'Hyndman & Fan 1996, type 7',
      },
      {
        name: `p${percent} weighted`,
        value: harrellDavis(values, percent),
        source: 'Harrell & Davis 1982',
      },
    ];
  });
  return {
    calculator: 'percentile',
    question: `Percentiles of ${values.length} values.`,
    input: { units: values.length, percents },
    numbers,
    intervals: [],
    tests: [],
    verdict: null,
    remarks: unresolved.map((name) => `${name} is not resolved: it is only the largest value.`),
  };
}
