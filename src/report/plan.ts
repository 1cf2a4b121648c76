/**
 * The plan before the spend: schedule, cost cap, deciding methods, and whether any outcome could ship at all. The last is the sealed
 * decision itself, run on the most favourable receipts the design admits.
 */
import { looksOf } from '../analysis/look.ts';
import { shownNumber } from '../gate/gate.ts';
import { lookError, spentError } from '../gate/look-error.ts';
import { plannedFallback } from '../gate/multiplicity.ts';
import { type CaseIndex, finalCases } from '../spec/case-index.ts';
import { type GateDeclaration, type GateOf, gateName } from '../spec/gates.ts';
import type { ResolvedMethod, SealedExperiment } from '../spec/seal.ts';
import { candidateIds } from '../spec/spec.ts';
import { roundSignificant } from '../stats/rounding.ts';
import { decide } from './decision.ts';
import { favourableEvidence } from './favourable.ts';

/** What `plan` says: counts of the design, costs in USD, methods, and the decision on the most favourable receipts. */
export interface PlanReport {
  readonly experiment: string;
  readonly use: string;
  readonly units: number;
  readonly cases: number;
  readonly repeats: number;
  readonly candidates: readonly string[];
  readonly cells: number;
  readonly developmentUnits: number;
  readonly cost: {
    readonly perCellUsd: number | null;
    readonly mostUsd: number | null;
    readonly capUsd: number | null;
  };
  readonly errorLevels: {
    readonly lift: number;
    readonly perCandidate: number;
    /** Of `rate`, and of `critical` with `maxRate`. */
    readonly rate: number;
  };
  /** Of a sequential design: its looks with the one-sided error of a lift at each, and what is spent by then. */
  readonly looks?: readonly PlannedLook[];
  /** Under `multiplicity: max-t` with several candidates: why Holm applies whatever is measured, or null. */
  readonly maxT?: { readonly fallback: string | null };
  readonly methods: readonly ResolvedMethod[];
  /** Gates that `methods` does not hold, by what they ask; those that are always required and ask nothing more are left out. */
  readonly rules: readonly {
    readonly gate: string;
    readonly rule: string;
    readonly required: boolean;
  }[];
  /** Decision per candidate on the most favourable receipts. */
  readonly bestCase: readonly {
    readonly candidate: string;
    readonly decision: string;
    readonly reason: string;
  }[];
  readonly canShip: boolean;
}

/** One look of a plan; errors before candidates share them. */
export interface PlannedLook {
  readonly units: number;
  readonly error: number;
  readonly spent: number;
}

/** Looks with the error of the first lift, or of an asymptotic bound where there is none; none for a fixed design. */
function plannedLooks(seal: SealedExperiment, index: CaseIndex): PlannedLook[] {
  const error = seal.analysis.errorLevels.lift;
  const { methods } = seal.analysis;
  const lift = methods.find(({ gate }) => gate === 'lift') ?? methods[0];
  return looksOf({ seal, index }).map((look) => {
    const { measure = '', guarantee = 'asymptotic' } = lift ?? {};
    return {
      units: look.units.size,
      error: roundSignificant(lookError(seal, look, { measure, guarantee, error })),
      spent: roundSignificant(spentError(seal, look, { measure, error })),
    };
  });
}

/** The plan of a seal; candidates may still be unbound. */
export function planReport(seal: SealedExperiment, index: CaseIndex): PlanReport {
  const { spec } = seal;
  const candidates = candidateIds(spec);
  const looks = plannedLooks(seal, index);
  const perCellUsd = spec.host.limits.maxCostUsd ?? null;
  const best = decide(favourableEvidence(seal, index), {
    expose: null,
    fence: null,
    startedAt: null,
    endedAt: null,
  });
  const bestCase = best.decisions.map(({ candidate, decision, reason }) => ({
    candidate,
    decision,
    reason,
  }));
  return {
    experiment: seal.experimentId,
    use: seal.claim.use,
    units: seal.units.count,
    cases: finalCases(index).length,
    repeats: spec.repeats,
    candidates,
    cells: seal.cells.plannedCount,
    developmentUnits: seal.development?.count ?? 0,
    cost: {
      perCellUsd,
      mostUsd:
        perCellUsd === null
          ? null
          : Number((perCellUsd * seal.cells.plannedCount * spec.attempts.max).toPrecision(12)),
      capUsd: seal.limits.budget.usd,
    },
    errorLevels: {
      lift: seal.analysis.errorLevels.lift,
      perCandidate: perCandidateError(seal, candidates.length),
      rate: seal.analysis.errorLevels.rate,
    },
    ...(looks.length === 0 ? {} : { looks }),
    ...(seal.decision.multiplicity === 'max-t' && candidates.length > 1
      ? { maxT: { fallback: plannedFallback(seal) } }
      : {}),
    methods: seal.analysis.methods,
    rules: seal.decision.gates.flatMap((gate) => {
      const rule = ruleOf(gate, seal);
      return rule === null ? [] : [{ gate: gateName(gate), rule, required: gate.required }];
    }),
    bestCase,
    canShip: bestCase.some((each) => each.decision === 'ship'),
  };
}

