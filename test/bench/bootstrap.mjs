/**
 * What the bootstrap costs, and what scipy and R's boot need for the same work in the same run where they are installed.
 *
 *     npm run bench:stats            prints the table
 *     sh test/bench/install-peers.sh installs the peers (Debian, root)
 *
 * Times are processor time of the fastest of several runs, so that other work on the machine counts little; data are drawn
 * with a fixed seed. A draw is one unit of one resample.
 */
import { spawnSync } from 'node:child_process';
import { cpus } from 'node:os';
import {
  agreementInterval,
  bootstrapInterval,
  groupSequentialBounds,
  normalQuantile,
  pairedRiskDifferenceInterval,
  resamplingStream,
} from '../../dist/stats/index.js';

const seed = '1f'.repeat(32);
const stream = resamplingStream(seed);
const uniform = () => (stream.word() + 0.5) / 2 ** 32;
const resamples = 10_000;

function fastestMs(run, rounds) {
  let fastest = Number.POSITIVE_INFINITY;
  for (let round = 0; round < rounds; round += 1) {
    const start = process.cpuUsage();
    run();
    const { user, system } = process.cpuUsage(start);
    fastest = Math.min(fastest, (user + system) / 1000);
  }
  return fastest;
}

/** Short work is repeated inside one measurement: processor time is counted in microseconds, not less. */
function perCallMs(run) {
  run();
  const repeats = Math.max(1, Math.floor(40 / Math.max(0.02, fastestMs(run, 3))));
  const many = () => {
    for (let repeat = 0; repeat < repeats; repeat += 1) run();
  };
  return fastestMs(many, 7) / repeats;
}

const skewed = Array.from({ length: 1000 }, () => normalQuantile(uniform()) + 2 * uniform() ** 3);
const ternary = skewed.map((value) => (value > 1.2 ? 1 : value < -1 ? -1 : 0));
const percent = skewed.map((value) => Math.round(100 * value) / 100);
const large = Array.from({ length: 10_000 }, () => normalQuantile(uniform()));
const clusterSizes = Array.from({ length: 1000 }, () => 1 + Math.floor(75 * uniform() ** 2));
const clusterSums = clusterSizes.map((size) => size * (0.1 + 0.3 * normalQuantile(uniform())));

function interval(values, options) {
  const full = { method: 'bootstrap-percentile', level: 0.95, seed, resamples, ...options };
  return () => bootstrapInterval(values, full);
}

const ratio = (sizes) => ({ statistic: { kind: 'ratio-of-means', denominators: sizes } });
const drawn = { prefer: 'resample' };
const trimmed = { statistic: { kind: 'trimmed-mean', trimPercent: 10 } };
const median = { statistic: { kind: 'median' } };
const fifty = [clusterSums.slice(0, 50), clusterSizes.slice(0, 50)];

/** name, run, draws (0 for exact laws), peer workload */
const rows = [
  ['mean 1,000, percentile, exact', interval(skewed, {}), 0, 'mean'],
  ['mean 1,000, BCa, exact', interval(skewed, { method: 'bootstrap-bca' }), 0, 'bca'],
  ['mean 10,000, percentile, exact', interval(large, {}), 0, 'mean10000'],
  ['mean of -1/0/1, 1,000, exact', interval(ternary, {}), 0, 'mean'],
  ['mean of percents, 1,000, exact', interval(percent, {}), 0, 'mean'],
  ['median 1,000, exact', interval(skewed, median), 0, 'median'],
  ['cluster ratio 50, exact', interval(fifty[0], ratio(fifty[1])), 0, 'ratio50'],
  ['cluster ratio 1,000, exact', interval(clusterSums, ratio(clusterSizes)), 0, 'ratio'],
  ['mean 1,000, resampled', interval(skewed, drawn), 1e7, 'mean'],
  ['bootstrap-t 100', interval(skewed.slice(0, 100), { method: 'bootstrap-t' }), 1e6, ''],
  ['bootstrap-t 1,000', interval(skewed, { method: 'bootstrap-t' }), 1e7, ''],
  ['median 1,000, resampled', interval(skewed, { ...median, ...drawn }), 1e7, 'median'],
  ['trimmed mean 1,000', interval(skewed, trimmed), 1e7, 'trimmed'],
  [
    'cluster ratio 50, resampled',
    interval(fifty[0], { ...ratio(fifty[1]), ...drawn }),
    5e5,
    'ratio50',
  ],
  [
    'cluster ratio 1,000, resampled',
    interval(clusterSums, { ...ratio(clusterSizes), ...drawn }),
    1e7,
    'ratio',
  ],
];

