/**
 * Further units of a gate that asks several things at once: every objective of `pareto` above its floor and one of them better, or
 * both sides of a margin.
 *
 * By the normal approximation the chances to miss are added up over what has to clear, so that the number errs on the large side
 * where several are close. Where the seal asks for the power of the gates themselves, whole units are drawn with all their objectives,
 * so that these stay as alike as they were seen, and every sample is read by the sealed methods at the shared error.
 */
import type { Sample, UnitValue } from '../analysis/unit-value.ts';
import { rangeWidth } from '../analysis/unit-value.ts';
import type { SealedExperiment } from '../spec/seal.ts';
import { seedHex } from '../spec/seeds.ts';
import { normalUpper, normalUpperQuantile } from '../stats/distribution.ts';
import { type Uniform, uniformStream } from '../stats/draws.ts';
import { roundSignificant } from '../stats/rounding.ts';
import type { EffectGate } from './effect.ts';
import {
  discordanceAt,
  movedUnits,
  type SampleSource,
  type SeenGate,
  sampleOf,
  sourceAt,
} from './further-draws.ts';
import {
  asksForOwnPower,
  clearanceOf,
  costOfUnit,
  fewestFrom,
  furtherReplicates,
  mostFurtherRepeats,
  mostFurtherUnits,
  mostResampledUnits,
  reachesTarget,
} from './further-simulated.ts';
import {
  type FurtherUnits,
  foundNeed,
  isCaseWeighted,
  noNeed,
  noneWouldDo,
  noSpread,
  plannedLift,
  planningDeviation,
  powerGate,
  repeatsNeed,
  rosterReason,
  type UnitNeed,
} from './further-units.ts';
import type { OpenObjectives } from './pareto.ts';

/** A bound that has to clear a threshold: the mean it is of and the deviation of one unit. */
export interface NormalBound {
  readonly effect: number;
  readonly threshold: number;
  readonly deviation: number;
  readonly error: number;
}

/** The chance that a lower bound of so many units does not lie above its threshold. */
function missOf({ effect, threshold, deviation, error }: NormalBound, units: number): number {
  if (deviation === 0) return effect > threshold ? 0 : 1;
  const shift = (Math.sqrt(units) * (effect - threshold)) / deviation;
  return normalUpper(shift - normalUpperQuantile(error));
}

/** Largest number of units that the normal approximation names. */
export const mostApproximated = 1e9;

/**
 * The smallest number of units, within 2 %, at which the chances to miss any of several bounds add up to no more than the target
 * leaves: exact for one bound, too large by little where several are close.
 *
 * @returns null where more than 1e9 units would be needed
 * @example jointUnits([{ effect: 0.5, threshold: 0, deviation: 1, error: 0.025 }], 0.8) // => 32
 */
export function jointUnits(bounds: readonly NormalBound[], target: number): number | null {
  const missed = (units: number): number =>
    bounds.reduce((total, bound) => total + missOf(bound, units), 0);
  const range = { start: 8, least: 2, most: mostApproximated };
  return fewestFrom(range, (units) => missed(units) <= 1 - target);
}

interface ObjectivesQuery extends OpenObjectives {
  readonly seal: SealedExperiment;
  readonly target: number;
  /** The effect on each objective, in their order. */
  readonly effects: readonly number[];
}

/** Whether the effects leave an objective at or below its floor, or none better. */
function isHopeless({ objectives, effects }: ObjectivesQuery): boolean {
  const isBelow = objectives.some(({ gate }, at) => (effects[at] ?? 0) <= gate.threshold);
  return isBelow || effects.every((effect) => effect <= 0);
}

function boundsOf(query: ObjectivesQuery): NormalBound[] {
  const { seal, objectives, effects, error, target } = query;
  return objectives.map(({ gate, sample, value }, at) => {
    const effect = effects[at] ?? 0;
    const deviation = planningDeviation({ seal, gate, sample, value, error, target }, effect);
    return { effect, threshold: gate.threshold, deviation, error };
  });
}

/** Units by the normal approximation: of the objectives that could be the better one, by that which asks for fewest. */
function approximate(query: ObjectivesQuery): number | null | 'no-spread' {
  const bounds = boundsOf(query);
  const isFlat = (at: number): boolean => bounds[at]?.deviation === 0;
  if (query.objectives.some(({ holds }, at) => isFlat(at) && !holds)) return 'no-spread';
  const floors = (gainer: number): NormalBound[] => bounds.filter((_, at) => at !== gainer);
  const found = bounds.flatMap((bound, at) => {
    if (bound.effect <= 0 || isFlat(at)) return [];
    return jointUnits([{ ...bound, threshold: 0 }, ...floors(at)], query.target) ?? [];
  });
  return found.length === 0 ? null : found.reduce((least, each) => Math.min(least, each));
}

