/**
 * The critical gate: one violating candidate cell, in any repeat, cannot be bought back by an average.
 *
 * A cell violates when its value is the worst declared one or a critical finding names the measure. A failed cell takes the sealed
 * failure value here as everywhere. A lost cell or one that nobody checked leaves the gate not evaluated, unless a violation was
 * seen. Baseline violations are reported and excuse nothing.
 */
import type { CandidateAnalysis } from '../analysis/analyze.ts';
import { cellValue, type LossReason } from '../analysis/pair.ts';
import { isLostByFault, type SettledCell } from '../analysis/settle.ts';
import type { SampleSize } from '../analysis/unit-value.ts';
import type { Rows } from '../base/rows.ts';
import { type GateDeclaration, gateName } from '../spec/gates.ts';
import { type Measure, worstValue } from '../spec/measure.ts';
import { clopperPearsonLower, clopperPearsonUpper } from '../stats/proportion.ts';
import { roundSignificant } from '../stats/rounding.ts';
import {
  type Contribution,
  type ContributionFlag,
  type ContributionParts,
  contributionOf,
  shownNumber,
} from './gate.ts';

type CriticalDeclaration = Extract<GateDeclaration, { gate: 'critical' }>;

/** A critical gate, the candidate it judges and the baseline it reports on. */
export interface CriticalInput {
  readonly declared: CriticalDeclaration;
  readonly measure: Measure;
  readonly candidate: CandidateAnalysis;
  readonly baselineCells: Rows<SettledCell>;
  /** One-sided error of the rate bound; a gate without `maxRate` reads none. */
  readonly error: number;
}

type CellCheck =
  | { readonly status: 'violating'; readonly failed: boolean }
  | { readonly status: 'clean' }
  | { readonly status: 'unchecked'; readonly reason: LossReason };

function checkCell(cell: SettledCell, id: string, measure: Measure): CellCheck {
  const findings = cell.settlement.status === 'settled' ? cell.settlement.receipt.critical : null;
  if (findings?.some((finding) => finding.id === id) === true) {
    return { status: 'violating', failed: false };
  }
  const value = cellValue(cell, id, measure);
  if (value.status === 'valued') {
    return value.value === worstValue(measure)
      ? { status: 'violating', failed: value.failed }
      : { status: 'clean' };
  }
  if (findings !== null && value.reason === 'not-scored') return { status: 'clean' };
  return { status: 'unchecked', reason: value.reason };
}

interface CheckedCell {
  readonly unit: string;
  readonly check: CellCheck;
}

interface Tally {
  readonly cells: readonly CheckedCell[];
  readonly violating: readonly CheckedCell[];
  readonly unchecked: readonly LossReason[];
  readonly units: number;
  readonly violatingUnits: number;
  readonly failed: number;
}

function tally(cells: Rows<SettledCell>, cases: ReadonlySet<string>, input: CriticalInput): Tally {
  const checked = cells
    .filter((cell) => cases.has(cell.cell.case))
    .map((cell) => ({
      unit: cell.cell.unit,
      check: checkCell(cell, input.declared.measure, input.measure),
    }));
  const violating = checked.filter(({ check }) => check.status === 'violating');
  return {
    cells: checked,
    violating,
    unchecked: checked.flatMap(({ check }) => (check.status === 'unchecked' ? [check.reason] : [])),
    units: new Set(checked.map((each) => each.unit)).size,
    violatingUnits: new Set(violating.map((each) => each.unit)).size,
    failed: violating.filter(({ check }) => check.status === 'violating' && check.failed).length,
  };
}

function casesOf({ declared, candidate }: CriticalInput): ReadonlySet<string> {
  return new Set((candidate.measures.get(declared.measure)?.pairs ?? []).map((pair) => pair.case));
}

/** The candidate's units, 1 for each that violates in any cell and 0 for any other. */
export function violatingUnits(input: CriticalInput): readonly number[] {
  const { units, violatingUnits: found } = tally(input.candidate.cells, casesOf(input), input);
  return Array.from({ length: units }, (_, at) => (at < found ? 1 : 0));
}

