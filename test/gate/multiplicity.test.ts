import { describe, expect, test } from 'vitest';
import { judgeEvidence } from '../../src/gate/judge.ts';
import {
  type Attempt,
  type CaseTable,
  type EvidenceTable,
  evidenceOf,
  rightMeasure,
} from '../support/evidence.ts';
import { gateOf, judged } from '../support/judged.ts';
import { refusedBy } from '../support/refused-by.ts';

/** Units where the baseline fails and each candidate passes the first so many. */
function gains(units: number, wins: Readonly<Record<string, number>>): CaseTable[] {
  return Array.from({ length: units }, (_, at) => {
    const id = `u${String(at).padStart(3, '0')}`;
    const cells = Object.entries(wins).map(([arm, count]): [string, number] => [
      arm,
      at < count ? 1 : 0,
    ]);
    return { id, unit: id, cells: { baseline: 0, ...Object.fromEntries(cells) } };
  });
}

function table(units: number, wins: Readonly<Record<string, number>>): EvidenceTable {
  return { cases: gains(units, wins), candidates: Object.keys(wins) };
}

describe('Holm by bounds', () => {
  test('gives the best candidate the strictest level and each later one a laxer one', () => {
    const found = table(20, { a: 6, c: 8 });
    const errors = ['a', 'c'].map((id) => gateOf(judged(found, id), 'lift:right').errorLevel);
    expect(errors).toEqual([0.025, 0.0125]);
    expect(['a', 'c'].map((id) => judged(found, id).step)).toEqual([
      { rejected: true, step: 2, divisor: 1 },
      { rejected: true, step: 1, divisor: 2 },
    ]);
    expect(['a', 'c'].map((id) => judged(found, id).decision)).toEqual(['ship', 'ship']);
    expect(gateOf(judged(found, 'c'), 'lift:right').flags).toContain('stepwise');
  });

  test('stops at the first candidate that does not clear, and shows the rest at error over m', () => {
    const found = table(20, { a: 6, b: 6, c: 8 });
    expect(judged(found, 'c').decision).toBe('ship');
    for (const id of ['a', 'b']) {
      const judgement = judged(found, id);
      expect(judgement.step).toMatchObject({ rejected: false, divisor: 3 });
      const lift = gateOf(judgement, 'lift:right');
      expect(lift).toMatchObject({ finding: 'unresolved', errorLevel: 0.00833333333333 });
      expect(lift.flags).not.toContain('stepwise');
    }
  });

  test('judges the breach of a candidate that was not rejected at error over m', () => {
    const cases = gains(20, { a: 8 }).map((each, at) => ({
      ...each,
      cells: { ...each.cells, baseline: at < 8 ? 0 : 1, a: 1, b: 0 },
    }));
    const both = { cases, candidates: ['a', 'b'] };
    expect(gateOf(judged(both, 'b'), 'lift:right')).toMatchObject({
      finding: 'breached',
      errorLevel: 0.0125,
    });
    expect(judged(both, 'b').decision).toBe('hold');
    expect(judged(both, 'a').decision).toBe('ship');
  });

  test('asks every required interval gate of a candidate at its level', () => {
    const measures = { right: rightMeasure, safe: { ...rightMeasure, role: 'guardrail' } };
    const gates = [
      { gate: 'lift', measure: 'right' },
      { gate: 'no-regression', measure: 'safe', margin: 0.05 },
    ];
    const win: Attempt = { scores: { right: 1, safe: 1 } };
    const fail: Attempt = { scores: { right: 0, safe: 1 } };
    const cases = Array.from(
      { length: 100 },
      (_, at): CaseTable => ({
        id: `u${at}`,
        unit: `u${at}`,
        cells: { baseline: fail, a: win, b: win },
      }),
    );
    expect(judged({ measures, gates, cases, candidates: ['a'] }, 'a').decision).toBe('ship');
    const two = judged({ measures, gates, cases, candidates: ['a', 'b'] }, 'a');
    expect(two.step).toMatchObject({ rejected: true, step: 1, divisor: 2 });
    const three = {
      measures,
      gates,
      cases: cases.map((each) => ({ ...each, cells: { ...each.cells, c: win } })),
      candidates: ['a', 'b', 'c'],
    };
    expect(judged(three, 'a').step).toMatchObject({ rejected: false, divisor: 3 });
    expect(gateOf(judged(three, 'a'), 'lift:right').finding).toBe('cleared');
    expect(gateOf(judged(three, 'a'), 'no-regression:safe').finding).toBe('unresolved');
    expect(judged(three, 'a').decision).toBe('need_more_work');
  });

  test('keeps a candidate that fails a critical gate in the order, at no cost to the others', () => {
    const measures = {
      right: rightMeasure,
      acts: { kind: 'binary', role: 'critical', direction: 'lower' },
    };
    const cases = Array.from(
      { length: 20 },
      (_, at): CaseTable => ({
        id: `u${at}`,
        unit: `u${at}`,
        cells: {
          baseline: { scores: { right: 0, acts: 0 } },
          bad: { scores: { right: at < 8 ? 1 : 0, acts: 1 } },
          good: { scores: { right: at < 6 ? 1 : 0, acts: 0 } },
        },
      }),
    );
    const found = { measures, cases, candidates: ['bad', 'good'] };
    expect(judged(found, 'bad')).toMatchObject({
      decision: 'hold',
      step: { rejected: true, step: 1, divisor: 2 },
    });
    expect(judged(found, 'good')).toMatchObject({
      decision: 'ship',
      step: { rejected: true, step: 2, divisor: 1 },
    });
  });

  test('breaks ties by code units of the ids', () => {
    const found = table(20, { b: 8, B: 8, a: 8 });
    const steps = judgeEvidence(evidenceOf(found)).candidates.map((each) => [
      each.candidate,
      each.step.step,
    ]);
    expect(steps).toEqual([
      ['B', 1],
      ['a', 2],
      ['b', 3],
    ]);
  });

  test('leaves optional interval gates out of the order', () => {
    const measures = { right: rightMeasure, extra: { ...rightMeasure, role: 'guardrail' } };
    const gates = [
      { gate: 'lift', measure: 'right' },
      { gate: 'no-regression', measure: 'extra', margin: 0.01, required: false },
    ];
    const cases = Array.from(
      { length: 20 },
      (_, at): CaseTable => ({
        id: `u${at}`,
        unit: `u${at}`,
        cells: {
          baseline: { scores: { right: 0, extra: 1 } },
          next: { scores: { right: 1, extra: 1 } },
        },
      }),
    );
    const found = judged({ measures, gates, cases });
    expect(gateOf(found, 'no-regression:extra')).toMatchObject({
      finding: 'unresolved',
      required: false,
    });
    expect(found.decision).toBe('ship');
  });
});

describe('checkMultiplicity', () => {
  test.each([
    ['none', 'multiplicity "none" is for one candidate, but 2 are sealed'],
    [{ sequence: ['a'] }, 'the sequence a does not list exactly the candidates a, b'],
    [{ sequence: ['b', 'b'] }, 'the sequence b, b does not list exactly the candidates a, b'],
  ])('refuses %j for two candidates', (multiplicity, what) => {
    const evidence = evidenceOf({ ...table(10, { a: 8, b: 8 }), multiplicity });
    expect(refusedBy(() => judgeEvidence(evidence))).toBe(
      `design-refused: The order of candidates cannot be judged: ${what}. Seal the experiment with \`multiplicity: holm\`, or with a sequence of all candidates.`,
    );
  });
});
