/** Further units an unresolved gate would need for the planned and for the observed effect, by the normal approximation or, where the seal asks for it, by simulation. */
import { caseMeans, caseRiskBounds } from '../analysis/clustered-bounds.ts';
import type { Estimate } from '../analysis/estimate.ts';
import type { Sample } from '../analysis/unit-value.ts';
import { rangeWidth } from '../analysis/unit-value.ts';
import * as z from '../base/shape.ts';
import type { RateLimit } from '../spec/gates.ts';
import type { SealedExperiment } from '../spec/seal.ts';
import { clusterVariance } from '../stats/clustered.ts';
import { isIndeterminate } from '../stats/interval.ts';
import { requiredUnits } from '../stats/power.ts';
import { roundSignificant } from '../stats/rounding.ts';
import { moments } from '../stats/summary.ts';
import { type EffectGate, type EffectReading, onScale } from './effect.ts';
import {
  type FurtherQuery,
  furtherReplicates,
  mostFurtherUnits,
  simulatedUnits,
  simulatesFurther,
} from './further-simulated.ts';

const needSchema = z.strictObject({
  effect: z.number(),
  units: z.int().nullable(),
  further: z.int().nullable(),
  reason: z.string().nullable(),
});
/** Units in all and beyond the present ones; both null with a reason when no number exists or none would do. */
export type UnitNeed = z.infer<typeof needSchema>;

/** Recorded shape of a plan; `target` is the power wanted, `atEffect` null when no effect was declared. */
export const furtherUnitsSchema = z.strictObject({
  gate: z.string(),
  method: z.enum(['normal-approximation', 'simulation']),
  simulations: z.int().optional(),
  target: z.number(),
  atEffect: needSchema.nullable(),
  atObserved: needSchema,
});
/** Units one unresolved gate would need. */
export type FurtherUnits = z.infer<typeof furtherUnitsSchema>;

/** A fixed roster has all its units. */
const rosterReason = 'the roster of units is fixed; more repeats would narrow the interval';

/** Power wanted when no power gate is sealed. */
const defaultTarget = 0.8;

function powerGate(seal: SealedExperiment): { target: number; atEffect: number | undefined } {
  for (const gate of seal.decision.gates) {
    if (gate.gate === 'power') return { target: gate.target, atEffect: gate.atEffect };
  }
  return { target: defaultTarget, atEffect: undefined };
}

/** Effect the plan is about: for a lift the power gate's or the minimum effect; for a guardrail no change at all. */
function plannedEffect(seal: SealedExperiment, gate: EffectGate): number | null {
  if (gate.gate !== 'lift') return 0;
  const effect = powerGate(seal).atEffect ?? seal.claim.minimumEffect;
  return effect === undefined ? null : onScale(gate.measure, effect);
}

/**
 * Standard deviation per unit to plan with. A binary measure with effect e disagrees in at least a share e of its observations, so
 * its spread is never taken below that, however tied the sample is. Observations are units, or, where cases are weighed, the
 * effective cases the deciding interval counts in a unit.
 */
function planningDeviation({ gate, sample, error }: NeedOptions, effect: number): number {
  const byCase = isCaseWeighted(gate);
  const seen = byCase
    ? unitVariance(sample)
    : moments(sample.units.map((each) => each.improvement)).variance;
  if (gate.measure.kind !== 'binary') return Math.sqrt(seen);
  const width = rangeWidth(gate.measure);
  const share = Math.min(1, Math.abs(effect) / width);
  const perUnit = byCase ? effectiveCasesPerUnit(sample, { error, width }) : 1;
  return Math.sqrt(Math.max(seen, (width * width * share * (1 - share)) / perUnit));
}

function effectiveCasesPerUnit(
  sample: Sample,
  options: { readonly error: number; readonly width: number },
): number {
  const found = caseRiskBounds(sample, options);
  return isIndeterminate(found) ? 1 : found.effectiveCases / sample.units.length;
}

function isCaseWeighted({ method }: EffectGate): boolean {
  return method === 'cr2' || method === 'tango-effective-n';
}

