/** The host port: whoever executes cells. Transports live in `host/`. */
import type { ExecuteReply, ExecuteRequest, GradeReply, GradeRequest, Hello } from './receipt.ts';

/** Options of one call; an aborted signal ends it with outcome `cancelled`. */
export interface HostCall {
  readonly signal: AbortSignal;
}

/**
 * Executes and grades cells. A transport never rejects because of the host's behaviour: death, silence, garbage, a wrong or
 * second answer become replies of class `infrastructureFault`, a bad grade becomes `evaluatorFailure`.
 */
export interface Host {
  readonly adapter: 'worker' | 'module' | 'replay';
  /**
   * Greets the host before anything is measured.
   * @throws {LiftgateError} host-unreachable when it cannot be started or does not speak `cell/1`
   */
  hello(): Promise<Hello>;
  execute(request: ExecuteRequest, call: HostCall): Promise<ExecuteReply>;
  grade(request: GradeRequest, call: HostCall): Promise<GradeReply>;
  /** What the host last wrote to standard error, where it is a process of its own. */
  stderrTail?(): string;
  close(): Promise<void>;
}

/** Time as the edges know it; pure parts receive it. */
export interface Clock {
  /** UTC, ISO 8601 with milliseconds. */
  now(): string;
  /** Milliseconds of a monotonic clock. */
  elapsedMs(): number;
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}
