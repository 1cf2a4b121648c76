import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { quantileRanks } from '../../src/stats/percentile.ts';
import type { Attempt, CaseTable, CellTable, EvidenceTable } from '../support/evidence.ts';
import { rightMeasure } from '../support/evidence.ts';
import { gateOf, judged } from '../support/judged.ts';

const measures = {
  right: rightMeasure,
  ms: { kind: 'duration', role: 'guardrail', direction: 'lower' },
};

type Cell = Attempt | 'infrastructureFault' | 'agentError';

function took(ms: number): Attempt {
  return { scores: { right: 1, ms } };
}

function timedCases(next: readonly Cell[], baseline: (at: number) => Cell): CaseTable[] {
  return next.map((cell, at) => {
    const id = `u${String(at).padStart(3, '0')}`;
    return { id, unit: id, cells: { baseline: baseline(at), next: cell } };
  });
}

function latencyOf(
  gate: Readonly<Record<string, unknown>>,
  cases: readonly CaseTable[],
  table: Partial<EvidenceTable> = {},
) {
  const gates = [{ gate: 'latency', measure: 'ms', ...gate }];
  const found = judged({ measures, cases, gates, ...table });
  return { ...gateOf(found, 'latency:ms'), decision: found.decision };
}

describe('latency by maxRatio', () => {
  /** Candidate times around a factor of the baseline's, which vary. */
  const scaled = (factor: number, units = 40): CaseTable[] =>
    timedCases(
      Array.from({ length: units }, (_, at) => took((100 + at) * factor * (1 + (at % 7) / 50))),
      (at) => took(100 + at),
    );

  test('clears when the upper bound of the ratio is below it, at the error of lifts', () => {
    const found = latencyOf({ maxRatio: 1.2 }, scaled(1));
    expect(found).toMatchObject({
      finding: 'cleared',
      threshold: 1.2,
      errorLevel: 0.025,
      n: { units: 40, pairs: 40 },
      estimate: { scale: 'log-ratio', method: 't-bootstrap-t' },
      decision: 'ship',
    });
    // The mean ratio is about 1.06: the bound lies beyond it and on the side of slower.
    expect(found.statistic).toBeGreaterThan(1.058);
    expect(found.statistic).toBeLessThan(1.08);
    expect(found.reason).toMatch(/^the upper bound 1\.0\d+ of the ratio is below 1\.2$/);
    expect(Math.exp(-(found.estimate?.interval.lower ?? 0))).toBeCloseTo(found.statistic ?? 0, 10);
  });

  test('is unresolved when the interval includes it, breached when it lies beyond', () => {
    expect(latencyOf({ maxRatio: 1.06 }, scaled(1))).toMatchObject({
      finding: 'unresolved',
      reason: expect.stringMatching(/^the ratio 1\.0\d+ \.\. 1\.0\d+ includes 1\.06$/),
      decision: 'need_more_work',
    });
    expect(latencyOf({ maxRatio: 1.2 }, scaled(1.5))).toMatchObject({
      finding: 'breached',
      reason: expect.stringMatching(
        /^the ratio 1\.5\d+ \.\. 1\.6\d* lies wholly at or above 1\.2$/,
      ),
      decision: 'hold',
    });
  });

  test('below 1 asks the candidate to be faster', () => {
    expect(latencyOf({ maxRatio: 0.8 }, scaled(0.5)).finding).toBe('cleared');
    expect(latencyOf({ maxRatio: 0.8 }, scaled(1)).finding).toBe('breached');
  });

  test('is insufficient below ten units, indeterminate where every unit has one ratio', () => {
    expect(latencyOf({ maxRatio: 1.2 }, scaled(1, 9)).finding).toBe('insufficient');
    const constant = timedCases(
      Array.from({ length: 30 }, (_, at) => took(100 + at)),
      (at) => took(100 + at),
    );
    expect(latencyOf({ maxRatio: 1.2 }, constant).finding).toBe('indeterminate');
  });

  test('plans further units for what is unresolved', () => {
    const gates = [{ gate: 'latency', measure: 'ms', maxRatio: 1.06 }];
    const { furtherUnits } = judged({ measures, cases: scaled(1), gates });
    expect(furtherUnits.map((each) => [each.gate, each.atEffect])).toEqual([
      ['latency:ms', { effect: 0, units: expect.any(Number), further: 0, reason: null }],
    ]);
  });
});

