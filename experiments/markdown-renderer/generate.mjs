// Writes the index of the installed examples: node generate.mjs OUT. The same package gives the same bytes.
import { writeFileSync } from 'node:fs';
import { indexRows } from './examples.mjs';

const [out] = process.argv.slice(2);
if (out === undefined) {
  process.stderr.write('usage: node generate.mjs OUT, for example node generate.mjs cases.jsonl\n');
  process.exit(64);
}
writeFileSync(
  out,
  indexRows()
    .map((row) => `${JSON.stringify(row)}\n`)
    .join(''),
);
