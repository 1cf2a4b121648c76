/**
 * Slow statistics of paired tables, written from the definitions: lists of outcomes instead of counts, bisection and enumeration
 * instead of formulas. They share nothing with the kernel they check.
 */
import type { PairedCounts } from '../../src/stats/paired-binary.ts';

export interface Ends {
  readonly lower: number;
  readonly upper: number;
}

/** Where a function that falls through 0 between the ends does so. */
function crossing(from: number, to: number, falling: (x: number) => number): number {
  let below = from;
  let above = to;
  for (let step = 0; step < 100; step += 1) {
    const middle = (below + above) / 2;
    if (falling(middle) > 0) below = middle;
    else above = middle;
  }
  return (below + above) / 2;
}

function unitsOf(table: PairedCounts): number {
  return table.both + table.onlyCandidate + table.onlyBaseline + table.neither;
}

/** One entry per unit: 1 for a gain, -1 for a loss, 0 for a tie. */
export function differencesOf(table: PairedCounts): number[] {
  return [
    ...new Array<number>(table.onlyCandidate).fill(1),
    ...new Array<number>(table.onlyBaseline).fill(-1),
    ...new Array<number>(table.both + table.neither).fill(0),
  ];
}

export function mean(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0) / values.length;
}

/** Mean ± z standard errors of a list in which every entry counts `weight` units. */
export function aroundMean(values: readonly number[], z: number, weight: number): Ends {
  const centre = mean(values);
  const variance = mean(values.map((value) => (value - centre) ** 2)) / (values.length * weight);
  const half = z * Math.sqrt(variance);
  return { lower: Math.max(-1, centre - half), upper: Math.min(1, centre + half) };
}

/** The score of a difference D: the loss rate that makes the table likeliest is searched, not solved for. */
export function slowScore(table: PairedCounts, difference: number): number {
  const units = unitsOf(table);
  const { onlyCandidate, onlyBaseline } = table;
  const tied = units - onlyCandidate - onlyBaseline;
  const part = (count: number, rate: number): number => (count === 0 ? 0 : count / rate);
  const loss = crossing(
    Math.max(0, -difference),
    (1 - difference) / 2,
    (rate) =>
      part(onlyCandidate, rate + difference) +
      part(onlyBaseline, rate) -
      2 * part(tied, 1 - 2 * rate - difference),
  );
  const variance = (2 * loss + difference - difference * difference) / units;
  return ((onlyCandidate - onlyBaseline) / units - difference) / Math.sqrt(variance);
}

export function slowTango(table: PairedCounts, z: number): Ends {
  const units = unitsOf(table);
  const estimate = (table.onlyCandidate - table.onlyBaseline) / units;
  const lower =
    estimate === -1 ? -1 : crossing(-1, estimate, (difference) => slowScore(table, difference) - z);
  const upper =
    estimate === 1 ? 1 : crossing(estimate, 1, (difference) => slowScore(table, difference) + z);
  return { lower, upper };
}

/** Wilson's ends by search: the rates at which the share seen is z standard errors away, 1/2n of it forgiven on request. */
function slowWilson(share: number, units: number, z: number, forgiven: number): Ends {
  const excess = (rate: number): number =>
    Math.abs(share - rate) - forgiven - z * Math.sqrt((rate * (1 - rate)) / units);
  return {
    lower: share === 0 ? 0 : crossing(0, Math.max(0, share - forgiven), excess),
    upper: share === 1 ? 1 : crossing(Math.min(1, share + forgiven), 1, (rate) => -excess(rate)),
  };
}

/** The correlation of two lists of 0 and 1, whose covariance may be shrunk by half a unit. */
function slowPhi(table: PairedCounts, shrunk: boolean): number {
  const candidate = [
    ...new Array<number>(table.both + table.onlyCandidate).fill(1),
    ...new Array<number>(table.onlyBaseline + table.neither).fill(0),
  ];
  const baseline = [
    ...new Array<number>(table.both).fill(1),
    ...new Array<number>(table.onlyCandidate).fill(0),
    ...new Array<number>(table.onlyBaseline).fill(1),
    ...new Array<number>(table.neither).fill(0),
  ];
  const units = candidate.length;
  const [first, second] = [mean(candidate), mean(baseline)];
  const spread = Math.sqrt(first * (1 - first) * second * (1 - second));
  if (spread === 0) return 0;
  // ad − bc is n² times the covariance.
  const covariance =
    mean(candidate.map((value, at) => value * (baseline[at] ?? 0))) - first * second;
  const half = 1 / (2 * units);
  const kept = shrunk && covariance > 0 ? Math.max(0, covariance - half) : covariance;
  return kept / spread;
}

export function slowNewcombe(
  table: PairedCounts,
  z: number,
  { continuity, shrunk }: { readonly continuity: boolean; readonly shrunk: boolean },
): Ends {
  const units = unitsOf(table);
  const forgiven = continuity ? 1 / (2 * units) : 0;
  const first = (table.both + table.onlyCandidate) / units;
  const second = (table.both + table.onlyBaseline) / units;
  const one = slowWilson(first, units, z, forgiven);
  const other = slowWilson(second, units, z, forgiven);
  const phi = slowPhi(table, shrunk);
  const added = (a: number, b: number): number =>
    Math.sqrt(Math.max(0, a * a - 2 * phi * a * b + b * b));
  return {
    lower: Math.max(-1, first - second - added(first - one.lower, other.upper - second)),
    upper: Math.min(1, first - second + added(one.upper - first, second - other.lower)),
  };
}

/** How many of the sequences of fair coins have at least so many heads, all of them looked at. */
export function sequencesWith(tosses: number, heads: number): number {
  let found = 0;
  for (let sequence = 0; sequence < 2 ** tosses; sequence += 1) {
    let seen = 0;
    for (let toss = 0; toss < tosses; toss += 1) seen += (sequence >> toss) & 1;
    if (seen >= heads) found += 1;
  }
  return found / 2 ** tosses;
}

/** P(at least k of m) at a rate, by the sum of its terms. */
function binomialTail(successes: number, trials: number, rate: number): number {
  let total = 0;
  for (let count = successes; count <= trials; count += 1) {
    let ways = 1;
    for (let at = 0; at < count; at += 1) ways = (ways * (trials - at)) / (at + 1);
    total += ways * rate ** count * (1 - rate) ** (trials - count);
  }
  return total;
}

export function slowConditional(table: PairedCounts, error: number): Ends {
  const { onlyCandidate, onlyBaseline } = table;
  const discordant = onlyCandidate + onlyBaseline;
  const lowest = (wins: number): number =>
    wins === 0 ? 0 : crossing(0, 1, (rate) => error - binomialTail(wins, discordant, rate));
  const scale = discordant / unitsOf(table);
  return {
    lower: (2 * lowest(onlyCandidate) - 1) * scale,
    upper: (1 - 2 * lowest(onlyBaseline)) * scale,
  };
}

/** The upper tail of the normal distribution: Simpson's rule over its density. */
export function slowNormalUpper(z: number): number {
  const steps = 4000;
  const end = 12;
  const width = (end - z) / steps;
  let total = 0;
  for (let at = 0; at <= steps; at += 1) {
    const x = z + at * width;
    const weight = at === 0 || at === steps ? 1 : at % 2 === 1 ? 4 : 2;
    total += (weight * Math.exp(-(x * x) / 2)) / Math.sqrt(2 * Math.PI);
  }
  return (total * width) / 3;
}
