/** `liftgate stats proportion | two-proportions`: rates of one and of two independent arms. */
import { LiftgateError } from '../../base/errors.ts';
import { type Bounds, isIndeterminate } from '../../stats/interval.ts';
import {
  agrestiCoullInterval,
  clopperPearsonInterval,
  clopperPearsonLower,
  clopperPearsonUpper,
  jeffreysInterval,
  midPInterval,
  type ProportionCounts,
  wilsonInterval,
} from '../../stats/proportion.ts';
import { roundSignificant } from '../../stats/rounding.ts';
import {
  agrestiCaffoInterval,
  meeInterval,
  miettinenNurminenInterval,
  newcombeInterval,
  twoProportionWaldInterval,
} from '../../stats/two-proportions.ts';
import { type Answer, type IntervalRow, intervalRow, type Verdict } from '../calculator/answer.ts';
import { type Given, optionalNumber, optionNumber, wordNumbers } from '../calculator/arguments.ts';

/** One arm's rate. */
export function proportion(given: Given): Answer {
  const [successes = 0, units = 0] = wordNumbers(given, ['SUCCESSES', 'UNITS']);
  const counts = { successes, units };
  const level = optionNumber(given, 'level');
  const oneSided = oneSidedBounds(counts, 1 - level);
  return {
    calculator: 'proportion',
    question: `A rate: ${successes} of ${units} units.`,
    input: {
      successes,
      units,
      level,
      min: optionalNumber(given, 'min') ?? null,
      max: optionalNumber(given, 'max') ?? null,
    },
    numbers: [
      { name: 'rate', value: successes / units, source: '' },
      {
        name: `one-sided lower bound at level ${level}`,
        value: oneSided.lower,
        source: 'Clopper & Pearson 1934',
      },
      {
        name: `one-sided upper bound at level ${level}`,
        value: oneSided.upper,
        source: 'Clopper & Pearson 1934',
      },
    ],
    intervals: proportionIntervals(counts, level),
    tests: [],
    verdict: rateVerdict(given, { bounds: oneSided, level }),
    remarks: ['A rate gate reads the one-sided Clopper-Pearson bound; Wilson is for showing.'],
  };
}

function oneSidedBounds(counts: ProportionCounts, error: number): Bounds {
  const lower = clopperPearsonLower(counts, error);
  const upper = clopperPearsonUpper(counts, error);
  if (!isIndeterminate(lower) && !isIndeterminate(upper)) return { lower, upper };
  throw new LiftgateError('usage', 'UNITS must be at least 1.', {
    mend: 'Give the number of units that were looked at.',
  });
}

function rateVerdict(
  given: Given,
  { bounds, level }: { readonly bounds: Bounds; readonly level: number },
): Verdict | null {
  const min = optionalNumber(given, 'min');
  const max = optionalNumber(given, 'max');
  if (min !== undefined && max !== undefined) {
    throw new LiftgateError('usage', '--min and --max cannot both be given.', {
      mend: 'Ask once per limit.',
    });
  }
  const errorLevel = roundSignificant(1 - level);
  if (min !== undefined) {
    const rule = 'the one-sided Clopper-Pearson lower bound must lie above the least rate';
    return { threshold: min, errorLevel, clears: bounds.lower > min, rule };
  }
  if (max === undefined) return null;
  const rule = 'the one-sided Clopper-Pearson upper bound must lie below the largest rate';
  return { threshold: max, errorLevel, clears: bounds.upper < max, rule };
}

function proportionIntervals(counts: ProportionCounts, level: number): IntervalRow[] {
  return [
    intervalRow('clopper-pearson', clopperPearsonInterval(counts, level), {
      level,
      deciding: true,
    }),
    intervalRow('wilson', wilsonInterval(counts, level), { level }),
    intervalRow('jeffreys', jeffreysInterval(counts, { level, closedEnds: true }), { level }),
    intervalRow('agresti-coull', agrestiCoullInterval(counts, level), { level }),
    intervalRow('mid-p', midPInterval(counts, level), { level }),
  ];
}

/** The difference of two independent rates, the candidate's named first. */
export function twoProportions(given: Given): Answer {
  const names = ['SUCCESSES', 'UNITS', 'BASELINE-SUCCESSES', 'BASELINE-UNITS'];
  const [successes = 0, units = 0, baselineSuccesses = 0, baselineUnits = 0] = wordNumbers(
    given,
    names,
  );
  const level = optionNumber(given, 'level');
  const candidate = { successes, units };
  const baseline = { successes: baselineSuccesses, units: baselineUnits };
  const groups = { candidate, baseline };
  return {
    calculator: 'two-proportions',
    question: `Difference of independent rates, candidate - baseline: ${successes} of ${units} against ${baselineSuccesses} of ${baselineUnits}.`,
    input: { candidate, baseline, level },
    numbers: [
      {
        name: 'risk difference',
        value:
          units > 0 && baselineUnits > 0
            ? successes / units - baselineSuccesses / baselineUnits
            : { status: 'indeterminate', reason: 'no-units' },
        source: '',
      },
    ],
    intervals: [
      intervalRow('miettinen-nurminen', miettinenNurminenInterval(groups, level), {
        level,
        deciding: true,
      }),
      intervalRow('mee', meeInterval(groups, level), { level }),
      intervalRow('newcombe', newcombeInterval(groups, { level, continuity: false }), { level }),
      intervalRow('agresti-caffo', agrestiCaffoInterval(groups, level), { level }),
      intervalRow('wald', twoProportionWaldInterval(groups, level), { level }),
    ],
    tests: [],
    verdict: null,
    remarks: [
      'Gates compare paired cells; where both arms saw the same units, paired-binary is narrower.',
    ],
  };
}
