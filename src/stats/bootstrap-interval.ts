/**
 * Bootstrap intervals of any statistic: percentile, basic and BCa from its law over resamples, bootstrap-t for the mean.
 *
 * The law is exact wherever it can be computed, and then neither seed nor resamples have a part in it. They describe: under
 * 50 units percentile, basic and BCa cover less than their level, and an outcome the sample does not show they never see.
 */
import { requireCount, requireOpenProbability, requireSeed } from './arguments.ts';
import { type BootstrapBounds, type BootstrapOrigin, bootstrapTBounds } from './bootstrap.ts';
import { type BootstrapLaw, lawOfDraws } from './bootstrap-law.ts';
import {
  type BootstrapStatistic,
  type PreparedStatistic,
  prepareStatistic,
} from './bootstrap-statistic.ts';
import { normalCdf, normalQuantile } from './distribution.ts';
import {
  type Bounds,
  errorPerSide,
  type Indeterminate,
  type Interval,
  indeterminate,
  isIndeterminate,
} from './interval.ts';
import { type ResampleShards, resampleShards } from './resample-shards.ts';
import { normalDensity } from './special.ts';

/** The four kinds of bootstrap interval; bootstrap-t is for the mean alone. */
export type BootstrapMethod =
  | 'bootstrap-percentile'
  | 'bootstrap-basic'
  | 'bootstrap-bca'
  | 'bootstrap-t';

/** A two-sided bootstrap interval. */
export interface BootstrapInterval extends Interval, BootstrapOrigin {}

/** What a law rests on: `resamples` at least 1,000, `seed` 64 hex digits; neither has a default. */
export interface BootstrapLawOptions {
  /** The mean by default. */
  readonly statistic?: BootstrapStatistic;
  readonly seed: string;
  readonly resamples: number;
  /** `resample` draws even where the law can be computed, for comparisons; `exact` by default. */
  readonly prefer?: 'exact' | 'resample';
}

/** What a two-sided bootstrap interval needs: `level` in (0, 1), and no default for the seed. */
export interface BootstrapIntervalOptions extends BootstrapLawOptions {
  readonly method: BootstrapMethod;
  readonly level: number;
}

/**
 * The bootstrap law of a statistic as work that can be spread: either it is exact, or it is a list of blocks.
 *
 * `finish` takes the blocks' results in any order of running, indexed by block.
 */
export type BootstrapWork =
  | { readonly kind: 'exact'; readonly law: BootstrapLaw }
  | {
      readonly kind: 'shards';
      readonly shards: ResampleShards;
      readonly finish: (results: readonly Float64Array[]) => BootstrapLaw;
    };

function lawOfShards(results: readonly Float64Array[], resamples: number): BootstrapLaw {
  const values = new Float64Array(resamples);
  let filled = 0;
  for (const result of results) {
    values.set(result, filled);
    filled += result.length;
  }
  requireCount('resamples drawn', filled, resamples);
  return lawOfDraws(values);
}

function workOf(prepared: PreparedStatistic, options: BootstrapLawOptions): BootstrapWork {
  const { seed, resamples, prefer = 'exact' } = options;
  requireSeed('seed', seed);
  requireCount('resamples', resamples, 1000);
  const exact = prefer === 'exact' ? prepared.exactLaw() : undefined;
  if (exact !== undefined) return { kind: 'exact', law: exact };
  const { units, resample: statistic } = prepared;
  const shards = resampleShards({ units, resamples, seed, statistic });
  return { kind: 'shards', shards, finish: (results) => lawOfShards(results, resamples) };
}

function lawOf(work: BootstrapWork): BootstrapLaw {
  if (work.kind === 'exact') return work.law;
  const { shards, finish } = work;
  return finish(Array.from({ length: shards.count }, (_, shard) => shards.run(shard)));
}

/**
 * The bootstrap of a statistic as work: exact at once, or blocks of 1,024 resamples for any number of workers.
 *
 * @param values   one finite number per unit, at least one
 * @param options  statistic, seed, resamples
 * @returns        indeterminate('no-units') without values
 * @throws {LiftgateError} stats-argument-invalid  if a value or an option is outside its range
 * @example bootstrapWork([1, 2, 3], { seed: '0'.repeat(64), resamples: 1000 }).kind // => 'exact'
 */
export function bootstrapWork(
  values: readonly number[],
  options: BootstrapLawOptions,
): BootstrapWork | Indeterminate {
  if (values.length === 0) return indeterminate('no-units');
  return workOf(prepareStatistic(values, options.statistic ?? { kind: 'mean' }), options);
}

/**
 * The law of a statistic over resamples, computed in place.
 *
 * @param values   one finite number per unit, at least one
 * @param options  statistic, seed, resamples
 * @returns        indeterminate('no-units') without values
 * @throws {LiftgateError} stats-argument-invalid  if a value or an option is outside its range
 * @example bootstrapLaw([0, 0, 0, 0, 0, 0, 1], { seed: '0'.repeat(64), resamples: 1000 }).cdf(0) // => 0.339916677089 to 12 digits
 */
