/** Worlds of a plan: the final units of a design, or as many as are asked for, with what is assumed of them. */
import { measureOf } from '../analysis/evidence.ts';
import { rangeWidth } from '../analysis/unit-value.ts';
import type { Assumptions } from '../spec/assumptions.ts';
import { type CaseIndex, finalCases } from '../spec/case-index.ts';
import { latencyForm } from '../spec/gates.ts';
import type { Measure } from '../spec/measure.ts';
import type { SealedExperiment } from '../spec/seal.ts';
import { armIds } from '../spec/spec.ts';
import { roundSignificant } from '../stats/rounding.ts';
import { sum } from '../stats/summary.ts';
import type { MeasureWorld } from './drawn-values.ts';
import { drawnKey, type EffectGate, effectGates, onScale } from './effect.ts';
import type { JointWorld } from './joint-draws.ts';
import { type PairLaw, pairedLaw, signProbability } from './outcome-law.ts';
import { objectiveGates } from './pareto.ts';
import { controlCells, spendingWorld } from './plan-spending.ts';
import { allGates } from './sealed-gates.ts';
import { joinsCandidates } from './simulated-order.ts';
import type { World } from './simulated-world.ts';

/** A plan's seal, its cases, and what is assumed. */
export interface PlanDesign {
  readonly seal: SealedExperiment;
  readonly index: CaseIndex;
  readonly assumptions?: Assumptions;
  /** What is assumed of each candidate, in their order, where that differs: of its measures and what its cells spend. */
  readonly candidates?: readonly Assumptions[];
}

/** Correlation within units where none is stated. */
export const defaultCorrelation = 0.5;

/** The gates on a paired difference that are simulated, required or not, every objective of a `pareto` gate among them. */
export function drawnEffects(seal: SealedExperiment): readonly EffectGate[] {
  const objectives = seal.decision.gates.flatMap((declared) =>
    declared.gate === 'pareto'
      ? objectiveGates(seal, declared).map((gate) => ({
          ...gate,
          name: `${gate.name} ${gate.measureId}`,
        }))
      : [],
  );
  return [...effectGates(seal), ...objectives];
}

/** How much of an effect on its measure a gate sees: over a placebo, what the placebo has not got. */
export function effectSeen(
  { gate, measureId, measure }: EffectGate,
  effect: number,
  { measures }: Assumptions,
): number {
  if (gate !== 'neutral-control') return effect;
  const placebo = measures?.[measureId]?.placebo;
  return placebo === undefined ? effect : roundSignificant(effect - onScale(measure, placebo));
}

/** Pairs of a measure: how many each unit has, the cell of each within its arm, and which units have any. */
interface PairsLayout {
  readonly pairs: readonly number[];
  readonly cells: readonly number[];
  /** Place of each unit with a pair. */
  readonly units: readonly number[];
}

/** Where the pairs of every measure lie among the cells of one arm. */
export interface Layout {
  readonly units: number;
  readonly cells: number;
  /** Cells of each unit. */
  readonly sizes: readonly number[];
  /** Place of its unit, for each cell of one arm. */
  readonly unitOf: readonly number[];
  readonly of: (measure: string) => PairsLayout;
}

/** The final units of a design in a row, again from the first one when more are wanted than there are. */
export function layoutOf({ seal, index }: PlanDesign, wanted?: number): Layout {
  const { repeats } = seal.spec;
  const byUnit = new Map<string, (readonly string[])[]>();
  for (const { unit, applies } of finalCases(index)) {
    const cases = byUnit.get(unit) ?? [];
    cases.push(applies);
    byUnit.set(unit, cases);
  }
  const templates = [...byUnit.values()];
  const units = wanted ?? templates.length;
  const chosen = Array.from({ length: units }, (_, at) => templates[at % templates.length] ?? []);
  const sizes = chosen.map((cases) => repeats * cases.length);
  const cells = sum(sizes);
  const unitOf = sizes.flatMap((size, unit) => new Array<number>(size).fill(unit));
  return { units, cells, sizes, unitOf, of: (measure) => pairsOf(chosen, measure, repeats) };
}

function pairsOf(
  units: readonly (readonly (readonly string[])[])[],
  measure: string,
  repeats: number,
): PairsLayout {
  const pairs: number[] = [];
  const cells: number[] = [];
  const places: number[] = [];
  let first = 0;
  for (const [place, cases] of units.entries()) {
    const before = cells.length;
    for (const applies of cases) {
      for (let repeat = 0; repeat < repeats; repeat += 1) {
        if (applies.includes(measure)) cells.push(first + repeat);
      }
      first += repeats;
    }
    if (cells.length === before) continue;
    pairs.push(cells.length - before);
    places.push(place);
  }
  return { pairs, cells, units: places };
}

