/**
 * Several candidates: Holm by bounds over the required interval gates, or a fixed sequence.
 *
 * With m candidates a candidate clears level k if every required interval gate clears with its error divided by k, and at every
 * smaller divisor; step j asks for level m - j + 1. A candidate that another gate stops keeps its place in the order.
 *
 * In a fixed sequence every candidate has the full error, and may ship only while all before it cleared theirs. A stopped sequence
 * takes the right to ship from those behind, never the duty to hold: a breach is judged on a candidate's own interval.
 */
import type { Analysis, CandidateAnalysis } from '../analysis/analyze.ts';
import { invariant, LiftgateError } from '../base/errors.ts';
import type { SealedExperiment } from '../spec/seal.ts';
import { type HolmStep, holmByBounds } from '../stats/multiplicity.ts';
import {
  chosenSample,
  doesBreachStand,
  type EffectGate,
  type EffectLevel,
  type EffectReading,
  effectContribution,
  effectGates,
  effectLevel,
} from './effect.ts';
import type { Contribution } from './gate.ts';

/** Interval gates of one candidate after the order of candidates was applied. */
export interface EffectJudgement {
  readonly candidate: string;
  readonly step: HolmStep;
  readonly contributions: readonly Contribution[];
  /** Gates with the reading that the contribution shows, for planning further units. */
  readonly readings: readonly { readonly gate: EffectGate; readonly reading: EffectReading }[];
}

/** Whether a sequence names every candidate once. */
function listsExactly(sequence: readonly string[], candidates: readonly string[]): boolean {
  return sequence.length === candidates.length && candidates.every((id) => sequence.includes(id));
}

/**
 * Refuses an order of candidates that cannot be judged.
 * @param candidates  ids of the sealed candidates
 * @throws {LiftgateError} design-refused
 */
export function checkMultiplicity(seal: SealedExperiment, candidates: readonly string[]): void {
  const { multiplicity } = seal.decision;
  if (multiplicity === 'holm' || (multiplicity === 'none' && candidates.length <= 1)) return;
  if (multiplicity !== 'none' && listsExactly(multiplicity.sequence, candidates)) return;
  const what =
    multiplicity === 'none'
      ? `multiplicity "none" is for one candidate, but ${candidates.length} are sealed`
      : `the sequence ${multiplicity.sequence.join(', ')} does not list exactly the candidates ${candidates.join(', ')}`;
  throw new LiftgateError('design-refused', `The order of candidates cannot be judged: ${what}.`, {
    where: { path: 'multiplicity' },
    mend: 'Seal the experiment with `multiplicity: holm`, or with a sequence of all candidates.',
  });
}

/** Levels of one candidate: for each gate, index k - 1 holds the gate at error/k. */
type Levels = ReadonlyMap<EffectGate, readonly EffectLevel[]>;

interface JudgeOptions {
  readonly gates: readonly EffectGate[];
  readonly filled: boolean;
  /** What the error is divided by, from 1 without a gap. */
  readonly divisors: readonly number[];
}

function readCandidate(
  analysis: Analysis,
  candidate: CandidateAnalysis,
  { gates, filled, divisors }: JudgeOptions,
): Levels {
  const { seal } = analysis;
  const error = seal.analysis.errorLevels.lift;
  return new Map(
    gates.map((gate) => {
      const measured = candidate.measures.get(gate.measureId);
      invariant(measured !== undefined, 'every gated measure is analysed');
      const sample = chosenSample(measured, filled);
      return [gate, divisors.map((divisor) => effectLevel(seal, gate, sample, error / divisor))];
    }),
  );
}

function clearsAt(readings: Levels, index: number): boolean {
  return [...readings].every(([gate, levels]) => !gate.required || levels[index]?.clears === true);
}

/** A candidate's place in the order, and the candidate that a fixed sequence stopped at before it. */
interface Place {
  readonly step: HolmStep;
  readonly stoppedBy: string | null;
}

function judgeCandidate(
  { seal }: Analysis,
  candidate: CandidateAnalysis,
  readings: Levels,
  { step, stoppedBy }: Place,
): EffectJudgement {
  const several = (readings.values().next().value?.length ?? 1) > 1;
  const shown = [...readings].map(([gate, levels]) => {
    const reading = levels[step.divisor - 1]?.reading();
    invariant(
      reading !== undefined,
      'a step divides the error by at most the number of candidates',
    );
    const clears = levels.slice(0, step.divisor).every((level) => level.clears);
    const measured = candidate.measures.get(gate.measureId);
    invariant(measured !== undefined, 'every gated measure is analysed');
    const breachStands = doesBreachStand(seal, gate, measured, reading);
    const standing = { clears, stepwise: step.rejected && several, breachStands, stoppedBy };
    return { gate, reading, contribution: effectContribution(gate, reading, standing) };
  });
  return {
    candidate: candidate.id,
    step,
    contributions: shown.map((each) => each.contribution),
    readings: shown.map(({ gate, reading }) => ({ gate, reading })),
  };
}

function holmPlaces(readings: readonly Levels[]): Place[] {
  const clears = readings.map((each) => readings.map((_, index) => clearsAt(each, index)));
  return holmByBounds(clears).map((step) => ({ step, stoppedBy: null }));
}

function sequencePlaces(
  sequence: readonly string[],
  candidates: readonly CandidateAnalysis[],
  readings: readonly Levels[],
): Place[] {
  const cleared = new Map(
    candidates.map(({ id }, index) => {
      const own = readings[index];
      return [id, own !== undefined && clearsAt(own, 0)];
    }),
  );
  const stop = sequence.findIndex((id) => cleared.get(id) !== true);
  return candidates.map(({ id }) => {
    const at = sequence.indexOf(id);
    const step = { rejected: stop < 0 || at < stop, step: at + 1, divisor: 1 };
    return { step, stoppedBy: stop >= 0 && at > stop ? (sequence[stop] ?? null) : null };
  });
}

/**
 * Judges the interval gates of every candidate.
 * @param filled  with every loss that can be filled counted against its candidate
 */
export function judgeEffects(analysis: Analysis, filled: boolean): EffectJudgement[] {
  const { seal, candidates } = analysis;
  const { multiplicity } = seal.decision;
  checkMultiplicity(
    seal,
    candidates.map((each) => each.id),
  );
  const gates = effectGates(seal);
  const sequence = typeof multiplicity === 'string' ? null : multiplicity.sequence;
  const divisors = sequence === null ? candidates.map((_, index) => index + 1) : [1];
  const readings = candidates.map((candidate) =>
    readCandidate(analysis, candidate, { gates, filled, divisors }),
  );
  const places =
    sequence === null ? holmPlaces(readings) : sequencePlaces(sequence, candidates, readings);
  return candidates.map((candidate, index) => {
    const own = readings[index];
    const place = places[index];
    invariant(own !== undefined && place !== undefined, 'one place per candidate');
    return judgeCandidate(analysis, candidate, own, place);
  });
}
