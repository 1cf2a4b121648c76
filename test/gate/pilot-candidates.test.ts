/** A pilot of several candidates: each candidate of a design is planned with the spread of its own. */
import { describe, expect, test } from 'vitest';
import { readPilot } from '../../src/gate/pilot.ts';
import { simulatedInPlace } from '../../src/gate/simulate.ts';
import { operatingCharacteristics, operatingLines } from '../../src/report/operating.ts';
import type { SealedExperiment } from '../../src/spec/seal.ts';
import { exactUnconditionalClears } from '../../src/stats/paired-binary-exact.ts';
import { type EvidenceTable, evidenceOf, rightMeasure } from '../support/evidence.ts';
import { computed } from '../support/statistics.ts';
import { upTo } from '../support/two-measures.ts';

const replicates = 1200;
const options = { replicates, seed: '3b'.repeat(32), pool: simulatedInPlace };
const units = 16;
const effect = 0.55;

/** So many units in which each candidate differs from the baseline in so many, half of them for the better. */
function differing(arms: Readonly<Record<string, number>>, of = 20): EvidenceTable {
  return {
    candidates: Object.keys(arms),
    cases: upTo(of, (at) => ({
      id: `p${at}`,
      unit: `p${at}`,
      cells: {
        baseline: at % 2,
        ...Object.fromEntries(
          Object.entries(arms).map(([id, count]) => [id, at < count ? 1 - (at % 2) : at % 2]),
        ),
      },
    })),
    inference: { guarantee: 'finite-sample' },
    // Reached at once, so that no time goes into searches.
    gates: [
      { gate: 'lift', measure: 'right' },
      { gate: 'power', target: 0.05, atEffect: effect, required: false },
    ],
  };
}

/** Probability that a difference of so much, of which so many pairs differ, clears at an error, over all tables. */
function cleared(mean: number, discordance: number, error: number): number {
  const [win, loss] = [(discordance + mean) / 2, (discordance - mean) / 2];
  let total = 0;
  for (let wins = 0; wins <= units; wins += 1) {
    for (let losses = 0; wins + losses <= units; losses += 1) {
      const ties = units - wins - losses;
      const table = { both: 0, onlyCandidate: wins, onlyBaseline: losses, neither: ties };
      const mass =
        multinomial(wins, losses, ties) * win ** wins * loss ** losses * (1 - win - loss) ** ties;
      if (mass > 1e-9 && computed(exactUnconditionalClears(table, { error, threshold: 0 }))) {
        total += mass;
      }
    }
  }
  return total;
}

function multinomial(...counts: readonly number[]): number {
  let [found, placed] = [1, 0];
  for (const count of counts) {
    for (let at = 1; at <= count; at += 1) {
      placed += 1;
      found *= placed / at;
    }
  }
  return found;
}

const planOf = (
  seal: SealedExperiment,
  index: ReturnType<typeof evidenceOf>['index'],
  pilot: EvidenceTable,
) => operatingCharacteristics({ seal, index, pilot: readPilot(evidenceOf(pilot), seal) }, options);

describe('a plan with a pilot of two candidates', () => {
  const { seal, index } = evidenceOf(differing({ first: 0, second: 0 }, units));
  const spread = { first: 0.6, second: 0.95 };

  test('finds each with its own spread as often as the sum over all tables says', async () => {
    const found = await planOf(seal, index, differing({ first: 12, second: 19, unread: 4 }));
    const rows = (found.power?.rows ?? []).filter(({ assumption }) =>
      assumption.endsWith('as stated'),
    );
    expect(rows.map(({ candidate }) => candidate)).toEqual(['first', 'second']);
    const exact = (own: number, other: number) => {
      const [whole, half] = [cleared(effect, own, 0.025), cleared(effect, own, 0.0125)];
      return half + (whole - half) * cleared(0, other, 0.0125);
    };
    const powers = [exact(spread.first, spread.second), exact(spread.second, spread.first)];
    powers.forEach((power, at) => {
      const error = Math.sqrt((power * (1 - power)) / replicates);
      expect(Math.abs((rows[at]?.ship.rate ?? 0) - power)).toBeLessThan(4 * error);
      // Alone at the whole error: counted of the candidate that is better, not of the first.
      const alone = cleared(effect, at === 0 ? spread.first : spread.second, 0.025);
      expect(Math.abs((rows[at]?.gates[0]?.rate ?? 0) - alone)).toBeLessThan(0.06);
    });
    expect(powers[0]).toBeGreaterThan((powers[1] ?? 1) + 0.15);
    expect(found.power?.candidate).toBe('second');
    const lines = operatingLines(found).join('\n');
    expect(lines).toMatch(/ {2}first: [\d.]+ % \(.*\) ship when 60 % of pairs differ, as stated/);
    expect(lines).toMatch(/ {2}second: [\d.]+ % \(.*\) ship when 95 % of pairs differ, as stated/);
    expect(lines).toContain('Planned for second with: 95 % of pairs differ, as stated');
    expect(lines).toContain(
      'Measures and spending of "second": from the pilot\'s candidate of that name\n  right: discordance 0.95',
    );
  });

  test('searches for a candidate that ships, whatever another one showed', async () => {
    const measures = {
      right: rightMeasure,
      harm: { kind: 'binary', role: 'critical', direction: 'lower' },
    };
    const gates = [
      { gate: 'lift', measure: 'right' },
      { gate: 'critical', measure: 'harm' },
      { gate: 'power', target: 0.05, atEffect: effect, required: false },
    ];
    const harmful = (table: EvidenceTable): EvidenceTable => ({
      ...table,
      measures,
      gates,
      cases: table.cases.map(({ cells, ...each }) => ({
        ...each,
        cells: Object.fromEntries(
          Object.entries(cells).map(([arm, right]) => [
            arm,
            { scores: { right: Number(right), harm: arm === 'second' ? 1 : 0 } },
          ]),
        ),
      })),
    });
    const design = evidenceOf(harmful(differing({ first: 0, second: 0 }, units)));
    const pilot = harmful(differing({ first: 12, second: 19 }));
    const found = await planOf(design.seal, design.index, pilot);
    expect(found.power?.rows.map(({ candidate, ship }) => [candidate, ship.rate > 0])).toEqual([
      ['first', true],
      ['second', false],
    ]);
    expect(found.power?.candidate).toBe('first');
    expect(found.power?.unitsForTarget).not.toBe('more');
  });

  test('says which candidate stands in for one that it lacks, and plans all alike where one stands for all', async () => {
    const found = await planOf(seal, index, differing({ other: 12 }));
    const rows = (found.power?.rows ?? []).map(({ candidate }) => candidate);
    expect(rows).toEqual([undefined]);
    const lines = operatingLines(found).join('\n');
    for (const id of ['first', 'second']) {
      expect(lines).toContain(
        `Measures and spending of "${id}", of which the pilot has no candidate: from its first, "other"`,
      );
    }
    expect(lines).toContain('Planned with: 60 % of pairs differ, as stated');
    const mixed = readPilot(evidenceOf(differing({ second: 19, zero: 2 })), seal);
    expect(mixed.map(({ candidate, from }) => [candidate, from])).toEqual([
      ['first', 'second'],
      ['second', 'second'],
    ]);
  });
});
