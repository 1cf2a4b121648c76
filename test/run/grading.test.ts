import { describe, expect, test } from 'vitest';
import { type AttemptContext, type AttemptTask, runAttempt } from '../../src/run/attempt.ts';
import { addUsage } from '../../src/run/grading.ts';
import { receiptSchema } from '../../src/run/receipt.ts';
import { unknownUsage } from '../../src/run/replies.ts';
import { gradeProblem, keptScores, measureApplies } from '../../src/run/scores.ts';
import { exampleTests } from '../support/examples.ts';
import { caseOf, type Desk, deskOf, quiet, ScriptedHost, StillClock, surfaceOf } from './desk.ts';

function contextOf(desk: Desk, host: ScriptedHost, signal = quiet): AttemptContext {
  return {
    seal: desk.seal,
    experimentDigest: desk.experimentDigest,
    host,
    identity: { name: 'scripted', version: '1', buildDigest: null, dirty: null },
    clock: new StillClock(),
    signal,
  };
}

const task: AttemptTask = { case: caseOf('c1'), surface: surfaceOf('yes'), repeat: 0, attempt: 1 };

async function attempt(host: ScriptedHost, desk = deskOf(), changed: Partial<AttemptTask> = {}) {
  const receipt = await runAttempt(contextOf(desk, host), { ...task, ...changed });
  return receiptSchema.parse(receipt);
}

