/** A/A runs: the sealed design on development units with the baseline as its own candidate, through the host and into no ledger. */
import type { Evidence } from '../analysis/evidence.ts';
import { LiftgateError } from '../base/errors.ts';
import type { Rows } from '../base/rows.ts';
import { unobjected } from '../gate/custom.ts';
import { systemClock } from '../host/clock.ts';
import { openHost } from '../host/open-host.ts';
import { type AaReport, aaReport } from '../report/aa.ts';
import { usdOf } from '../run/budget.ts';
import { controlResults } from '../run/control-results.ts';
import { type ExecuteResult, executeCells, type RunProgress } from '../run/execute.ts';
import type { Host } from '../run/host.ts';
import { checkProvenance } from '../run/provenance.ts';
import type { Cell, ReceiptLine } from '../run/receipt.ts';
import { freshState } from '../run/resume.ts';
import { planSchedule } from '../run/schedule.ts';
import { type AaDesign, aaDesign, aaSeal } from '../spec/aa-design.ts';
import { finalCases } from '../spec/case-index.ts';
import { type SealedExperiment, sealDigest } from '../spec/seal.ts';
import { planSeal } from '../spec/seal-plan.ts';
import { armIds } from '../spec/spec.ts';
import { engineIdentity } from '../store/engine.ts';
import type { LoadedExperiment } from '../store/experiment-folder.ts';
import { baselineSurface, passControls, refuseInterrupt } from '../store/prepare-run.ts';
import { sealInput } from '../store/seal-experiment.ts';

/** How an A/A run is made. */
export interface AaRun {
  readonly loaded: LoadedExperiment;
  /** Times every unit is measured, each with seeds of its own; whole, from 1 to 100, default 1. */
  readonly rounds?: number;
  /** Orders of the arms that are drawn again over the answers; whole, from 0, default 500. */
  readonly redraws?: number;
  /** Replaces the declared host; it is closed at the end. */
  readonly host?: Host;
  readonly signal?: AbortSignal;
  /** Told how far the cells of a round are. */
  readonly onProgress?: (progress: RunProgress) => void;
  /** Told how many redraws are judged. */
  readonly onRedraw?: (done: number) => void;
  readonly onNote?: (text: string) => void;
}

const mostRounds = 100;

function requireWhole(name: string, value: number, [least, most]: readonly [number, number]): void {
  if (Number.isSafeInteger(value) && value >= least && value <= most) return;
  throw new LiftgateError(
    'usage',
    `An A/A run takes a whole number of ${name}, ${least} to ${most}.`,
    {
      mend: 'Leave it out for the default.',
    },
  );
}

/**
 * Runs the baseline against copies of itself on development units and says how often the sealed rules ship one.
 *
 * The controls run first, as in a run. Nothing is written: no seal, no reservation, no exposure, no run folder. Dollars are spent,
 * under the sealed cap for all rounds together.
 *
 * @throws {LiftgateError} usage for a number outside its range; design-refused without development units
 * @throws {LiftgateError} controls-failed, host-unreachable, interrupted
 * @example (await runAa({ loaded })).stamp // => 'exploratory'
 */
export async function runAa(options: AaRun): Promise<AaReport> {
  const { loaded, rounds = 1, redraws = 500, onRedraw } = options;
  requireWhole('rounds', rounds, [1, mostRounds]);
  requireWhole('redraws', redraws, [0, 1_000_000]);
  const signal = options.signal ?? new AbortController().signal;
  const { seal: plan } = planSeal(sealInput(loaded, engineIdentity()));
  const design = aaDesign(plan, loaded.index);
  const host = options.host ?? (await openHost(loaded));
  try {
    const measured = await measureRounds({ ...options, signal, host, plan, design, rounds });
    return await aaReport(measured, {
      redraws,
      onRedraw: async (done) => {
        onRedraw?.(done);
        await new Promise((turn) => setImmediate(turn));
        refuseInterrupt(signal);
      },
    });
  } finally {
    await host.close();
  }
}

interface Session extends AaRun {
  readonly signal: AbortSignal;
  readonly host: Host;
  readonly plan: SealedExperiment;
  readonly design: AaDesign;
  readonly rounds: number;
}

async function measureRounds(session: Session): Promise<Parameters<typeof aaReport>[0]> {
  const { loaded, host, signal, plan, design, rounds, onNote } = session;
  onNote?.(`Running ${plan.spec.controls.length} controls.`);
  const controlLines = await passControls({
    ...{ loaded, host, signal, clock: systemClock, seal: plan },
    folder: { write: () => undefined },
    restart: 'and ask again',
  });
  const controls = controlResults(plan, loaded.index, controlLines);
  const found: Evidence[] = [];
  let spent: readonly ReceiptLine[] = controlLines;
  let [planned, settled] = [0, 0];
  let last: ExecuteResult | null = null;
  while (found.length < rounds && (last?.stoppedBy ?? null) === null) {
    const { result, schedule, seal } = await measureRound(session, found.length, spent);
    refuseInterrupt(signal);
    spent = [...spent, ...result.lines];
    planned += schedule.length;
    settled += schedule.length - result.missing.length;
    const { lines } = result;
    found.push({
      ...{ seal, index: design.index, lines, controls, controlLines, confirmatory: true },
      replies: unobjected,
      provenance: checkProvenance({ seal, index: design.index, lines }),
    });
    last = result;
  }
  return {
    ...{ plan, design, asked: rounds, rounds: found, cells: { planned, settled } },
    stoppedBy: last?.stoppedBy ?? null,
    spentUsd: usdOf(last?.budget.settledNanos ?? 0),
  };
}

interface MeasuredRound {
  readonly result: ExecuteResult;
  readonly schedule: Rows<Cell>;
  readonly seal: SealedExperiment;
}

/** @param spent  receipts of controls and earlier rounds: the cap is one for all */
async function measureRound(
  { loaded, host, signal, plan, design, onProgress }: Session,
  round: number,
  spent: readonly ReceiptLine[],
): Promise<MeasuredRound> {
  const seal = aaSeal(plan, round);
  const arms = armIds(loaded.spec);
  const schedule = planSchedule({
    cases: finalCases(design.index),
    arms,
    repeats: loaded.spec.repeats,
    casesDigest: seal.digests.cases,
  });
  const surface = baselineSurface(loaded);
  const result = await executeCells({
    seal,
    experimentDigest: sealDigest(seal),
    cases: new Map(
      loaded.cases.filter(({ split }) => split !== 'final').map((each) => [each.id, each]),
    ),
    surfaces: new Map(arms.map((arm) => [arm, surface])),
    copies: new Map(arms.map((arm, copy) => [arm, copy])),
    schedule,
    host,
    journal: { append: () => Promise.resolve() },
    resumed: freshState(schedule),
    envelope: { ledger: null, expose: null, fence: null },
    clock: systemClock,
    signal,
    controlLines: spent,
    ...(onProgress === undefined ? {} : { onProgress }),
  });
  return { result, schedule, seal };
}
