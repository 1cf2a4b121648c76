/**
 * Power of the paired binary methods: McNemar's tests by full enumeration and by formula, and any claim that Tango's lower
 * bound clears a threshold. Power is saw-toothed in the units: one more unit can lower it.
 */
import {
  requireAbove,
  requireCount,
  requireError,
  requireOneOf,
  requireOpenProbability,
  requireProbability,
  requireWithin,
} from './arguments.ts';
import { binomialCdf, binomialUpper, normalUpperQuantile } from './distribution.ts';
import { scoreAt } from './paired-binary.ts';
import { type PlannedUnits, plannedUnits, requireSides, type Sides } from './power.ts';

/** Probabilities that a unit is a gain and that it is a loss; each in [0, 1], together at most 1. */
export interface DiscordantRates {
  readonly onlyCandidate: number;
  readonly onlyBaseline: number;
}

/**
 * Checks rates of gains and losses.
 * @throws {LiftgateError} stats-argument-invalid  if one is no probability or both together exceed 1
 * @example requireRates({ onlyCandidate: 0.2, onlyBaseline: 0.1 }) // => undefined
 */
export function requireRates({ onlyCandidate, onlyBaseline }: DiscordantRates): void {
  requireProbability('rates.onlyCandidate', onlyCandidate);
  requireProbability('rates.onlyBaseline', onlyBaseline);
  requireWithin('rates.onlyCandidate + rates.onlyBaseline', onlyCandidate + onlyBaseline, {
    lower: 0,
    upper: 1 + 1e-12,
  });
}

/** Different rates, one side's `error` in (0, 0.5), wanted `power` in (0.5, 1). */
export interface McnemarUnitsOptions {
  readonly rates: DiscordantRates;
  readonly error: number;
  readonly power: number;
}

/** Units by Connor's and by Miettinen's formula; Connor's is the safer. */
export interface McnemarUnits {
  readonly connor: PlannedUnits;
  readonly miettinen: PlannedUnits;
}

/**
 * Units McNemar's test needs, by formula: ψ the discordant share, δ the risk difference.
 *
 * @param options  rates of gain and loss, one side's error, wanted power
 * @throws {LiftgateError} stats-argument-invalid  if an option is outside its range or the rates are equal
 * @example mcnemarUnits({ rates: { onlyCandidate: 0.45, onlyBaseline: 0.05 }, error: 0.025, power: 0.8 }).connor.units // => 23
 * @see Connor (1987), Biometrics 43:207; Miettinen (1968), Biometrics 24:339
 */
export function mcnemarUnits({ rates, error, power }: McnemarUnitsOptions): McnemarUnits {
  requireRates(rates);
  requireError('error', error);
  requireOpenProbability('power', power);
  requireAbove('power', power, 0.5);
  const discordant = rates.onlyCandidate + rates.onlyBaseline;
  const difference = Math.abs(rates.onlyCandidate - rates.onlyBaseline);
  requireAbove('the distance of the rates', difference, 0);
  const z = normalUpperQuantile(error);
  const zPower = 0 - normalUpperQuantile(power);
  const square = difference * difference;
  const connor = (z * Math.sqrt(discordant) + zPower * Math.sqrt(discordant - square)) / difference;
  const inner = discordant * discordant - (square * (3 + discordant)) / 4;
  const miettinen = (z * discordant + zPower * Math.sqrt(inner)) / difference;
  return {
    connor: plannedUnits(connor * connor),
    miettinen: plannedUnits((miettinen * miettinen) / discordant),
  };
}

/** Exact conditional, mid-p, or the score statistic against the normal. */
export type McnemarTestKind = 'exact' | 'mid-p' | 'asymptotic';

/** The rule of a test: kind, one side's error in (0, 0.5), sides. */
export interface McnemarRule {
  readonly test: McnemarTestKind;
  readonly error: number;
  readonly sides: Sides;
}

function rejects(gains: number, discordant: number, { test, error }: McnemarRule): boolean {
  const coin = { trials: discordant, probability: 0.5 };
  const reached = error * (1 + 1e-12);
  switch (test) {
    case 'exact':
      return binomialUpper(gains - 1, coin) <= reached;
    case 'mid-p':
      return (binomialUpper(gains - 1, coin) + binomialUpper(gains, coin)) / 2 <= reached;
    case 'asymptotic': {
      const z = normalUpperQuantile(error) * (1 - 1e-12);
      return discordant > 0 && 2 * gains - discordant >= z * Math.sqrt(discordant);
    }
  }
}

