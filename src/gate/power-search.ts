/** Searches of a plan: the smallest effect and the fewest units that reach the target. */
import { rangeWidth } from '../analysis/unit-value.ts';
import type { SealedExperiment } from '../spec/seal.ts';
import { candidateIds } from '../spec/spec.ts';
import type { EffectGate } from './effect.ts';
import { layoutOf, type PlanDesign } from './plan-world.ts';

/** Largest number of units that is tried, and of pairs of all candidates together. */
const mostUnits = 20_000;
const mostPairs = 100_000;
/** Largest effect that is tried on a scale without a range, and halvings of a tenth of the range. */
const largestUnbounded = 3;
const effectHalvings = 6;

/** Bisects between the threshold and the largest effect that reaches the target; null when none does. */
export async function smallestEffect(
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

/** The largest number of units worth the time; under looks every unit is read at most of them again. */
function unitsTried(design: PlanDesign): number {
  const { units, cells } = layoutOf(design);
  const { spec, analysis } = design.seal;
  const perUnit = (cells / Math.max(1, units)) * candidateIds(spec).length;
  const read = perUnit * (analysis.looks === undefined ? 1 : 5 * analysis.looks.length);
  return Math.max(8, Math.min(mostUnits, Math.floor(mostPairs / Math.max(1, read))));
}

/**
 * The looks of a design with so many units in place of its own: at the same shares of them.
 * @returns null where there are none, or where they would not rise from 2 units on
 */
export function scaledLooks(
  { analysis }: SealedExperiment,
  units: number,
): readonly number[] | null {
  const { looks } = analysis;
  if (looks === undefined) return null;
  const scaled = looks.map((each) => Math.round((each / (looks.at(-1) ?? 1)) * units));
  const rises = scaled.every((each, at) => each > (scaled[at - 1] ?? 1));
  return rises ? scaled : null;
}

/** Doubles until the target is reached, then bisects to within 2 %; a size at which the looks cannot be sealed does not reach it. */
export async function searchUnits(
  design: PlanDesign,
  reachesWith: (units: number) => Promise<boolean>,
): Promise<number | 'more'> {
  const { seal } = design;
  const reaches = async (units: number): Promise<boolean> =>
    (seal.analysis.looks === undefined || scaledLooks(seal, units) !== null) &&
    (await reachesWith(units));
  const most = unitsTried(design);
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
