/** A journal held against its schedule, line by line, in a few bytes for each of its attempts. */
import { BytesColumn, WholeColumn } from '../base/columns.ts';
import { LiftgateError } from '../base/errors.ts';
import { type Rows, requireRow } from '../base/rows.ts';
import type { Dispatch } from './journal.ts';
import { type EvidenceLine, hasReceipt } from './measured-line.ts';
import type { Cell, ReceiptLine } from './receipt.ts';

function refuse(cell: Cell, message: string, mend: string): never {
  throw new LiftgateError('receipt-invalid', message, {
    where: { path: `case ${cell.case}, arm ${cell.arm}, repeat ${cell.repeat}` },
    mend,
  });
}

function isSameCell(first: Cell, second: Cell): boolean {
  return first.case === second.case && first.arm === second.arm && first.repeat === second.repeat;
}

/** A dispatched attempt by its number among all dispatches, and the place of its receipt among all receipts. */
export interface ReplayedAttempt {
  readonly number: number;
  /** Null while it has none. */
  readonly line: number | null;
}

/** From so many attempts on, those of a cell are looked up and not searched. */
const manyAttempts = 8;

/** Attempts of a cell that has many, and their keys. */
interface ManyAttempts {
  readonly numbers: number[];
  readonly keys: Set<string>;
}

/**
 * A journal held against its schedule line by line: the order of attempts, and which of them was answered by which receipt. The
 * receipts themselves are kept by whoever reads the journal: a runner goes on with whole ones, verification decides from measured ones.
 */
export class JournalReplay {
  private readonly schedule: Rows<Cell>;
  private readonly lines: Rows<EvidenceLine>;
  /** By position: number of attempts, and 1 + the number of the first and the last one. */
  private readonly counts: WholeColumn;
  private readonly firsts: WholeColumn;
  private readonly lasts: WholeColumn;
  /** By attempt: key, 1 + the number of the next one of its cell, 1 + the place of its receipt. */
  private readonly keys: BytesColumn;
  private readonly nexts = new WholeColumn();
  private readonly answers: WholeColumn;
  private readonly many = new Map<number, ManyAttempts>();
  private dispatched = 0;

  /** @param lines  the receipts that were new, which the caller adds to as {@link addReceipt} says */
  constructor(schedule: Rows<Cell>, lines: Rows<EvidenceLine>) {
    const { length } = schedule;
    this.schedule = schedule;
    this.lines = lines;
    [this.counts, this.firsts, this.lasts, this.answers] = [
      new WholeColumn(length),
      new WholeColumn(length),
      new WholeColumn(length),
      new WholeColumn(length),
    ];
    this.keys = new BytesColumn(32, length);
  }

  /** Number of dispatches without receipt. */
  get dangling(): number {
    return this.dispatched - this.lines.length;
  }

  /**
   * Takes the next line of the journal, a dispatch.
   * @throws {LiftgateError} receipt-invalid
   */
  addDispatch({ cell, position, attempt, cellKey }: Dispatch): void {
    this.checkPlace(cell, position);
    const count = this.counts.get(position);
    if (attempt !== count + 1 || this.isDispatched(position, cellKey)) {
      refuse(
        cell,
        `The journal dispatches attempt ${attempt} after ${count} attempts.`,
        'Restore the recorded journal; attempts count from 1 without gaps or repeats.',
      );
    }
    const number = this.dispatched;
    this.dispatched += 1;
    this.keys.set(number, cellKey, 'hex');
    if (count === 0) this.firsts.set(position, number + 1);
    else this.nexts.set(this.lasts.get(position) - 1, number + 1);
    this.lasts.set(position, number + 1);
    this.counts.set(position, count + 1);
    this.keepMany(position, { number, cellKey });
  }

  /**
   * Takes the next line of the journal, a receipt.
   * @returns whether it is new and to be added to the receipts; an equal duplicate is not
   * @throws {LiftgateError} receipt-invalid
   */
  addReceipt(line: ReceiptLine): boolean {
    const { cell, position, receipt } = line;
    this.checkPlace(cell, position);
    const number = this.numberOf(position, receipt.attempt);
    if (number === null || this.keyOf(number) !== receipt.cellKey) return this.refuseAnswer(line);
    const answer = this.answers.get(number);
    if (answer === 0) {
      this.answers.set(number, this.lines.length + 1);
      return true;
    }
    if (hasReceipt(requireRow(this.lines, answer - 1), line)) return false;
    return this.refuseAnswer(line);
  }

  /** Attempts of the cell at a place of the schedule, in their order. */
  attemptsAt(position: number): readonly ReplayedAttempt[] {
    return this.numbersAt(position).map((number) => {
      const answer = this.answers.get(number);
      return { number, line: answer === 0 ? null : answer - 1 };
    });
  }

  /** Receipts of the cell at a place of the schedule, in the order of their attempts. */
  linesAt(position: number): readonly EvidenceLine[] {
    return this.attemptsAt(position).flatMap(({ line }) =>
      line === null ? [] : [requireRow(this.lines, line)],
    );
  }

  private numbersAt(position: number): readonly number[] {
    const known = this.many.get(position);
    if (known !== undefined) return known.numbers;
    const numbers: number[] = [];
    for (let next = this.firsts.get(position); next !== 0; next = this.nexts.get(next - 1))
      numbers.push(next - 1);
    return numbers;
  }

  private numberOf(position: number, attempt: number): number | null {
    if (attempt === 1) {
      const first = this.firsts.get(position);
      return first === 0 ? null : first - 1;
    }
    return this.numbersAt(position)[attempt - 1] ?? null;
  }

  private keyOf(number: number): string {
    return this.keys.text(number, 'hex');
  }

  private isDispatched(position: number, cellKey: string): boolean {
    const known = this.many.get(position);
    if (known !== undefined) return known.keys.has(cellKey);
    return this.numbersAt(position).some((number) => this.keyOf(number) === cellKey);
  }

  private keepMany(position: number, added: { number: number; cellKey: string }): void {
    const known = this.many.get(position);
    if (known !== undefined) {
      known.numbers.push(added.number);
      known.keys.add(added.cellKey);
    } else if (this.counts.get(position) === manyAttempts) {
      const numbers = [...this.numbersAt(position)];
      this.many.set(position, {
        numbers,
        keys: new Set(numbers.map((number) => this.keyOf(number))),
      });
    }
  }

  private checkPlace(cell: Cell, position: number): void {
    const planned = this.schedule.at(position);
    if (planned === undefined || planned.unit !== cell.unit || !isSameCell(planned, cell))
      this.refusePlace(cell, position);
  }

  private refusePlace(cell: Cell, position: number): never {
    let own = -1;
    const planned = this.schedule.find((each, at) => {
      own = at;
      return isSameCell(each, cell);
    });
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

  /** A second receipt of an attempt, or one of an attempt that was never dispatched. */
  private refuseAnswer({ cell, position, receipt }: ReceiptLine): never {
    const { attempt, cellKey } = receipt;
    const answered = this.attemptsAt(position).some(
      ({ number, line }) => line !== null && this.keyOf(number) === cellKey,
    );
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
}
