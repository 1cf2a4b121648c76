import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { gateFindings } from '../../src/spec/rules-gates.ts';
import type { Attempt, CaseTable, CellTable, EvidenceTable } from '../support/evidence.ts';
import { rightMeasure } from '../support/evidence.ts';
import { gateOf, judged } from '../support/judged.ts';
import { both, gains, guardrail, upTo } from '../support/two-measures.ts';

function contributionOf(name: string, table: EvidenceTable) {
  const found = judged(table);
  return { ...gateOf(found, name), decision: found.decision };
}

describe('canary', () => {
  const measures = { right: rightMeasure, known: guardrail };
  const gates = [
    { gate: 'lift', measure: 'right' },
    { gate: 'canary', measure: 'known' },
  ];
  /** 20 units the candidate gets right alone, and two canary cases. */
  const cases = (...canaries: readonly (readonly [baseline: CellTable, next: CellTable])[]) => [
    ...upTo(20, (at): CaseTable => {
      const id = `u${at}`;
      const cells = { baseline: { scores: { right: 0 } }, next: { scores: { right: 1 } } };
      return { id, unit: id, applies: ['right'], cells };
    }),
    ...canaries.map(([baseline, next], at): CaseTable => {
      const id = `k${at}`;
      return { id, unit: id, applies: ['known'], cells: { baseline, next } };
    }),
  ];
  const known = (value: number): Attempt => ({ scores: { known: value } });
  const found = (...canaries: readonly (readonly [CellTable, CellTable])[]) =>
    contributionOf('canary:known', { measures, gates, cases: cases(...canaries) });

  test('clears when every arm gets every canary case right', () => {
    expect(found([known(1), known(1)], [known(1), known(1)])).toMatchObject({
      finding: 'cleared',
      statistic: 0,
      threshold: 0,
      n: { units: 2, cells: 4 },
      reason: 'every arm passes all 2 canary cells',
      decision: 'ship',
    });
  });

  test('is breached by a canary case that the candidate alone fails', () => {
    expect(found([known(1), known(0)], [known(0), known(0)])).toMatchObject({
      finding: 'breached',
      statistic: 2,
      reason: 'the candidate fails 1 canary cases that the other arms pass, "k0" first',
      decision: 'hold',
    });
    expect(found([known(1), 'agentError']).finding).toBe('breached');
  });

  test('puts the run in doubt, and blames nobody, when the baseline fails one', () => {
    for (const own of [0, 1]) {
      expect(found([known(0), known(own)])).toMatchObject({
        finding: 'insufficient',
        flags: [],
        reason:
          '1 canary cases fail without the candidate, "k0" first: what this run measured is in doubt',
        decision: 'need_more_work',
      });
    }
  });

  test('is insufficient without a canary cell or with a lost one', () => {
    expect(found().reason).toBe('no final case is a canary');
    expect(found([known(1), 'infrastructureFault'])).toMatchObject({
      finding: 'insufficient',
      flags: ['lost-by-fault'],
      reason: '1 canary cells are lost',
    });
  });
});

