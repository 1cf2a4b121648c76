import { describe, expect, test } from 'vitest';
import * as replies from '../../src/run/replies.ts';
import { exampleTests } from '../support/examples.ts';
import { executeRequest, gradeRequest } from '../support/host-conformance.ts';

exampleTests('src/run/replies.ts', {
  names: Object.keys(replies).filter((name) => !name.startsWith('unknown')),
  scope: {
    ...replies,
    ...executeRequest('well'),
    request: executeRequest('well'),
    span: { startedAt: '', endedAt: '' },
  },
});

describe('checkGradeReply', () => {
  const request = gradeRequest('well');
  const cancelled = replies.gradeReplyOf(
    request,
    'cancelled',
    replies.faultReport('cancelled', 'grade', ''),
    { startedAt: '2026-08-01T00:00:00.000Z', endedAt: '2026-08-01T00:00:00.000Z' },
  );
  const problemOf = (costUsd: number | null): unknown => {
    const gradeUsage = { ...replies.unknownUsage, costUsd, costKnown: true };
    return replies.checkGradeReply(request, { ...cancelled, gradeUsage });
  };

  test('refuses a known cost of grading without a number: unknown is never free', () => {
    expect(problemOf(null)).toEqual({
      valid: false,
      problem: 'a known cost comes without a number',
    });
  });

  test('refuses a cost whose sums would leave the numbers, and takes the dearest one below', () => {
    expect(problemOf(1e308)).toEqual({
      valid: false,
      problem: 'a cost above 1000000000 dollars is no cost',
    });
    expect(problemOf(1e9)).toMatchObject({ valid: true });
  });
});

describe('what a receipt cannot hold', () => {
  const span = { startedAt: '2026-08-01T00:00:00.000Z', endedAt: '2026-08-01T00:00:00.000Z' };
  const request = executeRequest('well');
  const fault = replies.faultReport('network', 'agent', '');
  const executed = replies.executeReplyOf(request, 'infrastructureFault', fault, span);
  const known = { ...replies.unknownUsage, tokensKnown: true };
  const tokens = { input: 1, cachedInput: 0, output: 0, reasoning: 0 };
  const retries = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`r${at}`, 1]));

  test('is a protocol violation that names the member', () => {
    const rows: [object, string][] = [
      [{ timing: { ...executed.timing, startedAt: 'x'.repeat(10_000_000) } }, 'timing.startedAt'],
      [{ timing: { ...executed.timing, startedAt: 'yesterday' } }, 'timing.startedAt'],
      [{ timing: { ...executed.timing, endedAt: '' } }, 'timing.endedAt'],
      [{ timing: { ...executed.timing, activeMs: 1e300 } }, 'timing.activeMs'],
      [{ usage: { ...known, tokens: { ...tokens, output: -1 } } }, 'usage.tokens.output'],
      [{ usage: { ...known, tokens: { ...tokens, input: 0.5 } } }, 'usage.tokens.input'],
      [{ usage: { ...known, tokens: { ...tokens, input: 2 ** 53 } } }, 'usage.tokens.input'],
      [{ internalRetries: retries(33) }, 'internalRetries'],
      [{ internalRetries: { ['k'.repeat(65)]: 1 } }, `internalRetries.${'k'.repeat(65)}`],
      [{ internalRetries: JSON.parse('{"__proto__": 1}') }, 'internalRetries'],
      [{ model: { requested: 'm'.repeat(257), observed: null } }, 'model.requested'],
    ];
    for (const [change, path] of rows) {
      const checked = replies.checkExecuteReply(request, { ...executed, ...change });
      expect([checked.valid, 'problem' in checked && checked.problem]).toEqual([
        false,
        expect.stringMatching(`^the reply is malformed at ${path}: `),
      ]);
    }
    const all = { ...executed, internalRetries: retries(32), usage: { ...known, tokens } };
    expect(replies.checkExecuteReply(request, all).valid).toBe(true);
  });

  test.each(['2026-08-01T00:00:00Z', '2026-08-01T00:00:00.123456+00:00'])(
    'takes the time %s, which Python and JavaScript write',
    (startedAt) => {
      const timing = { ...executed.timing, startedAt };
      expect(replies.checkExecuteReply(request, { ...executed, timing }).valid).toBe(true);
    },
  );

  test('is a score under a name that would be passed over in silence', () => {
    const grade = gradeRequest('well');
    const cancelled = replies.faultReport('cancelled', 'grade', '');
    const reply = replies.gradeReplyOf(grade, 'cancelled', cancelled, span);
    const scores: unknown = JSON.parse('{"__proto__": 0}');
    expect(replies.checkGradeReply(grade, { ...reply, scores })).toEqual({
      valid: false,
      problem: 'the reply is malformed at scores: "__proto__" is no name',
    });
  });
});
