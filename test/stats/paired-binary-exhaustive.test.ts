/**
 * Every paired table of up to 12 units, every method, against a slow implementation written here from the definitions: lists of
 * outcomes instead of counts, bisection and enumeration instead of formulas, and nothing of the kernel but what is under test.
 */
import { describe, expect, test } from 'vitest';
import type { Indeterminate, Interval } from '../../src/stats/interval.ts';
import { isIndeterminate } from '../../src/stats/interval.ts';
import {
  mcnemarExact,
  type PairedCounts,
  pairedRiskDifferenceInterval,
  tangoStatistic,
} from '../../src/stats/paired-binary.ts';
import {
  agrestiMinInterval,
  bonettPriceInterval,
  conditionalExactInterval,
  newcombePairedInterval,
  pairedWaldInterval,
} from '../../src/stats/paired-binary-intervals.ts';
import {
  mcnemarAsymptotic,
  mcnemarMidP,
  pairedNoninferiorityTest,
} from '../../src/stats/paired-binary-tests.ts';
import { computed } from '../support/statistics.ts';

const most = 12;

/** Printed quantiles of the normal distribution: one level each of 90, 95 and 99 %. */
const levels = [
  { level: 0.9, z: 1.6448536269514722 },
  { level: 0.95, z: 1.959963984540054 },
  { level: 0.99, z: 2.5758293035489004 },
] as const;

/** All tables by gains, losses and units; the tied pairs all pass. */
const tables: PairedCounts[] = [];
/** All tables by all four cells. */
const fourCells: PairedCounts[] = [];
for (let units = 1; units <= most; units += 1) {
  for (let onlyCandidate = 0; onlyCandidate <= units; onlyCandidate += 1) {
    for (let onlyBaseline = 0; onlyBaseline <= units - onlyCandidate; onlyBaseline += 1) {
      const tied = units - onlyCandidate - onlyBaseline;
      tables.push(Object.freeze({ both: tied, onlyCandidate, onlyBaseline, neither: 0 }));
      for (let both = 0; both <= tied; both += 1)
        fourCells.push(Object.freeze({ both, onlyCandidate, onlyBaseline, neither: tied - both }));
    }
  }
}

interface Ends {
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
function differencesOf(table: PairedCounts): number[] {
  return [
    ...new Array<number>(table.onlyCandidate).fill(1),
    ...new Array<number>(table.onlyBaseline).fill(-1),
    ...new Array<number>(table.both + table.neither).fill(0),
  ];
}

function mean(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0) / values.length;
}

/** Mean ± z standard errors of a list in which every entry counts `weight` units. */
function aroundMean(values: readonly number[], z: number, weight: number): Ends {
  const centre = mean(values);
  const variance = mean(values.map((value) => (value - centre) ** 2)) / (values.length * weight);
  const half = z * Math.sqrt(variance);
  return { lower: Math.max(-1, centre - half), upper: Math.min(1, centre + half) };
}

