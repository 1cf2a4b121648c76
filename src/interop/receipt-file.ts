/**
 * Receipts from a file, one JSON object per line, in any of three forms:
 *
 *   hand-written  {"case": "m1", "arm": "r2", "repeat": 0, "outcome": "completed", "scores": {"right": 1}, "critical": []}
 *   receipt line  the ledger envelope that `controls.jsonl` holds
 *   journal line  {"kind": "receipt", "line": {...}} and {"kind": "dispatch", ...} of `journal.jsonl`
 *
 * A hand-written line claims nothing about a ledger, a host or a surface: its envelope and digests are null or the sealed ones.
 */
import { LiftgateError, type Problem } from '../base/errors.ts';
import * as z from '../base/shape.ts';
import { readJson } from '../base/strict-json.ts';
import { journalLineSchema } from '../run/journal.ts';
import {
  cellKeyOf,
  criticalFindingSchema,
  type Receipt,
  type ReceiptLine,
  receiptLineSchema,
} from '../run/receipt.ts';
import { sparseReceipt } from '../run/replies.ts';
import { cellId, planSchedule } from '../run/schedule.ts';
import { type CaseIndex, finalCases, indexedCases } from '../spec/case-index.ts';
import { type SealedExperiment, sealDigest } from '../spec/seal.ts';
import { armIds, outcomeClassSchema } from '../spec/spec.ts';
import { idSchema } from '../spec/words.ts';

export const handReceiptSchema = z.strictObject({
  case: z.string(),
  arm: idSchema,
  repeat: z.int().min(0).default(0),
  attempt: z.int().min(1).default(1),
  outcome: outcomeClassSchema.default('completed'),
  scores: z.record(idSchema, z.number().nullable()).default({}),
  critical: z.array(criticalFindingSchema).nullable().default(null),
});
export type HandReceipt = z.infer<typeof handReceiptSchema>;

/** Receipts of a file: those of cells, and those of controls. */
export interface ReceiptFile {
  readonly lines: readonly ReceiptLine[];
  readonly controlLines: readonly ReceiptLine[];
  /** Whether any line was hand-written. */
  readonly handWritten: boolean;
}

export interface ReceiptFileContext {
  readonly file: string;
  readonly seal: SealedExperiment;
  readonly index: CaseIndex;
}

/**
 * Reads a receipts file against a final seal.
 * @throws {LiftgateError} receipt-invalid with every problem as file:line
 */
export function parseReceiptFile(text: string, context: ReceiptFileContext): ReceiptFile {
  const problems: Problem[] = [];
  const lines: ReceiptLine[] = [];
  let handWritten = false;
  const positions = positionsOf(context);
  for (const [at, row] of text.split('\n').entries()) {
    if (row.trim() === '') continue;
    const read = readRow(row, at + 1, { ...context, positions, problems });
    if (read === null) continue;
    handWritten ||= read.handWritten;
    lines.push(read.line);
  }
  if (problems.length > 0) {
    throw new LiftgateError('receipt-invalid', `The receipts have ${problems.length} problems.`, {
      where: { file: context.file },
      mend: 'Mend the lines that are listed.',
      problems,
    });
  }
  const controls = new Set(context.seal.spec.controls.map((control) => control.id));
  const isControl = (line: ReceiptLine): boolean => controls.has(line.cell.arm);
  return {
    lines: lines.filter((line) => !isControl(line)),
    controlLines: lines.filter(isControl),
    handWritten,
  };
}

function positionsOf({ seal, index }: ReceiptFileContext): ReadonlyMap<string, number> {
  const schedule = planSchedule({
    cases: finalCases(index),
    arms: armIds(seal.spec),
    repeats: seal.spec.repeats,
    casesDigest: seal.digests.cases,
  });
  return new Map(schedule.map((cell, position) => [cellId(cell), position]));
}

interface RowContext extends ReceiptFileContext {
  readonly positions: ReadonlyMap<string, number>;
  readonly problems: Problem[];
}

type Row = { readonly line: ReceiptLine; readonly handWritten: boolean };

function readRow(row: string, lineNumber: number, context: RowContext): Row | null {
  const value = readValue(row, lineNumber, context);
  if (value === undefined) return null;
  const journal = journalLineSchema.safeParse(value);
  if (journal.success) {
    return journal.data.kind === 'receipt' ? { line: journal.data.line, handWritten: false } : null;
  }
  const recorded = receiptLineSchema.safeParse(value);
  if (recorded.success) return { line: recorded.data, handWritten: false };
  const hand = handReceiptSchema.safeParse(value);
  const line = hand.success ? lineOf(hand.data, context) : null;
  if (line !== null) return { line, handWritten: true };
  const issue = hand.error?.issues[0];
  context.problems.push({
    code: 'receipt-invalid',
    where: { file: context.file, line: lineNumber, column: 1, path: issue?.path.join('.') },
    message:
      issue === undefined
        ? 'The line names a cell that is not planned.'
        : `The line is no receipt: ${issue.message}.`,
    mend: 'Write {"case", "arm", "repeat", "outcome", "scores", "critical"} with a planned case, arm and repeat.',
  });
  return null;
}

/** The JSON value of a line; undefined when it is none, which is then one more problem. */
function readValue(row: string, lineNumber: number, { file, problems }: RowContext): unknown {
  try {
    return readJson(row, { file, firstLine: lineNumber, errorCode: 'receipt-invalid' });
  } catch (thrown) {
    if (!(thrown instanceof LiftgateError) || thrown.code !== 'receipt-invalid') throw thrown;
    const { message, mend, where } = thrown;
    problems.push({
      code: 'receipt-invalid',
      where: { ...where, file },
      message,
      mend: mend ?? 'Write one JSON object per line.',
    });
    return undefined;
  }
}

function lineOf(hand: HandReceipt, { seal, index, positions }: RowContext): ReceiptLine | null {
  const unit = indexedCases(index).get(hand.case)?.unit;
  const arm = seal.arms.find((each) => each.id === hand.arm);
  if (unit === undefined || arm?.surfaceDigest == null) return null;
  const cell = { unit, case: hand.case, arm: hand.arm, repeat: hand.repeat };
  const position = positions.get(cellId(cell));
  if (position === undefined) return null;
  const cellKey = cellKeyOf({
    designDigest: seal.digests.design,
    caseId: hand.case,
    repeat: hand.repeat,
    surfaceDigest: arm.surfaceDigest,
    attempt: hand.attempt,
  });
  return {
    v: 1,
    ledger: null,
    expose: null,
    fence: null,
    cell,
    position,
    armDigest: arm.surfaceDigest,
    evaluatorTree: seal.evaluator.tree,
    receivedAt: unknownTime,
    receipt: handReceipt(hand, cellKey, seal),
  };
}

const unknownTime = '1970-01-01T00:00:00.000Z';

function handReceipt(hand: HandReceipt, cellKey: string, seal: SealedExperiment): Receipt {
  return sparseReceipt({
    cellKey,
    attempt: hand.attempt,
    experimentDigest: sealDigest(seal),
    outcome: hand.outcome,
    scores: hand.scores,
    critical: hand.critical,
    gradeAttempts: hand.outcome === 'completed' ? 1 : 0,
    span: { startedAt: unknownTime, endedAt: unknownTime },
  });
}
