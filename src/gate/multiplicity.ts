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
import { measureOf } from '../analysis/evidence.ts';
import { invariant, LiftgateError } from '../base/errors.ts';
import { type GateDeclaration, gapOf, gateName, latencyForm } from '../spec/gates.ts';
import { guaranteeOf } from '../spec/inference.ts';
import type { SealedExperiment } from '../spec/seal.ts';
import { type HolmStep, holmByBounds } from '../stats/multiplicity.ts';
import { judgeCritical } from './critical.ts';
import {
  chosenSample,
  doesBreachStand,
  type EffectGate,
  effectContribution,
  effectGate,
  effectLevel,
  measuredFor,
} from './effect.ts';
import { judgeQuantile } from './efficiency.ts';
import { type FurtherUnits, planFurtherUnits, planRateUnits } from './further-units.ts';
import { orFutile } from './futility.ts';
import { type BoundLevel, type Contribution, levelOf } from './gate.ts';
import { type LookRequest, lookError } from './look-error.ts';
import { judgeMonitored } from './monitoring.ts';
import { judgePareto, paretoGuarantee } from './pareto.ts';
import { judgeRate, type RateGate, rateGate, ratePairs, seenShares } from './rate.ts';

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

/** What a gate with a bound is read on: one candidate, as seen or with every loss counted against it, at one error. */
interface BoundRequest {
  readonly candidate: CandidateAnalysis;
  readonly filled: boolean;
  readonly error: number;
}

/** A level that can say how many units would settle the gate; null where no estimate allows a plan. */
interface OrderedLevel extends BoundLevel {
  readonly further?: () => FurtherUnits | null;
}

interface BoundGate {
  readonly required: boolean;
  /** One-sided error from the seal, before it is shared among candidates and looks. */
  readonly error: number;
  readonly measure: string;
  readonly guarantee: LookRequest['guarantee'];
  readonly level: (request: BoundRequest) => OrderedLevel;
}

function effectBound(analysis: Analysis, gate: EffectGate): BoundGate {
  const { seal } = analysis;
  return {
    required: gate.required,
    error: seal.analysis.errorLevels.lift,
    measure: gate.measureId,
    guarantee: guaranteeOf(gate.method),
    level: ({ candidate, filled, error }) => {
      const measured = measuredFor(gate, candidate);
      const { clears, reading } = effectLevel(seal, gate, chosenSample(measured, filled), error);
      return {
        clears,
        contribution: (standing) => {
          const breachStands = doesBreachStand(seal, gate, measured, reading());
          const own = effectContribution(gate, reading(), { ...standing, breachStands });
          return orFutile(analysis, gate, { sample: chosenSample(measured, filled), own });
        },
        further: () => {
          const { result } = reading();
          if (result.status !== 'estimated') return null;
          const { estimate } = result;
          return planFurtherUnits(seal, gate, { ...reading(), estimate }, measured.sample);
        },
      };
    },
  };
}

function rateBound({ seal, order }: Analysis, gate: RateGate): BoundGate {
  const { declared, limit } = gate;
  return {
    required: declared.required,
    error: seal.analysis.errorLevels.rate,
    measure: declared.measure,
    guarantee: 'finite-sample',
    level: ({ candidate, filled, error }) => {
      const input = { pairs: ratePairs(candidate, declared.measure), order, filled, error };
      const further = (): FurtherUnits | null => {
        const shares = seenShares(gate, input);
        if (shares.length === 0) return null;
        return planRateUnits(seal, { gate: gateName(declared), shares, limit, error });
      };
      return { ...levelOf(judgeRate(gate, input)), further };
    },
  };
}

/** A gate of the seal that decides by a bound, or null for a gate that needs none. */
function boundGate(analysis: Analysis, declared: GateDeclaration): BoundGate | null {
  const { seal, baselineCells } = analysis;
  const { required } = declared;
  const { lift, rate } = seal.analysis.errorLevels;
  const effect = effectGate(seal, declared);
  if (effect !== null) return effectBound(analysis, effect);
  if (declared.gate === 'rate') return rateBound(analysis, rateGate(seal, declared));
  if (declared.gate === 'latency') {
    const form = latencyForm(declared);
    invariant(form?.form === 'quantile', 'a latency gate that pairs nothing bounds a quantile');
    const { quantile, max } = form;
    return {
      required,
      error: lift,
      measure: declared.measure,
      guarantee: 'finite-sample',
      level: ({ candidate, error }) =>
        levelOf(judgeQuantile({ declared, quantile, max, candidate, error })),
    };
  }
  if (declared.gate === 'pareto') {
    return {
      measure: declared.objectives[0]?.measure ?? '',
      guarantee: paretoGuarantee(seal, declared),
      required,
      error: lift,
      level: (request) => levelOf(judgePareto(analysis, declared, request)),
    };
  }
  if (declared.gate === 'reward-hacking' || declared.gate === 'contamination') {
    const gap = gapOf(declared);
    if (gap === null) return null;
    return {
      measure: gap.ahead,
      guarantee: 'finite-sample',
      required,
      error: lift,
      level: (request) => levelOf(judgeMonitored(analysis, declared, request)),
    };
  }
  if (declared.gate !== 'critical' || declared.maxRate === undefined) return null;
  const measure = measureOf(seal, declared.measure);
  return {
    required,
    error: rate,
    measure: declared.measure,
    guarantee: 'finite-sample',
    level: ({ candidate, error }) =>
      levelOf(judgeCritical({ declared, measure, candidate, baselineCells, error })),
  };
}

/**
 * Whether a gate decides by a bound, so that several candidates share its error.
 * @example hasBound({ gate: 'critical', measure: 'harm', required: true }) // => false
 */
export function hasBound(gate: GateDeclaration): boolean {
  switch (gate.gate) {
    case 'lift':
    case 'no-regression':
    case 'rate':
    case 'latency':
    case 'neutral-control':
    case 'reward-hacking':
    case 'pareto':
      return true;
    case 'critical':
      return gate.maxRate !== undefined;
    case 'contamination':
      return gate.probe !== undefined;
    case 'completeness':
    case 'controls':
    case 'provenance':
    case 'power':
    case 'budget':
    case 'matched-budget':
    case 'canary':
    case 'infrastructure-symmetry':
    case 'interleaving':
    case 'evaluator':
      return false;
  }
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
