/**
 * The report's view model: everything a report shows, made once from the recorded decision and its evidence.
 *
 * HTML, JSON, JUnit and the GitHub formats are written from this value alone, so they cannot disagree: decisions, contributions and
 * exit codes are those of decision.json, what stands beside them is read from the same receipts. Plain data, `liftgate/report/v1`
 * as JSON; a future version changes the word in `type`.
 */
import { type Analysis, analyzeEvidence } from '../analysis/analyze.ts';
import { type Evidence, measureOf } from '../analysis/evidence.ts';
import type { FunnelStage } from '../analysis/funnel.ts';
import { atLook, looksOf } from '../analysis/look.ts';
import { plannedCases } from '../analysis/settle.ts';
import { canonicalText } from '../base/canonical.ts';
import { invariant } from '../base/errors.ts';
import { rowsOf } from '../base/rows.ts';
import { strongerOf } from '../gate/compose.ts';
import type { Decision } from '../gate/gate.ts';
import type { ControlResult } from '../run/receipt.ts';
import type { SealedExperiment } from '../spec/seal.ts';
import { placeboArm } from '../spec/spec.ts';
import { type CandidateDecision, type DecisionDocument, exitCodeOf } from './decision.ts';
import { uncheckable } from './markdown.ts';
import type { RunFacts } from './run-facts.ts';
import { headlineOf, standingText } from './verdict-lines.ts';
import { type AmendmentView, amendmentViews } from './view-amendments.ts';
import { type DifferencesView, differencesOf, type EvidenceCaps } from './view-differences.ts';
import { type LatencyViews, latencyViews } from './view-latency.ts';
import { type MeasureView, measureViews } from './view-measures.ts';
import { type ArmUsage, armUsages } from './view-usage.ts';

/** Type and version word of the JSON report. */
export const reportType = 'liftgate/report/v1';

/** A recorded decision with the evidence it was made from. */
export interface ReportInput {
  readonly document: DecisionDocument;
  readonly evidence: Evidence;
}

/** Sizes, each counted apart: repeats never make more units, attempts never make more cells. */
export interface Counts {
  readonly inputRows: number;
  readonly units: number;
  readonly cases: number;
  readonly repeats: number;
  readonly arms: number;
  readonly plannedCells: number;
  readonly settledCells: number;
  readonly attempts: number;
}

/** One candidate: what was recorded, its own exit code, why in one sentence, and its units. */
export interface CandidateView {
  readonly decided: CandidateDecision;
  /** Exit code of this candidate alone (DESIGN 10). */
  readonly exitCode: number;
  readonly sentence: string;
  /** Place in the order of candidates, in words; empty for a single candidate. */
  readonly place: string;
  readonly cells: readonly FunnelStage[];
  readonly stages: readonly { readonly measure: string; readonly stages: readonly FunnelStage[] }[];
  /** The primary measure first, then guardrails and critical ones. */
  readonly differences: readonly DifferencesView[];
}

/** What ran, by arm, and whether it is what was sealed. */
export interface ArmView {
  readonly arm: string;
  readonly role: 'baseline' | 'candidate' | 'placebo';
  readonly surfaceDigest: string | null;
  readonly files: readonly string[];
  readonly model: string | null;
  readonly packages: readonly string[];
  readonly consistency: string;
  readonly reasons: readonly string[];
}

/** A host that answered, and how many receipts say so. */
export interface HostView {
  readonly name: string;
  readonly version: string;
  readonly buildDigest: string | null;
  readonly dirty: boolean | null;
  readonly receipts: number;
}

/** Everything a report shows. */
export interface ReportView {
  readonly type: typeof reportType;
  readonly experiment: string;
  readonly headline: string;
  /** ship when any candidate ships, else the strongest decision. */
  readonly decision: Decision;
  readonly exitCode: number;
  readonly evidence: 'confirmatory' | 'not-confirmatory';
  readonly claim: SealedExperiment['claim'];
  readonly level: number;
  readonly candidates: readonly CandidateView[];
  readonly measures: readonly MeasureView[];
  readonly counts: Counts;
  readonly rows: readonly FunnelStage[];
  readonly latency: LatencyViews;
  readonly usage: readonly ArmUsage[];
  readonly controls: readonly ControlResult[] | null;
  readonly arms: readonly ArmView[];
  readonly hosts: readonly HostView[];
  readonly engine: SealedExperiment['engine'];
  readonly evaluatorTree: string;
  readonly datasetTree: string;
  /** Amendments of the plan before the exposure, oldest first. */
  readonly amendments: readonly AmendmentView[];
  readonly run: RunFacts;
  readonly uncheckable: readonly string[];
}

const decisionPhrases: Readonly<Record<Decision, string>> = {
  ship: 'may ship',
  hold: 'is held',
  need_more_work: 'needs more work',
  model_ceiling: 'has reached the ceiling of its model',
  arch_ceiling: 'has reached the ceiling of its architecture',
};

/**
 * A decision and its one reason as a sentence.
 * @example decisionSentence({ candidate: 'r2', decision: 'hold', reason: 'controls: none ran' }) // => 'r2 is held: controls: none ran.'
 */
export function decisionSentence(
  decided: Pick<CandidateDecision, 'candidate' | 'decision' | 'reason'>,
): string {
  return `${decided.candidate} ${decisionPhrases[decided.decision]}: ${decided.reason}.`;
}

function overallOf(decisions: readonly Pick<CandidateDecision, 'decision'>[]): Decision {
  const found = decisions.map((each) => each.decision);
  return found.includes('ship') ? 'ship' : found.reduce(strongerOf, 'need_more_work');
}

