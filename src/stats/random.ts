/**
 * Seeded randomness: the only door to seedrandom. A seed is 64 hex digits, always given by the caller, and every use
 * draws from its own labelled stream, so adding a draw in one place moves nothing in another.
 */
import seedrandom from 'seedrandom';
import { digestHex, digestOf } from '../base/digest.ts';
import { requireCount, requireSeed } from './arguments.ts';

const words = 4294967296;

/** A stream of pseudo-random numbers; equal seed and label give equal draws on every platform. */
export interface RandomStream {
  /** The next number in [0, 1). */
  next(): number;
  /** A whole number from 0 to n − 1, each exactly as likely; n from 1 to 2^32. */
  below(n: number): number;
  /** A shuffled copy (Fisher-Yates); the argument stays as it was. */
  shuffle<Item>(items: readonly Item[]): Item[];
}

/** A whole number below n from 32-bit words: equal buckets, the incomplete last one drawn again. */
function belowFrom(word: () => number, n: number): number {
  const bucket = Math.floor(words / n);
  for (;;) {
    const index = Math.floor(word() / bucket);
    if (index < n) return index;
  }
}

function checkedBelow(word: () => number, n: number): number {
  requireCount('n', n, 1);
  requireCount('2^32 - n', words - n);
  return belowFrom(word, n);
}

/**
 * The stream for audited draws (unit order, arm order), seeded with sha256(seed LF label).
 *
 * @param seed   64 lower-case hex digits
 * @param label  names the use; different labels give unrelated streams
 * @throws {LiftgateError} stats-argument-invalid  if the seed is not 64 hex digits
 * @example randomStream('00'.repeat(32), 'order').shuffle(['a', 'b', 'c', 'd']) // => ['c', 'b', 'd', 'a']
 */
export function randomStream(seed: string, label: string): RandomStream {
  requireSeed('seed', seed);
  const generator = seedrandom(digestHex(digestOf(`${seed}\n${label}`)));
  const word = (): number => generator.int32() >>> 0;
  return {
    next: () => generator.double(),
    below: (n) => checkedBelow(word, n),
    shuffle: (items) => shuffled(items, word),
  };
}

function shuffled<Item>(items: readonly Item[], word: () => number): Item[] {
  const left = [...items];
  const result: Item[] = [];
  while (left.length > 0) {
    const index = belowFrom(word, left.length);
    const last = left.splice(-1);
    // The drawn item leaves, the last one takes its place: constant work per draw.
    result.push(...(index === left.length ? last : left.splice(index, 1, ...last)));
  }
  return result;
}

/** A fast stream of 32-bit words for the inner loop of a bootstrap. */
export interface ResamplingStream {
  /** The next whole number from 0 to 2^32 − 1. */
  word(): number;
  /** A whole number from 0 to n − 1, each exactly as likely; n from 1 to 2^32, unchecked. */
  below(n: number): number;
}

/** The four words of an sfc32 generator, changed in place by whoever draws from it. */
export type GeneratorState = Int32Array;

/**
 * The four words of sfc32 where a stream starts: 128 bits of seed, 16 words thrown away.
 *
 * @param bytes  at least 16 bytes, taken as big-endian words
 * @example generatorState(new Uint8Array(16))[3] // => 16
 * @see Doty-Humphrey (2010), PractRand: sfc32
 */
export function generatorState(bytes: Uint8Array): GeneratorState {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const state = Int32Array.from([0, 4, 8, 12], (at) => view.getInt32(at));
  fillBelow(state, new Uint32Array(16), 1);
  return state;
}

/**
 * The state where the stream of resampling starts: the first 128 bits of the seed.
 *
 * @param seed  64 lower-case hex digits
 * @throws {LiftgateError} stats-argument-invalid  if the seed is not 64 hex digits
 * @example resamplingState('00'.repeat(32))[3] // => 16
 */
export function resamplingState(seed: string): GeneratorState {
  requireSeed('seed', seed);
  return generatorState(
    Uint8Array.from({ length: 16 }, (_, at) => Number.parseInt(seed.slice(2 * at, 2 * at + 2), 16)),
  );
}

/**
 * Fills `into` with independent whole numbers from 0 to n − 1, each exactly as likely: the numbers that resamplingStream's
 * `below` gives, without a call per number, which costs several times the draw itself.
 *
 * @param state  moved on
 * @param into   one resample
 * @param n      1 to 2^21, unchecked
 * @example fillBelow(resamplingState('00'.repeat(32)), new Uint32Array(3), 10) // => undefined
 */
export function fillBelow(state: GeneratorState, into: Uint32Array, n: number): void {
  let a = state[0] ?? 0;
  let b = state[1] ?? 0;
  let c = state[2] ?? 0;
  let counter = state[3] ?? 0;
  const bucket = Math.floor(words / n);
  // word + 1/2 lies at least half a bucket's share off every whole number, far more than the product is rounded by.
  const perBucket = 1 / bucket;
  for (let at = 0; at < into.length; at += 1) {
    let index: number;
    do {
      const word = (((a + b) | 0) + counter) | 0;
      counter = (counter + 1) | 0;
      a = b ^ (b >>> 9);
      b = (c + (c << 3)) | 0;
      c = (((c << 21) | (c >>> 11)) + word) | 0;
      index = (((word >>> 0) + 0.5) * perBucket) | 0;
    } while (index >= n);
    into[at] = index;
  }
  state[0] = a;
  state[1] = b;
  state[2] = c;
  state[3] = counter;
}

/**
 * The stream of resampling: sfc32 seeded with the first 128 bits of the seed, its first 16 words thrown away.
 *
 * @param seed  64 lower-case hex digits
 * @throws {LiftgateError} stats-argument-invalid  if the seed is not 64 hex digits
 * @example resamplingStream('00'.repeat(32)).below(10) // => 9
 * @see Doty-Humphrey (2010), PractRand: sfc32
 */
export function resamplingStream(seed: string): ResamplingStream {
  let [a = 0, b = 0, c = 0, counter = 0] = resamplingState(seed);
  const word = (): number => {
    const mixed = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + mixed) | 0;
    return mixed >>> 0;
  };
  return { word, below: (n) => belowFrom(word, n) };
}
