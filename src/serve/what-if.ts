/** A recorded run decided again under another rule: to learn what a rule would say, never to release. */
import { invariant } from '../base/errors.ts';
import { type DecisionDocument, decide } from '../report/decision.ts';
import type { GateRunner } from '../run/gate-reply.ts';
import { type ChangedMember, otherRule } from '../spec/other-rule.ts';
import { GateDesk } from '../store/gate-desk.ts';
import { recordedTexts } from '../verify/gate-record.ts';
import { readRecordedRun } from './run-report.ts';

/** What another rule says of recorded receipts. */
export interface WhatIf {
  readonly stamp: 'exploratory';
  readonly experiment: string;
  /** Digest of the run's manifest. */
  readonly run: string;
  readonly changed: readonly ChangedMember[];
  /** Decisions of the sealed rule, which stand. */
  readonly recorded: readonly { readonly candidate: string; readonly decision: string }[];
  /** Of the other rule; no candidate ships in it. */
  readonly decision: DecisionDocument;
}

/**
 * Decides a recorded run again under another rule. Nothing is executed, written or recorded, and nothing ships: a rule chosen after
 * the evidence was seen confirms nothing.
 *
 * @param folder  path of a run folder
 * What custom gates said is taken from the record where the rule gives them the same input; otherwise their code was not run, which
 * ships nothing, unless a runner is given.
 *
 * @param rule    bytes and name of a file with the members that change, as `otherRule` reads them
 * @throws {LiftgateError} run-invalid, seal-invalid, receipt-invalid for the folder; spec-invalid for the rule
 */
export async function decideAgain(
  folder: string,
  rule: { readonly bytes: Uint8Array; readonly file: string },
  runner: GateRunner | null = null,
): Promise<WhatIf> {
  const { document, seal, evidence, runDigest, gates } = readRecordedRun(folder);
  const other = await otherRule({ seal, index: evidence.index }, rule);
  const { expose, fence, startedAt, endedAt } = document.run;
  const tried = { ...evidence, seal: other.seal, exploratory: true };
  const texts = gates === null ? new Map<string, string>() : recordedTexts(gates);
  const desk = runner === null ? null : new GateDesk({ seal: other.seal, texts, runner });
  await desk?.askAll(tried);
  const decision = decide(desk === null ? tried : { ...tried, replies: desk.replies }, {
    expose,
    fence,
    startedAt,
    endedAt,
  });
  const shipped = decision.decisions.some((each) => each.decision === 'ship');
  invariant(!shipped, 'a rule that was not sealed ships nothing');
  return {
    stamp: 'exploratory',
    experiment: seal.experimentId,
    run: runDigest,
    changed: other.changed,
    recorded: document.decisions.map((each) => ({
      candidate: each.candidate,
      decision: each.decision,
    })),
    decision,
  };
}
