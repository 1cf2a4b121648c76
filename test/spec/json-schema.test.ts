import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { entrySchema } from '../../src/ledger/entry.ts';
import { decisionDocumentSchema } from '../../src/report/decision.ts';
import { receiptLineSchema } from '../../src/run/receipt.ts';
import { schemaFiles } from '../../src/spec/json-schema.ts';
import { gateRecordSchema } from '../../src/verify/gate-record.ts';

const folder = join(import.meta.dirname, '../../schemas');
const files = schemaFiles({
  ledgerEntry: entrySchema,
  receiptLine: receiptLineSchema,
  decision: decisionDocumentSchema,
  gates: gateRecordSchema,
});

function schemaOf(name: string): Record<string, unknown> {
  const value: unknown = JSON.parse(files[name] ?? 'null');
  expect(value).toBeTypeOf('object');
  return { ...(value as object) };
}

describe('schemaFiles', () => {
  test('the folder holds exactly the generated files', () => {
    expect(readdirSync(folder).sort()).toEqual(Object.keys(files).sort());
  });

  test.each(Object.keys(files))('%s is not stale (else: npm run schemas)', (name) => {
    expect(readFileSync(join(folder, name), 'utf8')).toBe(files[name]);
  });

  test('the experiment schema takes what people write: short cases and no multiplicity', () => {
    const schema = schemaOf('experiment.schema.json');
    expect(schema['required']).toEqual([
      'liftgate',
      'name',
      'claim',
      'cases',
      'splits',
      'arms',
      'host',
      'measures',
      'gates',
    ]);
    expect(schema['additionalProperties']).toBe(false);
    expect(schema).toMatchObject({
      properties: {
        cases: { anyOf: [{ required: ['files', 'id'] }, { required: ['file', 'id'] }] },
      },
    });
  });

  test('digests are text of a fixed form in every recorded shape', () => {
    expect(schemaOf('seal.schema.json')).toMatchObject({
      properties: {
        digests: {
          properties: { design: { type: 'string', pattern: '^sha256:[0-9a-f]{64}$' } },
        },
      },
    });
  });

  test('a recorded shape requires every default that is sealed', () => {
    const seal = schemaOf('seal.schema.json');
    expect(seal).toMatchObject({
      properties: {
        spec: { required: expect.arrayContaining(['repeats', 'inference', 'multiplicity']) },
      },
    });
  });
});
