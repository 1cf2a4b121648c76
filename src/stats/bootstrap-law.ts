/**
 * The law of a statistic over all resamples: what percentile, basic and BCa intervals read their bounds from.
 *
 * A bootstrap quantile is inf{t : F*(t) ≥ p} on both sides; a share equal to p up to rounding counts as reaching it. Values
 * closer than 1e-12 of the largest value are the same value.
 */
import { normalCdf, normalQuantile } from './distribution.ts';
import { type Bounds, type Indeterminate, indeterminate } from './interval.ts';
import { normalDensity } from './special.ts';

/** How a law was computed: all but `resampling` carry no Monte Carlo error and no seed. */
export type LawSource =
  | 'enumeration'
  | 'convolution'
  | 'inversion'
  | 'order-statistics'
  | 'resampling';

/** Mean and standard deviation of the statistic over resamples; the latter is the bootstrap standard error. */
export interface LawMoments {
  readonly mean: number;
  readonly standardDeviation: number;
}

/** The distribution of a statistic over resamples. */
export interface BootstrapLaw {
  readonly source: LawSource;
  /** The smallest value whose share of resamples reaches p; p in [0, 1]. */
  readonly quantile: (p: number) => number;
  /** P(statistic of a resample ≤ t). */
  readonly cdf: (t: number) => number;
  /** P(statistic of a resample < t). */
  readonly below: (t: number) => number;
  readonly moments: () => LawMoments;
  /** Standard error of the quantile at p through the finite number of resamples; 0 for an exact law. */
  readonly quantileError: (p: number) => number;
  /** Share of resamples on which the statistic has no value; the law is that of the others. */
  readonly undefinedShare: number;
}

/** Sorted values with the weight of all values up to each; without `cumulated` every value weighs 1. */
export interface WeightedPoints {
  readonly values: Float64Array;
  readonly cumulated: Float64Array | undefined;
  readonly total: number;
  /** Share of resamples without a value, none by default. */
  readonly undefinedShare?: number;
}

/** Shares this close to the p asked for count as equal to it. */
export const shareSlack = 1e-12;

/** The smallest whole number in (below, enough] for which `reaches` holds; it must hold at `enough` and stay. */
export function firstReaching(
  bracket: { readonly below: number; readonly enough: number },
  reaches: (index: number) => boolean,
): number {
  let { below, enough } = bracket;
  while (enough - below > 1) {
    const middle = Math.floor((below + enough) / 2);
    if (reaches(middle)) enough = middle;
    else below = middle;
  }
  return enough;
}

function rankAt({ values, cumulated, total }: WeightedPoints, p: number): number {
  const wanted = (p - shareSlack) * total;
  if (cumulated === undefined) {
    return Math.max(0, Math.min(values.length - 1, -Math.floor(-wanted) - 1));
  }
  return firstReaching(
    { below: -1, enough: values.length - 1 },
    (index) => (cumulated[index] ?? 0) >= wanted,
  );
}

function quantileOf(points: WeightedPoints, p: number): number {
  return points.values[rankAt(points, p)] ?? Number.NaN;
}

/** Half the distance of the quantiles one binomial standard error to each side. */
function sampledError(points: WeightedPoints, p: number): number {
  const step = Math.sqrt((p * (1 - p)) / points.total);
  const high = quantileOf(points, Math.min(1, p + step));
  return Math.abs(high - quantileOf(points, Math.max(0, p - step))) / 2;
}

function momentsOf({ values, cumulated, total }: WeightedPoints): LawMoments {
  const weightAt = (index: number): number =>
    cumulated === undefined ? 1 : (cumulated[index] ?? 0) - (cumulated[index - 1] ?? 0);
  let mean = 0;
  values.forEach((value, index) => {
    mean += (value * weightAt(index)) / total;
  });
  let square = 0;
  values.forEach((value, index) => {
    square += ((value - mean) * (value - mean) * weightAt(index)) / total;
  });
  return { mean, standardDeviation: Math.sqrt(square) };
}

/**
 * The law given by its points.
 *
 * @param points  values in rising order, at least one
 * @param source  how they came about; `resampling` gives quantiles a Monte Carlo error
 * @example lawOfPoints({ values: new Float64Array([1, 2, 4]), cumulated: undefined, total: 3 }, 'resampling').quantile(0.5)
 * // => 2
 */
export function lawOfPoints(points: WeightedPoints, source: LawSource): BootstrapLaw {
  const { values, cumulated, total } = points;
  const size = Math.max(Math.abs(values[0] ?? 0), Math.abs(values[values.length - 1] ?? 0));
  // Where every value is 0 it still tells below 0 from up to 0.
  const slack = Math.max(1e-12 * size, Number.MIN_VALUE);
  /** Share of the values up to (and, within the slack, at) a limit. */
  const shareUpTo = (limit: number): number => {
    const count = firstReaching(
      { below: -1, enough: values.length },
      (index) => (values[index] ?? Number.POSITIVE_INFINITY) > limit,
    );
    if (count === 0) return 0;
    return (cumulated === undefined ? count : (cumulated[count - 1] ?? 0)) / total;
  };
  return {
    source,
    quantile: (p) => quantileOf(points, p),
    cdf: (t) => shareUpTo(t + slack),
    below: (t) => shareUpTo(t - slack),
    moments: () => momentsOf(points),
    quantileError: (p) => (source === 'resampling' ? sampledError(points, p) : 0),
    undefinedShare: points.undefinedShare ?? 0,
  };
}

/** One value of a statistic with the number of resamples that give it. */
export interface WeightedValue {
  readonly value: number;
  readonly weight: number;
}

