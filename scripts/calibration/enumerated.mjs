// Rows whose one-sided miss is computed without simulation: every possible table with its probability.

/** Pairs of rates on a grid of discordant shares and true differences. */
function rateCells(shares, differences) {
  const cells = [];
  for (const difference of differences) {
    for (const share of shares) {
      const gain = (share + difference) / 2;
      const loss = (share - difference) / 2;
      if (gain >= -1e-12 && loss >= -1e-12)
        cells.push({ difference, gain: Math.max(0, gain), loss: Math.max(0, loss) });
    }
  }
  return cells;
}

/** Regular: every outcome expected in 5 units or more. Rare-loss: a loss expected in fewer. Else few gains or few ties. */
function gridOf({ gain, loss }, units) {
  if (loss * units < 5 - 1e-9) return 'rare-loss';
  const least = Math.min(gain, 1 - gain - loss) * units;
  return least >= 5 - 1e-9 ? 'regular' : 'few-gains';
}

function cellName(units, { gain, loss }) {
  const share = (value) => Number(value.toFixed(4));
  return `n=${units} gain=${share(gain)} loss=${share(loss)}`;
}

/** Tango's lower bound; at 0 together with McNemar's exact test, whose error is no less than that of both. */
export function tangoRow(kernel, { units, differences, shares, error }) {
  const cells = [];
  for (const count of units) {
    for (const cell of rateCells(shares, differences)) {
      const rates = { onlyCandidate: cell.gain, onlyBaseline: cell.loss };
      const tango = kernel.tangoPower({ units: count, rates, threshold: cell.difference, error });
      const miss =
        cell.difference === 0
          ? Math.min(
              tango,
              kernel.mcnemarPower({ units: count, rates, test: 'exact', error, sides: 1 }),
            )
          : tango;
      cells.push({ name: cellName(count, cell), units: count, grid: gridOf(cell, count), miss });
    }
  }
  return cells;
}

/** The fewest gains that clear, for every number of losses; the set grows with gains and shrinks with losses. */
function fewestGains(kernel, { units, threshold, error }) {
  const fewest = [];
  let gains = 0;
  for (let losses = 0; losses <= units; losses += 1) {
    const clears = (count) =>
      kernel.exactUnconditionalClears(
        {
          both: units - losses - count,
          onlyCandidate: count,
          onlyBaseline: losses,
          neither: 0,
        },
        { error, threshold },
      ) === true;
    while (gains <= units - losses && !clears(gains)) gains += 1;
    fewest.push(gains);
  }
  return fewest;
}

/** Probability of one table. */
function tableProbability(kernel, { units, gains, losses, cell }) {
  const ties = units - gains - losses;
  const orders =
    kernel.logGamma(units + 1) -
    kernel.logGamma(gains + 1) -
    kernel.logGamma(losses + 1) -
    kernel.logGamma(ties + 1);
  const part = (count, p) => (count === 0 ? 0 : count * Math.log(p));
  return Math.exp(
    orders +
      part(gains, cell.gain) +
      part(losses, cell.loss) +
      part(ties, 1 - cell.gain - cell.loss),
  );
}

function setProbability(kernel, { units, fewest, cell }) {
  let total = 0;
  for (let losses = 0; losses <= units; losses += 1) {
    if (losses > 0 && cell.loss === 0) break;
    for (let gains = fewest[losses]; gains <= units - losses; gains += 1) {
      if (gains > 0 && cell.gain === 0) break;
      total += tableProbability(kernel, { units, gains, losses, cell });
    }
  }
  return total;
}

/** The exact unconditional lower bound at every margin. */
export function exactRow(kernel, { units, differences, shares, error }) {
  const cells = [];
  for (const count of units) {
    for (const threshold of differences) {
      const fewest = fewestGains(kernel, { units: count, threshold, error });
      for (const cell of rateCells(shares, [threshold])) {
        cells.push({
          name: cellName(count, cell),
          units: count,
          grid: gridOf(cell, count) === 'rare-loss' ? 'rare-loss' : 'regular',
          miss: setProbability(kernel, { units: count, fewest, cell }),
        });
      }
    }
  }
  return cells;
}

/** The one-sided lower bound of one arm's rate. */
export function rateRow(kernel, { units, rates, error }) {
  const cells = [];
  for (const count of units) {
    const lower = Array.from({ length: count + 1 }, (_, successes) =>
      kernel.clopperPearsonLower({ successes, units: count }, error),
    );
    for (const probability of rates) {
      const first = lower.findIndex((bound) => bound > probability);
      const binomial = { trials: count, probability };
      const miss = first < 0 ? 0 : kernel.binomialUpper(first - 1, binomial);
      cells.push({ name: `n=${count} rate=${probability}`, units: count, grid: 'regular', miss });
    }
  }
  return cells;
}

/** Paths of fair signs one pair further: probabilities by wins. */
function stepped(paths) {
  const next = new Array(paths.length + 1).fill(0);
  for (const [wins, probability] of paths.entries()) {
    next[wins] += probability / 2;
    next[wins + 1] += probability / 2;
  }
  return next;
}

/** The probability that the e-process of fair signs is ever large enough within a number of pairs. */
function everCrossed(kernel, { pairs, error }) {
  const needed = -Math.log(error);
  let paths = [1];
  let crossed = 0;
  for (let seen = 1; seen <= pairs; seen += 1) {
    paths = stepped(paths).map((probability, wins) => {
      if (probability === 0 || kernel.logSignE({ wins, losses: seen - wins }) < needed)
        return probability;
      crossed += probability;
      return 0;
    });
  }
  return crossed;
}

/** The one-sided sign e-process under a fair coin, looked at after every pair. */
export function signProcessRow(kernel, { pairs, error }) {
  return pairs.map((count) => ({
    name: `${count} looks`,
    units: count,
    grid: 'regular',
    miss: everCrossed(kernel, { pairs: count, error }),
  }));
}