describe('grading of an attempt', () => {
  test('grades the same artifact again after an evaluator failure, without executing again', async () => {
    const host = new ScriptedHost();
    host.onGrade = () =>
      host.gradings.length < 3 ? { outcome: 'evaluatorFailure', scores: {}, critical: null } : {};
    const receipt = await attempt(host);
    expect(receipt).toMatchObject({ outcome: 'completed', gradeAttempts: 3, fault: null });
    expect(host.executions).toHaveLength(1);
    expect(new Set(host.gradings.map((each) => each.artifact.digest)).size).toBe(1);
    expect(new Set(host.gradings.map((each) => each.cellKey)).size).toBe(3);
  });

  test('is an evaluator failure without scores once the gradings are used up', async () => {
    const host = new ScriptedHost();
    host.onGrade = () => ({
      outcome: 'evaluatorFailure',
      scores: {},
      critical: null,
      fault: { code: 'graderCrash', phase: 'grade', retryAfterMs: null, detail: 'boom' },
    });
    expect(await attempt(host, deskOf({ attempts: 2 }))).toMatchObject({
      outcome: 'evaluatorFailure',
      fault: { code: 'graderCrash', detail: 'boom' },
      scores: {},
      critical: null,
      gradeAttempts: 2,
      artifact: { inline: 'yes' },
    });
  });

  test('does not execute again when the host dies while grading', async () => {
    const host = new ScriptedHost();
    host.onGrade = () => ({
      outcome: 'infrastructureFault',
      scores: {},
      critical: null,
      fault: { code: 'hostCrash', phase: 'grade', retryAfterMs: null, detail: '' },
    });
    const receipt = await attempt(host);
    expect(receipt).toMatchObject({ outcome: 'evaluatorFailure', fault: { code: 'hostCrash' } });
    expect(host.executions).toHaveLength(1);
  });

  test('waits as long as the grader asked before grading again', async () => {
    const host = new ScriptedHost();
    const clock = new StillClock();
    host.onGrade = () =>
      host.gradings.length < 2
        ? {
            outcome: 'infrastructureFault',
            scores: {},
            critical: null,
            fault: { code: 'rateLimited', phase: 'grade', retryAfterMs: 2000, detail: '' },
          }
        : {};
    await runAttempt({ ...contextOf(deskOf(), host), clock }, task);
    expect(clock.sleeps).toEqual([2000]);
  });

  test.each([
    [
      'an unknown measure',
      { scores: { right: 1, charm: 1 } },
      'scores the unknown measure "charm"',
    ],
    [
      'a value outside its declaration',
      { scores: { right: 0.5 } },
      '"right" is 0.5: expected 0 or 1',
    ],
    [
      'a finding that is no critical measure',
      { critical: [{ id: 'right', severity: 'critical', detail: '' }] },
      'reports a finding "right", which is no critical measure',
    ],
    [
      'scores beside a failure',
      { outcome: 'evaluatorFailure' },
      'outcome evaluatorFailure comes with scores',
    ],
    ['another cell', { cellKey: 'f'.repeat(64) }, 'the reply names another cell'],
    ['text as score', { scores: { right: '1' } }, 'the reply is malformed at scores.right'],
    ['NaN', { scores: { right: Number.NaN } }, 'the reply is malformed at scores.right'],
    ['infinity', { scores: { right: Number.POSITIVE_INFINITY } }, 'the reply is malformed'],
  ])('takes a grade with %s as malformed, never as a score', async (_, changes, detail) => {
    const host = new ScriptedHost();
    host.onGrade = () => changes;
    const receipt = await attempt(host);
    expect(receipt).toMatchObject({
      outcome: 'evaluatorFailure',
      fault: { code: 'graderMalformed', phase: 'grade' },
      scores: {},
      critical: null,
      gradeAttempts: 3,
    });
    expect(receipt.fault?.detail).toContain(detail);
  });

  test('keeps an unscored measure as null, never as 0', async () => {
    const host = new ScriptedHost();
    host.onGrade = () => ({ scores: {} });
    expect((await attempt(host)).scores).toEqual({ right: null });
  });

  const measures = {
    right: { kind: 'binary', role: 'primary', direction: 'higher' },
    claims: { kind: 'binary', role: 'critical', direction: 'lower' },
    elsewhere: {
      kind: 'binary',
      role: 'reported',
      direction: 'lower',
      where: { field: 'says', op: 'eq', value: 'no' },
    },
    slow: { kind: 'duration', role: 'reported', direction: 'lower' },
    dear: { kind: 'cost', role: 'reported', direction: 'lower' },
  };

  test('takes a duration from the active time and a cost from the known cost', async () => {
    const receipt = await attempt(new ScriptedHost(), deskOf({ measures }));
    expect(receipt.scores).toEqual({ right: 1, claims: null, slow: 5, dear: 0.001 });
  });

  test('leaves a derived value the measure cannot hold unscored', async () => {
    const host = new ScriptedHost();
    host.onExecute = () => ({
      usage: unknownUsage,
      timing: {
        startedAt: '2026-08-01T00:00:00.000Z',
        endedAt: '2026-08-01T00:00:00.000Z',
        activeMs: 0,
      },
    });
    const receipt = await attempt(host, deskOf({ measures }));
    expect(receipt.scores).toMatchObject({ slow: null, dear: null });
  });

  test("prefers the grader's own duration and drops scores of measures that do not apply", async () => {
    const host = new ScriptedHost();
    host.onGrade = () => ({ scores: { right: 0, elsewhere: 1, slow: 9 } });
    const receipt = await attempt(host, deskOf({ measures }));
    expect(receipt.scores).toEqual({ right: 0, claims: null, slow: 9, dear: 0.001 });
  });

  test('keeps findings of critical measures and tells unchecked from clean', async () => {
    const host = new ScriptedHost();
    const finding = { id: 'claims', severity: 'critical', detail: 'refunded' };
    host.onGrade = ({ artifact }) => ({ critical: artifact.inline === 'yes' ? [finding] : null });
    const desk = deskOf({ measures });
    expect((await attempt(host, desk)).critical).toEqual([finding]);
    expect((await attempt(host, desk, { surface: surfaceOf('no') })).critical).toBeNull();
  });

  test('adds up what all gradings used and stays unknown when one is', async () => {
    const host = new ScriptedHost();
    const known = { ...unknownUsage, costUsd: 0.01, costKnown: true, costSource: 'billed' };
    host.onGrade = () =>
      host.gradings.length === 1
        ? { scores: { right: 7 }, gradeUsage: known }
        : { gradeUsage: known };
    expect((await attempt(host)).gradeUsage).toEqual({ ...known, costUsd: 0.02 });
    const other = new ScriptedHost();
    other.onGrade = () =>
      other.gradings.length === 1
        ? { scores: { right: 7 }, gradeUsage: known }
        : { gradeUsage: unknownUsage };
    expect((await attempt(other)).gradeUsage).toMatchObject({ costUsd: 0.01, costKnown: false });
  });

  test('does not believe a host that calls a grading cancelled though nobody interrupted', async () => {
    const host = new ScriptedHost();
    host.onGrade = () => ({ outcome: 'cancelled', scores: {}, critical: null });
    const receipt = await attempt(host);
    expect(receipt).toMatchObject({ outcome: 'evaluatorFailure', gradeAttempts: 3 });
  });

  test('ends as cancelled when the run is interrupted while grading', async () => {
    const stop = new AbortController();
    const host = new ScriptedHost();
    host.onGrade = () => {
      stop.abort();
      return { outcome: 'cancelled', scores: {}, critical: null };
    };
    const receipt = await runAttempt(contextOf(deskOf(), host, stop.signal), task);
    expect(receipt).toMatchObject({ outcome: 'cancelled', scores: {} });
    expect(host.gradings).toHaveLength(1);
  });
});

exampleTests('src/run/grading.ts', { names: ['addUsage'], scope: { addUsage } });

exampleTests('src/run/scores.ts', {
  names: ['measureApplies', 'gradeProblem', 'keptScores'],
  scope: { measureApplies, gradeProblem, keptScores },
});
