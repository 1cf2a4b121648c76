import { describe, expect, test } from 'vitest';
import { drawnKey, effectGates, onScale } from '../../src/gate/effect.ts';
import { judgeEvidence } from '../../src/gate/judge.ts';
import { measureSchema } from '../../src/spec/measure.ts';
import {
  binaryCases,
  type CaseTable,
  type EvidenceTable,
  evidenceOf,
  rightMeasure,
} from '../support/evidence.ts';
import { exampleTests } from '../support/examples.ts';
import { gateOf, judged } from '../support/judged.ts';
import { refusedBy } from '../support/refused-by.ts';

exampleTests('src/gate/effect.ts', {
  names: ['drawnKey', 'onScale'],
  scope: { drawnKey, onScale },
});

const lift = 'lift:right';

function liftOf(counts: Parameters<typeof binaryCases>[0], table: Partial<EvidenceTable> = {}) {
  return gateOf(judged({ cases: binaryCases(counts), ...table }), lift);
}

describe('lift', () => {
  test('clears 6 gains of 6 units', () => {
    expect(liftOf({ gains: 6 })).toMatchObject({
      status: 'pass',
      finding: 'cleared',
      statistic: 0.219331424196,
      threshold: 0,
      errorLevel: 0.025,
      n: { units: 6, pairs: 6, cells: 12, discordant: 6 },
      reason: 'the lower bound 0.2193 is above 0',
    });
  });

  test('does not clear 5 gains of 6 units, where the interval does and the exact test does not', () => {
    expect(liftOf({ gains: 5, both: 1 })).toMatchObject({
      status: 'fail',
      finding: 'unresolved',
      reason:
        "the lower bound 0.1177 is above 0, but McNemar's exact one-sided p 0.03125 is above 0.025",
    });
  });

  test('clears 5 gains of 6 units at a level where the exact p suffices', () => {
    expect(liftOf({ gains: 5, both: 1 }, { inference: { level: 0.9 } }).finding).toBe('cleared');
  });

  test('asks for no exact test at a threshold below 0', () => {
    const gates = [{ gate: 'lift', measure: 'right', threshold: -0.05 }];
    expect(liftOf({ gains: 5, both: 1 }, { gates }).finding).toBe('cleared');
  });

  test('is unresolved where the interval includes the threshold', () => {
    expect(liftOf({ gains: 12, losses: 9, both: 31, neither: 35 })).toMatchObject({
      finding: 'unresolved',
      reason: 'the interval -0.07229 .. 0.1422 includes 0',
    });
  });

  test('is breached by an interval wholly at or below the threshold', () => {
    expect(liftOf({ losses: 10 })).toMatchObject({
      status: 'fail',
      finding: 'breached',
      reason: 'the interval -1 .. -0.4449 lies wholly at or below 0',
      flags: [],
    });
  });

  test('tests breach first: an interval above 0 and wholly below the minimum effect is smaller than useful', () => {
    const found = liftOf({ gains: 30, both: 470 }, { claim: { minimumEffect: 0.15 } });
    expect(found.statistic).toBeGreaterThan(0);
    expect(found).toMatchObject({
      finding: 'breached',
      reason: 'the interval 0.04235 .. 0.08436 lies wholly below the minimum effect 0.15',
      flags: ['rare-loss-exposed', 'smaller-than-useful'],
    });
  });

  test('clears an interval that reaches the minimum effect, and without one', () => {
    expect(liftOf({ gains: 30, both: 470 }, { claim: { minimumEffect: 0.08 } }).finding).toBe(
      'cleared',
    );
    expect(liftOf({ gains: 30, both: 470 }).finding).toBe('cleared');
  });

  test('turns the sign for a measure where lower is better', () => {
    const measures = { right: { ...rightMeasure, direction: 'lower' } };
    expect(liftOf({ losses: 10 }, { measures }).finding).toBe('cleared');
    expect(liftOf({ gains: 10 }, { measures }).finding).toBe('breached');
  });

  test('is insufficient with one unit, whatever its repeats say', () => {
    const cases = [{ id: 'a', unit: 'a', cells: { baseline: 0, next: 1 } }];
    const found = gateOf(judged({ cases, repeats: 10 }), lift);
    expect(found).toMatchObject({
      status: 'not_evaluated',
      finding: 'insufficient',
      statistic: null,
      n: { units: 1, pairs: 10, cells: 20, discordant: 10 },
      reason: 'one unit carries no inference about new units',
      flags: ['one-unit'],
      estimate: null,
    });
  });

  test('says that faults alone took the units', () => {
    const cases = ['a', 'b'].map(
      (id): CaseTable => ({ id, unit: id, cells: { baseline: 0, next: 'infrastructureFault' } }),
    );
    expect(gateOf(judged({ cases }), lift)).toMatchObject({
      finding: 'insufficient',
      reason: 'no unit has a complete pair',
      flags: ['lost-by-fault'],
    });
  });

  test('carries the flags of its estimate', () => {
    const measures = {
      right: { kind: 'score', min: 0, max: 1, role: 'primary', direction: 'higher' },
    };
    const found = liftOf({ gains: 8 }, { measures, inference: { method: 't' } });
    expect(found.flags).toEqual(['floor-fallback-betting']);
    expect(found.estimate?.method).toBe('betting-fixed-n');
  });
});

