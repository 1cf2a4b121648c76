/** All gates in one call: evidence to contributions, decision and further units of every candidate. */
import { type Analysis, analyzeEvidence, type CandidateAnalysis } from '../analysis/analyze.ts';
import { baselineOf, type Evidence, gatedMeasures, measureOf } from '../analysis/evidence.ts';
import { invariant } from '../base/errors.ts';
import { rowsOf } from '../base/rows.ts';
import { type GateDeclaration, gateName } from '../spec/gates.ts';
import type { HolmStep } from '../stats/multiplicity.ts';
import { hasBound } from './bound-gate.ts';
import { judgeCompleteness } from './completeness.ts';
import { composeDecision } from './compose.ts';
import {
  judgeBudget,
  judgeControls,
  judgePower,
  judgeProvenance,
  notConfirmatory,
} from './conduct.ts';
import { judgeCritical } from './critical.ts';
import { customGates, judgeCustom } from './custom.ts';
import { judgeMatchedBudget } from './efficiency.ts';
import { judgeEvaluator } from './evaluator.ts';
import { furtherForOther } from './further-others.ts';
import { asksForOwnPower } from './further-simulated.ts';
import { costOfMore, type FurtherUnits, withCost } from './further-units.ts';
import type { Contribution, Decision } from './gate.ts';
import { judgeInterleaving } from './interleaving.ts';
import type { Correction } from './joint-law.ts';
import { judgeCanary, judgeMonitored } from './monitoring.ts';
import { type BoundJudgement, judgeBounds } from './multiplicity.ts';
import { allGates } from './sealed-gates.ts';
import { judgeInfrastructure } from './symmetry.ts';

/** What the gates say about one candidate. */
export interface CandidateJudgement {
  readonly candidate: string;
  readonly decision: Decision;
  /** True when a decision was lowered because the evidence confirms nothing. */
  readonly capped: boolean;
  readonly step: HolmStep;
  /** Under `multiplicity: max-t` with several candidates: what divided their error, and why. */
  readonly correction: Correction | null;
  /** In the sealed order of gates, the always-required ones last. */
  readonly contributions: readonly Contribution[];
  readonly furtherUnits: readonly FurtherUnits[];
}

/** Analysis and judgements, candidates in the order that decides ties. */
export interface Judgement {
  readonly analysis: Analysis;
  readonly candidates: readonly CandidateJudgement[];
}

function anyLoss(candidates: readonly CandidateAnalysis[], gated: readonly string[]): boolean {
  return candidates.some(({ measures, overPlacebo }) =>
    gated.some((id) =>
      [measures, overPlacebo].some((each) => (each?.get(id)?.sample.lost.length ?? 0) > 0),
    ),
  );
}

interface JudgeContext {
  readonly evidence: Evidence;
  readonly analysis: Analysis;
  readonly gates: readonly GateDeclaration[];
  readonly gated: readonly string[];
}

function judgeOther(
  declared: GateDeclaration,
  candidate: CandidateAnalysis,
  context: JudgeContext,
): Contribution | null {
  const { evidence, analysis } = context;
  const { seal } = evidence;
  if (hasBound(declared)) return null;
  switch (declared.gate) {
    case 'lift':
    case 'no-regression':
    case 'rate':
    case 'latency':
    case 'neutral-control':
    case 'reward-hacking':
    case 'pareto':
    case 'completeness':
      return null;
    case 'contamination':
      return judgeMonitored(analysis, declared, { candidate, filled: false, error: 0 });
    case 'infrastructure-symmetry':
      return evidence.confirmatory
        ? judgeInfrastructure(declared, analysis, candidate)
        : notConfirmatory(declared);
    case 'interleaving':
      return evidence.confirmatory
        ? judgeInterleaving(declared, analysis, candidate)
        : notConfirmatory(declared);
    case 'custom':
      return judgeCustom({ declared, analysis, candidate, filled: false }, evidence.replies);
    case 'evaluator':
      return judgeEvaluator(declared, seal);
    case 'canary':
      return judgeCanary(analysis, declared, candidate);
    case 'critical':
      return judgeCritical({
        declared,
        measure: measureOf(seal, declared.measure),
        candidate,
        baselineCells: analysis.baselineCells,
        error: seal.analysis.errorLevels.rate,
      });
    case 'budget':
      return judgeBudget(declared, evidence);
    case 'matched-budget':
      return judgeMatchedBudget(declared, candidate.cells, analysis.baselineCells);
    case 'controls':
      return judgeControls(declared, evidence);
    case 'provenance':
      return judgeProvenance(declared, evidence, [
        { id: baselineOf(seal).id, cells: analysis.baselineCells },
        candidate,
        ...seal.arms
          .filter(({ role }) => role === 'placebo')
          .map(({ id }) => ({ id, cells: analysis.placeboCells })),
      ]);
    case 'power':
      return judgePower(declared, seal);
  }
}

