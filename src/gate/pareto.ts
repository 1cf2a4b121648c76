/**
 * The `pareto` gate: no objective falls below its floor and at least one is better, all at once.
 *
 * Each of k objectives is read by its sealed method at the error of the candidate divided by k, so that all k intervals hold
 * together; under `multiplicity: max-t` by what their joint law asks for. Cleared: every lower bound lies above minus its margin and one lies above 0. Breached: an interval lies wholly at or
 * below its floor, or all lie wholly at or below 0.
 */
import { type Analysis, type CandidateAnalysis, sealedMethod } from '../analysis/analyze.ts';
import type { Estimate } from '../analysis/estimate.ts';
import { measureOf } from '../analysis/evidence.ts';
import type { Sample } from '../analysis/unit-value.ts';
import { LiftgateError } from '../base/errors.ts';
import { type GateOf, gateName, type Objective } from '../spec/gates.ts';
import { guaranteeOf } from '../spec/inference.ts';
import type { SealedExperiment } from '../spec/seal.ts';
import { roundSignificant } from '../stats/rounding.ts';
import {
  chosenSample,
  doesBreachStand,
  type EffectGate,
  type EffectReading,
  measuredFor,
  onScale,
  readEffect,
} from './effect.ts';
import { noEstimateReasons, shownBounds, wordsOf } from './effect-words.ts';
import {
  type Contribution,
  type ContributionFlag,
  type ContributionParts,
  contributionOf,
  shownNumber,
} from './gate.ts';
import {
  type JointLaw,
  type JointTest,
  jointLaw,
  noJointLaw,
  unjoinedDesign,
} from './joint-law.ts';

function objectiveGate(
  seal: SealedExperiment,
  declared: GateOf<'pareto'>,
  { measure: measureId, margin }: Objective,
): EffectGate {
  const measure = measureOf(seal, measureId);
  const method = sealedMethod(seal, { measure: measureId, gate: 'pareto', threshold: -margin });
  const name = gateName(declared);
  if (method === null) {
    throw new LiftgateError('seal-invalid', `The seal resolves no method for the gate "${name}".`, {
      where: { path: 'analysis.methods' },
      mend: 'Seal the experiment again; a design without a method for a gate is refused then.',
    });
  }
  return {
    gate: 'no-regression',
    name,
    measureId,
    measure,
    required: declared.required,
    method,
    threshold: onScale(measure, -margin),
    minimumEffect: null,
    words: wordsOf['no-regression'],
  };
}

/** The objectives of a gate, each as one on a difference whose threshold is its floor. */
export function objectiveGates(
  seal: SealedExperiment,
  declared: GateOf<'pareto'>,
): readonly EffectGate[] {
  return declared.objectives.map((each) => objectiveGate(seal, declared, each));
}

/**
 * What all objectives of a gate promise about their error.
 * @throws {LiftgateError} seal-invalid  if the seal resolves no method for one
 */
export function paretoGuarantee(
  seal: SealedExperiment,
  declared: GateOf<'pareto'>,
): 'finite-sample' | 'asymptotic' {
  const methods = objectiveGates(seal, declared).map(({ method }) => method);
  const finite = methods.every((method) => guaranteeOf(method) === 'finite-sample');
  return finite ? 'finite-sample' : 'asymptotic';
}

/** What the gate is read on, and the error of the candidate. */
export interface ParetoRequest {
  readonly candidate: CandidateAnalysis;
  readonly filled: boolean;
  readonly error: number;
}

/** One objective as read: above its floor, better, or wholly on the wrong side of either. */
interface ReadObjective {
  readonly gate: EffectGate;
  readonly reading: EffectReading;
  readonly estimate: Estimate | null;
  readonly holds: boolean;
  readonly gains: boolean;
  readonly broken: boolean;
  readonly hopeless: boolean;
  /** Whether `broken` and `hopeless` stand without the outage that took some cells. */
  readonly stands: { readonly broken: boolean; readonly hopeless: boolean };
}

