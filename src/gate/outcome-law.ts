/**
 * Laws that simulated improvements are drawn from: what one pair of a unit gives, and how alike the pairs of one unit are.
 *
 * A law is data, so that a plan can print it and a worker can be sent it. Pairs of one unit share the unit's own draw with probability
 * sqrt(correlation) each and are drawn anew otherwise: two pairs of a unit then have exactly that correlation, whatever the law.
 */

import type { Sample, UnitValue } from '../analysis/unit-value.ts';
import { normalQuantile } from '../stats/distribution.ts';
import { exp } from '../stats/elementary.ts';
import type { RandomStream } from '../stats/random.ts';
import { sum } from '../stats/summary.ts';

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
export function sampler(law: PairLaw): (stream: RandomStream) => number {
  switch (law.kind) {
    case 'lattice':
      return latticeSampler(law.values, law.probabilities);
    case 'triangular':
      return (stream) => law.mean + law.deviation * Math.sqrt(6) * (stream.next() - stream.next());
    case 'normal':
      return (stream) => law.mean + law.deviation * standardNormal(stream);
    case 'lognormal':
      return (stream) => {
        const shape = (exp(standardNormal(stream)) - lognormalMean) / lognormalDeviation;
        return law.mean + law.skew * law.deviation * shape;
      };
  }
}

/** A standard normal number by inversion; the stream never gives 1, and 0 is moved inside. */
function standardNormal(stream: RandomStream): number {
  return normalQuantile(Math.max(stream.next(), 1e-16));
}

function latticeSampler(
  values: readonly number[],
  probabilities: readonly number[],
): (stream: RandomStream) => number {
  const upTo: number[] = [];
  let total = 0;
  for (const probability of probabilities) {
    total += probability;
    upTo.push(total);
  }
  const last = values.length - 1;
  return (stream) => {
    const at = stream.next();
    for (let index = 0; index < last; index += 1) {
      if (at < (upTo[index] ?? 1)) return values[index] ?? 0;
    }
    return values[last] ?? 0;
  };
}

/**
 * Improvements of the pairs of one unit.
 * @param correlation  of two pairs of the unit, in [0, 1]
 */
export function drawUnit(
  draw: (stream: RandomStream) => number,
  shape: { readonly pairs: number; readonly correlation: number },
  stream: RandomStream,
): number[] {
  if (shape.pairs === 1) return [draw(stream)];
  const shared = Math.sqrt(shape.correlation);
  const own = draw(stream);
  return Array.from({ length: shape.pairs }, () => (stream.next() < shared ? own : draw(stream)));
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

/** What one replicate gave one measure of one candidate. */
export interface Drawn {
  readonly units: number;
  /** Units by the sign of their one pair; null when more than signs decides. */
  readonly counts: Discordance | null;
  readonly sample: () => Sample;
}

/** Units that won and lost their one pair; the others tied. */
export interface Discordance {
  readonly wins: number;
  readonly losses: number;
}

/** Draws all units of a measure. `width` is that of its declared range, 0 without one. */
export function drawerOf(measure: {
  readonly law: PairLaw;
  readonly correlation: number;
  readonly pairs: readonly number[];
  readonly width: number;
}): (stream: RandomStream) => Drawn {
  const { law, correlation, pairs, width } = measure;
  const draw = sampler(law);
  const units = pairs.length;
  if (pairs.some((count) => count !== 1)) {
    return (stream) => {
      const drawn = pairs.map((count) => drawUnit(draw, { pairs: count, correlation }, stream));
      return { units, counts: null, sample: () => sampleOf(drawn, width) };
    };
  }
  if (law.kind !== 'lattice' || !isPaired(law.values, width)) {
    return (stream) => {
      const drawn = pairs.map(() => [draw(stream)]);
      return { units, counts: null, sample: () => sampleOf(drawn, width) };
    };
  }
  return (stream) => {
    let [wins, losses] = [0, 0];
    for (let unit = 0; unit < units; unit += 1) {
      const value = draw(stream);
      if (value > 0) wins += 1;
      else if (value < 0) losses += 1;
    }
    const signs = () =>
      pairs.map((_, unit) => [unit < wins ? width : unit < wins + losses ? -width : 0]);
    return { units, counts: { wins, losses }, sample: () => sampleOf(signs(), width) };
  };
}

/** Whether a lattice holds a win, a tie and a loss of the whole width, as a binary pair does. */
function isPaired(values: readonly number[], width: number): boolean {
  return values.every((value) => value === 0 || Math.abs(value) === width);
}

function sampleOf(drawn: readonly (readonly number[])[], width: number): Sample {
  let discordant = 0;
  let complete = 0;
  const units = drawn.map((improvements, index): UnitValue => {
    complete += improvements.length;
    for (const each of improvements) if (each !== 0) discordant += 1;
    const mean = sum(improvements) / improvements.length;
    const values = improvements.map((improvement, at) => ({
      case: `${index}-${at}`,
      repeat: 1,
      improvement,
    }));
    return {
      unit: String(index),
      improvement: Math.abs(mean) < 1e-12 * width ? 0 : mean,
      pairs: values.length,
      values,
    };
  });
  const n = { units: units.length, pairs: complete, cells: 2 * complete, discordant };
  return { units, n, lost: [], plannedValues: 2 * complete };
}
