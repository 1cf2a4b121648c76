/**
 * How far two lists of numbers, or two raters, agree: correlations, distances, Lin's concordance, Cohen's kappa. What has no
 * value (no spread, one category) is indeterminate with a reason, never 0 or 1.
 */
import { LiftgateError } from '../base/errors.ts';
import { requireFiniteList, requireOneOf } from './arguments.ts';
import {
  type BootstrapInterval,
  type BootstrapIntervalOptions,
  bootstrapInterval,
} from './bootstrap-interval.ts';
import { type Indeterminate, indeterminate, isIndeterminate } from './interval.ts';
import { moments, sum } from './summary.ts';

/** Two lists of the same length, paired by position. */
export interface NumberPairs {
  readonly first: readonly number[];
  readonly second: readonly number[];
}

function requireEqualLength(
  first: { readonly length: number },
  second: { readonly length: number },
): void {
  if (first.length === second.length) return;
  throw new LiftgateError(
    'stats-argument-invalid',
    `first and second must be of the same length, got ${first.length} and ${second.length}`,
    { where: { path: 'second' }, mend: 'Pass one entry of second for every entry of first.' },
  );
}

function requirePairs({ first, second }: NumberPairs): void {
  requireFiniteList('first', first);
  requireFiniteList('second', second);
  requireEqualLength(first, second);
}

/** Mean product of the deviations, with both variances; divisor n throughout. */
interface Moments2 {
  readonly covariance: number;
  readonly varianceFirst: number;
  readonly varianceSecond: number;
  readonly shift: number;
}

function jointMoments({ first, second }: NumberPairs): Moments2 {
  const units = first.length;
  const [a, b] = [moments(first), moments(second)];
  const products = first.map((value, at) => (value - a.mean) * ((second[at] ?? 0) - b.mean));
  const scale = (units - 1) / units;
  return {
    covariance: a.variance === 0 || b.variance === 0 ? 0 : sum(products) / units,
    varianceFirst: a.variance * scale,
    varianceSecond: b.variance * scale,
    shift: b.mean - a.mean,
  };
}

function correlation(pairs: NumberPairs): number | Indeterminate {
  if (pairs.first.length < 2) return indeterminate('too-few-units');
  const { covariance, varianceFirst, varianceSecond } = jointMoments(pairs);
  if (varianceFirst === 0 || varianceSecond === 0) return indeterminate('constant-values');
  const ratio = covariance / (Math.sqrt(varianceFirst) * Math.sqrt(varianceSecond));
  return Math.max(-1, Math.min(1, ratio));
}

/**
 * Pearson's correlation.
 *
 * @returns  from −1 to 1; indeterminate('too-few-units') below 2 pairs, indeterminate('constant-values') without spread
 * @throws {LiftgateError} stats-argument-invalid  if a value is not finite or the lists differ in length
 * @example pearson({ first: [1, 2, 3, 4], second: [4, 3, 2, 1] }) // => -1 to 12 digits
 * @see Pearson (1896), Philosophical Transactions of the Royal Society A 187:253
 */
export function pearson(pairs: NumberPairs): number | Indeterminate {
  requirePairs(pairs);
  return correlation(pairs);
}

/** Ranks from 1, equal values sharing the middle of theirs. */
function midRanks(values: readonly number[]): number[] {
  const order = values.map((_, at) => at).sort((a, b) => (values[a] ?? 0) - (values[b] ?? 0));
  const ranks = new Array<number>(values.length).fill(0);
  let start = 0;
  while (start < order.length) {
    let end = start + 1;
    while (end < order.length && values[order[end] ?? 0] === values[order[start] ?? 0]) end += 1;
    for (const at of order.slice(start, end)) ranks[at] = (start + 1 + end) / 2;
    start = end;
  }
  return ranks;
}

/**
 * Spearman's rank correlation: Pearson's of the mid-ranks, right with ties too.
 *
 * @returns  from −1 to 1; indeterminate wherever pearson of the ranks is
 * @throws {LiftgateError} stats-argument-invalid  if a value is not finite or the lists differ in length
 * @example spearman({ first: [1, 2, 3], second: [1, 10, 100] }) // => 1 to 12 digits
 * @see Spearman (1904), American Journal of Psychology 15:72
 */
export function spearman(pairs: NumberPairs): number | Indeterminate {
  requirePairs(pairs);
  return correlation({ first: midRanks(pairs.first), second: midRanks(pairs.second) });
}

/**
 * Kendall's tau-b: concordant less discordant pairs of units, corrected for ties on either side.
 *
 * @returns  from −1 to 1; indeterminate('too-few-units' | 'constant-values') as pearson; cost grows with units²
 * @throws {LiftgateError} stats-argument-invalid  if a value is not finite or the lists differ in length
 * @example kendallTauB({ first: [1, 2, 3], second: [1, 3, 2] }) // => 0.333333333333 to 12 digits
 * @see Kendall (1945), Biometrika 33:239
 */
