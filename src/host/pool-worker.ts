/** A thread of the pool: told a task once per job, then asked for block after block. Loaded by `pool` and by nobody else. */
import { parentPort, workerData } from 'node:worker_threads';
import { LiftgateError } from '../base/errors.ts';
import type { ShardRun } from '../stats/pool.ts';
import { loadTasks, type PoolAnswer, type PoolRequest, taskNamed } from './pool.ts';

const port = parentPort;
const { tasks } = workerData as { readonly tasks: string | undefined };

function failureOf(error: unknown): PoolAnswer {
  if (error instanceof LiftgateError) {
    const { code, message, where, mend } = error;
    return { kind: 'refused', code, message, where, mend };
  }
  return { kind: 'broken', text: error instanceof Error ? String(error.stack) : String(error) };
}

let run: ShardRun | undefined;

async function answer(request: PoolRequest): Promise<PoolAnswer | undefined> {
  if (request.kind === 'job') {
    run = taskNamed(await loadTasks(tasks), request.task)(request.input);
    return undefined;
  }
  if (run === undefined) return { kind: 'broken', text: 'asked for a block before a job' };
  return { kind: 'done', shard: request.shard, values: run(request.shard) };
}

// Requests are answered in their order, for a job's task may still be loading when its first block is asked for.
let previous: Promise<void> = Promise.resolve();
port?.on('message', (request: PoolRequest) => {
  previous = previous
    .then(() => answer(request))
    .catch(failureOf)
    .then((found) => {
      // Copied, not transferred: once any buffer of a thread is detached, V8 checks every typed array it reads, 13 % of a job.
      if (found !== undefined) port.postMessage(found);
    });
});
