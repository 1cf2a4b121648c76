import { describe, expect, test } from 'vitest';
import { normalUpperQuantile } from '../../src/stats/distribution.ts';
import {
  type PairedCounts,
  pairedRiskDifferenceInterval,
  tangoStatistic,
} from '../../src/stats/paired-binary.ts';
import { logGamma } from '../../src/stats/special.ts';
import { referenceTests } from '../support/reference.ts';
import { computed } from '../support/statistics.ts';

function counts(both: number, onlyCandidate: number, onlyBaseline: number): PairedCounts {
  return Object.freeze({ both, onlyCandidate, onlyBaseline, neither: 0 });
}

/** Probability of a table of gains and losses under cell probabilities p10 and p01. */
function tableProbability(
  n: number,
  gains: number,
  losses: number,
  cell: { p10: number; p01: number },
): number {
  const ties = n - gains - losses;
  const rest = 1 - cell.p10 - cell.p01;
  if ((gains > 0 && cell.p10 === 0) || (losses > 0 && cell.p01 === 0)) return 0;
  const orders = logGamma(n + 1) - logGamma(gains + 1) - logGamma(losses + 1) - logGamma(ties + 1);
  const part = (count: number, p: number): number => (count === 0 ? 0 : count * Math.log(p));
  return Math.exp(orders + part(gains, cell.p10) + part(losses, cell.p01) + part(ties, rest));
}

/** The expectation of a function of the table, over all tables of n units. */
function overTables(
  n: number,
  cell: { p10: number; p01: number },
  value: (table: PairedCounts) => number,
): number {
  let sum = 0;
  for (let gains = 0; gains <= n; gains += 1) {
    for (let losses = 0; losses <= n - gains; losses += 1) {
      const weight = tableProbability(n, gains, losses, cell);
      if (weight > 0) sum += weight * value(counts(n - gains - losses, gains, losses));
    }
  }
  return sum;
}

describe('pairedRiskDifferenceInterval in repeated use', () => {
  referenceTests('coverage.json', {
    methods: {
      binaryExact: {
        compute: ({ p10, p01, n, confidence }) => {
          const truth = p10 - p01;
          const cell = { p10, p01 };
          const bounds = new Map<string, { lower: number; upper: number }>();
          const found = (table: PairedCounts): { lower: number; upper: number } => {
            const key = `${table.onlyCandidate}/${table.onlyBaseline}`;
            const known =
              bounds.get(key) ?? computed(pairedRiskDifferenceInterval(table, confidence));
            bounds.set(key, known);
            return known;
          };
          const lowerMiss = overTables(n, cell, (table) =>
            Number(found(table).lower > truth + 1e-12),
          );
          const upperMiss = overTables(n, cell, (table) =>
            Number(found(table).upper < truth - 1e-12),
          );
          return { tango: { coverage: 1 - lowerMiss - upperMiss, lowerMiss, upperMiss } };
        },
        leftOutFields: [
          't',
          'wald',
          'bonettPrice',
          'agrestiMin',
          'conditionalExact',
          'percentile',
          'bcaMid',
          'studentized',
          'newcombe10_share0.5',
          'newcombe10_share0.9',
          'signFlipInversion',
        ],
      },
    },
    leftOutMethods: ['simulated', 'clustered'],
  });

  test('as a noninferiority test it has the exact power of the reference', () => {
    const cell = { p10: 0.05, p01: 0.05 };
    const critical = normalUpperQuantile(0.05);
    const power = overTables(60, cell, (table) =>
      Number(computed(tangoStatistic(table, -0.1)) >= critical),
    );
    expect(power).toBeCloseTo(0.7194860052296467, 8);
  });
});
