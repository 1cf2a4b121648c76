/** What to do next, from the numbers of an insight report. Only a recorded decision speaks of release; nothing here adds to it. */
import { shownNumber } from '../gate/gate.ts';
import type { InsightView } from './insight-facts.ts';

/** Raters that agree less than this are no scale to decide by: Krippendorff (2004), Human Communication Research 30:411. */
const leastAlpha = 0.667;

/** Share of failed cells of an arm from which on its failures come before its scores. */
const muchFailing = 0.05;

type Facts = Omit<InsightView, 'recommendations'>;

function decided({ decisions }: Facts): string[] {
  return decisions.map(({ source, candidate, decision, reason }) =>
    decision === 'ship'
      ? `${candidate} may ship: that was decided in ${source}, and stands.`
      : `${candidate} was not released in ${source} (${decision}): ${reason}. Nothing in this report changes that.`,
  );
}

function failing({ failures }: Facts): string[] {
  return failures.flatMap(({ arm, cells, classes }) => {
    const failed = classes.filter(({ outcome }) => outcome !== 'completed');
    const count = failed.reduce((total, each) => total + each.count, 0);
    if (count <= muchFailing * cells) return [];
    const shown = failed.map((each) => `${each.count} ${each.outcome}`).join(', ');
    return [`Look into the failures of ${arm} first: ${shown} of ${cells} cells.`];
  });
}

function disagreeing({ agreement }: Facts): string[] {
  return agreement
    .filter(({ alpha }) => alpha !== null && alpha < leastAlpha)
    .map(
      ({ measure, raters, alpha }) =>
        `Do not gate on ${measure} as it is rated: ${raters.length} raters agree with alpha ${shownNumber(alpha ?? 0)}, below ${leastAlpha}. Sharpen the instruction and rate again.`,
    );
}

function contaminated({ sharedInputs }: Facts): string[] {
  if (sharedInputs === null) return [];
  const count = sharedInputs.shared.length + sharedInputs.leftOut;
  if (count === 0) return [];
  return [
    `Drop ${count} of ${sharedInputs.inputs} inputs from one split or the other: they occur in several, so what was learned from them was also measured on them.`,
  ];
}

/** Arms that a gate has already judged: what they are worth is its word. */
function judgedArms({ decisions }: Facts): Set<string> {
  return new Set(decisions.map(({ candidate }) => candidate));
}

function promising(facts: Facts): string[] {
  const judged = judgedArms(facts);
  return facts.differences
    .filter(({ arm, lower }) => !judged.has(arm) && lower !== null && lower > 0)
    .map(
      ({ arm, measure, units, lower, upper }) =>
        `${arm} looks better in ${measure} (${shownNumber(lower ?? 0)} .. ${shownNumber(upper ?? 0)} over ${units} units). Seal an experiment on units nobody has seen to find out; these records decide nothing.`,
    );
}

function worsening(facts: Facts): string[] {
  return facts.differences
    .filter(({ upper }) => upper !== null && upper < 0)
    .map(
      ({ arm, measure, lower, upper }) =>
        `${arm} is worse in ${measure} (${shownNumber(lower ?? 0)} .. ${shownNumber(upper ?? 0)}): declare it a guardrail before the next measurement.`,
    );
}

function uneven(facts: Facts): string[] {
  return facts.strata
    .filter(({ upper }) => upper !== null && upper < 0)
    .map(
      ({ arm, measure, stratum, units }) =>
        `${arm} loses in ${measure} where ${stratum ?? ''} (${units} units): look at these cases; one of many comparisons, so expect some by chance.`,
    );
}

function opposed(facts: Facts): string[] {
  return facts.associations
    .filter(({ upper }) => upper !== null && upper < 0)
    .map(
      ({ arm, first, second, spearman }) =>
        `Units of ${arm} that gain in ${first} tend to lose in ${second} (rank correlation ${shownNumber(spearman)}): gate both.`,
    );
}

/**
 * The recommendations of a report, decisions first.
 * @returns sentences; none speaks of release but those that repeat a recorded decision
 */
export function recommendationsOf(facts: Facts): string[] {
  return [
    decided,
    failing,
    disagreeing,
    contaminated,
    worsening,
    uneven,
    opposed,
    promising,
  ].flatMap((each) => each(facts));
}
