/** Gates that decide by a bound, each as its candidate's place in the order reads it: at an error, as seen or with losses filled. */
import type { Analysis, CandidateAnalysis } from '../analysis/analyze.ts';
import { measureOf } from '../analysis/evidence.ts';
import { invariant } from '../base/errors.ts';
import { type GateDeclaration, type GateOf, gapOf, gateName, latencyForm } from '../spec/gates.ts';
import { guaranteeOf } from '../spec/inference.ts';
import type { SealedExperiment } from '../spec/seal.ts';
import { judgeCritical, violatingUnits } from './critical.ts';
import {
  chosenSample,
  doesBreachStand,
  type EffectGate,
  effectContribution,
  effectGate,
  effectLevel,
  measuredFor,
} from './effect.ts';
import { fastUnits, judgeQuantile } from './efficiency.ts';
import { type OpenMean, planMeanUnits } from './further-means.ts';
import { planObjectives } from './further-objectives.ts';
import { asksForOwnPower } from './further-simulated.ts';
import { type FurtherUnits, planFirstUnits, planFurtherUnits } from './further-units.ts';
import { orFutile } from './futility.ts';
import { seenGaps, widest } from './gap.ts';
import { type BoundLevel, levelOf } from './gate.ts';
import type { JointTest } from './joint-law.ts';
import type { LookRequest } from './look-error.ts';
import { judgeMonitored } from './monitoring.ts';
import { judgePareto, paretoGuarantee, seenObjectives } from './pareto.ts';
import { judgeRate, type RateGate, rateGate, ratePairs, seenShares } from './rate.ts';

/** What a gate with a bound is read on: one candidate, as seen or with every loss counted against it, at one error. */
interface BoundRequest {
  readonly candidate: CandidateAnalysis;
  readonly filled: boolean;
  readonly error: number;
}

/** A level that can say how many units would settle the gate; null where no estimate allows a plan. */
export interface OrderedLevel extends BoundLevel {
  readonly further?: () => FurtherUnits | null;
}

/** A gate of the seal that decides by a bound. */
export interface BoundGate {
  readonly required: boolean;
  /** One-sided error from the seal, before it is shared among candidates and looks. */
  readonly error: number;
  readonly measure: string;
  readonly guarantee: LookRequest['guarantee'];
  readonly level: (request: BoundRequest) => OrderedLevel;
  /** What joins the gate's tests of several candidates; absent where nothing does. */
  readonly joint?: (request: Omit<BoundRequest, 'error'>) => JointTest;
}

function effectBound(analysis: Analysis, gate: EffectGate): BoundGate {
  const { seal } = analysis;
  return {
    required: gate.required,
    error: seal.analysis.errorLevels.lift,
    measure: gate.measureId,
    guarantee: guaranteeOf(gate.method),
    joint: ({ candidate, filled }) => ({
      name: gate.name,
      method: gate.method,
      sample: chosenSample(measuredFor(gate, candidate), filled),
    }),
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
          const { result, lostByFault } = reading();
          const { sample } = measured;
          if (result.status !== 'estimated') {
            return lostByFault ? null : planFirstUnits(seal, gate, { error, sample });
          }
          return planFurtherUnits(seal, gate, { ...reading(), estimate: result.estimate }, sample);
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
        const values = seenShares(gate, input);
        if (values.length === 0) return null;
        return planMeanUnits(seal, {
          gate: gateName(declared),
          values,
          range: { lower: 0, upper: 1 },
          limit,
          error,
          counted: gate.method === 'clopper-pearson',
        });
      };
      return { ...levelOf(judgeRate(gate, input)), further };
    },
  };
}

function quantileBound(analysis: Analysis, declared: GateOf<'latency'>): BoundGate {
  const { seal } = analysis;
  const form = latencyForm(declared);
  invariant(form?.form === 'quantile', 'a latency gate that pairs nothing bounds a quantile');
  const { quantile, max } = form;
  return {
    required: declared.required,
    error: seal.analysis.errorLevels.lift,
    measure: declared.measure,
    guarantee: 'finite-sample',
    level: ({ candidate, error }) => {
      const input = { declared, quantile, max, candidate, error };
      const own = judgeQuantile(input);
      // The slowest of too few units bounds nothing: more of them would.
      const further = (): FurtherUnits | null =>
        own.flags.includes('lost-by-fault')
          ? null
          : planMean(seal, {
              gate: gateName(declared),
              values: fastUnits(input),
              range: { lower: 0, upper: 1 },
              limit: { side: 'min', value: quantile },
              error,
              counted: true,
            });
      return { ...levelOf(own), further };
    },
  };
}

