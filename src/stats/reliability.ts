/**
 * How far several raters agree on the same units: Krippendorff's alpha, Fleiss' kappa, Gwet's AC1. What has no value is
 * indeterminate with a reason.
 */
import { LiftgateError } from '../base/errors.ts';
import { type Category, categoryPositions } from './agreement.ts';
import { requireCount, requireFiniteList } from './arguments.ts';
import { type Indeterminate, indeterminate } from './interval.ts';
import { sum } from './summary.ts';

function refuse(path: string, message: string, mend: string): never {
  throw new LiftgateError('stats-argument-invalid', message, { where: { path }, mend });
}

function meanOf(values: readonly number[]): number {
  return sum(values) / values.length;
}

function squaredSum(values: readonly number[]): number {
  return sum(values.map((value) => value * value));
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
