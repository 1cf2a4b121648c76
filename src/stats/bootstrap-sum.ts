/**
 * The exact bootstrap law of a mean and of a ratio of means.
 *
 * Means: values on a common decimal grid are convolved (draws × grid steps up to 20,000) or inverted on their lattice (up to
 * 4e6 points); others are enumerated up to 10 units and inverted as continuous above. A ratio is at most t exactly when the
 * mean of numerator − t × denominator is at most 0, so each of its probabilities is one mean problem.
 */
import type { BootstrapLaw } from './bootstrap-law.ts';
import {
  firstReaching,
  lawOfEnumeration,
  lawOfPoints,
  shareSlack,
  type WeightedValue,
} from './bootstrap-law.ts';
import { chordRoot } from './chord-root.ts';
import { type DecimalGrid, decimalGrid } from './decimal-grid.ts';
import { invertedSum, type SumLaw } from './inverted-sum.ts';
import { latticeSum } from './lattice-sum.ts';
import { enumerateCounts } from './resampling.ts';
import { moments } from './summary.ts';

const mostConvolved = 20_000;
const mostLatticePoints = 4e6;
const mostEnumerated = 10;
const mostDistinctOnFractions = 64;
const mostDenominator = 64;

/** Distinct values of a sorted list with their shares. */
function distinct(ordered: ArrayLike<number>): { values: Float64Array; shares: Float64Array } {
  const values = new Float64Array(ordered.length);
  const shares = new Float64Array(ordered.length);
  let count = 0;
  for (let at = 0; at < ordered.length; at += 1) {
    const value = ordered[at] ?? 0;
    if (count === 0 || values[count - 1] !== value) {
      values[count] = value;
      count += 1;
    }
    shares[count - 1] = (shares[count - 1] ?? 0) + 1;
  }
  return {
    values: values.slice(0, count),
    shares: shares.slice(0, count).map((times) => times / ordered.length),
  };
}

function convolvedLaw(grid: DecimalGrid): BootstrapLaw {
  const units = grid.steps.length;
  const least = grid.steps[0] ?? 0;
  const mass = new Float64Array((grid.steps[units - 1] ?? 0) - least + 1);
  for (const step of grid.steps) mass[step - least] = (mass[step - least] ?? 0) + 1 / units;
  const law = latticeSum({ start: least, mass }, units);
  let total = 0;
  const cumulated = law.mass.map((share) => {
    total += share;
    return total;
  });
  const values = law.mass.map((_, index) => grid.fromSteps(law.start + index) / units);
  return lawOfPoints({ values, cumulated, total }, 'convolution');
}

function invertedLatticeLaw(grid: DecimalGrid): BootstrapLaw | undefined {
  const units = grid.steps.length;
  const sum = invertedSum({ ...distinct(grid.steps), draws: units, lattice: true });
  if (sum === undefined) return undefined;
  const one = Math.abs(grid.fromSteps(1));
  /** Sum steps up to and including t; within 1e-6 of a step counts as the step. */
  const stepsAt = (t: number): number => Math.floor((t * units) / one + 1e-6);
  const stepsBelow = (t: number): number => -Math.floor(-((t * units) / one - 1e-6));
  return {
    source: 'inversion',
    quantile: (p) =>
      grid.fromSteps(
        firstReaching(
          { below: sum.lower - 1, enough: sum.upper },
          (steps) => sum.share(steps + 1) >= p - shareSlack,
        ),
      ) / units,
    cdf: (t) => sum.share(stepsAt(t) + 1),
    below: (t) => sum.share(stepsBelow(t)),
    moments: () => meanMoments(grid.steps.map((step) => grid.fromSteps(step))),
    quantileError: () => 0,
    undefinedShare: 0,
  };
}

function meanMoments(values: readonly number[]): { mean: number; standardDeviation: number } {
  const { mean, variance, units } = moments(values);
  const standardDeviation = Math.sqrt((variance * (units - 1)) / units / units);
  return { mean, standardDeviation };
}

