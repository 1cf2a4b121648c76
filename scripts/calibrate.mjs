// Measures how often the deciding bound of each row misses on its side: npm run calibrate [-- --trials 4000 --seed 1 --write]
import { writeFileSync } from 'node:fs';
import { availableParallelism, totalmem } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import * as stats from '../dist/stats/index.js';
import { calibrationStudy, calibrationTable } from './calibration/study.mjs';

const { values } = parseArgs({
  options: {
    trials: { type: 'string', default: '4000' },
    seed: { type: 'string', default: '1' },
    write: { type: 'boolean', default: false },
  },
});
const started = performance.now();
const seed = values.seed.padStart(64, '0');
const summaries = calibrationStudy(stats, { small: false, trials: Number(values.trials), seed });
const seconds = Math.round((performance.now() - started) / 1000);
const memory = Math.round(totalmem() / 2 ** 30);
const text = [
  'One-sided miss of the deciding bound: the worst cell of each row of the interval table on each grid.',
  `Date ${new Date().toISOString().slice(0, 10)}, seed ${values.seed}, ${values.trials} trials per simulated cell, ${seconds} s.`,
  `Machine: ${availableParallelism()} cores, ${memory} GiB, Node ${process.versions.node}.`,
  'A limit is kept when the miss is at most the limit plus 3.5 standard errors; rare-loss and few-gains grids of asymptotic rows are printed.',
  'Rows within units: a unit count below 5, below 4 degrees of freedom or one unit above a third of the cases ships nothing and counts as no miss.',
  '',
  calibrationTable(summaries),
  '',
].join('\n');
console.log(text);
if (values.write)
  writeFileSync(join(import.meta.dirname, '../test/calibration/last-result.txt'), text);
if (summaries.some((each) => each.holds === false)) process.exitCode = 1;
