/**
 * Cell requests (`cell/1`), host receipts (`receipt/1`) and the line that keeps one attempt.
 *
 * No request byte differs between arms except the surface and the opaque `cellKey`. Execute and grade are separate verbs; a line
 * joins both into one receipt inside the ledger envelope. `null` scores mean not scored, `critical: null` means not checked,
 * unknown cost stays unknown.
 */
import * as z from 'zod';
import { type Digest, digestHex, digestOfValue } from '../base/digest.ts';
import {
  type Fault,
  faultSchema,
  limitsSchema,
  type OutcomeClass,
  outcomeClassSchema,
} from '../spec/spec.ts';
import { digestSchema, idSchema } from '../spec/words.ts';

export const cellKeySchema = z.string().regex(/^[0-9a-f]{64}$/);
const jsonObject = z.record(z.string(), z.json());

export const surfaceWireSchema = z.strictObject({
  kind: z.literal('bundle'),
  components: z.record(idSchema, z.strictObject({ text: z.string() })),
  digest: digestSchema,
});
/** A surface as a host receives it. */
export type SurfaceWire = z.infer<typeof surfaceWireSchema>;

export const artifactSchema = z.strictObject({
  digest: digestSchema,
  bytes: z.int().min(0),
  mediaType: z.string().min(1).max(100),
  inline: z.json(),
});
export type Artifact = z.infer<typeof artifactSchema>;

export const executeRequestSchema = z.strictObject({
  protocol: z.literal('cell/1'),
  kind: z.literal('execute'),
  cellKey: cellKeySchema,
  experimentDigest: digestSchema,
  attempt: z.int().min(1),
  repeat: z.int().min(0),
  seed: z.int().min(0),
  caseId: z.string(),
  input: jsonObject,
  surface: surfaceWireSchema,
  limits: limitsSchema,
  fault: faultSchema.optional(),
});
export type ExecuteRequest = z.infer<typeof executeRequestSchema>;

export const gradeRequestSchema = z.strictObject({
  protocol: z.literal('cell/1'),
  kind: z.literal('grade'),
  cellKey: cellKeySchema,
  experimentDigest: digestSchema,
  attempt: z.int().min(1),
  caseId: z.string(),
  input: jsonObject,
  expected: jsonObject,
  artifact: artifactSchema,
  fault: faultSchema.optional(),
});
export type GradeRequest = z.infer<typeof gradeRequestSchema>;

export const faultReportSchema = z.strictObject({
  code: z.string().min(1).max(64),
  phase: z.enum(['setup', 'agent', 'grade', 'teardown']),
  retryAfterMs: z.number().min(0).nullable().default(null),
  detail: z.string().max(2048).default(''),
});
/** What went wrong, from the host's or transport's own evidence; never from text the candidate wrote. */
export type FaultReport = z.infer<typeof faultReportSchema>;

export const usageSchema = z.strictObject({
  costUsd: z.number().min(0).nullable(),
  costKnown: z.boolean(),
  costSource: z.enum(['billed', 'priceTable', 'declared']).nullable().default(null),
  tokens: z
    .strictObject({
      input: z.number().min(0).describe('Without what was read from a cache.'),
      cachedInput: z.number().min(0),
      output: z.number().min(0).describe('Without reasoning.'),
      reasoning: z.number().min(0),
    })
    .nullable()
    .default(null),
  tokensKnown: z.boolean().default(false),
});
export type Usage = z.infer<typeof usageSchema>;

export const timingSchema = z.strictObject({
  startedAt: z.string(),
  endedAt: z.string(),
  activeMs: z.number().min(0).nullable(),
  waitedMs: z.number().min(0).nullable().default(null),
  firstOutputMs: z.number().min(0).nullable().default(null),
});
export type Timing = z.infer<typeof timingSchema>;

export const criticalFindingSchema = z.strictObject({
  id: idSchema,
  severity: z.string().max(64).default('critical'),
  detail: z.string().max(2048).default(''),
});

export const modelSchema = z.strictObject({
  requested: z.string(),
  observed: z.string().nullable(),
  parametersDigest: digestSchema.nullable().default(null),
});

const echo = {
  protocol: z.literal('receipt/1'),
  cellKey: cellKeySchema,
  attempt: z.int().min(1),
  experimentDigest: digestSchema,
};

/** Longest inline artifact in bytes of canonical JSON. */
export const artifactLimitBytes = 262_144;

