/**
 * What a journal says of each planned cell: settled, how many attempts were used, which attempt never came back.
 *
 * Pure: the same journal and schedule give the same state on every machine. The first outcome receipt of a cell is final; a cell
 * whose grade stayed missing is final too (executing it again would draw a known execution anew).
 */
import type { Digest } from '../base/digest.ts';
import { type Rows, requireRow } from '../base/rows.ts';
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
import { JournalReplay } from './journal-replay.ts';
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
export function resumeFrom(schedule: Rows<Cell>, journal: readonly JournalLine[]): ResumedState {
  const lines: ReceiptLine[] = [];
  const notes: Dispatch[] = [];
  const replay = new JournalReplay(schedule, lines);
  for (const entry of journal) {
    if (entry.kind === 'dispatch') {
      replay.addDispatch(entry);
      notes.push(entry);
    } else if (entry.kind === 'receipt' && replay.addReceipt(entry.line)) lines.push(entry.line);
  }
  const drafts = schedule.map((cell, position): Draft => {
    const attempts = replay.attemptsAt(position).map(({ number, line }): DraftAttempt => {
      const note = requireRow(notes, number);
      return line === null
        ? { note, line, at: -1 }
        : { note, line: requireRow(lines, line), at: line };
    });
    return { cell, position, attempts };
  });
  const cells = new Map(drafts.map((draft) => [cellId(draft.cell), progressOf(draft)] as const));
  return { cells, lines, accounts: accountsOf(drafts) };
}

/**
 * The state of a run of which nothing was dispatched yet.
 * @example freshState([]).lines // => []
 */
export function freshState(schedule: Rows<Cell>): ResumedState {
  return resumeFrom(schedule, []);
}

/** One attempt: it was dispatched, and may have been answered. */
interface DraftAttempt {
  readonly note: Dispatch;
  readonly line: ReceiptLine | null;
  /** Place of its receipt among all receipts. */
  readonly at: number;
}

/** What is known of a planned cell. */
interface Draft {
  readonly cell: Cell;
  readonly position: number;
  /** In their order: they count from 1 without gaps. */
  readonly attempts: readonly DraftAttempt[];
}

function progressOf({ cell, position, attempts }: Draft): CellProgress {
  const lines = [...attempts]
    .sort((first, second) => first.at - second.at)
    .flatMap(({ line }) => (line === null ? [] : [line]));
  return {
    cell,
    position,
    settled: lines.find((line) => isOutcome(line.receipt.outcome)) ?? null,
    closed: lines.some((line) => closesCell(line.receipt)),
    attempts: attempts.length,
    lines,
    dangling: attempts.flatMap(({ line, note }) => (line === null ? [note] : [])),
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
function accountsOf(drafts: readonly Draft[]): Budget {
  let budget = openBudget(null);
  for (const { note, line } of drafts.flatMap(({ attempts }) => attempts)) {
    const { reservedUsd } = note;
    const cost = line === null ? unknownCost : costOf(line.receipt);
    budget = settleBudget(reserveBudget(budget, reservedUsd) ?? budget, reservedUsd, cost);
  }
  return budget;
}
