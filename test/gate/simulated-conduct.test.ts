import { describe, expect, test } from 'vitest';
import { judgeEvidence } from '../../src/gate/judge.ts';
import { plannedWorld } from '../../src/gate/power-plan.ts';
import { Simulator } from '../../src/gate/simulate.ts';
import { areWaitsAlike, isCountedFaultAbove, isMeanFaultAbove } from '../../src/gate/symmetry.ts';
import type { Assumptions } from '../../src/spec/assumptions.ts';
import { exactUnconditionalClears } from '../../src/stats/paired-binary-exact.ts';
import { auditOf } from '../support/audits.ts';
import type { CaseTable, CellTable, EvidenceTable } from '../support/evidence.ts';
import { binaryCases, evidenceOf, rightMeasure } from '../support/evidence.ts';
import { gateOf, judged } from '../support/judged.ts';
import { computed } from '../support/statistics.ts';
import { upTo } from '../support/two-measures.ts';

const seed = 'd7'.repeat(32);
const error = 0.025;
const units = 28;
const replicates = 4000;
/** Largest distance of a simulated rate from the true one that chance explains. */
const within = (rate: number, of = replicates): number =>
  4 * Math.sqrt((rate * (1 - rate)) / of) + 1e-9;

const lift = { gate: 'lift', measure: 'right' };

function designOf(gate: unknown, table: Partial<EvidenceTable> = {}) {
  const { seal, index } = evidenceOf({
    cases: binaryCases({ both: units }),
    gates: [lift, gate],
    ...table,
  });
  return { seal, index };
}

/** How often a candidate that is better ships, and how often each gate clears alone. */
function simulated(
  design: ReturnType<typeof designOf>,
  assumptions: Assumptions = {},
  of = replicates,
) {
  const planned = plannedWorld({ ...design, assumptions }, 0.4);
  if (planned === null) throw new Error('there is such a world');
  const simulator = new Simulator(design.seal);
  const { candidates, gates } = simulator.run(planned.world, {
    replicates: of,
    seed,
    label: 'power',
  });
  const places = new Map(simulator.gateNames.map((gate, at) => [gate, at]));
  return {
    ship: (candidates[0] ?? 0) / of,
    alone: (gate: string): number => (gates[places.get(gate) ?? -1] ?? Number.NaN) / of,
  };
}

const factorial = (n: number): number => (n < 2 ? 1 : n * factorial(n - 1));

/** Probability of a rule on who met faults alone, over all tables of units of one pair. */
function enumerated(
  rates: { readonly baseline: number; readonly candidate: number },
  holds: (own: number, other: number) => boolean,
): number {
  const [own, other] = [
    rates.candidate * (1 - rates.baseline),
    rates.baseline * (1 - rates.candidate),
  ];
  let total = 0;
  for (let one = 0; one <= units; one += 1) {
    for (let two = 0; one + two <= units; two += 1) {
      if (!holds(one, two)) continue;
      const rest = units - one - two;
      const orders = factorial(units) / (factorial(one) * factorial(two) * factorial(rest));
      total += orders * own ** one * other ** two * (1 - own - other) ** rest;
    }
  }
  return total;
}

/** Two one-sided exact tests of a difference at the margin. */
const areWithin = (margin: number) => (own: number, other: number) => {
  const isAbove = (wins: number, losses: number): boolean => {
    const neither = units - wins - losses;
    const counts = { both: 0, onlyCandidate: wins, onlyBaseline: losses, neither };
    return computed(exactUnconditionalClears(counts, { error, threshold: -margin }));
  };
  return isAbove(own, other) && isAbove(other, own);
};

