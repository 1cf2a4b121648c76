/**
 * What a journal says of each planned cell: settled, how many attempts were used, which attempt never came back.
 *
 * Pure: the same journal and schedule give the same state on every machine. The first outcome receipt of a cell is final; a cell
 * whose grade stayed missing is final too (executing it again would draw a known execution anew).
 */
import { canonicalText } from '../base/canonical.ts';
import type { Digest } from '../base/digest.ts';
import { LiftgateError } from '../base/errors.ts';
import type { SealedExperiment } from '../spec/seal.ts';
import {
  type Budget,
  costOf,
  openBudget,
  reserveBudget,
  settleBudget,
  unknownCost,
} from './budget.ts';
import { type Dispatch, hostCrash, type JournalLine } from './journal.ts';
import { type Cell, isOutcome, type Receipt, type ReceiptLine } from './receipt.ts';
import { faultReport, sparseReceipt } from './replies.ts';
import { cellId } from './schedule.ts';

/** One planned cell as the journal left it. */
export interface CellProgress {
  readonly cell: Cell;
  readonly position: number;
  /** The receipt that is final: the first outcome, or null. */
  readonly settled: ReceiptLine | null;
  /** Whether nothing more may be dispatched: settled, or executed and never graded. */
  readonly closed: boolean;
  /** Attempts dispatched so far; the next one is this plus 1. */
  readonly attempts: number;
  /** Receipts in journal order. */
  readonly lines: readonly ReceiptLine[];
  /** Dispatches without receipt. */
  readonly dangling: readonly Dispatch[];
}

/** State of a run read back from its journal. */
export interface ResumedState {
  /** By `cellId`, in schedule order, every planned cell. */
  readonly cells: ReadonlyMap<string, CellProgress>;
  /** Receipts in journal order, equal duplicates dropped. */
  readonly lines: readonly ReceiptLine[];
  /** What the attempts so far cost, without a cap. */
  readonly accounts: Budget;
}

/**
 * Reads a journal against the schedule it belongs to.
 * @throws {LiftgateError} receipt-invalid when two different receipts name one attempt, a receipt has no dispatch, or a line names
 * a cell outside the schedule or another place of it
 * @example resumeFrom([{ unit: 'u', case: 'c', arm: 'baseline', repeat: 0 }], []).cells.get('c\nbaseline\n0').attempts // => 0
 */
export function resumeFrom(
  schedule: readonly Cell[],
  journal: readonly JournalLine[],
): ResumedState {
  const drafts = new Map<string, Draft>(
    schedule.map((cell, position) => [
      cellId(cell),
      { cell, position, dispatches: new Map(), receipts: new Map() },
    ]),
  );
  const lines: ReceiptLine[] = [];
  for (const entry of journal) {
    if (entry.kind === 'look') continue;
    const { cell, position } = entry.kind === 'dispatch' ? entry : entry.line;
    const draft = draftOf(drafts, cell, position);
    if (entry.kind === 'dispatch') addDispatch(draft, entry);
    else if (addReceipt(draft, entry.line)) lines.push(entry.line);
  }
  const cells = new Map([...drafts].map(([id, draft]) => [id, progressOf(draft)] as const));
  return { cells, lines, accounts: accountsOf(drafts) };
}

/**
 * The state of a run of which nothing was dispatched yet.
 * @example freshState([]).lines // => []
 */
export function freshState(schedule: readonly Cell[]): ResumedState {
  return resumeFrom(schedule, []);
}

interface Draft {
  readonly cell: Cell;
  readonly position: number;
  readonly dispatches: Map<string, Dispatch>;
  readonly receipts: Map<string, ReceiptLine>;
}

function refuse(cell: Cell, message: string, mend: string): never {
  throw new LiftgateError('receipt-invalid', message, {
    where: { path: `case ${cell.case}, arm ${cell.arm}, repeat ${cell.repeat}` },
    mend,
  });
}

function draftOf(drafts: ReadonlyMap<string, Draft>, cell: Cell, position: number): Draft {
  const draft = drafts.get(cellId(cell));
  if (draft === undefined) {
    return refuse(
      cell,
      'The journal names a cell that is not in the schedule.',
      'Use the journal of this seal; another seal has another schedule.',
    );
  }
  if (draft.position !== position || draft.cell.unit !== cell.unit) {
    return refuse(
      cell,
      `The journal puts the cell at place ${position} of the schedule in unit "${cell.unit}"; it stands at ${draft.position} in unit "${draft.cell.unit}".`,
      'Use the journal of this seal; another seal has another schedule.',
    );
  }
  return draft;
}

