/** One request in flight at a worker: its limits, signs of life, and the answer that ends it. */

import { setMaxListeners } from 'node:events';

/** Why a request got no usable answer; `hostUnreachable`: no child is started for it any more. */
export interface Failure {
  readonly kind: 'failed';
  readonly code:
    | 'hostCrash'
    | 'hostUnresponsive'
    | 'hostUnreachable'
    | 'protocolViolation'
    | 'replyTooLarge'
    | 'wallLimit'
    | 'cancelled';
  readonly detail: string;
}

/** What came of one request. */
export type Answer = { readonly kind: 'reply'; readonly value: unknown } | Failure;

export interface CallLimits {
  readonly wallMs: number;
  readonly silenceMs: number;
  /** A heartbeat this recent at the wall limit shows a living host. */
  readonly heartbeatMs: number;
  /** From an answer to its acceptance: a second answer within it spoils the first. */
  readonly quietMs: number;
  readonly signal: AbortSignal;
}

/**
 * A call ends once: by its answer, by a failure its child reports, or by a limit. Limits and the signal end it through `onStop`, so
 * that the child can be told.
 *
 * At the wall limit a host that sent a heartbeat for this cell lately is alive and its agent was slow (`wallLimit`); a silent host
 * is not blamed on the agent (`hostUnresponsive`).
 */
export class WorkerCall {
  readonly cellKey: string;
  readonly result: Promise<Answer>;
  private readonly limits: CallLimits;
  private readonly onStop: (failure: Failure) => void;
  private readonly wall: NodeJS.Timeout;
  private readonly abort = (): void => this.stop('cancelled', 'the run was interrupted');
  private silence: NodeJS.Timeout;
  private heartbeatAt: number | null = null;
  private reply: { readonly value: unknown } | null = null;
  private resolve: (answer: Answer) => void = () => undefined;

  constructor(cellKey: string, limits: CallLimits, onStop: (failure: Failure) => void) {
    this.cellKey = cellKey;
    this.limits = limits;
    this.onStop = onStop;
    this.result = new Promise((resolve) => {
      this.resolve = resolve;
    });
    this.wall = setTimeout(() => this.wallReached(), limits.wallMs);
    this.silence = setTimeout(
      () => this.stop('hostUnresponsive', `nothing heard for ${limits.silenceMs} ms`),
      limits.silenceMs,
    );
    // One listener per cell in flight is no leak.
    setMaxListeners(0, limits.signal);
    limits.signal.addEventListener('abort', this.abort, { once: true });
  }

  /** Whether an answer came; it is accepted after a quiet moment. */
  get answered(): boolean {
    return this.reply !== null;
  }

  /** A sign of life: a log line, or a heartbeat that names a cell. */
  hear(cellKey: string | null): void {
    if (this.answered) return;
    this.silence.refresh();
    if (cellKey === this.cellKey) this.heartbeatAt = performance.now();
  }

  /** The first answer; it ends the call unless something spoils it within the quiet moment. */
  accept(value: unknown): void {
    const reply = { value };
    this.reply = reply;
    clearTimeout(this.wall);
    clearTimeout(this.silence);
    this.silence = setTimeout(() => this.end({ kind: 'reply', ...reply }), this.limits.quietMs);
  }

  /** Ends the call. */
  end(answer: Answer): void {
    clearTimeout(this.wall);
    clearTimeout(this.silence);
    this.limits.signal.removeEventListener('abort', this.abort);
    this.resolve(answer);
  }

  /** Ends the call because its child has ended: an answer that came before stands. */
  endWithChild(crash: Failure): void {
    this.end(this.reply === null ? crash : { kind: 'reply', ...this.reply });
  }

  private stop(code: Failure['code'], detail: string): void {
    this.onStop({ kind: 'failed', code, detail });
  }

  private wallReached(): void {
    const { wallMs, silenceMs, heartbeatMs } = this.limits;
    const window = Math.min(heartbeatMs, silenceMs);
    if (this.heartbeatAt !== null && performance.now() - this.heartbeatAt <= window) {
      this.stop('wallLimit', `still running after ${wallMs} ms`);
    } else {
      const detail = `no heartbeat in the last ${window} ms at the limit of ${wallMs} ms`;
      this.stop('hostUnresponsive', detail);
    }
  }
}
