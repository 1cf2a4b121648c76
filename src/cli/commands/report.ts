/** `liftgate report`: a recorded run for people or machines. */
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseDecision } from '../../report/decision.ts';
import { renderSummary } from '../../report/markdown.ts';
import { verdictLines } from '../../report/verdict-lines.ts';
import { parseSeal } from '../../spec/seal.ts';
import { readRunFiles } from '../../store/run-folder.ts';
import { runFile, runFileNames } from '../../verify/record.ts';
import type { CommandContext } from '../context.ts';

export async function report(
  { output, cwd }: CommandContext,
  options: { readonly verdicts?: boolean; readonly out?: string },
  path: string,
): Promise<number> {
  const files = readRunFiles(resolve(cwd, path));
  const document = parseDecision(runFile(files, runFileNames.decision), runFileNames.decision);
  const seal = parseSeal(runFile(files, runFileNames.seal), runFileNames.seal);
  const summary = renderSummary(document, seal);
  if (options.out !== undefined) writeFileSync(resolve(cwd, options.out), summary);
  else if (options.verdicts !== true) output.line(summary);
  for (const line of verdictLines(document)) output.line(line);
  output.document(document);
  await output.flush();
  return 0;
}
