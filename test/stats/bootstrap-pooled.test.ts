import { describe, expect, test } from 'vitest';
import {
  bootstrapInterval,
  bootstrapLaw,
  bootstrapTask,
  bootstrapWork,
  type PooledBootstrapOptions,
  pooledBootstrapInterval,
} from '../../src/stats/bootstrap-interval.ts';
import type { BootstrapStatistic } from '../../src/stats/bootstrap-statistic.ts';
import type { Pool, PoolCall, ShardJob } from '../../src/stats/pool.ts';
import { computed, expectRefusal, testSeed } from '../support/statistics.ts';

const seed = testSeed(5);

/** A pool of one that runs every block in place, the last first, and keeps what it was asked. */
function pool(): Pool & { readonly jobs: ShardJob[]; readonly calls: (PoolCall | undefined)[] } {
  const jobs: ShardJob[] = [];
  const calls: (PoolCall | undefined)[] = [];
  return {
    jobs,
    calls,
    run: (job, call) => {
      jobs.push(job);
      calls.push(call);
      const run = bootstrapTask(structuredClone(job.input));
      const results: Float64Array[] = [];
      for (let shard = job.shards - 1; shard >= 0; shard -= 1) results[shard] = run(shard);
      return Promise.resolve(results);
    },
    close: () => Promise.resolve(),
  };
}

const values = [3.1, 0.2, 4.7, 1.1, 8.9, 2.2, 5.6, 0.9, 3.3, 6.1, 2.8, 7.4];
const options = Object.freeze({
  method: 'bootstrap-percentile',
  level: 0.9,
  seed,
  resamples: 2500,
  prefer: 'resample',
} as const);

describe('pooledBootstrapInterval', () => {
  test.each<[string, BootstrapStatistic, number]>([
    ['mean', { kind: 'mean' }, 2],
    ['median', { kind: 'median' }, 5],
    ['ratio', { kind: 'ratio-of-means', denominators: values.map((value) => value + 1) }, 3],
  ])(
    'a %s has the bits of the interval computed in place, from three blocks',
    async (_, statistic, cost) => {
      const threads = pool();
      const found = await pooledBootstrapInterval(values, { ...options, statistic, pool: threads });
      expect(found).toEqual(bootstrapInterval(values, { ...options, statistic }));
      expect(found).toMatchObject({ law: 'monte-carlo', seed, resamples: 2500 });
      expect(threads.jobs).toHaveLength(1);
      expect(threads.jobs[0]).toMatchObject({ task: 'bootstrap', shards: 3 });
      // Nanoseconds per draw, in milliseconds.
      expect(threads.jobs[0]?.estimatedMs).toBeCloseTo((12 * 2500 * cost) / 1e6, 12);
      expect(threads.calls[0]).toEqual({});
    },
  );

  test('hands on the signal and the report of progress, each only where given', async () => {
    const { signal } = new AbortController();
    const onProgress = (): void => undefined;
    for (const call of [{ signal }, { onProgress }, { signal, onProgress }]) {
      const threads = pool();
      await pooledBootstrapInterval(values, { ...options, ...call, pool: threads });
      expect(threads.calls[0]).toEqual(call);
    }
  });

  test.each<[string, readonly number[], Partial<PooledBootstrapOptions>]>([
    ['no values', [], {}],
    ['an exact law', values, { prefer: 'exact' }],
    ['a custom statistic', values, { statistic: { kind: 'custom', compute: (at) => at[0] ?? 0 } }],
    ['the bootstrap-t', values, { method: 'bootstrap-t' }],
    [
      'the bootstrap-t of a mean by name',
      values,
      { method: 'bootstrap-t', statistic: { kind: 'mean' } },
    ],
  ])('asks no thread about %s', async (_, list, changes) => {
    const threads = pool();
    const all = { ...options, ...changes };
    const found = await pooledBootstrapInterval(list, { ...all, pool: threads });
    expect(threads.jobs).toEqual([]);
    expect(found).toEqual(bootstrapInterval(list, all));
  });

  test('refuses a level by name before anything is drawn', async () => {
    const threads = pool();
    await expect(
      pooledBootstrapInterval(values, { ...options, level: 1, pool: threads }),
    ).rejects.toMatchObject({
      code: 'stats-argument-invalid',
      message: 'level must be a probability strictly between 0 and 1, got 1',
    });
    expect(threads.jobs).toEqual([]);
  });
});

