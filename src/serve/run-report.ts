/** A run folder as a report: its files read, held against each other, and turned into the view model. */
import type { Evidence } from '../analysis/evidence.ts';
import { canonicalText } from '../base/canonical.ts';
import { type Digest, digestOf } from '../base/digest.ts';
import { LiftgateError } from '../base/errors.ts';
import type { Rows } from '../base/rows.ts';
import { readRecorded } from '../base/strict-json.ts';
import { type DecisionDocument, parseDecision } from '../report/decision.ts';
import { receiptsRoot } from '../report/run-facts.ts';
import { type ReportView, reportView } from '../report/view.ts';
import type { GateRunner } from '../run/gate-reply.ts';
import type { EvidenceLine } from '../run/measured-line.ts';
import { planSchedule } from '../run/schedule.ts';
import { type CaseIndex, caseIndexSchema, finalCases } from '../spec/case-index.ts';
import { parseSeal, type SealedExperiment, sealDigest } from '../spec/seal.ts';
import { armIds, candidateIds } from '../spec/spec.ts';
import { GateDesk } from '../store/gate-desk.ts';
import { readRunFiles } from '../store/run-folder.ts';
import { runEvidence } from '../verify/evidence.ts';
import { foldJournal } from '../verify/fold-journal.ts';
import {
  type GateRecord,
  type Reruns,
  readGateRecord,
  recordedTexts,
  replyLog,
} from '../verify/gate-record.ts';
import {
  parseReceiptLines,
  type RunFiles,
  runContent,
  runFile,
  runFileNames,
} from '../verify/record.ts';

/** What a run folder shows. */
export interface RunReport {
  readonly document: DecisionDocument;
  readonly seal: SealedExperiment;
  readonly view: ReportView;
  /** Digest of the manifest, as the ledger's outcome entry names it. */
  readonly runDigest: Digest;
}

function readIndex(files: RunFiles): CaseIndex {
  const file = runFileNames.cases;
  const parsed = readRecorded(runFile(files, file), caseIndexSchema, { file });
  if (parsed.success) return parsed.data;
  throw new LiftgateError('run-invalid', 'The case index does not have the shape of one.', {
    where: { file, path: parsed.error.issues[0]?.path.join('.') },
    mend: 'Restore the recorded file.',
  });
}

function readLines(files: RunFiles, seal: SealedExperiment, index: CaseIndex): Rows<EvidenceLine> {
  const file = runFileNames.journal;
  const schedule = planSchedule({
    cases: finalCases(index),
    arms: armIds(seal.spec),
    repeats: seal.spec.repeats,
    casesDigest: seal.digests.cases,
  });
  const journal = foldJournal(runContent(files, file), {
    ...{ seal, schedule, exposure: null, marks: [], outputs: true },
  });
  if (journal.failure !== null) throw journal.failure;
  return journal.lines;
}

interface ReadRun {
  readonly seal: SealedExperiment;
  /** Digest of the seal's stored bytes. */
  readonly digest: Digest;
  readonly lines: Rows<EvidenceLine>;
}

/** A seal of an earlier form gains members when it is read, and then nothing that names its digest would fit. */
function requireOwnSeal({ seal, digest }: ReadRun): void {
  if (sealDigest(seal) === digest) return;
  throw new LiftgateError('run-invalid', 'The seal was written in the form of another version.', {
    where: { file: runFileNames.seal, path: 'engine.version' },
    mend: `Report it with the version that sealed it: liftgate ${seal.engine.version}, build ${seal.engine.build}.`,
  });
}

