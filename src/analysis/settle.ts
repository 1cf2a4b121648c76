/**
 * Attempts to settled cells: a planned cell ends in its one outcome receipt, or it is missing with the class of its last attempt.
 *
 * Attempts of a cell count from 1 without a gap, stay within the sealed number, and end with the first outcome: a failure that
 * was run again, or a first attempt that vanished, is refused and not analysed.
 */
import { compareCodeUnits } from '../base/canonical.ts';
import { WholeColumn } from '../base/columns.ts';
import { invariant, LiftgateError } from '../base/errors.ts';
import { RowList, type Rows, requireRow } from '../base/rows.ts';
import type { EvidenceLine, MeasuredReceipt } from '../run/measured-line.ts';
import { type Cell, interruptedAttempts, isOutcome } from '../run/receipt.ts';
import { finalCases, type IndexedCase } from '../spec/case-index.ts';
import { valueProblem } from '../spec/measure.ts';
import type { SealedExperiment } from '../spec/seal.ts';
import type { OutcomeClass } from '../spec/spec.ts';
import type { Evidence } from './evidence.ts';

/** Why a cell has no outcome: class of its last attempt, or `not-run` without one. */
export type MissingClass =
  | Extract<OutcomeClass, 'infrastructureFault' | 'evaluatorFailure' | 'cancelled'>
  | 'not-run';

/** How a planned cell ended. */
export type Settlement =
  | { readonly status: 'settled'; readonly receipt: MeasuredReceipt }
  | { readonly status: 'missing'; readonly reason: MissingClass };

/** A planned cell, the attempts made at it (from 0) and how it ended. */
export interface SettledCell {
  readonly cell: Cell;
  readonly attempts: number;
  readonly settlement: Settlement;
}

/** Settled cells of every arm; within an arm cases by code units of their id, then repeats. */
export type SettledCells = ReadonlyMap<string, Rows<SettledCell>>;

function refuse(cell: Cell, what: string, mend: string): never {
  throw new LiftgateError(
    'receipt-invalid',
    `The receipt of case "${cell.case}", arm "${cell.arm}", repeat ${cell.repeat} ${what}.`,
    { where: { path: `receipts.${cell.arm}.${cell.case}.${cell.repeat}` }, mend },
  );
}

/** Final cases by code units of their id; at a look those of its units. */
export function plannedCases({ index, look }: Pick<Evidence, 'index' | 'look'>): IndexedCase[] {
  return finalCases(index)
    .filter(({ unit }) => look === undefined || look.units.has(unit))
    .sort((first, second) => compareCodeUnits(first.id, second.id));
}

/** The cells of one arm, made from the places of their last receipts. */
class ArmCells extends RowList<SettledCell> {
  readonly length: number;
  private readonly arm: string;
  private readonly plan: CellPlan;
  private readonly lines: Rows<EvidenceLine>;
  private readonly attempts: WholeColumn;
  /** 1 + the place of the last receipt; 0 without one. */
  private readonly lasts: WholeColumn;

  constructor(arm: string, plan: CellPlan, lines: Rows<EvidenceLine>) {
    super();
    this.arm = arm;
    this.plan = plan;
    this.lines = lines;
    this.length = plan.cases.length * plan.repeats;
    this.attempts = new WholeColumn(this.length);
    this.lasts = new WholeColumn(this.length);
  }

  /** Records how a cell ended. */
  end(index: number, attempts: number, last: number): void {
    this.attempts.set(index, attempts);
    this.lasts.set(index, last + 1);
  }

  cellAt(index: number): Cell {
    const { cases, repeats } = this.plan;
    const { unit, id } = requireRow(cases, Math.floor(index / repeats));
    return { unit, case: id, arm: this.arm, repeat: index % repeats };
  }

  attemptsAt(index: number): number {
    return this.attempts.get(index);
  }

  settlementAt(index: number): Settlement {
    const last = this.lasts.get(index);
    return settlementOf(last === 0 ? undefined : requireRow(this.lines, last - 1).receipt);
  }

  protected row(index: number): SettledCell {
    return new CellView(this, index);
  }
}

class CellView implements SettledCell {
  readonly #cells: ArmCells;
  readonly #index: number;

  constructor(cells: ArmCells, index: number) {
    this.#cells = cells;
    this.#index = index;
  }

  get cell(): Cell {
    return this.#cells.cellAt(this.#index);
  }

  get attempts(): number {
    return this.#cells.attemptsAt(this.#index);
  }

  get settlement(): Settlement {
    return this.#cells.settlementAt(this.#index);
  }
}

/** Cells of an arm: the repeats of each case stand together. */
interface CellPlan {
  readonly cases: readonly IndexedCase[];
  readonly repeats: number;
}

/**
 * Every planned cell with how it ended.
 *
 * @returns cells of every sealed arm; a cell without a receipt is missing as `not-run`
 * @throws {LiftgateError} receipt-invalid  for a cell outside the plan, an attempt given twice, a gap in the attempts, an attempt
 *   beyond the sealed number or after a final one, a measure the spec does not declare, a value outside its declaration
 */
export function settleCells(evidence: Evidence): SettledCells {
  const { seal, lines } = evidence;
  const plan = { cases: plannedCases(evidence), repeats: seal.cells.replicates };
  const arms = [...new Set(seal.arms.map((arm) => arm.id))];
  const ofCell = linesByCell(placesOf(lines, arms, plan), arms.length * cellCount(plan));
  return new Map(
    arms.map((arm, at) => {
      const cells = new ArmCells(arm, plan, lines);
      for (let index = 0; index < cells.length; index += 1) {
        const own = ofCell(at * cells.length + index).map((place): GivenLine => {
          const line = requireRow(lines, place);
          return { place, line, attempt: line.receipt.attempt };
        });
        if (own.length === 0) continue;
        cells.end(index, own.length, settleOne(cells.cellAt(index), own, seal));
      }
      return [arm, cells];
    }),
  );
}

