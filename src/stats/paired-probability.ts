/**
 * The probability of a set of paired tables that no better table leaves: gains in their favour, losses against them.
 *
 * Gains X and losses Y of n units are trinomial. Such a set is a staircase: for each number of losses a fewest number of gains.
 * Its probability is a sum over the losses of P(Y = y) P(X ≥ fewest(y) | Y = y), whose terms follow from one another by
 * additions and multiplications of positive numbers: time grows with the losses that are likely, not with n².
 */
import { exp, log, log1p } from './elementary.ts';
import { logGamma } from './special.ts';

/** A set of tables of `units` pairs, increasing in gains and decreasing in losses. */
export interface IncreasingSet {
  readonly units: number;
  /** At index y: the fewest gains of a member with y losses, from 0 to units − y and never falling; no member beyond the end. */
  readonly fewestGains: Int32Array;
}

/** Probabilities of a gain and of a loss of one unit; both ≥ 0, their sum at most 1. */
export interface CellProbabilities {
  readonly gain: number;
  readonly loss: number;
}

/** Masses below this are taken from logarithms, so that a recurrence never starts from an underflow. */
const smallestTracked = 1e-200;

/** ln k! for k from 0 to n. */
function logFactorials(n: number): Float64Array {
  return Float64Array.from({ length: n + 1 }, (_, k) => (k < 2 ? 0 : logGamma(k + 1)));
}

interface Coin {
  readonly p: number;
  readonly q: number;
  readonly logP: number;
  readonly logQ: number;
}

function coin(p: number): Coin {
  return { p, q: 1 - p, logP: log(p), logQ: log1p(-p) };
}

/** The last loss count that matters: mass beyond it is below 1e-16 (Bennett's inequality). */
function reachOf(mean: number, variance: number): number {
  return mean + 9 * Math.sqrt(variance) + 25;
}

/**
 * The probability of a set as a function of the cell probabilities.
 *
 * The tables of factorials are made once; each call then costs a few divisions per likely number of losses. Relative error
 * about 1e-11 at 5,000 units, and below 2e-16 absolute is dropped.
 *
 * @param set  a staircase; not checked here
 * @returns    a function of the probabilities of a gain and of a loss
 * @example setProbability({ units: 2, fewestGains: new Int32Array([1, 1]) })({ gain: 0.5, loss: 0.25 }) // => 0.75 to 12 digits
 */
export function setProbability(set: IncreasingSet): (cell: CellProbabilities) => number {
  const factorials = logFactorials(set.units);
  return (cell) => probabilityOf(set, factorials, cell);
}

function massAt(
  successes: number,
  trials: number,
  { coin: { logP, logQ }, factorials }: { coin: Coin; factorials: Float64Array },
): number {
  const failures = trials - successes;
  return exp(
    (factorials[trials] ?? 0) -
      (factorials[successes] ?? 0) -
      (factorials[failures] ?? 0) +
      successes * logP +
      failures * logQ,
  );
}

function probabilityOf(
  set: IncreasingSet,
  factorials: Float64Array,
  { gain, loss }: CellProbabilities,
): number {
  if (loss <= 0 || gain <= 0 || gain + loss >= 1)
    return edgeProbability(set, factorials, { gain, loss });
  const { units, fewestGains } = set;
  const losses = coin(loss);
  const variance = units * loss * losses.q;
  const from = Math.min(fewestGains.length - 1, Math.floor(reachOf(units * loss, variance)));
  const to = Math.max(0, units - Math.floor(reachOf(units * losses.q, variance)));
  if (from < to) return 0;
  const gains = coin(gain / losses.q);
  let lossMass = massAt(from, units, { coin: losses, factorials });
  const tail = new GainTail(gains, factorials, {
    trials: units - from,
    fewest: fewestGains[from] ?? 0,
  });
  const odds = losses.q / losses.p;
  let total = lossMass * tail.probability;
  for (let y = from; y > to; y -= 1) {
    lossMass *= (y / (units - y + 1)) * odds;
    tail.lengthen();
    tail.lower(fewestGains[y - 1] ?? 0);
    total += lossMass * tail.probability;
  }
  return Math.min(1, total);
}

