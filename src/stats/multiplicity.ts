/** Several candidates: adjusted p-values, and Holm's procedure read off one-sided bounds without any p-value. */
import { LiftgateError } from '../base/errors.ts';
import { requireProbability } from './arguments.ts';
import { expm1, log1p } from './elementary.ts';

function requirePValues(pValues: readonly number[]): void {
  pValues.forEach((p, index) => {
    requireProbability(`pValues[${index}]`, p);
  });
}

/** Positions in ascending order of their keys, ties by position. */
function ascending(keys: readonly number[]): number[] {
  return keys
    .map((_, index) => index)
    .sort((left, right) => (keys[left] ?? 0) - (keys[right] ?? 0) || left - right);
}

/**
 * Bonferroni-adjusted p-values: each times their number, at most 1. Reject where the adjusted value is ≤ significanceLevel.
 *
 * @param pValues  probabilities from 0 to 1; an empty list gives an empty list
 * @throws {LiftgateError} stats-argument-invalid  if a value is not a probability
 * @example bonferroniAdjust([0.01, 0.5]) // => [0.02, 1]
 */
export function bonferroniAdjust(pValues: readonly number[]): number[] {
  requirePValues(pValues);
  return pValues.map((p) => Math.min(1, pValues.length * p));
}

/**
 * Holm-adjusted p-values (step-down). Reject where the adjusted value is ≤ significanceLevel.
 *
 * @param pValues  probabilities from 0 to 1; an empty list gives an empty list
 * @throws {LiftgateError} stats-argument-invalid  if a value is not a probability
 * @example holmAdjust([0.01, 0.5, 0.25]) // => [0.03, 0.5, 0.5]
 * @see Holm (1979), Scandinavian Journal of Statistics 6:65
 */
export function holmAdjust(pValues: readonly number[]): number[] {
  requirePValues(pValues);
  const adjusted = [...pValues];
  let largest = 0;
  ascending(pValues).forEach((index, rank) => {
    largest = Math.max(largest, Math.min(1, (pValues.length - rank) * (pValues[index] ?? 0)));
    adjusted[index] = largest;
  });
  return adjusted;
}

/**
 * Benjamini-Hochberg-adjusted p-values (false discovery rate). Reject where the adjusted value is ≤ the wanted rate.
 *
 * @param pValues  probabilities from 0 to 1; an empty list gives an empty list
 * @throws {LiftgateError} stats-argument-invalid  if a value is not a probability
 * @example benjaminiHochbergAdjust([0.05, 0.05]) // => [0.05, 0.05]
 * @see Benjamini & Hochberg (1995), JRSS B 57:289
 */
export function benjaminiHochbergAdjust(pValues: readonly number[]): number[] {
  return stepUp(pValues, (rank) => pValues.length / rank);
}

/** Each p-value times the factor of its rank, never above what a larger one reaches: the step-up procedures. */
function stepUp(pValues: readonly number[], factor: (rank: number) => number): number[] {
  requirePValues(pValues);
  const adjusted = [...pValues];
  let smallest = 1;
  ascending(pValues)
    .reverse()
    .forEach((index, behind) => {
      smallest = Math.min(smallest, (pValues[index] ?? 0) * factor(pValues.length - behind));
      adjusted[index] = smallest;
    });
  return adjusted;
}

/**
 * Hochberg-adjusted p-values (step-up). Reject where the adjusted value is ≤ significanceLevel.
 *
 * Valid for independent or positively dependent p-values; Holm's needs no such thing.
 *
 * @param pValues  probabilities from 0 to 1; an empty list gives an empty list
 * @throws {LiftgateError} stats-argument-invalid  if a value is not a probability
 * @example hochbergAdjust([0.01, 0.5, 0.25]) // => [0.03, 0.5, 0.5]
 * @see Hochberg (1988), Biometrika 75:800
 */
export function hochbergAdjust(pValues: readonly number[]): number[] {
  return stepUp(pValues, (rank) => pValues.length - rank + 1);
}

/**
 * Benjamini-Yekutieli-adjusted p-values: the false discovery rate under any dependence.
 *
 * @param pValues  probabilities from 0 to 1; an empty list gives an empty list
 * @throws {LiftgateError} stats-argument-invalid  if a value is not a probability
 * @example benjaminiYekutieliAdjust([0.04, 0.04]) // => [0.06, 0.06]
 * @see Benjamini & Yekutieli (2001), Annals of Statistics 29:1165
 */
