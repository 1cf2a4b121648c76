/**
 * What a sealed design finds, before a cent is spent: how often its rules ship a candidate that is better by an effect, the smallest
 * effect they find with the target power, and the units the target needs. With several candidates one is better, the others are not.
 */

import { invariant } from '../base/errors.ts';
import type { SealedExperiment } from '../spec/seal.ts';
import { onScale } from './effect.ts';
import { isPartner } from './gap-worlds.ts';
import { rateOf, type SimulatedRate } from './null-scenarios.ts';
import {
  type Assumption,
  assumptionsOf,
  layoutOf,
  type PlanDesign,
  planningAssumption,
} from './plan-world.ts';
import { scaledLooks, searchUnits, smallestEffect } from './power-search.ts';
import {
  type At,
  improvedGate,
  namedCandidate,
  type PowerDesign,
  powerDesigns,
  powerWorld,
} from './power-world.ts';
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
  /** The candidate that is better, where each has assumptions of its own; else the first stands for all. */
  readonly candidate?: string;
  readonly assumption: string;
  readonly ship: SimulatedRate;
  /** Share of replicates in which each simulated gate clears alone, at the whole error. */
  readonly gates: readonly { readonly gate: string; readonly rate: number }[];
}

/** Power of a design; `planned` is the assumption that the last two numbers use. */
export interface PowerPlan {
  /** The candidate that they are about, where each has assumptions of its own: the one that is found least often, of those found at all. */
  readonly candidate?: string;
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
  /** Share that ships with so many units, and the looks it was searched with: at the sealed shares of the units. */
  readonly there?: { readonly ship: SimulatedRate; readonly looks?: readonly number[] };
}

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

/** The world at an effect under the assumption that plans, or null where it admits no such effect. */
export function plannedWorld(
  design: PlanDesign,
  effect: number,
): { readonly world: World; readonly assumption: string } | null {
  const improved = improvedGate(design.seal);
  if (improved === null || layoutOf(design).units < 2) return null;
  const planning = planningAssumption(improved, design.assumptions);
  const scaled = onScale(improved.measure, effect);
  const world = powerWorld({ ...design, improved, better: 0 }, planning, { effect: scaled });
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
  return counts === undefined
    ? null
    : { ship: rateOf(counts.candidates[0] ?? 0, counts), assumption };
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
  const { effect, target } = plannedPower(seal);
  const scaled = effect === null ? null : onScale(improved.measure, effect);
  const reached = scaled !== null && scaled > improved.threshold ? scaled : null;
  const designs = powerDesigns(plain, improved);
  const rows: PowerRow[] = [];
  if (reached !== null) {
    for (const each of designs) rows.push(...(await powerRows(each, reached, options)));
  }
  const design = hardestOf(designs, rows);
  const planning = planningAssumption(improved, design.assumptions);
  const reaches = reacher(design, planning, { target, options });
  return {
    ...namedCandidate(design),
    gate: improved.name,
    effect,
    target,
    rows,
    planned: planning.words,
    minimumDetectableEffect: await smallestEffect(improved, (at) => reaches({ effect: at })),
    ...(await unitsAt({ design, planning, target }, reached, options)),
  };
}

/** The units for the target, and what ships there and at which looks. */
async function unitsAt(
  { design, planning, target }: Planned,
  effect: number | null,
  options: SimulationOptions,
): Promise<Pick<PowerPlan, 'unitsForTarget' | 'there'>> {
  if (effect === null) return { unitsForTarget: null };
  const reaches = reacher(design, planning, { target, options });
  const units = await searchUnits(design, (tried) => reaches({ effect, units: tried }));
  const world = units === 'more' ? null : powerWorld(design, planning, { effect, units });
  if (units === 'more' || world === null) return { unitsForTarget: units };
  const [counts] = await simulateWorlds(design.seal, [{ world, label: 'power' }], options);
  invariant(counts !== undefined, 'the world was simulated');
  const looks = scaledLooks(design.seal, units);
  const ship = rateOf(shipsOf(design, counts), counts);
  return { unitsForTarget: units, there: { ship, ...(looks && { looks }) } };
}

interface Planned {
  readonly design: PowerDesign;
  readonly planning: Assumption;
  readonly target: number;
}

/** The design whose better candidate is found least often as planned, of those found at all; the first one where candidates stand in a sealed sequence. */
function hardestOf(designs: readonly PowerDesign[], rows: readonly PowerRow[]): PowerDesign {
  const [first, ...others] = designs;
  invariant(first !== undefined, 'a candidate is better');
  if (typeof first.seal.decision.multiplicity !== 'string') return first;
  const powerOf = (design: PowerDesign): number => {
    const { words } = planningAssumption(design.improved, design.assumptions);
    const { candidate } = namedCandidate(design);
    const row = rows.find((each) => each.candidate === candidate && each.assumption === words);
    // One that no effect would ship, for what else its pilot showed, says nothing about sizes.
    return row === undefined || row.ship.rate === 0 ? 1 : row.ship.rate;
  };
  return others.reduce((least, each) => (powerOf(each) < powerOf(least) ? each : least), first);
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
  const planning = planningAssumption(improved, plain.assumptions);
  const reaches = reacher({ ...plain, improved, better: 0 }, planning, { target, options });
  return searchUnits(plain, (units) => reaches({ effect: scaled, units }));
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
    const rateAt = async (replicates: number): Promise<SimulatedRate | null> => {
      const asked = { ...options, replicates };
      const [counts] = await simulateWorlds(design.seal, [{ world, label: 'power' }], asked);
      return counts === undefined ? null : rateOf(shipsOf(design, counts), counts);
    };
    const few = Math.min(screening, options.replicates);
    const first = await rateAt(few);
    if (first === null || Math.abs(first.rate - target) > 5 * maximumError(few))
      return first !== null && first.rate >= target;
    const all = await rateAt(options.replicates);
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
    ...namedCandidate(design),
    assumption: admitted[index]?.words ?? '',
    ship: rateOf(shipsOf(design, found), found),
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
function shipsOf({ better }: PowerDesign, { candidates }: ShipCounts): number {
  return candidates[better] ?? 0;
}
