/**
 * What a sealed design finds, before a cent is spent: how often its rules ship a candidate that is better by an effect, the smallest
 * effect they find with the target power, and the units the target needs.
 */
import type { CaseIndex } from '../spec/case-index.ts';
import type { SealedExperiment } from '../spec/seal.ts';
import { onScale } from './effect.ts';
import { type PlannedGate, plannedGates, rateOf, type SimulatedRate } from './null-scenarios.ts';
import { type PairLaw, pairedLaw } from './outcome-law.ts';
import { type ShipCounts, type SimulationOptions, simulateWorlds } from './simulate.ts';
import type { World } from './simulated-world.ts';

/** How often the rules ship a candidate that is truly better by `effect`, under one assumption about its differences. */
export interface PowerRow {
  readonly assumption: string;
  readonly ship: SimulatedRate;
  /** Share of replicates in which each gate on a paired difference clears alone, at the whole error. */
  readonly gates: readonly { readonly gate: string; readonly rate: number }[];
}

/** Power of a design; `planned` is the assumption that the last two numbers use. */
export interface PowerPlan {
  /** In the measure's units; null when neither the power gate nor the claim names one. */
  readonly effect: number | null;
  readonly target: number;
  readonly rows: readonly PowerRow[];
  readonly planned: string;
  /** Smallest effect found with the target power, on the scale of the improvement; null when none in its range is. */
  readonly minimumDetectableEffect: number | null;
  /** Units for the target power at the effect; null without one or where it does not exceed the lift threshold; `more` beyond the largest number tried. */
  readonly unitsForTarget: number | 'more' | null;
}

/** Largest number of units that is tried. */
const mostUnits = 20_000;
/** Largest effect that is tried on a scale without a range, and halvings of a tenth of the range. */
const largestUnbounded = 3;
const effectHalvings = 6;

interface Assumption {
  readonly words: string;
  readonly law: (mean: number, width: number) => PairLaw | null;
}

/** Assumptions by kind of measure; the second one plans. */
function assumptionsOf({ gate, width }: PlannedGate): readonly Assumption[] {
  if (gate.measure.kind === 'binary') {
    return [0, 0.1, 0.3].map((more) => ({
      words:
        more === 0
          ? 'pairs change for the better only'
          : `${more * 100} % of pairs change beyond the effect, both ways alike`,
      law: (mean) =>
        pairedLaw({ mean, discordance: Math.min(1, Math.abs(mean) / width + more), width }),
    }));
  }
  if (width > 0) {
    return [0.1, 0.25].map((share) => ({
      words: `standard deviation of ${share} of the range`,
      law: (mean) => triangular(mean, share * width, width),
    }));
  }
  return [0.3, 0.6].map((deviation) => ({
    words: `standard deviation of ${deviation} ${gate.measure.kind === 'continuous' ? 'units' : 'of the log ratio'}`,
    law: (mean) => ({ kind: 'normal', mean, deviation }),
  }));
}

function triangular(mean: number, deviation: number, width: number): PairLaw | null {
  return Math.abs(mean) + Math.sqrt(6) * deviation > width
    ? null
    : { kind: 'triangular', mean, deviation };
}

/** What is assumed of a design's units in simulations of power. */
const powerCorrelation = 0.5;

interface PowerDesign {
  readonly seal: SealedExperiment;
  readonly lift: PlannedGate;
  readonly gates: readonly PlannedGate[];
}

/** The lift at an effect, every other measure as good as before; null where the assumption admits no such effect. */
function powerWorld(
  { lift, gates }: PowerDesign,
  assumption: Assumption,
  { effect, units }: { readonly effect: number; readonly units: number },
): World | null {
  const law = assumption.law(effect, lift.width);
  if (law === null) return null;
  const others = gates.filter(({ gate }) => gate.measureId !== lift.gate.measureId);
  const unchanged = others.flatMap((each) => {
    const own = assumptionsOf(each)[1]?.law(0, each.width);
    return own === undefined || own === null ? [] : [worldOf(each, own, units)];
  });
  return { measures: [worldOf(lift, law, units), ...unchanged] };
}

function worldOf({ gate, pairs }: PlannedGate, law: PairLaw, units: number) {
  const sizes = Array.from({ length: units }, (_, index) => pairs[index % pairs.length] ?? 1);
  return { measure: gate.measureId, law, correlation: powerCorrelation, pairs: sizes };
}

/** Power wanted when no power gate is sealed. */
const defaultTarget = 0.8;

