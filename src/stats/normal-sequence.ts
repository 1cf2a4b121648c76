/** Confidence sequences on the normal scale: the mixture test of a mean with known variance, and its asymptotic use. */
import {
  requireCount,
  requireError,
  requireFinite,
  requireNotNegative,
  requirePositive,
} from './arguments.ts';
import { exp, log } from './elementary.ts';

/** `mean` of `units` normal values of known `variance`; `mixingVariance` of the differences thought likely; null value `against`. */
export interface NormalMixtureInput {
  readonly units: number;
  readonly mean: number;
  readonly variance: number;
  readonly mixingVariance: number;
  readonly against: number;
  readonly error: number;
}

/** The e-value, its p-value at this look alone (take the least so far), and half the width of the sequence at this look. */
export interface NormalMixture {
  readonly eValue: number;
  readonly pNow: number;
  readonly halfWidth: number;
}

/**
 * The normal mixture test of a mean (mixture sequential probability ratio test), two-sided.
 *
 * @param input  units ≥ 1, variances above 0, error in (0, 0.5)
 * @throws {LiftgateError} stats-argument-invalid  if an argument is outside its range
 * @example normalMixture({ units: 50, mean: 0.2, variance: 1, mixingVariance: 0.1, against: 0, error: 0.05 }).eValue
 * // => 0.939369473856 to 12 digits
 * @see Robbins (1970), Annals of Mathematical Statistics 41:1397; Johari, Pekelis & Walsh (2015), Always valid inference
 */
export function normalMixture(input: NormalMixtureInput): NormalMixture {
  const { units, mean, variance, mixingVariance, against, error } = input;
  requireCount('units', units, 1);
  requireFinite('mean', mean);
  requirePositive('variance', variance);
  requirePositive('mixingVariance', mixingVariance);
  requireFinite('against', against);
  requireError('error', error);
  const spread = variance + units * mixingVariance;
  const distance = units * (mean - against);
  const logRatio = (distance * distance * mixingVariance) / (2 * variance * spread);
  const eValue = exp(logRatio - log(spread / variance) / 2);
  const goal = log(spread / variance) / 2 + log(1 / error);
  return {
    eValue,
    pNow: Math.min(1, 1 / eValue),
    halfWidth: Math.sqrt((2 * variance * spread * goal) / mixingVariance) / units,
  };
}

/** `standardDeviation` of `units` values; `tightestAt` the number of units at which the sequence is to be narrowest. */
export interface AsymptoticSequenceInput {
  readonly units: number;
  readonly standardDeviation: number;
  readonly tightestAt: number;
  readonly error: number;
}

/**
 * Half the width of the asymptotic confidence sequence for a mean, two-sided. Its error holds as the units grow, not at each.
 *
 * @param input  counts ≥ 1, standard deviation ≥ 0, error in (0, 0.5)
 * @throws {LiftgateError} stats-argument-invalid  if an argument is outside its range
 * @example asymptoticSequence({ units: 100, standardDeviation: 0.5, tightestAt: 5000, error: 0.05 }).halfWidth
 * // => 0.334719430853 to 12 digits
 * @see Waudby-Smith, Arbour, Sinha, Kennedy & Ramdas (2024), Annals of Statistics 52:2613
 */
export function asymptoticSequence(input: AsymptoticSequenceInput): {
  readonly rho: number;
  readonly halfWidth: number;
} {
  const { units, standardDeviation, tightestAt, error } = input;
  requireCount('units', units, 1);
  requireCount('tightestAt', tightestAt, 1);
  requireNotNegative('standardDeviation', standardDeviation);
  requireError('error', error);
  const surprise = -2 * log(error);
  const rho = Math.sqrt((surprise + log(surprise + 1)) / tightestAt);
  const scaled = units * rho * rho + 1;
  const inner = (2 * scaled * (log(scaled) / 2 + log(1 / error))) / (units * rho * (units * rho));
  return { rho, halfWidth: standardDeviation * Math.sqrt(inner) };
}
