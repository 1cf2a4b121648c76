import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { gateFindings } from '../../src/spec/rules-gates.ts';
import { normalUpper, normalUpperQuantile } from '../../src/stats/distribution.ts';
import { uniformStream } from '../../src/stats/draws.ts';
import { mcnemarExact, pairedRiskDifferenceBounds } from '../../src/stats/paired-binary.ts';
import type { CaseTable, EvidenceTable } from '../support/evidence.ts';
import { rightMeasure } from '../support/evidence.ts';
import { gateOf, judged, ownPlan } from '../support/judged.ts';
import { computed, testSeed } from '../support/statistics.ts';
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

type Outcome = 'both' | 'onlyCandidate' | 'onlyBaseline';
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

describe('further units of pareto', () => {
  const power = { gate: 'power', target: 0.8, atEffect: 0.2 };
  const open = units([
    ...times(6, { right: 0, kind: 1 }, same),
    ...times(3, { right: 1, kind: 1 }, { right: 0, kind: 0 }),
    ...times(2, { right: 1, kind: 0 }, same),
    ...times(49, same, same),
  ]);
  const table: EvidenceTable = { measures, gates: [pareto, power], cases: open };
  const planOf = (more: Partial<EvidenceTable> = {}) => {
    const plans = judged({ ...table, ...more }).furtherUnits;
    expect(plans.map(({ gate }) => gate)).toEqual(['pareto']);
    return plans[0];
  };

  test('are those at which the chances to miss a floor or the gain add up to what the target leaves', () => {
    const plan = planOf();
    expect(plan).toMatchObject({ method: 'normal-approximation', target: 0.8 });
    const seen = [
      { measure: 'right', effect: 0.05 },
      { measure: 'kind', effect: -0.0166666666667 },
    ];
    expect(plan?.atObserved.effects).toEqual(seen);
    // Kind is nearer to its floor; its room is 0.083 in deviations of 0.29.
    expect(plan?.atObserved.effect).toBe(-0.0166666666667);
    const miss = (count: number): number => {
      const [gain, floor] = [0.05 / Math.sqrt(0.15), (0.1 - 1 / 60) / Math.sqrt(0.0844633)];
      return [gain, floor].reduce(
        (total, room) => total + normalUpper(Math.sqrt(count) * room - normalUpperQuantile(0.0125)),
        0,
      );
    };
    const needed = plan?.atObserved.units ?? 0;
    expect(miss(needed)).toBeLessThanOrEqual(0.2);
    expect(miss(Math.floor(0.97 * needed))).toBeGreaterThan(0.2);
    expect(plan?.atEffect?.effects).toEqual([
      { measure: 'right', effect: 0.2 },
      { measure: 'kind', effect: 0 },
    ]);
    expect(plan?.atObserved.further).toBe(needed - 60);
  });

  test.each([
    [
      'an objective at its floor',
      [...times(6, { right: 0, kind: 1 }, { right: 1, kind: 0 }), ...times(54, same, same)],
    ],
    ['no objective better', [...times(2, same, { right: 0, kind: 1 }), ...times(58, same, same)]],
  ])('are none with %s', (_, rows) => {
    expect(planOf({ cases: units(rows) })?.atObserved).toMatchObject({
      units: null,
      further: null,
      reason: 'no number of units would do',
    });
  });

  test('are simulated from whole units read by the sealed methods, with their cost', () => {
    const plan = ownPlan(table, 'pareto');
    expect(plan).toMatchObject({ method: 'simulation', simulations: 400 });
    const { units: needed, further, cost } = plan.atObserved;
    expect(cost?.knownUsd).toBeCloseTo(0.02 * (further ?? 0), 10);
    const uniform = uniformStream(testSeed(7), 'units');
    const list = (...parts: readonly (readonly [count: number, outcome: Outcome])[]) =>
      parts.flatMap(([count, outcome]) => upTo(count, () => outcome));
    // What the 60 units gave: 6 gains and 3 losses of right, 2 gains and 3 losses of kind.
    const seen = [
      list([6, 'onlyCandidate'], [3, 'onlyBaseline'], [51, 'both']),
      list([6, 'both'], [3, 'onlyBaseline'], [2, 'onlyCandidate'], [49, 'both']),
    ];
    const drawn = (count: number): boolean => {
      const places = upTo(count, () => Math.floor(uniform() * 60));
      const read = seen.map((outcomes) => {
        const counts = { both: 0, onlyCandidate: 0, onlyBaseline: 0, neither: 0 };
        for (const place of places) counts[outcomes[place] ?? 'neither'] += 1;
        const { lower } = computed(pairedRiskDifferenceBounds(counts, 0.0125));
        return { lower, gains: lower > 0 && mcnemarExact(counts).pGreater <= 0.0125 };
      });
      return read.every(({ lower }) => lower > -0.1) && read.some(({ gains }) => gains);
    };
    let cleared = 0;
    for (let at = 0; at < 400; at += 1) if (drawn(needed ?? 0)) cleared += 1;
    // Two simulations of 400 each, and a search within 2 %.
    expect(cleared / 400).toBeGreaterThan(0.73);
    expect(cleared / 400).toBeLessThan(0.88);
    // What was seen is far from what is planned: an improvement of 0.2 in one of six units is soon found.
    expect(plan.atEffect?.units).toBeLessThan((needed ?? 0) / 3);
  });

  test('follow the error that the joint law divides less under max-t', () => {
    const joint = planOf({ multiplicity: 'max-t' })?.atObserved.units ?? Number.POSITIVE_INFINITY;
    expect(joint).toBeLessThanOrEqual(planOf()?.atObserved.units ?? 0);
  });

  test('of a fixed roster are repeats', () => {
    const noise = [0.3, -0.2, 0.1, -0.1];
    const cases = upTo(4, (at): CaseTable => {
      const cell = (value: number) => ({ scores: { brief: value, calm: value } });
      const repeats = upTo(3, (of) => cell(0.5 + (noise[(at + of) % 4] ?? 0)));
      return { id: `c${at}`, unit: `u${at}`, cells: { baseline: cell(0.48), next: { repeats } } };
    });
    const score = { kind: 'score', min: 0, max: 1, direction: 'higher' };
    const listed: EvidenceTable = {
      cases,
      repeats: 3,
      claim: { generalization: 'fixed-roster' },
      measures: { brief: { ...score, role: 'primary' }, calm: { ...score, role: 'guardrail' } },
      gates: [
        {
          gate: 'pareto',
          objectives: [
            { measure: 'brief', margin: 0.3 },
            { measure: 'calm', margin: 0.3 },
          ],
        },
      ],
    };
    expect(planOf(listed)?.atObserved).toMatchObject({
      units: null,
      reason: expect.stringMatching(/roster/),
    });
    const { repeats, units: named } = ownPlan(listed, 'pareto').atObserved;
    expect(named).toBeNull();
    expect(repeats?.all).toBeGreaterThan(3);
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
