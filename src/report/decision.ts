/**
 * `decision.json`: what was decided for every candidate, and why.
 *
 * `decisions` holds the contributions and numbers, `verdict` what is equal byte for byte whenever the host is deterministic
 * (measures of the clock left out), `run` times, attempts, digests and cost. One canonical line. A future version changes the word
 * in `type`.
 */
import { estimateSchema, sampleSizeSchema } from '../analysis/estimate.ts';
import { type Evidence, primaryMeasure } from '../analysis/evidence.ts';
import { type Funnel, funnelSchema } from '../analysis/funnel.ts';
import { canonicalLine } from '../base/canonical.ts';
import { LiftgateError } from '../base/errors.ts';
import * as z from '../base/shape.ts';
import { readRecorded } from '../base/strict-json.ts';
import { composeDecision, decisiveContribution, strongerOf } from '../gate/compose.ts';
import { customGates } from '../gate/custom.ts';
import { furtherUnitsSchema } from '../gate/further-units.ts';
import {
  type Contribution,
  contributionSchema,
  type Decision,
  decisionSchema,
  shownNumber,
} from '../gate/gate.ts';
import { correctionSchema } from '../gate/joint-law.ts';
import { type CandidateJudgement, isConfirmatory } from '../gate/judge.ts';
import { judgeSealed, type SealedJudgement } from '../gate/sequential.ts';
import { claimUseSchema } from '../spec/claim.ts';
import { gateName } from '../spec/gates.ts';
import { isWallClock } from '../spec/measure.ts';
import type { SealedExperiment } from '../spec/seal.ts';
import {
  missingCells,
  missingSchema,
  primaryEstimate,
  regressedUnits,
  shownEstimates,
} from './candidate-facts.ts';
import { type RunInfo, runFacts, runFactsSchema } from './run-facts.ts';
import { lookText, stoppingFacts, stoppingFactsSchema } from './stopping-facts.ts';

/** Type and version word of `decision.json`. */
export const decisionType = 'liftgate/decision/v1';

/** Recorded shape of the decision about one candidate; `step.of` counts the candidates. */
export const candidateDecisionSchema = z.strictObject({
  candidate: z.string(),
  decision: decisionSchema,
  reason: z.string(),
  cap: z.literal('not-confirmatory').nullable(),
  sameSurface: z.boolean().describe('The candidate is the baseline byte for byte: an A/A run.'),
  step: z.strictObject({ rejected: z.boolean(), step: z.int(), divisor: z.number(), of: z.int() }),
  correction: correctionSchema
    .optional()
    .describe('Under multiplicity max-t, with several candidates.'),
  improvement: estimateSchema.nullable(),
  contributions: z.array(contributionSchema),
  furtherUnits: z.array(furtherUnitsSchema),
  shown: z.array(estimateSchema).describe('Measures that no interval gate reads.'),
  regressed: z.strictObject({ count: z.int(), units: z.array(z.string()) }),
  missing: missingSchema,
  stopping: stoppingFactsSchema.optional().describe('Of a sequential design: its looks.'),
});
/** The decision about one candidate with everything it rests on. */
export type CandidateDecision = z.infer<typeof candidateDecisionSchema>;

/** Recorded shape of the verdict. */
export const verdictSchema = z.strictObject({
  experiment: z.string(),
  claimUse: claimUseSchema,
  evidence: z.enum(['confirmatory', 'not-confirmatory']),
  decisions: z.array(
    z.strictObject({
      candidate: z.string(),
      decision: decisionSchema,
      reason: z.string(),
      improvement: z.number().nullable(),
      interval: z
        .strictObject({ lower: z.number(), upper: z.number(), level: z.number() })
        .nullable(),
      n: sampleSizeSchema.nullable(),
    }),
  ),
  exitCode: z.int(),
  funnel: funnelSchema,
});
/** The part of a decision that a deterministic host reproduces byte for byte. */
export type Verdict = z.infer<typeof verdictSchema>;

/** Recorded shape of `decision.json`. */
export const decisionDocumentSchema = z.strictObject({
  type: z.literal(decisionType),
  decisions: z.array(candidateDecisionSchema),
  verdict: verdictSchema,
  run: runFactsSchema,
});
/** The whole of `decision.json`. */
export type DecisionDocument = z.infer<typeof decisionDocumentSchema>;

