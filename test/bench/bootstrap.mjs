/**
 * What the statistics cost against their targets, and what scipy, R's boot and a loop in C need for the same work in the same run
 * where they are installed.
 *
 *     npm run bench:stats            prints the table and writes bootstrap.md
 *     sh test/bench/install-peers.sh installs the peers (Debian, root)
 *
 * Times are processor time of the fastest of several runs, so that other work on the machine counts little; only the ratio of
 * two threads to one is wall time. Data are drawn with a fixed seed. A draw is one unit of one resample.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import {
  agreementInterval,
  bootstrapInterval,
  exactUnconditionalClears,
  exactUnconditionalLower,
  groupSequentialBounds,
  normalQuantile,
  pairedRiskDifferenceInterval,
  resamplingStream,
} from '../../dist/stats/index.js';
import { perCallMs, tabled, times, verdict } from './figures.mjs';
import { bootTimes, processMs, processPeers, scalarTimes, scipyTimes } from './peers.mjs';
import { threadCosts } from './threads.mjs';

const seed = '1f'.repeat(32);
const stream = resamplingStream(seed);
const uniform = () => (stream.word() + 0.5) / 2 ** 32;
const resamples = 10_000;

const skewed = Array.from({ length: 1000 }, () => normalQuantile(uniform()) + 2 * uniform() ** 3);
const ternary = skewed.map((value) => (value > 1.2 ? 1 : value < -1 ? -1 : 0));
const percent = skewed.map((value) => Math.round(100 * value) / 100);
const fewPercents = skewed.map((value) => Math.round(10 * value) / 25);
const large = Array.from({ length: 10_000 }, () => normalQuantile(uniform()));
const sizes = Array.from({ length: 1000 }, () => 1 + Math.floor(75 * uniform() ** 2));
const sums = sizes.map((size) => size * (0.1 + 0.3 * normalQuantile(uniform())));

function interval(values, options) {
  const full = { method: 'bootstrap-percentile', level: 0.95, seed, resamples, ...options };
  return () => bootstrapInterval(values, full);
}

const drawn = { prefer: 'resample' };
const bca = { method: 'bootstrap-bca' };
const t = { method: 'bootstrap-t' };
const trimmed = { statistic: { kind: 'trimmed-mean', trimPercent: 10 } };
const median = { statistic: { kind: 'median' } };
const ratio = (count) => ({
  statistic: { kind: 'ratio-of-means', denominators: sizes.slice(0, count) },
});

/** Exact laws: name, run, most milliseconds, peer workload, how often scipy (and R) must need our time. */
const exactRows = [
  ['mean of 1,000, percentile', interval(skewed, {}), 1, 'mean', 100],
  ['mean of 1,000, BCa', interval(skewed, bca), 1, 'bca', 100],
  ['mean of 1,000 from -1, 0, 1', interval(ternary, {}), 1, 'mean', 50],
  ['the same, scipy at 100,000 resamples', interval(ternary, {}), 1, 'lattice', 200],
  ['mean of 1,000 percents', interval(percent, {}), 1, 'mean', 50],
  ['mean of 1,000 from few values', interval(fewPercents, {}), 1, 'mean', 50],
  ['median of 1,000', interval(skewed, median), 1, 'median', 1],
  ['mean of 10,000, percentile', interval(large, {}), undefined, 'mean10000', 100],
  ['mean of 10,000, BCa', interval(large, bca), undefined, 'bca10000', 100],
  ['ratio of 50 clusters', interval(sums.slice(0, 50), ratio(50)), undefined, 'ratio50', 1],
  ['ratio of 1,000 clusters', interval(sums, ratio(1000)), undefined, 'ratio', 20],
];

/** Resampled: name, run, draws, most ns per draw, peer workload, times of scipy and of R's boot. */
const drawnRows = [
  ['mean of 1,000', interval(skewed, drawn), 1e7, 2.5, 'mean', 5, 33],
  ['bootstrap-t of 100', interval(skewed.slice(0, 100), t), 1e6, 4, ''],
  ['bootstrap-t of 1,000', interval(skewed, t), 1e7, 4, ''],
  ['median of 1,000', interval(skewed, { ...median, ...drawn }), 1e7, 15, 'median', 6.7],
  ['trimmed mean of 1,000', interval(skewed, trimmed), 1e7, 15, 'trimmed', 4],
  [
    'ratio of 50 clusters',
    interval(sums.slice(0, 50), { ...ratio(50), ...drawn }),
    5e5,
    7,
    'ratio50',
    1,
  ],
  ['ratio of 1,000 clusters', interval(sums, { ...ratio(1000), ...drawn }), 1e7, 7, 'ratio', 5],
  ['BCa mean of 10,000', interval(large, { ...bca, ...drawn }), 1e8, undefined, 'bca10000', 5.9],
];

