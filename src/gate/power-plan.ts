/**
 * What a sealed design finds, before a cent is spent: how often its rules ship a candidate that is better by an effect, the smallest
 * effect they find with the target power, and the units the target needs. With several candidates one is better, the others are not.
 */

import { rangeWidth } from '../analysis/unit-value.ts';
import type { SealedExperiment } from '../spec/seal.ts';
import { candidateIds } from '../spec/spec.ts';
import { conductLaws } from './conduct-laws.ts';
import type { MeasureWorld } from './drawn-values.ts';
import { drawnKey, type EffectGate, onScale } from './effect.ts';
import { followedEffect, gapDrawings, gapWorlds, isPartner } from './gap-worlds.ts';
import { rateOf, type SimulatedRate } from './null-scenarios.ts';
import {
  type Assumption,
  assumptionsOf,
  drawnEffects,
  effectSeen,
  layoutOf,
  measureWorld,
  type PlanDesign,
  planningAssumption,
  statedWorld,
} from './plan-world.ts';
import {
  type ShipCounts,
  type SimulationOptions,
  Simulator,
  simulateHere,
  simulateWorlds,
} from './simulate.ts';
import { gapMeasures } from './simulated-gap.ts';
import type { World } from './simulated-world.ts';

/** How often the rules ship a candidate that is truly better by `effect`, under one assumption about its differences. */
export interface PowerRow {
  readonly assumption: string;
  readonly ship: SimulatedRate;
  /** Share of replicates in which each simulated gate clears alone, at the whole error. */
  readonly gates: readonly { readonly gate: string; readonly rate: number }[];
}

/** Power of a design; `planned` is the assumption that the last two numbers use. */
export interface PowerPlan {
  /** The gate whose measure improves. */
  readonly gate: string;
  /** In the measure's units; null when neither the power gate nor the claim names one. */
  readonly effect: number | null;
  readonly target: number;
  readonly rows: readonly PowerRow[];
  readonly planned: string;
  /** Smallest effect found with the target power, on the scale of the improvement; null when none in its range is. */
  readonly minimumDetectableEffect: number | null;
  /** Units for the target power at the effect; null without one or where it does not exceed the threshold; `more` beyond the largest number tried. */
  readonly unitsForTarget: number | 'more' | null;
}

/** Largest number of units that is tried, and of pairs of all candidates together. */
const mostUnits = 20_000;
const mostPairs = 100_000;
/** Largest effect that is tried on a scale without a range, and halvings of a tenth of the range. */
const largestUnbounded = 3;
const effectHalvings = 6;
/** Decisions that tell what is far from the target in a search. */
const screening = 250;
/** Share of cells that are lost in the row that shows what losses do, where none is allowed. */
const shownLossRate = 0.001;

/** Effect and target of the power gate; without one, or without its own effect, the smallest useful effect of the claim. */
export function plannedPower(seal: SealedExperiment): {
  readonly target: number;
  readonly effect: number | null;
} {
  const gate = seal.decision.gates.find((each) => each.gate === 'power');
  const effect = gate?.atEffect ?? seal.claim.minimumEffect ?? null;
  return { target: gate?.target ?? defaultTarget, effect };
}

/** Power wanted when no power gate is sealed. */
export const defaultTarget = 0.8;

/** The gate whose measure improves by the effect: the first lift, without one the first gate on a difference. */
function improvedGate(seal: SealedExperiment): EffectGate | null {
  const gates = drawnEffects(seal).filter(({ required }) => required);
  return gates.find(({ gate }) => gate === 'lift') ?? gates[0] ?? null;
}

interface PowerDesign extends PlanDesign {
  readonly improved: EffectGate;
}

interface At {
  readonly effect: number;
  readonly units?: number;
  readonly lossRate?: number;
  /** What the other measure of a gap gains, in place of what is stated. */
  readonly follows?: number;
}

