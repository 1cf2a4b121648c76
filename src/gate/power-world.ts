/** Worlds in which one candidate of a plan is better by an effect, and the others are not. */
import type { SealedExperiment } from '../spec/seal.ts';
import { candidateIds } from '../spec/spec.ts';
import { conductLaws } from './conduct-laws.ts';
import type { MeasureWorld } from './drawn-values.ts';
import { drawnKey, type EffectGate } from './effect.ts';
import { followedEffect, gapDrawings, gapWorlds } from './gap-worlds.ts';
import {
  type Assumption,
  drawnEffects,
  effectSeen,
  type Layout,
  layoutOf,
  measureWorld,
  ownWorlds,
  type PlanDesign,
  planningAssumption,
  statedWorld,
} from './plan-world.ts';
import type { CandidateWorld, World } from './simulated-world.ts';

/** The gate whose measure improves by the effect: the first lift, without one the first gate on a difference. */
export function improvedGate(seal: SealedExperiment): EffectGate | null {
  const gates = drawnEffects(seal).filter(({ required }) => required);
  return gates.find(({ gate }) => gate === 'lift') ?? gates[0] ?? null;
}

/** A design one of whose candidates is better. */
export interface PowerDesign extends PlanDesign {
  readonly improved: EffectGate;
  /** Place of the candidate that is better, whose assumptions are those of the design. */
  readonly better: number;
}

/** A design for each candidate that can be the better one; with the same assumptions for all the first stands for them. */
export function powerDesigns(plain: PlanDesign, improved: EffectGate): readonly PowerDesign[] {
  const { candidates = [undefined] } = plain;
  return candidates.map((own, better) => ({
    ...plain,
    ...(own && { assumptions: own }),
    improved,
    better,
  }));
}

/** The candidate that is better, where it does not stand for all. */
export function namedCandidate({ seal, candidates, better }: PowerDesign): {
  readonly candidate?: string;
} {
  const candidate = candidates && candidateIds(seal.spec)[better];
  return candidate === undefined ? {} : { candidate };
}

/** Where a design is tried. */
export interface At {
  readonly effect: number;
  readonly units?: number;
  readonly lossRate?: number;
  /** What the other measure of a gap gains, in place of what is stated. */
  readonly follows?: number;
}

/** What one candidate draws at an effect on the improved measure; null where an assumption has no room for the improvement. */
function measuresAt(
  design: PowerDesign,
  layout: Layout,
  {
    assumption,
    at,
    effect,
  }: { readonly assumption: Assumption; readonly at: At; readonly effect: number },
): readonly MeasureWorld[] | null {
  const { seal, improved, assumptions = {} } = design;
  const gates = [improved, ...drawnEffects(seal), ...gapDrawings(seal)].filter(
    (gate, place, all) => all.findIndex((each) => drawnKey(each) === drawnKey(gate)) === place,
  );
  const found = gates.map((gate) => {
    const isImproved = gate.measureId === improved.measureId;
    const gained = isImproved
      ? effect
      : followedEffect(design, gate, { improved, effect, held: at.follows });
    const law = (isImproved ? assumption : planningAssumption(gate, assumptions)).law(
      effectSeen(gate, gained, assumptions),
    );
    return law === null ? null : measureWorld(design, layout, { gate, law });
  });
  // Without room for the improvement there is no such world; another measure without room is left out.
  if (found.some((each, place) => each === null && isOf(gates[place], improved))) return null;
  return found.filter((each) => each !== null);
}

/** What each candidate draws where every one has assumptions of its own; null where one has no room for the improvement. */
function candidateWorlds(
  design: PowerDesign,
  layout: Layout,
  { assumption, at }: { readonly assumption: Assumption; readonly at: At },
): readonly CandidateWorld[] | null {
  const { candidates = [], better, improved } = design;
  const found = candidates.map((assumptions, place) => {
    const own = { ...design, assumptions };
    const isBetter = place === better;
    const measures = measuresAt(own, layout, {
      assumption: isBetter ? assumption : planningAssumption(improved, assumptions),
      at,
      effect: isBetter ? at.effect : 0,
    });
    return measures === null ? null : { measures, own: ownWorlds(own, layout) };
  });
  return found.includes(null) ? null : found.filter((each) => each !== null);
}

/** One candidate better by an effect, in every other measure as good as the baseline, and the other candidates no better; null where the assumption admits no such effect. */
export function powerWorld(design: PowerDesign, assumption: Assumption, at: At): World | null {
  const { seal, assumptions = {}, better } = design;
  const { lossRate = assumptions.lossRate } = at;
  const stated = { ...design, assumptions: { ...assumptions, ...(lossRate && { lossRate }) } };
  const layout = layoutOf(design, at.units);
  const [measures, others] = [at.effect, 0].map((effect) =>
    measuresAt(design, layout, { assumption, at, effect }),
  );
  if (!measures || !others) return null;
  const each = candidateWorlds(design, layout, { assumption, at });
  if (each === null) return null;
  const conduct = conductLaws(stated, layout);
  const gaps = gapWorlds(seal, layout);
  return {
    measures,
    others,
    ...(each.length === 0 ? {} : { candidates: each, counted: better }),
    ...statedWorld(stated, layout),
    ...(conduct.length === 0 ? {} : { conduct }),
    ...(gaps.length === 0 ? {} : { gaps }),
  };
}

function isOf(gate: EffectGate | undefined, { measureId }: EffectGate): boolean {
  return gate?.measureId === measureId;
}
