/** What threads change: nothing in the bits, the wall time of long jobs, and nothing for short ones. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { threadPool } from '../../dist/host/pool.js';
import { pooledBootstrapInterval } from '../../dist/stats/index.js';

const rounds = 7;
const trimmed = { statistic: { kind: 'trimmed-mean', trimPercent: 10 } };

function digestOf(blocks) {
  const hash = createHash('sha256');
  for (const block of blocks) hash.update(new Uint8Array(block.buffer));
  return hash.digest('hex');
}

/** How many different results 0, 1, 2 and 4 threads give: 1. */
async function resultsOf(values, seed) {
  const input = { values, options: { seed, resamples: 8000, ...trimmed } };
  const digests = new Set();
  for (const workers of [0, 1, 2, 4]) {
    const pool = threadPool({ workers });
    digests.add(
      digestOf(await pool.run({ task: 'bootstrap', input, shards: 8, estimatedMs: 1e6 })),
    );
    await pool.close();
  }
  return digests.size;
}

/** Processor time of every thread of this process so far, in milliseconds; empty where the system does not tell. */
function threadTimes() {
  try {
    return new Map(
      readdirSync('/proc/self/task').map((thread) => {
        const text = readFileSync(`/proc/self/task/${thread}/stat`, 'utf8');
        const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
        return [thread, 10 * (Number(fields[11]) + Number(fields[12]))];
      }),
    );
  } catch {
    return new Map();
  }
}

/**
 * Wall time of each run, and processor time of its busiest thread: the wall time there would be with a free core for each. The
 * runs take their turns for several rounds, so that a busy minute falls on all of them; the fastest round of each counts.
 */
async function costs(...runs) {
  const found = runs.map(() => ({ wall: Infinity, busiest: Infinity }));
  for (let round = 0; round < rounds; round += 1) {
    for (const [at, run] of runs.entries()) {
      const before = threadTimes();
      const start = performance.now();
      await run();
      const wall = performance.now() - start;
      const spent = [...threadTimes()].map(([thread, ms]) => ms - (before.get(thread) ?? 0));
      found[at] = {
        wall: Math.min(found[at].wall, wall),
        busiest: Math.min(found[at].busiest, Math.max(...spent)),
      };
    }
  }
  return found;
}

/** Bits, the gain of two threads on a job over a second, and what a pool of two costs a job below 300 ms. */
export async function threadCosts({ values, seed }) {
  const [none, two] = [threadPool({ workers: 0 }), threadPool({ workers: 2 })];
  const options = { method: 'bootstrap-percentile', level: 0.95, seed, ...trimmed };
  const on = (pool, list, resamples) => () =>
    pooledBootstrapInterval(list, { ...options, resamples, pool });
  const few = values.slice(0, 1000);
  const [shortAlone, shortPooled] = await costs(on(none, few, 20_000), on(two, few, 20_000));
  const started = two.started;
  const [alone, together] = await costs(on(none, values, 30_000), on(two, values, 30_000));
  await two.close();
  return {
    results: await resultsOf(values, seed),
    shortRatio: shortPooled.busiest / shortAlone.busiest,
    started,
    seconds: alone.busiest / 1000,
    ratio: alone.busiest / together.busiest,
    wallRatio: alone.wall / together.wall,
    load: loadavg()[0],
  };
}
