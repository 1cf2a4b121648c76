/** One row of a generated table. */
interface FieldRow {
  readonly field: string;
  readonly meaning: string;
}
export function specFields(schema: unknown): FieldRow[];
export function gateFields(
  schema: unknown,
): { readonly gate: string; readonly rows: readonly FieldRow[] }[];
export function generatedPages(): {
  readonly path: string;
  readonly page: string;
  readonly text: string;
}[];
