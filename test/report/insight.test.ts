import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { insightView } from '../../src/report/insight.ts';
import type { InsightRecord, InsightSource, InsightView } from '../../src/report/insight-facts.ts';
import { renderInsightHtml, renderInsightMarkdown } from '../../src/report/insight-page.ts';

const plain: InsightRecord = {
  case: 'c1',
  unit: 'u1',
  arm: 'baseline',
  repeat: 0,
  rater: null,
  outcome: 'completed',
  scores: {},
  usd: null,
  ms: null,
  strata: {},
  split: null,
  input: null,
};

function source(
  records: readonly Partial<InsightRecord>[],
  changes: Partial<InsightSource> = {},
): InsightSource {
  return {
    records: records.map((each) => ({ ...plain, ...each })),
    inputs: [],
    decisions: [],
    baseline: 'baseline',
    lower: new Set(),
    quality: 'right',
    ...changes,
  };
}

/** One record per unit and arm, `right` 0 in the baseline and as given in `next`. */
function pairs(
  values: readonly number[],
  more: Partial<InsightRecord> = {},
): Partial<InsightRecord>[] {
  return values.flatMap((value, at) => {
    const place = { ...more, case: `c${at}`, unit: `u${at}` };
    return [
      { ...place, arm: 'baseline', scores: { right: 0 } },
      { ...place, arm: 'next', scores: { right: value } },
    ];
  });
}

const emptySections: Partial<InsightView> = {
  strata: [],
  frontier: [],
  failures: [],
  agreement: [],
  sharedInputs: null,
  associations: [],
};

