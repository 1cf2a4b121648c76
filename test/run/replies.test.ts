import { describe, expect, test } from 'vitest';
import * as replies from '../../src/run/replies.ts';
import { exampleTests } from '../support/examples.ts';
import { executeRequest, gradeRequest } from '../support/host-conformance.ts';

exampleTests('src/run/replies.ts', {
  names: Object.keys(replies).filter((name) => name !== 'unknownUsage'),
  scope: { ...replies, request: executeRequest('well') },
});

describe('checkGradeReply', () => {
  const request = gradeRequest('well');
  const cancelled = replies.gradeReplyOf(
    request,
    'cancelled',
    replies.faultReport('cancelled', 'grade', ''),
    { startedAt: '', endedAt: '' },
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