/** Variance per unit under which so many units give the CR2 variance of the mean over cases. */
function unitVariance(sample: Sample): number {
  const found = clusterVariance(caseMeans(sample));
  return isIndeterminate(found) ? 0 : found.units * found.cr2;
}

type NeedOptions = FurtherQuery;

function needAt(options: NeedOptions, effect: number): UnitNeed {
  const { gate, sample, error, target } = options;
  const rounded = roundSignificant(effect, rangeWidth(gate.measure));
  if (gate.method === 'roster-t') {
    return { effect: rounded, units: null, further: null, reason: rosterReason };
  }
  if (simulatesFurther(options.seal, gate)) return simulatedNeed(options, effect);
  const found = requiredUnits({
    standardDeviation: planningDeviation(options, effect),
    effect,
    threshold: gate.threshold,
    error,
    power: target,
  });
  return unitNeed(found, { effect: rounded, present: sample.units.length });
}

/** The same by simulation of the gate. */
function simulatedNeed(options: NeedOptions, effect: number): UnitNeed {
  const { gate, sample } = options;
  const shown = { effect: roundSignificant(effect, rangeWidth(gate.measure)) };
  const none = (reason: string): UnitNeed => ({ ...shown, units: null, further: null, reason });
  if (shown.effect <= gate.threshold) return none('no number of units would do');
  const units = simulatedUnits(options, effect);
  if (units === null) return none(`more than ${mostFurtherUnits} units would be needed`);
  return { ...shown, units, further: Math.max(0, units - sample.units.length), reason: null };
}

function unitNeed(
  found: ReturnType<typeof requiredUnits>,
  { effect, present }: { readonly effect: number; readonly present: number },
): UnitNeed {
  if (isIndeterminate(found)) {
    const reason = 'the units differ by nothing, so their spread is unknown';
    return { effect, units: null, further: null, reason };
  }
  if (found.status === 'unreachable') {
    return { effect, units: null, further: null, reason: 'no number of units would do' };
  }
  return { effect, units: found.units, further: Math.max(0, found.units - present), reason: null };
}

/** A rate that is open: its units' shares, the limit it is held against, and the error of its bound. */
export interface OpenRate {
  readonly gate: string;
  readonly shares: readonly number[];
  readonly limit: RateLimit;
  readonly error: number;
}

/**
 * Plan for more units of a rate that did not resolve, should the rate that was seen go on. Its spread is never taken below that of
 * single cells at the limit, so that a rate of 0 or 1 is planned for too.
 */
export function planRateUnits(seal: SealedExperiment, open: OpenRate): FurtherUnits {
  const { shares, limit, error } = open;
  const { target } = powerGate(seal);
  const { mean, variance } = moments(shares);
  const sign = limit.side === 'min' ? 1 : -1;
  const found = requiredUnits({
    standardDeviation: Math.sqrt(Math.max(variance, limit.value * (1 - limit.value))),
    effect: sign * mean,
    threshold: sign * limit.value,
    error,
    power: target,
  });
  return {
    gate: open.gate,
    method: 'normal-approximation',
    target,
    atEffect: null,
    atObserved: unitNeed(found, { effect: roundSignificant(mean, 1), present: shares.length }),
  };
}

/** Plan for more units of one gate that did not resolve. */
export function planFurtherUnits(
  seal: SealedExperiment,
  gate: EffectGate,
  reading: EffectReading & { readonly estimate: Estimate },
  sample: Sample,
): FurtherUnits {
  const { target } = powerGate(seal);
  const options = { seal, gate, sample, error: reading.error, target };
  const simulated = simulatesFurther(seal, gate);
  const planned = plannedEffect(seal, gate);
  return {
    gate: gate.name,
    method: simulated ? 'simulation' : 'normal-approximation',
    ...(simulated ? { simulations: furtherReplicates } : {}),
    target,
    atEffect: planned === null ? null : needAt(options, planned),
    atObserved: needAt(options, reading.estimate.value),
  };
}
