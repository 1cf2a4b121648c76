/**
 * The port through which pure code hands long work to whoever has processors. Work is a named task over numbered blocks
 * ("shards") of plain data; threads live in `host/pool`.
 *
 * A task is a pure function of its input and the number of a block, so that the result is the same list of blocks whoever
 * computes them, in whatever order. Adding one means: write the function, give it a name in the module whose `shardTasks` the
 * pool is opened with, and hand `Pool.run` its name, its input and the number of blocks. A Monte Carlo task gives each block its
 * own stream, seeded from the block's number, as `resample-shards` does.
 */

/** What a task computes of one block. */
export type ShardRun = (shard: number) => Float64Array;

/**
 * A named pure function: reads its input once, then computes any block of it. The input arrived as a structured clone and is
 * checked by the task like every value from outside.
 */
export type ShardTask = (input: unknown) => ShardRun;

/** Tasks by name; a module for a pool exports one as `shardTasks`. */
export type ShardTasks = Readonly<Record<string, ShardTask>>;

/** Work in blocks. */
export interface ShardJob {
  readonly task: string;
  /** Plain data that can be cloned: no functions. */
  readonly input: unknown;
  /** Number of blocks, at least 0. */
  readonly shards: number;
  /** What one thread is expected to need in all, in milliseconds: short jobs are not worth starting a thread for. */
  readonly estimatedMs: number;
}

/** How a running job reports, and how it is stopped. */
export interface PoolCall {
  /** Aborting it ends the job with the error `interrupted`. */
  readonly signal?: AbortSignal;
  /** Called after every block, in any order of blocks. */
  readonly onProgress?: (done: number, total: number) => void;
}

/** Runs jobs, one after the other. */
export interface Pool {
  /**
   * The results of all blocks, in the order of their numbers, whatever the number of workers.
   *
   * @throws {LiftgateError} interrupted  when the signal is aborted
   * @throws {LiftgateError} internal     when the task is unknown or a worker dies
   */
  run(job: ShardJob, call?: PoolCall): Promise<readonly Float64Array[]>;
  /** Ends its threads; a job that is running ends with the error `interrupted`. */
  close(): Promise<void>;
}
