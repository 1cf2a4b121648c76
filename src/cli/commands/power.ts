/** `liftgate power KIND`: power, units and detectable effects of a design, before any evidence is seen. */
import { errorPerSide, isIndeterminate } from '../../stats/interval.ts';
import { detectableEffect, pairedTPower, pairedTUnits, requiredUnits } from '../../stats/power.ts';
import { clusteredPlan, designEffect, twoProportionUnits } from '../../stats/power-design.ts';
import {
  allTiedUnits,
  type DiscordantRates,
  type McnemarTestKind,
  mcnemarPower,
  mcnemarSearch,
  mcnemarUnits,
  tangoPower,
} from '../../stats/power-paired-binary.ts';
import {
  exactUnconditionalPower,
  exactUnconditionalUnits,
} from '../../stats/power-paired-binary-exact.ts';
import { roundSignificant } from '../../stats/rounding.ts';
import type { Answer, NamedNumber } from '../calculator/answer.ts';
import { type Given, optionalNumber, optionNumber, optionSides } from '../calculator/arguments.ts';

/** Most units for which the exact unconditional bound is computed, as under `auto`. */
const exactUnits = 5000;

const noTables = { intervals: [], tests: [], verdict: null } as const;

/** An answer made of numbers alone. */
function answer(
  calculator: string,
  parts: Pick<Answer, 'question' | 'input' | 'numbers' | 'remarks'>,
): Answer {
  return { calculator, ...noTables, ...parts };
}

function ratesOf(given: Given): DiscordantRates {
  return {
    onlyCandidate: optionNumber(given, 'gain'),
    onlyBaseline: optionNumber(given, 'loss'),
  };
}

interface PairedPlan {
  readonly rates: DiscordantRates;
  readonly threshold: number;
  readonly error: number;
  readonly power: number;
  /** Most units a search looks at. */
  readonly limit: number;
}

/** The smallest number of units at which Tango's bound clears with the power, by enumeration; undefined up to the limit. */
function tangoUnits({ rates, threshold, error, power, limit }: PairedPlan): number | undefined {
  for (let units = 2; units <= limit; units += 1) {
    if (tangoPower({ units, rates, threshold, error }) >= power) return units;
  }
  return undefined;
}

/** The method whose bound a gate reads at a threshold: above 0 the exact unconditional one, up to the units it is offered for. */
const methods = {
  exact: {
    title: 'exact-unconditional',
    source: 'Buehler 1957, enumerated',
    power: exactUnconditionalPower,
    units: exactUnconditionalUnits,
  },
  tango: { title: 'tango', source: 'Tango 1998, enumerated', power: tangoPower, units: tangoUnits },
} as const;

/** The deciding method first. */
function methodsAt({ threshold }: PairedPlan, units: number) {
  const { exact, tango } = methods;
  return threshold > 0 && units <= exactUnits ? [exact, tango] : [tango];
}

function unitsNumbers(plan: PairedPlan): NamedNumber[] {
  const { rates, threshold } = plan;
  const hopeless = rates.onlyCandidate - rates.onlyBaseline <= threshold;
  const reason = hopeless ? 'effect-not-above-threshold' : 'more-units-than-the-limit';
  return methodsAt(plan, plan.limit).map(({ title, source, units }) => ({
    name: `units, ${title} at ${threshold}`,
    value: (hopeless ? undefined : units(plan)) ?? { status: 'indeterminate', reason },
    source,
  }));
}

function mcnemarNumbers(plan: PairedPlan): NamedNumber[] {
  const { rates, error, power, limit } = plan;
  if (rates.onlyCandidate <= rates.onlyBaseline) return [];
  const formula = mcnemarUnits({ rates, error, power });
  const search = (test: McnemarTestKind): NamedNumber => {
    const found = mcnemarSearch({ rates, test, error, sides: 1, power, limit });
    return {
      name: `units, mcnemar ${test}`,
      value:
        found.status === 'reachable'
          ? found.units
          : { status: 'indeterminate', reason: 'more-units-than-the-limit' },
      source: 'enumerated',
    };
  };
  return [
    search('exact'),
    search('mid-p'),
    { name: 'units, formula', value: formula.connor.units, source: 'Connor 1987' },
    { name: 'units, formula', value: formula.miettinen.units, source: 'Miettinen 1968' },
  ];
}

