/**
 * The `worker` transport: long-lived children, JSON lines, one cell in flight each. The normative one.
 *
 * Each child leads its own process group, gets an allow-listed environment, greets within 10 s, and is ended with everything it
 * started. A child that dies, falls silent or breaks the protocol is started again, at most three times a minute; then its calls
 * end as `hostUnreachable` faults at once.
 */

import { canonicalText } from '../base/canonical.ts';
import { invariant, LiftgateError } from '../base/errors.ts';
import type { Clock, Host, HostCall } from '../run/host.ts';
import type {
  ExecuteReply,
  ExecuteRequest,
  GradeReply,
  GradeRequest,
  Hello,
} from '../run/receipt.ts';
import {
  checkExecuteReply,
  checkGradeReply,
  executeReplyOf,
  faultReport,
  gradeReplyOf,
} from '../run/replies.ts';
import type { Limits } from '../spec/spec.ts';
import { systemClock } from './clock.ts';
import type { Answer, Failure } from './worker-call.ts';
import { WorkerChild, type WorkerTimings } from './worker-child.ts';

/** How to run a worker host. */
export interface WorkerOptions {
  /** Program and arguments, run without a shell. */
  readonly command: readonly string[];
  /** Working directory: the experiment folder; the current one when left out. */
  readonly cwd?: string;
  /** Children, a whole number >= 1; 1 when left out. */
  readonly concurrency?: number;
  /** Limits of a grading, 60 s and 30 s when left out; an execution brings its own, equal for all arms. */
  readonly limits?: Pick<Limits, 'wallMs' | 'silenceMs'>;
  /** Names of environment variables passed on beside PATH, HOME and TMPDIR. */
  readonly env?: readonly string[];
  readonly clock?: Clock;
  /** Shorter waits, for tests. */
  readonly timings?: Partial<WorkerTimings>;
}

/** A worker host; its children's standard error is kept for the log. */
export interface WorkerHost extends Host {
  /** Last 64 KiB the children wrote to standard error. */
  stderrTail(): string;
}

/** Default waits of the transport. */
export const workerTimings: WorkerTimings = {
  helloMs: 10_000,
  cancelMs: 5_000,
  terminateMs: 5_000,
  quietMs: 3,
  heartbeatMs: 10_000,
};

const gradeLimits = { wallMs: 60_000, silenceMs: 30_000 } as const;
const alwaysPassed = ['PATH', 'HOME', 'TMPDIR'] as const;
const stderrLimit = 65_536;
const restartsPerMinute = 3;
const minuteMs = 60_000;

/** One place of the pool: a child, its starts, and whether its last end was asked for. */
interface Slot {
  child: WorkerChild | null;
  restarts: number[];
  excused: boolean;
}

/**
 * A host that runs `command` as a pool of children.
 *
 * @example workerHost({ command: ['node', 'host.mjs'], concurrency: 4 }).adapter // => 'worker'
 */
export function workerHost(options: WorkerOptions): WorkerHost {
  return new WorkerPool(options);
}

class WorkerPool implements WorkerHost {
  readonly adapter = 'worker';
  private readonly options: WorkerOptions;
  private readonly command: readonly [string, ...string[]];
  private readonly clock: Clock;
  private readonly timings: WorkerTimings;
  private readonly slots: readonly Slot[];
  private readonly free: Slot[];
  private readonly waiting: ((slot: Slot) => void)[] = [];
  private readonly lastMoment = (): void => {
    for (const slot of this.slots) slot.child?.kill();
  };
  private hostHello: Hello | null = null;
  private closed = false;
  private stderr = Buffer.alloc(0);

  constructor(options: WorkerOptions) {
    const [program, ...args] = options.command;
    if (program === undefined) {
      throw new LiftgateError('host-unreachable', 'The host has no command.', {
        where: { path: 'host.worker' },
        mend: 'Name the program, for example worker: [node, host.mjs].',
      });
    }
    this.options = options;
    this.command = [program, ...args];
    this.clock = options.clock ?? systemClock;
    this.timings = { ...workerTimings, ...options.timings };
    this.slots = Array.from({ length: Math.max(1, options.concurrency ?? 1) }, () => ({
      child: null,
      restarts: [],
      excused: false,
    }));
    this.free = [...this.slots];
    process.once('exit', this.lastMoment);
  }

  stderrTail(): string {
    return this.stderr.toString('utf8');
  }

  async hello(): Promise<Hello> {
    if (this.hostHello !== null) return this.hostHello;
    const slot = await this.acquire();
    try {
      const failed = await this.start(slot);
      if (failed !== null) throw this.unreachable(failed.detail);
    } finally {
      this.release(slot);
    }
    invariant(this.hostHello !== null, 'a started host has greeted');
    return this.hostHello;
  }

  private unreachable(detail: string): LiftgateError {
    const command = this.command.join(' ');
    return new LiftgateError(
      'host-unreachable',
      `The host \`${command}\` cannot be used: ${detail}.`,
      {
        mend: 'Start the command by hand in the experiment folder: its first line on standard output must be {"kind":"hello","protocols":["cell/1"],"host":{"name":...,"version":...},"supports":["execute","grade"]}.',
        details: { stderr: this.stderrTail().slice(-2048) },
      },
    );
  }

  async execute(request: ExecuteRequest, call: HostCall): Promise<ExecuteReply> {
    const startedAt = this.clock.now();
    const answer = await this.ask(request, request.limits, call);
    const span = { startedAt, endedAt: this.clock.now() };
    if (answer.kind === 'failed') {
      const fault = faultReport(answer.code, 'agent', answer.detail);
      return executeReplyOf(request, executeClass(answer), fault, span);
    }
    const checked = checkExecuteReply(request, answer.value);
    if (checked.valid) return checked.reply;
    const fault = faultReport('protocolViolation', 'agent', checked.problem);
    return executeReplyOf(request, 'infrastructureFault', fault, span);
  }

