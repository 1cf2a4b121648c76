/** False positives, false negatives and abstention as measures of their own: none hides behind another or behind an accuracy. */
import { describe, expect, test } from 'vitest';
import { accuracyFindings } from '../../src/spec/rules-accuracy.ts';
import { type CaseTable, rightMeasure } from '../support/evidence.ts';
import { gateOf, judged } from '../support/judged.ts';
import { upTo } from '../support/two-measures.ts';

const when = (value: number) => ({ field: 'label', op: 'eq', value }) as const;
const measures = {
  right: rightMeasure,
  wrongly_flagged: {
    kind: 'binary',
    role: 'guardrail',
    direction: 'lower',
    where: when(0),
  },
  missed: { kind: 'binary', role: 'guardrail', direction: 'lower', where: when(1) },
  abstained: { kind: 'binary', role: 'guardrail', direction: 'lower' },
};
const gates = [
  { gate: 'no-regression', measure: 'right', margin: 0.1 },
  { gate: 'no-regression', measure: 'wrongly_flagged', margin: 0.15 },
  { gate: 'no-regression', measure: 'missed', margin: 0.1 },
  { gate: 'no-regression', measure: 'abstained', margin: 0.1 },
];

type Answer = 'right' | 'wrong' | 'none';

/** The measure of the errors that a mail of a label allows. */
const errorOf = ['wrongly_flagged', 'missed'] as const;

function scoresOf(answer: Answer, error: string) {
  const is = (wanted: Answer) => (answer === wanted ? 1 : 0);
  return { scores: { right: is('right'), abstained: is('none'), [error]: is('wrong') } };
}

/** 100 clean and 100 bad mails; what the candidate answers by label and place. The baseline errs in the first 20 of each. */
function mails(next: (label: number, at: number) => Answer): CaseTable[] {
  return errorOf.flatMap((error, label) =>
    upTo(100, (at): CaseTable => {
      const id = `m${label}-${String(at).padStart(3, '0')}`;
      const cells = {
        baseline: scoresOf(at < 20 ? 'wrong' : 'right', error),
        next: scoresOf(next(label, at), error),
      };
      return { id, unit: id, applies: ['right', 'abstained', error], cells };
    }),
  );
}

function findings(next: (label: number, at: number) => Answer) {
  const found = judged({ measures, gates, cases: mails(next) });
  const of = (id: string) => {
    const { finding, n } = gateOf(found, `no-regression:${id}`);
    return [finding, n?.units];
  };
  return {
    decision: found.decision,
    right: of('right'),
    flagged: of('wrongly_flagged'),
    missed: of('missed'),
    abstained: of('abstained'),
  };
}

describe('errors of two kinds', () => {
  test('each has its own units and its own margin', () => {
    expect(findings((_label, at) => (at < 20 ? 'wrong' : 'right'))).toEqual({
      decision: 'ship',
      right: ['cleared', 200],
      flagged: ['cleared', 100],
      missed: ['cleared', 100],
      abstained: ['cleared', 200],
    });
  });

  test('an accuracy that stays hides nothing: fewer false alarms do not buy missed ones', () => {
    const traded = findings((label, at) => (at < (label === 0 ? 0 : 40) ? 'wrong' : 'right'));
    expect(traded).toMatchObject({ right: ['cleared', 200], flagged: ['cleared', 100] });
    expect(traded).toMatchObject({ missed: ['breached', 100], decision: 'hold' });
  });

  test('to abstain is no way out: it is counted by itself', () => {
    const silent = findings((_label, at) => (at < 20 ? 'wrong' : at < 60 ? 'none' : 'right'));
    expect(silent).toMatchObject({
      flagged: ['cleared', 100],
      missed: ['cleared', 100],
      abstained: ['breached', 200],
      decision: 'hold',
    });
  });
});

describe('a gated accuracy', () => {
  const accuracy = { kind: 'binary', role: 'primary', direction: 'higher', scale: 1 };
  const codes = (gate: unknown, more: Readonly<Record<string, unknown>> = {}) =>
    accuracyFindings({ measures: { accuracy, ...more }, gates: [gate] } as never).map(
      ({ code, path }) => [code, ...path],
    );

  test.each([
    [
      { gate: 'lift', measure: 'accuracy', threshold: 0 },
      ['accuracy-alone', 'gates', 0, 'measure'],
    ],
    [{ gate: 'neutral-control', measure: 'accuracy' }, ['accuracy-alone', 'gates', 0, 'measure']],
    [
      { gate: 'pareto', objectives: [{ measure: 'speed' }, { measure: 'accuracy' }] },
      ['accuracy-alone', 'gates', 0],
    ],
    [{ gate: 'reward-hacking', proxy: 'accuracy', truth: 'x' }, ['accuracy-alone', 'gates', 0]],
  ])('is refused without both kinds of errors: %j', (gate, expected) => {
    expect(codes(gate)).toEqual([expected]);
    const { wrongly_flagged, missed } = measures;
    expect(codes(gate, { wrongly_flagged, missed })).toEqual([]);
  });
});
