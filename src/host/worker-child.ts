/**
 * One child process that speaks `cell/1` over JSON lines: one cell in flight, its own process group.
 *
 * The class of a fault comes from what is seen here: an exit, silence, a line that is no answer. After a fault the child is ended
 * with everything it started and is never asked again.
 */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { canonicalLine } from '../base/canonical.ts';
import type { ExecuteRequest, GradeRequest, Hello } from '../run/receipt.ts';
import { LineReader, type LongLine, lineLimitBytes } from './line-reader.ts';
import { signalGroup } from './process-group.ts';
import { type Answer, type CallLimits, type Failure, WorkerCall } from './worker-call.ts';
import { type HostLine, readHostLine } from './worker-line.ts';

/** Waits of the transport, in milliseconds. */
export interface WorkerTimings {
  /** From start to the hello line. */
  readonly helloMs: number;
  /** From the cancel line to SIGTERM. */
  readonly cancelMs: number;
  /** From SIGTERM to SIGKILL. */
  readonly terminateMs: number;
  /** From an answer to its acceptance: a second answer within it spoils the first. */
  readonly quietMs: number;
  /** A heartbeat this recent at the wall limit shows a living host. */
  readonly heartbeatMs: number;
}

export interface ChildOptions {
  readonly command: readonly [string, ...string[]];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly timings: WorkerTimings;
  readonly onStderr: (chunk: Buffer) => void;
}

/** From an exit to taking the output as complete, should somebody outside the group hold the pipe open. */
const drainMs = 250;

/** A running child. */
export class WorkerChild {
  private readonly process: ChildProcessByStdio<Writable, Readable, Readable>;
  private readonly options: ChildOptions;
  private readonly reader = new LineReader();
  private readonly greeting: Promise<Hello | Failure>;
  private readonly ended: Promise<void>;
  private greeted: ((hello: Hello | Failure) => void) | null = null;
  private call: WorkerCall | null = null;
  /** A cancelled cell whose answer, should it still come, frees the child. */
  private cancelled: { readonly cellKey: string; readonly free: () => void } | null = null;
  private failure: Failure | null = null;
  private gone = false;
  private exitText = 'ended';
  private idle: Promise<void> = Promise.resolve();

  constructor(options: ChildOptions) {
    this.options = options;
    const [program, ...args] = options.command;
    this.process = spawn(program, args, {
      cwd: options.cwd,
      env: options.env,
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: true,
    });
    this.greeting = this.watchGreeting();
    this.ended = this.watchEnd();
    // A child that closes its input is judged by its exit or silence, not by our failed write.
    this.process.stdin.on('error', () => undefined);
    this.process.stdout.on('data', (chunk: Buffer) => this.read(chunk));
    this.process.stderr.on('data', options.onStderr);
  }

  /** Whether the child can be asked. */
  get usable(): boolean {
    return !this.gone && this.failure === null;
  }

  /** Resolves when the child is free for the next request or has ended. */
  get ready(): Promise<void> {
    return Promise.race([this.idle, this.ended]);
  }

  /** The hello line, or why there is none. */
  greet(): Promise<Hello | Failure> {
    return this.greeting;
  }

  /** Sends one request and waits for its answer; only when `usable` and `ready`. Never rejects. */
  async ask(
    request: ExecuteRequest | GradeRequest,
    limits: Omit<CallLimits, 'heartbeatMs' | 'quietMs'>,
  ): Promise<Answer> {
    const line = canonicalLine(request);
    if (Buffer.byteLength(line) > lineLimitBytes + 1) {
      const detail = `the request is longer than ${lineLimitBytes} bytes`;
      return { kind: 'failed', code: 'protocolViolation', detail };
    }
    if (limits.signal.aborted) {
      return { kind: 'failed', code: 'cancelled', detail: 'the run was interrupted' };
    }
    const { heartbeatMs, quietMs } = this.options.timings;
    const call = new WorkerCall(request.cellKey, { ...limits, heartbeatMs, quietMs }, (failure) =>
      this.cancel(call, failure),
    );
    this.call = call;
    this.process.stdin.write(line);
    const answer = await call.result;
    this.call = null;
    return answer;
  }

  /** Ends the child and everything it started: closed input, SIGTERM, SIGKILL. */
  async end(): Promise<void> {
    this.failure ??= { kind: 'failed', code: 'cancelled', detail: 'the host was closed' };
    this.call?.end(this.failure);
    this.process.stdin.end();
    if (!(await this.endsWithin(this.options.timings.terminateMs))) await this.terminate();
  }

  /** Ends the group at once; for the last moment of our own process. */
  kill(): void {
    if (!this.gone) signalGroup(this.process, 'SIGKILL');
  }

  private async terminate(): Promise<void> {
    signalGroup(this.process, 'SIGTERM');
    if (await this.endsWithin(this.options.timings.terminateMs)) return;
    signalGroup(this.process, 'SIGKILL');
    await this.ended;
  }

  private async endsWithin(ms: number): Promise<boolean> {
    return await within(
      ms,
      this.ended.then(() => true),
    );
  }

