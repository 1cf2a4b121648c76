import { describe, expect, test } from 'vitest';
import { furtherUnitsSchema } from '../../src/gate/further-units.ts';
import { requiredUnits } from '../../src/stats/power.ts';
import { moments } from '../../src/stats/summary.ts';
import {
  binaryCases,
  type CaseTable,
  type EvidenceTable,
  rightMeasure,
} from '../support/evidence.ts';
import { judged } from '../support/judged.ts';

function plan(table: EvidenceTable) {
  const [first] = judged(table).furtherUnits;
  if (first === undefined) throw new Error('nothing was planned');
  return first;
}

const open: EvidenceTable = { cases: binaryCases({ gains: 12, losses: 9, both: 31, neither: 35 }) };

describe('further units', () => {
  test('are planned for the effect of the power gate and the observed one', () => {
    const gates = [
      { gate: 'lift', measure: 'right' },
      { gate: 'power', target: 0.9, atEffect: 0.2 },
    ];
    const found = plan({ ...open, gates });
    const values = [
      ...Array.from({ length: 12 }, () => 1),
      ...Array.from({ length: 9 }, () => -1),
      ...Array.from({ length: 66 }, () => 0),
    ];
    const standardDeviation = Math.sqrt(moments(values).variance);
    const options = { standardDeviation, threshold: 0, error: 0.025, power: 0.9 };
    const observed = requiredUnits({ ...options, effect: 3 / 87 });
    if (!('status' in observed) || observed.status !== 'reachable')
      throw new Error('a positive effect is reachable');
    expect(found).toMatchObject({
      gate: 'lift:right',
      method: 'normal-approximation',
      target: 0.9,
    });
    expect(found.atObserved).toEqual({
      effect: 0.0344827586207,
      units: observed.units,
      further: observed.units - 87,
      reason: null,
    });
    expect(found.atEffect?.effect).toBe(0.2);
    expect(found.atEffect?.further).toBe(0);
    expect(furtherUnitsSchema.parse(found)).toEqual(found);
  });

  test('take the minimum effect and a target of 0.8 without a power gate', () => {
    const found = plan({ ...open, claim: { minimumEffect: 0.1 } });
    expect(found).toMatchObject({ target: 0.8, atEffect: { effect: 0.1 } });
  });

  test('have no planned effect when none is declared', () => {
    expect(plan(open).atEffect).toBeNull();
  });

  test('say that no number would do when the observed effect is at or below the threshold', () => {
    const found = plan({ cases: binaryCases({ gains: 9, losses: 12, both: 66 }) });
    expect(found.atObserved).toEqual({
      effect: -0.0344827586207,
      units: null,
      further: null,
      reason: 'no number of units would do',
    });
  });

  test('plan a tied guardrail for no change at all, with the spread the margin allows', () => {
    const measures = { right: rightMeasure, safe: { ...rightMeasure, role: 'guardrail' } };
    const gates = [{ gate: 'no-regression', measure: 'safe', margin: 0.05 }];
    const cases = Array.from(
      { length: 20 },
      (_, at): CaseTable => ({
        id: `u${at}`,
        unit: `u${at}`,
        cells: {
          baseline: { scores: { right: 1, safe: 1 } },
          next: { scores: { right: 1, safe: 1 } },
        },
      }),
    );
    const found = plan({ measures, gates, cases });
    expect(found.gate).toBe('no-regression:safe');
    expect(found.atEffect).toMatchObject({
      effect: 0,
      reason: 'the units differ by nothing, so their spread is unknown',
    });
  });

  test('are planned for an unresolved required gate only', () => {
    expect(judged({ cases: binaryCases({ gains: 10 }) }).furtherUnits).toEqual([]);
    expect(judged({ cases: binaryCases({ losses: 10 }) }).furtherUnits).toEqual([]);
  });

  test('say why no number is named where one unit is all there is', () => {
    expect(plan({ cases: binaryCases({ gains: 1 }) })).toMatchObject({
      gate: 'lift:right',
      atObserved: { units: null, reason: 'one unit tells nothing of how units differ' },
    });
  });

  test('are at least those that the method needs, where there are fewer', () => {
    const measures = { right: { kind: 'continuous', role: 'primary', direction: 'higher' } };
    const cases = Array.from({ length: 5 }, (_, at) => ({
      id: `u${at}`,
      unit: `u${at}`,
      cells: { baseline: 0, next: 2 + at / 10 },
    }));
    // The floor of an unbounded measure; its spread alone would ask for 2.
    expect(plan({ measures, cases }).atObserved).toMatchObject({ units: 10, further: 5 });
  });
});
