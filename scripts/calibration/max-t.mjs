// The complete null of max-T at small numbers of units: how often any of several candidates that are no better clears its gate.
//
// Every candidate has the improvement at which its gate must not clear: 0 for a lift, minus the margin for a guardrail. Three rates of
// the same draws: of one candidate alone at the whole error, of any at Holm's first divisor, and of any at what the joint law asks for.
// A candidate follows a common source in a share of the units, the share differing by candidate, so that correlations are unequal.
import { jointLaw } from '../../dist/gate/joint-law.js';
import { bettingLowerClears } from '../../dist/stats/betting.js';

const error = 0.025;
/** What a regular rate may be before a design is refused at seal: 1.4 times the error from 50 units, 2.2 times below. */
const limitOf = (units) => (units < 50 ? 2.2 : 1.4) * error;

const unequal = [0.95, 0.8, 0.5, 0.3, 0.1];
const equal = [0.8, 0.8, 0.8, 0.8, 0.8];

/** Values of a unit by their cumulative chances. */
const binary = (losses, wins) => (uniform) => (uniform < losses ? -1 : uniform < 1 - wins ? 0 : 1);
/** Nineteen small gains for one large loss, mean 0; and its mirror image. */
const losing = (uniform) => (uniform < 0.05 ? -0.95 : 0.05);
const gaining = (uniform) => (uniform < 0.05 ? 0.95 : -0.05);
/** A difference of two scores of five levels. */
const levels = (uniform) => (Math.floor(uniform * 9) - 4) / 4;

const tango = (stats, threshold) => (values, own) => {
  const onlyCandidate = values.filter((value) => value > 0).length;
  const onlyBaseline = values.filter((value) => value < 0).length;
  const counts = {
    both: 0,
    onlyCandidate,
    onlyBaseline,
    neither: values.length - onlyCandidate - onlyBaseline,
  };
  if (onlyCandidate - onlyBaseline <= threshold * values.length) return false;
  const { lower } = stats.pairedRiskDifferenceBounds(counts, own);
  return lower > threshold && (threshold !== 0 || stats.mcnemarExact(counts).pGreater <= own);
};
/** t with the floors it is sealed under; below them, and without spread, the betting bound takes its place. */
const byT = (stats) => (values, own) => {
  if (values.reduce((total, value) => total + value, 0) <= 0) return false;
  const bounds =
    values.length >= 20 && values.filter((value) => value !== 0).length >= 10
      ? stats.meanDifferenceBounds(values, own)
      : null;
  return bounds !== null && 'lower' in bounds ? bounds.lower > 0 : betting(values, own);
};
const betting = (values, own) =>
  bettingLowerClears(values, 0, {
    range: { lower: -1, upper: 1 },
    error: own,
    truncation: 0.95,
  }) === true;

/** Designs with their values, method and threshold. */
function designs(stats) {
  const lift = { method: 'tango-score', clears: tango(stats, 0) };
  const guard = { method: 'tango-score', clears: tango(stats, -0.1) };
  return [
    { name: 'binary lift, 50 % of pairs differ', ...lift, draw: binary(0.25, 0.25) },
    { name: 'binary lift, 20 % of pairs differ', ...lift, draw: binary(0.1, 0.1) },
    {
      name: 'binary guardrail at margin 0.1, losses 0.2, gains 0.1',
      ...guard,
      draw: binary(0.2, 0.1),
    },
    { name: 'binary guardrail at margin 0.1, losses 0.1, no gain', ...guard, draw: binary(0.1, 0) },
    { name: 'scores of five levels by t', method: 't', clears: byT(stats), draw: levels },
    {
      name: 'many small gains, rare large losses by t',
      method: 't',
      clears: byT(stats),
      draw: losing,
    },
    {
      name: 'many small losses, rare large gains by t',
      method: 't',
      clears: byT(stats),
      draw: gaining,
    },
    {
      name: 'many small gains, rare large losses by the betting bound',
      method: 'betting-fixed-n',
      clears: betting,
      draw: losing,
    },
  ];
}

/** False ships of one design at one size. */
function falseShips(stats, { name, method, clears, draw }, { units, shares, trials, seed }) {
  const stream = stats.randomStream(seed, `max-t/${name}/${units}/${shares.length}/${shares[0]}`);
  const ids = Array.from({ length: units }, (_, at) => String(at));
  const ships = { single: 0, holm: 0, maxT: 0, law: 0, open: 0 };
  for (let trial = 0; trial < trials; trial += 1) {
    const values = shares.map(() => []);
    for (let unit = 0; unit < units; unit += 1) {
      const common = stream.next();
      shares.forEach((share, at) => {
        values[at].push(draw(stream.next() < share ? common : stream.next()));
      });
    }
    // Nobody clears at a smaller error who does not at the whole one.
    const open = values.filter((own) => clears(own, error));
    if (open.length === 0) continue;
    if (open.includes(values[0])) ships.single += 1;
    if (open.some((own) => clears(own, error / shares.length))) ships.holm += 1;
    const law = jointLaw(
      values.map((own) => [
        {
          name,
          method,
          sample: { units: own.map((improvement, at) => ({ unit: ids[at], improvement })) },
        },
      ]),
      error,
    );
    ships.open += 1;
    if (law.fallback === null) ships.law += 1;
    const divisor = law.divisor(shares.map((_, at) => at));
    if (open.some((own) => clears(own, error / divisor))) ships.maxT += 1;
  }
  return { name, units, ...ships };
}

/**
 * Rates of every design at 20, 50 and 100 units, three and five candidates.
 * @returns rows with `single`, `holm` and `maxT` as rates; `holds` is null where one candidate alone misses more than the limit, which is
 *   the method's own doing, else whether max-T keeps the limit
 */
export function maxTStudy(stats, { trials, seed, sizes = [20, 50, 100] }) {
  const families = [
    { shares: unequal.slice(0, 3), like: 'unequal' },
    { shares: equal, like: 'equal' },
  ];
  return designs(stats).flatMap((design) =>
    sizes.flatMap((units) =>
      families.map(({ shares, like }) => {
        const found = falseShips(stats, design, { units, shares, trials, seed });
        const [single, holm, maxT] = [found.single, found.holm, found.maxT].map((n) => n / trials);
        const law = found.open === 0 ? 0 : found.law / found.open;
        const limit = limitOf(units);
        const noise = 3.5 * Math.sqrt((limit * (1 - limit)) / trials);
        const holds = single > limit + noise ? null : maxT <= limit + noise;
        return {
          name: design.name,
          units,
          candidates: shares.length,
          like,
          single,
          holm,
          maxT,
          law,
          limit,
          holds,
        };
      }),
    ),
  );
}

const percent = (rate) => `${(100 * rate).toFixed(2)} %`;

/** The rows as a table. */
export function maxTTable(rows) {
  const head = [
    'design',
    'units',
    'candidates',
    'correlations',
    'one alone',
    'Holm',
    'max-T',
    'law applied',
    'limit',
  ];
  const lines = rows.map((row) =>
    [
      row.name,
      row.units,
      row.candidates,
      row.like,
      percent(row.single),
      percent(row.holm),
      percent(row.maxT),
      `${Math.round(100 * row.law)} %`,
      `${percent(row.limit)}${row.holds === false ? ' exceeded' : row.holds === null ? ' not held: rare losses' : ''}`,
    ].join(' | '),
  );
  return [
    `| ${head.join(' | ')} |`,
    `|${' --- |'.repeat(head.length)}`,
    ...lines.map((line) => `| ${line} |`),
  ].join('\n');
}
