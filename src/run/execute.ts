/**
 * Executes the planned cells: schedule order, a fixed number in flight, every attempt journalled before and after.
 *
 * Only infrastructure faults get a new attempt, and no rule looks at scores, arm or speed. A run that stops early (cap, wall time,
 * signal, unreachable host) leaves a journal from which `resumeFrom` continues without repeating a settled cell.
 */
import type { Digest } from '../base/digest.ts';
import { invariant } from '../base/errors.ts';
import type { Rows } from '../base/rows.ts';
import type { SealedExperiment } from '../spec/seal.ts';
import type { Case } from '../spec/units.ts';
import { type AttemptContext, type AttemptTask, attemptKey, runAttempt } from './attempt.ts';
import {
  attemptReserveUsd,
  type Budget,
  capBudget,
  costOf,
  reserveBudget,
  settleBudget,
  unknownCost,
} from './budget.ts';
import { BudgetDesk } from './budget-desk.ts';
import { longestWaitMs } from './grading.ts';
import type { Clock, Host } from './host.ts';
import type { Dispatch, Journal } from './journal.ts';
import { inLanes } from './lanes.ts';
import {
  type Cell,
  interruptedAttempts,
  isOutcome,
  type Receipt,
  type ReceiptLine,
  type SurfaceWire,
} from './receipt.ts';
import {
  type CellProgress,
  closesCell,
  danglingReceipt,
  type Envelope,
  type ResumedState,
  receiptLineOf,
} from './resume.ts';

/** How far a run is. */
export interface RunProgress {
  /** Cells with a final outcome. */
  readonly settled: number;
  /** Cells that ended without one. */
  readonly lost: number;
  readonly planned: number;
  /** Attempts that came back, earlier sessions included. */
  readonly attempts: number;
  /** Of these, attempts without an outcome. */
  readonly faults: number;
  /** Time of this session. */
  readonly elapsedMs: number;
}

/** Why a run ended before every cell was tried: the cap, the wall time, a signal, or a host that cannot be started any more. */
export type StopReason = 'budget' | 'wall' | 'signal' | 'host';

export interface ExecuteOptions {
  /** The seal at stage `final`. */
  readonly seal: SealedExperiment;
  readonly experimentDigest: Digest;
  /** Final cases by id; every scheduled case is there. */
  readonly cases: ReadonlyMap<string, Case>;
  /** Surfaces by arm id; every scheduled arm is there. */
  readonly surfaces: ReadonlyMap<string, SurfaceWire>;
  /** Of an A/A run: numbers of the arms that share a surface. */
  readonly copies?: ReadonlyMap<string, number>;
  readonly schedule: Rows<Cell>;
  readonly host: Host;
  readonly journal: Journal;
  /** From `resumeFrom` over the journal's lines, or `freshState`. */
  readonly resumed: ResumedState;
  readonly envelope: Envelope;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Lines of the controls: their cost counts toward the cap. */
  readonly controlLines?: readonly ReceiptLine[];
  readonly onProgress?: (progress: RunProgress) => void;
  /** Where a sequential design pauses; without it every cell is tried. */
  readonly looks?: LookStops;
}

/** The looks of a sequential design: nothing behind a look is dispatched before it is over. */
export interface LookStops {
  /** Place in the schedule behind the last cell of each look, rising. */
  readonly ends: readonly number[];
  /** Judges a look, from 0, on every receipt so far; true when nothing more is to be dispatched. */
  readonly take: (look: number, lines: readonly ReceiptLine[]) => Promise<boolean>;
}

export interface ExecuteResult {
  /** Every attempt of all sessions, by place in the schedule and attempt. */
  readonly lines: readonly ReceiptLine[];
  /** Whether a signal ended the session. */
  readonly interrupted: boolean;
  /** Planned cells without an outcome, in schedule order. */
  readonly missing: readonly Cell[];
  readonly stoppedBy: StopReason | null;
  /** Accounts at the end; nothing stays reserved. */
  readonly budget: Budget;
}

