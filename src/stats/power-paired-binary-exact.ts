/**
 * Power of a decision by the exact unconditional bound.
 *
 * The tables that clear a threshold are all those ranked at least as high as some limit, the sets of a limit being nested. The
 * lowest limit whose set stays below the error at every nuisance rate is found by a few rates that matter: a limit that
 * stays at all rates kept so far is tried against every rate, and the rate at which it fails is kept.
 */
import { requireCount, requireError, requireOpenProbability, requireWithin } from './arguments.ts';
import { normalUpperQuantile } from './distribution.ts';
import {
  climbFrom,
  exceedingNuisance,
  finest,
  probabilityAt,
  type Search,
  stays,
  stepAbove,
  tablesReaching,
} from './paired-binary-exact.ts';
import { type IncreasingSet, setProbability } from './paired-probability.ts';
import {
  type DiscordantRates,
  requireRates,
  type TangoPowerOptions,
} from './power-paired-binary.ts';

interface Design {
  readonly units: number;
  readonly threshold: number;
  readonly error: number;
}

/** The nested sets of a design, by limit. */
interface Ranking {
  readonly setAt: (limit: number) => IncreasingSet;
  readonly searchOf: (set: IncreasingSet) => Search;
}

function rankingOf({ units, threshold, error }: Design): Ranking {
  const z = normalUpperQuantile(error);
  const difference = stepAbove(threshold) * finest;
  return {
    setAt: (limit) => tablesReaching({ units, limit, z }),
    searchOf: (set) => ({ probability: setProbability(set), units, error, difference }),
  };
}

/** Whether the set of a limit stays below the error at the rates kept so far; no set at all does. */
function staysAtKept(
  { setAt, searchOf }: Ranking,
  limit: number,
  kept: readonly number[],
): boolean {
  const search = searchOf(setAt(limit));
  return kept.every((nuisance) => stays(search, probabilityAt(search, nuisance)));
}

/** The lowest limit from `from` on, to 1e-12, that stays at the rates kept so far. */
function lowestStaying(ranking: Ranking, from: number, kept: readonly number[]): number {
  if (staysAtKept(ranking, from, kept)) return from;
  let below = from;
  let above = 1;
  while (above - below > 1e-12) {
    const middle = (below + above) / 2;
    if (staysAtKept(ranking, middle, kept)) above = middle;
    else below = middle;
  }
  return above;
}

/** The tables that clear, found from above and from below; a design far too small clears with none. */
function clearingTables(design: Design, nuisance: number): IncreasingSet {
  const ranking = rankingOf(design);
  const kept = [nuisance];
  let limit = -1;
  for (;;) {
    limit = lowestStaying(ranking, limit, kept);
    const set = ranking.setAt(limit);
    const search = ranking.searchOf(set);
    // Without members the probability is 0 at every rate.
    const exceeding = exceedingNuisance(search);
    if (exceeding === null) return set;
    const climbed = climbFrom(search, exceeding);
    // A rate that is only too near the error to be told from it rules out this limit and no other.
    if (stays(search, probabilityAt(search, climbed))) limit += 1e-9;
    else kept.push(climbed);
  }
}

/**
 * The share of the widest rate of the rarer kind at which losses are as likely as planned, moved to the threshold; at most 1, as both
 * rates together are. A hint that spares work and decides nothing.
 */
function plannedNuisance({ onlyCandidate, onlyBaseline }: DiscordantRates): number {
  return 2 * Math.min(onlyCandidate, onlyBaseline);
}

function requireDesign({ units, rates, threshold, error }: TangoPowerOptions): void {
  requireCount('units', units, 1);
  requireRates(rates);
  requireWithin('threshold', threshold, { lower: -1 + 1e-6, upper: 1 - 1e-6 });
  requireError('error', error);
}

function probabilityUnder(
  set: IncreasingSet,
  { onlyCandidate, onlyBaseline }: DiscordantRates,
): number {
  return setProbability(set)({ gain: onlyCandidate, loss: onlyBaseline });
}

/**
 * The exact probability that the exact unconditional lower bound clears a threshold.
 *
 * At rates whose difference is the threshold it is the decision's actual error. Saw-toothed in the units. Cost: a few decisions.
 *
 * @param options  units, rates, threshold in (−1, 1), one-sided error
 * @throws {LiftgateError} stats-argument-invalid  if an option is outside its range
 * @example exactUnconditionalPower({ units: 40, rates: { onlyCandidate: 0.3, onlyBaseline: 0.05 }, threshold: 0.05, error: 0.025 })
 * // => 0.627894 to 6 digits
 * @see Buehler (1957), JASA 52:482
 */
export function exactUnconditionalPower(options: TangoPowerOptions): number {
  requireDesign(options);
  return probabilityUnder(clearingTables(options, plannedNuisance(options.rates)), options.rates);
}

/** As for a power, with the power wanted in (0, 1) and the most units looked at. */
export interface ExactUnitsOptions extends Omit<TangoPowerOptions, 'units'> {
  readonly power: number;
  readonly limit: number;
}

/**
 * The smallest number of units at which the exact unconditional bound clears a threshold with the power wanted.
 *
 * Every number of units is looked at, most of them only by what the planned rates alone allow, which is never too little.
 *
 * @param options  rates, threshold in (−1, 1), one-sided error, power in (0, 1), limit ≥ 1
 * @returns        undefined when no number of units up to the limit does
 * @throws {LiftgateError} stats-argument-invalid  if an option is outside its range
 * @example exactUnconditionalUnits({ rates: { onlyCandidate: 0.1, onlyBaseline: 0.1 }, threshold: 0.05, error: 0.025, power: 0.8, limit: 50 })
 * // => undefined
 */
export function exactUnconditionalUnits(options: ExactUnitsOptions): number | undefined {
  const { rates, threshold, error, power, limit } = options;
  requireDesign({ units: 1, rates, threshold, error });
  requireOpenProbability('power', power);
  requireCount('limit', limit, 1);
  const nuisance = plannedNuisance(rates);
  for (let units = 1; units <= limit; units += 1) {
    const design = { units, threshold, error };
    const ranking = rankingOf(design);
    const most = ranking.setAt(lowestStaying(ranking, -1, [nuisance]));
    if (probabilityUnder(most, rates) < power) continue;
    if (probabilityUnder(clearingTables(design, nuisance), rates) >= power) return units;
  }
  return undefined;
}
