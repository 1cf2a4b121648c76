// Populations of differences with their true means; `range` where the values are bounded, `grid` as in promise 2.

/** A standard normal number. */
function normal(kernel, stream) {
  return kernel.normalQuantile(Math.min(Math.max(stream.next(), 1e-12), 1 - 1e-12));
}

const cuts = [-1.2, -0.4, 0.4, 1.2];
const armSpread = 0.7;

/** Both arms on {0, 1/4, 1/2, 3/4, 1} from a latent normal with the case's difficulty in common. */
function ordinal(kernel, shift) {
  const levelOf = (latent) => cuts.filter((cut) => latent > cut).length / 4;
  const spread = Math.sqrt(1 + armSpread * armSpread);
  const meanLevel = (center) =>
    cuts.reduce((total, cut) => total + kernel.normalUpper((cut - center) / spread) / 4, 0);
  return {
    mean: shift === 0 ? 0 : meanLevel(shift) - meanLevel(0),
    range: { lower: -1, upper: 1 },
    draw: (stream) => {
      const difficulty = normal(kernel, stream);
      const arm = () => difficulty + armSpread * normal(kernel, stream);
      return levelOf(arm() + shift) - levelOf(arm());
    },
  };
}

/** Tiny gains of unequal size nearly always, a loss of the whole range with probability `share`; the true mean is 0. */
function rareLargeLosses(share) {
  const gain = share / (1 - share);
  return {
    mean: 0,
    range: { lower: -1, upper: 1 },
    draw: (stream) => (stream.next() < share ? -1 : gain * (0.5 + stream.next())),
  };
}

/** The mean over three pairs of which each is won or lost with probability 0.2. */
const binaryUnitMeans = {
  mean: 0,
  range: { lower: -1, upper: 1 },
  draw: (stream) => {
    let total = 0;
    for (let pair = 0; pair < 3; pair += 1) {
      const at = stream.next();
      total += at < 0.2 ? 1 : at < 0.4 ? -1 : 0;
    }
    return total / 3;
  },
};

/** Populations with declared bounds. */
export function boundedPopulations(kernel) {
  return [
    { name: 'ordinal-null', grid: 'regular', ...ordinal(kernel, 0) },
    { name: 'ordinal-gain', grid: 'regular', ...ordinal(kernel, 0.35) },
    { name: 'binary-unit-means', grid: 'regular', ...binaryUnitMeans },
    {
      name: 'sparse-gain',
      grid: 'regular',
      mean: 0.06,
      range: { lower: -1, upper: 1 },
      draw: (stream) => (stream.next() < 0.1 ? 0.2 + 0.8 * stream.next() : 0),
    },
    { name: 'rare-large-losses-0.01', grid: 'rare-loss', ...rareLargeLosses(0.01) },
    { name: 'rare-large-losses-0.03', grid: 'rare-loss', ...rareLargeLosses(0.03) },
  ];
}

/** Populations without bounds, and the rare losses once more, of which an asymptotic bound sees too few. */
export function unboundedPopulations(kernel) {
  return [
    {
      name: 'normal',
      grid: 'regular',
      mean: 0.3,
      draw: (stream) => 0.3 + normal(kernel, stream),
    },
    {
      name: 'lognormal',
      grid: 'regular',
      mean: 0,
      draw: (stream) => Math.exp(normal(kernel, stream)) - Math.exp(0.5),
    },
    {
      name: 'negative-exponential',
      grid: 'regular',
      mean: 0,
      draw: (stream) => 1 + Math.log(1 - stream.next()),
    },
    { name: 'rare-large-losses-0.01', grid: 'rare-loss', ...rareLargeLosses(0.01) },
    { name: 'rare-large-losses-0.03', grid: 'rare-loss', ...rareLargeLosses(0.03) },
  ];
}

const sizes = [1, 1, 2, 2, 3, 4, 5, 8, 13];

function clusterOf(stream, drawCase) {
  const size = sizes[stream.below(sizes.length)];
  return Array.from({ length: size }, drawCase);
}

/** Whole units lost with a small probability, every other tied. */
function lostUnits(share) {
  return {
    mean: -share,
    unit: (stream) => {
      const value = stream.next() < share ? -1 : 0;
      return clusterOf(stream, () => value);
    },
  };
}

/** Units of unequal size whose cases share an effect. */
export function clusterPopulations(kernel) {
  const spread = { unit: Math.sqrt(0.3), within: Math.sqrt(0.7) };
  return [
    {
      name: 'continuous',
      grid: 'regular',
      mean: 0.2,
      unit: (stream) => {
        const effect = 0.2 + spread.unit * normal(kernel, stream);
        return clusterOf(stream, () => effect + spread.within * normal(kernel, stream));
      },
    },
    ...[0.05, 0.02].map((share) => ({
      name: `units-lost-${share}`,
      grid: 'rare-loss',
      ...lostUnits(share),
    })),
  ];
}

/** Units of unequal size whose cases are won or lost together. */
export function binaryClusterPopulations(kernel) {
  const steps = 64;
  const shares = Array.from({ length: steps }, (_, at) =>
    kernel.betaQuantile((at + 0.5) / steps, { a: 0.6, b: 2.4 }),
  );
  const meanShare = shares.reduce((total, share) => total + share, 0) / steps;
  const mixed = (up) => ({
    mean: meanShare * 0.7 * (2 * up - 1),
    unit: (stream) => {
      const share = shares[stream.below(steps)];
      const common = stream.next() < up ? 1 : -1;
      return clusterOf(stream, () => {
        if (stream.next() >= share) return 0;
        return stream.next() < 0.85 ? common : -common;
      });
    },
  });
  return [
    { name: 'binary-null', grid: 'regular', ...mixed(0.5) },
    { name: 'binary-gain', grid: 'regular', ...mixed(0.75) },
    { name: 'units-lost-0.05', grid: 'rare-loss', ...lostUnits(0.05) },
    { name: 'units-lost-0.02', grid: 'rare-loss', ...lostUnits(0.02) },
  ];
}

/** Repeats of which one in `1 / share` is lost and every other ties. */
function rareRepeatLosses(share) {
  return {
    name: `repeats-lost-${share}`,
    grid: 'rare-loss',
    mean: () => -share,
    units: (stream, { count, repeats }) =>
      Array.from({ length: count }, () =>
        Array.from({ length: repeats }, () => (stream.next() < share ? -1 : 0)),
      ),
  };
}

/** Listed units with their own means and noise, seen in a few repeats each; the true mean is that of the list. */
export function rosterPopulations(kernel) {
  const centers = (count) => Array.from({ length: count }, (_, at) => ((at % 5) - 2) / 5);
  const mean = (values) => values.reduce((total, value) => total + value, 0) / values.length;
  return [
    {
      name: 'normal repeats',
      grid: 'regular',
      mean: (count) => mean(centers(count)),
      units: (stream, { count, repeats }) =>
        centers(count).map((center, at) => {
          const spread = 0.2 + 0.3 * (at % 3);
          return Array.from({ length: repeats }, () => center + spread * normal(kernel, stream));
        }),
    },
    {
      name: 'binary repeats',
      grid: 'regular',
      mean: () => 0,
      units: (stream, { count, repeats }) =>
        centers(count).map((center) => {
          const share = 0.25 + center / 2;
          return Array.from({ length: repeats }, () => {
            const at = stream.next();
            return at < share ? 1 : at < 2 * share ? -1 : 0;
          });
        }),
    },
    rareRepeatLosses(0.05),
    rareRepeatLosses(0.02),
  ];
}