export function benjaminiYekutieliAdjust(pValues: readonly number[]): number[] {
  let harmonic = 0;
  for (let rank = 1; rank <= pValues.length; rank += 1) harmonic += 1 / rank;
  return stepUp(pValues, (rank) => harmonic * (pValues.length / rank));
}

/** 1 − (1 − p)^times, its digits kept near 0. */
function sidakOf(p: number, times: number): number {
  return times === 1 ? p : -expm1(times * log1p(-p));
}

/**
 * Šidák-adjusted p-values, 1 − (1 − p)^m: exact for independent p-values.
 *
 * @param pValues  probabilities from 0 to 1; an empty list gives an empty list
 * @throws {LiftgateError} stats-argument-invalid  if a value is not a probability
 * @example sidakAdjust([0.5, 1]) // => [0.75, 1]
 * @see Šidák (1967), JASA 62:626
 */
export function sidakAdjust(pValues: readonly number[]): number[] {
  requirePValues(pValues);
  return pValues.map((p) => sidakOf(p, pValues.length));
}

/**
 * Holm-Šidák-adjusted p-values: Holm's steps with Šidák's factor.
 *
 * @param pValues  probabilities from 0 to 1; an empty list gives an empty list
 * @throws {LiftgateError} stats-argument-invalid  if a value is not a probability
 * @example holmSidakAdjust([0.5, 0.75]) // => [0.75, 0.75]
 * @see Holland & Copenhaver (1987), Biometrics 43:417
 */
export function holmSidakAdjust(pValues: readonly number[]): number[] {
  requirePValues(pValues);
  const adjusted = [...pValues];
  let largest = 0;
  ascending(pValues).forEach((index, rank) => {
    largest = Math.max(largest, sidakOf(pValues[index] ?? 0, pValues.length - rank));
    adjusted[index] = largest;
  });
  return adjusted;
}

/**
 * Hommel-adjusted p-values: the closed test by Simes, never larger than Hochberg's. Cost grows with the square of their number.
 *
 * @param pValues  probabilities from 0 to 1; an empty list gives an empty list
 * @throws {LiftgateError} stats-argument-invalid  if a value is not a probability
 * @example hommelAdjust([0.01, 0.5, 0.25]) // => [0.03, 0.5, 0.5]
 * @see Hommel (1988), Biometrika 75:383; Wright (1992), Biometrics 48:1005
 */
export function hommelAdjust(pValues: readonly number[]): number[] {
  requirePValues(pValues);
  const order = ascending(pValues);
  const sorted = order.map((index) => pValues[index] ?? 0);
  const reached = sorted.map(() => simesGlobalP(sorted));
  for (let size = sorted.length - 1; size >= 2; size -= 1) {
    const head = sorted.length - size + 1;
    const tail = sorted.slice(head).map((p, index) => p * (size / (index + 2)));
    const bound = tail.reduce((found, p) => Math.min(found, p), 1);
    for (let rank = 0; rank < sorted.length; rank += 1) {
      const own = Math.min(size * (sorted[Math.min(rank, head - 1)] ?? 0), bound);
      reached[rank] = Math.max(reached[rank] ?? 0, own);
    }
  }
  const adjusted = [...pValues];
  order.forEach((index, rank) => {
    adjusted[index] = Math.max(reached[rank] ?? 0, sorted[rank] ?? 0);
  });
  return adjusted;
}

/**
 * Simes' p-value of the hypothesis that no claim holds: the least m p₍ᵢ₎ / i.
 *
 * @param pValues  probabilities from 0 to 1; 1 for an empty list
 * @throws {LiftgateError} stats-argument-invalid  if a value is not a probability
 * @example simesGlobalP([0.01, 0.03, 0.049]) // => 0.03 to 12 digits
 * @see Simes (1986), Biometrika 73:751
 */
export function simesGlobalP(pValues: readonly number[]): number {
  requirePValues(pValues);
  return Math.min(
    1,
    ...ascending(pValues).map(
      (index, rank) => (pValues[index] ?? 0) * (pValues.length / (rank + 1)),
    ),
  );
}

/** What Holm's procedure says about one candidate. */
export interface HolmStep {
  readonly rejected: boolean;
  /** Place in Holm's order, from 1; the procedure stops at the first step that is not cleared. */
  readonly step: number;
  /** The one-sided error is divided by this: m − step + 1 or less when rejected, m when not. */
  readonly divisor: number;
}

