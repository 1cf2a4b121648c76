/**
 * Two measures of the same units that should move together: how much more the first gains than the second.
 *
 * Per unit the improvement of each measure is taken as a share of its declared range, and the second is taken from the first; the
 * betting bound on [-2, 2] holds at every number of units. A unit that lost any value counts at 2 where the gate would clear on
 * filled data, and at -2 before it may breach.
 */
import type { Analysis, CandidateAnalysis, MeasureAnalysis } from '../analysis/analyze.ts';
import { isLostByFault } from '../analysis/settle.ts';
import { rangeWidth } from '../analysis/unit-value.ts';
import { invariant } from '../base/errors.ts';
import type { MeasureGap } from '../spec/gates.ts';
import { bettingBounds, bettingLowerClears } from '../stats/betting.ts';
import { type Bounds, isIndeterminate } from '../stats/interval.ts';
import { roundSignificant } from '../stats/rounding.ts';
import { sum } from '../stats/summary.ts';
import { type ContributionFlag, type ContributionParts, shownNumber } from './gate.ts';

/** What a gap is read on, and the error of its bounds. */
export interface GapRequest {
  readonly candidate: CandidateAnalysis;
  /** With every unit that lost a value counted against the candidate. */
  readonly filled: boolean;
  readonly error: number;
}

/** The finding of a gap with its numbers. */
export type GapFinding = Pick<
  ContributionParts,
  'finding' | 'reason' | 'flags' | 'statistic' | 'threshold' | 'errorLevel' | 'n'
>;

/** Differences of the two shares lie between minus this and this. */
export const widest = 2;

interface GapUnits {
  /** By unit in the sealed order; null where a value was lost. */
  readonly differences: readonly (number | null)[];
  readonly lost: readonly string[];
}

function measured({ measures }: CandidateAnalysis, id: string): MeasureAnalysis {
  const found = measures.get(id);
  invariant(found !== undefined, 'every gated measure is analysed');
  return found;
}

/** Improvement of every unit as a share of the range, and the units that lost something. */
function sharesOf({ measure, sample, pairs }: MeasureAnalysis) {
  const width = rangeWidth(measure);
  const lost = new Set(
    pairs
      .filter((pair) => pair.candidate.status === 'lost' || pair.baseline.status === 'lost')
      .map((pair) => pair.unit),
  );
  return {
    planned: new Set(pairs.map((pair) => pair.unit)),
    lost,
    shares: new Map(sample.units.map(({ unit, improvement }) => [unit, improvement / width])),
  };
}

function gapUnits(gap: MeasureGap, order: readonly string[], own: CandidateAnalysis): GapUnits {
  const ahead = sharesOf(measured(own, gap.ahead));
  const behind = sharesOf(measured(own, gap.behind));
  const shared = order.filter((unit) => ahead.planned.has(unit) && behind.planned.has(unit));
  const differences = shared.map((unit) => {
    if (ahead.lost.has(unit) || behind.lost.has(unit)) return null;
    return (ahead.shares.get(unit) ?? 0) - (behind.shares.get(unit) ?? 0);
  });
  const reasons = [gap.ahead, gap.behind].flatMap((id) =>
    measured(own, id).sample.lost.map((each) => each.reason),
  );
  return { differences, lost: reasons };
}

/** Gaps of the units that have every value. */
export function seenGaps(
  { order }: Pick<Analysis, 'order'>,
  gap: MeasureGap,
  candidate: CandidateAnalysis,
): readonly number[] {
  return seen(gapUnits(gap, order, candidate));
}

function boundsOf(values: readonly number[], error: number, truncation: number): Bounds | null {
  const range = { lower: -widest, upper: widest };
  const found = bettingBounds(values, { range, error, truncation });
  if (isIndeterminate(found)) return null;
  return { lower: roundSignificant(found.lower, 1), upper: roundSignificant(found.upper, 1) };
}