export const executeReplySchema = z.strictObject({
  ...echo,
  kind: z.literal('execute'),
  inputDigest: digestSchema.nullable(),
  surfaceLoadedDigest: digestSchema.nullable(),
  outcome: z.enum([
    'completed',
    'safeRefusal',
    'agentError',
    'limitExceeded',
    'infrastructureFault',
    'cancelled',
  ]),
  fault: faultReportSchema.nullable().default(null),
  artifact: z.strictObject({ mediaType: z.string().min(1).max(100), inline: z.json() }).nullable(),
  usage: usageSchema,
  timing: timingSchema,
  internalRetries: z.record(z.string(), z.int().min(0)).default({}),
  model: modelSchema.nullable().default(null),
  logs: z.strictObject({ digest: digestSchema, uri: z.string() }).nullable().default(null),
});
export type ExecuteReply = z.infer<typeof executeReplySchema>;

export const gradeReplySchema = z.strictObject({
  ...echo,
  kind: z.literal('grade'),
  outcome: z.enum(['completed', 'evaluatorFailure', 'infrastructureFault', 'cancelled']),
  fault: faultReportSchema.nullable().default(null),
  scores: z.record(idSchema, z.number().nullable()).default({}),
  critical: z.array(criticalFindingSchema).nullable(),
  gradeUsage: usageSchema.nullable().default(null),
  timing: timingSchema.nullable().default(null),
});
export type GradeReply = z.infer<typeof gradeReplySchema>;

export const hostIdentitySchema = z.strictObject({
  name: z.string().min(1).max(100),
  version: z.string().max(100),
  buildDigest: digestSchema.nullable().default(null),
  dirty: z.boolean().nullable().default(null),
});

export const helloSchema = z.strictObject({
  kind: z.literal('hello'),
  protocols: z.array(z.string()),
  host: hostIdentitySchema,
  supports: z.array(z.string()),
  honoursSeed: z.boolean().default(false),
});
/** First line of a host: who it is and what it can do. */
export type Hello = z.infer<typeof helloSchema>;

/** One receipt: the execute reply joined with the grade of its artifact. */
export const receiptSchema = z.strictObject({
  protocol: z.literal('receipt/1'),
  cellKey: cellKeySchema,
  attempt: z.int().min(1),
  experimentDigest: digestSchema,
  inputDigest: digestSchema.nullable(),
  surfaceLoadedDigest: digestSchema.nullable(),
  outcome: outcomeClassSchema,
  fault: faultReportSchema.nullable(),
  scores: z.record(idSchema, z.number().nullable()),
  critical: z.array(criticalFindingSchema).nullable(),
  artifact: artifactSchema.nullable(),
  usage: usageSchema,
  gradeUsage: usageSchema.nullable(),
  gradeAttempts: z.int().min(0),
  timing: timingSchema,
  internalRetries: z.record(z.string(), z.int().min(0)),
  model: modelSchema.nullable(),
  host: hostIdentitySchema,
  logs: z.strictObject({ digest: digestSchema, uri: z.string() }).nullable(),
});
/** What a host returned for one attempt, execution and grading joined. */
export type Receipt = z.infer<typeof receiptSchema>;

export const cellSchema = z.strictObject({
  unit: z.string(),
  case: z.string(),
  arm: idSchema,
  repeat: z.int().min(0),
});
/** Case x repeat x arm; `unit` is the unit the case belongs to. */
export type Cell = z.infer<typeof cellSchema>;

/** The ledger envelope of one attempt; one canonical line each. */
export const receiptLineSchema = z.strictObject({
  v: z.literal(1),
  ledger: z.string().nullable(),
  expose: digestSchema.nullable(),
  fence: z.string().nullable(),
  cell: cellSchema,
  position: z.int().min(0).describe('Place of the cell in the schedule.'),
  armDigest: digestSchema,
  evaluatorTree: digestSchema,
  receivedAt: z.string(),
  receipt: receiptSchema,
});
export type ReceiptLine = z.infer<typeof receiptLineSchema>;

/** What one control showed, kept with the run. */
export const controlResultSchema = z.strictObject({
  id: idSchema,
  passed: z.boolean(),
  reason: z.string(),
  cells: z.int().min(0),
  classes: z.record(z.string(), z.int()),
  means: z.record(z.string(), z.number()),
});
export type ControlResult = z.infer<typeof controlResultSchema>;

/** Outcomes are final; the other classes leave a cell open or missing. */
export function isOutcome(outcome: OutcomeClass): boolean {
  switch (outcome) {
    case 'completed':
    case 'safeRefusal':
    case 'agentError':
    case 'limitExceeded':
      return true;
    case 'infrastructureFault':
    case 'evaluatorFailure':
    case 'cancelled':
      return false;
  }
}

/** Opaque key of one attempt at a cell: digest of {designDigest, caseId, repeat, surfaceDigest, attempt}. */
export function cellKeyOf(parts: {
  readonly designDigest: Digest;
  readonly caseId: string;
  readonly repeat: number;
  readonly surfaceDigest: Digest;
  readonly attempt: number;
  readonly fault?: Fault;
}): string {
  return digestHex(digestOfValue(parts));
}
