/**
 * Threads for long computations: the `Pool` port over worker_threads.
 *
 * Results never depend on the number of workers: a block is a pure function of its number, and results are laid side by side
 * by number. Jobs expected to take less than 300 ms run in place, for a thread costs 40 to 60 ms to start. Threads start with
 * the first long job, stay for the next one and do not keep the process alive while they idle.
 */
import { Worker } from 'node:worker_threads';
import { type ErrorCode, LiftgateError, type Place } from '../base/errors.ts';
import { simulationTask } from '../gate/simulate.ts';
import { requireCount } from '../stats/arguments.ts';
import { bootstrapTask } from '../stats/bootstrap-interval.ts';
import type { Pool, PoolCall, ShardJob, ShardTask, ShardTasks } from '../stats/pool.ts';

/** Jobs expected to be shorter run in place. */
export const shortJobMs = 300;

/** The engine's own tasks. */
export const shardTasks: ShardTasks = { bootstrap: bootstrapTask, simulation: simulationTask };

/** What the pool says to a thread. */
export type PoolRequest =
  | { readonly kind: 'job'; readonly task: string; readonly input: unknown }
  | { readonly kind: 'shard'; readonly shard: number };

/** What a thread answers. */
export type PoolAnswer =
  | { readonly kind: 'done'; readonly shard: number; readonly values: Float64Array }
  /** The task refused its input. */
  | {
      readonly kind: 'refused';
      readonly code: ErrorCode;
      readonly message: string;
      readonly where: Place | undefined;
      readonly mend: string | undefined;
    }
  | { readonly kind: 'broken'; readonly text: string };

/** How many threads, and where tasks come from. */
export interface ThreadPoolOptions {
  /** Number of threads, a whole number; 0 computes everything in place. */
  readonly workers: number;
  /** A module that exports `shardTasks`; the engine's own by default. */
  readonly tasks?: URL;
  /** The program of a thread; the built one beside this file by default. */
  readonly program?: URL;
  /** Jobs expected to take less, in milliseconds, run in place; 300 by default. */
  readonly shortJobMs?: number;
}

function broken(text: string): LiftgateError {
  return new LiftgateError('internal', `A worker thread failed: ${text}`, {
    mend: 'Run again; with `workers: 0` the same numbers are computed without threads.',
  });
}

function stopped(): LiftgateError {
  return new LiftgateError('interrupted', 'The computation was stopped before its end.', {
    mend: 'Start it again: it needs nothing of what was done.',
  });
}

/**
 * The tasks a module exports; the engine's own without one.
 * @throws {LiftgateError} internal  when it exports no `shardTasks`
 */
export async function loadTasks(url: string | undefined): Promise<ShardTasks> {
  if (url === undefined) return shardTasks;
  const { shardTasks: found } = (await import(url)) as { readonly shardTasks?: ShardTasks };
  if (found === undefined) throw broken(`${url.split('/').at(-1)} exports no shardTasks`);
  return found;
}

/**
 * The task of a name.
 * @throws {LiftgateError} internal  naming those there are
 */
export function taskNamed(tasks: ShardTasks, name: string): ShardTask {
  const task = Object.hasOwn(tasks, name) ? tasks[name] : undefined;
  if (task !== undefined) return task;
  throw broken(`there is no task "${name}", only ${Object.keys(tasks).join(', ')}`);
}

