/** `liftgate stats clustered`: several cases per unit. */
import { LiftgateError } from '../../base/errors.ts';
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
import { meanDifferenceInterval } from '../../stats/mean-difference.ts';
import { moments } from '../../stats/summary.ts';
import { type Answer, intervalRow, type NamedNumber, type TestRow } from '../calculator/answer.ts';
import {
  fieldNumber,
  type Given,
  optionNumber,
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