  async grade(request: GradeRequest, call: HostCall): Promise<GradeReply> {
    const startedAt = this.clock.now();
    const answer = await this.ask(request, this.options.limits ?? gradeLimits, call);
    const span = { startedAt, endedAt: this.clock.now() };
    if (answer.kind === 'failed') {
      const late = answer.code === 'wallLimit';
      const fault = faultReport(late ? 'graderTimeout' : answer.code, 'grade', answer.detail);
      return gradeReplyOf(request, gradeClass(answer), fault, span);
    }
    const checked = checkGradeReply(request, answer.value);
    if (checked.valid) return checked.reply;
    const fault = faultReport('graderMalformed', 'grade', checked.problem);
    return gradeReplyOf(request, 'evaluatorFailure', fault, span);
  }

  async close(): Promise<void> {
    this.closed = true;
    await Promise.all(this.slots.map((slot) => slot.child?.end()));
    // Only now: should our process be ended while it waits, its children still go with it.
    process.removeListener('exit', this.lastMoment);
  }

  private async ask(
    request: ExecuteRequest | GradeRequest,
    limits: Pick<Limits, 'wallMs' | 'silenceMs'>,
    call: HostCall,
  ): Promise<Answer> {
    const slot = await this.acquire();
    try {
      const failed = await this.prepare(slot, call.signal);
      if (failed !== null) return failed;
      const child = slot.child;
      if (child === null) return gone('the host was closed');
      const { wallMs, silenceMs } = limits;
      const answer = await child.ask(request, { wallMs, silenceMs, signal: call.signal });
      slot.excused = isExcused(request, answer);
      return answer;
    } finally {
      this.release(slot);
    }
  }

  private async acquire(): Promise<Slot> {
    const slot = this.free.shift();
    return slot ?? (await new Promise<Slot>((resolve) => this.waiting.push(resolve)));
  }

  /** Hands the slot on once its child is free or has ended. */
  private release(slot: Slot): void {
    const pass = (): void => {
      const next = this.waiting.shift();
      if (next === undefined) this.free.push(slot);
      else next(slot);
    };
    if (slot.child === null) pass();
    else void slot.child.ready.then(pass);
  }

  /** Makes sure the slot has a child that can be asked; null when it has. */
  private async prepare(slot: Slot, signal: AbortSignal): Promise<Failure | null> {
    if (signal.aborted)
      return { kind: 'failed', code: 'cancelled', detail: 'the run was interrupted' };
    if (this.closed) return gone('the host was closed');
    if (slot.child?.usable === true) return null;
    await slot.child?.ready;
    if (slot.child !== null && !slot.excused) {
      const now = this.clock.elapsedMs();
      slot.restarts = slot.restarts.filter((at) => now - at < minuteMs);
      if (slot.restarts.length >= restartsPerMinute) {
        return gone(`the host ended ${slot.restarts.length + 1} times within a minute`);
      }
      slot.restarts.push(now);
    }
    return await this.start(slot);
  }

  private async start(slot: Slot): Promise<Failure | null> {
    slot.excused = false;
    const child = new WorkerChild({
      command: this.command,
      cwd: this.options.cwd ?? '.',
      env: passedEnvironment(this.options.env ?? []),
      timings: this.timings,
      onStderr: (chunk) => {
        this.stderr = Buffer.concat([this.stderr, chunk]).subarray(-stderrLimit);
      },
    });
    slot.child = child;
    const hello = await child.greet();
    if (hello.kind === 'failed') return hello;
    const problem = this.helloProblem(hello);
    if (problem === null) {
      this.hostHello ??= hello;
      return null;
    }
    await child.end();
    return { kind: 'failed', code: 'protocolViolation', detail: problem };
  }

  private helloProblem(hello: Hello): string | null {
    if (!hello.protocols.includes('cell/1')) return 'its hello does not offer the protocol cell/1';
    const lacks = ['execute', 'grade'].find((verb) => !hello.supports.includes(verb));
    if (lacks !== undefined) return `its hello does not support ${lacks}`;
    const known = this.hostHello;
    return known === null || canonicalText(known.host) === canonicalText(hello.host)
      ? null
      : 'another host greeted than the one the run started with';
  }
}

function gone(detail: string): Failure {
  return { kind: 'failed', code: 'hostUnreachable', detail };
}

function executeClass(answer: Failure): 'infrastructureFault' | 'limitExceeded' | 'cancelled' {
  switch (answer.code) {
    case 'wallLimit':
    case 'replyTooLarge':
      return 'limitExceeded';
    case 'cancelled':
      return 'cancelled';
    case 'hostCrash':
    case 'hostUnresponsive':
    case 'hostUnreachable':
    case 'protocolViolation':
      return 'infrastructureFault';
  }
}

function gradeClass(answer: Failure): 'infrastructureFault' | 'evaluatorFailure' | 'cancelled' {
  const outcome = executeClass(answer);
  return outcome === 'limitExceeded' ? 'evaluatorFailure' : outcome;
}

/** An end that we caused, or asked for in a control, says nothing about the host and does not count against its restarts. */
function isExcused(request: ExecuteRequest | GradeRequest, answer: Answer): boolean {
  if (answer.kind !== 'failed') return false;
  if (answer.code === 'wallLimit' || answer.code === 'cancelled') return true;
  return request.fault === 'host-exit' && answer.code === 'hostCrash';
}

function passedEnvironment(names: readonly string[]): Record<string, string> {
  const passed: Record<string, string> = {};
  for (const name of [...alwaysPassed, ...names]) {
    const value = process.env[name];
    if (value !== undefined) passed[name] = value;
  }
  return passed;
}
