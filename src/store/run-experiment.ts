/**
 * The whole job in one call: seal if asked, reserve, controls, expose, execute, decide, record. Every step is durable before the
 * next and none is repeated: running again continues where the last process stopped, or prints what was recorded.
 */

import type { Digest } from '../base/digest.ts';
import { invariant } from '../base/errors.ts';
import type { Rows } from '../base/rows.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { ExperimentState, Exposure } from '../ledger/projection.ts';
import type { DecisionDocument } from '../report/decision.ts';
import { attemptReserveUsd, usdOf } from '../run/budget.ts';
import { type ExecuteResult, executeCells, type RunProgress } from '../run/execute.ts';
import type { GateRunner } from '../run/gate-reply.ts';
import type { Clock, Host } from '../run/host.ts';
import { WitnessedJournal } from '../run/journal.ts';
import type { Cell, ReceiptLine } from '../run/receipt.ts';
import { planSchedule } from '../run/schedule.ts';
import { finalCases } from '../spec/case-index.ts';
import { type EngineIdentity, formatSeal, type SealedExperiment } from '../spec/seal.ts';
import { formatCaseIndex } from '../spec/seal-plan.ts';
import { armIds } from '../spec/spec.ts';
import { runFileNames } from '../verify/record.ts';
import type { LoadedExperiment } from './experiment-folder.ts';
import { GateDesk, gateTexts, refuseBrokenGates } from './gate-desk.ts';
import {
  armSurfaces,
  type Dispatcher,
  experimentState,
  exposeUnits,
  keepJournal,
  passControls,
  refuseForeignFolder,
  refuseInterrupt,
  refuseUnanchored,
  reserveExperiment,
  resumeExposure,
  runEntries,
} from './prepare-run.ts';
import { type RecordedJournal, recordedControls, recordedJournal } from './recorded-journal.ts';
import type { RunFolder } from './run-folder.ts';
import {
  ensureFinalSeal,
  ensurePlanSeal,
  type RecordedSeal,
  readSeal,
  writeSealCopy,
} from './seal-experiment.ts';
import { type Finished, recordedDecision, settleRun } from './settle-run.ts';
import { lookStops } from './take-looks.ts';

export interface RunOptions {
  readonly loaded: LoadedExperiment;
  readonly ledger: Ledger;
  readonly engine: EngineIdentity;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Whether missing seals may be written. */
  readonly write: boolean;
  /** Starts a host; called only when cells are to be executed. */
  readonly openHost: () => Promise<Host>;
  /** Runs the code of custom gates. */
  readonly gateRunner: GateRunner;
  /** Path of the run folder of a final seal. */
  readonly folderPath: (final: Digest) => string;
  readonly openFolder: (path: string) => RunFolder;
  /** 32 fresh random hex digits for a fence. */
  readonly fence: () => string;
  readonly onNote?: (text: string) => void;
  readonly onProgress?: (progress: RunProgress) => void;
}

/** How a run ended: with a decision, or with cells still open that the same call continues. */
export type RunResult =
  | {
      readonly status: 'decided';
      /** True when an earlier process had recorded the decision and nothing was dispatched. */
      readonly recorded: boolean;
      readonly document: DecisionDocument;
      /** The final seal it was decided under. */
      readonly seal: SealedExperiment;
      readonly folder: string;
      readonly exitCode: number;
    }
  | {
      readonly status: 'interrupted' | 'incomplete';
      readonly missing: number;
      readonly planned: number;
      readonly reason: string;
      readonly folder: string;
      readonly exitCode: 130 | 30;
    };

interface RunContext extends RunOptions {
  readonly plan: RecordedSeal;
  readonly final: RecordedSeal;
  readonly folder: RunFolder;
  readonly gates: GateDesk;
}

/**
 * Runs a sealed experiment to its decision.
 *
 * @throws {LiftgateError} seal-missing, seal-drift, ledger-conflict, controls-failed, host-unreachable, interrupted, ...
 */
