/** The small inputs of public bug reports in `test/reference/public-cases.json`, by id. */
import { readFileSync } from 'node:fs';
import * as z from 'zod';

const caseSchema = z.looseObject({
  id: z.string(),
  input: z.record(z.string(), z.unknown()),
  expected: z.record(z.string(), z.unknown()),
});
const file = new URL('../reference/public-cases.json', import.meta.url);

/** All of them, in the file's order. */
export const publicCases = z
  .object({ cases: z.array(caseSchema) })
  .parse(JSON.parse(readFileSync(file, 'utf8'))).cases;

/** One of them; fails when there is none of that id. */
export function publicCase(id: string): z.infer<typeof caseSchema> {
  const found = publicCases.find((each) => each.id === id);
  if (found === undefined) throw new Error(`no public case ${id}`);
  return found;
}

/** A list of numbers among the inputs of a case. */
export function inputNumbers(id: string, field: string): number[] {
  return z.array(z.number()).parse(publicCase(id).input[field]);
}

/** A list of words among the inputs of a case. */
export function inputWords(id: string, field: string): string[] {
  return z.array(z.string()).parse(publicCase(id).input[field]);
}