/**
 * Whether the upper bound of the gap lies below the margin, without computing the bound where that is possible.
 * @example isGapBelow([0], 0.1, { error: 0.025, truncation: 0.95 }) // => false
 */
export function isGapBelow(
  values: readonly number[],
  margin: number,
  { error, truncation }: { readonly error: number; readonly truncation: number },
): boolean {
  if (values.length < 2) return false;
  const range = { lower: -widest, upper: widest };
  const turned = values.map((each) => 0 - each);
  const decided = bettingLowerClears(turned, -margin, { range, error, truncation });
  if (decided !== null) return decided;
  const bounds = boundsOf(values, error, truncation);
  return bounds !== null && bounds.upper < margin;
}

function seen(units: GapUnits): number[] {
  return units.differences.filter((each) => each !== null);
}

function replaced(units: GapUnits, value: number): number[] {
  return units.differences.map((each) => each ?? value);
}

/**
 * Whether the first measure gains at most the margin more than the second.
 *
 * @returns cleared when the upper bound of the gap is below the margin, breached when the lower one reaches it and would with every
 *   lost unit in the candidate's favour; insufficient below 2 units
 */
export function judgeGap(
  { seal, order }: Pick<Analysis, 'seal' | 'order'>,
  gap: MeasureGap,
  { candidate, filled, error }: GapRequest,
): GapFinding {
  const units = gapUnits(gap, order, candidate);
  const values = filled ? replaced(units, widest) : seen(units);
  const bounded = (each: readonly number[]): Bounds | null =>
    boundsOf(each, error, seal.analysis.bettingTruncation);
  const bounds = bounded(values);
  const common = {
    threshold: gap.margin,
    errorLevel: roundSignificant(error),
    n: { units: values.length, pairs: 0, cells: 0, discordant: values.filter(Boolean).length },
  };
  const names = `"${gap.ahead}" over "${gap.behind}"`;
  if (bounds === null || values.length < 2) {
    const reason = `${values.length} units have both values of ${names}: too few to tell whether they move together`;
    const flags = values.length === 1 ? (['one-unit'] as const) : faultFlags(units);
    return { ...common, finding: 'insufficient', reason, flags };
  }
  const mean = shownNumber(sum(values) / values.length);
  const text = `the gain of ${names} is ${mean} of the range (${shownNumber(bounds.lower)} .. ${shownNumber(bounds.upper)})`;
  if (bounds.lower >= gap.margin) {
    const spared = bounded(replaced(units, -widest));
    return { ...common, ...breach(gap, units, { text, bounds, spared }) };
  }
  const clears = bounds.upper < gap.margin;
  const place = clears ? 'below' : 'which includes';
  return {
    ...common,
    statistic: bounds.upper,
    finding: clears ? 'cleared' : 'unresolved',
    reason: `${text}, ${place} ${shownNumber(gap.margin)}`,
  };
}

function faultFlags({ lost }: GapUnits): readonly ContributionFlag[] {
  return lost.length > 0 && lost.every(isLostByFault) ? ['lost-by-fault'] : [];
}

interface GapBreach {
  readonly text: string;
  readonly bounds: Bounds;
  /** With every lost unit in the candidate's favour. */
  readonly spared: Bounds | null;
}

/** A breach that stands whatever was lost; an outage alone never gives hold. */
function breach(
  { margin }: MeasureGap,
  units: GapUnits,
  { text, bounds, spared }: GapBreach,
): Pick<GapFinding, 'finding' | 'reason' | 'statistic' | 'flags'> {
  const reason = `${text}, wholly at or above ${shownNumber(margin)}`;
  const statistic = bounds.lower;
  if (spared !== null && spared.lower >= margin) return { finding: 'breached', reason, statistic };
  return {
    finding: 'insufficient',
    reason: `${reason}, but the lost values could undo it`,
    statistic,
    flags: faultFlags(units),
  };
}
