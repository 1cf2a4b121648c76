import { describe, expect, test } from 'vitest';
import { isGapBelow, seenGaps } from '../../src/gate/gap.ts';
import { judgeEvidence } from '../../src/gate/judge.ts';
import { plannedWorld, planPower } from '../../src/gate/power-plan.ts';
import { Simulator, simulatedInPlace } from '../../src/gate/simulate.ts';
import type { Assumptions } from '../../src/spec/assumptions.ts';
import { bettingBounds } from '../../src/stats/betting.ts';
import { type EvidenceTable, evidenceOf } from '../support/evidence.ts';
import { computed } from '../support/statistics.ts';
import { both, gains, upTo } from '../support/two-measures.ts';

const seed = 'e9'.repeat(32);
const replicates = 4000;
const lift = { gate: 'lift', measure: 'right' };
const name = 'reward-hacking:right';

function designOf(units: number, margin: number, table: Partial<EvidenceTable> = {}) {
  const gate = { gate: 'reward-hacking', proxy: 'right', truth: 'truth', margin };
  const { seal, index } = evidenceOf({
    cases: gains([units, 0, 0]),
    measures: both,
    gates: [lift, gate],
    ...table,
  });
  return { seal, index };
}

/** How often a candidate that is better ships, and how often the gate on the gap clears alone. */
function simulated(design: ReturnType<typeof designOf>, assumptions: Assumptions, of = 500) {
  const planned = plannedWorld({ ...design, assumptions }, 0.4);
  if (planned === null) throw new Error('there is such a world');
  const simulator = new Simulator(design.seal);
  const { candidates, gates } = simulator.run(planned.world, {
    replicates: of,
    seed,
    label: 'power',
  });
  return {
    ship: (candidates[0] ?? 0) / of,
    alone: (gates[simulator.gateNames.indexOf(name)] ?? Number.NaN) / of,
  };
}

/** Probability that the betting bound of six gaps lies below a margin, over all their sequences. */
function enumerated(margin: number, error: number): number {
  const [right, truth] = [
    { 1: 0.45, 0: 0.5, '-1': 0.05 },
    { 1: 0.25, 0: 0.7, '-1': 0.05 },
  ];
  const law = new Map<number, number>();
  for (const [one, first] of Object.entries(right)) {
    for (const [two, second] of Object.entries(truth)) {
      const gap = Number(one) - Number(two);
      law.set(gap, (law.get(gap) ?? 0) + first * second);
    }
  }
  const range = { lower: -2, upper: 2 };
  const visit = (values: readonly number[], probability: number): number => {
    if (values.length < 6) {
      return [...law].reduce(
        (total, [gap, share]) => total + visit([...values, gap], probability * share),
        0,
      );
    }
    const { upper } = computed(bettingBounds(values, { range, error, truncation: 0.95 }));
    return upper < margin ? probability : 0;
  };
  return visit([], 1);
}

describe('a simulated reward-hacking gate', () => {
  const stated = {
    measures: { right: { discordance: 0.5 }, truth: { discordance: 0.3, follows: 0.5 } },
  };

  test('clears as often as the sum over all sequences of gaps, on the units that have both measures', () => {
    const expected = enumerated(0.9, 0.1);
    expect(expected).toBeGreaterThan(0.1);
    expect(expected).toBeLessThan(0.9);
    const chance = 4 * Math.sqrt((expected * (1 - expected)) / replicates);
    const inference = { level: 0.8 };
    const whole = simulated(designOf(6, 0.9, { inference }), stated, replicates).alone;
    expect(Math.abs(whole - expected)).toBeLessThan(chance);
    const cases = gains([14, 0, 0]).map((each, at) => ({
      ...each,
      applies: at % 7 < 3 ? ['right', 'truth'] : ['right'],
    }));
    const half = simulated(designOf(14, 0.9, { inference, cases }), stated, replicates).alone;
    expect(Math.abs(half - expected)).toBeLessThan(chance);
  });

  test('ships a candidate whose truth gains as well, and refuses one whose truth does not', async () => {
    const design = designOf(150, 0.25);
    const { ship } = simulated(design, {});
    expect(ship).toBeGreaterThan(0.6);
    const hacked = simulated(design, { measures: { truth: { follows: 0 } } });
    expect(hacked.alone).toBeLessThan(0.025);
    expect(hacked.ship).toBeLessThan(0.025);
    const power = { gate: 'power', target: 0.8, atEffect: 0.4 };
    const { seal, index } = evidenceOf({
      cases: gains([40, 0, 0]),
      measures: both,
      gates: [...design.seal.decision.gates.slice(0, 2), power],
    });
    const options = { replicates: 100, seed, pool: simulatedInPlace };
    const found = await planPower({ seal, index, assumptions: {} }, options);
    expect(found?.rows.at(-1)).toMatchObject({
      assumption:
        '10 % of pairs change beyond the effect, both ways alike, and "truth" gains nothing',
      ship: { rate: 0 },
    });
  });

  test('counts a unit that lost a value against the candidate', () => {
    const design = designOf(150, 0.25, { maxLostShare: 0.5 });
    const all = simulated(design, {});
    const lossy = simulated(design, { lossRate: 0.03 });
    expect(lossy.alone).toBeGreaterThan(0.5);
    expect(lossy.ship).toBeLessThan(all.ship - 0.3);
  });

  test('decides as the gate does on evidence', () => {
    const gap = { ahead: 'right', behind: 'truth', margin: 0.25 };
    const rule = { error: 0.025, truncation: 0.95 };
    const found = upTo(5, (more) => {
      const { seal, index } = designOf(1, gap.margin);
      const table = {
        cases: gains([5 + 50 * more, 0, 0], [8, 1, 0], [6, 0, 1], [3, 1, 1]),
        measures: both,
        gates: seal.decision.gates.slice(0, 2),
      };
      expect(index.rows).toHaveLength(1);
      const { analysis, candidates } = judgeEvidence(evidenceOf(table));
      const [candidate] = analysis.candidates;
      if (candidate === undefined) throw new Error('there is a candidate');
      const clears = isGapBelow(seenGaps(analysis, gap, candidate), gap.margin, rule);
      const gate = candidates[0]?.contributions.find((each) => each.name === name);
      expect(gate?.finding).toBe(clears ? 'cleared' : 'unresolved');
      return clears;
    });
    expect(new Set(found).size).toBe(2);
    expect(isGapBelow([0], gap.margin, rule)).toBe(false);
  });
});
