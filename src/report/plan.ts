/**
 * The plan before the spend: schedule, cost cap, deciding methods, and whether any outcome could ship at all. The last is the sealed
 * decision itself, run on the most favourable receipts the design admits: the candidate at its best and the baseline at its worst in
 * every cell.
 */
import type { Evidence } from '../analysis/evidence.ts';
import type { Digest } from '../base/digest.ts';
import { type Cell, cellKeyOf, type Receipt, type ReceiptLine } from '../run/receipt.ts';
import { unknownUsage } from '../run/replies.ts';
import { unknownHost } from '../run/resume.ts';
import { planSchedule } from '../run/schedule.ts';
import { type CaseIndex, finalCases, indexedCases } from '../spec/case-index.ts';
import { bestValue, type Measure, worstValue } from '../spec/measure.ts';
import type { ResolvedMethod, SealedExperiment } from '../spec/seal.ts';
import { baselineArm, candidateIds } from '../spec/spec.ts';
import { decide } from './decision.ts';

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
  readonly errorLevels: { readonly lift: number; readonly perCandidate: number };
  readonly methods: readonly ResolvedMethod[];
  /** Decision per candidate on the most favourable receipts. */
  readonly bestCase: readonly {
    readonly candidate: string;
    readonly decision: string;
    readonly reason: string;
  }[];
  readonly canShip: boolean;
}

const anyDigest: Digest = `sha256:${'0'.repeat(64)}`;
const anyTime = '1970-01-01T00:00:00.000Z';

/** The plan of a seal; candidates may still be unbound. */
export function planReport(seal: SealedExperiment, index: CaseIndex): PlanReport {
  const { spec } = seal;
  const candidates = candidateIds(spec);
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
    },
    methods: seal.analysis.methods,
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

/**
 * Units in which one favourable cell wavers where the method asks for spread: four, because fewer leave a fixed roster of two repeats
 * too few degrees of freedom.
 */
const waveringUnits = 4;

/** Indices of cells in which candidates waver: the first case, in its first repeat, of the first units of the schedule. */
function waveringCases(schedule: readonly Cell[]): ReadonlySet<string> {
  const firstCases = new Map<string, string>();
  for (const cell of schedule) {
    if (firstCases.size === waveringUnits) break;
    if (!firstCases.has(cell.unit)) firstCases.set(cell.unit, cell.case);
  }
  return new Set(firstCases.values());
}

/** Receipts of the most favourable outcome the design admits; conduct is taken to be faultless. */
function favourableEvidence(plan: SealedExperiment, index: CaseIndex): Evidence {
  const arms = plan.arms.map((arm) => ({ ...arm, surfaceDigest: arm.surfaceDigest ?? anyDigest }));
  const seal: SealedExperiment = { ...plan, stage: 'final', plan: plan.plan ?? anyDigest, arms };
  const schedule = planSchedule({
    cases: finalCases(index),
    arms: [baselineArm, ...candidateIds(seal.spec)],
    repeats: seal.spec.repeats,
    casesDigest: seal.digests.cases,
  });
  const known = indexedCases(index);
  const wavering = waveringCases(schedule);
  const lines = schedule.map((cell, position): ReceiptLine => {
    const armDigest = arms.find((arm) => arm.id === cell.arm)?.surfaceDigest ?? anyDigest;
    const applies = known.get(cell.case)?.applies ?? [];
    const scores = favourableScores(seal, {
      applies,
      isBaseline: cell.arm === baselineArm,
      position,
      wavers: cell.arm !== baselineArm && cell.repeat === 0 && wavering.has(cell.case),
    });
    const key = {
      designDigest: seal.digests.design,
      caseId: cell.case,
      repeat: cell.repeat,
      surfaceDigest: armDigest,
      attempt: 1,
    };
    return {
      v: 1,
      ledger: null,
      expose: null,
      fence: null,
      cell,
      position,
      armDigest,
      evaluatorTree: seal.evaluator.tree,
      receivedAt: anyTime,
      receipt: favourableReceipt(cellKeyOf(key), armDigest, scores),
    };
  });
  return {
    seal,
    index,
    lines,
    controls: seal.spec.controls.map(({ id }) => ({
      id,
      passed: true,
      reason: 'assumed',
      cells: 0,
      classes: {},
      means: {},
    })),
    controlLines: [],
    confirmatory: true,
    provenance: arms.map((arm) => ({ arm: arm.id, consistency: 'consistent', reasons: [] })),
  };
}

