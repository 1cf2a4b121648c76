/**
 * The `module` transport: a host in our own process. A call that blocks the event loop cannot be interrupted, and a host could
 * read what is not meant for it; sealed runs therefore need `trustInProcess: true`.
 */
import { setMaxListeners } from 'node:events';
import { canonicalText } from '../base/canonical.ts';
import { LiftgateError } from '../base/errors.ts';
import type { Clock, Host, HostCall } from '../run/host.ts';
import {
  type ExecuteReply,
  type ExecuteRequest,
  type GradeReply,
  type GradeRequest,
  type Hello,
  helloSchema,
} from '../run/receipt.ts';
import {
  type CallSpan,
  checkExecuteReply,
  checkGradeReply,
  executeReplyOf,
  faultReport,
  gradeReplyOf,
} from '../run/replies.ts';
import type { Limits } from '../spec/spec.ts';
import { systemClock } from './clock.ts';
import { readWireJson, reasonOf } from './wire-json.ts';

/** What a host module exports. Each call gets its own copy of the request. */
export interface HostModule {
  readonly hello: unknown;
  readonly execute: (request: ExecuteRequest, call: HostCall) => unknown;
  readonly grade: (request: GradeRequest, call: HostCall) => unknown;
}

export interface ModuleOptions {
  /** Wall limit of a grading, 60 s when left out; an execution brings its own. */
  readonly limits?: Pick<Limits, 'wallMs'>;
  readonly clock?: Clock;
}

type Returned =
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'unreadable' | 'threw' | 'late' | 'aborted'; readonly detail: string };

/**
 * Checks that a loaded module is a host.
 * @throws {LiftgateError} host-unreachable naming what is missing
 */
export function hostModuleOf(exported: Readonly<Record<string, unknown>>): HostModule {
  const { hello, execute, grade } = exported as Partial<HostModule>;
  if (hello === undefined || typeof execute !== 'function' || typeof grade !== 'function') {
    throw unreachable('it must export hello, execute and grade');
  }
  return { hello, execute, grade };
}

function unreachable(detail: string): LiftgateError {
  return new LiftgateError('host-unreachable', `The host module cannot be used: ${detail}.`, {
    where: { path: 'host.module' },
    mend: 'Export hello ({"kind":"hello","protocols":["cell/1"],...}) and the functions execute and grade.',
  });
}

/**
 * A host that calls the functions of a module.
 *
 * A throwing `execute` is an infrastructure fault (hostCrash), a throwing `grade` an evaluator failure (graderCrash); a reply that
 * is no plain JSON, for example with NaN, breaks the protocol. At the wall limit the call is given up as hostUnresponsive: nothing
 * shows that the agent, and not the host, was slow.
 *
 * @example moduleHost({ hello, execute, grade }).adapter // => 'module'
 */
export function moduleHost(module: HostModule, options: ModuleOptions = {}): Host {
  const { wallMs: gradeWallMs } = options.limits ?? { wallMs: 60_000 };
  const clock = options.clock ?? systemClock;
  return {
    adapter: 'module',
    hello: () => greet(module),
    async execute(request, call) {
      const startedAt = clock.now();
      const { wallMs } = request.limits;
      const returned = await invoke(module.execute, request, { signal: call.signal, wallMs });
      return executeReplyFrom(request, returned, { startedAt, endedAt: clock.now() });
    },
    async grade(request, call) {
      const startedAt = clock.now();
      const limits = { signal: call.signal, wallMs: gradeWallMs };
      const returned = await invoke(module.grade, request, limits);
      return gradeReplyFrom(request, returned, { startedAt, endedAt: clock.now() });
    },
    close: () => Promise.resolve(),
  };
}

async function greet(module: HostModule): Promise<Hello> {
  const given: unknown =
    typeof module.hello === 'function' ? await module.hello() : await module.hello;
  const parsed = helloSchema.safeParse(given);
  if (!parsed.success) throw unreachable('its hello is malformed');
  if (!parsed.data.protocols.includes('cell/1'))
    throw unreachable('its hello does not offer the protocol cell/1');
  return parsed.data;
}

