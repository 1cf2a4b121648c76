/**
 * The library: every step of the job as one call with the defaults people expect. The command line and callers in a program go
 * through the same orchestration below; no call takes a level, a threshold or an estimate, all rules come from the sealed spec.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ByteSource, wholeBytes } from '../base/content.ts';
import { type Digest, digestHex } from '../base/digest.ts';
import { LiftgateError } from '../base/errors.ts';
import { parseTrust } from '../base/trust.ts';
import { systemClock } from '../host/clock.ts';
import { gateRunner } from '../host/gate-runner.ts';
import { openHost } from '../host/open-host.ts';
import { replayHost as hostOfReceipts } from '../host/replay.ts';
import { parseReceiptFile } from '../interop/receipt-file.ts';
import type { LedgerPin } from '../ledger/check-ledger.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { DecisionDocument } from '../report/decision.ts';
import { renderSummary } from '../report/markdown.ts';
import { type PlanReport, planReport } from '../report/plan.ts';
import type { RunProgress } from '../run/execute.ts';
import type { Host } from '../run/host.ts';
import { parseJournal } from '../run/journal.ts';
import { parseSeal, type SealedExperiment } from '../spec/seal.ts';
import { planSeal } from '../spec/seal-plan.ts';
import { readNotes } from '../store/checkpoints.ts';
import { decideReceiptFile, decidingSeal } from '../store/decide-receipts.ts';
import { engineIdentity } from '../store/engine.ts';
import type { LoadedExperiment } from '../store/experiment-folder.ts';
import { GateDesk, gateTexts, refuseBrokenGates } from '../store/gate-desk.ts';
import { reserveExperiment } from '../store/prepare-run.ts';
import { freshFence } from '../store/randomness.ts';
import { type RunResult, runToDecision } from '../store/run-experiment.ts';
import { openRunFolder, readDecision, readEvidence, readRunFiles } from '../store/run-folder.ts';
import {
  ensureFinalSeal,
  ensurePlanSeal,
  type RecordedSeal,
  sealInput,
  writeSealCopy,
} from '../store/seal-experiment.ts';
import { bundleContent, bundledLedger, gatherBundle } from '../verify/bundle.ts';
import { checkPower } from '../verify/check-power.ts';
import { noDemands, type Requirement } from '../verify/check-trust.ts';
import { ledgerView } from '../verify/reading.ts';
import { parseReceiptLines, runFile, runFileNames } from '../verify/record.ts';
import { checkRun, type Verification } from '../verify/verify.ts';
import { rerunGates } from './run-report.ts';

/** An experiment and the ledger that records it. */
export interface LedgeredExperiment {
  /** From `loadExperiment`. */
  readonly loaded: LoadedExperiment;
  /** From `openLedger`, or `memoryLedger` for a trial that leaves nothing behind. */
  readonly ledger: Ledger;
}

/**
 * What the sealed rules would do, before anything is sealed or spent: schedule, cost cap, deciding methods, and whether the most
 * favourable receipts could ship at all. Nothing is written; candidates may still be unbound.
 *
 * @param loaded  from `loadExperiment`
 * @returns       counts of units, cases and cells, costs in USD, one method per gate; `canShip` is false when no outcome can ship
 * @example planExperiment(loaded).canShip // => true
 */
export function planExperiment(loaded: LoadedExperiment): PlanReport {
  const { seal } = planSeal(sealInput(loaded, engineIdentity()));
  return planReport(seal, loaded.index);
}

/** What to seal. */
export interface SealRequest extends LedgeredExperiment {
  /** Whether to bind the candidates too: writes the final seal; default false. */
  readonly candidates?: boolean;
}

/** Seals as recorded; `final` is null while the candidates are unbound. */
export interface SealResult {
  readonly plan: RecordedSeal;
  readonly final: RecordedSeal | null;
  /** File name of the seal's copy beside the experiment file. */
  readonly copy: string;
}

