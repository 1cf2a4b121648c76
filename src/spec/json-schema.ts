/**
 * JSON Schemas of the recorded shapes, generated from the same shapes that read them. `schemas/` holds the committed texts;
 * `npm run schemas` writes them and a test fails when one is stale. Rules between fields are not in them: `liftgate check` knows more.
 */
import { prettyText } from '../base/canonical.ts';
import * as z from '../base/shape.ts';
import { jsonSchemaOf } from '../base/shape-json-schema.ts';
import { sealSchema } from './seal.ts';
import { specSchema } from './spec.ts';
import { casesSchema } from './units.ts';
import { digestSchema, relativePathSchema } from './words.ts';

/** Schemas of layers above this one, handed in by whoever writes the files. */
export interface UpperSchemas {
  readonly ledgerEntry: z.AnyShape;
  readonly receiptLine: z.AnyShape;
  readonly decision: z.AnyShape;
  readonly gates: z.AnyShape;
}

const shortCasesSchema = z
  .strictObject({
    file: relativePathSchema.describe('The one file, in place of files.'),
    id: casesSchema.shape.id,
    input: casesSchema.shape.input,
    expected: casesSchema.shape.expected,
  })
  .describe('Short form for one file of the experiment folder.');

/** The experiment file as people write it: short forms allowed, defaults left out. */
const experimentFileSchema = specSchema.extend({
  cases: z.union([casesSchema, shortCasesSchema]),
  multiplicity: specSchema.shape.multiplicity
    .optional()
    .describe('Default: holm for several candidates, none for one.'),
});

/**
 * Texts of all schema files by file name.
 * @example Object.keys(schemaFiles(upper)).length // => 6
 */
export function schemaFiles(upper: UpperSchemas): Record<string, string> {
  const text = (schema: z.AnyShape, name: string, title: string): string =>
    jsonSchemaText(schema, { id: `urn:liftgate:${name}`, title, io: 'output' });
  return {
    'experiment.schema.json': jsonSchemaText(experimentFileSchema, {
      id: 'urn:liftgate:experiment:1',
      title: 'Liftgate experiment file',
      io: 'input',
    }),
    'seal.schema.json': text(sealSchema, 'seal:v1', 'Liftgate seal'),
    'ledger-entry.schema.json': text(upper.ledgerEntry, 'ledger-entry:1', 'Liftgate ledger entry'),
    'receipt-line.schema.json': text(upper.receiptLine, 'receipt-line:1', 'Liftgate receipt line'),
    'decision.schema.json': text(upper.decision, 'decision:v1', 'Liftgate decision document'),
    'gates.schema.json': text(upper.gates, 'gates:v1', 'Liftgate record of gates in code'),
  };
}

/** What a generated schema is called, and whether it describes what people write or what is recorded. */
interface SchemaHead {
  readonly id: string;
  readonly title: string;
  readonly io: 'input' | 'output';
}

function jsonSchemaText(schema: z.AnyShape, { id, title, io }: SchemaHead): string {
  const generated = jsonSchemaOf(schema, {
    io,
    custom: ({ test }) =>
      test === digestSchema.test ? { type: 'string', pattern: '^sha256:[0-9a-f]{64}$' } : {},
  });
  return prettyText({ ...generated, $id: id, title });
}
