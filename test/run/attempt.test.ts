import { describe, expect, test } from 'vitest';
import { canonicalText } from '../../src/base/canonical.ts';
import { digestOf } from '../../src/base/digest.ts';
import {
  type AttemptContext,
  type AttemptTask,
  attemptKey,
  executeRequestOf,
  gradeKeyOf,
  runAttempt,
} from '../../src/run/attempt.ts';
import { artifactLimitBytes, cellKeyOf, receiptSchema } from '../../src/run/receipt.ts';
import { unknownUsage } from '../../src/run/replies.ts';
import { cellSeed } from '../../src/spec/seeds.ts';
import { exampleTests } from '../support/examples.ts';
import {
  caseOf,
  type Desk,
  deskOf,
  faulted,
  quiet,
  ScriptedHost,
  StillClock,
  surfaceOf,
} from './desk.ts';

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

describe('executeRequestOf', () => {
  test('differs between arms in the surface and the cell key only', () => {
    const desk = deskOf();
    const [first, second] = ['no', 'yes'].map((text) =>
      executeRequestOf(desk, { ...task, surface: surfaceOf(text) }),
    );
    expect(first?.cellKey).not.toBe(second?.cellKey);
    expect(canonicalText({ ...first, surface: null, cellKey: null })).toBe(
      canonicalText({ ...second, surface: null, cellKey: null }),
    );
  });

  test('carries the case but not its unit, split or expected fields', () => {
    const desk = deskOf();
    const text = canonicalText(executeRequestOf(desk, task));
    expect(text).not.toContain(task.case.unit);
    expect(text).not.toContain('"says"');
    expect(text).not.toContain('final');
    expect(text).not.toContain('baseline');
  });

  test('gives every arm of a case and repeat the same seed', () => {
    const { seal } = deskOf();
    const request = executeRequestOf(deskOf(), { ...task, repeat: 2 });
    expect(request.seed).toBe(cellSeed(seal.digests.cases, 'c1', 2));
  });
});

describe('attemptKey', () => {
  test('is the digest of design, case, repeat, surface and attempt', () => {
    const { seal } = deskOf();
    const parts = {
      designDigest: seal.digests.design,
      caseId: 'c1',
      repeat: 0,
      surfaceDigest: task.surface.digest,
      attempt: 1,
    };
    expect(attemptKey(seal, task)).toBe(cellKeyOf(parts));
    const others = [
      { repeat: 1 },
      { attempt: 2 },
      { surface: surfaceOf('no') },
      { case: caseOf('c2') },
      { fault: 'agent-throw' as const },
    ];
    const keys = others.map((other) => attemptKey(seal, { ...task, ...other }));
    expect(new Set([...keys, attemptKey(seal, task)]).size).toBe(6);
  });
});

