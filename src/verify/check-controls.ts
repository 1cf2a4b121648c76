/** Holds the recorded control receipts against the sealed controls: right cells, right surfaces, right classes. */

import { controlResults } from '../run/control-results.ts';
import { controlOrder } from '../run/controls.ts';
import type { ReceiptLine } from '../run/receipt.ts';
import { admittedCases, type CaseIndex } from '../spec/case-index.ts';
import type { SealedExperiment } from '../spec/seal.ts';
import type { Control } from '../spec/spec.ts';

/** What is wrong with the controls, one text per control and fault. */
export function controlFaults(
  seal: SealedExperiment,
  index: CaseIndex,
  lines: readonly ReceiptLine[],
): string[] {
  const surfaces = new Map(seal.controls.map((control) => [control.id, control.surfaceDigest]));
  const baseline = seal.arms.find((arm) => arm.role === 'baseline')?.surfaceDigest;
  const known = new Set(seal.spec.controls.map((control) => control.id));
  const stray = lines
    .filter((line) => !known.has(line.cell.arm))
    .map((line) => `${line.cell.arm} is no sealed control`);
  const wrong = seal.spec.controls.flatMap((control) => {
    const own = lines.filter((line) => line.cell.arm === control.id);
    const surface = surfaces.get(control.id) ?? baseline;
    return [
      ...caseFaults(seal, index, { control, own }),
      ...(own.every((line) => line.armDigest === surface)
        ? []
        : [`${control.id} ran another surface`]),
    ];
  });
  const failed = controlResults(seal, index, lines).filter((result) => !result.passed);
  return [...stray, ...wrong, ...failed.map((result) => `${result.id}: ${result.reason}`)];
}

function caseFaults(
  seal: SealedExperiment,
  index: CaseIndex,
  { control, own }: { readonly control: Control; readonly own: readonly ReceiptLine[] },
): string[] {
  const ran = new Set(own.map((line) => line.cell.case));
  const expected = expectedCases(seal, index, control);
  const same = ran.size === expected.length && expected.every((id) => ran.has(id));
  return same
    ? []
    : [`${control.id} ran ${ran.size} cases that are not the ${expected.length} sealed ones`];
}

function expectedCases(seal: SealedExperiment, index: CaseIndex, control: Control): string[] {
  if (control.case !== undefined) return [`control/${control.id}`];
  const development = admittedCases(index).filter((each) => each.split !== 'final');
  const most = 'fault' in control ? 1 : control.cells;
  return controlOrder(seal, development)
    .slice(0, most)
    .map((each) => each.id);
}
