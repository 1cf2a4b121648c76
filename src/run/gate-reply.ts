/**
 * What a custom gate is asked and what it answers, as recorded; whoever runs its code is behind a port.
 *
 * An answer is data: one of the five decisions with a reason, and the numbers it rests on. Whatever else comes back is a fault, which
 * never ships: no answer in time or a process that ended is an infrastructure fault; code that throws, answers in another form (NaN
 * included) or says two things of the same input is an evaluator failure, for it is broken whatever the candidate did.
 */
import type { Digest } from '../base/digest.ts';
import { LiftgateError } from '../base/errors.ts';
import * as z from '../base/shape.ts';
import { readJson } from '../base/strict-json.ts';
import { verdictSchema } from '../ledger/entry-bodies.ts';
import { idSchema } from '../spec/words.ts';
import { roundSignificant } from '../stats/rounding.ts';

const numberOrNull = z.number().nullable();

/** Recorded shape of an answer; numbers have 12 significant digits. */
export const gateAnswerSchema = z.strictObject({
  decision: verdictSchema,
  reason: z.string().min(1).max(500),
  value: numberOrNull.describe('What was estimated.'),
  bound: numberOrNull.describe('The bound of it that was held against the threshold.'),
  threshold: numberOrNull,
  n: z.int().min(0).nullable().describe('Units it rests on.'),
});
/** An answer of a custom gate. */
export type RecordedAnswer = z.infer<typeof gateAnswerSchema>;

/** Recorded shape of a fault: what came in place of an answer, after how many attempts. */
export const gateFaultSchema = z.strictObject({
  class: z.enum(['infrastructureFault', 'evaluatorFailure']),
  code: z.enum(['no-answer', 'threw', 'malformed', 'unsteady']),
  detail: z.string().max(500),
  attempts: z.int().min(1),
});
/** What came in place of an answer. */
export type GateFault = z.infer<typeof gateFaultSchema>;

export const gateReplySchema = z.discriminatedUnion('status', [
  z.strictObject({ status: z.literal('answered'), answer: gateAnswerSchema }),
  z.strictObject({ status: z.literal('failed'), fault: gateFaultSchema }),
]);
/** An answer, or the fault in its place. */
export type GateReply = z.infer<typeof gateReplySchema>;

const interval = { measure: idSchema, level: z.number() } as const;

/** Recorded shape of an interval that a custom gate was given. */
export const givenIntervalSchema = z.discriminatedUnion('status', [
  z.strictObject({
    ...interval,
    status: z.literal('estimated'),
    value: z.number(),
    lower: z.number(),
    upper: z.number(),
    method: z.string(),
    guarantee: z.enum(['finite-sample', 'asymptotic']),
  }),
  z.strictObject({
    ...interval,
    status: z.enum(['insufficient', 'indeterminate']),
    reason: z.string(),
  }),
]);

/** What a custom gate is asked about one candidate. */
export interface GateQuestion {
  /** Name of the gate. */
  readonly gate: string;
  readonly candidate: string;
  /** Canonical JSON of its input. */
  readonly input: string;
  readonly digest: Digest;
  /** Most units that a measure of the input has: no answer may rest on more. */
  readonly units: number;
  /** Intervals of the input, for the record; absent where the gate asks for none. */
  readonly intervals?: readonly z.infer<typeof givenIntervalSchema>[];
}

/** Replies by the question they answer; undefined where nobody asked. */
export type GateReplies = (question: GateQuestion) => GateReply | undefined;

/** The code of one custom gate. */
export interface GateCode {
  readonly gate: string;
  /** Path of its module, one of `files`. */
  readonly module: string;
  /** Texts of its module and of what that imports, by path. */
  readonly files: ReadonlyMap<string, string>;
  readonly timeLimitMs: number;
}

/** Why the code of a gate cannot be used, and the place in its files where that shows; null where none is known. */
export interface GateTrouble {
  readonly detail: string;
  readonly place: { readonly file: string; readonly line: number; readonly column: number } | null;
}

/** The port to whoever runs the code of gates. It never rejects because of what the code does. */
export interface GateRunner {
  /** What is wrong with the code before it is asked anything; null when it is a gate. */
  load(code: GateCode): Promise<GateTrouble | null>;
  /** @param attempts  how often it is asked where no answer comes */
  ask(code: GateCode, question: GateQuestion, attempts: number): Promise<GateReply>;
}

const classes = {
  'no-answer': 'infrastructureFault',
  threw: 'evaluatorFailure',
  malformed: 'evaluatorFailure',
  unsteady: 'evaluatorFailure',
} as const satisfies Readonly<Record<GateFault['code'], GateFault['class']>>;

/** Longest detail that is kept. */
const detailLength = 300;

/**
 * A fault as a reply.
 * @example failedReply('threw', 'no floor').status // => 'failed'
 */
export function failedReply(code: GateFault['code'], detail: string, attempts = 1): GateReply {
  const kept = detail.toWellFormed().slice(0, detailLength).toWellFormed();
  return { status: 'failed', fault: { class: classes[code], code, detail: kept, attempts } };
}

/**
 * Reads an answer as it came from the code: numbers it leaves out are null.
 * @param text   one JSON object
 * @param units  of the question
 * @example readAnswer('{"decision":"ship","reason":"calm"}', 9).status // => 'answered'
 * @example readAnswer('{"decision":"maybe","reason":"calm"}', 9).status // => 'failed'
 */
export function readAnswer(text: string, units: number): GateReply {
  try {
    const value = readJson(text);
    const absent = { value: null, bound: null, threshold: null, n: null };
    const filled =
      typeof value === 'object' && value !== null && !Array.isArray(value)
        ? { ...absent, ...value }
        : value;
    const parsed = gateAnswerSchema.safeParse(filled);
    if (!parsed.success) {
      const [issue] = parsed.error.issues;
      const path = issue?.path.join('.') ?? '';
      return failedReply('malformed', `${path === '' ? '' : `${path}: `}${issue?.message ?? ''}`);
    }
    const { decision, reason, n } = parsed.data;
    if (n !== null && n > units)
      return failedReply('malformed', `n: ${n} units are claimed, and there are ${units}`);
    const [found, bound, threshold] = [
      parsed.data.value,
      parsed.data.bound,
      parsed.data.threshold,
    ].map((each) => (each === null ? null : roundSignificant(each)));
    const answer = { decision, reason, value: found ?? null, bound: bound ?? null };
    return { status: 'answered', answer: { ...answer, threshold: threshold ?? null, n } };
  } catch (error) {
    if (error instanceof LiftgateError) return failedReply('malformed', error.message);
    throw error;
  }
}
