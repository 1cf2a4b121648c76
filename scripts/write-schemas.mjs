// Writes schemas/*.schema.json from the built engine. A test fails when a committed schema is stale.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { entrySchema } from '../dist/ledger/entry.js';
import { decisionDocumentSchema } from '../dist/report/decision.js';
import { receiptLineSchema } from '../dist/run/receipt.js';
import { schemaFiles } from '../dist/spec/json-schema.js';
import { gateRecordSchema } from '../dist/verify/gate-record.js';

const folder = join(import.meta.dirname, '..', 'schemas');
mkdirSync(folder, { recursive: true });
const files = schemaFiles({
  ledgerEntry: entrySchema,
  receiptLine: receiptLineSchema,
  decision: decisionDocumentSchema,
  gates: gateRecordSchema,
});
for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
console.log(`wrote ${Object.keys(files).length} schemas`);
