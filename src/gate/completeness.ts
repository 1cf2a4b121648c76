/**
 * The completeness gate: every planned cell settled and every gated measure scored.
 *
 * With losses it passes only if the lost share stays within loss.maxLostShare and the decision of the other gates is the same on
 * data filled against the candidate. It never breaches; a gated measure without a range cannot be filled, so any loss is
 * insufficient.
 */
import type { CandidateAnalysis } from '../analysis/analyze.ts';
import { isLostByFault, type SettledCell } from '../analysis/settle.ts';
import { type Rows, rowsOf } from '../base/rows.ts';
import { roundSignificant } from '../stats/rounding.ts';
import { type Contribution, contributionOf, type Decision, shownNumber } from './gate.ts';

/** A candidate's losses and the decision of the other gates with and without them. */
export interface CompletenessInput {
  readonly name: string;
  readonly candidate: CandidateAnalysis;
  /** Cells of the baseline, and of the placebo where there is one. */
  readonly otherCells: Rows<SettledCell>;
  /** Measures whose values can move the decision. */
  readonly gated: readonly string[];
  readonly maxLostShare: number;
  /** Decision of the other gates on what was seen. */
  readonly observed: Decision;
  /** The same with every loss of every candidate counted against it. */
  readonly filled: Decision;
}

/** What a candidate and its baseline lost, cells and values of gated measures alike. */
export interface Losses {
  /** Largest lost share over the cells and each gated measure's values. */
  readonly share: number;
  readonly cells: number;
  readonly plannedCells: number;
  readonly values: number;
  readonly byFault: boolean;
}

/** Counts the losses that concern a candidate's decision. */
export function countLosses(
  candidate: CandidateAnalysis,
  otherCells: Rows<SettledCell>,
  gated: readonly string[],
): Losses {
  const cells = rowsOf(candidate.cells, otherCells);
  const missing = cells.flatMap(({ settlement }) =>
    settlement.status === 'missing' ? [settlement.reason] : [],
  );
  const measures = gated.flatMap((id) => candidate.measures.get(id) ?? []);
  const overPlacebo = gated.flatMap((id) => candidate.overPlacebo?.get(id) ?? []);
  const lost = rowsOf(
    ...measures.map(({ sample }) => sample.lost),
    // The candidate's own losses stand in both comparisons and count once.
    ...overPlacebo.map(({ sample }) => sample.lost.filter(({ side }) => side === 'baseline')),
  ).map(({ reason }) => reason);
  const shares = [...measures, ...overPlacebo].map(({ sample }) =>
    shareOf(sample.lost.length, sample.plannedValues),
  );
  const reasons = [...missing, ...lost];
  return {
    share: roundSignificant(Math.max(shareOf(missing.length, cells.length), ...shares)),
    cells: missing.length,
    plannedCells: cells.length,
    values: lost.length,
    byFault: reasons.length > 0 && reasons.every(isLostByFault),
  };
}

function shareOf(part: number, whole: number): number {
  return whole === 0 ? 0 : part / whole;
}

function lossText(losses: Losses): string {
  const cells = `${losses.cells} of ${losses.plannedCells} planned cells did not settle`;
  return losses.values > losses.cells ? `${cells}, ${losses.values} gated values are lost` : cells;
}

/** Contribution of the completeness gate for one candidate. */
export function judgeCompleteness(input: CompletenessInput): Contribution {
  const losses = countLosses(input.candidate, input.otherCells, input.gated);
  const common = {
    name: input.name,
    gate: 'completeness',
    required: true,
    statistic: losses.share,
    threshold: input.maxLostShare,
  };
  if (losses.plannedCells === 0) {
    return contributionOf({ ...common, finding: 'insufficient', reason: 'no cell is planned' });
  }
  if (losses.cells === 0 && losses.values === 0 && input.filled === input.observed) {
    return contributionOf({
      ...common,
      finding: 'cleared',
      reason: `all ${losses.plannedCells} planned cells settled`,
    });
  }
  const trouble = troubleOf(input, losses);
  return contributionOf({
    ...common,
    finding: trouble === null ? 'cleared' : 'insufficient',
    reason: `${lossText(losses)}; ${trouble ?? 'counting every loss against its candidate changes nothing'}`,
    flags: trouble !== null && losses.byFault ? ['lost-by-fault'] : [],
  });
}

function troubleOf(input: CompletenessInput, losses: Losses): string | null {
  if (losses.share > input.maxLostShare) {
    return `the lost share ${shownNumber(losses.share)} is above the sealed ${shownNumber(input.maxLostShare)}`;
  }
  const { measures, overPlacebo } = input.candidate;
  const read = input.gated.flatMap((id) => [measures.get(id), overPlacebo?.get(id)]);
  if (read.some((each) => each?.filled === null)) {
    return 'a gated measure has no range to fill its losses from';
  }
  if (input.filled !== input.observed) {
    return `counting every loss against its candidate turns ${input.observed} into ${input.filled}`;
  }
  return null;
}
