/**
 * Several candidates: Holm by bounds over the required interval gates.
 *
 * With m candidates a candidate clears level k if every required interval gate clears with its error divided by k, and at every
 * smaller divisor; step j asks for level m - j + 1. A candidate that another gate stops keeps its place in the order.
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

/**
 * Refuses an order of candidates that this version cannot judge.
 * @throws {LiftgateError} design-refused
 */
export function checkMultiplicity(seal: SealedExperiment, candidates: number): void {
  const { multiplicity } = seal.decision;
  if (multiplicity === 'holm' || (multiplicity === 'none' && candidates <= 1)) return;
  const what =
    multiplicity === 'none'
      ? `multiplicity "none" is for one candidate, but ${candidates} are sealed`
      : 'a fixed sequence of candidates is not judged by this version';
  throw new LiftgateError('design-refused', `The order of candidates cannot be judged: ${what}.`, {
    where: { path: 'multiplicity' },
    mend: 'Seal the experiment with `multiplicity: holm`.',
  });
}

/** Levels of one candidate: for each gate, index k - 1 holds the gate at error/k. */
type Levels = ReadonlyMap<EffectGate, readonly EffectLevel[]>;

interface JudgeOptions {
  readonly gates: readonly EffectGate[];
  readonly filled: boolean;
}

function readCandidate(
  analysis: Analysis,
  candidate: CandidateAnalysis,
  { gates, filled }: JudgeOptions,
): Levels {
  const { seal } = analysis;
  const divisors = analysis.candidates.map((_, index) => index + 1);
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

function judgeCandidate(
  { seal }: Analysis,
  candidate: CandidateAnalysis,
  readings: Levels,
  step: HolmStep,
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
    const standing = { clears, stepwise: step.rejected && several, breachStands };
    return { gate, reading, contribution: effectContribution(gate, reading, standing) };
  });
  return {
    candidate: candidate.id,
    step,
    contributions: shown.map((each) => each.contribution),
    readings: shown.map(({ gate, reading }) => ({ gate, reading })),
  };
}

/**
 * Judges the interval gates of every candidate.
 * @param filled  with every loss that can be filled counted against its candidate
 */
export function judgeEffects(analysis: Analysis, filled: boolean): EffectJudgement[] {
  const { seal, candidates } = analysis;
  checkMultiplicity(seal, candidates.length);
  const gates = effectGates(seal);
  const readings = candidates.map((candidate) =>
    readCandidate(analysis, candidate, { gates, filled }),
  );
  const clears = readings.map((each) => candidates.map((_, index) => clearsAt(each, index)));
  return holmByBounds(clears).map((step, index) => {
    const candidate = candidates[index];
    const own = readings[index];
    invariant(candidate !== undefined && own !== undefined, 'one step per candidate');
    return judgeCandidate(analysis, candidate, own, step);
  });
}