function cellCount({ cases, repeats }: CellPlan): number {
  return cases.length * repeats;
}

/** Number of the cell of each line among the cells of all arms; all lines are of planned cells. */
function placesOf(lines: Rows<EvidenceLine>, arms: readonly string[], plan: CellPlan): Uint32Array {
  const armPlaces = new Map(arms.map((arm, place) => [arm, place]));
  const casePlaces = new Map(plan.cases.map(({ id }, place) => [id, place]));
  const { repeats } = plan;
  const places = new Uint32Array(lines.length);
  let at = 0;
  for (const { cell } of lines) {
    const arm = armPlaces.get(cell.arm);
    const casePlace = casePlaces.get(cell.case);
    if (arm === undefined || casePlace === undefined || cell.repeat >= repeats) {
      refuse(cell, 'is of a cell that the seal does not plan', 'Give receipts of this seal only.');
    }
    const unit = plan.cases[casePlace]?.unit ?? '';
    if (unit !== cell.unit) {
      refuse(
        cell,
        `names the unit "${cell.unit}", but the case belongs to "${unit}"`,
        'Restore the receipt; the case index of the seal says which unit a case belongs to.',
      );
    }
    places[at] = arm * cellCount(plan) + casePlace * repeats + cell.repeat;
    at += 1;
  }
  return places;
}

/** Places of the lines of each cell, in their order. */
function linesByCell(places: Uint32Array, cells: number): (cell: number) => number[] {
  // The lines of a cell are chained; a link is 1 + the place of the next one.
  const firsts = new Uint32Array(cells);
  const nexts = new Uint32Array(places.length);
  for (let line = places.length - 1; line >= 0; line -= 1) {
    const cell = places[line] ?? 0;
    nexts[line] = firsts[cell] ?? 0;
    firsts[cell] = line + 1;
  }
  return (cell) => {
    const found: number[] = [];
    for (let link = firsts[cell] ?? 0; link !== 0; link = nexts[link - 1] ?? 0)
      found.push(link - 1);
    return found;
  };
}

/** A line and its place in the evidence. */
interface GivenLine {
  readonly place: number;
  readonly line: EvidenceLine;
  readonly attempt: number;
}

/** Checks the attempts of a cell; gives the place of the last one. */
function settleOne(cell: Cell, given: readonly GivenLine[], seal: SealedExperiment): number {
  const ordered = [...given].sort((first, second) => first.attempt - second.attempt);
  ordered.forEach(({ line: { receipt } }, index) => {
    checkAttempt(cell, receipt.attempt, index + 1);
    checkFollows(cell, ordered[index - 1]?.line.receipt);
    checkScores(cell, receipt, seal);
  });
  const last = ordered.at(-1);
  invariant(last !== undefined, 'a cell that is settled was tried');
  const lines = given.map(({ line }) => line);
  const most = seal.limits.maxAttempts + interruptedAttempts(lines, last.line.fence);
  if (given.length > most) {
    refuse(
      cell,
      `is attempt ${given.length}, but ${most} are sealed`,
      'Keep to the sealed number of attempts.',
    );
  }
  return last.place;
}

function checkAttempt(cell: Cell, attempt: number, expected: number): void {
  if (attempt < expected) {
    refuse(cell, `is given twice for attempt ${attempt}`, 'Give every attempt once.');
  }
  if (attempt > expected) {
    refuse(
      cell,
      `is of attempt ${attempt}, but attempt ${expected} is not there`,
      'Give all attempts of the cell, the first one included.',
    );
  }
}

function checkFollows(cell: Cell, previous: MeasuredReceipt | undefined): void {
  if (previous === undefined) return;
  if (isOutcome(previous.outcome) || previous.outcome === 'evaluatorFailure') {
    refuse(
      cell,
      `follows attempt ${previous.attempt}, which ended with ${previous.outcome} and is final`,
      'Only infrastructure faults and cancelled cells are tried again.',
    );
  }
}

function checkScores(cell: Cell, receipt: MeasuredReceipt, seal: SealedExperiment): void {
  for (const [id, value] of Object.entries(receipt.scores)) {
    const measure = Object.hasOwn(seal.spec.measures, id) ? seal.spec.measures[id] : undefined;
    if (measure === undefined) {
      refuse(
        cell,
        `scores "${id}", which is no measure of the spec`,
        'Score sealed measures only.',
      );
    }
    const problem = value === null ? null : valueProblem(measure, value);
    if (problem !== null) {
      refuse(cell, `scores "${id}" as ${value}: ${problem}`, 'Score within the declared values.');
    }
  }
}

function settlementOf(last: MeasuredReceipt | undefined): Settlement {
  if (last === undefined) return { status: 'missing', reason: 'not-run' };
  switch (last.outcome) {
    case 'completed':
    case 'safeRefusal':
    case 'agentError':
    case 'limitExceeded':
      return { status: 'settled', receipt: last };
    case 'infrastructureFault':
    case 'evaluatorFailure':
    case 'cancelled':
      return { status: 'missing', reason: last.outcome };
  }
}

/** Whether a missing cell was lost to a fault or an interruption, in contrast to one that nobody dispatched. */
export function isLostByFault(reason: string): boolean {
  return (
    reason === 'infrastructureFault' || reason === 'evaluatorFailure' || reason === 'cancelled'
  );
}

/** Whether a loss is a cell without an outcome, in contrast to an outcome that gave no value. */
export function isMissingClass(reason: string): boolean {
  return reason === 'not-run' || isLostByFault(reason);
}
