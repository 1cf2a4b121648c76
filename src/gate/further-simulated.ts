/**
 * Units an unresolved gate would need by its own method: units are drawn as they were seen, moved to the effect in question, and the
 * smallest number of them is searched at which the gate clears with the target power at the error it was read at.
 *
 * Where a unit is one pair that wins, ties or loses, the power is computed from the law of the counts, without chance. Elsewhere it is
 * simulated. Deciding and verifying both compute it, so that it is bounded: 400 replicates or a million units a step, whichever is
 * less, but at least 100 replicates; a step far from the target takes 100. Resampled bounds take 1,000 resamples in place of the sealed
 * number, and up to 1,000 units; above 2,000 units Tango's power stands for that of the exact bound.
 */
import { rangeWidth } from '../analysis/unit-value.ts';
import type { MethodName } from '../spec/inference.ts';
import type { SealedExperiment } from '../spec/seal.ts';
import { seedHex } from '../spec/seeds.ts';
import { uniformStream } from '../stats/draws.ts';
import { tangoPower } from '../stats/power-paired-binary.ts';
import { exactUnconditionalPower } from '../stats/power-paired-binary-exact.ts';
import { type EffectGate, effectLevel } from './effect.ts';
import { discordanceAt, type SampleSource, type SeenGate, sourceAt } from './further-draws.ts';
import { refutedAfter } from './simulate-looks.ts';

/** Most replicates of a step, fewest, and units drawn in one. */
export const furtherReplicates = 400;
const fewestReplicates = 100;
const unitsPerStep = 1_000_000;
/** A rate this far from the target after the fewest replicates decides a step: five times its Monte Carlo error. */
const far = 0.25;
/** Resamples of a simulated bootstrap bound. */
const fewResamples = 1000;
/** What a unit costs by methods that resample or look inside it, beside a plain one. */
const dearMethods: readonly MethodName[] = ['t-bootstrap-t', 'cr2', 'tango-effective-n'];
const dearCost = 20;

/** Largest number of units that is tried: in all, by bounds that resample, and by enumeration. */
export const mostFurtherUnits = 20_000;
export const mostResampledUnits = 1000;
const mostEnumeratedUnits = 2000;
/** Largest number of repeats of a fixed roster that is tried. */
export const mostFurtherRepeats = 1000;

/** How further units were found. */
export type FurtherMethod = 'normal-approximation' | 'simulation' | 'exact';

/** What is asked of a gate that stayed open. */
export interface FurtherQuery extends SeenGate {
  readonly seal: SealedExperiment;
  /** One-sided error the gate was read at. */
  readonly error: number;
  readonly target: number;
}

/** Whether the seal asks for the power of the gates themselves. */
export function asksForOwnPower({ spec }: SealedExperiment): boolean {
  return spec.power?.further === 'simulated';
}

/** How the further units of a gate are found. */
export function furtherMethod({ seal, gate, sample }: FurtherQuery): FurtherMethod {
  if (!asksForOwnPower(seal)) return 'normal-approximation';
  const isCounted = gate.method === 'tango-score' || gate.method === 'exact-unconditional';
  const isSingle = sample.units.every(({ pairs }) => pairs === 1);
  return isCounted && isSingle && gate.measure.kind === 'binary' ? 'exact' : 'simulation';
}

/** Where a search starts, and the smallest and the largest number that is tried. */
export interface SearchRange {
  readonly start: number;
  readonly least: number;
  readonly most: number;
}

/** A number at which a condition holds, with a smaller one at which it does not, or one less than the least. */
interface Bracket {
  readonly low: number;
  readonly high: number;
}

function bracketBelow(from: number, least: number, holds: (size: number) => boolean): Bracket {
  let high = from;
  while (high > least) {
    const next = Math.max(least, Math.floor(0.8 * high));
    if (!holds(next)) return { low: next, high };
    high = next;
  }
  return { low: least - 1, high };
}

function bracketAbove(
  from: number,
  most: number,
  holds: (size: number) => boolean,
): Bracket | null {
  let low = from;
  while (low < most) {
    const high = Math.min(most, Math.max(low + 1, Math.ceil(1.25 * low)));
    if (holds(high)) return { low, high };
    low = high;
  }
  return null;
}

/**
 * The smallest number, within 2 %, from which on a condition holds that holds for all large ones.
 * @returns  null where it does not hold at the largest number
 * @example fewestFrom({ start: 10, least: 2, most: 1000 }, (size) => size >= 37) // => 37
 */
export function fewestFrom(
  { start, least, most }: SearchRange,
  holds: (size: number) => boolean,
): number | null {
  const from = Math.max(least, Math.min(most, start));
  const found = holds(from) ? bracketBelow(from, least, holds) : bracketAbove(from, most, holds);
  if (found === null) return null;
  let { low, high } = found;
  while (high - low > Math.max(1, high / 50)) {
    const middle = Math.floor((low + high) / 2);
    if (holds(middle)) high = middle;
    else low = middle;
  }
  return high;
}

/** Units that were searched, or the largest number that was tried in vain. */
export interface FoundUnits {
  readonly units: number | null;
  readonly tried: number;
}

/** Where a search starts: what the normal approximation says. */
type Start = { readonly effect: number; readonly start: number };

