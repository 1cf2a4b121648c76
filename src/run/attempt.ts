/**
 * One attempt at one cell: execute, check, grade, and join both replies into one receipt.
 *
 * A grader that fails is asked again about the same artifact; the execution is not repeated (only an interrupt of the run itself
 * between execution and grade leaves the cell to a new attempt). Requests of
 * two arms differ in the surface and the opaque cell key only; grade requests do not hold the surface at all, and their key is
 * made from the artifact, so that a grader cannot tell arms apart.
 */
import { recordedText } from '../base/canonical.ts';
import { type Digest, digestHex, digestOf, digestOfValue } from '../base/digest.ts';
import { LiftgateError } from '../base/errors.ts';
import type { SealedExperiment } from '../spec/seal.ts';
import { cellSeed } from '../spec/seeds.ts';
import type { Fault } from '../spec/spec.ts';
import type { Case } from '../spec/units.ts';
import { type GradeSummary, type GradeTask, gradeArtifact } from './grading.ts';
import type { Clock, Host } from './host.ts';
import {
  type Artifact,
  artifactLimitBytes,
  cellKeyOf,
  type ExecuteReply,
  type ExecuteRequest,
  type FaultReport,
  type Hello,
  type Receipt,
  type SurfaceWire,
} from './receipt.ts';
import { checkExecuteReply, executeReplyOf, faultReport } from './replies.ts';
import { keptScores } from './scores.ts';

