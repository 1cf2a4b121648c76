/** Resampling whole units: sign flips, the bootstrap of the pooled mean, and the wild bootstrap, exact where affordable. */
import { requireCount, requireOneOf, requireOpenProbability } from './arguments.ts';
import {
  type BootstrapLaw,
  lawOfDraws,
  lawOfEnumeration,
  type WeightedValue,
} from './bootstrap-law.ts';
import { type UnitCases, unitTotals } from './clustered.ts';
import { decimalGrid } from './decimal-grid.ts';
import { type Bounds, errorPerSide, type Indeterminate, indeterminate } from './interval.ts';
import { fillBelow, type ResamplingStream, resamplingState, resamplingStream } from './random.ts';
import { ratioOfTotals } from './resample-shards.ts';
import { enumerateCounts } from './resampling.ts';
import { roundSignificant } from './rounding.ts';
import { monteCarloP, type SignFlipTest, signFlipTest } from './sign-flip.ts';

/**
 * The exact sign-flip test of the pooled mean: every unit's sum could as well have had the other sign.
 *
 * @param units  differences by unit
 * @returns      as signFlipTest of the unit sums; its smallest two-sided p is 2 / 2^K
 * @throws {LiftgateError} stats-argument-invalid  if a unit has no case or a difference is not finite
 * @example clusterSignFlipTest([[1, 0], [1, 1], [0.5]]).pTwoSided // => 0.25
 * @see Cameron, Gelbach & Miller (2008), Review of Economics and Statistics 90:414
 */
export function clusterSignFlipTest(units: UnitCases): SignFlipTest | Indeterminate {
  return signFlipTest(unitTotals(units).totals);
}

/** Bounds of a bootstrap; `resamples` is the number drawn, or 'exact' where every resample was counted. */
export interface ClusterBootstrap extends Bounds {
  readonly resamples: number | 'exact';
}

/** `level` in (0, 1); `resamples` and `seed` (64 hex digits) are used where the exact law is not affordable. */
export interface ClusterBootstrapOptions {
  readonly level: number;
  readonly resamples: number;
  readonly seed: string;
}

/** Units up to which all K^K resamples are counted, as multisets: 92,378 for 10. */
const countedUnits = 10;

/** The law of the pooled mean over every multiset of units, each with the number of orders it comes in. */
function countedLaw(totals: Float64Array, sizes: Float64Array): BootstrapLaw {
  const points: WeightedValue[] = [];
  enumerateCounts(totals.length, (counts, weight) => {
    let total = 0;
    let cases = 0;
    for (let unit = 0; unit < counts.length; unit += 1) {
      total += (counts[unit] ?? 0) * (totals[unit] ?? 0);
      cases += (counts[unit] ?? 0) * (sizes[unit] ?? 0);
    }
    points.push({ value: total / cases, weight });
  });
  return lawOfEnumeration(points);
}

function drawnLaw(
  totals: Float64Array,
  sizes: Float64Array,
  { resamples, seed }: ClusterBootstrapOptions,
): BootstrapLaw {
  const state = resamplingState(seed);
  const drawn = new Uint32Array(totals.length);
  const values = new Float64Array(resamples);
  for (let resample = 0; resample < resamples; resample += 1) {
    fillBelow(state, drawn, totals.length);
    values[resample] = ratioOfTotals({ tops: totals, bottoms: sizes }, drawn);
  }
  return lawOfDraws(values);
}

/**
 * The percentile bootstrap of the pooled mean, whole units drawn with replacement.
 *
 * Covers 72 to 95 % for a nominal 95 % below 50 units: for description, never to decide by.
 *
 * @param units    differences by unit; up to 10 every resample is counted and the seed is not used
 * @param options  level, and draws where they are needed
 * @returns        indeterminate('no-units' | 'too-few-units' | 'constant-differences')
 * @throws {LiftgateError} stats-argument-invalid  if a unit has no case, a difference is not finite or an option is outside
 *                         its range
 * @example clusterBootstrapBounds([[1, 0], [1, 1], [0]], { level: 0.9, resamples: 999, seed: '00'.repeat(32) }).lower // => 0.25
 * @see Davison & Hinkley (1997), Bootstrap Methods and Their Application, 3.8
 */
export function clusterBootstrapBounds(
  units: UnitCases,
  options: ClusterBootstrapOptions,
): ClusterBootstrap | Indeterminate {
  requireOpenProbability('level', options.level);
  requireCount('resamples', options.resamples, 1);
  const { totals, sizes } = unitTotals(units);
  if (units.length === 0) return indeterminate('no-units');
  if (units.length < 2) return indeterminate('too-few-units');
  const { steps, fromSteps } = decimalGrid(totals);
  const exact = units.length <= countedUnits;
  const tops = Float64Array.from(steps);
  const bottoms = Float64Array.from(sizes);
  const law = exact ? countedLaw(tops, bottoms) : drawnLaw(tops, bottoms, options);
  const error = roundSignificant(errorPerSide(options.level));
  const lower = fromSteps(law.quantile(error));
  const upper = fromSteps(law.quantile(1 - error));
  if (lower === upper) return indeterminate('constant-differences');
  return { lower, upper, resamples: exact ? 'exact' : options.resamples };
}

