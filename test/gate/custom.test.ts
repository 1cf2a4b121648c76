import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
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
import { type EvidenceTable, evidenceOf, rightMeasure } from '../support/evidence.ts';
import { exampleTests } from '../support/examples.ts';
import { gateOf, judged } from '../support/judged.ts';

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
