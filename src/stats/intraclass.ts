/**
 * Intraclass correlations of a complete table of ratings, with intervals: how much of the spread of ratings lies between the
 * units rated.
 */
import { LiftgateError } from '../base/errors.ts';
import { requireFiniteList, requireOpenProbability } from './arguments.ts';
import { fUpperQuantile, type RatioDegrees } from './chi-square.ts';
import { type Bounds, errorPerSide, type Indeterminate, indeterminate } from './interval.ts';
import { sum } from './summary.ts';

/** An intraclass correlation; not truncated, so chance can carry it below −1/(k − 1) or, averaged, above 1. */
export interface IntraclassCorrelation {
  readonly value: number | Indeterminate;
  readonly bounds: Bounds | Indeterminate;
}

/**
 * The six forms of Shrout and Fleiss with the mean squares they rest on: 1 one-way, 2 two-way absolute agreement, 3 two-way
 * consistency; `Average` for the mean of all raters.
 */
export interface IntraclassCorrelations {
  readonly meanSquares: {
    readonly rows: number;
    readonly columns: number;
    readonly within: number;
    readonly error: number;
  };
  readonly oneWay: IntraclassCorrelation;
  readonly agreement: IntraclassCorrelation;
  readonly consistency: IntraclassCorrelation;
  readonly oneWayAverage: IntraclassCorrelation;
  readonly agreementAverage: IntraclassCorrelation;
  readonly consistencyAverage: IntraclassCorrelation;
}

type MeanSquares = IntraclassCorrelations['meanSquares'];

function requireTable(ratings: readonly (readonly number[])[]): void {
  const raters = ratings[0]?.length ?? 0;
  ratings.forEach((row, index) => {
    requireFiniteList(`ratings[${index}]`, row);
    if (row.length !== raters) {
      throw new LiftgateError(
        'stats-argument-invalid',
        `ratings[${index}] must hold ${raters} ratings like the first unit, got ${row.length}`,
        {
          where: { path: `ratings[${index}]` },
          mend: 'Give every unit one rating by each rater, or use krippendorffAlpha, which allows gaps.',
        },
      );
    }
  });
}

function meanOf(values: readonly number[]): number {
  return sum(values) / values.length;
}

function squaredSum(values: readonly number[]): number {
  return sum(values.map((value) => value * value));
}

/** Mean squares of the two-way table; one below 1e-12 of the largest rating, squared, is rounding noise and counts as 0. */
function meanSquaresOf(ratings: readonly (readonly number[])[]): MeanSquares {
  const units = ratings.length;
  const raters = ratings[0]?.length ?? 0;
  const rows = ratings.map(meanOf);
  const grand = meanOf(rows);
  const columns = (ratings[0] ?? []).map((_, rater) =>
    meanOf(ratings.map((row) => row[rater] ?? 0)),
  );
  const withins = ratings.flatMap((row, unit) => row.map((value) => value - (rows[unit] ?? 0)));
  const rests = ratings.flatMap((row, unit) =>
    row.map((value, rater) => value - (rows[unit] ?? 0) - (columns[rater] ?? 0) + grand),
  );
  const largest = ratings.flat().reduce((size, value) => Math.max(size, Math.abs(value)), 0);
  const noise = 1e-12 * largest;
  const clean = (square: number): number => (square <= noise * noise ? 0 : square);
  return {
    rows: clean((raters * squaredSum(rows.map((mean) => mean - grand))) / (units - 1)),
    columns: clean((units * squaredSum(columns.map((mean) => mean - grand))) / (raters - 1)),
    within: clean(squaredSum(withins) / (units * (raters - 1))),
    error: clean(squaredSum(rests) / ((units - 1) * (raters - 1))),
  };
}

function ratio(top: number, bottom: number): number | Indeterminate {
  return bottom === 0 ? indeterminate('no-variance') : top / bottom;
}

/** Sizes of the table and the error of each side. */
interface Layout {
  readonly units: number;
  readonly raters: number;
  readonly error: number;
}

/** Bounds of the ratio of mean squares, from its F law. */
function ratioBounds(
  top: number,
  bottom: number,
  { numerator, denominator, error }: RatioDegrees & { readonly error: number },
): Bounds | Indeterminate {
  if (top === 0 || bottom === 0) return indeterminate('no-variance');
  const ratioOfSquares = top / bottom;
  return {
    lower: ratioOfSquares / fUpperQuantile(error, { numerator, denominator }),
    upper:
      ratioOfSquares * fUpperQuantile(error, { numerator: denominator, denominator: numerator }),
  };
}

