/**
 * Replies of a host, checked at the door, and the replies a transport gives in a host's place.
 *
 * Class and code of a fault come from what the transport or the engine saw (an exit, silence, a malformed line), never from text
 * a candidate wrote.
 */
import type * as z from '../base/shape.ts';
import {
  type ExecuteReply,
  type ExecuteRequest,
  executeReplySchema,
  type FaultReport,
  type GradeReply,
  type GradeRequest,
  gradeReplySchema,
  largestCostUsd,
  type Receipt,
  type Usage,
} from './receipt.ts';

/** A reply that fits its request, or what is wrong with it. */
export type Checked<Reply> =
  | { readonly valid: true; readonly reply: Reply }
  | { readonly valid: false; readonly problem: string };

/** When a call started and ended: UTC, ISO 8601. */
export interface CallSpan {
  readonly startedAt: string;
  readonly endedAt: string;
}

/** Usage of a call whose host never said what it used. */
export const unknownUsage: Usage = {
  costUsd: null,
  costKnown: false,
  costSource: null,
  tokens: null,
  tokensKnown: false,
};

/** Host of an attempt that never came back: nobody can say who would have answered. */
export const unknownHost: Receipt['host'] = {
  name: 'unknown',
  version: '',
  buildDigest: null,
  dirty: null,
};

interface Echoed {
  readonly cellKey: string;
  readonly attempt: number;
  readonly experimentDigest: string;
}

function echoProblem(request: Echoed, reply: Echoed): string | null {
  if (reply.cellKey !== request.cellKey) return 'the reply names another cell';
  if (reply.attempt !== request.attempt) return 'the reply names another attempt';
  if (reply.experimentDigest !== request.experimentDigest)
    return 'the reply names another experiment';
  return null;
}

function schemaProblem(error: z.ShapeError): string {
  const issue = error.issues[0];
  const path = issue?.path.join('.') ?? '';
  return `the reply is malformed${path === '' ? '' : ` at ${path}`}: ${issue?.message ?? 'unknown shape'}`;
}

/**
 * Checks the reply to an execute request: shape, echo, and that outcome, artifact and fault agree.
 * @example checkExecuteReply(request, { outcome: 'completed' }).valid // => false
 */
export function checkExecuteReply(request: ExecuteRequest, value: unknown): Checked<ExecuteReply> {
  const dropped = droppedKey(value, 'internalRetries');
  if (dropped !== null) return { valid: false, problem: dropped };
  const parsed = executeReplySchema.safeParse(withShortDetails(value));
  if (!parsed.success) return { valid: false, problem: schemaProblem(parsed.error) };
  const reply = parsed.data;
  const problem =
    echoProblem(request, reply) ?? executeContradiction(reply) ?? usageContradiction(reply.usage);
  return problem === null ? { valid: true, reply } : { valid: false, problem };
}

/** A member that schemas pass over in silence; a score under this name would be lost. */
const unseenKey = '__proto__';

function droppedKey(reply: unknown, member: string): string | null {
  const holder = isObject(reply) ? reply[member] : undefined;
  return isObject(holder) && Object.hasOwn(holder, unseenKey)
    ? `the reply is malformed at ${member}: "${unseenKey}" is no name`
    : null;
}

/** Longest detail kept of a fault or finding, in UTF-16 code units. */
const detailLimit = 2048;

/** Details quote what an agent wrote; their length must not decide the class of a cell, so they are cut before the shape is checked. */
function withShortDetails(reply: unknown): unknown {
  if (!isObject(reply)) return reply;
  const critical = reply['critical'];
  return {
    ...reply,
    ...('fault' in reply ? { fault: shortDetail(reply['fault']) } : {}),
    ...(Array.isArray(critical) ? { critical: critical.map(shortDetail) } : {}),
  };
}

