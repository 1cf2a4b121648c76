/**
 * Verifies a recorded run offline: recomputes digests, schedule, pairing, estimates, gates and decision from the stored bytes, with
 * no host, no clock and no writes, and holds the folder against the ledger that recorded it.
 */
import { digestOf } from '../base/digest.ts';
import { invariant, LiftgateError } from '../base/errors.ts';
import { hasCustomGates } from '../gate/custom.ts';
import { judgeSealed } from '../gate/sequential.ts';
import {
  type DecisionDocument,
  decide,
  formatDecision,
  parseDecision,
} from '../report/decision.ts';
import { renderSummary, uncheckable, unrunGates } from '../report/markdown.ts';
import { planSchedule } from '../run/schedule.ts';
import { type CaseIndex, finalCases } from '../spec/case-index.ts';
import type { Material, SealedExperiment } from '../spec/seal.ts';
import { armIds } from '../spec/spec.ts';
import { type Audit, auditOf } from './audit.ts';
import { checkAmendments } from './check-amendments.ts';
import { controlFaults } from './check-controls.ts';
import {
  checkEntries,
  checkLedgerEntries,
  checkOutcome,
  journalFaults,
  journalGaps,
} from './check-entries.ts';
import { lookFaults } from './check-looks.ts';
import { checkCases, checkSeals } from './check-seals.ts';
import { checkTrust, type Demands, noDemands } from './check-trust.ts';
import {
  type Check,
  Checklist,
  type CheckName,
  type Finding,
  findingOf,
  type ReasonCode,
} from './checklist.ts';
import { runEvidence, runInfo } from './evidence.ts';
import { foldJournal, readsOutputs } from './fold-journal.ts';
import { readGateRecord, recordFaults, replyLog, rerunFaults } from './gate-record.ts';
import type { LedgerView, Reading, RunEntries } from './reading.ts';
import {
  manifestDifferences,
  parseManifest,
  parseReceiptLines,
  type RunFiles,
  runContent,
  runFile,
  runFileNames,
} from './record.ts';

export type { LedgerView } from './reading.ts';

/** What verification found, check by check. */
export interface Verification {
  readonly ok: boolean;
  /** 0 confirmed, 41 the run does not verify, 42 the ledger is damaged. */
  readonly exitCode: 0 | 41 | 42;
  readonly checks: readonly Check[];
  /** The recomputed decision; null when it could not be recomputed. */
  readonly document: DecisionDocument | null;
  /** Facts of ledger, run and decision for an auditor; null without a ledger. */
  readonly audit: Audit | null;
  readonly uncheckable: readonly string[];
}

/** What each check says when it passes and the usual reason when it fails, in the order of the report. */
const checkNames = {
  manifest: ['every file is listed with its bytes, and no other file is there', 'files-differ'],
  seals: ['plan and final seal are canonical and differ in the candidates alone', 'seals-differ'],
  cases: [
    'the case index, its digests, the design and the methods follow from the seal',
    'cases-differ',
  ],
  entries: [
    'reservation, exposure and attempts name this plan, this seal and these arms',
    'entries-differ',
  ],
  controls: [
    'every control ran on the sealed cells and was classified as declared',
    'controls-differ',
  ],
  receipts: [
    'every receipt belongs to a planned cell, this exposure and the fence of its time, and the journal is the known one',
    'receipts-differ',
  ],
  gates: [
    'the custom gates were asked with the sealed code, and what they said is recorded',
    'gates-differ',
  ],
  decision: [
    'funnel, pairs, estimates, gates and decision recomputed byte for byte',
    'decision-differs',
  ],
  power: ['the power that was sealed is found by the same simulation', 'power-differs'],
  summary: ['the summary says what the decision says', 'summary-differs'],
  amendments: [
    'every amendment of the plan stands in the ledger, with what it changed and what had been seen',
    'amendment-missing',
  ],
  ledger: ['the ledger is whole and holds the entries of this run', 'entries-differ'],
  outcome: [
    'the recorded outcome names this manifest, this decision and these receipts',
    'outcome-differs',
  ],
} as const satisfies Readonly<Record<string, readonly [string, ReasonCode]>>;

type CheckId = keyof typeof checkNames;

function nameOf(id: CheckId): CheckName {
  const [title, code] = checkNames[id];
  return { id, title, code };
}

/**
 * Checks every byte of a run folder and recomputes its decision.
 * @param files    the folder's files
 * @param ledger   the ledger that recorded the run; null leaves what only a ledger can show unchecked
 * @param demands  whose signatures count and what is demanded of them
 */
