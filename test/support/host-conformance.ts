/** One suite for every host transport: what a host does, and the reply the engine must see. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { digestOf, digestOfValue } from '../../src/base/digest.ts';
import type { Host } from '../../src/run/host.ts';
import {
  artifactSchema,
  type ExecuteReply,
  type ExecuteRequest,
  executeReplySchema,
  executeRequestSchema,
  type GradeReply,
  type GradeRequest,
  gradeReplySchema,
  gradeRequestSchema,
} from '../../src/run/receipt.ts';
import { surfaceDigest } from '../../src/spec/seal.ts';

/** An execute request whose host behaves as told. */
export function executeRequest(behave: string, changes: object = {}): ExecuteRequest {
  const input = { behave, text: 'Grüße aus 東京' };
  return executeRequestSchema.parse({
    protocol: 'cell/1',
    kind: 'execute',
    cellKey: digestOf(behave).slice('sha256:'.length),
    experimentDigest: digestOf('experiment'),
    attempt: 1,
    repeat: 0,
    seed: 7,
    caseId: 'c1',
    input,
    surface: {
      kind: 'bundle',
      components: { skill: { text: 'yes' } },
      digest: surfaceDigest({ skill: digestOf('yes') }),
    },
    limits: { wallMs: 10_000, silenceMs: 10_000 },
    ...changes,
  });
}

/** A grade request for a well-made artifact. */
export function gradeRequest(behave: string, changes: object = {}): GradeRequest {
  const inline = { behave: 'well', says: 'yes' };
  const artifact = {
    digest: digestOfValue(inline),
    bytes: 30,
    mediaType: 'application/json',
    inline,
  };
  return gradeRequestSchema.parse({
    protocol: 'cell/1',
    kind: 'grade',
    cellKey: digestOf(`grade ${behave}`).slice('sha256:'.length),
    experimentDigest: digestOf('experiment'),
    attempt: 1,
    caseId: 'c1',
    input: { behave },
    expected: { says: 'yes' },
    artifact: artifactSchema.parse(artifact),
    ...changes,
  });
}

const call = { signal: new AbortController().signal };

/** Declares the suite for a transport around test/fixtures/hosts/desk-host.mjs. */
export function hostConformance(transport: string, open: () => Host | Promise<Host>): void {
  describe(`${transport} transport`, { timeout: 30_000 }, () => {
    let host: Host;

    beforeAll(async () => {
      host = await open();
      await host.hello();
    });
    afterAll(async () => {
      await host.close();
    });

    async function executed(behave: string, changes: object = {}): Promise<ExecuteReply> {
      const request = executeRequest(behave, changes);
      const reply = await host.execute(request, call);
      expect(executeReplySchema.parse(reply)).toEqual(reply);
      expect(reply.cellKey).toBe(request.cellKey);
      expect(reply.attempt).toBe(request.attempt);
      return reply;
    }

    async function graded(behave: string, changes: object = {}): Promise<GradeReply> {
      const request = gradeRequest(behave, changes);
      const reply = await host.grade(request, call);
      expect(gradeReplySchema.parse(reply)).toEqual(reply);
      expect(reply.cellKey).toBe(request.cellKey);
      return reply;
    }

    test('greets, and says the same when asked again', async () => {
      const hello = await host.hello();
      expect(hello).toMatchObject({ protocols: ['cell/1'], host: { name: 'desk', version: '1' } });
      expect(await host.hello()).toEqual(hello);
    });

    test('hands requests over unchanged: the host computes the digests we computed', async () => {
      const request = executeRequest('well');
      const reply = await executed('well');
      expect(reply).toMatchObject({
        outcome: 'completed',
        fault: null,
        inputDigest: digestOfValue(request.input),
        surfaceLoadedDigest: request.surface.digest,
        artifact: { inline: { behave: 'well', says: 'yes' } },
      });
    });

    test('grades', async () => {
      expect(await graded('well')).toMatchObject({
        outcome: 'completed',
        scores: { right: 1 },
        critical: [],
      });
    });

    test.each([
      ['agent-error', 'agentError', 'agentCrash'],
      ['refuse', 'safeRefusal', undefined],
      ['refuse-silently', 'safeRefusal', undefined],
      ['rate-limited', 'infrastructureFault', 'rateLimited'],
      ['unknown-field', 'infrastructureFault', 'protocolViolation'],
      ['fault-with-scores', 'infrastructureFault', 'protocolViolation'],
      ['completed-with-fault', 'infrastructureFault', 'protocolViolation'],
      ['no-artifact', 'infrastructureFault', 'protocolViolation'],
      ['no-reply', 'infrastructureFault', 'protocolViolation'],
      ['wrong-cell', 'infrastructureFault', 'protocolViolation'],
      ['wrong-attempt', 'infrastructureFault', 'protocolViolation'],
      ['wrong-experiment', 'infrastructureFault', 'protocolViolation'],
      ['throw', 'infrastructureFault', 'hostCrash'],
      ['wrong-surface', 'completed', undefined],
    ])('a host that does "%s" in execute is %s', async (behave, outcome, code) => {
      const reply = await executed(behave);
      expect(reply.outcome).toBe(outcome);
      expect(reply.fault?.code).toBe(code);
      if (outcome === 'infrastructureFault') expect(reply.artifact).toBeNull();
    });

    test.each(['grade-nan', 'grade-throw', 'grade-failure-with-scores', 'grade-wrong-cell'])(
      'a host that does "%s" in grade gives no score',
      async (behave) => {
        const reply = await graded(behave);
        expect(['evaluatorFailure', 'infrastructureFault']).toContain(reply.outcome);
        expect(reply.scores).toEqual({});
        expect(reply.critical).toBeNull();
        expect(reply.fault).not.toBeNull();
      },
    );

    test('a candidate cannot make a fault of its cell by writing half a character', async () => {
      expect(await executed('half-character')).toMatchObject({
        outcome: 'completed',
        artifact: { inline: { says: 'cut \ufffd' } },
      });
    });

    test('a silent host is not blamed on the agent', async () => {
      const reply = await executed('hang', { limits: { wallMs: 60, silenceMs: 10_000 } });
      expect(reply).toMatchObject({
        outcome: 'infrastructureFault',
        fault: { code: 'hostUnresponsive' },
        usage: { costKnown: false, costUsd: null },
        timing: { activeMs: null },
      });
    });

    test('an interrupted call ends as cancelled at once', async () => {
      const stop = new AbortController();
      const pending = host.execute(executeRequest('hang', { attempt: 2 }), { signal: stop.signal });
      stop.abort();
      expect(await pending).toMatchObject({ outcome: 'cancelled', artifact: null });
      const late = host.grade(gradeRequest('grade-hang'), { signal: stop.signal });
      expect(await late).toMatchObject({ outcome: 'cancelled', scores: {} });
    });

    test('classifies deliberate faults', async () => {
      const key = { cellKey: 'b'.repeat(64) };
      expect(await executed('well', { ...key, fault: 'host-exit' })).toMatchObject({
        outcome: 'infrastructureFault',
        fault: { code: 'hostCrash' },
      });
      expect(await executed('well', { ...key, fault: 'agent-throw' })).toMatchObject({
        outcome: 'agentError',
      });
      expect(await graded('well', { ...key, fault: 'scorer-throw' })).toMatchObject({
        outcome: 'evaluatorFailure',
        fault: { code: 'graderCrash' },
      });
    });

    test('works again after all this', async () => {
      expect(await executed('well')).toMatchObject({ outcome: 'completed' });
      expect(await graded('well')).toMatchObject({ scores: { right: 1 } });
    });
  });
}
