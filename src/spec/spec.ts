/** The experiment file as a typed value with every default filled in. */
import * as z from '../base/shape.ts';
import { claimSchema } from './claim.ts';
import { gateSchema } from './gates.ts';
import { inferenceSchema } from './inference.ts';
import { measureSchema } from './measure.ts';
import { stoppingSchema } from './stopping.ts';
import { admissionRuleSchema, casesSchema, splitsSchema } from './units.ts';
import {
  fieldNameSchema,
  idSchema,
  packagePinSchema,
  relativePathSchema,
  scalarSchema,
} from './words.ts';

/** Named components of a surface, each a file of the experiment folder. */
export const surfaceSchema = z.record(
  idSchema,
  relativePathSchema.describe('File of one component of the surface, sealed by its bytes.'),
);

export const armSchema = z.strictObject({
  surface: surfaceSchema,
  pins: z
    .strictObject({
      packages: z.array(packagePinSchema).default([]).describe('Installed packages, by bytes.'),
      model: z.string().min(1).optional().describe('Model the host must report having used.'),
    })
    .optional()
    .describe('What else must not change: installed packages, the model asked for.'),
});
export type Arm = z.infer<typeof armSchema>;

export const limitsSchema = z.strictObject({
  wallMs: z.int().positive().default(60_000).describe('Longest time of one attempt.'),
  silenceMs: z
    .int()
    .positive()
    .default(30_000)
    .describe('Longest silence of a busy host before it counts as dead.'),
  maxCostUsd: z
    .number()
    .positive()
    .optional()
    .describe('Most one attempt may cost; what is reserved of the budget for each.'),
  maxTokens: z.int().positive().optional().describe('Passed to the host, which has to keep to it.'),
  maxTurns: z.int().positive().optional().describe('Passed to the host, which has to keep to it.'),
});
export type Limits = z.infer<typeof limitsSchema>;

const hostCommon = {
  files: z
    .array(relativePathSchema)
    .default([])
    .describe('Further files of the host, sealed by digest.'),
  packages: z
    .array(packagePinSchema)
    .default([])
    .describe('Installed packages the host imports, sealed by their bytes.'),
  concurrency: z
    .int()
    .min(1)
    .max(256)
    .default(1)
    .describe('Cells in flight at a time; changes no digest.'),
  limits: limitsSchema.prefault({}),
};

