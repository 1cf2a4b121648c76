/** Tests and estimates of paired differences by signs and ranks: the sign test, Wilcoxon's signed ranks, Hodges-Lehmann. */
import { requireFiniteList, requireOneOf, requireOpenProbability } from './arguments.ts';
import { coinProbabilities, coinSums, type ThreeProbabilities } from './coin-sums.ts';
import { decimalGrid } from './decimal-grid.ts';
import { binomialCdf, binomialUpper, normalUpper } from './distribution.ts';
import { errorPerSide, type Indeterminate, type Interval, indeterminate } from './interval.ts';
import { roundSignificant } from './rounding.ts';

/** Counts by sign and the exact probabilities; `pMid` is the two-sided mid-p. */
export interface SignTest extends ThreeProbabilities {
  readonly positive: number;
  readonly negative: number;
  readonly zeros: number;
  readonly pMid: number;
}

/**
 * The sign test: the non-zero differences' signs against a fair coin.
 *
 * Zeros are dropped and counted; without a non-zero difference every p is 1. The mid-p takes the probability of the count
 * seen once where the two-sided p takes it twice.
 *
 * @param differences  one finite number per unit, candidate − baseline
 * @throws {LiftgateError} stats-argument-invalid  if a difference is not finite
 * @example signTest([1, 2, 3, 4, 5]).pGreater // => 0.03125 to 12 digits
 * @see Conover (1999), Practical Nonparametric Statistics, 3.4
 */
export function signTest(differences: readonly number[]): SignTest {
  requireFiniteList('differences', differences);
  const positive = differences.filter((value) => value > 0).length;
  const negative = differences.filter((value) => value < 0).length;
  const coin = { trials: positive + negative, probability: 0.5 };
  const pGreater = binomialUpper(positive - 1, coin);
  const pLess = binomialCdf(positive, coin);
  const pTwoSided = Math.min(1, 2 * Math.min(pGreater, pLess));
  const rarer = Math.min(positive, negative);
  const pointSeen = binomialCdf(rarer, coin) - binomialCdf(rarer - 1, coin);
  return {
    positive,
    negative,
    zeros: differences.length - positive - negative,
    pGreater,
    pLess,
    pTwoSided,
    pMid: coin.trials === 0 ? 1 : midProbability(pTwoSided, pointSeen, positive === negative),
  };
}

function midProbability(pTwoSided: number, pointSeen: number, balanced: boolean): number {
  return balanced ? 1 - pointSeen / 2 : pTwoSided - pointSeen;
}

/**
 * What becomes of zero differences: `wilcoxon` drops them before ranking, `pratt` ranks them and then drops their ranks.
 */
export type ZeroRule = 'wilcoxon' | 'pratt';

/** `rankSum` of the positive differences; `normal` is the tie-corrected approximation without continuity correction. */
export interface SignedRankTest extends ThreeProbabilities {
  readonly units: number;
  readonly rankSum: number;
  readonly normal: { readonly z: number; readonly pTwoSided: number } | Indeterminate;
}

/** Twice the mid-rank of each size, in the order given: whole numbers. */
function doubledMidRanks(sizes: readonly number[]): readonly number[] {
  const order = sizes.map((_, index) => index).sort((a, b) => (sizes[a] ?? 0) - (sizes[b] ?? 0));
  const ranks = new Array<number>(sizes.length).fill(0);
  let start = 0;
  while (start < order.length) {
    let end = start + 1;
    while (end < order.length && sizes[order[end] ?? 0] === sizes[order[start] ?? 0]) end += 1;
    for (const index of order.slice(start, end)) ranks[index] = start + 1 + end;
    start = end;
  }
  return ranks;
}

/**
 * Wilcoxon's signed-rank test, exact with ties and zeros: the permutation law of the rank sum given the mid-ranks.
 *
 * Ties are found on the decimal grid of 12 significant digits. Without a non-zero difference every p is 1.
 *
 * @param differences  one finite number per unit, candidate − baseline; up to about 450 non-zero ones
 * @param zeroRule     what becomes of zeros
 * @returns            `normal` is indeterminate('constant-differences') without a non-zero difference;
 *                     indeterminate('too-many-units') where the exact law is not affordable
 * @throws {LiftgateError} stats-argument-invalid  if a difference is not finite or the rule is none of the two
 * @example signedRankTest([1, 2, 3, 4, 5], 'wilcoxon').pTwoSided // => 0.0625
 * @see Wilcoxon (1945), Biometrics Bulletin 1:80; Pratt (1959), Journal of the American Statistical Association 54:655
 */
export function signedRankTest(
  differences: readonly number[],
  zeroRule: ZeroRule,
): SignedRankTest | Indeterminate {
  requireFiniteList('differences', differences);
  requireOneOf('zeroRule', zeroRule, ['wilcoxon', 'pratt']);
  const { steps } = decimalGrid(differences);
  const ranked = zeroRule === 'pratt' ? steps : steps.filter((step) => step !== 0);
  const ranks = doubledMidRanks(ranked.map(Math.abs));
  const parts = ranks.filter((_, index) => ranked[index] !== 0);
  const doubledSum = ranks.reduce(
    (total, rank, index) => total + ((ranked[index] ?? 0) > 0 ? rank : 0),
    0,
  );
  const law = coinSums(parts);
  if (law === undefined) return indeterminate('too-many-units');
  return {
    units: parts.length,
    rankSum: doubledSum / 2,
    ...coinProbabilities(law, doubledSum),
    normal: normalOfRanks(parts, doubledSum),
  };
}