export async function runToDecision(options: RunOptions): Promise<RunResult> {
  const { loaded, ledger, onNote } = options;
  const plan = await ensurePlanSeal(options);
  const final = await ensureFinalSeal(options, plan);
  for (const notice of plan.notices)
    onNote?.(
      `Sealed by another engine build (${notice}); every statistic the seal names has the sealed version.`,
    );
  const before = await experimentState(ledger, plan.digest);
  const recorded = await recordedDecision(ledger, before);
  if (recorded !== null) {
    const { document, exitCode, finalSeal } = recorded;
    const seal = await readSeal(ledger, finalSeal);
    const folder = options.folderPath(finalSeal);
    return { status: 'decided', recorded: true, document, seal, folder, exitCode };
  }
  const { gateRunner } = options;
  await refuseBrokenGates(loaded, gateRunner);
  const state = await reserveExperiment(ledger, loaded, plan);
  await refuseUnanchored(ledger, state);
  const folder = options.openFolder(options.folderPath(final.digest));
  const unlock = folder.lock();
  try {
    refuseForeignFolder(folder, final.seal);
    writeSealCopy(loaded, final.seal);
    const texts = gateTexts(loaded);
    const gates = new GateDesk({ seal: final.seal, texts, runner: gateRunner, folder });
    return await withHost(options, (host) =>
      measure({ ...options, plan, final, folder, gates }, state, host),
    );
  } finally {
    unlock();
  }
}

async function withHost(
  options: RunOptions,
  work: (host: Host) => Promise<RunResult>,
): Promise<RunResult> {
  const host = await options.openHost();
  try {
    return await work(host);
  } finally {
    await host.close();
  }
}

async function measure(
  context: RunContext,
  state: ExperimentState,
  host: Host,
): Promise<RunResult> {
  const { loaded, final, folder, ledger, signal } = context;
  const schedule = planSchedule({
    cases: finalCases(loaded.index),
    arms: armIds(loaded.spec),
    repeats: loaded.spec.repeats,
    casesDigest: final.seal.digests.cases,
  });
  const { seal } = final;
  const recorded = recordedJournal(folder, {
    seal,
    schedule,
    ledger: (await ledger.state()).chain.ledger,
    exposure: state.exposure,
  });
  const controlLines =
    state.exposure === null
      ? await freshControls(context, host)
      : recordedControls(folder, { seal, index: loaded.index, exposure: state.exposure });
  refuseInterrupt(signal);
  folder.write(runFileNames.plan, formatSeal(context.plan.seal));
  folder.write(runFileNames.seal, formatSeal(seal));
  folder.write(runFileNames.cases, formatCaseIndex(loaded.index));
  // There before the exposure: that it is gone afterwards is then a loss, never the first moment of a run.
  if (state.exposure === null) folder.write(runFileNames.journal, '');
  const dispatcher = await dispatcherFor(context, state, { recorded, controlLines });
  const exposed = await experimentState(ledger, context.plan.digest);
  invariant(exposed.exposure !== null, 'units are exposed before a cell is dispatched');
  folder.write(runFileNames.entries, await runEntries(ledger, exposed));
  await refuseUnanchored(ledger, exposed);
  const result = await execute(context, {
    host,
    schedule,
    recorded,
    dispatcher,
    exposure: exposed.exposure,
    controlLines,
  });
  return finish(context, { result, dispatcher, controlLines, schedule });
}

function freshControls(context: RunContext, host: Host): Promise<readonly ReceiptLine[]> {
  const { loaded, final, clock, signal, folder, onNote } = context;
  onNote?.(`Running ${final.seal.spec.controls.length} controls.`);
  return passControls({ loaded, seal: final.seal, host, clock, signal, folder });
}

function dispatcherFor(
  context: RunContext,
  state: ExperimentState,
  found: { readonly recorded: RecordedJournal; readonly controlLines: readonly ReceiptLine[] },
): Promise<Dispatcher> {
  const { ledger, final } = context;
  if (state.exposure === null) {
    invariant(state.reservation !== null, 'units are reserved before they are exposed');
    return exposeUnits(ledger, {
      final,
      reserveSeq: state.reservation.seq,
      fence: context.fence(),
      controlLines: found.controlLines,
    });
  }
  const { resumed, prefix } = found.recorded;
  const open = [...resumed.cells.values()].filter((cell) => !cell.closed).length;
  context.onNote?.(`Resuming: ${open} of ${resumed.cells.size} cells are open.`);
  return resumeExposure(ledger, {
    exposure: state.exposure,
    missingCells: open,
    fence: context.fence(),
    reason: 'the last process ended before the outcome was recorded',
    journal: prefix,
  });
}

