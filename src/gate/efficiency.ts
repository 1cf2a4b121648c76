/**
 * Gates on what it takes: `latency`, as a paired ratio or a quantile, and `matched-budget`.
 *
 * The ratio form is the paired interval of `effect`, in the words of ratios. The quantile form bounds a quantile of the candidate's
 * units by order statistics, whatever the distribution; a unit of several cells counts with its slowest, and a cell that is missing
 * counts as slower than all others where the gate would clear and as faster where it would breach.
 */
import type { CandidateAnalysis } from '../analysis/analyze.ts';
import type { CellValue, Pair } from '../analysis/pair.ts';
import { isLostByFault, type SettledCell } from '../analysis/settle.ts';
import { type Rows, requireRow, rowsOf } from '../base/rows.ts';
import { type Amount, sumAmounts, usageTokens, usageUsd } from '../run/budget.ts';
import { type GateOf, gateName } from '../spec/gates.ts';
import { exp } from '../stats/elementary.ts';
import { isIndeterminate } from '../stats/interval.ts';
import { nearestRank, quantileRanks } from '../stats/percentile.ts';
import { roundSignificant } from '../stats/rounding.ts';
import {
  type BoundWords,
  type Contribution,
  type ContributionParts,
  contributionOf,
  shownNumber,
} from './gate.ts';

/** A bound of an improvement of durations as the ratio candidate over baseline: less is better. */
function ratioOf(bound: number): number {
  return roundSignificant(exp(-bound));
}

function shownRatio(bound: number): string {
  return shownNumber(ratioOf(bound));
}

/** Words of a latency's ratio. */
export const ratioWords: BoundWords = {
  shown: ratioOf,
  beyond: (lower, threshold) =>
    `the upper bound ${shownRatio(lower)} of the ratio is below ${shownRatio(threshold)}`,
  breached: ({ lower, upper }, threshold) =>
    `the ratio ${shownRatio(upper)} .. ${shownRatio(lower)} lies wholly at or above ${shownRatio(threshold)}`,
  open: ({ lower, upper }, threshold) =>
    `the ratio ${shownRatio(upper)} .. ${shownRatio(lower)} includes ${shownRatio(threshold)}`,
};

/** A quantile gate and the error its bounds are read at. */
export interface QuantileInput {
  readonly declared: GateOf<'latency'>;
  readonly quantile: number;
  readonly max: number;
  readonly candidate: CandidateAnalysis;
  readonly error: number;
}

/** Slowest cell of each unit, its missing cells taken one way and the other; and what is missing. */
interface SlowestCells {
  readonly known: readonly number[];
  /** A unit that lacks a cell at infinity. */
  readonly slow: Float64Array;
  /** A unit that lacks every cell at minus infinity. */
  readonly fast: Float64Array;
  readonly lost: readonly string[];
  readonly cells: number;
}

function slowestCells(pairs: Rows<Pair>): SlowestCells {
  const units = new Map<string, CellValue[]>();
  for (const { unit, candidate } of pairs) {
    const cells = units.get(unit) ?? [];
    cells.push(candidate);
    units.set(unit, cells);
  }
  const each = [...units.values()].map((cells) => {
    const values = cells.flatMap((cell) => (cell.status === 'valued' ? [cell.value] : []));
    const slowest = values.reduce((most, value) => Math.max(most, value), -Infinity);
    return { slowest, whole: values.length === cells.length };
  });
  return {
    known: each.flatMap(({ slowest, whole }) => (whole ? [slowest] : [])),
    slow: Float64Array.from(each, ({ slowest, whole }) => (whole ? slowest : Infinity)).sort(),
    fast: Float64Array.from(each, ({ slowest }) => slowest).sort(),
    lost: pairs.flatMap(({ candidate }) => (candidate.status === 'lost' ? [candidate.reason] : [])),
    cells: pairs.length,
  };
}

/** The quantile that was seen, and whether it is more than the slowest of all. */
function seenText({ known }: SlowestCells, quantile: number): string {
  const found = nearestRank(known, String(roundSignificant(100 * quantile)));
  if (isIndeterminate(found)) return 'no unit was timed whole';
  const only = found.resolved ? '' : ', only the slowest,';
  return `the ${quantile} quantile of ${known.length} units${only} is ${shownNumber(found.value)}`;
}

/** The units that were timed whole, 1 for each whose slowest cell is faster than the limit and 0 for any other. */
export function fastUnits({ declared, max, candidate }: QuantileInput): readonly number[] {
  const { known } = slowestCells(candidate.measures.get(declared.measure)?.pairs ?? []);
  return known.map((slowest) => (slowest < max ? 1 : 0));
}

/** Contribution of a latency gate on a quantile, at one error level. */
export function judgeQuantile(input: QuantileInput): Contribution {
  const { declared, quantile, max, candidate, error } = input;
  const cells = slowestCells(candidate.measures.get(declared.measure)?.pairs ?? []);
  const units = cells.slow.length;
  const ranks = quantileRanks(units, { quantile, error });
  const lower = ranks.lower === null ? -Infinity : (cells.fast[ranks.lower - 1] ?? -Infinity);
  const upper = ranks.upper === null ? null : (cells.slow[ranks.upper - 1] ?? null);
  const common = {
    name: gateName(declared),
    gate: declared.gate,
    measure: declared.measure,
    required: declared.required,
    threshold: max,
    errorLevel: roundSignificant(error),
    n: { units, pairs: 0, cells: cells.cells, discordant: 0 },
  };
  if (lower >= max) {
    const statistic = roundSignificant(lower);
    const reason = `${seenText(cells, quantile)}; its lower bound ${shownNumber(lower)} is at or above ${shownNumber(max)}`;
    return contributionOf({ ...common, statistic, finding: 'breached', reason });
  }
  if (upper === null || upper === Infinity) {
    return contributionOf({
      ...common,
      ...unbounded(cells, { quantile, needed: ranks.unitsForUpper }),
    });
  }
  const clears = upper < max;
  return contributionOf({
    ...common,
    statistic: roundSignificant(upper),
    finding: clears ? 'cleared' : 'unresolved',
    reason: `${seenText(cells, quantile)}; its upper bound ${shownNumber(upper)} is ${clears ? 'below' : 'not below'} ${shownNumber(max)}`,
  });
}

