/** The claim: what is asserted, about whom, on which independent unit. */
import * as z from '../base/shape.ts';
import { fieldNameSchema, idSchema, textSchema } from './words.ts';

/** What the evidence is for. `development` evidence can never ship; the other two may. */
export const claimUseSchema = z.enum(['development', 'comparison', 'certification']);

/** `new-units`: units are a sample of the population. `fixed-roster`: the claim concerns the listed units only. */
export const generalizationSchema = z.enum(['new-units', 'fixed-roster']);

export const claimSchema = z.strictObject({
  use: claimUseSchema.describe(
    'What the evidence is for; development can never ship, certification asks for stricter designs.',
  ),
  decision: textSchema.describe('The decision this experiment informs.'),
  population: z.strictObject({
    id: idSchema.describe('Name under which the ledger keeps the units; part of the design.'),
    description: textSchema.describe('The population in words.'),
  }),
  samplingFrame: textSchema.describe('How the cases were drawn from the population.'),
  unit: fieldNameSchema.describe('Field of each case that names its independent unit.'),
  generalization: generalizationSchema.describe(
    'new-units: the units are a sample; fixed-roster: the claim is about the listed units only.',
  ),
  minimumEffect: z
    .number()
    .positive()
    .optional()
    .describe('Smallest useful improvement of the primary measure, in its own units.'),
});

/** Intended use, population, sampling frame, independent unit, generalization target, optional minimum effect. */
export type Claim = z.infer<typeof claimSchema>;
