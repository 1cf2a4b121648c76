/**
 * The joint law of several studentised means over the same units, and how little their error has to be divided for it.
 *
 * For many units the statistics are jointly normal, and the largest of them exceeds a critical value less often than Bonferroni's sum
 * says. Their correlations are bounded from below by those of one common factor, so that the chance becomes one integral and is never
 * understated: by Slepian's inequality smaller correlations make a large maximum more likely.
 */
import { LiftgateError } from '../base/errors.ts';
import { requireError } from './arguments.ts';
import { chordRoot } from './chord-root.ts';
import { normalUpper, normalUpperQuantile } from './distribution.ts';
import { expm1, log1p } from './elementary.ts';
import { roundSignificant } from './rounding.ts';
import { normalDensity } from './special.ts';
import { sum } from './summary.ts';

/** A factor explains no more than this share of a statistic, so that the integrand stays smooth; less correlation errs on the safe side. */
const mostShared = 0.99;
/** The integrand is 0 to double precision beyond it. */
const reach = 9;
/** Steps of the trapezoid rule within one deviation of the steepest factor: its error falls faster than any power of the step. */
const stepsPerScale = 4;
const widestStep = 0.25;

function requireCorrelations(correlations: readonly (readonly number[])[]): void {
  const count = correlations.length;
  const isSound = correlations.every(
    (row, at) =>
      row.length === count &&
      row.every((value, other) => Math.abs(value) <= 1 && value === correlations[other]?.[at]),
  );
  if (isSound && count > 0) return;
  throw new LiftgateError(
    'stats-argument-invalid',
    'correlations must be a symmetric table of numbers from -1 to 1, one row per statistic, at least one',
    {
      where: { path: 'correlations' },
      mend: 'Give each pair of statistics its correlation once in either order.',
    },
  );
}

/**
 * Loadings of one common factor whose products lie nowhere above the correlations: equal ones at first, each then raised as far as
 * the others allow, the most correlated statistic first, ties by position.
 *
 * @param correlations  symmetric, from −1 to 1; the diagonal is not read
 * @returns             one loading per statistic, from 0 to the root of 0.99; null where a correlation is negative, which no common
 *                      factor with loadings of one sign explains
 * @throws {LiftgateError} stats-argument-invalid  if the table is not square, not symmetric, empty, or holds other numbers
 * @example commonFactor([[1, 0.25, 0.5], [0.25, 1, 0.25], [0.5, 0.25, 1]]) // => [0.5, 0.5, 0.5]
 */
export function commonFactor(correlations: readonly (readonly number[])[]): number[] | null {
  requireCorrelations(correlations);
  const most = Math.sqrt(mostShared);
  let least = mostShared;
  correlations.forEach((row, at) => {
    row.forEach((value, other) => {
      if (other !== at) least = Math.min(least, value);
    });
  });
  if (least < 0) return null;
  const loadings = correlations.map(() => Math.sqrt(least));
  if (least === 0) return loadings;
  const totals = correlations.map((row, at) => sum(row.filter((_, other) => other !== at)));
  const order = totals.map((_, at) => at);
  order.sort((one, other) => (totals[other] ?? 0) - (totals[one] ?? 0) || one - other);
  for (const at of order) {
    let highest = most;
    correlations[at]?.forEach((value, other) => {
      if (other !== at) highest = Math.min(highest, value / (loadings[other] ?? 1));
    });
    loadings[at] = Math.max(loadings[at] ?? 0, highest);
  }
  return loadings;
}

/** Chance that any of the normal statistics with these loadings exceeds a value. */
function anyAbove(loadings: readonly number[], value: number): number {
  const scales = loadings.map((loading) => Math.sqrt(1 - loading * loading));
  const steepest = scales.reduce((found, each) => Math.min(found, each), 1);
  const step = Math.min(widestStep, steepest / stepsPerScale);
  const ends = Math.floor(reach / step);
  let total = 0;
  for (let node = -ends; node <= ends; node += 1) {
    const x = node * step;
    let logNone = 0;
    for (let at = 0; at < loadings.length; at += 1) {
      const upper = normalUpper((value - (loadings[at] ?? 0) * x) / (scales[at] ?? 1));
      logNone += log1p(-upper);
    }
    total -= normalDensity(x) * expm1(logNone);
  }
  return total * step;
}

/**
 * The smallest number by which the error of each of several statistics has to be divided, so that any of them exceeds its critical
 * value with no more than the error: their count for Bonferroni, 1 for statistics that are the same.
 *
 * Only the upper tail is shared out; by symmetry of the normal law the same number serves the lower tail by itself.
 *
 * @param correlations  of the statistics, symmetric, from −1 to 1; as for `commonFactor`, whose bound from below is used
 * @param error         one-sided, of all together, in (0, 0.5)
 * @returns             from 1 to their count, to 12 digits; their count where a correlation is negative
 * @throws {LiftgateError} stats-argument-invalid  as commonFactor, or for another error
 * @example jointDivisor([[1, 0.5], [0.5, 1]], 0.025) // => 1.85478 to 6 digits
 * @see Slepian (1962), Bell System Technical Journal 41:463; Dunnett (1955), JASA 50:1096
 */
export function jointDivisor(correlations: readonly (readonly number[])[], error: number): number {
  requireError('error', error);
  const loadings = commonFactor(correlations);
  const count = correlations.length;
  if (loadings === null || count === 1) return count;
  const critical = chordRoot((value) => anyAbove(loadings, value) / error - 1, {
    lower: normalUpperQuantile(error),
    upper: normalUpperQuantile(error / count),
    settled: 1e-13,
  });
  return Math.min(count, Math.max(1, roundSignificant(error / normalUpper(critical))));
}
