import { describe, expect, test } from 'vitest';
import { judgeEvidence } from '../../src/gate/judge.ts';
import { binaryCases, type EvidenceTable, evidenceOf } from '../support/evidence.ts';

const power = { further: 'simulated' } as const;

/** What is planned for a table whose spec asks for simulated further units. */
function plan(table: EvidenceTable) {
  const evidence = evidenceOf(table);
  const { seal } = evidence;
  const asked = { ...evidence, seal: { ...seal, spec: { ...seal.spec, power } } };
  const [first] = judgeEvidence(asked).candidates[0]?.furtherUnits ?? [];
  if (first === undefined) throw new Error('nothing was planned');
  return first;
}

const gates = [
  { gate: 'lift', measure: 'right' },
  { gate: 'power', target: 0.8, atEffect: 0.2 },
];
const open: EvidenceTable = { gates, cases: binaryCases({ gains: 8, losses: 4, both: 28 }) };

describe('simulated further units', () => {
  test('name the method, are the same every time, and reach their target when they are measured', () => {
    const found = plan(open);
    expect(found).toMatchObject({ gate: 'lift:right', method: 'simulation', simulations: 400 });
    expect(plan(open)).toEqual(found);
    const { units, further } = found.atEffect ?? {};
    expect(further).toBe(Math.max(0, (units ?? 0) - 40));
    // Discordance 0.3 at a difference of 0.2: Connor's formula asks for 56 units, the exact test for a few more.
    expect(units).toBeGreaterThan(48);
    expect(units).toBeLessThan(75);
    // The observed 0.1 at the same discordance: four times as many, and some.
    expect(found.atObserved.units).toBeGreaterThan(200);
    expect(found.atObserved.units).toBeLessThan(290);
  });

  test('say that no number would do where the observed effect is not above the threshold', () => {
    const none = plan({ ...open, cases: binaryCases({ gains: 4, losses: 4, both: 32 }) });
    expect(none.atObserved).toEqual({
      effect: 0,
      units: null,
      further: null,
      reason: 'no number of units would do',
    });
    expect(none.atEffect?.units).toBeGreaterThan(0);
  });

  test('are found for scores by the betting bound, and stop at the largest number that is tried', () => {
    const score = { kind: 'score', min: 0, max: 1, role: 'primary', direction: 'higher' };
    const table = (next: (at: number) => number): EvidenceTable => ({
      measures: { right: score },
      gates,
      cases: Array.from({ length: 30 }, (_, at) => ({
        id: `u${at}`,
        unit: `u${at}`,
        cells: { baseline: 0.5, next: next(at) },
      })),
    });
    const small = plan(table((at) => (at % 2 === 0 ? 0.8 : 0.3)));
    expect(small.method).toBe('simulation');
    expect(small.atObserved.effect).toBeCloseTo(0.05, 12);
    expect(small.atObserved.units).toBeGreaterThan(small.atEffect?.units ?? 0);
    const tiny = plan(table((at) => (at % 2 === 0 ? 0.8 : 0.2004)));
    expect(tiny.atObserved).toMatchObject({
      units: null,
      reason: 'more than 20000 units would be needed',
    });
  });

  test('stay a normal approximation where a spec does not ask, or a method would take too long', () => {
    const { seal, ...rest } = evidenceOf(open);
    const plain = judgeEvidence({ seal, ...rest }).candidates[0]?.furtherUnits[0];
    expect(plain?.method).toBe('normal-approximation');
    expect(plain).not.toHaveProperty('simulations');
    const exact = plan({ ...open, inference: { guarantee: 'finite-sample' } });
    expect(exact.method).toBe('normal-approximation');
  });
});
