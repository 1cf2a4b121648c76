// One-sided miss of the deciding bound of each row of the interval table, with its worst cell.
import { exactRow, rateRow, signProcessRow, tangoRow } from './enumerated.mjs';
import {
  binaryClusterPopulations,
  boundedPopulations,
  clusterPopulations,
  rosterPopulations,
  unboundedPopulations,
} from './populations.mjs';
import {
  bettingRow,
  bettingSequenceRow,
  clusterRow,
  groupSequentialRow,
  holmRow,
  namedUnionRow,
  rosterRow,
  unionRow,
} from './simulated.mjs';

const error = 0.025;
const notAbove = [0, -0.02, -0.05, -0.1, -0.2];
const anyMargin = [-0.1, -0.05, -0.02, 0, 0.02, 0.05];
const shares = [0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.6];
const rates = Array.from({ length: 99 }, (_, at) => (at + 1) / 100);

function enumeratedRows(kernel, { small }) {
  return [
    {
      row: 'binary, threshold <= 0: tango-score (at 0 with mcnemar-exact)',
      guarantee: 'asymptotic',
      cells: tangoRow(kernel, {
        units: small ? [20, 50] : [10, 20, 50, 100, 300],
        differences: notAbove,
        shares,
        error,
      }),
    },
    {
      row: 'binary, threshold > 0, above 5,000 units: tango-score',
      guarantee: 'asymptotic',
      cells: tangoRow(kernel, {
        units: small ? [] : [6000, 20_000],
        differences: [0.005, 0.01, 0.02, 0.05],
        shares: [0.005, 0.0055, ...shares],
        error,
      }),
    },
    {
      row: 'binary, threshold > 0 or finite-sample: exact-unconditional',
      guarantee: 'finite-sample',
      cells: exactRow(kernel, {
        units: small ? [10, 20] : [5, 10, 20, 50, 76, 100],
        differences: anyMargin,
        shares,
        error,
      }),
    },
    {
      row: "one arm's rate: clopper-pearson, one-sided 5 %",
      guarantee: 'finite-sample',
      nominal: 2 * error,
      cells: rateRow(kernel, { units: [10, 20, 50, 100], rates, error: 2 * error }),
    },
    {
      row: 'sequential: sign e-process, a look after every pair',
      guarantee: 'finite-sample',
      cells: signProcessRow(kernel, { pairs: small ? [50] : [50, 200, 600], error }),
    },
  ];
}

function meanRows(kernel, { small, trials, seed }) {
  const bounded = boundedPopulations(kernel);
  const simulated = { error, trials, seed };
  const bootstrap = { ...simulated, resamples: small ? 1000 : 2000 };
  return [
    {
      row: 'unit means, score, ordinal, bounded count: betting-fixed-n',
      guarantee: 'finite-sample',
      cells: bettingRow(kernel, {
        ...simulated,
        populations: bounded,
        units: small ? [20, 50, 100] : [10, 20, 50, 100],
      }),
    },
    {
      row: 'bounded, sealed by name: t-bootstrap-t, betting below its floors',
      guarantee: 'asymptotic',
      cells: namedUnionRow(kernel, {
        ...bootstrap,
        populations: bounded,
        units: small ? [20, 50] : [10, 20, 50, 100],
      }),
    },
    {
      row: 'unbounded: t-bootstrap-t',
      guarantee: 'asymptotic',
      cells: unionRow(kernel, {
        ...bootstrap,
        populations: unboundedPopulations(kernel),
        units: small ? [20, 50] : [10, 20, 50, 100],
      }),
    },
  ];
}

/** Looks on the way: a sequence that may be watched throughout, and a few planned looks. */
function sequentialRows(kernel, { small, trials, seed }) {
  const bounded = boundedPopulations(kernel);
  const simulated = { error, trials, seed };
  return [
    {
      row: 'sequential: betting confidence sequence, a look after every unit',
      guarantee: 'finite-sample',
      cells: bettingSequenceRow(kernel, {
        ...simulated,
        populations: small ? bounded.slice(2, 5) : bounded,
        units: small ? [50] : [20, 50, 100, 200],
      }),
    },
    {
      row: 'sequential: group-sequential spending, 4 looks at a mean',
      guarantee: 'asymptotic',
      cells: groupSequentialRow(kernel, {
        ...simulated,
        populations: small ? bounded.slice(0, 3) : bounded,
        units: small ? [100] : [40, 100, 200, 400],
      }),
    },
  ];
}

