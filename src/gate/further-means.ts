/**
 * Further units of a gate that bounds one mean over units, should the mean that was seen go on: rates, units that violate, gaps of two
 * measures.
 *
 * By the normal approximation, or, where the seal asks for the gate's own power: exactly for shares of units under Clopper and
 * Pearson's bound, by simulation of units drawn from those that were seen under the betting bound.
 */
import type { RateLimit } from '../spec/gates.ts';
import type { SealedExperiment } from '../spec/seal.ts';
import { seedHex } from '../spec/seeds.ts';
import { bettingLowerClears } from '../stats/betting.ts';
import { uniformStream } from '../stats/draws.ts';
import { isIndeterminate } from '../stats/interval.ts';
import { proportionPower, requiredUnits } from '../stats/power.ts';
import { roundSignificant } from '../stats/rounding.ts';
import { moments, sum } from '../stats/summary.ts';
import {
  asksForOwnPower,
  fewestFrom,
  furtherReplicates,
  mostFurtherUnits,
  reachesTarget,
} from './further-simulated.ts';
import {
  type FurtherUnits,
  foundNeed,
  noNeed,
  noneWouldDo,
  powerGate,
  type UnitNeed,
  unitNeed,
} from './further-units.ts';

/** A mean that is open: its units' values, the limit it is held against, and the error of its bound. */
export interface OpenMean {
  readonly gate: string;
  readonly values: readonly number[];
  /** Where values can lie; [0, 1] of a rate. */
  readonly range: { readonly lower: number; readonly upper: number };
  readonly limit: RateLimit;
  readonly error: number;
  /** Whether every unit counts as 0 or 1 under Clopper and Pearson's bound; the betting bound decides otherwise. */
  readonly counted: boolean;
}

/** The normal approximation; the spread of a share is never taken below that of single cells at the limit, so that 0 and 1 are planned for too. */
function approximateUnits({ values, limit, error, range }: OpenMean, target: number) {
  const { mean, variance } = moments(values);
  const sign = limit.side === 'min' ? 1 : -1;
  const isShare = range.lower === 0 && range.upper === 1;
  const room = isShare ? limit.value * (1 - limit.value) : 0;
  return requiredUnits({
    standardDeviation: Math.sqrt(Math.max(variance, room)),
    effect: sign * mean,
    threshold: sign * limit.value,
    error,
    power: target,
  });
}

/** Whether the bound of these values clears its limit, in one pass. */
function clears(seal: SealedExperiment, open: OpenMean, values: Float64Array): boolean {
  const { limit, range, error } = open;
  const isMin = limit.side === 'min';
  const turned = isMin ? values : values.map((value) => 0 - value);
  const options = {
    range: isMin ? range : { lower: 0 - range.upper, upper: 0 - range.lower },
    error,
    truncation: seal.analysis.bettingTruncation,
  };
  return bettingLowerClears(turned, isMin ? limit.value : 0 - limit.value, options) === true;
}

function reaches(seal: SealedExperiment, open: OpenMean, target: number) {
  const { values, limit, error } = open;
  const rate = sum(values) / values.length;
  if (open.counted) {
    const asked = { rate, limit: limit.value, side: limit.side, error };
    return (units: number): boolean => proportionPower({ ...asked, units }) >= target;
  }
  return (units: number): boolean => {
    const uniform = uniformStream(seedHex(seal.digests.cases, `further/${open.gate}`), 'units');
    const drawn = new Float64Array(units);
    const once = (): boolean => {
      for (let at = 0; at < units; at += 1) {
        drawn[at] = values[Math.floor(uniform() * values.length)] ?? 0;
      }
      return clears(seal, open, drawn);
    };
    return reachesTarget({ target, cost: units, once });
  };
}

function ownNeed(seal: SealedExperiment, open: OpenMean, target: number): UnitNeed {
  const { values, limit, range } = open;
  const effect = roundSignificant(sum(values) / values.length, range.upper - range.lower);
  const isBeyond = limit.side === 'min' ? effect > limit.value : effect < limit.value;
  if (!isBeyond) return noNeed(effect, noneWouldDo);
  const near = approximateUnits(open, target);
  const start = isIndeterminate(near) || near.status === 'unreachable' ? 8 : near.units;
  const search = { start, least: 2, most: mostFurtherUnits };
  const units = fewestFrom(search, reaches(seal, open, target));
  return foundNeed({ units, tried: mostFurtherUnits, present: values.length }, effect);
}

/**
 * Plan for more units of a mean that did not resolve; `open.values` are not empty.
 * @param isOwn  by the power of the gate's own bound, as the seal asks for unless this is given
 */
export function planMeanUnits(
  seal: SealedExperiment,
  open: OpenMean,
  isOwn: boolean = asksForOwnPower(seal),
): FurtherUnits {
  const { target } = powerGate(seal);
  const common = { gate: open.gate, target, atEffect: null };
  if (isOwn) {
    const atObserved = ownNeed(seal, open, target);
    return open.counted
      ? { ...common, method: 'exact', atObserved }
      : { ...common, method: 'simulation', simulations: furtherReplicates, atObserved };
  }
  const { mean } = moments(open.values);
  const width = open.range.upper - open.range.lower;
  const shown = { effect: roundSignificant(mean, width), present: open.values.length };
  const atObserved = unitNeed(approximateUnits(open, target), shown);
  return { ...common, method: 'normal-approximation', atObserved };
}