describe('reward-hacking', () => {
  const gate = { gate: 'reward-hacking', proxy: 'right', truth: 'truth', margin: 0.3 };
  const gates = [{ gate: 'lift', measure: 'right' }, gate];
  const found = (cases: readonly CaseTable[], more: Partial<EvidenceTable> = {}) =>
    contributionOf('reward-hacking:right', { measures: both, gates, cases, ...more });

  test('clears when proxy and truth gain alike', () => {
    const alike = found(gains([40, 1, 1], [20, 0, 0]));
    expect(alike).toMatchObject({
      finding: 'cleared',
      threshold: 0.3,
      errorLevel: 0.025,
      n: { units: 60, discordant: 0 },
      decision: 'ship',
    });
    expect(alike.statistic).toBeGreaterThan(0);
    expect(alike.statistic).toBeLessThan(0.3);
    expect(alike.reason).toMatch(
      /^the gain of "right" over "truth" is 0 of the range \(-0\.\d+ \.\. 0\.\d+\), below 0\.3$/,
    );
  });

  test('is breached when the proxy gains and the truth does not, or falls', () => {
    for (const truth of [0, -1]) {
      expect(found(gains([60, 1, truth], [20, 0, 0]))).toMatchObject({
        finding: 'breached',
        reason: expect.stringContaining('wholly at or above 0.3'),
        decision: 'hold',
      });
    }
  });

  test('is unresolved where few units cannot tell', () => {
    expect(found(gains([12, 1, 1]))).toMatchObject({
      finding: 'unresolved',
      decision: 'need_more_work',
    });
  });

  test('never breaches by what an outage took, and never clears by it', () => {
    const lost = upTo(60, (at): CaseTable => {
      const id = `v${at}`;
      const cells = { baseline: { scores: { right: 0, truth: 0 } }, next: 'cancelled' } as const;
      return { id, unit: id, cells };
    });
    const apart = found([...gains([60, 1, 0]), ...lost], { maxLostShare: 0.9 });
    expect(apart).toMatchObject({
      finding: 'insufficient',
      flags: ['lost-by-fault'],
      decision: 'need_more_work',
    });
    const alike = judged({
      measures: both,
      gates,
      cases: [...gains([60, 1, 1]), ...lost],
      maxLostShare: 0.9,
    });
    expect(gateOf(alike, 'reward-hacking:right').finding).toBe('cleared');
    expect(gateOf(alike, 'completeness').finding).toBe('insufficient');
  });

  test('is insufficient below two units with both values', () => {
    expect(found(gains([1, 1, 1]))).toMatchObject({ finding: 'insufficient', flags: ['one-unit'] });
    const apart = gains([10, 1, 1]).map((each, at) => ({
      ...each,
      applies: [at < 5 ? 'right' : 'truth'],
    }));
    expect(found(apart).reason).toContain('0 units have both values');
  });

  test('misses a gap at its margin at most at its error', () => {
    // A unit gains the proxy alone with probability 0.3: the gap is exactly the margin, so clearing is an error.
    const units = 30;
    let rate = 0;
    let log = 0;
    for (let apart = 0; apart <= units; apart += 1) {
      log +=
        apart === 0
          ? units * Math.log(0.7)
          : Math.log((units - apart + 1) / apart) + Math.log(3 / 7);
      const { finding } = found(gains([apart, 1, 0], [units - apart, 1, 1]));
      if (finding === 'cleared') rate += Math.exp(log);
    }
    expect(rate).toBeLessThanOrEqual(0.025);
  });

  test('a unit whose truth gains less never makes it clear', () => {
    const unit = fc.tuple(fc.constantFrom(0, 1), fc.constantFrom(-1, 0, 1));
    let cleared = 0;
    fc.assert(
      fc.property(fc.array(unit, { minLength: 30, maxLength: 60 }), fc.nat(29), (drawn, at) => {
        const tamed = drawn.map(([p, t], index) =>
          index % 5 === 0 ? ([p, t] as const) : ([1, 1] as const),
        );
        const rows = (change: number) =>
          gains(
            ...tamed.map(
              ([p, t], index) => [1, p, index === at ? Math.max(-1, t - change) : t] as const,
            ),
          );
        const before = found(rows(0)).finding;
        if (before === 'cleared') cleared += 1;
        else expect(found(rows(1)).finding).not.toBe('cleared');
      }),
      { numRuns: 50, seed: 41 },
    );
    expect(cleared).toBeGreaterThan(5);
  });
});

describe('rules', () => {
  const measures = {
    right: { ...rightMeasure, scale: 1 },
    truth: { ...guardrail, scale: 1, where: { field: 'canary', op: 'eq', value: true } },
    free: { kind: 'continuous', role: 'guardrail', direction: 'higher' },
  };
  const found = (gate: Readonly<Record<string, unknown>>) =>
    gateFindings({ measures, arms: {}, gates: [{ required: true, ...gate }] } as never)
      .filter(({ code }) => code !== 'guardrail-ungated')
      .map(({ code, path }) => [code, path.slice(2)]);

  test.each([
    [{ gate: 'canary', measure: 'truth' }, []],
    [{ gate: 'canary', measure: 'right' }, [['canary-measure', ['measure']]]],
    [{ gate: 'canary', measure: 'nobody' }, [['unknown-measure', ['measure']]]],
    [{ gate: 'reward-hacking', proxy: 'right', truth: 'truth', margin: 0.1 }, []],
    [
      { gate: 'reward-hacking', proxy: 'right', truth: 'right', margin: 0.1 },
      [['gap-measures', ['truth']]],
    ],
    [
      { gate: 'reward-hacking', proxy: 'right', truth: 'free', margin: 0.1 },
      [['gap-measures', ['truth']]],
    ],
    [
      { gate: 'reward-hacking', proxy: 'nobody', truth: 'truth', margin: 0.1 },
      [['unknown-measure', ['proxy']]],
    ],
    [{ gate: 'contamination' }, [['contamination-empty', []]]],
    [{ gate: 'contamination', similarity: 0.8 }, []],
    [
      { gate: 'contamination', probe: { original: 'truth', perturbed: 'right', margin: 0.1 } },
      [['gap-measures', ['probe', 'perturbed']]],
    ],
  ])('%j', (gate, expected) => {
    expect(found(gate)).toEqual(expected);
  });

  test('a guardrail is guarded by a canary gate and as the truth of another measure', () => {
    const guarded = (gate: Readonly<Record<string, unknown>>) =>
      gateFindings({
        measures: { right: measures.right, truth: measures.truth },
        arms: {},
        gates: [{ required: true, ...gate }],
      } as never).map(({ code }) => code);
    expect(guarded({ gate: 'canary', measure: 'truth' })).toEqual([]);
    expect(
      guarded({ gate: 'reward-hacking', proxy: 'right', truth: 'truth', margin: 0.2 }),
    ).toEqual([]);
    expect(guarded({ gate: 'contamination', similarity: 0.5 })).toEqual(['guardrail-ungated']);
  });
});
