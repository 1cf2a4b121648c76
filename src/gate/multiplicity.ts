/**
 * Several candidates: Holm by bounds over the required gates that have one, or a fixed sequence.
 *
 * With m candidates a candidate clears level k if every required gate with a bound clears with its own error divided by k, and at
 * every smaller divisor; step j asks for level m - j + 1. A candidate that another gate stops keeps its place in the order.
 *
 * In a fixed sequence every candidate has the full error, and may ship only while all before it cleared theirs. A stopped sequence
 * takes the right to ship from those behind, never the duty to hold: a breach is judged on a candidate's own interval.
 */
import type { Analysis, CandidateAnalysis } from '../analysis/analyze.ts';
import { invariant, LiftgateError } from '../base/errors.ts';
import type { SealedExperiment } from '../spec/seal.ts';
import { type HolmStep, holmByBounds } from '../stats/multiplicity.ts';
import { type BoundGate, boundGate, type OrderedLevel } from './bound-gate.ts';
import type { FurtherUnits } from './further-units.ts';
import type { Contribution } from './gate.ts';
import { lookError } from './look-error.ts';

/** Gates with a bound of one candidate after the order of candidates was applied. */
export interface BoundJudgement {
  readonly candidate: string;
  readonly step: HolmStep;
  /** In the sealed order of the gates. */
  readonly contributions: readonly Contribution[];
  /** Units that required gates on a difference would need which neither cleared nor breached. */
  readonly furtherUnits: () => readonly FurtherUnits[];
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
type Levels = ReadonlyMap<BoundGate, readonly OrderedLevel[]>;

interface JudgeOptions {
  readonly analysis: Analysis;
  readonly gates: readonly BoundGate[];
  readonly filled: boolean;
  /** What the error is divided by, from 1 without a gap. */
  readonly divisors: readonly number[];
}

function readCandidate(
  candidate: CandidateAnalysis,
  { analysis: { seal, look }, gates, filled, divisors }: JudgeOptions,
): Levels {
  const levels = (gate: BoundGate): OrderedLevel[] =>
    divisors.map((divisor) => {
      const error = lookError(seal, look, { ...gate, error: gate.error / divisor });
      return gate.level({ candidate, filled, error });
    });
  return new Map(gates.map((gate) => [gate, levels(gate)]));
}

function clearsAt(readings: Levels, index: number): boolean {
  return [...readings].every(([gate, levels]) => !gate.required || levels[index]?.clears === true);
}

/** A candidate's place in the order, and the candidate that a fixed sequence stopped at before it. */
interface Place {
  readonly step: HolmStep;
  readonly stoppedBy: string | null;
}

function judgeCandidate(candidate: string, readings: Levels, place: Place): BoundJudgement {
  const { step, stoppedBy } = place;
  const several = (readings.values().next().value?.length ?? 1) > 1;
  const shown = [...readings].map(([gate, levels]) => {
    const level = levels[step.divisor - 1];
    invariant(level !== undefined, 'a step divides the error by at most the number of candidates');
    const clears = levels.slice(0, step.divisor).every((each) => each.clears);
    const standing = { clears, stepwise: step.rejected && several, stoppedBy };
    return { gate, level, contribution: level.contribution(standing) };
  });
  return {
    candidate,
    step,
    contributions: shown.map((each) => each.contribution),
    furtherUnits: () =>
      shown.flatMap(({ gate, level, contribution: { finding } }) => {
        const open = finding !== 'cleared' && finding !== 'breached';
        return gate.required && open ? (level.further?.() ?? []) : [];
      }),
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
 * Judges the gates with a bound, for every candidate.
 * @param filled  with every loss that can be filled counted against its candidate
 */
export function judgeBounds(analysis: Analysis, filled: boolean): BoundJudgement[] {
  const { seal, candidates } = analysis;
  const { multiplicity, gates: declared } = seal.decision;
  checkMultiplicity(
    seal,
    candidates.map((each) => each.id),
  );
  const gates = declared.flatMap((each) => boundGate(analysis, each) ?? []);
  const sequence = typeof multiplicity === 'string' ? null : multiplicity.sequence;
  const divisors = sequence === null ? candidates.map((_, index) => index + 1) : [1];
  const readings = candidates.map((candidate) =>
    readCandidate(candidate, { analysis, gates, filled, divisors }),
  );
  const places =
    sequence === null ? holmPlaces(readings) : sequencePlaces(sequence, candidates, readings);
  return candidates.map(({ id }, index) => {
    const own = readings[index];
    const place = places[index];
    invariant(own !== undefined && place !== undefined, 'one place per candidate');
    return judgeCandidate(id, own, place);
  });
}