/** One candidate better by an effect, in every other measure as good as the baseline, and the other candidates no better; null where the assumption admits no such effect. */
function powerWorld(design: PowerDesign, assumption: Assumption, at: At): World | null {
  const { seal, improved, assumptions = {} } = design;
  const { lossRate = assumptions.lossRate } = at;
  const stated = { ...design, assumptions: { ...assumptions, ...(lossRate && { lossRate }) } };
  const layout = layoutOf(design, at.units);
  const gates = [improved, ...drawnEffects(seal), ...gapDrawings(seal)].filter(
    (gate, place, all) => all.findIndex((each) => drawnKey(each) === drawnKey(gate)) === place,
  );
  const worldsAt = (effect: number): readonly MeasureWorld[] | null => {
    const found = gates.map((gate) => {
      const isImproved = gate.measureId === improved.measureId;
      const law = (isImproved ? assumption : planningAssumption(gate, assumptions)).law(
        effectSeen(
          gate,
          isImproved
            ? effect
            : followedEffect(design, gate, { improved, effect, held: at.follows }),
          assumptions,
        ),
      );
      return law === null ? null : measureWorld(design, layout, { gate, law });
    });
    // Without room for the improvement there is no such world; another measure without room is left out.
    if (found.some((each, place) => each === null && isOf(gates[place], improved))) return null;
    return found.filter((each) => each !== null);
  };
  const [measures, others] = [worldsAt(at.effect), worldsAt(0)];
  if (measures === null || others === null) return null;
  const conduct = conductLaws(stated, layout);
  const gaps = gapWorlds(seal, layout);
  return {
    measures,
    others,
    ...statedWorld(stated, layout),
    ...(conduct.length === 0 ? {} : { conduct }),
    ...(gaps.length === 0 ? {} : { gaps }),
  };
}

function isOf(gate: EffectGate | undefined, { measureId }: EffectGate): boolean {
  return gate?.measureId === measureId;
}

/** The world at an effect under the assumption that plans, or null where it admits no such effect. */
export function plannedWorld(
  design: PlanDesign,
  effect: number,
): { readonly world: World; readonly assumption: string } | null {
  const improved = improvedGate(design.seal);
  if (improved === null || layoutOf(design).units < 2) return null;
  const planning = planningAssumption(improved, design.assumptions);
  const scaled = onScale(improved.measure, effect);
  const world = powerWorld({ ...design, improved }, planning, { effect: scaled });
  return world === null ? null : { world, assumption: planning.words };
}

/** How often the first candidate ships at an effect under the assumption that plans, or null where it admits no such effect. */
export function powerAt(
  design: PlanDesign,
  effect: number,
  options: Pick<SimulationOptions, 'replicates' | 'seed'>,
): { readonly ship: SimulatedRate; readonly assumption: string } | null {
  const planned = plannedWorld(design, effect);
  if (planned === null) return null;
  const { world, assumption } = planned;
  const [counts] = simulateHere(design.seal, [{ world, label: 'power' }], options);
  return counts === undefined ? null : { ship: rateOf(firstShips(counts), counts), assumption };
}

/**
 * Power of the sealed rules at the planned effect of the primary measure.
 *
 * @returns  null for a design without a required gate on a difference or with fewer than 2 units
 */
export async function planPower(
  plain: PlanDesign,
  options: SimulationOptions,
): Promise<PowerPlan | null> {
  const { seal } = plain;
  const improved = improvedGate(seal);
  if (improved === null || layoutOf(plain).units < 2) return null;
  const design = { ...plain, improved };
  const planning = planningAssumption(improved, plain.assumptions);
  const { effect, target } = plannedPower(seal);
  const scaled = effect === null ? null : onScale(improved.measure, effect);
  const isReachable = scaled !== null && scaled > improved.threshold;
  const rows = isReachable ? await powerRows(design, scaled, options) : [];
  const reaches = reacher(design, planning, { target, options });
  return {
    gate: improved.name,
    effect,
    target,
    rows,
    planned: planning.words,
    minimumDetectableEffect: await smallestEffect(improved, (at) => reaches({ effect: at })),
    // Looks are sealed for the units there are.
    unitsForTarget:
      isReachable && seal.analysis.looks === undefined
        ? await fewestUnits(unitsTried(design), (units) => reaches({ effect: scaled, units }))
        : null,
  };
}

/** Units that the planning assumption needs for the target at an effect. */
export function unitsForPower(
  plain: PlanDesign,
  { effect, target }: { readonly effect: number; readonly target: number },
  options: SimulationOptions,
): Promise<number | 'more' | null> {
  const improved = improvedGate(plain.seal);
  const scaled = improved === null ? null : onScale(improved.measure, effect);
  if (improved === null || scaled === null || scaled <= improved.threshold)
    return Promise.resolve(null);
  if (plain.seal.analysis.looks !== undefined) return Promise.resolve(null);
  const planning = planningAssumption(improved, plain.assumptions);
  const reaches = reacher({ ...plain, improved }, planning, { target, options });
  return fewestUnits(unitsTried(plain), (units) => reaches({ effect: scaled, units }));
}

