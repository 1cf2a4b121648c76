/** The `replay` transport: answers from recorded receipts, for tests and for deciding again without a host. */
import type { Digest } from '../base/digest.ts';
import { LiftgateError } from '../base/errors.ts';
import { gradeKeyOf } from '../run/attempt.ts';
import type { Host } from '../run/host.ts';
import type {
  ExecuteReply,
  ExecuteRequest,
  GradeReply,
  GradeRequest,
  Hello,
  Receipt,
  ReceiptLine,
} from '../run/receipt.ts';
import { executeReplyOf, faultReport, gradeReplyOf } from '../run/replies.ts';

export interface ReplayOptions {
  /** `seal.digests.design`: grade keys are derived from it. */
  readonly designDigest: Digest;
}

/** One grading that was made; the last one of its receipt carries the result. */
interface Grading {
  readonly receipt: Receipt;
  readonly last: boolean;
}

/**
 * A host that repeats what receipts say. A cell nobody recorded is an infrastructure fault (code notRecorded). Two arms that gave
 * the same artifact are graded in the order of the lines.
 *
 * @example replayHost([], { designDigest }).adapter // => 'replay'
 */
export function replayHost(lines: readonly ReceiptLine[], options: ReplayOptions): Host {
  const executions = new Map<string, Receipt[]>();
  for (const { receipt } of lines) enqueue(executions, receipt.cellKey, receipt);
  const gradings = recordedGradings(lines, options.designDigest);
  return {
    adapter: 'replay',
    hello: () => helloOf(lines),
    execute: (request) =>
      Promise.resolve(replayExecute(request, nextOf(executions, request.cellKey))),
    grade: (request) => Promise.resolve(replayGrade(request, nextOf(gradings, request.cellKey))),
    close: () => Promise.resolve(),
  };
}

function enqueue<Entry>(queues: Map<string, Entry[]>, key: string, entry: Entry): void {
  const queue = queues.get(key);
  if (queue === undefined) queues.set(key, [entry]);
  else queue.push(entry);
}

/** The next entry of a key; the last one stays. Two arms with one surface share their keys and are answered in line order. */
function nextOf<Entry>(queues: ReadonlyMap<string, Entry[]>, key: string): Entry | undefined {
  const queue = queues.get(key);
  return queue !== undefined && queue.length > 1 ? queue.shift() : queue?.[0];
}

function helloOf(lines: readonly ReceiptLine[]): Promise<Hello> {
  const answered = lines.find((line) => line.receipt.artifact !== null) ?? lines[0];
  if (answered === undefined) {
    return Promise.reject(
      new LiftgateError('host-unreachable', 'There is no recorded receipt to replay.', {
        mend: 'Give at least one receipt line.',
      }),
    );
  }
  return Promise.resolve({
    kind: 'hello',
    protocols: ['cell/1'],
    host: answered.receipt.host,
    supports: ['execute', 'grade'],
    honoursSeed: false,
  });
}

/** Receipts by grade key: one entry per grading that was made, the queue in line order. */
function recordedGradings(
  lines: readonly ReceiptLine[],
  designDigest: Digest,
): Map<string, Grading[]> {
  const gradings = new Map<string, Grading[]>();
  for (const { cell, receipt } of lines) {
    if (receipt.artifact === null) continue;
    for (let gradeAttempt = 1; gradeAttempt <= receipt.gradeAttempts; gradeAttempt += 1) {
      const key = gradeKeyOf({
        designDigest,
        caseId: cell.case,
        repeat: cell.repeat,
        artifactDigest: receipt.artifact.digest,
        attempt: receipt.attempt,
        gradeAttempt,
      });
      const last = gradeAttempt === receipt.gradeAttempts;
      enqueue(gradings, key, { receipt, last });
    }
  }
  return gradings;
}

function replayExecute(request: ExecuteRequest, recorded: Receipt | undefined): ExecuteReply {
  if (recorded === undefined) {
    const fault = faultReport('notRecorded', 'setup', 'no receipt was recorded for this attempt');
    const now = { startedAt: '', endedAt: '' };
    return executeReplyOf(request, 'infrastructureFault', fault, now);
  }
  const graded = recorded.gradeAttempts > 0;
  const { artifact } = recorded;
  return {
    protocol: 'receipt/1',
    kind: 'execute',
    cellKey: request.cellKey,
    attempt: request.attempt,
    experimentDigest: request.experimentDigest,
    inputDigest: recorded.inputDigest,
    surfaceLoadedDigest: recorded.surfaceLoadedDigest,
    outcome: executedOutcome(recorded),
    fault: graded ? null : recorded.fault,
    artifact: artifact && { mediaType: artifact.mediaType, inline: artifact.inline },
    usage: recorded.usage,
    timing: recorded.timing,
    internalRetries: recorded.internalRetries,
    ...(recorded.packages === undefined ? {} : { packages: recorded.packages }),
    model: recorded.model,
    logs: recorded.logs,
  };
}

/** A graded receipt that ended without a grade had completed its execution. */
function executedOutcome(recorded: Receipt): ExecuteReply['outcome'] {
  if (recorded.outcome === 'evaluatorFailure') return 'completed';
  if (recorded.outcome === 'cancelled' && recorded.gradeAttempts > 0) return 'completed';
  return recorded.outcome;
}

function replayGrade(request: GradeRequest, next: Grading | undefined): GradeReply {
  if (next === undefined) {
    const fault = faultReport('notRecorded', 'grade', 'no grading was recorded for this artifact');
    return gradeReplyOf(request, 'infrastructureFault', fault, { startedAt: '', endedAt: '' });
  }
  const { receipt, last } = next;
  const span = { startedAt: receipt.timing.startedAt, endedAt: receipt.timing.endedAt };
  const done = last && (receipt.outcome === 'completed' || receipt.outcome === 'safeRefusal');
  if (!done) {
    const fault = receipt.fault ?? faultReport('unclassified', 'grade', '');
    const outcome = receipt.outcome === 'cancelled' && last ? 'cancelled' : 'evaluatorFailure';
    return gradeReplyOf(request, outcome, fault, span);
  }
  return {
    protocol: 'receipt/1',
    kind: 'grade',
    cellKey: request.cellKey,
    attempt: request.attempt,
    experimentDigest: request.experimentDigest,
    outcome: 'completed',
    fault: null,
    scores: receipt.scores,
    critical: receipt.critical,
    gradeUsage: receipt.gradeUsage,
    timing: null,
  };
}
