/** Control results read back from their receipts: the verdicts of `runControls`, made again without a host. */
import { type CaseIndex, indexedCases } from '../spec/case-index.ts';
import type { SealedExperiment } from '../spec/seal.ts';
import type { Control } from '../spec/spec.ts';
import { type ControlCell, judgeFault, judgeSurface } from './control-verdict.ts';
import type { ControlResult, ReceiptLine } from './receipt.ts';
import { measureApplies } from './scores.ts';

/** Verdict on every sealed control from the lines that bear its id, in the spec's order. */
export function controlResults(
  seal: SealedExperiment,
  index: CaseIndex,
  lines: readonly ReceiptLine[],
): ControlResult[] {
  return seal.spec.controls.map((control) => {
    const own = lines.filter((line) => line.cell.arm === control.id);
    if (!('fault' in control))
      return judgeSurface(seal.spec.measures, control, finalCells(seal, index, { control, own }));
    const [first, after] = own;
    return judgeFault(control, { receipt: first?.receipt ?? null, after: after?.receipt ?? null });
  });
}

/** Last receipt of each case of a surface control. */
function finalCells(
  seal: SealedExperiment,
  index: CaseIndex,
  { control, own }: { readonly control: Control; readonly own: readonly ReceiptLine[] },
): ControlCell[] {
  const known = indexedCases(index);
  const last = new Map(own.map((line) => [line.cell.case, line.receipt]));
  return [...last].map(([id, receipt]) => ({
    receipt,
    applies: (measure) => {
      if (control.case === undefined) return known.get(id)?.applies.includes(measure) ?? false;
      const declared = seal.spec.measures[measure];
      return declared !== undefined && measureApplies(declared, control.case);
    },
  }));
}
