/**
 * Cell requests (`cell/1`), host receipts (`receipt/1`) and the line that keeps one attempt.
 *
 * No request byte differs between arms except the surface and the opaque `cellKey`. Execute and grade are separate verbs; a line
 * joins both into one receipt inside the ledger envelope. `null` scores mean not scored, `critical: null` means not checked,
 * unknown cost stays unknown.
 */
import { type Digest, digestHex, digestOfValue } from '../base/digest.ts';
import * as z from '../base/shape.ts';
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
  retryAfterMs: z.number().min(0).max(1e13).nullable().default(null),
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
      input: z.int().min(0).describe('Without what was read from a cache.'),
      cachedInput: z.int().min(0),
      output: z.int().min(0).describe('Without reasoning.'),
      reasoning: z.int().min(0),
    })
    .nullable()
    .default(null),
  tokensKnown: z.boolean().default(false),
});
export type Usage = z.infer<typeof usageSchema>;

/** Dearest attempt that is believed, in dollars; what lies above is no cost, and sums of it would leave the numbers. */
export const largestCostUsd = 1e9;

/** Usage as it is recorded. */
const recordedUsageSchema = usageSchema.refine(
  ({ costUsd }) => costUsd === null || costUsd <= largestCostUsd,
  `a cost above ${largestCostUsd} dollars is no cost`,
);

/** A score; a whole number that may have been rounded could not be read again. */
const scoreSchema = z
  .number()
  .refine(
    (value) => !Number.isInteger(value) || Number.isSafeInteger(value) || Math.abs(value) >= 1e21,
    'a whole number beyond 2^53 may have been rounded',
  );

/** A time as hosts write it: ISO 8601 with seconds and a zone, at most 40 characters. */
const hostTimeSchema = z
  .string()
  .max(40)
  .regex(
    /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/,
    'expected a time such as 2026-01-01T00:00:00.000Z',
  );

/** Longest time span in milliseconds, above a century: what lies above is no measurement. */
const spanMsSchema = z.number().min(0).max(1e13);

export const timingSchema = z.strictObject({
  startedAt: hostTimeSchema,
  endedAt: hostTimeSchema,
  activeMs: spanMsSchema.nullable(),
  waitedMs: spanMsSchema.nullable().default(null),
  firstOutputMs: spanMsSchema.nullable().default(null),
});
export type Timing = z.infer<typeof timingSchema>;

export const criticalFindingSchema = z.strictObject({
  id: idSchema,
  severity: z.string().max(64).default('critical'),
  detail: z.string().max(2048).default(''),
});

export const modelSchema = z.strictObject({
  requested: z.string().max(256),
  observed: z.string().max(256).nullable(),
  parametersDigest: digestSchema.nullable().default(null),
});

const echo = {
  protocol: z.literal('receipt/1'),
  cellKey: cellKeySchema,
  attempt: z.int().min(1),
  experimentDigest: digestSchema,
};

/** How often a host retried within one attempt, by what it calls the reason. */
const internalRetriesSchema = z
  .record(z.string().min(1).max(64), z.int().min(0))
  .refine((given) => Object.keys(given).length <= 32, 'expected at most 32 kinds of retries');

/** Versions of loaded packages by the name they are imported under. */
const packagesSchema = z
  .record(z.string().min(1).max(214), z.string().min(1).max(256))
  .refine((given) => Object.keys(given).length <= 64, 'expected at most 64 packages');

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
  internalRetries: internalRetriesSchema.default({}),
  packages: packagesSchema.optional(),
  model: modelSchema.nullable().default(null),
  logs: z
    .strictObject({ digest: digestSchema, uri: z.string().max(2048) })
    .nullable()
    .default(null),
});
export type ExecuteReply = z.infer<typeof executeReplySchema>;

export const gradeReplySchema = z.strictObject({
  ...echo,
  kind: z.literal('grade'),
  outcome: z.enum(['completed', 'evaluatorFailure', 'infrastructureFault', 'cancelled']),
  fault: faultReportSchema.nullable().default(null),
  scores: z.record(idSchema, scoreSchema.nullable()).default({}),
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
  scores: z.record(idSchema, scoreSchema.nullable()),
  critical: z.array(criticalFindingSchema).nullable(),
  artifact: artifactSchema.nullable(),
  usage: recordedUsageSchema,
  gradeUsage: recordedUsageSchema.nullable(),
  gradeAttempts: z.int().min(0),
  timing: timingSchema,
  internalRetries: internalRetriesSchema,
  packages: packagesSchema.optional().describe('Versions the host says it loaded, by package.'),
  model: modelSchema.nullable(),
  host: hostIdentitySchema,
  logs: z.strictObject({ digest: digestSchema, uri: z.string().max(2048) }).nullable(),
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

/**
 * Attempts at one cell that an interrupt of the run itself took: the last one of a session (a fence), when it came back cancelled and a
 * later session went on. They are kept and use up none of the sealed attempts; a host that cancels without an interrupt spends them.
 *
 * @param lines  receipts of one cell
 * @param now    fence of the session that asks; its own attempts are not interrupted yet
 * @example interruptedAttempts([], null) // => 0
 */
export function interruptedAttempts(
  lines: readonly {
    readonly fence: string | null;
    readonly receipt: Pick<Receipt, 'attempt' | 'outcome'>;
  }[],
  now: string | null,
): number {
  const last = new Map<string | null, Pick<Receipt, 'attempt' | 'outcome'>>();
  for (const { fence, receipt } of lines) {
    const known = last.get(fence);
    if (known === undefined || known.attempt < receipt.attempt) last.set(fence, receipt);
  }
  last.delete(now);
  return [...last.values()].filter((receipt) => receipt.outcome === 'cancelled').length;
}

/**
 * Opaque key of one attempt at a cell: digest of {designDigest, caseId, repeat, surfaceDigest, attempt}, with `fault` in a deliberate
 * fault and `copy` where several arms of an A/A run have one surface.
 */
export function cellKeyOf(parts: {
  readonly designDigest: Digest;
  readonly caseId: string;
  readonly repeat: number;
  readonly surfaceDigest: Digest;
  readonly attempt: number;
  readonly fault?: Fault;
  readonly copy?: number;
}): string {
  return digestHex(digestOfValue(parts));
}