function readObjective(
  seal: SealedExperiment,
  gate: EffectGate,
  { candidate, filled, error }: ParetoRequest,
): ReadObjective {
  const measured = measuredFor(gate, candidate);
  const sample = chosenSample(measured, filled);
  const reading = readEffect(seal, gate, sample, error);
  const estimate = reading.result.status === 'estimated' ? reading.result.estimate : null;
  const gain = { ...gate, threshold: 0 };
  const { lower, upper } = estimate?.interval ?? { lower: 0, upper: 1 };
  const broken = upper <= gate.threshold;
  const hopeless = upper <= 0;
  return {
    gate,
    reading,
    estimate,
    holds: reading.clears,
    gains: lower > 0 && readEffect(seal, gain, sample, error).clears,
    broken,
    hopeless,
    stands: {
      broken: broken && doesBreachStand(seal, gate, measured, reading),
      hopeless: hopeless && doesBreachStand(seal, gain, measured, reading),
    },
  };
}

function objectiveText({ gate, estimate, holds, gains }: ReadObjective): string {
  if (estimate === null) return `${gate.measureId} has no interval`;
  const found = `${gate.measureId} ${shownNumber(estimate.value)} (${shownBounds(estimate.interval)})`;
  const floor = `${holds ? '' : 'not '}above its floor ${shownNumber(gate.threshold)}`;
  return `${found} is ${floor}${gains ? ' and better' : ''}`;
}

type ParetoFinding = Pick<ContributionParts, 'finding' | 'reason' | 'flags'>;

/** Why an objective has no interval; null where it has one. */
function unestimated({ gate, reading }: ReadObjective, text: string): ParetoFinding | null {
  const { result, lostByFault } = reading;
  if (result.status === 'estimated') return null;
  const { status, reason } = result;
  const flags: ContributionFlag[] =
    status === 'insufficient' && lostByFault ? ['lost-by-fault'] : [];
  const why = noEstimateReasons[reason] ?? reason;
  return { finding: status, reason: `${gate.measureId}: ${why}; ${text}`, flags };
}

function findingOf(objectives: readonly ReadObjective[]): ParetoFinding {
  const text = objectives.map(objectiveText).join('; ');
  const broken = objectives.find((each) => each.broken && each.stands.broken);
  if (broken !== undefined) {
    return {
      finding: 'breached',
      reason: `${broken.gate.measureId} falls below its floor: ${text}`,
    };
  }
  const open = objectives.flatMap((each) => unestimated(each, text) ?? [])[0];
  if (open !== undefined) return open;
  if (objectives.every((each) => each.hopeless)) {
    const stands = objectives.every((each) => each.stands.hopeless);
    if (stands) return { finding: 'breached', reason: `no objective is better: ${text}` };
  }
  if (objectives.some((each) => each.broken) || objectives.every((each) => each.hopeless)) {
    const byFault = objectives.some((each) => each.reading.lostByFault);
    return {
      finding: 'insufficient',
      reason: `${text}, but the missing cells could undo it`,
      flags: byFault ? ['lost-by-fault'] : [],
    };
  }
  const clears = objectives.every((each) => each.holds) && objectives.some((each) => each.gains);
  return { finding: clears ? 'cleared' : 'unresolved', reason: text };
}

/**
 * What the objectives share their error by under `multiplicity: max-t`; null where their number divides it.
 * @param tests      one for each objective
 * @param at.error   of all of them together
 */
export function objectivesLaw(
  seal: SealedExperiment,
  tests: readonly JointTest[],
  { error, hasLooks }: { readonly error: number; readonly hasLooks: boolean },
): JointLaw | null {
  if (seal.decision.multiplicity !== 'max-t' || tests.length === 1) return null;
  const unjoined = unjoinedDesign(seal, hasLooks);
  const family = tests.map((each) => [each]);
  return unjoined === null ? jointLaw(family, error) : noJointLaw(unjoined);
}