/** The score of a difference D: the loss rate that makes the table likeliest is searched, not solved for. */
function slowScore(table: PairedCounts, difference: number): number {
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

function slowTango(table: PairedCounts, z: number): Ends {
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

function slowNewcombe(
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
function sequencesWith(tosses: number, heads: number): number {
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

function slowConditional(table: PairedCounts, error: number): Ends {
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
function slowNormalUpper(z: number): number {
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

type PairedInterval = (table: PairedCounts, level: number) => Interval | Indeterminate;

/** Both ends to `digits` decimals; where the slow interval is a point, the kernel has none. */
function expectEnds(
  found: Interval | Indeterminate,
  slow: Ends,
  { digits, name }: { readonly digits: number; readonly name: string },
): void {
  if (isIndeterminate(found)) {
    expect(found.reason, name).toBe('zero-width-interval');
    expect(slow.upper - slow.lower, name).toBeLessThan(1e-7);
    return;
  }
  expect(found.lower, `${name} lower`).toBeCloseTo(slow.lower, digits);
  expect(found.upper, `${name} upper`).toBeCloseTo(slow.upper, digits);
}

interface Compared {
  readonly over: readonly PairedCounts[];
  readonly interval: PairedInterval;
  readonly slow: (table: PairedCounts, at: { readonly level: number; readonly z: number }) => Ends;
  readonly digits: number;
}

function newcombe(
  method: 'newcombe-8' | 'newcombe-9-continuity' | 'newcombe-10' | 'newcombe-10-continuity',
): Compared {
  const rule = {
    continuity: method.endsWith('continuity'),
    shrunk: method.startsWith('newcombe-10'),
  };
  return {
    over: fourCells,
    interval: (table, level) => newcombePairedInterval(table, { level, method }),
    slow: (table, { z }) => slowNewcombe(table, z, rule),
    // Where φ is 1 the slow form cancels: √1e-16.
    digits: 7,
  };
}

const compared: Readonly<Record<string, Compared>> = {
  'tango-score': {
    over: tables,
    interval: pairedRiskDifferenceInterval,
    slow: (table, { z }) => slowTango(table, z),
    digits: 9,
  },
  'newcombe-8': newcombe('newcombe-8'),
  'newcombe-9-continuity': newcombe('newcombe-9-continuity'),
  'newcombe-10': newcombe('newcombe-10'),
  'newcombe-10-continuity': newcombe('newcombe-10-continuity'),
  wald: {
    over: tables,
    interval: (table, level) => pairedWaldInterval(table, { level, continuity: false }),
    slow: (table, { z }) => aroundMean(differencesOf(table), z, 1),
    digits: 12,
  },
  'wald-continuity': {
    over: tables,
    interval: (table, level) => pairedWaldInterval(table, { level, continuity: true }),
    slow: (table, { z }) => {
      const values = differencesOf(table);
      const half =
        (z * Math.sqrt(mean(values.map((value) => (value - mean(values)) ** 2)))) /
        Math.sqrt(values.length);
      const reach = half + 1 / values.length;
      return {
        lower: Math.max(-1, mean(values) - reach),
        upper: Math.min(1, mean(values) + reach),
      };
    },
    digits: 12,
  },
  'bonett-price': {
    over: tables,
    interval: bonettPriceInterval,
    slow: (table, { z }) => aroundMean([...differencesOf(table), 1, -1], z, 1),
    digits: 12,
  },
  'agresti-min': {
    over: tables,
    interval: agrestiMinInterval,
    // Half a unit in each cell: every unit twice and one more of each kind, two entries to the unit.
    slow: (table, { z }) => {
      const values = differencesOf(table);
      return aroundMean([...values, ...values, 1, -1, 0, 0], z, 0.5);
    },
    digits: 12,
  },
  'conditional-exact': {
    over: tables.filter((table) => table.onlyCandidate + table.onlyBaseline > 0),
    interval: conditionalExactInterval,
    slow: (table, { level }) => slowConditional(table, (1 - level) / 2),
    digits: 10,
  },
};

describe(`every paired table up to ${most} units`, () => {
  test('is there: 454 by gains and losses, 1,819 by four cells', () => {
    expect(tables).toHaveLength(454);
    expect(fourCells).toHaveLength(1819);
  });

  test.each(Object.entries(compared))(
    '%s is the slow interval at three levels',
    (method, { over, interval, slow, digits }) => {
      for (const table of over) {
        for (const at of levels) {
          const found = interval(table, at.level);
          const name = `${method} ${at.level} of ${Object.values(table).join('/')}`;
          expectEnds(found, slow(table, at), { digits, name });
          if (!isIndeterminate(found)) expect(found.method).toBe(method);
        }
      }
    },
  );

  test('the noninferiority statistic is the slow score at every margin, and its p the slow tail', () => {
    for (const table of tables) {
      for (const margin of [0, 0.02, 0.1, 0.25, 0.5]) {
        const { statistic, pValue } = computed(pairedNoninferiorityTest(table, margin));
        const nothingMoved = margin === 0 && table.onlyCandidate + table.onlyBaseline === 0;
        const slow = nothingMoved ? 0 : slowScore(table, -margin);
        expect(statistic).toBeCloseTo(slow, 6);
        expect(pValue).toBeCloseTo(slowNormalUpper(statistic), 10);
        expect(computed(tangoStatistic(table, 0 - margin))).toBe(statistic);
      }
    }
  });

  test('McNemar exact and mid-p count the sequences of coins', () => {
    for (const table of tables) {
      const { onlyCandidate, onlyBaseline } = table;
      const tosses = onlyCandidate + onlyBaseline;
      const [up, down] = [
        sequencesWith(tosses, onlyCandidate),
        sequencesWith(tosses, onlyBaseline),
      ];
      const seen = up - sequencesWith(tosses, onlyCandidate + 1);
      const exact = mcnemarExact(table);
      expect(exact.pGreater).toBeCloseTo(up, 13);
      expect(exact.pLess).toBeCloseTo(down, 13);
      expect(exact.pTwoSided).toBeCloseTo(Math.min(1, 2 * Math.min(up, down)), 13);
      const mid = mcnemarMidP(table);
      expect(mid.pGreater).toBeCloseTo(up - seen / 2, 13);
      expect(mid.pLess).toBeCloseTo(down - seen / 2, 13);
      // The exact two-sided p less the probability of what was seen; with as many gains as losses that is 1 − P/2.
      const twoSided =
        tosses === 0
          ? 1
          : onlyCandidate === onlyBaseline
            ? 1 - seen / 2
            : 2 * Math.min(up, down) - seen;
      expect(mid.pTwoSided).toBeCloseTo(twoSided, 13);
    }
  });

  test('McNemar asymptotic is the sum of squared distances from half, each over half, and its tail', () => {
    for (const table of tables) {
      const { onlyCandidate, onlyBaseline } = table;
      const half = (onlyCandidate + onlyBaseline) / 2;
      for (const continuity of [false, true]) {
        const found = mcnemarAsymptotic(table, continuity);
        if (half === 0) {
          expect(found.chiSquare).toMatchObject({ reason: 'no-discordant-pairs' });
          expect(found.pTwoSided).toBe(1);
          continue;
        }
        const away = Math.max(0, Math.abs(onlyCandidate - half) - (continuity ? 0.5 : 0));
        const chiSquare = (away * away) / half + (away * away) / half;
        expect(found.chiSquare).toBeCloseTo(chiSquare, 12);
        expect(found.pTwoSided).toBeCloseTo(2 * slowNormalUpper(Math.sqrt(chiSquare)), 9);
      }
    }
  });
});
