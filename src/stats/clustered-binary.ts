/** Paired binary outcomes of cases within units: Tango's interval on the effective number of cases, clustered McNemar tests. */
import {
  requireCount,
  requireError,
  requireLength,
  requireOpenProbability,
  requireWithin,
} from './arguments.ts';
import { chiSquareUpper } from './chi-square.ts';
import { clusterDesignEffect, type UnitCases, unitTotals } from './clustered.ts';
import { normalUpperQuantile, tUpperQuantile } from './distribution.ts';
import {
  type Bounds,
  errorPerSide,
  type Indeterminate,
  type Interval,
  indeterminate,
} from './interval.ts';
import { lowerBound, swapped, type Table } from './paired-binary.ts';
import { sum } from './summary.ts';

/** Tango bounds of a table divided by its design effect. */
export interface EffectiveTango extends Bounds {
  readonly designEffect: number;
  readonly effectiveCases: number;
  /** The quantile in place of z. */
  readonly critical: number;
}

function requireBinary(units: UnitCases): void {
  units.forEach((unit, index) => {
    unit.forEach((value, at) => {
      const name = `units[${index}][${at}]`;
      requireWithin(name, value, { lower: -1, upper: 1 });
      requireCount(`1 + ${name}`, 1 + value);
    });
  });
}

/** Score bounds of a table of effective, not necessarily whole, counts. */
function scoreBounds(table: Table, critical: number): Bounds {
  return {
    lower: lowerBound(table, critical),
    upper: 0 - lowerBound(swapped(table), critical),
  };
}

function effectiveTable(units: UnitCases, designEffect: number): Table {
  const cases = units.flat();
  return {
    gains: cases.filter((value) => value > 0).length / designEffect,
    losses: cases.filter((value) => value < 0).length / designEffect,
    units: cases.length / designEffect,
  };
}

/**
 * One-sided Tango bounds of the pooled risk difference on the effective number of cases, t(K − 1) in place of z.
 *
 * The design effect is at least 1, and N / K where nothing varies: without a discordant pair the effective cases are the K
 * units. Below 5 units, below 4 Satterthwaite degrees of freedom or with one unit above a third of the cases the error is
 * not held well: the caller refuses to ship there. Monotone in a case only while the design effect stays put.
 *
 * @param units  one list per unit: 1 gain, −1 loss, 0 otherwise, per case
 * @param error  one-sided error, in (0, 0.5)
 * @returns      indeterminate('no-units' | 'too-few-units') below 2 units
 * @throws {LiftgateError} stats-argument-invalid  if a unit has no case, a value is not −1, 0 or 1 or the error is outside
 *                         (0, 0.5)
 * @example clusteredRiskDifferenceBounds([[1, 0, 0, 0], [0, 0, 0, 0], [1, 1, 1, 1], [1, 0, 0, 0], [0, 1, 1, 0]], 0.025).lower
 * // => -0.272134288074 to 12 digits
 * @see Tango (1998), Statistics in Medicine 17:891; Rao & Scott (1992), Biometrics 48:577, for effective counts
 */
export function clusteredRiskDifferenceBounds(
  units: UnitCases,
  error: number,
): EffectiveTango | Indeterminate {
  requireBinary(units);
  requireError('error', error);
  const { cases } = unitTotals(units);
  if (units.length === 0) return indeterminate('no-units');
  if (units.length < 2) return indeterminate('too-few-units');
  const found = clusterDesignEffect(units);
  const designEffect = 'status' in found ? cases / units.length : Math.max(1, found.designEffect);
  const critical = tUpperQuantile(error, units.length - 1);
  const table = effectiveTable(units, designEffect);
  return {
    ...scoreBounds(table, critical),
    designEffect,
    effectiveCases: table.units,
    critical,
  };
}

/**
 * Tango's interval of the pooled risk difference on the effective number of cases.
 *
 * @param units  one list per unit: 1 gain, −1 loss, 0 otherwise, per case
 * @param level  coverage wanted, a probability in (0, 1)
 * @returns      never of zero width; indeterminate('no-units' | 'too-few-units') below 2 units
 * @throws {LiftgateError} stats-argument-invalid  if a unit has no case, a value is not −1, 0 or 1 or the level is outside
 *                         (0, 1)
 * @example clusteredRiskDifferenceInterval([[0, 0], [0, 0], [0], [0], [0]], 0.95).upper // => 0.606567 to 6 digits
 * @see Tango (1998), Statistics in Medicine 17:891
 */
export function clusteredRiskDifferenceInterval(
  units: UnitCases,
  level: number,
): Interval | Indeterminate {
  requireOpenProbability('level', level);
  const bounds = clusteredRiskDifferenceBounds(units, errorPerSide(level));
  if ('status' in bounds) return bounds;
  const { lower, upper } = bounds;
  return { lower, upper, level, method: 'tango-effective-n', guarantee: 'asymptotic' };
}

