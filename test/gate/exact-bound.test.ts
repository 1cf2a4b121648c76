import { describe, expect, test } from 'vitest';
import type { Estimate } from '../../src/analysis/estimate.ts';
import { exactUnconditionalBounds } from '../../src/stats/paired-binary-exact.ts';
import { roundSignificant } from '../../src/stats/rounding.ts';
import { binaryCases, type CaseTable, evidenceOf, rightMeasure } from '../support/evidence.ts';
import { gateOf, judged } from '../support/judged.ts';
import { computed } from '../support/statistics.ts';

const finite = { guarantee: 'finite-sample' } as const;
const lift = (threshold: number) => ({ gate: 'lift', measure: 'right', threshold });

function estimateIn(estimate: Estimate | null): Estimate {
  if (estimate === null) throw new Error('the gate shows no estimate');
  return estimate;
}

/** Units by outcome for two candidates that share their baseline: which of them gain, lose or tie. */
function twoCandidates(units: number, gains: readonly [number, number]): CaseTable[] {
  return Array.from({ length: units }, (_, at) => ({
    id: `u${String(at).padStart(3, '0')}`,
    unit: `u${String(at).padStart(3, '0')}`,
    cells: { baseline: 0, a: at < gains[0] ? 1 : 0, b: at < gains[1] ? 1 : 0 },
  }));
}

describe('gates decided by the exact unconditional bound', () => {
  test.each([
    ['above a threshold of 0.05', { gates: [lift(0.05)] }],
    ['at 0 under a finite-sample guarantee', { gates: [lift(0)], inference: finite }],
    ['by name', { gates: [lift(0)], inference: { method: 'exact-unconditional' } }],
  ])('%s: the estimate is the bound, finite-sample, not exposed to rare losses', (_, change) => {
    const judgement = judged({ cases: binaryCases({ gains: 12, losses: 1, both: 27 }), ...change });
    const found = gateOf(judgement, 'lift:right');
    const estimate = estimateIn(found.estimate);
    const counts = { both: 27, onlyCandidate: 12, onlyBaseline: 1, neither: 0 };
    const { lower, upper } = computed(exactUnconditionalBounds(counts, 0.025));
    expect(found).toMatchObject({ finding: 'cleared', statistic: roundSignificant(lower) });
    expect(estimate).toMatchObject({
      method: 'exact-unconditional',
      guarantee: 'finite-sample',
      interval: {
        lower: roundSignificant(lower),
        upper: roundSignificant(upper),
        guarantee: 'finite-sample',
      },
      flags: [],
      unseenLossShare: null,
    });
    expect(judgement.decision).toBe('ship');
  });

  test('a table that Tango clears and the exact bound does not needs more work', () => {
    const cases = binaryCases({ gains: 15, losses: 5, both: 56 });
    const gates = [lift(0.016)];
    const asymptotic = judged({ cases, gates, inference: { method: 'tango-score' } });
    expect(gateOf(asymptotic, 'lift:right').finding).toBe('cleared');
    const exact = judged({ cases, gates });
    expect(gateOf(exact, 'lift:right').finding).toBe('unresolved');
    expect(exact.decision).toBe('need_more_work');
  });

  test('one candidate failure turned into a success never takes ship away', () => {
    let shipped = false;
    for (let gains = 4; gains <= 16; gains += 1) {
      const { decision } = judged({
        cases: binaryCases({ gains, losses: 1, both: 39 - gains }),
        gates: [lift(0.05)],
      });
      if (shipped) expect(decision).toBe('ship');
      shipped ||= decision === 'ship';
    }
    expect(shipped).toBe(true);
  });

  test('a breach is read off the upper bound, on the scale of the measure', () => {
    const found = gateOf(
      judged({
        cases: binaryCases({ gains: 1, losses: 14, both: 25 }),
        gates: [{ gate: 'no-regression', measure: 'right', margin: 0.05 }],
        inference: finite,
      }),
      'no-regression:right',
    );
    expect(found.finding).toBe('breached');
    expect(estimateIn(found.estimate).interval.upper).toBeLessThan(-0.05);
  });

  test('several candidates: each level is decided alone and the shown bounds are those of the step', () => {
    const table = {
      cases: twoCandidates(30, [12, 9]),
      candidates: ['a', 'b'],
      gates: [lift(0.05)],
    };
    expect(judged(table, 'a')).toMatchObject({ step: { rejected: true, step: 1, divisor: 2 } });
    expect(judged(table, 'b')).toMatchObject({ step: { rejected: true, step: 2, divisor: 1 } });
    for (const [id, gains, error] of [
      ['a', 12, 0.0125],
      ['b', 9, 0.025],
    ] as const) {
      const counts = { both: 0, onlyCandidate: gains, onlyBaseline: 0, neither: 30 - gains };
      const { lower } = computed(exactUnconditionalBounds(counts, error));
      expect(gateOf(judged(table, id), 'lift:right')).toMatchObject({
        statistic: roundSignificant(lower),
        errorLevel: error,
        finding: 'cleared',
      });
    }
  });

  test('two units are the least that carry a bound, and two decide nothing', () => {
    const one = gateOf(
      judged({ cases: binaryCases({ gains: 1 }), inference: finite }),
      'lift:right',
    );
    expect(one).toMatchObject({ finding: 'insufficient', flags: ['one-unit'] });
    const two = gateOf(
      judged({ cases: binaryCases({ gains: 2 }), inference: finite }),
      'lift:right',
    );
    expect(two.finding).toBe('unresolved');
  });

  test('the seal resolves the bound by its row', () => {
    const { seal } = evidenceOf({
      cases: binaryCases({ gains: 5, both: 5 }),
      measures: { right: rightMeasure },
      gates: [lift(0.1)],
    });
    expect(seal.analysis.methods).toMatchObject([
      { row: 'binary, one pair per unit, threshold > 0', method: 'exact-unconditional' },
    ]);
  });
});
