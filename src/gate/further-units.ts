/**
 * Further units an unresolved gate would need for the planned and for the observed effect: by the normal approximation, or, where the
 * seal asks for it, by the power of the gate's own method, with what they would cost.
 */
import type { Analysis } from '../analysis/analyze.ts';
import { caseMeans, caseRiskBounds } from '../analysis/clustered-bounds.ts';
import { type Estimate, unboundedUnits } from '../analysis/estimate.ts';
import type { Sample } from '../analysis/unit-value.ts';
import { rangeWidth } from '../analysis/unit-value.ts';
import { rowsOf } from '../base/rows.ts';
import * as z from '../base/shape.ts';
import { type Spent, spentOn } from '../run/budget.ts';
import { caseFloors } from '../spec/case-floors.ts';
import type { SealedExperiment } from '../spec/seal.ts';
import { clusterVariance } from '../stats/clustered.ts';
import { isIndeterminate } from '../stats/interval.ts';
import { requiredUnits } from '../stats/power.ts';
import { roundSignificant } from '../stats/rounding.ts';
import { moments, sum } from '../stats/summary.ts';
import { type EffectGate, type EffectReading, onScale } from './effect.ts';
import {
  asksForOwnPower,
  type FurtherQuery,
  furtherMethod,
  furtherRepeats,
  furtherReplicates,
  furtherUnits,
  mostFurtherRepeats,
} from './further-simulated.ts';

const needSchema = z.strictObject({
  effect: z.number().describe('Of several objectives: on the one nearest to its floor.'),
  effects: z
    .array(z.strictObject({ measure: z.string(), effect: z.number() }))
    .optional()
    .describe('Of a pareto gate: the effect on each objective.'),
  units: z.int().nullable(),
  further: z.int().nullable(),
  reason: z.string().nullable(),
  repeats: z
    .strictObject({ all: z.int(), further: z.int() })
    .optional()
    .describe('Of a fixed roster: repeats in all and beyond the present ones.'),
  cost: z
    .strictObject({ knownUsd: z.number(), unknownCells: z.int() })
    .optional()
    .describe(
      'Of what is further, at the cost of this run; cells of unknown cost are counted apart.',
    ),
});
/** Units in all and beyond the present ones; both null with a reason when no number exists or none would do. */
export type UnitNeed = z.infer<typeof needSchema>;

/** Recorded shape of a plan; `target` is the power wanted, `atEffect` null when no effect was declared. */
export const furtherUnitsSchema = z.strictObject({
  gate: z.string(),
  of: z
    .enum(['audited-bad-units', 'audited-good-units'])
    .optional()
    .describe('What is counted where it is not units of the design.'),
  method: z.enum(['normal-approximation', 'simulation', 'exact']),
  simulations: z.int().optional(),
  target: z.number(),
  atEffect: needSchema.nullable(),
  atObserved: needSchema,
});
/** Units one unresolved gate would need. */
export type FurtherUnits = z.infer<typeof furtherUnitsSchema>;

/** A fixed roster has all its units. */
export const rosterReason = 'the roster of units is fixed; more repeats would narrow the interval';

/** Power wanted when no power gate is sealed. */
const defaultTarget = 0.8;

/** Target and effect that further units are planned for. */
export function powerGate(seal: SealedExperiment): {
  target: number;
  atEffect: number | undefined;
} {
  for (const gate of seal.decision.gates) {
    if (gate.gate === 'power') return { target: gate.target, atEffect: gate.atEffect };
  }
  return { target: defaultTarget, atEffect: undefined };
}

/** Effect the plan is about: for a lift the power gate's or the minimum effect; for a guardrail no change at all. */
function plannedEffect(seal: SealedExperiment, gate: EffectGate): number | null {
  return gate.gate === 'lift' ? plannedLift(seal, gate) : 0;
}

/** The power gate's or the minimum effect on the scale of a gate's measure; null where neither is declared. */
export function plannedLift(
  seal: SealedExperiment,
  gate: Pick<EffectGate, 'measure'>,
): number | null {
  const effect = powerGate(seal).atEffect ?? seal.claim.minimumEffect;
  return effect === undefined ? null : onScale(gate.measure, effect);
}

/**
 * Standard deviation per unit to plan with. A binary measure with effect e disagrees in at least a share e of its observations, so
 * its spread is never taken below that, however tied the sample is. Observations are units, or, where cases are weighed, the
 * effective cases the deciding interval counts in a unit.
 */