export function checkRun(
  files: RunFiles,
  ledger: LedgerView | null,
  demands: Demands = noDemands,
): Verification {
  const list = new Checklist();
  const read: Reading = {};
  readManifest(files, read);
  stage(list, 'seals', files, () => checkSeals(files, read));
  stage(list, 'cases', read.seal, (sealed) => checkCases(files, sealed, read));
  stage(list, 'entries', read.seal, (sealed) => checkEntries(files, sealed, read));
  const ready = readyOf(read);
  const journal = readJournal(files, ready, read);
  list.runFirst(nameOf('manifest'), () => checkManifest(files, journal));
  stage(list, 'controls', ready, (parts) => checkControls(files, parts, read));
  stage(list, 'receipts', ready, (parts) => checkReceipts(files, parts, read));
  if (read.seal !== undefined && (hasCustomGates(read.seal) || files.has(runFileNames.gates)))
    stage(list, 'gates', read.seal, (seal) => checkGates(files, seal, { read, demands }));
  stage(list, 'decision', ready, (parts) => checkDecision(files, parts, read));
  const { power } = demands;
  if (power !== undefined) stage(list, 'power', ready, ({ seal, index }) => power(seal, index));
  stage(list, 'summary', read.document, (document) => checkSummary(files, document, read));
  checkAgainstLedger(list, ledger, read);
  const vouchers = checkTrust(list, ledger, { demands, read });
  return {
    ok: !list.failed,
    exitCode: exitCodeOf(list, ledger),
    checks: list.checks,
    document: read.document ?? null,
    audit: ledger === null ? null : auditOf(read, ledger, { ...vouchers, ...demands }),
    uncheckable: uncheckableOf(read, ledger, demands),
  };
}

/** 42 when the ledger is damaged, or another one than its checkpoints show; 41 for anything else that fails. */
function exitCodeOf(list: Checklist, ledger: LedgerView | null): Verification['exitCode'] {
  if (!list.failed) return 0;
  const contradicted = list.checks.some(({ problems }) =>
    problems.some(({ code }) => code === 'checkpoint-contradicted'),
  );
  return contradicted || (ledger?.problems.length ?? 0) > 0 ? 42 : 41;
}

/** What no check can show, of any run and of this one. */
function uncheckableOf(
  { seal, entries }: Reading,
  ledger: LedgerView | null,
  { reruns }: Demands,
): string[] {
  if (seal === undefined) return [];
  const gaps = entries === undefined ? [] : journalGaps(entries, entries.expose.entry.seq);
  const pinned = ledger?.report.completeness === 'pinned';
  return [
    ...uncheckable(seal).filter((each) => reruns === undefined || each !== unrunGates),
    'whether units were re-worded until they looked new',
    'whether a signing key or this program was in other hands',
    ...(pinned ? [] : ['whether the ledger was longer or another one: no pin was given or known']),
    ...gaps,
  ];
}

function stage<Input>(
  list: Checklist,
  id: CheckId,
  input: Input | undefined,
  work: (input: Input) => Finding,
): void {
  if (input === undefined) list.skip(nameOf(id), 'what it needs could not be read');
  else list.run(nameOf(id), () => work(input));
}

interface Ready {
  readonly seal: SealedExperiment;
  readonly index: CaseIndex;
  readonly entries: RunEntries;
}

function readyOf({ seal, index, entries }: Reading): Ready | undefined {
  if (seal === undefined || index === undefined || entries === undefined) return undefined;
  return { seal, index, entries };
}

/** The manifest where it can be read; {@link checkManifest} says why it cannot. */
function readManifest(files: RunFiles, read: Reading): void {
  try {
    read.manifest = parseManifest(files);
  } catch (thrown) {
    if (!(thrown instanceof LiftgateError)) throw thrown;
  }
}

function checkManifest(files: RunFiles, journal: Material | undefined): Finding {
  const manifest = parseManifest(files);
  const differences = manifestDifferences(manifest, files, journal);
  return findingOf(differences, `${manifest.files.length} files`);
}

/** The one pass over the journal, whose size and digest come with it. A run that cannot be checked further leaves it unread. */
function readJournal(
  files: RunFiles,
  ready: Ready | undefined,
  read: Reading,
): Material | undefined {
  const content = files.get(runFileNames.journal);
  if (content === undefined || ready === undefined) return undefined;
  const { seal, index, entries } = ready;
  read.journal = foldJournal(content, {
    seal,
    schedule: planSchedule({
      cases: finalCases(index),
      arms: armIds(seal.spec),
      repeats: seal.spec.repeats,
      casesDigest: seal.digests.cases,
    }),
    exposure: {
      ledger: entries.expose.entry.ledger,
      expose: entries.expose.id,
      rights: entries.rights,
    },
    marks: entries.marks.map(({ lines }) => lines),
    outputs: readsOutputs(seal),
  });
  return read.journal.material;
}

