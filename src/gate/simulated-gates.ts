/**
 * The sealed gates as a simulation reads them: the rules of `effect`, `rate`, `critical`, `efficiency` and `conduct` on drawn values, with
 * the answers they gave already kept. A gate on a measure that a world says nothing about is taken to clear.
 */
import { measureOf } from '../analysis/evidence.ts';
import { rangeWidth, type Sample } from '../analysis/unit-value.ts';
import {
  type GateDeclaration,
  type GateOf,
  gapOf,
  gateName,
  latencyForm,
  type MeasureGap,
} from '../spec/gates.ts';
import type { SealedExperiment } from '../spec/seal.ts';
import { bettingLowerClears } from '../stats/betting.ts';
import { isIndeterminate } from '../stats/interval.ts';
import { quantileRanks } from '../stats/percentile.ts';
import { clopperPearsonUpper } from '../stats/proportion.ts';
import { roundSignificant } from '../stats/rounding.ts';
import type { DrawnMeasure } from './drawn-measure.ts';
import { drawnKey, type EffectGate, effectGate, effectLevel } from './effect.ts';
import { isGapBelow } from './gap.ts';
import type { JointTest } from './joint-law.ts';
import type { Discordance } from './outcome-law.ts';
import { objectiveGates, objectivesLaw } from './pareto.ts';
import { rateBounds, rateGate } from './rate.ts';
import { drawnGaps, type GapWorld } from './simulated-gap.ts';
import { remembered, staircases } from './staircase.ts';

/** What all cells of an arm together spent in one replicate. */
export interface DrawnSpending {
  readonly baseline: number;
  readonly candidate: number;
  /** Every arm and the controls. */
  readonly all: number;
}

/** What one replicate gave one candidate. */
export interface Replicate {
  readonly measures: ReadonlyMap<string, DrawnMeasure>;
  /** The candidate's own cells, above 0 where one violates or is too slow. */
  readonly own: ReadonlyMap<string, DrawnMeasure>;
  readonly spent: { readonly usd: DrawnSpending | null; readonly tokens: DrawnSpending | null };
  /** Whether gates on the making of the run clear, by name. */
  readonly conduct: ReadonlyMap<string, boolean>;
  /** Where the gates on a gap have their units. */
  readonly gaps: readonly GapWorld[];
}

/** One gate of the seal, ready to be asked often. */
export interface SimulatedGate {
  readonly name: string;
  readonly required: boolean;
  /** Whether candidates share its error. */
  readonly bound: boolean;
  /** @param filled  with every lost value counted against the candidate */
  readonly clears: (replicate: Replicate, divisor: number, filled: boolean) => boolean;
  /** False where a gate that clears breaches nevertheless: an effect that is smaller than useful. */
  readonly useful: (replicate: Replicate, divisor: number, filled: boolean) => boolean;
  /** What a joint law over candidates is read off; none where nothing is drawn, absent where a gate joins nothing. */
  readonly joint?: (replicate: Replicate, filled: boolean) => readonly JointTest[];
}

type Answer = SimulatedGate['clears'];

const always = (): boolean => true;

/** The sample with every improvement's sign turned: its lower bound is minus the upper bound. */
function mirrored(sample: Sample): Sample {
  const turned = (value: number) => (value === 0 ? 0 : -value);
  const units = sample.units.map((each) => ({
    ...each,
    improvement: turned(each.improvement),
    values: each.values.map((value) => ({ ...value, improvement: turned(value.improvement) })),
  }));
  return { ...sample, units };
}

/** The answer of the betting bound of these means, null where only the whole estimate has one. */
function betsClear(
  seal: SealedExperiment,
  { measure, threshold }: EffectGate,
  means: Float64Array,
  error: number,
): boolean | null {
  const width = rangeWidth(measure);
  if (width === 0 || means.length < 2) return null;
  const { bettingTruncation: truncation } = seal.analysis;
  const range = { lower: -width, upper: width };
  return bettingLowerClears(means, threshold, { range, error, truncation });
}

/** A gate on drawn pairs: by the means of the units where they are all that its method reads and suffice, else by the sample. */
function clearsPairs(
  seal: SealedExperiment,
  gate: EffectGate,
  {
    drawn,
    filled,
    error,
  }: { readonly drawn: DrawnMeasure; readonly filled: boolean; readonly error: number },
): boolean {
  const found =
    gate.method === 'betting-fixed-n' ? betsClear(seal, gate, drawn.means(filled), error) : null;
  if (found !== null) return found;
  return effectLevel(seal, gate, drawn.sample(filled), error).clears;
}

