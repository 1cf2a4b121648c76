/** The experiment file as a typed value with every default filled in. */
import * as z from 'zod';
import { claimSchema } from './claim.ts';
import { gateSchema } from './gates.ts';
import { inferenceSchema } from './inference.ts';
import { measureSchema } from './measure.ts';
import { admissionRuleSchema, casesSchema, splitsSchema } from './units.ts';
import {
  fieldNameSchema,
  idSchema,
  packagePinSchema,
  relativePathSchema,
  scalarSchema,
} from './words.ts';

/** Named components of a surface, each a file of the experiment folder. */
export const surfaceSchema = z.record(idSchema, relativePathSchema);

export const armSchema = z.strictObject({
  surface: surfaceSchema,
  pins: z
    .strictObject({
      packages: z.array(packagePinSchema).default([]),
      model: z.string().min(1).optional().describe('Model the host must report having used.'),
    })
    .optional()
    .describe('What else must not change: installed packages, the model asked for.'),
});
export type Arm = z.infer<typeof armSchema>;

export const limitsSchema = z.strictObject({
  wallMs: z.int().positive().default(60_000),
  silenceMs: z
    .int()
    .positive()
    .default(30_000)
    .describe('Longest silence of a busy host before it counts as dead.'),
  maxCostUsd: z.number().positive().optional(),
  maxTokens: z.int().positive().optional(),
  maxTurns: z.int().positive().optional(),
});
export type Limits = z.infer<typeof limitsSchema>;

const hostCommon = {
  files: z
    .array(relativePathSchema)
    .default([])
    .describe('Further files of the host, sealed by digest.'),
  packages: z.array(packagePinSchema).default([]),
  concurrency: z.int().min(1).max(256).default(1),
  limits: limitsSchema.prefault({}),
};

export const hostSchema = z.union([
  z.strictObject({
    worker: z.array(z.string().min(1)).min(1),
    env: z
      .array(
        z
          .string()
          .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'expected the name of an environment variable'),
      )
      .default([])
      .describe(
        'Environment variables passed on beside PATH, HOME and TMPDIR; values are never recorded.',
      ),
    ...hostCommon,
  }),
  z.strictObject({
    module: relativePathSchema,
    trustInProcess: z.boolean().default(false),
    ...hostCommon,
  }),
]);
export type HostDeclaration = z.infer<typeof hostSchema>;

/** Faults a control can ask the host for. */
export const faultSchema = z.enum(['host-exit', 'agent-throw', 'scorer-throw']);
export type Fault = z.infer<typeof faultSchema>;

/** Outcome classes of a cell; the first four are outcomes and are never run again. */
export const outcomeClassSchema = z.enum([
  'completed',
  'safeRefusal',
  'agentError',
  'limitExceeded',
  'infrastructureFault',
  'evaluatorFailure',
  'cancelled',
]);
export type OutcomeClass = z.infer<typeof outcomeClassSchema>;

const boundsSchema = z
  .strictObject({ min: z.number().optional(), max: z.number().optional() })
  .refine(
    (bounds) => bounds.min !== undefined || bounds.max !== undefined,
    'give min, max or both',
  );

const ownCase = z.record(fieldNameSchema, z.union([scalarSchema, z.json()])).optional();

export const controlSchema = z.union([
  z.strictObject({
    id: idSchema,
    surface: surfaceSchema,
    cells: z.int().min(1).max(1000).default(8).describe('Development cases it runs over.'),
    case: ownCase.describe('An own case in place of development cases.'),
    expect: z.record(idSchema, boundsSchema),
  }),
  z.strictObject({
    id: idSchema,
    fault: faultSchema,
    case: ownCase,
    expect: z.strictObject({ class: outcomeClassSchema }),
  }),
]);
/** A known-pass, known-fail or deliberate-fault cell that proves that the harness classifies correctly. */
export type Control = z.infer<typeof controlSchema>;

export const multiplicitySchema = z.union([
  z.enum(['holm', 'none']),
  z.strictObject({ sequence: z.array(idSchema).min(1) }),
]);

export const specSchema = z.strictObject({
  liftgate: z.literal(1),
  name: idSchema,
  claim: claimSchema,
  cases: casesSchema,
  splits: splitsSchema,
  admission: z.array(admissionRuleSchema).default([]),
  fingerprint: z.strictObject({ ignore: z.array(fieldNameSchema).default([]) }).prefault({}),
  arms: z.strictObject({ baseline: armSchema, candidates: z.record(idSchema, armSchema) }),
  multiplicity: multiplicitySchema,
  host: hostSchema,
  repeats: z.int().min(1).max(1000).default(1),
  measures: z.record(idSchema, measureSchema),
  inference: inferenceSchema.prefault({}),
  loss: z.strictObject({ maxLostShare: z.number().min(0).lt(1).default(0) }).prefault({}),
  attempts: z
    .strictObject({
      max: z.int().min(1).max(20).default(3),
      retry: z.array(z.literal('infrastructureFault')).default(['infrastructureFault']),
    })
    .prefault({}),
  budget: z
    .strictObject({
      usd: z.number().positive().optional(),
      wallMinutes: z.number().positive().optional(),
    })
    .prefault({}),
  controls: z.array(controlSchema).default([]),
  gates: z.array(gateSchema),
});

/** An experiment with every default filled in. */
export type ExperimentSpec = z.infer<typeof specSchema>;

/** Id of the arm every candidate is compared with. */
export const baselineArm = 'baseline';

/**
 * Candidate ids in the order that decides ties: code units.
 * @example candidateIds({ arms: { candidates: { r3: {}, r2: {} } } }) // => ['r2', 'r3']
 */
export function candidateIds(spec: ExperimentSpec): string[] {
  return Object.keys(spec.arms.candidates).sort((first, second) => (first < second ? -1 : 1));
}

/**
 * One arm of the spec by id (`baseline` or a candidate id).
 * @example armOf({ arms: { baseline: { surface: {} }, candidates: {} } }, 'baseline') // => { surface: {} }
 */
export function armOf(spec: ExperimentSpec, id: string): Arm | undefined {
  return id === baselineArm ? spec.arms.baseline : spec.arms.candidates[id];
}