/** By what the objectives divide the error: their number, or what their joint law asks for under `multiplicity: max-t`. */
function sharedError(
  { seal, look }: Pick<Analysis, 'seal' | 'look'>,
  gates: readonly EffectGate[],
  { candidate, filled, error }: ParetoRequest,
): { readonly divisor: number; readonly text: string } {
  const count = gates.length;
  const tests = gates.map((gate) => ({
    name: gate.measureId,
    method: gate.method,
    sample: chosenSample(measuredFor(gate, candidate), filled),
  }));
  const law = objectivesLaw(seal, tests, { error, hasLooks: look !== undefined });
  if (law === null) return { divisor: count, text: '' };
  const divisor = law.divisor(gates.map((_, at) => at));
  const text =
    law.fallback === null
      ? `; by max-T over ${count} objectives the error is divided by ${shownNumber(divisor)}`
      : `; the error is divided by ${count}, there is no max-T: ${law.fallback}`;
  return { divisor, text };
}

/** All objectives at their shared error, and how it was shared. */
interface ReadObjectives {
  readonly objectives: readonly ReadObjective[];
  readonly error: number;
  readonly text: string;
}

function readObjectives(
  analysis: Pick<Analysis, 'seal' | 'look'>,
  declared: GateOf<'pareto'>,
  request: ParetoRequest,
): ReadObjectives {
  const { seal } = analysis;
  const gates = objectiveGates(seal, declared);
  const { divisor, text } = sharedError(analysis, gates, request);
  const error = request.error / divisor;
  return {
    objectives: gates.map((gate) => readObjective(seal, gate, { ...request, error })),
    error,
    text,
  };
}

/** An objective as it was seen on the scale of the improvement, its floor the threshold of its gate. */
export interface SeenObjective {
  readonly gate: EffectGate;
  readonly sample: Sample;
  readonly value: number;
  /** Whether it lies above its floor already. */
  readonly holds: boolean;
}

/** The objectives of a gate that stayed open, and the one-sided error each is read at. */
export interface OpenObjectives {
  readonly gate: string;
  readonly objectives: readonly SeenObjective[];
  readonly error: number;
}

/** What further units of a pareto gate are planned from; null where an objective has no estimate. */
export function seenObjectives(
  analysis: Pick<Analysis, 'seal' | 'look'>,
  declared: GateOf<'pareto'>,
  request: ParetoRequest,
): OpenObjectives | null {
  const { objectives, error } = readObjectives(analysis, declared, request);
  const seen = objectives.flatMap(({ gate, estimate, holds }) => {
    if (estimate === null) return [];
    const { sample } = measuredFor(gate, request.candidate);
    return [{ gate, sample, value: estimate.value, holds }];
  });
  if (seen.length < objectives.length) return null;
  return { gate: gateName(declared), objectives: seen, error };
}

/** Contribution of a pareto gate for one candidate at its error; the statistic counts the objectives that are better. */
export function judgePareto(
  analysis: Pick<Analysis, 'seal' | 'look'>,
  declared: GateOf<'pareto'>,
  request: ParetoRequest,
): Contribution {
  const { objectives, error, text } = readObjectives(analysis, declared, request);
  const sizes = objectives.map(({ reading: { result } }) =>
    result.status === 'estimated' ? result.estimate.n : result.n,
  );
  const fewest = sizes.reduce((least, each) => (each.units < least.units ? each : least));
  const flags = objectives.flatMap(({ estimate }) => estimate?.flags ?? []);
  const found = findingOf(objectives);
  return contributionOf({
    name: gateName(declared),
    gate: declared.gate,
    required: declared.required,
    statistic: objectives.filter((each) => each.gains).length,
    threshold: 1,
    errorLevel: roundSignificant(error),
    n: fewest,
    ...found,
    reason: `${found.reason}${text}`,
    flags: [...flags, ...(found.flags ?? [])],
  });
}
