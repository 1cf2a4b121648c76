import { describe, expect, test } from 'vitest';
import { LiftgateError } from '../../src/base/errors.ts';
import { loadTasks, shortJobMs, threadPool } from '../../src/host/pool.ts';
import {
  type BootstrapIntervalOptions,
  bootstrapInterval,
  pooledBootstrapInterval,
} from '../../src/stats/bootstrap-interval.ts';
import type { BootstrapStatistic } from '../../src/stats/bootstrap-statistic.ts';
import type { ShardJob } from '../../src/stats/pool.ts';
import { resamplingStream } from '../../src/stats/random.ts';
import { expectRefusal, testSeed } from '../support/statistics.ts';

/** The built program of a thread: Node runs no TypeScript. */
const program = new URL('../../dist/host/pool-worker.js', import.meta.url);
const tasks = new URL('../fixtures/pool/tasks.mjs', import.meta.url);

function job(task: string, changes: Partial<ShardJob> = {}): ShardJob {
  return { task, input: { scale: 3 }, shards: 7, estimatedMs: 10_000, ...changes };
}

async function onPool<Result>(
  workers: number,
  use: (pool: ReturnType<typeof threadPool>) => Promise<Result>,
): Promise<Result> {
  const pool = threadPool({ workers, tasks, program });
  try {
    return await use(pool);
  } finally {
    await pool.close();
    expect(pool.started).toBe(0);
  }
}

describe('threadPool', () => {
  test.each([0, 1, 2, 4])('gives the same blocks in order with %i workers', async (workers) => {
    const found = await onPool(workers, async (pool) => {
      const first = await pool.run(job('squares'));
      expect(await pool.run(job('squares', { shards: 3 }))).toEqual(first.slice(0, 3));
      expect(await pool.run(job('squares', { shards: 0 }))).toEqual([]);
      expect(pool.started).toBe(workers);
      return first;
    });
    expect(found.length).toBe(7);
    found.forEach((block, shard) => {
      expect([...block]).toEqual(Array.from({ length: shard + 1 }, (_, at) => 3 * at * at));
    });
  });

  test('uses every thread for a long job, and none for a short one', async () => {
    await onPool(2, async (pool) => {
      const here = await pool.run(job('threads', { estimatedMs: shortJobMs - 1 }));
      expect(pool.started).toBe(0);
      expect(new Set(here.map(([id]) => id)).size).toBe(1);
      const there = await pool.run(job('threads', { shards: 200, estimatedMs: shortJobMs }));
      const ids = new Set(there.map(([id]) => id));
      expect(ids.size).toBe(2);
      expect(ids.has(here[0]?.[0])).toBe(false);
    });
  });

  test('starts no more threads than there are blocks', async () => {
    await onPool(4, async (pool) => {
      await pool.run(job('squares', { shards: 2 }));
      expect(pool.started).toBe(2);
    });
  });

  test.each([0, 2])('counts every block done, with %i workers', async (workers) => {
    const seen: number[][] = [];
    await onPool(workers, (pool) =>
      pool.run(job('squares'), { onProgress: (done, total) => seen.push([done, total]) }),
    );
    expect(seen).toEqual([1, 2, 3, 4, 5, 6, 7].map((done) => [done, 7]));
  });

  test.each([0, 2])(
    'stops between blocks when the signal says so, with %i workers',
    async (workers) => {
      await onPool(workers, async (pool) => {
        const stop = new AbortController();
        const running = pool.run(job('squares', { shards: 5000 }), {
          signal: stop.signal,
          onProgress: (done) => {
            if (done === 5) stop.abort();
          },
        });
        await expect(running).rejects.toMatchObject({
          code: 'interrupted',
          message: 'The computation was stopped before its end.',
        });
        const late = pool.run(job('squares'), { signal: stop.signal });
        await expect(late).rejects.toMatchObject({ code: 'interrupted' });
        expect((await pool.run(job('squares'))).length).toBe(7);
      });
    },
  );

  test('ends a thread that computes on for ever when the signal says so', async () => {
    await onPool(1, async (pool) => {
      const stop = new AbortController();
      const running = pool.run(job('endless'), {
        signal: stop.signal,
        onProgress: () => stop.abort(),
      });
      await expect(running).rejects.toMatchObject({ code: 'interrupted' });
      expect(pool.started).toBe(0);
    });
  });

  test('closing stops the job that runs and those that wait', async () => {
    const pool = threadPool({ workers: 1, tasks, program });
    const outcomes = Promise.allSettled([pool.run(job('endless')), pool.run(job('squares'))]);
    await pool.close();
    for (const outcome of await outcomes) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'interrupted' } });
    }
  });

  test.each([
    ['dies', 'A worker thread failed: it ended with code 9 before its work was done'],
    ['throws', 'A worker thread failed: TypeError: block two is cursed'],
    ['nothing', 'A worker thread failed: LiftgateError: A worker thread failed'],
  ])('a task that %s is an error with its reason, not a hang', async (task, message) => {
    await onPool(2, async (pool) => {
      const running = pool.run(job(task));
      await expect(running).rejects.toBeInstanceOf(LiftgateError);
      await expect(running).rejects.toMatchObject({
        code: 'internal',
        message: expect.stringContaining(
          task === 'nothing' ? 'there is no task "nothing", only squares' : message,
        ),
      });
      expect(pool.started).toBe(0);
      expect((await pool.run(job('squares'))).length).toBe(7);
    });
  });

  test('a program that cannot be loaded is an error, not a hang', async () => {
    const pool = threadPool({
      workers: 1,
      tasks,
      program: new URL('./nowhere.js', import.meta.url),
    });
    await expect(pool.run(job('squares'))).rejects.toMatchObject({
      code: 'internal',
      message: expect.stringContaining('Cannot find module'),
    });
    await pool.close();
  });

  test('refuses a number of workers that is none, and a module without tasks', async () => {
    expectRefusal(
      () => threadPool({ workers: -1 }),
      'workers must be a whole number of at least 0, got -1',
    );
    await expect(
      loadTasks(new URL('../support/statistics.ts', import.meta.url).href),
    ).rejects.toThrow('statistics.ts exports no shardTasks');
  });
});

