/** Latency of settled cells by arm and population: nearest rank, known and unknown counted, never mixed across populations. */
import type { SettledCell } from '../analysis/settle.ts';
import type { Rows } from '../base/rows.ts';
import { exp, log } from '../stats/elementary.ts';
import { isIndeterminate } from '../stats/interval.ts';
import { nearestRank } from '../stats/percentile.ts';
import { sum } from '../stats/summary.ts';

/** Cells whose times belong together; what stopped at a limit would have taken longer, so its times are lower bounds. */
export type Population = 'completed' | 'safeRefusal' | 'agentError' | 'limitExceeded';

const populations: readonly Population[] = [
  'completed',
  'safeRefusal',
  'agentError',
  'limitExceeded',
];
const shownPercents = [50, 90, 95, 99] as const;

/** A nearest-rank percentile; unresolved means that it is only the largest value. */
export interface LatencyPercentile {
  readonly percent: number;
  readonly valueMs: number;
  readonly resolved: boolean;
}

/** Active time of the cells of one arm that ended alike; times are null when no cell of it was timed. */
export interface LatencyView {
  readonly arm: string;
  readonly population: Population;
  readonly censored: boolean;
  readonly known: number;
  readonly unknown: number;
  /** Sum of the known times. */
  readonly totalMs: number;
  readonly minMs: number | null;
  readonly maxMs: number | null;
  readonly percentiles: readonly LatencyPercentile[];
  /** Known values by the bins of `LatencyViews.edgesMs`. */
  readonly bins: readonly number[];
}

/** All populations that have a cell, and the edges of the bins they share: rising, one more than bins, empty without a value. */
export interface LatencyViews {
  readonly edgesMs: readonly number[];
  readonly populations: readonly LatencyView[];
  /** Cells that ended without an outcome: nothing was timed to its end. */
  readonly missing: readonly { readonly arm: string; readonly cells: number }[];
}

const binCount = 24;

interface Timed {
  readonly arm: string;
  readonly population: Population;
  readonly values: readonly (number | null)[];
}

function timesOf(arm: string, cells: Rows<SettledCell>): Timed[] {
  return populations.flatMap((population) => {
    const values = cells.flatMap(({ settlement }) =>
      settlement.status === 'settled' && settlement.receipt.outcome === population
        ? [settlement.receipt.timing.activeMs]
        : [],
    );
    return values.length === 0 ? [] : [{ arm, population, values }];
  });
}

function isKnown(value: number | null): value is number {
  return value !== null;
}

/** Edges of equal ratio between the smallest and the largest time above zero; a time of zero falls into the first bin. */
function binEdges(values: readonly number[]): number[] {
  const positive = values.filter((value) => value > 0);
  const smallest = positive.reduce((least, value) => Math.min(least, value), Number.MAX_VALUE);
  const largest = positive.reduce((most, value) => Math.max(most, value), 0);
  if (positive.length === 0) return [];
  if (smallest === largest) return [smallest, largest];
  const from = log(smallest);
  const step = (log(largest) - from) / binCount;
  const inner = Array.from({ length: binCount - 1 }, (_, at) => exp(from + (at + 1) * step));
  return [smallest, ...inner, largest];
}

function countBins(values: readonly number[], edges: readonly number[]): number[] {
  const counts = edges.slice(1).map(() => 0);
  if (counts.length === 0) return counts;
  for (const value of values) {
    const found = edges.slice(1).findIndex((edge) => value <= edge);
    const bin = found === -1 ? counts.length - 1 : found;
    counts[bin] = (counts[bin] ?? 0) + 1;
  }
  return counts;
}

function latencyView({ arm, population, values }: Timed, edges: readonly number[]): LatencyView {
  const known = values.filter(isKnown);
  const at = (percent: number): LatencyPercentile[] => {
    const found = nearestRank(known, percent);
    return isIndeterminate(found)
      ? []
      : [{ percent, valueMs: found.value, resolved: found.resolved }];
  };
  return {
    arm,
    population,
    censored: population === 'limitExceeded',
    known: known.length,
    unknown: values.length - known.length,
    totalMs: sum(known),
    minMs: at(0)[0]?.valueMs ?? null,
    maxMs: at(100)[0]?.valueMs ?? null,
    percentiles: shownPercents.flatMap(at),
    bins: countBins(known, edges),
  };
}

/**
 * Latency of the given arms, in their order.
 * @param arms  cells of each arm as settled; active time in milliseconds, null where the host did not say
 */
export function latencyViews(
  arms: readonly { readonly arm: string; readonly cells: Rows<SettledCell> }[],
): LatencyViews {
  const timed = arms.flatMap(({ arm, cells }) => timesOf(arm, cells));
  const edgesMs = binEdges(timed.flatMap(({ values }) => values.filter(isKnown)));
  return {
    edgesMs,
    populations: timed.map((each) => latencyView(each, edgesMs)),
    missing: arms.flatMap(({ arm, cells }) => {
      const missing = cells.filter(({ settlement }) => settlement.status === 'missing').length;
      return missing === 0 ? [] : [{ arm, cells: missing }];
    }),
  };
}
