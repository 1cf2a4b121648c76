/** Gates as declared: sealed rules, data only. What they do with evidence lives in `gate/`. */
import * as z from 'zod';
import { idSchema } from './words.ts';

const required = z
  .boolean()
  .default(true)
  .describe('Whether the decision waits for it; an optional gate is shown and moves nothing.');
const alwaysRequired = z.literal(true).default(true).describe('Always required, written or not.');
const measure = idSchema.describe('The measure it reads.');
const name = idSchema
  .optional()
  .describe('Name shown in contributions; default: gate and measure.');

export const gateSchema = z.discriminatedUnion('gate', [
  z.strictObject({
    gate: z.literal('lift'),
    name,
    measure,
    threshold: z
      .number()
      .default(0)
      .describe("What the improvement's lower bound must exceed, in the units of the measure."),
    required,
  }),
  z.strictObject({
    gate: z.literal('no-regression'),
    name,
    measure,
    margin: z
      .number()
      .min(0)
      .describe('Largest tolerated loss, positive, in the units of the measure.'),
    required,
  }),
  z.strictObject({
    gate: z.literal('critical'),
    name,
    measure,
    maxRate: z
      .number()
      .gt(0)
      .lt(1)
      .optional()
      .describe('Tolerated share of violating units; without it one violation breaches.'),
    required,
  }),
  z.strictObject({
    gate: z.literal('rate'),
    name,
    measure,
    arm: z.enum(['baseline', 'candidate']).describe('The arm whose rate it is.'),
    min: z
      .number()
      .gt(0)
      .lt(1)
      .optional()
      .describe('Share of units that must score 1; either this or max.'),
    max: z
      .number()
      .gt(0)
      .lt(1)
      .optional()
      .describe('Share of units that may score 1; either this or min.'),
    required,
  }),
  z.strictObject({
    gate: z.literal('latency'),
    name,
    measure,
    maxRatio: z
      .number()
      .positive()
      .optional()
      .describe('Candidate over baseline, paired; either this or quantile and max.'),
    quantile: z
      .number()
      .gt(0)
      .lt(1)
      .optional()
      .describe('Share of units whose slowest cell must stay below max: 0.95.'),
    max: z.number().positive().optional().describe("In the measure's units."),
    required,
  }),
  z.strictObject({
    gate: z.literal('matched-budget'),
    name,
    of: z.enum(['tokens', 'usd']).describe('What both arms spent.'),
    tolerance: z
      .number()
      .min(0)
      .describe('How much more one arm may spend than the other over complete pairs: 0.1 is 10 %.'),
    required,
  }),
  z.strictObject({ gate: z.literal('budget'), name, required }),
  z.strictObject({
    gate: z.literal('completeness'),
    name,
    required: alwaysRequired,
  }),
  z.strictObject({ gate: z.literal('controls'), name, required: alwaysRequired }),
  z.strictObject({
    gate: z.literal('provenance'),
    name,
    allowUnverified: z
      .boolean()
      .default(false)
      .describe('Whether a host that cannot say what it loaded may ship.'),
    required: alwaysRequired,
  }),
  z.strictObject({
    gate: z.literal('power'),
    name,
    target: z.number().gt(0).lt(1).default(0.8).describe('Power wanted.'),
    atEffect: z
      .number()
      .optional()
      .describe('Improvement at which it is wanted; default: claim.minimumEffect.'),
    required: z.boolean().default(false).describe('This version can only show it.'),
  }),
]);

/** A declared gate: `{gate: KIND, measure?, ...parameters, required}`. */
export type GateDeclaration = z.infer<typeof gateSchema>;

/** Gate kinds of the design that this version refuses by name instead of ignoring. */
export const plannedGates = [
  'pareto',
  'evaluator',
  'canary',
  'reward-hacking',
  'contamination',
  'infrastructure-symmetry',
  'interleaving',
] as const;

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
  readonly gate: 'lift' | 'no-regression' | 'latency';
  readonly measure: string;
  readonly threshold: number;
}

/**
 * The paired form of a gate: the lift threshold, minus the margin, or the largest ratio; null for a gate that pairs nothing.
 * @example pairedGate({ gate: 'no-regression', measure: 'kind', margin: 0.1, required: true }).threshold // => -0.1
 */
export function pairedGate(gate: GateDeclaration): PairedGate | null {
  if (gate.gate === 'lift' || gate.gate === 'no-regression') {
    const threshold = gate.gate === 'lift' ? gate.threshold : -gate.margin;
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
 * Name of a gate in contributions.
 * @example gateName({ gate: 'lift', measure: 'right', threshold: 0, required: true }) // => 'lift:right'
 */
export function gateName(gate: GateDeclaration): string {
  if (gate.name !== undefined) return gate.name;
  if (gate.gate === 'rate') return `rate:${gate.arm}:${gate.measure}`;
  if (gate.gate === 'matched-budget') return `matched-budget:${gate.of}`;
  return 'measure' in gate ? `${gate.gate}:${gate.measure}` : gate.gate;
}