function mapped(
  bounds: Bounds | Indeterminate,
  map: (f: number) => number,
): Bounds | Indeterminate {
  return 'status' in bounds ? bounds : { lower: map(bounds.lower), upper: map(bounds.upper) };
}

/** Bounds of absolute agreement by the Satterthwaite degrees of Shrout and Fleiss. */
function agreementBounds(
  squares: MeanSquares,
  { units, raters, error }: Layout,
  value: number | Indeterminate,
): Bounds | Indeterminate {
  if (typeof value !== 'number' || squares.rows === 0 || squares.error === 0) {
    return indeterminate('no-variance');
  }
  const share = raters * value * (squares.columns / squares.error);
  const rest = units * (1 + (raters - 1) * value) - raters * value;
  const top = (raters - 1) * (units - 1) * (share + rest) * (share + rest);
  const degrees = top / ((units - 1) * share * share + rest * rest);
  const low = fUpperQuantile(error, { numerator: units - 1, denominator: degrees });
  const high = fUpperQuantile(error, { numerator: degrees, denominator: units - 1 });
  const spread = raters * squares.columns + (raters * units - raters - units) * squares.error;
  return {
    lower: (units * (squares.rows - low * squares.error)) / (low * spread + units * squares.rows),
    upper: (units * (high * squares.rows - squares.error)) / (spread + units * high * squares.rows),
  };
}

/**
 * The intraclass correlations of a complete table of ratings.
 *
 * @param ratings  one row per unit, one finite rating per rater
 * @param level    coverage of each interval, in (0, 1)
 * @returns        indeterminate('too-few-units') below 2 units, indeterminate('too-few-raters') below 2 raters; a single
 *                 form or its bounds indeterminate('no-variance') where a mean square it divides by is 0
 * @throws {LiftgateError} stats-argument-invalid  if the table is not complete or the level is outside (0, 1)
 * @example intraclassCorrelations([[9, 10], [9, 7], [2, 1], [1, 2]], 0.95).agreement.value // => 0.9519450801 to 10 digits
 * @see Shrout & Fleiss (1979), Psychological Bulletin 86:420; McGraw & Wong (1996), Psychological Methods 1:30
 */
export function intraclassCorrelations(
  ratings: readonly (readonly number[])[],
  level: number,
): IntraclassCorrelations | Indeterminate {
  requireOpenProbability('level', level);
  requireTable(ratings);
  const units = ratings.length;
  const raters = ratings[0]?.length ?? 0;
  if (units < 2) return indeterminate('too-few-units');
  if (raters < 2) return indeterminate('too-few-raters');
  const layout = { units, raters, error: errorPerSide(level) };
  const squares = meanSquaresOf(ratings);
  const { rows, columns, within, error } = squares;
  const single = (f: number): number => (f - 1) / (f + raters - 1);
  const average = (f: number): number => 1 - 1 / f;
  const numerator = units - 1;
  const oneWay = ratioBounds(rows, within, {
    numerator,
    denominator: units * (raters - 1),
    error: errorPerSide(level),
  });
  const twoWay = ratioBounds(rows, error, {
    numerator,
    denominator: numerator * (raters - 1),
    error: errorPerSide(level),
  });
  const agreement = ratio(
    rows - error,
    rows + (raters - 1) * error + (raters * (columns - error)) / units,
  );
  const absolute = agreementBounds(squares, layout, agreement);
  return {
    meanSquares: squares,
    oneWay: {
      value: ratio(rows - within, rows + (raters - 1) * within),
      bounds: mapped(oneWay, single),
    },
    agreement: { value: agreement, bounds: absolute },
    consistency: {
      value: ratio(rows - error, rows + (raters - 1) * error),
      bounds: mapped(twoWay, single),
    },
    oneWayAverage: { value: ratio(rows - within, rows), bounds: mapped(oneWay, average) },
    agreementAverage: {
      value: ratio(rows - error, rows + (columns - error) / units),
      bounds: mapped(absolute, (one) => (raters * one) / (1 + (raters - 1) * one)),
    },
    consistencyAverage: { value: ratio(rows - error, rows), bounds: mapped(twoWay, average) },
  };
}
