/** The claim: what is asserted, about whom, on which independent unit. */
import * as z from 'zod';
import { fieldNameSchema, idSchema, textSchema } from './words.ts';

/** What the evidence is for. `development` evidence can never ship; the other two may. */
export const claimUseSchema = z.enum(['development', 'comparison', 'certification']);

/** `new-units`: units are a sample of the population. `fixed-roster`: the claim concerns the listed units only. */
export const generalizationSchema = z.enum(['new-units', 'fixed-roster']);

export const claimSchema = z.strictObject({
  use: claimUseSchema,
  decision: textSchema.describe('The decision this experiment informs.'),
  population: z.strictObject({ id: idSchema, description: textSchema }),
  samplingFrame: textSchema.describe('How the cases were drawn from the population.'),
  unit: fieldNameSchema.describe('Field of each case that names its independent unit.'),
  generalization: generalizationSchema,
  minimumEffect: z
    .number()
    .positive()
    .optional()
    .describe('Smallest useful improvement of the primary measure, in its own units.'),
});

/** Intended use, population, sampling frame, independent unit, generalization target, optional minimum effect. */
export type Claim = z.infer<typeof claimSchema>;
