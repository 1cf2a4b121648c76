/** Gates as declared: sealed rules, data only. What they do with evidence lives in `gate/`. */
import type * as z from '../base/shape.ts';
import { gateSchema } from './gate-shapes.ts';

export { gateSchema };

/** A declared gate: `{gate: KIND, measure?, ...parameters, required}`. */
export type GateDeclaration = z.infer<typeof gateSchema>;

/** A declared gate of one kind. */
export type GateOf<Kind extends GateDeclaration['gate']> = Extract<GateDeclaration, { gate: Kind }>;

/**
 * Gates that say something about the candidate by a bound; a certification needs one of them, required.
 * @example isInferential({ gate: 'critical', measure: 'harm', required: true }) // => false
 */
export function isInferential(gate: GateDeclaration): boolean {
  if (gate.gate === 'rate') return gate.arm === 'candidate';
  return gate.gate === 'lift' || gate.gate === 'no-regression';
}

/**
 * Ids of the measures a gate reads.
 * @example gateMeasures({ gate: 'budget', required: true }) // => []
 */
export function gateMeasures(gate: GateDeclaration): readonly string[] {
  const gap = gapOf(gate);
  if (gap !== null) return [gap.ahead, gap.behind];
  if (gate.gate === 'pareto') return gate.objectives.map(({ measure }) => measure);
  if (gate.gate === 'custom') return gate.measures;
  return 'measure' in gate ? [gate.measure] : [];
}

/** One objective of a pareto gate. */
export type Objective = GateOf<'pareto'>['objectives'][number];

/** Two measures of the same units of which the first may gain at most `margin` more, both in shares of their ranges. */
export interface MeasureGap {
  readonly ahead: string;
  readonly behind: string;
  readonly margin: number;
}

/**
 * The two measures a gate holds against each other, or null.
 * @example gapOf({ gate: 'budget', required: true }) // => null
 */
export function gapOf(gate: GateDeclaration): MeasureGap | null {
  if (gate.gate === 'reward-hacking') {
    return { ahead: gate.proxy, behind: gate.truth, margin: gate.margin };
  }
  if (gate.gate !== 'contamination' || gate.probe === undefined) return null;
  const { original, perturbed, margin } = gate.probe;
  return { ahead: original, behind: perturbed, margin };
}

/** The two forms of a latency gate: a ratio of paired cells, or a quantile of the candidate's units. */
export type LatencyForm =
  | { readonly form: 'ratio'; readonly maxRatio: number }
  | { readonly form: 'quantile'; readonly quantile: number; readonly max: number };

/**
 * The form of a latency gate, or null unless exactly one is written whole.
 * @example latencyForm({ gate: 'latency', measure: 'ms', maxRatio: 1.2, required: true }) // => { form: 'ratio', maxRatio: 1.2 }
 */
export function latencyForm({ maxRatio, quantile, max }: GateOf<'latency'>): LatencyForm | null {
  if (maxRatio !== undefined) {
    return quantile === undefined && max === undefined ? { form: 'ratio', maxRatio } : null;
  }
  return quantile === undefined || max === undefined ? null : { form: 'quantile', quantile, max };
}

/** A gate that reads the paired difference of a measure, with the threshold a seal names for it. */
export interface PairedGate {
  readonly gate: 'lift' | 'no-regression' | 'latency' | 'neutral-control';
  readonly measure: string;
  readonly threshold: number;
}

/**
 * The paired form of a gate: the lift threshold, minus the margin, or the largest ratio; null for a gate that pairs nothing.
 * @example pairedGate({ gate: 'no-regression', measure: 'kind', margin: 0.1, required: true }).threshold // => -0.1
 */
export function pairedGate(gate: GateDeclaration): PairedGate | null {
  if (gate.gate === 'lift' || gate.gate === 'no-regression' || gate.gate === 'neutral-control') {
    const threshold = gate.gate === 'no-regression' ? -gate.margin : gate.threshold;
    return { gate: gate.gate, measure: gate.measure, threshold };
  }
  const form = gate.gate === 'latency' ? latencyForm(gate) : null;
  if (gate.gate !== 'latency' || form?.form !== 'ratio') return null;
  return { gate: gate.gate, measure: gate.measure, threshold: form.maxRatio };
}

/** The one limit of a rate gate. */
export interface RateLimit {
  readonly side: 'min' | 'max';
  readonly value: number;
}

/**
 * The limit of a rate gate, or null unless exactly one is written.
 * @example rateLimit({ gate: 'rate', measure: 'right', arm: 'candidate', min: 0.9, required: true }) // => { side: 'min', value: 0.9 }
 */
export function rateLimit({ min, max }: GateOf<'rate'>): RateLimit | null {
  if (min !== undefined) return max === undefined ? { side: 'min', value: min } : null;
  return max === undefined ? null : { side: 'max', value: max };
}

/**
 * Paths of the files that the code of custom gates lies in, each once, in declared order.
 * @example gateFiles([{ gate: 'budget', required: true }]) // => []
 */
export function gateFiles(gates: readonly GateDeclaration[]): string[] {
  const paths = gates.flatMap((gate) =>
    gate.gate === 'custom' ? [gate.module, ...(gate.files ?? [])] : [],
  );
  return [...new Set(paths)];
}

/**
 * Name of a gate in contributions.
 * @example gateName({ gate: 'lift', measure: 'right', threshold: 0, required: true }) // => 'lift:right'
 */
export function gateName(gate: GateDeclaration): string {
  if (gate.name !== undefined) return gate.name;
  if (gate.gate === 'rate') return `rate:${gate.arm}:${gate.measure}`;
  if (gate.gate === 'matched-budget') return `matched-budget:${gate.of}`;
  if (gate.gate === 'reward-hacking') return `reward-hacking:${gate.proxy}`;
  return 'measure' in gate ? `${gate.gate}:${gate.measure}` : gate.gate;
}
