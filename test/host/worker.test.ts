import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { workerHost } from '../../src/host/worker.ts';
import { StillClock } from '../run/desk.ts';
import { exampleTests } from '../support/examples.ts';
import { executeRequest, gradeRequest } from '../support/host-conformance.ts';
import { call, closeAfterwards, execute, freshFile, open } from './open-worker.ts';

closeAfterwards();

/** Whether a process still runs; a zombie that waits to be reaped does not. */
function runs(pid: number): boolean {
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

describe('execute', () => {
  test.each([
    ['die', 'hostCrash', 'it exited with code 3'],
    ['die-by-signal', 'hostCrash', 'it was ended by SIGKILL'],
    ['garbage', 'protocolViolation', 'no JSON object'],
    ['almost-json', 'protocolViolation', 'no JSON object'],
    ['unknown-kind', 'protocolViolation', 'neither an answer, a heartbeat nor a log'],
    ['second-hello', 'protocolViolation', 'a second hello'],
    ['huge-line', 'protocolViolation', 'a line of 4194305 bytes is longer than 4194304 bytes'],
    ['endless-line', 'protocolViolation', 'longer than 4194304 bytes and does not end'],
    ['twice', 'protocolViolation', 'a second one'],
    ['wrong-cell', 'protocolViolation', 'an answer for another cell'],
  ])('takes "%s" as a fault (%s) and goes on with a new child', async (behave, code, detail) => {
    const host = open();
    const reply = await execute(host, behave);
    expect(reply).toMatchObject({
      outcome: 'infrastructureFault',
      artifact: null,
      fault: { code },
    });
    expect(reply.fault?.detail).toContain(detail);
    expect((await execute(host, 'well')).outcome).toBe('completed');
  });

  test('counts a reply that is too long as the outcome of its cell, and keeps the child', async () => {
    const host = open('other-host-on-restart');
    const reply = await execute(host, 'huge-reply');
    expect(reply).toMatchObject({
      outcome: 'limitExceeded',
      artifact: null,
      fault: { code: 'replyTooLarge', phase: 'agent' },
    });
    expect(reply.fault?.detail).toMatch(
      /^the reply has 5000\d{3} bytes; a line has at most 4194304$/,
    );
    expect((await execute(host, 'well')).outcome).toBe('completed');
  });

  test('allows heartbeats and log lines beside the answer', async () => {
    expect((await execute(open(), 'beat-and-log')).outcome).toBe('completed');
  });

  test('lets an answer stand when the host leaves right after it', async () => {
    const host = open();
    expect((await execute(host, 'answer-and-die')).outcome).toBe('completed');
    // The next request may still meet the dying child; that attempt is a fault, and the one after it gets a new child.
    const next = [await execute(host, 'well'), await execute(host, 'well')];
    expect(next.at(-1)?.outcome).toBe('completed');
  });

  test('a host that beats for the cell at the wall limit was alive: the agent exceeded its limit', async () => {
    const reply = await execute(open(), 'hang-beating', {
      limits: { wallMs: 1000, silenceMs: 900 },
    });
    expect(reply).toMatchObject({ outcome: 'limitExceeded', fault: { code: 'wallLimit' } });
  });

  test.each([
    ['hang-beating-elsewhere', 'no heartbeat in the last'],
    ['hang-logging', 'no heartbeat in the last'],
    ['ignore-sigterm', 'no heartbeat in the last'],
  ])('a host that does "%s" up to the wall limit is unresponsive', async (behave, detail) => {
    const reply = await execute(open(), behave, { limits: { wallMs: 300, silenceMs: 5000 } });
    expect(reply).toMatchObject({
      outcome: 'infrastructureFault',
      fault: { code: 'hostUnresponsive' },
    });
    expect(reply.fault?.detail).toContain(detail);
  });

  test('a silent host is given up long before the wall limit', async () => {
    const limits = { wallMs: 60_000, silenceMs: 100 };
    const reply = await execute(open(), 'hang', { limits });
    expect(reply.fault).toMatchObject({
      code: 'hostUnresponsive',
      detail: 'nothing heard for 100 ms',
    });
  });

  test('refuses a request longer than a line may be without sending it', async () => {
    const host = open();
    const request = executeRequest('well', { input: { text: 'x'.repeat(4_194_304) } });
    expect(await host.execute(request, call)).toMatchObject({
      outcome: 'infrastructureFault',
      fault: { code: 'protocolViolation', detail: 'the request is longer than 4194304 bytes' },
    });
    expect((await execute(host, 'well')).outcome).toBe('completed');
  });

  test('keeps a child that obeys cancel', async () => {
    const host = open('other-host-on-restart', { timings: { cancelMs: 10_000 } });
    const stop = new AbortController();
    await host.hello();
    const pending = host.execute(executeRequest('obey-cancel'), { signal: stop.signal });
    setImmediate(() => stop.abort());
    expect((await pending).outcome).toBe('cancelled');
    expect((await execute(host, 'well')).outcome).toBe('completed');
  });

  test('a second answer that comes later spoils the request it comes with', async () => {
    const host = open();
    expect((await execute(host, 'repeats-itself')).outcome).toBe('completed');
    const next = await execute(host, 'well', { cellKey: 'c'.repeat(64) });
    expect(next.fault).toMatchObject({
      code: 'protocolViolation',
      detail: 'an answer for another cell',
    });
  });

  test('mends a character that the host cut in half', async () => {
    const reply = await execute(open(), 'half-character');
    expect(reply).toMatchObject({
      outcome: 'completed',
      artifact: { inline: { says: 'cut \ufffd' } },
    });
  });

  test('warns of nothing with many cells in flight', async () => {
    const warnings: string[] = [];
    const note = (warning: Error): void => {
      warnings.push(warning.message);
    };
    process.on('warning', note);
    const stop = new AbortController();
    const host = open('well', { concurrency: 12 });
    const pending = Array.from({ length: 12 }, () =>
      host.execute(executeRequest('hang'), { signal: stop.signal }),
    );
    const replies = Promise.all(pending);
    stop.abort();
    expect(new Set((await replies).map((reply) => reply.outcome))).toEqual(new Set(['cancelled']));
    process.removeListener('warning', note);
    expect(warnings).toEqual([]);
  });

  test('sends cells to as many children as declared, one each', async () => {
    const host = open('well', { concurrency: 3 });
    const replies = await Promise.all(
      Array.from({ length: 9 }, (_, at) =>
        execute(host, 'well', { cellKey: String(at).repeat(64) }),
      ),
    );
    expect(replies.map((reply) => reply.outcome)).toEqual(replies.map(() => 'completed'));
    expect(replies.map((reply) => reply.cellKey)).toEqual(
      replies.map((_, at) => String(at).repeat(64)),
    );
  });

  test('a dying child takes only its own cell along', async () => {
    const host = open('well', { concurrency: 2 });
    const behaviours = ['die', 'well', 'well', 'well'];
    const replies = await Promise.all(behaviours.map((behave) => execute(host, behave)));
    expect(replies.map((reply) => reply.outcome)).toEqual([
      'infrastructureFault',
      'completed',
      'completed',
      'completed',
    ]);
  });
});

describe('restarts', () => {
  test('after three in a minute calls end as unreachable at once, and work again later', async () => {
    const clock = new StillClock();
    const host = open('well', { clock });
    const codes: (string | undefined)[] = [];
    for (let death = 0; death < 6; death += 1) {
      codes.push((await execute(host, 'die')).fault?.code);
    }
    expect(codes).toEqual([
      'hostCrash',
      'hostCrash',
      'hostCrash',
      'hostCrash',
      'hostUnreachable',
      'hostUnreachable',
    ]);
    clock.advance(60_000);
    expect((await execute(host, 'well')).outcome).toBe('completed');
  });

  test('deaths that controls ask for, cancelled cells and exceeded limits do not count', async () => {
    const host = open();
    for (let round = 0; round < 3; round += 1) {
      const asked = await execute(host, 'well', { fault: 'host-exit' });
      expect(asked).toMatchObject({ outcome: 'infrastructureFault', fault: { code: 'hostCrash' } });
      const limits = { wallMs: 700, silenceMs: 650 };
      expect((await execute(host, 'hang-beating', { limits })).outcome).toBe('limitExceeded');
    }
    expect((await execute(host, 'well')).outcome).toBe('completed');
  });

  test('refuses another host than the one the run started with', async () => {
    const host = open('other-host-on-restart');
    await host.hello();
    await execute(host, 'die');
    expect((await execute(host, 'well')).fault).toMatchObject({
      code: 'protocolViolation',
      detail: 'another host greeted than the one the run started with',
    });
  });

  test('a host that answers everything twice never gets a score through', async () => {
    const host = open();
    for (let cell = 0; cell < 5; cell += 1) {
      expect((await execute(host, 'twice')).outcome).toBe('infrastructureFault');
    }
    expect((await execute(host, 'well')).fault?.code).toBe('hostUnreachable');
  });
});

describe('grade', () => {
  test.each([
    ['grade-die', 'infrastructureFault', 'hostCrash'],
    ['grade-nan', 'infrastructureFault', 'protocolViolation'],
    ['grade-twice', 'infrastructureFault', 'protocolViolation'],
    ['grade-failure-with-scores', 'evaluatorFailure', 'graderMalformed'],
  ])('a host that does "%s" gives no score (%s, %s)', async (behave, outcome, code) => {
    const reply = await open().grade(gradeRequest(behave), call);
    expect(reply).toMatchObject({ outcome, fault: { code, phase: 'grade' }, scores: {} });
  });

  test('a grader that hangs ends at the wall limit of the host', async () => {
    const host = open('well', { limits: { wallMs: 80, silenceMs: 5000 } });
    expect(await host.grade(gradeRequest('grade-hang'), call)).toMatchObject({
      outcome: 'infrastructureFault',
      fault: { code: 'hostUnresponsive' },
    });
  });
});

describe('close', () => {
  test('ends a child that ignores SIGTERM', async () => {
    const host = open('well', { timings: { cancelMs: 20, terminateMs: 100 } });
    const limits = { wallMs: 100, silenceMs: 5000 };
    await execute(host, 'ignore-sigterm', { limits });
    expect((await execute(host, 'well')).outcome).toBe('completed');
    await host.close();
    expect(host.stderrTail()).toContain('not yet');
  });

  test.each(['die-with-grandchild', 'hang-with-grandchild'])(
    'leaves no grandchild behind after "%s"',
    async (behave) => {
      const file = freshFile();
      const host = open('well', {}, file);
      await execute(host, behave, { limits: { wallMs: 1500, silenceMs: 1500 } });
      await host.close();
      const grandchild = Number(readFileSync(file, 'utf8'));
      expect(grandchild).toBeGreaterThan(1);
      await expect.poll(() => runs(grandchild), { timeout: 10_000 }).toBe(false);
    },
  );

  test('calls after it end as faults', async () => {
    const host = open();
    await host.hello();
    await host.close();
    expect((await execute(host, 'well')).fault?.code).toBe('hostUnreachable');
  });

  test('ends a call in flight', async () => {
    const host = open();
    await host.hello();
    const pending = execute(host, 'hang-telling');
    await expect.poll(() => host.stderrTail(), { timeout: 10_000 }).toContain('asked');
    await host.close();
    expect((await pending).outcome).toBe('cancelled');
  });
});

exampleTests('src/host/worker.ts', { names: ['workerHost'], scope: { workerHost } });
