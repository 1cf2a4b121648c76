/**
 * The sign-flip test of paired differences: if the arms are exchangeable, every difference could as well have had the other
 * sign. Exact by enumeration on the common decimal grid of the differences.
 */
import {
  requireCount,
  requireFiniteList,
  requireOpenProbability,
  requireWithin,
} from './arguments.ts';
import { coinProbabilities, coinSums, type ThreeProbabilities } from './coin-sums.ts';
import { decimalGrid } from './decimal-grid.ts';
import {
  type Bounds,
  errorPerSide,
  type Indeterminate,
  type Interval,
  indeterminate,
} from './interval.ts';
import { type ResamplingStream, resamplingStream } from './random.ts';
import { roundSignificant } from './rounding.ts';

/** The sum of the differences and its probabilities under all 2^n equally likely sign vectors. */
export interface SignFlipTest extends ThreeProbabilities {
  readonly statistic: number;
}

interface FlippedSums {
  readonly sizes: readonly number[];
  readonly gained: number;
  readonly statistic: number;
}

/** The non-zero differences' sizes in grid steps, and the sum of those that are gains. */
function flippedSums(differences: readonly number[]): FlippedSums {
  const { steps, fromSteps } = decimalGrid(differences);
  const sizes = steps.filter((step) => step !== 0).map(Math.abs);
  const gained = steps.reduce((total, step) => total + Math.max(0, step), 0);
  const lost = steps.reduce((total, step) => total + Math.max(0, -step), 0);
  return { sizes, gained, statistic: fromSteps(gained - lost) };
}

/**
 * The exact sign-flip test of the sum of the differences.
 *
 * Ties of sums count as reached and are found exactly: differences are put on the decimal grid of 12 significant digits of
 * the largest. Zeros change nothing; without a non-zero difference every p is 1. The smallest two-sided p is 2 / 2^n.
 * Whole grids (scores, gains and losses) of any usual length and any 40 non-zero differences are affordable.
 *
 * @param differences  one finite number per unit, candidate − baseline
 * @returns            indeterminate('no-units') for an empty list, indeterminate('too-many-units') where enumeration is not
 *                     affordable: use signFlipMonteCarlo
 * @throws {LiftgateError} stats-argument-invalid  if a difference is not finite
 * @example signFlipTest([1, 2, 3, 4, 5]) // => { statistic: 15, pGreater: 0.03125, pLess: 1, pTwoSided: 0.0625 }
 * @see Fisher (1935), The Design of Experiments, 21
 */
export function signFlipTest(differences: readonly number[]): SignFlipTest | Indeterminate {
  requireFiniteList('differences', differences);
  if (differences.length === 0) return indeterminate('no-units');
  const { sizes, gained, statistic } = flippedSums(differences);
  const law = coinSums(sizes);
  if (law === undefined) return indeterminate('too-many-units');
  return { statistic, ...coinProbabilities(law, gained) };
}

/**
 * The p-value of a test by random draws, (1 + exceedances) / (draws + 1): never 0, valid at every number of draws.
 *
 * @param exceedances  draws at least as extreme as the data, whole, from 0 to draws
 * @param draws        whole, at least 1
 * @throws {LiftgateError} stats-argument-invalid  if a count is not whole or there are more exceedances than draws
 * @example monteCarloP(0, 9999) // => 0.0001
 * @see Phipson & Smyth (2010), Statistical Applications in Genetics and Molecular Biology 9(1):39
 */
export function monteCarloP(exceedances: number, draws: number): number {
  requireCount('draws', draws, 1);
  requireCount('exceedances', exceedances);
  requireWithin('exceedances', exceedances, { lower: 0, upper: draws });
  return (1 + exceedances) / (draws + 1);
}

/** Random sign vectors: `resamples` whole ≥ 1, `seed` 64 lower-case hex digits. */
export interface SignFlipDraws {
  readonly resamples: number;
  readonly seed: string;
}

/** The sum of the parts a coin keeps, one bit per part. */
function drawnSum(parts: Float64Array, stream: ResamplingStream): number {
  let kept = 0;
  let word = 0;
  for (let index = 0; index < parts.length; index += 1) {
    if (index % 32 === 0) word = stream.word();
    if (word & (1 << (index % 32))) kept += parts[index] ?? 0;
  }
  return kept;
}

