/**
 * How far several raters agree on the same units: intraclass correlations with intervals, Krippendorff's alpha, Fleiss' kappa,
 * Gwet's AC1. What has no value is indeterminate with a reason.
 */
import { LiftgateError } from '../base/errors.ts';
import { type Category, categoryPositions } from './agreement.ts';
import { requireCount, requireFiniteList, requireOpenProbability } from './arguments.ts';
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

function refuse(path: string, message: string, mend: string): never {
  throw new LiftgateError('stats-argument-invalid', message, { where: { path }, mend });
}

function requireTable(ratings: readonly (readonly number[])[]): void {
  const raters = ratings[0]?.length ?? 0;
  ratings.forEach((row, index) => {
    requireFiniteList(`ratings[${index}]`, row);
    if (row.length !== raters) {
      refuse(
        `ratings[${index}]`,
        `ratings[${index}] must hold ${raters} ratings like the first unit, got ${row.length}`,
        'Give every unit one rating by each rater, or use krippendorffAlpha, which allows gaps.',
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

/** Krippendorff's alpha under three metrics; `pairableValues` counts ratings on units with at least two. */
export interface KrippendorffAlpha {
  readonly pairableValues: number;
  readonly nominal: number | Indeterminate;
  readonly ordinal: number | Indeterminate;
  readonly interval: number | Indeterminate;
}

/** Values with how often each was given, and how often each pair of values met within a unit. */
interface Coincidences {
  readonly values: readonly number[];
  readonly counts: readonly number[];
  readonly pairs: readonly (readonly number[])[];
}

function coincidencesOf(units: readonly (readonly number[])[]): Coincidences {
  const values = [...new Set(units.flat())].sort((a, b) => a - b);
  const pairs = values.map(() => new Array<number>(values.length).fill(0));
  for (const unit of units) {
    const positions = unit.map((value) => values.indexOf(value));
    positions.forEach((one, at) => {
      positions.forEach((other, second) => {
        const row = pairs[one];
        if (at !== second && row !== undefined) {
          row[other] = (row[other] ?? 0) + 1 / (unit.length - 1);
        }
      });
    });
  }
  const counts = values.map((value) => units.flat().filter((given) => given === value).length);
  return { values, counts, pairs };
}

function alphaOf(
  { counts, pairs }: Coincidences,
  distance: (one: number, other: number) => number,
): number | Indeterminate {
  const total = sum(counts);
  let observed = 0;
  let expected = 0;
  counts.forEach((countOne, one) => {
    counts.forEach((countOther, other) => {
      observed += (pairs[one]?.[other] ?? 0) * distance(one, other);
      expected += countOne * countOther * distance(one, other);
    });
  });
  return expected === 0 ? indeterminate('one-category') : 1 - ((total - 1) * observed) / expected;
}

/** Squared number of ratings between two values, half of each end counted. */
function ordinalDistance(counts: readonly number[], one: number, other: number): number {
  const between = counts.slice(Math.min(one, other), Math.max(one, other) + 1);
  const ranks = sum(between) - ((counts[one] ?? 0) + (counts[other] ?? 0)) / 2;
  return ranks * ranks;
}

/**
 * Krippendorff's alpha for any number of raters, with gaps.
 *
 * @param units  ratings per unit, null where a rater gave none; units with fewer than two ratings say nothing
 * @returns      each form up to 1, indeterminate('one-category') where only one value was given;
 *               indeterminate('no-pairs') where no unit has two ratings
 * @throws {LiftgateError} stats-argument-invalid  if a rating is not finite
 * @example krippendorffAlpha([[0, 1], [1, 1], [0, 0], [0, null]]).nominal // => 0.444444444444 to 12 digits
 * @see Krippendorff (2011), Computing Krippendorff's alpha-reliability
 */
export function krippendorffAlpha(
  units: readonly (readonly (number | null)[])[],
): KrippendorffAlpha | Indeterminate {
  const given = units.map((unit) => unit.filter((value) => value !== null));
  given.forEach((unit, index) => {
    requireFiniteList(`units[${index}]`, unit);
  });
  const found = coincidencesOf(given.filter((unit) => unit.length > 1));
  const { values, counts } = found;
  if (values.length === 0) return indeterminate('no-pairs');
  return {
    pairableValues: sum(counts),
    nominal: alphaOf(found, (one, other) => (one === other ? 0 : 1)),
    ordinal: alphaOf(found, (one, other) => ordinalDistance(counts, one, other)),
    interval: alphaOf(found, (one, other) => {
      const gap = (values[one] ?? 0) - (values[other] ?? 0);
      return gap * gap;
    }),
  };
}

/** Agreement seen, agreement by chance, and what is beyond chance. */
export interface ChanceCorrected {
  readonly observedAgreement: number;
  readonly expectedAgreement: number;
  readonly coefficient: number | Indeterminate;
}

function corrected(observedAgreement: number, expectedAgreement: number): ChanceCorrected {
  const coefficient =
    expectedAgreement === 1
      ? indeterminate('one-category')
      : (observedAgreement - expectedAgreement) / (1 - expectedAgreement);
  return { observedAgreement, expectedAgreement, coefficient };
}

/** Share of agreeing pairs of ratings on one unit. */
function pairAgreement(counts: readonly number[]): number {
  const given = sum(counts);
  return sum(counts.map((count) => count * (count - 1))) / (given * (given - 1));
}

/**
 * Fleiss' kappa: the same number of ratings on every unit.
 *
 * @param counts  per unit, how many ratings fell into each category
 * @returns       coefficient indeterminate('one-category') where every rating is the same; indeterminate('no-pairs') without
 *                units or with one rating each
 * @throws {LiftgateError} stats-argument-invalid  if a count is not whole or units differ in their number of ratings
 * @example fleissKappa([[3, 0], [0, 3], [2, 1], [1, 2], [3, 0]]).coefficient // => 0.444444444444 to 12 digits
 * @see Fleiss (1971), Psychological Bulletin 76:378
 */
export function fleissKappa(
  counts: readonly (readonly number[])[],
): ChanceCorrected | Indeterminate {
  const given = sum(counts[0] ?? []);
  counts.forEach((unit, index) => {
    for (const [category, count] of unit.entries())
      requireCount(`counts[${index}][${category}]`, count);
    if (sum(unit) !== given) {
      refuse(
        `counts[${index}]`,
        `counts[${index}] must add up to ${given} ratings like the first unit, got ${sum(unit)}`,
        'Use gwetAgreement or krippendorffAlpha for units with different numbers of ratings.',
      );
    }
  });
  if (given < 2) return indeterminate('no-pairs');
  const shares = (counts[0] ?? []).map((_, category) =>
    meanOf(counts.map((unit) => (unit[category] ?? 0) / given)),
  );
  return corrected(meanOf(counts.map(pairAgreement)), squaredSum(shares));
}

/** Ratings per unit, null where a rater gave none, and every category that can be given. */
export interface RatedUnits {
  readonly units: readonly (readonly (Category | null)[])[];
  readonly categories: readonly Category[];
}

/**
 * Gwet's AC1, which chance agreement on a common category does not pull down; gaps allowed. Units with one rating count in the
 * prevalence alone.
 *
 * @returns  indeterminate('too-few-categories') below 2 categories; indeterminate('no-pairs') where no unit has two ratings
 * @throws {LiftgateError} stats-argument-invalid  if a rating is no category
 * @example gwetAgreement({ units: [[0, 1], [1, 1], [0, 0], [0, 0]], categories: [0, 1] }).coefficient
 * // => 0.529411764706 to 12 digits
 * @see Gwet (2008), British Journal of Mathematical and Statistical Psychology 61:29
 */
export function gwetAgreement({ units, categories }: RatedUnits): ChanceCorrected | Indeterminate {
  if (categories.length < 2) return indeterminate('too-few-categories');
  const counts = units
    .map((unit, index) => {
      const given = unit.filter((rating) => rating !== null);
      const positions = categoryPositions(`units[${index}]`, given, categories);
      return categories.map((_, category) => positions.filter((at) => at === category).length);
    })
    .filter((unit) => sum(unit) > 0);
  const paired = counts.filter((unit) => sum(unit) > 1);
  if (paired.length === 0) return indeterminate('no-pairs');
  const prevalences = categories.map((_, category) =>
    meanOf(counts.map((unit) => (unit[category] ?? 0) / sum(unit))),
  );
  const chance = sum(prevalences.map((share) => share * (1 - share))) / (categories.length - 1);
  return corrected(meanOf(paired.map(pairAgreement)), chance);
}