/** Contribution of a critical gate for one candidate. */
export function judgeCritical(input: CriticalInput): Contribution {
  const { declared, candidate } = input;
  const cases = casesOf(input);
  const own = tally(candidate.cells, cases, input);
  const baseline = tally(input.baselineCells, cases, input);
  const flags: ContributionFlag[] = [];
  if (baseline.violating.length > 0) flags.push('baseline-violations');
  if (own.failed > 0) flags.push('failed-cells');
  const n: SampleSize = { units: own.units, pairs: 0, cells: own.cells.length, discordant: 0 };
  const common = {
    name: gateName(declared),
    gate: declared.gate,
    measure: declared.measure,
    required: declared.required,
    n,
    flags,
  };
  const parts =
    declared.maxRate === undefined
      ? vetoParts(own, common)
      : rateParts(own, { common, error: input.error, maxRate: declared.maxRate });
  return contributionOf({ ...parts, reason: parts.reason + baselineNote(baseline) });
}

type CommonParts = Omit<ContributionParts, 'finding' | 'reason'>;

function baselineNote(baseline: Tally): string {
  const { length } = baseline.violating;
  return length === 0 ? '' : `; the baseline violates in ${counted(length, 'cell')}`;
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

function insufficient(own: Tally, common: CommonParts): ContributionParts {
  const byFault = own.unchecked.length > 0 && own.unchecked.every(isLostByFault);
  const reason =
    own.cells.length === 0
      ? 'no planned cell is subject to the measure'
      : `${own.unchecked.length} of ${counted(own.cells.length, 'candidate cell')} are lost or unchecked`;
  const flags: ContributionFlag[] = [...(common.flags ?? [])];
  if (byFault) flags.push('lost-by-fault');
  return { ...common, finding: 'insufficient', reason, flags };
}

function vetoParts(own: Tally, common: CommonParts): ContributionParts {
  const counts = { ...common, statistic: own.violating.length, threshold: 0 };
  if (own.violating.length > 0) {
    const failed = own.failed > 0 ? `, ${own.failed} of them by the sealed failure value` : '';
    const reason = `${counted(own.violating.length, 'candidate cell')} in ${counted(own.violatingUnits, 'unit')} ${own.violating.length === 1 ? 'violates' : 'violate'} it${failed}`;
    return { ...counts, finding: 'breached', reason };
  }
  if (own.cells.length === 0 || own.unchecked.length > 0) return insufficient(own, counts);
  return {
    ...counts,
    finding: 'cleared',
    reason: `no violation in ${counted(own.cells.length, 'candidate cell')}`,
  };
}

interface RateOptions {
  readonly common: CommonParts;
  readonly error: number;
  readonly maxRate: number;
}

/** With `maxRate`: units that violate in any cell, held to exact one-sided bounds. */
function rateParts(own: Tally, { common, error, maxRate }: RateOptions): ContributionParts {
  const counts = { successes: own.violatingUnits, units: own.units };
  const lower = clopperPearsonLower(counts, error);
  const upper = clopperPearsonUpper(counts, error);
  const parts = { ...common, threshold: maxRate, errorLevel: roundSignificant(error) };
  if (typeof lower !== 'number' || typeof upper !== 'number') return insufficient(own, parts);
  const bounds = { lower: roundSignificant(lower, 1), upper: roundSignificant(upper, 1) };
  const limit = shownNumber(maxRate);
  const seen = `${own.violatingUnits} of ${counted(own.units, 'unit')} violate it`;
  if (bounds.lower >= maxRate) {
    const reason = `${seen}: the exact lower bound ${shownNumber(bounds.lower)} is at or above ${limit}`;
    return { ...parts, statistic: bounds.lower, finding: 'breached', reason };
  }
  if (own.unchecked.length > 0) return insufficient(own, parts);
  const cleared = bounds.upper < maxRate;
  const reason = `${seen}: the exact upper bound ${shownNumber(bounds.upper)} is ${cleared ? 'below' : 'not below'} ${limit}`;
  return { ...parts, statistic: bounds.upper, finding: cleared ? 'cleared' : 'unresolved', reason };
}