function pairedPowers(plan: PairedPlan, units: number): NamedNumber[] {
  const { rates, threshold, error } = plan;
  const mcnemar = (test: McnemarTestKind): NamedNumber => ({
    name: `power, mcnemar ${test}`,
    value: mcnemarPower({ units, rates, test, error, sides: 1 }),
    source: 'enumerated',
  });
  return [
    ...methodsAt(plan, units).map(({ title, source, power }) => ({
      name: `power, ${title} at ${threshold}`,
      value: power({ units, rates, threshold, error }),
      source,
    })),
    ...(threshold === 0 ? [mcnemar('exact'), mcnemar('mid-p')] : []),
  ];
}

/** Paired outcomes with given rates of gains and losses: power at `--n`, else the units. */
export function pairedBinaryPower(given: Given): Answer {
  const plan = pairedPlan(given, optionNumber(given, 'threshold'));
  const units = optionalNumber(given, 'n');
  const { rates, threshold, error, power } = plan;
  const remarks = [
    'One-sided, at the error of the level above. Power is saw-toothed in the units.',
  ];
  if (threshold === 0)
    remarks.push('At 0 a gate asks for Tango and McNemar exact both: count on the smaller power.');
  if (threshold > 0)
    remarks.push(
      `Above 0 a gate reads the exact unconditional bound up to ${exactUnits} units, Tango's beyond: count on the first line.`,
    );
  return answer('paired-binary', {
    question: `Paired outcomes: gains ${rates.onlyCandidate}, losses ${rates.onlyBaseline} per unit, one-sided error ${roundSignificant(error)}.`,
    input: { ...rates, threshold, error: roundSignificant(error), units: units ?? null, power },
    numbers:
      units === undefined
        ? [...unitsNumbers(plan), ...(threshold === 0 ? mcnemarNumbers(plan) : [])]
        : pairedPowers(plan, units),
    remarks,
  });
}

function pairedPlan(given: Given, threshold: number): PairedPlan {
  return {
    rates: ratesOf(given),
    threshold,
    error: errorPerSide(optionNumber(given, 'level')),
    power: optionNumber(given, 'power'),
    limit: optionNumber(given, 'limit'),
  };
}

/** Noninferiority of paired outcomes within a margin. */
export function noninferiorityPower(given: Given): Answer {
  const margin = optionNumber(given, 'margin');
  const plan = pairedPlan(given, -margin);
  const units = optionalNumber(given, 'n');
  const { rates, error, power } = plan;
  return answer('noninferiority', {
    question: `No worse than ${margin}: gains ${rates.onlyCandidate}, losses ${rates.onlyBaseline} per unit, one-sided error ${roundSignificant(error)}.`,
    input: { ...rates, margin, error: roundSignificant(error), units: units ?? null, power },
    numbers: [
      ...(units === undefined ? unitsNumbers(plan) : pairedPowers(plan, units)),
      {
        name: 'units if every pair ties',
        value: allTiedUnits({ margin, error }),
        source: 'Tango 1998',
      },
    ],
    remarks: ['With fewer units than the last line no evidence at all could show noninferiority.'],
  });
}

/** The paired t test at a standardized effect. */
export function pairedTPowerAnswer(given: Given): Answer {
  const effect = optionNumber(given, 'effect');
  const sides = optionSides(given);
  const error = errorPerSide(optionNumber(given, 'level'));
  const units = optionalNumber(given, 'n');
  const power = optionNumber(given, 'power');
  const source = 'Johnson, Kotz & Balakrishnan 1995';
  return answer('paired-t', {
    question: `Paired t test: effect of ${effect} standard deviations, error ${roundSignificant(error)} per side, sides ${sides}.`,
    input: { effect, sides, error: roundSignificant(error), units: units ?? null, power },
    numbers:
      units === undefined
        ? unitNumbers({ effect, error, sides, power })
        : [
            {
              name: 'power',
              value: pairedTPower({ units, standardizedEffect: effect, error, sides }),
              source,
            },
          ],
    remarks: ['Exact for normal differences, by the noncentral t.'],
  });
}

