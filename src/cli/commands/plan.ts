/** `liftgate plan`: what the sealed rules would do, before anything is sealed or spent. */
import { planLines, planReport } from '../../report/plan.ts';
import { planSeal } from '../../spec/seal-plan.ts';
import { engineIdentity } from '../../store/engine.ts';
import { sealInput } from '../../store/seal-experiment.ts';
import type { CommandContext } from '../context.ts';
import { openExperiment } from '../workspace.ts';

export async function plan({ output }: CommandContext, path: string): Promise<number> {
  const loaded = await openExperiment(path, { candidates: 'open' });
  const { seal } = planSeal(sealInput(loaded, engineIdentity()));
  const report = planReport(seal, loaded.index);
  for (const line of planLines(report)) output.line(line);
  output.document(report);
  return 0;
}
