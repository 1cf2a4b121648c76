/** Floors of `weights: case` (DESIGN 6), known from the sizes of the units alone: planned ones at check, measured ones at the end. */
import { invariant } from '../base/errors.ts';
import { clusterVariance } from '../stats/clustered.ts';
import { isIndeterminate } from '../stats/interval.ts';
import { roundSignificant } from '../stats/rounding.ts';
import { largest } from '../stats/summary.ts';

/** Fewest units and Satterthwaite degrees of freedom, and how many times the largest unit must fit into the cases. */
export const caseFloors = { units: 5, degreesOfFreedom: 4, largestFits: 3 } as const;

/** Which floor of `weights: case` is not met. */
export type CaseShortfall = 'too-few-units' | 'one-unit-dominates' | 'few-degrees-of-freedom';

/**
 * The first floor that units of these sizes miss: 5 units, no unit above a third of the cases, 4 degrees of freedom of CR2.
 *
 * @param sizes  cases of each unit, whole numbers >= 1, in any order
 * @returns      null when every floor is met; exactly a third and exactly 4 degrees of freedom are enough
 * @example caseShortfall([2, 2, 2, 2]) // => 'too-few-units'
 * @example caseShortfall([5, 1, 1, 1, 1]) // => 'one-unit-dominates'
 * @see Pustejovsky & Tipton (2018), Journal of Business & Economic Statistics 36:672
 */
export function caseShortfall(sizes: readonly number[]): CaseShortfall | null {
  if (sizes.length < caseFloors.units) return 'too-few-units';
  const cases = sizes.reduce((total, size) => total + size, 0);
  if (caseFloors.largestFits * largest(sizes) > cases) return 'one-unit-dominates';
  const found = clusterVariance(sizes.map((size) => Array.from({ length: size }, () => 0)));
  invariant(!isIndeterminate(found), 'five units have degrees of freedom');
  return roundSignificant(found.df) < caseFloors.degreesOfFreedom ? 'few-degrees-of-freedom' : null;
}

/**
 * What a missed floor is, in words.
 * @example shortfallText('too-few-units') // => 'fewer than 5 units'
 */
export function shortfallText(shortfall: CaseShortfall): string {
  switch (shortfall) {
    case 'too-few-units':
      return `fewer than ${caseFloors.units} units`;
    case 'one-unit-dominates':
      return 'one unit with more than a third of the cases';
    case 'few-degrees-of-freedom':
      return `fewer than ${caseFloors.degreesOfFreedom} degrees of freedom, as the units differ much in size`;
  }
}