export function kendallTauB(pairs: NumberPairs): number | Indeterminate {
  requirePairs(pairs);
  const { first, second } = pairs;
  if (first.length < 2) return indeterminate('too-few-units');
  let [balance, untiedFirst, untiedSecond] = [0, 0, 0];
  for (let one = 0; one < first.length; one += 1) {
    for (let other = 0; other < one; other += 1) {
      const a = Math.sign((first[one] ?? 0) - (first[other] ?? 0));
      const b = Math.sign((second[one] ?? 0) - (second[other] ?? 0));
      balance += a * b;
      untiedFirst += a * a;
      untiedSecond += b * b;
    }
  }
  if (untiedFirst === 0 || untiedSecond === 0) return indeterminate('constant-values');
  return balance / (Math.sqrt(untiedFirst) * Math.sqrt(untiedSecond));
}

/**
 * Lin's concordance: correlation that falls with every shift and change of scale, moments with divisor n.
 *
 * @returns  from −1 to 1, 0 where one list alone is constant; indeterminate('no-units') without pairs,
 *           indeterminate('constant-values') where both lists are the same constant
 * @throws {LiftgateError} stats-argument-invalid  if a value is not finite or the lists differ in length
 * @example linConcordance({ first: [1, 2, 3, 4, 5], second: [2, 4, 6, 8, 10] }) // => 0.421052631579 to 12 digits
 * @see Lin (1989), Biometrics 45:255
 */
export function linConcordance(pairs: NumberPairs): number | Indeterminate {
  requirePairs(pairs);
  if (pairs.first.length === 0) return indeterminate('no-units');
  const { covariance, varianceFirst, varianceSecond, shift } = jointMoments(pairs);
  const whole = varianceFirst + varianceSecond + shift * shift;
  return whole === 0 ? indeterminate('constant-values') : (2 * covariance) / whole;
}

/** How far the second list lies from the first, in its own units. */
export interface PairDistance {
  readonly units: number;
  readonly meanAbsoluteError: number;
  readonly rootMeanSquareError: number;
  /** Mean of second − first. */
  readonly meanDifference: number;
}

/**
 * Mean absolute and root mean square distance, and the mean shift.
 *
 * @returns  indeterminate('no-units') without pairs
 * @throws {LiftgateError} stats-argument-invalid  if a value is not finite or the lists differ in length
 * @example pairDistance({ first: [1, 2], second: [5, 9] }).meanAbsoluteError // => 5.5
 */
export function pairDistance(pairs: NumberPairs): PairDistance | Indeterminate {
  requirePairs(pairs);
  const { first, second } = pairs;
  const units = first.length;
  if (units === 0) return indeterminate('no-units');
  const differences = first.map((value, at) => (second[at] ?? 0) - value);
  return {
    units,
    meanAbsoluteError: sum(differences.map(Math.abs)) / units,
    rootMeanSquareError: Math.sqrt(sum(differences.map((value) => value * value)) / units),
    meanDifference: sum(differences) / units,
  };
}

/** The continuous measures of agreement that can be given an interval. */
export type AgreementMeasure = (typeof agreementMeasures)[number];

const agreementMeasures = [
  'pearson',
  'spearman',
  'kendall-tau-b',
  'lin',
  'mean-absolute-error',
  'root-mean-square-error',
] as const;

function measured(measure: AgreementMeasure, pairs: NumberPairs): number | Indeterminate {
  switch (measure) {
    case 'pearson':
      return pearson(pairs);
    case 'spearman':
      return spearman(pairs);
    case 'kendall-tau-b':
      return kendallTauB(pairs);
    case 'lin':
      return linConcordance(pairs);
    case 'mean-absolute-error': {
      const found = pairDistance(pairs);
      return isIndeterminate(found) ? found : found.meanAbsoluteError;
    }
    case 'root-mean-square-error': {
      const found = pairDistance(pairs);
      return isIndeterminate(found) ? found : found.rootMeanSquareError;
    }
  }
}

/** What an interval of agreement needs: the measure, and what every bootstrap interval needs. */
export interface AgreementIntervalOptions
  extends Omit<BootstrapIntervalOptions, 'statistic' | 'prefer'> {
  readonly measure: AgreementMeasure;
}

