/** Simulation of a plan, spread over threads. */
import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { LiftgateError } from '../base/errors.ts';
import { threadPool } from '../host/pool.ts';
import { type OperatingCharacteristics, operatingCharacteristics } from '../report/operating.ts';
import { planSeal } from '../spec/seal-plan.ts';
import { seedHex } from '../spec/seeds.ts';
import { engineIdentity } from '../store/engine.ts';
import type { LoadedExperiment } from '../store/experiment-folder.ts';
import { sourceFolder } from '../store/package.ts';
import { sealInput } from '../store/seal-experiment.ts';

/** The program of a thread; only a build has it, and without one everything is computed in place. */
const program = join(sourceFolder, 'host', 'pool-worker.js');

/** How a plan is simulated. */
export interface PlanSimulation {
  readonly loaded: LoadedExperiment;
  /** Simulated decisions of each scenario, from 100; default 500. Monte Carlo errors are printed beside every rate. */
  readonly simulations?: number;
  /** Threads; one per processor by default, 0 for none. The numbers are the same for any. */
  readonly workers?: number;
  readonly signal?: AbortSignal;
  readonly onProgress?: (done: number, total: number) => void;
}

/**
 * Simulates the sealed decision before anything is spent: how often the rules ship a candidate that is no better, how often one that is
 * better by the planned effect, the smallest effect found with the target power, and the units the target needs.
 *
 * @throws {LiftgateError} usage        for fewer than 100 simulations or a negative number of workers
 * @throws {LiftgateError} interrupted  when the signal is aborted
 * @example (await simulateExperiment({ loaded, simulations: 100 })).simulations // => 100
 */
export async function simulateExperiment(
  options: PlanSimulation,
): Promise<OperatingCharacteristics> {
  const {
    loaded,
    simulations = 500,
    workers = availableParallelism(),
    signal,
    onProgress,
  } = options;
  if (!Number.isSafeInteger(simulations) || simulations < 100) {
    throw new LiftgateError('usage', 'A plan takes a whole number of simulations, 100 or more.', {
      mend: 'Leave it out for 500.',
    });
  }
  const { seal } = planSeal(sealInput(loaded, engineIdentity()));
  const pool = threadPool(
    existsSync(program) ? { workers, program: pathToFileURL(program) } : { workers: 0 },
  );
  const call = { ...(signal && { signal }), ...(onProgress && { onProgress }) };
  try {
    const seed = seedHex(seal.digests.cases, 'plan');
    return await operatingCharacteristics(
      { seal, index: loaded.index },
      { replicates: simulations, seed, pool, call },
    );
  } finally {
    await pool.close();
  }
}