/** A report shows decision and evidence side by side, so both must be of one run; `verify` checks everything else. */
function requireOneRun(document: DecisionDocument, { seal, digest, lines }: ReadRun): void {
  const { run, decisions, verdict } = document;
  const candidates = canonicalText([...candidateIds(seal.spec)]);
  const tests: readonly (readonly [boolean, string])[] = [
    [run.sealDigest === digest, `the seal in ${runFileNames.seal}`],
    [run.receiptsRoot === receiptsRoot(lines), `the receipts in ${runFileNames.journal}`],
    [
      canonicalText(decisions.map((each) => each.candidate)) === candidates,
      'the candidates of the seal',
    ],
    [verdict.experiment === seal.experimentId, 'the experiment of the seal'],
  ];
  const broken = tests.filter(([holds]) => !holds).map(([, what]) => what);
  if (broken.length === 0) return;
  throw new LiftgateError(
    'run-invalid',
    `The decision was not made from what lies beside it: it names other bytes than ${broken.join(' and ')}.`,
    {
      where: { file: runFileNames.decision },
      mend: 'Restore the whole run folder; `liftgate verify` says which file changed.',
    },
  );
}

/** A run folder as recorded. */
export interface RecordedRunFolder {
  readonly document: DecisionDocument;
  readonly seal: SealedExperiment;
  readonly evidence: Evidence;
  /** Digest of the manifest, as the ledger's outcome entry names it. */
  readonly runDigest: Digest;
  /** Code and replies of its custom gates; null without one. */
  readonly gates: GateRecord | null;
}

/**
 * Reads a run folder back into the evidence its decision was made from. Nothing is written, and the folder's bytes stay as they are.
 *
 * @param folder  path of a run folder that `liftgate run` finished
 * @throws {LiftgateError} run-invalid when a file is missing, unreadable or of another run; seal-invalid, receipt-invalid
 */
export function readRecordedRun(folder: string): RecordedRunFolder {
  return recordedRun(readRunFiles(folder));
}

/**
 * The same from the files of a run folder.
 * @throws {LiftgateError} as `readRecordedRun`
 */
function recordedRun(files: RunFiles): RecordedRunFolder {
  const document = parseDecision(runFile(files, runFileNames.decision), runFileNames.decision);
  const seal = parseSeal(runFile(files, runFileNames.seal), runFileNames.seal);
  const index = readIndex(files);
  const lines = readLines(files, seal, index);
  const digest = digestOf(runFile(files, runFileNames.seal));
  requireOneRun(document, { seal, digest, lines });
  requireOwnSeal({ seal, digest, lines });
  const controlLines = parseReceiptLines(
    runFile(files, runFileNames.controls),
    runFileNames.controls,
  );
  const { expose, fence } = document.run;
  if (expose === null) {
    throw new LiftgateError('run-invalid', 'The decision names no exposure.', {
      where: { file: runFileNames.decision, path: 'run.expose' },
      mend: 'Name a folder that `liftgate run` wrote.',
    });
  }
  const gates = readGateRecord(files, seal);
  const replies = gates === null ? undefined : replyLog(gates).replies;
  const run = { seal, index, lines, controlLines, expose, fence: fence ?? '', replies };
  const runDigest = digestOf(runFile(files, runFileNames.manifest));
  return { document, seal, evidence: runEvidence(run), runDigest, gates };
}

/**
 * Runs the recorded code of the custom gates of a run again, on the evidence as it is recorded.
 * @returns what it says now, by input; nothing where the run cannot be read, which verification tells by itself
 */
export async function rerunGates(files: RunFiles, runner: GateRunner): Promise<Reruns> {
  try {
    const { seal, evidence, gates } = recordedRun(files);
    if (gates === null) return new Map();
    const desk = new GateDesk({ seal, texts: recordedTexts(gates), runner });
    await desk.askAll(evidence);
    return desk.said;
  } catch (error) {
    if (error instanceof LiftgateError && error.code !== 'internal') return new Map();
    throw error;
  }
}

/**
 * Reads a run folder into the report's view model.
 * @throws {LiftgateError} as `readRecordedRun`
 */
export function readReport(folder: string): RunReport {
  const { document, seal, evidence, runDigest } = readRecordedRun(folder);
  return { document, seal, view: reportView({ document, evidence }), runDigest };
}
