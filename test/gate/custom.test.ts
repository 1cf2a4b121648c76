import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { atLook, looksOf } from '../../src/analysis/look.ts';
import { strongerOf } from '../../src/gate/compose.ts';
import { gateQuestions } from '../../src/gate/custom.ts';
import { defineGate } from '../../src/gate/define-gate.ts';
import { type Decision, decisionSchema } from '../../src/gate/gate.ts';
import {
  failedReply,
  type GateQuestion,
  type GateReplies,
  readAnswer,
} from '../../src/run/gate-reply.ts';
import { pairedRiskDifferenceBounds } from '../../src/stats/paired-binary.ts';
import { type EvidenceTable, evidenceOf, rightMeasure } from '../support/evidence.ts';
import { exampleTests } from '../support/examples.ts';
import { gateOf, judged } from '../support/judged.ts';
import { refusedBy } from '../support/refused-by.ts';
import { computed } from '../support/statistics.ts';
import { upTo } from '../support/two-measures.ts';

exampleTests('src/gate/define-gate.ts', { names: ['defineGate'], scope: { defineGate } });
exampleTests('src/run/gate-reply.ts', {
  names: ['failedReply', 'readAnswer'],
  scope: { failedReply, readAnswer },
});

const own = { gate: 'custom', name: 'own', module: 'own.mjs', measures: ['right'] };
const lift = { gate: 'lift', measure: 'right' };

/** Units of one cell each: so many won, lost and tied. */
function units(
  won: number,
  lost: number,
  tied: number,
  more: Partial<EvidenceTable> = {},
): EvidenceTable {
  const kinds = [
    ...Array.from({ length: won }, () => [0, 1]),
    ...Array.from({ length: lost }, () => [1, 0]),
    ...Array.from({ length: tied }, () => [1, 1]),
  ];
  return {
    measures: { right: rightMeasure },
    gates: [lift, own],
    cases: kinds.map(([baseline = 0, next = 0], at) => {
      const id = `u${String(at).padStart(2, '0')}`;
      return {
        id,
        unit: id,
        cells: { baseline: { scores: { right: baseline } }, next: { scores: { right: next } } },
      };
    }),
    ...more,
  };
}

const said =
  (decision: Decision): GateReplies =>
  () =>
    readAnswer(JSON.stringify({ decision, reason: 'because' }), 0);

describe('a custom gate in a decision', () => {
  test('lowers it to what it says and never raises it, whatever the evidence', () => {
    const met = new Set<string>();
    fc.assert(
      fc.property(
        fc.nat({ max: 14 }),
        fc.nat({ max: 14 }),
        fc.nat({ max: 6 }),
        fc.constantFrom(...decisionSchema.options),
        (won, lost, tied, decision) => {
          const evidence = units(won, lost, tied + 1);
          const before = judged({ ...evidence, gates: [lift] }).decision;
          const after = judged({ ...evidence, replies: said(decision) }).decision;
          expect(after).toBe(strongerOf(before, decision));
          if (before !== 'ship') expect(after).not.toBe('ship');
          met.add(`${before} and ${decision}`);
        },
      ),
      { numRuns: 150, seed: 5 },
    );
    // Each of the three own decisions beside each of the five answers.
    expect(met.size).toBe(15);
  });

  test.each([
    ['no-answer', 'its code gave no answer: late'],
    ['threw', 'its code threw: late'],
    ['malformed', 'its code answered in another form: late'],
    ['unsteady', 'its code said two things of the same input: late'],
  ] as const)('a fault (%s) is insufficient evidence, lost by fault', (code, reason) => {
    const judgement = judged(units(14, 0, 1, { replies: () => failedReply(code, 'late') }));
    expect(judgement.decision).toBe('need_more_work');
    expect(gateOf(judgement, 'own')).toMatchObject({
      finding: 'insufficient',
      reason,
      flags: ['lost-by-fault'],
    });
  });

  test('a question that nobody answered ships nothing', () => {
    for (const replies of [undefined, () => undefined]) {
      const judgement = judged(units(14, 0, 1, replies === undefined ? {} : { replies }));
      expect(judgement.decision).toBe('need_more_work');
      expect(gateOf(judgement, 'own').reason).toBe('its code was not run on this evidence');
    }
  });

  test('is not asked about a measure without any unit', () => {
    const lost = { baseline: { scores: { right: 1 } }, next: 'infrastructureFault' as const };
    const table = units(0, 0, 0, { cases: [{ id: 'u0', unit: 'u0', cells: lost }] });
    const judgement = judged({ ...table, replies: said('ship') });
    expect(gateOf(judgement, 'own')).toMatchObject({
      finding: 'insufficient',
      reason: 'not asked: no unit has a value of "right"',
    });
    const [filled, ...rest] = gateQuestions(evidenceOf(table));
    expect([filled?.units, rest]).toEqual([1, []]);
  });

  test('one unit is asked about, and cannot make the other gates ship', () => {
    const table = units(1, 0, 0);
    expect(gateQuestions(evidenceOf(table)).map((each) => each.units)).toEqual([1]);
    expect(judged({ ...table, replies: said('ship') }).decision).toBe('need_more_work');
  });

  test('a ceiling stands on receipts of a sealed run only', () => {
    const ceiling = { replies: said('model_ceiling') };
    expect(judged(units(14, 0, 1, ceiling)).decision).toBe('model_ceiling');
    expect(judged(units(14, 0, 1, { ...ceiling, confirmatory: false })).decision).toBe(
      'need_more_work',
    );
  });
});