/** How many divisors 1, 2, … a candidate clears without a gap. */
function clearedDepth(levels: readonly boolean[]): number {
  const gap = levels.indexOf(false);
  return gap < 0 ? levels.length : gap;
}

/**
 * Holm's procedure over m candidates by bounds: no p-value is inverted.
 *
 * A candidate clears divisor k only if its gates clear with their error divided by k and by every smaller divisor. Step j
 * asks for divisor m − j + 1; candidates come in descending order of what they clear, ties by position.
 *
 * @param clears  for each of m candidates, m answers: at index k − 1 whether it clears with the error divided by k
 * @returns       one entry per candidate, in the order given; an empty list gives an empty list
 * @throws {LiftgateError} stats-argument-invalid  if a candidate has not exactly m answers
 * @example holmByBounds([[true, false], [true, true]])
 * // => [{ rejected: true, step: 2, divisor: 1 }, { rejected: true, step: 1, divisor: 2 }]
 * @see Holm (1979), Scandinavian Journal of Statistics 6:65
 */
export function holmByBounds(clears: readonly (readonly boolean[])[]): HolmStep[] {
  const count = clears.length;
  const depths = clears.map((levels, index) => {
    if (levels.length !== count) {
      throw new LiftgateError(
        'stats-argument-invalid',
        `clears[${index}] must hold ${count} answers, one per divisor, got ${levels.length}`,
        {
          where: { path: `clears[${index}]` },
          mend: 'Evaluate every candidate at every divisor from 1 to m.',
        },
      );
    }
    return clearedDepth(levels);
  });
  const order = ascending(depths.map((depth) => -depth));
  const stop = order.findIndex((index, rank) => (depths[index] ?? 0) < count - rank);
  const rejectedSteps = stop < 0 ? count : stop;
  return depths.map((_, index) => {
    const step = order.indexOf(index) + 1;
    const rejected = step <= rejectedSteps;
    return { rejected, step, divisor: rejected ? count - step + 1 : count };
  });
}

/** A family of candidates that are tested together by bounds. */
export interface StepDownFamily {
  /** How many candidates, from 0. */
  readonly count: number;
  /** By what the error is divided for those that are left, from 1 to their number. */
  readonly divisorOf: (open: readonly number[]) => number;
  /** Whether a candidate clears with its error divided by this; asked for whole numbers up to the count and for `divisorOf`. */
  readonly clears: (candidate: number, divisor: number) => boolean;
}

/**
 * A step-down procedure by bounds, with the error of those that are left divided by what their joint law asks for.
 *
 * Of the candidates that clear, the one that clears most whole divisors goes first, ties by position; with the number of those left
 * as divisor this is Holm's procedure. A divisor never grows from step to step. The error of all false rejections together holds if
 * each divisor holds it for any of those it is made for (the closure of Romano and Wolf).
 *
 * @returns  one entry per candidate, in the order given
 * @example stepDownByBounds({ count: 2, divisorOf: (open) => open.length, clears: (at, divisor) => divisor <= 1 + at })
 * // => [{ rejected: true, step: 2, divisor: 1 }, { rejected: true, step: 1, divisor: 2 }]
 * @see Romano & Wolf (2005), JASA 100:94; Westfall & Young (1993), algorithm 2.8
 */
export function stepDownByBounds({ count, divisorOf, clears }: StepDownFamily): HolmStep[] {
  const all = Array.from({ length: count }, (_, index) => index);
  const depths = all.map((index) => clearedDepth(all.map((below) => clears(index, below + 1))));
  const order = ascending(depths.map((depth) => -depth));
  const clearsAll = (index: number, divisor: number): boolean =>
    (depths[index] ?? 0) >= Math.floor(divisor) && clears(index, divisor);
  const steps = new Map<number, HolmStep>();
  let open = order;
  let smallest = count;
  while (open.length > 0) {
    const divisor = Math.min(smallest, divisorOf(open));
    const next = open.find((index) => clearsAll(index, divisor));
    if (next === undefined) break;
    steps.set(next, { rejected: true, step: steps.size + 1, divisor });
    smallest = divisor;
    open = open.filter((index) => index !== next);
  }
  for (const index of open) {
    steps.set(index, { rejected: false, step: steps.size + 1, divisor: count });
  }
  return all.flatMap((index) => steps.get(index) ?? []);
}