/** The effect that the need is named for: on the objective nearest to its floor in deviations of a unit. */
function namedEffect(query: ObjectivesQuery): number {
  const bounds = boundsOf(query);
  const room = bounds.map(({ effect, threshold, deviation }) =>
    deviation === 0 ? Number.POSITIVE_INFINITY : (effect - threshold) / deviation,
  );
  const least = room.reduce((found, each) => Math.min(found, each), Number.POSITIVE_INFINITY);
  const at = Math.max(0, room.indexOf(least));
  return shownEffect(query, at);
}

function shownEffect({ objectives, effects }: ObjectivesQuery, at: number): number {
  const measure = objectives[at]?.gate.measure;
  return roundSignificant(effects[at] ?? 0, measure === undefined ? 0 : rangeWidth(measure));
}

function isRoster({ objectives }: OpenObjectives): boolean {
  return objectives.some(({ gate }) => gate.method === 'roster-t');
}

function needOf(query: ObjectivesQuery, isOwn: boolean): UnitNeed {
  const effect = namedEffect(query);
  const effects = query.objectives.map(({ gate }, at) => ({
    measure: gate.measureId,
    effect: shownEffect(query, at),
  }));
  if (isHopeless(query)) return { ...noNeed(effect, noneWouldDo), effects };
  if (isOwn) return { ...ownNeed(query, effect), effects };
  if (isRoster(query)) return { ...noNeed(effect, rosterReason), effects };
  const units = approximate(query);
  if (units === 'no-spread') return { ...noNeed(effect, noSpread), effects };
  const present = presentUnits(query);
  return { ...foundNeed({ units, tried: mostApproximated, present }, effect), effects };
}

/** Units that have a value of any objective. */
function unitsOf(objectives: readonly SeenGate[]): string[] {
  return [...new Set(objectives.flatMap(({ sample }) => sample.units.map(({ unit }) => unit)))];
}

function presentUnits({ objectives }: OpenObjectives): number {
  return unitsOf(objectives).length;
}

/** Plan for more units of several objectives that did not resolve; all of them have an estimate. */
export function planObjectives(seal: SealedExperiment, open: OpenObjectives): FurtherUnits {
  const { target } = powerGate(seal);
  const isOwn = asksForOwnPower(seal);
  const planned = open.objectives.map(({ gate }) =>
    gate.measure.role === 'primary' ? plannedLift(seal, gate) : 0,
  );
  const isPlanned = planned.some((effect) => effect !== null && effect !== 0);
  const need = (effects: readonly number[]): UnitNeed =>
    needOf({ ...open, seal, target, effects }, isOwn);
  return {
    gate: open.gate,
    method: isOwn ? 'simulation' : 'normal-approximation',
    ...(isOwn ? { simulations: furtherReplicates } : {}),
    target,
    atEffect: isPlanned ? need(planned.map((effect) => effect ?? 0)) : null,
    atObserved: need(open.objectives.map(({ value }) => value)),
  };
}

/** Draws a sample of every objective from the same units. */
type JointSource = (size: number) => (uniform: Uniform) => readonly Sample[];

/** One objective of a unit that is drawn: its value moved to the effect; null where the unit has none. */
type DrawUnit = (unit: string, uniform: Uniform) => UnitValue | null;

/** Win, tie or loss at the same place of another law: what was likely together stays so. */
function shiftedPairs(seen: SeenGate, effect: number): DrawUnit | null {
  const width = rangeWidth(seen.gate.measure);
  const discordance = Math.max(discordanceAt(seen, effect), Math.abs(effect) / width);
  if (discordance > 1) return null;
  const { losses, wins } = pairShares(seen);
  const fewer = (discordance - effect / width) / 2;
  const more = (discordance + effect / width) / 2;
  const units = new Map(seen.sample.units.map((unit) => [unit.unit, unit] as const));
  const moved = (improvement: number, uniform: Uniform): number => {
    const [from, to] =
      improvement < 0 ? [0, losses] : improvement > 0 ? [1 - wins, 1] : [losses, 1 - wins];
    const place = from + uniform() * (to - from);
    return place < fewer ? -width : place < 1 - more ? 0 : width;
  };
  return (id, uniform) => {
    const unit = units.get(id);
    if (unit === undefined) return null;
    const values = unit.values.map((pair) => ({
      ...pair,
      improvement: moved(pair.improvement, uniform),
    }));
    const total = values.reduce((found, { improvement }) => found + improvement, 0);
    return { ...unit, values, improvement: total / values.length };
  };
}