/** A way the differences of a measure may vary around their mean. */
export interface Assumption {
  readonly words: string;
  /** Null where the measure's range admits no such law. */
  readonly law: (mean: number) => PairLaw | null;
}

/** Smallest step between two levels of an ordinal measure, 0 for any other. */
function stepOf(measure: Measure): number {
  if (measure.kind !== 'ordinal') return 0;
  const levels = [...measure.levels].sort((first, second) => first - second);
  const steps = levels.slice(1).map((level, at) => level - (levels[at] ?? level));
  return Math.min(...steps);
}

function triangular(mean: number, deviation: number, width: number): PairLaw | null {
  return Math.abs(mean) + Math.sqrt(6) * deviation > width
    ? null
    : { kind: 'triangular', mean, deviation };
}

/** Shares of pairs that change beyond the effect, the second of which plans. */
const discordancesBeyond = [0, 0.1, 0.3] as const;

function changeWords(more: number, what: string): string {
  return more === 0
    ? `${what} change for the better only`
    : `${more * 100} % of ${what} change beyond the effect, both ways alike`;
}

/**
 * Assumptions about the differences of a gate's measure: the stated one alone where there is one, else one for each of a few
 * spreads, of which the second plans.
 */
export function assumptionsOf(
  measureId: string,
  measure: Measure,
  assumptions: Assumptions = {},
): readonly Assumption[] {
  const stated = assumptions.measures?.[measureId];
  const width = rangeWidth(measure);
  const step = stepOf(measure);
  const laws = (scale: number, discordance: number) => (mean: number) =>
    pairedLaw({
      mean,
      discordance: Math.min(1, Math.max(Math.abs(mean) / scale, discordance)),
      width: scale,
    });
  if (measure.kind === 'binary' && stated?.discordance !== undefined) {
    const { discordance } = stated;
    return [
      { words: `${discordance * 100} % of pairs differ, as stated`, law: laws(width, discordance) },
    ];
  }
  if (measure.kind !== 'binary' && stated?.deviation !== undefined) {
    const { deviation } = stated;
    const words = `differences have a standard deviation of ${deviation}, as stated`;
    return [
      {
        words,
        law: (mean) =>
          width > 0 ? triangular(mean, deviation, width) : { kind: 'normal', mean, deviation },
      },
    ];
  }
  if (measure.kind === 'binary' || step > 0) {
    const scale = step > 0 ? step : width;
    const what = step > 0 ? 'pairs, by one level,' : 'pairs';
    return discordancesBeyond.map((more) => ({
      words: changeWords(more, what),
      law: (mean) => laws(scale, Math.abs(mean) / scale + more)(mean),
    }));
  }
  if (width > 0) {
    return [0.1, 0.25].map((part) => ({
      words: `standard deviation of ${part} of the range`,
      law: (mean) => triangular(mean, part * width, width),
    }));
  }
  const unit = measure.kind === 'continuous' ? 'units' : 'of the log ratio';
  return [0.3, 0.6].map((deviation) => ({
    words: `standard deviation of ${deviation} ${unit}`,
    law: (mean) => ({ kind: 'normal', mean, deviation }),
  }));
}

/** The assumption that plans: the stated one, or the second. */
export function planningAssumption(
  gate: EffectGate,
  assumptions: Assumptions | undefined,
): Assumption {
  const all = assumptionsOf(gate.measureId, gate.measure, assumptions);
  return all[1] ?? all[0] ?? { words: 'nothing', law: () => null };
}

/** A measure's differences by a law, laid out over the units. */
export function measureWorld(
  { seal, assumptions }: PlanDesign,
  layout: Layout,
  { gate, law }: { readonly gate: EffectGate; readonly law: PairLaw },
): MeasureWorld {
  const { measureId: measure } = gate;
  const stated = assumptions?.measures?.[measure];
  const roster = seal.claim.generalization === 'fixed-roster';
  const isHigher = measureOf(seal, measure).direction === 'higher';
  const better = (rate: number): number => (isHigher ? rate : 1 - rate);
  return {
    measure,
    ...(gate.gate === 'neutral-control' ? { overPlacebo: drawnKey(gate) } : {}),
    law,
    // The units of a roster are given: what they share is no chance.
    correlation: stated?.correlation ?? (roster ? 0 : defaultCorrelation),
    ...layout.of(measure),
    repeats: seal.spec.repeats,
    ...(stated?.rate === undefined ? {} : { bothBetter: bothBetterOf(law, better(stated.rate)) }),
  };
}

