/** Asks the custom gates of a run before it is decided, each question once, and keeps what they said for the run folder. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Evidence } from '../analysis/evidence.ts';
import { atLook, isReached, looksOf } from '../analysis/look.ts';
import type { Digest } from '../base/digest.ts';
import { invariant, LiftgateError } from '../base/errors.ts';
import { decodeUtf8 } from '../base/strict-json.ts';
import { gateQuestions } from '../gate/custom.ts';
import { LookLatch } from '../gate/sequential.ts';
import type { GateCode, GateReplies, GateReply, GateRunner } from '../run/gate-reply.ts';
import { gateFiles } from '../spec/gates.ts';
import { materialOf, parseSeal, type SealedExperiment } from '../spec/seal.ts';
import {
  formatGateRecord,
  gateCodes,
  type Replied,
  ReplyLog,
  readGateRecord,
} from '../verify/gate-record.ts';
import { runFileNames } from '../verify/record.ts';
import type { LoadedExperiment } from './experiment-folder.ts';
import type { RunFolder } from './run-folder.ts';

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
 * @throws {LiftgateError} design-refused  naming the first that is no gate, why, and where in its files that shows
 */
export async function refuseBrokenGates(
  loaded: LoadedExperiment,
  runner: GateRunner,
): Promise<void> {
  for (const code of gateCodes(loaded.spec.gates, gateTexts(loaded))) {
    const trouble = await runner.load(code);
    if (trouble === null) continue;
    const { detail, place } = trouble;
    const at = place === null ? '' : `${place.file}:${place.line}:${place.column}: `;
    const index = loaded.spec.gates.findIndex(
      (gate) => gate.gate === 'custom' && gate.name === code.gate,
    );
    throw new LiftgateError(
      'design-refused',
      `The code of the gate "${code.gate}" cannot be used: ${at}${detail}.`,
      {
        where: { file: loaded.file, path: `gates[${index}].module` },
        mend: "Export a gate: `import { defineGate } from 'liftgate/gate'; export default defineGate((input) => ({ decision, reason }))`; name what it imports under files.",
      },
    );
  }
}

/**
 * Files of custom gates whose bytes are not those of the seal beside the experiment file; none where no seal lies there.
 * @throws {LiftgateError} seal-invalid  when that file is no seal
 */
export function changedGateFiles(loaded: LoadedExperiment): string[] {
  const file = `${loaded.spec.name}.seal.json`;
  const path = join(loaded.folder, file);
  if (!existsSync(path)) return [];
  const sealed = new Map(
    (parseSeal(readFileSync(path), file).decision.materials ?? []).map((each) => [
      each.path,
      each.sha256,
    ]),
  );
  return gateFiles(loaded.spec.gates).filter((each) => {
    const bytes = loaded.materialsByPath.get(each)?.bytes;
    return bytes !== undefined && sealed.get(each) !== materialOf(each, bytes).sha256;
  });
}

/** The code to ask, and who runs it. */
export interface GateDeskParts {
  readonly seal: SealedExperiment;
  readonly texts: ReadonlyMap<string, string>;
  readonly runner: GateRunner;
  /** Where replies are kept as they come, so that a run which goes on later asks nobody twice; without one they are not. */
  readonly folder?: Pick<RunFolder, 'read' | 'write'>;
}

/** Keeps the replies of one run. */
export class GateDesk {
  readonly #parts: GateDeskParts;
  readonly #codes: ReadonlyMap<string, GateCode>;
  readonly #replied = new Map<Digest, Replied>();

  /** @throws {LiftgateError} run-invalid  when the folder keeps replies of other code */
  constructor(parts: GateDeskParts) {
    this.#parts = parts;
    const { seal, texts, folder } = parts;
    const codes = gateCodes(seal.decision.gates, texts);
    this.#codes = new Map(codes.map((code) => [code.gate, code] as const));
    const kept = codes.length === 0 ? null : (folder?.read(runFileNames.gates) ?? null);
    if (kept === null) return;
    const record = readGateRecord(new Map([[runFileNames.gates, kept]]), seal);
    for (const each of record?.replies ?? []) this.#replied.set(each.input, each);
  }

  /** What was said so far. */
  readonly replies: GateReplies = ({ digest }) => this.#replied.get(digest)?.reply;

  /** The same by digest of the input. */
  get said(): ReadonlyMap<Digest, GateReply> {
    return new Map([...this.#replied].map(([input, { reply }]) => [input, reply] as const));
  }

  /** Asks what judging this evidence puts to the gates and was not asked yet. */
  async ask(evidence: Evidence): Promise<void> {
    if (this.#codes.size === 0) return;
    for (const question of gateQuestions(evidence)) {
      const { gate, candidate, digest: input } = question;
      if (this.#replied.has(input)) continue;
      const code = this.#codes.get(question.gate);
      invariant(code !== undefined, `the gate ${question.gate} has code`);
      const { max } = this.#parts.seal.spec.attempts;
      const reply = await this.#parts.runner.ask(code, question, max);
      const { intervals } = question;
      const given = intervals === undefined ? {} : { intervals: [...intervals] };
      this.#replied.set(input, { gate, candidate, input, reply, ...given });
      this.#keep();
    }
  }

  /** The same of every look that was reached until one decides; where none does, of the whole plan. */
  async askAll(evidence: Evidence): Promise<void> {
    if (this.#codes.size === 0) return;
    const looks = looksOf(evidence);
    const last = looks.at(-1);
    if (last === undefined) return this.ask(evidence);
    const latch = new LookLatch();
    for (const look of looks) {
      if (!isReached(evidence, look)) break;
      await this.ask(atLook(evidence, look));
      if (latch.take({ ...evidence, replies: this.replies }, look).decides) return;
    }
    await this.ask(atLook(evidence, last));
  }

  /**
   * Bytes of the record of what a decision rests on; null without custom gates.
   * @param decide  decides with the replies it is given
   */
  record(decide: (replies: GateReplies) => void): string | null {
    if (this.#codes.size === 0) return null;
    const log = new ReplyLog(this.said);
    decide(log.replies);
    const replied = log.asked.map(({ gate, digest }) => {
      const found = this.#replied.get(digest);
      invariant(found !== undefined, `the gate ${gate} was asked`);
      return found;
    });
    return formatGateRecord(this.#parts.texts, replied);
  }

  #keep(): void {
    const { folder, texts } = this.#parts;
    folder?.write(runFileNames.gates, formatGateRecord(texts, [...this.#replied.values()]));
  }
}