/** Error of the candidate tested first: Holm divides it by their number, a fixed sequence gives it whole to each. */
function perCandidateError(seal: SealedExperiment, candidates: number): number {
  const { lift } = seal.analysis.errorLevels;
  const shared = typeof seal.decision.multiplicity === 'string';
  return Number((shared ? lift / candidates : lift).toPrecision(12));
}

/** What a gate without a method of its own asks, in words; null for a gate that `methods` holds or that everybody has. */
function ruleOf(gate: GateDeclaration, { analysis, limits }: SealedExperiment): string | null {
  switch (gate.gate) {
    case 'critical':
      return gate.maxRate === undefined
        ? null
        : `units that violate: exact upper bound below ${gate.maxRate}, one-sided error ${analysis.errorLevels.rate}`;
    case 'budget':
      return `cost of every attempt known, at most ${limits.budget.usd ?? 0} USD in all`;
    case 'matched-budget':
      return `${gate.of} of both arms over complete pairs within ${shownNumber(gate.tolerance)} of each other`;
    case 'canary':
      return `every canary cell of "${gate.measure}" right, in every arm`;
    case 'contamination':
      return contaminationRule(gate);
    case 'evaluator':
      return `audit ${gate.audit} of the scorer of "${gate.measure}": at most ${gate.maxFalseAcceptance} false acceptances and ${gate.maxFalseRejection} false rejections, exact bounds`;
    case 'infrastructure-symmetry':
      return infrastructureRule(gate);
    case 'custom':
      return `the answer of ${gate.module}, read from ${gate.measures.map((id) => `"${id}"`).join(', ')}, which this plan takes to be ship`;
    case 'interleaving':
      return 'receipts at their places of the sealed schedule, the cells of a pair close together';
    case 'lift':
    case 'no-regression':
    case 'reward-hacking':
    case 'pareto':
    case 'rate':
    case 'latency':
    case 'neutral-control':
    case 'completeness':
    case 'controls':
    case 'provenance':
    case 'power':
      return null;
  }
}

function infrastructureRule({ margin, maxWaitMs }: GateOf<'infrastructure-symmetry'>): string {
  const waiting = maxWaitMs === undefined ? '' : `, waiting within ${maxWaitMs} ms`;
  return `shares of cells that met a fault within ${margin} of each other${waiting}`;
}

function contaminationRule({ canaries, similarity, probe }: GateOf<'contamination'>): string {
  const parts = [
    canaries === undefined ? [] : [`none of ${canaries.length} canaries in any output`],
    similarity === undefined
      ? []
      : [`no final case shares ${similarity} of its word triples with a development case`],
    probe === undefined
      ? []
      : [`"${probe.original}" gains at most ${probe.margin} more than "${probe.perturbed}"`],
  ];
  return parts.flat().join('; ');
}

/** What the order of candidates leaves of the error; nothing to say of one candidate. */
function orderText({ candidates, errorLevels, maxT }: PlanReport): string {
  if (candidates.length < 2) return '';
  const whole = errorLevels.perCandidate === errorLevels.lift;
  const order = whole ? 'the fixed sequence' : "Holm's order";
  const first = `, for the first of ${candidates.length} in ${order} ${errorLevels.perCandidate}`;
  if (maxT === undefined) return first;
  return maxT.fallback === null
    ? `${first}; max-T gives it more where candidates are correlated`
    : `${first}; there is no max-T: ${maxT.fallback}`;
}

/** The plan as lines for people. */
export function planLines(plan: PlanReport): string[] {
  const { cost } = plan;
  const cap = cost.capUsd === null ? 'no cap' : `cap ${cost.capUsd} USD`;
  const most =
    cost.mostUsd === null
      ? 'cost per cell not limited'
      : `at most ${cost.mostUsd} USD with every attempt used`;
  return [
    `${plan.experiment} (${plan.use}): ${plan.units} final units, ${plan.cases} cases, ${plan.repeats} repeat(s), ${plan.candidates.length} candidate(s), ${plan.cells} cells`,
    `development units: ${plan.developmentUnits}; ${most}; ${cap}`,
    `one-sided error of lift and no-regression: ${plan.errorLevels.lift}${orderText(plan)}`,
    ...(plan.looks ?? []).map(
      ({ units, error, spent }, at) =>
        `  look ${at + 1} at ${units} units: error of a lift ${shownNumber(error)}, spent by then ${shownNumber(spent)}`,
    ),
    ...plan.methods.map(
      (each) =>
        `  ${each.measure}: ${each.gate ?? 'shown'} by ${each.method} (${each.guarantee}), row "${each.row}"${each.threshold === null ? '' : `, threshold ${each.threshold}`}${each.gate === 'rate' ? `, one-sided error ${plan.errorLevels.rate}` : ''}`,
    ),
    ...plan.rules.map(
      (each) => `  ${each.gate}${each.required ? '' : ' (optional)'}: ${each.rule}`,
    ),
    plan.canShip
      ? 'The most favourable receipts would ship.'
      : 'NO OUTCOME CAN SHIP: even the most favourable receipts would not.',
    ...plan.bestCase.map(
      (each) => `  best case ${each.candidate}: ${each.decision} | ${each.reason}`,
    ),
  ];
}