/**
 * The fewest gains that reject, for every number of discordant pairs up to `most`; one more than the pairs where none do.
 * One more pair raises it by 0 or 1, so the walk is linear.
 */
function criticalGains(most: number, rule: McnemarRule): Int32Array {
  requireOneOf('test', rule.test, ['exact', 'mid-p', 'asymptotic']);
  requireSides(rule.sides);
  const fewest = new Int32Array(most + 1);
  let gains = 1;
  for (let discordant = 0; discordant <= most; discordant += 1) {
    while (gains <= discordant && !rejects(gains, discordant, rule)) gains += 1;
    fewest[discordant] = gains;
    if (gains > discordant) gains = discordant + 1;
  }
  return fewest;
}

/** Calls `visit` with every count of a binomial whose probability matters, outward from the mode; returns Σ P × visit. */
function binomialMean(
  trials: number,
  probability: number,
  visit: (count: number) => number,
): number {
  if (probability <= 0) return visit(0);
  if (probability >= 1) return visit(trials);
  const odds = probability / (1 - probability);
  const mode = Math.min(trials, Math.floor((trials + 1) * probability));
  let weight = 1;
  let weights = 1;
  let total = visit(mode);
  for (let count = mode + 1; count <= trials && weight > 1e-19; count += 1) {
    weight *= ((trials - count + 1) / count) * odds;
    weights += weight;
    total += weight * visit(count);
  }
  weight = 1;
  for (let count = mode - 1; count >= 0 && weight > 1e-19; count -= 1) {
    weight *= (count + 1) / (trials - count) / odds;
    weights += weight;
    total += weight * visit(count);
  }
  return total / weights;
}

function mcnemarPowerAt(
  units: number,
  { onlyCandidate, onlyBaseline }: DiscordantRates,
  { fewest, sides }: { readonly fewest: Int32Array; readonly sides: Sides },
): number {
  const discordant = Math.min(1, onlyCandidate + onlyBaseline);
  if (discordant === 0) return 0;
  return binomialMean(units, discordant, (trials) => {
    const gains = { trials, probability: onlyCandidate / discordant };
    const critical = fewest[trials] ?? trials + 1;
    const greater = binomialUpper(critical - 1, gains);
    return sides === 1 ? greater : Math.min(1, greater + binomialCdf(trials - critical, gains));
  });
}

/** `units` ≥ 0, the true rates, and the rule of the test. */
export interface McnemarPowerOptions extends McnemarRule {
  readonly units: number;
  readonly rates: DiscordantRates;
}

/**
 * The unconditional power of McNemar's test, by full enumeration. With equal rates it is the test's actual error.
 *
 * @param options  units, rates, test, one side's error, sides
 * @throws {LiftgateError} stats-argument-invalid  if an option is outside its range
 * @example mcnemarPower({ units: 50, rates: { onlyCandidate: 0.32, onlyBaseline: 0.08 }, test: 'exact', error: 0.05, sides: 1 })
 * // => 0.839357 to 6 digits
 * @see O'Brien (2002), Proceedings of the 27th SAS Users Group 24, for the example
 */
export function mcnemarPower(options: McnemarPowerOptions): number {
  const { units, rates, error, sides } = options;
  requireCount('units', units);
  requireRates(rates);
  requireError('error', error);
  return mcnemarPowerAt(units, rates, { fewest: criticalGains(units, options), sides });
}

/** The rates, the rule, the wanted `power` in (0.5, 1) and the largest number of units to look at. */
export interface McnemarSearchOptions extends McnemarRule {
  readonly rates: DiscordantRates;
  readonly power: number;
  readonly limit: number;
}

/** The first number of units whose power reaches the target, or the power at the limit. */
export interface McnemarSearch {
  readonly status: 'reachable' | 'unreachable';
  readonly units: number;
  readonly power: number;
}

/**
 * The smallest number of units from 0.6 × Connor's upward at which the enumerated power reaches the target.
 *
 * Power is saw-toothed: a few more units can fall below the target again.
 *
 * @param options  rates, test, one side's error, sides, wanted power, limit ≥ 1
 * @returns        `unreachable` with the power at the limit where no number up to it suffices
 * @throws {LiftgateError} stats-argument-invalid  if an option is outside its range or the rates are equal
 * @example mcnemarSearch({ rates: { onlyCandidate: 0.05, onlyBaseline: 0.45 }, test: 'exact', error: 0.025, sides: 2, power: 0.8, limit: 100 }).units // => 25
 */
