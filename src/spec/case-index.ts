/**
 * The case index: what verification needs to know of every input row without holding its text.
 *
 * `{type: "liftgate/cases/v1", rows: [{row, excluded} | {row, id, unit, split, excluded: null, applies, inputDigest, expectedDigest}]}`
 * as one canonical line; its digest is `dataset.cases.object` of the seal and a copy lies in the run folder.
 */
import * as z from '../base/shape.ts';
import { splitSchema } from './units.ts';
import { digestSchema, idSchema } from './words.ts';

export const caseIndexType = 'liftgate/cases/v1';

export const indexedCaseSchema = z.strictObject({
  row: z.int().min(1),
  id: z.string(),
  unit: z.string(),
  split: splitSchema,
  excluded: z.null(),
  applies: z.array(idSchema).describe('Measures whose `where` this case meets.'),
  inputDigest: digestSchema,
  expectedDigest: digestSchema,
  sketch: z
    .string()
    .regex(/^(?:[0-9a-f]{12})+$/)
    .optional()
    .describe('Hashes of word triples of the input, where a contamination gate compares cases.'),
});
/** An admitted case: its identity, where it belongs, and digests of what host and grader are shown. */
export type IndexedCase = z.infer<typeof indexedCaseSchema>;

export const excludedRowSchema = z.strictObject({
  row: z.int().min(1),
  excluded: idSchema.describe('Admission rule that dropped the row.'),
});

export const caseIndexSchema = z.strictObject({
  type: z.literal(caseIndexType),
  rules: z.array(idSchema).describe('Admission rules in the order they were applied.'),
  rows: z.array(z.union([indexedCaseSchema, excludedRowSchema])),
});
export type CaseIndex = z.infer<typeof caseIndexSchema>;

/** What is asked of one index again and again. */
interface IndexViews {
  readonly admitted: readonly IndexedCase[];
  readonly final: readonly IndexedCase[];
  readonly byId: ReadonlyMap<string, IndexedCase>;
}

/** By index: nobody changes one. */
const views = new WeakMap<CaseIndex, IndexViews>();

function viewsOf(index: CaseIndex): IndexViews {
  const known = views.get(index);
  if (known !== undefined) return known;
  const admitted = index.rows.filter((row): row is IndexedCase => row.excluded === null);
  const made = {
    admitted,
    final: admitted.filter((each) => each.split === 'final'),
    byId: new Map(admitted.map((each) => [each.id, each])),
  };
  views.set(index, made);
  return made;
}

/** Admitted cases of the index in row order. */
export function admittedCases(index: CaseIndex): readonly IndexedCase[] {
  return viewsOf(index).admitted;
}

/** Admitted cases of the final split in row order. */
export function finalCases(index: CaseIndex): readonly IndexedCase[] {
  return viewsOf(index).final;
}

/** Admitted cases by id. */
export function indexedCases(index: CaseIndex): ReadonlyMap<string, IndexedCase> {
  return viewsOf(index).byId;
}
