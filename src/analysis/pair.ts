/**
 * Pairs: the candidate's and the baseline's cell of one case and repeat, with the value each gives one measure.
 *
 * completed                 its score; null is "not scored" and loses the pair for that measure
 * safeRefusal               its score when it was graded, else the sealed failure value
 * agentError, limitExceeded the sealed failure value; `indeterminate` loses the pair
 * anything else             missing: the pair leaves on both arms
 */
import { NumberColumn, SharedColumn } from '../base/columns.ts';
import { invariant } from '../base/errors.ts';
import { PlaceList, RowList, type Rows, requireRow, rowsAs } from '../base/rows.ts';
import type { MeasuredReceipt } from '../run/measured-line.ts';
import type { Cell } from '../run/receipt.ts';
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

/** Values of many cells: how each ended, and its number. */
class ValueColumn {
  private readonly endings: SharedColumn<'valued' | 'failed' | LossReason>;
  private readonly numbers: NumberColumn;

  constructor(expected: number) {
    this.endings = new SharedColumn(expected);
    this.numbers = new NumberColumn(expected);
  }

  set(row: number, value: CellValue): void {
    if (value.status === 'lost') {
      this.endings.set(row, value.reason, value.reason);
      return;
    }
    const ending = value.failed ? 'failed' : 'valued';
    this.endings.set(row, ending, ending);
    this.numbers.set(row, value.value);
  }

  get(row: number): CellValue {
    const ending = this.endings.get(row);
    if (ending !== 'valued' && ending !== 'failed') return { status: 'lost', reason: ending };
    const value = this.numbers.get(row);
    invariant(value !== null, 'a value is a number');
    return { status: 'valued', value, failed: ending === 'failed' };
  }
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
  readonly candidate: Rows<SettledCell>;
  readonly baseline: Rows<SettledCell>;
}

/** Pairs in the order in which they were added. */
class PairColumns extends RowList<Pair> {
  private readonly cells: Rows<SettledCell>;
  private readonly places = new PlaceList();
  private readonly candidate: ValueColumn;
  private readonly baseline: ValueColumn;

  /** @param cells  of the candidate, in the order of which pairs are added */
  constructor(cells: Rows<SettledCell>) {
    super();
    this.cells = cells;
    this.candidate = new ValueColumn(cells.length);
    this.baseline = new ValueColumn(cells.length);
  }

  get length(): number {
    return this.places.length;
  }

  add(place: number, values: Pick<Pair, 'candidate' | 'baseline'>): void {
    this.candidate.set(this.length, values.candidate);
    this.baseline.set(this.length, values.baseline);
    this.places.add(place);
  }

  cellAt(index: number): Cell {
    return requireRow(this.cells, this.places.at(index)).cell;
  }

  candidateAt(index: number): CellValue {
    return this.candidate.get(index);
  }

  baselineAt(index: number): CellValue {
    return this.baseline.get(index);
  }

  protected row(index: number): Pair {
    return new PairView(this, index);
  }
}

class PairView implements Pair {
  readonly #pairs: PairColumns;
  readonly #index: number;

  constructor(pairs: PairColumns, index: number) {
    this.#pairs = pairs;
    this.#index = index;
  }

  get unit(): string {
    return this.#pairs.cellAt(this.#index).unit;
  }

  get case(): string {
    return this.#pairs.cellAt(this.#index).case;
  }

  get repeat(): number {
    return this.#pairs.cellAt(this.#index).repeat;
  }

  get candidate(): CellValue {
    return this.#pairs.candidateAt(this.#index);
  }

  get baseline(): CellValue {
    return this.#pairs.baselineAt(this.#index);
  }
}

/** Pairs of the cases a measure applies to, in the order of the cells. */
export function pairCells(request: PairRequest): Rows<Pair> {
  const { measureId, measure, cases, candidate, baseline } = request;
  invariant(candidate.length === baseline.length, 'both arms plan the same cells');
  const pairs = new PairColumns(candidate);
  let place = 0;
  for (const own of candidate) {
    const other = requireRow(baseline, place);
    const { case: caseId, repeat } = own.cell;
    invariant(
      other.cell.case === caseId && other.cell.repeat === repeat,
      'cells of both arms come in the same order',
    );
    if (cases.get(caseId)?.applies.includes(measureId) === true) {
      pairs.add(place, {
        candidate: cellValue(own, measureId, measure),
        baseline: cellValue(other, measureId, measure),
      });
    }
    place += 1;
  }
  return pairs;
}

/**
 * Pairs with every lost value replaced against the candidate: its own by the worst declared value, the baseline's by the best.
 * @returns the same pairs when nothing is lost; null when something is and the measure has no range to fill from
 */
export function fillWorstCase(pairs: Rows<Pair>, measure: Measure): Rows<Pair> | null {
  const worst = worstValue(measure);
  const best = bestValue(measure);
  const lost = pairs.some(
    (pair) => pair.candidate.status === 'lost' || pair.baseline.status === 'lost',
  );
  if (!lost) return pairs;
  if (worst === null || best === null) return null;
  return rowsAs(pairs, (pair) =>
    withValues(pair, {
      candidate: filled(pair.candidate, worst),
      baseline: filled(pair.baseline, best),
    }),
  );
}

/**
 * Pairs with every cell that never gave an outcome counted in the candidate's favour: its own at the best declared value, the
 * baseline's at the worst. What the candidate itself left unscored stays lost.
 * @returns the same pairs when no cell is missing; null when one is and the measure has no range to fill from
 */
export function fillOutages(pairs: Rows<Pair>, measure: Measure): Rows<Pair> | null {
  const missing = pairs.some(
    (pair) => isMissingValue(pair.candidate) || isMissingValue(pair.baseline),
  );
  if (!missing) return pairs;
  const worst = worstValue(measure);
  const best = bestValue(measure);
  if (worst === null || best === null) return null;
  return rowsAs(pairs, (pair) => {
    const { candidate, baseline } = pair;
    return withValues(pair, {
      candidate: isMissingValue(candidate) ? filled(candidate, best) : candidate,
      baseline: isMissingValue(baseline) ? filled(baseline, worst) : baseline,
    });
  });
}

function withValues(
  { unit, case: caseId, repeat }: Pair,
  values: Pick<Pair, 'candidate' | 'baseline'>,
): Pair {
  return { unit, case: caseId, repeat, ...values };
}

function isMissingValue(value: CellValue): boolean {
  return value.status === 'lost' && isMissingClass(value.reason);
}

function filled(value: CellValue, fill: number): CellValue {
  return value.status === 'valued' ? value : { status: 'valued', value: fill, failed: true };
}
