/** Rows of one case file for tests of admission. */
import type { CaseRow } from '../../src/spec/units.ts';

/** Rows on the lines of one file; each differs in its text unless it says otherwise. */
export function rowsOf(...rows: readonly CaseRow['fields'][]): CaseRow[] {
  return rows.map((fields, index) => ({
    row: index + 1,
    file: 'cases.jsonl',
    line: index + 1,
    fields: { text: `text ${index}`, label: 1, ...fields },
  }));
}