function normalOfRanks(parts: readonly number[], doubledSum: number): SignedRankTest['normal'] {
  if (parts.length === 0) return indeterminate('constant-differences');
  const total = parts.reduce((sofar, part) => sofar + part, 0);
  const squares = parts.reduce((sofar, part) => sofar + part * part, 0);
  const z = (2 * doubledSum - total) / Math.sqrt(squares);
  return { z, pTwoSided: Math.min(1, 2 * normalUpper(Math.abs(z))) };
}

/** The median of the Walsh averages; `achievedLevel` is the exact coverage without ties, at least the level asked for. */
export interface HodgesLehmann {
  readonly estimate: number;
  readonly interval: Interval | Indeterminate;
  readonly rank: number;
  readonly achievedLevel: number;
}

/** Twice each Walsh average in grid steps, sorted; n(n + 1)/2 of them. */
function doubledWalshAverages(steps: readonly number[]): Float64Array {
  const averages = new Float64Array((steps.length * (steps.length + 1)) / 2);
  let filled = 0;
  for (let first = 0; first < steps.length; first += 1) {
    for (let second = first; second < steps.length; second += 1) {
      averages[filled] = (steps[first] ?? 0) + (steps[second] ?? 0);
      filled += 1;
    }
  }
  return averages.sort();
}

/** The largest k with P(W ≤ k − 1) ≤ error under the law of the signed ranks 1 … n, and that probability. */
function signedRankOrder(
  units: number,
  error: number,
): { readonly rank: number; readonly tail: number } | undefined {
  const law = coinSums(Array.from({ length: units }, (_, index) => index + 1));
  if (law === undefined) return undefined;
  // P(W ≤ k − 1) = P(W ≥ total − k + 1) by symmetry; it rises with k.
  const tailBelow = (k: number): number => law.atLeast(law.total - k + 1);
  let rank = 0;
  let tooFar = Math.floor(law.total / 2) + 1;
  while (tooFar - rank > 1) {
    const middle = Math.floor((rank + tooFar) / 2);
    if (tailBelow(middle) <= error * (1 + 1e-12)) rank = middle;
    else tooFar = middle;
  }
  return { rank, tail: rank === 0 ? 0 : tailBelow(rank) };
}

function middleOf(sorted: Float64Array): number {
  const half = sorted.length / 2;
  const upper = sorted[Math.floor(half)] ?? 0;
  return Number.isInteger(half) ? ((sorted[half - 1] ?? 0) + upper) / 2 : upper;
}

/**
 * The Hodges-Lehmann estimate, the median of all pairwise averages, with the interval of the signed-rank test.
 *
 * Estimates the centre of symmetry; for skewed differences that is the pseudo-median and not the mean. The interval assumes
 * no ties. Cost and memory n²/2.
 *
 * @param differences  one finite number per unit, candidate − baseline; up to about 550 for the interval
 * @param level        coverage wanted, a probability in (0, 1)
 * @returns            indeterminate('no-units') for an empty list; the interval is indeterminate('too-few-units') where the
 *                     test cannot reject anything (below 6 units at 0.95), 'constant-differences' or 'too-many-units'
 * @throws {LiftgateError} stats-argument-invalid  if a difference is not finite or the level is outside (0, 1)
 * @example hodgesLehmann([1, 2, 3, 4, 5], 0.95)
 * // => { estimate: 3, interval: { status: 'indeterminate', reason: 'too-few-units' }, rank: 0, achievedLevel: 1 }
 * @see Hodges & Lehmann (1963), Annals of Mathematical Statistics 34:598
 */
export function hodgesLehmann(
  differences: readonly number[],
  level: number,
): HodgesLehmann | Indeterminate {
  requireFiniteList('differences', differences);
  requireOpenProbability('level', level);
  if (differences.length === 0) return indeterminate('no-units');
  const { steps, fromSteps } = decimalGrid(differences);
  const averages = doubledWalshAverages(steps);
  const estimate = fromSteps(middleOf(averages)) / 2;
  const order = signedRankOrder(steps.length, roundSignificant(errorPerSide(level)));
  if (order === undefined) {
    return { estimate, interval: indeterminate('too-many-units'), rank: 0, achievedLevel: 1 };
  }
  const { rank, tail } = order;
  const lower = fromSteps(averages[rank - 1] ?? 0) / 2;
  const upper = fromSteps(averages[averages.length - rank] ?? 0) / 2;
  return {
    estimate,
    interval: orderInterval({ rank, lower, upper, level }),
    rank,
    achievedLevel: 1 - 2 * tail,
  };
}

interface OrderBounds {
  readonly rank: number;
  readonly lower: number;
  readonly upper: number;
  readonly level: number;
}

function orderInterval({ rank, lower, upper, level }: OrderBounds): Interval | Indeterminate {
  if (rank === 0) return indeterminate('too-few-units');
  if (lower === upper) return indeterminate('constant-differences');
  return { lower, upper, level, method: 'hodges-lehmann', guarantee: 'asymptotic' };
}
