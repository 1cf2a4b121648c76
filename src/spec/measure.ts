/** Measures: scored dimensions. Kind, bounds and scale are declared, never inferred from data. */
import * as z from '../base/shape.ts';
import { conditionSchema } from './words.ts';

/** `primary` is what lift is about; `guardrail` and `critical` are always gated; `reported` never moves a decision. */
export const measureRoleSchema = z.enum(['primary', 'guardrail', 'critical', 'reported']);
/** Which way is better. */
export const directionSchema = z.enum(['higher', 'lower']);

const common = {
  role: measureRoleSchema.describe(
    'primary: what lift is about; guardrail and critical: always gated; reported: never moves a decision.',
  ),
  direction: directionSchema.describe('Which way is better.'),
  where: conditionSchema
    .optional()
    .describe('Only cases that meet this condition count for the measure.'),
  onFailure: z
    .union([z.number(), z.literal('indeterminate')])
    .optional()
    .describe('Value of a failed cell; default: the worst declared value.'),
};

const kindText = 'What a value is; declared, never inferred from data.';
const floorText =
  'Values below it count as it, in the unit of the measure; without one, 0 is refused.';

export const measureSchema = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('binary').describe(kindText),
    scale: z
      .literal([1, 100])
      .default(1)
      .describe('Value of a success: scores are 0 and 1, or 0 and 100.'),
    ...common,
  }),
  z.strictObject({
    kind: z.literal('score').describe(kindText),
    min: z.number().describe('Smallest score that can be given.'),
    max: z.number().describe('Largest score that can be given.'),
    ...common,
  }),
  z.strictObject({
    kind: z.literal('ordinal').describe(kindText),
    levels: z.array(z.number()).min(2).describe('All levels, strictly rising.'),
    ...common,
  }),
  z.strictObject({
    kind: z.literal('count').describe(kindText),
    min: z.number().default(0).describe('Smallest count that can occur.'),
    max: z
      .number()
      .optional()
      .describe('Largest count that can occur; give this or unbounded: true.'),
    unbounded: z.boolean().default(false).describe('Whether the count has no largest value.'),
    ...common,
  }),
  z.strictObject({
    kind: z.literal('duration').describe(kindText),
    floor: z.number().positive().optional().describe(floorText),
    ...common,
  }),
  z.strictObject({
    kind: z.literal('cost').describe(kindText),
    floor: z.number().positive().optional().describe(floorText),
    ...common,
  }),
  z.strictObject({ kind: z.literal('continuous').describe(kindText), ...common }),
]);

/** One scored dimension: kind, direction, scale, role. */
export type Measure = z.infer<typeof measureSchema>;

/** Closed range of values a measure can take. */
export interface ValueRange {
  readonly lower: number;
  readonly upper: number;
}

/**
 * Declared range of a measure's values, or null when it is unbounded.
 * @example valueRange({ kind: 'binary', scale: 100, role: 'primary', direction: 'higher' }) // => { lower: 0, upper: 100 }
 */
export function valueRange(measure: Measure): ValueRange | null {
  switch (measure.kind) {
    case 'binary':
      return { lower: 0, upper: measure.scale };
    case 'score':
      return { lower: measure.min, upper: measure.max };
    case 'ordinal':
      return { lower: Math.min(...measure.levels), upper: Math.max(...measure.levels) };
    case 'count':
      return measure.max === undefined || measure.unbounded
        ? null
        : { lower: measure.min, upper: measure.max };
    case 'duration':
    case 'cost':
    case 'continuous':
      return null;
  }
}

/**
 * Worst declared value in the measure's direction, or null when unbounded.
 * @example worstValue({ kind: 'binary', scale: 1, role: 'critical', direction: 'lower' }) // => 1
 */
export function worstValue(measure: Measure): number | null {
  const range = valueRange(measure);
  if (range === null) return null;
  return measure.direction === 'higher' ? range.lower : range.upper;
}

/**
 * Best declared value in the measure's direction, or null when unbounded.
 * @example bestValue({ kind: 'score', min: 0, max: 5, role: 'primary', direction: 'higher' }) // => 5
 */
export function bestValue(measure: Measure): number | null {
  const range = valueRange(measure);
  if (range === null) return null;
  return measure.direction === 'higher' ? range.upper : range.lower;
}

/**
 * Value a failed cell takes; null means indeterminate.
 * @example failureValue({ kind: 'duration', role: 'reported', direction: 'lower' }) // => null
 */
export function failureValue(measure: Measure): number | null {
  if (measure.onFailure === undefined) return worstValue(measure);
  return measure.onFailure === 'indeterminate' ? null : measure.onFailure;
}

/**
 * Whether differences are taken on the log scale (ratios).
 * @example isLogScale({ kind: 'cost', role: 'reported', direction: 'lower' }) // => true
 */
export function isLogScale(measure: Measure): boolean {
  return measure.kind === 'duration' || measure.kind === 'cost';
}

/**
 * Whether the measure depends on the clock, so that its numbers stay out of the reproducible verdict.
 * @example isWallClock({ kind: 'cost', role: 'reported', direction: 'lower' }) // => false
 */
export function isWallClock(measure: Measure): boolean {
  return measure.kind === 'duration';
}

/** Largest size of a value: differences, squares and sums of what lies within stay finite numbers. */
export const largestValue = 1e100;

/**
 * Why a reported value cannot be a value of the measure, or null when it can.
 * @example valueProblem({ kind: 'binary', scale: 1, role: 'primary', direction: 'higher' }, 0.5) // => 'expected 0 or 1'
 */
export function valueProblem(measure: Measure, value: number): string | null {
  if (!Number.isFinite(value)) return 'expected a finite number';
  if (Math.abs(value) > largestValue) return `expected a number within +-${largestValue}`;
  switch (measure.kind) {
    case 'binary':
      return value === 0 || value === measure.scale ? null : `expected 0 or ${measure.scale}`;
    case 'ordinal':
      return measure.levels.includes(value) ? null : `expected one of ${measure.levels.join(', ')}`;
    case 'score':
      return value >= measure.min && value <= measure.max
        ? null
        : `expected ${measure.min} .. ${measure.max}`;
    case 'count':
      return countProblem(measure, value);
    case 'duration':
    case 'cost':
      return ratioProblem(measure.floor !== undefined, value);
    case 'continuous':
      return null;
  }
}

/** Ratios need values above zero; a declared floor stands in for zero. */
function ratioProblem(floored: boolean, value: number): string | null {
  if (floored) return value >= 0 ? null : 'expected a value >= 0';
  return value > 0 ? null : 'expected a value above 0';
}

function countProblem(measure: Measure & { kind: 'count' }, value: number): string | null {
  if (!Number.isInteger(value) || value < measure.min)
    return `expected a whole number >= ${measure.min}`;
  return measure.max !== undefined && value > measure.max
    ? `expected at most ${measure.max}`
    : null;
}
