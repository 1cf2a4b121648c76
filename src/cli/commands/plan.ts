/** `liftgate plan`: what the sealed rules would do, before anything is sealed or spent. */
import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { LiftgateError } from '../../base/errors.ts';
import { operatingLines } from '../../report/operating.ts';
import { planLines } from '../../report/plan.ts';
import { planExperiment } from '../../serve/library.ts';
import { parseAssumptions, simulateExperiment } from '../../serve/simulate.ts';
import type { Assumptions } from '../../spec/assumptions.ts';
import type { CommandContext } from '../context.ts';
import { openExperiment } from '../workspace.ts';

export interface PlanOptions {
  /** Decisions per scenario, as typed; 0 leaves the simulation out. */
  readonly simulations: string;
  /** JSON file with what is assumed. */
  readonly assume?: string;
  /** Run folder whose receipts say what to assume. */
  readonly pilot?: string;
}

/** One line on a terminal, written over again and removed at the end. */
function simulationLine(): {
  readonly show: (decisions: number) => void;
  readonly end: () => void;
} {
  const { stderr } = process;
  if (stderr.isTTY !== true || process.env['CI'] !== undefined)
    return { show: () => undefined, end: () => undefined };
  return {
    show: (decisions) => stderr.write(`\r${decisions.toLocaleString('en')} simulated decisions `),
    end: () => stderr.write('\r\u001b[K'),
  };
}

export async function plan(
  { output, signal, cwd }: CommandContext,
  { simulations, assume, pilot }: PlanOptions,
  path: string,
): Promise<number> {
  const loaded = await openExperiment(path, { candidates: 'open' });
  const report = planExperiment(loaded);
  for (const line of planLines(report)) output.line(line);
  const wanted = Number(simulations);
  const progress = simulationLine();
  const operating =
    wanted === 0
      ? null
      : await simulateExperiment({
          loaded,
          simulations: wanted,
          signal,
          onProgress: progress.show,
          ...(assume === undefined
            ? {}
            : { assume: readAssumptions(resolve(cwd, assume), assume) }),
          ...(pilot === undefined ? {} : { pilot: resolve(cwd, pilot) }),
        }).finally(progress.end);
  for (const line of operating === null ? [] : operatingLines(operating)) output.line(line);
  output.document({ ...report, operating });
  return 0;
}

function readAssumptions(path: string, file: string): Assumptions {
  if (!existsSync(path)) {
    throw new LiftgateError('usage', `There is no file ${file}.`, {
      mend: 'Name a JSON file with assumptions, or leave --assume out.',
    });
  }
  return parseAssumptions(readFileSync(path), file);
}