interface Session {
  readonly options: ExecuteOptions;
  readonly context: AttemptContext;
  readonly desk: BudgetDesk;
  readonly reserveUsd: number;
  readonly startedMs: number;
  readonly lines: ReceiptLine[];
  readonly settled: Set<number>;
  /** Attempts one cell may take, besides those an interrupt took. */
  readonly most: number;
  lost: number;
  faults: number;
  stop: StopReason | null;
}

/**
 * Runs every open cell of the schedule.
 *
 * Attempts that a killed session left without receipt are recorded first. Wall time counts this session only.
 *
 * @throws {LiftgateError} host-unreachable when the host cannot be greeted; rejects when the journal cannot be written
 */
export async function executeCells(options: ExecuteOptions): Promise<ExecuteResult> {
  const session = await openSession(options);
  await recordDangling(session);
  const open = [...options.resumed.cells.values()].filter((each) => !each.closed);
  await runToStop(session, open);
  return {
    lines: session.lines.sort(
      (first, second) =>
        first.position - second.position || first.receipt.attempt - second.receipt.attempt,
    ),
    interrupted: session.stop === 'signal',
    missing: [...options.schedule.filter((_, position) => !session.settled.has(position))],
    stoppedBy: session.stop,
    budget: session.desk.accounts,
  };
}

/** Runs open cells up to each look in turn; all of them where there is none. */
async function runToStop(session: Session, open: readonly CellProgress[]): Promise<void> {
  const { looks, schedule, seal } = session.options;
  let from = 0;
  for (const [look, end] of (looks?.ends ?? [schedule.length]).entries()) {
    const block = open.filter(({ position }) => position >= from && position < end);
    await inLanes(block, seal.spec.host.concurrency, (cell) => runCell(session, cell));
    if (session.stop !== null || (await looks?.take(look, session.lines)) === true) return;
    from = end;
  }
}

async function openSession(options: ExecuteOptions): Promise<Session> {
  const { seal, resumed, clock } = options;
  const hello = await options.host.hello();
  const progress = [...resumed.cells.values()];
  return {
    options,
    context: {
      seal,
      experimentDigest: options.experimentDigest,
      host: options.host,
      identity: hello.host,
      clock,
      signal: options.signal,
    },
    desk: new BudgetDesk(openAccounts(options)),
    reserveUsd: attemptReserveUsd(seal.spec),
    startedMs: clock.elapsedMs(),
    lines: [...resumed.lines],
    settled: new Set(progress.filter((each) => each.settled !== null).map((each) => each.position)),
    most: seal.spec.attempts.retry.length === 0 ? 1 : seal.limits.maxAttempts,
    faults: resumed.lines.filter((line) => !isOutcome(line.receipt.outcome)).length,
    lost: progress.filter((each) => each.closed && each.settled === null).length,
    stop: null,
  };
}

/** What earlier sessions and the controls spent, under the sealed cap. */
function openAccounts(options: ExecuteOptions): Budget {
  const { seal, resumed, controlLines = [] } = options;
  const usd = attemptReserveUsd(seal.spec);
  const spent = controlLines.reduce(
    (budget, line) => settleBudget(reserveBudget(budget, usd) ?? budget, usd, costOf(line.receipt)),
    resumed.accounts,
  );
  return capBudget(spent, seal.limits.budget.usd);
}

async function recordDangling(session: Session): Promise<void> {
  const { options } = session;
  for (const cell of options.resumed.cells.values()) {
    for (const dispatch of cell.dangling) {
      const seen = { experimentDigest: options.experimentDigest, at: options.clock.now() };
      await record(session, dispatch, danglingReceipt(dispatch, seen));
    }
  }
}

/** All attempts at one cell that this session makes. */
async function runCell(session: Session, cell: CellProgress): Promise<void> {
  const { envelope } = session.options;
  const most = session.most + interruptedAttempts(cell.lines, envelope.fence);
  for (let attempt = cell.attempts + 1; attempt <= most; attempt += 1) {
    if (!(await mayDispatch(session))) return;
    const receipt = await attemptCell(session, cell, attempt);
    if (closesCell(receipt)) return close(session, cell, receipt);
    if (receipt.fault?.code === hostGone) session.stop ??= 'host';
    if (attempt < most && !stopped(session)) {
      await session.options.clock.sleep(waitBefore(attempt, receipt), session.options.signal);
    }
  }
  if (!stopped(session)) close(session, cell, null);
}