const guarded = {
  measures: { right: rightMeasure, safe: { ...rightMeasure, role: 'guardrail' } },
  gates: [
    { gate: 'lift', measure: 'right' },
    { gate: 'no-regression', measure: 'safe', margin: 0.05 },
  ],
};

function guardedCases(units: number, safe: (at: number) => readonly [number, number]): CaseTable[] {
  return Array.from({ length: units }, (_, at) => {
    const id = `u${String(at).padStart(3, '0')}`;
    const [baseline, next] = safe(at);
    return {
      id,
      unit: id,
      cells: {
        baseline: { scores: { right: 0, safe: baseline } },
        next: { scores: { right: 1, safe: next } },
      },
    };
  });
}

describe('no-regression', () => {
  test.each([
    [20, 'need_more_work', 'unresolved', 'the interval -0.1611 .. 0.1611 includes -0.05'],
    [100, 'ship', 'cleared', 'the lower bound -0.03699 is above -0.05'],
  ])('all tied over %d units with a margin of 5 points: %s', (units, decision, finding, reason) => {
    const found = judged({ ...guarded, cases: guardedCases(units, () => [1, 1]) });
    expect(found.decision).toBe(decision);
    expect(gateOf(found, 'no-regression:safe')).toMatchObject({
      finding,
      reason,
      threshold: -0.05,
    });
  });

  test('is breached by an interval wholly on the wrong side of the margin', () => {
    const found = judged({ ...guarded, cases: guardedCases(40, (at) => [1, at < 20 ? 0 : 1]) });
    expect(gateOf(found, 'no-regression:safe').finding).toBe('breached');
    expect(found.decision).toBe('hold');
  });

  test('asks for the exact test at a margin of 0', () => {
    const gates = [{ gate: 'no-regression', measure: 'safe', margin: 0 }];
    const table = { ...guarded, gates, cases: guardedCases(6, (at) => [at === 0 ? 1 : 0, 1]) };
    expect(gateOf(judged(table), 'no-regression:safe')).toMatchObject({
      finding: 'unresolved',
      reason: expect.stringContaining('McNemar'),
    });
  });

  test('reads the margin of a cost as a ratio', () => {
    const measures = {
      right: rightMeasure,
      usd: { kind: 'cost', role: 'guardrail', direction: 'lower' },
    };
    const gates = [{ gate: 'no-regression', measure: 'usd', margin: 0.1 }];
    const cases = Array.from({ length: 30 }, (_, at): CaseTable => {
      const usd = 1 + (at % 5) / 100;
      return {
        id: `u${at}`,
        unit: `u${at}`,
        cells: { baseline: { scores: { right: 1, usd: 1 } }, next: { scores: { right: 1, usd } } },
      };
    });
    const found = gateOf(judged({ measures, gates, cases }), 'no-regression:usd');
    expect(found.threshold).toBeCloseTo(-Math.log(1.1), 11);
    expect(found).toMatchObject({
      finding: 'cleared',
      estimate: { scale: 'log-ratio', method: 't-bootstrap-t' },
    });
  });
});

