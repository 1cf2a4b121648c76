/**
 * How many units a mean difference needs, for planning; the sealed decision's own power is simulated elsewhere. Errors are one
 * side's: a two-sided test at 0.05 has error 0.025 and two sides.
 */
import {
  requireAbove,
  requireCount,
  requireError,
  requireFinite,
  requireNotNegative,
  requireOneOf,
  requireOpenProbability,
} from './arguments.ts';
import {
  binomialCdf,
  binomialQuantile,
  normalUpperQuantile,
  tUpperQuantile,
} from './distribution.ts';
import { type Indeterminate, indeterminate } from './interval.ts';
import { crossedBy, fallingRoot } from './monotone-root.ts';
import { noncentralTCdf, noncentralTUpper } from './noncentral-t.ts';

/** `standardDeviation` of the differences ≥ 0; `error` one-sided in (0, 0.5); `power` in (0, 1), e.g. 0.8. */
export interface RequiredUnitsOptions {
  readonly standardDeviation: number;
  readonly effect: number;
  readonly threshold: number;
  readonly error: number;
  readonly power: number;
}

/** The units wanted, or why no number of them would do. */
export type RequiredUnits =
  | {
      readonly status: 'reachable';
      readonly units: number;
      readonly method: 'normal-approximation';
    }
  | {
      readonly status: 'unreachable';
      readonly reason: 'effect-not-above-threshold' | 'more-units-than-can-be-counted';
    };

/**
 * Units at which the lower bound of a mean difference clears a threshold with the wanted power, by the normal approximation
 * ((z_error + z_power) σ / (effect − threshold))², rounded up.
 *
 * Too small by about two units below 30.
 *
 * @param options  spread, effect, threshold, one-sided error and wanted power
 * @returns        at least 2 units; unreachable when the effect is at or below the threshold; indeterminate(
 *                 'constant-differences') without spread, where the approximation says nothing
 * @throws {LiftgateError} stats-argument-invalid  if an option is outside its range
 * @example requiredUnits({ standardDeviation: 1, effect: 0.5, threshold: 0, error: 0.025, power: 0.8 })
 * // => { status: 'reachable', units: 32, method: 'normal-approximation' }
 * @example requiredUnits({ standardDeviation: 1, effect: 0, threshold: 0, error: 0.025, power: 0.8 })
 * // => { status: 'unreachable', reason: 'effect-not-above-threshold' }
 */
export function requiredUnits(options: RequiredUnitsOptions): RequiredUnits | Indeterminate {
  const { standardDeviation, effect, threshold, error, power } = options;
  requireFinite('effect', effect);
  requireFinite('threshold', threshold);
  requireError('error', error);
  requireOpenProbability('power', power);
  requireNotNegative('standardDeviation', standardDeviation);
  const distance = effect - threshold;
  if (!(distance > 0)) return { status: 'unreachable', reason: 'effect-not-above-threshold' };
  if (standardDeviation === 0) return indeterminate('constant-differences');
  const sum = Math.max(0, normalUpperQuantile(error) - normalUpperQuantile(power));
  const root = (sum * standardDeviation) / distance;
  const units = Math.max(2, -Math.floor(-root * root));
  if (!Number.isSafeInteger(units)) {
    return { status: 'unreachable', reason: 'more-units-than-can-be-counted' };
  }
  return { status: 'reachable', units, method: 'normal-approximation' };
}

/** One-sided tests look at gains only; two-sided ones spend the same error on each side and count both rejections. */
export type Sides = 1 | 2;

/**
 * Refuses anything but one side or two.
 * @throws {LiftgateError} stats-argument-invalid
 */
export function requireSides(sides: Sides): void {
  requireOneOf('sides', sides, [1, 2]);
}

/** `units` ≥ 2; `standardizedEffect` d_z = (mean − threshold) / standard deviation; `error` of one side in (0, 0.5). */
export interface PairedTPowerOptions {
  readonly units: number;
  readonly standardizedEffect: number;
  readonly error: number;
  readonly sides: Sides;
}

/**
 * The power of the paired t test under normal differences, by the noncentral t.
 *
 * For noninferiority put (mean + margin) / standard deviation as the effect and one side.
 *
 * @param options  units, effect, error and sides
 * @throws {LiftgateError} stats-argument-invalid  if an option is outside its range
 * @example pairedTPower({ units: 34, standardizedEffect: 0.5, error: 0.025, sides: 2 }) // => 0.807778 to 6 digits
 * @see Johnson, Kotz & Balakrishnan (1995), Continuous Univariate Distributions 2, 31
 */
export function pairedTPower(options: PairedTPowerOptions): number {
  requireCount('units', options.units, 2);
  requireFinite('standardizedEffect', options.standardizedEffect);
  requireError('error', options.error);
  requireSides(options.sides);
  return powerAt(options);
}

/** The same for any number of units above 1, whole or not. */
function powerAt({ units, standardizedEffect, error, sides }: PairedTPowerOptions): number {
  const law = { df: units - 1, noncentrality: standardizedEffect * Math.sqrt(units) };
  const critical = tUpperQuantile(error, law.df);
  const gains = noncentralTUpper(critical, law);
  return sides === 1 ? gains : Math.min(1, gains + noncentralTCdf(-critical, law));
}

/** `standardizedEffect` above 0; `error` of one side in (0, 0.5); `power` above the error, below 1. */
export interface PairedTUnitsOptions {
  readonly standardizedEffect: number;
  readonly error: number;
  readonly sides: Sides;
  readonly power: number;
}