function favourableReceipt(cellKey: string, surface: Digest, scores: Receipt['scores']): Receipt {
  return {
    protocol: 'receipt/1',
    cellKey,
    attempt: 1,
    experimentDigest: anyDigest,
    inputDigest: null,
    surfaceLoadedDigest: surface,
    outcome: 'completed',
    fault: null,
    scores,
    critical: [],
    artifact: null,
    usage: unknownUsage,
    gradeUsage: null,
    gradeAttempts: 1,
    timing: {
      startedAt: anyTime,
      endedAt: anyTime,
      activeMs: null,
      waitedMs: null,
      firstOutputMs: null,
    },
    internalRetries: {},
    model: null,
    host: unknownHost,
    logs: null,
  };
}

interface FavourableCell {
  readonly applies: readonly string[];
  readonly isBaseline: boolean;
  readonly position: number;
  readonly wavers: boolean;
}

/** Methods that find no interval where all units, or all repeats, agree, although the measure is bounded. */
const spreadMethods: readonly string[] = ['cr2', 'roster-t'];

function favourableScores(seal: SealedExperiment, cell: FavourableCell): Receipt['scores'] {
  const { applies, isBaseline, position } = cell;
  const needsSpread = (id: string): boolean =>
    seal.analysis.methods.some(
      (each) => each.measure === id && each.gate !== null && spreadMethods.includes(each.method),
    );
  return Object.fromEntries(
    applies.flatMap((id) => {
      const measure = seal.spec.measures[id];
      if (measure === undefined) return [];
      const value =
        cell.wavers && needsSpread(id)
          ? waveringValue(measure, position)
          : favourableValue(measure, isBaseline, position);
      return [[id, value] as const];
    }),
  );
}

/** A little below the best on a continuous range, the worst where values are apart: enough spread for an interval, hardly a cost. */
function waveringValue(measure: Measure, position: number): number {
  const best = favourableValue(measure, false, position);
  const worst = worstValue(measure);
  if (worst === null) return best;
  return measure.kind === 'score' ? best + (worst - best) / 1000 : worst;
}

/** Best or worst declared value; an unbounded measure gets values a factor of e^10 apart that are not all equal. */
function favourableValue(measure: Measure, isBaseline: boolean, position: number): number {
  const bounded = isBaseline ? worstValue(measure) : bestValue(measure);
  if (bounded !== null) return bounded;
  const high = 22_026 + (position % 97);
  const better = measure.direction === 'higher' ? !isBaseline : isBaseline;
  return better ? high : 1 + (position % 89) / 1000;
}

function orderOf({ candidates, errorLevels }: PlanReport): string {
  const whole = candidates.length > 1 && errorLevels.perCandidate === errorLevels.lift;
  return whole ? 'the fixed sequence' : "Holm's order";
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
    `one-sided error of lift and no-regression: ${plan.errorLevels.lift}, for the first of ${plan.candidates.length} in ${orderOf(plan)} ${plan.errorLevels.perCandidate}`,
    ...plan.methods.map(
      (each) =>
        `  ${each.measure}: ${each.gate ?? 'shown'} by ${each.method} (${each.guarantee}), row "${each.row}"${each.threshold === null ? '' : `, threshold ${each.threshold}`}`,
    ),
    plan.canShip
      ? 'The most favourable receipts would ship; power and false-ship rates are not simulated in this version.'
      : 'NO OUTCOME CAN SHIP: even the most favourable receipts would not.',
    ...plan.bestCase.map(
      (each) => `  best case ${each.candidate}: ${each.decision} | ${each.reason}`,
    ),
  ];
}