/**
 * Seals an experiment in its ledger and writes a copy beside the experiment file. A recorded seal that still describes the files
 * is returned unchanged.
 *
 * @throws {LiftgateError} seal-drift      when an exposed experiment's files changed, naming each
 * @throws {LiftgateError} design-refused  when a candidate has the baseline's bytes
 * @throws {LiftgateError} ledger-conflict, ledger-damaged, ledger-unsafe
 * @example (await sealExperiment({ loaded, ledger })).plan.seal.stage // => 'plan'
 */
export async function sealExperiment(request: SealRequest): Promise<SealResult> {
  const { loaded, ledger, candidates = false } = request;
  const options = { loaded, ledger, engine: engineIdentity(), write: true };
  await refuseBrokenGates(loaded, gateRunner());
  const plan = await ensurePlanSeal(options);
  const final = candidates ? await ensureFinalSeal(options, plan) : null;
  return { plan, final, copy: writeSealCopy(loaded, (final ?? plan).seal) };
}

/** A claim on final units as the ledger holds it. */
export interface Reservation {
  /** Digest of the plan seal that holds the units. */
  readonly plan: Digest;
  /** `reserved`, or a later phase of the same experiment. */
  readonly phase: string;
  readonly units: number;
  /** Number of the ledger entry; null when the reservation was released. */
  readonly entry: number | null;
}

/**
 * Claims the final units of a sealed experiment before a search; its development units are recorded as used. Repeating it changes
 * nothing.
 *
 * @throws {LiftgateError} seal-missing, seal-drift
 * @throws {LiftgateError} ledger-conflict  when another experiment owns a unit, naming owner and units
 * @example (await sealExperiment({ loaded, ledger }), await reserveUnits({ loaded, ledger })).phase // => 'reserved'
 */
export async function reserveUnits({ loaded, ledger }: LedgeredExperiment): Promise<Reservation> {
  const plan = await ensurePlanSeal({ loaded, ledger, engine: engineIdentity(), write: false });
  const { phase, reservation } = await reserveExperiment(ledger, loaded, plan);
  const units = reservation?.body.unitCount ?? 0;
  return { plan: plan.digest, phase, units, entry: reservation?.seq ?? null };
}

/** What to run, and whom to tell. */
export interface RunRequest extends LedgeredExperiment {
  /** Whether missing seals may be written; default false: an unsealed experiment is refused. */
  readonly seal?: boolean;
  /** Run folder; default `runs/` in the experiment folder, named after the final seal. */
  readonly folder?: string;
  /** Replaces the declared host; it is closed when the run ends. */
  readonly host?: Host;
  /** Aborting it settles the cells in flight and stops; the same call continues later. */
  readonly signal?: AbortSignal;
  readonly onNote?: (text: string) => void;
  readonly onProgress?: (progress: RunProgress) => void;
}

/** Default run folder of a final seal: beside the experiment, named after the seal. */
export function runFolderPath(loaded: LoadedExperiment, final: Digest): string {
  return join(loaded.folder, 'runs', digestHex(final).slice(0, 12));
}

/**
 * Runs an experiment to its decision: reserve, controls, expose, execute, decide, record. Every step is durable before the next;
 * calling it again continues where the last process stopped, or returns what was recorded and dispatches nothing.
 *
 * @returns `decided` with the document and the exit code of DESIGN 10; `interrupted` or `incomplete` when cells stayed open
 * @throws {LiftgateError} seal-missing, seal-drift, design-refused, ledger-conflict, controls-failed, host-unreachable, interrupted
 * @example (await runExperiment({ loaded, ledger, seal: true })).status // => 'decided'
 */
export function runExperiment(request: RunRequest): Promise<RunResult> {
  const { loaded, ledger, folder, host, onNote, onProgress } = request;
  return runToDecision({
    loaded,
    ledger,
    engine: engineIdentity(),
    clock: systemClock,
    signal: request.signal ?? new AbortController().signal,
    write: request.seal ?? false,
    gateRunner: gateRunner(),
    openHost: () => (host === undefined ? openHost(loaded) : Promise.resolve(host)),
    folderPath: (final) => folder ?? runFolderPath(loaded, final),
    openFolder: openRunFolder,
    fence: freshFence,
    ...(onNote === undefined ? {} : { onNote }),
    ...(onProgress === undefined ? {} : { onProgress }),
  });
}