/** Exit codes of the decisions themselves (DESIGN 10). */
const decisionExitCodes: Readonly<Record<Decision, number>> = {
  ship: 0,
  hold: 20,
  need_more_work: 21,
  model_ceiling: 22,
  arch_ceiling: 23,
};

/** Exit code when nothing but faults stands between the evidence and a decision. */
const incompleteExitCode = 30;

/** What the exit code looks at. */
export interface Decided {
  readonly decision: Decision;
  readonly contributions: readonly Contribution[];
}

function isIncompleteByFault({ decision, contributions }: Decided): boolean {
  const failing = contributions.filter((each) => each.required && each.status !== 'pass');
  return (
    decision === 'need_more_work' &&
    failing.length > 0 &&
    failing.every((each) => each.finding === 'insufficient' && each.flags.includes('lost-by-fault'))
  );
}

/**
 * Exit code of a run: 0 if any candidate ships, else that of the strongest decision; 30 in place of 21 when the only failing
 * required contributions are insufficient through faults, evaluator failures or cancelled cells.
 *
 * @example exitCodeOf([{ decision: 'hold', contributions: [] }, { decision: 'ship', contributions: [] }]) // => 0
 */
export function exitCodeOf(decided: readonly Decided[]): number {
  if (decided.some((each) => each.decision === 'ship')) return decisionExitCodes.ship;
  const strongest = decided.map((each) => each.decision).reduce(strongerOf, 'need_more_work');
  if (strongest !== 'need_more_work') return decisionExitCodes[strongest];
  const incomplete = decided.length > 0 && decided.every(isIncompleteByFault);
  return incomplete ? incompleteExitCode : decisionExitCodes.need_more_work;
}

function isClockMeasure(seal: SealedExperiment, id: string | null): boolean {
  const measure = id === null ? undefined : seal.spec.measures[id];
  return measure !== undefined && isWallClock(measure);
}

/** One contribution as a sentence; numbers of the clock stay out, so that a verdict repeats byte for byte. */
function contributionSentence(seal: SealedExperiment, contribution: Contribution): string {
  const { name, measure, finding, reason } = contribution;
  const custom = customGates(seal.decision.gates).find((each) => gateName(each) === name);
  const read = custom?.measures ?? [measure];
  return `${name}: ${read.some((id) => isClockMeasure(seal, id)) ? finding : reason}`;
}

function shipSentence(
  seal: SealedExperiment,
  improvement: CandidateDecision['improvement'],
): string {
  if (improvement === null || isClockMeasure(seal, improvement.measure)) {
    return 'every required gate passed';
  }
  const { value, interval, n, measure } = improvement;
  const shown = `${shownNumber(value)} (${shownNumber(interval.lower)} .. ${shownNumber(interval.upper)})`;
  return `${measure} improves by ${shown} over ${n.units} units and every required gate passed`;
}

function capSentence(evidence: Evidence): string {
  if (evidence.exploratory === true)
    return 'not-confirmatory: exploratory, decided under another rule than the sealed one';
  return evidence.confirmatory
    ? 'not-confirmatory: a development claim never ships'
    : 'not-confirmatory: receipts from outside a sealed run decide nothing';
}

function reasonOf(
  evidence: Evidence,
  judged: CandidateJudgement,
  improvement: CandidateDecision['improvement'],
): string {
  const { seal } = evidence;
  if (judged.decision === 'ship') return shipSentence(seal, improvement);
  const own = judged.contributions.filter((each) => !each.flags.includes('not-confirmatory'));
  const decisive = decisiveContribution(own, composeDecision(own));
  const why = decisive === null ? '' : contributionSentence(seal, decisive);
  if (!isCapped(evidence, judged)) return why === '' ? 'no required gate was asked' : why;
  return why === '' ? capSentence(evidence) : `${capSentence(evidence)}; ${why}`;
}

function isCapped(evidence: Evidence, judged: CandidateJudgement): boolean {
  const stands = evidence.confirmatory && strongerOf(judged.decision, 'hold') === judged.decision;
  return !isConfirmatory(evidence) && !stands;
}

/** The funnel of every candidate at its own look; rows at the last one. */
function sealedFunnel({ analysis, candidates }: SealedJudgement): Funnel {
  return {
    rows: analysis.funnel.rows,
    candidates: candidates.flatMap((each) =>
      each.analysis.funnel.candidates.filter(({ candidate }) => candidate === each.candidate),
    ),
  };
}

