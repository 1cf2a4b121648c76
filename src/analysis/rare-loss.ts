/** Losses too rare to be seen: no asymptotic bound knows of them, so an estimate says how large their share could be. */
import { guaranteeOf, type MethodName } from '../spec/inference.ts';
import { expm1, log } from '../stats/elementary.ts';
import { roundSignificant } from '../stats/rounding.ts';
import type { Sample } from './unit-value.ts';

/** Fewer losing units than this leave an asymptotic bound exposed to losses nobody saw. */
const rareLosses = 5;

/**
 * Whether unseen losses threaten the bound: fewer than 5 units show one, where a bound is asymptotic and units are a sample.
 * With `weights: case` a unit shows a loss by any of its pairs.
 * @example isRareLossExposed(sample, 'betting-fixed-n') // => false
 */
export function isRareLossExposed(sample: Sample, method: MethodName): boolean {
  if (guaranteeOf(method) === 'finite-sample' || method === 'roster-t') return false;
  const byPair = method === 'cr2' || method === 'tango-effective-n';
  const losing = sample.units.filter(({ improvement, values }) =>
    byPair ? values.some((pair) => pair.improvement < 0) : improvement < 0,
  );
  return losing.length < rareLosses;
}

/**
 * Share of units that could lose without one of the seen ones losing: 1 - error^(1/units).
 * @param error  one-sided, in (0, 1)
 * @param units  whole, >= 1
 * @example unseenLossShare(0.025, 50) // => 0.0711217477 to 9 digits
 */
export function unseenLossShare(error: number, units: number): number {
  return roundSignificant(-expm1(log(error) / units));
}