describe('latency by a quantile', () => {
  const gate = { quantile: 0.95, max: 200 };
  const any = (): Cell => took(1000);
  const upTo = (units: number, slow = 0): Attempt[] =>
    Array.from({ length: units }, (_, at) => took(at < slow ? 900 : 100 + at / 10));

  test('clears when the order statistic that bounds it is below max', () => {
    expect(latencyOf(gate, timedCases(upTo(80, 0), any))).toMatchObject({
      finding: 'cleared',
      statistic: 107.9,
      threshold: 200,
      errorLevel: 0.025,
      n: { units: 80, pairs: 0, cells: 80, discordant: 0 },
      reason: 'the 0.95 quantile of 80 units is 107.5; its upper bound 107.9 is below 200',
      estimate: null,
      decision: 'ship',
    });
  });

  test('is unresolved when the bounds straddle max, breached when the lower one reaches it', () => {
    expect(latencyOf(gate, timedCases(upTo(80, 1), any))).toMatchObject({
      finding: 'unresolved',
      statistic: 900,
      decision: 'need_more_work',
    });
    expect(latencyOf(gate, timedCases(upTo(80, 20), any))).toMatchObject({
      finding: 'breached',
      statistic: 900,
      reason: 'the 0.95 quantile of 80 units is 900; its lower bound 900 is at or above 200',
      decision: 'hold',
    });
  });

  test('says how many units would do where too few bound it, and that the quantile is only the slowest', () => {
    expect(latencyOf(gate, timedCases(upTo(19), any))).toMatchObject({
      finding: 'insufficient',
      statistic: null,
      reason:
        'the 0.95 quantile of 19 units, only the slowest, is 101.8; an upper bound needs 72 units at this error',
      flags: [],
      decision: 'need_more_work',
    });
    expect(latencyOf(gate, timedCases(upTo(71), any)).finding).toBe('insufficient');
    expect(latencyOf(gate, timedCases(upTo(72), any)).finding).toBe('cleared');
  });

  test('is breached by few units that are all too slow', () => {
    expect(latencyOf(gate, timedCases(upTo(19, 19), any)).finding).toBe('breached');
  });

  test('counts a missing cell as slower where it would clear and as faster where it would breach', () => {
    const one: Cell[] = [...upTo(90), 'infrastructureFault'];
    expect(latencyOf(gate, timedCases(one, any))).toMatchObject({
      finding: 'insufficient',
      flags: ['lost-by-fault'],
      reason:
        'the 0.95 quantile of 90 units is 108.5; 1 of 91 units lack a cell, which may be the slowest',
    });
    const many: Cell[] = [...upTo(140), 'infrastructureFault'];
    expect(latencyOf(gate, timedCases(many, any)).finding).toBe('cleared');
    const outage: Cell[] = [
      ...upTo(10, 10),
      ...Array.from({ length: 90 }, () => 'infrastructureFault' as const),
    ];
    expect(latencyOf(gate, timedCases(outage, any)).finding).toBe('insufficient');
    const crash: Cell[] = [...upTo(90), 'agentError'];
    expect(latencyOf(gate, timedCases(crash, any))).toMatchObject({
      finding: 'insufficient',
      flags: [],
    });
  });

  test('takes the slowest cell of a unit, and makes one unit of its repeats', () => {
    const cases = timedCases(upTo(80), any).map((each) => ({
      ...each,
      cells: {
        baseline: took(1000),
        next: { repeats: [took(150), took(100), took(120)] satisfies CellTable[] },
      },
    }));
    expect(latencyOf(gate, cases, { repeats: 3 })).toMatchObject({
      statistic: 150,
      n: { units: 80, cells: 240 },
    });
  });

  test('misses a true quantile at most at its error, also where values tie', () => {
    // A unit is slow with probability 1/20 exactly: the 0.95 quantile is fast, and only its upper bound may miss.
    let breaches = 0;
    const error = 0.025;
    for (let units = 20; units <= 120; units += 20) {
      const { lower } = quantileRanks(units, { quantile: 0.95, error });
      for (let slow = 0; slow <= units; slow += 1) {
        const found = latencyOf(gate, timedCases(upTo(units, slow), any)).finding;
        expect(found === 'breached').toBe(lower !== null && units - slow < lower);
        breaches += found === 'breached' ? 1 : 0;
        if (slow > units / 2) break;
      }
    }
    expect(breaches).toBeGreaterThan(50);
  });

  test('shares its error in Holm’s order', () => {
    const cases = timedCases(upTo(80), any).map((each) => ({
      ...each,
      cells: { ...each.cells, other: took(100) },
    }));
    const gates = [{ gate: 'latency', measure: 'ms', ...gate }];
    const found = judged({ measures, cases, gates, candidates: ['next', 'other'] });
    expect(gateOf(found, 'latency:ms')).toMatchObject({
      finding: 'insufficient',
      errorLevel: 0.0125,
      reason: expect.stringContaining('an upper bound needs 86 units at this error'),
    });
  });
});