/** P(X ≥ fewest) of a binomial X while trials are added and `fewest` falls; every step adds a positive term. */
class GainTail {
  probability: number;
  private trials: number;
  private fewest: number;
  /** P(X = fewest − 1). */
  private mass: number;
  private readonly gains: Coin;
  private readonly factorials: Float64Array;
  private readonly odds: number;

  constructor(gains: Coin, factorials: Float64Array, at: { trials: number; fewest: number }) {
    this.gains = gains;
    this.factorials = factorials;
    this.odds = gains.q / gains.p;
    this.trials = at.trials;
    this.fewest = at.fewest;
    this.mass = at.fewest === 0 ? 0 : this.exactMass(at.fewest - 1);
    this.probability = at.fewest === 0 ? 1 : this.startingTail();
  }

  private exactMass(successes: number): number {
    return massAt(successes, this.trials, { coin: this.gains, factorials: this.factorials });
  }

  private startingTail(): number {
    const { trials, fewest, odds } = this;
    let term = this.exactMass(fewest);
    let sum = 0;
    if (fewest > trials * this.gains.p) {
      for (let k = fewest; k <= trials && term > sum * 1e-18; k += 1) {
        sum += term;
        term *= (trials - k) / ((k + 1) * odds);
      }
      return sum;
    }
    term = this.mass;
    for (let k = fewest - 1; k >= 0 && term > sum * 1e-18; k -= 1) {
      sum += term;
      term *= (k * odds) / (trials - k + 1);
    }
    return 1 - sum;
  }

  /** One trial more: P(X ≥ k) grows by p P(X = k − 1). */
  lengthen(): void {
    this.probability += this.gains.p * this.mass;
    this.trials += 1;
    this.mass *= (this.trials / (this.trials - this.fewest + 1)) * this.gains.q;
    if (this.mass < smallestTracked && this.fewest > this.trials * this.gains.p) {
      this.mass = this.exactMass(this.fewest - 1);
    }
  }

  lower(fewest: number): void {
    while (this.fewest > fewest) {
      this.probability += this.mass;
      this.fewest -= 1;
      this.mass *= (this.fewest / (this.trials - this.fewest + 1)) * this.odds;
    }
  }
}

/** One of the three cells is impossible: the table is a single binomial, and its members are summed. */
function edgeProbability(
  { units, fewestGains }: IncreasingSet,
  factorials: Float64Array,
  { gain, loss }: CellProbabilities,
): number {
  if (loss <= 0) {
    return binomialRange(factorials, gain, { from: fewestGains[0] ?? units + 1, to: units });
  }
  const member = (y: number): boolean => {
    const gains = gain <= 0 ? 0 : units - y;
    return (fewestGains[y] ?? units + 1) <= gains;
  };
  let most = -1;
  while (most < units && member(most + 1)) most += 1;
  return binomialRange(factorials, loss, { from: 0, to: most });
}

/** P(from ≤ X ≤ to), starting from the mode of the range so that the largest terms are exact. */
function binomialRange(
  factorials: Float64Array,
  p: number,
  { from, to }: { from: number; to: number },
): number {
  const trials = factorials.length - 1;
  if (from > to) return 0;
  if (p <= 0) return from === 0 ? 1 : 0;
  if (p >= 1) return to === trials ? 1 : 0;
  const context = { coin: coin(p), factorials };
  const mode = Math.min(to, Math.max(from, Math.floor((trials + 1) * p)));
  const peak = massAt(mode, trials, context);
  const odds = p / context.coin.q;
  let total = peak;
  let term = peak;
  for (let k = mode; k < to && term > total * 1e-18; k += 1) {
    term *= ((trials - k) / (k + 1)) * odds;
    total += term;
  }
  term = peak;
  for (let k = mode; k > from && term > total * 1e-18; k -= 1) {
    term *= k / (trials - k + 1) / odds;
    total += term;
  }
  return Math.min(1, total);
}
