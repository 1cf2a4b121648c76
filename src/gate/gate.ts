/**
 * Gate results: what each sealed rule found in the evidence, and the decisions they lead to.
 *
 * pass           cleared                  the bound clears the threshold, the check holds
 * fail           breached                 evidence shows the opposite, or a hard rule was broken
 * fail           unresolved               enough evidence, and the interval straddles the threshold
 * not_evaluated  indeterminate            this evidence carries no interval
 * not_evaluated  insufficient             lost cells, too few units
 * not_evaluated  missing                  the gate's own input was never supplied
 * not_evaluated  unconfigured             the optional gate was not configured
 */
import { estimateFlagSchema, estimateSchema, sampleSizeSchema } from '../analysis/estimate.ts';
import type { SampleSize } from '../analysis/unit-value.ts';
import * as z from '../base/shape.ts';
import { gateAnswerSchema } from '../run/gate-reply.ts';
import type { Bounds } from '../stats/interval.ts';

/** The five decisions; the two ceilings come only from gates a caller supplies. */
export const decisionSchema = z.enum([
  'ship',
  'hold',
  'need_more_work',
  'model_ceiling',
  'arch_ceiling',
]);
/** One decision. */
export type Decision = z.infer<typeof decisionSchema>;

/** What a gate found, as listed above. */
export const findingSchema = z.enum([
  'cleared',
  'breached',
  'unresolved',
  'indeterminate',
  'insufficient',
  'missing',
  'unconfigured',
]);
/** One finding. */
export type Finding = z.infer<typeof findingSchema>;

/** The three statuses a finding stands under. */
export const gateStatusSchema = z.enum(['pass', 'fail', 'not_evaluated']);
/** One status. */
export type GateStatus = z.infer<typeof gateStatusSchema>;

/**
 * What to know about a contribution beside its numbers; estimate flags are repeated here.
 *
 * lost-by-fault          what lacks was lost to infrastructure faults, evaluator failures or cancelled cells alone
 * one-unit               a single unit carries no inference about new ones
 * smaller-than-useful    breached because the whole interval lies below claim.minimumEffect
 * futile                 breached by the sealed futility rule: an improvement of claim.minimumEffect is ruled out at its error
 * baseline-violations    the baseline violates the critical rule as well, which excuses nothing
 * failed-cells           failed cells took the sealed failure value
 * not-confirmatory       hand-written or imported receipts prove no conduct
 * simulated-by-plan      simulated before sealing, by `liftgate plan`
 * underpowered           sealed with less power than its target, which the spec accepts
 */
export const contributionFlagSchema = z.enum([
  ...estimateFlagSchema.options,
  'lost-by-fault',
  'one-unit',
  'smaller-than-useful',
  'futile',
  'baseline-violations',
  'failed-cells',
  'not-confirmatory',
  'simulated-by-plan',
  'underpowered',
]);
/** One flag of a contribution. */
export type ContributionFlag = z.infer<typeof contributionFlagSchema>;

/** Recorded shape of a contribution; numbers a gate does not have are null, `errorLevel` is one-sided. */
export const contributionSchema = z.strictObject({
  name: z.string(),
  gate: z.string(),
  measure: z.string().nullable(),
  status: gateStatusSchema,
  finding: findingSchema,
  required: z.boolean(),
  statistic: z.number().nullable(),
  threshold: z.number().nullable(),
  errorLevel: z.number().nullable(),
  n: sampleSizeSchema.nullable(),
  reason: z.string(),
  flags: z.array(contributionFlagSchema),
  estimate: estimateSchema.nullable(),
  answer: gateAnswerSchema.optional().describe('Of a custom gate: what its code answered.'),
});
/** A gate's result: status, finding, the numbers compared, and one sentence why. */
export type Contribution = z.infer<typeof contributionSchema>;

/** Status that a finding stands under. */
export function statusOf(finding: Finding): GateStatus {
  switch (finding) {
    case 'cleared':
      return 'pass';
    case 'breached':
    case 'unresolved':
      return 'fail';
    case 'indeterminate':
    case 'insufficient':
    case 'missing':
    case 'unconfigured':
      return 'not_evaluated';
  }
}

