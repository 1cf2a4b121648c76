/** From pairs to one observation per unit: the direction is applied here, once, and everything after it reads improvements. */

import { compareCodeUnits } from '../base/canonical.ts';
import { invariant } from '../base/errors.ts';
import { PlaceList, RowList, type Rows, requireRow } from '../base/rows.ts';
import { isLogScale, type Measure, valueRange } from '../spec/measure.ts';
import { log } from '../stats/elementary.ts';
import { sum } from '../stats/summary.ts';
import type { Pair } from './pair.ts';

/** Sizes of a sample; inference uses `units` and nothing else. `discordant` counts pairs whose two values differ. */
export interface SampleSize {
  readonly units: number;
  readonly pairs: number;
  readonly cells: number;
  readonly discordant: number;
}

/** One complete pair of a unit. */
export interface PairValue {
  readonly case: string;
  readonly repeat: number;
  readonly improvement: number;
}

/** One unit: mean improvement over its complete pairs. */
export interface UnitValue {
  readonly unit: string;
  readonly improvement: number;
  readonly pairs: number;
  /** The complete pairs, by code units of the case and by repeat. */
  readonly values: readonly PairValue[];
}

/** What a measure says about a candidate: unit values in the sealed order of units. */
export interface Sample {
  readonly units: Rows<UnitValue>;
  readonly n: SampleSize;
  /** Lost values of the pairs, by arm and reason, sorted; cells whose pair left only through the other arm are not here. */
  readonly lost: Rows<LostValue>;
  /** Planned values of both arms that the measure applies to. */
  readonly plannedValues: number;
}

/** One value that a cell of a pair did not give. */
export interface LostValue {
  readonly side: 'candidate' | 'baseline';
  readonly case: string;
  readonly repeat: number;
  readonly reason: string;
}

/**
 * A value on the scale differences are taken on: itself, or its logarithm for durations and costs, raised to the declared floor.
 * @example scaledValue({ kind: 'duration', floor: 1, role: 'reported', direction: 'lower' }, 0) // => 0
 */
export function scaledValue(measure: Measure, value: number): number {
  if (!isLogScale(measure)) return value;
  const floor = 'floor' in measure ? measure.floor : undefined;
  return log(floor === undefined ? value : Math.max(value, floor));
}

/**
 * Improvement of one pair: candidate minus baseline, with the sign turned when lower is better.
 * @example improvementOf({ kind: 'binary', scale: 1, role: 'primary', direction: 'lower' }, { candidate: 0, baseline: 1 }) // => 1
 */
export function improvementOf(
  measure: Measure,
  values: { readonly candidate: number; readonly baseline: number },
): number {
  const difference = scaledValue(measure, values.candidate) - scaledValue(measure, values.baseline);
  if (difference === 0) return 0;
  return measure.direction === 'higher' ? difference : -difference;
}

/**
 * Width of the measure's declared range, 0 without one: what is tiny beside it counts as 0.
 * @example rangeWidth({ kind: 'binary', scale: 100, role: 'primary', direction: 'higher' }) // => 100
 */
export function rangeWidth(measure: Measure): number {
  const range = valueRange(measure);
  return range === null ? 0 : range.upper - range.lower;
}

interface PairImprovement {
  readonly improvement: number;
  readonly discordant: boolean;
}

function completeImprovement(measure: Measure, pair: Pair): PairImprovement | null {
  if (pair.candidate.status === 'lost' || pair.baseline.status === 'lost') return null;
  const candidate = pair.candidate.value;
  const baseline = pair.baseline.value;
  return {
    improvement: improvementOf(measure, { candidate, baseline }),
    discordant: candidate !== baseline,
  };
}

/**
 * Unit values of a measure: the mean over each unit's complete pairs, in the sealed order of units.
 *
 * A unit without a complete pair has no value. Repeats and cases of one unit never make more units of it.
 *
 * @param order  every final unit in the sealed order
 */
export function sampleUnits(measure: Measure, pairs: Rows<Pair>, order: readonly string[]): Sample {
  const places = new Map(order.map((unit, place) => [unit, place]));
  const complete = new PlaceList();
  const units = new PlaceList();
  const lost = new PlaceList();
  const improvements = new Float64Array(pairs.length);
  let discordant = 0;
  let at = 0;
  for (const pair of pairs) {
    const found = completeImprovement(measure, pair);
    if (found === null) for (const side of lostSides(pair)) lost.add(2 * at + side);
    else {
      if (found.discordant) discordant += 1;
      const unit = places.get(pair.unit);
      if (unit !== undefined) {
        improvements[complete.length] = found.improvement;
        complete.add(at);
        units.add(unit);
      }
    }
    at += 1;
  }
  const grouped = groupByUnit(units, order.length);
  const values = new UnitColumns({ ...grouped, order, pairs, complete, improvements, measure });
  return {
    units: values,
    n: { units: values.length, pairs: complete.length, cells: 2 * complete.length, discordant },
    lost: new LostRows(pairs, lost),
    plannedValues: 2 * pairs.length,
  };
}

const sides = ['baseline', 'candidate'] as const;

