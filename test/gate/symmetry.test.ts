import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { judgeEvidence } from '../../src/gate/judge.ts';
import type { Attempt, CaseTable, CellTable, EvidenceTable } from '../support/evidence.ts';
import { evidenceOf } from '../support/evidence.ts';
import { gateOf, judged } from '../support/judged.ts';
import { upTo } from '../support/two-measures.ts';

function pairsOf(pairs: readonly (readonly [baseline: CellTable, next: CellTable])[]): CaseTable[] {
  return pairs.map(([baseline, next], at) => {
    const id = `u${String(at).padStart(3, '0')}`;
    return { id, unit: id, cells: { baseline, next } };
  });
}

function times<Value>(count: number, value: Value): Value[] {
  return upTo(count, () => value);
}

const retried = (right: number): readonly Attempt[] => [
  { outcome: 'infrastructureFault' },
  { scores: { right } },
];
const lift = { gate: 'lift', measure: 'right' };

describe('infrastructure-symmetry', () => {
  const gate = { gate: 'infrastructure-symmetry', margin: 0.2 };
  const found = (
    cases: readonly CaseTable[],
    more: Readonly<Record<string, unknown>> = {},
    table: Partial<EvidenceTable> = {},
  ) => {
    const judgement = judged({ cases, gates: [lift, { ...gate, ...more }], ...table });
    return { ...gateOf(judgement, 'infrastructure-symmetry'), decision: judgement.decision };
  };

  test('clears a run without faults, whatever the number of units', () => {
    expect(found(pairsOf(times(8, [0, 1])))).toMatchObject({
      finding: 'cleared',
      statistic: 0,
      threshold: 0.2,
      errorLevel: 0.025,
      n: { units: 8, pairs: 8, cells: 16, discordant: 0 },
      reason: 'faults met 0 of 8 candidate cells and 0 of 8 baseline cells',
      decision: 'ship',
    });
  });

  test('clears when faults met both arms alike', () => {
    const alike = found(
      pairsOf([...times(3, [retried(0), retried(1)] as const), ...times(57, [0, 1] as const)]),
    );
    expect(alike).toMatchObject({ finding: 'cleared', n: { discordant: 0 }, decision: 'ship' });
    expect(alike.statistic).toBeLessThan(0.1);
    expect(alike.reason).toMatch(
      /^faults met 3 of 60 candidate cells and 3 of 60 baseline cells: the difference -0\.0\d+ \.\. 0\.0\d+ is within 0\.2$/,
    );
  });

  test('asks for more when one arm met them, and never holds for an outage', () => {
    for (const one of [times(20, [0, retried(1)] as const), times(20, [retried(0), 1] as const)]) {
      expect(found(pairsOf([...one, ...times(40, [0, 1] as const)]))).toMatchObject({
        finding: 'unresolved',
        n: { discordant: 20 },
        reason: expect.stringContaining('is not within 0.2'),
        decision: 'need_more_work',
      });
    }
  });

  test('counts evaluator failures, and cells that never recovered', () => {
    const fails: Attempt = { outcome: 'evaluatorFailure' };
    const cases = pairsOf([...times(30, [0, fails] as const), ...times(30, [0, 1] as const)]);
    expect(found(cases, {}, { maxLostShare: 0.9 })).toMatchObject({
      finding: 'unresolved',
      reason: expect.stringContaining('faults met 30 of 60 candidate cells'),
    });
  });

  test('takes unit means where a unit has several cells', () => {
    const cases = upTo(40, (at): CaseTable => {
      const repeats = (cell: CellTable) => ({ repeats: [cell, at % 2 === 0 ? cell : 1] });
      return {
        id: `u${at}`,
        unit: `u${at}`,
        cells: { baseline: repeats(0), next: repeats(retried(1)) },
      };
    });
    const several = found(cases, {}, { repeats: 2 });
    expect(several).toMatchObject({ finding: 'unresolved', n: { units: 40, pairs: 80 } });
  });

  test('compares waiting where it is asked for: alike, apart, unknown', () => {
    const waiting = (ms: number | null): Attempt => ({
      scores: { right: 1 },
      timing: { waitedMs: ms },
    });
    const waits = (own: (at: number) => number | null) =>
      pairsOf(upTo(30, (at) => [waiting(100 + (at % 5)), waiting(own(at))] as const));
    const asked = { maxWaitMs: 50 };
    expect(
      found(
        waits((at) => 100 + (at % 5)),
        asked,
      ),
    ).toMatchObject({
      finding: 'cleared',
      reason: expect.stringContaining('; both cells of every pair waited alike'),
    });
    expect(
      found(
        waits((at) => 105 + (at % 7)),
        asked,
      ),
    ).toMatchObject({
      finding: 'cleared',
      reason: expect.stringMatching(
        /the candidate waited \d.* ms longer on average, within 50 ms$/,
      ),
    });
    expect(
      found(
        waits((at) => 900 + at),
        asked,
      ),
    ).toMatchObject({
      finding: 'unresolved',
      threshold: 50,
      decision: 'need_more_work',
    });
    expect(
      found(
        waits((at) => (at === 3 ? null : 100)),
        asked,
      ),
    ).toMatchObject({
      finding: 'insufficient',
      reason: expect.stringContaining('how long 1 of 30 pairs waited is not known'),
    });
    expect(
      found(
        waits((at) => 200 + (at % 5)),
        asked,
      ).finding,
    ).toBe('indeterminate');
  });

  test('says the same of both arms exchanged', () => {
    const cell = fc.constantFrom<CellTable>(1, 1, 1, retried(1));
    const pairs = fc.array(fc.tuple(cell, cell), { minLength: 2, maxLength: 30 });
    fc.assert(
      fc.property(pairs, (drawn) => {
        const straight = found(pairsOf(drawn));
        const turned = found(pairsOf(drawn.map(([first, second]) => [second, first])));
        expect([turned.finding, turned.statistic]).toEqual([straight.finding, straight.statistic]);
      }),
      { numRuns: 40, seed: 51 },
    );
  });
});