function reacher(
  design: PowerDesign,
  planning: Assumption,
  { target, options }: { readonly target: number; readonly options: SimulationOptions },
): (at: At) => Promise<boolean> {
  return async (at) => {
    const world = powerWorld(design, planning, at);
    if (world === null || neverShips(world)) return false;
    // One stream for all: what differs is the effect or the size, not the luck.
    const shipsOf = async (replicates: number): Promise<SimulatedRate | null> => {
      const asked = { ...options, replicates };
      const [counts] = await simulateWorlds(design.seal, [{ world, label: 'power' }], asked);
      return counts === undefined ? null : rateOf(firstShips(counts), counts);
    };
    const few = Math.min(screening, options.replicates);
    const first = await shipsOf(few);
    if (first === null || Math.abs(first.rate - target) > 5 * maximumError(few))
      return first !== null && first.rate >= target;
    const all = await shipsOf(options.replicates);
    return all !== null && all.rate >= target;
  };
}

/** Whether a required gate stands against every candidate before the run. */
const neverShips = ({ conduct = [] }: World): boolean =>
  conduct.some((law) => law.kind === 'fixed' && !law.clears);

/** Largest Monte Carlo error a rate can have. */
const maximumError = (replicates: number): number => 0.5 / Math.sqrt(replicates);

/** One row for every assumption, and one more with losses where none are stated. */
async function powerRows(
  design: PowerDesign,
  effect: number,
  options: SimulationOptions,
): Promise<readonly PowerRow[]> {
  const { seal, improved, assumptions } = design;
  const all = assumptionsOf(improved.measureId, improved.measure, assumptions);
  const planning = planningAssumption(improved, assumptions);
  const most = seal.spec.loss.maxLostShare;
  const lossRate = most > 0 ? most / 2 : shownLossRate;
  const lossy =
    assumptions?.lossRate === undefined && seal.analysis.looks === undefined
      ? [
          {
            assumption: planning,
            at: { effect, lossRate },
            words: `${planning.words}, and ${Number((100 * lossRate).toPrecision(3))} % of cells are lost`,
          },
        ]
      : [];
  const admitted = [
    ...all.map((assumption) => ({ assumption, at: { effect }, words: assumption.words })),
    ...lossy,
    ...aloneRow(design, planning, effect),
  ].flatMap(({ assumption, at, words }) => {
    const world = powerWorld(design, assumption, at);
    return world === null ? [] : [{ words, world, label: 'power' }];
  });
  const counts = await simulateWorlds(seal, admitted, options);
  const names = new Simulator(seal).gateNames;
  return counts.map((found, index) => ({
    assumption: admitted[index]?.words ?? '',
    ship: rateOf(firstShips(found), found),
    gates: names.map((gate, place) => ({
      gate,
      rate: (found.gates[place] ?? 0) / found.replicates,
    })),
  }));
}

/** The improved measure gains and what a gate holds against it does not: these ships are to be refused. */
function aloneRow({ seal, improved }: PowerDesign, assumption: Assumption, effect: number) {
  const { measureId } = improved;
  const held = [...gapMeasures(seal)].filter((each) => isPartner(seal, each, measureId));
  if (held.length === 0 || seal.analysis.looks !== undefined) return [];
  const words = `${assumption.words}, and ${held.map((each) => `"${each}"`).join(', ')} gains nothing`;
  return [{ assumption, at: { effect, follows: 0 }, words }];
}

/** Replicates in which the candidate that is better ships. */
function firstShips({ candidates }: ShipCounts): number {
  return candidates[0] ?? 0;
}

/** Bisects between the threshold and the largest effect that reaches the target; null when none does. */
async function smallestEffect(
  { measure, threshold }: EffectGate,
  reaches: (effect: number) => Promise<boolean>,
): Promise<number | null> {
  const width = rangeWidth(measure);
  const most = width === 0 ? largestUnbounded : width;
  const step = (most - threshold) / 10;
  let [low, high] = [threshold, threshold + step];
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

/** The largest number of units worth the time. */
function unitsTried(design: PlanDesign): number {
  const { units, cells } = layoutOf(design);
  const perUnit = (cells / Math.max(1, units)) * candidateIds(design.seal.spec).length;
  return Math.max(8, Math.min(mostUnits, Math.floor(mostPairs / Math.max(1, perUnit))));
}

/** Doubles until the target is reached, then bisects to within 2 %. */
async function fewestUnits(
  most: number,
  reaches: (units: number) => Promise<boolean>,
): Promise<number | 'more'> {
  let [low, high] = [1, 8];
  while (!(await reaches(high))) {
    if (high >= most) return 'more';
    [low, high] = [high, Math.min(most, high * 2)];
  }
  while (high - low > Math.max(1, high / 50)) {
    const middle = Math.floor((low + high) / 2);
    if (await reaches(middle)) high = middle;
    else low = middle;
  }
  return high;
}