/**
 * The bootstrap interval of a continuous measure of agreement, resampling pairs.
 *
 * Up to 8 pairs every resample is enumerated. Resamples without spread have no correlation: the law is that of the others.
 *
 * @returns  indeterminate with the measure's own reason where it has no value; indeterminate('degenerate-resamples') where
 *           resamples without a value outweigh the error of one side; else as bootstrapInterval
 * @throws {LiftgateError} stats-argument-invalid  if an argument is outside its range
 * @example agreementInterval({ first: [1, 2, 3, 4], second: [1, 2, 3, 4] },
 *   { measure: 'pearson', method: 'bootstrap-percentile', level: 0.9, seed: '0'.repeat(64), resamples: 1000 })
 * // => { status: 'indeterminate', reason: 'constant-resamples' }
 * @see Davison & Hinkley (1997), Bootstrap Methods and their Application, section 2.4
 */
export function agreementInterval(
  pairs: NumberPairs,
  options: AgreementIntervalOptions,
): BootstrapInterval | Indeterminate {
  const { measure, method, level, seed, resamples } = options;
  requireOneOf('measure', measure, agreementMeasures);
  const seen = measured(measure, pairs);
  if (isIndeterminate(seen)) return seen;
  const compute = (positions: Uint32Array): number => {
    const first = Array.from(positions, (at) => pairs.first[at] ?? 0);
    const second = Array.from(positions, (at) => pairs.second[at] ?? 0);
    const found = measured(measure, { first, second });
    return isIndeterminate(found) ? Number.NaN : found;
  };
  const statistic = { kind: 'custom', compute } as const;
  return bootstrapInterval(pairs.first, { statistic, method, level, seed, resamples });
}

/** A category as the raters wrote it. */
export type Category = number | string;

/** Two raters' categories, paired by position; `categories` in the order that fixes the distances of weighted kappa. */
export interface RatedPairs {
  readonly first: readonly Category[];
  readonly second: readonly Category[];
  readonly categories: readonly Category[];
}

/** Agreement beyond chance, plain and with distances |i − j| and (i − j)². */
export interface CohenKappa {
  readonly observedAgreement: number;
  readonly unweighted: number | Indeterminate;
  readonly linear: number | Indeterminate;
  readonly quadratic: number | Indeterminate;
}

/**
 * The position of each rating among the categories.
 * @throws {LiftgateError} stats-argument-invalid  if a rating is none of them
 * @example categoryPositions('first', ['b', 'a'], ['a', 'b']) // => [1, 0]
 */
export function categoryPositions(
  name: string,
  ratings: readonly Category[],
  categories: readonly Category[],
): number[] {
  return ratings.map((rating, index) => {
    const position = categories.indexOf(rating);
    if (position >= 0) return position;
    throw new LiftgateError(
      'stats-argument-invalid',
      `${name}[${index}] must be one of the categories, got ${rating}`,
      { where: { path: `${name}[${index}]` }, mend: 'List every category that can be given.' },
    );
  });
}

/** 1 − (observed distance) / (distance expected of independent raters). */
function kappaOf(
  {
    a,
    b,
    size,
  }: { readonly a: readonly number[]; readonly b: readonly number[]; readonly size: number },
  distance: (gap: number) => number,
): number | Indeterminate {
  const [countsA, countsB] = [a, b].map((list) => {
    const counts = new Array<number>(size).fill(0);
    for (const position of list) counts[position] = (counts[position] ?? 0) + 1;
    return counts;
  });
  let expected = 0;
  countsA?.forEach((countA, one) => {
    countsB?.forEach((countB, other) => {
      expected += countA * countB * distance(Math.abs(one - other));
    });
  });
  if (expected === 0) return indeterminate('one-category');
  const observed = sum(a.map((one, at) => distance(Math.abs(one - (b[at] ?? 0)))));
  return 1 - (observed * a.length) / expected;
}

/**
 * Cohen's kappa of two raters, plain and weighted.
 *
 * @returns  each kappa from below −1 up to 1, indeterminate('one-category') where chance agreement is certain;
 *           indeterminate('no-units') without pairs
 * @throws {LiftgateError} stats-argument-invalid  if a rating is no category or the lists differ in length
 * @example cohenKappa({ first: [0, 1, 0, 1], second: [0, 1, 1, 1], categories: [0, 1] }).unweighted // => 0.5
 * @see Cohen (1960), Educational and Psychological Measurement 20:37; Cohen (1968), Psychological Bulletin 70:213
 */
export function cohenKappa({ first, second, categories }: RatedPairs): CohenKappa | Indeterminate {
  requireEqualLength(first, second);
  if (first.length === 0) return indeterminate('no-units');
  const a = categoryPositions('first', first, categories);
  const b = categoryPositions('second', second, categories);
  const ratings = { a, b, size: categories.length };
  return {
    observedAgreement: a.filter((position, at) => position === b[at]).length / a.length,
    unweighted: kappaOf(ratings, (gap) => Math.min(1, gap)),
    linear: kappaOf(ratings, (gap) => gap),
    quadratic: kappaOf(ratings, (gap) => gap * gap),
  };
}
