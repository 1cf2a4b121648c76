import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { gateFindings } from '../../src/spec/rules-gates.ts';
import type { CaseTable, EvidenceTable } from '../support/evidence.ts';
import { rightMeasure } from '../support/evidence.ts';
import { gateOf, judged } from '../support/judged.ts';
import { guardrail, upTo } from '../support/two-measures.ts';

const measures = {
  right: rightMeasure,
  kind: guardrail,
  brief: { kind: 'score', min: 0, max: 1, role: 'guardrail', direction: 'higher' },
};
const objectives = [
  { measure: 'right', margin: 0.1 },
  { measure: 'kind', margin: 0.1 },
];
const pareto = { gate: 'pareto', objectives };

type Scores = Readonly<Record<string, number>>;

function units(rows: readonly (readonly [baseline: Scores, next: Scores])[]): CaseTable[] {
  return rows.map(([baseline, next], at) => {
    const id = `u${String(at).padStart(3, '0')}`;
    return { id, unit: id, cells: { baseline: { scores: baseline }, next: { scores: next } } };
  });
}

function times(count: number, baseline: Scores, next: Scores) {
  return upTo(count, () => [baseline, next] as const);
}

function found(cases: readonly CaseTable[], more: Partial<EvidenceTable> = {}) {
  const judgement = judged({ measures, gates: [pareto], cases, ...more });
  return { ...gateOf(judgement, 'pareto'), decision: judgement.decision };
}

const same = { right: 1, kind: 1 };

describe('pareto', () => {
  test('clears when one objective is better and none falls below its floor, at the error divided by the objectives', () => {
    const better = found(
      units([...times(20, { right: 0, kind: 1 }, same), ...times(80, same, same)]),
    );
    expect(better).toMatchObject({
      finding: 'cleared',
      statistic: 1,
      threshold: 1,
      errorLevel: 0.0125,
      n: { units: 100 },
      reason: expect.stringMatching(
        /^right 0\.2 \(0\.\d+ \.\. 0\.\d+\) is above its floor -0\.1 and better; kind 0 \(-0\.0\d+ \.\. 0\.0\d+\) is above its floor -0\.1$/,
      ),
      decision: 'ship',
    });
  });

  test('asks for more without a gain: to be no worse in everything is not to be better', () => {
    expect(found(units(times(100, same, same)))).toMatchObject({
      finding: 'unresolved',
      statistic: 0,
      decision: 'need_more_work',
    });
  });

  test('is breached by one objective below its floor, whatever the others gain', () => {
    expect(
      found(
        units([
          ...times(60, { right: 0, kind: 1 }, { right: 1, kind: 0 }),
          ...times(40, same, same),
        ]),
      ),
    ).toMatchObject({
      finding: 'breached',
      reason: expect.stringMatching(/^kind falls below its floor: /),
      decision: 'hold',
    });
  });

  test('is breached when nothing can be better', () => {
    expect(
      found(units([...times(16, same, { right: 0, kind: 0 }), ...times(184, same, same)]), {
        gates: [
          { gate: 'pareto', objectives: objectives.map((each) => ({ ...each, margin: 0.3 })) },
        ],
      }),
    ).toMatchObject({
      finding: 'breached',
      reason: expect.stringMatching(/^no objective is better: /),
    });
  });

  test('is insufficient where an objective has no unit', () => {
    const cases = units(times(30, { right: 0 }, { right: 1 })).map((each) => ({
      ...each,
      applies: ['right'],
    }));
    expect(found(cases)).toMatchObject({
      finding: 'insufficient',
      reason: expect.stringMatching(/^kind: no unit has a complete pair; /),
    });
  });

  test('never breaches by what an outage took', () => {
    const lost = upTo(70, (at): CaseTable => {
      return {
        id: `v${at}`,
        unit: `v${at}`,
        cells: { baseline: { scores: same }, next: 'cancelled' },
      };
    });
    const fallen = units(times(8, { right: 0, kind: 1 }, { right: 1, kind: 0 }));
    expect(found([...fallen, ...lost], { maxLostShare: 0.9 })).toMatchObject({
      finding: 'insufficient',
      flags: expect.arrayContaining(['lost-by-fault']),
      decision: 'need_more_work',
    });
  });

  test('takes a place in the order of candidates', () => {
    const cases = units([...times(20, { right: 0, kind: 1 }, same), ...times(80, same, same)]).map(
      (each) => ({ ...each, cells: { ...each.cells, other: { scores: same } } }),
    );
    const both = judged({ measures, gates: [pareto], cases, candidates: ['next', 'other'] });
    expect(gateOf(both, 'pareto').errorLevel).toBe(0.00625);
  });

  test('a better cell never turns a cleared gate into another', () => {
    const score = fc.constantFrom(0, 1);
    const row = fc.tuple(score, score, score, score);
    let cleared = 0;
    fc.assert(
      fc.property(fc.array(row, { minLength: 20, maxLength: 40 }), fc.nat(19), (drawn, at) => {
        const rows = (change: (next: Scores) => Scores) =>
          units(
            drawn.map(([a, b, c, d], index) => {
              const [baseline, next] =
                index % 4 === 0
                  ? [
                      { right: a, kind: b },
                      { right: c, kind: d },
                    ]
                  : [{ right: 0, kind: 1 }, same];
              return [baseline, index === at ? change(next) : next] as const;
            }),
          );
        const gates = [
          { gate: 'pareto', objectives: objectives.map((each) => ({ ...each, margin: 0.3 })) },
        ];
        const before = found(
          rows((next) => next),
          { gates },
        ).finding;
        const after = found(
          rows(() => same),
          { gates },
        ).finding;
        if (before === 'cleared') {
          cleared += 1;
          expect(after).toBe('cleared');
        }
      }),
      { numRuns: 40, seed: 61 },
    );
    expect(cleared).toBeGreaterThan(5);
  });
});

describe('rules', () => {
  const spec = (list: readonly unknown[]) =>
    gateFindings({
      measures: {
        ...measures,
        right: { ...rightMeasure, scale: 1 },
        kind: { ...guardrail, scale: 1 },
        ms: { kind: 'duration', role: 'reported', direction: 'lower' },
      },
      arms: {},
      gates: [{ gate: 'pareto', objectives: list, required: true }],
    } as never).map(({ code }) => code);
  const brief = { measure: 'brief', margin: 0.1 };

  test.each([
    [[...objectives, brief], []],
    [[objectives[0], objectives[0], objectives[1], brief], ['name-twice']],
    [[...objectives, brief, { measure: 'nobody', margin: 0 }], ['unknown-measure']],
    [[...objectives, brief, { measure: 'ms', margin: 0 }], ['gate-role']],
    [[objectives[0], brief, { measure: 'kind', margin: 0.6 }], ['margin-too-wide']],
    [[objectives[0], brief], ['guardrail-ungated']],
  ])('%j', (list, codes) => {
    expect(spec(list)).toEqual(codes);
  });
});