describe('an outage', () => {
  test('takes no breach with it that the missing cells could undo', () => {
    const lost: CaseTable[] = Array.from({ length: 30 }, (_, at) => ({
      id: `v${at}`,
      unit: `v${at}`,
      cells: { baseline: 0, next: 'infrastructureFault' },
    }));
    const found = judged({ cases: [...binaryCases({ losses: 6 }), ...lost] });
    expect(gateOf(found, lift)).toMatchObject({
      finding: 'insufficient',
      reason:
        'the interval -1 .. -0.2193 lies wholly at or below 0, but the missing cells could undo it',
      flags: ['lost-by-fault'],
    });
    expect(found.decision).toBe('need_more_work');
  });

  test("leaves a breach that stands with every missing cell in the candidate's favour", () => {
    const lost: CaseTable = {
      id: 'v',
      unit: 'v',
      cells: { baseline: 0, next: 'infrastructureFault' },
    };
    const found = judged({ cases: [...binaryCases({ losses: 20 }), lost] });
    expect(gateOf(found, lift).finding).toBe('breached');
    expect(found.decision).toBe('hold');
  });

  test('is no excuse for outcomes that were not scored', () => {
    const unscored: CaseTable[] = Array.from({ length: 30 }, (_, at) => ({
      id: `v${at}`,
      unit: `v${at}`,
      cells: { baseline: 0, next: { scores: { right: null } } },
    }));
    expect(
      gateOf(judged({ cases: [...binaryCases({ losses: 6 }), ...unscored] }), lift).finding,
    ).toBe('breached');
  });
});

describe('effectGates', () => {
  test('refuses a seal that resolves no method for a gate', () => {
    const evidence = evidenceOf({ cases: binaryCases({ gains: 6 }) });
    const seal = { ...evidence.seal, analysis: { ...evidence.seal.analysis, methods: [] } };
    expect(refusedBy(() => effectGates(seal))).toBe(
      'seal-invalid: The seal resolves no method for the gate "lift:right". Seal the experiment again; a design without a method for a gate is refused then.',
    );
  });

  test('refuses a method that this version does not have', () => {
    const evidence = evidenceOf({ cases: binaryCases({ gains: 6 }) });
    const methods = evidence.seal.analysis.methods.map((each) => ({
      ...each,
      method: 'wilson',
    }));
    const seal = { ...evidence.seal, analysis: { ...evidence.seal.analysis, methods } };
    expect(refusedBy(() => judgeEvidence({ ...evidence, seal }))).toBe(
      'seal-invalid: The seal decides "right" by the method "wilson", which this version does not have. Use the version that sealed it; this one has tango-score, exact-unconditional, betting-fixed-n, t, t-bootstrap-t, cr2, tango-effective-n, roster-t, betting-sequence.',
    );
  });
});

describe('onScale', () => {
  test('leaves a difference as it is and makes a ratio of a cost', () => {
    const cost = measureSchema.parse({ kind: 'cost', role: 'guardrail', direction: 'lower' });
    expect(onScale(measureSchema.parse(rightMeasure), -0.05)).toBe(-0.05);
    expect(onScale(cost, 0.1)).toBeCloseTo(0.0953101798043, 12);
    expect(onScale(cost, -0.1)).toBeCloseTo(-0.0953101798043, 12);
    expect(onScale(cost, -0)).toBe(0);
  });
});
