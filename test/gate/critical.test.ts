import { describe, expect, test } from 'vitest';
import {
  type Attempt,
  type CaseTable,
  type CellTable,
  type EvidenceTable,
  rightMeasure,
} from '../support/evidence.ts';
import { gateOf, judged } from '../support/judged.ts';

const critical = { kind: 'binary', role: 'critical', direction: 'lower' };
const measures = { right: rightMeasure, acts: critical };

const clean: Attempt = { scores: { right: 1, acts: 0 } };
const acts: Attempt = { scores: { right: 1, acts: 1 } };
const before: Attempt = { scores: { right: 0, acts: 0 } };

function casesWith(next: readonly CellTable[], baseline: CellTable = before): CaseTable[] {
  return next.map((cell, at) => ({
    id: `c${at}`,
    unit: `u${at}`,
    cells: { baseline, next: cell },
  }));
}

function twenty(...changed: readonly CellTable[]): CellTable[] {
  return [...changed, ...Array.from({ length: 20 - changed.length }, () => clean)];
}

function judgedWith(next: readonly CellTable[], table: Partial<EvidenceTable> = {}) {
  return judged({ measures, cases: casesWith(next), ...table });
}

const gate = 'critical:acts';

describe('the critical gate', () => {
  test('clears when every candidate cell was checked and none violates', () => {
    const found = judgedWith(twenty());
    expect(gateOf(found, gate)).toMatchObject({
      finding: 'cleared',
      statistic: 0,
      threshold: 0,
      n: { units: 20, cells: 20 },
      reason: 'no violation in 20 candidate cells',
    });
    expect(found.decision).toBe('ship');
  });

  test('vetoes any average for one violating cell', () => {
    const found = judgedWith(twenty(acts));
    expect(gateOf(found, 'lift:right').finding).toBe('cleared');
    expect(gateOf(found, gate)).toMatchObject({
      finding: 'breached',
      statistic: 1,
      reason: '1 candidate cell in 1 unit violates it',
    });
    expect(found.decision).toBe('hold');
  });

  test('vetoes for a violation in any repeat', () => {
    const cases = casesWith(twenty()).map((each, at) => ({
      ...each,
      cells: { ...each.cells, next: { repeats: at === 7 ? [clean, acts] : [clean, clean] } },
    }));
    expect(gateOf(judged({ measures, cases, repeats: 2 }), gate)).toMatchObject({
      finding: 'breached',
      statistic: 1,
      n: { units: 20, cells: 40 },
    });
  });

  test('vetoes for a critical finding that names the measure, whatever the score', () => {
    const named = judgedWith(twenty({ ...clean, critical: ['acts'] }));
    const other = judgedWith(twenty({ ...clean, critical: ['something-else'] }));
    expect(gateOf(named, gate).finding).toBe('breached');
    expect(gateOf(other, gate).finding).toBe('cleared');
  });

  test('is judged for a critical measure that no written gate names', () => {
    expect(judgedWith(twenty(acts), { gates: [{ gate: 'lift', measure: 'right' }] }).decision).toBe(
      'hold',
    );
  });

  test('is not evaluated when a candidate cell is lost, unless a violation was seen', () => {
    const lost = judgedWith(twenty('infrastructureFault'));
    expect(gateOf(lost, gate)).toMatchObject({
      status: 'not_evaluated',
      finding: 'insufficient',
      reason: '1 of 20 candidate cells are lost or unchecked',
      flags: ['lost-by-fault'],
    });
    expect(lost.decision).toBe('need_more_work');
    expect(gateOf(judgedWith(twenty('infrastructureFault', acts)), gate).finding).toBe('breached');
  });

  test('is not evaluated when nobody checked a cell', () => {
    const unchecked: Attempt = { scores: { right: 1, acts: null }, critical: null };
    expect(gateOf(judgedWith(twenty(unchecked)), gate)).toMatchObject({
      finding: 'insufficient',
      flags: [],
    });
  });

  test('takes an empty list of findings as a check', () => {
    const listed: Attempt = { scores: { right: 1, acts: null }, critical: [] };
    expect(gateOf(judgedWith(twenty(listed)), gate).finding).toBe('cleared');
  });

  test('gives a failed cell the sealed failure value', () => {
    const crash: Attempt = { outcome: 'agentError' };
    const worst = judgedWith(twenty(crash));
    expect(gateOf(worst, gate)).toMatchObject({
      finding: 'breached',
      reason: '1 candidate cell in 1 unit violates it, 1 of them by the sealed failure value',
      flags: ['failed-cells'],
    });
    const excused = { ...measures, acts: { ...critical, onFailure: 0 } };
    expect(gateOf(judgedWith(twenty(crash), { measures: excused }), gate).finding).toBe('cleared');
    const unknown = { ...measures, acts: { ...critical, onFailure: 'indeterminate' } };
    expect(gateOf(judgedWith(twenty(crash), { measures: unknown }), gate).finding).toBe(
      'insufficient',
    );
  });

  test('reports baseline violations and lets them excuse nothing', () => {
    const cases = casesWith(twenty(acts), { scores: { right: 0, acts: 1 } });
    expect(gateOf(judged({ measures, cases }), gate)).toMatchObject({
      finding: 'breached',
      reason: '1 candidate cell in 1 unit violates it; the baseline violates in 20 cells',
      flags: ['baseline-violations'],
    });
    const sound = casesWith(twenty(), { scores: { right: 0, acts: 1 } });
    expect(gateOf(judged({ measures, cases: sound }), gate)).toMatchObject({
      finding: 'cleared',
      flags: ['baseline-violations'],
    });
  });

  test('looks at the cases its measure applies to and is insufficient without one', () => {
    const cases = casesWith(twenty(acts)).map((each, at) => ({
      ...each,
      applies: at === 0 ? ['right'] : ['right', 'acts'],
    }));
    expect(gateOf(judged({ measures, cases }), gate)).toMatchObject({
      finding: 'cleared',
      n: { cells: 19 },
    });
    const none = casesWith(twenty()).map((each) => ({ ...each, applies: ['right'] }));
    expect(gateOf(judged({ measures, cases: none }), gate)).toMatchObject({
      finding: 'insufficient',
      reason: 'no planned cell is subject to the measure',
    });
  });
});

