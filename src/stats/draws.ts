/** Draws of a simulation: many cheap numbers from one labelled stream, and counts drawn at once instead of unit by unit. */
import { sha256 } from '../base/digest.ts';
import { requireCount, requireSeed } from './arguments.ts';
import { generatorState } from './random.ts';

/** The next number, a whole multiple of 2⁻³² plus 2⁻³³: never 0, never 1. */
export type Uniform = () => number;

const scale = 1 / 4294967296;

/**
 * The stream of simulated draws: sfc32 seeded with the first 128 bits of sha256(seed LF label).
 *
 * @param seed   64 lower-case hex digits
 * @param label  names the use; different labels give unrelated streams
 * @throws {LiftgateError} stats-argument-invalid  if the seed is not 64 hex digits
 * @example uniformStream('00'.repeat(32), 'units')() < 1 // => true
 */
export function uniformStream(seed: string, label: string): Uniform {
  requireSeed('seed', seed);
  let [a = 0, b = 0, c = 0, counter = 0] = generatorState(sha256(`${seed}\n${label}`));
  return () => {
    const mixed = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + mixed) | 0;
    return ((mixed >>> 0) + 0.5) * scale;
  };
}

/** Probabilities below this share of the largest are not drawn: a 32-bit number would not find them. */
const negligible = 1e-13;

/** Cumulated probabilities of the counts from `first` on. */
interface CountLaw {
  readonly first: number;
  readonly upTo: Float64Array;
}

/** Probabilities by their ratios from the most likely count outwards: no factorial, no logarithm. */
function binomialLaw(n: number, p: number): CountLaw {
  const mode = Math.min(n, Math.floor((n + 1) * p));
  const odds = p / (1 - p);
  const below: number[] = [];
  for (let k = mode, mass = 1; k > 0; k -= 1) {
    mass *= k / (n - k + 1) / odds;
    if (mass < negligible) break;
    below.push(mass);
  }
  const masses = [...below.reverse(), 1];
  for (let k = mode, mass = 1; k < n; k += 1) {
    mass *= ((n - k) / (k + 1)) * odds;
    if (mass < negligible) break;
    masses.push(mass);
  }
  let total = 0;
  const upTo = Float64Array.from(masses, (mass) => {
    total += mass;
    return total;
  });
  return { first: mode - below.length, upTo: upTo.map((each) => each / total) };
}

/**
 * Position of the first cumulated probability above a number, the last one where none is.
 * @example positionOf(Float64Array.of(0.2, 0.9, 1), 0.5) // => 1
 */
export function positionOf(upTo: Float64Array, at: number): number {
  let low = 0;
  let high = upTo.length - 1;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((upTo[middle] ?? 1) > at) high = middle;
    else low = middle + 1;
  }
  return low;
}

/**
 * Draws how many of n units have an outcome of probability p, one number of the stream per draw; laws are made once per n.
 *
 * @param p  probability of the outcome, from 0 to 1
 * @returns  a function of the stream and of n, a whole number from 0
 * @throws {LiftgateError} stats-argument-invalid  by the returned function, for an n that is not such a number
 * @example binomialSampler(1)(uniformStream('00'.repeat(32), 'units'), 5) // => 5
 * @see Devroye (1986), Non-Uniform Random Variate Generation, section III.2: inversion
 */
export function binomialSampler(p: number): (uniform: Uniform, n: number) => number {
  const laws = new Map<number, CountLaw>();
  return (uniform, n) => {
    if (n === 0 || p <= 0) return 0;
    if (p >= 1) return n;
    let law = laws.get(n);
    if (law === undefined) {
      requireCount('n', n);
      law = binomialLaw(n, p);
      laws.set(n, law);
    }
    return law.first + positionOf(law.upTo, uniform());
  };
}
