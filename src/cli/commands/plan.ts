/** `liftgate plan`: what the sealed rules would do, before anything is sealed or spent. */
import { operatingLines } from '../../report/operating.ts';
import { planLines } from '../../report/plan.ts';
import { planExperiment } from '../../serve/library.ts';
import { simulateExperiment } from '../../serve/simulate.ts';
import type { CommandContext } from '../context.ts';
import { openExperiment } from '../workspace.ts';

export interface PlanOptions {
  /** Decisions per scenario, as typed; 0 leaves the simulation out. */
  readonly simulations: string;
}

export async function plan(
  { output, signal }: CommandContext,
  { simulations }: PlanOptions,
  path: string,
): Promise<number> {
  const loaded = await openExperiment(path, { candidates: 'open' });
  const report = planExperiment(loaded);
  for (const line of planLines(report)) output.line(line);
  const wanted = Number(simulations);
  const operating =
    wanted === 0 ? null : await simulateExperiment({ loaded, simulations: wanted, signal });
  for (const line of operating === null ? [] : operatingLines(operating)) output.line(line);
  output.document({ ...report, operating });
  return 0;
}
