/**
 * The exact bootstrap law of an order statistic and of the median, from binomial tails: with n values, a resample's r-th
 * smallest lies at or below the k-th smallest value exactly when at least r of n draws hit the first k.
 */
import type { BootstrapLaw } from './bootstrap-law.ts';
import { firstReaching, shareSlack } from './bootstrap-law.ts';
import { binomialUpper } from './distribution.ts';
import { exp, log } from './elementary.ts';
import { logGamma } from './special.ts';

/** P(the resample's r-th smallest ≤ the k-th smallest of n values); tails that Hoeffding puts below 2e-22 are not computed. */
function orderShare(k: number, rank: number, n: number): number {
  const ahead = k - rank;
  if (k <= 0 || (ahead < 0 && ahead * ahead > 25 * n)) return 0;
  if (k >= n || (ahead > 0 && ahead * ahead > 25 * n)) return 1;
  return binomialUpper(rank - 1, { trials: n, probability: k / n });
}

/** Number of values at or below a limit. */
function countUpTo(ordered: Float64Array, limit: number): number {
  return firstReaching(
    { below: -1, enough: ordered.length },
    (index) => (ordered[index] ?? Number.POSITIVE_INFINITY) > limit,
  );
}

/** Values this close are one value; where every value is 0 it still tells below 0 from up to 0. */
function slackOf(ordered: Float64Array): number {
  const size = Math.max(Math.abs(ordered[0] ?? 0), Math.abs(ordered[ordered.length - 1] ?? 0));
  return Math.max(1e-12 * size, Number.MIN_VALUE);
}

/**
 * The law of the r-th smallest value of a resample.
 *
 * @param ordered  n values in rising order, at least one
 * @param rank     r, from 1 to n
 * @example orderStatisticLaw(new Float64Array([1, 2, 3]), 2).cdf(1) // => 0.259259259259 to 12 digits
 * @see Efron (1979), Annals of Statistics 7:1, section 3
 */
export function orderStatisticLaw(ordered: Float64Array, rank: number): BootstrapLaw {
  const n = ordered.length;
  const slack = slackOf(ordered);
  const upTo = (limit: number): number => orderShare(countUpTo(ordered, limit), rank, n);
  return {
    source: 'order-statistics',
    quantile: (p) => {
      const k = firstReaching(
        { below: 0, enough: n },
        (index) => orderShare(index, rank, n) >= p - shareSlack,
      );
      return ordered[k - 1] ?? Number.NaN;
    },
    cdf: (t) => upTo(t + slack),
    below: (t) => upTo(t - slack),
    moments: () => {
      let mean = 0;
      let square = 0;
      ordered.forEach((value, index) => {
        const share = orderShare(index + 1, rank, n) - orderShare(index, rank, n);
        mean += share * value;
        square += share * value * value;
      });
      return { mean, standardDeviation: Math.sqrt(Math.max(0, square - mean * mean)) };
    },
    quantileError: () => 0,
    undefinedShare: 0,
  };
}

/**
 * The two middle values of a resample of n = 2m: with A the m-th and B the (m+1)-th smallest rank,
 * P(A = i, B > j) = C(n, m) (i^m − (i−1)^m) (n − j)^m / n^n for j ≥ i.
 */
interface MiddlePair {
  readonly ordered: Float64Array;
  /** P(A = i), i from 1 at index 0. */
  readonly first: Float64Array;
  /** P(A = i, B > i). */
  readonly apart: Float64Array;
  /** m log k for k = 1 … n at index k − 1. */
  readonly logs: Float64Array;
  /** The ranks i whose P(A = i) can move a share: above 1e-25. */
  readonly likely: { readonly from: number; readonly to: number };
}

function middlePair(ordered: Float64Array): MiddlePair {
  const n = ordered.length;
  const m = n / 2;
  const logs = Float64Array.from(ordered, (_, index) => m * log(index + 1));
  const logChoose = logGamma(n + 1) - 2 * logGamma(m + 1) - n * log(n);
  const first = new Float64Array(n);
  const apart = new Float64Array(n);
  let before = 0;
  for (let i = 1; i <= n; i += 1) {
    const upTo = orderShare(i, m, n);
    first[i - 1] = upTo - before;
    before = upTo;
    const tail = i === n ? 0 : exp(logChoose + (logs[i - 1] ?? 0) + (logs[n - i - 1] ?? 0));
    const kept = i === 1 ? 1 : 1 - exp((logs[i - 2] ?? 0) - (logs[i - 1] ?? 0));
    apart[i - 1] = tail * kept;
  }
  const likely = { from: 1, to: n };
  while ((first[likely.from - 1] ?? 1) <= 1e-25) likely.from += 1;
  while ((first[likely.to - 1] ?? 1) <= 1e-25) likely.to -= 1;
  return { ordered, first, apart, logs, likely };
}