/** Receipts to decide from. */
export interface DecideRequest extends LedgeredExperiment {
  /** One JSON object per line: hand-written, or lines of a run's `journal.jsonl` and `controls.jsonl`. */
  readonly receipts: string;
  /** Name of the file they came from, shown in problems. */
  readonly file?: string;
}

/** A decision and the final seal whose rules made it. */
export interface SealedDecision {
  readonly document: DecisionDocument;
  readonly seal: SealedExperiment;
}

/**
 * Decides from receipts and nothing else; nothing is executed or recorded.
 *
 * The evidence is confirmatory only when every receipt names an exposure and a fence of the ledger, and the receipts are those of
 * the recorded outcome; any other is analysed and capped at need_more_work.
 *
 * @throws {LiftgateError} receipt-invalid with every problem as file:line
 * @throws {LiftgateError} seal-drift when the files no longer match the recorded seal
 * @example (await decide({ loaded, ledger, receipts: '' })).document.verdict.evidence // => 'not-confirmatory'
 */
export async function decide(request: DecideRequest): Promise<SealedDecision> {
  const { loaded, ledger, receipts: text, file = 'receipts' } = request;
  const { index } = loaded;
  const seal = await decidingSeal(loaded, ledger, engineIdentity());
  const receipts = parseReceiptFile(text, { file, seal, index });
  const gates = new GateDesk({ seal, texts: gateTexts(loaded), runner: gateRunner() });
  return { document: await decideReceiptFile({ seal, index, receipts, ledger, gates }), seal };
}

/**
 * The Markdown summary of a decision: gates, funnel, faults, provenance, and what stays unchecked.
 *
 * @param source  what `decide` or a decided `runExperiment` returned, or the path of a run folder
 * @returns       Markdown that ends with a line feed; equal decisions and seals give equal text
 * @throws {LiftgateError} run-invalid, seal-invalid when the folder holds no readable run
 * @example renderReport(await runExperiment({ loaded, ledger, seal: true })).split('\n')[0] // => '# mails: new may ship'
 */
export function renderReport(source: SealedDecision | string): string {
  if (typeof source !== 'string') return renderSummary(source.document, source.seal);
  const { document, seal } = readDecision(source);
  return renderSummary(document, seal);
}

/** What holds a run beside its own files. */
export interface VerifyOptions {
  /** The ledger that recorded the run; null leaves unchecked what only a ledger can show. A bundle brings its own: null for it. */
  readonly ledger: Ledger | null;
  /** Size and head of the ledger as known from elsewhere; without it a removed tail leaves no trace. */
  readonly pin?: LedgerPin;
  /** Trust list: verifier keys or lines of an `allowed_signers` file. Default: nobody is trusted. */
  readonly trust?: string;
  /** What must vouch for the outcome; default nothing. */
  readonly require?: readonly Requirement[];
  /** Folder of the checkpoints beside the ledger; a bundle brings its own. */
  readonly checkpoints?: string;
  /** Path of a signed statement about this run. */
  readonly statement?: string;
  /** Whether the power that was sealed is simulated again; default false. */
  readonly power?: boolean;
  /** Runs the recorded code of custom gates again; default false: verifying executes nothing. */
  readonly runGates?: boolean;
}

/**
 * Verifies a run folder or a bundle offline: recomputes digests, pairing, estimates, gates and the decision from the stored bytes, and
 * holds them against the ledger that recorded them and against what the reader demands. Nothing is executed or written.
 *
 * @param path     path of the run folder, or of a file that `bundleRun` made
 * @returns        one result per check with a reason per problem; `exitCode` 0 confirmed, 41 the run does not verify, 42 the ledger
 *                 is damaged or not the one of its checkpoints
 * @throws {LiftgateError} run-invalid when nothing can be read there, trust-invalid, signature-invalid
 * @example (await verifyRun((await runExperiment({ loaded, ledger, seal: true })).folder, { ledger })).ok // => true
 */