/** What every gate fills in; numbers it does not have are null. */
export interface ContributionParts {
  readonly name: string;
  readonly gate: string;
  readonly required: boolean;
  readonly finding: Finding;
  readonly reason: string;
  readonly measure?: string | null;
  readonly statistic?: number | null;
  readonly threshold?: number | null;
  readonly errorLevel?: number | null;
  readonly n?: SampleSize | null;
  readonly flags?: readonly ContributionFlag[];
  readonly estimate?: Contribution['estimate'];
  readonly answer?: Contribution['answer'];
}

/**
 * A contribution with its status and with null for what the gate does not have.
 * @example contributionOf({ name: 'controls', gate: 'controls', required: true, finding: 'missing', reason: 'none' }).status
 * // => 'not_evaluated'
 */
export function contributionOf(parts: ContributionParts): Contribution {
  return {
    name: parts.name,
    gate: parts.gate,
    measure: parts.measure ?? null,
    status: statusOf(parts.finding),
    finding: parts.finding,
    required: parts.required,
    statistic: parts.statistic ?? null,
    threshold: parts.threshold ?? null,
    errorLevel: parts.errorLevel ?? null,
    n: parts.n ?? null,
    reason: parts.reason,
    flags: [...new Set(parts.flags ?? [])],
    estimate: parts.estimate ?? null,
    ...(parts.answer === undefined ? {} : { answer: parts.answer }),
  };
}

/** How a candidate stands in the order of candidates, as far as one gate needs it. */
export interface Standing {
  /** Whether the gate clears at the shown error and at every larger one. */
  readonly clears: boolean;
  /** Whether the shown bound is that of a step in Holm's order. */
  readonly stepwise: boolean;
  /** The candidate at which a fixed sequence stopped before this one came up, else null: such a gate never clears. */
  readonly stoppedBy: string | null;
}

/** A finding with its reason. */
export type FoundReason = Pick<Contribution, 'finding' | 'reason'>;

/**
 * Finding of a bound that breaches nothing: cleared if its candidate's turn came and no level of the order objects.
 * @param words  the reason of a bound beyond its threshold, and that of one which is not
 * @example standingFinding({ clears: true, stepwise: false, stoppedBy: null }, { beyond: 'above 0', open: 'includes 0' })
 * // => { finding: 'cleared', reason: 'above 0' }
 */
export function standingFinding(
  { clears, stoppedBy }: Standing,
  words: { readonly beyond: string; readonly open: string },
): FoundReason {
  if (clears && stoppedBy === null) return { finding: 'cleared', reason: words.beyond };
  const own = clears ? words.beyond : words.open;
  if (stoppedBy === null) return { finding: 'unresolved', reason: own };
  const link = clears ? ', but' : '; besides,';
  const stopped = `the fixed sequence stopped at "${stoppedBy}" before this candidate`;
  return { finding: 'unresolved', reason: `${own}${link} ${stopped}` };
}

/** What a gate with a bound of its own says of one candidate at one error level. */
export interface BoundLevel {
  readonly clears: boolean;
  readonly contribution: (standing: Standing) => Contribution;
}

/**
 * A level of a gate whose contribution at an error says all: it takes its place in the order of candidates.
 * @param own  with the bound at that error, nobody else considered
 */
export function levelOf(own: Contribution): BoundLevel {
  const clears = own.finding === 'cleared';
  return {
    clears,
    contribution: (standing) => {
      const flags: ContributionFlag[] = standing.stepwise ? [...own.flags, 'stepwise'] : own.flags;
      if (!clears && own.finding !== 'unresolved') return contributionOf({ ...own, flags });
      const open = clears ? `${own.reason}, but not at every larger error level` : own.reason;
      const found = standingFinding(standing, { beyond: own.reason, open });
      return contributionOf({ ...own, ...found, flags });
    },
  };
}

/** How a gate speaks of bounds on the scale of the improvement. */
export interface BoundWords {
  /** The bound as the contribution shows it. */
  readonly shown: (bound: number) => number;
  readonly beyond: (lower: number, threshold: number) => string;
  readonly breached: (bounds: Bounds, threshold: number) => string;
  readonly open: (bounds: Bounds, threshold: number) => string;
}

/**
 * A number as sentences show it: 4 significant digits.
 * @example shownNumber(0.123456) // => '0.1235'
 */
export function shownNumber(value: number): string {
  return String(Number(value.toPrecision(4)));
}
