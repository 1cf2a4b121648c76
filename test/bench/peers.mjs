/** What the benchmark compares with, each only where it is installed: scipy, R's boot, a scalar loop in C, and whole processes. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const python = `
import time, json
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
def b(d, f, m='percentile', r=4, n=10000, **k):
    return t(lambda: bootstrap(d, f, n_resamples=n, method=m, batch=500, vectorized=True, **k), r)
rat = lambda a, c, axis=-1: a.mean(axis=axis) / c.mean(axis=axis)
print(json.dumps({'mean': b((x,), np.mean), 'bca': b((x,), np.mean, 'BCa'), 'mean10000': b((big,), np.mean, r=2),
 'bca10000': b((big,), np.mean, 'BCa', r=1), 'lattice': b((np.sign(np.round(x)),), np.mean, r=1, n=100000),
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

/** The same generator, whole words, one accumulator: what a plain loop in C needs. */
const c = `
#include <stdint.h>
#include <stdio.h>
#include <time.h>
int main(void) {
  enum { n = 1000, resamples = 10000 };
  static double values[n], totals[resamples];
  for (int i = 0; i < n; i++) values[i] = (i * 7919 % 1000) / 1000.0;
  uint32_t a = 1, b = 2, c = 3, k = 4, refused = (uint32_t)(4294967296ull % n);
  double best = 1e9;
  for (int round = 0; round < 9; round++) {
    clock_t start = clock();
    for (int r = 0; r < resamples; r++) {
      double total = 0;
      for (int i = 0; i < n;) {
        uint32_t w = a + b + k++;
        a = b ^ (b >> 9); b = c + (c << 3); c = ((c << 21) | (c >> 11)) + w;
        uint64_t p = (uint64_t)w * n;
        if ((uint32_t)p >= refused) { total += values[p >> 32]; i++; }
      }
      totals[r] = total;
    }
    double ms = 1000.0 * (clock() - start) / CLOCKS_PER_SEC;
    if (ms < best) best = ms;
  }
  printf("{\\"mean\\": %f, \\"check\\": %f}", best, totals[17]);
}
`;

function answer(command, words) {
  const env = { ...process.env, OPENBLAS_NUM_THREADS: '1' };
  const { status, stdout } = spawnSync(command, words, { encoding: 'utf8', env });
  return status === 0 ? JSON.parse(stdout) : {};
}

/** Milliseconds of processor time by workload; empty where scipy is not installed. */
export function scipyTimes() {
  return answer('python3', ['-c', python]);
}

/** Milliseconds of processor time by workload; empty where R's boot is not installed. */
export function bootTimes() {
  return answer('Rscript', ['-e', r]);
}

/** Milliseconds of processor time of the scalar loop; empty without a C compiler. */
export function scalarTimes() {
  const folder = mkdtempSync(join(tmpdir(), 'liftgate-bench-'));
  try {
    writeFileSync(join(folder, 'mean.c'), c);
    const program = join(folder, 'mean');
    const { status } = spawnSync('cc', ['-O2', '-o', program, join(folder, 'mean.c')]);
    return status === 0 ? answer(program, []) : {};
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Processor time of whole processes in milliseconds, fastest of five; undefined where the command fails. */
export function processMs(command) {
  let fastest = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 5; round += 1) {
    const { status, stdout } = spawnSync(
      'sh',
      ['-c', `{ ${command}; } >/dev/null 2>&1 || exit 1; times`],
      {
        encoding: 'utf8',
      },
    );
    if (status !== 0) return undefined;
    const [user, system] = [...(stdout.split('\n')[1] ?? '').matchAll(/(\d+)m([\d.]+)s/g)].map(
      ([, minutes, seconds]) => 60_000 * Number(minutes) + 1000 * Number(seconds),
    );
    fastest = Math.min(fastest, user + system);
  }
  return fastest;
}

/** A scipy and an R process that read one number per line and print a BCa and a percentile interval. */
export const processPeers = {
  scipy: (file) =>
    `python3 -c "import numpy as np; from scipy.stats import bootstrap; print(bootstrap((np.loadtxt('${file}'),), np.mean, n_resamples=10000, method='BCa', batch=500))"`,
  boot: (file) =>
    `Rscript -e "suppressMessages(library(boot)); x <- scan('${file}', quiet = TRUE); print(boot.ci(boot(x, function(d, i) mean(d[i]), 10000), type = 'perc'))"`,
};