interface CandidateBounds {
  readonly observed: BoundJudgement;
  readonly filled: BoundJudgement;
}

function judgeCandidate(
  candidate: CandidateAnalysis,
  bounds: CandidateBounds,
  context: JudgeContext,
): CandidateJudgement {
  const { evidence, analysis, gates, gated } = context;
  const others = new Map(gates.map((gate) => [gate, judgeOther(gate, candidate, context)]));
  const rest = [...others.values()].filter((each) => each !== null);
  const observed = composeDecision([...bounds.observed.contributions, ...rest]);
  const filled = composeDecision([
    ...bounds.filled.contributions,
    ...rest.filter(({ gate }) => gate !== 'custom'),
    ...customGates(gates).map((declared) =>
      judgeCustom({ declared, analysis, candidate, filled: true }, evidence.replies),
    ),
  ]);
  const completeness = gates.find((gate) => gate.gate === 'completeness');
  invariant(completeness !== undefined, 'completeness is always required');
  const complete = judgeCompleteness({
    name: gateName(completeness),
    candidate,
    otherCells: rowsOf(analysis.baselineCells, analysis.placeboCells),
    gated,
    maxLostShare: evidence.seal.spec.loss.maxLostShare,
    observed,
    filled,
  });
  const boundQueue = [...bounds.observed.contributions];
  const contributions = gates.map((gate) => {
    if (gate.gate === 'completeness') return complete;
    const own = others.get(gate) ?? boundQueue.shift();
    invariant(own !== undefined, 'every gate contributes once');
    return own;
  });
  const composed = composeDecision(contributions);
  const decision = capDecision(composed, evidence);
  return {
    candidate: candidate.id,
    decision,
    capped: decision !== composed,
    step: bounds.observed.step,
    correction: bounds.observed.correction,
    contributions,
    furtherUnits:
      decision === 'need_more_work'
        ? priced(
            [
              ...bounds.observed.furtherUnits(),
              ...gates.flatMap((gate, at) => {
                const own = contributions[at];
                return own === undefined ? [] : furtherForOther(gate, own, { analysis, candidate });
              }),
            ],
            { analysis, candidate },
          )
        : [],
  };
}

/** Plans with the cost of their units where the seal asks for the power of the gates themselves; units of an audit have none here. */
function priced(
  plans: readonly FurtherUnits[],
  { analysis, candidate }: { readonly analysis: Analysis; readonly candidate: CandidateAnalysis },
): readonly FurtherUnits[] {
  const cost = asksForOwnPower(analysis.seal) ? costOfMore(analysis, candidate.id) : null;
  if (cost === null) return plans;
  return plans.map((plan) => (plan.of === undefined ? withCost(plan, cost) : plan));
}

/** Whether evidence can confirm a claim: made by a sealed run, for a claim that is more than development. */
export function isConfirmatory({ confirmatory, exploratory, seal }: Evidence): boolean {
  return confirmatory && exploratory !== true && seal.claim.use !== 'development';
}

/** Evidence that confirms nothing asks for more work at most; a hold or a ceiling stands only on receipts of a sealed run. */
function capDecision(decision: Decision, evidence: Evidence): Decision {
  if (isConfirmatory(evidence)) return decision;
  return decision !== 'ship' && evidence.confirmatory ? decision : 'need_more_work';
}

/**
 * Judges all candidates of a sealed experiment; every rule comes from the seal.
 *
 * @throws {LiftgateError} as `analyzeEvidence`; design-refused for an order of candidates this version cannot judge;
 *   run-invalid for control results that are not the sealed controls'
 */
export function judgeEvidence(evidence: Evidence): Judgement {
  const analysis = analyzeEvidence(evidence);
  const gated = gatedMeasures(evidence.seal);
  const context = { evidence, analysis, gates: allGates(evidence.seal), gated };
  const observed = judgeBounds(analysis, false);
  const filled = anyLoss(analysis.candidates, gated) ? judgeBounds(analysis, true) : observed;
  const candidates = analysis.candidates.map((candidate, index) => {
    const bounds = { observed: observed[index], filled: filled[index] };
    invariant(bounds.observed !== undefined && bounds.filled !== undefined, 'one judgement each');
    return judgeCandidate(candidate, { observed: bounds.observed, filled: bounds.filled }, context);
  });
  return { analysis, candidates };
}
