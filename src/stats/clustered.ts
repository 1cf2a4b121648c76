/**
 * Units with several cases, every case counting once: the pooled mean with each unit as a cluster. Cluster-robust variances
 * CR0 to CR3, Satterthwaite's degrees of freedom, the interval they decide by, and the mean of unit means beside them.
 *
 * K units, m_i cases of unit i, N cases, d_i the sum of unit i's differences, r_i = d_i − m_i × estimate, h_i = m_i / N.
 */
import {
  requireCount,
  requireError,
  requireFiniteList,
  requireOpenProbability,
} from './arguments.ts';
import { tUpper, tUpperQuantile } from './distribution.ts';
import {
  type Bounds,
  errorPerSide,
  type Indeterminate,
  type Interval,
  indeterminate,
} from './interval.ts';
import { moments, sum } from './summary.ts';

/** One list per unit: the differences (candidate − baseline) of its cases. Every unit has at least one. */
export type UnitCases = readonly (readonly number[])[];

/** What the pooled mean needs of the units. */
export interface UnitTotals {
  /** d_i, in the order given. */
  readonly totals: readonly number[];
  /** m_i, in the order given. */
  readonly sizes: readonly number[];
  readonly cases: number;
  /** Σ d_i / N: every case counts once. */
  readonly estimate: number;
}

/**
 * Checks the units and adds up their cases.
 *
 * @throws {LiftgateError} stats-argument-invalid  if a unit has no case or a difference is not finite
 * @example unitTotals([[1, 0], [1]])
 * // => { totals: [1, 1], sizes: [2, 1], cases: 3, estimate: 0.6666666666666666 }
 */
export function unitTotals(units: UnitCases): UnitTotals {
  units.forEach((unit, index) => {
    requireFiniteList(`units[${index}]`, unit);
    requireCount(`units[${index}].length`, unit.length, 1);
  });
  const totals = units.map((unit) => sum(unit));
  const sizes = units.map((unit) => unit.length);
  const cases = sum(sizes);
  return { totals, sizes, cases, estimate: sum(totals) / cases };
}

/** The pooled mean and its cluster-robust variances. */
export interface ClusterVariance {
  readonly estimate: number;
  readonly units: number;
  readonly cases: number;
  /** Share of the cases that the largest unit holds. */
  readonly largestShare: number;
  /** Σ r_i² / N². */
  readonly cr0: number;
  /** K / (K − 1) × CR0. */
  readonly cr1: number;
  /** Σ r_i² / (1 − h_i) / N²: unbiased when the cases of all units are alike and independent. */
  readonly cr2: number;
  /** Σ r_i² / (1 − h_i)² / N²: the jackknife that leaves out one unit. */
  readonly cr3: number;
  /** Satterthwaite's degrees of freedom of CR2; K − 1 for units of equal size. */
  readonly df: number;
}

function satterthwaite({ sizes, cases }: UnitTotals): number {
  let diagonal = 0;
  let cross = 0;
  let ownCross = 0;
  for (const size of sizes) {
    const rest = 1 - size / cases;
    const weighed = (size * size) / rest;
    cross += weighed;
    ownCross += weighed * weighed;
    diagonal += size * size;
  }
  // Σ_ij q_ij² / ((1 − h_i)(1 − h_j)) with q_ij = m_i 1{i=j} − m_i m_j / N, its square terms gathered.
  const offDiagonal = (cross * cross - ownCross) / (cases * cases);
  return (cases * cases) / (diagonal + offDiagonal);
}

/**
 * The pooled mean's cluster-robust variances.
 *
 * A spread below 1e-12 of the largest difference is rounding noise and counts as none: variances of 0. Cost linear.
 *
 * @param units  differences by unit
 * @returns      indeterminate('no-units' | 'too-few-units') below 2 units
 * @throws {LiftgateError} stats-argument-invalid  if a unit has no case or a difference is not finite
 * @example clusterVariance([[-1, 1], [1, 1, 1], [1, 1, 1, 0, 0]]).df // => 1.75 to 12 digits
 * @see Bell & McCaffrey (2002), Survey Methodology 28:169; Pustejovsky & Tipton (2018), Journal of Business & Economic Statistics 36:672
 */
export function clusterVariance(units: UnitCases): ClusterVariance | Indeterminate {
  const found = unitTotals(units);
  const { totals, sizes, cases, estimate } = found;
  const count = units.length;
  if (count === 0) return indeterminate('no-units');
  if (count < 2) return indeterminate('too-few-units');
  const residuals = totals.map((total, index) => total - (sizes[index] ?? 0) * estimate);
  const rest = sizes.map((size) => 1 - size / cases);
  const spread = (weightOf: (rest: number) => number): number =>
    sum(residuals.map((residual, at) => residual * residual * weightOf(rest[at] ?? 1))) /
    (cases * cases);
  const largest = units.reduce(
    (most, unit) => unit.reduce((size, value) => Math.max(size, Math.abs(value)), most),
    0,
  );
  const plain = spread(() => 1);
  const noise = Math.sqrt(plain) <= 1e-12 * largest ? 0 : 1;
  return {
    estimate,
    units: count,
    cases,
    largestShare: sizes.reduce((most, size) => Math.max(most, size), 0) / cases,
    cr0: noise * plain,
    cr1: noise * (count / (count - 1)) * plain,
    cr2: noise * spread((left) => 1 / left),
    cr3: noise * spread((left) => 1 / (left * left)),
    df: satterthwaite(found),
  };
}

