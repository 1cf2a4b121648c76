/** A million pairs in columns to one deciding interval, in a process of its own: processor time and the most memory it held. */
import {
  bettingBounds,
  bootstrapInterval,
  meanDifferenceInterval,
  pairedRiskDifferenceInterval,
  resamplingStream,
} from '../../dist/stats/index.js';

const units = 1_000_000;
const stream = resamplingStream('1f'.repeat(32));
const uniform = () => (stream.word() + 0.5) / 2 ** 32;
const baseline = Float64Array.from({ length: units }, uniform);
const candidate = baseline.map((score) =>
  Math.max(0, Math.min(1, score + 0.01 + 0.3 * (uniform() - 0.5))),
);

function differences() {
  const list = new Array(units);
  for (let unit = 0; unit < units; unit += 1) list[unit] = candidate[unit] - baseline[unit];
  return list;
}

function counts() {
  const found = { both: 0, onlyCandidate: 0, onlyBaseline: 0, neither: 0 };
  for (let unit = 0; unit < units; unit += 1) {
    const [won, had] = [candidate[unit] > 0.5, baseline[unit] > 0.5];
    found[won ? (had ? 'both' : 'onlyCandidate') : had ? 'onlyBaseline' : 'neither'] += 1;
  }
  return found;
}

const methods = {
  tango: () => pairedRiskDifferenceInterval(counts(), 0.95),
  betting: () =>
    bettingBounds(differences(), {
      range: { lower: -1, upper: 1 },
      error: 0.025,
      truncation: 0.95,
    }),
  t: () => meanDifferenceInterval(differences(), 0.95),
  percentile: () =>
    bootstrapInterval(differences(), {
      method: 'bootstrap-percentile',
      level: 0.95,
      seed: '1f'.repeat(32),
      resamples: 10_000,
    }),
};

let fastest = Number.POSITIVE_INFINITY;
let found;
for (let round = 0; round < 5; round += 1) {
  const start = process.cpuUsage();
  found = methods[process.argv[2]]();
  const { user, system } = process.cpuUsage(start);
  fastest = Math.min(fastest, (user + system) / 1000);
}
const mostMb = process.resourceUsage().maxRSS / 1024;
console.log(JSON.stringify({ ms: fastest, mostMb, lower: found.lower, upper: found.upper }));