describe('insightView', () => {
  test('shows distributions and differences, and no section without its inputs', () => {
    const view = insightView(source(pairs([1, 1, 1, 0])));
    expect(view).toMatchObject({
      ...emptySections,
      arms: ['baseline', 'next'],
      records: 8,
      units: 4,
    });
    expect(view.distributions[1]).toEqual({
      measure: 'right',
      arm: 'next',
      units: 4,
      mean: 0.75,
      standardDeviation: 0.5,
      quantiles: [0, 0.75, 1, 1, 1],
      bins: [1, 0, 0, 0, 0, 0, 0, 0, 0, 3],
    });
    expect(view.differences).toHaveLength(1);
    expect(view.differences[0]).toMatchObject({
      improvement: 0.75,
      lower: expect.closeTo(-0.1073, 4),
      units: 4,
      method: 'Tango',
    });
  });

  test('counts a unit once, however many cases and repeats it has', () => {
    const many = Array.from({ length: 10 }, (_, at) => ({ case: `c${at}`, repeat: at % 2 }));
    const records = many.flatMap((each) => [
      { ...each, scores: { right: 0 } },
      { ...each, arm: 'next', scores: { right: 1 } },
    ]);
    const view = insightView(source(records));
    expect(view.units).toBe(1);
    expect(view.differences[0]).toMatchObject({ units: 1, improvement: 1 });
    expect(view.recommendations).toEqual([]);
  });

  test('turns differences of a measure of which less is better', () => {
    const view = insightView(source(pairs([1, 2, 4]), { lower: new Set(['right']) }));
    expect(view.differences[0]?.improvement).toBeCloseTo(-7 / 3, 12);
    const efficient = insightView(
      source(
        pairs([1, 2]).map((each) => ({ ...each, usd: 0.01 })),
        { lower: new Set(['right']) },
      ),
    ).frontier;
    expect(efficient.map(({ arm, efficient: is }) => [arm, is])).toEqual([
      ['baseline', true],
      ['next', false],
    ]);
  });

  test('has no interval where there is one unit or no spread, and says why', () => {
    const one = insightView(source(pairs([0.5]))).differences[0];
    expect(one).toMatchObject({ lower: null, upper: null, without: 'too-few-units' });
    const same = insightView(source(pairs([0.5, 0.5, 0.5]))).differences[0];
    expect(same).toMatchObject({ lower: null, without: 'constant-differences' });
  });

  test('compares within strata of at least two units', () => {
    const records = [
      ...pairs([1, 1, 1], { strata: { lang: 'de' } }),
      ...pairs([1], { strata: { lang: 'en' } }).map((each) => ({ ...each, unit: 'alone' })),
    ];
    const { strata } = insightView(source(records));
    expect(strata.map(({ stratum, units }) => [stratum, units])).toEqual([['lang=de', 3]]);
  });

  test('marks arms that no other arm beats in cost and quality', () => {
    const arm = (name: string, right: number, usd: number | null) =>
      ['a', 'b'].map((unit) => ({ case: unit, unit, arm: name, scores: { right }, usd }));
    const { frontier } = insightView(
      source([
        ...arm('baseline', 0.5, 0.01),
        ...arm('dear', 0.9, 0.05),
        ...arm('worse', 0.4, 0.02),
        ...arm('unknown', 1, null),
      ]),
    );
    expect(frontier.map((each) => [each.arm, each.efficient])).toEqual([
      ['baseline', true],
      ['dear', true],
      ['worse', false],
    ]);
  });

  test('counts how cells ended, each cell once', () => {
    const { failures, recommendations } = insightView(
      source([
        { outcome: 'agentError', rater: 'ann' },
        { outcome: 'agentError', rater: 'bob' },
        { case: 'c2', outcome: 'completed' },
      ]),
    );
    expect(failures).toEqual([
      {
        arm: 'baseline',
        cells: 2,
        classes: [
          { outcome: 'agentError', count: 1 },
          { outcome: 'completed', count: 1 },
        ],
      },
    ]);
    expect(recommendations[0]).toBe(
      'Look into the failures of baseline first: 1 agentError of 2 cells.',
    );
  });

  test('gives the agreement of several raters, and advises against gating where it is low', () => {
    const rated = (rater: string, values: readonly number[]) =>
      values.map((right, at) => ({ case: `c${at}`, unit: `u${at}`, rater, scores: { right } }));
    const good = insightView(
      source([...rated('ann', [0, 1, 0, 1]), ...rated('bob', [0, 1, 0, 1])]),
    );
    expect(good.agreement).toEqual([
      {
        measure: 'right',
        raters: ['ann', 'bob'],
        cells: 4,
        metric: 'nominal',
        alpha: 1,
        observedAgreement: 1,
        kappa: 1,
      },
    ]);
    expect(good.recommendations).toEqual([]);
    const bad = insightView(source([...rated('ann', [0, 1, 0, 1]), ...rated('bob', [1, 0, 0, 1])]));
    expect(bad.agreement[0]).toMatchObject({ observedAgreement: 0.5, kappa: 0 });
    expect(bad.recommendations[0]).toMatch(/^Do not gate on right as it is rated: 2 raters agree/);
    expect(insightView(source(rated('ann', [0, 1]))).agreement).toEqual([]);
  });

  test('finds inputs that stand in several splits', () => {
    const inputs = [
      { case: 'd1', split: 'train', input: 'x' },
      { case: 'd2', split: 'train', input: 'y' },
    ];
    const records = [{ split: 'final', input: 'x' }];
    const { sharedInputs, recommendations } = insightView(source(records, { inputs }));
    expect(sharedInputs).toEqual({
      inputs: 2,
      shared: [{ splits: ['final', 'train'], cases: ['c1', 'd1'] }],
      leftOut: 0,
    });
    expect(recommendations[0]).toMatch(/^Drop 1 of 2 inputs/);
    expect(insightView(source(records)).sharedInputs).toBeNull();
  });

  test('relates the improvements of two measures over units', () => {
    const records = [1, 5, 2, 4, 3, 7, 6].flatMap((gain, at) => {
      const place = { case: `c${at}`, unit: `u${at}` };
      return [
        { ...place, scores: { a: 0, b: 0 } },
        { ...place, arm: 'next', scores: { a: gain, b: -gain } },
      ];
    });
    const [found] = insightView(source(records, { quality: 'a' })).associations;
    expect(found).toMatchObject({ arm: 'next', first: 'a', second: 'b', units: 7, spearman: -1 });
  });
});