interface InvokeLimits {
  readonly wallMs: number;
  readonly signal: AbortSignal;
}

async function invoke<Request extends object>(
  work: (request: Request, call: HostCall) => unknown,
  request: Request,
  limits: InvokeLimits,
): Promise<Returned> {
  if (limits.signal.aborted) return { kind: 'aborted', detail: 'the run was interrupted' };
  const stop = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const ended = new Promise<Returned>((resolve) => {
    stop.signal.addEventListener('abort', () =>
      resolve({ kind: 'aborted', detail: 'the run was interrupted' }),
    );
    timer = setTimeout(() => {
      resolve({ kind: 'late', detail: `no answer after ${limits.wallMs} ms` });
      stop.abort();
    }, limits.wallMs);
  });
  const abort = (): void => stop.abort();
  // One listener per cell in flight is no leak.
  setMaxListeners(0, limits.signal);
  limits.signal.addEventListener('abort', abort, { once: true });
  const returned = await Promise.race([called(work, request, stop.signal), ended]);
  clearTimeout(timer);
  limits.signal.removeEventListener('abort', abort);
  return returned;
}

/** Calls the host with its own copy of the request and reads the reply as if it had come over a wire. */
async function called<Request extends object>(
  work: (request: Request, call: HostCall) => unknown,
  request: Request,
  signal: AbortSignal,
): Promise<Returned> {
  let reply: unknown;
  try {
    reply = await work(structuredClone(request), { signal });
  } catch (error) {
    return { kind: 'threw', detail: messageOf(error) };
  }
  try {
    return { kind: 'value', value: readWireJson(wireText(reply)) };
  } catch (error) {
    return { kind: 'unreadable', detail: messageOf(error) };
  }
}

/** A reply as a worker would have written it; what JSON would drop or convert in silence is refused. */
function wireText(reply: unknown): string {
  try {
    return canonicalText(reply);
  } catch (error) {
    if (reasonOf(error) !== 'E_SURROGATE') throw error;
    return JSON.stringify(reply);
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : 'something that is no Error was thrown';
}

function executeReplyFrom(
  request: ExecuteRequest,
  returned: Returned,
  span: CallSpan,
): ExecuteReply {
  const fault = (code: string): ExecuteReply =>
    executeReplyOf(
      request,
      'infrastructureFault',
      faultReport(code, 'agent', detailOf(returned)),
      span,
    );
  switch (returned.kind) {
    case 'aborted':
      return executeReplyOf(
        request,
        'cancelled',
        faultReport('cancelled', 'agent', returned.detail),
        span,
      );
    case 'late':
      return fault('hostUnresponsive');
    case 'threw':
      return fault('hostCrash');
    case 'unreadable':
      return fault('protocolViolation');
    case 'value': {
      const checked = checkExecuteReply(request, returned.value);
      if (checked.valid) return checked.reply;
      const violation = faultReport('protocolViolation', 'agent', checked.problem);
      return executeReplyOf(request, 'infrastructureFault', violation, span);
    }
  }
}

function detailOf(returned: Returned): string {
  return returned.kind === 'value' ? '' : returned.detail;
}

function gradeReplyFrom(request: GradeRequest, returned: Returned, span: CallSpan): GradeReply {
  const failed = (code: string, detail: string): GradeReply =>
    gradeReplyOf(request, 'evaluatorFailure', faultReport(code, 'grade', detail), span);
  switch (returned.kind) {
    case 'aborted':
      return gradeReplyOf(
        request,
        'cancelled',
        faultReport('cancelled', 'grade', returned.detail),
        span,
      );
    case 'late':
      return failed('graderTimeout', returned.detail);
    case 'threw':
      return failed('graderCrash', returned.detail);
    case 'unreadable':
      return failed('graderMalformed', returned.detail);
    case 'value': {
      const checked = checkGradeReply(request, returned.value);
      return checked.valid ? checked.reply : failed('graderMalformed', checked.problem);
    }
  }
}
