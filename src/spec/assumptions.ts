/** What a simulation before the spend assumes of measures, losses and spending: stated in a power gate or a file, or measured in a pilot. */
import * as z from '../base/shape.ts';
import { idSchema } from './words.ts';

const share = z.number().min(0).max(1);

export const measureAssumptionSchema = z.strictObject({
  discordance: share
    .optional()
    .describe('Share of pairs of a binary measure that differ, whatever the effect.'),
  deviation: z
    .number()
    .positive()
    .optional()
    .describe('Standard deviation of the differences of pairs, in the units of the measure.'),
  correlation: share.optional().describe('Correlation of two pairs of one unit.'),
  placebo: z
    .number()
    .optional()
    .describe(
      'Improvement of the placebo arm over the baseline, as gates write theirs; 0 without it.',
    ),
  follows: z
    .number()
    .min(-1)
    .max(1)
    .optional()
    .describe(
      'What it gains with the improved measure, as shares of their ranges: 1 is as much; 0 without it, 1 where reward-hacking or a contamination probe holds the two against each other.',
    ),
  rate: share
    .optional()
    .describe(
      "Share of a candidate's cells that score 1 (binary), violate (critical) or take longer than a latency gate's max.",
    ),
});
/** What is assumed of one measure. */
export type MeasureAssumption = z.infer<typeof measureAssumptionSchema>;

const spendingSchema = z.strictObject({
  baseline: z.number().min(0).describe('Mean of one cell of the baseline.'),
  candidate: z.number().min(0).describe('Mean of one cell of a candidate.'),
  deviation: z.number().min(0).default(0).describe('Standard deviation between cells.'),
});
/** What one cell spends. */
export type SpendingAssumption = z.infer<typeof spendingSchema>;

const faultSchema = z.strictObject({
  baseline: share.describe('Of the cells of the baseline.'),
  candidate: share.describe('Of the cells of a candidate.'),
});

const customSchema = z.strictObject({
  pass: share.describe('Probability that the gate answers ship for a candidate.'),
});

const jointSchema = z.strictObject({
  measures: z
    .number()
    .min(-1)
    .max(1)
    .optional()
    .describe(
      'Correlation of two measures of one candidate in one pair, towards better; below 0 for two measures only. Without it they are drawn apart.',
    ),
  candidates: share
    .optional()
    .describe(
      'Correlation of two candidates in one pair: 0.5 where all arms are alike, because they share the baseline. Without it they are drawn apart.',
    ),
});

export const assumptionsSchema = z.strictObject({
  measures: z.record(idSchema, measureAssumptionSchema).optional().describe('By measure.'),
  joint: jointSchema.optional().describe('How differences belong together.'),
  lossRate: z
    .number()
    .min(0)
    .lt(1)
    .optional()
    .describe('Share of cells that give nothing in the end, after all attempts.'),
  usdPerCell: spendingSchema.optional().describe('Dollars of one cell, by arm.'),
  tokensPerCell: spendingSchema.optional().describe('Tokens of one cell, by arm.'),
  msPerCell: z.number().min(0).optional().describe('Mean time of one cell.'),
  faultRate: faultSchema
    .optional()
    .describe('Share of cells that meet a fault at any attempt, lost ones among them, by arm.'),
  waitMs: spendingSchema.optional().describe('Time that a cell is kept waiting, by arm.'),
  leakRate: share
    .optional()
    .describe("Share of a candidate's cells whose output holds a canary text; 0 without it."),
  gates: z
    .record(idSchema, customSchema)
    .optional()
    .describe('By name of a custom gate, whose code is not run on simulated evidence.'),
});
/** Everything that is stated or was measured; what is absent is taken from the default assumptions, or not simulated. */
export type Assumptions = z.infer<typeof assumptionsSchema>;

/**
 * Assumptions of which the second ones win, measure by measure and member by member.
 * @example mergedAssumptions({ lossRate: 0.1 }, { msPerCell: 5 }) // => { lossRate: 0.1, msPerCell: 5, measures: {} }
 */
export function mergedAssumptions(first: Assumptions, second: Assumptions): Assumptions {
  const ids = [...Object.keys(first.measures ?? {}), ...Object.keys(second.measures ?? {})];
  const measures = Object.fromEntries(
    ids.map((id) => [id, { ...first.measures?.[id], ...second.measures?.[id] }]),
  );
  const gates = { ...first.gates, ...second.gates };
  const joint = { ...first.joint, ...second.joint };
  return {
    ...first,
    ...second,
    measures,
    ...(first.gates || second.gates ? { gates } : {}),
    ...(first.joint || second.joint ? { joint } : {}),
  };
}