/**
 * One-sided CR2 bounds of the pooled mean, each at the given error, t with Satterthwaite's degrees of freedom.
 *
 * Not monotone: one larger difference can widen the spread and lower the lower bound. Below 5 units, below 4 degrees of
 * freedom or with one unit above a third of the cases the error is not held well: the caller refuses to ship there.
 *
 * @param units  differences by unit
 * @param error  one-sided error, in (0, 0.5)
 * @returns      indeterminate('no-units' | 'too-few-units' | 'constant-differences')
 * @throws {LiftgateError} stats-argument-invalid  if a unit has no case, a difference is not finite or the error is outside
 *                         (0, 0.5)
 * @example clusteredMeanBounds([[1, 0], [0, 0], [1, 1], [1, 0], [0, 1]], 0.025).lower // => 0.0610054834575 to 12 digits
 * @see Bell & McCaffrey (2002), Survey Methodology 28:169
 */
export function clusteredMeanBounds(units: UnitCases, error: number): Bounds | Indeterminate {
  requireError('error', error);
  const found = clusterVariance(units);
  if ('status' in found) return found;
  if (found.cr2 === 0) return indeterminate('constant-differences');
  const half = tUpperQuantile(error, found.df) * Math.sqrt(found.cr2);
  return { lower: found.estimate - half, upper: found.estimate + half };
}

/**
 * The CR2 interval of the pooled mean.
 *
 * @param units  differences by unit
 * @param level  coverage wanted, a probability in (0, 1)
 * @returns      indeterminate('no-units' | 'too-few-units' | 'constant-differences')
 * @throws {LiftgateError} stats-argument-invalid  if a unit has no case, a difference is not finite or the level is outside
 *                         (0, 1)
 * @example clusteredMeanInterval([[1, 0], [0, 0], [1, 1], [1, 0], [0, 1]], 0.95).method // => 'cr2'
 * @see Bell & McCaffrey (2002), Survey Methodology 28:169
 */
export function clusteredMeanInterval(units: UnitCases, level: number): Interval | Indeterminate {
  requireOpenProbability('level', level);
  const bounds = clusteredMeanBounds(units, errorPerSide(level));
  if ('status' in bounds) return bounds;
  return { ...bounds, level, method: 'cr2', guarantee: 'asymptotic' };
}

/** The CR2 test of a pooled mean of 0. */
export interface ClusteredTTest {
  readonly t: number;
  readonly df: number;
  readonly pTwoSided: number;
}

/**
 * The CR2 t test of no pooled difference.
 *
 * @param units  differences by unit
 * @returns      indeterminate('no-units' | 'too-few-units' | 'constant-differences')
 * @throws {LiftgateError} stats-argument-invalid  if a unit has no case or a difference is not finite
 * @example clusteredTTest([[1, 0], [0, 0], [1, 1], [1, 0], [0, 1]]).t // => 3.16227766017 to 12 digits
 * @see Pustejovsky & Tipton (2018), Journal of Business & Economic Statistics 36:672
 */
export function clusteredTTest(units: UnitCases): ClusteredTTest | Indeterminate {
  const found = clusterVariance(units);
  if ('status' in found) return found;
  if (found.cr2 === 0) return indeterminate('constant-differences');
  const t = found.estimate / Math.sqrt(found.cr2);
  return { t, df: found.df, pTwoSided: Math.min(1, 2 * tUpper(Math.abs(t), found.df)) };
}

/**
 * The mean of every unit's cases: with these as differences every unit counts once, a different estimand when sizes vary.
 *
 * @param units  differences by unit
 * @throws {LiftgateError} stats-argument-invalid  if a unit has no case or a difference is not finite
 * @example unitMeans([[1, 0], [1]]) // => [0.5, 1]
 */
export function unitMeans(units: UnitCases): readonly number[] {
  const { totals, sizes } = unitTotals(units);
  return totals.map((total, index) => total / (sizes[index] ?? 1));
}

/** Variance inflation by clustering and the cases it leaves. */
export interface ClusterDesignEffect {
  readonly designEffect: number;
  /** cases / designEffect. */
  readonly effectiveCases: number;
}

/**
 * How much wider clustering makes the variance than independent cases would: CR1 over the Wald variance.
 *
 * @param units  differences by unit
 * @returns      indeterminate('no-units' | 'too-few-units' | 'constant-differences') where either variance is 0
 * @throws {LiftgateError} stats-argument-invalid  if a unit has no case or a difference is not finite
 * @example clusterDesignEffect([[1, 1], [0, 0], [1, 1]]) // => { designEffect: 3, effectiveCases: 2 }
 */
export function clusterDesignEffect(units: UnitCases): ClusterDesignEffect | Indeterminate {
  const found = clusterVariance(units);
  if ('status' in found) return found;
  const { variance } = moments(units.flat());
  const wald = ((variance / found.cases) * (found.cases - 1)) / found.cases;
  if (found.cr1 === 0 || wald === 0) return indeterminate('constant-differences');
  const designEffect = found.cr1 / wald;
  return { designEffect, effectiveCases: found.cases / designEffect };
}