/** Why nothing bounds the quantile from above: too few units, or too many that lack a cell. */
function unbounded(
  cells: SlowestCells,
  { quantile, needed }: { readonly quantile: number; readonly needed: number },
): Pick<ContributionParts, 'finding' | 'reason' | 'flags'> {
  const units = cells.slow.length;
  const lacking = units - cells.known.length;
  const reason =
    units < needed
      ? `${seenText(cells, quantile)}; an upper bound needs ${needed} units at this error`
      : `${seenText(cells, quantile)}; ${lacking} of ${units} units lack a cell, which may be the slowest`;
  const byFault = units >= needed && cells.lost.every(isLostByFault);
  return { finding: 'insufficient', reason, flags: byFault ? ['lost-by-fault'] : [] };
}

/** What both cells of a complete pair spent. */
interface SpentPair {
  readonly unit: string;
  readonly candidate: Amount;
  readonly baseline: Amount;
}

const spendingOf = { tokens: usageTokens, usd: usageUsd } as const;

function spentPairs(
  of: 'tokens' | 'usd',
  candidate: Rows<SettledCell>,
  baseline: Rows<SettledCell>,
): SpentPair[] {
  return candidate.flatMap((own, at) => {
    const other = requireRow(baseline, at);
    if (own.settlement.status === 'missing' || other.settlement.status === 'missing') return [];
    return [
      {
        unit: own.cell.unit,
        candidate: spendingOf[of](own.settlement.receipt.usage),
        baseline: spendingOf[of](other.settlement.receipt.usage),
      },
    ];
  });
}

function isKnown(amount: Amount): amount is Extract<Amount, { known: true }> {
  return amount.known;
}

/**
 * Contribution of a matched-budget gate: over complete pairs, what the settled attempts of both arms spent on execution differs by
 * at most the tolerance, whichever arm spent more. The statistic is the larger total over the smaller, minus 1.
 *
 * @returns insufficient while any of these amounts is unknown, without a complete pair, and for a breach that missing cells could undo
 */
export function judgeMatchedBudget(
  declared: GateOf<'matched-budget'>,
  candidate: Rows<SettledCell>,
  baseline: Rows<SettledCell>,
): Contribution {
  const { of, tolerance } = declared;
  const pairs = spentPairs(of, candidate, baseline);
  const unequal = pairs.filter(
    (each) =>
      isKnown(each.candidate) &&
      isKnown(each.baseline) &&
      each.candidate.value !== each.baseline.value,
  );
  const common = {
    name: gateName(declared),
    gate: declared.gate,
    required: declared.required,
    threshold: tolerance,
    n: {
      units: new Set(pairs.map((each) => each.unit)).size,
      pairs: pairs.length,
      cells: 2 * pairs.length,
      discordant: unequal.length,
    },
  };
  const lost = rowsOf(candidate, baseline).flatMap(({ settlement }) =>
    settlement.status === 'missing' ? [settlement.reason] : [],
  );
  const found = matchedFinding({ of, tolerance, pairs, lost });
  return contributionOf({ ...common, ...found });
}

interface MatchedInput {
  readonly of: 'tokens' | 'usd';
  readonly tolerance: number;
  readonly pairs: readonly SpentPair[];
  readonly lost: readonly string[];
}

type MatchedFinding = Pick<ContributionParts, 'finding' | 'reason' | 'flags' | 'statistic'>;

function matchedFinding({ of, tolerance, pairs, lost }: MatchedInput): MatchedFinding {
  const flags = lost.length > 0 && lost.every(isLostByFault) ? (['lost-by-fault'] as const) : [];
  if (pairs.length === 0) return { finding: 'insufficient', reason: 'no pair is complete', flags };
  const own = sumAmounts(pairs.map((each) => each.candidate));
  const other = sumAmounts(pairs.map((each) => each.baseline));
  if (!own.known || !other.known) {
    const unknown = pairs.filter((each) => !each.candidate.known || !each.baseline.known).length;
    const reason = `the ${of} of ${unknown} of ${pairs.length} complete pairs are not known`;
    return { finding: 'insufficient', reason };
  }
  const [less, more] = [Math.min(own.value, other.value), Math.max(own.value, other.value)];
  const excess = more === 0 ? 0 : less === 0 ? null : roundSignificant(more / less - 1);
  const totals = `over ${pairs.length} complete pairs the candidate spent ${shownNumber(own.value)} ${of}, the baseline ${shownNumber(other.value)}`;
  if (excess !== null && excess <= tolerance) {
    const reason = `${totals}: within ${shownNumber(tolerance)}`;
    return { finding: 'cleared', statistic: excess, reason };
  }
  const reason = `${totals}: not within ${shownNumber(tolerance)}`;
  if (lost.length === 0) return { finding: 'breached', statistic: excess, reason };
  const undone = `${reason}, but the missing cells could undo it`;
  return { finding: 'insufficient', statistic: excess, reason: undone, flags };
}