function pause(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

/** All blocks in this thread; the event loop turns between blocks, so that a signal is heard. */
async function runInPlace(
  run: (shard: number) => Float64Array,
  shards: number,
  { signal, onProgress }: PoolCall,
): Promise<Float64Array[]> {
  const results: Float64Array[] = [];
  for (let shard = 0; shard < shards; shard += 1) {
    if (signal?.aborted === true) throw stopped();
    results.push(run(shard));
    onProgress?.(shard + 1, shards);
    await pause();
  }
  if (signal?.aborted === true) throw stopped();
  return results;
}

/** Blocks handed to a thread ahead, so that it never waits for the next one. */
const handedAhead = 2;

/** One job over running threads; its promise settles once, with all blocks or with the first failure. */
class SpreadJob {
  readonly #job: ShardJob;
  readonly #onProgress: PoolCall['onProgress'];
  readonly #results: Float64Array[];
  readonly #unwatch: (() => void)[] = [];
  #resolve: (found: Float64Array[]) => void = () => undefined;
  #reject: (error: unknown) => void = () => undefined;
  readonly outcome: Promise<Float64Array[]>;
  #next = 0;
  #done = 0;

  constructor(threads: readonly Worker[], job: ShardJob, { signal, onProgress }: PoolCall) {
    this.#job = job;
    this.#onProgress = onProgress;
    this.#results = new Array<Float64Array>(job.shards);
    this.outcome = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    const abort = (): void => this.#fail(stopped());
    signal?.addEventListener('abort', abort, { once: true });
    this.#unwatch.push(() => signal?.removeEventListener('abort', abort));
    for (const thread of threads) this.#start(thread);
  }

  #start(thread: Worker): void {
    const onMessage = (answer: PoolAnswer): void => this.#take(thread, answer);
    const onError = (error: unknown): void => this.#fail(broken(String(error)));
    const onExit = (code: number): void =>
      this.#fail(broken(`it ended with code ${code} before its work was done`));
    thread.on('message', onMessage).on('error', onError).on('exit', onExit);
    this.#unwatch.push(() => {
      thread.off('message', onMessage).off('error', onError).off('exit', onExit);
    });
    const { task, input } = this.#job;
    thread.postMessage({ kind: 'job', task, input } satisfies PoolRequest);
    for (let ahead = 0; ahead < handedAhead; ahead += 1) this.#handOut(thread);
  }

  #handOut(thread: Worker): void {
    if (this.#next >= this.#job.shards) return;
    thread.postMessage({ kind: 'shard', shard: this.#next } satisfies PoolRequest);
    this.#next += 1;
  }

  #take(thread: Worker, answer: PoolAnswer): void {
    switch (answer.kind) {
      case 'broken':
        this.#fail(broken(answer.text));
        return;
      case 'refused': {
        const { code, message, where, mend } = answer;
        this.#fail(new LiftgateError(code, message, { where, mend }));
        return;
      }
      case 'done':
        this.#results[answer.shard] = answer.values;
        this.#done += 1;
        this.#onProgress?.(this.#done, this.#job.shards);
        this.#handOut(thread);
        if (this.#done === this.#job.shards) this.#end();
    }
  }

  #end(): void {
    for (const unwatch of this.#unwatch) unwatch();
    this.#resolve(this.#results);
  }

  #fail(error: unknown): void {
    for (const unwatch of this.#unwatch) unwatch();
    this.#reject(error);
  }
}

class ThreadPool implements Pool {
  readonly #options: ThreadPoolOptions;
  #threads: Worker[] = [];
  #previous: Promise<unknown> = Promise.resolve();
  #closing = new AbortController();

  constructor(options: ThreadPoolOptions) {
    this.#options = options;
  }

  get started(): number {
    return this.#threads.length;
  }

  run(job: ShardJob, call: PoolCall = {}): Promise<readonly Float64Array[]> {
    const closing = this.#closing.signal;
    const signal = call.signal === undefined ? closing : AbortSignal.any([call.signal, closing]);
    const found = this.#previous.then(() => this.#compute(job, { ...call, signal }));
    this.#previous = found.catch(() => undefined);
    return found;
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#closing = new AbortController();
    await this.#previous;
    await this.#endThreads();
  }

  async #compute(job: ShardJob, call: PoolCall): Promise<readonly Float64Array[]> {
    if (call.signal?.aborted === true) throw stopped();
    const { workers, shortJobMs: limit = shortJobMs, tasks } = this.#options;
    const wanted = Math.min(workers, job.shards);
    if (wanted > 0 && job.estimatedMs >= limit) return this.#spread(job, call, wanted);
    const task = taskNamed(await loadTasks(tasks?.href), job.task);
    return runInPlace(task(job.input), job.shards, call);
  }

  async #spread(job: ShardJob, call: PoolCall, wanted: number): Promise<Float64Array[]> {
    while (this.#threads.length < wanted) this.#threads.push(this.#start());
    const used = this.#threads.slice(0, wanted);
    for (const thread of used) thread.ref();
    try {
      return await new SpreadJob(used, job, call).outcome;
    } catch (error) {
      // What a thread still computes belongs to nobody.
      await this.#endThreads();
      throw error;
    } finally {
      for (const thread of used) thread.unref();
    }
  }

  #start(): Worker {
    const { tasks, program = new URL('./pool-worker.js', import.meta.url) } = this.#options;
    const thread = new Worker(program, { workerData: { tasks: tasks?.href } });
    // Between jobs a thread that dies is nobody's failure: the next job starts another.
    thread.on('error', () => undefined);
    thread.on('exit', () => {
      this.#threads = this.#threads.filter((each) => each !== thread);
    });
    return thread;
  }

  async #endThreads(): Promise<void> {
    const ending = this.#threads;
    this.#threads = [];
    await Promise.all(ending.map((thread) => thread.terminate()));
  }
}

/** The pool, and how many threads it has started. */
export interface StartedPool extends Pool {
  readonly started: number;
}

/**
 * A pool of threads.
 *
 * @param options  workers, a whole number; a module of tasks in place of the engine's own
 * @throws {LiftgateError} stats-argument-invalid  if the number of workers is negative or not whole
 * @example threadPool({ workers: 2 }).started // => 0
 */
export function threadPool(options: ThreadPoolOptions): StartedPool {
  requireCount('workers', options.workers);
  return new ThreadPool(options);
}
