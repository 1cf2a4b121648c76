import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import {
  type ResampleJob,
  resampleShards,
  shardResamples,
} from '../../src/stats/resample-shards.ts';
import { expectRefusal, testSeed } from '../support/statistics.ts';

function job(units: number, resamples: number, statistic: ResampleJob['statistic']): ResampleJob {
  return { units, resamples, seed: testSeed(31), statistic };
}

describe('resampleShards', () => {
  /** The stream as its documentation says, in big integers and without any of the kernel's code. */
  function slowStream(shard: number): () => bigint {
    const digest = createHash('sha256')
      .update(`${testSeed(31)}\nresample/2\n${shard}`)
      .digest();
    const wrap = (value: bigint): bigint => BigInt.asUintN(32, value);
    let [a, b, c, counter] = [0, 4, 8, 12].map((at) => BigInt(digest.readUInt32BE(at))) as [
      bigint,
      bigint,
      bigint,
      bigint,
    ];
    const word = (): bigint => {
      const mixed = wrap(a + b + counter);
      counter = wrap(counter + 1n);
      a = b ^ (b >> 9n);
      b = wrap(c + (c << 3n));
      c = wrap(wrap((c << 21n) | (c >> 11n)) + mixed);
      return mixed;
    };
    for (let warm = 0; warm < 16; warm += 1) word();
    return word;
  }

  function slowIndices(units: number, shard: number): number[] {
    const word = slowStream(shard);
    const n = BigInt(units);
    const accepted = (part: bigint, bits: bigint): boolean =>
      BigInt.asUintN(Number(bits), part * n) >= (1n << bits) % n;
    const indices: number[] = [];
    while (indices.length < 4 * (units + (units % 2))) {
      const drawn = word();
      const [low, high] = [drawn & 65535n, drawn >> 16n];
      if (units > 65536 || 65536 % units > 8192) {
        if (accepted(drawn, 32n)) indices.push(Number((drawn * n) >> 32n));
      } else if (accepted(low, 16n) && accepted(high, 16n)) {
        indices.push(Number((low * n) >> 16n), Number((high * n) >> 16n));
      }
    }
    return indices;
  }

  test.each([1, 2, 7, 77, 1000, 3001, 8192, 8193, 10000, 14000])(
    'draws the indices of %i units that its documentation describes, block by block',
    (units) => {
      const seen: number[] = [];
      const shards = resampleShards(
        job(units, shardResamples + 4, {
          kind: 'indices',
          of: (drawn) => {
            if (seen.length < 4 * units) seen.push(...drawn);
            return 0;
          },
        }),
      );
      for (const shard of [1, 0]) {
        seen.length = 0;
        shards.run(shard);
        const width = units + (units % 2);
        const expected = slowIndices(units, shard).filter((_, at) => at % width < units);
        expect(seen).toEqual(expected);
      }
    },
  );

  test.each([14000, 14001, 65537, 100000])(
    'draws one index a word for %i units, of which a half word would refuse too many',
    (units) => {
      const word = slowStream(0);
      const n = BigInt(units);
      const expected: number[] = [];
      while (expected.length < 40) {
        const drawn = word();
        if (BigInt.asUintN(32, drawn * n) >= 2n ** 32n % n)
          expected.push(Number((drawn * n) >> 32n));
      }
      const seen: number[] = [];
      const of = (drawn: Uint32Array): number => seen.push(...drawn.slice(0, 40));
      resampleShards(job(units, 1, { kind: 'indices', of })).run(0);
      expect(seen).toEqual(expected);
    },
  );

  test.each([1, 2, 7, 8, 1001, 14000, 14001])(
    'a total, a ratio and counts of %i units are those of the indices drawn',
    (units) => {
      const values = Float64Array.from({ length: units }, (_, at) => ((at * 37) % 101) + 1);
      const bottoms = Float64Array.from({ length: units }, (_, at) => ((at * 53) % 89) + 1);
      const drawn: number[][] = [];
      const keep = (indices: Uint32Array): number => drawn.push([...indices]);
      resampleShards(job(units, 3, { kind: 'indices', of: keep })).run(0);
      const sums = drawn.map((indices) => indices.reduce((sum, at) => sum + (values[at] ?? 0), 0));
      const below = drawn.map((indices) =>
        indices.reduce((sum, at) => sum + (bottoms[at] ?? 0), 0),
      );
      const total = resampleShards(job(units, 3, { kind: 'total', values, of: (sum) => 2 * sum }));
      expect([...total.run(0)]).toEqual(sums.map((sum) => 2 * sum));
      const ratio = resampleShards(job(units, 3, { kind: 'ratio', tops: values, bottoms }));
      expect([...ratio.run(0)]).toEqual(sums.map((sum, at) => sum / (below[at] ?? 1)));
      // Each unit's count, read off as one number.
      const of = (counts: Uint32Array): number =>
        counts.reduce((sum, times, at) => sum + times * (at + 1) ** 2, 0);
      const counted = resampleShards(job(units, 3, { kind: 'counts', of }));
      expect([...counted.run(0)]).toEqual(
        drawn.map((indices) => indices.reduce((sum, at) => sum + (at + 1) ** 2, 0)),
      );
    },
  );

  test('blocks hold 1,024 resamples, the last one the rest', () => {
    const sizes = (resamples: number): number[] => {
      const shards = resampleShards(job(1, resamples, { kind: 'indices', of: () => 0 }));
      return Array.from({ length: shards.count }, (_, shard) => shards.run(shard).length);
    };
    expect(sizes(1)).toEqual([1]);
    expect(sizes(1024)).toEqual([1024]);
    expect(sizes(1025)).toEqual([1024, 1]);
    expect(sizes(2100)).toEqual([1024, 1024, 52]);
  });

  test('refuses no resamples, no units and too many by name', () => {
    const indices = { kind: 'indices', of: () => 0 } as const;
    expectRefusal(
      () => resampleShards(job(1, 0, indices)),
      'resamples must be a whole number of at least 1, got 0',
    );
    expectRefusal(
      () => resampleShards(job(0, 1, indices)),
      'units must be a whole number of at least 1, got 0',
    );
    expectRefusal(
      () => resampleShards(job(2 ** 21 + 1, 1, indices)),
      'units must be a number from 1 to 2097152, got 2097153',
    );
    expectRefusal(
      () => resampleShards({ ...job(1, 1, indices), seed: 'A' }),
      'seed must be 64 lower-case hex digits, got A',
    );
    const { run } = resampleShards(job(1, 1025, indices));
    expectRefusal(() => run(2), 'shard must be a number from 0 to 1, got 2');
    expectRefusal(() => run(-1), 'shard must be a whole number of at least 0, got -1');
  });

  test('keeps its numbers: the first draws of blocks 0 and 1 are recorded', () => {
    const seen: number[][] = [];
    const shards = resampleShards(
      job(1000, 2000, {
        kind: 'indices',
        of: (units) => {
          seen.push([...units.slice(0, 4)]);
          return units[0] ?? -1;
        },
      }),
    );
    expect(shards.count).toBe(2);
    const sizes = [shards.run(0).length, shards.run(1).length];
    expect(sizes).toEqual([shardResamples, 2000 - shardResamples]);
    expect([seen[0], seen[shardResamples]]).toEqual([
      [164, 742, 946, 119],
      [23, 770, 662, 405],
    ]);
  });

  test.each([7, 1000, 5000, 14000])('draws each of %i units equally often', (units) => {
    const hits = new Float64Array(units);
    const resamples = Math.floor(700_000 / units);
    const shards = resampleShards(
      job(units, resamples, {
        kind: 'indices',
        of: (drawn) => {
          for (const unit of drawn) hits[unit] = (hits[unit] ?? 0) + 1;
          return 0;
        },
      }),
    );
    for (let shard = 0; shard < shards.count; shard += 1) shards.run(shard);
    const expected = resamples;
    let chiSquare = 0;
    for (const count of hits) chiSquare += ((count - expected) * (count - expected)) / expected;
    // Six standard deviations of a chi-square with units − 1 degrees.
    expect(Math.abs(chiSquare - (units - 1))).toBeLessThan(6 * Math.sqrt(2 * (units - 1)));
  });

  test.each([50, 5000, 14001])(
    'the four kinds of statistic see the same resamples of %i units',
    (units) => {
      const values = Float64Array.from({ length: units }, (_, index) => index % 17);
      const total = resampleShards(job(units, 40, { kind: 'total', values, of: (sum) => sum })).run(
        0,
      );
      const counts = resampleShards(
        job(units, 40, {
          kind: 'counts',
          of: (times) => times.reduce((sum, count, unit) => sum + count * (values[unit] ?? 0), 0),
        }),
      ).run(0);
      const indices = resampleShards(
        job(units, 40, {
          kind: 'indices',
          of: (drawn) => drawn.reduce((sum, unit) => sum + (values[unit] ?? 0), 0),
        }),
      ).run(0);
      const ratio = resampleShards(
        job(units, 40, { kind: 'ratio', tops: values, bottoms: new Float64Array(units).fill(1) }),
      ).run(0);
      expect(ratio.map((share) => Math.round(share * units))).toEqual(total);
      expect(counts).toEqual(total);
      expect(indices).toEqual(total);
    },
  );

  test('refuses a block that does not exist', () => {
    const shards = resampleShards(job(3, 10, { kind: 'indices', of: () => 0 }));
    expectRefusal(() => shards.run(1), 'shard must be a number from 0 to 0, got 1');
    expectRefusal(
      () => resampleShards(job(0, 10, { kind: 'indices', of: () => 0 })),
      'units must be a whole number of at least 1, got 0',
    );
  });
});
