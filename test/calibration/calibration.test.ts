/**
 * One-sided miss of the deciding bound of every row of the interval table, with few cells, few trials and a fixed seed; the whole
 * study is `npm run calibrate`, its last result stands beside this file.
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { type CalibrationSummary, calibrationStudy } from '../../scripts/calibration/study.mjs';
import * as stats from '../../src/stats/index.ts';
import { testSeed } from '../support/statistics.ts';

const rows = {
  'binary, threshold <= 0: tango-score (at 0 with mcnemar-exact)': 'asymptotic',
  'binary, threshold > 0 or finite-sample: exact-unconditional': 'finite-sample',
  "one arm's rate: clopper-pearson, one-sided 5 %": 'finite-sample',
  'sequential: sign e-process, a look after every pair': 'finite-sample',
  'sequential: betting confidence sequence, a look after every unit': 'finite-sample',
  'sequential: group-sequential spending, 4 looks at a mean': 'asymptotic',
  'unit means, score, ordinal, bounded count: betting-fixed-n': 'finite-sample',
  'bounded, sealed by name: t-bootstrap-t, betting below its floors': 'asymptotic',
  'unbounded: t-bootstrap-t': 'asymptotic',
  'weights: case, continuous or score: cr2': 'asymptotic',
  'weights: case, binary: tango-effective-n': 'asymptotic',
  'fixed-roster: roster-t': 'asymptotic',
  'several candidates: holm by bounds over tango-score and mcnemar-exact': 'asymptotic',
} as const;

const study = calibrationStudy(stats, { small: true, trials: 500, seed: testSeed(1) });

function summariesOf(row: string): CalibrationSummary[] {
  return study.filter((each) => each.row === row);
}

describe('the deciding bound', () => {
  test('is studied in every row of the table, and in no row of another name', () => {
    expect([...new Set(study.map((each) => each.row))].sort()).toEqual(Object.keys(rows).sort());
  });

  test.each(Object.entries(rows))('%s (%s) misses no more than it may', (row, guarantee) => {
    const summaries = summariesOf(row);
    for (const each of summaries) {
      expect(each.guarantee).toBe(guarantee);
      expect(each.holds, `${each.grid}: ${each.worst} misses ${each.miss}`).not.toBe(false);
    }
    expect(summaries.filter((each) => each.limit !== null).length).toBeGreaterThan(0);
  });

  test('is held to its nominal error on rare losses too where the guarantee is finite-sample', () => {
    for (const row of [
      'binary, threshold > 0 or finite-sample: exact-unconditional',
      'unit means, score, ordinal, bounded count: betting-fixed-n',
    ]) {
      const rare = summariesOf(row).filter((each) => each.grid === 'rare-loss');
      expect(rare).toHaveLength(1);
      expect(rare[0]).toMatchObject({ limit: 0.025, holds: true });
    }
  });

  test('is seen to fail on rare losses where an asymptotic bound cannot see them', () => {
    const rare = summariesOf('unbounded: t-bootstrap-t').filter((each) =>
      each.grid.startsWith('rare-loss'),
    );
    expect(rare).toHaveLength(2);
    for (const each of rare) {
      expect(each).toMatchObject({ limit: null, holds: null });
      expect(each.miss).toBeGreaterThan(0.3);
    }
  });

  test('gives the same study again for the same seed', () => {
    const options = { small: true, trials: 20, seed: testSeed(2) };
    expect(calibrationStudy(stats, options)).toEqual(calibrationStudy(stats, options));
  });
});

describe('last-result.txt', () => {
  const text = readFileSync(fileURLToPath(new URL('last-result.txt', import.meta.url)), 'utf8');

  test('says when, with what seed and on what machine it was made', () => {
    expect(text).toMatch(
      /^Date \d{4}-\d\d-\d\d, seed \d+, \d+ trials per simulated cell, \d+ s\.$/m,
    );
    expect(text).toMatch(/^Machine: \d+ cores, \d+ GiB, Node \d+\.\d+\.\d+\.$/m);
  });

  test('holds every row and no missed limit', () => {
    for (const row of Object.keys(rows)) expect(text).toContain(`\n| ${row} | `);
    expect(text).not.toContain('MISSED');
  });
});