const table = (gains, losses, units) => ({
  both: 0,
  onlyCandidate: gains,
  onlyBaseline: losses,
  neither: units - gains - losses,
});

function exactBound(units, shares) {
  return Math.max(
    ...shares.map(([gain, loss]) =>
      perCallMs(() => exactUnconditionalLower(table(gain * units, loss * units, units), 0.025)),
    ),
  );
}

function exactDecision(units, shares) {
  return Math.max(
    ...shares.map(([gain, loss]) => {
      const counts = table(gain * units, loss * units, units);
      const threshold = exactUnconditionalLower(counts, 0.025) - 0.002;
      return perCallMs(() => exactUnconditionalClears(counts, { error: 0.025, threshold }));
    }),
  );
}

const tables = [
  [0.1, 0.05],
  [0.3, 0.2],
  [0.05, 0.03],
  [0.3, 0.27],
];

/** Others: name, milliseconds, most of them. */
const otherRows = () => [
  ['exact unconditional bound, 100 units, slowest of four tables', exactBound(100, tables), 200],
  ['exact unconditional bound, 300 units', exactBound(300, tables), 5000],
  ['exact unconditional decision, 300 units', exactDecision(300, tables), 200],
  ['exact unconditional decision, 2,000 units', exactDecision(2000, tables), 1000],
  [
    'Tango at 1,000,000 units',
    perCallMs(() =>
      pairedRiskDifferenceInterval(
        { both: 600_000, onlyCandidate: 150_000, onlyBaseline: 120_000, neither: 130_000 },
        0.95,
      ),
    ),
    0.02,
  ],
  [
    'Pocock constant, 10 looks',
    perCallMs(() =>
      groupSequentialBounds({ design: 'pocock', looks: 10, significanceLevel: 0.05, sides: 2 }),
    ),
  ],
  [
    'Lin interval, 100 pairs, 2,000 resamples',
    perCallMs(() =>
      agreementInterval(
        { first: skewed.slice(0, 100), second: skewed.slice(100, 200) },
        { measure: 'lin', method: 'bootstrap-percentile', level: 0.95, seed, resamples: 2000 },
      ),
    ),
  ],
];

function millionRows() {
  const names = {
    tango: 'binary, Tango',
    betting: 'bounded score, betting bound (both sides)',
    t: 't, sealed by name',
    percentile: 'exact percentile',
  };
  return Object.entries(names).map(([method, name]) => {
    const program = join(import.meta.dirname, 'million.mjs');
    const { stdout } = spawnSync(process.execPath, [program, method], { encoding: 'utf8' });
    return [name, JSON.parse(stdout)];
  });
}

/** The largest distance of the exact bounds from a million resamples, in Monte Carlo standard errors. */
function distanceFromResamples() {
  const exact = interval(skewed, {})();
  const found = interval(skewed, { ...drawn, resamples: 1_000_000 })();
  return Math.max(
    ...['lower', 'upper'].map(
      (side) => Math.abs(exact[side] - found[side]) / found.monteCarloError[side],
    ),
  );
}