export function bootstrapLaw(
  values: readonly number[],
  options: BootstrapLawOptions,
): BootstrapLaw | Indeterminate {
  const work = bootstrapWork(values, options);
  return isIndeterminate(work) ? work : lawOf(work);
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

type Read = Bounds & { readonly monteCarloError: Bounds };

function reversed(law: BootstrapLaw, estimate: number, error: number): Read {
  return {
    lower: 2 * estimate - law.quantile(1 - error),
    upper: 2 * estimate - law.quantile(error),
    monteCarloError: { lower: law.quantileError(1 - error), upper: law.quantileError(error) },
  };
}

function direct(law: BootstrapLaw, shares: Bounds): Read {
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
function withBiasError(
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

function bcaBounds(
  law: BootstrapLaw,
  prepared: PreparedStatistic,
  error: number,
): Read | Indeterminate {
  const { estimate } = prepared;
  const below = (law.below(estimate) + law.cdf(estimate)) / 2;
  if (prepared.units < 2) return indeterminate('too-few-units');
  const bca = bcaShares(below, prepared.jackknife(), error);
  if (isIndeterminate(bca)) return bca;
  const read = direct(law, { lower: bca.lowerShare, upper: bca.upperShare });
  const { lower, upper } = read.monteCarloError;
  return {
    ...read,
    monteCarloError: {
      lower: withBiasError(lower, { share: bca.lowerShare, bca, below }),
      upper: withBiasError(upper, { share: bca.upperShare, bca, below }),
    },
  };
}

function boundsOf(
  work: BootstrapWork,
  prepared: PreparedStatistic,
  { method, error }: { readonly method: BootstrapMethod; readonly error: number },
): Read | Indeterminate {
  const law = lawOf(work);
  if (law.undefinedShare > error) return indeterminate('degenerate-resamples');
  switch (method) {
    case 'bootstrap-percentile':
      return direct(law, { lower: error, upper: 1 - error });
    case 'bootstrap-basic':
      return reversed(law, prepared.estimate, error);
    case 'bootstrap-bca':
      return bcaBounds(law, prepared, error);
    case 'bootstrap-t':
      return indeterminate('no-standard-error');
  }
}

function lawBounds(
  values: readonly number[],
  options: BootstrapIntervalOptions,
): BootstrapBounds | Indeterminate {
  const { method, level, seed, resamples } = options;
  const prepared = prepareStatistic(values, options.statistic ?? { kind: 'mean' });
  const work = workOf(prepared, options);
  const bounds = boundsOf(work, prepared, { method, error: errorPerSide(level) });
  if (isIndeterminate(bounds)) return bounds;
  if (!(Number.isFinite(bounds.lower) && Number.isFinite(bounds.upper))) {
    return indeterminate('degenerate-resamples');
  }
  const noise = 1e-12 * Math.max(Math.abs(bounds.lower), Math.abs(bounds.upper));
  if (!(bounds.upper - bounds.lower > noise)) return indeterminate('constant-resamples');
  const law = work.kind === 'exact' ? 'exact' : 'monte-carlo';
  return { ...bounds, seed, resamples, law };
}

/**
 * A two-sided bootstrap interval, resampling units.
 *
 * Percentile and basic are for description below 50 units: their coverage at 10 units is near 90 % for a nominal 95 %, and
 * BCa mends little of it. Cost: a millisecond for a mean, median or quantile of 1,000 units, whose laws are exact; units ×
 * resamples for the rest.
 *
 * @param values   one finite number per unit (differences are candidate − baseline)
 * @param options  method, level, seed and resamples; statistic, the mean by default
 * @returns        indeterminate('no-units' | 'too-few-units' | 'constant-differences' | 'constant-resamples' |
 *                 'degenerate-resamples' | 'bias-correction-infinite' | 'constant-jackknife' | 'acceleration-too-large')
 *                 where no interval of positive, finite width exists; indeterminate('no-standard-error') for the bootstrap-t
 *                 of anything but a mean
 * @throws {LiftgateError} stats-argument-invalid  if an option or a value is outside its range
 * @example bootstrapInterval([-2, 5, 1, 0, 3, 7, 4, 2],
 *   { method: 'bootstrap-t', level: 0.95, seed: '0'.repeat(64), resamples: 1000 }).upper // => 4.95381059593 to 12 digits
 * @example bootstrapInterval([3.1, 2.9, 3.3, 8.4, 2.7, 3, 3.2, 2.8],
 *   { method: 'bootstrap-bca', level: 0.99, seed: '0'.repeat(64), resamples: 1000 }).upper // => 7.1 to 12 digits
 * @see Davison & Hinkley (1997), Bootstrap Methods and their Application, chapter 5
 */
export function bootstrapInterval(
  values: readonly number[],
  options: BootstrapIntervalOptions,
): BootstrapInterval | Indeterminate {
  const { method, level, seed, resamples, statistic } = options;
  requireOpenProbability('level', level);
  if (values.length === 0) return indeterminate('no-units');
  const mean = statistic === undefined || statistic.kind === 'mean';
  const bounds =
    method === 'bootstrap-t' && mean
      ? bootstrapTBounds(values, { error: errorPerSide(level), seed, resamples })
      : lawBounds(values, options);
  return isIndeterminate(bounds) ? bounds : { ...bounds, level, method, guarantee: 'asymptotic' };
}