/**
 * The sign-flip test by random sign vectors, for lists too long to enumerate.
 *
 * @param differences  one finite number per unit, candidate − baseline
 * @param draws        how many vectors, and their seed
 * @returns            p-values (1 + k) / (B + 1); indeterminate('no-units') for an empty list
 * @throws {LiftgateError} stats-argument-invalid  if a difference is not finite or a draw option is outside its range
 * @example signFlipMonteCarlo([0, 0], { resamples: 9, seed: '00'.repeat(32) })
 * // => { statistic: 0, pGreater: 1, pLess: 1, pTwoSided: 1 }
 * @see Phipson & Smyth (2010), Statistical Applications in Genetics and Molecular Biology 9(1):39
 */
export function signFlipMonteCarlo(
  differences: readonly number[],
  { resamples, seed }: SignFlipDraws,
): SignFlipTest | Indeterminate {
  requireFiniteList('differences', differences);
  requireCount('resamples', resamples, 1);
  const stream = resamplingStream(seed);
  if (differences.length === 0) return indeterminate('no-units');
  const { sizes, gained, statistic } = flippedSums(differences);
  const parts = Float64Array.from(sizes);
  const total = parts.reduce((sofar, part) => sofar + part, 0);
  let greater = 0;
  let less = 0;
  for (let draw = 0; draw < resamples; draw += 1) {
    const kept = drawnSum(parts, stream);
    if (kept >= gained) greater += 1;
    if (kept <= gained) less += 1;
  }
  const pGreater = monteCarloP(greater, resamples);
  const pLess = monteCarloP(less, resamples);
  const pTwoSided = gained === total - gained ? 1 : Math.min(1, 2 * Math.min(pGreater, pLess));
  return { statistic, pGreater, pLess, pTwoSided };
}

/** Units up to which all 2^n subset means are listed. */
const listedUnits = 20;

/** The means of all non-empty subsets, sorted; equal means are equal doubles, being quotients of whole numbers. */
function subsetMeans(steps: readonly number[]): Float64Array {
  const sums = new Float64Array(2 ** steps.length);
  const sizes = new Uint8Array(sums.length);
  let filled = 1;
  for (const step of steps) {
    for (let index = 0; index < filled; index += 1) {
      sums[filled + index] = (sums[index] ?? 0) + step;
      sizes[filled + index] = (sizes[index] ?? 0) + 1;
    }
    filled *= 2;
  }
  return sums
    .subarray(1)
    .map((sum, index) => sum / (sizes[index + 1] ?? 1))
    .sort();
}

function subsetMeanBounds(differences: readonly number[], error: number): Bounds | Indeterminate {
  const { steps, fromSteps } = decimalGrid(differences);
  const rank = Math.floor(roundSignificant(error) * 2 ** steps.length);
  if (rank === 0) return indeterminate('too-few-units');
  const means = subsetMeans(steps);
  return {
    lower: fromSteps(means[rank - 1] ?? 0),
    upper: fromSteps(means[means.length - rank] ?? 0),
  };
}

/**
 * The interval of the centre of symmetry that the sign-flip test does not reject: order statistics of all subset means.
 *
 * Exact only for differences symmetric about their centre; a skewed sample shifts it. As a test of no difference the
 * sign-flip test needs exchangeable arms and nothing more.
 *
 * @param differences  one finite number per unit, candidate − baseline; at most 20 (2^n means are listed)
 * @param level        coverage wanted, a probability in (0, 1)
 * @returns            indeterminate('no-units' | 'too-few-units' | 'too-many-units' | 'constant-differences'); below 6 units
 *                     at level 0.95 (5 at 0.9) the test cannot reject anything and no bound exists
 * @throws {LiftgateError} stats-argument-invalid  if a difference is not finite or the level is outside (0, 1)
 * @example signFlipInterval([0.12, -0.05, 0.31, 0.22, 0.08, -0.14, 0.4], 0.95)
 * // => { lower: -0.05, upper: 0.31, level: 0.95, method: 'sign-flip', guarantee: 'asymptotic' }
 * @see Hartigan (1969), Journal of the American Statistical Association 64:1303
 */
export function signFlipInterval(
  differences: readonly number[],
  level: number,
): Interval | Indeterminate {
  requireFiniteList('differences', differences);
  requireOpenProbability('level', level);
  if (differences.length === 0) return indeterminate('no-units');
  if (differences.length > listedUnits) return indeterminate('too-many-units');
  const bounds = subsetMeanBounds(differences, errorPerSide(level));
  if ('status' in bounds) return bounds;
  if (bounds.lower === bounds.upper) return indeterminate('constant-differences');
  return { ...bounds, level, method: 'sign-flip', guarantee: 'asymptotic' };
}
