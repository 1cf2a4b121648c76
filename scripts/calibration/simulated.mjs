// Rows whose one-sided miss is simulated: how often the deciding lower bound lies above the true mean.

function isNumber(value) {
  return typeof value === 'number';
}

/** The share of trials that miss, one stream per cell. */
function simulate(kernel, { name, units, grid, trials, seed, misses }) {
  const stream = kernel.randomStream(seed, name);
  let missed = 0;
  for (let trial = 0; trial < trials; trial += 1) if (misses(stream, trial)) missed += 1;
  return { name, units, grid, miss: missed / trials, trials };
}

function sample(stream, units, draw) {
  return Array.from({ length: units }, () => draw(stream));
}

/** Whether a loss is expected in fewer than 5 units, as promise 2 has it. */
function gridAt(population, units) {
  const share = Number(/rare-large-losses-(.*)/.exec(population.name)?.[1] ?? 1);
  return share * units < 5 ? population.grid : 'regular';
}

/** The betting bound on the declared range. */
export function bettingRow(kernel, { populations, units, error, trials, seed }) {
  return populations.flatMap((population) =>
    units.map((count) =>
      simulate(kernel, {
        name: `n=${count} ${population.name}`,
        units: count,
        grid: gridAt(population, count),
        trials,
        seed,
        misses: (stream) =>
          betMisses(kernel, sample(stream, count, population.draw), { population, error }),
      }),
    ),
  );
}

function betMisses(kernel, values, { population, error }) {
  const options = { range: population.range, error, truncation: kernel.bettingTruncation };
  return kernel.bettingLowerBound(values, options) > population.mean;
}

/** Whether both t and bootstrap-t miss; the bootstrap is asked only where t does. */
function unionMisses(kernel, values, { mean, error, seed, resamples }) {
  const t = kernel.meanDifferenceBounds(values, error);
  if (!isNumber(t.lower) || t.lower <= mean) return false;
  const both = kernel.tBootstrapTBounds(values, { error, seed, resamples });
  return isNumber(both.lower) && both.lower > mean;
}

/** The wider of t and bootstrap-t. */
export function unionRow(kernel, { populations, units, error, trials, seed, resamples }) {
  return populations.flatMap((population) =>
    units.map((count) =>
      simulate(kernel, {
        name: `n=${count} ${population.name}`,
        units: count,
        grid: gridAt(population, count),
        trials,
        seed,
        misses: (stream) =>
          unionMisses(kernel, sample(stream, count, population.draw), {
            mean: population.mean,
            error,
            seed,
            resamples,
          }),
      }),
    ),
  );
}

/** The same on a bounded measure, sealed by name: below its floors the betting bound takes its place. */
export function namedUnionRow(kernel, { populations, units, error, trials, seed, resamples }) {
  return populations.flatMap((population) =>
    units.map((count) =>
      simulate(kernel, {
        name: `n=${count} ${population.name}`,
        units: count,
        grid: gridAt(population, count),
        trials,
        seed,
        misses: (stream) => {
          const values = sample(stream, count, population.draw);
          const moved = values.filter((value) => value !== 0).length;
          const { mean } = population;
          return count < 20 || moved < 10
            ? betMisses(kernel, values, { population, error })
            : unionMisses(kernel, values, { mean, error, seed, resamples });
        },
      }),
    ),
  );
}

/** Below 5 units, below 4 degrees of freedom or with one unit above a third of the cases nothing ships. */
function refused(kernel, units) {
  const found = kernel.clusterVariance(units);
  return units.length < 5 || !isNumber(found.df) || found.df < 4 || found.largestShare > 1 / 3;
}

/** A bound of cases within units, with the floors of its row. */
export function clusterRow(kernel, { populations, units, error, trials, seed, bounds }) {
  return populations.flatMap((population) =>
    units.map((count) =>
      simulate(kernel, {
        name: `K=${count} ${population.name}`,
        units: count,
        grid: population.grid,
        trials,
        seed,
        misses: (stream) => {
          const drawn = sample(stream, count, population.unit);
          const { lower } = bounds(drawn, error);
          return isNumber(lower) && lower > population.mean && !refused(kernel, drawn);
        },
      }),
    ),
  );
}