/** P(A = i, B > j), j ≥ i, from P(A = i, B > i); beyond e^−45 of it nothing is left. */
function beyond({ apart, logs, ordered }: MiddlePair, i: number, j: number): number {
  const n = ordered.length;
  if (j >= n) return 0;
  const fall = (logs[n - j - 1] ?? 0) - (logs[n - i - 1] ?? 0);
  return fall < -45 ? 0 : (apart[i - 1] ?? 0) * exp(fall);
}

/** P((A's value + B's value) / 2 ≤ limit), by two pointers over the ranks. */
function middleShare(pair: MiddlePair, limit: number): number {
  const { ordered, first, likely } = pair;
  let j = ordered.length;
  let share = 0;
  for (let i = likely.from; i <= likely.to; i += 1) {
    const value = ordered[i - 1] ?? 0;
    if (value > limit) break;
    while (j > i && value / 2 + (ordered[j - 1] ?? 0) / 2 > limit) j -= 1;
    share += (first[i - 1] ?? 0) - beyond(pair, i, Math.max(i, j));
  }
  return Math.max(0, Math.min(1, share));
}

/** The largest midpoint of two values that does not exceed the limit. */
function midpointAtMost(ordered: Float64Array, limit: number): number {
  let best = Number.NEGATIVE_INFINITY;
  let j = ordered.length;
  for (const value of ordered) {
    while (j > 0 && value / 2 + (ordered[j - 1] ?? 0) / 2 > limit) j -= 1;
    if (j > 0) best = Math.max(best, value / 2 + (ordered[j - 1] ?? 0) / 2);
  }
  return best;
}

function middleQuantile(pair: MiddlePair, p: number, slack: number): number {
  const { ordered } = pair;
  let lower = (ordered[0] ?? 0) - slack;
  let upper = ordered[ordered.length - 1] ?? 0;
  const gap = Math.max(slack / 16, Number.MIN_VALUE);
  while (upper - lower > gap) {
    const middle = lower + (upper - lower) / 2;
    if (middleShare(pair, middle) >= p - shareSlack) upper = middle;
    else lower = middle;
  }
  return midpointAtMost(ordered, upper);
}

function middleMoments(pair: MiddlePair): { mean: number; standardDeviation: number } {
  const { ordered, first } = pair;
  const n = ordered.length;
  let mean = 0;
  let square = 0;
  for (let i = 1; i <= n; i += 1) {
    let left = first[i - 1] ?? 0;
    for (let j = i; j <= n && left > 1e-18; j += 1) {
      const rest = beyond(pair, i, j);
      const midpoint = (ordered[i - 1] ?? 0) / 2 + (ordered[j - 1] ?? 0) / 2;
      mean += (left - rest) * midpoint;
      square += (left - rest) * midpoint * midpoint;
      left = rest;
    }
  }
  return { mean, standardDeviation: Math.sqrt(Math.max(0, square - mean * mean)) };
}

/**
 * The law of a resample's median; between the middle two values where their number is even.
 *
 * @param ordered  values in rising order, at least one; building costs n logarithms, a quantile about 50 passes
 * @example medianLaw(new Float64Array([0, 1])).cdf(0.5) // => 0.75 to 12 digits
 * @see Efron (1979), Annals of Statistics 7:1, section 3
 */
export function medianLaw(ordered: Float64Array): BootstrapLaw {
  if (ordered.length % 2 === 1) return orderStatisticLaw(ordered, (ordered.length + 1) / 2);
  const pair = middlePair(ordered);
  const slack = slackOf(ordered);
  return {
    source: 'order-statistics',
    quantile: (p) => middleQuantile(pair, p, slack),
    cdf: (t) => middleShare(pair, t + slack),
    below: (t) => middleShare(pair, t - slack),
    moments: () => middleMoments(pair),
    quantileError: () => 0,
    undefinedShare: 0,
  };
}
