/** `liftgate stats agreement`: two raters or more over the same units. */
import { LiftgateError } from '../../base/errors.ts';
import {
  type AgreementMeasure,
  agreementInterval,
  type Category,
  cohenKappa,
  kendallTauB,
  linConcordance,
  type NumberPairs,
  pairDistance,
  pearson,
  spearman,
} from '../../stats/agreement.ts';
import { isIndeterminate } from '../../stats/interval.ts';
import { type IntraclassCorrelation, intraclassCorrelations } from '../../stats/intraclass.ts';
import { fleissKappa, gwetAgreement, krippendorffAlpha } from '../../stats/reliability.ts';
import {
  type Answer,
  type IntervalRow,
  intervalRow,
  type NamedNumber,
} from '../calculator/answer.ts';
import {
  fieldNumber,
  type Given,
  optionNumber,
  optionSeed,
  optionWord,
  readObjects,
} from '../calculator/arguments.ts';

type Line = Awaited<ReturnType<typeof readObjects>>[number];

/** Agreement over the same units: numbers or categories, told by `--kind`; two raters by name or any number in a list. */
export async function agreement(given: Given): Promise<Answer> {
  const kind = optionWord(given, 'kind', ['number', 'category']);
  const lines = await readObjects(given);
  if (lines.some(({ value }) => 'ratings' in value)) {
    return kind === 'category' ? manyCategories(lines) : manyNumbers(lines, given);
  }
  if (kind === 'category') return categoryAgreement(lines);
  const pairs = {
    first: lines.map((line) => fieldNumber(line, 'first')),
    second: lines.map((line) => fieldNumber(line, 'second')),
  };
  return numberAgreement(pairs, given);
}

function numberAgreement(pairs: NumberPairs, given: Given): Answer {
  const level = optionNumber(given, 'level');
  const seed = optionSeed(given);
  const resamples = optionNumber(given, 'resamples');
  const measure: AgreementMeasure = optionWord(given, 'measure', [
    'lin',
    'pearson',
    'spearman',
    'kendall-tau-b',
    'mean-absolute-error',
    'root-mean-square-error',
  ]);
  const method = 'bootstrap-percentile';
  const found = agreementInterval(pairs, { measure, method, level, seed, resamples });
  return {
    calculator: 'agreement',
    question: `Agreement of two raters over ${pairs.first.length} units; the interval is for ${measure}.`,
    input: { units: pairs.first.length, kind: 'number', measure, level, seed, resamples },
    numbers: [...numberMeasures(pairs), ...intraclassNumbers(pairs, level)],
    intervals: [intervalRow(method, found, { level })],
    tests: [],
    verdict: null,
    remarks: ['A correlation ignores a constant shift between raters; Lin and ICC(2,1) do not.'],
  };
}

function numberMeasures(pairs: NumberPairs): NamedNumber[] {
  const distance = pairDistance(pairs);
  return [
    { name: 'pearson', value: pearson(pairs), source: 'Pearson 1896' },
    { name: 'spearman', value: spearman(pairs), source: 'Spearman 1904' },
    { name: 'kendall-tau-b', value: kendallTauB(pairs), source: 'Kendall 1945' },
    { name: 'lin', value: linConcordance(pairs), source: 'Lin 1989' },
    {
      name: 'mean-absolute-error',
      value: isIndeterminate(distance) ? distance : distance.meanAbsoluteError,
      source: '',
    },
    {
      name: 'root-mean-square-error',
      value: isIndeterminate(distance) ? distance : distance.rootMeanSquareError,
      source: '',
    },
  ];
}

function intraclassNumbers({ first, second }: NumberPairs, level: number): NamedNumber[] {
  const table = first.map((value, index) => [value, second[index] ?? Number.NaN]);
  const found = intraclassCorrelations(table, level);
  const source = 'Shrout & Fleiss 1979';
  return [
    { name: 'ICC(1,1)', value: isIndeterminate(found) ? found : found.oneWay.value, source },
    { name: 'ICC(2,1)', value: isIndeterminate(found) ? found : found.agreement.value, source },
    { name: 'ICC(3,1)', value: isIndeterminate(found) ? found : found.consistency.value, source },
  ];
}

function isCategory(value: unknown): value is Category {
  return typeof value === 'string' || isFiniteNumber(value);
}

function isFiniteNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

function categoryOf({ place, value }: Line, field: string): Category {
  const found = value[field];
  if (isCategory(found)) return found;
  throw new LiftgateError('usage', `${place} has no category "${field}".`, {
    mend: `Give every line a text or a number in "${field}".`,
  });
}

function categoryAgreement(lines: readonly Line[]): Answer {
  const first = lines.map((line) => categoryOf(line, 'first'));
  const second = lines.map((line) => categoryOf(line, 'second'));
  const categories = [...new Set([...first, ...second])];
  const kappa = cohenKappa({ first, second, categories });
  const gwet = gwetAgreement({
    units: first.map((category, index) => [category, second[index] ?? null]),
    categories,
  });
  return {
    calculator: 'agreement',
    question: `Agreement of two raters over ${lines.length} units in ${categories.length} categories.`,
    input: { units: lines.length, kind: 'category', categories },
    numbers: [
      {
        name: 'observed agreement',
        value: isIndeterminate(kappa) ? kappa : kappa.observedAgreement,
        source: '',
      },
      {
        name: 'kappa',
        value: isIndeterminate(kappa) ? kappa : kappa.unweighted,
        source: 'Cohen 1960',
      },
      { name: 'AC1', value: isIndeterminate(gwet) ? gwet : gwet.coefficient, source: 'Gwet 2008' },
    ],
    intervals: [],
    tests: [],
    verdict: null,
    remarks: ['Categories are those that occur; kappa falls where one of them is common.'],
  };
}

