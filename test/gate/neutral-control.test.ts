import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decide } from '../../src/report/decision.ts';
import { gateFindings } from '../../src/spec/rules-gates.ts';
import { type CaseTable, type CellTable, evidenceOf } from '../support/evidence.ts';
import { gateOf, judged } from '../support/judged.ts';

const gates = [
  { gate: 'lift', measure: 'right' },
  { gate: 'neutral-control', measure: 'right' },
];

const unknownRun = { expose: null, fence: null, startedAt: null, endedAt: null };

type Triple = readonly [baseline: CellTable, placebo: CellTable, next: CellTable];

function tripleCases(triples: readonly Triple[]): CaseTable[] {
  return triples.map(([baseline, placebo, next], at) => {
    const id = `u${String(at + 1).padStart(3, '0')}`;
    return { id, unit: id, cells: { baseline, placebo, next } };
  });
}

function times(count: number, triple: Triple): Triple[] {
  return Array.from({ length: count }, () => triple);
}

function found(triples: readonly Triple[], more: Readonly<Record<string, unknown>> = {}) {
  const judgement = judged({ cases: tripleCases(triples), gates, placebo: true, ...more });
  return { ...gateOf(judgement, 'neutral-control:right'), decision: judgement.decision, judgement };
}

describe('neutral-control', () => {
  test('does not ship a lift that any change would give', () => {
    // Candidate and placebo gain in the same 30 of 40 units: the lift is real and means nothing.
    const alike = found([...times(30, [0, 1, 1]), ...times(10, [1, 1, 1])]);
    expect(gateOf(alike.judgement, 'lift:right').finding).toBe('cleared');
    expect(alike).toMatchObject({
      finding: 'unresolved',
      statistic: expect.any(Number),
      threshold: 0,
      errorLevel: 0.025,
      n: { units: 40, pairs: 40, cells: 80, discordant: 0 },
      reason: expect.stringMatching(/^over the placebo the interval .* includes 0$/),
      estimate: { value: 0, estimand: 'mean improvement across units, over the placebo' },
      decision: 'need_more_work',
    });
  });

  test('clears when the candidate beats the placebo as well, breaches when the placebo beats it', () => {
    expect(found([...times(30, [0, 0, 1]), ...times(10, [1, 1, 1])])).toMatchObject({
      finding: 'cleared',
      decision: 'ship',
    });
    expect(found([...times(10, [0, 1, 1]), ...times(30, [0, 1, 0])])).toMatchObject({
      finding: 'breached',
      reason: expect.stringMatching(/^over the placebo the interval .* lies wholly at or below 0$/),
      decision: 'hold',
    });
  });

  test('keeps the primary estimate a comparison with the baseline', () => {
    const cases = tripleCases([...times(30, [0, 1, 1]), ...times(10, [1, 1, 1])]);
    const evidence = evidenceOf({ cases, gates: [...gates].reverse(), placebo: true });
    const [decided] = decide(evidence, unknownRun).decisions;
    expect(decided?.contributions[0]?.gate).toBe('neutral-control');
    expect(decided?.improvement).toMatchObject({
      value: 0.75,
      estimand: 'mean improvement across units',
    });
  });

  test('counts a lost placebo cell against the candidate: worst case is that the placebo was right', () => {
    const lost: Triple = [0, 'infrastructureFault', 1];
    const few = found([...times(30, [0, 0, 1]), lost], { maxLostShare: 0.1 });
    expect(few.decision).toBe('ship');
    expect(gateOf(few.judgement, 'completeness').reason).toContain('1 of 93 planned cells');
    const hidden: Triple = [0, 'infrastructureFault', 0];
    const many = found([...times(8, [0, 0, 1]), ...times(8, hidden)], { maxLostShare: 0.5 });
    expect(gateOf(many.judgement, 'completeness')).toMatchObject({ finding: 'insufficient' });
    expect(many.decision).toBe('need_more_work');
    // Nothing lost may be more than is sealed, in any arm.
    expect(found([...times(30, [0, 0, 1]), lost]).decision).toBe('need_more_work');
  });

  test('an outage of the placebo alone never gives hold', () => {
    const outage = found([...times(20, [1, 'infrastructureFault', 1])], { maxLostShare: 0.9 });
    expect(outage.decision).toBe('need_more_work');
    expect(outage).toMatchObject({ finding: 'insufficient', flags: ['lost-by-fault'] });
  });

  test('a better placebo never turns anything into ship, a worse one never ship into anything else', () => {
    const cell = fc.constantFrom<CellTable>(0, 1);
    const triple = fc.tuple(cell, cell, cell);
    let ships = 0;
    fc.assert(
      fc.property(fc.array(triple, { minLength: 10, maxLength: 25 }), fc.nat(24), (drawn, at) => {
        // Half of the draws lean to a candidate that is right, so that some ship.
        const triples = drawn.map(
          ([b, p, n], index): Triple => (index % 4 === 0 ? [b, p, n] : [0, 0, 1]),
        );
        const worse = triples.map(
          ([b, p, n], index): Triple => [b, index === at % triples.length ? 0 : p, n],
        );
        const better = triples.map(
          ([b, p, n], index): Triple => [b, index === at % triples.length ? 1 : p, n],
        );
        const decisions = [better, triples, worse].map((each) => found(each).decision);
        ships += decisions.filter((each) => each === 'ship').length;
        if (decisions[0] === 'ship') expect(decisions[1]).toBe('ship');
        if (decisions[1] === 'ship') expect(decisions[2]).toBe('ship');
      }),
      { numRuns: 60, seed: 31 },
    );
    expect(ships).toBeGreaterThan(20);
  });

  test('ships at most as often as nominal when candidate and placebo are equally better', () => {
    // Exact: 20 units, the baseline always wrong, candidate and placebo right independently with 1/2 each. The gate clears on the
    // discordant units between them alone, of which there are binomial(20, 1/2); each is a gain with 1/2.
    const units = 20;
    const choose = (n: number, k: number): number => {
      let total = 1;
      for (let each = 1; each <= k; each += 1) total = (total * (n - k + each)) / each;
      return total;
    };
    let rate = 0;
    for (let gains = 0; gains <= units; gains += 1) {
      for (let losses = 0; gains + losses <= units; losses += 1) {
        const ties = units - gains - losses;
        const law =
          choose(units, gains) *
          choose(units - gains, losses) *
          4 ** -(gains + losses) *
          2 ** -ties;
        const triples = [
          ...times(gains, [0, 0, 1]),
          ...times(losses, [0, 1, 0]),
          ...times(ties, [0, 1, 1]),
        ];
        if (found(triples).finding === 'cleared') rate += law;
      }
    }
    expect(rate).toBeGreaterThan(0.001);
    expect(rate).toBeLessThanOrEqual(0.025);
  });
});

describe('rules', () => {
  const measures = { right: { kind: 'binary', role: 'primary', direction: 'higher', scale: 1 } };
  const codes = (spec: Readonly<Record<string, unknown>>): string[] =>
    gateFindings({ measures, ...spec } as never).map(({ code }) => code);
  const arms = { placebo: { surface: { skill: 'neutral.yaml' } } };
  const gate = { gate: 'neutral-control', measure: 'right', threshold: 0, required: true };

  test('a gate needs a placebo, a placebo a gate', () => {
    expect(codes({ arms: {}, gates: [gate] })).toEqual(['placebo-missing']);
    expect(codes({ arms, gates: [] })).toEqual(['placebo-ungated']);
    expect(codes({ arms, gates: [gate] })).toEqual([]);
  });

  test('a threshold beyond the range is refused', () => {
    expect(codes({ arms, gates: [{ ...gate, threshold: 1 }] })).toEqual(['out-of-reach']);
  });
});
