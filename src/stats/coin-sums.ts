/**
 * The exact law of a sum in which a fair coin keeps or drops each part: what a sign-flip test, the signed-rank test and a
 * cluster sign-flip test all come down to. Parts are whole numbers, so ties are ties.
 */

/** P(sum of the kept parts ≥ bound) for a whole bound; the law is symmetric about half the total. */
export interface CoinSums {
  readonly total: number;
  readonly atLeast: (bound: number) => number;
}

/** Up to here the halves' subset sums are listed first: at most 4,096 each. */
const listedFirst = 24;
/** Largest number of parts whose subset sums can be listed by halves: about a million each. */
const listedAtMost = 40;
/** Largest number of additions of a walk over the lattice of sums. */
const latticeWork = 1e8;

function subsetSums(parts: readonly number[]): Float64Array {
  const sums = new Float64Array(2 ** parts.length);
  let filled = 1;
  for (const part of parts) {
    for (let index = 0; index < filled; index += 1)
      sums[filled + index] = (sums[index] ?? 0) + part;
    filled *= 2;
  }
  return sums.sort();
}

/** Counts of pairs, one from each half, by two pointers; counts up to 2^40 are exact in doubles. */
function byHalves(parts: readonly number[]): CoinSums['atLeast'] {
  const cut = Math.floor(parts.length / 2);
  const left = subsetSums(parts.slice(0, cut));
  const right = subsetSums(parts.slice(cut));
  return (bound) => {
    let reached = right.length;
    let pairs = 0;
    for (const value of left) {
      while (reached > 0 && value + (right[reached - 1] ?? 0) >= bound) reached -= 1;
      pairs += right.length - reached;
    }
    return pairs / left.length / right.length;
  };
}

/** The probability of every sum, part by part; only positive terms, so small tails keep their digits. */
function byLattice(parts: readonly number[], total: number): CoinSums['atLeast'] {
  const law = new Float64Array(total + 1);
  law[0] = 1;
  let reached = 0;
  for (const part of parts) {
    reached += part;
    for (let at = reached; at >= 0; at -= 1) {
      const kept = at >= part ? (law[at - part] ?? 0) : 0;
      law[at] = ((law[at] ?? 0) + kept) / 2;
    }
  }
  return (bound) => {
    let tail = 0;
    for (let at = total; at >= Math.max(0, bound); at -= 1) tail += law[at] ?? 0;
    return Math.min(1, tail);
  };
}

/**
 * The law of the kept sum, exactly.
 *
 * Cost 2^(n/2) up to 24 parts; beyond, parts × total additions, or again 2^(n/2) up to 40 parts.
 *
 * @param parts  whole numbers ≥ 0; an empty list always sums to 0
 * @returns      undefined where neither way is affordable: more than 40 parts on a lattice of more than 1e8 / n steps
 * @example coinSums([1, 2, 3])?.atLeast(5) // => 0.25
 */
export function coinSums(parts: readonly number[]): CoinSums | undefined {
  const total = parts.reduce((sofar, part) => sofar + part, 0);
  if (parts.length <= listedFirst) return { total, atLeast: byHalves(parts) };
  if (parts.length * total <= latticeWork) return { total, atLeast: byLattice(parts, total) };
  return parts.length <= listedAtMost ? { total, atLeast: byHalves(parts) } : undefined;
}

/** Probabilities of a test of no difference; `pGreater` speaks for the candidate when it is small. */
export interface ThreeProbabilities {
  readonly pGreater: number;
  readonly pLess: number;
  readonly pTwoSided: number;
}

/**
 * The probabilities of a kept sum as large, as small and as far from the middle as the one seen.
 *
 * @param law   of the kept sum
 * @param seen  the kept sum seen, a whole number from 0 to the total
 * @example coinProbabilities({ total: 2, atLeast: (bound) => [1, 0.75, 0.25][bound] ?? 0 }, 2)
 * // => { pGreater: 0.25, pLess: 1, pTwoSided: 0.5 }
 */
export function coinProbabilities(law: CoinSums, seen: number): ThreeProbabilities {
  const pGreater = law.atLeast(seen);
  const pLess = law.atLeast(law.total - seen);
  return { pGreater, pLess, pTwoSided: Math.min(1, 2 * Math.min(pGreater, pLess)) };
}
