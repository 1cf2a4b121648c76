/**
 * The most favourable receipts a design admits: the candidate at its best and the baseline at its worst in every cell, at no cost,
 * with conduct beyond doubt; where a gate asks an arm for a rate or a latency, its cells are those that meet it.
 */
import type { Evidence } from '../analysis/evidence.ts';
import type { Digest } from '../base/digest.ts';
import type { Rows } from '../base/rows.ts';
import { unobjected } from '../gate/custom.ts';
import { type RateGate, rateBounds, rateGate } from '../gate/rate.ts';
import {
  type Cell,
  cellKeyOf,
  type Receipt,
  type ReceiptLine,
  type Usage,
} from '../run/receipt.ts';
import { sparseReceipt } from '../run/replies.ts';
import { planSchedule } from '../run/schedule.ts';
import { type CaseIndex, finalCases, indexedCases } from '../spec/case-index.ts';
import { bestValue, type Measure, valueRange, worstValue } from '../spec/measure.ts';
import type { SealedExperiment } from '../spec/seal.ts';
import { orderedUnits } from '../spec/seeds.ts';
import { armIds, candidateIds } from '../spec/spec.ts';
import { isIndeterminate } from '../stats/interval.ts';

const anyDigest: Digest = `sha256:${'0'.repeat(64)}`;
const anyTime = '1970-01-01T00:00:00.000Z';

const freeUsage: Usage = {
  costUsd: 0,
  costKnown: true,
  costSource: 'declared',
  tokens: { input: 0, cachedInput: 0, output: 0, reasoning: 0 },
  tokensKnown: true,
};

/**
 * Units in which one favourable cell wavers where the method asks for spread: four, because fewer leave a fixed roster of two repeats
 * too few degrees of freedom.
 */
const waveringUnits = 4;

/** Indices of cells in which candidates waver: the first case, in its first repeat, of the first units of the schedule. */
function waveringCases(schedule: Rows<Cell>): ReadonlySet<string> {
  const firstCases = new Map<string, string>();
  for (const cell of schedule) {
    if (firstCases.size === waveringUnits) break;
    if (!firstCases.has(cell.unit)) firstCases.set(cell.unit, cell.case);
  }
  return new Set(firstCases.values());
}

