// The simulated cases of reference/coverage.json, simulated again with the kernel: every figure must agree within the Monte Carlo
// error of both simulations, which the file gives as 5 sqrt(p (1 - p) (1/3000 + 1/trials)).
import { boundedPopulations, unboundedPopulations } from './populations.mjs';

const error = 0.025;
const resamples = 1000;

/** Figures that are left out, and why. */
export const leftOut = {
  signFlipInversion: 'no interval beyond 25 units; the inversion is held to the reference cases',
  signFlipClusters: 'as signFlipInversion, on sums of clusters',
  clusterPercentile: 'for description only; the exact law is held to the reference cases',
  'tangoEffective_deff>=1': 'z in place of t(K - 1); the kernel offers the form with t',
  tangoNaive: 'ignores the clusters; not offered by the kernel',
  tangoClusterCount: 'counts clusters as pairs; not offered by the kernel',
};

/** Where no interval exists: equal values are a point at their mean, an infinite bound misses nothing. */
function endsOf(found, mean) {
  if (!('status' in found)) return found;
  const point = found.reason.startsWith('constant') || found.reason === 'bias-correction-infinite';
  return point ? { lower: mean, upper: mean } : { lower: -Infinity, upper: Infinity };
}

function meanOf(values) {
  return values.reduce((total, value) => total + value, 0) / values.length;
}

function valueMethods(kernel, seed) {
  const bootstrap = (method) => (values) =>
    kernel.bootstrapInterval(values, { method, level: 1 - 2 * error, seed, resamples });
  return {
    t: (values) => kernel.meanDifferenceBounds(values, error),
    studentized: (values) => kernel.bootstrapTBounds(values, { error, seed, resamples }),
    percentile: bootstrap('bootstrap-percentile'),
    bcaMid: bootstrap('bootstrap-bca'),
  };
}

function around(kernel, units, half) {
  const found = kernel.clusterVariance(units);
  if ('status' in found || found.cr1 === 0)
    return { status: 'indeterminate', reason: 'constant-differences' };
  const width = half(found) * Math.sqrt(found.cr1);
  return { lower: found.estimate - width, upper: found.estimate + width };
}

function clusterMethods(kernel) {
  return {
    naiveT: (units) => kernel.meanDifferenceBounds(units.flat(), error),
    'cr1_tK-1': (units) =>
      around(kernel, units, () => kernel.tUpperQuantile(error, units.length - 1)),
    cr1_z: (units) => around(kernel, units, () => kernel.normalUpperQuantile(error)),
    cr2_satterthwaite: (units) => kernel.clusteredMeanBounds(units, error),
    clusterMeansT: (units) => kernel.meanDifferenceBounds(kernel.unitMeans(units), error),
    'tangoEffective_tK-1': (units) => kernel.clusteredRiskDifferenceBounds(units, error),
  };
}

/** NegBinomial(size 1.2, mean 4) at least 1, as a Poisson whose mean is gamma. */
function unequalSize(kernel, stream) {
  const shape = 1.2;
  const open = Math.min(Math.max(stream.next(), 1e-12), 1 - 1e-12);
  const rate = (kernel.chiSquareQuantile(open, 2 * shape) / 2) * (4 / shape);
  let size = 0;
  for (let left = stream.next(); left > Math.exp(-rate); left *= stream.next()) size += 1;
  return Math.max(1, size);
}

function normal(kernel, stream) {
  return kernel.normalQuantile(Math.min(Math.max(stream.next(), 1e-12), 1 - 1e-12));
}

/** One cluster of a scenario of the file. */
function clusterDraw(kernel, scenario) {
  if (scenario === 'clustered-continuous-equal-delta0.2') {
    return (stream) => {
      const effect = 0.2 + Math.sqrt(0.3) * normal(kernel, stream);
      return Array.from({ length: 4 }, () => effect + Math.sqrt(0.7) * normal(kernel, stream));
    };
  }
  if (scenario !== 'clustered-binary-unequal-delta0.0') throw new Error(`no scenario ${scenario}`);
  return (stream) => {
    const size = unequalSize(kernel, stream);
    const share = kernel.betaQuantile(Math.max(stream.next(), 1e-12), { a: 0.6, b: 2.4 });
    const common = stream.next() < 0.5 ? 1 : -1;
    return Array.from({ length: size }, () => {
      if (stream.next() >= share) return 0;
      return stream.next() < 0.85 ? common : -common;
    });
  };
}

