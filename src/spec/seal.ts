/**
 * The seal: one canonical JSON object and a line feed, named by the SHA-256 of these bytes.
 *
 * Two stages share the shape. `plan` is written before any search and knows everything but the candidates' bytes; `final` adds
 * them and names its plan. Execution reads this object, never the YAML again. Members follow the order of meaning:
 * what is claimed, on which units and cases, with which arms and evaluator, analysed and decided how, by which engine.
 * A future version changes the word in `type`.
 */
import { canonicalLine, canonicalText, compareCodeUnits } from '../base/canonical.ts';
import { type Content, digestOfContent } from '../base/content.ts';
import { type Digest, digestHex, digestOf } from '../base/digest.ts';
import { LiftgateError } from '../base/errors.ts';
import * as z from '../base/shape.ts';
import { readRecorded } from '../base/strict-json.ts';
import { amendmentSchema } from './amendment.ts';
import { claimSchema } from './claim.ts';
import { evaluatorAuditSchema } from './evaluator-audit.ts';
import { gateSchema } from './gates.ts';
import { directionSchema } from './measure.ts';
import { multiplicitySchema, specSchema } from './spec.ts';
import { digestSchema, idSchema, textSchema } from './words.ts';

export const sealType = 'liftgate/seal/v1';

/** One named file as it was read: POSIX path, bytes, hex SHA-256 as `sha256sum` prints it. */
export const materialSchema = z.strictObject({
  path: z.string().min(1),
  size: z.int().min(0),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
});
export type Material = z.infer<typeof materialSchema>;

const treeShape = { materials: z.array(materialSchema), tree: digestSchema };
const unitSetShape = { count: z.int().min(0), root: digestSchema, object: digestSchema };

export const sealedArmSchema = z.strictObject({
  id: idSchema,
  role: z.enum(['baseline', 'candidate', 'placebo']),
  ...treeShape,
  surfaceDigest: digestSchema.nullable(),
  pins: z.strictObject({
    model: z.string().nullable(),
    packages: z.array(z.strictObject({ name: z.string(), tree: digestSchema })),
  }),
  boundAt: z.enum(['plan', 'final']),
});
/** One arm in a seal; at stage `plan` a candidate has no materials and a null surface digest. */
export type SealedArm = z.infer<typeof sealedArmSchema>;

export const resolvedMethodSchema = z.strictObject({
  measure: idSchema,
  gate: z.string().nullable(),
  row: z.string(),
  method: z.string(),
  guarantee: z.enum(['finite-sample', 'asymptotic']),
  threshold: z.number().nullable(),
});
/** Method that decides one gate (or describes a measure no gate reads) with the row of the `auto` table it came from. */
export type ResolvedMethod = z.infer<typeof resolvedMethodSchema>;

export const sealedPowerSchema = z.strictObject({
  target: z.number(),
  atEffect: z.number(),
  rate: z.number(),
  standardError: z.number(),
  simulations: z.int(),
  assumption: z.string(),
  accepted: z.boolean(),
});
/** Power of the sealed decision as it was simulated before sealing; `accepted` where the target was missed and the spec accepts that. */
export type SealedPower = z.infer<typeof sealedPowerSchema>;

export const engineSchema = z.strictObject({
  name: z.literal('liftgate'),
  version: z.string(),
  build: digestSchema,
  statistics: z.record(z.string(), z.string()),
  rng: z.strictObject({ algorithm: z.string(), version: z.string() }),
  nodeMajor: z.int(),
  unicode: z.string(),
});
/** Which engine sealed: a different build with equal statistics versions is a notice, not a failure. */
export type EngineIdentity = z.infer<typeof engineSchema>;