/** Effect and target of the power gate; without one, or without its own effect, the smallest useful effect of the claim. */
export function plannedPower(seal: SealedExperiment): {
  readonly target: number;
  readonly effect: number | null;
} {
  const gate = seal.decision.gates.find((each) => each.gate === 'power');
  const effect = gate?.atEffect ?? seal.claim.minimumEffect ?? null;
  return { target: gate?.target ?? defaultTarget, effect };
}

/**
 * Power of the sealed rules at the planned effect of the primary measure.
 *
 * @returns  null for a design without a lift gate, with fewer than 2 units, or where no assumption admits the effect
 */
export async function planPower(
  { seal, index }: { readonly seal: SealedExperiment; readonly index: CaseIndex },
  options: SimulationOptions,
): Promise<PowerPlan | null> {
  const gates = plannedGates(seal, index);
  const lift = gates.find(({ gate }) => gate.gate === 'lift');
  const units = lift?.pairs.length ?? 0;
  const planning = lift === undefined ? undefined : assumptionsOf(lift)[1];
  if (lift === undefined || planning === undefined || units < 2) return null;
  const design = { seal, lift, gates };
  const { effect, target } = plannedPower(seal);
  const scaled = effect === null ? null : onScale(lift.gate.measure, effect);
  const isReachable = scaled !== null && scaled > lift.gate.threshold;
  const rows = isReachable ? await powerRows(design, { effect: scaled, units, options }) : [];
  const reaches = async (at: number, size: number): Promise<boolean> => {
    const world = powerWorld(design, planning, { effect: at, units: size });
    if (world === null) return false;
    // One stream for all: what differs is the effect or the size, not the luck.
    const [counts] = await simulateWorlds(seal, [{ world, label: 'power' }], options);
    return counts !== undefined && firstShips(counts) >= target * counts.replicates;
  };
  return {
    effect,
    target,
    rows,
    planned: planning.words,
    minimumDetectableEffect: await smallestEffect(lift, (at) => reaches(at, units)),
    unitsForTarget: isReachable ? await fewestUnits((size) => reaches(scaled, size)) : null,
  };
}

async function powerRows(
  design: PowerDesign,
  at: { readonly effect: number; readonly units: number; readonly options: SimulationOptions },
): Promise<readonly PowerRow[]> {
  const admitted = assumptionsOf(design.lift).flatMap((assumption) => {
    const world = powerWorld(design, assumption, at);
    return world === null ? [] : [{ words: assumption.words, world, label: 'power' }];
  });
  const counts = await simulateWorlds(design.seal, admitted, at.options);
  const names = design.gates.filter(({ gate }) => gate.required).map(({ gate }) => gate.name);
  return counts.map((found, index) => ({
    assumption: admitted[index]?.words ?? '',
    ship: rateOf(firstShips(found), found),
    gates: names.map((gate, place) => ({
      gate,
      rate: (found.gates[place] ?? 0) / found.replicates,
    })),
  }));
}

/** Replicates in which a candidate ships: all are alike in a simulation, so the first stands for any. */
function firstShips({ candidates }: ShipCounts): number {
  return candidates[0] ?? 0;
}

/** Bisects between the threshold and the largest effect that reaches the target; null when none does. */
async function smallestEffect(
  { gate, width }: PlannedGate,
  reaches: (effect: number) => Promise<boolean>,
): Promise<number | null> {
  const most = width === 0 ? largestUnbounded : width;
  const step = (most - gate.threshold) / 10;
  let [low, high] = [gate.threshold, gate.threshold + step];
  // The largest effects leave an assumption no room, so the range is searched from below.
  while (!(await reaches(high))) {
    [low, high] = [high, high + step];
    if (high > most) return null;
  }
  for (let halving = 0; halving < effectHalvings; halving += 1) {
    const middle = (low + high) / 2;
    if (await reaches(middle)) high = middle;
    else low = middle;
  }
  return Number(high.toPrecision(3));
}

/** Doubles until the target is reached, then bisects to within 2 %. */
async function fewestUnits(reaches: (units: number) => Promise<boolean>): Promise<number | 'more'> {
  let [low, high] = [1, 8];
  while (!(await reaches(high))) {
    if (high >= mostUnits) return 'more';
    [low, high] = [high, Math.min(mostUnits, high * 2)];
  }
  while (high - low > Math.max(1, high / 50)) {
    const middle = Math.floor((low + high) / 2);
    if (await reaches(middle)) high = middle;
    else low = middle;
  }
  return high;
}