/**
 * The same bounds with the plain design effect and a normal quantile: too narrow below about 20 units, for comparison.
 *
 * @param units  one list per unit: 1 gain, −1 loss, 0 otherwise, per case
 * @param error  one-sided error, in (0, 0.5)
 * @returns      indeterminate('no-units' | 'too-few-units' | 'constant-differences')
 * @throws {LiftgateError} stats-argument-invalid  if a unit has no case, a value is not −1, 0 or 1 or the error is outside
 *                         (0, 0.5)
 * @example effectiveTangoBounds([[1, 0, 0, 0], [0, 0, 0, 0], [1, 1, 1, 1], [1, 0, 0, 0], [0, 1, 1, 0]], 0.025).lower
 * // => -0.0412106526115 to 12 digits
 */
export function effectiveTangoBounds(
  units: UnitCases,
  error: number,
): EffectiveTango | Indeterminate {
  requireBinary(units);
  requireError('error', error);
  const found = clusterDesignEffect(units);
  if ('status' in found) return found;
  const critical = normalUpperQuantile(error);
  const table = effectiveTable(units, found.designEffect);
  return { ...scoreBounds(table, critical), ...found, critical };
}

/** Gains, losses and cases by unit, in one order; whole numbers ≥ 0, gains + losses ≤ sizes, sizes ≥ 1. */
export interface ClusteredCounts {
  readonly gains: readonly number[];
  readonly losses: readonly number[];
  readonly sizes: readonly number[];
}

/** A chi-square statistic with one degree of freedom and its two-sided p. */
export interface ChiSquareTest {
  readonly statistic: number;
  readonly p: number;
}

/** Three clustered versions of McNemar's test; each needs many units. */
export interface ClusteredMcnemar {
  readonly obuchowski: ChiSquareTest;
  readonly durkalski: ChiSquareTest;
  readonly yang: ChiSquareTest;
}

function requireClusteredCounts({ gains, losses, sizes }: ClusteredCounts): void {
  requireLength('gains', gains, sizes.length);
  requireLength('losses', losses, sizes.length);
  sizes.forEach((size, index) => {
    requireCount(`sizes[${index}]`, size, 1);
    requireCount(`gains[${index}]`, gains[index] ?? 0);
    requireCount(`losses[${index}]`, losses[index] ?? 0);
    const concordant = size - (gains[index] ?? 0) - (losses[index] ?? 0);
    requireCount(`sizes[${index}] - gains[${index}] - losses[${index}]`, concordant);
  });
}

/**
 * McNemar's test of clustered pairs after Obuchowski, Durkalski and Yang.
 *
 * @param counts  gains, losses and cases by unit
 * @returns       indeterminate('no-units' | 'too-few-units') below 2 units, indeterminate('constant-differences') where gains
 *                and losses balance in every unit
 * @throws {LiftgateError} stats-argument-invalid  if the lists differ in length or a count is not possible
 * @example clusteredMcnemar({ gains: [1, 3, 3, 2], losses: [1, 0, 0, 0], sizes: [2, 3, 5, 9] }).obuchowski.statistic
 * // => 2.18181818182 to 12 digits
 * @see Obuchowski (1998), Statistics in Medicine 17:1495; Durkalski et al. (2003), Statistics in Medicine 22:2417;
 *      Yang, Sun & Hardin (2010), Statistics in Medicine 29:2368
 */
export function clusteredMcnemar(counts: ClusteredCounts): ClusteredMcnemar | Indeterminate {
  requireClusteredCounts(counts);
  const { gains, losses, sizes } = counts;
  const units = sizes.length;
  if (units === 0) return indeterminate('no-units');
  if (units < 2) return indeterminate('too-few-units');
  const surplus = gains.map((gained, index) => gained - (losses[index] ?? 0));
  const squares = sum(surplus.map((value) => value * value));
  if (squares === 0) return indeterminate('constant-differences');
  const total = sum(surplus);
  const mean = total / sum(sizes);
  const rates = surplus.map((value, index) => value / (sizes[index] ?? 1));
  const residuals = surplus.map((value, index) => value - (sizes[index] ?? 0) * mean);
  const yangSpread = (sum(residuals.map((value) => value * value)) + squares) / 2;
  const correction = (units - 1) / units;
  return {
    obuchowski: tested((correction * (total * total)) / squares),
    durkalski: tested((sum(rates) * sum(rates)) / sum(rates.map((rate) => rate * rate))),
    yang: tested((correction * (total * total)) / yangSpread),
  };
}

function tested(statistic: number): ChiSquareTest {
  return { statistic, p: chiSquareUpper(statistic, 1) };
}