export async function verifyRun(path: string, options: VerifyOptions): Promise<Verification> {
  const { checkpoints, trust, require = [], statement, power = false } = options;
  const { files, bundle } = readEvidence(path);
  const ledger = bundle === null ? options.ledger : bundledLedger(bundle);
  const reruns = options.runGates === true ? await rerunGates(files, gateRunner()) : undefined;
  const beside = checkpoints === undefined ? new Map() : await readNotes(checkpoints);
  return checkRun(files, ledger === null ? null : await ledgerView(ledger, options.pin), {
    notes: bundle?.notes ?? beside,
    trust: trust === undefined ? [] : parseTrust(trust, 'trust'),
    require,
    ...(reruns === undefined ? {} : { reruns }),
    statement: statement === undefined ? null : { file: statement, bytes: readFileSync(statement) },
    ...(power ? { power: checkPower } : {}),
  });
}

/** What goes into a bundle beside the run. */
export interface BundleOptions {
  /** The ledger that recorded the run. */
  readonly ledger: Ledger;
  /** Folder of the checkpoints beside the ledger; default: none are taken along. */
  readonly checkpoints?: string;
}

/** A bundle and how it verifies. */
export interface BundledRun {
  readonly bytes: Uint8Array;
  readonly verification: Verification;
}

/**
 * One portable file with a run and the ledger that recorded it, to be checked anywhere with nothing else. It is verified first: what
 * does not verify is not bundled. The same run, ledger and checkpoints give the same bytes.
 *
 * @param folder  path of the run folder
 * @throws {LiftgateError} run-invalid when the run does not verify, naming every problem; ledger-damaged when its ledger does not
 * @example (await bundleRun((await runExperiment({ loaded, ledger, seal: true })).folder, { ledger })).verification.ok // => true
 */
export async function bundleRun(folder: string, options: BundleOptions): Promise<BundledRun> {
  const { content, verification } = await verifiedBundle(folder, options);
  return { bytes: wholeBytes(content), verification };
}

/** {@link bundleRun} with bytes that are read and made as they are asked for: a bundle of any length. */
export async function verifiedBundle(
  folder: string,
  options: BundleOptions,
): Promise<{ readonly content: ByteSource; readonly verification: Verification }> {
  const { ledger, checkpoints } = options;
  const files = readRunFiles(folder);
  const notes = checkpoints === undefined ? new Map() : await readNotes(checkpoints);
  const verification = checkRun(files, await ledgerView(ledger), { ...noDemands, notes });
  const problems = verification.checks.flatMap((check) => check.problems);
  if (problems.length > 0) {
    const code = verification.exitCode === 42 ? 'ledger-damaged' : 'run-invalid';
    const shown = problems.map((each) => `[${each.code}] ${each.message}`).join('; ');
    throw new LiftgateError(code, `The run does not verify, so it is not bundled: ${shown}.`, {
      where: { file: folder },
      mend: 'See `liftgate verify`, and restore what was changed.',
      details: { problems },
    });
  }
  return { content: bundleContent(await gatherBundle(files, ledger, notes)), verification };
}

/**
 * A host that answers from a recorded run: decides again without the real host, in a ledger of its own.
 *
 * @param folder  path of the run folder; cells it did not record end as infrastructure faults
 * @throws {LiftgateError} run-invalid, seal-invalid, receipt-invalid when the folder holds no readable run
 * @example replayHost(folder).adapter // => 'replay'
 */
export function replayHost(folder: string): Host {
  const files = readRunFiles(folder);
  const { digests } = parseSeal(runFile(files, runFileNames.seal), runFileNames.seal);
  const controls = parseReceiptLines(runFile(files, runFileNames.controls), runFileNames.controls);
  const journal = parseJournal(runFile(files, runFileNames.journal), runFileNames.journal);
  const cells = journal.lines.flatMap((line) => (line.kind === 'receipt' ? [line.line] : []));
  return hostOfReceipts([...controls, ...cells], { designDigest: digests.design });
}
