/**
 * Pairs: the candidate's and the baseline's cell of one case and repeat, with the value each gives one measure.
 *
 * completed                 its score; null is "not scored" and loses the pair for that measure
 * safeRefusal               its score when it was graded, else the sealed failure value
 * agentError, limitExceeded the sealed failure value; `indeterminate` loses the pair
 * anything else             missing: the pair leaves on both arms
 */
import { invariant } from '../base/errors.ts';
import type { MeasuredReceipt } from '../run/measured-line.ts';
import type { IndexedCase } from '../spec/case-index.ts';
import { bestValue, failureValue, type Measure, worstValue } from '../spec/measure.ts';
import { isMissingClass, type MissingClass, type SettledCell } from './settle.ts';

/** Why a cell gives no value for a measure. */
export type LossReason = MissingClass | 'not-scored' | 'failure-indeterminate';

/** What one cell says about one measure. */
export type CellValue =
  | { readonly status: 'valued'; readonly value: number; readonly failed: boolean }
  | { readonly status: 'lost'; readonly reason: LossReason };

function isGraded(receipt: MeasuredReceipt): boolean {
  return receipt.gradeAttempts > 0 || Object.keys(receipt.scores).length > 0;
}

function scored(receipt: MeasuredReceipt, id: string): CellValue {
  const score = Object.hasOwn(receipt.scores, id) ? (receipt.scores[id] ?? null) : null;
  return score === null
    ? { status: 'lost', reason: 'not-scored' }
    : { status: 'valued', value: score, failed: false };
}

function failed(measure: Measure): CellValue {
  const value = failureValue(measure);
  return value === null
    ? { status: 'lost', reason: 'failure-indeterminate' }
    : { status: 'valued', value, failed: true };
}

/** Value of one settled or missing cell for a measure, by its outcome class. */
export function cellValue({ settlement }: SettledCell, id: string, measure: Measure): CellValue {
  if (settlement.status === 'missing') return { status: 'lost', reason: settlement.reason };
  const { receipt } = settlement;
  switch (receipt.outcome) {
    case 'completed':
      return scored(receipt, id);
    case 'safeRefusal':
      return isGraded(receipt) ? scored(receipt, id) : failed(measure);
    case 'agentError':
    case 'limitExceeded':
      return failed(measure);
    case 'infrastructureFault':
    case 'evaluatorFailure':
    case 'cancelled':
      return { status: 'lost', reason: receipt.outcome };
  }
}

/** Most different values that are kept to be shared. */
const mostShared = 1024;

/** Gives equal values as one: a measure of a large run has few of them. */
function sharedValues(): (value: CellValue) => CellValue {
  const known = new Map<string | number, CellValue>();
  return (value) => {
    if (value.status === 'valued' && value.failed) return value;
    const key = value.status === 'valued' ? value.value : value.reason;
    if (Object.is(key, -0)) return value;
    const first = known.get(key);
    if (first !== undefined) return first;
    if (known.size < mostShared) known.set(key, value);
    return value;
  };
}

/** One case and repeat seen from both arms, for one measure. */
export interface Pair {
  readonly unit: string;
  readonly case: string;
  readonly repeat: number;
  readonly candidate: CellValue;
  readonly baseline: CellValue;
}

/** Cells of both arms in the same order, and the cases by id with what applies to them. */
export interface PairRequest {
  readonly measureId: string;
  readonly measure: Measure;
  readonly cases: ReadonlyMap<string, IndexedCase>;
  readonly candidate: readonly SettledCell[];
  readonly baseline: readonly SettledCell[];
}

/** Pairs of the cases a measure applies to, in the order of the cells. */
export function pairCells(request: PairRequest): Pair[] {
  const { measureId, measure, cases, candidate, baseline } = request;
  invariant(candidate.length === baseline.length, 'both arms plan the same cells');
  const shared = sharedValues();
  return candidate.flatMap((own, index) => {
    const other = baseline[index];
    invariant(
      other !== undefined &&
        other.cell.case === own.cell.case &&
        other.cell.repeat === own.cell.repeat,
      'cells of both arms come in the same order',
    );
    if (cases.get(own.cell.case)?.applies.includes(measureId) !== true) return [];
    const { unit, case: caseId, repeat } = own.cell;
    return [
      {
        unit,
        case: caseId,
        repeat,
        candidate: shared(cellValue(own, measureId, measure)),
        baseline: shared(cellValue(other, measureId, measure)),
      },
    ];
  });
}

/**
 * Pairs with every lost value replaced against the candidate: its own by the worst declared value, the baseline's by the best.
 * @returns the same pairs when nothing is lost; null when something is and the measure has no range to fill from
 */
export function fillWorstCase(pairs: readonly Pair[], measure: Measure): readonly Pair[] | null {
  const worst = worstValue(measure);
  const best = bestValue(measure);
  const lost = pairs.some(
    (pair) => pair.candidate.status === 'lost' || pair.baseline.status === 'lost',
  );
  if (!lost) return pairs;
  if (worst === null || best === null) return null;
  return pairs.map((pair) => ({
    ...pair,
    candidate: filled(pair.candidate, worst),
    baseline: filled(pair.baseline, best),
  }));
}

/**
 * Pairs with every cell that never gave an outcome counted in the candidate's favour: its own at the best declared value, the
 * baseline's at the worst. What the candidate itself left unscored stays lost.
 * @returns the same pairs when no cell is missing; null when one is and the measure has no range to fill from
 */
export function fillOutages(pairs: readonly Pair[], measure: Measure): readonly Pair[] | null {
  const missing = pairs.some(
    (pair) => isMissingValue(pair.candidate) || isMissingValue(pair.baseline),
  );
  if (!missing) return pairs;
  const worst = worstValue(measure);
  const best = bestValue(measure);
  if (worst === null || best === null) return null;
  return pairs.map((pair) => ({
    ...pair,
    candidate: isMissingValue(pair.candidate) ? filled(pair.candidate, best) : pair.candidate,
    baseline: isMissingValue(pair.baseline) ? filled(pair.baseline, worst) : pair.baseline,
  }));
}

function isMissingValue(value: CellValue): boolean {
  return value.status === 'lost' && isMissingClass(value.reason);
}

function filled(value: CellValue, fill: number): CellValue {
  return value.status === 'valued' ? value : { status: 'valued', value: fill, failed: true };
}
