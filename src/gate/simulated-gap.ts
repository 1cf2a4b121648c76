/** Gates on the gap of two measures in a simulation: which units have both, and their gaps in each replicate. */
import { measureOf } from '../analysis/evidence.ts';
import { rangeWidth } from '../analysis/unit-value.ts';
import { gapOf, gateName, type MeasureGap } from '../spec/gates.ts';
import type { SealedExperiment } from '../spec/seal.ts';
import type { DrawnMeasure } from './drawn-measure.ts';
import { widest } from './gap.ts';

/** A required gate that holds two measures against each other. */
export interface GapGate {
  readonly name: string;
  readonly gap: MeasureGap;
}

/** The required gates of a seal on a gap. */
export function gapGates(seal: SealedExperiment): readonly GapGate[] {
  return seal.decision.gates.flatMap((declared) => {
    const gap = declared.required ? gapOf(declared) : null;
    return gap === null ? [] : [{ name: gateName(declared), gap }];
  });
}

/** Measures that gates on a gap read. */
export function gapMeasures(seal: SealedExperiment): ReadonlySet<string> {
  return new Set(gapGates(seal).flatMap(({ gap }) => [gap.ahead, gap.behind]));
}

/** The units with pairs of a measure: their places among all units, and their pairs. */
export interface UnitPlaces {
  readonly places: readonly number[];
  readonly pairs: readonly number[];
}

/** Where the two measures of a gate have their pairs. */
export interface GapWorld {
  readonly gate: string;
  readonly ahead: UnitPlaces;
  readonly behind: UnitPlaces;
}

/** Improvement of each unit as a share of the range by its place; null where a value was lost. */
function sharesOf(
  drawn: DrawnMeasure,
  { places, pairs }: UnitPlaces,
  width: number,
): ReadonlyMap<number, number | null> {
  const found = new Map<number, number | null>(places.map((place) => [place, null]));
  const pairsAt = new Map(places.map((place, at) => [place, pairs[at]]));
  for (const { unit, improvement, pairs: kept } of drawn.sample().units) {
    const place = Number(unit);
    if (kept === pairsAt.get(place)) found.set(place, improvement / width);
  }
  return found;
}

/**
 * Gaps of the units that have both measures, of one candidate in a replicate: in the candidate's disfavour where a value was lost and
 * losses are filled, left out where they are not.
 * @returns null where the world draws no such measures
 */
export function drawnGaps(
  seal: SealedExperiment,
  { ahead, behind }: MeasureGap,
  {
    world,
    measures,
    filled,
  }: {
    readonly world: GapWorld | undefined;
    readonly measures: ReadonlyMap<string, DrawnMeasure>;
    readonly filled: boolean;
  },
): readonly number[] | null {
  const [first, second] = [measures.get(ahead), measures.get(behind)];
  if (world === undefined || first === undefined || second === undefined) return null;
  const widthOf = (id: string): number => rangeWidth(measureOf(seal, id));
  const own = sharesOf(first, world.ahead, widthOf(ahead));
  const other = sharesOf(second, world.behind, widthOf(behind));
  return [...own].flatMap(([place, share]) => {
    const held = other.get(place);
    if (held === undefined) return [];
    if (share === null || held === null) return filled ? [widest] : [];
    return [share - held];
  });
}