describe('bootstrapTask and bootstrapWork', () => {
  test('a task computes the blocks of the work, the mean where no statistic is named', () => {
    const work = computed(bootstrapWork(values, options));
    if (work.kind !== 'shards') throw new Error('asked to be resampled');
    const run = bootstrapTask({ values, options });
    for (const shard of [0, 1, 2]) expect(run(shard)).toEqual(work.shards.run(shard));
    expect(run(2)).toHaveLength(2500 - 2 * 1024);
  });

  test('no units are no work and no law', () => {
    const nothing = { status: 'indeterminate', reason: 'no-units' };
    expect(bootstrapWork([], options)).toEqual(nothing);
    expect(bootstrapLaw([], options)).toEqual(nothing);
    expect(bootstrapInterval([], options)).toEqual(nothing);
  });

  test('refuses a seed by name', () => {
    expectRefusal(
      () => bootstrapLaw(values, { ...options, seed: 'x' }),
      'seed must be 64 lower-case hex digits, got x',
    );
  });
});

describe('resamples without a value', () => {
  /** No value where the first two draws are the same unit: 1/12 of the resamples. */
  const sometimes: BootstrapStatistic = {
    kind: 'custom',
    compute: (at) => (at[0] === at[1] ? Number.NaN : (at[0] ?? 0)),
  };
  const reason = { status: 'indeterminate', reason: 'degenerate-resamples' };

  test('are no interval once their share is above the error of a side', () => {
    const custom = { ...options, statistic: sometimes };
    expect(bootstrapInterval(values, { ...custom, level: 0.9 })).toEqual(reason);
    const { lower, upper } = computed(bootstrapInterval(values, { ...custom, level: 0.7 }));
    expect([lower, upper]).toEqual([1, 10]);
  });

  test('and where the share is the error itself there is one', () => {
    // Two units, enumerated: the resamples (0, 0) and (1, 1) hold half of all, (0, 1) the other half.
    const once: BootstrapStatistic = {
      kind: 'custom',
      compute: (at) => (at[0] === at[1] ? (at[0] === 0 ? Number.NaN : 5) : 1),
    };
    const two = { ...options, prefer: 'exact', statistic: once } as const;
    expect(bootstrapInterval([1, 2], { ...two, level: 0.5 })).toMatchObject({ lower: 1, upper: 5 });
    expect(bootstrapInterval([1, 2], { ...two, level: 0.51 })).toEqual(reason);
  });

  test('an infinite end is no interval, on either side', () => {
    for (const end of [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]) {
      const wild: BootstrapStatistic = {
        kind: 'custom',
        compute: (at) => (at[0] === 0 ? end : (at[0] ?? 0)),
      };
      expect(bootstrapInterval(values, { ...options, statistic: wild, level: 0.9 })).toEqual(
        reason,
      );
      expect(bootstrapInterval(values, { ...options, statistic: wild, level: 0.7 })).toHaveProperty(
        'lower',
      );
    }
  });

  test('two units have a BCa interval to be asked for, one has too few', () => {
    const bca = { ...options, method: 'bootstrap-bca', prefer: 'exact' } as const;
    expect(bootstrapInterval([1], bca)).toEqual({
      status: 'indeterminate',
      reason: 'too-few-units',
    });
    expect(bootstrapInterval([0, 1], bca)).toMatchObject({ lower: 0, upper: 1 });
  });
});