describe('pooledBootstrapInterval', () => {
  const stream = resamplingStream(testSeed(51));
  const values = Array.from({ length: 60 }, () => stream.word() / 2 ** 32);
  const denominators = values.map((value) => 1 + value * value);
  const options: BootstrapIntervalOptions = {
    method: 'bootstrap-bca',
    level: 0.95,
    seed: testSeed(52),
    resamples: 5000,
    prefer: 'resample',
  };
  const statistics: readonly (readonly [string, BootstrapStatistic])[] = [
    ['mean', { kind: 'mean' }],
    ['median', { kind: 'median' }],
    ['quantile', { kind: 'quantile', percent: 90 }],
    ['trimmed mean', { kind: 'trimmed-mean', trimPercent: 10 }],
    ['ratio', { kind: 'ratio-of-means', denominators }],
    ['custom', { kind: 'custom', compute: (drawn) => values[drawn[0] ?? 0] ?? 0 }],
  ];

  test('has the bits of bootstrapInterval with 0, 1, 2 and 4 workers, for every statistic', async () => {
    for (const workers of [0, 1, 2, 4]) {
      const pool = threadPool({ workers, program, shortJobMs: 0 });
      for (const [name, statistic] of statistics) {
        const own = bootstrapInterval(values, { ...options, statistic });
        expect(own, name).toHaveProperty('lower');
        const found = await pooledBootstrapInterval(values, { ...options, statistic, pool });
        expect(found, name).toEqual(own);
      }
      expect(pool.started).toBe(workers);
      await pool.close();
    }
  });

  test('draws nothing on the pool where the law is exact or the method is bootstrap-t', async () => {
    const pool = threadPool({ workers: 2, program, shortJobMs: 0 });
    for (const changes of [{ prefer: 'exact' }, { method: 'bootstrap-t' }] as const) {
      const all = { ...options, ...changes };
      expect(await pooledBootstrapInterval(values, { ...all, pool })).toEqual(
        bootstrapInterval(values, all),
      );
    }
    expect(pool.started).toBe(0);
  });

  test('reports its blocks, can be stopped, and refuses what bootstrapInterval refuses', async () => {
    const pool = threadPool({ workers: 0 });
    const seen: number[] = [];
    const all = { ...options, pool };
    await pooledBootstrapInterval(values, { ...all, onProgress: (done) => seen.push(done) });
    expect(seen).toEqual([1, 2, 3, 4, 5]);
    const signal = AbortSignal.abort();
    await expect(pooledBootstrapInterval(values, { ...all, signal })).rejects.toMatchObject({
      code: 'interrupted',
    });
    await expect(pooledBootstrapInterval(values, { ...all, level: 2 })).rejects.toThrow(
      'level must be a probability strictly between 0 and 1, got 2',
    );
  });
});