const anyRecord = fc.record({
  case: fc.constantFrom('c1', 'c2', 'c3', 'c4', 'c5', 'c6'),
  arm: fc.constantFrom('baseline', 'next', 'other'),
  rater: fc.constantFrom(null, 'ann', 'bob'),
  outcome: fc.constantFrom('completed', 'agentError'),
  scores: fc.dictionary(fc.constantFrom('right', 'tone'), fc.constantFrom(0, 1, 0.5, null)),
  usd: fc.constantFrom(null, 0, 0.01),
  strata: fc.dictionary(fc.constantFrom('lang'), fc.constantFrom('de', 'en')),
  split: fc.constantFrom(null, 'train', 'final'),
  input: fc.constantFrom(null, 'x', 'y'),
});
const anySource = fc
  .array(anyRecord, { minLength: 1, maxLength: 40 })
  .map((records) => source(records.map((each) => ({ ...each, unit: each.case }))));

describe('recommendations', () => {
  test('speak of release only where a gate decided it, and never against it', () => {
    const decisions = fc.array(
      fc.record({
        source: fc.constant('runs/1'),
        candidate: fc.constantFrom('next', 'other'),
        decision: fc.constantFrom('ship', 'hold', 'need_more_work'),
        reason: fc.constant('as judged'),
      }),
      { maxLength: 2 },
    );
    fc.assert(
      fc.property(anySource, decisions, (given, recorded) => {
        const { recommendations } = insightView({ ...given, decisions: recorded });
        const [told, own] = [
          recommendations.slice(0, recorded.length),
          recommendations.slice(recorded.length),
        ];
        recorded.forEach(({ candidate, decision }, at) => {
          const word = decision === 'ship' ? 'may ship' : 'was not released';
          expect(told[at]).toContain(`${candidate} ${word}`);
        });
        expect(own.filter((text) => /\bship|releas/i.test(text))).toEqual([]);
        const judged = recorded.map(({ candidate }) => `${candidate} looks better`);
        expect(own.filter((text) => judged.some((start) => text.startsWith(start)))).toEqual([]);
      }),
      { seed: 20261130, numRuns: 300 },
    );
  });

  test('and everything else do not depend on the order of the records', () => {
    fc.assert(
      fc.property(anySource, (given) => {
        const unrated = given.records.filter(
          (each, at, all) =>
            all.findIndex(
              (other) =>
                other.case === each.case && other.arm === each.arm && other.rater === each.rater,
            ) === at && each.rater === null,
        );
        fc.pre(unrated.length > 0);
        const view = insightView({ ...given, records: unrated });
        expect(insightView({ ...given, records: unrated.toReversed() })).toEqual(view);
      }),
      { seed: 20261130, numRuns: 200 },
    );
  });
});

test('a hundred thousand records of one unit and one arm are described in seconds', () => {
  const records = Array.from({ length: 150_000 }, (_, at) => ({
    case: `c${at}`,
    scores: { right: at % 2 },
  }));
  const started = performance.now();
  expect(insightView(source(records)).distributions[0]).toMatchObject({ units: 1, mean: 0.5 });
  expect(performance.now() - started).toBeLessThan(20_000);
});

describe('the pages', () => {
  const hostile = '<img src=x onerror=alert(1)>|`#\u202e';
  const view = insightView(
    source(
      [
        ...pairs([1, 1, 0, 1, 1, 1], { strata: { [hostile]: hostile }, outcome: hostile }),
        { split: hostile, input: 'x', case: hostile },
        { split: 'final', input: 'x', rater: hostile, scores: { [hostile]: 1 } },
      ],
      { decisions: [{ source: hostile, candidate: hostile, decision: 'hold', reason: hostile }] },
    ),
  );

  test('escape whatever records hold', () => {
    const page = renderInsightHtml(view);
    expect(page).not.toMatch(/<img|\u202e/);
    expect(page).toContain('&lt;img');
    const text = renderInsightMarkdown(view);
    expect(text).not.toMatch(/(?<!\\)<img|\u202e/);
  });

  test('say on both that no release follows, and list every section that has rows', () => {
    for (const text of [renderInsightHtml(view), renderInsightMarkdown(view)]) {
      expect(text).toContain('No release follows from it.');
      for (const title of ['Recorded decisions', 'Distributions', 'Differences', 'How cells ended'])
        expect(text).toContain(title);
      expect(text).not.toContain('Agreement of raters');
    }
  });
});