function addDispatch(draft: Draft, dispatch: Dispatch): void {
  const known = draft.dispatches.get(dispatch.cellKey);
  if (known !== undefined || dispatch.attempt !== draft.dispatches.size + 1) {
    refuse(
      draft.cell,
      `The journal dispatches attempt ${dispatch.attempt} after ${draft.dispatches.size} attempts.`,
      'Restore the recorded journal; attempts count from 1 without gaps or repeats.',
    );
  }
  draft.dispatches.set(dispatch.cellKey, dispatch);
}

/** Whether the receipt is new; an equal duplicate is ignored. */
function addReceipt(draft: Draft, line: ReceiptLine): boolean {
  const { cellKey, attempt } = line.receipt;
  const known = draft.receipts.get(cellKey);
  if (known !== undefined) {
    if (canonicalText(known.receipt) === canonicalText(line.receipt)) return false;
    refuse(
      draft.cell,
      `Two different receipts name attempt ${attempt} (cell key ${cellKey}).`,
      'Find out who wrote the second one; a run with two answers to one attempt proves nothing.',
    );
  }
  if (draft.dispatches.get(cellKey)?.attempt !== attempt) {
    refuse(
      draft.cell,
      `A receipt names attempt ${attempt} (cell key ${cellKey}), which was never dispatched.`,
      'Restore the recorded journal; a dispatch stands before its receipt.',
    );
  }
  draft.receipts.set(cellKey, line);
  return true;
}

function progressOf(draft: Draft): CellProgress {
  const lines = [...draft.receipts.values()];
  const settled = lines.find((line) => isOutcome(line.receipt.outcome)) ?? null;
  return {
    cell: draft.cell,
    position: draft.position,
    settled,
    closed: lines.some((line) => closesCell(line.receipt)),
    attempts: draft.dispatches.size,
    lines,
    dangling: [...draft.dispatches.values()].filter((each) => !draft.receipts.has(each.cellKey)),
  };
}

/**
 * Whether a receipt ends its cell: an outcome, or an execution that stayed without a grade.
 * @example closesCell({ outcome: 'infrastructureFault' }) // => false
 */
export function closesCell(receipt: Receipt): boolean {
  return isOutcome(receipt.outcome) || receipt.outcome === 'evaluatorFailure';
}

/** Who the receipts of a session belong to; the ledger's expose entry and its fence, all null outside a ledger. */
export interface Envelope {
  readonly ledger: string | null;
  readonly expose: Digest | null;
  readonly fence: string | null;
}

/**
 * The envelope line of a receipt.
 * @example receiptLineOf({ seal: { evaluator: {} }, envelope: { ledger: 'x' }, position: 3 }).ledger // => 'x'
 */
export function receiptLineOf(parts: {
  readonly seal: SealedExperiment;
  readonly envelope: Envelope;
  readonly cell: Cell;
  readonly position: number;
  readonly armDigest: Digest;
  readonly receivedAt: string;
  readonly receipt: Receipt;
}): ReceiptLine {
  const { seal, envelope, ...rest } = parts;
  const { ledger, expose, fence } = envelope;
  return { v: 1, ledger, expose, fence, evaluatorTree: seal.evaluator.tree, ...rest };
}

/**
 * The receipt of an attempt that was dispatched and never came back: infrastructureFault, code hostCrash.
 * @example danglingReceipt({ at: 'then' }, { at: 'now' }).fault.code // => 'hostCrash'
 */
export function danglingReceipt(
  dispatch: Dispatch,
  seen: { readonly experimentDigest: Digest; readonly at: string },
): Receipt {
  return sparseReceipt({
    cellKey: dispatch.cellKey,
    attempt: dispatch.attempt,
    experimentDigest: seen.experimentDigest,
    outcome: 'infrastructureFault',
    fault: faultReport(hostCrash, 'agent', 'the run ended before the attempt came back'),
    span: { startedAt: dispatch.at, endedAt: seen.at },
  });
}

/** Every attempt settled at its receipt, one without receipt at its reservation; held to no cap, they were when they were made. */
function accountsOf(drafts: ReadonlyMap<string, Draft>): Budget {
  let budget = openBudget(null);
  for (const { dispatches, receipts } of drafts.values()) {
    for (const { cellKey, reservedUsd } of dispatches.values()) {
      const line = receipts.get(cellKey);
      const cost = line === undefined ? unknownCost : costOf(line.receipt);
      budget = settleBudget(reserveBudget(budget, reservedUsd) ?? budget, reservedUsd, cost);
    }
  }
  return budget;
}