function gapBound(
  analysis: Analysis,
  declared: GateOf<'reward-hacking'> | GateOf<'contamination'>,
): BoundGate | null {
  const { seal } = analysis;
  const gap = gapOf(declared);
  if (gap === null) return null;
  return {
    measure: gap.ahead,
    guarantee: 'finite-sample',
    required: declared.required,
    error: seal.analysis.errorLevels.lift,
    level: (request) => {
      const { candidate, error } = request;
      const own = judgeMonitored(analysis, declared, request);
      const further = (): FurtherUnits | null =>
        own.finding !== 'unresolved'
          ? null
          : planMean(seal, {
              gate: gateName(declared),
              values: seenGaps(analysis, gap, candidate),
              range: { lower: -widest, upper: widest },
              limit: { side: 'max', value: gap.margin },
              error,
              counted: false,
            });
      return { ...levelOf(own), further };
    },
  };
}

function criticalBound(analysis: Analysis, declared: GateOf<'critical'>): BoundGate | null {
  const { seal, baselineCells } = analysis;
  const { maxRate } = declared;
  if (maxRate === undefined) return null;
  const measure = measureOf(seal, declared.measure);
  return {
    required: declared.required,
    error: seal.analysis.errorLevels.rate,
    measure: declared.measure,
    guarantee: 'finite-sample',
    level: ({ candidate, error }) => {
      const input = { declared, measure, candidate, baselineCells, error };
      const own = judgeCritical(input);
      const further = (): FurtherUnits | null =>
        own.finding !== 'unresolved'
          ? null
          : planMean(seal, {
              gate: gateName(declared),
              values: violatingUnits(input),
              range: { lower: 0, upper: 1 },
              limit: { side: 'max', value: maxRate },
              error,
              counted: true,
            });
      return { ...levelOf(own), further };
    },
  };
}

/** Units of a mean: exact wherever units are counted, for that costs nothing; null where nothing was seen. */
function planMean(seal: SealedExperiment, open: OpenMean): FurtherUnits | null {
  if (open.values.length === 0) return null;
  return planMeanUnits(seal, open, open.counted || asksForOwnPower(seal));
}

/** A gate of the seal that decides by a bound, or null for a gate that needs none. */
export function boundGate(analysis: Analysis, declared: GateDeclaration): BoundGate | null {
  const { seal } = analysis;
  const effect = effectGate(seal, declared);
  if (effect !== null) return effectBound(analysis, effect);
  switch (declared.gate) {
    case 'rate':
      return rateBound(analysis, rateGate(seal, declared));
    case 'latency':
      return quantileBound(analysis, declared);
    case 'pareto':
      return {
        measure: declared.objectives[0]?.measure ?? '',
        guarantee: paretoGuarantee(seal, declared),
        required: declared.required,
        error: seal.analysis.errorLevels.lift,
        level: (request) => ({
          ...levelOf(judgePareto(analysis, declared, request)),
          further: () => {
            const open = seenObjectives(analysis, declared, request);
            return open === null ? null : planObjectives(seal, open);
          },
        }),
      };
    case 'reward-hacking':
    case 'contamination':
      return gapBound(analysis, declared);
    case 'critical':
      return criticalBound(analysis, declared);
    case 'lift':
    case 'no-regression':
    case 'neutral-control':
    case 'completeness':
    case 'controls':
    case 'provenance':
    case 'power':
    case 'budget':
    case 'matched-budget':
    case 'canary':
    case 'infrastructure-symmetry':
    case 'interleaving':
    case 'custom':
    case 'evaluator':
      return null;
  }
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
    case 'custom':
    case 'evaluator':
      return false;
  }
}
