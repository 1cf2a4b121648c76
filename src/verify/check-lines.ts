/** Holds recorded receipt lines against the seal and the exposure they name. */
import type { Digest } from '../base/digest.ts';
import { cellKeyOf, interruptedAttempts, type ReceiptLine } from '../run/receipt.ts';
import { cellId } from '../run/schedule.ts';
import { type SealedExperiment, sealDigest } from '../spec/seal.ts';

export interface LineContext {
  readonly seal: SealedExperiment;
  readonly ledger: string;
  readonly expose: Digest;
  readonly fences: readonly string[];
}

/** What is wrong with the lines, one text per line and fault. */
export function lineFaults(lines: readonly ReceiptLine[], context: LineContext): string[] {
  const arms = new Map(context.seal.arms.map((arm) => [arm.id, arm.surfaceDigest]));
  const experiment = sealDigest(context.seal);
  const byCell = linesByCell(lines);
  return lines.flatMap((line) => {
    const { cell, receipt } = line;
    const name = `case ${cell.case}, arm ${cell.arm}, repeat ${cell.repeat}, attempt ${receipt.attempt}`;
    const surfaceDigest = arms.get(cell.arm);
    const tests: [boolean, string][] = [
      [surfaceDigest === line.armDigest, 'another surface than the sealed arm'],
      [line.evaluatorTree === context.seal.evaluator.tree, 'another evaluator'],
      [line.ledger === context.ledger && line.expose === context.expose, 'another exposure'],
      [line.fence !== null && context.fences.includes(line.fence), 'a fence that no attempt holds'],
      [receipt.experimentDigest === experiment, 'another experiment'],
      [
        receipt.attempt <= context.seal.limits.maxAttempts + interruptedBefore(line, byCell),
        'more attempts than sealed',
      ],
      [receipt.cellKey === keyOf(context.seal, line), 'a key that is not its own'],
    ];
    return tests.filter(([holds]) => !holds).map(([, fault]) => `${name}: ${fault}`);
  });
}

function linesByCell(lines: readonly ReceiptLine[]): ReadonlyMap<string, ReceiptLine[]> {
  const byCell = new Map<string, ReceiptLine[]>();
  for (const line of lines) {
    const own = byCell.get(cellId(line.cell));
    if (own === undefined) byCell.set(cellId(line.cell), [line]);
    else own.push(line);
  }
  return byCell;
}

function interruptedBefore(
  { cell, fence, receipt }: ReceiptLine,
  byCell: ReadonlyMap<string, ReceiptLine[]>,
): number {
  const own = byCell.get(cellId(cell)) ?? [];
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