/**
 * The law of an enumeration, in any order; values that are not numbers are left out and their share is kept.
 *
 * @param points  at least one
 * @example lawOfEnumeration([{ value: 2, weight: 1 }, { value: 1, weight: 3 }]).cdf(1) // => 0.75
 */
export function lawOfEnumeration(points: readonly WeightedValue[]): BootstrapLaw {
  const sorted = points
    .filter(({ value }) => !Number.isNaN(value))
    .sort((left, right) => left.value - right.value);
  let total = 0;
  const cumulated = Float64Array.from(sorted, ({ weight }) => {
    total += weight;
    return total;
  });
  const all = points.reduce((sofar, { weight }) => sofar + weight, 0);
  const values = Float64Array.from(sorted, ({ value }) => value);
  return lawOfPoints({ values, cumulated, total, undefinedShare: 1 - total / all }, 'enumeration');
}

/**
 * The law of drawn resamples, in any order; values that are not numbers are left out and their share is kept.
 *
 * @param drawn  at least one; sorted in place
 * @example lawOfDraws(new Float64Array([3, 1, Number.NaN])).undefinedShare // => 0.333333333333 to 12 digits
 */
export function lawOfDraws(drawn: Float64Array): BootstrapLaw {
  // Typed arrays sort NaN behind everything.
  drawn.sort();
  let total = drawn.length;
  while (total > 0 && Number.isNaN(drawn[total - 1])) total -= 1;
  const undefinedShare = 1 - total / drawn.length;
  const values = drawn.subarray(0, total);
  return lawOfPoints({ values, cumulated: undefined, total, undefinedShare }, 'resampling');
}

/** Bias correction z0, acceleration, and the shares at which BCa reads the law. */
export interface BcaShares {
  readonly z0: number;
  readonly acceleration: number;
  readonly lowerShare: number;
  readonly upperShare: number;
}

/** Σu³ / (6 (Σu²)^1.5) of the leave-one-out deviations, undefined without any. */
function accelerationOf(jackknife: Float64Array): number | undefined {
  let mean = 0;
  let size = 0;
  for (const value of jackknife) {
    mean += value / jackknife.length;
    size = Math.max(size, Math.abs(value));
  }
  let squares = 0;
  let cubes = 0;
  for (const value of jackknife) {
    const influence = mean - value;
    squares += influence * influence;
    cubes += influence * influence * influence;
  }
  const noise = 1e-13 * size;
  if (!(squares > noise * noise * jackknife.length)) return undefined;
  return cubes / (6 * squares * Math.sqrt(squares));
}

/**
 * Where BCa reads the law: from the share of resamples below the estimate and the leave-one-out values.
 *
 * @param shareBelow  P(T* < estimate) + P(T* = estimate)/2, in [0, 1]; the half makes a symmetric lattice unbiased
 * @param jackknife   the statistic without each unit in turn
 * @param error       one-sided, in (0, 0.5)
 * @returns           indeterminate('bias-correction-infinite') at a share of 0 or 1; indeterminate('constant-jackknife')
 *                    without spread; indeterminate('acceleration-too-large') where the corrected share would wrap around
 * @example bcaShares(0.5, new Float64Array([1, 2, 3]), 0.025).lowerShare // => 0.025 to 12 digits
 * @see Efron (1987), Journal of the American Statistical Association 82:171
 */
export function bcaShares(
  shareBelow: number,
  jackknife: Float64Array,
  error: number,
): BcaShares | Indeterminate {
  if (!(shareBelow > 0 && shareBelow < 1)) return indeterminate('bias-correction-infinite');
  const acceleration = accelerationOf(jackknife);
  if (acceleration === undefined) return indeterminate('constant-jackknife');
  const z0 = normalQuantile(shareBelow);
  const [low, high] = [z0 + normalQuantile(error), z0 - normalQuantile(error)];
  if (1 - acceleration * low <= 0 || 1 - acceleration * high <= 0) {
    return indeterminate('acceleration-too-large');
  }
  return {
    z0,
    acceleration,
    lowerShare: normalCdf(z0 + low / (1 - acceleration * low)),
    upperShare: normalCdf(z0 + high / (1 - acceleration * high)),
  };
}

/** Bounds read from a law, with the Monte Carlo error of each. */
export type LawBounds = Bounds & { readonly monteCarloError: Bounds };

/** The basic interval: the law reflected at the estimate; `error` one-sided. */
export function reversedBounds(law: BootstrapLaw, estimate: number, error: number): LawBounds {
  return {
    lower: 2 * estimate - law.quantile(1 - error),
    upper: 2 * estimate - law.quantile(error),
    monteCarloError: { lower: law.quantileError(1 - error), upper: law.quantileError(error) },
  };
}

/** The law read at a lower and an upper share. */
export function boundsAtShares(law: BootstrapLaw, shares: Bounds): LawBounds {
  return {
    lower: law.quantile(shares.lower),
    upper: law.quantile(shares.upper),
    monteCarloError: {
      lower: law.quantileError(shares.lower),
      upper: law.quantileError(shares.upper),
    },
  };
}

/**
 * A BCa bound's own Monte Carlo error: that of its quantile, and that of z0 passed on through the share it is read at (taken
 * as independent).
 */
export function withBiasError(
  quantileError: number,
  at: { readonly share: number; readonly bca: BcaShares; readonly below: number },
): number {
  const { share, bca, below } = at;
  if (quantileError === 0) return 0;
  const z = normalQuantile(share);
  const inner = z - bca.z0;
  const shrink = 1 + bca.acceleration * inner;
  const slope = 1 + shrink * shrink;
  const biasError = Math.sqrt(below * (1 - below)) / normalDensity(bca.z0);
  const passedOn = (normalDensity(z) * slope * biasError) / Math.sqrt(share * (1 - share));
  return quantileError * Math.sqrt(1 + passedOn * passedOn);
}
