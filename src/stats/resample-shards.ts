/**
 * Monte Carlo resampling in blocks of 1,024 resamples, each from its own stream: block b draws from sfc32 seeded with
 * sha256(seed LF "resample" LF b). Blocks can be run in any order, by any number of workers, and again after a stop; laid
 * side by side in order they are always the same numbers.
 *
 * An index below n is drawn without bias: up to 4,096 units from 16-bit halves of a word, low half first, above from whole
 * words (Lemire's multiplication, the incomplete part drawn again).
 */
import { sha256 } from '../base/digest.ts';
import { requireCount, requireSeed, requireWithin } from './arguments.ts';

/** Resamples per block; frozen, for results depend on it. */
export const shardResamples = 1024;

/** Up to so many units two indices come out of one word. */
const mostHalfWordUnits = 4096;
const wordSpan = 4294967296;

/** The four words of an sfc32 generator, changed in place. */
export type GeneratorState = Int32Array;

/** The state at the start of a block, its first 16 words thrown away. */
function shardState(seed: string, shard: number): GeneratorState {
  const digest = sha256(`${seed}\nresample\n${shard}`);
  const bytes = new DataView(digest.buffer, digest.byteOffset, digest.byteLength);
  const state = Int32Array.from([0, 4, 8, 12], (at) => bytes.getInt32(at));
  fillIndices(state, new Uint32Array(16), wordSpan);
  return state;
}

/** Fills `into` with indices below n from 16-bit halves; a half left over at the end is dropped. */
function fillFromHalves(state: GeneratorState, into: Uint32Array, n: number): void {
  let a = state[0] ?? 0;
  let b = state[1] ?? 0;
  let c = state[2] ?? 0;
  let counter = state[3] ?? 0;
  const refused = 65536 % n;
  const wanted = into.length;
  let filled = 0;
  while (filled < wanted) {
    const word = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + word) | 0;
    const low = Math.imul(word & 65535, n);
    if ((low & 65535) >= refused) {
      into[filled] = low >>> 16;
      filled += 1;
    }
    const high = Math.imul(word >>> 16, n);
    if ((high & 65535) >= refused && filled < wanted) {
      into[filled] = high >>> 16;
      filled += 1;
    }
  }
  state[0] = a;
  state[1] = b;
  state[2] = c;
  state[3] = counter;
}

/** Fills `into` with indices below n from whole words; the product is exact for n up to 2^21, and for n = 2^32. */
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

/**
 * Fills `into` with independent indices from 0 to n − 1, each exactly as likely, and moves the generator on.
 *
 * @param state  four words of sfc32
 * @param into   one resample
 * @param n      1 to 2^21
 */
function fillIndices(state: GeneratorState, into: Uint32Array, n: number): void {
  if (n <= mostHalfWordUnits) fillFromHalves(state, into, n);
  else fillFromWords(state, into, n);
}

/** The totals of `into.length` resamples of the values, summed in drawing order: the mean's own loop, without an index list. */
function fillTotals(state: GeneratorState, into: Float64Array, values: Float64Array): void {
  let [a = 0, b = 0, c = 0, counter = 0] = state;
  const n = values.length;
  const refused = 65536 % n;
  for (let draw = 0; draw < into.length; draw += 1) {
    let total = 0;
    let left = n;
    while (left > 0) {
      const word = (((a + b) | 0) + counter) | 0;
      counter = (counter + 1) | 0;
      a = b ^ (b >>> 9);
      b = (c + (c << 3)) | 0;
      c = (((c << 21) | (c >>> 11)) + word) | 0;
      const low = Math.imul(word & 65535, n);
      if ((low & 65535) >= refused) {
        total += values[low >>> 16] ?? 0;
        left -= 1;
      }
      const high = Math.imul(word >>> 16, n);
      if ((high & 65535) >= refused && left > 0) {
        total += values[high >>> 16] ?? 0;
        left -= 1;
      }
    }
    into[draw] = total;
  }
  state[0] = a;
  state[1] = b;
  state[2] = c;
  state[3] = counter;
}

/** What is computed from one resample. */
export type ResampleStatistic =
  /** From the sum of the drawn values. */
  | {
      readonly kind: 'total';
      readonly values: Float64Array;
      readonly of: (total: number) => number;
    }
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

function runTotals(
  state: GeneratorState,
  into: Float64Array,
  statistic: Extract<ResampleStatistic, { kind: 'total' }>,
): void {
  const { values, of } = statistic;
  if (values.length <= mostHalfWordUnits) {
    fillTotals(state, into, values);
  } else {
    const units = new Uint32Array(values.length);
    for (let draw = 0; draw < into.length; draw += 1) {
      fillFromWords(state, units, values.length);
      let total = 0;
      for (let at = 0; at < units.length; at += 1) total += values[units[at] ?? 0] ?? 0;
      into[draw] = total;
    }
  }
  for (let draw = 0; draw < into.length; draw += 1) into[draw] = of(into[draw] ?? 0);
}

function runUnits(
  state: GeneratorState,
  into: Float64Array,
  { statistic, units }: { readonly statistic: ResampleStatistic; readonly units: number },
): void {
  const drawn = new Uint32Array(units);
  const counts = new Uint32Array(units);
  for (let draw = 0; draw < into.length; draw += 1) {
    fillIndices(state, drawn, units);
    if (statistic.kind === 'counts') {
      counts.fill(0);
      for (let at = 0; at < units; at += 1)
        counts[drawn[at] ?? 0] = (counts[drawn[at] ?? 0] ?? 0) + 1;
      into[draw] = statistic.of(counts);
    } else if (statistic.kind === 'indices') {
      into[draw] = statistic.of(drawn);
    }
  }
}

/**
 * Splits a Monte Carlo job into blocks that can be run anywhere and in any order.
 *
 * Progress is the number of blocks done, cancellation is not asking for the next one.
 *
 * @param job  units (at most 2^21), resamples, seed and statistic
 * @throws {LiftgateError} stats-argument-invalid  if a count or the seed is outside its range
 * @example resampleShards({ units: 2, resamples: 1500, seed: '0'.repeat(64), statistic: { kind: 'indices', of: () => 1 } })
 *   .count // => 2
 * @see Lemire (2019), ACM Transactions on Modeling and Computer Simulation 29:3; Doty-Humphrey (2010), PractRand: sfc32
 */
export function resampleShards(job: ResampleJob): ResampleShards {
  const { units, resamples, seed, statistic } = job;
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
      const state = shardState(seed, shard);
      const into = new Float64Array(Math.min(shardResamples, resamples - shard * shardResamples));
      if (statistic.kind === 'total') runTotals(state, into, statistic);
      else runUnits(state, into, { statistic, units });
      return into;
    },
  };
}
