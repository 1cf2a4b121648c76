/**
 * Bootstrap intervals of any statistic: percentile, basic and BCa from its law over resamples, bootstrap-t for the mean.
 *
 * The law is exact wherever it can be computed, and then neither seed nor resamples have a part in it. They describe: under
 * 50 units percentile, basic and BCa cover less than their level, and an outcome the sample does not show they never see.
 */
import { requireCount, requireOneOf, requireOpenProbability, requireSeed } from './arguments.ts';
import { type BootstrapOrigin, bootstrapTBounds } from './bootstrap.ts';
import {
  type BootstrapLaw,
  bcaShares,
  boundsAtShares,
  type LawBounds,
  lawOfDraws,
  reversedBounds,
  withBiasError,
} from './bootstrap-law.ts';
import {
  type BootstrapStatistic,
  type PreparedStatistic,
  prepareStatistic,
} from './bootstrap-statistic.ts';
import {
  errorPerSide,
  type Indeterminate,
  type Interval,
  indeterminate,
  isIndeterminate,
} from './interval.ts';
import type { Pool, PoolCall, ShardRun } from './pool.ts';
import { type ResampleShards, type ResampleStatistic, resampleShards } from './resample-shards.ts';

/** The four kinds of bootstrap interval; bootstrap-t is for the mean alone. */
export type BootstrapMethod = (typeof bootstrapMethods)[number];

const bootstrapMethods = [
  'bootstrap-percentile',
  'bootstrap-basic',
  'bootstrap-bca',
  'bootstrap-t',
] as const;

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
  requireOneOf('prefer', prefer, ['exact', 'resample']);
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

function bcaBounds(
  law: BootstrapLaw,
  prepared: PreparedStatistic,
  error: number,
): LawBounds | Indeterminate {
  const { estimate } = prepared;
  const below = (law.below(estimate) + law.cdf(estimate)) / 2;
  if (prepared.units < 2) return indeterminate('too-few-units');
  const bca = bcaShares(below, prepared.jackknife(), error);
  if (isIndeterminate(bca)) return bca;
  const read = boundsAtShares(law, { lower: bca.lowerShare, upper: bca.upperShare });
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
  law: BootstrapLaw,
  prepared: PreparedStatistic,
  { method, error }: { readonly method: BootstrapMethod; readonly error: number },
): LawBounds | Indeterminate {
  if (law.undefinedShare > error) return indeterminate('degenerate-resamples');
  switch (method) {
    case 'bootstrap-percentile':
      return boundsAtShares(law, { lower: error, upper: 1 - error });
    case 'bootstrap-basic':
      return reversedBounds(law, prepared.estimate, error);
    case 'bootstrap-bca':
      return bcaBounds(law, prepared, error);
    case 'bootstrap-t':
      return indeterminate('no-standard-error');
  }
}

/** The interval read from a law, or why there is none. */
function intervalOf(
  law: BootstrapLaw,
  prepared: PreparedStatistic,
  options: BootstrapIntervalOptions,
): BootstrapInterval | Indeterminate {
  const { method, level, seed, resamples } = options;
  const bounds = boundsOf(law, prepared, { method, error: errorPerSide(level) });
  if (isIndeterminate(bounds)) return bounds;
  if (!(Number.isFinite(bounds.lower) && Number.isFinite(bounds.upper))) {
    return indeterminate('degenerate-resamples');
  }
  const noise = 1e-12 * Math.max(Math.abs(bounds.lower), Math.abs(bounds.upper));
  if (!(bounds.upper - bounds.lower > noise)) return indeterminate('constant-resamples');
  const origin = law.source === 'resampling' ? 'monte-carlo' : 'exact';
  return { ...bounds, seed, resamples, law: origin, level, method, guarantee: 'asymptotic' };
}

