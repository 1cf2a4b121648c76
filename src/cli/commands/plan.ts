/** `liftgate plan`: what the sealed rules would do, before anything is sealed or spent. */
import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { LiftgateError } from '../../base/errors.ts';
import { aaLines } from '../../report/aa.ts';
import { operatingLines } from '../../report/operating.ts';
import { planLines } from '../../report/plan.ts';
import { runAa } from '../../serve/aa.ts';
import { planExperiment } from '../../serve/library.ts';
import { parseAssumptions, simulateExperiment } from '../../serve/simulate.ts';
import type { Assumptions } from '../../spec/assumptions.ts';
import type { CommandContext } from '../context.ts';
import { createProgress } from '../progress.ts';
import { openExperiment } from '../workspace.ts';

export interface PlanOptions {
  /** Decisions per scenario, as typed; 0 leaves the simulation out. */
  readonly simulations: string;
  /** JSON file with what is assumed. */
  readonly assume?: string;
  /** Run folder whose receipts say what to assume. */
  readonly pilot?: string;
  /** Whether to run the baseline against itself in place of the simulation. */
  readonly aa?: boolean;
  /** Rounds of an A/A run, as typed. */
  readonly rounds?: string;
}

/** One line on a terminal, written over again and removed at the end. */
function countLine(what: string): {
  readonly show: (decisions: number) => void;
  readonly end: () => void;
} {
  const { stderr } = process;
  if (stderr.isTTY !== true || process.env['CI'] !== undefined)
    return { show: () => undefined, end: () => undefined };
  return {
    show: (decisions) => stderr.write(`\r${decisions.toLocaleString('en')} ${what} `),
    end: () => stderr.write('\r\u001b[K'),
  };
}

export async function plan(
  context: CommandContext,
  options: PlanOptions,
  path: string,
): Promise<number> {
  const { output, signal, cwd } = context;
  const { simulations, assume, pilot } = options;
  refuseMixture(options);
  if (options.aa === true) return await planAa(context, options, path);
  const loaded = await openExperiment(path, { candidates: 'open' });
  const report = planExperiment(loaded);
  for (const line of planLines(report)) output.line(line);
  const wanted = Number(simulations);
  const progress = countLine('simulated decisions');
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

/** @throws {LiftgateError} usage for options of a simulation with --aa, and the other way round */
function refuseMixture({ aa, rounds, assume, pilot }: PlanOptions): void {
  const assumed = assume !== undefined || pilot !== undefined;
  if (aa === true ? !assumed : rounds === undefined) return;
  throw new LiftgateError(
    'usage',
    aa === true
      ? 'An A/A run measures and assumes nothing, so --assume and --pilot have no use with --aa.'
      : 'Only an A/A run has rounds.',
    { mend: aa === true ? 'Leave them out.' : 'Add --aa, or leave --rounds out.' },
  );
}

/** Exit 30 when cells stayed without an outcome: what is reported then rests on fewer. */
async function planAa(
  { output, signal }: CommandContext,
  { simulations, rounds = '1' }: PlanOptions,
  path: string,
): Promise<number> {
  const loaded = await openExperiment(path, { candidates: 'open' });
  const report = planExperiment(loaded);
  const cells = createProgress({
    isTerminal: process.stderr.isTTY === true && process.env['CI'] === undefined,
    columns: process.stderr.columns ?? 80,
    write: (text) => process.stderr.write(text),
  });
  const redraws = countLine('redraws');
  const aa = await runAa({
    loaded,
    signal,
    rounds: Number(rounds),
    redraws: Number(simulations),
    onNote: (text) => output.note(text),
    onProgress: (state) => cells.show(state),
    onRedraw: redraws.show,
  }).finally(() => {
    cells.finish();
    redraws.end();
  });
  for (const line of aaLines(aa)) output.line(line);
  output.document({ ...report, operating: null, aa });
  return aa.cells.settled < aa.cells.planned ? 30 : 0;
}

function readAssumptions(path: string, file: string): Assumptions {
  if (!existsSync(path)) {
    throw new LiftgateError('usage', `There is no file ${file}.`, {
      mend: 'Name a JSON file with assumptions, or leave --assume out.',
    });
  }
  return parseAssumptions(readFileSync(path), file);
}
