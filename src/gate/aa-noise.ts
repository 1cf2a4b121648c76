/**
 * The noise of a host, from calls that should agree: how far the calls of one block lie apart, and whether a later call scores otherwise
 * than the first. Units count, their blocks are averaged; values of durations and costs are logarithms.
 */
import { type Evidence, measureIds, measureOf } from '../analysis/evidence.ts';
import { cellValue } from '../analysis/pair.ts';
import { type SettledCell, settleCells } from '../analysis/settle.ts';
import { scaledValue } from '../analysis/unit-value.ts';
import { invariant } from '../base/errors.ts';
import { rowsOf } from '../base/rows.ts';
import type { Cell } from '../run/receipt.ts';
import { cellId } from '../run/schedule.ts';
import { finalCases } from '../spec/case-index.ts';
import { isLogScale, type Measure } from '../spec/measure.ts';
import { armIds } from '../spec/spec.ts';
import { type Interval, isIndeterminate } from '../stats/interval.ts';
import { meanDifferenceInterval } from '../stats/mean-difference.ts';
import { holmAdjust } from '../stats/multiplicity.ts';
import { clopperPearsonInterval } from '../stats/proportion.ts';
import { roundSignificant } from '../stats/rounding.ts';
import { signFlipMonteCarlo, signFlipTest } from '../stats/sign-flip.ts';
import { moments, sum } from '../stats/summary.ts';
import { aaBlocks } from './aa.ts';

/** Level of the intervals an A/A run shows. */
export const aaLevel = 0.95;
const placeResamples = 9999;

/** What calls that should agree say about one measure. */
export interface AaNoise {
  readonly measure: string;
  /** `log` where values are logarithms. */
  readonly scale: 'own' | 'log';
  /** Units with at least one block of two values; everything below is about them. */
  readonly units: number;
  readonly blocks: number;
  /** Blocks whose values are all equal. */
  readonly tied: number;
  /** Units with a block that is not tied, and the exact interval of their share; null without units. */
  readonly differing: { readonly units: number; readonly interval: Interval | null };
  /** Standard deviation of one cell about its block; null without units. */
  readonly cellDeviation: number | null;
  /** Root mean square of the units' differences between two arms, whose mean is 0 by design; null without units. */
  readonly unitDeviation: number | null;
  /** Later calls of a block minus its first one; null without a unit whose first call has a value. */
  readonly place: AaPlace | null;
}

/** A difference between places, over units. */
export interface AaPlace {
  readonly units: number;
  readonly difference: number;
  /** Student's t; null below 2 units or where all units differ by the same. */
  readonly interval: Interval | null;
  /** Two-sided sign-flip test over units, exact or by 9999 draws: valid whatever the values, if places do not matter. */
  readonly p: number;
  /** `p` adjusted by Holm for all measures. */
  readonly adjusted: number;
}

interface Spread {
  readonly variances: number[];
  readonly differences: number[];
  readonly later: number[];
}

/** Cells of a round by `cellId`. */
function cellsOf(round: Evidence): Map<string, SettledCell> {
  const all = [...rowsOf(...settleCells(round).values())];
  return new Map(all.map((each) => [cellId(each.cell), each]));
}

const meanOf = (values: readonly number[]): number => sum(values) / values.length;

/** Values of the cells of a block in the order given; null where a cell gave none. */
function valuesOf(
  cells: readonly Cell[],
  known: ReadonlyMap<string, SettledCell>,
  { id, measure }: NamedMeasure,
): (number | null)[] {
  return cells.map((cell) => {
    const settled = known.get(cellId(cell));
    const found = settled === undefined ? null : cellValue(settled, id, measure);
    return found?.status === 'valued' ? scaledValue(measure, found.value) : null;
  });
}

interface NamedMeasure {
  readonly id: string;
  readonly measure: Measure;
}

/** Adds the blocks of one round to the spreads of their units. */
function addRound(spreads: Map<string, Spread>, round: Evidence, named: NamedMeasure): void {
  const known = cellsOf(round);
  const applies = new Map(finalCases(round.index).map((each) => [each.id, each.applies]));
  const [baseline, candidate] = armIds(round.seal.spec);
  for (const block of aaBlocks(round)) {
    if (applies.get(block.case)?.includes(named.id) !== true) continue;
    const values = valuesOf(block.cells, known, named);
    const given = values.filter((value) => value !== null);
    if (given.length < 2) continue;
    const own = spreads.get(block.unit) ?? { variances: [], differences: [], later: [] };
    spreads.set(block.unit, own);
    own.variances.push(moments(given).variance);
    const [first = null, ...rest] = values;
    const later = rest.filter((value) => value !== null);
    if (first !== null) own.later.push(meanOf(later) - first);
    const [from = null, to = null] = [baseline, candidate].map(
      (arm) => values[block.cells.findIndex((cell) => cell.arm === arm)],
    );
    if (from !== null && to !== null) own.differences.push(to - from);
  }
}

