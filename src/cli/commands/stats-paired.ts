/** `liftgate stats paired-binary`: gains and losses of paired units. */
import { LiftgateError } from '../../base/errors.ts';
import { errorPerSide, isIndeterminate } from '../../stats/interval.ts';
import {
  mcnemarExact,
  type PairedCounts,
  pairedRiskDifferenceInterval,
} from '../../stats/paired-binary.ts';
import {
  exactUnconditionalClears,
  exactUnconditionalInterval,
} from '../../stats/paired-binary-exact.ts';
import {
  agrestiMinInterval,
  bonettPriceInterval,
  conditionalExactInterval,
  newcombePairedInterval,
  pairedWaldInterval,
} from '../../stats/paired-binary-intervals.ts';
import {
  mcnemarAsymptotic,
  mcnemarMidP,
  pairedNoninferiorityTest,
} from '../../stats/paired-binary-tests.ts';
import { roundSignificant } from '../../stats/rounding.ts';
import {
  type Answer,
  type IntervalRow,
  intervalRow,
  type TestRow,
  type Verdict,
} from '../calculator/answer.ts';
import { type Given, optionalNumber, optionNumber, wordNumbers } from '../calculator/arguments.ts';

/** Most units for which the exact unconditional bound is computed, as under `auto`. */
const exactUnits = 5000;

interface PairedQuestion {
  readonly counts: PairedCounts;
  readonly units: number;
  readonly level: number;
  readonly threshold: number;
  readonly decidesExact: boolean;
  /** Whether the split of the tied pairs was given; only Newcombe's intervals need it. */
  readonly splitKnown: boolean;
}

/** The risk difference of paired outcomes, by every method of the kernel. */
export function pairedBinary(given: Given): Answer {
  const asked = pairedQuestion(given);
  const { counts, units, level, threshold } = asked;
  const { onlyCandidate, onlyBaseline } = counts;
  const intervals = pairedIntervals(asked);
  const remarks = [
    ...(asked.splitKnown
      ? []
      : ["Newcombe's intervals need --both, the units where both arms are right; left out."]),
    ...(units > exactUnits
      ? [`The exact unconditional bound is offered up to ${exactUnits} units.`]
      : []),
    ...(onlyBaseline < 5 && !asked.decidesExact
      ? ['Fewer than 5 units show a loss: an asymptotic bound may miss more often than it says.']
      : []),
  ];
  return {
    calculator: 'paired-binary',
    question: `Paired risk difference, candidate - baseline: ${onlyCandidate} gains and ${onlyBaseline} losses in ${units} units.`,
    input: {
      onlyCandidate,
      onlyBaseline,
      units,
      both: asked.splitKnown ? counts.both : null,
      level,
      threshold,
    },
    numbers: [
      { name: 'risk difference', value: (onlyCandidate - onlyBaseline) / units, source: '' },
    ],
    intervals,
    tests: pairedTests(asked),
    verdict: pairedVerdict(asked, intervals),
    remarks,
  };
}

function pairedQuestion(given: Given): PairedQuestion {
  const [onlyCandidate = 0, onlyBaseline = 0] = wordNumbers(given, ['GAINS', 'LOSSES']);
  const units = optionNumber(given, 'n');
  const both = optionalNumber(given, 'both');
  const level = optionNumber(given, 'level');
  const threshold = optionNumber(given, 'threshold');
  const tied = units - onlyCandidate - onlyBaseline;
  if (units < 1 || tied < 0 || (both ?? 0) > tied) {
    throw new LiftgateError('usage', `--n ${units} is less than the pairs it should hold.`, {
      mend: 'Let --n count every unit: gains + losses + units where both arms do the same.',
    });
  }
  if (!(Math.abs(threshold) < 1)) {
    throw new LiftgateError('usage', `--threshold must lie between -1 and 1, got ${threshold}.`, {
      mend: 'Write the threshold on the probability scale: 0.02 for two points, -0.05 for a margin.',
    });
  }
  const finite = given.options['finiteSample'] === true;
  const counts = {
    both: both ?? tied,
    onlyCandidate,
    onlyBaseline,
    neither: tied - (both ?? tied),
  };
  const decidesExact = finite || (threshold > 0 && units <= exactUnits);
  if (finite && units > exactUnits) {
    throw new LiftgateError('usage', `--finite-sample is offered up to ${exactUnits} units.`, {
      mend: 'Leave --finite-sample out.',
    });
  }
  return { counts, units, level, threshold, decidesExact, splitKnown: both !== undefined };
}