describe('a simulated infrastructure-symmetry gate', () => {
  test.each([
    ['the same faults in both arms', { baseline: 0.05, candidate: 0.05 }],
    ['faults in the candidate alone', { baseline: 0, candidate: 0.1 }],
  ])('%s: within the Monte Carlo error of the sum over all tables', (_, faultRate) => {
    const design = designOf({ gate: 'infrastructure-symmetry', margin: 0.25 });
    const { ship, alone } = simulated(design, { faultRate });
    const expected = enumerated(faultRate, areWithin(0.25));
    expect(expected).toBeGreaterThan(0.1);
    expect(expected).toBeLessThan(0.99);
    const found = alone('infrastructure-symmetry');
    expect(Math.abs(found - expected)).toBeLessThan(within(expected));
    const product = expected * alone('lift:right');
    expect(Math.abs(ship - product)).toBeLessThan(within(product));
  });

  test('clears a run without any fault, however few its units', () => {
    // So few units bound no difference by 0.05: only the runs that met no fault clear.
    const design = designOf({ gate: 'infrastructure-symmetry', margin: 0.05 });
    const faultRate = { baseline: 0.01, candidate: 0.02 };
    const { alone } = simulated(design, { faultRate });
    const expected = (0.99 * 0.98) ** units;
    expect(Math.abs(alone('infrastructure-symmetry') - expected)).toBeLessThan(within(expected));
  });

  test('counts a lost cell as one that met a fault', () => {
    const design = designOf(
      { gate: 'infrastructure-symmetry', margin: 0.05 },
      { maxLostShare: 0.5 },
    );
    const { alone } = simulated(design, { lossRate: 0.02 });
    const expected = 0.98 ** (2 * units);
    expect(Math.abs(alone('infrastructure-symmetry') - expected)).toBeLessThan(within(expected));
    // A stated rate holds the lost ones in it.
    const faultRate = { baseline: 0.02, candidate: 0.02 };
    const both = simulated(design, { lossRate: 0.02, faultRate });
    expect(Math.abs(both.alone('infrastructure-symmetry') - expected)).toBeLessThan(
      within(expected),
    );
  });

  test('turns a design that ships into one that does not', () => {
    const design = designOf({ gate: 'infrastructure-symmetry', margin: 0.1 });
    expect(simulated(design).ship).toBeGreaterThan(0.8);
    const faultRate = { baseline: 0, candidate: 0.3 };
    expect(simulated(design, { faultRate }).ship).toBeLessThan(0.01);
  });

  test('draws waiting where it is stated', () => {
    const design = designOf({ gate: 'infrastructure-symmetry', margin: 0.1, maxWaitMs: 50 });
    const waits = (candidate: number, deviation: number, of = 100): number =>
      simulated(design, { waitMs: { baseline: 100, candidate, deviation } }, of).alone(
        'infrastructure-symmetry',
      );
    // A mean difference at the margin is within it at the error of one side.
    expect(Math.abs(waits(150, 40, 1200) - error)).toBeLessThan(within(error, 1200));
    expect(waits(100, 20)).toBe(1);
    expect(waits(400, 20)).toBe(0);
    expect(waits(100, 0)).toBe(1);
    // Every pair the same time apart carries no interval.
    expect(waits(120, 0)).toBe(0);
  });

  test('decides as the gate does on evidence', () => {
    const retried: CellTable = [{ outcome: 'infrastructureFault' }, { scores: { right: 1 } }];
    const rule = { margin: 0.2, error, truncation: 0.95 };
    const gates = [{ gate: 'infrastructure-symmetry', margin: rule.margin }];
    const seen = new Set<string>();
    for (const repeats of [1, 2]) {
      for (const [own, other] of [
        [1, 0],
        [3, 1],
        [6, 6],
        [0, 16],
      ] as const) {
        const cells = (at: number, from: number, to: number) => ({
          repeats: upTo(repeats, (each) => (each === 0 && at >= from && at < to ? retried : 1)),
        });
        const cases = upTo(
          40,
          (at): CaseTable => ({
            id: `u${at}`,
            unit: `u${at}`,
            cells: { baseline: cells(at, own, own + other), next: cells(at, 0, own) },
          }),
        );
        const { order } = judgeEvidence(evidenceOf({ cases, gates, repeats })).analysis;
        const means = order.map((unit) => {
          const at = Number(unit.slice(1));
          return (at < own ? 1 : at < own + other ? -1 : 0) / repeats;
        });
        const turned = means.map((each) => 0 - each);
        const counts = [
          { onlyCandidate: own, onlyBaseline: other },
          { onlyCandidate: other, onlyBaseline: own },
        ];
        const clears =
          repeats === 1
            ? counts.every((each) => isCountedFaultAbove(each, 40, rule))
            : [means, turned].every((each) => isMeanFaultAbove(each, rule));
        const { finding } = gateOf(judged({ cases, gates, repeats }), 'infrastructure-symmetry');
        expect(clears).toBe(finding === 'cleared');
        seen.add(`${repeats} ${clears}`);
      }
    }
    expect(seen.size).toBe(4);
    expect(isCountedFaultAbove({ onlyCandidate: 0, onlyBaseline: 0 }, 1, rule)).toBe(false);
    expect(isMeanFaultAbove([0], rule)).toBe(false);
    expect(areWaitsAlike([3], 50, error)).toBe(false);
  });
});

