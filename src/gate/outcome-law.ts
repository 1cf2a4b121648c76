/**
 * Laws that simulated improvements are drawn from: what one pair of a unit gives, and how alike the pairs of one unit are.
 *
 * A law is data, so that a plan can print it and a worker can be sent it. Pairs of one unit share the unit's own draw with probability
 * sqrt(correlation) each and are drawn anew otherwise: two pairs of a unit then have exactly that correlation, whatever the law.
 */

import { normalQuantile } from '../stats/distribution.ts';
import { binomialSampler, positionOf, type Uniform } from '../stats/draws.ts';
import { exp } from '../stats/elementary.ts';

/** What one pair gives, on the scale of the improvement. */
export type PairLaw =
  /** Values with their probabilities, which sum to 1. */
  | {
      readonly kind: 'lattice';
      readonly values: readonly number[];
      readonly probabilities: readonly number[];
    }
  /** Symmetric triangle of this standard deviation around the mean; its half-width is sqrt(6) standard deviations. */
  | { readonly kind: 'triangular'; readonly mean: number; readonly deviation: number }
  | { readonly kind: 'normal'; readonly mean: number; readonly deviation: number }
  /** A log-normal of shape 1, shifted and scaled to mean and deviation; `skew` -1 has its long tail below. */
  | {
      readonly kind: 'lognormal';
      readonly mean: number;
      readonly deviation: number;
      readonly skew: 1 | -1;
    };

/** Mean and variance of exp(z), z standard normal: e^(1/2) and (e - 1) e. */
const lognormalMean = exp(0.5);
const lognormalDeviation = Math.sqrt((exp(1) - 1) * exp(1));

/** A draw function of a law. */
export function sampler(law: PairLaw): (uniform: Uniform) => number {
  switch (law.kind) {
    case 'lattice':
      return latticeSampler(law.values, law.probabilities);
    case 'triangular':
      return (uniform) => law.mean + law.deviation * Math.sqrt(6) * (uniform() - uniform());
    case 'normal':
      return (uniform) => law.mean + law.deviation * normalQuantile(uniform());
    case 'lognormal':
      return (uniform) => {
        const shape = (exp(normalQuantile(uniform())) - lognormalMean) / lognormalDeviation;
        return law.mean + law.skew * law.deviation * shape;
      };
  }
}

function latticeSampler(
  values: readonly number[],
  probabilities: readonly number[],
): (uniform: Uniform) => number {
  let total = 0;
  const upTo = Float64Array.from(probabilities, (probability) => {
    total += probability;
    return total;
  });
  return (uniform) => values[positionOf(upTo, uniform())] ?? 0;
}

/**
 * The value that a law exceeds with probability 1 - u: one number of the stream gives one value, and more gives no less.
 * @example quantileOf({ kind: 'lattice', values: [1, -1], probabilities: [0.3, 0.7] })(0.8) // => 1
 */
export function quantileOf(law: PairLaw): (u: number) => number {
  switch (law.kind) {
    case 'lattice': {
      const order = law.values.map((_, at) => at);
      order.sort((one, other) => (law.values[one] ?? 0) - (law.values[other] ?? 0));
      const of = (list: readonly number[]): number[] => order.map((at) => list[at] ?? 0);
      const draw = latticeSampler(of(law.values), of(law.probabilities));
      return (u) => draw(() => u);
    }
    case 'triangular': {
      const half = law.deviation * Math.sqrt(6);
      return (u) => law.mean + half * (u < 0.5 ? Math.sqrt(2 * u) - 1 : 1 - Math.sqrt(2 * (1 - u)));
    }
    case 'normal': {
      const draw = sampler(law);
      return (u) => draw(() => u);
    }
    case 'lognormal': {
      const draw = sampler(law);
      return (u) => draw(() => (law.skew > 0 ? u : 1 - u));
    }
  }
}

/**
 * Probability that a law of listed values gives one of a sign; 0 for any other law.
 * @example signProbability({ kind: 'lattice', values: [1, 0], probabilities: [0.3, 0.7] }, 1) // => 0.3
 */
export function signProbability(law: PairLaw, sign: -1 | 0 | 1): number {
  if (law.kind !== 'lattice') return 0;
  return law.probabilities.reduce(
    (total, each, at) => (Math.sign(law.values[at] ?? 0) === sign ? total + each : total),
    0,
  );
}

/**
 * Win, tie and loss of a binary pair: P(win) - P(loss) = mean / width, P(win) + P(loss) = discordance.
 * @returns  null where no such probabilities exist
 * @example pairedLaw({ mean: 0.1, discordance: 0.3, width: 1 }) // => { kind: 'lattice', values: [1, 0, -1], probabilities: [0.2, 0.7, 0.1] }
 */
export function pairedLaw({
  mean,
  discordance,
  width,
}: {
  readonly mean: number;
  readonly discordance: number;
  readonly width: number;
}): PairLaw | null {
  const win = (discordance + mean / width) / 2;
  const loss = (discordance - mean / width) / 2;
  if (win < 0 || loss < 0 || discordance > 1) return null;
  return {
    kind: 'lattice',
    values: [width, 0, -width],
    probabilities: [win, 1 - discordance, loss],
  };
}

/**
 * Many small gains and a rare loss of the whole width, with a given mean.
 * @param loss  probability of the loss, in (0, 1)
 * @returns     null where the small value would leave the range
 * @example rareLossLaw({ mean: 0, loss: 0.02, width: 1 }) // => { kind: 'lattice', values: [0.0204081632653, -1], probabilities: [0.98, 0.02] }
 */
export function rareLossLaw({
  mean,
  loss,
  width,
}: {
  readonly mean: number;
  readonly loss: number;
  readonly width: number;
}): PairLaw | null {
  const gain = (mean + loss * width) / (1 - loss);
  if (Math.abs(gain) > width) return null;
  return {
    kind: 'lattice',
    values: [Number(gain.toPrecision(12)), -width],
    probabilities: [1 - loss, loss],
  };
}

/** Units that won and lost their one pair, and those that tied at the better value; the others tied at the worse one. */
export interface Discordance {
  readonly wins: number;
  readonly losses: number;
  readonly bothBetter: number;
}

/**
 * Draws wins, losses and ties of all units of one pair at once; ties at the better value only where they are asked for.
 * @param bothBetter  share of ties at the better value
 * @example countsSampler({ kind: 'lattice', values: [1], probabilities: [1] }, 4)(() => 0.5, false) // => { wins: 4, losses: 0, bothBetter: 0 }
 */
export function countsSampler(law: PairLaw, units: number, bothBetter = 0.5) {
  const [win, loss] = [signProbability(law, 1), signProbability(law, -1)];
  const winsOf = binomialSampler(win);
  const lossesOf = binomialSampler(win >= 1 ? 0 : Math.min(1, loss / (1 - win)));
  const betterOf = binomialSampler(bothBetter);
  return (uniform: Uniform, levels: boolean): Discordance => {
    const wins = winsOf(uniform, units);
    const losses = lossesOf(uniform, units - wins);
    const tied = units - wins - losses;
    return { wins, losses, bothBetter: levels ? betterOf(uniform, tied) : 0 };
  };
}