export const hostSchema = z.union([
  z.strictObject({
    worker: z
      .array(z.string().min(1))
      .min(1)
      .describe(
        'Command of a long-lived child that speaks cell/1; words that name files are sealed.',
      ),
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
    module: relativePathSchema.describe(
      'JavaScript module that runs in the process of the engine.',
    ),
    trustInProcess: z
      .boolean()
      .default(false)
      .describe('Needed for more than development: such a host could change what is recorded.'),
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
  .strictObject({
    min: z.number().optional().describe('Least mean of the control.'),
    max: z.number().optional().describe('Largest mean of the control.'),
  })
  .refine(
    (bounds) => bounds.min !== undefined || bounds.max !== undefined,
    'give min, max or both',
  );

const ownCase = z
  .record(fieldNameSchema, z.union([scalarSchema, z.json()]))
  .optional()
  .describe('An own case, by its fields, in place of development cases.');

const controlIdSchema = idSchema.describe('Name of the control.');

export const controlSchema = z.union([
  z.strictObject({
    id: controlIdSchema,
    surface: surfaceSchema,
    cells: z.int().min(1).max(1000).default(8).describe('Development cases it runs over.'),
    case: ownCase,
    expect: z.record(idSchema, boundsSchema),
  }),
  z.strictObject({
    id: controlIdSchema,
    fault: faultSchema.describe('What the host is told to do wrong.'),
    case: ownCase,
    expect: z.strictObject({
      class: outcomeClassSchema.describe('Class the fault must be recognised as.'),
    }),
  }),
]);
/** A known-pass, known-fail or deliberate-fault cell that proves that the harness classifies correctly. */
export type Control = z.infer<typeof controlSchema>;

export const multiplicitySchema = z.union([
  z
    .enum(['holm', 'none', 'max-t'])
    .describe('max-t: as holm, the error divided by less where the candidates are correlated.'),
  z.strictObject({
    sequence: z.array(idSchema).min(1).describe('Every candidate once, in the order of testing.'),
  }),
]);

export const specSchema = z.strictObject({
  liftgate: z.literal(1).describe('Version of this file format.'),
  name: idSchema.describe('Name of the experiment in the ledger and in reports.'),
  claim: claimSchema,
  cases: casesSchema,
  splits: splitsSchema,
  admission: z.array(admissionRuleSchema).default([]),
  fingerprint: z
    .strictObject({
      ignore: z
        .array(fieldNameSchema)
        .default([])
        .describe('Input fields left out when copies are looked for, such as ids and dates.'),
      secret: z
        .union([
          z.strictObject({
            env: z
              .string()
              .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'expected the name of an environment variable')
              .describe('Environment variable that holds the secret.'),
          }),
          z.strictObject({
            file: z
              .string()
              .min(1)
              .max(4096)
              .describe('File that holds the secret, from the experiment folder; outside of it.'),
          }),
        ])
        .optional()
        .describe(
          'Makes fingerprints that tell nothing without it; at least 16 random bytes, never recorded.',
        ),
    })
    .prefault({}),
  arms: z.strictObject({
    baseline: armSchema,
    candidates: z.record(idSchema, armSchema),
    placebo: armSchema
      .optional()
      .describe(
        'A change that should change nothing; the gate neutral-control holds candidates against it.',
      ),
  }),
  multiplicity: multiplicitySchema,
  host: hostSchema,
  repeats: z
    .int()
    .min(1)
    .max(1000)
    .default(1)
    .describe('Cells per case and arm; never more units.'),
  measures: z.record(idSchema, measureSchema),
  inference: inferenceSchema.prefault({}),
  loss: z
    .strictObject({
      maxLostShare: z
        .number()
        .min(0)
        .lt(1)
        .default(0)
        .describe('Largest share of cells or gated values that may be lost.'),
    })
    .prefault({}),
  attempts: z
    .strictObject({
      max: z.int().min(1).max(20).default(3).describe('Attempts at one cell, the first included.'),
      retry: z
        .array(z.literal('infrastructureFault'))
        .default(['infrastructureFault'])
        .describe('What is run again; outcomes never are.'),
    })
    .prefault({}),
  budget: z
    .strictObject({
      usd: z
        .number()
        .positive()
        .optional()
        .describe(
          'Cap in dollars over all attempts, controls included; needs host.limits.maxCostUsd.',
        ),
      wallMinutes: z.number().positive().optional().describe('Cap in minutes over the whole run.'),
    })
    .prefault({}),
  disclosure: z
    .enum(['gate-bit', 'per-unit'])
    .optional()
    .describe(
      'What the search side sees of a result: ship or not, or everything (without it); decides reuse.',
    ),
  stopping: stoppingSchema
    .optional()
    .describe('When measuring stops: fixed (without it) after all units, or at sealed looks.'),
  power: z
    .strictObject({
      accept: z
        .literal('underpowered')
        .optional()
        .describe('Seal a design that misses the target of its power; every decision says so.'),
      further: z
        .literal('simulated')
        .optional()
        .describe(
          'Further units of a need_more_work by the power of each gate itself, with their cost, in place of a normal approximation.',
        ),
    })
    .optional()
    .describe('What is accepted of missing power, and how further units are planned.'),
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

/** Id of the arm that changes nothing that matters. */
export const placeboArm = 'placebo';

/**
 * Every arm that runs, in the order the schedule is made from: baseline, candidates by code units, the placebo if there is one.
 * @example armIds({ arms: { placebo: { surface: {} }, candidates: { r2: {} } } }) // => ['baseline', 'r2', 'placebo']
 */
export function armIds(spec: ExperimentSpec): string[] {
  const placebo = spec.arms.placebo === undefined ? [] : [placeboArm];
  return [baselineArm, ...candidateIds(spec), ...placebo];
}

/**
 * One arm of the spec by id (`baseline`, `placebo` where one is declared, or a candidate id).
 * @example armOf({ arms: { baseline: { surface: {} }, candidates: {} } }, 'baseline') // => { surface: {} }
 */
export function armOf(spec: ExperimentSpec, id: string): Arm | undefined {
  if (id === placeboArm && spec.arms.placebo !== undefined) return spec.arms.placebo;
  return id === baselineArm ? spec.arms.baseline : spec.arms.candidates[id];
}
