// Measures how often the deciding bound of each row misses on its side: npm run calibrate [-- --trials 4000 --seed 1 --write]
// and, with --max-t, how often max-T ships any of several candidates that are no better: npm run calibrate -- --max-t --trials 3000 --write
import { readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, totalmem } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import * as stats from '../dist/stats/index.js';
import { maxTStudy, maxTTable } from './calibration/max-t.mjs';
import { compareCoverage, coverageTable, leftOut } from './calibration/published.mjs';
import { calibrationStudy, calibrationTable } from './calibration/study.mjs';

const { values } = parseArgs({
  options: {
    trials: { type: 'string', default: '4000' },
    seed: { type: 'string', default: '1' },
    compare: { type: 'string', default: '300' },
    write: { type: 'boolean', default: false },
    'max-t': { type: 'boolean', default: false },
  },
});
const started = performance.now();
const seed = values.seed.padStart(64, '0');

/** The complete null of max-T alone; ends the program. */
function measureMaxT() {
  const rows = maxTStudy(stats, { trials: Number(values.trials), seed });
  const own = [
    'False ships of max-T under the complete null: any of several candidates that are no better clears at the whole error of 2.5 %.',
    `Date ${new Date().toISOString().slice(0, 10)}, seed ${values.seed}, ${values.trials} trials per cell, Node ${process.versions.node}.`,
    'Every candidate stands exactly at its threshold. "one alone": a single candidate at 2.5 %; "law applied": share of the trials with any',
    'candidate at its own 2.5 % in which the joint law, not Holm, divided the error. The limit, 1.4 times the error from 50 units and 2.2 times',
    'below, is kept when the rate is at most the limit plus 3.5 standard errors. Where one candidate alone exceeds it, its method misses rare',
    'losses: that is no doing of the joint law, and nothing is held.',
    '',
    maxTTable(rows),
    '',
  ].join('\n');
  console.log(own);
  const file = join(import.meta.dirname, '../test/calibration/max-t-result.txt');
  if (values.write) writeFileSync(file, own);
  process.exit(rows.some(({ holds }) => holds === false) ? 1 : 0);
}
if (values['max-t']) measureMaxT();

const summaries = calibrationStudy(stats, { small: false, trials: Number(values.trials), seed });
const { cases } = JSON.parse(
  readFileSync(join(import.meta.dirname, '../test/reference/coverage.json'), 'utf8'),
);
const compared = compareCoverage(
  stats,
  cases.filter(({ method }) => method !== 'binaryExact'),
  { trials: Number(values.compare), seed },
);
const seconds = Math.round((performance.now() - started) / 1000);
/** Printed cells that would break the limit of their row: what a rare-loss grid costs an asymptotic bound. */
function beyond(rows) {
  const broken = rows.filter(
    ({ limit, nominal, miss, grid }) =>
      limit === null && miss > (grid.endsWith('from 50') ? 1.4 : 2.2) * nominal,
  );
  return [
    'Known shortfalls, printed above and held to no limit (promise 2): where losses are rare these bounds miss more often than 1.4 times',
    'the nominal error from 50 units, 2.2 times below; contributions on such evidence carry the flag rare-loss-exposed.',
    ...broken.map(({ row, worst, miss }) => `- ${row}: ${(100 * miss).toFixed(2)} % at ${worst}`),
  ];
}

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
  ...beyond(summaries),
  '',
  `The simulated cases of reference/coverage.json, simulated again, ${values.compare} trials each against the file's 3,000:`,
  '',
  coverageTable(compared),
  '',
  ...Object.entries(leftOut).map(([name, reason]) => `Left out: ${name} (${reason}).`),
  '',
].join('\n');
console.log(text);
if (values.write)
  writeFileSync(join(import.meta.dirname, '../test/calibration/last-result.txt'), text);
if (summaries.some((each) => each.holds === false) || compared.some((each) => !each.agrees))
  process.exitCode = 1;