/** Units that reach a power: `fractional` reaches it exactly, `units` is the next whole number. */
export interface PlannedUnits {
  readonly units: number;
  readonly fractional: number;
}

/**
 * The next whole number of units; a fraction within 1e-9 of one counts as it.
 *
 * @param fractional  a number of units ≥ 0
 * @example plannedUnits(14.3) // => { units: 15, fractional: 14.3 }
 */
export function plannedUnits(fractional: number): PlannedUnits {
  return { units: -Math.floor(-fractional * (1 - 1e-9)), fractional };
}

/** Exact sample size and the normal approximation, which is too small below 30. */
export interface PairedTUnits extends PlannedUnits {
  readonly normal: PlannedUnits;
}

/**
 * Units at which the paired t test reaches a power, exactly and by the normal approximation.
 *
 * @param options  effect, error, sides and wanted power
 * @returns        at least 2 units
 * @throws {LiftgateError} stats-argument-invalid  if an option is outside its range
 * @example pairedTUnits({ standardizedEffect: 0.8, error: 0.025, sides: 2, power: 0.8 }).units // => 15
 * @see Cohen (1988), Statistical Power Analysis for the Behavioral Sciences, 2.3.5
 */
export function pairedTUnits(options: PairedTUnitsOptions): PairedTUnits {
  const { standardizedEffect, error, sides, power } = options;
  requireAbove('standardizedEffect', standardizedEffect, 0);
  requireFinite('standardizedEffect', standardizedEffect);
  requireReachable(options);
  const root = normalDistance(error, power) / standardizedEffect;
  const shortfall = (units: number): number =>
    power - powerAt({ units, standardizedEffect, error, sides });
  const normal = plannedUnits(root * root);
  if (shortfall(2) <= 0) return { ...plannedUnits(2), normal };
  const upper = crossedBy(shortfall, Math.max(2, normal.fractional), 4);
  return { ...plannedUnits(fallingRoot(shortfall, { lower: 2, upper })), normal };
}

function normalDistance(error: number, power: number): number {
  return normalUpperQuantile(error) - normalUpperQuantile(power);
}

function requireReachable({
  error,
  sides,
  power,
}: Omit<PairedTUnitsOptions, 'standardizedEffect'>): void {
  requireError('error', error);
  requireSides(sides);
  requireOpenProbability('power', power);
  // Without any effect the power is the error; less is reached by no number of units.
  requireAbove('power', power, error * sides);
}

/** `units` ≥ 2; `error` of one side in (0, 0.5); `power` above the error, below 1. */
export interface DetectableEffectOptions {
  readonly units: number;
  readonly error: number;
  readonly sides: Sides;
  readonly power: number;
}

/** The smallest standardized effect a design detects, exactly and by the normal approximation. */
export interface DetectableEffect {
  readonly standardizedEffect: number;
  readonly normal: number;
}

/**
 * The minimum detectable effect of the paired t test, in standard deviations of the differences.
 *
 * @param options  units, error, sides and wanted power
 * @throws {LiftgateError} stats-argument-invalid  if an option is outside its range
 * @example detectableEffect({ units: 50, error: 0.025, sides: 2, power: 0.8 }).standardizedEffect // => 0.404183 to 6 digits
 * @see Bloom (1995), Evaluation Review 19:547
 */
export function detectableEffect(options: DetectableEffectOptions): DetectableEffect {
  const { units, error, sides, power } = options;
  requireCount('units', units, 2);
  requireReachable(options);
  const normal = normalDistance(error, power) / Math.sqrt(units);
  const shortfall = (standardizedEffect: number): number =>
    power - powerAt({ units, standardizedEffect, error, sides });
  const upper = crossedBy(shortfall, 0, Math.max(1e-3, normal));
  return { standardizedEffect: fallingRoot(shortfall, { lower: 0, upper }), normal };
}

/** `units` ≥ 1 of a true `rate`, held below (`max`) or above (`min`) a `limit` in (0, 1) at a one-sided `error`. */
export interface ProportionPowerOptions {
  readonly units: number;
  readonly rate: number;
  readonly limit: number;
  readonly side: 'min' | 'max';
  readonly error: number;
}

/**
 * The exact probability that Clopper and Pearson's one-sided bound of a proportion clears a limit.
 *
 * Saw-toothed in the units. At a rate equal to the limit it is the claim's actual error, at most the nominal one.
 *
 * @param options  units, true rate, limit and its side, one-sided error
 * @throws {LiftgateError} stats-argument-invalid  if an option is outside its range
 * @example proportionPower({ units: 59, rate: 0, limit: 0.05, side: 'max', error: 0.05 }) // => 1
 * @example proportionPower({ units: 58, rate: 0, limit: 0.05, side: 'max', error: 0.05 }) // => 0
 * @see Clopper & Pearson (1934), Biometrika 26:404
 */
export function proportionPower(options: ProportionPowerOptions): number {
  const { units, rate, limit, side, error } = options;
  requireCount('units', units, 1);
  requireOpenProbability('limit', limit);
  requireError('error', error);
  // A rate held above a limit is the rate of the other outcome held below one.
  const turned = (share: number): number => (side === 'max' ? share : 1 - share);
  const most = binomialQuantile(error, { trials: units, probability: turned(limit) }) - 1;
  return binomialCdf(most, { trials: units, probability: turned(rate) });
}