describe('interleaving', () => {
  const gates = [lift, { gate: 'interleaving' }];
  const table: EvidenceTable = { cases: pairsOf(times(20, [0, 1])), gates };

  test('clears for receipts in the order of the sealed schedule', () => {
    const judgement = judged(table);
    expect(gateOf(judgement, 'interleaving')).toMatchObject({
      finding: 'cleared',
      statistic: 1,
      threshold: 4,
      n: { units: 20, pairs: 20 },
      reason:
        'the cells of a pair came back 1 places apart (median of 20, 4 at most), the candidate scheduled first in 10',
    });
    expect(judgement.decision).toBe('ship');
  });

  test('is breached by one receipt at another place', () => {
    const evidence = evidenceOf(table);
    const lines = evidence.lines.map((line, at) => (at === 5 ? { ...line, position: 39 } : line));
    const [found] = judgeEvidence({ ...evidence, lines }).candidates;
    expect(found?.decision).toBe('hold');
    expect(found?.contributions.find(({ gate }) => gate === 'interleaving')).toMatchObject({
      finding: 'breached',
      reason: expect.stringMatching(/^1 of 40 receipts stand at another place .* "u\d+" first$/),
    });
  });

  test('is insufficient when one arm came back after the other, and never holds for it', () => {
    const evidence = evidenceOf(table);
    const late = evidence.lines.map((line) =>
      line.cell.arm === 'next'
        ? { ...line, receivedAt: line.receivedAt.replace('2026-08-01T', '2026-08-02T') }
        : line,
    );
    const [found] = judgeEvidence({ ...evidence, lines: late }).candidates;
    expect(found?.decision).toBe('need_more_work');
    expect(found?.contributions.find(({ gate }) => gate === 'interleaving')).toMatchObject({
      finding: 'insufficient',
      statistic: 20,
      reason: expect.stringContaining('the arms met different hours'),
    });
  });

  test('allows for the cells in flight', () => {
    const evidence = evidenceOf({ ...table, concurrency: 8 });
    const [found] = judgeEvidence(evidence).candidates;
    expect(found?.contributions.find(({ gate }) => gate === 'interleaving')?.threshold).toBe(18);
  });

  test('does not look at the order of lines', () => {
    const evidence = evidenceOf({
      ...table,
      cases: pairsOf([...times(18, [0, 1] as const), [0, retried(1)], [retried(0), 1]]),
    });
    fc.assert(
      fc.property(
        fc.shuffledSubarray([...evidence.lines], { minLength: evidence.lines.length }),
        (lines) => {
          expect(judgeEvidence({ ...evidence, lines }).candidates).toEqual(
            judgeEvidence(evidence).candidates,
          );
        },
      ),
      { numRuns: 15, seed: 52 },
    );
  });

  test('says nothing of receipts from outside', () => {
    expect(gateOf(judged({ ...table, confirmatory: false }), 'interleaving')).toMatchObject({
      finding: 'insufficient',
      flags: ['not-confirmatory'],
    });
  });
});
