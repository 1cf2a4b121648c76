/** One line per candidate: decision, improvement, interval, n units, the one reason. The last lines every command prints. */
import { shownNumber } from '../gate/gate.ts';
import type { CandidateDecision, DecisionDocument } from './decision.ts';

/** An improvement with its sign, so that a loss is never read as a gain. */
export function signedNumber(value: number): string {
  return value > 0 ? `+${shownNumber(value)}` : shownNumber(value);
}

/** Improvement and interval in words, or why there is none. */
export function improvementText(decided: Pick<CandidateDecision, 'improvement'>): string {
  if (decided.improvement === null) return 'no estimate';
  const { value, interval, n, measure } = decided.improvement;
  const bounds = `${signedNumber(interval.lower)} .. ${signedNumber(interval.upper)}`;
  return `${measure} ${signedNumber(value)} (${bounds}) n=${n.units} units`;
}

/**
 * The verdict of one candidate on one line.
 * @example verdictLine({ candidate: 'r2', decision: 'hold', improvement: null, reason: 'controls: none ran' })
 * // => 'r2: hold | no estimate | controls: none ran'
 */
export function verdictLine(
  decided: Pick<CandidateDecision, 'candidate' | 'decision' | 'improvement' | 'reason'>,
): string {
  return `${decided.candidate}: ${decided.decision} | ${improvementText(decided)} | ${decided.reason}`;
}

/** Verdict lines of all candidates in the document's order. */
export function verdictLines(document: Pick<DecisionDocument, 'decisions'>): string[] {
  return document.decisions.map(verdictLine);
}

/**
 * The overall result in a few words: who may ship, or that nobody does.
 * @example headlineOf([{ candidate: 'r2', decision: 'hold' }]) // => 'nothing ships'
 */
export function headlineOf(
  decisions: readonly Pick<CandidateDecision, 'candidate' | 'decision'>[],
): string {
  const shipped = decisions
    .filter((each) => each.decision === 'ship')
    .map((each) => each.candidate);
  return shipped.length === 0 ? 'nothing ships' : `${shipped.join(', ')} may ship`;
}
