/**
 * When a run stops measuring: after every unit, or at the first of its sealed looks that decides.
 *
 * A look is a number of units in the sealed order. What a look may conclude is fixed before the first cell: the error it may spend
 * under a spending rule, or a bound that holds at every unit at once.
 */
import * as z from '../base/shape.ts';

/** How a group-sequential design spends its error: two shapes, and the two spending functions of Lan and DeMets. */
export const spendingSchema = z.enum([
  'obrien-fleming',
  'pocock',
  'lan-demets-obrien-fleming',
  'lan-demets-pocock',
]);
export type Spending = z.infer<typeof spendingSchema>;

const looksSchema = z
  .union([
    z.array(z.int().min(1).describe('Units at one look.')).min(1).max(1000),
    z.strictObject({
      every: z
        .int()
        .min(1)
        .describe('Units from one look to the next; the last look has them all.'),
      from: z.int().min(1).optional().describe('Units at the first look; default: every.'),
    }),
  ])
  .describe('Units at each look, rising, the last one all final units; or {every, from}.');

const futilitySchema = z
  .strictObject({
    error: z
      .number()
      .gt(0)
      .lt(0.5)
      .describe(
        'Probability, over all looks, of giving up a candidate whose improvement is claim.minimumEffect.',
      ),
  })
  .optional()
  .describe(
    'Stop for hold when the primary improvement is shown to be below claim.minimumEffect. Not binding: the error of shipping takes no credit for it.',
  );

export const sequentialSchema = z.discriminatedUnion('rule', [
  z.strictObject({
    rule: z.literal('group-sequential').describe('A few planned looks share the error.'),
    spending: spendingSchema.describe('How the looks share it.'),
    looks: looksSchema,
    futility: futilitySchema,
  }),
  z.strictObject({
    rule: z
      .literal('anytime')
      .describe('Betting sequences: the error holds at every unit at once.'),
    looks: looksSchema,
    futility: futilitySchema,
  }),
]);
/** A rule that may stop before the last unit. */
export type Sequential = z.infer<typeof sequentialSchema>;

export const stoppingSchema = z.union([z.literal('fixed'), sequentialSchema]);
export type Stopping = z.infer<typeof stoppingSchema>;

/** Name of a stopping rule. */
export type StoppingRule = 'fixed' | Sequential['rule'];

/** Most looks of a group-sequential design: beyond them each would be left too little error. */
export const mostGroupLooks = 30;

/**
 * The sequential rule of a spec, or null for a run that measures every unit.
 * @example sequentialOf({ stopping: 'fixed' }) // => null
 */
export function sequentialOf({
  stopping,
}: {
  readonly stopping?: Stopping | undefined;
}): Sequential | null {
  return stopping === undefined || stopping === 'fixed' ? null : stopping;
}

/**
 * Units at each look of a rule, as sealed.
 * @param units  final units
 * @example plannedLooks({ rule: 'anytime', looks: { every: 20 } }, 50) // => [20, 40, 50]
 */
export function plannedLooks({ looks }: Pick<Sequential, 'looks'>, units: number): number[] {
  if (Array.isArray(looks)) return [...looks];
  const planned: number[] = [];
  for (let at = looks.from ?? looks.every; at < units; at += looks.every) planned.push(at);
  return [...planned, units];
}
