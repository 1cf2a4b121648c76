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
import {
  aroundMean,
  differencesOf,
  type Ends,
  mean,
  sequencesWith,
  slowConditional,
  slowNewcombe,
  slowNormalUpper,
  slowScore,
  slowTango,
} from '../support/slow-paired.ts';
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
