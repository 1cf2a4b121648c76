/**
 * What a statistical method hands back: an interval, a pair of one-sided bounds, or the statement that no number exists.
 *
 * A two-sided interval at `level` spends (1 − level)/2 on each side. One-sided bounds name their `error`, the probability
 * that one bound misses on its own side; both bounds of a pair are given at that same error.
 */

/** The spellings of every method that may stand in an interval; docs/statistics.md has a row for each. */
export const intervalMethods = [
  'tango-score',
  'exact-unconditional',
  'clopper-pearson',
  'wilson',
  't',
  'cr2',
  'welch-t',
  'pooled-t',
  'noncentral-t',
  'trimmed-t',
  'sign-flip',
  'hodges-lehmann',
  'log-wald',
  'bootstrap-percentile',
  'bootstrap-basic',
  'bootstrap-bca',
  'bootstrap-t',
  't-bootstrap-t',
  'betting-fixed-n',
  'tango-effective-n',
  'mcnemar-exact',
  'newcombe-8',
  'newcombe-9-continuity',
  'newcombe-10',
  'newcombe-10-continuity',
  'bonett-price',
  'agresti-min',
  'wald',
  'wald-continuity',
  'conditional-exact',
  'wilson-continuity',
  'agresti-coull',
  'jeffreys',
  'jeffreys-open-ends',
  'mid-p',
  'miettinen-nurminen',
  'mee',
  'newcombe',
  'newcombe-continuity',
  'agresti-caffo',
] as const;
/** One method. */
export type IntervalMethod = (typeof intervalMethods)[number];

/** `finite-sample`: the error holds at every sample size. `asymptotic`: it is approached as the units grow. */
export type Guarantee = 'finite-sample' | 'asymptotic';

/** A two-sided interval; `level` is a probability in (0, 1) such as 0.95, and lower < upper. */
export interface Interval {
  readonly lower: number;
  readonly upper: number;
  readonly level: number;
  readonly method: IntervalMethod;
  readonly guarantee: Guarantee;
}

/** A lower and an upper bound, each one-sided at the same error. */
export interface Bounds {
  readonly lower: number;
  readonly upper: number;
}

/** No number can be computed from this evidence; `reason` is a kebab-case word such as `constant-differences`. */
export interface Indeterminate {
  readonly status: 'indeterminate';
  readonly reason: string;
}

/**
 * The statement that a number does not exist, with its reason.
 *
 * @example indeterminate('too-few-units') // => { status: 'indeterminate', reason: 'too-few-units' }
 */
export function indeterminate(reason: string): Indeterminate {
  return { status: 'indeterminate', reason };
}

/**
 * Whether a result is the statement that no number exists.
 *
 * @example isIndeterminate({ status: 'indeterminate', reason: 'no-units' }) // => true
 * @example isIndeterminate({ lower: 0, upper: 1 }) // => false
 */
export function isIndeterminate(value: unknown): value is Indeterminate {
  return (
    typeof value === 'object' &&
    value !== null &&
    'status' in value &&
    value.status === 'indeterminate' &&
    'reason' in value &&
    typeof value.reason === 'string'
  );
}

/**
 * The one-sided error each side of a two-sided interval spends, (1 − level)/2.
 *
 * @example errorPerSide(0.5) // => 0.25
 */
export function errorPerSide(level: number): number {
  return (1 - level) / 2;
}