/** One candidate's gains and losses against a baseline that all candidates share. */
function candidateTable(stream, baseline, rate) {
  const counts = { both: 0, onlyCandidate: 0, onlyBaseline: 0, neither: 0 };
  for (const right of baseline) {
    const won = stream.next() < rate;
    if (won) counts[right ? 'both' : 'onlyCandidate'] += 1;
    else counts[right ? 'onlyBaseline' : 'neither'] += 1;
  }
  return counts;
}

/** Holm by bounds: the chance that any candidate that is no better is said to be. */
export function holmRow(kernel, { units, error, trials, seed }) {
  const scenarios = [
    { name: 'three null candidates', rates: [0.6, 0.6, 0.6] },
    { name: 'one better, two null', rates: [0.9, 0.6, 0.6] },
  ];
  const steps = [1, 2, 3].map((divisor) => ({
    error: error / divisor,
    z: kernel.normalUpperQuantile(error / divisor),
  }));
  const clearsAt = (counts) =>
    steps.map(
      (step) =>
        kernel.tangoStatistic(counts, 0) > step.z &&
        kernel.mcnemarExact(counts).pGreater <= step.error,
    );
  return scenarios.flatMap(({ name, rates }) =>
    units.map((count) =>
      simulate(kernel, {
        name: `n=${count} ${name}`,
        units: count,
        grid: 'regular',
        trials,
        seed,
        misses: (stream) => {
          const baseline = Array.from({ length: count }, () => stream.next() < 0.6);
          const tables = rates.map((rate) => candidateTable(stream, baseline, rate));
          const decided = kernel.holmByBounds(tables.map(clearsAt));
          return decided.some((step, index) => step.rejected && rates[index] <= 0.6);
        },
      }),
    ),
  );
}

/** The bound of a fixed roster, whose uncertainty is the noise of repeats alone. */
export function rosterRow(kernel, { populations, designs, error, trials, seed }) {
  return populations.flatMap((population) =>
    designs.map((design) =>
      simulate(kernel, {
        name: `K=${design.count} repeats=${design.repeats} ${population.name}`,
        units: design.count,
        grid: population.grid,
        trials,
        seed,
        misses: (stream) => {
          const { lower } = kernel.rosterBounds(population.units(stream, design), error);
          return isNumber(lower) && lower > population.mean(design.count);
        },
      }),
    ),
  );
}

/** The lower end of the betting confidence sequence, watched after every value: whether it ever lies above the mean. */
export function bettingSequenceRow(kernel, { populations, units, error, trials, seed }) {
  return populations.flatMap((population) =>
    units.map((count) =>
      simulate(kernel, {
        name: `${count} looks ${population.name}`,
        units: count,
        grid: gridAt(population, count),
        trials,
        seed,
        misses: (stream) => {
          const plan = { range: population.range, error, sides: 'lower' };
          const state = kernel.extendBettingSequence(
            kernel.startBettingSequence(plan),
            sample(stream, count, population.draw),
          );
          return kernel.bettingSequenceBounds(state).running.lower > population.mean;
        },
      }),
    ),
  );
}

/** Looks at equal shares of the units with spent errors: whether the t statistic of any look crosses its bound. */
export function groupSequentialRow(kernel, { populations, units, error, trials, seed }) {
  const information = [0.25, 0.5, 0.75, 1];
  return ['spending-obrien-fleming', 'spending-pocock'].flatMap((design) => {
    const { criticalZ } = kernel.groupSequentialBounds({
      design,
      information,
      significanceLevel: error,
    });
    const crosses = (values, mean, look) => {
      const seen = values.slice(0, Math.round(information[look] * values.length));
      const found = kernel.pairedTTest(seen, { hypothesis: mean, level: 1 - 2 * error });
      return !('status' in found) && found.t > criticalZ[look];
    };
    return populations.flatMap((population) =>
      units.map((count) =>
        simulate(kernel, {
          name: `n=${count} in 4 looks ${population.name} ${design.replace('spending-', '')}`,
          units: count,
          // A decision at the first look rests on that look's units alone.
          grid: gridAt(population, information[0] * count),
          trials,
          seed,
          misses: (stream) => {
            const values = sample(stream, count, population.draw);
            return information.some((_, look) => crosses(values, population.mean, look));
          },
        }),
      ),
    );
  });
}
