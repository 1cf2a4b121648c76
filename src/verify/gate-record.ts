/**
 * `gates.json` of a run folder: the code of the custom gates as it was run, and what it said. Canonical JSON and a line feed:
 *
 *     {type: "liftgate/gates/v1",
 *      files:   [{path, text}]                         every file the seal lists under decision.materials, by path
 *      replies: [{gate, candidate, input, reply}]}     by digest of the input; reply: {status: "answered", answer} or
 *                                                      {status: "failed", fault}; intervals beside it where the gate asks for some
 *
 * `input` is the digest of the canonical input that the evidence gives (`gate/custom-input`), so a reply to other evidence fits
 * nowhere; a run whose losses change an input has two replies per gate and candidate, a sequential design those of every look. A
 * folder holds the file exactly when its seal has a custom gate. A future version changes the word in `type`.
 */
import { canonicalLine, compareCodeUnits } from '../base/canonical.ts';
import type { Digest } from '../base/digest.ts';
import { LiftgateError } from '../base/errors.ts';
import * as z from '../base/shape.ts';
import { readCanonical } from '../base/strict-json.ts';
import { customGates } from '../gate/custom.ts';
import {
  type GateCode,
  type GateQuestion,
  type GateReplies,
  type GateReply,
  gateReplySchema,
  givenIntervalSchema,
} from '../run/gate-reply.ts';
import { gateName } from '../spec/gates.ts';
import { materialOf, type SealedExperiment } from '../spec/seal.ts';
import { digestSchema, idSchema } from '../spec/words.ts';
import { type RunFiles, runFile, runFileNames } from './record.ts';

/** Recorded shape of `gates.json`. */
export const gateRecordSchema = z.strictObject({
  type: z.literal('liftgate/gates/v1'),
  files: z.array(z.strictObject({ path: z.string(), text: z.string() })),
  replies: z.array(
    z.strictObject({
      gate: idSchema,
      candidate: idSchema,
      input: digestSchema,
      reply: gateReplySchema,
      intervals: z
        .array(givenIntervalSchema)
        .optional()
        .describe('Of a gate that asks for intervals: those its input held.'),
    }),
  ),
});
/** What a run folder holds of its custom gates. */
export type GateRecord = z.infer<typeof gateRecordSchema>;

/** What was replied to one question. */
export type Replied = GateRecord['replies'][number];

/** Stored bytes of the record. */
export function formatGateRecord(
  files: ReadonlyMap<string, string>,
  replied: readonly Replied[],
): string {
  const record: GateRecord = {
    type: 'liftgate/gates/v1',
    files: [...files]
      .map(([path, text]) => ({ path, text }))
      .sort((first, second) => compareCodeUnits(first.path, second.path)),
    replies: [...replied].sort((first, second) => compareCodeUnits(first.input, second.input)),
  };
  return canonicalLine(record);
}

/**
 * Reads the record of a run folder; null where its seal has no custom gate.
 * @throws {LiftgateError} run-invalid  when it is missing, of another form or holds other code than sealed
 */
export function readGateRecord(files: RunFiles, seal: SealedExperiment): GateRecord | null {
  if (customGates(seal.decision.gates).length === 0) return null;
  const file = runFileNames.gates;
  const parsed = gateRecordSchema.safeParse(readCanonical(runFile(files, file), { file }));
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new LiftgateError('run-invalid', `The record of the gates is none: ${issue?.message}.`, {
      where: { file, path: issue?.path.join('.') },
      mend: 'Restore the recorded file.',
    });
  }
  const sealed = seal.decision.materials ?? [];
  const held = parsed.data.files.map(({ path, text }) =>
    materialOf(path, new TextEncoder().encode(text)),
  );
  if (canonicalLine(held) !== canonicalLine(sealed)) {
    throw new LiftgateError(
      'run-invalid',
      'The recorded code of the gates is not the sealed one.',
      {
        where: { file, path: 'files' },
        mend: 'Restore the recorded file.',
      },
    );
  }
  return parsed.data;
}

