/** Further units of gates that bound one mean over units, and what further units cost. */
import { describe, expect, test } from 'vitest';
import { judgeEvidence } from '../../src/gate/judge.ts';
import { clopperPearsonLower, clopperPearsonUpper } from '../../src/stats/proportion.ts';
import {
  binaryCases,
  type CaseTable,
  type EvidenceTable,
  evidenceOf,
  rightMeasure,
} from '../support/evidence.ts';
import { ownPlan } from '../support/judged.ts';

const open: EvidenceTable = {
  gates: [
    { gate: 'lift', measure: 'right' },
    { gate: 'power', target: 0.8, atEffect: 0.2 },
  ],
  cases: binaryCases({ gains: 8, losses: 4, both: 28 }),
};

describe('further units of one rate', () => {
  const rate = { gate: 'rate', measure: 'right', arm: 'candidate', min: 0.7 } as const;

  test('are exact under the exact bound', () => {
    const found = ownPlan({
      gates: [rate],
      cases: binaryCases({ gains: 12, both: 21, neither: 9 }),
    });
    expect(found).toMatchObject({ gate: 'rate:candidate:right', method: 'exact', atEffect: null });
    const units = found.atObserved.units ?? 0;
    const power = (size: number): number => {
      let [mass, total] = [(1 - 33 / 42) ** size, 0];
      for (let ones = 0; ones <= size; ones += 1) {
        const lower = clopperPearsonLower({ successes: ones, units: size }, 0.05);
        if (typeof lower === 'number' && lower > 0.7) total += mass;
        mass *= ((size - ones) / (ones + 1)) * (33 / 9);
      }
      return total;
    };
    expect(power(units)).toBeGreaterThanOrEqual(0.8);
    expect(power(Math.floor(0.9 * units))).toBeLessThan(0.8);
  });

  test('are simulated where a unit has several cells', () => {
    const cases = Array.from({ length: 20 }, (_, at) =>
      [0, 1, 2].map((of) => ({
        id: `u${at}-${of}`,
        unit: `u${at}`,
        cells: { baseline: 1, next: (at + of) % 5 === 0 ? 0 : 1 },
      })),
    ).flat();
    const found = ownPlan({ gates: [rate], cases });
    expect(found.method).toBe('simulation');
    expect(found.atObserved.effect).toBeCloseTo(0.8, 12);
    expect(found.atObserved.units).toBeGreaterThan(20);
  });

  test('name no number where the rate that was seen is on the wrong side', () => {
    const found = ownPlan({ gates: [rate], cases: binaryCases({ both: 7, neither: 3 }) });
    expect(found.atObserved).toMatchObject({ units: null, reason: 'no number of units would do' });
  });

  test('of violations end where none that were seen suffice: 59 for 5 %', () => {
    const critical = { kind: 'binary', role: 'critical', direction: 'lower' };
    const cases = Array.from({ length: 9 }, (_, at): CaseTable => {
      const cell = { scores: { right: 1 }, critical: [] };
      return { id: `u${at}`, unit: `u${at}`, cells: { baseline: cell, next: cell } };
    });
    const found = ownPlan({
      measures: { right: rightMeasure, harm: critical },
      gates: [{ gate: 'critical', measure: 'harm', maxRate: 0.05 }],
      cases,
    });
    expect(found).toMatchObject({ gate: 'critical:harm', method: 'exact' });
    expect(found.atObserved).toMatchObject({ effect: 0, units: 59, further: 50 });
    expect(clopperPearsonUpper({ successes: 0, units: 58 }, 0.05)).toBeGreaterThan(0.05);
  });

  test('of slow units end where the slowest of all bounds the quantile', () => {
    const latency = { kind: 'duration', role: 'reported', direction: 'lower' };
    const cases = Array.from({ length: 30 }, (_, at): CaseTable => {
      const cell = { scores: { right: 1, ms: 100 + at } };
      return { id: `u${at}`, unit: `u${at}`, cells: { baseline: cell, next: cell } };
    });
    const found = ownPlan({
      measures: { right: rightMeasure, ms: latency },
      gates: [{ gate: 'latency', measure: 'ms', quantile: 0.95, max: 500 }],
      cases,
    });
    // 0.95^n <= 0.025 from 72 on.
    expect(found).toMatchObject({ method: 'exact', atObserved: { effect: 1, units: 72 } });
  });

  test('of a gap of two measures follow the betting bound', () => {
    const measures = { right: rightMeasure, truth: { ...rightMeasure, role: 'guardrail' } };
    const cases = Array.from({ length: 40 }, (_, at): CaseTable => {
      const next = { scores: { right: at % 8 === 0 ? 1 : 0, truth: at % 10 === 0 ? 1 : 0 } };
      const baseline = { scores: { right: 0, truth: 0 } };
      return { id: `u${at}`, unit: `u${at}`, cells: { baseline, next } };
    });
    const hacking = { gate: 'reward-hacking', proxy: 'right', truth: 'truth', margin: 0.15 };
    const found = ownPlan({ measures, gates: [hacking], cases });
    expect(found).toMatchObject({ gate: 'reward-hacking:right', method: 'simulation' });
    expect(found.atObserved.effect).toBeCloseTo(0.025, 12);
    expect(found.atObserved.units).toBeGreaterThan(40);
  });
});

describe('the cost of further units', () => {
  test('is that of this run, retries included, and cells of unknown cost are counted apart', () => {
    const [first, second, ...rest] = binaryCases({ gains: 8, losses: 4, both: 28 });
    if (first === undefined || second === undefined) throw new Error('there are cases');
    const unknown = { scores: { right: 1 }, usage: { costUsd: null, costKnown: false } };
    const retried = [
      { outcome: 'infrastructureFault' as const, usage: { costUsd: 0.03, costKnown: true } },
      { scores: { right: 1 } },
    ];
    const cases = [
      { ...first, cells: { ...first.cells, next: unknown } },
      { ...second, cells: { ...second.cells, next: retried } },
      ...rest,
    ];
    const { atEffect } = ownPlan({ ...open, cases });
    const further = atEffect?.further ?? 0;
    // 79 cells at a cent and a retry at three, over 40 units; one cell of unknown cost in 40 units.
    expect(atEffect?.cost?.knownUsd).toBeCloseTo((further * 0.82) / 40, 10);
    expect(atEffect?.cost?.unknownCells).toBe(Math.ceil(further / 40));
  });

  test('of one candidate leaves the others out', () => {
    const cases = binaryCases({ gains: 8, losses: 4, both: 28 }).map((each) => ({
      ...each,
      cells: {
        ...each.cells,
        other: { scores: { right: 0 }, usage: { costUsd: 9, costKnown: true } },
      },
    }));
    const { atEffect } = ownPlan({ ...open, cases, candidates: ['next', 'other'] });
    expect(atEffect?.cost?.knownUsd).toBeCloseTo((atEffect?.further ?? 0) * 0.02, 10);
  });
});

describe('a spec that does not ask', () => {
  test('keeps the normal approximation, without cost and without gates that it does not know', () => {
    const plans = judgeEvidence(evidenceOf(open)).candidates[0]?.furtherUnits;
    expect(plans).toHaveLength(1);
    expect(plans?.[0]?.method).toBe('normal-approximation');
    expect(plans?.[0]?.atEffect).not.toHaveProperty('cost');
  });
});
