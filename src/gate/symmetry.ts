/** The `infrastructure-symmetry` gate: how alike outages treated the arms. It never gives hold: an outage is not an outcome. */
import type { Analysis, CandidateAnalysis } from '../analysis/analyze.ts';
import { baselineOf } from '../analysis/evidence.ts';
import type { Rows } from '../base/rows.ts';
import type { EvidenceLine, MeasuredReceipt } from '../run/measured-line.ts';
import { cellId } from '../run/schedule.ts';
import { type GateOf, gateName } from '../spec/gates.ts';
import { bettingBounds, bettingLowerClears } from '../stats/betting.ts';
import { type Bounds, isIndeterminate } from '../stats/interval.ts';
import { meanDifferenceBounds } from '../stats/mean-difference.ts';
import type { PairedCounts } from '../stats/paired-binary.ts';
import {
  exactUnconditionalBounds,
  exactUnconditionalClears,
} from '../stats/paired-binary-exact.ts';
import { roundSignificant } from '../stats/rounding.ts';
import { sum } from '../stats/summary.ts';
import { type Contribution, type ContributionParts, contributionOf, shownNumber } from './gate.ts';

/** Attempts at the two cells of one case and repeat. */
interface AttemptedPair {
  readonly unit: string;
  readonly candidate: Rows<EvidenceLine>;
  readonly baseline: Rows<EvidenceLine>;
}

function attemptedPairs({ seal, lines }: Analysis, { id }: CandidateAnalysis): AttemptedPair[] {
  const baseline = baselineOf(seal).id;
  const byCell = new Map<string, EvidenceLine[]>();
  for (const line of lines) {
    const key = cellId(line.cell);
    byCell.set(key, [...(byCell.get(key) ?? []), line]);
  }
  return [...byCell.values()].flatMap((candidate) => {
    const [first] = candidate;
    if (first === undefined || first.cell.arm !== id) return [];
    const other = byCell.get(cellId({ ...first.cell, arm: baseline }));
    return other === undefined ? [] : [{ unit: first.cell.unit, candidate, baseline: other }];
  });
}

function isFault({ outcome }: MeasuredReceipt): boolean {
  return outcome === 'infrastructureFault' || outcome === 'evaluatorFailure';
}

function metFault(lines: Rows<EvidenceLine>): number {
  return lines.some(({ receipt }) => isFault(receipt)) ? 1 : 0;
}

/** Values of pairs by unit, units in the sealed order. */
function byUnit(
  order: readonly string[],
  values: readonly { readonly unit: string; readonly value: number }[],
): number[][] {
  const units = new Map<string, number[]>();
  for (const { unit, value } of values) units.set(unit, [...(units.get(unit) ?? []), value]);
  return order.flatMap((unit) => {
    const own = units.get(unit);
    return own === undefined ? [] : [own];
  });
}

function meanOf(values: readonly number[]): number {
  return sum(values) / values.length;
}

/** Difference of the fault shares of each unit's two arms, and of their waiting where every wait is known; candidate minus baseline. */
export interface UnitAsymmetries {
  readonly faults: readonly number[];
  readonly waits: readonly number[] | null;
}

/** What of an analysis an infrastructure-symmetry gate compares, by unit in the sealed order. */
export function unitAsymmetries(analysis: Analysis, candidate: CandidateAnalysis): UnitAsymmetries {
  const pairs = attemptedPairs(analysis, candidate);
  const waits = waitDifferences(pairs);
  return {
    faults: faultUnits(analysis.order, pairs).map(meanOf),
    waits: waits.length < pairs.length ? null : byUnit(analysis.order, waits).map(meanOf),
  };
}

function faultUnits(order: readonly string[], pairs: readonly AttemptedPair[]): number[][] {
  return byUnit(
    order,
    pairs.map(({ unit, candidate, baseline }) => ({
      unit,
      value: metFault(candidate) - metFault(baseline),
    })),
  );
}