function checkControls(files: RunFiles, { seal, index, entries }: Ready, read: Reading): Finding {
  const lines = parseReceiptLines(runFile(files, runFileNames.controls), runFileNames.controls);
  read.controls = lines;
  return findingOf(
    controlFaults(seal, index, lines, entries.expose.entry),
    `${seal.spec.controls.length} controls, ${lines.length} receipts`,
  );
}

function checkReceipts(files: RunFiles, { entries }: Ready, read: Reading): Finding {
  runContent(files, runFileNames.journal);
  const { journal } = read;
  invariant(journal !== undefined, 'a journal that is there was read');
  if (journal.failure !== null) throw journal.failure;
  const { lines, duplicates, dangling } = journal;
  const faults = [...journal.faults];
  if (journal.torn) faults.push('the journal ends in a torn line');
  if (duplicates > 0) faults.push(`${duplicates} receipts are recorded twice`);
  if (dangling > 0) faults.push(`${dangling} dispatches have no receipt`);
  read.lines = lines;
  return findingOf(
    [...faults, ...journalFaults(journal.prefixes, entries)],
    `${lines.length} receipts for ${journal.planned} planned cells`,
  );
}

function checkDecision(files: RunFiles, { seal, index, entries }: Ready, read: Reading): Finding {
  const { lines, controls, journal, gates } = read;
  if (lines === undefined || journal === undefined || controls === undefined)
    return { faults: ['receipts or controls could not be read'] };
  const fence = entries.rights.at(-1)?.fence ?? '';
  const log = replyLog(gates);
  const run = {
    ...{ seal, index, lines, controlLines: controls, expose: entries.expose.id, fence },
    ...(gates === undefined ? {} : { replies: log.replies }),
  };
  const evidence = runEvidence(run);
  const document = decide(evidence, runInfo(run));
  read.document = document;
  const ofGates = recordFaults(gates, log);
  if (ofGates.length > 0) return { faults: ofGates };
  const fixed = seal.analysis.looks === undefined;
  const looks = lookFaults(journal.steps, fixed ? [] : judgeSealed(evidence).looks);
  if (looks.length > 0) return { faults: looks };
  const bytes = runFile(files, runFileNames.decision);
  const recorded = formatDecision(parseDecision(bytes, runFileNames.decision));
  const same = recorded === formatDecision(document);
  read.asRecorded = same;
  const shown = document.decisions.map((each) => `${each.candidate} ${each.decision}`).join(', ');
  return same
    ? { detail: shown }
    : { faults: [`recomputed: ${shown}; ${runFileNames.decision} says something else`] };
}

function checkGates(
  files: RunFiles,
  seal: SealedExperiment,
  { read, demands }: { readonly read: Reading; readonly demands: Demands },
): Finding {
  const record = readGateRecord(files, seal);
  if (record === null)
    return { faults: [`${runFileNames.gates} is there, and the seal has no custom gate`] };
  read.gates = record;
  const { reruns } = demands;
  const failed = record.replies.filter(({ reply }) => reply.status === 'failed').length;
  const faults = failed === 0 ? '' : `, ${failed} of them faults`;
  const again =
    reruns === undefined ? 'their code was not run' : 'their code run again says the same';
  return findingOf(
    reruns === undefined ? [] : rerunFaults(record, reruns),
    `${record.replies.length} ${record.replies.length === 1 ? 'reply' : 'replies'}${faults}; ${again}`,
  );
}

function checkSummary(files: RunFiles, document: DecisionDocument, { seal }: Reading): Finding {
  if (seal === undefined) return { faults: ['the seal could not be read'] };
  const recorded = runFile(files, runFileNames.summary);
  return digestOf(renderSummary(document, seal)) === digestOf(recorded)
    ? { detail: runFileNames.summary }
    : { faults: [`${runFileNames.summary} differs from the recomputed summary`] };
}

function checkAgainstLedger(list: Checklist, ledger: LedgerView | null, read: Reading): void {
  if (ledger === null) {
    const why = 'no ledger was given: the folder could have been remade as a whole';
    list.skip(nameOf('ledger'), why);
    list.skip(nameOf('outcome'), why);
    return;
  }
  stage(list, 'ledger', read.entries, (entries) => checkLedgerEntries(ledger, entries));
  if (ledger.problems.length > 0) {
    list.skip(nameOf('outcome'), 'the ledger is damaged');
    return;
  }
  const { seal } = read;
  if (seal !== undefined && seal.amendments.length > 0)
    list.run(nameOf('amendments'), () => checkAmendments(seal, ledger.state));
  stage(list, 'outcome', read.entries, (entries) => checkOutcome(ledger, entries, read));
}