/** Weights of a wild bootstrap: ±1, or Webb's six ±√½, ±1, ±√(3/2), for which few units leave more than 2^K values. */
export type WildWeights = 'rademacher' | 'webb';

const weightValues: Readonly<Record<WildWeights, readonly number[]>> = {
  rademacher: [-1, 1],
  webb: [-Math.sqrt(1.5), -1, -Math.sqrt(0.5), Math.sqrt(0.5), 1, Math.sqrt(1.5)],
};

/** `resamples` and `seed` (64 hex digits) are used where not every vector can be counted. */
export interface WildClusterOptions {
  readonly weights: WildWeights;
  readonly resamples: number;
  readonly seed: string;
}

/** The p-value of no pooled difference; `resamples` is the number of vectors drawn, or 'exact'. */
export interface WildClusterTest {
  readonly pTwoSided: number;
  readonly resamples: number | 'exact';
}

/** Vectors up to which all are counted. */
const countedVectors = 2_000_000;

/** Squared t of the pooled mean with CR1, times constants: Infinity without spread, 0 where the mean is 0 too. */
function squaredT(sums: Float64Array, sizes: readonly number[], cases: number): number {
  let total = 0;
  for (const value of sums) total += value;
  const mean = total / cases;
  let spread = 0;
  let scale = 0;
  for (let index = 0; index < sums.length; index += 1) {
    const value = sums[index] ?? 0;
    const residual = value - (sizes[index] ?? 0) * mean;
    spread += residual * residual;
    scale += value * value;
  }
  if (spread <= 1e-24 * scale) return total === 0 ? 0 : Number.POSITIVE_INFINITY;
  return (total * total) / spread;
}

/** Calls `visit` after each vector of weights has been written into `weighted`: all of them, by an odometer. */
function everyVector(
  totals: readonly number[],
  values: readonly number[],
  visit: (weighted: Float64Array) => void,
): void {
  const digits = new Uint8Array(totals.length);
  const weighted = Float64Array.from(totals, (total) => total * (values[0] ?? 0));
  for (;;) {
    visit(weighted);
    let at = 0;
    while (at < digits.length && digits[at] === values.length - 1) {
      digits[at] = 0;
      weighted[at] = (totals[at] ?? 0) * (values[0] ?? 0);
      at += 1;
    }
    if (at === digits.length) return;
    const next = (digits[at] ?? 0) + 1;
    digits[at] = next;
    weighted[at] = (totals[at] ?? 0) * (values[next] ?? 0);
  }
}

function drawVector(
  totals: readonly number[],
  values: readonly number[],
  stream: ResamplingStream,
): Float64Array {
  return Float64Array.from(totals, (total) => total * (values[stream.below(values.length)] ?? 0));
}

/**
 * The wild cluster bootstrap-t test of no pooled difference, the null imposed: each unit's sum times a random weight, t with
 * CR1 computed anew.
 *
 * A vector without spread but with a mean other than 0 counts as exceeding. Equal t are taken as equal within 1e-10.
 *
 * @param units    differences by unit; up to 2,000,000 weight vectors (20 units of ±1, 8 of Webb's) are all counted
 * @param options  weights, and draws where they are needed: then p = (1 + k) / (B + 1)
 * @returns        indeterminate('no-units' | 'too-few-units' | 'constant-differences') below 2 units or where every unit sums to 0
 * @throws {LiftgateError} stats-argument-invalid  if a unit has no case, a difference is not finite or an option is outside
 *                         its range
 * @example wildClusterTest([[1, 0], [1, 1], [0.5]], { weights: 'rademacher', resamples: 999, seed: '00'.repeat(32) })
 * // => { pTwoSided: 0.25, resamples: 'exact' }
 * @see Cameron, Gelbach & Miller (2008), Review of Economics and Statistics 90:414; Webb (2014), Queen's Economics 1315
 */
export function wildClusterTest(
  units: UnitCases,
  { weights, resamples, seed }: WildClusterOptions,
): WildClusterTest | Indeterminate {
  requireOneOf('weights', weights, Object.keys(weightValues));
  requireCount('resamples', resamples, 1);
  const stream = resamplingStream(seed);
  const { totals, sizes, cases } = unitTotals(units);
  if (units.length === 0) return indeterminate('no-units');
  if (units.length < 2) return indeterminate('too-few-units');
  const seen = squaredT(Float64Array.from(totals), sizes, cases);
  if (totals.every((total) => total === 0)) return indeterminate('constant-differences');
  const values = weightValues[weights];
  const vectors = values.length ** units.length;
  let exceeding = 0;
  const count = (weighted: Float64Array): void => {
    if (squaredT(weighted, sizes, cases) >= seen * (1 - 2e-10)) exceeding += 1;
  };
  if (vectors <= countedVectors) {
    everyVector(totals, values, count);
    return { pTwoSided: exceeding / vectors, resamples: 'exact' };
  }
  for (let draw = 0; draw < resamples; draw += 1) count(drawVector(totals, values, stream));
  return { pTwoSided: monteCarloP(exceeding, resamples), resamples };
}
