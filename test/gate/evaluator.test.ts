import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readAudit } from '../../src/spec/evaluator-audit.ts';
import { clopperPearsonUpper } from '../../src/stats/proportion.ts';
import { auditOf } from '../support/audits.ts';
import { binaryCases } from '../support/evidence.ts';
import { evaluatorTree } from '../support/evidence-lines.ts';
import { gateOf, judged } from '../support/judged.ts';

const gate = {
  gate: 'evaluator',
  measure: 'right',
  audit: 'audit.json',
  maxFalseAcceptance: 0.05,
  maxFalseRejection: 0.1,
};

function found(audits: readonly unknown[] | undefined) {
  const gates = [{ gate: 'lift', measure: 'right' }, gate];
  const cases = binaryCases({ gains: 20 });
  const table = { gates, cases, ...(audits === undefined ? {} : { audits }) };
  const judgement = judged(table);
  return { ...gateOf(judgement, 'evaluator:right'), decision: judgement.decision };
}

describe('evaluator', () => {
  test('clears when both exact bounds lie below their maxima at once', () => {
    const cleared = found(auditOf({ count: 0, of: 100 }, { count: 2, of: 140 }));
    expect(cleared).toMatchObject({
      finding: 'cleared',
      errorLevel: 0.025,
      n: { units: 240 },
      reason:
        '0 of 100 bad units accepted: the upper bound 0.03622 is below 0.05; 2 of 140 good units rejected: the upper bound 0.05065 is below 0.1',
      decision: 'ship',
    });
    expect(cleared.statistic).toBeCloseTo(1 - 0.025 ** (1 / 100), 10);
  });

  test('is unresolved where an audit is too small to tell', () => {
    expect(found(auditOf({ count: 0, of: 50 }, { count: 0, of: 140 }))).toMatchObject({
      finding: 'unresolved',
      threshold: 0.05,
      decision: 'need_more_work',
    });
  });

  test('is breached by a scorer that surely errs too often, on either side', () => {
    expect(found(auditOf({ count: 30, of: 100 }, { count: 0, of: 140 }))).toMatchObject({
      finding: 'breached',
      threshold: 0.05,
      decision: 'hold',
    });
    expect(found(auditOf({ count: 0, of: 100 }, { count: 60, of: 140 }))).toMatchObject({
      finding: 'breached',
      threshold: 0.1,
    });
  });

  test('is missing without an audit of this scorer and measure', () => {
    expect(found(undefined)).toMatchObject({ finding: 'missing', decision: 'hold' });
    const other = `sha256:${'1'.repeat(64)}`;
    expect(
      found(auditOf({ count: 0, of: 100 }, { count: 0, of: 100 }, { evaluator: other })),
    ).toMatchObject({
      finding: 'missing',
      reason: `the audit covers the scorer ${other}, sealed is ${evaluatorTree}`,
    });
    expect(
      found(auditOf({ count: 0, of: 100 }, { count: 0, of: 100 }, { measure: 'polite' })).reason,
    ).toBe('the audit is about "polite", not about "right"');
  });

  test('one more error never makes it clear, one more right unit never makes it breach', () => {
    const errors = fc.integer({ min: 1, max: 200 }).chain((of) =>
      fc.record({
        count: fc.integer({ min: 0, max: Math.min(of - 1, 12) }),
        of: fc.constant(of),
      }),
    );
    const findings = new Set<string>();
    fc.assert(
      fc.property(errors, errors, (accepted, rejected) => {
        const before = found(auditOf(accepted, rejected)).finding;
        findings.add(before);
        const worse = found(auditOf({ ...accepted, count: accepted.count + 1 }, rejected)).finding;
        const better = found(auditOf({ ...accepted, of: accepted.of + 1 }, rejected)).finding;
        if (before !== 'cleared') expect(worse).not.toBe('cleared');
        if (before !== 'breached') expect(better).not.toBe('breached');
      }),
      { numRuns: 60, seed: 71 },
    );
    expect([...findings].sort()).toEqual(['breached', 'cleared', 'unresolved']);
  });

  test('both bounds at once miss at most 1 - level: each has half of it', () => {
    const { errorLevel } = found(auditOf({ count: 0, of: 100 }, { count: 0, of: 100 }));
    expect(errorLevel).toBe(0.025);
    expect(clopperPearsonUpper({ successes: 0, units: 72 }, 0.025)).toBeLessThan(0.05);
    expect(found(auditOf({ count: 0, of: 72 }, { count: 0, of: 100 })).finding).toBe('cleared');
    expect(found(auditOf({ count: 0, of: 71 }, { count: 0, of: 100 })).finding).toBe('unresolved');
  });
});

describe('readAudit', () => {
  const [{ audit } = { audit: {} }] = auditOf({ count: 1, of: 10 }, { count: 0, of: 10 });

  test('reads what it is given', () => {
    expect(readAudit(JSON.stringify(audit))).toEqual({ status: 'read', audit });
  });

  test.each([
    ['more errors than units', { falseAcceptances: { count: 11, of: 10 } }],
    ['no units', { falseRejections: { count: 0, of: 0 } }],
    ['half an error', { falseRejections: { count: 0.5, of: 10 } }],
    ['an unknown member', { wrong: 1 }],
    ['another type', { type: 'liftgate/evaluator-audit/v2' }],
  ])('refuses %s', (_name, changes) => {
    expect(readAudit(JSON.stringify({ ...audit, ...changes })).status).toBe('invalid');
  });

  test('refuses what is no JSON, and a member given twice', () => {
    expect(readAudit('{').status).toBe('invalid');
    expect(readAudit('{"type":1,"type":1}').status).toBe('invalid');
  });
});