  /** Ends the call, tells the host, and frees the child if it answers in time; else the child is ended. */
  private cancel(call: WorkerCall, failure: Failure): void {
    if (this.call !== call) return;
    this.call = null;
    this.idle = this.afterCancel(call.cellKey);
    call.end(failure);
  }

  private async afterCancel(cellKey: string): Promise<void> {
    const freed = new Promise<boolean>((resolve) => {
      this.cancelled = { cellKey, free: () => resolve(true) };
    });
    this.process.stdin.write(canonicalLine({ protocol: 'cell/1', kind: 'cancel', cellKey }));
    const ended = this.ended.then(() => true);
    const free = await within(this.options.timings.cancelMs, Promise.race([freed, ended]));
    this.cancelled = null;
    if (free) return;
    this.failure ??= { kind: 'failed', code: 'hostUnresponsive', detail: 'cancel was not obeyed' };
    await this.terminate();
  }

  private read(chunk: Buffer): void {
    if (this.failure !== null) return;
    const lines = this.reader.push(chunk);
    if (lines === null) {
      this.violate(`a line is longer than ${lineLimitBytes} bytes and does not end`);
      return;
    }
    for (const line of lines) {
      if (this.failure !== null) return;
      if (Buffer.isBuffer(line)) this.readLine(readHostLine(line));
      else this.readLong(line);
    }
  }

  /** Only who was asked knows the key of a cell: a long line that names it is the answer, and its length no fault of the machine. */
  private readLong(line: LongLine): void {
    const { call } = this;
    if (call === null || call.answered || !line.names(call.cellKey)) {
      this.violate(`a line of ${line.length} bytes is longer than ${lineLimitBytes} bytes`);
      return;
    }
    const detail = `the reply has ${line.length} bytes; a line has at most ${lineLimitBytes}`;
    call.end({ kind: 'failed', code: 'replyTooLarge', detail });
    this.call = null;
  }

  private readLine(line: HostLine): void {
    if (line.kind === 'garbage') this.violate(line.detail);
    else if (this.greeted !== null) this.readFirst(line, this.greeted);
    else if (line.kind === 'answer') this.readAnswer(line);
    else if (line.kind === 'sign') this.call?.hear(line.cellKey);
    else this.violate('a second hello');
  }

  private readFirst(line: HostLine, greeted: (hello: Hello) => void): void {
    if (line.kind === 'hello') greeted(line.hello);
    else this.violate('the first line is no hello');
  }

  private readAnswer(line: Extract<HostLine, { kind: 'answer' }>): void {
    const { call, cancelled } = this;
    if (cancelled !== null && line.cellKey === cancelled.cellKey) {
      this.cancelled = null;
      cancelled.free();
    } else if (call === null || call.answered) {
      this.violate('an answer nobody asked for, or a second one');
    } else if (line.cellKey !== call.cellKey) {
      this.violate('an answer for another cell');
    } else {
      call.accept(line.value);
    }
  }

  private violate(detail: string): void {
    this.fail({ kind: 'failed', code: 'protocolViolation', detail });
  }

  private fail(failure: Failure): void {
    if (this.failure !== null) return;
    this.failure = failure;
    this.idle = this.terminate();
    this.call?.end(failure);
    this.greeted?.(failure);
  }

  private watchGreeting(): Promise<Hello | Failure> {
    const { helloMs } = this.options.timings;
    return new Promise((resolve) => {
      const late = setTimeout(() => {
        const detail = `no hello line came within ${helloMs} ms`;
        this.fail({ kind: 'failed', code: 'hostUnresponsive', detail });
      }, helloMs);
      this.greeted = (hello) => {
        clearTimeout(late);
        this.greeted = null;
        resolve(hello);
      };
    });
  }

  /** Resolves when the child has ended and its output is read. */
  private watchEnd(): Promise<void> {
    return new Promise((resolve) => {
      let drained: NodeJS.Timeout | undefined;
      const finish = (): void => {
        clearTimeout(drained);
        if (this.gone) return;
        this.gone = true;
        this.finishCalls();
        resolve();
      };
      this.process.on('error', (error) => {
        this.exitText = `could not be started (${error.message})`;
        if (this.process.pid === undefined) finish();
      });
      this.process.on('exit', (code, name) => {
        this.exitText = name === null ? `exited with code ${code}` : `was ended by ${name}`;
        signalGroup(this.process, 'SIGKILL');
        drained = setTimeout(finish, drainMs);
      });
      this.process.on('close', finish);
    });
  }

  private finishCalls(): void {
    const crash: Failure = { kind: 'failed', code: 'hostCrash', detail: `it ${this.exitText}` };
    this.call?.endWithChild(this.failure ?? crash);
    this.greeted?.(this.failure ?? { ...crash, detail: `${crash.detail} before its hello line` });
  }
}

/** Whether a promise resolves to true within a time. */
async function within(ms: number, event: Promise<boolean>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), ms);
  });
  const result = await Promise.race([event, late]);
  clearTimeout(timer);
  return result;
}