/** Fault code of a transport that has given up starting its host. */
export const hostGone = 'hostUnreachable';

function close(session: Session, cell: CellProgress, receipt: Receipt | null): void {
  if (receipt !== null && isOutcome(receipt.outcome)) session.settled.add(cell.position);
  else session.lost += 1;
  report(session);
}

function stopped(session: Session): boolean {
  const { signal, clock, seal } = session.options;
  if (session.stop === null && signal.aborted) session.stop = 'signal';
  const { wallMinutes } = seal.limits.budget;
  if (session.stop === null && wallMinutes !== null) {
    if (clock.elapsedMs() - session.startedMs >= wallMinutes * 60_000) session.stop = 'wall';
  }
  return session.stop !== null;
}

/** Whether one more attempt may be sent; its reservation is made then. */
async function mayDispatch(session: Session): Promise<boolean> {
  if (stopped(session)) return false;
  if (!(await session.desk.reserve(session.reserveUsd))) {
    session.stop ??= 'budget';
    return false;
  }
  if (!stopped(session)) return true;
  session.desk.settle(session.reserveUsd, { known: true, usd: 0 });
  return false;
}

async function attemptCell(
  session: Session,
  cell: CellProgress,
  attempt: number,
): Promise<Receipt> {
  const { options, context } = session;
  const task = taskOf(options, cell.cell, attempt);
  const dispatch: Dispatch = {
    kind: 'dispatch',
    cell: cell.cell,
    position: cell.position,
    attempt,
    cellKey: attemptKey(options.seal, task),
    fence: options.envelope.fence,
    reservedUsd: session.reserveUsd,
    at: options.clock.now(),
  };
  let cost = unknownCost;
  try {
    await options.journal.append(dispatch);
    const receipt = await runAttempt(context, task);
    cost = costOf(receipt);
    await record(session, dispatch, receipt);
    return receipt;
  } finally {
    session.desk.settle(session.reserveUsd, cost);
  }
}

function taskOf(options: ExecuteOptions, cell: Cell, attempt: number): AttemptTask {
  const found = options.cases.get(cell.case);
  const surface = options.surfaces.get(cell.arm);
  invariant(found !== undefined, `the scheduled case "${cell.case}" is loaded`);
  invariant(surface !== undefined, `the surface of arm "${cell.arm}" is loaded`);
  const { repeat } = cell;
  return { case: found, surface, repeat, attempt, copy: options.copies?.get(cell.arm) };
}

async function record(session: Session, dispatch: Dispatch, receipt: Receipt): Promise<void> {
  const { options } = session;
  const surface = options.surfaces.get(dispatch.cell.arm);
  invariant(surface !== undefined, `the surface of arm "${dispatch.cell.arm}" is loaded`);
  const line = receiptLineOf({
    seal: options.seal,
    envelope: { ...options.envelope, fence: dispatch.fence },
    cell: dispatch.cell,
    position: dispatch.position,
    armDigest: surface.digest,
    receivedAt: options.clock.now(),
    receipt,
  });
  await options.journal.append({ kind: 'receipt', line });
  session.lines.push(line);
  if (!isOutcome(receipt.outcome)) session.faults += 1;
  report(session);
}

function report(session: Session): void {
  const { options } = session;
  options.onProgress?.({
    settled: session.settled.size,
    lost: session.lost,
    planned: options.schedule.length,
    attempts: session.lines.length,
    faults: session.faults,
    elapsedMs: options.clock.elapsedMs() - session.startedMs,
  });
}

const firstWaitMs = 250;
const longestBackoffMs = 60_000;

/**
 * Pause before the next attempt: doubling from 250 ms to 60 s, and never less than the host asked for (up to 30 minutes).
 * @example waitBefore(2, { fault: null }) // => 500
 */
export function waitBefore(attempt: number, receipt: Pick<Receipt, 'fault'>): number {
  let wait = firstWaitMs;
  for (let doubled = 1; doubled < attempt && wait < longestBackoffMs; doubled += 1) wait *= 2;
  const asked = Math.min(receipt.fault?.retryAfterMs ?? 0, longestWaitMs);
  return Math.max(Math.min(wait, longestBackoffMs), asked);
}
