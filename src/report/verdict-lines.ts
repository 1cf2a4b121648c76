/** One line per candidate: decision, improvement, interval, n units, the one reason. The last lines every command prints. */
import { type Contribution, shownNumber } from '../gate/gate.ts';
import type { SealedExperiment } from '../spec/seal.ts';
import type { CandidateDecision, DecisionDocument } from './decision.ts';
import { stoppingText } from './stopping-facts.ts';

/** An improvement with its sign, so that a loss is never read as a gain. */
export function signedNumber(value: number): string {
  return value > 0 ? `+${shownNumber(value)}` : shownNumber(value);
}

/** Gates whose statistic is no improvement: it has no sign worth showing. */
const plainGates: readonly string[] = [
  'rate',
  'latency',
  'budget',
  'matched-budget',
  'canary',
  'contamination',
  'infrastructure-symmetry',
  'interleaving',
  'pareto',
  'evaluator',
  'custom',
];

/**
 * The statistic of a contribution as every format shows it, signed where it is an improvement; empty without one.
 * @example statisticText({ gate: 'lift', statistic: 0.25 }) // => '+0.25'
 * @example statisticText({ gate: 'rate', statistic: 0.25 }) // => '0.25'
 */
export function statisticText({
  gate,
  statistic,
}: Pick<Contribution, 'gate' | 'statistic'>): string {
  if (statistic === null) return '';
  return plainGates.includes(gate) ? shownNumber(statistic) : signedNumber(statistic);
}

/**
 * A candidate's place in the order of candidates and what it does to its error; empty for a single candidate.
 * @example placeText({ rejected: true, step: 1, divisor: 2, of: 2 }, 'holm')
 * // => 'Holm step 1 of 2: the interval is that of its step (error divided by 2).'
 */
export function placeText(
  { rejected, step, of, divisor }: CandidateDecision['step'],
  multiplicity: SealedExperiment['decision']['multiplicity'],
  correction?: CandidateDecision['correction'],
): string {
  if (of === 1) return '';
  if (typeof multiplicity !== 'string') {
    const place = `Place ${step} of ${of} in the fixed sequence, at the full error`;
    return rejected
      ? `${place}: it and all before it cleared.`
      : `${place}: it or one before it did not clear.`;
  }
  if (correction?.applied === 'max-t') {
    const { reason, smallestCorrelation } = correction;
    const law = `max-T: ${reason}, their smallest correlation is ${shownNumber(smallestCorrelation ?? 0)}`;
    return rejected
      ? `Step ${step} of ${of} by ${law}; the interval is that of its step (error divided by ${shownNumber(divisor)}, by Holm ${of - step + 1}).`
      : `Not rejected by ${law}; the interval is at error divided by ${divisor}.`;
  }
  const why = correction === undefined ? '' : ` Holm in place of max-T: ${correction.reason}.`;
  return `${holmText({ rejected, step, of, divisor })}${why}`;
}

function holmText({ rejected, step, of, divisor }: CandidateDecision['step']): string {
  return rejected
    ? `Holm step ${step} of ${of}: the interval is that of its step (error divided by ${divisor}).`
    : `Not rejected in Holm's order: the interval is at error divided by ${divisor}.`;
}

/** Place and looks of a candidate, as sentences; empty for a single candidate of a fixed design. */
export function standingText(
  { step, stopping, correction }: Pick<CandidateDecision, 'step' | 'stopping' | 'correction'>,
  multiplicity: SealedExperiment['decision']['multiplicity'],
): string {
  return [placeText(step, multiplicity, correction), stoppingText(stopping)]
    .filter((text) => text !== '')
    .join(' ');
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

type FurtherUnits = CandidateDecision['furtherUnits'][number];

/**
 * How further units were found, as the words before them.
 * @example furtherText([{ method: 'exact' }]) // => "power of each gate's own method, exact"
 */
export function furtherText(plans: readonly Pick<FurtherUnits, 'method'>[]): string {
  const methods = new Set(plans.map(({ method }) => method));
  const own = (['exact', 'simulation'] as const).filter((each) => methods.has(each)).join(' or ');
  if (!methods.has('normal-approximation')) return `power of each gate's own method, ${own}`;
  const approximate = 'normal approximation, not a simulation of the sealed decision';
  return methods.has('exact') ? `${approximate}; exact where units are counted` : approximate;
}

const countedWords = {
  'audited-bad-units': 'bad units of the audit',
  'audited-good-units': 'good units of the audit',
} as const;

/**
 * The gate that a plan is about, and what is counted where it is not units of the design.
 * @example furtherGate({ gate: 'evaluator:right', of: 'audited-bad-units' }) // => 'evaluator:right (bad units of the audit)'
 */
export function furtherGate({ gate, of }: Pick<FurtherUnits, 'gate' | 'of'>): string {
  return of === undefined ? gate : `${gate} (${countedWords[of]})`;
}

/**
 * The effect that a number of units is named for, on each objective where there are several.
 * @example needEffect({ effect: 0.25 }) // => '0.25'
 */
export function needEffect({
  effect,
  effects,
}: Pick<FurtherUnits['atObserved'], 'effect' | 'effects'>): string {
  if (effects === undefined) return shownNumber(effect);
  return effects.map((each) => `${each.measure} ${shownNumber(each.effect)}`).join(', ');
}

/** Units that would settle a gate and what the further ones would cost, or why no number is named. */
export function needText({ units, further, reason, cost }: FurtherUnits['atObserved']): string {
  const named = units === null ? (reason ?? 'unknown') : `${units} units (${further ?? 0} more)`;
  if (cost === undefined) return named;
  const unknown = cost.unknownCells === 0 ? '' : `, ${cost.unknownCells} cells of unknown cost`;
  return `${named} for ${shownNumber(cost.knownUsd)} USD${unknown}`;
}
