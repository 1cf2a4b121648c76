/** How many units a mean difference needs, for planning; the sealed decision's own power is simulated elsewhere. */
import {
  requireError,
  requireFinite,
  requireNotNegative,
  requireOpenProbability,
} from './arguments.ts';
import { normalUpperQuantile } from './distribution.ts';
import { type Indeterminate, indeterminate } from './interval.ts';

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
