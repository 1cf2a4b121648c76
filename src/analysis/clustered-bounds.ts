/** Bounds of the estimands that look inside a unit: every case counting once (`weights: case`), and a fixed roster of units. */
import { caseShortfall } from '../spec/case-floors.ts';
import { clusteredMeanBounds, unitTotals } from '../stats/clustered.ts';
import { clusteredRiskDifferenceBounds } from '../stats/clustered-binary.ts';
import { rosterBounds } from '../stats/fixed-roster.ts';
import {
  type Bounds,
  type Indeterminate,
  indeterminate,
  isIndeterminate,
} from '../stats/interval.ts';
import { sum } from '../stats/summary.ts';
import type { PairValue, Sample, UnitValue } from './unit-value.ts';

/** Bounds with the estimate they surround, on the scale of the improvement. */
export interface ValuedBounds {
  readonly value: number;
  readonly bounds: Bounds;
}

/** Bounds on the effective number of cases, in [units, cases]. */
export interface CaseRiskBounds extends ValuedBounds {
  readonly effectiveCases: number;
}

function mean(values: readonly number[]): number {
  return sum(values) / values.length;
}

/** Mean improvements of a unit's pairs that share a key, in the order in which the keys appear. */
function meansBy(unit: UnitValue, key: (pair: PairValue) => string | number): number[] {
  const groups = new Map<string | number, number[]>();
  for (const pair of unit.values) {
    const group = groups.get(key(pair)) ?? [];
    group.push(pair.improvement);
    groups.set(key(pair), group);
  }
  return [...groups.values()].map(mean);
}

/**
 * Improvements of the cases by unit: the mean over each case's complete repeats.
 * @example caseMeans(sample) // => [[1, 0], [0.5]]
 */
export function caseMeans(sample: Sample): number[][] {
  return sample.units.map((unit) => meansBy(unit, (pair) => pair.case));
}

/**
 * CR2 bounds of the mean improvement over cases, units as clusters.
 *
 * @param error  one-sided, in (0, 0.5)
 * @returns      a missed floor of `caseShortfall` as the reason, or constant-differences
 * @example caseMeanBounds(sample, 0.025).value // => 0.55
 */
export function caseMeanBounds(sample: Sample, error: number): ValuedBounds | Indeterminate {
  const units = caseMeans(sample);
  const shortfall = caseShortfall(units.map((unit) => unit.length));
  if (shortfall !== null) return indeterminate(shortfall);
  const bounds = clusteredMeanBounds(units, error);
  return isIndeterminate(bounds) ? bounds : { value: unitTotals(units).estimate, bounds };
}

/**
 * Tango bounds of the risk difference over cases on the effective number of them, units as clusters. Repeats of a case are further
 * members of its unit: how alike they are widens the bounds as the likeness of cases does.
 *
 * @param options.error  one-sided, in (0, 0.5)
 * @param options.width  of the measure's declared range, above 0
 * @returns              a missed floor of `caseShortfall` as the reason
 * @example caseRiskBounds(sample, { error: 0.025, width: 1 }).value // => 0.35
 */
export function caseRiskBounds(
  sample: Sample,
  { error, width }: { readonly error: number; readonly width: number },
): CaseRiskBounds | Indeterminate {
  const units = sample.units.map((unit) => unit.values.map((pair) => pair.improvement / width));
  const shortfall = caseShortfall(units.map((unit) => unit.length));
  if (shortfall !== null) return indeterminate(shortfall);
  const found = clusteredRiskDifferenceBounds(units, error);
  if (isIndeterminate(found)) return found;
  return {
    value: width * unitTotals(units).estimate,
    bounds: { lower: width * found.lower, upper: width * found.upper },
    effectiveCases: found.effectiveCases,
  };
}

/**
 * Bounds of the mean improvement over a fixed roster of units: a unit's repeat is the mean over its cases in that repeat, and the
 * noise of repeats is all the uncertainty.
 *
 * @param error  one-sided, in (0, 0.5)
 * @returns      too-few-repeats if a unit has one repeat; constant-repeats if no unit's repeats differ
 * @example listedUnitsBounds(sample, 0.025).value // => 0.25
 */
export function listedUnitsBounds(sample: Sample, error: number): ValuedBounds | Indeterminate {
  const found = rosterBounds(
    sample.units.map((unit) => meansBy(unit, (pair) => pair.repeat)),
    error,
  );
  if (isIndeterminate(found)) return found;
  return { value: found.estimate, bounds: { lower: found.lower, upper: found.upper } };
}