describe('runAttempt', () => {
  test('joins execution and grade into one receipt', async () => {
    const receipt = await attempt(new ScriptedHost());
    expect(receipt).toMatchObject({
      protocol: 'receipt/1',
      attempt: 1,
      outcome: 'completed',
      fault: null,
      scores: { right: 1 },
      critical: [],
      artifact: { digest: digestOf('"yes"'), bytes: 5, mediaType: 'text/plain', inline: 'yes' },
      gradeAttempts: 1,
      host: { name: 'scripted', version: '1' },
    });
  });

  test('shows the grader the artifact and the expected fields, and a key that no surface went into', async () => {
    const desk = deskOf();
    const host = new ScriptedHost();
    host.onExecute = () => ({ artifact: { mediaType: 'text/plain', inline: 'same' } });
    await attempt(host, desk);
    await attempt(host, desk, { surface: surfaceOf('no') });
    const [first, second] = host.gradings;
    expect(first).toEqual(second);
    expect(first?.expected).toEqual({ says: 'yes' });
    expect(first?.cellKey).toBe(
      gradeKeyOf({
        designDigest: desk.seal.digests.design,
        caseId: 'c1',
        repeat: 0,
        artifactDigest: digestOf('"same"'),
        attempt: 1,
        gradeAttempt: 1,
      }),
    );
  });

  test.each([
    ['another cell', { cellKey: 'f'.repeat(64) }, 'the reply names another cell'],
    ['another attempt', { attempt: 2 }, 'the reply names another attempt'],
    [
      'another experiment',
      { experimentDigest: digestOf('x') },
      'the reply names another experiment',
    ],
    ['an unknown member', { arm: 'next' }, 'the reply is malformed'],
    ['scores beside a fault', { ...faulted(), scores: { right: 1 } }, 'the reply is malformed'],
    ['no artifact', { artifact: null }, 'outcome completed comes without an artifact'],
    [
      'a fault beside success',
      { fault: { code: 'x', phase: 'agent' } },
      'outcome completed comes with a fault',
    ],
    [
      'a known cost without number',
      { usage: { ...unknownUsage, costKnown: true } },
      'a known cost comes without a number',
    ],
    ['an unknown class', { outcome: 'evaluatorFailure' }, 'the reply is malformed at outcome'],
  ])(
    'takes an execute reply with %s as a protocol violation, never as a score',
    async (_, changes, detail) => {
      const host = new ScriptedHost();
      host.onExecute = () => changes;
      const receipt = await attempt(host);
      expect(receipt).toMatchObject({
        outcome: 'infrastructureFault',
        fault: { code: 'protocolViolation' },
        scores: {},
        artifact: null,
        gradeAttempts: 0,
      });
      expect(receipt.fault?.detail).toContain(detail);
      expect(host.gradings).toEqual([]);
    },
  );

  test('takes an artifact that is no canonical JSON as malformed output of the agent', async () => {
    const host = new ScriptedHost();
    host.onExecute = () => ({ artifact: { mediaType: 'text/plain', inline: '\ud800' } });
    expect(await attempt(host)).toMatchObject({
      outcome: 'agentError',
      fault: { code: 'artifactUnreadable' },
      artifact: null,
      gradeAttempts: 0,
    });
  });

  test('takes a whole number that could not be read again as malformed output of the agent', async () => {
    const host = new ScriptedHost();
    host.onExecute = () => ({ artifact: { mediaType: 'text/plain', inline: { n: 2 ** 53 } } });
    expect(await attempt(host)).toMatchObject({
      outcome: 'agentError',
      fault: { code: 'artifactUnreadable' },
    });
  });

  test('cuts a long detail instead of calling the reply malformed', async () => {
    const host = new ScriptedHost();
    const detail = `${'x'.repeat(2047)}\u{1f600} and so on`;
    host.onExecute = () => ({
      outcome: 'agentError',
      artifact: null,
      fault: { code: 'agentCrash', phase: 'agent', retryAfterMs: null, detail },
    });
    expect(await attempt(host)).toMatchObject({
      outcome: 'agentError',
      fault: { detail: `${'x'.repeat(2047)}\ufffd` },
    });
  });

  test('names a fault the host did not explain unclassified', async () => {
    const host = new ScriptedHost();
    host.onExecute = () => ({ outcome: 'infrastructureFault', artifact: null });
    expect((await attempt(host)).fault?.code).toBe('unclassified');
  });

  test.each([
    ['agentError', 0],
    ['limitExceeded', 0],
    ['safeRefusal', 1],
  ])('after %s grades %i times', async (outcome, gradings) => {
    const host = new ScriptedHost();
    host.onExecute = () => ({ outcome });
    const receipt = await attempt(host);
    expect(receipt.outcome).toBe(outcome);
    expect(receipt.gradeAttempts).toBe(gradings);
    expect(host.gradings).toHaveLength(gradings);
  });

  test('keeps the largest artifact and takes one byte more as an exceeded limit', async () => {
    const host = new ScriptedHost();
    host.onExecute = ({ repeat }) => ({
      artifact: { mediaType: 'text/plain', inline: 'x'.repeat(artifactLimitBytes - 2 + repeat) },
    });
    expect((await attempt(host)).artifact?.bytes).toBe(artifactLimitBytes);
    const larger = await attempt(host, deskOf(), { repeat: 1 });
    expect(larger).toMatchObject({
      outcome: 'limitExceeded',
      fault: { code: 'artifactTooLarge' },
      artifact: null,
      gradeAttempts: 0,
    });
  });
});

const digests = { designDigest: digestOf('design'), artifactDigest: digestOf('artifact') };
exampleTests('src/run/attempt.ts', {
  names: ['gradeKeyOf', 'attemptKey', 'executeRequestOf'],
  scope: { gradeKeyOf, attemptKey, executeRequestOf, task, ...deskOf(), ...digests },
});
