/** What gates on a paired difference say: their words for bounds, and why there is no estimate. */
import type { Bounds } from '../stats/interval.ts';
import { ratioWords } from './efficiency.ts';
import { type BoundWords, shownNumber } from './gate.ts';

const improvementWords: BoundWords = {
  shown: (bound) => bound,
  beyond: (lower, threshold) =>
    `the lower bound ${shownNumber(lower)} is above ${shownNumber(threshold)}`,
  breached: (bounds, threshold) =>
    `the interval ${shownBounds(bounds)} lies wholly at or below ${shownNumber(threshold)}`,
  open: (bounds, threshold) =>
    `the interval ${shownBounds(bounds)} includes ${shownNumber(threshold)}`,
};

/** An interval as sentences show it. */
export function shownBounds({ lower, upper }: Bounds): string {
  return `${shownNumber(lower)} .. ${shownNumber(upper)}`;
}

const placeboWords: BoundWords = {
  shown: (bound) => bound,
  beyond: (lower, threshold) => `over the placebo ${improvementWords.beyond(lower, threshold)}`,
  breached: (bounds, threshold) =>
    `over the placebo ${improvementWords.breached(bounds, threshold)}`,
  open: (bounds, threshold) => `over the placebo ${improvementWords.open(bounds, threshold)}`,
};

/** The words of a gate on pairs. */
export const wordsOf = {
  lift: improvementWords,
  'no-regression': improvementWords,
  latency: ratioWords,
  'neutral-control': placeboWords,
} as const;

/** Sentences for evidence that carries no estimate; an unlisted reason is shown as it is. */
export const noEstimateReasons: Readonly<Record<string, string>> = {
  'no-units': 'no unit has a complete pair',
  'one-unit': 'one unit carries no inference about new units',
  'too-few-units': 'fewer units than the method needs',
  'one-unit-dominates': 'one unit holds more than a third of the cases',
  'few-degrees-of-freedom': 'units so unequal in size leave fewer than 4 degrees of freedom',
  'too-few-repeats': 'a unit has fewer than 2 complete repeats, so the noise of repeats is unknown',
  'constant-repeats': 'no unit differed between its repeats, so their noise is unknown',
  'constant-differences': 'all units differ by the same amount, so the spread is unknown',
  'zero-width-interval': 'the interval has no width',
};
