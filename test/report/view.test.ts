import { describe, expect, test } from 'vitest';
import {
  furtherGate,
  furtherText,
  headlineOf,
  needEffect,
  needText,
  placeText,
  statisticText,
} from '../../src/report/verdict-lines.ts';
import { decisionSentence } from '../../src/report/view.ts';
import { amendmentViews, followedText, seenText } from '../../src/report/view-amendments.ts';
import { binaryCases, type CaseTable, evidenceOf } from '../support/evidence.ts';
import { exampleTests } from '../support/examples.ts';
import { amendmentOf, mixedTable, reportOf, viewOf } from '../support/report.ts';

exampleTests('src/report/view.ts', { names: ['decisionSentence'], scope: { decisionSentence } });
exampleTests('src/report/view-amendments.ts', { names: ['seenText'], scope: { seenText } });
exampleTests('src/report/verdict-lines.ts', {
  names: ['headlineOf', 'placeText', 'statisticText', 'furtherText', 'furtherGate', 'needEffect'],
  scope: {
    furtherGate,
    furtherText,
    needEffect,
    headlineOf,
    placeText,
    statisticText,
    verdictLine: () => 'r2: hold | no estimate | controls: none ran',
  },
});

describe('needText', () => {
  const need = { effect: 0.2, units: 61, further: 21, reason: null };

  test('names units and the cost of the further ones, unknown cells apart', () => {
    expect(needText(need)).toBe('61 units (21 more)');
    const cost = { knownUsd: 0.42, unknownCells: 0 };
    expect(needText({ ...need, cost })).toBe('61 units (21 more) for 0.42 USD');
    expect(needText({ ...need, cost: { ...cost, unknownCells: 3 } })).toBe(
      '61 units (21 more) for 0.42 USD, 3 cells of unknown cost',
    );
  });

  test('gives the reason where no number is named', () => {
    const none = { effect: 0, units: null, further: null, reason: 'no number of units would do' };
    expect(needText(none)).toBe('no number of units would do');
  });

  test('names what an audit counts, and the effect on every objective', () => {
    const audited = { gate: 'evaluator:right', of: 'audited-good-units' } as const;
    expect(furtherGate(audited)).toBe('evaluator:right (good units of the audit)');
    const effects = [
      { measure: 'right', effect: 0.2 },
      { measure: 'kind', effect: -0.01 },
    ];
    expect(needEffect({ effect: -0.01, effects })).toBe('right 0.2, kind -0.01');
  });

  test('stands behind words that tell an approximation from the power of the gates', () => {
    const [approximate, simulated] = [
      { method: 'normal-approximation' as const },
      { method: 'simulation' as const },
    ];
    expect(furtherText([simulated, { method: 'exact' }])).toBe(
      "power of each gate's own method, exact or simulation",
    );
    expect(furtherText([simulated, approximate])).toBe(
      'normal approximation, not a simulation of the sealed decision',
    );
    expect(furtherText([{ method: 'exact' }, approximate])).toBe(
      'normal approximation, not a simulation of the sealed decision; exact where units are counted',
    );
  });
});