/** What every attempt of one session shares. */
export interface AttemptContext {
  readonly seal: SealedExperiment;
  /** Digest of the seal that runs. */
  readonly experimentDigest: Digest;
  readonly host: Host;
  /** What the host said of itself before the first cell. */
  readonly identity: Hello['host'];
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** One attempt to make. */
export interface AttemptTask {
  readonly case: Case;
  readonly surface: SurfaceWire;
  readonly repeat: number;
  /** Counts from 1. */
  readonly attempt: number;
  /** Deliberate fault of a control cell. */
  readonly fault?: Fault | undefined;
  /** Tells arms with one surface apart, so that no host takes the second call for the first one asked again. */
  readonly copy?: number | undefined;
}

/**
 * The cell key of an attempt under a seal.
 * @example attemptKey(seal, task).length // => 64
 */
export function attemptKey(seal: SealedExperiment, task: AttemptTask): string {
  return cellKeyOf({
    designDigest: seal.digests.design,
    caseId: task.case.id,
    repeat: task.repeat,
    surfaceDigest: task.surface.digest,
    attempt: task.attempt,
    ...(task.fault === undefined ? {} : { fault: task.fault }),
    ...(task.copy === undefined ? {} : { copy: task.copy }),
  });
}

/**
 * The request of an attempt, byte for byte what the host receives.
 * @example executeRequestOf({ seal, experimentDigest }, task).kind // => 'execute'
 */
export function executeRequestOf(
  context: Pick<AttemptContext, 'seal' | 'experimentDigest'>,
  task: AttemptTask,
): ExecuteRequest {
  return {
    protocol: 'cell/1',
    kind: 'execute',
    cellKey: attemptKey(context.seal, task),
    experimentDigest: context.experimentDigest,
    attempt: task.attempt,
    repeat: task.repeat,
    seed: cellSeed(context.seal.digests.cases, task.case.id, task.repeat),
    caseId: task.case.id,
    input: plainJson(task.case.input),
    surface: task.surface,
    limits: context.seal.spec.host.limits,
    ...(task.fault === undefined ? {} : { fault: task.fault }),
  };
}

/** A request's JSON object; `Case` holds the same values read-only. */
function plainJson(value: Case['input']): ExecuteRequest['input'] {
  return value as ExecuteRequest['input'];
}

/**
 * Key of one grading: opaque like a cell key, but made from the artifact instead of the surface.
 * @example gradeKeyOf({ designDigest, caseId: 'c', repeat: 0, artifactDigest, attempt: 1, gradeAttempt: 1 }).length // => 64
 */
export function gradeKeyOf(parts: {
  readonly designDigest: Digest;
  readonly caseId: string;
  readonly repeat: number;
  readonly artifactDigest: Digest;
  readonly attempt: number;
  readonly gradeAttempt: number;
}): string {
  return digestHex(digestOfValue(parts));
}

/**
 * Runs one attempt and returns its receipt. Never rejects because of the host: a reply of the wrong cell, shape or size becomes
 * `infrastructureFault` (code protocolViolation), an artifact above the limit the outcome `limitExceeded`, one that is no
 * canonical JSON `agentError`.
 */
export async function runAttempt(context: AttemptContext, task: AttemptTask): Promise<Receipt> {
  const request = executeRequestOf(context, task);
  const reply = await executed(context, request);
  const read = reply.artifact === null ? null : readArtifact(reply.artifact);
  if (read?.problem !== undefined) {
    return receiptOf(context, { request, reply: { ...reply, ...read.problem }, artifact: null });
  }
  const artifact = read?.artifact ?? null;
  const graded = reply.outcome === 'completed' || reply.outcome === 'safeRefusal';
  if (!graded || artifact === null) return receiptOf(context, { request, reply, artifact });
  const grade = await gradeArtifact(gradeTask(context, { task, artifact, request }));
  return gradedReceipt(context, { request, reply, artifact, grade, case: task.case });
}

async function executed(context: AttemptContext, request: ExecuteRequest): Promise<ExecuteReply> {
  const startedAt = context.clock.now();
  const reply = await context.host.execute(request, { signal: context.signal });
  const checked = checkExecuteReply(request, reply);
  if (checked.valid) return checked.reply;
  const fault = faultReport('protocolViolation', 'agent', checked.problem);
  return executeReplyOf(request, 'infrastructureFault', fault, {
    startedAt,
    endedAt: context.clock.now(),
  });
}

interface ReadArtifact {
  readonly artifact?: Artifact;
  readonly problem?: { readonly outcome: ExecuteReply['outcome']; readonly fault: FaultReport };
}

/**
 * An artifact above the limit, or one no canonical JSON can hold, is the agent's doing and therefore an outcome: a fault would let
 * the agent draw its answer again.
 */
function readArtifact(given: NonNullable<ExecuteReply['artifact']>): ReadArtifact {
  try {
    const bytes = new TextEncoder().encode(recordedText(given.inline));
    if (bytes.length > artifactLimitBytes) {
      const detail = `the artifact has ${bytes.length} bytes; at most ${artifactLimitBytes} are kept`;
      return {
        problem: {
          outcome: 'limitExceeded',
          fault: faultReport('artifactTooLarge', 'agent', detail),
        },
      };
    }
    return { artifact: { digest: digestOf(bytes), bytes: bytes.length, ...given } };
  } catch (error) {
    if (!(error instanceof LiftgateError)) throw error;
    const fault = faultReport('artifactUnreadable', 'agent', error.message);
    return { problem: { outcome: 'agentError', fault } };
  }
}

function gradeTask(
  context: AttemptContext,
  parts: {
    readonly task: AttemptTask;
    readonly artifact: Artifact;
    readonly request: ExecuteRequest;
  },
): GradeTask {
  const { task, artifact, request } = parts;
  const { seal } = context;
  return {
    host: context.host,
    clock: context.clock,
    signal: context.signal,
    measures: seal.spec.measures,
    most: seal.spec.attempts.max,
    requestOf: (gradeAttempt) => ({
      protocol: 'cell/1',
      kind: 'grade',
      cellKey: gradeKeyOf({
        designDigest: seal.digests.design,
        caseId: task.case.id,
        repeat: task.repeat,
        artifactDigest: artifact.digest,
        attempt: task.attempt,
        gradeAttempt,
      }),
      experimentDigest: request.experimentDigest,
      attempt: task.attempt,
      caseId: task.case.id,
      input: request.input,
      expected: plainJson(task.case.expected),
      artifact,
      ...(task.fault === undefined ? {} : { fault: task.fault }),
    }),
  };
}

interface Executed {
  readonly request: ExecuteRequest;
  readonly reply: ExecuteReply;
  readonly artifact: Artifact | null;
}

function receiptOf(context: AttemptContext, parts: Executed): Receipt {
  const { request, reply, artifact } = parts;
  const faulty = reply.outcome === 'infrastructureFault' && reply.fault === null;
  return {
    protocol: 'receipt/1',
    cellKey: request.cellKey,
    attempt: request.attempt,
    experimentDigest: request.experimentDigest,
    inputDigest: reply.inputDigest,
    surfaceLoadedDigest: reply.surfaceLoadedDigest,
    outcome: reply.outcome,
    fault: faulty ? faultReport('unclassified', 'agent', '') : reply.fault,
    scores: {},
    critical: null,
    artifact,
    usage: reply.usage,
    gradeUsage: null,
    gradeAttempts: 0,
    timing: reply.timing,
    internalRetries: reply.internalRetries,
    ...(reply.packages === undefined ? {} : { packages: reply.packages }),
    model: reply.model,
    host: context.identity,
    logs: reply.logs,
  };
}

function gradedReceipt(
  context: AttemptContext,
  parts: Executed & { readonly grade: GradeSummary; readonly case: Case },
): Receipt {
  const { grade, reply } = parts;
  const base = {
    ...receiptOf(context, parts),
    gradeUsage: grade.usage,
    gradeAttempts: grade.attempts,
  };
  if (grade.reply === null) return { ...base, outcome: grade.outcome, fault: grade.fault };
  const { measures } = context.seal.spec;
  const scores = keptScores(measures, parts.case.fields, { execute: reply, grade: grade.reply });
  return { ...base, scores, critical: grade.reply.critical };
}
