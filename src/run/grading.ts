/** Grading one artifact: asked again after a failure, always about the same bytes, never executed again. */
import type { ExperimentSpec } from '../spec/spec.ts';
import type { Clock, Host } from './host.ts';
import type { FaultReport, GradeReply, GradeRequest, Usage } from './receipt.ts';
import { checkGradeReply, faultReport, unknownUsage } from './replies.ts';
import { gradeProblem } from './scores.ts';

/** One artifact to grade. */
export interface GradeTask {
  readonly host: Host;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly measures: ExperimentSpec['measures'];
  /** Gradings allowed, a whole number >= 1. */
  readonly most: number;
  readonly requestOf: (gradeAttempt: number) => GradeRequest;
}

/** What grading came to: a valid reply, or the class and fault of the last try. */
export interface GradeSummary {
  readonly reply: GradeReply | null;
  readonly outcome: 'evaluatorFailure' | 'cancelled';
  readonly fault: FaultReport | null;
  /** Gradings made, from 1. */
  readonly attempts: number;
  /** Sum over all gradings; null when no grading reported any use. */
  readonly usage: Usage | null;
}

/**
 * Grades an artifact, at most `most` times. A host that dies while grading is an evaluator failure like a malformed grade: the
 * execution stands, only its grade is missing. A grading the host calls cancelled though nobody interrupted the run is one too.
 */
export async function gradeArtifact(task: GradeTask): Promise<GradeSummary> {
  let usage: Usage | null = null;
  let fault: FaultReport | null = null;
  for (let attempts = 1; attempts <= task.most; attempts += 1) {
    const tried = await gradeOnce(task, attempts);
    usage = addUsage(usage, tried.usage);
    if (tried.reply !== null) {
      return { reply: tried.reply, outcome: 'evaluatorFailure', fault: null, attempts, usage };
    }
    fault = tried.fault;
    if (task.signal.aborted) {
      return { reply: null, outcome: 'cancelled', fault, attempts, usage };
    }
    if (attempts < task.most && (fault.retryAfterMs ?? 0) > 0) {
      await task.clock.sleep(Math.min(fault.retryAfterMs ?? 0, longestWaitMs), task.signal);
    }
  }
  return { reply: null, outcome: 'evaluatorFailure', fault, attempts: task.most, usage };
}

/** Longest wait a host can ask for between two tries. */
export const longestWaitMs = 1_800_000;

type Tried =
  | { readonly reply: GradeReply; readonly usage: Usage | null }
  | {
      readonly reply: null;
      readonly usage: Usage | null;
      readonly fault: FaultReport;
    };

async function gradeOnce(task: GradeTask, gradeAttempt: number): Promise<Tried> {
  const request = task.requestOf(gradeAttempt);
  const given = await task.host.grade(request, { signal: task.signal });
  const checked = checkGradeReply(request, given);
  if (!checked.valid) return malformed(checked.problem, null);
  const { reply } = checked;
  if (reply.outcome !== 'completed') {
    return {
      reply: null,
      usage: reply.gradeUsage,
      fault: reply.fault ?? faultReport('unclassified', 'grade', ''),
    };
  }
  const problem = gradeProblem(task.measures, reply);
  return problem === null
    ? { reply, usage: reply.gradeUsage }
    : malformed(problem, reply.gradeUsage);
}

function malformed(problem: string, usage: Usage | null): Tried {
  return {
    reply: null,
    usage,
    fault: faultReport('graderMalformed', 'grade', problem),
  };
}

/**
 * Sum of two usages: known only where both are, the number is the sum of the known subtotals.
 * @example addUsage(null, null) // => null
 */
export function addUsage(first: Usage | null, second: Usage | null): Usage | null {
  if (first === null) return second;
  if (second === null) return first;
  return {
    ...unknownUsage,
    costUsd:
      first.costUsd === null && second.costUsd === null
        ? null
        : (first.costUsd ?? 0) + (second.costUsd ?? 0),
    costKnown: first.costKnown && second.costKnown,
    costSource: first.costSource === second.costSource ? first.costSource : null,
    tokens: addTokens(first.tokens, second.tokens),
    tokensKnown: first.tokensKnown && second.tokensKnown,
  };
}

function addTokens(first: Usage['tokens'], second: Usage['tokens']): Usage['tokens'] {
  if (first === null || second === null) return first ?? second;
  return {
    input: first.input + second.input,
    cachedInput: first.cachedInput + second.cachedInput,
    output: first.output + second.output,
    reasoning: first.reasoning + second.reasoning,
  };
}