function pairedIntervals(asked: PairedQuestion): IntervalRow[] {
  const { counts, level, units, decidesExact, splitKnown } = asked;
  const exact = (): IntervalRow =>
    intervalRow('exact-unconditional', exactUnconditionalInterval(counts, level), {
      level,
      deciding: decidesExact,
    });
  const newcombe = ['newcombe-8', 'newcombe-9-continuity', 'newcombe-10'] as const;
  return [
    intervalRow('tango-score', pairedRiskDifferenceInterval(counts, level), {
      level,
      deciding: !decidesExact,
    }),
    ...(units > exactUnits ? [] : [exact()]),
    ...(splitKnown ? newcombe : []).map((method) =>
      intervalRow(method, newcombePairedInterval(counts, { level, method }), { level }),
    ),
    intervalRow('bonett-price', bonettPriceInterval(counts, level), { level }),
    intervalRow('agresti-min', agrestiMinInterval(counts, level), { level }),
    intervalRow('wald', pairedWaldInterval(counts, { level, continuity: false }), { level }),
    intervalRow('conditional-exact', conditionalExactInterval(counts, level), { level }),
  ];
}

function pairedTests({ counts, threshold }: PairedQuestion): TestRow[] {
  const tango = threshold < 0 ? pairedNoninferiorityTest(counts, -threshold) : null;
  return [
    {
      test: 'mcnemar-exact',
      probabilities: { ...mcnemarExact(counts) },
      guarantee: 'finite-sample',
      source: 'McNemar 1947',
    },
    {
      test: 'mcnemar-mid-p',
      probabilities: { ...mcnemarMidP(counts) },
      guarantee: 'asymptotic',
      source: 'Fagerland et al. 2013',
    },
    {
      test: 'mcnemar-asymptotic',
      probabilities: { pTwoSided: mcnemarAsymptotic(counts, false).pTwoSided },
      guarantee: 'asymptotic',
      source: 'McNemar 1947',
    },
    ...(tango === null
      ? []
      : [
          {
            test: `tango-noninferiority at ${threshold}`,
            probabilities: isIndeterminate(tango) ? tango : { pGreater: tango.pValue },
            guarantee: 'asymptotic' as const,
            source: 'Tango 1998',
          },
        ]),
  ];
}

function pairedVerdict(asked: PairedQuestion, intervals: readonly IntervalRow[]): Verdict {
  const { counts, level, threshold, decidesExact } = asked;
  const errorLevel = roundSignificant(errorPerSide(level));
  if (decidesExact) {
    return {
      threshold,
      errorLevel,
      clears: exactUnconditionalClears(counts, { error: errorLevel, threshold }) === true,
      rule: 'the exact unconditional lower bound must lie above the threshold',
    };
  }
  const bounds = intervals.find((row) => row.deciding)?.bounds;
  const above = bounds !== undefined && !isIndeterminate(bounds) && bounds.lower > threshold;
  const atZero = threshold === 0;
  return {
    threshold,
    errorLevel,
    clears: above && (!atZero || mcnemarExact(counts).pGreater <= errorLevel),
    rule: atZero
      ? "Tango's lower bound must lie above 0 and McNemar's exact pGreater at or below the error"
      : "Tango's lower bound must lie above the threshold",
  };
}
