/** Several claims in an order, or as one: fixed sequence, fallback, all at once, and the bounds that agree with Holm. */
import { LiftgateError } from '../base/errors.ts';
import { requireError, requireOpenProbability, requireProbability } from './arguments.ts';
import { holmAdjust } from './multiplicity.ts';
import { largest } from './summary.ts';

/**
 * Fixed-sequence-adjusted p-values: claims are tested in the order given, each at the full level, until one fails.
 *
 * @param pValues  probabilities from 0 to 1, in the sealed order
 * @throws {LiftgateError} stats-argument-invalid  if a value is not a probability
 * @example fixedSequenceAdjust([0.01, 0.04, 0.06, 0.001]) // => [0.01, 0.04, 0.06, 0.06]
 * @see Westfall & Krishen (2001), Journal of Statistical Planning and Inference 99:25
 */
export function fixedSequenceAdjust(pValues: readonly number[]): number[] {
  let greatest = 0;
  return pValues.map((p, index) => {
    requireProbability(`pValues[${index}]`, p);
    greatest = Math.max(greatest, p);
    return greatest;
  });
}

/** One claim of a fallback procedure: its share of the level, and what came of it. */
export interface FallbackStep {
  /** The level it was tested at: its own share, and the level of the claim before it when that one was rejected. */
  readonly significanceLevel: number;
  readonly rejected: boolean;
}

/** A claim's p-value and its share of the level; shares are ≥ 0 and add up to at most 1. */
export interface WeightedClaim {
  readonly pValue: number;
  readonly weight: number;
}

/**
 * The fallback procedure: every claim has its share of the level, and a rejected one hands its level to the next.
 *
 * @param claims             in the sealed order
 * @param significanceLevel  of the whole family, in (0, 1)
 * @throws {LiftgateError} stats-argument-invalid  if a p-value or weight is not a probability, or the weights exceed 1
 * @example fallbackProcedure([{ pValue: 0.01, weight: 0.5 }, { pValue: 0.04, weight: 0.5 }], 0.05)
 * // => [{ significanceLevel: 0.025, rejected: true }, { significanceLevel: 0.05, rejected: true }]
 * @see Wiens (2003), Pharmaceutical Statistics 2:211
 */
export function fallbackProcedure(
  claims: readonly WeightedClaim[],
  significanceLevel: number,
): FallbackStep[] {
  requireOpenProbability('significanceLevel', significanceLevel);
  let total = 0;
  claims.forEach(({ pValue, weight }, index) => {
    requireProbability(`claims[${index}].pValue`, pValue);
    requireProbability(`claims[${index}].weight`, weight);
    total += weight;
  });
  if (total > 1 + 1e-12) {
    throw new LiftgateError(
      'stats-argument-invalid',
      `the weights of the claims must add up to at most 1, got ${total}`,
      { where: { path: 'claims' }, mend: 'Lower the weights until they add up to at most 1.' },
    );
  }
  let carried = 0;
  return claims.map(({ pValue, weight }) => {
    const level = significanceLevel * weight + carried;
    const rejected = pValue <= level;
    carried = rejected ? level : 0;
    return { significanceLevel: level, rejected };
  });
}

/**
 * The p-value of the claim that every one of several claims holds: the largest, each tested at the full level.
 *
 * @param pValues  probabilities from 0 to 1, at least one
 * @throws {LiftgateError} stats-argument-invalid  if the list is empty or a value is not a probability
 * @example intersectionUnionP([0.01, 0.03, 0.049]) // => 0.049
 * @see Berger (1982), Technometrics 24:295
 */
export function intersectionUnionP(pValues: readonly number[]): number {
  if (pValues.length === 0) {
    throw new LiftgateError(
      'stats-argument-invalid',
      'pValues must hold at least one p-value, got none',
      {
        where: { path: 'pValues' },
        mend: 'Pass the p-value of every claim that must hold.',
      },
    );
  }
  return largest(fixedSequenceAdjust(pValues));
}

/** A parameter tested against 0: its one-sided p-value and its ordinary one-sided lower bound at any error. */
export interface BoundedClaim {
  readonly pValue: number;
  readonly lowerAt: (error: number) => number;
}

/**
 * Simultaneous one-sided lower bounds that agree with Holm's test against 0.
 *
 * A rejected claim says no more than "above 0" unless every claim is rejected: intervals at the level of each step would not hold
 * together. With r of m rejected, the others get their ordinary bound at error/(m − r); with all rejected each gets the
 * larger of 0 and its bound at error/m.
 *
 * @param claims  the parameters, in any order
 * @param error   familywise one-sided error, in (0, 0.5)
 * @returns       one bound per claim, in the order given
 * @throws {LiftgateError} stats-argument-invalid  if a p-value is not a probability, or the error is outside (0, 0.5)
 * @example holmLowerBounds([{ pValue: 0.001, lowerAt: () => 0.2 }, { pValue: 0.4, lowerAt: () => -0.1 }], 0.025) // => [0, -0.1]
 * @see Strassburger & Bretz (2008), Statistics in Medicine 27:4914; Guilbaud (2008), Biometrical Journal 50:678
 */
export function holmLowerBounds(claims: readonly BoundedClaim[], error: number): number[] {
  requireError('error', error);
  const rejected = holmAdjust(claims.map((claim) => claim.pValue)).map((p) => p <= error);
  const left = rejected.filter((each) => !each).length;
  return claims.map(({ lowerAt }, index) => {
    if (left === 0) return Math.max(0, lowerAt(error / claims.length));
    return rejected[index] === true ? 0 : lowerAt(error / left);
  });
}
