/**
 * Monte Carlo resampling in blocks of 1,024 resamples, each from its own stream: block b draws from sfc32 seeded with
 * sha256(seed LF "resample/2" LF b). Blocks can be run in any order, by any number of workers, and again after a stop; laid
 * side by side in order they are always the same numbers.
 *
 * An index below n is drawn without bias by Lemire's multiplication, the incomplete part drawn again. Where 65,536 mod n is at
 * most 8,192 (always so up to 8,192 units, never above 65,536) two indices come from the 16-bit halves of a word, low half
 * first, the word drawn again unless both are accepted; elsewhere one from a whole word. Resamples of an odd number of units draw
 * one index more and leave it out. "resample/2" names these rules: other rules take another word.
 */
import { sha256 } from '../base/digest.ts';
import { requireCount, requireSeed, requireWithin } from './arguments.ts';
import { type GeneratorState, generatorState } from './random.ts';

/** Resamples per block; frozen, for results depend on it. */
export const shardResamples = 1024;

const halfSpan = 65536;
const wordSpan = 4294967296;

/** Whether two indices come out of one word: where a half is refused at most one time in eight. */
function fitsHalves(n: number): boolean {
  return n <= halfSpan && halfSpan % n <= halfSpan / 8;
}

/**
 * Fills `into`, of even length, with pairs of indices below n.
 *
 * The loops below repeat the generator: handing it a function, or an index list to a second loop, doubles the time per draw.
 */
function fillFromHalves(state: GeneratorState, into: Uint32Array, n: number): void {
  let a = state[0] ?? 0;
  let b = state[1] ?? 0;
  let c = state[2] ?? 0;
  let counter = state[3] ?? 0;
  const refused = halfSpan % n;
  const wanted = into.length;
  let filled = 0;
  while (filled < wanted) {
    const word = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + word) | 0;
    const low = Math.imul(word & 65535, n);
    const high = Math.imul(word >>> 16, n);
    if ((low & 65535) >= refused && (high & 65535) >= refused) {
      into[filled] = low >>> 16;
      into[filled + 1] = high >>> 16;
      filled += 2;
    }
  }
  state[0] = a;
  state[1] = b;
  state[2] = c;
  state[3] = counter;
}

/** Fills `into` with indices below n from whole words; the product is exact for n up to 2^21. */
function fillFromWords(state: GeneratorState, into: Uint32Array, n: number): void {
  let a = state[0] ?? 0;
  let b = state[1] ?? 0;
  let c = state[2] ?? 0;
  let counter = state[3] ?? 0;
  const refused = wordSpan % n;
  const wanted = into.length;
  let filled = 0;
  while (filled < wanted) {
    const word = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + word) | 0;
    const product = (word >>> 0) * n;
    const index = Math.floor(product / wordSpan);
    if (product - index * wordSpan >= refused) {
      into[filled] = index;
      filled += 1;
    }
  }
  state[0] = a;
  state[1] = b;
  state[2] = c;
  state[3] = counter;
}

/** The total of one resample, drawn as by fillFromHalves. */
function drawTotal(state: GeneratorState, values: Float64Array): number {
  let a = state[0] ?? 0;
  let b = state[1] ?? 0;
  let c = state[2] ?? 0;
  let counter = state[3] ?? 0;
  const n = values.length;
  const refused = halfSpan % n;
  const last = n - 1;
  let first = 0;
  let second = 0;
  let drawn = 0;
  while (drawn < n) {
    const word = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + word) | 0;
    const low = Math.imul(word & 65535, n);
    const high = Math.imul(word >>> 16, n);
    if ((low & 65535) >= refused && (high & 65535) >= refused) {
      first += values[low >>> 16] ?? 0;
      if (drawn < last) second += values[high >>> 16] ?? 0;
      drawn += 2;
    }
  }
  state[0] = a;
  state[1] = b;
  state[2] = c;
  state[3] = counter;
  return first + second;
}

/** Two columns, one value of each per unit; the statistic is the ratio of their sums. */
export interface Columns {
  readonly tops: Float64Array;
  readonly bottoms: Float64Array;
}

/** The ratio of two columns' totals over one resample, drawn as by fillFromHalves. */
function drawRatio(state: GeneratorState, { tops, bottoms }: Columns): number {
  let a = state[0] ?? 0;
  let b = state[1] ?? 0;
  let c = state[2] ?? 0;
  let counter = state[3] ?? 0;
  const n = tops.length;
  const refused = halfSpan % n;
  const last = n - 1;
  let top = 0;
  let bottom = 0;
  let drawn = 0;
  while (drawn < n) {
    const word = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + word) | 0;
    const low = Math.imul(word & 65535, n);
    const high = Math.imul(word >>> 16, n);
    if ((low & 65535) >= refused && (high & 65535) >= refused) {
      top += tops[low >>> 16] ?? 0;
      bottom += bottoms[low >>> 16] ?? 0;
      if (drawn < last) {
        top += tops[high >>> 16] ?? 0;
        bottom += bottoms[high >>> 16] ?? 0;
      }
      drawn += 2;
    }
  }
  state[0] = a;
  state[1] = b;
  state[2] = c;
  state[3] = counter;
  return top / bottom;
}

