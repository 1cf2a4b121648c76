/**
 * Public cases about denominators, missing values, small samples and gates that never computed: each must end as its report says.
 */
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { decide } from '../../src/report/decision.ts';
import {
  binaryCases,
  type CaseTable,
  type CellTable,
  type EvidenceTable,
  evidenceOf,
  rightMeasure,
} from '../support/evidence.ts';
import { gateOf, judged } from '../support/judged.ts';
import { inputNumbers, inputWords, publicCase } from '../support/public-cases.ts';

function numberOf(value: unknown): number {
  return z.number().parse(value);
}

const words: Readonly<Record<string, CellTable>> = {
  pass: 1,
  fail: 0,
  error: 'infrastructureFault',
  missing: null,
};

function tableOf(baseline: readonly CellTable[], next: readonly CellTable[]): CaseTable[] {
  return next.map((cell, at) => ({
    id: `u${String(at).padStart(3, '0')}`,
    unit: `u${String(at).padStart(3, '0')}`,
    cells: { baseline: baseline[at] ?? null, next: cell },
  }));
}

const score = { kind: 'score', min: 0, max: 1, role: 'primary', direction: 'higher' };

describe('public cases', () => {
  test('PB-01: crashed cells never make a score better', () => {
    const cases = tableOf(
      inputWords('PB-01', 'baseline').map((word) => words[word] ?? null),
      inputWords('PB-01', 'candidate').map((word) => words[word] ?? null),
    );
    const found = judged({ cases });
    expect(gateOf(found, 'lift:right').n?.pairs).toBe(
      publicCase('PB-01').expected['complete_pairs'],
    );
    expect(found.decision).toBe('need_more_work');
    expect(gateOf(found, 'completeness').reason).toMatch(/^5 of 20 planned cells did not settle/);
  });

  test('PB-02: a failed execution counts as the sealed value, a fault of the host as no value', () => {
    const outcomes = inputWords('PB-02', 'outcomes');
    const { if_errors_fail: whole } = z
      .looseObject({ if_errors_fail: z.object({ rate: z.number(), n: z.number() }) })
      .parse(publicCase('PB-02').expected);
    const gates = [
      { gate: 'lift', measure: 'right' },
      { gate: 'rate', measure: 'right', arm: 'candidate', min: 0.2 },
    ];
    const withErrors = (error: CellTable) =>
      judged({
        gates,
        cases: tableOf(
          outcomes.map(() => 0),
          outcomes.map((word) => (word === 'error' ? error : (words[word] ?? null))),
        ),
      });
    const failed = withErrors('agentError').contributions.find((each) => each.gate === 'rate');
    expect(failed?.n?.units).toBe(whole.n);
    expect(failed?.reason).toContain(`${whole.rate * whole.n} of ${whole.n}`);
    const lost = withErrors('infrastructureFault');
    expect(gateOf(lost, 'completeness')).toMatchObject({ status: 'not_evaluated' });
    expect(lost.decision).not.toBe('ship');
  });

  test('PB-07: a gate that could not tell keeps a win on another from shipping', () => {
    const measures = {
      right: rightMeasure,
      costly: { kind: 'binary', role: 'guardrail', direction: 'lower' },
    };
    const gates = [
      { gate: 'lift', measure: 'right' },
      { gate: 'no-regression', measure: 'costly', margin: 0.05 },
    ];
    const cases = Array.from({ length: 30 }, (_, at): CaseTable => {
      const costly = { baseline: at % 3 === 0 ? 1 : 0, next: at % 4 === 0 ? 1 : 0 };
      return {
        id: `u${at}`,
        unit: `u${at}`,
        cells: {
          baseline: { scores: { right: 0, costly: costly.baseline } },
          next: { scores: { right: 1, costly: costly.next } },
        },
      };
    });
    const document = decide(evidenceOf({ measures, gates, cases }), {
      expose: null,
      fence: null,
      startedAt: null,
      endedAt: null,
    });
    const finding = (gate: string) =>
      document.decisions[0]?.contributions.find((each) => each.gate === gate)?.finding;
    expect([finding('lift'), finding('no-regression')]).toEqual(['cleared', 'unresolved']);
    expect(document.decisions[0]?.decision).toBe(publicCase('PB-07').expected['decision']);
    expect(document.verdict.exitCode).toBe(21);
  });

  test('PB-32: repeats are gathered by unit, whatever row they stand in', () => {
    const { reps, units } = z
      .looseObject({ reps: z.number(), units: z.record(z.string(), z.number()) })
      .parse(publicCase('PB-32').input);
    const cases = Object.entries(units).map(
      ([unit, passes]): CaseTable => ({
        id: unit,
        unit,
        cells: {
          baseline: { repeats: Array.from({ length: reps }, () => 0) },
          next: { repeats: Array.from({ length: reps }, (_, at) => (at < passes ? 1 : 0)) },
        },
      }),
    );
    const found = gateOf(judged({ repeats: reps, cases }), 'lift:right');
    expect(found.n).toMatchObject({ units: 2, cells: 2 * 2 * reps });
    expect(found.estimate?.value).toBe(publicCase('PB-32').expected['global_rate']);
    expect(judged({ repeats: reps, cases: cases.toReversed() })).toEqual(
      judged({ repeats: reps, cases }),
    );
    expect(judged({ repeats: reps, cases }).decision).toBe('need_more_work');
  });

  test.each(['PB-03', 'PB-05', 'PB-09'])(
    '%s: a gate whose measure was never computed is not evaluated',
    (id) => {
      const measures = {
        right: rightMeasure,
        harm: { kind: 'binary', role: 'guardrail', direction: 'lower' },
      };
      const gates = [
        { gate: 'lift', measure: 'right' },
        { gate: 'no-regression', measure: 'harm', margin: 0.05 },
      ];
      const cells = {
        baseline: { scores: { right: 0, harm: null } },
        next: { scores: { right: 1, harm: null } },
      };
      const cases = Array.from(
        { length: 30 },
        (_, at): CaseTable => ({ id: `u${at}`, unit: `u${at}`, cells }),
      );
      const found = judged({ measures, gates, cases });
      expect(gateOf(found, 'lift:right').status).toBe('pass');
      expect(gateOf(found, 'no-regression:harm').status).toBe('not_evaluated');
      expect(found.decision).toBe(publicCase(id).expected['decision']);
    },
  );

  test('PB-06: pending cells keep a clear win from shipping', () => {
    const { planned_cells: planned, settled_cells: settled } = publicCase('PB-06').input;
    const pairs = numberOf(planned) / 2;
    const done = numberOf(settled) / 2;
    const cases = tableOf(
      Array.from({ length: pairs }, (_, at) => (at < done ? 0 : null)),
      Array.from({ length: pairs }, (_, at) => (at < done ? 1 : null)),
    );
    const document = decide(evidenceOf({ cases }), {
      expose: null,
      fence: null,
      startedAt: null,
      endedAt: null,
    });
    expect(document.decisions[0]).toMatchObject({
      decision: 'need_more_work',
      reason:
        'completeness: 50 of 200 planned cells did not settle; the lost share 0.25 is above the sealed 0',
    });
    expect(document.verdict.exitCode).toBe(21);
  });

  test('PB-10: missing points are not zeros', () => {
    const points = (field: string) =>
      z.array(z.union([z.number(), z.literal('missing')])).parse(publicCase('PB-10').input[field]);
    const cell = (value: number | 'missing'): CellTable =>
      value === 'missing' ? { scores: { right: null } } : value;
    const table: EvidenceTable = {
      measures: { right: { ...score, direction: 'lower' } },
      cases: tableOf(
        points('baseline_error_rate_points').map(cell),
        points('candidate_error_rate_points').map(cell),
      ),
    };
    expect(gateOf(judged(table), 'lift:right').n?.pairs).toBe(
      publicCase('PB-10').expected['pairs_with_both'],
    );
    expect(judged(table).decision).toBe('need_more_work');
  });

  test('PB-14: an A/A run does not ship on noise and is marked', () => {
    const { wins, losses } = publicCase('PB-14').input;
    const [gains, lost] = [numberOf(wins), numberOf(losses)];
    const both = numberOf(publicCase('PB-14').input['baseline_pass']) - lost;
    const neither = numberOf(publicCase('PB-14').input['n']) - gains - lost - both;
    const cases = binaryCases({ gains, losses: lost, both, neither });
    const evidence = evidenceOf({ cases, surfaces: { baseline: 'same', next: 'same' } });
    const [found] = decide(evidence, {
      expose: null,
      fence: null,
      startedAt: null,
      endedAt: null,
    }).decisions;
    expect(found).toMatchObject({ decision: 'need_more_work', sameSurface: true });
  });

  test('PB-17: not shown worse is not shown safe', () => {
    const numbers = (field: string) => inputNumbers('PB-17', field);
    const measures = {
      right: { kind: 'count', min: 0, max: 2, role: 'guardrail', direction: 'lower' },
    };
    const gates = [{ gate: 'no-regression', measure: 'right', margin: 0.05 }];
    const found = judged({
      measures,
      gates,
      cases: tableOf(numbers('baseline'), numbers('candidate')),
    });
    expect(gateOf(found, 'no-regression:right')).toMatchObject({
      finding: 'unresolved',
      n: { discordant: 3 },
    });
    expect(found.decision).toBe('need_more_work');
  });

  test('PB-20: a constant shift on three pairs is no certainty', () => {
    const numbers = (field: string) => inputNumbers('PB-20', field);
    const cases = tableOf(numbers('baseline'), numbers('candidate'));
    for (const method of ['auto', 't', 't-bootstrap-t']) {
      expect(judged({ measures: { right: score }, cases, inference: { method } }).decision).toBe(
        'need_more_work',
      );
    }
  });

  test('PB-23: twelve answers about three passages are three units', () => {
    const scores = z
      .record(z.string(), z.array(z.number()))
      .parse(publicCase('PB-23').input['scores']);
    const cases = Object.entries(scores).flatMap(([unit, values]) =>
      values.map(
        (value, at): CaseTable => ({
          id: `${unit}-${at}`,
          unit,
          cells: { baseline: 0, next: value },
        }),
      ),
    );
    const found = judged({ cases });
    expect(gateOf(found, 'lift:right').n?.units).toBe(
      publicCase('PB-23').expected['independent_units'],
    );
    expect(gateOf(found, 'lift:right').estimate?.value).toBeCloseTo(
      numberOf(publicCase('PB-23').expected['mean']),
      6,
    );
    expect(found.decision).toBe('need_more_work');
  });

  test('PB-24: a single cluster has no interval', () => {
    const scores = z
      .object({ only_cluster: z.array(z.number()) })
      .parse(publicCase('PB-24').input['scores']);
    const cases = scores.only_cluster.map(
      (value, at): CaseTable => ({
        id: `c${at}`,
        unit: 'only',
        cells: { baseline: 0, next: value },
      }),
    );
    expect(gateOf(judged({ cases }), 'lift:right')).toMatchObject({
      finding: 'insufficient',
      estimate: null,
    });
  });

  test('PB-28: the same answers under a second name have the same interval', () => {
    const answers = z.array(z.number()).parse(publicCase('PB-28').input['system_a']);
    const cases = Array.from({ length: 24 }, (_, at): CaseTable => {
      const value = (answers[at % answers.length] ?? 0) * (0.5 + at / 100);
      return { id: `u${at}`, unit: `u${at}`, cells: { baseline: 0.25, a: value, b: value } };
    });
    const table: EvidenceTable = {
      measures: { right: score },
      cases,
      candidates: ['a', 'b'],
      inference: { method: 't-bootstrap-t' },
    };
    const document = decide(evidenceOf({ ...table, multiplicity: 'holm' }), {
      expose: null,
      fence: null,
      startedAt: null,
      endedAt: null,
    });
    const seeds = document.decisions.map((each) => each.improvement?.bootstrap?.seed);
    expect(seeds[0]).toBe(seeds[1]);
    const alone = (id: string) =>
      gateOf(judged({ ...table, candidates: [id] }, id), 'lift:right').estimate;
    expect(alone('a')).toEqual(alone('b'));
  });

  test('PB-68: five losses and no win of 50 do not ship', () => {
    const [lower, upper] = z
      .array(z.number())
      .parse(publicCase('PB-68').expected['score_interval_for_difference']);
    const found = judged({ cases: binaryCases({ losses: 5, both: 45 }) });
    const interval = gateOf(found, 'lift:right').estimate?.interval;
    expect(interval?.lower).toBeCloseTo(numberOf(lower), 6);
    expect(interval?.upper).toBeCloseTo(numberOf(upper), 6);
    expect(found.decision).toBe('hold');
  });

  test('PB-70: exceptions are no scores of 0', () => {
    const scores = z
      .array(z.union([z.number(), z.literal('exception')]))
      .parse(publicCase('PB-70').input['candidate_scores']);
    const baseline = z.array(z.number()).parse(publicCase('PB-70').input['baseline_scores']);
    const next = scores.map(
      (value): CellTable => (value === 'exception' ? 'evaluatorFailure' : value),
    );
    const found = judged({ measures: { right: score }, cases: tableOf(baseline, next) });
    expect(gateOf(found, 'completeness').reason).toMatch(/^3 of 8 planned cells did not settle/);
    expect(found.decision).toBe('need_more_work');
  });
});
