import { performance } from 'node:perf_hooks';
import { describe, expect, test } from 'vitest';
import { bettingBounds } from '../../src/stats/betting.ts';
import { bootstrapTBounds } from '../../src/stats/bootstrap.ts';
import { type PairedCounts, pairedRiskDifferenceInterval } from '../../src/stats/paired-binary.ts';
import {
  exactUnconditionalClears,
  exactUnconditionalLower,
} from '../../src/stats/paired-binary-exact.ts';
import { randomStream, resamplingStream } from '../../src/stats/random.ts';
import { testSeed } from '../support/statistics.ts';

/** The fastest of several runs, in milliseconds: a busy machine slows some of them, not all. */
function fastestMs(run: () => unknown): number {
  let fastest = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < 12; attempt += 1) {
    const start = performance.now();
    run();
    fastest = Math.min(fastest, performance.now() - start);
  }
  return fastest;
}

const stream = resamplingStream(testSeed(3));
const values = Array.from({ length: 1000 }, () => stream.word() / 2 ** 31 - 1);
const range = { lower: -1, upper: 1 };

function paired(onlyCandidate: number, onlyBaseline: number, units: number): PairedCounts {
  return { both: units - onlyCandidate - onlyBaseline, onlyCandidate, onlyBaseline, neither: 0 };
}

describe('speed', () => {
  test.each([
    [
      'Tango at 100,000 units',
      1,
      () =>
        pairedRiskDifferenceInterval(
          { both: 60000, onlyCandidate: 15000, onlyBaseline: 12000, neither: 13000 },
          0.95,
        ),
    ],
    [
      'betting bounds at 1,000 units',
      20,
      () => bettingBounds(values, { range, error: 0.025, truncation: 0.95 }),
    ],
    [
      'bootstrap-t at 100 units and 10,000 resamples',
      200,
      () =>
        bootstrapTBounds(values.slice(0, 100), {
          error: 0.025,
          seed: testSeed(4),
          resamples: 10000,
        }),
    ],
    [
      'the exact unconditional bound at 100 units',
      200,
      () => exactUnconditionalLower(paired(10, 5, 100), 0.025),
    ],
    [
      'the exact unconditional decision at 2,000 units',
      1000,
      () => exactUnconditionalClears(paired(200, 150, 2000), { error: 0.025, threshold: 0.0065 }),
    ],
    [
      'a shuffle of 100,000 units',
      400,
      () => randomStream(testSeed(5), 'order').shuffle(Array.from({ length: 100000 }, (_, i) => i)),
    ],
  ])('%s take less than %i ms', (_, limit, run) => {
    expect(fastestMs(run)).toBeLessThan(limit);
  });
});
