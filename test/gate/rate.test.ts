import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { judgeEvidence } from '../../src/gate/judge.ts';
import {
  type CaseTable,
  type CellTable,
  type EvidenceTable,
  evidenceOf,
  rightMeasure,
} from '../support/evidence.ts';
import { gateOf, judged } from '../support/judged.ts';
import { refusedBy } from '../support/refused-by.ts';

type RateTable = Partial<EvidenceTable> & { readonly gate?: Readonly<Record<string, unknown>> };

/** Units whose candidate has these values and whose baseline fails. */
function unitsOf(next: readonly CellTable[], baseline: CellTable = 0): CaseTable[] {
  return next.map((cell, at) => {
    const id = `u${String(at).padStart(3, '0')}`;
    return { id, unit: id, cells: { baseline, next: cell } };
  });
}

function ones(count: number, units: number): number[] {
  return Array.from({ length: units }, (_, at) => (at < count ? 1 : 0));
}

function rateOf(next: readonly CellTable[], { gate, ...table }: RateTable) {
  const declared = { gate: 'rate', name: 'rate', measure: 'right', arm: 'candidate', ...gate };
  const found = judged({ cases: unitsOf(next), gates: [declared], ...table });
  return { ...gateOf(found, 'rate'), decision: found.decision };
}

describe('a rate with a minimum', () => {
  const atLeast = (min: number): RateTable => ({ gate: { min } });

  test('clears when the exact lower bound is above it, with the error of rates', () => {
    expect(rateOf(ones(56, 60), atLeast(0.8))).toMatchObject({
      status: 'pass',
      finding: 'cleared',
      statistic: 0.853902794549,
      threshold: 0.8,
      errorLevel: 0.05,
      n: { units: 60, pairs: 0, cells: 60, discordant: 0 },
      reason:
        '56 of 60 candidate units, 0.9333 (Wilson 0.8407 .. 0.9738): the lower bound 0.8539 is above 0.8',
      decision: 'ship',
    });
  });

  test('is unresolved when the bounds straddle it', () => {
    expect(rateOf(ones(50, 60), atLeast(0.8))).toMatchObject({
      finding: 'unresolved',
      decision: 'need_more_work',
      reason: expect.stringContaining('is not above 0.8'),
    });
  });

  test('is breached when the exact upper bound does not reach it', () => {
    const found = rateOf(ones(30, 60), atLeast(0.8));
    expect(found).toMatchObject({ finding: 'breached', decision: 'hold' });
    expect(found.reason).toMatch(/: the upper bound 0\.6\d+ is at or below 0\.8$/);
    expect(found.statistic).toBeLessThan(0.8);
  });

  test('needs units: all of 13 do not clear 80 %, all of 14 do', () => {
    expect(rateOf(ones(13, 13), atLeast(0.8)).finding).toBe('unresolved');
    expect(rateOf(ones(14, 14), atLeast(0.8)).finding).toBe('cleared');
  });
});

describe('a rate with a maximum', () => {
  const atMost = (max: number): RateTable => ({ gate: { max } });

  test('clears 5 % with none of 59 units, and with none of 9 it does not', () => {
    expect(rateOf(ones(0, 59), atMost(0.05))).toMatchObject({
      finding: 'cleared',
      reason: expect.stringContaining('0 of 59 candidate units, 0 (Wilson 0 .. '),
    });
    expect(rateOf(ones(0, 58), atMost(0.05)).finding).toBe('unresolved');
    expect(rateOf(ones(0, 9), atMost(0.05)).finding).toBe('unresolved');
  });

  test('is breached when the exact lower bound reaches it', () => {
    const found = rateOf(ones(20, 59), atMost(0.05));
    expect(found).toMatchObject({ finding: 'breached', decision: 'hold' });
    expect(found.reason).toMatch(/is at or above 0\.05$/);
  });
});

