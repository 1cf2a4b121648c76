/**
 * What a journal says of each planned cell: settled, how many attempts were used, which attempt never came back.
 *
 * Pure: the same journal and schedule give the same state on every machine. The first outcome receipt of a cell is final; a cell
 * whose grade stayed missing is final too (executing it again would draw a known execution anew).
 */
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
import { type EvidenceLine, hasReceipt } from './measured-line.ts';
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
  const replay = new JournalReplay<Dispatch, ReceiptLine>(schedule);
  for (const entry of journal) {
    if (entry.kind === 'dispatch') replay.addDispatch(entry, entry);
    else if (entry.kind === 'receipt') replay.addReceipt(entry.line, () => entry.line);
  }
  const drafts = replay.drafts();
  const cells = new Map(drafts.map((draft) => [cellId(draft.cell), progressOf(draft)] as const));
  return { cells, lines: replay.lines, accounts: accountsOf(drafts) };
}

/**
 * The state of a run of which nothing was dispatched yet.
 * @example freshState([]).lines // => []
 */
export function freshState(schedule: readonly Cell[]): ResumedState {
  return resumeFrom(schedule, []);
}

/** One attempt: it was dispatched, and may have been answered. */
interface Attempt<Note, Line> {
  readonly cellKey: string;
  readonly note: Note;
  line: Line | null;
  /** Place of its receipt among all receipts. */
  at: number;
}

/** What is known of a planned cell so far. */
interface Draft<Note, Line> {
  readonly cell: Cell;
  readonly position: number;
  /** In their order: they count from 1 without gaps. */
  readonly attempts: Attempt<Note, Line>[];
  /** Keys of the attempts, once they are many. */
  keys: Set<string> | null;
}

const manyAttempts = 8;

function isDispatched(draft: Draft<unknown, unknown>, cellKey: string): boolean {
  const { attempts } = draft;
  if (attempts.length < manyAttempts) return attempts.some((each) => each.cellKey === cellKey);
  draft.keys ??= new Set(attempts.map((each) => each.cellKey));
  return draft.keys.has(cellKey);
}

function refuse(cell: Cell, message: string, mend: string): never {
  throw new LiftgateError('receipt-invalid', message, {
    where: { path: `case ${cell.case}, arm ${cell.arm}, repeat ${cell.repeat}` },
    mend,
  });
}

/**
 * A journal held against its schedule line by line. What is kept of dispatches and receipts is for the caller to say: a runner goes on
 * with whole ones, verification decides from measured ones.
 */
export class JournalReplay<Note, Line extends EvidenceLine> {
  /** What is kept of the receipts in journal order, equal duplicates dropped. */
  readonly lines: Line[] = [];
  private readonly schedule: readonly Cell[];
  private readonly known: (Draft<Note, Line> | undefined)[] = [];
  private dispatched = 0;

  constructor(schedule: readonly Cell[]) {
    this.schedule = schedule;
  }

  /** Number of dispatches without receipt. */
  get dangling(): number {
    return this.dispatched - this.lines.length;
  }

  /**
   * Takes the next line of the journal, a dispatch.
   * @param note  what is kept of it
   * @throws {LiftgateError} receipt-invalid
   */
  addDispatch({ cell, position, attempt, cellKey }: Dispatch, note: Note): void {
    const draft = this.draftOf(cell, position);
    const { attempts } = draft;
    if (attempt !== attempts.length + 1 || isDispatched(draft, cellKey)) {
      refuse(
        cell,
        `The journal dispatches attempt ${attempt} after ${attempts.length} attempts.`,
        'Restore the recorded journal; attempts count from 1 without gaps or repeats.',
      );
    }
    attempts.push({ cellKey, note, line: null, at: -1 });
    draft.keys?.add(cellKey);
    this.dispatched += 1;
  }

  /**
   * Takes the next line of the journal, a receipt. An equal duplicate is ignored.
   * @param keep  gives what is kept of it, from the planned cell it belongs to
   * @returns     what is kept; null for a duplicate
   * @throws {LiftgateError} receipt-invalid
   */
  addReceipt(line: ReceiptLine, keep: (cell: Cell) => Line): Line | null {
    const { cellKey, attempt: number } = line.receipt;
    const draft = this.draftOf(line.cell, line.position);
    const attempt = draft.attempts[number - 1];
    if (attempt?.cellKey !== cellKey) return refuseAnswer(draft, line);
    if (attempt.line !== null) {
      if (hasReceipt(attempt.line, line)) return null;
      return refuseAnswer(draft, line);
    }
    const kept = keep(draft.cell);
    attempt.line = kept;
    attempt.at = this.lines.push(kept) - 1;
    return kept;
  }

  /** Receipts of the cell at a place of the schedule, in the order of their attempts. */
  linesAt(position: number): readonly Line[] {
    const attempts = this.known[position]?.attempts ?? [];
    return attempts.flatMap(({ line }) => (line === null ? [] : [line]));
  }

  /** Every planned cell in schedule order. */
  drafts(): readonly Draft<Note, Line>[] {
    return this.schedule.map(
      (cell, position) => this.known[position] ?? { cell, position, attempts: [], keys: null },
    );
  }

  private draftOf(cell: Cell, position: number): Draft<Note, Line> {
    const planned = this.schedule[position];
    if (planned === undefined || planned.unit !== cell.unit || cellId(planned) !== cellId(cell)) {
      return this.refusePlace(cell, position);
    }
    const known = this.known[position];
    if (known !== undefined) return known;
    const draft: Draft<Note, Line> = { cell: planned, position, attempts: [], keys: null };
    this.known[position] = draft;
    return draft;
  }

  private refusePlace(cell: Cell, position: number): never {
    const own = this.schedule.findIndex((each) => cellId(each) === cellId(cell));
    const planned = this.schedule[own];
    if (planned === undefined) {
      return refuse(
        cell,
        'The journal names a cell that is not in the schedule.',
        'Use the journal of this seal; another seal has another schedule.',
      );
    }
    return refuse(
      cell,
      `The journal puts the cell at place ${position} of the schedule in unit "${cell.unit}"; it stands at ${own} in unit "${planned.unit}".`,
      'Use the journal of this seal; another seal has another schedule.',
    );
  }
}

/** A second receipt of an attempt, or one of an attempt that was never dispatched. */
function refuseAnswer(draft: Draft<unknown, EvidenceLine>, { cell, receipt }: ReceiptLine): never {
  const { attempt, cellKey } = receipt;
  const answered = draft.attempts.some((each) => each.cellKey === cellKey && each.line !== null);
  if (answered) {
    return refuse(
      cell,
      `Two different receipts name attempt ${attempt} (cell key ${cellKey}).`,
      'Find out who wrote the second one; a run with two answers to one attempt proves nothing.',
    );
  }
  return refuse(
    cell,
    `A receipt names attempt ${attempt} (cell key ${cellKey}), which was never dispatched.`,
    'Restore the recorded journal; a dispatch stands before its receipt.',
  );
}

function progressOf({ cell, position, attempts }: Draft<Dispatch, ReceiptLine>): CellProgress {
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
function accountsOf(drafts: readonly Draft<Dispatch, ReceiptLine>[]): Budget {
  let budget = openBudget(null);
  for (const { note, line } of drafts.flatMap(({ attempts }) => attempts)) {
    const { reservedUsd } = note;
    const cost = line === null ? unknownCost : costOf(line.receipt);
    budget = settleBudget(reserveBudget(budget, reservedUsd) ?? budget, reservedUsd, cost);
  }
  return budget;
}