/** The exact power of a gate on pairs that win, tie or lose. */
function countedPower(query: FurtherQuery, effect: number, units: number): number {
  const { gate, error } = query;
  const width = rangeWidth(gate.measure);
  const discordance = discordanceAt(query, effect);
  const rates = {
    onlyCandidate: Math.max(0, (discordance + effect / width) / 2),
    onlyBaseline: Math.max(0, (discordance - effect / width) / 2),
  };
  const threshold = Math.max(-0.999999, gate.threshold / width);
  const options = { units, rates, threshold, error };
  return gate.method === 'exact-unconditional' && units <= mostEnumeratedUnits
    ? exactUnconditionalPower(options)
    : tangoPower({ ...options, joined: gate.method === 'tango-score' && gate.threshold === 0 });
}

function countedUnits(query: FurtherQuery, { effect, start }: Start): FoundUnits {
  const range = { least: 2, most: mostFurtherUnits };
  const enough = (asked: FurtherQuery) => (size: number) =>
    countedPower(asked, effect, size) >= query.target;
  // Tango's power is quick and near that of the exact bound.
  const quick = { ...query, gate: { ...query.gate, method: 'tango-score' as const } };
  const near = fewestFrom({ ...range, start }, enough(quick));
  const units =
    near === null || query.gate.method === 'tango-score'
      ? near
      : fewestFrom({ ...range, start: near }, enough(query));
  return { units, tried: mostFurtherUnits };
}

/** Whether the lower bound of a sample lies above the gate's threshold. */
export function clearanceOf(
  query: Pick<FurtherQuery, 'gate' | 'error' | 'seal'>,
): (sample: FurtherQuery['sample']) => boolean {
  const { gate, error } = query;
  if (gate.method === 'betting-sequence') {
    return ({ units }) => {
      const values = Float64Array.from(units, ({ improvement }) => improvement);
      return refutedAfter(gate, values, error) <= values.length;
    };
  }
  const { analysis } = query.seal;
  const seal = { ...query.seal, analysis: { ...analysis, resamples: fewResamples } };
  return (sample) => effectLevel(seal, gate, sample, error).clears;
}

/** Whether something happens often enough in samples of a size. */
export interface PowerStep {
  readonly target: number;
  /** What one replicate costs, in units. */
  readonly cost: number;
  readonly once: () => boolean;
}

/** Replicates until it is plain whether the share of those that succeed reaches the target. */
export function reachesTarget({ target, cost, once }: PowerStep): boolean {
  const replicates = Math.max(
    fewestReplicates,
    Math.min(furtherReplicates, Math.floor(unitsPerStep / cost)),
  );
  const wanted = target * replicates;
  let cleared = 0;
  for (let at = 1; at <= replicates; at += 1) {
    if (once()) cleared += 1;
    if (cleared >= wanted) return true;
    if (cleared + replicates - at < wanted) return false;
    const rate = cleared / at;
    if (at === fewestReplicates && Math.abs(rate - target) > far) return rate > target;
  }
  return false;
}

/** What reading one unit costs, in plain ones. */
export function costOfUnit({ method }: EffectGate): number {
  return dearMethods.includes(method) ? dearCost : 1;
}

function reaches(query: FurtherQuery, source: SampleSource): (size: number) => boolean {
  const { gate, seal, sample, target } = query;
  const clears = clearanceOf(query);
  const perUnit = costOfUnit(gate);
  const width = gate.method === 'roster-t' ? sample.units.length : 1;
  return (size) => {
    const draw = source(size);
    // One stream for every number of units: what differs is the number, not the luck.
    const uniform = uniformStream(seedHex(seal.digests.cases, `further/${gate.name}`), 'units');
    const cost = size * width * perUnit;
    return reachesTarget({ target, cost, once: () => clears(draw(uniform)) });
  };
}

/** Repeats of a fixed roster at which the gate clears with the target power; null where more than 1,000 would be needed. */
export function furtherRepeats(query: FurtherQuery, effect: number): number | null {
  const source = sourceAt(query, effect);
  if (source === null) return null;
  const range = { start: 4, least: 2, most: mostFurtherRepeats };
  return fewestFrom(range, reaches(query, source));
}

/**
 * The smallest number of units, within 2 %, at which the gate clears with the target power should the effect be the true one.
 * @param at.effect  on the scale of the improvement, above the gate's threshold
 * @returns          `units` null where more than `tried` would be needed or the range has no room for the effect
 */
export function furtherUnits(query: FurtherQuery, at: Start): FoundUnits {
  if (furtherMethod(query) === 'exact') return countedUnits(query, at);
  const source = sourceAt(query, at.effect);
  if (source === null) return { units: null, tried: mostFurtherUnits };
  const search = (gate: EffectGate, start: number, most: number): number | null =>
    fewestFrom({ start, least: 2, most }, reaches({ ...query, gate }, source));
  if (query.gate.method !== 't-bootstrap-t') {
    return { units: search(query.gate, at.start, mostFurtherUnits), tried: mostFurtherUnits };
  }
  // The bound is the smaller of two, so that it needs no fewer units than t does.
  const plain = search({ ...query.gate, method: 't' }, at.start, mostResampledUnits);
  const units = plain === null ? null : search(query.gate, plain, mostResampledUnits);
  return { units, tried: mostResampledUnits };
}