/** Regressions with evidence over all candidates stay near a hundred, so that a report of 5,000 units stays small. */
function evidenceCaps(candidates: number): EvidenceCaps {
  const share = Math.floor(100 / Math.max(1, candidates));
  return { units: Math.min(25, Math.max(5, share)), pairs: 5 };
}

function differencesViews(analysis: Analysis, id: string): DifferencesView[] {
  const candidate = analysis.candidates.find((each) => each.id === id);
  invariant(candidate !== undefined, 'a decided candidate is analysed');
  const caps = evidenceCaps(analysis.candidates.length);
  const request = { candidate, baselineCells: analysis.baselineCells, caps };
  const measured = [...candidate.measures.values()];
  return (['primary', 'guardrail', 'critical'] as const).flatMap((role) =>
    measured
      .filter(({ id: measure }) => measureOf(analysis.seal, measure).role === role)
      .map((each) => differencesOf(each, request)),
  );
}

function candidateView(decided: CandidateDecision, analysis: Analysis): CandidateView {
  const funnel = analysis.funnel.candidates.find((each) => each.candidate === decided.candidate);
  return {
    decided,
    exitCode: exitCodeOf([decided]),
    sentence: decisionSentence(decided),
    place: standingText(decided, analysis.seal.decision.multiplicity),
    cells: funnel?.cells ?? [],
    stages: funnel?.measures ?? [],
    differences: differencesViews(analysis, decided.candidate),
  };
}

function countsOf({ evidence }: ReportInput, analysis: Analysis): Counts {
  const planned = plannedCases({ ...evidence, ...(analysis.look && { look: analysis.look }) });
  const { candidates, baselineCells, placeboCells } = analysis;
  const cells = rowsOf(...candidates.map((each) => each.cells), baselineCells, placeboCells);
  return {
    inputRows: evidence.index.rows.length,
    units: new Set(planned.map((each) => each.unit)).size,
    cases: planned.length,
    repeats: evidence.seal.cells.replicates,
    arms: evidence.seal.arms.length,
    plannedCells: cells.length,
    settledCells: cells.filter(({ settlement }) => settlement.status === 'settled').length,
    attempts: evidence.lines.length,
  };
}

function armViews({ seal, provenance }: Evidence): ArmView[] {
  return seal.arms.map((arm) => {
    const found = provenance.find((each) => each.arm === arm.id);
    return {
      arm: arm.id,
      role: arm.role,
      surfaceDigest: arm.surfaceDigest,
      files: arm.materials.map((material) => material.path),
      model: arm.pins.model,
      packages: arm.pins.packages.map((each) => each.name),
      consistency: found?.consistency ?? 'unverified',
      reasons: found?.reasons ?? ['nothing was compared'],
    };
  });
}

function hostViews({ lines }: Evidence): HostView[] {
  const hosts = new Map<string, HostView>();
  for (const { receipt } of lines) {
    const key = canonicalText(receipt.host);
    const receipts = (hosts.get(key)?.receipts ?? 0) + 1;
    hosts.set(key, { ...receipt.host, receipts });
  }
  return [...hosts.values()];
}

/** Analyses by look, each made once; look 0 is that of all evidence. */
function analysesOf(evidence: Evidence): (look: number) => Analysis {
  const looks = looksOf(evidence);
  const known = new Map<number, Analysis>();
  return (number) => {
    const look = looks[number - 1];
    const found = known.get(number) ?? analyzeEvidence(look ? atLook(evidence, look) : evidence);
    known.set(number, found);
    return found;
  };
}

/** The look a decision fell at, 0 in a fixed design. */
function lookOf({ stopping }: CandidateDecision): number {
  return stopping?.look ?? 0;
}

/**
 * The view model of a recorded decision.
 *
 * @param input  decision and the evidence it was made from; the caller has held both against each other
 * @throws {LiftgateError} seal-invalid, receipt-invalid  as `analyzeEvidence`
 */
export function reportView(input: ReportInput): ReportView {
  const { document, evidence } = input;
  const { seal } = evidence;
  const at = analysesOf(evidence);
  const analysis = at(Math.max(0, ...document.decisions.map(lookOf)));
  const cells = [
    { arm: analysis.baselineCells.at(0)?.cell.arm ?? 'baseline', cells: analysis.baselineCells },
    ...analysis.candidates.map((each) => ({ arm: each.id, cells: each.cells })),
    ...(analysis.placeboCells.length === 0
      ? []
      : [{ arm: placeboArm, cells: analysis.placeboCells }]),
  ];
  return {
    type: reportType,
    experiment: seal.experimentId,
    headline: headlineOf(document.decisions),
    decision: overallOf(document.decisions),
    exitCode: document.verdict.exitCode,
    evidence: document.verdict.evidence,
    claim: seal.claim,
    level: seal.analysis.level,
    candidates: document.decisions.map((decided) => candidateView(decided, at(lookOf(decided)))),
    measures: measureViews(seal, document.decisions),
    counts: countsOf(input, analysis),
    rows: document.verdict.funnel.rows,
    latency: latencyViews(cells),
    usage: armUsages(
      cells.map(({ arm }) => arm),
      evidence.lines,
    ),
    controls: evidence.controls,
    arms: armViews(evidence),
    hosts: hostViews(evidence),
    engine: seal.engine,
    evaluatorTree: seal.evaluator.tree,
    datasetTree: seal.dataset.tree,
    amendments: amendmentViews(seal),
    run: document.run,
    uncheckable: uncheckable(seal),
  };
}