/** How much longer the candidate's cell waited, of the pairs of which that is known. */
function waitDifferences(pairs: readonly AttemptedPair[]) {
  return pairs.flatMap(({ unit, candidate, baseline }) => {
    const [own, other] = [waited(candidate), waited(baseline)];
    return own === null || other === null ? [] : [{ unit, value: own - other }];
  });
}

type Part = Pick<ContributionParts, 'finding' | 'reason' | 'statistic' | 'threshold'>;

/** Error of each side, and the truncation of bets. */
interface FaultOptions {
  readonly error: number;
  readonly truncation: number;
}

/** Most units of one pair each whose difference has an exact interval. */
const mostExact = 5000;

function faultCounts(values: readonly number[]): PairedCounts {
  return {
    both: 0,
    onlyCandidate: values.filter((each) => each > 0).length,
    onlyBaseline: values.filter((each) => each < 0).length,
    neither: values.filter((each) => each === 0).length,
  };
}

/** Whether every unit has one pair, and their counts decide. */
export function areFaultsCounted(sizes: readonly number[]): boolean {
  return sizes.length <= mostExact && sizes.every((pairs) => pairs === 1);
}

/** Bounds of the mean difference of fault shares: exact for one pair per unit, the betting bound for unit means. */
function faultBounds(
  units: readonly (readonly number[])[],
  { error, truncation }: FaultOptions,
): Bounds | null {
  const values = units.map(meanOf);
  const found = areFaultsCounted(units.map(({ length }) => length))
    ? exactUnconditionalBounds(faultCounts(values), error)
    : bettingBounds(values, { range: { lower: -1, upper: 1 }, error, truncation });
  return isIndeterminate(found) ? null : found;
}

/**
 * Whether the lower bound of the difference of fault shares lies above minus the margin, of units of one pair: half of what the
 * interval of a gate says, without computing it. The other half is that of the counts exchanged.
 * @param counts  units in which faults met the candidate's cell alone, and the baseline's alone
 */
export function isCountedFaultAbove(
  counts: Pick<PairedCounts, 'onlyCandidate' | 'onlyBaseline'>,
  units: number,
  { margin, error }: { readonly margin: number; readonly error: number },
): boolean {
  const neither = units - counts.onlyCandidate - counts.onlyBaseline;
  const all = { ...counts, both: 0, neither };
  return units >= 2 && exactUnconditionalClears(all, { error, threshold: -margin }) === true;
}

/** The same of the mean differences of units, by the betting bound in their order. */
export function isMeanFaultAbove(
  means: readonly number[],
  { margin, error, truncation }: FaultOptions & { readonly margin: number },
): boolean {
  if (means.length < 2) return false;
  const options = { range: { lower: -1, upper: 1 }, error, truncation };
  const decided = bettingLowerClears(means, -margin, options);
  if (decided !== null) return decided;
  const bounds = bettingBounds(means, options);
  return !isIndeterminate(bounds) && roundSignificant(bounds.lower, 1) > -margin;
}

function largestOf({ lower, upper }: Bounds): number {
  return roundSignificant(Math.max(Math.abs(lower), Math.abs(upper)), 1);
}

interface SymmetryInput {
  readonly analysis: Analysis;
  readonly pairs: readonly AttemptedPair[];
  readonly error: number;
}

function faultPart({ analysis, pairs, error }: SymmetryInput, margin: number): Part {
  const counts = [pairs.map((each) => each.candidate), pairs.map((each) => each.baseline)].map(
    (arm) => sum(arm.map(metFault)),
  );
  const seen = `faults met ${counts[0]} of ${pairs.length} candidate cells and ${counts[1]} of ${pairs.length} baseline cells`;
  const common = { threshold: margin };
  if (counts.every((each) => each === 0)) {
    return { ...common, finding: 'cleared', statistic: 0, reason: seen };
  }
  const units = faultUnits(analysis.order, pairs);
  const { bettingTruncation: truncation } = analysis.seal.analysis;
  const bounds = faultBounds(units, { error, truncation });
  if (bounds === null || units.length < 2) {
    return { ...common, finding: 'insufficient', reason: `${seen}, too few units to compare` };
  }
  const largest = largestOf(bounds);
  const within = largest < margin;
  return {
    ...common,
    statistic: largest,
    finding: within ? 'cleared' : 'unresolved',
    reason: `${seen}: the difference ${intervalText(bounds)} is ${within ? '' : 'not '}within ${shownNumber(margin)}`,
  };
}

