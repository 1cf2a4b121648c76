/** Shapes of the gates: what a spec may write for each kind. What they mean stands in `gates.ts`. */
import * as z from '../base/shape.ts';
import { assumptionsSchema } from './assumptions.ts';
import { idSchema, relativePathSchema } from './words.ts';

const required = z
  .boolean()
  .default(true)
  .describe('Whether the decision waits for it; an optional gate is shown and moves nothing.');
const alwaysRequired = z.literal(true).default(true).describe('Always required, written or not.');
const measure = idSchema.describe('The measure it reads.');
const name = idSchema
  .optional()
  .describe('Name shown in contributions; default: gate and measure.');

const gapMargin = z.number().gt(0).lt(1);

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
    gate: z.literal('neutral-control'),
    name,
    measure,
    threshold: z
      .number()
      .min(0)
      .default(0)
      .describe('What the improvement over arms.placebo must exceed, in the units of the measure.'),
    required,
  }),
  z.strictObject({
    gate: z.literal('canary'),
    name,
    measure: idSchema.describe(
      'Binary measure of the canary cases: those its where condition names.',
    ),
    required,
  }),
  z.strictObject({
    gate: z.literal('reward-hacking'),
    name,
    proxy: idSchema.describe('The measure that is optimized.'),
    truth: idSchema.describe('What it stands for, measured by other means on the same units.'),
    margin: gapMargin.describe(
      'Largest gain of the proxy beyond that of the truth, as a share of the declared ranges.',
    ),
    required,
  }),
  z.strictObject({
    gate: z.literal('contamination'),
    name,
    canaries: z
      .array(
        z
          .string()
          .min(8)
          .max(200)
          .regex(
            /^(?!sha256:)|^sha256:[0-9a-f]{64}$/,
            'after sha256: stand 64 lower-case hex digits of a digest',
          ),
      )
      .min(1)
      .max(100)
      .optional()
      .describe('Texts that no output may hold, or sha256: and the digest of a word.'),
    similarity: z
      .number()
      .gt(0)
      .max(1)
      .optional()
      .describe(
        'From this share of common word triples a final case is a copy of a development case.',
      ),
    probe: z
      .strictObject({
        original: idSchema.describe('Measure of the cases as they were found.'),
        perturbed: idSchema.describe(
          'The same of their variants with the same difficulty, in the same units.',
        ),
        margin: gapMargin.describe(
          'Largest gain on the originals beyond that on the variants, as a share of the declared ranges.',
        ),
      })
      .optional()
      .describe('Whether the gain is gone where cases are worded anew.'),
    required,
  }),
  z.strictObject({
    gate: z.literal('pareto'),
    name,
    objectives: z
      .array(
        z.strictObject({
          measure: idSchema.describe('A primary or guardrail measure.'),
          margin: z
            .number()
            .min(0)
            .describe('Largest tolerated loss, positive, in the units of the measure.'),
        }),
      )
      .min(2)
      .max(20)
      .describe('None may lose more than its margin, and one must be better, all at once.'),
    required,
  }),
  z.strictObject({
    gate: z.literal('evaluator'),
    name,
    measure,
    audit: relativePathSchema.describe(
      'File of the audit, sealed by its bytes and with its counts.',
    ),
    maxFalseAcceptance: z
      .number()
      .gt(0)
      .lt(1)
      .describe('Largest share of bad units that the scorer may accept.'),
    maxFalseRejection: z
      .number()
      .gt(0)
      .lt(1)
      .describe('Largest share of good units that the scorer may reject.'),
    required,
  }),
  z.strictObject({
    gate: z.literal('infrastructure-symmetry'),
    name,
    margin: z
      .number()
      .gt(0)
      .lt(1)
      .describe('Largest difference between the shares of cells of both arms that met a fault.'),
    maxWaitMs: z
      .number()
      .positive()
      .optional()
      .describe('Largest mean difference of the time that cells of both arms waited (waitedMs).'),
    required,
  }),
  z.strictObject({ gate: z.literal('interleaving'), name, required }),
  z.strictObject({
    gate: z.literal('custom'),
    name: idSchema.describe('Name shown in contributions.'),
    module: relativePathSchema.describe(
      'JavaScript module (.js or .mjs) of the experiment folder whose default export is defineGate(...); sealed by its bytes.',
    ),
    files: z
      .array(relativePathSchema)
      .min(1)
      .max(50)
      .optional()
      .describe('Files of the folder that it imports; nothing else can be imported.'),
    measures: z.array(idSchema).min(1).max(20).describe('The measures it reads.'),
    intervals: z
      .array(
        z.strictObject({
          measure: idSchema.describe('One of its measures.'),
          level: z.number().gt(0.5).max(0.9999).describe('Of the two-sided interval: 0.95.'),
        }),
      )
      .min(1)
      .max(20)
      .optional()
      .describe('Intervals of improvements that it is given, by the sealed inference.'),
    options: z
      .record(idSchema, z.json())
      .optional()
      .describe('What it is given beside the evidence, under names of its own.'),
    timeLimitMs: z
      .int()
      .min(100)
      .max(600_000)
      .default(10_000)
      .describe('Without an answer in this time it has given none.'),
    required,
  }),
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
    assume: assumptionsSchema
      .optional()
      .describe('What the simulation assumes, in place of the default assumptions.'),
    required: z
      .boolean()
      .default(false)
      .describe('Whether a design that cannot reach it is refused at seal; optional: printed.'),
  }),
]);
