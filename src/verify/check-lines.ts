/** Holds recorded receipt lines against the seal and the exposure they name. */
import type { Digest } from '../base/digest.ts';
import type { Rows } from '../base/rows.ts';
import type { EvidenceLine } from '../run/measured-line.ts';
import { cellKeyOf, interruptedAttempts, type ReceiptLine } from '../run/receipt.ts';
import { cellId } from '../run/schedule.ts';
import { type SealedExperiment, sealDigest } from '../spec/seal.ts';
import { faultsOf } from './checklist.ts';

export interface LineContext {
  readonly seal: SealedExperiment;
  readonly ledger: string;
  readonly expose: Digest;
  readonly fences: readonly string[];
}

/** What is wrong with the lines, one text per line and fault. */
export function lineFaults(lines: Rows<ReceiptLine>, context: LineContext): string[] {
  const check = lineChecker(context);
  const byCell = linesByCell(lines);
  return lines.flatMap((line) => check(line, () => byCell.get(cellId(line.cell)) ?? []));
}

/**
 * What is wrong with one line, one text per fault.
 * @returns a function of the line and of all lines of its cell, which are asked for only when it is of an attempt beyond the sealed number
 */
export function lineChecker(
  context: LineContext,
): (line: ReceiptLine, ofCell: () => readonly EvidenceLine[]) => string[] {
  const { seal } = context;
  const arms = new Map(seal.arms.map((arm) => [arm.id, arm.surfaceDigest]));
  const experiment = sealDigest(seal);
  const { maxAttempts } = seal.limits;
  return (line, ofCell) => {
    const { cell, receipt } = line;
    const most = (): number => maxAttempts + interruptedBefore(line, ofCell());
    return faultsOf([
      [arms.get(cell.arm) === line.armDigest, 'another surface than the sealed arm'],
      [line.evaluatorTree === seal.evaluator.tree, 'another evaluator'],
      [line.ledger === context.ledger && line.expose === context.expose, 'another exposure'],
      [line.fence !== null && context.fences.includes(line.fence), 'a fence that no attempt holds'],
      [receipt.experimentDigest === experiment, 'another experiment'],
      [receipt.attempt <= maxAttempts || receipt.attempt <= most(), 'more attempts than sealed'],
      [receipt.cellKey === keyOf(seal, line), 'a key that is not its own'],
    ]).map((fault) => `${nameOf(line)}: ${fault}`);
  };
}

function nameOf({ cell, receipt }: ReceiptLine): string {
  return `case ${cell.case}, arm ${cell.arm}, repeat ${cell.repeat}, attempt ${receipt.attempt}`;
}

function linesByCell(lines: Rows<ReceiptLine>): ReadonlyMap<string, ReceiptLine[]> {
  const byCell = new Map<string, ReceiptLine[]>();
  for (const line of lines) {
    const own = byCell.get(cellId(line.cell));
    if (own === undefined) byCell.set(cellId(line.cell), [line]);
    else own.push(line);
  }
  return byCell;
}

/** Attempts before this one that an interrupt took, among all lines of its cell. */
function interruptedBefore({ fence, receipt }: ReceiptLine, own: readonly EvidenceLine[]): number {
  return interruptedAttempts(
    own.filter((each) => each.receipt.attempt < receipt.attempt),
    fence,
  );
}

function keyOf(seal: SealedExperiment, { cell, armDigest, receipt }: ReceiptLine): string {
  return cellKeyOf({
    designDigest: seal.digests.design,
    caseId: cell.case,
    repeat: cell.repeat,
    surfaceDigest: armDigest,
    attempt: receipt.attempt,
  });
}