describe('the critical gate with maxRate', () => {
  const gates = [
    { gate: 'lift', measure: 'right' },
    { gate: 'critical', measure: 'acts', maxRate: 0.2 },
  ];

  test('clears when the exact upper bound over units is below the rate', () => {
    expect(gateOf(judgedWith(twenty(), { gates }), gate)).toMatchObject({
      finding: 'cleared',
      statistic: 0.139108340668,
      threshold: 0.2,
      errorLevel: 0.05,
      reason: '0 of 20 units violate it: the exact upper bound 0.1391 is below 0.2',
    });
  });

  test('is unresolved when the bounds straddle the rate', () => {
    expect(gateOf(judgedWith(twenty(acts), { gates }), gate)).toMatchObject({
      finding: 'unresolved',
      statistic: 0.216106164207,
    });
  });

  test('is breached when the exact lower bound reaches the rate', () => {
    const found = gateOf(
      judgedWith(twenty(...Array.from({ length: 10 }, () => acts)), { gates }),
      gate,
    );
    expect(found.finding).toBe('breached');
    expect(found.statistic).toBeGreaterThan(0.2);
  });

  test('counts a unit once, whichever of its cells violates', () => {
    const cases = casesWith(twenty(acts, acts, acts)).map((each, at) => ({
      ...each,
      unit: at < 3 ? 'same' : each.unit,
    }));
    expect(gateOf(judged({ measures, gates, cases }), gate).reason).toMatch(
      /^1 of 18 units violate it/,
    );
  });

  test('is not evaluated with a lost cell, unless the rate is breached anyway', () => {
    expect(gateOf(judgedWith(twenty('infrastructureFault'), { gates }), gate).finding).toBe(
      'insufficient',
    );
    const many = Array.from({ length: 10 }, () => acts);
    expect(
      gateOf(judgedWith(twenty('infrastructureFault', ...many), { gates }), gate).finding,
    ).toBe('breached');
  });

  test('shares its error among the candidates', () => {
    const cases = casesWith(twenty()).map((each) => ({
      ...each,
      cells: { ...each.cells, other: clean },
    }));
    expect(
      gateOf(judged({ measures, gates, cases, candidates: ['next', 'other'] }), gate).errorLevel,
    ).toBe(0.025);
  });

  test('has the whole error in a fixed sequence, and stops it where it does not clear', () => {
    const cases = casesWith(twenty(acts)).map((each) => ({
      ...each,
      cells: { ...each.cells, other: clean },
    }));
    const of = (sequence: readonly string[], id: string) => {
      const table = { measures, gates, cases, candidates: ['next', 'other'] };
      return judged({ ...table, multiplicity: { sequence } }, id);
    };
    expect(gateOf(of(['next', 'other'], 'next'), gate)).toMatchObject({
      finding: 'unresolved',
      errorLevel: 0.05,
      statistic: 0.216106164207,
    });
    const behind = of(['next', 'other'], 'other');
    expect(behind.decision).toBe('need_more_work');
    expect(gateOf(behind, gate)).toMatchObject({
      finding: 'unresolved',
      errorLevel: 0.05,
      reason:
        '0 of 20 units violate it: the exact upper bound 0.1391 is below 0.2, but the fixed sequence stopped at "next" before this candidate',
    });
    expect(of(['other', 'next'], 'other').decision).toBe('ship');
  });

  test('clears 5 % with none of 59 units, and with none of 9 or 58 it does not', () => {
    const rate = [gates[0], { gate: 'critical', measure: 'acts', maxRate: 0.05 }];
    const none = (units: number) =>
      gateOf(
        judgedWith(
          Array.from({ length: units }, () => clean),
          { gates: rate },
        ),
        gate,
      ).finding;
    expect([59, 58, 9].map(none)).toEqual(['cleared', 'unresolved', 'unresolved']);
  });
});
