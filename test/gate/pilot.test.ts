import { describe, expect, test } from 'vitest';
import { gateCoverage } from '../../src/gate/gate-coverage.ts';
import { readPilot, unitCorrelation } from '../../src/gate/pilot.ts';
import { assumptionsOf } from '../../src/gate/plan-world.ts';
import { Simulator } from '../../src/gate/simulate.ts';
import { binaryCases, type EvidenceTable, evidenceOf, rightMeasure } from '../support/evidence.ts';
import { judged } from '../support/judged.ts';

const seed = '1d'.repeat(32);

const harm = { kind: 'binary', role: 'critical', direction: 'lower' };

function ownRate(seal: ReturnType<typeof evidenceOf>['seal'], measure: string, rate: number) {
  const pairs = Array.from({ length: 40 }, () => 1);
  const law = { kind: 'lattice', values: [1, 0], probabilities: [rate, 1 - rate] } as const;
  const own = [{ measure, law, correlation: 0, pairs }];
  const { any } = new Simulator(seal).run(
    { measures: [], own },
    { replicates: 4000, seed, label: measure },
  );
  return any / 4000;
}

/** Sum of the binomial probabilities of 40 units for which a condition holds. */
function exactly(p: number, holds: (k: number) => boolean): number {
  let mass = (1 - p) ** 40;
  let total = 0;
  for (let k = 0; k <= 40; k += 1) {
    if (holds(k)) total += mass;
    mass *= ((40 - k) / (k + 1)) * (p / (1 - p));
  }
  return total;
}

const near = (rate: number, exact: number) =>
  expect(Math.abs(rate - exact)).toBeLessThan(4 * Math.sqrt((exact * (1 - exact)) / 4000) + 1e-9);

describe('gates on one arm, simulated', () => {
  test('a rate ships as often as the decision itself over all counts', () => {
    const gates = [{ gate: 'rate', measure: 'right', arm: 'candidate', min: 0.8 }];
    const table = (right: number): EvidenceTable => ({
      gates,
      cases: binaryCases({ gains: 0, losses: 40 - right, both: right }),
    });
    const exact = exactly(0.93, (right) => judged(table(right)).decision === 'ship');
    expect(exact).toBeGreaterThan(0.3);
    near(ownRate(evidenceOf(table(40)).seal, 'right', 0.93), exact);
  });

  test.each([
    ['one violation breaches', {}],
    ['maxRate', { maxRate: 0.15 }],
  ])('a critical gate ships as often as the decision itself over all counts: %s', (_, limit) => {
    const table = (violating: number): EvidenceTable => ({
      measures: { right: rightMeasure, harm },
      gates: [{ gate: 'critical', measure: 'harm', ...limit }],
      cases: binaryCases({ gains: 0, losses: 0, both: 40 }).map((each, at) => ({
        ...each,
        cells: {
          baseline: { scores: { right: 1, harm: 0 } },
          next: { scores: { right: 1, harm: at < violating ? 1 : 0 } },
        },
      })),
    });
    const exact = exactly(0.02, (k) => judged(table(k)).decision === 'ship');
    expect(exact).toBeGreaterThan(0.3);
    near(ownRate(evidenceOf(table(0)).seal, 'harm', 0.02), exact);
  });
});

describe('unitCorrelation', () => {
  test('is 1 where units agree within, 0 where they differ by nothing, null without pairs', () => {
    expect(
      unitCorrelation([
        [1, 1],
        [0, 0],
      ]),
    ).toBe(1);
    expect(
      unitCorrelation([
        [1, 0],
        [0, 1],
        [1, 0],
      ]),
    ).toBe(0);
    expect(unitCorrelation([[1], [0]])).toBeNull();
    expect(unitCorrelation([[1, 1]])).toBeNull();
    expect(
      unitCorrelation([
        [1, 1],
        [1, 1],
      ]),
    ).toBeNull();
  });
});

describe('readPilot', () => {
  test('are the spread, rates and losses of the receipts, for measures that both declare', () => {
    const pilot = evidenceOf({ cases: binaryCases({ gains: 3, losses: 1, both: 16 }) });
    const [read, ...further] = readPilot(pilot, pilot.seal);
    expect(read).toMatchObject({ candidate: 'next', from: 'next' });
    expect(further).toEqual([]);
    const found = read?.assumptions ?? {};
    expect(found.measures).toEqual({ right: { discordance: 0.2, rate: 0.95 } });
    expect(found.lossRate).toBe(0);
    const [only, ...others] = assumptionsOf('right', rightMeasureOf(pilot.seal), found);
    expect(others).toEqual([]);
    expect(only?.words).toBe('20 % of pairs differ, as stated');
    expect(only?.law(0.5)).toMatchObject({ probabilities: [0.5, 0.5, 0] });
  });
});

function rightMeasureOf(seal: ReturnType<typeof evidenceOf>['seal']) {
  const found = seal.spec.measures['right'];
  if (found === undefined) throw new Error('no measure');
  return found;
}

describe('gateCoverage', () => {
  test('names every gate, and what is missing for those it takes to pass', () => {
    const { seal, index } = evidenceOf({
      measures: { right: rightMeasure, harm },
      gates: [
        { gate: 'lift', measure: 'right' },
        { gate: 'critical', measure: 'harm' },
      ],
      cases: binaryCases({ gains: 0, losses: 0, both: 8 }),
    });
    const why = (assumptions = {}) =>
      Object.fromEntries(
        gateCoverage({ seal, index, assumptions }).map((each) => [each.gate, each.why]),
      );
    expect(why()).toEqual({
      'lift:right': '',
      'critical:harm': 'no rate of "harm" is stated',
      completeness: 'no lossRate is stated; one row of power shows what losses do',
      controls: 'whether the harness classifies correctly is no matter of chance',
      provenance: 'whether what runs is what is sealed is no matter of chance',
    });
    expect(why({ lossRate: 0.01, measures: { harm: { rate: 0.1 } } })).toMatchObject({
      'critical:harm': '',
      completeness: '',
    });
  });
});
