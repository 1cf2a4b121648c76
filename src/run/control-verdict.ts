/** What a control's receipts prove: pure verdicts on surface and fault controls. */
import { failureValue, type Measure } from '../spec/measure.ts';
import type { Control, ExperimentSpec } from '../spec/spec.ts';
import { roundSignificant } from '../stats/rounding.ts';
import { type ControlResult, isOutcome, type Receipt } from './receipt.ts';

type SurfaceControl = Extract<Control, { readonly surface: unknown }>;
type FaultControl = Extract<Control, { readonly fault: unknown }>;

/** Final receipt of one control cell. */
export interface ControlCell {
  readonly receipt: Receipt;
  /** Whether a measure counts for the case. */
  applies(measure: string): boolean;
}

/**
 * Verdict on a surface control: all receipts are outcomes, and the mean of each expected measure lies in its bounds.
 *
 * The mean runs over the cells the measure applies to; a failed cell takes the measure's sealed failure value. A cell without a
 * value, or no applicable cell at all, fails the control.
 *
 * @example judgeSurface({}, { id: 'ceiling', expect: {} }, []).passed // => false
 */
export function judgeSurface(
  measures: ExperimentSpec['measures'],
  control: SurfaceControl,
  cells: readonly ControlCell[],
): ControlResult {
  const verdicts = Object.entries(control.expect).map(([id, bounds]) => {
    const mean = meanOf(id, measures[id], cells);
    return { id, mean: mean.value, reason: mean.reason ?? outsideReason(id, mean.value, bounds) };
  });
  const means = verdicts.flatMap(({ id, mean }) => (mean === null ? [] : [[id, mean] as const]));
  const failed = [outcomeReason(cells), ...verdicts.map((each) => each.reason)].filter(
    (reason) => reason !== null,
  );
  return {
    id: control.id,
    passed: failed.length === 0,
    reason: failed.length === 0 ? 'every mean lies in its bounds' : failed.join('; '),
    cells: cells.length,
    classes: classesOf(cells.map((cell) => cell.receipt)),
    means: Object.fromEntries(means),
  };
}

function outcomeReason(cells: readonly ControlCell[]): string | null {
  if (cells.length === 0)
    return 'no development case to run on; add some, or give the control its own case';
  const lost = cells.filter((cell) => !isOutcome(cell.receipt.outcome));
  const [first] = lost;
  if (first === undefined) return null;
  return `${lost.length} of ${cells.length} cells ended without an outcome (${[first.receipt.outcome, ...faultText(first.receipt)].join(', ')})`;
}

/** Longest detail shown in a reason, in UTF-16 code units. */
const shownDetail = 200;

/** Code and detail of a receipt's fault, if any; the detail is the host's text, so it is cut and kept on one line. */
function faultText({ fault }: Receipt): string[] {
  if (fault === null) return [];
  const detail = fault.detail.replace(/[\p{C}\s]+/gu, ' ').trim();
  const shown = detail.slice(0, shownDetail).toWellFormed();
  return [shown === '' ? fault.code : `${fault.code}: ${shown}`];
}

function classText(receipt: Receipt): string {
  const because = faultText(receipt).map((text) => ` (${text})`);
  return `${receipt.outcome}${because.join('')}`;
}

interface Mean {
  readonly value: number | null;
  readonly reason: string | null;
}

function meanOf(id: string, measure: Measure | undefined, cells: readonly ControlCell[]): Mean {
  if (measure === undefined) return { value: null, reason: `${id} is no measure` };
  const applicable = cells.filter((cell) => isOutcome(cell.receipt.outcome) && cell.applies(id));
  const values = applicable.map((cell) => cellValue(id, measure, cell.receipt));
  const known = values.filter((value) => value !== null);
  if (known.length < values.length) {
    const without = values.length - known.length;
    return { value: null, reason: `${id} has no value in ${without} of ${values.length} cells` };
  }
  if (known.length === 0) return { value: null, reason: `${id} applies to no settled cell` };
  const sum = known.reduce((total, value) => total + value, 0);
  return { value: roundSignificant(sum / known.length), reason: null };
}

function cellValue(id: string, measure: Measure, receipt: Receipt): number | null {
  if (receipt.gradeAttempts > 0) return receipt.scores[id] ?? null;
  return failureValue(measure);
}

function outsideReason(
  id: string,
  mean: number | null,
  bounds: { readonly min?: number | undefined; readonly max?: number | undefined },
): string | null {
  if (mean === null) return null;
  if (bounds.min !== undefined && mean < bounds.min)
    return `the mean of ${id} is ${mean}, expected at least ${bounds.min}`;
  if (bounds.max !== undefined && mean > bounds.max)
    return `the mean of ${id} is ${mean}, expected at most ${bounds.max}`;
  return null;
}

function classesOf(receipts: readonly Receipt[]): Record<string, number> {
  const counts = new Map<string, number>();
  for (const { outcome } of receipts) counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
  return Object.fromEntries(counts);
}

/**
 * Verdict on a fault control: the attempt's class is the declared one, and after `host-exit` the host answers an ordinary cell.
 * @param seen  the faulty attempt (null when there was no case to run) and, for `host-exit`, the ordinary attempt after it
 * @example judgeFault({ id: 'dead', fault: 'host-exit', expect: { class: 'infrastructureFault' } }, { receipt: null, after: null }).passed // => false
 */
export function judgeFault(
  control: FaultControl,
  seen: { readonly receipt: Receipt | null; readonly after: Receipt | null },
): ControlResult {
  const receipts = [seen.receipt, seen.after].filter((receipt) => receipt !== null);
  const reason = faultReason(control, seen.receipt, seen.after);
  return {
    id: control.id,
    passed: reason === null,
    reason: reason ?? `classified as ${control.expect.class}`,
    cells: receipts.length,
    classes: classesOf(receipts),
    means: {},
  };
}

function faultReason(
  control: FaultControl,
  receipt: Receipt | null,
  after: Receipt | null,
): string | null {
  if (receipt === null)
    return 'no development case to run on; add some, or give the control its own case';
  if (receipt.outcome !== control.expect.class)
    return `the fault ${control.fault} was classified as ${classText(receipt)}, expected ${control.expect.class}`;
  if (after !== null && !isOutcome(after.outcome))
    return `after ${control.fault} an ordinary cell ended as ${classText(after)}: the host did not come back`;
  return null;
}
