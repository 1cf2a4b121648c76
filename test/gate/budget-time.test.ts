import { describe, expect, test } from 'vitest';
import type { Evidence } from '../../src/analysis/evidence.ts';
import { judgeBudget } from '../../src/gate/conduct.ts';
import type { EvidenceLine } from '../../src/run/measured-line.ts';
import { binaryCases, evidenceOf } from '../support/evidence.ts';

describe('budget on time', () => {
  const declared = { gate: 'budget', required: true } as const;

  /** Evidence of a run whose attempts took so many minutes together, in one session. */
  function timed(minutes: number, caps: { usd: number | null; wallMinutes: number }): Evidence {
    const evidence = evidenceOf({ cases: binaryCases({ gains: 10 }), controlLines: [] });
    const { seal, lines } = evidence;
    const [first, ...others] = lines;
    if (first === undefined) throw new Error('no line');
    const timing = { ...first.receipt.timing, startedAt: '2026-01-01T00:00:00.000Z' };
    const receivedAt = new Date(Date.parse(timing.startedAt) + minutes * 60_000).toISOString();
    const stamp = (line: EvidenceLine, at: string): EvidenceLine => ({
      ...line,
      receivedAt: at,
      receipt: { ...line.receipt, timing },
    });
    return {
      ...evidence,
      lines: [stamp(first, receivedAt), ...others.map((line) => stamp(line, timing.startedAt))],
      seal: { ...seal, limits: { ...seal.limits, budget: caps } },
    };
  }

  test('clears within the cap, without a number that would differ between two equal runs', () => {
    for (const minutes of [0, 4.9, 5]) {
      expect(judgeBudget(declared, timed(minutes, { usd: null, wallMinutes: 5 }))).toMatchObject({
        finding: 'cleared',
        statistic: null,
        threshold: 5,
        reason: 'the run kept to the cap of 5 minutes',
      });
    }
  });

  test('is breached above the cap', () => {
    expect(judgeBudget(declared, timed(5.1, { usd: null, wallMinutes: 5 }))).toMatchObject({
      status: 'fail',
      finding: 'breached',
      statistic: 5.1,
      threshold: 5,
      reason: 'the run took 5.1 minutes, above the cap of 5 minutes',
    });
  });

  test('is not evaluated when a time or the receipts of the controls are missing', () => {
    const within = timed(1, { usd: null, wallMinutes: 5 });
    const [first, ...others] = within.lines;
    if (first === undefined) throw new Error('no line');
    const unread = { ...within, lines: [{ ...first, receivedAt: 'later' }, ...others] };
    expect(judgeBudget(declared, unread)).toMatchObject({
      status: 'not_evaluated',
      finding: 'insufficient',
      reason:
        'how long some attempts took is not known, so nothing shows that the run kept to the cap of 5 minutes',
    });
    expect(judgeBudget(declared, { ...within, controlLines: null })).toMatchObject({
      finding: 'insufficient',
      reason:
        'how long the controls took is not known, so nothing shows that the run kept to the cap of 5 minutes',
    });
    const late = timed(6, { usd: null, wallMinutes: 5 });
    expect(judgeBudget(declared, { ...late, controlLines: null }).finding).toBe('breached');
  });

  test('with both caps the graver finding decides and both are told', () => {
    const both = judgeBudget(declared, timed(6, { usd: 10, wallMinutes: 5 }));
    expect(both).toMatchObject({ finding: 'breached', statistic: 6, threshold: 5 });
    expect(both.reason).toMatch(/^20 attempts, .* USD; the run took 6 minutes, above the cap of 5/);
    const within = judgeBudget(declared, timed(1, { usd: 10, wallMinutes: 5 }));
    expect(within).toMatchObject({ finding: 'cleared', threshold: 10 });
    const dear = judgeBudget(declared, timed(1, { usd: 0.01, wallMinutes: 5 }));
    expect(dear).toMatchObject({ finding: 'breached', threshold: 0.01 });
  });
});