export function mcnemarSearch(options: McnemarSearchOptions): McnemarSearch {
  const { rates, power, limit, sides } = options;
  requireCount('limit', limit, 1);
  const { connor } = mcnemarUnits(options);
  const fewest = criticalGains(limit, options);
  let units = Math.min(limit, Math.max(1, Math.floor(0.6 * connor.fractional)));
  for (;;) {
    const reached = mcnemarPowerAt(units, rates, { fewest, sides });
    if (reached >= power) return { status: 'reachable', units, power: reached };
    if (units >= limit) return { status: 'unreachable', units, power: reached };
    units += 1;
  }
}

/** `units` ≥ 1, the true rates, the claim that the difference exceeds `threshold` (−margin for noninferiority), its error. */
export interface TangoPowerOptions {
  readonly units: number;
  readonly rates: DiscordantRates;
  readonly threshold: number;
  readonly error: number;
}

/** As for a power; `joined` asks the exact one-sided McNemar test to reject as well, as a lift at threshold 0 does. */
export interface TangoDecisionOptions extends TangoPowerOptions {
  readonly joined?: boolean;
}

/**
 * The exact probability that Tango's score clears a threshold: at −margin the power of the noninferiority test.
 *
 * Fewest gains rise with the losses, so the region is walked once: cost linear in the units. At a rate whose difference is the
 * threshold it is the test's actual error.
 *
 * @param options  units, rates, threshold in (−1, 1), one-sided error, whether McNemar's test is asked too
 * @throws {LiftgateError} stats-argument-invalid  if an option is outside its range
 * @example tangoPower({ units: 60, rates: { onlyCandidate: 0.05, onlyBaseline: 0.05 }, threshold: -0.1, error: 0.05 })
 * // => 0.719486 to 6 digits
 * @see Tango (1998), Statistics in Medicine 17:891
 */
export function tangoPower(options: TangoDecisionOptions): number {
  const { units, rates, threshold, error, joined = false } = options;
  requireCount('units', units, 1);
  requireRates(rates);
  requireAbove('threshold', threshold, -1);
  requireWithin('threshold', threshold, { lower: -1, upper: 1 - 1e-12 });
  requireError('error', error);
  const z = normalUpperQuantile(error) * (1 - 1e-12);
  const fewest = new Int32Array(units + 1);
  const fails = (won: number, lost: number): boolean =>
    scoreAt({ gains: won, losses: lost, units }, threshold) < z ||
    (joined && !rejects(won, won + lost, { test: 'exact', error, sides: 1 }));
  let gains = 0;
  for (let losses = 0; losses <= units; losses += 1) {
    while (gains <= units - losses && fails(gains, losses)) gains += 1;
    fewest[losses] = gains;
  }
  const rest = 1 - rates.onlyBaseline;
  const gainOfRest = rest <= 0 ? 0 : Math.min(1, rates.onlyCandidate / rest);
  return binomialMean(units, rates.onlyBaseline, (losses) =>
    binomialUpper((fewest[losses] ?? units + 1) - 1, {
      trials: units - losses,
      probability: gainOfRest,
    }),
  );
}

/** `margin` in (0, 1), the largest tolerated loss; one-sided `error` in (0, 0.5). */
export interface AllTiedOptions {
  readonly margin: number;
  readonly error: number;
}

/**
 * The smallest number of units at which noninferiority can be claimed when not one pair disagrees: n ≥ z²(1 − M)/M.
 *
 * @param options  margin and one-sided error
 * @throws {LiftgateError} stats-argument-invalid  if an option is outside its range
 * @example allTiedUnits({ margin: 0.05, error: 0.025 }) // => 73
 * @see Tango (1998), Statistics in Medicine 17:891, at a table without discordant pairs
 */
export function allTiedUnits({ margin, error }: AllTiedOptions): number {
  requireOpenProbability('margin', margin);
  requireError('error', error);
  const z = normalUpperQuantile(error);
  return -Math.floor(-((z * z * (1 - margin)) / margin) * (1 - 1e-12));
}