/** Halves a bracket of a rising share to neighbouring doubles, or a 1e-14th of its width. */
function invertedQuantile({ share, lower, upper }: SumLaw, p: number): number {
  let [low, high] = [lower, upper];
  const gap = 1e-14 * (upper - lower);
  while (high - low > gap) {
    const middle = (low + high) / 2;
    if (middle <= low || middle >= high) break;
    if (share(middle) >= p) high = middle;
    else low = middle;
  }
  return high;
}

function invertedContinuousLaw(ordered: Float64Array): BootstrapLaw | undefined {
  const units = ordered.length;
  const sum = invertedSum({ ...distinct(ordered), draws: units, lattice: false });
  if (sum === undefined) return undefined;
  return {
    source: 'inversion',
    quantile: (p) => invertedQuantile(sum, p) / units,
    cdf: (t) => sum.share(t * units),
    below: (t) => sum.share(t * units),
    moments: () => meanMoments(Array.from(ordered)),
    quantileError: () => 0,
    undefinedShare: 0,
  };
}

function enumeratedMeanLaw(ordered: Float64Array): BootstrapLaw {
  const units = ordered.length;
  const points: WeightedValue[] = [];
  enumerateCounts(units, (counts, weight) => {
    let total = 0;
    for (let unit = 0; unit < units; unit += 1) total += (counts[unit] ?? 0) * (ordered[unit] ?? 0);
    points.push({ value: total / units, weight });
  });
  return lawOfEnumeration(points);
}

function gridWidth({ steps }: DecimalGrid): number {
  return (steps[steps.length - 1] ?? 0) - (steps[0] ?? 0) + 1;
}

/** Values looked at before a whole list is put on a grid. */
const probedValues = 100;

/**
 * Whether no grid can be of use, seen from a hundred values and both ends: the step of the whole list divides theirs, so its
 * grid is at least as wide, and it has at least as many distinct values.
 *
 * @param ordered  values in rising order
 * @example isOffGrids(new Float64Array([1, 2, 3])) // => false
 */
export function isOffGrids(ordered: Float64Array): boolean {
  if (ordered.length <= 2 * probedValues) return false;
  const stride = (ordered.length - 1) / (probedValues - 1);
  const probed = Float64Array.from({ length: probedValues }, (_, at) => {
    return ordered[Math.floor(at * stride + 0.5)] ?? 0;
  });
  const few = distinct(probed).values.length <= mostDistinctOnFractions;
  const points = ordered.length * gridWidth(decimalGrid(Array.from(probed)));
  return points > mostLatticePoints && !few;
}

/**
 * The decimal grid, or the grid of a fraction where that is coarser: means of 3 repeats lie on thirds, which no decimal grid
 * shows. Only lists of few distinct values are tried, for others have no such grid.
 */
function coarsestGrid(ordered: Float64Array): DecimalGrid {
  const plain = decimalGrid(Array.from(ordered));
  if (ordered.length * gridWidth(plain) <= mostConvolved) return plain;
  const few = Array.from(distinct(ordered).values);
  if (few.length > mostDistinctOnFractions) return plain;
  for (let denominator = 3; denominator <= mostDenominator; denominator += 1) {
    const onFractions = (values: readonly number[]): DecimalGrid =>
      decimalGrid(values.map((value) => value * denominator));
    if (ordered.length * gridWidth(onFractions(few)) <= mostConvolved) {
      const grid = onFractions(Array.from(ordered));
      return { steps: grid.steps, fromSteps: (steps) => grid.fromSteps(steps) / denominator };
    }
  }
  return plain;
}

/**
 * The exact law of a resample's mean.
 *
 * @param ordered  values in rising order, at least one
 * @returns        undefined where no exact way is affordable: a few units off any coarse grid, or one value far from all others
 * @example meanLaw(new Float64Array([0, 1]))?.quantile(0.5) // => 0.5
 * @see Efron & Tibshirani (1993), An Introduction to the Bootstrap, section 6.2
 */
