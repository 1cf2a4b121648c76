import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { LiftgateError } from '../../src/base/errors.ts';
import { type WorkerHost, type WorkerOptions, workerHost } from '../../src/host/worker.ts';
import type { ExecuteReply } from '../../src/run/receipt.ts';
import { StillClock } from '../run/desk.ts';
import { executeRequest, gradeRequest } from '../support/host-conformance.ts';

const folder = fileURLToPath(new URL('../fixtures/hosts/', import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), 'liftgate-host-'));
const call = { signal: new AbortController().signal };
const opened: WorkerHost[] = [];
let files = 0;

function freshFile(): string {
  files += 1;
  return join(scratch, `file-${files}`);
}

function open(
  start = 'well',
  changes: Partial<WorkerOptions> = {},
  file = freshFile(),
): WorkerHost {
  const host = workerHost({
    command: [process.execPath, 'worker.mjs', start, file],
    cwd: folder,
    concurrency: 1,
    limits: { wallMs: 10_000, silenceMs: 10_000 },
    clock: new StillClock(),
    ...changes,
    timings: { cancelMs: 20, terminateMs: 500, ...changes.timings },
  });
  opened.push(host);
  return host;
}

afterEach(async () => {
  await Promise.all(opened.splice(0).map((host) => host.close()));
});

afterAll(() => rmSync(scratch, { recursive: true, force: true }));

async function execute(
  host: WorkerHost,
  behave: string,
  changes: object = {},
): Promise<ExecuteReply> {
  return await host.execute(executeRequest(behave, changes), call);
}

async function refusal(host: WorkerHost): Promise<LiftgateError> {
  try {
    await host.hello();
  } catch (error) {
    if (error instanceof LiftgateError) return error;
    throw error;
  }
  throw new Error('the host was accepted');
}

/** Whether a process still runs; a zombie that waits to be reaped does not. */
function runs(pid: number): boolean {
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

describe('hello', () => {
  test.each([
    ['exit-before-hello', 'it exited with code 7 before its hello line'],
    ['chatter-before-hello', 'a line on standard output is no JSON object'],
    ['answer-before-hello', 'the first line is no hello'],
    ['bad-hello', 'the hello line is malformed'],
    ['other-protocol', 'its hello does not offer the protocol cell/1'],
    ['no-grade', 'its hello does not support grade'],
  ])('refuses a host that does %s', async (start, reason) => {
    const error = await refusal(open(start));
    expect(error.code).toBe('host-unreachable');
    expect(error.exitCode).toBe(32);
    expect(error.message).toContain(`cannot be used: ${reason}`);
    expect(error.mend).toContain('"kind":"hello","protocols":["cell/1"]');
  });

  test('refuses a host that never greets', async () => {
    const error = await refusal(
      open('never-hello', { timings: { helloMs: 100, terminateMs: 200 } }),
    );
    expect(error.message).toContain('no hello line came within 100 ms');
  });

  test('refuses a command that does not exist, naming it', async () => {
    const error = await refusal(open('well', { command: ['no-such-program-here'] }));
    expect(error.message).toContain('The host `no-such-program-here` cannot be used');
    expect(error.message).toContain('could not be started');
  });

  test('refuses an empty command', () => {
    expect(() => open('well', { command: [] })).toThrow('The host has no command.');
  });

  test('shows what the host wrote to standard error', async () => {
    const error = await refusal(open('exit-before-hello'));
    expect(error.details['stderr']).toContain('no licence found');
  });

  test('keeps the last 64 KiB of standard error', async () => {
    const host = open('stderr-flood');
    await host.hello();
    await execute(host, 'well');
    expect(host.stderrTail().length).toBe(65_536);
    expect(host.stderrTail().endsWith('noise end\n')).toBe(true);
  });

  test('passes an allow-listed environment only', async () => {
    process.env['LIFTGATE_TEST_SECRET'] = 'secret';
    process.env['LIFTGATE_TEST_GIVEN'] = 'given';
    const host = open('shows-environment', { env: ['LIFTGATE_TEST_GIVEN'] });
    const names = (await host.hello()).host.version.split(' ');
    delete process.env['LIFTGATE_TEST_SECRET'];
    delete process.env['LIFTGATE_TEST_GIVEN'];
    expect(names).toContain('LIFTGATE_TEST_GIVEN');
    expect(names).toContain('PATH');
    expect(names).not.toContain('LIFTGATE_TEST_SECRET');
  });
});

describe('execute', () => {
  test.each([
    ['die', 'hostCrash', 'it exited with code 3'],
    ['die-by-signal', 'hostCrash', 'it was ended by SIGKILL'],
    ['garbage', 'protocolViolation', 'no JSON object'],
    ['almost-json', 'protocolViolation', 'no JSON object'],
    ['unknown-kind', 'protocolViolation', 'neither an answer, a heartbeat nor a log'],
    ['second-hello', 'protocolViolation', 'a second hello'],
    ['huge-line', 'protocolViolation', 'longer than 4194304 bytes'],
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

  test('allows heartbeats and log lines beside the answer', async () => {
    expect((await execute(open(), 'beat-and-log')).outcome).toBe('completed');
  });

  test('lets an answer stand when the host leaves right after it', async () => {
    const host = open();
    expect((await execute(host, 'answer-and-die')).outcome).toBe('completed');
    expect((await execute(host, 'well')).outcome).toBe('completed');
  });

  test('a host that beats for the cell at the wall limit was alive: the agent exceeded its limit', async () => {
    const reply = await execute(open(), 'hang-beating', {
      limits: { wallMs: 400, silenceMs: 300 },
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
      const limits = { wallMs: 250, silenceMs: 200 };
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
      await expect.poll(() => runs(grandchild)).toBe(false);
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
    const pending = execute(host, 'hang');
    await host.close();
    expect(['cancelled', 'infrastructureFault']).toContain((await pending).outcome);
  });
});