function spent(own: number | null, other: number | null, of: 'tokens' | 'usd') {
  const usage = (value: number | null): Attempt => ({
    scores: { right: 1 },
    usage:
      of === 'usd'
        ? { costUsd: value, costKnown: value !== null }
        : {
            tokens: { input: value ?? 5, cachedInput: 0, output: 0, reasoning: 0 },
            tokensKnown: value !== null,
          },
  });
  return { baseline: usage(other), next: usage(own) };
}

type Cells = CaseTable['cells'];

function matchedOf(of: 'tokens' | 'usd', cells: readonly Cells[], tolerance = 0.1) {
  const cases = cells.map((each, at) => ({ id: `u${at}`, unit: `u${at}`, cells: each }));
  const gates = [{ gate: 'matched-budget', of, tolerance }];
  const found = judged({ cases, gates });
  return { ...gateOf(found, `matched-budget:${of}`), decision: found.decision };
}

describe.each(['tokens', 'usd'] as const)('matched-budget of %s', (of) => {
  const many = (own: number | null, other: number | null): Cells[] =>
    Array.from({ length: 5 }, () => spent(own, other, of));

  test('clears within the tolerance, whichever arm spent more', () => {
    expect(matchedOf(of, many(110, 100))).toMatchObject({
      finding: 'cleared',
      statistic: 0.1,
      threshold: 0.1,
      errorLevel: null,
      n: { units: 5, pairs: 5, cells: 10, discordant: 5 },
      reason: `over 5 complete pairs the candidate spent 550 ${of}, the baseline 500: within 0.1`,
    });
    expect(matchedOf(of, many(100, 110))).toMatchObject({ finding: 'cleared', statistic: 0.1 });
    expect(matchedOf(of, many(0, 0))).toMatchObject({ finding: 'cleared', statistic: 0 });
  });

  test('is breached outside it, whichever arm spent more', () => {
    expect(matchedOf(of, many(111, 100))).toMatchObject({ finding: 'breached', statistic: 0.11 });
    expect(matchedOf(of, many(100, 111))).toMatchObject({
      finding: 'breached',
      reason: `over 5 complete pairs the candidate spent 500 ${of}, the baseline 555: not within 0.1`,
      decision: 'hold',
    });
    expect(matchedOf(of, many(1, 0))).toMatchObject({ finding: 'breached', statistic: null });
  });

  test('compares totals, not single pairs', () => {
    const uneven = [spent(200, 100, of), spent(100, 200, of)];
    expect(matchedOf(of, uneven, 0)).toMatchObject({ finding: 'cleared', statistic: 0 });
  });

  test('is insufficient with one unknown amount, whatever the others are', () => {
    const cells = [...many(500, 100), spent(100, null, of)];
    expect(matchedOf(of, cells)).toMatchObject({
      status: 'not_evaluated',
      finding: 'insufficient',
      statistic: null,
      reason: `the ${of} of 1 of 6 complete pairs are not known`,
      decision: 'need_more_work',
    });
  });

  test('leaves a pair with a missing cell out, and breaches nothing while one is missing', () => {
    const lost: Cells = { ...spent(100, 100, of), next: 'infrastructureFault' };
    expect(matchedOf(of, [...many(100, 100), lost])).toMatchObject({ finding: 'cleared' });
    expect(matchedOf(of, [...many(200, 100), lost])).toMatchObject({
      finding: 'insufficient',
      flags: ['lost-by-fault'],
      reason: expect.stringContaining('not within 0.1, but the missing cells could undo it'),
    });
    expect(matchedOf(of, [lost]).reason).toBe('no pair is complete');
  });

  test('is the same in any order of pairs, and for the arms exchanged', () => {
    const amount = fc.integer({ min: 0, max: 20 });
    fc.assert(
      fc.property(fc.array(fc.tuple(amount, amount), { minLength: 1, maxLength: 8 }), (pairs) => {
        const [straight, turned, swapped] = [
          pairs,
          [...pairs].reverse(),
          pairs.map(([own, other]) => [other, own] as const),
        ].map((each) =>
          matchedOf(
            of,
            each.map(([own, other]) => spent(own, other, of)),
          ),
        );
        expect(turned).toEqual(straight);
        expect([swapped?.finding, swapped?.statistic]).toEqual([
          straight?.finding,
          straight?.statistic,
        ]);
      }),
      { numRuns: 40, seed: 4 },
    );
  });
});

test('matched-budget reads the attempt that settled a cell and nothing of its grading', () => {
  const retried: Cells = {
    ...spent(100, 100, 'usd'),
    next: [
      { outcome: 'infrastructureFault', usage: { costUsd: null, costKnown: false } },
      {
        scores: { right: 1 },
        usage: { costUsd: 100 },
        gradeUsage: { costUsd: 7, costKnown: true },
      },
    ],
  };
  expect(matchedOf('usd', [retried], 0)).toMatchObject({ finding: 'cleared', statistic: 0 });
});