interface Execution {
  readonly host: Host;
  readonly schedule: Rows<Cell>;
  readonly recorded: RecordedJournal;
  readonly dispatcher: Dispatcher;
  readonly exposure: Exposure;
  readonly controlLines: readonly ReceiptLine[];
}

async function execute(context: RunContext, parts: Execution): Promise<ExecuteResult> {
  const { loaded, ledger, final, folder, clock, signal, onProgress, onNote } = context;
  const { resumed, kept, prefix } = parts.recorded;
  const log = folder.openLog(runFileNames.journal, kept.length);
  const journal = new WitnessedJournal({
    log,
    witness: {
      keep: (known) => keepJournal(ledger, parts.exposure, { journal: known, stopped: false }),
    },
    elapsedMs: () => clock.elapsedMs(),
    kept: { bytes: kept, lines: prefix.lines },
  });
  const looks = lookStops({
    seal: final.seal,
    index: loaded.index,
    ...{ schedule: parts.schedule, controlLines: parts.controlLines },
    ...{ dispatcher: parts.dispatcher, recorded: parts.recorded.looks },
    ...{ journal, clock, gates: context.gates, ...(onNote === undefined ? {} : { onNote }) },
  });
  try {
    const result = await executeCells({
      seal: final.seal,
      experimentDigest: final.digest,
      cases: new Map(
        loaded.cases.filter((each) => each.split === 'final').map((each) => [each.id, each]),
      ),
      surfaces: armSurfaces(loaded),
      schedule: parts.schedule,
      host: parts.host,
      journal,
      resumed,
      envelope: parts.dispatcher,
      clock,
      signal,
      controlLines: parts.controlLines,
      ...(onProgress === undefined ? {} : { onProgress }),
      ...(looks === undefined ? {} : { looks }),
    });
    if (leavesOpen(result)) {
      await keepJournal(ledger, parts.exposure, { journal: journal.prefix(), stopped: true });
    }
    return result;
  } finally {
    await log.close();
  }
}

/** Whether a session ended with cells to come: without an outcome entry only a journal entry keeps what it has written. */
function leavesOpen({ stoppedBy }: ExecuteResult): boolean {
  return stoppedBy !== null && stoppedBy !== 'budget';
}

function stopReason(stoppedBy: 'signal' | 'wall' | 'host', { limits }: SealedExperiment): string {
  switch (stoppedBy) {
    case 'signal':
      return 'it was interrupted';
    case 'wall':
      return `the sealed wall time of one session is over (budget.wallMinutes: ${limits.budget.wallMinutes})`;
    case 'host':
      return 'the host could not be started any more';
  }
}

/** The cap on cost is final: unlike wall time, no later session has more of it. */
function capNote({ missing, budget }: ExecuteResult, { limits, spec }: SealedExperiment): string {
  const cells = missing.length === 1 ? '1 cell stays' : `${missing.length} cells stay`;
  return `The sealed cap on cost (budget.usd: ${limits.budget.usd}) is used up: ${usdOf(budget.settledNanos)} USD are spent, and one more attempt may cost ${attemptReserveUsd(spec)}. ${cells} without an outcome.`;
}

async function finish(context: RunContext, finished: Finished): Promise<RunResult> {
  const { result, schedule } = finished;
  const { stoppedBy } = result;
  if (stoppedBy === null || stoppedBy === 'budget') {
    const { folder, loaded, ledger, plan, final, gates } = context;
    if (stoppedBy === 'budget') context.onNote?.(capNote(result, context.final.seal));
    const document = await settleRun({ folder, loaded, ledger, plan, final, gates, ...finished });
    const { exitCode } = document.verdict;
    return {
      status: 'decided',
      recorded: false,
      document,
      seal: final.seal,
      folder: folder.path,
      exitCode,
    };
  }
  return {
    status: stoppedBy === 'signal' ? 'interrupted' : 'incomplete',
    missing: result.missing.length,
    planned: schedule.length,
    reason: stopReason(stoppedBy, context.final.seal),
    folder: context.folder.path,
    exitCode: stoppedBy === 'signal' ? 130 : 30,
  };
}