/** How often each unit comes in one resample, drawn as by fillFromHalves. */
function drawCounts(state: GeneratorState, counts: Uint32Array): Uint32Array {
  let a = state[0] ?? 0;
  let b = state[1] ?? 0;
  let c = state[2] ?? 0;
  let counter = state[3] ?? 0;
  const n = counts.length;
  const refused = halfSpan % n;
  const last = n - 1;
  counts.fill(0);
  let drawn = 0;
  while (drawn < n) {
    const word = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + word) | 0;
    const low = Math.imul(word & 65535, n);
    const high = Math.imul(word >>> 16, n);
    if ((low & 65535) >= refused && (high & 65535) >= refused) {
      counts[low >>> 16] = (counts[low >>> 16] ?? 0) + 1;
      if (drawn < last) counts[high >>> 16] = (counts[high >>> 16] ?? 0) + 1;
      drawn += 2;
    }
  }
  state[0] = a;
  state[1] = b;
  state[2] = c;
  state[3] = counter;
  return counts;
}

/** What is computed from one resample. */
export type ResampleStatistic =
  /** From the sum of the drawn values: drawn 1st, 3rd, 5th, ... plus drawn 2nd, 4th, ... */
  | {
      readonly kind: 'total';
      readonly values: Float64Array;
      readonly of: (total: number) => number;
    }
  /** The drawn tops' sum over the drawn bottoms' sum. */
  | ({ readonly kind: 'ratio' } & Columns)
  /** From how often each unit was drawn. */
  | { readonly kind: 'counts'; readonly of: (counts: Uint32Array) => number }
  /** From the list of drawn units. */
  | { readonly kind: 'indices'; readonly of: (units: Uint32Array) => number };

/** A Monte Carlo job: units ≥ 1, resamples ≥ 1, 64 hex digits of seed. */
export interface ResampleJob {
  readonly units: number;
  readonly resamples: number;
  readonly seed: string;
  readonly statistic: ResampleStatistic;
}

/** The job as indexed blocks of work. */
export interface ResampleShards {
  readonly count: number;
  /** The statistic of every resample of block `shard`, 0 ≤ shard < count, in drawing order. */
  readonly run: (shard: number) => Float64Array;
}

/** Two sums side by side: a single one would wait for each addition. */
function totalOf(values: Float64Array, drawn: Uint32Array): number {
  let first = 0;
  let second = 0;
  for (let at = 0; at < drawn.length; at += 2) {
    first += values[drawn[at] ?? 0] ?? 0;
    if (at + 1 < drawn.length) second += values[drawn[at + 1] ?? 0] ?? 0;
  }
  return first + second;
}

/**
 * The ratio of two columns' sums over the drawn units.
 *
 * @param columns  one top and one bottom per unit
 * @param drawn    positions of units, at least one
 * @example ratioOfTotals({ tops: new Float64Array([1, 2]), bottoms: new Float64Array([2, 4]) }, new Uint32Array([1, 1])) // => 0.5
 */
export function ratioOfTotals({ tops, bottoms }: Columns, drawn: Uint32Array): number {
  let top = 0;
  let bottom = 0;
  for (let at = 0; at < drawn.length; at += 1) {
    const unit = drawn[at] ?? 0;
    top += tops[unit] ?? 0;
    bottom += bottoms[unit] ?? 0;
  }
  return top / bottom;
}

function countInto(counts: Uint32Array, drawn: Uint32Array): Uint32Array {
  counts.fill(0);
  for (let at = 0; at < drawn.length; at += 1) {
    const unit = drawn[at] ?? 0;
    counts[unit] = (counts[unit] ?? 0) + 1;
  }
  return counts;
}

/** Draws one resample after the other and gives the statistic of each. */
function resampler({ statistic, units }: ResampleJob): (state: GeneratorState) => number {
  const halves = fitsHalves(units);
  const fill = halves ? fillFromHalves : fillFromWords;
  const filled = new Uint32Array(units + (units % 2));
  const drawn = filled.subarray(0, units);
  const listOf = (state: GeneratorState): Uint32Array => {
    fill(state, filled, units);
    return drawn;
  };
  switch (statistic.kind) {
    case 'total': {
      const { values, of } = statistic;
      if (halves) return (state) => of(drawTotal(state, values));
      return (state) => of(totalOf(values, listOf(state)));
    }
    case 'ratio':
      if (halves) return (state) => drawRatio(state, statistic);
      return (state) => ratioOfTotals(statistic, listOf(state));
    case 'counts': {
      const counts = new Uint32Array(units);
      if (halves) return (state) => statistic.of(drawCounts(state, counts));
      return (state) => statistic.of(countInto(counts, listOf(state)));
    }
    case 'indices':
      return (state) => statistic.of(listOf(state));
  }
}

/**
 * Splits a Monte Carlo job into blocks that can be run anywhere and in any order.
 *
 * @param job  units (at most 2^21), resamples, seed and statistic
 * @throws {LiftgateError} stats-argument-invalid  if a count or the seed is outside its range
 * @example resampleShards({ units: 2, resamples: 1500, seed: '0'.repeat(64), statistic: { kind: 'indices', of: () => 1 } })
 *   .count // => 2
 * @see Lemire (2019), ACM Transactions on Modeling and Computer Simulation 29:3; Doty-Humphrey (2010), PractRand: sfc32
 */
export function resampleShards(job: ResampleJob): ResampleShards {
  const { units, resamples, seed } = job;
  requireCount('units', units, 1);
  requireWithin('units', units, { lower: 1, upper: 2 ** 21 });
  requireCount('resamples', resamples, 1);
  requireSeed('seed', seed);
  const count = -Math.floor(-resamples / shardResamples);
  return {
    count,
    run: (shard) => {
      requireCount('shard', shard);
      requireWithin('shard', shard, { lower: 0, upper: count - 1 });
      const state = generatorState(sha256(`${seed}\nresample/2\n${shard}`));
      const into = new Float64Array(Math.min(shardResamples, resamples - shard * shardResamples));
      const resample = resampler(job);
      for (let at = 0; at < into.length; at += 1) into[at] = resample(state);
      return into;
    },
  };
}