describe('a simulated canary gate', () => {
  const known = {
    kind: 'binary',
    role: 'guardrail',
    direction: 'higher',
    where: { field: 'known', op: 'eq', value: true },
  };
  const canaries = 6;
  const design = designOf(
    { gate: 'canary', measure: 'known' },
    {
      measures: { right: rightMeasure, known },
      maxLostShare: 0.5,
      cases: binaryCases({ both: units }).map(({ id, unit }, at) => {
        const cell = { scores: { right: 1, known: 1 } };
        const applies = at < canaries ? ['right', 'known'] : ['right'];
        return { id, unit, applies, cells: { baseline: cell, next: cell } };
      }),
    },
  );

  test.each<[string, Assumptions, number]>([
    ['passes where nothing fails', {}, 1],
    [
      'fails with the first case that either arm fails',
      { measures: { known: { rate: 0.97 } } },
      0.97 ** (2 * canaries),
    ],
    ['clears no run that lost a canary cell', { lossRate: 0.03 }, 0.97 ** (2 * canaries)],
  ])('%s', (_, assumptions, expected) => {
    const { alone } = simulated(design, assumptions);
    expect(Math.abs(alone('canary:known') - expected)).toBeLessThan(within(expected));
  });

  test('never ships without a canary', () => {
    const none = designOf(
      { gate: 'canary', measure: 'known' },
      {
        measures: { right: rightMeasure, known },
        cases: binaryCases({ both: units }).map(({ id, unit }) => {
          const cell = { scores: { right: 1 } };
          return { id, unit, applies: ['right'], cells: { baseline: cell, next: cell } };
        }),
      },
    );
    expect(simulated(none).ship).toBe(0);
  });
});

describe('a simulated contamination gate', () => {
  test.each<[string, Assumptions, number]>([
    ['passes where no output holds a canary text', {}, 1],
    ['fails with the first output that does', { leakRate: 0.02 }, 0.98 ** units],
    ['clears no run that lost a cell of the candidate', { lossRate: 0.02 }, 0.98 ** units],
  ])('%s', (_, assumptions, expected) => {
    const gate = { gate: 'contamination', canaries: ['zebra-quartz-7719'] };
    const { alone } = simulated(designOf(gate, { maxLostShare: 0.5 }), assumptions);
    expect(Math.abs(alone('contamination') - expected)).toBeLessThan(within(expected));
  });

  test('knows before the run that a final case copies a development case', () => {
    const text = (at: number): string => upTo(12, (word) => `word${at}x${word}`).join(' ');
    const cell = { baseline: 0, next: 1 };
    const cases = (copies: boolean): CaseTable[] => [
      { id: 'dev', unit: 'dev', split: 'train', text: text(200), cells: {} },
      ...upTo(
        units,
        (at): CaseTable => ({
          id: `u${at}`,
          unit: `u${at}`,
          text: copies && at === 3 ? text(200) : text(at),
          cells: cell,
        }),
      ),
    ];
    const gate = { gate: 'contamination', similarity: 0.9 };
    expect(simulated(designOf(gate, { cases: cases(false) })).ship).toBeGreaterThan(0.8);
    expect(simulated(designOf(gate, { cases: cases(true) })).ship).toBe(0);
  });
});

describe('simulated gates whose outcome stands before the run', () => {
  const evaluator = {
    gate: 'evaluator',
    measure: 'right',
    audit: 'audit.json',
    maxFalseAcceptance: 0.05,
    maxFalseRejection: 0.1,
  };
  const audited = (count: number) => ({
    audits: auditOf({ count, of: 120 }, { count: 0, of: 140 }),
  });

  test.each<[string, Partial<EvidenceTable>, number]>([
    ['an audit within its bounds', audited(0), 1],
    ['an audit above them', audited(12), 0],
    ['no audit', {}, 0],
  ])('evaluator: %s', (_, table, expected) => {
    const { ship, alone } = simulated(designOf(evaluator, table));
    expect(alone('evaluator:right')).toBe(expected);
    expect(ship > 0.8).toBe(expected === 1);
  });

  test('interleaving clears for cells that come back as they were sent', () => {
    const { alone } = simulated(designOf({ gate: 'interleaving' }, { concurrency: 4 }));
    expect(alone('interleaving')).toBe(1);
  });

  test('an optional gate stops nothing', () => {
    const { ship } = simulated(designOf({ ...evaluator, required: false }));
    expect(ship).toBeGreaterThan(0.8);
  });
});

describe('a simulated custom gate', () => {
  const gate = { gate: 'custom', name: 'floor', module: 'floor.mjs', measures: ['right'] };

  test('passes as often as is stated, for each candidate anew', () => {
    const table = {
      candidates: ['next', 'other'],
      cases: binaryCases({ both: units }).map((each) => ({
        ...each,
        cells: { baseline: 1, next: 1, other: 1 },
      })),
    };
    const design = designOf(gate, table);
    const { ship, alone } = simulated(design, { gates: { floor: { pass: 0.6 } } });
    const all = simulated(design, { gates: { floor: { pass: 1 } } });
    expect(Math.abs(alone('floor') - 0.6)).toBeLessThan(within(0.6));
    expect(Math.abs(ship - 0.6 * all.ship)).toBeLessThan(within(0.6 * all.ship));
  });
});