function intervalText({ lower, upper }: Bounds): string {
  return `${shownNumber(lower)} .. ${shownNumber(upper)}`;
}

/** Whether the mean difference of waiting lies within the margin on both sides, from the mean of each unit. */
export function areWaitsAlike(means: readonly number[], most: number, error: number): boolean {
  if (means.every((each) => each === 0)) return true;
  const bounds = meanDifferenceBounds(means, error);
  return !isIndeterminate(bounds) && largestOf(bounds) < most;
}

/** Time that infrastructure kept the last attempt of a cell waiting; null where nobody knows. */
function waited(lines: Rows<EvidenceLine>): number | null {
  return lines.at(-1)?.receipt.timing.waitedMs ?? null;
}

function waitPart({ analysis, pairs, error }: SymmetryInput, most: number): Part {
  const common = { threshold: most };
  const differences = waitDifferences(pairs);
  const unknown = pairs.length - differences.length;
  if (unknown > 0) {
    const reason = `how long ${unknown} of ${pairs.length} pairs waited is not known`;
    return { ...common, finding: 'insufficient', reason };
  }
  if (differences.every(({ value }) => value === 0)) {
    const reason = 'both cells of every pair waited alike';
    return { ...common, finding: 'cleared', statistic: 0, reason };
  }
  const bounds = meanDifferenceBounds(byUnit(analysis.order, differences).map(meanOf), error);
  if (isIndeterminate(bounds)) {
    const reason = `no interval for the difference of waiting: ${bounds.reason}`;
    return { ...common, finding: 'indeterminate', reason };
  }
  const largest = largestOf(bounds);
  const within = largest < most;
  return {
    ...common,
    statistic: largest,
    finding: within ? 'cleared' : 'unresolved',
    reason: `the candidate waited ${intervalText(bounds)} ms longer on average, ${within ? '' : 'not '}within ${shownNumber(most)} ms`,
  };
}

/**
 * Whether faults, and waiting where it is asked for, met both arms alike: two one-sided bounds within the margins (equivalence).
 *
 * A run without any fault clears: it is about what happened in this run, not about what may happen.
 */
export function judgeInfrastructure(
  declared: GateOf<'infrastructure-symmetry'>,
  analysis: Analysis,
  candidate: CandidateAnalysis,
): Contribution {
  const pairs = attemptedPairs(analysis, candidate);
  const error = analysis.seal.analysis.errorLevels.lift;
  const common = {
    name: gateName(declared),
    gate: declared.gate,
    required: declared.required,
    errorLevel: error,
    n: {
      units: new Set(pairs.map((each) => each.unit)).size,
      pairs: pairs.length,
      cells: 2 * pairs.length,
      discordant: pairs.filter((each) => metFault(each.candidate) !== metFault(each.baseline))
        .length,
    },
  };
  if (pairs.length === 0) {
    const reason = 'no pair was attempted in both arms';
    return contributionOf({ ...common, finding: 'insufficient', reason });
  }
  const input = { analysis, pairs, error };
  const faults = faultPart(input, declared.margin);
  const { maxWaitMs } = declared;
  const parts = maxWaitMs === undefined ? [faults] : [faults, waitPart(input, maxWaitMs)];
  const decisive = parts.find(({ finding }) => finding !== 'cleared') ?? faults;
  return contributionOf({
    ...common,
    ...decisive,
    reason: parts.map((each) => each.reason).join('; '),
  });
}