describe('a rate', () => {
  test('is a rate whatever the direction, and a share whatever the scale', () => {
    const lower = { right: { ...rightMeasure, direction: 'lower', scale: 100 } };
    const cells = ones(56, 60).map((value) => ({ scores: { right: 100 * value } }));
    const found = rateOf(cells, {
      measures: lower,
      gate: { min: 0.8 },
      cases: unitsOf(cells, { scores: { right: 0 } }),
    });
    expect(found).toMatchObject({ finding: 'cleared', statistic: 0.853902794549 });
  });

  test('of the baseline reads the baseline, and says so', () => {
    const found = rateOf(ones(0, 60), {
      cases: unitsOf(ones(0, 60), 1),
      gate: { arm: 'baseline', min: 0.9 },
    });
    expect(found).toMatchObject({
      finding: 'cleared',
      reason: expect.stringMatching(/^60 of 60 baseline units, 1 /),
    });
  });

  test('counts applicable units alone, and without one is insufficient', () => {
    const applies = (which: (at: number) => boolean) =>
      unitsOf(ones(60, 60)).map((each, at) => ({ ...each, applies: which(at) ? ['right'] : [] }));
    const some = rateOf([], { cases: applies((at) => at < 20), gate: { min: 0.8 } });
    expect(some).toMatchObject({ finding: 'cleared', n: { units: 20, cells: 20 } });
    const none = rateOf([], { cases: applies(() => false), gate: { min: 0.8 } });
    expect(none).toMatchObject({
      status: 'not_evaluated',
      finding: 'insufficient',
      statistic: null,
      reason: 'no candidate unit has a value',
      n: { units: 0 },
    });
  });

  test('takes unit means of several cells by the betting bound, one observation per unit', () => {
    const half: CellTable = { scores: { right: 1 } };
    const cases = unitsOf(ones(60, 60)).map((each, at) => ({
      ...each,
      cells: {
        baseline: 0,
        next: { repeats: [half, { scores: { right: at % 5 === 0 ? 0 : 1 } }] },
      },
    }));
    const found = rateOf([], { cases, repeats: 2, gate: { min: 0.7 } });
    expect(found).toMatchObject({
      finding: 'cleared',
      n: { units: 60, cells: 120 },
      reason: expect.stringMatching(
        /^mean rate 0\.9 over 60 candidate units: the lower bound 0\.8\d+ is above 0\.7$/,
      ),
    });
    // Sixty units twice over are not a hundred and twenty units.
    const exact = rateOf(ones(108, 120), { gate: { min: 0.7 } });
    expect(Number(found.statistic)).toBeLessThan(Number(exact.statistic));
  });

  test('leaves lost cells to completeness, which counts them against the gate', () => {
    const lost: CellTable[] = [...ones(20, 20), 'infrastructureFault'];
    const table = { maxLostShare: 0.1, gate: { min: 0.8 } };
    const found = judged({
      cases: unitsOf(lost),
      maxLostShare: 0.1,
      gates: [{ gate: 'rate', name: 'rate', measure: 'right', arm: 'candidate', min: 0.8 }],
    });
    expect(gateOf(found, 'rate')).toMatchObject({ finding: 'cleared', n: { units: 20 } });
    expect(gateOf(found, 'completeness')).toMatchObject({
      finding: 'insufficient',
      reason: expect.stringContaining('turns ship into need_more_work'),
    });
    expect(rateOf([...ones(40, 40), 'infrastructureFault'], table).decision).toBe('ship');
  });

  test('fills a lost baseline cell against its own limit, whichever way that is', () => {
    const cases = unitsOf(ones(60, 60), 1).map((each, at) =>
      at < 3
        ? { ...each, cells: { ...each.cells, baseline: 'infrastructureFault' as const } }
        : each,
    );
    const gates = [{ gate: 'rate', measure: 'right', arm: 'baseline', min: 0.9 }];
    const found = judged({ cases, gates, maxLostShare: 0.2 });
    expect(gateOf(found, 'rate:baseline:right').finding).toBe('cleared');
    expect(gateOf(found, 'completeness').reason).toContain('turns ship into need_more_work');
  });

  test('never holds for an outage alone', () => {
    const outage: CellTable[] = [
      ...ones(0, 10),
      ...Array.from({ length: 50 }, () => 'cancelled' as const),
    ];
    expect(rateOf(outage, { gate: { min: 0.8 } })).toMatchObject({
      finding: 'insufficient',
      flags: ['lost-by-fault'],
      reason: expect.stringMatching(/is at or below 0\.8, but the missing cells could undo it$/),
      decision: 'need_more_work',
    });
    const stands: CellTable[] = [...ones(0, 59), 'cancelled'];
    expect(rateOf(stands, { gate: { min: 0.8 } }).finding).toBe('breached');
  });

  test('shares its error in the order of candidates: Holm divides it, a fixed sequence does not', () => {
    const cases = unitsOf(ones(60, 60)).map((each) => ({
      ...each,
      cells: { ...each.cells, other: 0 },
    }));
    const gates = [{ gate: 'rate', measure: 'right', arm: 'candidate', min: 0.8 }];
    const of = (multiplicity: unknown, id: string) =>
      gateOf(
        judged({ cases, gates, candidates: ['next', 'other'], multiplicity }, id),
        'rate:candidate:right',
      );
    expect(of('holm', 'next')).toMatchObject({
      finding: 'cleared',
      errorLevel: 0.025,
      flags: ['stepwise'],
    });
    expect(of('holm', 'other')).toMatchObject({ finding: 'breached', errorLevel: 0.025 });
    const sequence = { sequence: ['other', 'next'] };
    expect(of(sequence, 'next')).toMatchObject({
      finding: 'unresolved',
      errorLevel: 0.05,
      reason: expect.stringMatching(
        /is above 0\.8, but the fixed sequence stopped at "other" before this candidate$/,
      ),
    });
  });

  test('is refused under a seal that resolves no method for it', () => {
    const gates = [{ gate: 'rate', measure: 'right', arm: 'candidate', min: 0.8 }];
    const evidence = evidenceOf({ cases: unitsOf(ones(10, 10)), gates });
    const analysis = { ...evidence.seal.analysis, methods: [] };
    expect(
      refusedBy(() => judgeEvidence({ ...evidence, seal: { ...evidence.seal, analysis } })),
    ).toBe(
      'seal-invalid: The seal resolves no method for the gate "rate:candidate:right". Seal the experiment again; a design without a method for a gate is refused then.',
    );
  });

  test('plans further units for the rate that was seen, on either side of its limit', () => {
    const planned = (count: number, units: number, limit: Readonly<Record<string, number>>) => {
      const gates = [{ gate: 'rate', measure: 'right', arm: 'candidate', ...limit }];
      return judged({ cases: unitsOf(ones(count, units)), gates }).furtherUnits;
    };
    // ((1.6449 + 0.8416) * sqrt(0.8 * 0.2) / 0.1)^2 = 98.9; the spread at the limit is the larger one.
    expect(planned(18, 20, { min: 0.8 })).toEqual([
      {
        gate: 'rate:candidate:right',
        method: 'normal-approximation',
        target: 0.8,
        atEffect: null,
        atObserved: { effect: 0.9, units: 99, further: 79, reason: null },
      },
    ]);
    expect(planned(0, 10, { max: 0.2 })[0]?.atObserved).toEqual({
      effect: 0,
      units: 25,
      further: 15,
      reason: null,
    });
    expect(planned(16, 20, { min: 0.8 })[0]?.atObserved.reason).toBe('no number of units would do');
    expect(planned(20, 20, { min: 0.8 })).toEqual([]);
  });

  test('turning a failure into a success never takes a minimum away', () => {
    const rank = { breached: 0, insufficient: 1, unresolved: 2, cleared: 3 } as Record<
      string,
      number
    >;
    fc.assert(
      fc.property(fc.array(fc.constantFrom(0, 1), { minLength: 1, maxLength: 40 }), (values) => {
        const better = values.map((value, at) => (at === values.indexOf(0) ? 1 : value));
        const [worse, after] = [values, better].map((each) => rateOf(each, { gate: { min: 0.7 } }));
        expect(rank[after?.finding ?? '']).toBeGreaterThanOrEqual(rank[worse?.finding ?? ''] ?? 9);
      }),
      { numRuns: 60, seed: 11 },
    );
  });
});
