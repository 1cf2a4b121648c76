/** The end of a run: decision, run folder and outcome entry; and the recorded decision read back. */
import { type Digest, digestHex, digestOf } from '../base/digest.ts';
import { LiftgateError } from '../base/errors.ts';
import type { Rows } from '../base/rows.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { ExperimentState, Exposure } from '../ledger/projection.ts';
import {
  type DecisionDocument,
  decide,
  formatDecision,
  parseDecision,
} from '../report/decision.ts';
import { renderSummary } from '../report/markdown.ts';
import { receiptsRoot } from '../report/run-facts.ts';
import type { ExecuteResult } from '../run/execute.ts';
import type { GateReplies } from '../run/gate-reply.ts';
import type { Cell, ReceiptLine } from '../run/receipt.ts';
import { overallDecision, runEvidence, runInfo } from '../verify/evidence.ts';
import { buildManifest, formatManifest, manifestDigest, runFileNames } from '../verify/record.ts';
import type { LoadedExperiment } from './experiment-folder.ts';
import type { GateDesk } from './gate-desk.ts';
import { type Dispatcher, experimentState, runEntries } from './prepare-run.ts';
import type { RunFolder } from './run-folder.ts';
import type { RecordedSeal } from './seal-experiment.ts';

/** What a decision was recorded as. */
export interface RecordedDecision {
  readonly document: DecisionDocument;
  readonly finalSeal: Digest;
  readonly exitCode: number;
}

/** Why a spent experiment has no decision to show any more; null while it may have one. */
function endedBecause({ abort, voided }: ExperimentState): string | null {
  if (voided !== null) return `its outcome was voided (${voided.body.reason})`;
  return abort === null ? null : `it was aborted (${abort.body.reason})`;
}

/**
 * The recorded decision of a settled experiment; null before its outcome.
 * @throws {LiftgateError} ledger-conflict for an aborted experiment and for a voided outcome, which nobody may act upon
 * @throws {LiftgateError} ledger-damaged when the decision's bytes are gone
 */
export async function recordedDecision(
  ledger: Ledger,
  state: ExperimentState,
): Promise<RecordedDecision | null> {
  const ended = endedBecause(state);
  if (ended !== null) {
    throw new LiftgateError(
      'ledger-conflict',
      `The experiment "${state.experimentId}" decides nothing: ${ended}; its units stay spent.`,
      {
        mend: 'Plan a new experiment on units nobody has seen.',
      },
    );
  }
  if (state.outcome === null || state.exposure === null) return null;
  const { resultDigest, exitCode } = state.outcome.body;
  const bytes = await ledger.object(resultDigest);
  if (bytes === null) {
    throw new LiftgateError('ledger-damaged', `The recorded decision ${resultDigest} is missing.`, {
      mend: 'Restore ledger/objects from version control or a copy.',
    });
  }
  const document = parseDecision(bytes, `objects/${digestHex(resultDigest)}`);
  return { document, finalSeal: state.exposure.body.seal, exitCode };
}

/** What execution left. */
export interface Finished {
  readonly result: ExecuteResult;
  readonly dispatcher: Dispatcher;
  readonly controlLines: readonly ReceiptLine[];
  readonly schedule: Rows<Cell>;
}

export interface SettleParts extends Finished {
  readonly loaded: LoadedExperiment;
  readonly ledger: Ledger;
  readonly folder: RunFolder;
  readonly plan: RecordedSeal;
  readonly final: RecordedSeal;
  readonly gates: GateDesk;
}

/**
 * Decides, writes the run folder and records the outcome; the manifest's digest binds every byte of the folder.
 * @throws {LiftgateError} ledger-conflict when another process took the experiment over meanwhile
 */
export async function settleRun(parts: SettleParts): Promise<DecisionDocument> {
  const { loaded, final, folder, ledger, plan, result, controlLines, dispatcher, gates } = parts;
  const state = await experimentState(ledger, plan.digest);
  const { exposure } = state;
  if (exposure === null || exposure.fence !== dispatcher.fence) throw fencedOff();
  const run = {
    seal: final.seal,
    index: loaded.index,
    lines: result.lines,
    controlLines,
    ...dispatcher,
  };
  await gates.askAll(runEvidence(run));
  const decided = (replies: GateReplies): DecisionDocument =>
    decide(runEvidence({ ...run, replies }), runInfo(run));
  const record = gates.record(decided);
  const document = decided(gates.replies);
  if (record !== null) folder.write(runFileNames.gates, record);
  const decision = new TextEncoder().encode(formatDecision(document));
  folder.write(runFileNames.entries, await runEntries(ledger, state));
  folder.write(runFileNames.decision, decision);
  folder.write(runFileNames.summary, renderSummary(document, final.seal));
  const manifest = buildManifest(loaded.spec.name, final.digest, folder.files());
  folder.write(runFileNames.manifest, formatManifest(manifest));
  await ledger.putObject(decision);
  await recordOutcome(parts, {
    exposure,
    document,
    manifestDigest: manifestDigest(manifest),
    resultDigest: digestOf(decision),
  });
  return document;
}

function fencedOff(): LiftgateError {
  return new LiftgateError(
    'ledger-conflict',
    'Another process took this run over; its fence is newer.',
    {
      mend: 'Let the other process finish; run the same command afterwards to see its decision.',
    },
  );
}

interface Outcome {
  readonly exposure: Exposure;
  readonly document: DecisionDocument;
  readonly manifestDigest: Digest;
  readonly resultDigest: Digest;
}

async function recordOutcome(parts: SettleParts, outcome: Outcome): Promise<void> {
  const { ledger, final, result, schedule } = parts;
  const { document, exposure } = outcome;
  await ledger.append({
    kind: 'outcome',
    requestId: `outcome:${digestHex(exposure.entryId)}:${exposure.attempt}`,
    body: {
      expose: exposure.seq,
      attempt: exposure.attempt,
      receiptsRoot: receiptsRoot(result.lines),
      receiptsObject: null,
      receiptsCount: result.lines.length,
      controlsRoot: receiptsRoot(parts.controlLines),
      plannedCells: schedule.length,
      missing: result.missing.length,
      manifestDigest: outcome.manifestDigest,
      resultDigest: outcome.resultDigest,
      verdict: overallDecision(document),
      exitCode: document.verdict.exitCode,
      disclosure: final.seal.disclosure,
      alphaNano: final.seal.analysis.alphaNano,
    },
  });
}