function unitNumbers(options: {
  readonly effect: number;
  readonly error: number;
  readonly sides: 1 | 2;
  readonly power: number;
}): NamedNumber[] {
  const { effect, ...rest } = options;
  const found = pairedTUnits({ standardizedEffect: effect, ...rest });
  return [
    { name: 'units', value: found.units, source: 'Cohen 1988, noncentral t' },
    { name: 'units, normal', value: found.normal.units, source: 'too small below 30' },
  ];
}

/** Units for a mean difference of a known spread. */
export function unitsPower(given: Given): Answer {
  const standardDeviation = optionNumber(given, 'standardDeviation');
  const effect = optionNumber(given, 'effect');
  const threshold = optionNumber(given, 'threshold');
  const error = errorPerSide(optionNumber(given, 'level'));
  const power = optionNumber(given, 'power');
  const found = requiredUnits({ standardDeviation, effect, threshold, error, power });
  const normal: NamedNumber['value'] = isIndeterminate(found)
    ? found
    : found.status === 'reachable'
      ? found.units
      : { status: 'indeterminate', reason: found.reason };
  const standardizedEffect = (effect - threshold) / standardDeviation;
  const exact: NamedNumber[] =
    typeof normal === 'number'
      ? unitNumbers({ effect: standardizedEffect, error, sides: 1, power })
      : [];
  return answer('units', {
    question: `Units whose lower bound clears ${threshold} when the mean is ${effect} and the spread ${standardDeviation}.`,
    input: { standardDeviation, effect, threshold, error: roundSignificant(error), power },
    numbers:
      exact.length === 0
        ? [{ name: 'units', value: normal, source: 'normal approximation' }]
        : exact,
    remarks:
      exact.length === 0
        ? ['No number of units would do unless the effect lies above the threshold.']
        : [],
  });
}

/** The smallest standardized effect that a number of units detects. */
export function detectablePower(given: Given): Answer {
  const units = optionNumber(given, 'n');
  const sides = optionSides(given);
  const error = errorPerSide(optionNumber(given, 'level'));
  const power = optionNumber(given, 'power');
  const found = detectableEffect({ units, error, sides, power });
  return answer('detectable', {
    question: `Smallest effect that ${units} units detect with power ${power}, error ${roundSignificant(error)} per side, sides ${sides}.`,
    input: { units, sides, error: roundSignificant(error), power },
    numbers: [
      {
        name: 'effect in standard deviations',
        value: found.standardizedEffect,
        source: 'Bloom 1995, noncentral t',
      },
      { name: 'effect, normal', value: found.normal, source: 'Bloom 1995' },
    ],
    remarks: [],
  });
}

/** Units per arm for two independent rates. */
export function twoProportionsPower(given: Given): Answer {
  const candidate = optionNumber(given, 'candidate');
  const baseline = optionNumber(given, 'baseline');
  const error = errorPerSide(optionNumber(given, 'level'));
  const power = optionNumber(given, 'power');
  const found = twoProportionUnits({ baseline, candidate, error, power });
  return answer('two-proportions', {
    question: `Units per arm to tell a rate of ${candidate} from ${baseline}, error ${roundSignificant(error)} per side.`,
    input: { candidate, baseline, error: roundSignificant(error), power },
    numbers: [
      { name: 'units per arm', value: found.pooled.units, source: 'Fleiss, Levin & Paik 2003' },
      { name: 'units per arm, arcsine', value: found.arcsine.units, source: 'Cohen 1988' },
    ],
    remarks: [],
  });
}

/** What several cases per unit cost. */
export function clusteredPower(given: Given): Answer {
  const meanSize = optionNumber(given, 'meanSize');
  const intraclassCorrelation = optionNumber(given, 'icc');
  const sizeVariation = optionNumber(given, 'sizeVariation');
  const independentCases = optionNumber(given, 'cases');
  const effect = designEffect({ meanSize, intraclassCorrelation, sizeVariation });
  const found = clusteredPlan({ independentCases, designEffect: effect, meanSize });
  return answer('clustered', {
    question: `${independentCases} independent cases as units of ${meanSize} cases, correlated ${intraclassCorrelation}.`,
    input: { meanSize, intraclassCorrelation, sizeVariation, independentCases },
    numbers: [
      { name: 'design effect', value: effect, source: 'Eldridge, Ashby & Kerry 2006' },
      { name: 'cases', value: found.cases, source: '' },
      { name: 'units', value: found.units, source: '' },
    ],
    remarks: [],
  });
}