/** Which sides of a pair gave no value, as places in `sides`. */
function lostSides(pair: Pair): number[] {
  return sides.flatMap((side, place) => (pair[side].status === 'lost' ? [place] : []));
}

/** The complete pairs of each unit together, in their order. */
interface GroupedPairs {
  /** Numbers of complete pairs, unit by unit. */
  readonly members: Uint32Array;
  /** Where each unit of the order starts among them, and where the last one ends. */
  readonly starts: Uint32Array;
}

function groupByUnit(units: PlaceList, count: number): GroupedPairs {
  const starts = new Uint32Array(count + 1);
  for (let at = 0; at < units.length; at += 1) {
    const next = units.at(at) + 1;
    starts[next] = (starts[next] ?? 0) + 1;
  }
  for (let unit = 0; unit < count; unit += 1)
    starts[unit + 1] = (starts[unit] ?? 0) + (starts[unit + 1] ?? 0);
  const ends = starts.slice(0, count);
  const members = new Uint32Array(units.length);
  for (let at = 0; at < units.length; at += 1) {
    const unit = units.at(at);
    const place = ends[unit] ?? 0;
    members[place] = at;
    ends[unit] = place + 1;
  }
  return { members, starts };
}

interface UnitParts extends GroupedPairs {
  readonly order: readonly string[];
  readonly pairs: Rows<Pair>;
  /** Places of the complete pairs. */
  readonly complete: PlaceList;
  /** By complete pair. */
  readonly improvements: Float64Array;
  readonly measure: Measure;
}

/** Unit values over the pairs they are made from. */
class UnitColumns extends RowList<UnitValue> {
  private readonly parts: UnitParts;
  private readonly places: Uint32Array;
  private readonly means: Float64Array;

  constructor(parts: UnitParts) {
    super();
    this.parts = parts;
    const places = new PlaceList();
    parts.order.forEach((_, unit) => {
      if (this.countAt(unit) > 0) places.add(unit);
    });
    this.places = places.value();
    const width = rangeWidth(parts.measure);
    this.means = Float64Array.from(this.places, (unit) => {
      const own = this.improvementsOf(unit);
      return withoutNoise(sum(own) / own.length, width);
    });
  }

  get length(): number {
    return this.places.length;
  }

  private countAt(unit: number): number {
    const { starts } = this.parts;
    return (starts[unit + 1] ?? 0) - (starts[unit] ?? 0);
  }

  private membersOf(unit: number): Uint32Array {
    const { members, starts } = this.parts;
    return members.subarray(starts[unit] ?? 0, starts[unit + 1] ?? 0);
  }

  private improvementsOf(unit: number): number[] {
    const { improvements } = this.parts;
    return Array.from(this.membersOf(unit), (member) => improvements[member] ?? 0);
  }

  /** The complete pairs of the unit at a place of the order. */
  valuesOf(unit: number): PairValue[] {
    const { pairs, complete, improvements } = this.parts;
    const values = Array.from(this.membersOf(unit), (member): PairValue => {
      const { case: caseId, repeat } = requireRow(pairs, complete.at(member));
      return { case: caseId, repeat, improvement: improvements[member] ?? 0 };
    });
    return values.sort(inCaseOrder);
  }

  protected row(index: number): UnitValue {
    const unit = this.places[index] ?? 0;
    return new UnitView(this, {
      place: unit,
      unit: requireRow(this.parts.order, unit),
      improvement: this.means[index] ?? 0,
      pairs: this.countAt(unit),
    });
  }
}

class UnitView implements UnitValue {
  readonly unit: string;
  readonly improvement: number;
  readonly pairs: number;
  readonly #units: UnitColumns;
  readonly #place: number;

  constructor(units: UnitColumns, own: Omit<UnitValue, 'values'> & { readonly place: number }) {
    this.unit = own.unit;
    this.improvement = own.improvement;
    this.pairs = own.pairs;
    this.#units = units;
    this.#place = own.place;
  }

  get values(): readonly PairValue[] {
    return this.#units.valuesOf(this.#place);
  }
}

function inCaseOrder(first: PairValue, second: PairValue): number {
  return compareCodeUnits(first.case, second.case) || first.repeat - second.repeat;
}

/** What is left of a sum that should have been 0 counts as 0. */
function withoutNoise(value: number, width: number): number {
  return Math.abs(value) < 1e-12 * width ? 0 : value;
}

/** The values that pairs did not give. */
class LostRows extends RowList<LostValue> {
  private readonly pairs: Rows<Pair>;
  /** Twice the place of the pair, and 1 more for the candidate's value. */
  private readonly places: PlaceList;

  constructor(pairs: Rows<Pair>, places: PlaceList) {
    super();
    this.pairs = pairs;
    this.places = places;
  }

  get length(): number {
    return this.places.length;
  }

  protected row(index: number): LostValue {
    const place = this.places.at(index);
    const pair = requireRow(this.pairs, Math.floor(place / 2));
    const side = place % 2 === 0 ? 'baseline' : 'candidate';
    const value = pair[side];
    invariant(value.status === 'lost', 'a lost value stays lost');
    return { side, case: pair.case, repeat: pair.repeat, reason: value.reason };
  }
}