/** The list of ratings of one line, as many as the first line has, null where a rater gave none. */
function ratingsOf<Rating>(
  lines: readonly Line[],
  isRating: (value: unknown) => value is Rating,
): (Rating | null)[][] {
  const listed = lines.map(({ place, value }) => {
    const { ratings } = value;
    if (Array.isArray(ratings) && ratings.length > 1) return { place, ratings };
    throw new LiftgateError('usage', `${place} has no list of two or more "ratings".`, {
      mend: 'Give every line {"ratings":[4,5,null]}: one entry per rater, null where there is none.',
    });
  });
  const raters = listed[0]?.ratings.length ?? 0;
  return listed.map(({ place, ratings }) => {
    if (ratings.length !== raters) {
      throw new LiftgateError('usage', `${place} has ${ratings.length} ratings, not ${raters}.`, {
        mend: 'Give every line one entry per rater, in the same order, null where there is none.',
      });
    }
    return ratings.map((rating: unknown, at) => {
      if (rating === null || isRating(rating)) return rating;
      throw new LiftgateError('usage', `${place} has no rating that can be used at ${at + 1}.`, {
        mend: 'Write numbers, with --kind category numbers or texts, and null for a missing rating.',
      });
    });
  });
}

function krippendorffNumbers(
  units: readonly (readonly (number | null)[])[],
  scales: readonly ('nominal' | 'ordinal' | 'interval')[],
): NamedNumber[] {
  const found = krippendorffAlpha(units);
  return scales.map((scale) => ({
    name: `alpha, ${scale}`,
    value: isIndeterminate(found) ? found : found[scale],
    source: 'Krippendorff 2004',
  }));
}

const gapRemark = 'Some ratings are missing: only measures that allow gaps have a number.';

function manyNumbers(lines: readonly Line[], given: Given): Answer {
  const level = optionNumber(given, 'level');
  const units = ratingsOf(lines, isFiniteNumber);
  const raters = units[0]?.length ?? 0;
  const complete = units.map((unit) => unit.filter((rating) => rating !== null));
  const gaps = complete.some((unit) => unit.length < raters);
  const found = gaps
    ? ({ status: 'indeterminate', reason: 'missing-ratings' } as const)
    : intraclassCorrelations(complete, level);
  const source = 'Shrout & Fleiss 1979';
  const forms: readonly (readonly [string, IntraclassCorrelation])[] = isIndeterminate(found)
    ? []
    : [
        ['ICC(1,1)', found.oneWay],
        ['ICC(2,1)', found.agreement],
        ['ICC(3,1)', found.consistency],
        [`ICC(1,${raters})`, found.oneWayAverage],
        [`ICC(2,${raters})`, found.agreementAverage],
        [`ICC(3,${raters})`, found.consistencyAverage],
      ];
  const intervals = forms.map(
    ([method, { bounds }]): IntervalRow => ({
      method,
      bounds,
      level,
      guarantee: 'asymptotic',
      source,
      deciding: false,
    }),
  );
  return {
    calculator: 'agreement',
    question: `Agreement of ${raters} raters over ${units.length} units.`,
    input: { units: units.length, raters, kind: 'number', level },
    numbers: [
      ...krippendorffNumbers(units, ['interval', 'ordinal', 'nominal']),
      ...(isIndeterminate(found)
        ? [{ name: 'ICC', value: found, source }]
        : forms.map(([name, { value }]) => ({ name, value, source }))),
    ],
    intervals,
    tests: [],
    verdict: null,
    remarks: [
      'ICC(2,1) counts a constant shift between raters as disagreement, ICC(3,1) does not.',
      ...(gaps ? [gapRemark] : []),
    ],
  };
}

function manyCategories(lines: readonly Line[]): Answer {
  const units = ratingsOf(lines, isCategory);
  const raters = units[0]?.length ?? 0;
  const categories = [...new Set(units.flat().filter((rating) => rating !== null))];
  const positions = units.map((unit) =>
    unit.map((rating) => (rating === null ? null : categories.indexOf(rating))),
  );
  const counts = positions.map((unit) =>
    categories.map((_, category) => unit.filter((at) => at === category).length),
  );
  const gaps = units.flat().some((rating) => rating === null);
  const fleiss = gaps
    ? ({ status: 'indeterminate', reason: 'missing-ratings' } as const)
    : fleissKappa(counts);
  const gwet = gwetAgreement({ units, categories });
  return {
    calculator: 'agreement',
    question: `Agreement of ${raters} raters over ${units.length} units in ${categories.length} categories.`,
    input: { units: units.length, raters, kind: 'category', categories },
    numbers: [
      {
        name: 'observed agreement',
        value: isIndeterminate(gwet) ? gwet : gwet.observedAgreement,
        source: '',
      },
      ...krippendorffNumbers(positions, ['nominal']),
      {
        name: 'kappa',
        value: isIndeterminate(fleiss) ? fleiss : fleiss.coefficient,
        source: 'Fleiss 1971',
      },
      { name: 'AC1', value: isIndeterminate(gwet) ? gwet : gwet.coefficient, source: 'Gwet 2008' },
    ],
    intervals: [],
    tests: [],
    verdict: null,
    remarks: [
      'Categories are those that occur; kappa falls where one of them is common.',
      ...(gaps ? [gapRemark] : []),
    ],
  };
}
