/** Whether a bound clears a threshold, answered without the bound where a method offers that: simulations and orders of candidates ask it often. */

import { bettingLowerClears } from '../stats/betting.ts';
import { isIndeterminate } from '../stats/interval.ts';
import { meanDifferenceBounds } from '../stats/mean-difference.ts';
import { exactUnconditionalClears } from '../stats/paired-binary-exact.ts';
import { roundSignificant } from '../stats/rounding.ts';
import { discordantUnits, type EstimateRequest, unboundedUnits } from './estimate.ts';
import { rangeWidth } from './unit-value.ts';

/**
 * Whether the lower bound of the sealed method lies above a threshold, without computing the bound; null where only the bound can
 * say. The answer of `estimateImprovement`, sooner.
 *
 * @param threshold  on the scale of the improvement
 * @example clearsImprovement(request, 0) // => null
 */
export function clearsImprovement(request: EstimateRequest, threshold: number): boolean | null {
  if (request.sample.units.length < 2) return null;
  if (request.method === 'exact-unconditional') return exactClears(request, threshold);
  if (request.method === 'betting-fixed-n') return bettingClears(request, threshold);
  return request.method === 't-bootstrap-t' && isBelowT(request, threshold) ? false : null;
}

function exactClears(
  { sample, measure, error }: EstimateRequest,
  threshold: number,
): boolean | null {
  const scaled = threshold / rangeWidth(measure);
  if (sample.units.some((each) => each.pairs !== 1) || !(Math.abs(scaled) <= 1)) return null;
  const clears = exactUnconditionalClears(discordantUnits(sample), { error, threshold: scaled });
  return isIndeterminate(clears) ? null : clears;
}

function bettingClears(
  { sample, measure, error, seal }: EstimateRequest,
  threshold: number,
): boolean | null {
  const width = rangeWidth(measure);
  if (width === 0) return null;
  return bettingLowerClears(
    sample.units.map((each) => each.improvement),
    threshold,
    { range: { lower: -width, upper: width }, error, truncation: seal.analysis.bettingTruncation },
  );
}

/** The smaller of two bounds is not above what one of them is not above; a measure without a range has no other bound to fall back to. */
function isBelowT({ sample, measure, error }: EstimateRequest, threshold: number): boolean {
  if (rangeWidth(measure) !== 0 || sample.units.length < unboundedUnits) return false;
  const found = meanDifferenceBounds(
    sample.units.map((each) => each.improvement),
    error,
  );
  return !isIndeterminate(found) && roundSignificant(found.lower) <= threshold;
}