/** Shares of pairs that lose and win as the estimate weighs them: each unit once, or each pair. */
function pairShares({ gate, sample }: SeenGate): {
  readonly losses: number;
  readonly wins: number;
} {
  const byCase = isCaseWeighted(gate);
  let [losses, wins, total] = [0, 0, 0];
  for (const { values } of sample.units) {
    const weight = byCase ? 1 : 1 / values.length;
    for (const { improvement } of values) {
      total += weight;
      if (improvement < 0) losses += weight;
      if (improvement > 0) wins += weight;
    }
  }
  return { losses: losses / total, wins: wins / total };
}

function drawUnit(seen: SeenGate, effect: number): DrawUnit | null {
  if (seen.gate.measure.kind === 'binary') return shiftedPairs(seen, effect);
  const moved = movedUnits(seen, effect);
  if (moved === null) return null;
  const units = new Map(moved.map((unit) => [unit.unit, unit] as const));
  return (unit) => units.get(unit) ?? null;
}

/** Whole units with all their objectives; of a fixed roster repeats, whose noise is drawn for each objective by itself. */
function jointSource({ objectives, effects, ...open }: ObjectivesQuery): JointSource | null {
  const isListed = isRoster({ ...open, objectives });
  if (isListed) {
    const sources = objectives.flatMap((each, at): SampleSource[] => {
      const source = sourceAt(each, effects[at] ?? 0);
      return source === null ? [] : [source];
    });
    if (sources.length < objectives.length) return null;
    return (size) => {
      const draws = sources.map((source) => source(size));
      return (uniform) => draws.map((draw) => draw(uniform));
    };
  }
  const drawn = objectives.flatMap((each, at) => drawUnit(each, effects[at] ?? 0) ?? []);
  if (drawn.length < objectives.length) return null;
  const ids = unitsOf(objectives);
  return (size) => (uniform) => {
    const chosen = Array.from(
      { length: size },
      () => ids[Math.floor(uniform() * ids.length)] ?? '',
    );
    return drawn.map((draw) => sampleOf(chosen.flatMap((unit) => draw(unit, uniform) ?? [])));
  };
}

/** Whether the gate as a whole clears: every objective above its floor, one of them above 0. */
function clearanceOfAll(query: ObjectivesQuery): (samples: readonly Sample[]) => boolean {
  const asked = query.objectives.map((seen) => {
    const own = { ...query, ...seen };
    const gain: EffectGate = { ...seen.gate, threshold: 0 };
    return { floor: clearanceOf(own), gain: clearanceOf({ ...own, gate: gain }) };
  });
  return (samples) => {
    const pairs = asked.flatMap((each, at) => {
      const sample = samples[at];
      return sample === undefined ? [] : [{ ...each, sample }];
    });
    return (
      pairs.every(({ floor, sample }) => floor(sample)) &&
      pairs.some(({ gain, sample }) => gain(sample))
    );
  };
}

function ownNeed(query: ObjectivesQuery, effect: number): UnitNeed {
  const source = jointSource(query);
  const { objectives, seal, target } = query;
  const isListed = isRoster(query);
  if (source === null) {
    return foundNeed({ units: null, tried: mostFurtherUnits, present: 0 }, effect);
  }
  const clears = clearanceOfAll(query);
  const perUnit = objectives.reduce((total, { gate }) => total + costOfUnit(gate), 0);
  const width = isListed ? presentUnits(query) : 1;
  const enough = (size: number): boolean => {
    const draw = source(size);
    const uniform = uniformStream(seedHex(seal.digests.cases, `further/${query.gate}`), 'units');
    const cost = size * width * perUnit;
    return reachesTarget({ target, cost, once: () => clears(draw(uniform)) });
  };
  if (isListed) {
    const all = fewestFrom({ start: 4, least: 2, most: mostFurtherRepeats }, enough);
    return repeatsNeed(objectives, { effect, all });
  }
  const resampled = objectives.some(({ gate }) => gate.method === 't-bootstrap-t');
  const most = resampled ? mostResampledUnits : mostFurtherUnits;
  const near = approximate(query);
  const start = typeof near === 'number' ? near : 8;
  const units = fewestFrom({ start, least: 2, most }, enough);
  return foundNeed({ units, tried: most, present: presentUnits(query) }, effect);
}