export function planningDeviation({ gate, sample, error }: NeedOptions, effect: number): number {
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

/** Whether a gate weighs cases, so that a unit counts by how many it holds. */
export function isCaseWeighted({ method }: Pick<EffectGate, 'method'>): boolean {
  return method === 'cr2' || method === 'tango-effective-n';
}

/** Variance per unit under which so many units give the CR2 variance of the mean over cases. */
function unitVariance(sample: Sample): number {
  const found = clusterVariance(caseMeans(sample));
  return isIndeterminate(found) ? 0 : found.units * found.cr2;
}

type NeedOptions = FurtherQuery;

/** The normal approximation of units for an effect. */
function approximateUnits(options: NeedOptions, effect: number): ReturnType<typeof requiredUnits> {
  return requiredUnits({
    standardDeviation: planningDeviation(options, effect),
    effect,
    threshold: options.gate.threshold,
    error: options.error,
    power: options.target,
  });
}

function needAt(options: NeedOptions, effect: number): UnitNeed {
  const { gate, sample } = options;
  const shown = roundSignificant(effect, rangeWidth(gate.measure));
  if (asksForOwnPower(options.seal)) return ownNeed(options, shown);
  if (gate.method === 'roster-t') {
    return { effect: shown, units: null, further: null, reason: rosterReason };
  }
  const found = approximateUnits(options, effect);
  return unitNeed(found, { effect: shown, present: sample.units.length });
}

/** Why no number of units is named where the mean lies on the wrong side. */
export const noneWouldDo = 'no number of units would do';
/** Why no number of units is named where nothing is known of their spread. */
export const noSpread = 'the units differ by nothing, so their spread is unknown';

const oneUnit = 'one unit tells nothing of how units differ';

/** No number of units, and why. */
export function noNeed(effect: number, reason: string): UnitNeed {
  return { effect, units: null, further: null, reason };
}

/** The same by the power of the gate itself. */
function ownNeed(options: NeedOptions, effect: number): UnitNeed {
  const { gate, sample } = options;
  if (effect <= gate.threshold) return noNeed(effect, noneWouldDo);
  if (gate.method === 'roster-t') return repeatNeed(options, effect);
  const near = approximateUnits(options, effect);
  const start = isIndeterminate(near) || near.status === 'unreachable' ? 8 : near.units;
  const { units, tried } = furtherUnits(options, { effect, start });
  return foundNeed({ units, tried, present: sample.units.length }, effect);
}

/** What a search found. */
export function foundNeed(
  found: { readonly units: number | null; readonly tried: number; readonly present: number },
  effect: number,
): UnitNeed {
  const { units, tried, present } = found;
  if (units === null) return noNeed(effect, `more than ${tried} units would be needed`);
  return { effect, units, further: Math.max(0, units - present), reason: null };
}

/** Repeats that a fixed roster would need, beyond the fewest that one of its units has. */
function repeatNeed(options: NeedOptions, effect: number): UnitNeed {
  return repeatsNeed([options], { effect, all: furtherRepeats(options, effect) });
}

/** The same for several samples of the roster, once their number is found; null where none up to the largest would do. */
export function repeatsNeed(
  seen: readonly Pick<NeedOptions, 'sample'>[],
  { effect, all }: { readonly effect: number; readonly all: number | null },
): UnitNeed {
  if (all === null) {
    const most = `more than ${mostFurtherRepeats} repeats would be needed`;
    return noNeed(effect, `the roster of units is fixed; ${most}`);
  }
  const present = rowsOf(...seen.map(({ sample }) => sample.units)).reduce(
    (fewest, { values }) => Math.min(fewest, new Set(values.map((pair) => pair.repeat)).size),
    all,
  );
  const further = Math.max(0, all - present);
  const reason = `the roster of units is fixed; ${all} repeats (${further} more) would do`;
  return { ...noNeed(effect, reason), repeats: { all, further } };
}

/** What the normal approximation found. */
export function unitNeed(
  found: ReturnType<typeof requiredUnits>,
  { effect, present }: { readonly effect: number; readonly present: number },
): UnitNeed {
  if (isIndeterminate(found)) return noNeed(effect, noSpread);
  if (found.status === 'unreachable') return noNeed(effect, noneWouldDo);
  return { effect, units: found.units, further: Math.max(0, found.units - present), reason: null };
}

/** Plan for more units of one gate that did not resolve. */
export function planFurtherUnits(
  seal: SealedExperiment,
  gate: EffectGate,
  reading: EffectReading & { readonly estimate: Estimate },
  sample: Sample,
): FurtherUnits {
  const { target } = powerGate(seal);
  const { value } = reading.estimate;
  const options = { seal, gate, sample, value, error: reading.error, target };
  const method = furtherMethod(options);
  const planned = plannedEffect(seal, gate);
  return {
    gate: gate.name,
    method,
    ...(method === 'simulation' ? { simulations: furtherReplicates } : {}),
    target,
    atEffect: planned === null ? null : needAt(options, planned),
    atObserved: needAt(options, value),
  };
}

/**
 * The same for a gate whose evidence carries no interval yet: by the normal approximation, and no fewer units than its method needs.
 * @returns null without a unit
 */
export function planFirstUnits(
  seal: SealedExperiment,
  gate: EffectGate,
  { error, sample }: { readonly error: number; readonly sample: Sample },
): FurtherUnits | null {
  const values = isCaseWeighted(gate) ? sample.units.flatMap((unit) => unit.values) : sample.units;
  if (values.length === 0) return null;
  const { target } = powerGate(seal);
  const value = sum(values.map(({ improvement }) => improvement)) / values.length;
  const options = { seal, gate, sample, value, error, target };
  const least = leastUnits(gate);
  const needed = (effect: number): UnitNeed => {
    const shown = roundSignificant(effect, rangeWidth(gate.measure));
    if (gate.method === 'roster-t') return noNeed(shown, rosterReason);
    const found = approximateUnits(options, effect);
    if (isIndeterminate(found) && sample.units.length === 1) return noNeed(shown, oneUnit);
    const raised = 'units' in found ? { ...found, units: Math.max(least, found.units) } : found;
    return unitNeed(raised, { effect: shown, present: sample.units.length });
  };
  const planned = plannedEffect(seal, gate);
  return {
    gate: gate.name,
    method: 'normal-approximation',
    target,
    atEffect: planned === null ? null : needed(planned),
    atObserved: needed(value),
  };
}

/** Units below which a method gives no interval, whatever their spread. */
function leastUnits({ measure, method }: EffectGate): number {
  if (isCaseWeighted({ method })) return caseFloors.units;
  return rangeWidth(measure) === 0 ? unboundedUnits : 2;
}

/** What one more unit would cost at the cost of a run, and of a fixed roster one more repeat. */
export interface FurtherCost {
  readonly unit: Spent;
  readonly repeat: Spent;
}

function perPart({ knownUsd, unknownCells }: Spent, parts: number): Spent {
  return { knownUsd: knownUsd / parts, unknownCells: unknownCells / parts };
}

/** Cost of a unit and of a repeat of a candidate and what it is compared with, retries and grading included; null before any attempt. */
export function costOfMore(
  { seal, lines }: Pick<Analysis, 'seal' | 'lines'>,
  candidate: string,
): FurtherCost | null {
  const others = seal.arms.filter(({ role }) => role === 'candidate').map(({ id }) => id);
  const own = lines.filter(({ cell: { arm } }) => arm === candidate || !others.includes(arm));
  const units = new Set(own.map(({ cell }) => cell.unit)).size;
  if (units === 0) return null;
  const spent = spentOn(own);
  return { unit: perPart(spent, units), repeat: perPart(spent, seal.spec.repeats) };
}

function costOf({ further, repeats }: UnitNeed, cost: FurtherCost): Spent | null {
  const [each, times] =
    repeats === undefined ? [cost.unit, further] : [cost.repeat, repeats.further];
  if (times === null) return null;
  return {
    knownUsd: roundSignificant(times * each.knownUsd),
    unknownCells: Math.ceil(roundSignificant(times * each.unknownCells)),
  };
}

/** A plan with the cost of what is further in it. */
export function withCost(plan: FurtherUnits, cost: FurtherCost): FurtherUnits {
  const priced = (need: UnitNeed): UnitNeed => {
    const found = costOf(need, cost);
    return found === null ? need : { ...need, cost: found };
  };
  const { atEffect, atObserved } = plan;
  return {
    ...plan,
    atEffect: atEffect === null ? null : priced(atEffect),
    atObserved: priced(atObserved),
  };
}