/** Share of ties at the better value that gives the candidate a rate of better values. */
function bothBetterOf(law: PairLaw, rate: number): number {
  const ties = signProbability(law, 0);
  return ties === 0 ? 0.5 : Math.max(0, Math.min(1, (rate - signProbability(law, 1)) / ties));
}

/** Own cells of a candidate, each above 0 with a probability. */
export function ownWorld(
  design: PlanDesign,
  layout: Layout,
  own: { readonly measure: string; readonly rate: number; readonly correlation?: number },
): MeasureWorld {
  const { measure, rate } = own;
  const { role, direction } = measureOf(design.seal, measure);
  const stated = design.assumptions?.measures?.[measure]?.correlation;
  return {
    measure,
    law: { kind: 'lattice', values: [1, 0], probabilities: [rate, 1 - rate] },
    ...(role === 'critical' || direction === 'lower' ? { reversed: true } : {}),
    correlation: own.correlation ?? stated ?? defaultCorrelation,
    ...layout.of(measure),
  };
}

/** Dollars and minutes of a whole run without retries; a placebo costs what a candidate does; null where nothing is stated. */
export function expectedSpending(design: PlanDesign): {
  readonly usd: number | null;
  readonly minutes: number | null;
} {
  const { seal, assumptions = {}, candidates = [] } = design;
  const { usdPerCell, msPerCell } = assumptions;
  const { cells } = layoutOf(design);
  const others = armIds(seal.spec).length - 1;
  const controls = controlCells(seal);
  const perCell = Array.from(
    { length: others },
    (_, at) => (candidates[at]?.usdPerCell ?? usdPerCell)?.candidate ?? 0,
  );
  const usd =
    usdPerCell === undefined
      ? null
      : (cells + controls) * usdPerCell.baseline + cells * sum(perCell);
  const all = (1 + others) * cells + controls;
  return {
    usd: usd === null ? null : roundSignificant(usd),
    minutes:
      msPerCell === undefined
        ? null
        : roundSignificant((all * msPerCell) / seal.spec.host.concurrency / 60_000),
  };
}

/** Whether differences of units are read side by side: of several candidates, or of the objectives of a `pareto` gate. */
export function isJudgedJointly(seal: SealedExperiment): boolean {
  if (seal.decision.multiplicity !== 'max-t') return false;
  const objectives = seal.decision.gates.some((each) => each.gate === 'pareto' && each.required);
  return objectives || joinsCandidates(seal);
}

/** How the draws of a world belong together, where that is stated or read. */
function jointWorld({ seal, assumptions }: PlanDesign, { unitOf }: Layout): JointWorld | null {
  const stated = assumptions?.joint;
  if (stated === undefined && !isJudgedJointly(seal)) return null;
  return { measures: stated?.measures ?? 0, candidates: stated?.candidates ?? 0, unitOf };
}

/** Own cells of a candidate that gates read, as far as their rates are stated. */
export function ownWorlds(design: PlanDesign, layout: Layout): MeasureWorld[] {
  const { seal, assumptions = {} } = design;
  const paired = new Set(drawnEffects(seal).map(({ measureId }) => measureId));
  return allGates(seal).flatMap((gate) => {
    if (!('measure' in gate)) return [];
    const stated = assumptions.measures?.[gate.measure]?.rate;
    const reads =
      gate.gate === 'critical' ||
      (gate.gate === 'rate' && !paired.has(gate.measure)) ||
      (gate.gate === 'latency' && latencyForm(gate)?.form === 'quantile');
    return reads && stated !== undefined
      ? [ownWorld(design, layout, { measure: gate.measure, rate: stated })]
      : [];
  });
}

/** Everything of a world besides the differences: own cells, losses and spending as far as they are stated, and what belongs together. */
export function statedWorld(design: PlanDesign, layout: Layout): Omit<World, 'measures'> {
  const { assumptions = {} } = design;
  const own = ownWorlds(design, layout);
  const usd = spendingWorld(design, layout.cells, 'usdPerCell');
  const tokens = spendingWorld(design, layout.cells, 'tokensPerCell');
  const spending = { ...(usd && { usd }), ...(tokens && { tokens }) };
  const joint = jointWorld(design, layout);
  return {
    own,
    ...(joint === null ? {} : { joint }),
    ...(assumptions.lossRate === undefined || assumptions.lossRate === 0
      ? {}
      : { loss: { rate: assumptions.lossRate, cells: layout.cells } }),
    ...(usd === undefined && tokens === undefined ? {} : { spending }),
  };
}