/** Units and repeats of a fixed roster. */
function rosterDesigns(small) {
  const counts = small ? [10] : [5, 10, 20, 50];
  return counts.flatMap((count) => [2, 3, 5].map((repeats) => ({ count, repeats })));
}

function unitRows(kernel, { small, trials, seed }) {
  const simulated = { error, trials, seed, units: small ? [5, 20] : [3, 5, 8, 12, 20, 40, 60] };
  return [
    {
      row: 'weights: case, continuous or score: cr2',
      guarantee: 'asymptotic',
      cells: clusterRow(kernel, {
        ...simulated,
        populations: clusterPopulations(kernel),
        bounds: kernel.clusteredMeanBounds,
      }),
    },
    {
      row: 'weights: case, binary: tango-effective-n',
      guarantee: 'asymptotic',
      cells: clusterRow(kernel, {
        ...simulated,
        populations: binaryClusterPopulations(kernel),
        bounds: kernel.clusteredRiskDifferenceBounds,
      }),
    },
    {
      row: 'fixed-roster: roster-t',
      guarantee: 'asymptotic',
      cells: rosterRow(kernel, {
        ...simulated,
        populations: rosterPopulations(kernel),
        designs: rosterDesigns(small),
      }),
    },
    {
      row: 'several candidates: holm by bounds over tango-score and mcnemar-exact',
      guarantee: 'asymptotic',
      cells: holmRow(kernel, { error, trials, seed, units: small ? [50] : [20, 50, 100] }),
    },
  ];
}

/** What a cell may reach: null where promise 2 asks for print alone. */
function limitOf({ guarantee, nominal }, { grid, units }) {
  if (guarantee === 'finite-sample') return nominal;
  if (grid !== 'regular') return null;
  return units >= 50 ? 1.4 * nominal : 2.2 * nominal;
}

/** Three and a half standard errors at the limit; enumerated cells have rounding alone. */
function slackOf(limit, { trials }) {
  return trials === undefined ? 1e-9 : 3.5 * Math.sqrt((limit * (1 - limit)) / trials);
}

/** Cells of one grid and one class of sizes with the worst of them. */
function summarize(row, grid, cells) {
  const worst = cells.reduce((first, cell) => (cell.miss > first.miss ? cell : first));
  const nominal = row.nominal ?? error;
  const limit = limitOf({ ...row, nominal }, worst);
  return {
    row: row.row,
    guarantee: row.guarantee,
    grid,
    cells: cells.length,
    nominal,
    worst: worst.name,
    miss: worst.miss,
    trials: worst.trials ?? null,
    limit,
    holds: limit === null ? null : worst.miss <= limit + slackOf(limit, worst),
  };
}

function groupsOf({ guarantee, cells }) {
  const groups = new Map();
  for (const cell of cells) {
    const size = cell.units >= 50 ? 'from 50' : 'below 50';
    const name = guarantee === 'finite-sample' ? cell.grid : `${cell.grid}, ${size}`;
    groups.set(name, [...(groups.get(name) ?? []), cell]);
  }
  return groups;
}

/** The whole study; `small` keeps few cells for a quick check. */
export function calibrationStudy(kernel, options) {
  const rows = [
    ...enumeratedRows(kernel, options),
    ...meanRows(kernel, options),
    ...sequentialRows(kernel, options),
    ...unitRows(kernel, options),
  ];
  return rows.flatMap((row) =>
    [...groupsOf(row)].map(([grid, cells]) => summarize(row, grid, cells)),
  );
}

const percent = (value) => `${(100 * value).toFixed(2)} %`;

/** The study as a table in Markdown. */
export function calibrationTable(summaries) {
  const lines = summaries.map((each) => {
    const limit = each.limit === null ? 'printed' : percent(each.limit);
    const verdict = each.holds === null ? '-' : each.holds ? 'holds' : 'MISSED';
    const made = each.trials === null ? 'exact' : `${each.trials} trials`;
    return [
      each.row,
      each.guarantee,
      each.grid,
      each.cells,
      each.worst,
      percent(each.miss),
      limit,
      made,
      verdict,
    ];
  });
  const head = ['row', 'guarantee', 'grid', 'cells', 'worst cell', 'miss', 'limit', 'made', ''];
  const rows = [head, head.map(() => '---'), ...lines];
  return rows.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