const others = [
  [
    'Tango at 1e6 units',
    () =>
      pairedRiskDifferenceInterval(
        { both: 600_000, onlyCandidate: 150_000, onlyBaseline: 120_000, neither: 130_000 },
        0.95,
      ),
  ],
  [
    'Pocock constant, 10 looks',
    () => groupSequentialBounds({ design: 'pocock', looks: 10, significanceLevel: 0.05, sides: 2 }),
  ],
  [
    'Lin interval, 100 pairs, 2,000 resamples',
    () =>
      agreementInterval(
        { first: skewed.slice(0, 100), second: skewed.slice(100, 200) },
        { measure: 'lin', method: 'bootstrap-percentile', level: 0.95, seed, resamples: 2000 },
      ),
  ],
];

const python = `
import time, json, sys
import numpy as np
from scipy.stats import bootstrap, trim_mean
g = np.random.default_rng(1)
x = g.normal(size=1000) + g.exponential(size=1000); big = g.normal(size=10000)
s = 1 + np.floor(75 * g.random(1000) ** 2); y = s * (0.1 + 0.3 * g.normal(size=1000))
def t(f, r):
    best = 1e9
    for _ in range(r):
        a = time.process_time(); f(); best = min(best, 1000 * (time.process_time() - a))
    return best
def b(d, f, m='percentile', r=3, **k):
    return t(lambda: bootstrap(d, f, n_resamples=10000, method=m, batch=500, vectorized=True, **k), r)
rat = lambda a, c, axis=-1: a.mean(axis=axis) / c.mean(axis=axis)
print(json.dumps({'mean': b((x,), np.mean), 'bca': b((x,), np.mean, 'BCa'), 'mean10000': b((big,), np.mean, r=1),
 'median': b((x,), np.median), 'trimmed': b((x,), lambda a, axis=-1: trim_mean(a, .1, axis=axis)),
 'ratio': b((y, s), rat, paired=True), 'ratio50': b((y[:50], s[:50]), rat, paired=True)}))
`;

const r = `
suppressMessages(library(boot)); set.seed(1); x <- rnorm(1000) + rexp(1000)
s <- 1 + floor(75 * runif(1000)^2); y <- s * (0.1 + 0.3 * rnorm(1000))
t <- function(d, f) { a <- proc.time(); o <- boot(d, f, 10000); boot.ci(o, type = "perc"); z <- proc.time() - a; 1000 * (z[[1]] + z[[2]]) }
cat(sprintf('{"mean": %f, "median": %f, "trimmed": %f, "ratio": %f}', t(x, function(d, i) mean(d[i])),
 t(x, function(d, i) median(d[i])), t(x, function(d, i) mean(d[i], trim = .1)),
 t(data.frame(y, s), function(d, i) sum(d$y[i]) / sum(d$s[i]))))
`;

function peer(command, args) {
  const { status, stdout } = spawnSync(command, args, {
    encoding: 'utf8',
    env: { ...process.env, OPENBLAS_NUM_THREADS: '1' },
  });
  return status === 0 ? JSON.parse(stdout) : {};
}

function times(own, other) {
  return other === undefined ? '-' : `${(other / own).toFixed(other / own < 10 ? 1 : 0)} x`;
}

const scipy = peer('python3', ['-c', python]);
const boot = peer('Rscript', ['-e', r]);
console.log(
  `seed ${seed.slice(0, 8)}..., ${cpus().length} cores, node ${process.version}, ${resamples} resamples\n`,
);
console.log('| workload | ms | ns per draw | scipy needs | R boot needs |');
console.log('| --- | --- | --- | --- | --- |');
for (const [name, run, draws, workload] of rows) {
  const own = perCallMs(run);
  const perDraw = draws === 0 ? '-' : ((own * 1e6) / draws).toFixed(2);
  const found = run();
  const law = found.law === 'exact' || draws > 0 ? '' : ` (${found.law ?? found.reason})`;
  console.log(
    `| ${name}${law} | ${own.toFixed(3)} | ${perDraw} | ${times(own, scipy[workload])} | ${times(own, boot[workload])} |`,
  );
}
for (const [name, run] of others)
  console.log(`| ${name} | ${perCallMs(run).toFixed(4)} | - | - | - |`);