/** Evidence of the most favourable outcome the design admits; conduct is taken to be faultless. */
export function favourableEvidence(plan: SealedExperiment, index: CaseIndex): Evidence {
  const arms = plan.arms.map((arm) => ({ ...arm, surfaceDigest: arm.surfaceDigest ?? anyDigest }));
  const seal: SealedExperiment = { ...plan, stage: 'final', plan: plan.plan ?? anyDigest, arms };
  const schedule = planSchedule({
    cases: finalCases(index),
    arms: armIds(seal.spec),
    repeats: seal.spec.repeats,
    casesDigest: seal.digests.cases,
  });
  const known = indexedCases(index);
  const candidates: ReadonlySet<string> = new Set(candidateIds(seal.spec));
  const wavering = waveringCases(schedule);
  const demanded = demandedOnes(seal, index);
  const lines = schedule.map((cell, position): ReceiptLine => {
    const armDigest = arms.find((arm) => arm.id === cell.arm)?.surfaceDigest ?? anyDigest;
    const applies = known.get(cell.case)?.applies ?? [];
    const scores = favourableScores(seal, {
      applies,
      isBaseline: !candidates.has(cell.arm),
      unit: cell.unit,
      demanded,
      position,
      wavers: candidates.has(cell.arm) && cell.repeat === 0 && wavering.has(cell.case),
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
    replies: unobjected,
    provenance: arms.map((arm) => ({ arm: arm.id, consistency: 'consistent', reasons: [] })),
  };
}

function favourableReceipt(cellKey: string, surface: Digest, scores: Receipt['scores']): Receipt {
  return sparseReceipt({
    cellKey,
    attempt: 1,
    experimentDigest: anyDigest,
    surfaceLoadedDigest: surface,
    outcome: 'completed',
    scores,
    critical: [],
    usage: freeUsage,
    gradeAttempts: 1,
    span: { startedAt: anyTime, endedAt: anyTime },
  });
}

interface FavourableCell {
  readonly applies: readonly string[];
  readonly isBaseline: boolean;
  readonly unit: string;
  readonly demanded: DemandedOnes;
  readonly position: number;
  readonly wavers: boolean;
}

/** Methods that find no interval where all units, or all repeats, agree, although the measure is bounded. */
const spreadMethods: readonly string[] = ['cr2', 'roster-t'];

function favourableScores(seal: SealedExperiment, cell: FavourableCell): Receipt['scores'] {
  const { applies, isBaseline, position, unit, demanded } = cell;
  const needsSpread = (id: string): boolean =>
    seal.analysis.methods.some(
      (each) => each.measure === id && each.gate !== null && spreadMethods.includes(each.method),
    );
  return Object.fromEntries(
    applies.flatMap((id) => {
      const measure = seal.spec.measures[id];
      if (measure === undefined) return [];
      const ones = demanded.get(demandKey(id, isBaseline));
      if (ones !== undefined) return [[id, ones.has(unit) ? (valueRange(measure)?.upper ?? 1) : 0]];
      const value =
        cell.wavers && needsSpread(id)
          ? waveringValue(measure, position)
          : favourableValue(measure, isBaseline, position);
      return [[id, measure.kind === 'duration' ? value * timeUnit(seal, id) : value]];
    }),
  );
}

/** What durations are counted in: so little that the candidate stays far below every quantile that is gated. */
function timeUnit(seal: SealedExperiment, id: string): number {
  return seal.decision.gates.reduce(
    (least, gate) =>
      gate.gate === 'latency' && gate.measure === id && gate.max !== undefined
        ? Math.min(least, gate.max / 4)
        : least,
    1,
  );
}

/** Units that score 1 although the favourable value of their arm is 0, or alone score 1 although it is 1. */
type DemandedOnes = ReadonlyMap<string, ReadonlySet<string>>;

function demandKey(measure: string, isBaseline: boolean): string {
  return `${isBaseline ? 'baseline' : 'candidate'}\n${measure}`;
}

/** Units at 1 of every arm whose favourable value would breach a rate gate on it: as few, or as many, as clear the gate. */
function demandedOnes(seal: SealedExperiment, index: CaseIndex): DemandedOnes {
  const cases = finalCases(index);
  const order = orderedUnits(seal.digests.cases, [...new Set(cases.map((each) => each.unit))]);
  const demanded = new Map<string, ReadonlySet<string>>();
  for (const declared of seal.decision.gates) {
    if (declared.gate !== 'rate') continue;
    const gate = rateGate(seal, declared);
    const isBaseline = declared.arm === 'baseline';
    const measure = seal.spec.measures[declared.measure];
    const best = measure === undefined || (measure.direction === 'higher') === isBaseline ? 0 : 1;
    if (best === (gate.limit.side === 'min' ? 1 : 0)) continue;
    const applies = new Set(
      cases.filter((each) => each.applies.includes(declared.measure)).map((each) => each.unit),
    );
    const units = order.filter((unit) => applies.has(unit));
    const ones = onesFor(gate, units.length, rateError(seal));
    if (ones !== null)
      demanded.set(demandKey(declared.measure, isBaseline), new Set(units.slice(0, ones)));
  }
  return demanded;
}

/** Error of a rate for the candidate that is tested first. */
function rateError({ analysis, decision, arms }: SealedExperiment): number {
  const shared = typeof decision.multiplicity === 'string' ? arms.length - 1 : 1;
  return analysis.errorLevels.rate / shared;
}

/** Fewest units at 1 that clear a minimum, or most that clear a maximum; null where no number does. */
function onesFor(gate: RateGate, units: number, error: number): number | null {
  const { side, value } = gate.limit;
  const clears = (ones: number): boolean => {
    const shares = Array.from({ length: units }, (_, at) => (at < ones ? 1 : 0));
    const bounds = rateBounds(gate, shares, error);
    if (isIndeterminate(bounds)) return false;
    return side === 'min' ? bounds.lower > value : bounds.upper < value;
  };
  let [fails, holds] = side === 'min' ? [-1, units] : [units + 1, 0];
  if (!clears(holds)) return null;
  while (Math.abs(holds - fails) > 1) {
    const middle = Math.floor((fails + holds) / 2);
    if (clears(middle)) holds = middle;
    else fails = middle;
  }
  return holds;
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
