import { describe, expect, test } from 'vitest';
import { binaryCases, type CaseTable, type CellTable, rightMeasure } from '../support/evidence.ts';
import { gateOf, judged } from '../support/judged.ts';

const gate = 'completeness';

function lostCases(count: number, cells: Readonly<Record<string, CellTable>>): CaseTable[] {
  return Array.from({ length: count }, (_, at) => ({ id: `lost${at}`, unit: `lost${at}`, cells }));
}

describe('completeness', () => {
  test('clears when every planned cell settled', () => {
    expect(gateOf(judged({ cases: binaryCases({ gains: 10 }) }), gate)).toMatchObject({
      finding: 'cleared',
      statistic: 0,
      threshold: 0,
      reason: 'all 20 planned cells settled',
    });
  });

  test('counts failed cells as settled', () => {
    const cases = [
      ...binaryCases({ gains: 10 }),
      ...lostCases(1, { baseline: 0, next: { outcome: 'agentError' } }),
    ];
    expect(gateOf(judged({ cases }), gate).finding).toBe('cleared');
  });

  test('asks for more work when 6 of 20 pairs are lost, and never holds for it', () => {
    const cases = [
      ...binaryCases({ gains: 14 }),
      ...lostCases(6, { baseline: 0, next: 'infrastructureFault' }),
    ];
    const found = judged({ cases });
    expect(gateOf(found, 'lift:right')).toMatchObject({ finding: 'cleared', n: { units: 14 } });
    expect(gateOf(found, gate)).toMatchObject({
      finding: 'insufficient',
      statistic: 0.15,
      reason: '6 of 40 planned cells did not settle; the lost share 0.15 is above the sealed 0',
      flags: ['lost-by-fault'],
    });
    expect(found.decision).toBe('need_more_work');
  });

  test('makes no rate of 1 pass with 9 cells lost', () => {
    const cases = [
      ...binaryCases({ both: 1 }),
      ...lostCases(9, { baseline: 1, next: 'infrastructureFault' }),
    ];
    const found = judged({ cases });
    expect(gateOf(found, 'lift:right')).toMatchObject({ finding: 'insufficient', estimate: null });
    expect(found.decision).toBe('need_more_work');
  });

  test('asks for more work when 17 of 22 pairs are lost', () => {
    const cases = [
      ...binaryCases({ gains: 3, neither: 2 }),
      ...lostCases(17, { baseline: 0, next: 'infrastructureFault' }),
    ];
    const found = judged({ cases });
    expect(gateOf(found, 'lift:right').n).toMatchObject({ units: 5, discordant: 3 });
    expect(gateOf(found, gate).reason).toMatch(/^17 of 44 planned cells did not settle/);
    expect(found.decision).toBe('need_more_work');
  });

  test('passes a loss within the sealed share that changes nothing when counted against the candidate', () => {
    const cases = [
      ...binaryCases({ gains: 30 }),
      ...lostCases(1, { baseline: 'cancelled', next: 1 }),
    ];
    const found = judged({ cases, maxLostShare: 0.05 });
    expect(gateOf(found, gate)).toMatchObject({
      finding: 'cleared',
      reason:
        '1 of 62 planned cells did not settle; counting every loss against its candidate changes nothing',
      flags: [],
    });
    expect(found.decision).toBe('ship');
  });

  test('asks for more work when a loss within the share could have turned the decision', () => {
    const cases = [
      ...binaryCases({ gains: 6 }),
      ...lostCases(1, { baseline: 1, next: 'infrastructureFault' }),
    ];
    const found = judged({ cases, maxLostShare: 0.2 });
    expect(gateOf(found, gate)).toMatchObject({
      finding: 'insufficient',
      reason:
        '1 of 14 planned cells did not settle; counting every loss against its candidate turns ship into need_more_work',
    });
    expect(found.decision).toBe('need_more_work');
  });

  test('asks for more work when nobody dispatched a cell, and blames no fault', () => {
    const cases = [...binaryCases({ gains: 10 }), ...lostCases(1, { baseline: null, next: null })];
    expect(gateOf(judged({ cases }), gate)).toMatchObject({ finding: 'insufficient', flags: [] });
  });

  test('counts values that a gated measure was not given', () => {
    const cases = [
      ...binaryCases({ gains: 10 }),
      ...lostCases(2, { baseline: 0, next: { scores: { right: null } } }),
    ];
    expect(gateOf(judged({ cases }), gate)).toMatchObject({
      finding: 'insufficient',
      statistic: 0.0833333333333,
      reason:
        '0 of 24 planned cells did not settle, 2 gated values are lost; the lost share 0.08333 is above the sealed 0',
      flags: [],
    });
  });

  test('lets values of a reported measure be lost', () => {
    const measures = { right: rightMeasure, note: { ...rightMeasure, role: 'reported' } };
    expect(gateOf(judged({ measures, cases: binaryCases({ gains: 10 }) }), gate).finding).toBe(
      'cleared',
    );
  });

  test('cannot fill a gated measure without a range: any loss is insufficient', () => {
    const measures = {
      right: rightMeasure,
      usd: { kind: 'cost', role: 'guardrail', direction: 'lower' },
    };
    const gates = [
      { gate: 'lift', measure: 'right' },
      { gate: 'no-regression', measure: 'usd', margin: 0.5 },
    ];
    const cases = Array.from({ length: 30 }, (_, at): CaseTable => {
      const usd = 1 + (at % 3) / 100;
      const next = at === 0 ? 'infrastructureFault' : { scores: { right: 1, usd } };
      return {
        id: `u${at}`,
        unit: `u${at}`,
        cells: { baseline: { scores: { right: 0, usd: 1 } }, next },
      };
    });
    expect(gateOf(judged({ measures, gates, cases, maxLostShare: 0.1 }), gate)).toMatchObject({
      finding: 'insufficient',
      reason:
        '1 of 60 planned cells did not settle, 2 gated values are lost; a gated measure has no range to fill its losses from',
    });
  });

  test("asks for more work of a complete candidate whose ship rests on another one's losses", () => {
    const cases = binaryCases({ gains: 7, neither: 1 }).map((each, at) => ({
      ...each,
      cells: {
        baseline: at < 7 ? 0 : 1,
        next: at < 6 || at === 7 ? 1 : 0,
        first: at < 7 ? 1 : ('infrastructureFault' as const),
      },
    }));
    const found = judged({ cases, candidates: ['first', 'next'], maxLostShare: 0.2 });
    expect(gateOf(found, 'lift:right')).toMatchObject({
      finding: 'cleared',
      flags: ['rare-loss-exposed', 'stepwise'],
    });
    expect(gateOf(found, gate)).toMatchObject({
      finding: 'insufficient',
      statistic: 0,
      reason:
        '0 of 16 planned cells did not settle; counting every loss against its candidate turns ship into need_more_work',
      flags: [],
    });
    expect(found.decision).toBe('need_more_work');
  });

  test('is insufficient when no cell is planned', () => {
    expect(gateOf(judged({ cases: [] }), gate)).toMatchObject({
      finding: 'insufficient',
      reason: 'no cell is planned',
    });
  });
});