/** Populations under the names of the file. */
function populationsOf(kernel) {
  const named = new Map();
  for (const { name, mean, draw } of [
    ...boundedPopulations(kernel),
    ...unboundedPopulations(kernel),
  ])
    named.set(name, { mean, draw });
  return {
    'ordinal5-gain': named.get('ordinal-gain'),
    'skewed-lognormal': named.get('lognormal'),
    'sparse-gain': named.get('sparse-gain'),
  };
}

/** What is drawn for a case, its true mean and the methods asked. */
function experimentOf(kernel, { method, input }, seed) {
  if (method === 'clustered') {
    const draw = clusterDraw(kernel, input.scenario);
    const methods = clusterMethods(kernel);
    return {
      draw,
      mean: input.trueDelta,
      count: input.clusters,
      methods,
      middle: (units) => meanOf(units.flat()),
    };
  }
  const { mean, draw } = populationsOf(kernel)[input.population];
  return { draw, mean, count: input.n, methods: valueMethods(kernel, seed), middle: meanOf };
}

/** Shares of trials that miss below and above, by method. */
function simulated(kernel, each, { trials, seed }) {
  const { draw, mean, count, methods, middle } = experimentOf(kernel, each, seed);
  const wanted = Object.keys(each.expected).filter((name) => !(name in leftOut));
  const missed = Object.fromEntries(wanted.map((name) => [name, { lowerMiss: 0, upperMiss: 0 }]));
  const stream = kernel.randomStream(seed, each.name);
  for (let trial = 0; trial < trials; trial += 1) {
    const values = Array.from({ length: count }, () => draw(stream));
    for (const name of wanted) {
      const method = methods[name];
      if (method === undefined) throw new Error(`no method ${name}`);
      const { lower, upper } = endsOf(method(values), middle(values));
      if (lower > mean + 1e-12) missed[name].lowerMiss += 1 / trials;
      if (upper < mean - 1e-12) missed[name].upperMiss += 1 / trials;
    }
  }
  return missed;
}

/** How far a share may lie from the file's, whose own figure comes from 3,000 trials. */
function allowed(share, trials) {
  const spread = Math.max(share * (1 - share), 0.001);
  return 5 * Math.sqrt(spread * (1 / 3000 + 1 / trials));
}

/** Every figure of every case beside ours; `agrees` is false where one lies beyond the Monte Carlo error. */
export function compareCoverage(kernel, cases, options) {
  return cases.map((each) => {
    const ours = simulated(kernel, each, options);
    const figures = Object.entries(ours).flatMap(([name, missed]) =>
      ['lowerMiss', 'upperMiss'].map((side) => {
        const expected = each.expected[name][side];
        const share = Math.abs(missed[side] - expected) / allowed(expected, options.trials);
        return { name, side, expected, found: missed[side], share };
      }),
    );
    const worst = figures.reduce((first, figure) => (figure.share > first.share ? figure : first));
    return { name: each.name, figures: figures.length, worst, agrees: worst.share <= 1 };
  });
}

const percent = (value) => `${(100 * value).toFixed(2)} %`;

/** The comparison as a table in Markdown. */
export function coverageTable(compared) {
  const rows = compared.map(({ name, figures, worst, agrees }) => [
    name,
    figures,
    `${worst.name} ${worst.side}`,
    percent(worst.expected),
    percent(worst.found),
    `${worst.share.toFixed(2)} of the allowance`,
    agrees ? 'agrees' : 'DIFFERS',
  ]);
  const head = ['case', 'figures', 'farthest figure', 'file', 'ours', 'distance', ''];
  return [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');
}
