import fc from 'fast-check';
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

describe('a fixed sequence', () => {
  const sequence = ['c', 'a', 'b'];

  function inSequence(wins: Readonly<Record<string, number>>): EvidenceTable {
    return { ...table(20, wins), multiplicity: { sequence } };
  }

  test('gives every candidate the full error, in the order that was sealed', () => {
    const found = inSequence({ a: 6, b: 6, c: 6 });
    for (const [at, id] of sequence.entries()) {
      const judgement = judged(found, id);
      expect(judgement.step).toEqual({ rejected: true, step: at + 1, divisor: 1 });
      const lift = gateOf(judgement, 'lift:right');
      expect(lift).toMatchObject({ finding: 'cleared', errorLevel: 0.025 });
      expect(lift.flags).not.toContain('stepwise');
      expect(judgement.decision).toBe('ship');
    }
    expect(judged({ ...found, multiplicity: 'holm' }, 'a').decision).toBe('need_more_work');
  });

  test('takes the right to ship from all behind the candidate it stopped at', () => {
    const found = inSequence({ a: 3, b: 20, c: 6 });
    expect(judged(found, 'c').decision).toBe('ship');
    expect(judged(found, 'a')).toMatchObject({
      decision: 'need_more_work',
      step: { rejected: false, step: 2, divisor: 1 },
    });
    const stopped = judged(found, 'b');
    expect(stopped).toMatchObject({
      decision: 'need_more_work',
      step: { rejected: false, step: 3, divisor: 1 },
    });
    const lift = gateOf(stopped, 'lift:right');
    expect(lift).toMatchObject({ status: 'fail', finding: 'unresolved', errorLevel: 0.025 });
    expect(lift.reason).toBe(
      'the lower bound 0.6777 is above 0, but the fixed sequence stopped at "a" before this candidate',
    );
  });

  test("names the first candidate it stopped at beside a later one's own interval", () => {
    const found = inSequence({ a: 3, b: 2, c: 1 });
    expect(gateOf(judged(found, 'c'), 'lift:right').reason).toBe(
      'the interval -0.1192 .. 0.2361 includes 0',
    );
    for (const id of ['a', 'b']) {
      expect(gateOf(judged(found, id), 'lift:right').reason).toMatch(
        /^the interval .* includes 0; besides, the fixed sequence stopped at "c" before this candidate$/,
      );
    }
  });

  test('never takes the duty to hold: a breach is judged on the own interval at the full error', () => {
    const cases = gains(20, { a: 8 }).map((each, at) => ({
      ...each,
      cells: { baseline: at < 8 ? 0 : 1, c: at < 8 ? 0 : 1, a: 0, b: 1 },
    }));
    const found = { cases, candidates: ['a', 'b', 'c'], multiplicity: { sequence } };
    expect(judged(found, 'c').decision).toBe('need_more_work');
    expect(judged(found, 'a').decision).toBe('hold');
    expect(gateOf(judged(found, 'a'), 'lift:right')).toMatchObject({
      finding: 'breached',
      errorLevel: 0.025,
    });
    expect(judged(found, 'b').decision).toBe('need_more_work');
  });

  test('goes on past a candidate that only another gate stops', () => {
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
          bad: { scores: { right: 1, acts: 1 } },
          good: { scores: { right: at < 6 ? 1 : 0, acts: 0 } },
        },
      }),
    );
    const multiplicity = { sequence: ['bad', 'good'] };
    const found = { measures, cases, candidates: ['bad', 'good'], multiplicity };
    expect(judged(found, 'bad').decision).toBe('hold');
    expect(judged(found, 'good').decision).toBe('ship');
  });

  test('ships a candidate exactly when it and all before it would ship alone', () => {
    const wins = fc.record({
      a: fc.integer({ min: 3, max: 8 }),
      b: fc.integer({ min: 3, max: 8 }),
      c: fc.integer({ min: 3, max: 8 }),
    });
    fc.assert(
      fc.property(wins, (counts) => {
        const shipping = judgeEvidence(evidenceOf(inSequence(counts))).candidates;
        const alone = (id: 'a' | 'b' | 'c'): boolean =>
          judged(table(20, { [id]: counts[id] }), id).decision === 'ship';
        const expected = { c: alone('c'), a: alone('c') && alone('a'), b: false };
        expected.b = expected.a && alone('b');
        expect(
          Object.fromEntries(shipping.map((each) => [each.candidate, each.decision === 'ship'])),
        ).toEqual(expected);
      }),
      { seed: 9, numRuns: 30 },
    );
  });

  test('counts a loss in an early candidate against the later ones', () => {
    const found = inSequence({ a: 6, b: 6, c: 6 });
    const [first, ...others] = found.cases;
    const lost: CaseTable = {
      id: 'u000',
      unit: 'u000',
      cells: { ...first?.cells, c: 'infrastructureFault' },
    };
    const judgement = judged({ ...found, cases: [lost, ...others], maxLostShare: 0.1 }, 'b');
    expect(judgement.decision).toBe('need_more_work');
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
