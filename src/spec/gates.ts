/** Gates as declared: sealed rules, data only. What they do with evidence lives in `gate/`. */
import * as z from 'zod';
import { idSchema } from './words.ts';

const required = z.boolean().default(true);
const name = idSchema
  .optional()
  .describe('Name shown in contributions; default: gate and measure.');

export const gateSchema = z.discriminatedUnion('gate', [
  z.strictObject({
    gate: z.literal('lift'),
    name,
    measure: idSchema,
    threshold: z.number().default(0),
    required,
  }),
  z.strictObject({
    gate: z.literal('no-regression'),
    name,
    measure: idSchema,
    margin: z.number().min(0),
    required,
  }),
  z.strictObject({
    gate: z.literal('critical'),
    name,
    measure: idSchema,
    maxRate: z.number().gt(0).lt(1).optional(),
    required,
  }),
  z.strictObject({
    gate: z.literal('completeness'),
    name,
    required: z.literal(true).default(true),
  }),
  z.strictObject({ gate: z.literal('controls'), name, required: z.literal(true).default(true) }),
  z.strictObject({
    gate: z.literal('provenance'),
    name,
    allowUnverified: z.boolean().default(false),
    required: z.literal(true).default(true),
  }),
  z.strictObject({
    gate: z.literal('power'),
    name,
    target: z.number().gt(0).lt(1).default(0.8),
    atEffect: z.number().optional(),
    required: z.boolean().default(false),
  }),
]);

/** A declared gate: `{gate: KIND, measure?, ...parameters, required}`. */
export type GateDeclaration = z.infer<typeof gateSchema>;

/** Gate kinds of the design that this version refuses by name instead of ignoring. */
export const plannedGates = [
  'rate',
  'budget',
  'latency',
  'matched-budget',
  'pareto',
  'evaluator',
  'canary',
  'reward-hacking',
  'contamination',
  'infrastructure-symmetry',
  'interleaving',
] as const;

/**
 * Gates that decide by an interval; a certification needs one of them, required.
 * @example isInferential({ gate: 'critical', measure: 'harm', required: true }) // => false
 */
export function isInferential(gate: GateDeclaration): boolean {
  return gate.gate === 'lift' || gate.gate === 'no-regression';
}

/**
 * Name of a gate in contributions.
 * @example gateName({ gate: 'lift', measure: 'right', threshold: 0, required: true }) // => 'lift:right'
 */
export function gateName(gate: GateDeclaration): string {
  if (gate.name !== undefined) return gate.name;
  return 'measure' in gate ? `${gate.gate}:${gate.measure}` : gate.gate;
}
