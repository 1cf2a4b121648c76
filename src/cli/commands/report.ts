/** `liftgate report`: a recorded run for people or machines. */
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { renderSummary } from '../../report/markdown.ts';
import { verdictLines } from '../../report/verdict-lines.ts';
import { readDecision } from '../../serve/library.ts';
import type { CommandContext } from '../context.ts';

export async function report(
  { output, cwd }: CommandContext,
  options: { readonly verdicts?: boolean; readonly out?: string },
  path: string,
): Promise<number> {
  const { document, seal } = readDecision(resolve(cwd, path));
  const summary = renderSummary(document, seal);
  if (options.out !== undefined) writeFileSync(resolve(cwd, options.out), summary);
  else if (options.verdicts !== true) output.line(summary);
  for (const line of verdictLines(document)) output.line(line);
  output.document(document);
  await output.flush();
  return 0;
}
