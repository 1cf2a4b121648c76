/**
 * Several candidates: Holm by bounds over the required gates that have one, max-T, or a fixed sequence.
 *
 * With m candidates a candidate clears level k if every required gate with a bound clears with its own error divided by k, and at
 * every smaller divisor; step j asks for level m - j + 1. A candidate that another gate stops keeps its place in the order.
 *
 * Under max-T the error is divided by what the joint law of those that are left asks for, at most by their number; each gate is still
 * read by its sealed method. Who is not rejected shows Bonferroni's interval, and breach is judged on it.
 *
 * In a fixed sequence every candidate has the full error, and may ship only while all before it cleared theirs. A stopped sequence
 * takes the right to ship from those behind, never the duty to hold: a breach is judged on a candidate's own interval.
 */
import type { Analysis, CandidateAnalysis } from '../analysis/analyze.ts';
import { invariant, LiftgateError } from '../base/errors.ts';
import { gateName, pairedGate } from '../spec/gates.ts';
import type { SealedExperiment } from '../spec/seal.ts';
import { type HolmStep, stepDownByBounds } from '../stats/multiplicity.ts';
import { type BoundGate, boundGate, hasBound, type OrderedLevel } from './bound-gate.ts';
import { effectGates } from './effect.ts';
import type { FurtherUnits } from './further-units.ts';
import type { Contribution } from './gate.ts';
import {
  type Correction,
  correctionOf,
  type JointLaw,
  jointLaw,
  methodText,
  noJointLaw,
  unjoinedDesign,
  unjoinedMethod,
} from './joint-law.ts';
import { lookError } from './look-error.ts';

/** Gates with a bound of one candidate after the order of candidates was applied. */
export interface BoundJudgement {
  readonly candidate: string;
  readonly step: HolmStep;
  /** Under `multiplicity: max-t` with several candidates: what divided their error, and why. */
  readonly correction: Correction | null;
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
  if (multiplicity === 'holm' || multiplicity === 'max-t') return;
  if (multiplicity === 'none' && candidates.length <= 1) return;
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

/** One candidate's gates at each divisor of the error that was asked for. */
class CandidateLevels {
  readonly #candidate: CandidateAnalysis;
  readonly #options: JudgeOptions;
  readonly #known = new Map<number, ReadonlyMap<BoundGate, OrderedLevel>>();

  constructor(candidate: CandidateAnalysis, options: JudgeOptions) {
    this.#candidate = candidate;
    this.#options = options;
  }

  at(divisor: number): ReadonlyMap<BoundGate, OrderedLevel> {
    const found = this.#known.get(divisor) ?? this.#read(divisor);
    this.#known.set(divisor, found);
    return found;
  }

  clears(divisor: number): boolean {
    return [...this.at(divisor)].every(([gate, level]) => !gate.required || level.clears);
  }

  #read(divisor: number): ReadonlyMap<BoundGate, OrderedLevel> {
    const { analysis, gates, filled } = this.#options;
    return new Map(
      gates.map((gate) => {
        const error = lookError(analysis.seal, analysis.look, {
          ...gate,
          error: gate.error / divisor,
        });
        return [gate, gate.level({ candidate: this.#candidate, filled, error })];
      }),
    );
  }
}

interface JudgeOptions {
  readonly analysis: Analysis;
  readonly gates: readonly BoundGate[];
  readonly filled: boolean;
}

/** A candidate's place in the order, and the candidate that a fixed sequence stopped at before it. */
interface Place {
  readonly step: HolmStep;
  readonly stoppedBy: string | null;
}

/** The divisor with every whole one below it: a gate clears only if it clears at all of them. */
function upTo(divisor: number): number[] {
  const whole = Array.from({ length: Math.floor(divisor) }, (_, index) => index + 1);
  return whole.includes(divisor) ? whole : [...whole, divisor];
}

function judgeCandidate(
  candidate: string,
  levels: CandidateLevels,
  { place, stepwise }: { readonly place: Place; readonly stepwise: boolean },
): Omit<BoundJudgement, 'correction'> {
  const { step, stoppedBy } = place;
  const shown = [...levels.at(step.divisor)].map(([gate, level]) => {
    const clears = upTo(step.divisor).every((each) => levels.at(each).get(gate)?.clears === true);
    const standing = { clears, stepwise, stoppedBy };
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

/**
 * Why `multiplicity: max-t` falls back to Holm whatever is measured; null where the units decide.
 * @throws {LiftgateError} seal-invalid  as `effectGates`
 */
export function plannedFallback(seal: SealedExperiment): string | null {
  const { gates } = seal.decision;
  const alone = gates.find((gate) => gate.required && hasBound(gate) && pairedGate(gate) === null);
  const pooled = effectGates(seal).find(
    ({ required, method }) => required && unjoinedMethod(method) !== null,
  );
  return (
    unjoinedDesign(seal, seal.analysis.looks !== undefined) ??
    (alone === undefined ? null : aloneText(gateName(alone))) ??
    (pooled === undefined ? null : methodText(pooled.name, pooled.method))
  );
}

function aloneText(name: string): string {
  return `the gate ${name} has no joint law over candidates`;
}

/** What joins the candidates: the law of their required gates on differences, or why there is none. */
function lawOf(analysis: Analysis, filled: boolean): JointLaw {
  const { seal, candidates } = analysis;
  const gates = seal.decision.gates.flatMap((declared) => {
    const gate = declared.required ? boundGate(analysis, declared) : null;
    return gate === null ? [] : [{ name: gateName(declared), joint: gate.joint }];
  });
  const alone = gates.find(({ joint }) => joint === undefined);
  const unjoined = unjoinedDesign(seal, analysis.look !== undefined);
  if (unjoined !== null) return noJointLaw(unjoined);
  if (alone !== undefined) return noJointLaw(aloneText(alone.name));
  const family = candidates.map((candidate) =>
    gates.flatMap(({ joint }) => joint?.({ candidate, filled }) ?? []),
  );
  return jointLaw(family, seal.analysis.errorLevels.lift);
}

function sequencePlaces(
  sequence: readonly string[],
  candidates: readonly CandidateAnalysis[],
  levels: readonly CandidateLevels[],
): Place[] {
  const cleared = new Map(
    candidates.map(({ id }, index) => [id, levels[index]?.clears(1) === true]),
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
  const options = { analysis, gates, filled };
  const levels = candidates.map((candidate) => new CandidateLevels(candidate, options));
  const several = candidates.length > 1;
  const law = multiplicity === 'max-t' && several ? lawOf(analysis, filled) : null;
  const places =
    sequence === null
      ? stepDownByBounds({
          count: candidates.length,
          divisorOf: law?.divisor ?? ((open) => open.length),
          clears: (at, divisor) => levels[at]?.clears(divisor) === true,
        }).map((step) => ({ step, stoppedBy: null }))
      : sequencePlaces(sequence, candidates, levels);
  return candidates.map(({ id }, index) => {
    const own = levels[index];
    const place = places[index];
    invariant(own !== undefined && place !== undefined, 'one place per candidate');
    const stepwise = place.step.rejected && several && sequence === null;
    const judged = judgeCandidate(id, own, { place, stepwise });
    return { ...judged, correction: law === null ? null : correctionOf(law) };
  });
}
