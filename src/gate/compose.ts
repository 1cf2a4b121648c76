/**
 * From contributions to a decision, and from decisions to one: the strongest wins, whatever the order.
 *
 * arch_ceiling > model_ceiling > hold > need_more_work > ship. Optional contributions never move a decision.
 */
import type { Contribution, Decision, Finding } from './gate.ts';

/** From the weakest to the strongest. */
const strength: readonly Decision[] = [
  'ship',
  'need_more_work',
  'hold',
  'model_ceiling',
  'arch_ceiling',
];

/**
 * The stronger of two decisions; associative, commutative, with `ship` as neutral element.
 * @example strongerOf('hold', 'need_more_work') // => 'hold'
 */
export function strongerOf(first: Decision, second: Decision): Decision {
  return strength.indexOf(first) >= strength.indexOf(second) ? first : second;
}

/** What one contribution allows; an optional one allows everything, an answer of a custom gate no more than its finding. */
export function decisionOf(contribution: Contribution): Decision {
  if (!contribution.required) return 'ship';
  const allowed = decisionOfFinding(contribution.finding);
  return contribution.answer === undefined
    ? allowed
    : strongerOf(allowed, contribution.answer.decision);
}

function decisionOfFinding(finding: Finding): Decision {
  switch (finding) {
    case 'cleared':
      return 'ship';
    case 'unresolved':
    case 'indeterminate':
    case 'insufficient':
      return 'need_more_work';
    case 'breached':
    case 'missing':
    case 'unconfigured':
      return 'hold';
  }
}

/**
 * Decision of a list of contributions: ship only if every required one passes.
 *
 * Without a single required contribution nothing was asked, and nothing ships: hold.
 */
export function composeDecision(contributions: readonly Contribution[]): Decision {
  if (!contributions.some((each) => each.required)) return 'hold';
  return contributions.map(decisionOf).reduce(strongerOf, 'ship');
}

/** The first contribution that is as strong as the decision: the one reason to show; null for a ship. */
export function decisiveContribution(
  contributions: readonly Contribution[],
  decision: Decision,
): Contribution | null {
  if (decision === 'ship') return null;
  return contributions.find((each) => decisionOf(each) === decision) ?? null;
}