export const sealSchema = z.strictObject({
  type: z.literal(sealType),
  experimentId: idSchema,
  stage: z.enum(['plan', 'final']),
  plan: digestSchema.nullable(),
  previous: digestSchema.nullable(),
  amendments: z.array(amendmentSchema),
  spec: specSchema,
  specSource: materialSchema,
  claim: claimSchema.extend({ direction: directionSchema.nullable() }),
  units: z.strictObject({
    ...unitSetShape,
    family: idSchema,
    skeletonVersion: z.string(),
    fingerprintVersion: z.string(),
    /** Shows whether two seals were made with one secret; absent when fingerprints have none. */
    fingerprintKey: digestSchema.optional(),
  }),
  development: z.strictObject(unitSetShape).nullable(),
  arms: z.array(sealedArmSchema).min(2),
  evaluator: z.strictObject({
    ...treeShape,
    judges: z.array(z.never()),
    scoreScale: z.string(),
    audits: z
      .array(materialSchema.extend({ audit: evaluatorAuditSchema }))
      .optional()
      .describe('Audits that evaluator gates name, with what they say.'),
  }),
  controls: z.array(
    z.strictObject({ id: idSchema, ...treeShape, surfaceDigest: digestSchema.nullable() }),
  ),
  dataset: z.strictObject({ ...treeShape, cases: z.strictObject(unitSetShape) }),
  cells: z.strictObject({
    replicates: z.int().min(1),
    plannedCount: z.int().min(0),
    planObject: digestSchema,
    orderSeedRule: z.string(),
  }),
  analysis: z.strictObject({
    estimand: z.string(),
    level: z.number(),
    errorLevels: z.strictObject({ lift: z.number(), rate: z.number() }),
    alphaNano: z.int(),
    autoTable: z.int(),
    looks: z.array(z.int().min(1)).optional(),
    methods: z.array(resolvedMethodSchema),
    power: sealedPowerSchema.optional(),
    bettingTruncation: z.number(),
    resamples: z.int(),
    missingData: z.string(),
  }),
  decision: z.strictObject({
    gates: z.array(gateSchema),
    materials: z
      .array(materialSchema)
      .optional()
      .describe('Files that the code of custom gates lies in, by path.'),
    multiplicity: multiplicitySchema,
    ties: z.string(),
  }),
  limits: z.strictObject({
    maxAttempts: z.int(),
    budget: z.strictObject({ usd: z.number().nullable(), wallMinutes: z.number().nullable() }),
    deadline: z.null(),
  }),
  disclosure: z.enum(['gate-bit', 'rounded', 'aggregate', 'per-unit']),
  digests: z.strictObject({ design: digestSchema, cases: digestSchema }),
  seeds: z.strictObject({ rule: textSchema, labels: z.array(z.string()) }),
  engine: engineSchema,
  host: z.strictObject({
    adapter: z.string(),
    version: z.string().nullable(),
    receiptKeys: z.array(z.never()),
  }),
  unpinned: z.array(z.string()),
});

/** A sealed experiment: the whole object that binds claim, design, rules and content to what is executed. */
export type SealedExperiment = z.infer<typeof sealSchema>;

/** Exact bytes of a seal as stored. */
export function formatSeal(seal: SealedExperiment): string {
  return canonicalLine(seal);
}

/** Digests by seal: nobody changes a seal, and a run names its own many times. */
const digests = new WeakMap<SealedExperiment, Digest>();

/** Digest of a seal: SHA-256 of its stored bytes. */
export function sealDigest(seal: SealedExperiment): Digest {
  const known = digests.get(seal) ?? digestOf(formatSeal(seal));
  digests.set(seal, known);
  return known;
}

/**
 * Reads stored seal bytes.
 * @throws {LiftgateError} seal-invalid when a byte differs from the canonical form or a member is missing or unknown
 */
export function parseSeal(bytes: Uint8Array, file?: string): SealedExperiment {
  const parsed = readRecorded(bytes, sealSchema, { file, errorCode: 'seal-invalid' });
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    throw new LiftgateError(
      'seal-invalid',
      `The seal does not have the shape ${sealType}: ${issue?.message}.`,
      {
        where: { file, path: issue?.path.join('.') },
        mend: 'Restore the sealed file, or seal the experiment again under this version.',
      },
    );
  }
  return parsed.data;
}

/** Digest of a set of files: SHA-256 of the canonical array of `{path,size,sha256}` sorted by path. */
export function treeDigest(materials: readonly Material[]): Digest {
  const sorted = [...materials].sort((first, second) => compareCodeUnits(first.path, second.path));
  return digestOf(canonicalText(sorted));
}

/** Material of some bytes. */
export function materialOf(path: string, bytes: Content): Material {
  // In the order of its canonical text, which is written faster so.
  return { path, sha256: digestHex(digestOfContent(bytes)), size: bytes.length };
}

/**
 * Digest of a surface as a host loads it: canonical `{components: {name: digest of its bytes}, kind: "bundle"}`.
 * @see notes/hosts 1.2 SurfaceRef
 */
export function surfaceDigest(components: Readonly<Record<string, Digest>>): Digest {
  return digestOf(canonicalText({ kind: 'bundle', components }));
}
