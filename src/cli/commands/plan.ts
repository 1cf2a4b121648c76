/** `liftgate plan`: what the sealed rules would do, before anything is sealed or spent. */
import { planLines } from '../../report/plan.ts';
import { planExperiment } from '../../serve/library.ts';
import type { CommandContext } from '../context.ts';
import { openExperiment } from '../workspace.ts';

export async function plan({ output }: CommandContext, path: string): Promise<number> {
  const report = planExperiment(await openExperiment(path, { candidates: 'open' }));
  for (const line of planLines(report)) output.line(line);
  output.document(report);
  return 0;
}
