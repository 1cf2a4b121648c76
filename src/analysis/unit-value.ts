/** From pairs to one observation per unit: the direction is applied here, once, and everything after it reads improvements. */

import { compareCodeUnits } from '../base/canonical.ts';
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
  readonly units: readonly UnitValue[];
  readonly n: SampleSize;
  /** Lost values of the pairs, by arm and reason, sorted; cells whose pair left only through the other arm are not here. */
  readonly lost: readonly LostValue[];
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
export function sampleUnits(
  measure: Measure,
  pairs: readonly Pair[],
  order: readonly string[],
): Sample {
  const byUnit = new Map<string, PairValue[]>();
  let discordant = 0;
  for (const pair of pairs) {
    const found = completeImprovement(measure, pair);
    if (found === null) continue;
    if (found.discordant) discordant += 1;
    const values = byUnit.get(pair.unit) ?? [];
    values.push({ case: pair.case, repeat: pair.repeat, improvement: found.improvement });
    byUnit.set(pair.unit, values);
  }
  const width = rangeWidth(measure);
  const units = order.flatMap((unit) => {
    const values = byUnit.get(unit);
    if (values === undefined) return [];
    const mean = sum(values.map((each) => each.improvement)) / values.length;
    return [
      {
        unit,
        improvement: withoutNoise(mean, width),
        pairs: values.length,
        values: values.sort(inCaseOrder),
      },
    ];
  });
  const complete = units.reduce((total, each) => total + each.pairs, 0);
  return {
    units,
    n: { units: units.length, pairs: complete, cells: 2 * complete, discordant },
    lost: pairs.flatMap(lostValues),
    plannedValues: 2 * pairs.length,
  };
}

function inCaseOrder(first: PairValue, second: PairValue): number {
  return compareCodeUnits(first.case, second.case) || first.repeat - second.repeat;
}

/** What is left of a sum that should have been 0 counts as 0. */
function withoutNoise(value: number, width: number): number {
  return Math.abs(value) < 1e-12 * width ? 0 : value;
}

function lostValues(pair: Pair): LostValue[] {
  const { case: caseId, repeat } = pair;
  return (['baseline', 'candidate'] as const).flatMap((side) => {
    const value = pair[side];
    return value.status === 'lost' ? [{ side, case: caseId, repeat, reason: value.reason }] : [];
  });
}