describe('the question', () => {
  function questionOf(table: EvidenceTable): GateQuestion {
    const [question] = gateQuestions(evidenceOf(table));
    if (question === undefined) throw new Error('nothing is asked');
    return question;
  }

  test('is the same for any order of cases, and another one for any other value', () => {
    const table = units(5, 2, 3);
    const turned = { ...table, cases: [...table.cases].reverse() };
    expect(questionOf(turned).input).toBe(questionOf(table).input);
    expect(questionOf(units(5, 3, 2)).digest).not.toBe(questionOf(table).digest);
  });

  test('tells units apart from cells: repeats make no more of them', () => {
    const repeated = { scores: { right: 1 } };
    const cells = {
      baseline: { repeats: [{ scores: { right: 0 } }, repeated] },
      next: { repeats: [repeated, repeated] },
    };
    const table = { ...units(0, 0, 0), repeats: 2, cases: [{ id: 'u0', unit: 'u0', cells }] };
    const input = JSON.parse(questionOf(table).input) as {
      measures: { right: { units: unknown[]; plannedPairs: number } };
    };
    expect(input.measures.right).toMatchObject({
      plannedPairs: 2,
      units: [{ unit: 'u0', baseline: 0.5, candidate: 1, improvement: 0.5, pairs: 2 }],
    });
  });

  interface GivenInput {
    readonly measures: Readonly<Record<string, { readonly intervals?: readonly unknown[] }>>;
    readonly look: unknown;
  }
  const givenTo = (question: GateQuestion): GivenInput => JSON.parse(question.input) as GivenInput;
  const asking = (...levels: readonly number[]) => ({
    ...own,
    intervals: levels.map((level) => ({ measure: 'right', level })),
  });

  test('holds the intervals that are asked for, those that the sealed inference gives the other gates', () => {
    const table = units(6, 2, 12, { gates: [lift, asking(0.95, 0.8)] });
    const question = questionOf(table);
    const { estimate } = gateOf(judged(table), 'lift:right');
    const [first, second] = givenTo(question).measures['right']?.intervals ?? [];
    expect(first).toEqual({
      status: 'estimated',
      level: 0.95,
      value: 0.2,
      lower: estimate?.interval.lower,
      upper: estimate?.interval.upper,
      method: 'tango-score',
      guarantee: 'asymptotic',
    });
    const { lower, upper } = computed(
      pairedRiskDifferenceBounds({ both: 12, onlyCandidate: 6, onlyBaseline: 2, neither: 0 }, 0.1),
    );
    expect(second).toMatchObject({ level: 0.8 });
    expect(second).toHaveProperty('lower', expect.closeTo(lower, 11));
    expect(second).toHaveProperty('upper', expect.closeTo(upper, 11));
    expect(question.intervals).toEqual(
      [first, second].map((each) => ({ measure: 'right', ...(each as object) })),
    );
  });

  test('holds none, and the bytes it had, where none is asked for', () => {
    const question = questionOf(units(3, 0, 1));
    expect(question).not.toHaveProperty('intervals');
    expect(givenTo(question).measures['right']).not.toHaveProperty('intervals');
  });

  test('says why there is no interval of one unit, or of differences that are all equal', () => {
    const [one] =
      givenTo(questionOf(units(1, 0, 0, { gates: [lift, asking(0.9)] }))).measures['right']
        ?.intervals ?? [];
    expect(one).toEqual({ status: 'insufficient', level: 0.9, reason: 'one-unit' });
    const cost = { kind: 'cost', role: 'primary', direction: 'lower' };
    const equal = upTo(12, (at) => {
      const cells = { baseline: { scores: { right: 2 } }, next: { scores: { right: 1 } } };
      return { id: `u${at}`, unit: `u${at}`, cells };
    });
    const table = { measures: { right: cost }, gates: [lift, asking(0.9)], cases: equal };
    expect(givenTo(questionOf(table)).measures['right']?.intervals).toEqual([
      { status: 'indeterminate', level: 0.9, reason: 'constant-differences' },
    ]);
  });

  test('refuses a seal that resolves no method for them', () => {
    const evidence = evidenceOf(units(6, 2, 12, { gates: [lift, asking(0.9)] }));
    const analysis = { ...evidence.seal.analysis, methods: [] };
    const refused = () => gateQuestions({ ...evidence, seal: { ...evidence.seal, analysis } });
    expect(refusedBy(refused)).toBe(
      'seal-invalid: The seal resolves no method for the intervals of "right". Seal the experiment again; a design without a method for an interval is refused then.',
    );
  });

  test('counts a loss against the candidate in the intervals of the filled question', () => {
    const table = units(6, 2, 12, { gates: [lift, asking(0.9)], maxLostShare: 0.5 });
    const [first, ...rest] = table.cases;
    if (first === undefined) throw new Error('there are cases');
    const lost = { ...first, cells: { ...first.cells, next: 'infrastructureFault' as const } };
    const questions = gateQuestions(evidenceOf({ ...table, cases: [lost, ...rest] }));
    const values = questions.map((each) => {
      const [interval] = each.intervals ?? [];
      return interval?.status === 'estimated' ? interval.value : null;
    });
    expect(values).toEqual([3 / 19, 0.15].map((each) => expect.closeTo(each, 11)));
  });

  test('shares the error of an interval among looks, so that all of them hold together', () => {
    const stopping = { rule: 'group-sequential', spending: 'pocock', looks: [10, 20] };
    const fixed = units(6, 2, 12, { gates: [lift, asking(0.95)] });
    const lowerOf = (evidence: Parameters<typeof gateQuestions>[0]): number => {
      const [question] = gateQuestions(evidence);
      const [interval] = question?.intervals ?? [];
      if (interval?.status !== 'estimated') throw new Error('there is an interval');
      return interval.lower;
    };
    const looking = evidenceOf({ ...fixed, stopping });
    const [, last] = looksOf(looking);
    if (last === undefined) throw new Error('there are two looks');
    // Pocock's second look of two spends 0.0147 of 0.025.
    const tango = pairedRiskDifferenceBounds(
      { both: 12, onlyCandidate: 6, onlyBaseline: 2, neither: 0 },
      0.0147,
    );
    expect(lowerOf(atLook(looking, last))).toBeCloseTo(computed(tango).lower, 3);
    expect(lowerOf(atLook(looking, last))).toBeLessThan(lowerOf(evidenceOf(fixed)) - 0.02);
  });

  test('holds no receipt, text or judgement', () => {
    const { input } = questionOf(units(3, 0, 1));
    expect(input).not.toMatch(/receipt|expose|ledger|output|"lift"/);
  });
});

describe('an answer', () => {
  test.each([
    ['[]', 'expected'],
    ['null', 'expected'],
    ['{"decision":"ship","reason":"x","value":1e999}', ''],
    ['{"decision":"ship","reason":"x"', ''],
    ['{"decision":"ship","decision":"hold","reason":"x"}', ''],
    [`{"decision":"ship","reason":"${'x'.repeat(501)}"}`, 'reason'],
    ['{"decision":"ship","reason":"x","n":-1}', 'n'],
    ['{"decision":"ship","reason":"x","n":8}', '8 units are claimed, and there are 7'],
  ])('%s is malformed', (text, detail) => {
    const reply = readAnswer(text, 7);
    expect(reply).toMatchObject({ status: 'failed', fault: { code: 'malformed' } });
    expect(JSON.stringify(reply)).toContain(detail);
  });
});
