import { describe, expect, test } from 'vitest';
import { LiftgateError } from '../../src/base/errors.ts';
import { type HostModule, hostModuleOf, moduleHost } from '../../src/host/module.ts';
import { StillClock } from '../run/desk.ts';
import { exampleTests } from '../support/examples.ts';
import { executeRequest, gradeRequest } from '../support/host-conformance.ts';

const hello = {
  kind: 'hello',
  protocols: ['cell/1'],
  host: { name: 'inline', version: '1' },
  supports: ['execute', 'grade'],
};
const call = { signal: new AbortController().signal };

function open(changes: Partial<HostModule>) {
  const module = { hello, execute: () => null, grade: () => null, ...changes };
  return moduleHost(module, { limits: { wallMs: 50 }, clock: new StillClock() });
}

describe('hostModuleOf', () => {
  test.each([
    {},
    { hello, execute: () => null },
    { hello, grade: () => null, execute: 'no function' },
  ])('refuses a module that lacks an export', (exported) => {
    expect(() => hostModuleOf(exported)).toThrow(LiftgateError);
    expect(() => hostModuleOf(exported)).toThrow(
      'The host module cannot be used: it must export hello, execute and grade.',
    );
  });

  test('takes a module that has them', () => {
    const execute = () => null;
    expect(hostModuleOf({ hello, execute, grade: execute, other: 1 })).toEqual({
      hello,
      execute,
      grade: execute,
    });
  });
});

describe('moduleHost', () => {
  test('greets with an object or the result of a function', async () => {
    expect((await open({}).hello()).host.name).toBe('inline');
    expect((await open({ hello: () => Promise.resolve(hello) }).hello()).host.name).toBe('inline');
  });

  test.each([
    [{ kind: 'hello' }, 'its hello is malformed'],
    [{ ...hello, protocols: ['cell/2'] }, 'does not offer the protocol cell/1'],
  ])('refuses a hello that is not ours', async (given, reason) => {
    await expect(open({ hello: given }).hello()).rejects.toThrow(reason);
  });

  test('gives each call its own copy of the request', async () => {
    const request = executeRequest('well');
    const before = structuredClone(request);
    await open({
      execute: (given) => {
        Object.assign(given.input, { text: 'changed' });
        return null;
      },
    }).execute(request, call);
    expect(request).toEqual(before);
  });

  test.each([
    ['undefined members', { fault: undefined }],
    ['a getter', Object.defineProperty({}, 'kind', { get: () => 'execute', enumerable: true })],
    ['NaN', { usage: { costUsd: Number.NaN } }],
    ['a date', { timing: new Date(0) }],
  ])('takes a reply with %s as a protocol violation', async (_, reply) => {
    const answered = await open({ execute: () => reply }).execute(executeRequest('well'), call);
    expect(answered).toMatchObject({
      outcome: 'infrastructureFault',
      fault: { code: 'protocolViolation' },
    });
  });

  test('tells a crashing, a hanging and a babbling grader apart', async () => {
    const codes: (string | undefined)[] = [];
    for (const grade of [
      () => Promise.reject(new Error('boom')),
      () => new Promise(() => undefined),
      () => ({ scores: Number.NaN }),
      () => 'fine',
    ]) {
      const reply = await open({ grade }).grade(gradeRequest('well'), call);
      expect(reply).toMatchObject({ outcome: 'evaluatorFailure', scores: {}, critical: null });
      codes.push(reply.fault?.code);
    }
    expect(codes).toEqual(['graderCrash', 'graderTimeout', 'graderMalformed', 'graderMalformed']);
  });

  test('tells the host when its call is given up', async () => {
    const seen: boolean[] = [];
    const host = open({
      execute: (_, { signal }) =>
        new Promise(() => signal.addEventListener('abort', () => seen.push(signal.aborted))),
    });
    const request = executeRequest('well', { limits: { wallMs: 20, silenceMs: 20 } });
    expect((await host.execute(request, call)).fault?.code).toBe('hostUnresponsive');
    expect(seen).toEqual([true]);
  });

  test('survives a host that throws something that is no error', async () => {
    const host = open({ execute: () => Promise.reject('text') });
    expect((await host.execute(executeRequest('well'), call)).fault).toMatchObject({
      code: 'hostCrash',
      detail: 'something that is no Error was thrown',
    });
  });
});

exampleTests('src/host/module.ts', {
  names: ['moduleHost'],
  scope: { moduleHost, hello, execute: () => null, grade: () => null },
});