function effectAnswers(
  seal: SealedExperiment,
  gate: EffectGate,
): Pick<SimulatedGate, 'clears' | 'useful'> {
  const { minimumEffect } = gate;
  const key = drawnKey(gate);
  const [below, above] = [staircases(), staircases()];
  const { lift } = seal.analysis.errorLevels;
  const clears: Answer = ({ measures }, divisor, filled) => {
    const drawn = measures.get(key);
    if (drawn === undefined) return true;
    const { counts } = drawn;
    const error = lift / divisor;
    if (counts === null) return clearsPairs(seal, gate, { drawn, filled, error });
    return below
      .of(drawn.units, divisor)
      .ask(counts, () => effectLevel(seal, gate, drawn.sampleOf(counts), error).clears);
  };
  if (minimumEffect === null) return { clears, useful: always };
  const mirror = { ...gate, threshold: -minimumEffect };
  const isTooSmall = (sample: Sample, divisor: number): boolean => {
    const means = Float64Array.from(sample.units, ({ improvement }) => improvement);
    if (isMeanAtLeast(means, minimumEffect)) return false;
    return effectLevel(seal, mirror, mirrored(sample), lift / divisor).clears;
  };
  const arePairsTooSmall = (drawn: DrawnMeasure, divisor: number, filled: boolean): boolean => {
    const means = drawn.means(filled);
    // A mean of at least that much has its upper bound above it.
    if (isMeanAtLeast(means, minimumEffect)) return false;
    const turned = gate.method === 'betting-fixed-n' ? means.map((mean) => 0 - mean) : null;
    const found = turned === null ? null : betsClear(seal, mirror, turned, lift / divisor);
    return found ?? isTooSmall(drawn.sample(filled), divisor);
  };
  const useful: Answer = ({ measures }, divisor, filled) => {
    const drawn = measures.get(key);
    if (drawn === undefined) return true;
    const { counts } = drawn;
    if (counts === null) return !arePairsTooSmall(drawn, divisor, filled);
    const turned = { wins: counts.losses, losses: counts.wins };
    return !above
      .of(drawn.units, divisor)
      .ask(turned, () => isTooSmall(drawn.sampleOf(counts), divisor));
  };
  return { clears, useful };
}

function isMeanAtLeast(values: Float64Array, least: number): boolean {
  let total = 0;
  for (const value of values) total += value;
  return total >= least * values.length;
}

function rateAnswer(seal: SealedExperiment, declared: GateOf<'rate'>): Answer {
  const gate = rateGate(seal, declared);
  const { limit } = gate;
  const { rate: error } = seal.analysis.errorLevels;
  const isHigher = measureOf(seal, declared.measure).direction === 'higher';
  const holds = (shares: readonly number[], divisor: number): boolean => {
    const bounds = rateBounds(gate, shares, error / divisor);
    if (isIndeterminate(bounds)) return false;
    return limit.side === 'min'
      ? roundSignificant(bounds.lower, 1) > limit.value
      : roundSignificant(bounds.upper, 1) < limit.value;
  };
  const ofCount = remembered((ones, units, divisor) =>
    holds(
      Array.from({ length: units }, (_, unit) => (unit < ones ? 1 : 0)),
      divisor,
    ),
  );
  const isCandidate = declared.arm === 'candidate';
  const onesOf = ({ wins, losses, bothBetter }: Discordance, units: number): number => {
    const better = bothBetter + (isCandidate ? wins : losses);
    return isHigher ? better : units - better;
  };
  const worst = limit.side === 'min' ? 0 : 1;
  const against = isHigher ? worst : 1 - worst;
  const ownHolds = (drawn: DrawnMeasure, divisor: number, filled: boolean): boolean =>
    drawn.counts === null
      ? holds(drawn.ownShares(filled ? worst : null), divisor)
      : ofCount(drawn.counts.wins, drawn.units, divisor);
  return ({ measures, own }, divisor, filled) => {
    const single = own.get(declared.measure);
    if (single !== undefined) return ownHolds(single, divisor, filled);
    const drawn = measures.get(declared.measure);
    if (drawn?.hasLevels !== true) return true;
    const { counts, units } = drawn;
    if (counts !== null) return ofCount(onesOf(counts, units), units, divisor);
    const shares = drawn.shares(declared.arm, filled ? against : null);
    return holds(isHigher ? shares : shares.map((share) => 1 - share), divisor);
  };
}

function criticalAnswer(seal: SealedExperiment, { measure, maxRate }: GateOf<'critical'>): Answer {
  const { rate: error } = seal.analysis.errorLevels;
  const below = remembered((violating, units, divisor) => {
    const upper = clopperPearsonUpper({ successes: violating, units }, error / divisor);
    return typeof upper === 'number' && roundSignificant(upper, 1) < (maxRate ?? 0);
  });
  return ({ own }, divisor) => {
    const drawn = own.get(measure);
    if (drawn === undefined) return true;
    const { units, cells, lost } = drawn.hits();
    if (lost > 0) return false;
    return maxRate === undefined ? cells === 0 : below(units, drawn.units, divisor);
  };
}

function quantileAnswer(
  seal: SealedExperiment,
  { measure, quantile }: { readonly measure: string; readonly quantile: number },
): Answer {
  const { lift } = seal.analysis.errorLevels;
  const bounded = remembered((fast, units, divisor) => {
    const { upper } = quantileRanks(units, { quantile, error: lift / divisor });
    return upper !== null && fast >= upper;
  });
  return ({ own }, divisor) => {
    const drawn = own.get(measure);
    if (drawn === undefined) return true;
    return bounded(drawn.units - drawn.hits().hitOrLost, drawn.units, divisor);
  };
}