function shortDetail(holder: unknown): unknown {
  if (!isObject(holder) || typeof holder['detail'] !== 'string') return holder;
  return { ...holder, detail: cut(holder['detail']) };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

function cut(detail: string): string {
  return detail.slice(0, detailLimit).toWellFormed();
}

function executeContradiction(reply: ExecuteReply): string | null {
  const finished = reply.outcome === 'completed' || reply.outcome === 'safeRefusal';
  if (finished && reply.fault !== null) return `outcome ${reply.outcome} comes with a fault`;
  if (reply.outcome === 'completed' && reply.artifact === null)
    return 'outcome completed comes without an artifact';
  return null;
}

function usageContradiction({ costKnown, costUsd }: Usage): string | null {
  if (costUsd === null) return costKnown ? 'a known cost comes without a number' : null;
  return costUsd > largestCostUsd ? `a cost above ${largestCostUsd} dollars is no cost` : null;
}

/**
 * Checks the reply to a grade request: shape, echo, that only a completed grade carries scores, and that its cost is one.
 * @example checkGradeReply(request, null).valid // => false
 */
export function checkGradeReply(request: GradeRequest, value: unknown): Checked<GradeReply> {
  const dropped = droppedKey(value, 'scores');
  if (dropped !== null) return { valid: false, problem: dropped };
  const parsed = gradeReplySchema.safeParse(withShortDetails(value));
  if (!parsed.success) return { valid: false, problem: schemaProblem(parsed.error) };
  const reply = parsed.data;
  const usage = reply.gradeUsage;
  const problem =
    echoProblem(request, reply) ??
    gradeContradiction(reply) ??
    (usage === null ? null : usageContradiction(usage));
  return problem === null ? { valid: true, reply } : { valid: false, problem };
}

function gradeContradiction(reply: GradeReply): string | null {
  if (reply.outcome === 'completed') {
    return reply.fault === null ? null : 'outcome completed comes with a fault';
  }
  return Object.keys(reply.scores).length === 0 && (reply.critical ?? []).length === 0
    ? null
    : `outcome ${reply.outcome} comes with scores`;
}

/**
 * A fault report with the fields a transport does not know left empty; detail is cut to 2,048 characters.
 * @example faultReport('hostCrash', 'agent', '').retryAfterMs // => null
 */
export function faultReport(
  code: string,
  phase: FaultReport['phase'],
  detail: string,
  retryAfterMs: number | null = null,
): FaultReport {
  return { code, phase, retryAfterMs, detail: cut(detail) };
}

/**
 * What a transport answers when the host gave no usable reply to `execute`: nothing is known but the fault.
 * @example executeReplyOf(request, 'cancelled', faultReport('cancelled', 'agent', ''), { startedAt: '', endedAt: '' }).artifact // => null
 */
export function executeReplyOf(
  request: ExecuteRequest,
  outcome: 'infrastructureFault' | 'limitExceeded' | 'cancelled',
  fault: FaultReport,
  span: CallSpan,
): ExecuteReply {
  return {
    protocol: 'receipt/1',
    kind: 'execute',
    cellKey: request.cellKey,
    attempt: request.attempt,
    experimentDigest: request.experimentDigest,
    inputDigest: null,
    surfaceLoadedDigest: null,
    outcome,
    fault,
    artifact: null,
    usage: unknownUsage,
    timing: { ...span, activeMs: null, waitedMs: null, firstOutputMs: null },
    internalRetries: {},
    model: null,
    logs: null,
  };
}

/**
 * What a transport answers when the host gave no usable reply to `grade`: no scores, nothing checked.
 * @example gradeReplyOf(request, 'cancelled', faultReport('cancelled', 'grade', ''), { startedAt: '', endedAt: '' }).critical // => null
 */
export function gradeReplyOf(
  request: GradeRequest,
  outcome: 'infrastructureFault' | 'evaluatorFailure' | 'cancelled',
  fault: FaultReport,
  span: CallSpan,
): GradeReply {
  return {
    protocol: 'receipt/1',
    kind: 'grade',
    cellKey: request.cellKey,
    attempt: request.attempt,
    experimentDigest: request.experimentDigest,
    outcome,
    fault,
    scores: {},
    critical: null,
    gradeUsage: null,
    timing: { ...span, activeMs: null, waitedMs: null, firstOutputMs: null },
  };
}

/** The members of a receipt that are always known. */
type KnownOfReceipt = Pick<Receipt, 'cellKey' | 'attempt' | 'experimentDigest' | 'outcome'> & {
  readonly span: CallSpan;
};

/**
 * A receipt that no host wrote: what is not given is unknown, and nothing was graded.
 * @example sparseReceipt({ cellKey, attempt: 1, experimentDigest, outcome: 'cancelled', span }).usage.costKnown // => false
 */
export function sparseReceipt({
  span,
  ...known
}: KnownOfReceipt & Partial<Omit<Receipt, 'timing'>>): Receipt {
  return {
    protocol: 'receipt/1',
    inputDigest: null,
    surfaceLoadedDigest: null,
    fault: null,
    scores: {},
    critical: null,
    artifact: null,
    usage: unknownUsage,
    gradeUsage: null,
    gradeAttempts: 0,
    timing: { ...span, activeMs: null, waitedMs: null, firstOutputMs: null },
    internalRetries: {},
    model: null,
    host: unknownHost,
    logs: null,
    ...known,
  };
}