/** Code of every custom gate, from the texts of its files. */
export function gateCodes(
  gates: SealedExperiment['decision']['gates'],
  texts: ReadonlyMap<string, string>,
): GateCode[] {
  return customGates(gates).map((declared) => {
    const { module, files = [], timeLimitMs } = declared;
    const own = [module, ...files].flatMap((path) => {
      const text = texts.get(path);
      return text === undefined ? [] : [[path, text] as const];
    });
    return { gate: gateName(declared), module, files: new Map(own), timeLimitMs };
  });
}

/** Texts of a record by path. */
export function recordedTexts({ files }: GateRecord): ReadonlyMap<string, string> {
  return new Map(files.map(({ path, text }) => [path, text] as const));
}

/** Replies of a record, and which of its questions were put, answered or not. */
export class ReplyLog {
  readonly #replies: ReadonlyMap<Digest, GateReply>;
  readonly #asked = new Map<Digest, GateQuestion>();

  constructor(replies: ReadonlyMap<Digest, GateReply>) {
    this.#replies = replies;
  }

  readonly replies: GateReplies = (question) => {
    this.#asked.set(question.digest, question);
    return this.#replies.get(question.digest);
  };

  /** Every question that was put, each once. */
  get asked(): readonly GateQuestion[] {
    return [...this.#asked.values()];
  }

  /** What is wrong with the record beside these questions, a text each. */
  faults(): string[] {
    const open = this.asked.filter(({ digest }) => !this.#replies.has(digest));
    const idle = [...this.#replies.keys()].filter((digest) => !this.#asked.has(digest));
    return [
      ...open.map(
        ({ gate, candidate }) =>
          `nothing is recorded of what "${gate}" said of ${candidate} on this evidence`,
      ),
      ...idle.map((digest) => `a reply is recorded to an input that no evidence gives: ${digest}`),
    ];
  }
}

/** The replies of a record; none where there is none. */
export function replyLog(record: GateRecord | undefined): ReplyLog {
  return new ReplyLog(new Map((record?.replies ?? []).map(({ input, reply }) => [input, reply])));
}

/**
 * What is wrong with a record beside the questions that judging the evidence puts, a text each.
 * @param log  of the record, after judging
 */
export function recordFaults(record: GateRecord | undefined, log: ReplyLog): string[] {
  const replies = record?.replies ?? [];
  const questions = new Map(log.asked.map((question) => [question.digest, question] as const));
  const faults = replies.flatMap(({ gate, candidate, input, intervals }, at) => {
    const next = replies[at + 1];
    const question = questions.get(input);
    const misplaced = next !== undefined && compareCodeUnits(input, next.input) >= 0;
    const told =
      question !== undefined &&
      canonicalLine(intervals ?? null) !== canonicalLine(question.intervals ?? null);
    const other =
      question !== undefined && (question.gate !== gate || question.candidate !== candidate);
    return [
      ...(misplaced ? [`the replies do not stand in the order of their inputs at ${input}`] : []),
      ...(other ? [`the reply to ${input} names another gate or candidate`] : []),
      ...(told ? [`the intervals beside the reply to ${input} are not those of the evidence`] : []),
    ];
  });
  return [...faults, ...log.faults()];
}

/** Replies of a gate that was run again, by input. */
export type Reruns = ReadonlyMap<Digest, GateReply>;

/**
 * What code that was run again says otherwise than recorded, a text each. A recorded fault counts against nobody: it may have been
 * one of the machine, and never shipped.
 */
export function rerunFaults({ replies }: GateRecord, reruns: Reruns): string[] {
  return replies.flatMap(({ gate, candidate, input, reply }) => {
    if (reply.status === 'failed') return [];
    const found = reruns.get(input);
    if (found !== undefined && canonicalLine(found) === canonicalLine(reply)) return [];
    const said =
      found === undefined
        ? 'was not asked again'
        : found.status === 'answered'
          ? `answers ${found.answer.decision} (${found.answer.reason})`
          : `fails (${found.fault.code}: ${found.fault.detail})`;
    return [
      `"${gate}" about ${candidate}: recorded ${reply.answer.decision} (${reply.answer.reason}); run again it ${said}`,
    ];
  });
}
