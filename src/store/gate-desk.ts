/** Asks the custom gates of a run before it is decided, each question once, and keeps what they said for the run folder. */
import type { Evidence } from '../analysis/evidence.ts';
import { atLook, isReached, looksOf } from '../analysis/look.ts';
import type { Digest } from '../base/digest.ts';
import { invariant, LiftgateError } from '../base/errors.ts';
import { decodeUtf8 } from '../base/strict-json.ts';
import { gateQuestions } from '../gate/custom.ts';
import type { GateCode, GateReplies, GateReply, GateRunner } from '../run/gate-reply.ts';
import { gateFiles } from '../spec/gates.ts';
import type { SealedExperiment } from '../spec/seal.ts';
import { formatGateRecord, gateCodes, ReplyLog } from '../verify/gate-record.ts';
import type { LoadedExperiment } from './experiment-folder.ts';

/** Texts of the code of an experiment's custom gates, by path. */
export function gateTexts(loaded: LoadedExperiment): ReadonlyMap<string, string> {
  return new Map(
    gateFiles(loaded.spec.gates).map((path) => {
      const file = loaded.materialsByPath.get(path);
      invariant(file !== undefined, `the named file ${path} was read`);
      return [path, decodeUtf8(file.bytes)] as const;
    }),
  );
}

/**
 * Loads the code of every custom gate before anything is sealed or spent.
 * @throws {LiftgateError} design-refused  naming the first that is no gate, and why
 */
export async function refuseBrokenGates(
  loaded: LoadedExperiment,
  runner: GateRunner,
): Promise<void> {
  for (const code of gateCodes(loaded.spec.gates, gateTexts(loaded))) {
    const trouble = await runner.load(code);
    if (trouble === null) continue;
    const index = loaded.spec.gates.findIndex(
      (gate) => gate.gate === 'custom' && gate.name === code.gate,
    );
    throw new LiftgateError(
      'design-refused',
      `The code of the gate "${code.gate}" cannot be used: ${trouble}.`,
      {
        where: { file: loaded.file, path: `gates[${index}].module` },
        mend: "Export a gate: `import { defineGate } from 'liftgate/gate'; export default defineGate((input) => ({ decision, reason }))`; name what it imports under files.",
      },
    );
  }
}

/** The code to ask, and who runs it. */
export interface GateDeskParts {
  readonly seal: SealedExperiment;
  readonly texts: ReadonlyMap<string, string>;
  readonly runner: GateRunner;
}

/** Keeps the replies of one run. */
export class GateDesk {
  readonly #parts: GateDeskParts;
  readonly #codes: ReadonlyMap<string, GateCode>;
  readonly #replies = new Map<Digest, GateReply>();

  constructor(parts: GateDeskParts) {
    this.#parts = parts;
    const codes = gateCodes(parts.seal.decision.gates, parts.texts);
    this.#codes = new Map(codes.map((code) => [code.gate, code] as const));
  }

  /** What was said so far. */
  readonly replies: GateReplies = ({ digest }) => this.#replies.get(digest);

  /** The same by digest of the input. */
  get said(): ReadonlyMap<Digest, GateReply> {
    return this.#replies;
  }

  /** Asks what judging this evidence puts to the gates and was not asked yet. */
  async ask(evidence: Evidence): Promise<void> {
    if (this.#codes.size === 0) return;
    for (const question of gateQuestions(evidence)) {
      if (this.#replies.has(question.digest)) continue;
      const code = this.#codes.get(question.gate);
      invariant(code !== undefined, `the gate ${question.gate} has code`);
      const { max } = this.#parts.seal.spec.attempts;
      this.#replies.set(question.digest, await this.#parts.runner.ask(code, question, max));
    }
  }

  /** The same of every look that was reached, and of the whole plan. */
  async askAll(evidence: Evidence): Promise<void> {
    if (this.#codes.size === 0) return;
    const looks = looksOf(evidence);
    if (looks.length === 0) await this.ask(evidence);
    for (const look of looks) {
      if (isReached(evidence, look) || look.number === look.of)
        await this.ask(atLook(evidence, look));
    }
  }

  /**
   * Bytes of the record of what a decision rests on; null without custom gates.
   * @param decide  decides with the replies it is given
   */
  record(decide: (replies: GateReplies) => void): string | null {
    if (this.#codes.size === 0) return null;
    const log = new ReplyLog(this.#replies);
    decide(log.replies);
    const replied = log.asked.map((question) => {
      const reply = this.#replies.get(question.digest);
      invariant(reply !== undefined, `the gate ${question.gate} was asked`);
      return { question, reply };
    });
    return formatGateRecord(this.#parts.texts, replied);
  }
}