/** Funnel without the measures of the clock. */
function reproducibleFunnel(seal: SealedExperiment, funnel: Funnel): Funnel {
  return {
    rows: funnel.rows,
    candidates: funnel.candidates.map((each) => ({
      ...each,
      measures: each.measures.filter(({ measure }) => !isClockMeasure(seal, measure)),
    })),
  };
}

function verdictEntry(
  seal: SealedExperiment,
  each: CandidateDecision,
): Verdict['decisions'][number] {
  const { candidate, decision, reason, improvement } = each;
  if (improvement === null || isClockMeasure(seal, improvement.measure)) {
    return { candidate, decision, reason, improvement: null, interval: null, n: null };
  }
  const { lower, upper, level } = improvement.interval;
  return {
    candidate,
    decision,
    reason,
    improvement: improvement.value,
    interval: { lower, upper, level },
    n: improvement.n,
  };
}

/**
 * Decides about every candidate of a sealed experiment from its receipts.
 *
 * Pure: equal evidence gives an equal document, whatever the order of the receipts. No caller can pass an estimate, an interval,
 * a level or a threshold: all come from the seal.
 *
 * @param run  what the receipts do not say about the run: expose entry, fence, start and end
 * @throws {LiftgateError} seal-invalid, receipt-invalid, run-invalid or design-refused, as `judgeSealed`
 */
export function decide(evidence: Evidence, run: RunInfo): DecisionDocument {
  const { seal } = evidence;
  const judgement = judgeSealed(evidence);
  const { candidates } = judgement;
  const decisions = candidates.map((judged): CandidateDecision => {
    const { analysis } = judged;
    const improvement = primaryEstimate(analysis, judged);
    const stopping = stoppingFacts(evidence, judgement, judged);
    const reason = reasonOf(evidence, judged, improvement);
    return {
      candidate: judged.candidate,
      decision: judged.decision,
      reason: stopping === null ? reason : `${reason}; ${lookText(stopping)}`,
      cap: isCapped(evidence, judged) ? 'not-confirmatory' : null,
      sameSurface: hasBaselineSurface(seal, judged.candidate),
      step: { ...judged.step, of: candidates.length },
      ...(judged.correction === null ? {} : { correction: judged.correction }),
      improvement,
      contributions: [...judged.contributions],
      furtherUnits: [...judged.furtherUnits],
      shown: shownEstimates(analysis, judged.candidate),
      regressed: regressedUnits(analysis, judged.candidate, primaryMeasure(seal)),
      missing: missingCells(analysis, judged.candidate),
      ...(stopping === null ? {} : { stopping }),
    };
  });
  return {
    type: decisionType,
    decisions,
    verdict: {
      experiment: seal.experimentId,
      claimUse: seal.claim.use,
      evidence: isConfirmatory(evidence) ? 'confirmatory' : 'not-confirmatory',
      decisions: decisions.map((each) => verdictEntry(seal, each)),
      exitCode: exitCodeOf(decisions),
      funnel: reproducibleFunnel(seal, sealedFunnel(judgement)),
    },
    run: runFacts(evidence, run),
  };
}

function hasBaselineSurface(seal: SealedExperiment, candidate: string): boolean {
  const baseline = seal.arms.find((arm) => arm.role === 'baseline');
  const own = seal.arms.find((arm) => arm.id === candidate);
  if (baseline === undefined || own === undefined) return false;
  return (
    own.surfaceDigest !== null &&
    own.surfaceDigest === baseline.surfaceDigest &&
    canonicalLine(own.pins) === canonicalLine(baseline.pins)
  );
}

/** Exact bytes of `decision.json`. */
export function formatDecision(document: DecisionDocument): string {
  return canonicalLine(document);
}

/**
 * Reads the bytes of a `decision.json`.
 * @throws {LiftgateError} run-invalid  when a byte differs from the canonical form or a member is missing or unknown
 */
export function parseDecision(bytes: Uint8Array, file?: string): DecisionDocument {
  const parsed = readRecorded(bytes, decisionDocumentSchema, { file, errorCode: 'run-invalid' });
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new LiftgateError(
    'run-invalid',
    `The decision does not have the shape ${decisionType}: ${issue?.message ?? ''}.`,
    {
      where: { file, path: issue?.path.join('.') },
      mend: 'Restore the file; decisions are written by `run` and `decide` and never edited.',
    },
  );
}