function processRows() {
  const folder = mkdtempSync(join(tmpdir(), 'liftgate-bench-'));
  try {
    const file = join(folder, 'values.txt');
    writeFileSync(file, `${skewed.join('\n')}\n`);
    const program = join(import.meta.dirname, '../../bin/liftgate.js');
    const own = processMs(`${process.execPath} ${program} stats mean --file ${file}`);
    return {
      own,
      scipy: processMs(processPeers.scipy(file)),
      boot: processMs(processPeers.boot(file)),
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function exactTable() {
  const rows = exactRows.map(([name, run, most, workload, least]) => {
    const own = perCallMs(run);
    const { law } = run();
    const [theirs, rs] = [scipy[workload], boot[workload]];
    return [
      law === 'exact' ? name : `${name} (${law})`,
      own.toFixed(3),
      times(theirs, own),
      times(rs, own),
      `${most === undefined ? '' : `<= ${most} ms, `}scipy >= ${least} x`,
      verdict([
        [own, most],
        [theirs && theirs / own, least, true],
      ]),
    ];
  });
  return tabled(['exact law', 'ms', 'scipy needs', 'R boot needs', 'target', ''], rows);
}

function drawnTable() {
  const rows = drawnRows.map(([name, run, draws, most, workload, least, leastR]) => {
    const own = perCallMs(run);
    const [theirs, rs] = [scipy[workload], boot[workload]];
    const c = name === 'mean of 1,000' ? scalar.mean : undefined;
    const targets = [
      most && `<= ${most} ns`,
      least && `scipy >= ${least} x`,
      leastR && `R >= ${leastR} x`,
      c && 'C >= 0.83 x',
    ];
    return [
      name,
      own.toFixed(2),
      ((own * 1e6) / draws).toFixed(2),
      times(theirs, own),
      times(rs, own),
      c === undefined ? '-' : `${(c / own).toFixed(2)} x`,
      targets.filter(Boolean).join(', '),
      verdict([
        [(own * 1e6) / draws, most],
        [theirs && theirs / own, least, true],
        [rs && rs / own, leastR, true],
        [c && c / own, 0.83, true],
      ]),
    ];
  });
  const head = ['10,000 resamples', 'ms', 'ns per draw', 'scipy needs', 'R boot needs', 'C needs'];
  return tabled([...head, 'target', ''], rows);
}

const [scipy, boot, scalar] = [scipyTimes(), bootTimes(), scalarTimes()];
const spread = await threadCosts({ values: large, seed });
const distance = distanceFromResamples();
const whole = processRows();
const doubled = drawnRows.at(-1)[1];
const half = interval(large.slice(0, 5000), { ...bca, ...drawn, resamples: 2 * resamples });
const growth = perCallMs(doubled) / perCallMs(half);
const other = [
  ...otherRows().map(([name, ms, most]) => [
    name,
    `${ms.toFixed(ms < 1 ? 4 : 1)} ms`,
    most === undefined ? '' : `<= ${most} ms`,
    verdict([[ms, most]]),
  ]),
  ...millionRows().map(([name, { ms, mostMb }]) => [
    `1,000,000 pairs to the interval: ${name}`,
    `${ms.toFixed(0)} ms, ${mostMb.toFixed(0)} MB`,
    '<= 400 ms, < 300 MB',
    verdict([
      [ms, 400],
      [mostMb, 300],
    ]),
  ]),
  [
    'same bits for 0, 1, 2 and 4 threads (P11)',
    spread.results === 1 ? 'yes' : 'no',
    'yes',
    verdict([[spread.results, 1]]),
  ],
  [
    `two threads on a job of ${spread.seconds.toFixed(1)} s: the busiest thread's processor time (P12)`,
    `${spread.ratio.toFixed(2)} x faster`,
    '>= 1.6 x',
    verdict([[spread.ratio, 1.6, true]]),
  ],
  [
    `the same in wall time, at a load of ${spread.load.toFixed(0)} on ${availableParallelism()} cores`,
    `${spread.wallRatio.toFixed(2)} x faster`,
    '>= 1.6 x',
    verdict([[spread.wallRatio, 1.6, true]]),
  ],
  [
    `a pool of two on a job below 300 ms (${spread.started} threads started)`,
    `${spread.shortRatio.toFixed(2)} x its time`,
    '<= 1.05 x',
    verdict([[spread.shortRatio, 1.05]]),
  ],
  [
    'exact bounds against 1,000,000 resamples (P7)',
    `${distance.toFixed(1)} standard errors`,
    '<= 4',
    verdict([[distance, 4]]),
  ],
  [
    'BCa at equal draws, 10,000 units against 5,000 (P6)',
    `${growth.toFixed(2)} x`,
    '<= 1.10 x',
    verdict([[growth, 1.1]]),
  ],
  [
    'whole process, `liftgate stats mean`, 1,000 values (C4)',
    `${whole.own?.toFixed(0)} ms; scipy ${times(whole.scipy, whole.own)}, R ${times(whole.boot, whole.own)}`,
    'scipy >= 5 x, R >= 2.9 x',
    verdict([
      [whole.scipy && whole.scipy / whole.own, 5, true],
      [whole.boot && whole.boot / whole.own, 2.9, true],
    ]),
  ],
];

const text = `# What the statistics cost

Written by \`npm run bench:stats\` on ${new Date().toISOString().slice(0, 10)}: ${cpus()[0]?.model.trim()}, ${availableParallelism()} cores shared with other work, ${Math.round(totalmem() / 2 ** 30)} GiB,
Node ${process.versions.node}, seed ${seed.slice(0, 8)}..., 95 % intervals. Processor time, fastest of several; peers in the same run, one thread each.
"Needs" is the peer's time over ours for the same bounds at 10,000 resamples. Exact laws use neither seed nor resamples.

${exactTable()}

${drawnTable()}

${tabled(['other', 'measured', 'target', ''], other)}

What was decided about WebAssembly, and how to read the figures: [README.md](README.md).
`;
writeFileSync(join(import.meta.dirname, 'bootstrap.md'), text);
console.log(text);