/** The drawn differences of a gate as a joint law reads them; none where nothing is drawn of it. */
function jointTests(
  gate: EffectGate,
  { measures }: Replicate,
  filled: boolean,
): readonly JointTest[] {
  const drawn = measures.get(drawnKey(gate));
  return drawn === undefined
    ? []
    : [{ name: gate.name, method: gate.method, sample: drawn.sample(filled) }];
}

/** Every objective above its floor and one of them above 0, all at their shares of the error. */
function paretoAnswer(seal: SealedExperiment, declared: GateOf<'pareto'>): Answer {
  const objectives = objectiveGates(seal, declared);
  const floors = objectives.map((gate) => effectAnswers(seal, gate).clears);
  const gains = objectives.map((gate) => effectAnswers(seal, { ...gate, threshold: 0 }).clears);
  const all = objectives.map((_, at) => at);
  const sharedBy = (replicate: Replicate, divisor: number, filled: boolean): number => {
    const tests = objectives.flatMap((gate) => jointTests(gate, replicate, filled));
    if (tests.length < objectives.length) return objectives.length;
    const error = seal.analysis.errorLevels.lift / divisor;
    const hasLooks = seal.analysis.looks !== undefined;
    return objectivesLaw(seal, tests, { error, hasLooks })?.divisor(all) ?? objectives.length;
  };
  const holds = (replicate: Replicate, divisor: number, filled: boolean): boolean => {
    const clears = (answer: Answer) => answer(replicate, divisor, filled);
    return floors.every(clears) && gains.some(clears);
  };
  return (replicate, divisor, filled) => {
    if (seal.decision.multiplicity !== 'max-t')
      return holds(replicate, divisor * objectives.length, filled);
    // What clears at no part of the whole error needs no law.
    if (!holds(replicate, divisor, filled)) return false;
    return holds(replicate, divisor * sharedBy(replicate, divisor, filled), filled);
  };
}

function matchedAnswer({ of, tolerance }: GateOf<'matched-budget'>): Answer {
  return ({ spent }) => {
    const found = spent[of];
    if (found === null) return true;
    const { candidate, baseline } = found;
    const [less, more] = [Math.min(candidate, baseline), Math.max(candidate, baseline)];
    return more === 0 || (less > 0 && more / less - 1 <= tolerance);
  };
}

function budgetAnswer({ limits }: SealedExperiment): Answer {
  const cap = limits.budget.usd;
  return ({ spent }) => cap === null || spent.usd === null || spent.usd.all <= cap;
}

/** What was drawn for a gate on the making of a run. */
function conductAnswer(name: string): Answer {
  return ({ conduct }) => conduct.get(name) ?? true;
}

/** The gap of two measures below its margin, and what else was drawn for the gate. */
function gapAnswer(seal: SealedExperiment, name: string, gap: MeasureGap): Answer {
  const { errorLevels, bettingTruncation: truncation } = seal.analysis;
  const conduct = conductAnswer(name);
  return (replicate, divisor, filled) => {
    if (!conduct(replicate, divisor, filled)) return false;
    const { measures, gaps } = replicate;
    const world = gaps.find(({ gate }) => gate === name);
    const values = drawnGaps(seal, gap, { world, measures, filled });
    const error = errorLevels.lift / divisor;
    return values === null || isGapBelow(values, gap.margin, { error, truncation });
  };
}

const conductKinds: readonly GateDeclaration['gate'][] = [
  'canary',
  'contamination',
  'custom',
  'evaluator',
  'infrastructure-symmetry',
  'interleaving',
];

/** The gate as a simulation asks it, or null for one that nothing drawn decides. */
export function simulatedGate(
  seal: SealedExperiment,
  declared: GateDeclaration,
): SimulatedGate | null {
  const common = { name: gateName(declared), required: declared.required };
  const answered = (bound: boolean, clears: Answer): SimulatedGate => ({
    ...common,
    bound,
    clears,
    useful: always,
  });
  const gate = effectGate(seal, declared);
  if (gate !== null) {
    const joint = (replicate: Replicate, filled: boolean) => jointTests(gate, replicate, filled);
    return { ...common, bound: true, joint, ...effectAnswers(seal, gate) };
  }
  if (declared.gate === 'pareto') return answered(true, paretoAnswer(seal, declared));
  if (declared.gate === 'latency') {
    const form = latencyForm(declared);
    if (form?.form !== 'quantile') return null;
    const { quantile } = form;
    return answered(true, quantileAnswer(seal, { measure: declared.measure, quantile }));
  }
  if (declared.gate === 'rate') return answered(true, rateAnswer(seal, declared));
  if (declared.gate === 'critical')
    return answered(declared.maxRate !== undefined, criticalAnswer(seal, declared));
  if (declared.gate === 'matched-budget') return answered(false, matchedAnswer(declared));
  const gap = gapOf(declared);
  if (gap !== null) return answered(true, gapAnswer(seal, common.name, gap));
  if (conductKinds.includes(declared.gate)) return answered(false, conductAnswer(common.name));
  return declared.gate === 'budget' ? answered(false, budgetAnswer(seal)) : null;
}
