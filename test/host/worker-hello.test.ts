import { describe, expect, test } from 'vitest';
import { LiftgateError } from '../../src/base/errors.ts';
import type { WorkerHost } from '../../src/host/worker.ts';
import { closeAfterwards, execute, open } from './open-worker.ts';

closeAfterwards();

async function refusal(host: WorkerHost): Promise<LiftgateError> {
  try {
    await host.hello();
  } catch (error) {
    if (error instanceof LiftgateError) return error;
    throw error;
  }
  throw new Error('the host was accepted');
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