/** @param seed  64 hex digits, for a test by draws */
function placeOf(later: readonly number[], seed: string): Omit<AaPlace, 'adjusted'> | null {
  if (later.length === 0) return null;
  const exact = signFlipTest(later);
  const test = isIndeterminate(exact)
    ? signFlipMonteCarlo(later, { resamples: placeResamples, seed })
    : exact;
  if (isIndeterminate(test)) return null;
  const interval = meanDifferenceInterval(later, aaLevel);
  return {
    units: later.length,
    difference: roundSignificant(meanOf(later), 1),
    interval: isIndeterminate(interval) ? null : interval,
    p: roundSignificant(test.pTwoSided),
  };
}

type UnadjustedNoise = Omit<AaNoise, 'place'> & {
  readonly place: Omit<AaPlace, 'adjusted'> | null;
};

/** Means of the lists that hold something. */
function means(lists: readonly (readonly number[])[]): number[] {
  return lists.flatMap((list) => (list.length === 0 ? [] : [meanOf(list)]));
}

function rootMean(values: readonly number[]): number | null {
  return values.length === 0 ? null : roundSignificant(Math.sqrt(meanOf(values)), 1);
}

function noiseOf(rounds: readonly Evidence[], named: NamedMeasure, seed: string): UnadjustedNoise {
  const spreads = new Map<string, Spread>();
  for (const round of rounds) addRound(spreads, round, named);
  const units = [...spreads.values()];
  const variances = units.flatMap((each) => each.variances);
  const differing = units.filter((each) => each.variances.some((value) => value > 0)).length;
  const interval = clopperPearsonInterval({ successes: differing, units: units.length }, aaLevel);
  return {
    measure: named.id,
    scale: isLogScale(named.measure) ? 'log' : 'own',
    units: units.length,
    blocks: variances.length,
    tied: variances.filter((value) => value === 0).length,
    differing: { units: differing, interval: isIndeterminate(interval) ? null : interval },
    cellDeviation: rootMean(means(units.map((each) => each.variances))),
    unitDeviation: rootMean(
      means(units.map((each) => each.differences)).map((each) => each * each),
    ),
    place: placeOf(means(units.map((each) => each.later)), seed),
  };
}

/**
 * The noise of every measure of a design, over all rounds together.
 *
 * @param rounds  at least one; evidence under the seals of the rounds, over the same units
 * @param seed    64 hex digits, for tests by draws where a list of units is too long to enumerate
 * @returns       by code units of the measures' ids; a measure nobody gave two values of has 0 units
 */
export function aaNoise(rounds: readonly Evidence[], seed: string): AaNoise[] {
  const [first] = rounds;
  invariant(first !== undefined, 'noise is read off at least one round');
  const found = measureIds(first.seal).map((id) =>
    noiseOf(rounds, { id, measure: measureOf(first.seal, id) }, seed),
  );
  const adjusted = holmAdjust(found.flatMap(({ place }) => (place === null ? [] : [place.p])));
  return found.map((each) => {
    const { place } = each;
    if (place === null) return { ...each, place };
    return { ...each, place: { ...place, adjusted: roundSignificant(adjusted.shift() ?? 1) } };
  });
}

/** Blocks in which every call gave an output, and of these the ones where all outputs are equal byte for byte. */
export function aaOutputs(rounds: readonly Evidence[]): { blocks: number; equal: number } {
  let [blocks, equal] = [0, 0];
  for (const round of rounds) {
    const known = cellsOf(round);
    for (const { cells } of aaBlocks(round)) {
      const digests = cells.map((cell) => {
        const settlement = known.get(cellId(cell))?.settlement;
        return settlement?.status === 'settled' ? settlement.receipt.artifact?.digest : undefined;
      });
      if (digests.includes(undefined)) continue;
      blocks += 1;
      if (new Set(digests).size === 1) equal += 1;
    }
  }
  return { blocks, equal };
}
