/** `liftgate stats clustered | agreement`: several cases per unit, several ratings per unit. */
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
import { clusterSignFlipTest } from '../../stats/cluster-resampling.ts';
import {
  type ClusterVariance,
  clusteredMeanInterval,
  clusteredTTest,
  clusterVariance,
  type UnitCases,
  unitMeans,
} from '../../stats/clustered.ts';
import { clusteredMcnemar, clusteredRiskDifferenceInterval } from '../../stats/clustered-binary.ts';
import { type Indeterminate, isIndeterminate } from '../../stats/interval.ts';
import { intraclassCorrelations } from '../../stats/intraclass.ts';
import { meanDifferenceInterval } from '../../stats/mean-difference.ts';
import { gwetAgreement } from '../../stats/reliability.ts';
import { moments } from '../../stats/summary.ts';
import { type Answer, intervalRow, type NamedNumber, type TestRow } from '../calculator/answer.ts';
import {
  fieldNumber,
  type Given,
  optionNumber,
  optionSeed,
  optionWord,
  readObjects,
} from '../calculator/arguments.ts';

async function readUnits(given: Given): Promise<UnitCases> {
  const units = new Map<string, number[]>();
  for (const line of await readObjects(given)) {
    const { unit } = line.value;
    if (typeof unit !== 'string' || unit === '') {
      throw new LiftgateError('usage', `${line.place} names no unit.`, {
        mend: 'Give every line the text "unit", and the number "difference" of one case.',
      });
    }
    const cases = units.get(unit) ?? [];
    cases.push(fieldNumber(line, 'difference'));
    units.set(unit, cases);
  }
  return [...units.values()];
}

/** The pooled mean of cases within units; the kind is told, never guessed from the values. */
export async function clustered(given: Given): Promise<Answer> {
  const kind = optionWord(given, 'kind', ['score', 'binary']);
  const level = optionNumber(given, 'level');
  const units = await readUnits(given);
  const binary = kind === 'binary';
  const variance = clusterVariance(units);
  const means = unitMeans(units);
  return {
    calculator: 'clustered',
    question: `Pooled mean difference of ${units.flat().length} cases in ${units.length} units.`,
    input: { units: units.length, cases: units.flat().length, kind, level },
    numbers: [
      { name: 'mean over cases', value: moments(units.flat()).mean, source: '' },
      { name: 'mean over units', value: moments(means).mean, source: '' },
      ...varianceNumbers(variance),
    ],
    intervals: [
      ...(binary
        ? [
            intervalRow('tango-effective-n', clusteredRiskDifferenceInterval(units, level), {
              level,
              deciding: true,
            }),
          ]
        : []),
      intervalRow('cr2', clusteredMeanInterval(units, level), { level, deciding: !binary }),
      intervalRow('t', meanDifferenceInterval(means, level), { level }),
    ],
    tests: clusteredTests(units, binary),
    verdict: null,
    remarks: [
      'The t interval is for the mean over units, where every unit counts once.',
      ...floorRemarks(units, variance),
    ],
  };
}

function varianceNumbers(variance: ClusterVariance | Indeterminate): NamedNumber[] {
  if (isIndeterminate(variance)) return [];
  const { df, largestShare } = variance;
  return [
    { name: 'degrees of freedom', value: df, source: 'Satterthwaite 1946' },
    { name: 'share of the largest unit', value: largestShare, source: '' },
  ];
}

function floorRemarks(units: UnitCases, variance: ClusterVariance | Indeterminate): string[] {
  const thin =
    units.length < 5 ||
    isIndeterminate(variance) ||
    variance.df < 4 ||
    variance.largestShare > 1 / 3;
  return thin
    ? [
        'Below 5 units, below 4 degrees of freedom or with a unit above a third of the cases no gate ships on this.',
      ]
    : [];
}

function clusteredTests(units: UnitCases, binary: boolean): TestRow[] {
  const flips = clusterSignFlipTest(units);
  const cr2 = clusteredTTest(units);
  const mcnemar = binary ? clusteredMcnemar(countsOf(units)) : null;
  return [
    {
      test: 'cluster sign-flip',
      probabilities: isIndeterminate(flips)
        ? flips
        : { pTwoSided: flips.pTwoSided, pGreater: flips.pGreater, pLess: flips.pLess },
      guarantee: 'finite-sample',
      source: 'Fisher 1935, by unit',
    },
    {
      test: 'cr2 t',
      probabilities: isIndeterminate(cr2) ? cr2 : { pTwoSided: cr2.pTwoSided },
      guarantee: 'asymptotic',
      source: 'Pustejovsky & Tipton 2018',
    },
    ...(mcnemar === null
      ? []
      : [
          {
            test: 'clustered mcnemar',
            probabilities: isIndeterminate(mcnemar) ? mcnemar : { pTwoSided: mcnemar.obuchowski.p },
            guarantee: 'asymptotic' as const,
            source: 'Obuchowski 1998',
          },
        ]),
  ];
}

function countsOf(units: UnitCases): { gains: number[]; losses: number[]; sizes: number[] } {
  return {
    gains: units.map((unit) => unit.filter((value) => value === 1).length),
    losses: units.map((unit) => unit.filter((value) => value === -1).length),
    sizes: units.map((unit) => unit.length),
  };
}

/** Agreement of two raters over the same units: numbers or categories, told by `--kind`. */
export async function agreement(given: Given): Promise<Answer> {
  const kind = optionWord(given, 'kind', ['number', 'category']);
  const lines = await readObjects(given);
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

function categoryOf(
  { place, value }: { readonly place: string; readonly value: Record<string, unknown> },
  field: string,
): Category {
  const found = value[field];
  if (typeof found === 'string' || (typeof found === 'number' && Number.isFinite(found)))
    return found;
  throw new LiftgateError('usage', `${place} has no category "${field}".`, {
    mend: `Give every line a text or a number in "${field}".`,
  });
}

function categoryAgreement(
  lines: readonly { readonly place: string; readonly value: Record<string, unknown> }[],
): Answer {
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
