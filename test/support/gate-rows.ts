/** Runs of small experiments with one more gate, each to the decision a row names, on the built binary. */
import { expect } from 'vitest';
import { liftgate, linesOf } from './cli.ts';
import { temporaryFolders } from './temporary-folder.ts';
import {
  allRight,
  liftGate,
  SmallExperiment,
  type SmallOptions,
  type SmallSurface,
  smallCases,
} from './workspace.ts';

const folder = temporaryFolders();

const exitCodes = { ship: 0, hold: 20, need_more_work: 21 } as const;
type Decision = keyof typeof exitCodes;

/** The first cases of `smallCases`. */
export function firstCases(count: number): readonly string[] {
  return Array.from({ length: count }, (_, at) => `c${at + 1}`);
}

/** What is asked of a candidate: one more gate, and how the arms behave. */
export interface Asked {
  readonly gate: Readonly<Record<string, unknown>>;
  readonly next: SmallSurface;
  readonly baseline?: SmallSurface;
  readonly options?: SmallOptions;
}

/** Runs an experiment of one more gate beside the lift; the contribution of that gate, and what people were told. */
export async function outcome({ gate, next, baseline = {}, options = {} }: Asked) {
  const experiment = new SmallExperiment(await folder(), {
    cases: smallCases(20),
    candidates: { new: { ...allRight, ...next } },
    baseline,
    ...options,
    spec: { gates: [liftGate, gate], ...options.spec },
  });
  const plan = await experiment.call('plan');
  const { exitCode, stdout } = await experiment.run();
  const report = await liftgate(
    experiment.workspace,
    'report',
    `${experiment.name}/run`,
    '--format',
    'junit',
  );
  return {
    experiment,
    plan: plan.stdout,
    exitCode,
    last: linesOf(stdout).at(-1) ?? '',
    junit: report.stdout,
  };
}

/** A decision, what leads to it, and the reason that must stand in summary and JUnit report. */
export type Row = readonly [decision: Decision, asked: Asked, reason: RegExp];

/** Runs a row and holds decision, exit code, reason and `verify` to it. */
export async function expectRow([decision, asked, reason]: Row): Promise<void> {
  const found = await outcome(asked);
  expect({ exitCode: found.exitCode, last: found.last }).toEqual({
    exitCode: exitCodes[decision],
    last: expect.stringMatching(`^new: ${decision} `),
  });
  // The same sentence stands in the recorded summary and in the JUnit report.
  expect(found.experiment.text('run/summary.md').replaceAll('\\', '')).toMatch(reason);
  expect(found.junit).toMatch(reason);
  const verified = await found.experiment.verify();
  expect(verified.exitCode).toBe(0);
}