describe('reportView', () => {
  test('repeats the recorded decisions and exit code and adds none of its own', () => {
    const { document, view } = reportOf(mixedTable(90));
    expect(view.candidates.map((each) => each.decided)).toEqual(document.decisions);
    expect(view.exitCode).toBe(document.verdict.exitCode);
    expect(view.headline).toBe('better may ship');
    expect(view.decision).toBe('ship');
    expect(view.candidates.map((each) => [each.decided.candidate, each.exitCode])).toEqual([
      ['better', 0],
      ['worse', 20],
    ]);
  });

  test('counts units, cases, repeats, cells and attempts apart', () => {
    const cases: CaseTable[] = Array.from({ length: 12 }, (_, at) => ({
      id: `c${at}`,
      unit: `u${at % 4}`,
      cells: {
        baseline: { repeats: [1, 1] },
        next: {
          repeats: [
            1,
            at === 0 ? [{ outcome: 'infrastructureFault' }, { scores: { right: 1 } }] : 1,
          ],
        },
      },
    }));
    const { counts } = viewOf({ cases, repeats: 2, excluded: ['unlabelled'] });
    expect(counts).toEqual({
      inputRows: 13,
      units: 4,
      cases: 12,
      repeats: 2,
      arms: 2,
      plannedCells: 48,
      settledCells: 48,
      attempts: 49,
    });
  });

  test('lists regressions worst first with both arms behind each, capped, and says how many are left out', () => {
    const view = viewOf({ cases: binaryCases({ gains: 5, losses: 40, both: 5 }) });
    const [primary] = view.candidates[0]?.differences ?? [];
    expect(primary).toMatchObject({
      measure: 'right',
      worse: 40,
      equal: 5,
      better: 5,
      lostUnits: [],
      regressionsLeftOut: 15,
    });
    expect(primary?.regressions.map((each) => each.unit)).toEqual(
      Array.from({ length: 25 }, (_, at) => `u${String(at + 6).padStart(3, '0')}`),
    );
    expect(primary?.units.at(-1)?.improvement).toBe(1);
    expect(primary?.regressions[0]).toEqual({
      unit: 'u006',
      improvement: -1,
      pairsLeftOut: 0,
      pairs: [
        {
          case: 'u006',
          repeat: 0,
          improvement: -1,
          baseline: {
            value: 1,
            failed: false,
            outcome: 'completed',
            attempts: 1,
            scores: { right: 1 },
            critical: [],
            artifact: null,
          },
          candidate: {
            value: 0,
            failed: false,
            outcome: 'completed',
            attempts: 1,
            scores: { right: 0 },
            critical: [],
            artifact: null,
          },
        },
      ],
    });
  });

  test('orders the pairs of a unit from worst to best, lost ones last, and counts those it leaves out', () => {
    const scores = [0.5, 1, 0, 0.2, 0.4, 0.9, null];
    const view = viewOf({
      measures: { right: { kind: 'score', min: 0, max: 1, role: 'primary', direction: 'higher' } },
      cases: [
        ...scores.map((right, at) => ({
          id: `c${at}`,
          unit: 'mixed',
          cells: { baseline: 0.8, next: { scores: { right } } },
        })),
        ...binaryCases({ gains: 3 }),
      ],
    });
    const [mixed] = view.candidates[0]?.differences[0]?.regressions ?? [];
    expect(mixed?.pairs.map((pair) => pair.case)).toEqual(['c2', 'c3', 'c4', 'c0', 'c5']);
    expect(mixed?.pairsLeftOut).toBe(2);
  });

  test('shows the pairs that got worse in units whose other pairs make up for them', () => {
    const pairOf = (unit: string, at: number, next: number): CaseTable => ({
      id: `${unit}-${at}`,
      unit,
      cells: { baseline: 1 - next, next },
    });
    const view = viewOf({
      cases: [
        ...[0, 1, 1].map((next, at) => pairOf('gains', at, next)),
        ...[0, 1].map((next, at) => pairOf('evens-out', at, next)),
        ...[1, 1].map((next, at) => pairOf('only-gains', at, next)),
        pairOf('falls', 0, 0),
      ],
    });
    const [primary] = view.candidates[0]?.differences ?? [];
    expect(primary).toMatchObject({ worse: 1, equal: 1, better: 2, coveredLossesLeftOut: 0 });
    expect(primary?.regressions.map((each) => each.unit)).toEqual(['falls']);
    expect(primary?.coveredLosses.map(({ unit, pairs }) => [unit, pairs[0]?.case])).toEqual([
      ['evens-out', 'evens-out-0'],
      ['gains', 'gains-0'],
    ]);
  });

  test('names a failure value as one, and units without a complete pair as lost', () => {
    const view = viewOf({
      cases: [
        { id: 'failed', unit: 'failed', cells: { baseline: 1, next: { outcome: 'agentError' } } },
        { id: 'lost', unit: 'lost', cells: { baseline: 1, next: 'infrastructureFault' } },
        ...binaryCases({ gains: 3 }),
      ],
    });
    const [primary] = view.candidates[0]?.differences ?? [];
    expect(primary?.regressions.map((each) => each.unit)).toEqual(['failed']);
    expect(primary?.regressions[0]?.pairs[0]?.candidate).toMatchObject({
      value: 0,
      failed: true,
      outcome: 'agentError',
    });
    expect(primary?.lostUnits).toEqual(['lost']);
    expect(view.latency.missing).toEqual([{ arm: 'next', cells: 1 }]);
  });

  test('puts threshold, margin and minimum effect on every measure that has them', () => {
    const { measures } = viewOf(mixedTable(90));
    expect(measures.map((each) => [each.measure, each.role])).toEqual([
      ['right', 'primary'],
      ['quality', 'guardrail'],
      ['harm', 'critical'],
      ['spent_ms', 'reported'],
    ]);
    expect(measures.map((each) => each.marks)).toEqual([
      [
        { kind: 'threshold', gate: 'lift:right', value: 0 },
        { kind: 'minimum-effect', gate: 'lift:right', value: 0.1 },
      ],
      [{ kind: 'margin', gate: 'no-regression:quality', value: -0.2 }],
      [],
      [],
    ]);
    expect(measures[0]?.rows.map((each) => [each.candidate, each.gate, each.finding])).toEqual([
      ['better', 'lift:right', 'cleared'],
      ['worse', 'lift:right', 'breached'],
    ]);
    expect(measures[3]?.rows.map((each) => [each.estimate, each.reason])).toEqual([
      [null, 'its units carry no interval'],
      [null, 'its units carry no interval'],
    ]);
  });

  test('sums known cost by arm and counts every class of outcome', () => {
    const { usage } = viewOf({
      cases: [
        {
          id: 'a',
          unit: 'a',
          cells: {
            baseline: 1,
            next: [{ outcome: 'infrastructureFault' }, { scores: { right: 1 } }],
          },
        },
        ...binaryCases({ both: 3 }),
      ],
    });
    expect(usage[1]).toEqual({
      arm: 'next',
      attempts: 5,
      classes: [
        { class: 'completed', count: 4 },
        { class: 'infrastructureFault', count: 1 },
      ],
      execution: { knownUsd: 0.05, known: 5, unknown: 0 },
      grading: { knownUsd: 0, known: 0, unknown: 0 },
      tokens: { input: 0, cachedInput: 0, output: 0, reasoning: 0, known: 0, unknown: 5 },
    });
  });
});

describe('amendmentViews', () => {
  const viewed = (...pointers: string[]) => {
    const changed = pointers.map((pointer) => ({ pointer, from: null, to: null }));
    const amendments = [amendmentOf({ changed })];
    return amendmentViews(evidenceOf({ cases: binaryCases({ gains: 1 }), amendments }).seal)[0];
  };

  test('tells what somebody changed from what follows from it', () => {
    const view = viewed('/analysis/methods/0', '/seeds/rule', '/spec/gates/0/threshold');
    expect(view).toMatchObject({ changed: ['/spec/gates/0/threshold'], followed: 2 });
    expect(followedText({ followed: 2 })).toBe('and 2 members that follow from it');
    expect(followedText({ followed: 1 })).toBe('and 1 member that follows from it');
    expect(followedText({ followed: 0 })).toBe('');
  });

  test('shows what follows from nothing that is left as it is', () => {
    expect(viewed('/digests/cases')).toMatchObject({ changed: ['/digests/cases'], followed: 0 });
  });

  test('is empty for a plan as first sealed', () => {
    expect(viewOf({ cases: binaryCases({ gains: 1 }) }).amendments).toEqual([]);
  });
});
