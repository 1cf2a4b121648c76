/**
 * Holds the recorded control receipts against the sealed controls (right cells, right surfaces, right attempts, right classes) and
 * against the exposure that knows them.
 */
import type { Digest } from '../base/digest.ts';
import type { EntryOf } from '../ledger/entry.ts';
import { receiptsRoot } from '../report/run-facts.ts';
import { controlResults } from '../run/control-results.ts';
import { controlOrder } from '../run/controls.ts';
import { cellKeyOf, type ReceiptLine } from '../run/receipt.ts';
import { admittedCases, type CaseIndex, type IndexedCase } from '../spec/case-index.ts';
import { type SealedExperiment, sealDigest } from '../spec/seal.ts';
import type { Control } from '../spec/spec.ts';
import { faultsOf } from './checklist.ts';

/** What is wrong with the controls of an exposed run, one text per control and fault. */
export function controlFaults(
  seal: SealedExperiment,
  index: CaseIndex,
  lines: readonly ReceiptLine[],
  { seq, body }: Pick<EntryOf<'expose'>, 'seq' | 'body'>,
): string[] {
  const experiment = sealDigest(seal);
  const known = new Set(seal.spec.controls.map((control) => control.id));
  const stray = lines
    .filter((line) => !known.has(line.cell.arm))
    .map((line) => `${line.cell.arm} is no sealed control`);
  const development = developmentOrder(seal, index);
  const wrong = seal.spec.controls.flatMap((control) =>
    oneControlFaults(seal, {
      experiment,
      control,
      cells: expectedCells(development, control),
      own: lines.filter((line) => line.cell.arm === control.id),
    }),
  );
  const misplaced = lines.some((line, at) => line.position !== at)
    ? ['the receipts of the controls are not in the order they were made']
    : [];
  const failed = controlResults(seal, index, lines).filter((result) => !result.passed);
  return [
    ...stray,
    ...wrong,
    ...misplaced,
    ...failed.map((result) => `${result.id}: ${result.reason}`),
    ...(body.controlsRoot === undefined || body.controlsRoot === receiptsRoot(lines)
      ? []
      : [`the receipts are not those that entry ${seq} (expose) knows`]),
  ];
}

interface ControlRecord {
  /** Digest of the final seal. */
  readonly experiment: Digest;
  readonly control: Control;
  readonly cells: readonly ExpectedCell[];
  readonly own: readonly ReceiptLine[];
}

function oneControlFaults(seal: SealedExperiment, record: ControlRecord): string[] {
  const { experiment, control, own } = record;
  const cases = new Map(record.cells.map((each) => [each.case, each]));
  const sealed = seal.controls.find((each) => each.id === control.id)?.surfaceDigest;
  const surface = sealed ?? seal.arms.find((arm) => arm.role === 'baseline')?.surfaceDigest;
  const ran = new Set(own.map((line) => line.cell.case));
  const every = (holds: (line: ReceiptLine) => boolean): boolean => own.every(holds);
  const tests: [boolean, string][] = [
    [
      ran.size === cases.size && [...cases.keys()].every((id) => ran.has(id)),
      `ran ${ran.size} cases that are not the ${cases.size} sealed ones`,
    ],
    [
      every(({ cell }) => cell.unit === cases.get(cell.case)?.unit && cell.repeat === 0),
      'names a unit or repeat that is not that of its case',
    ],
    [
      every(({ armDigest, receipt }) => {
        const loaded = receipt.surfaceLoadedDigest ?? surface;
        return armDigest === surface && loaded === surface;
      }),
      'ran another surface',
    ],
    [
      every(({ cell, receipt }) => {
        const input = cases.get(cell.case)?.inputDigest ?? null;
        return input === null || receipt.inputDigest === null || receipt.inputDigest === input;
      }),
      'ran another input than that of its case',
    ],
    [
      every((line) => line.evaluatorTree === seal.evaluator.tree),
      'ran under another evaluator than the sealed one',
    ],
    [
      every((line) => line.receipt.experimentDigest === experiment),
      'ran for another experiment than the sealed one',
    ],
    [
      every(({ ledger, expose, fence }) => ledger === null && expose === null && fence === null),
      'claims an exposure; controls run before it',
    ],
    [attemptsCount(seal, record), 'names attempts that are not 1, 2, ... of its cells'],
    [
      every((line) => line.receipt.cellKey === keyOf(seal, control, line)),
      'has a cell key that is not its own',
    ],
  ];
  return faultsOf(tests).map((fault) => `${control.id} ${fault}`);
}

interface ExpectedCell {
  readonly case: string;
  readonly unit: string;
  /** Null for a control's own case, which the case index does not hold. */
  readonly inputDigest: IndexedCase['inputDigest'] | null;
}

/** Development cases in the order in which controls take them. */
function developmentOrder(seal: SealedExperiment, index: CaseIndex): readonly IndexedCase[] {
  return controlOrder(
    seal,
    admittedCases(index).filter((each) => each.split !== 'final'),
  );
}

function expectedCells(development: readonly IndexedCase[], control: Control): ExpectedCell[] {
  if (control.case !== undefined) {
    const id = `control/${control.id}`;
    return [{ case: id, unit: id, inputDigest: null }];
  }
  const most = 'fault' in control ? 1 : control.cells;
  return development
    .slice(0, most)
    .map(({ id, unit, inputDigest }) => ({ case: id, unit, inputDigest }));
}

/** Attempts of each case count 1, 2, ... up to the sealed most; a fault control makes one, and a second after `host-exit`. */
function attemptsCount(seal: SealedExperiment, { control, own }: ControlRecord): boolean {
  const made = new Map<string, number>();
  const inOrder = own.every(({ cell, receipt }) => {
    const attempt = (made.get(cell.case) ?? 0) + 1;
    made.set(cell.case, attempt);
    return receipt.attempt === attempt;
  });
  const most = Math.max(0, ...made.values());
  if (!('fault' in control)) return inOrder && most <= seal.limits.maxAttempts;
  return inOrder && most === (control.fault === 'host-exit' ? 2 : 1);
}

function keyOf(
  seal: SealedExperiment,
  control: Control,
  { cell, armDigest, receipt }: ReceiptLine,
): string {
  return cellKeyOf({
    designDigest: seal.digests.design,
    caseId: cell.case,
    repeat: cell.repeat,
    surfaceDigest: armDigest,
    attempt: receipt.attempt,
    ...('fault' in control && receipt.attempt === 1 ? { fault: control.fault } : {}),
  });
}
