/** Simulation of a plan, spread over threads. */
import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { LiftgateError } from '../base/errors.ts';
import { readJson } from '../base/strict-json.ts';
import { type CandidatePilot, readPilot } from '../gate/pilot.ts';
import { threadPool } from '../host/pool.ts';
import { type OperatingCharacteristics, operatingCharacteristics } from '../report/operating.ts';
import { type Assumptions, assumptionsSchema, mergedAssumptions } from '../spec/assumptions.ts';
import { type CaseIndex, finalCases } from '../spec/case-index.ts';
import type { SealedExperiment } from '../spec/seal.ts';
import { planSeal } from '../spec/seal-plan.ts';
import { seedHex } from '../spec/seeds.ts';
import { engineIdentity } from '../store/engine.ts';
import type { LoadedExperiment } from '../store/experiment-folder.ts';
import { sourceFolder } from '../store/package.ts';
import { sealInput } from '../store/seal-experiment.ts';
import { readRecordedRun } from './run-report.ts';

/** The program of a thread; only a build has it, and without one everything is computed in place. */
const program = join(sourceFolder, 'host', 'pool-worker.js');

/** How a plan is simulated. */
export interface PlanSimulation {
  readonly loaded: LoadedExperiment;
  /** Simulated decisions of each scenario, from 100; default 500. Monte Carlo errors are printed beside every rate. */
  readonly simulations?: number;
  /** Threads; one per processor by default, 0 for none. The numbers are the same for any. */
  readonly workers?: number;
  /** What is stated of measures, losses and costs; it wins over what the power gate states. */
  readonly assume?: Assumptions;
  /** Folder of a recorded run whose receipts say what to assume; none of its final units may be one of this design. */
  readonly pilot?: string;
  readonly signal?: AbortSignal;
  /** Told how many decisions are simulated. */
  readonly onProgress?: (decisions: number) => void;
}

/**
 * Simulates the sealed decision before anything is spent: how often the rules ship a candidate that is no better, how often one that is
 * better by the planned effect, the smallest effect found with the target power, and the units the target needs.
 *
 * @throws {LiftgateError} usage           for fewer than 100 simulations or a negative number of workers
 * @throws {LiftgateError} design-refused  when the pilot measured final units of this design
 * @throws {LiftgateError} run-invalid, seal-invalid, receipt-invalid  for the pilot's folder
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
  const stated = options.assume ?? {};
  const pilot =
    options.pilot === undefined
      ? undefined
      : pilotOf(options.pilot, seal, loaded.index).map((each) => ({
          ...each,
          assumptions: mergedAssumptions(each.assumptions, stated),
        }));
  const pool = threadPool(
    existsSync(program) ? { workers, program: pathToFileURL(program) } : { workers: 0 },
  );
  let decisions = 0;
  const onScenarios = (_: number, decided: number): void => {
    decisions += decided;
    onProgress?.(decisions);
  };
  try {
    const seed = seedHex(seal.digests.cases, 'plan');
    return await operatingCharacteristics(
      { seal, index: loaded.index, assumptions: stated, ...(pilot && { pilot }) },
      { replicates: simulations, seed, pool, onScenarios, ...(signal && { call: { signal } }) },
    );
  } finally {
    await pool.close();
  }
}

/** What a recorded run on other units than the design's says. */
function pilotOf(
  folder: string,
  seal: SealedExperiment,
  index: CaseIndex,
): readonly CandidatePilot[] {
  const { evidence } = readRecordedRun(folder);
  const own = finalCases(index);
  const units = new Set(own.map(({ unit }) => unit));
  const inputs = new Set(own.map(({ inputDigest }) => inputDigest));
  const shared = finalCases(evidence.index).filter(
    (each) => units.has(each.unit) || inputs.has(each.inputDigest),
  );
  if (shared.length > 0) {
    throw new LiftgateError(
      'design-refused',
      `The pilot measured ${shared.length} cases of final units of this design, the first is "${shared[0]?.id}".`,
      {
        where: { file: folder },
        mend: 'Take a run over other units: what the final units show may not shape their plan.',
      },
    );
  }
  return readPilot(evidence, seal);
}

/**
 * Reads assumptions from the bytes of a JSON file.
 * @throws {LiftgateError} json-invalid, spec-invalid naming the member
 * @example parseAssumptions(Buffer.from('{"lossRate": 0.01}'), 'a.json').lossRate // => 0.01
 */
export function parseAssumptions(bytes: Uint8Array, file: string): Assumptions {
  const parsed = assumptionsSchema.safeParse(readJson(bytes, { file }));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new LiftgateError('spec-invalid', `The assumptions cannot be read: ${issue?.message}.`, {
    where: { file, path: issue?.path.join('.') },
    mend: 'Write what docs/gates-and-findings.md lists for `assume` of the power gate, as JSON.',
  });
}