/** Whether the interval comes from resampled t rather than from a law of the statistic. */
function studentizes({ method, statistic }: BootstrapIntervalOptions): boolean {
  return method === 'bootstrap-t' && (statistic === undefined || statistic.kind === 'mean');
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
  const { method, level, seed, resamples, statistic = { kind: 'mean' } } = options;
  requireOneOf('method', method, bootstrapMethods);
  requireOpenProbability('level', level);
  if (values.length === 0) return indeterminate('no-units');
  if (studentizes(options)) {
    const bounds = bootstrapTBounds(values, { error: errorPerSide(level), seed, resamples });
    return isIndeterminate(bounds) ? bounds : { ...bounds, level, method, guarantee: 'asymptotic' };
  }
  const prepared = prepareStatistic(values, statistic);
  return intervalOf(lawOf(workOf(prepared, options)), prepared, options);
}

/** Nanoseconds per draw, for the estimate of a job's length. */
const drawCost: Readonly<Record<ResampleStatistic['kind'], number>> = {
  total: 2,
  ratio: 3,
  counts: 5,
  indices: 10,
};

/** What a thread is sent of a bootstrap: everything but functions. */
interface BootstrapInput {
  readonly values: readonly number[];
  readonly options: BootstrapLawOptions;
}

/**
 * The task `bootstrap` of a pool: blocks of 1,024 resamples.
 *
 * @param input  `{ values, options }` of bootstrapWork, without a custom statistic
 * @throws {LiftgateError} stats-argument-invalid  as bootstrapWork
 * @example bootstrapTask({ values: [1, 2, 3], options: { seed: '0'.repeat(64), resamples: 1000, prefer: 'resample' } })(0).length
 *   // => 1000
 */
export function bootstrapTask(input: unknown): ShardRun {
  const { values, options } = input as BootstrapInput;
  const prepared = prepareStatistic(values, options.statistic ?? { kind: 'mean' });
  const { units, resample: statistic } = prepared;
  const { resamples, seed } = options;
  return resampleShards({ units, resamples, seed, statistic }).run;
}

/** A bootstrap interval on a pool, with progress and cancellation. */
export interface PooledBootstrapOptions extends BootstrapIntervalOptions, PoolCall {
  readonly pool: Pool;
}

/**
 * The interval of bootstrapInterval, bit for bit, its resamples drawn on a pool where resamples are drawn at all.
 *
 * Exact laws, the bootstrap-t (whose one stream cannot be split) and custom statistics (functions, which no thread can be
 * sent) are computed in place.
 *
 * @param values   one finite number per unit
 * @param options  those of bootstrapInterval; pool, signal and onProgress
 * @returns        as bootstrapInterval
 * @throws {LiftgateError} stats-argument-invalid  as bootstrapInterval; interrupted when the signal is aborted
 * @example pooledBootstrapInterval([], { method: 'bootstrap-basic', level: 0.9, seed: '0'.repeat(64), resamples: 1000,
 *   pool: { run: () => Promise.resolve([]), close: () => Promise.resolve() } }) instanceof Promise // => true
 */
export async function pooledBootstrapInterval(
  values: readonly number[],
  { pool, signal, onProgress, ...options }: PooledBootstrapOptions,
): Promise<BootstrapInterval | Indeterminate> {
  const { statistic = { kind: 'mean' }, resamples } = options;
  requireOneOf('method', options.method, bootstrapMethods);
  if (values.length === 0 || statistic.kind === 'custom' || studentizes(options))
    return bootstrapInterval(values, options);
  requireOpenProbability('level', options.level);
  const prepared = prepareStatistic(values, statistic);
  const work = workOf(prepared, options);
  if (work.kind === 'exact') return intervalOf(work.law, prepared, options);
  const results = await pool.run(
    {
      task: 'bootstrap',
      input: { values, options } satisfies BootstrapInput,
      shards: work.shards.count,
      estimatedMs: (prepared.units * resamples * drawCost[prepared.resample.kind]) / 1e6,
    },
    { ...(signal && { signal }), ...(onProgress && { onProgress }) },
  );
  return intervalOf(work.finish(results), prepared, options);
}
