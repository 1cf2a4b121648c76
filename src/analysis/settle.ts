/**
 * Attempts to settled cells: a planned cell ends in its one outcome receipt, or it is missing with the class of its last attempt.
 *
 * Attempts of a cell count from 1 without a gap, stay within the sealed number, and end with the first outcome: a failure that
 * was run again, or a first attempt that vanished, is refused and not analysed.
 */
import { compareCodeUnits } from '../base/canonical.ts';
import { LiftgateError } from '../base/errors.ts';
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
export type SettledCells = ReadonlyMap<string, readonly SettledCell[]>;

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

function repeatsOf({ seal }: Evidence): number[] {
  return Array.from({ length: seal.cells.replicates }, (_, repeat) => repeat);
}

function plannedCells(evidence: Evidence, arm: string): Cell[] {
  const repeats = repeatsOf(evidence);
  return plannedCases(evidence).flatMap((each) =>
    repeats.map((repeat) => ({ unit: each.unit, case: each.id, arm, repeat })),
  );
}

/**
 * Every planned cell with how it ended.
 *
 * @returns cells of every sealed arm; a cell without a receipt is missing as `not-run`
 * @throws {LiftgateError} receipt-invalid  for a cell outside the plan, an attempt given twice, a gap in the attempts, an attempt
 *   beyond the sealed number or after a final one, a measure the spec does not declare, a value outside its declaration
 */
export function settleCells(evidence: Evidence): SettledCells {
  const planned = new Map(
    evidence.seal.arms.map((arm) => [arm.id, plannedCells(evidence, arm.id)] as const),
  );
  const byCase = attemptsByCase(evidence, [...planned.keys()]);
  return new Map(
    [...planned].map(([arm, cells]) => [
      arm,
      cells.map((cell) => {
        const lines = byCase.get(arm)?.get(cell.case) ?? [];
        const own = lines.filter((line) => line.cell.repeat === cell.repeat);
        return settleOne(own[0]?.cell ?? cell, own, evidence.seal);
      }),
    ]),
  );
}

/** Lines by arm and case, all of planned cells. */
function attemptsByCase(
  evidence: Evidence,
  arms: readonly string[],
): ReadonlyMap<string, ReadonlyMap<string, readonly EvidenceLine[]>> {
  const byArm = new Map(arms.map((arm) => [arm, new Map<string, EvidenceLine[]>()]));
  const units = new Map(plannedCases(evidence).map(({ id, unit }) => [id, unit]));
  const repeats = repeatsOf(evidence);
  for (const line of evidence.lines) {
    const { arm, case: caseId, repeat } = line.cell;
    const byCase = byArm.get(arm);
    if (byCase === undefined || !units.has(caseId) || !repeats.includes(repeat)) {
      refuse(
        line.cell,
        'is of a cell that the seal does not plan',
        'Give receipts of this seal only.',
      );
    }
    if (units.get(line.cell.case) !== line.cell.unit) {
      refuse(
        line.cell,
        `names the unit "${line.cell.unit}", but the case belongs to "${units.get(line.cell.case) ?? ''}"`,
        'Restore the receipt; the case index of the seal says which unit a case belongs to.',
      );
    }
    const attempts = byCase.get(caseId);
    if (attempts === undefined) byCase.set(caseId, [line]);
    else attempts.push(line);
  }
  return byArm;
}

function settleOne(
  cell: Cell,
  lines: readonly EvidenceLine[],
  seal: SealedExperiment,
): SettledCell {
  const receipts = lines
    .map((line) => line.receipt)
    .sort((first, second) => first.attempt - second.attempt);
  receipts.forEach((receipt, index) => {
    checkAttempt(cell, receipt.attempt, index + 1);
    checkFollows(cell, receipts[index - 1]);
    checkScores(cell, receipt, seal);
  });
  const last = lines.find(({ receipt }) => receipt === receipts.at(-1));
  const most = seal.limits.maxAttempts + interruptedAttempts(lines, last?.fence ?? null);
  if (receipts.length > most) {
    refuse(
      cell,
      `is attempt ${receipts.length}, but ${most} are sealed`,
      'Keep to the sealed number of attempts.',
    );
  }
  return { cell, attempts: receipts.length, settlement: settlementOf(receipts.at(-1)) };
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