export function meanLaw(ordered: Float64Array): BootstrapLaw | undefined {
  const units = ordered.length;
  if (isOffGrids(ordered)) return invertedContinuousLaw(ordered);
  const grid = coarsestGrid(ordered);
  const points = units * gridWidth(grid);
  if (points <= mostConvolved || (grid.steps[0] ?? 0) === grid.steps[units - 1])
    return convolvedLaw(grid);
  if (units <= mostEnumerated) return enumeratedMeanLaw(ordered);
  const lattice = points <= mostLatticePoints ? invertedLatticeLaw(grid) : undefined;
  return lattice ?? invertedContinuousLaw(ordered);
}

/** P(ratio ≤ t), or undefined where the sum of numerator − t × denominator cannot be inverted. */
function ratioShare(tops: Float64Array, bottoms: Float64Array, t: number): number | undefined {
  const sum = invertedSum({
    values: tops.map((top, at) => top - t * (bottoms[at] ?? 0)),
    shares: tops.map(() => 1 / tops.length),
    draws: tops.length,
    lattice: false,
  });
  return sum?.share(0);
}

/**
 * The exact law of a ratio of means, each probability from one inversion.
 *
 * @param tops     numerators, one per unit
 * @param bottoms  denominators above 0, one per unit
 * @returns        undefined where the inversion does not settle at the estimate: few units, or a lattice
 * @example ratioLaw(new Float64Array([1, 2]), new Float64Array([1, 2])) // => undefined
 * @see Davison & Hinkley (1997), Bootstrap Methods and their Application, section 2.6
 */
export function ratioLaw(tops: Float64Array, bottoms: Float64Array): BootstrapLaw | undefined {
  const ratios = tops.map((top, at) => top / (bottoms[at] ?? 1)).sort();
  const least = ratios[0] ?? 0;
  const most = ratios[ratios.length - 1] ?? 0;
  if (least === most) return undefined;
  const settled = (t: number): number => ratioShare(tops, bottoms, t) ?? Number.NaN;
  const spread = ratioSpread(tops, bottoms);
  const probes = [
    spread.mean - 2 * spread.standardDeviation,
    spread.mean,
    spread.mean + 2 * spread.standardDeviation,
  ];
  if (probes.some((t) => Number.isNaN(settled(t)))) return undefined;
  const inside = (t: number): number => (t <= least ? 0 : t >= most ? 1 : settled(t));
  return {
    source: 'inversion',
    quantile: (p) => ratioQuantile(inside, { p, least, most, spread }),
    cdf: inside,
    below: inside,
    moments: () => spread,
    quantileError: () => 0,
    undefinedShare: 0,
  };
}

/** The ratio and the spread of its linear approximation over resamples. */
function ratioSpread(
  tops: Float64Array,
  bottoms: Float64Array,
): { readonly mean: number; readonly standardDeviation: number } {
  const units = tops.length;
  let top = 0;
  let bottom = 0;
  for (let at = 0; at < units; at += 1) {
    top += tops[at] ?? 0;
    bottom += bottoms[at] ?? 0;
  }
  const mean = top / bottom;
  let squares = 0;
  for (let at = 0; at < units; at += 1) {
    const rest = (tops[at] ?? 0) - mean * (bottoms[at] ?? 0);
    squares += rest * rest;
  }
  return { mean, standardDeviation: Math.sqrt(squares) / bottom };
}

interface RatioSearch {
  readonly p: number;
  readonly least: number;
  readonly most: number;
  readonly spread: { readonly mean: number; readonly standardDeviation: number };
}

/** A bracket of the quantile: from the ratio outward by standard deviations until the share asked for lies between. */
function ratioBracket(
  share: (t: number) => number,
  { p, least, most, spread }: RatioSearch,
): readonly [number, number] {
  const up = share(spread.mean) < p;
  const step = (up ? 1 : -1) * spread.standardDeviation;
  let near = spread.mean;
  let far = near;
  do {
    near = far;
    far = Math.max(least, Math.min(most, far + step));
  } while (share(far) < p === up && far !== least && far !== most);
  return up ? [near, far] : [far, near];
}

/** The quantile by chords inside its bracket. */
function ratioQuantile(share: (t: number) => number, search: RatioSearch): number {
  const [lower, upper] = ratioBracket(share, search);
  return chordRoot((at) => share(at) - search.p, { lower, upper, settled: 1e-13 });
}
