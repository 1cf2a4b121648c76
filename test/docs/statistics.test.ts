/** docs/statistics.md: a row for every method word, the guarantees of the code, and monotonicity as it really is. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { methodSources } from '../../src/cli/calculator/sources.ts';
import {
  autoRow,
  type DeclaredDesign,
  guaranteeOf,
  inferenceSchema,
  resolveMethod,
  resolveQuantileMethod,
  resolveRateMethod,
  sealableMethods,
} from '../../src/spec/inference.ts';
import { measureSchema } from '../../src/spec/measure.ts';
import { rosterBounds } from '../../src/stats/fixed-roster.ts';
import * as stats from '../../src/stats/index.ts';
import { intervalMethods } from '../../src/stats/interval.ts';
import { statisticsVersions } from '../../src/stats/versions.ts';
import { projectFolder } from '../support/cli.ts';

const page = readFileSync(join(projectFolder, 'docs/statistics.md'), 'utf8');
const cells = (line: string): string[] =>
  line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());
const methods = new Map(
  page
    .split('\n')
    .filter((line) => /^\| `[a-z0-9-]+` \|/.test(line))
    .map(cells)
    .map(([name = '', , guarantee = '', monotone = '', source = '']) => [
      name.replaceAll('`', ''),
      { guarantee, monotone, source },
    ]),
);

describe('the tables of methods in docs/statistics.md', () => {
  test('have one row for every method word of the engine and no other', () => {
    const { rounding: _, ...versioned } = statisticsVersions;
    const words = new Set([...intervalMethods, ...sealableMethods, ...Object.keys(versioned)]);
    expect([...methods.keys()].sort()).toEqual([...words].sort());
    const rows = page.match(/^\| `[a-z0-9-]+` \|/gm) ?? [];
    expect(rows.length).toBe(methods.size);
  });

  test('give the guarantee that seals and calculators give', () => {
    const given = [
      ...sealableMethods.map((method) => [method, guaranteeOf(method)] as const),
      ...Object.entries(methodSources).map(
        ([method, { guarantee }]) => [method, guarantee] as const,
      ),
    ];
    expect(
      given.filter(([method, guarantee]) => methods.get(method)?.guarantee !== guarantee),
    ).toEqual([]);
  });

  test('name the source that the calculators name', () => {
    const years = Object.entries(methodSources).filter(([method, { source }]) =>
      (source.match(/\d{4}/g) ?? []).every((year) => !methods.get(method)?.source.includes(year)),
    );
    expect(years).toEqual([]);
    expect([...methods.values()].filter(({ source }) => !/\d{4}/.test(source))).toEqual([]);
  });
});

describe('the table behind method: auto in docs/statistics.md', () => {
  const rows = page.slice(page.indexOf('## The table behind'), page.indexOf('**Rare losses.**'));
  const shown = rows
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .map(cells)
    .slice(2);
  const measures = ['binary', 'duration'].map((kind) =>
    measureSchema.parse({ kind, role: 'primary', direction: 'higher' }),
  );
  const designs: DeclaredDesign[] = measures.flatMap((measure) =>
    (['new-units', 'fixed-roster'] as const).flatMap((generalization) =>
      (['unit', 'case'] as const).flatMap((weights) =>
        (['asymptotic', 'finite-sample'] as const).flatMap((guarantee) =>
          [0, 0.1].flatMap((threshold) =>
            [1, 2].flatMap((pairsPerUnit) =>
              [50, 6000].map((units) => ({
                measure,
                generalization,
                inference: inferenceSchema.parse({ weights, guarantee }),
                threshold,
                pairsPerUnit,
                units,
              })),
            ),
          ),
        ),
      ),
    ),
  );

  const resolutions = [
    ...designs.map(resolveMethod),
    ...designs.map(resolveRateMethod),
    ...designs.map(resolveQuantileMethod),
  ];

  test('has the rows that the engine names in plans and refusals', () => {
    const ofOneArm = resolutions
      .slice(designs.length)
      .filter(({ status }) => status === 'resolved');
    const named = new Set([...designs.map(autoRow), ...ofOneArm.map(({ row }) => row)]);
    expect(named.size).toBe(10);
    expect(shown.map(([row]) => row).sort()).toEqual([...named].sort());
  });

  test('names every method that a row resolves to, and no row resolves to another', () => {
    for (const resolution of resolutions) {
      if (resolution.status !== 'resolved') continue;
      const [, method = ''] = shown.find(([row]) => row === resolution.row) ?? [];
      expect(method).toContain(`\`${resolution.method}\``);
    }
  });
});

interface Ends {
  readonly lower: number;
  readonly upper: number;
}

/** Interval of a result, or null where there is none. */
function endsOf(found: object): Ends | null {
  return 'lower' in found && 'upper' in found ? (found as Ends) : null;
}

/** Whether a better sample has a lower bound than a worse one. */
function falls(worse: object, better: object): boolean {
  const first = endsOf(worse);
  const second = endsOf(better);
  if (first === null || second === null) return false;
  const slack = 1e-9;
  return second.lower < first.lower - slack || second.upper < first.upper - slack;
}

const level = 0.95;
const error = 0.025;

type Counts = stats.PairedCounts;

const pairedMethods: Readonly<Record<string, (counts: Counts) => object>> = {
  'tango-score': (counts) => stats.pairedRiskDifferenceInterval(counts, level),
  'exact-unconditional': (counts) => stats.exactUnconditionalInterval(counts, level),
  'bonett-price': (counts) => stats.bonettPriceInterval(counts, level),
  'agresti-min': (counts) => stats.agrestiMinInterval(counts, level),
  wald: (counts) => stats.pairedWaldInterval(counts, { level, continuity: false }),
  'wald-continuity': (counts) => stats.pairedWaldInterval(counts, { level, continuity: true }),
  'conditional-exact': (counts) => stats.conditionalExactInterval(counts, level),
  'mcnemar-exact': (counts) => {
    const { pGreater, pLess } = stats.mcnemarExact(counts);
    return { lower: -pGreater, upper: pLess };
  },
  ...Object.fromEntries(
    (['newcombe-8', 'newcombe-9-continuity', 'newcombe-10', 'newcombe-10-continuity'] as const).map(
      (method) => [
        method,
        (counts: Counts) => stats.newcombePairedInterval(counts, { level, method }),
      ],
    ),
  ),
  'log-wald': (counts) => {
    const found = stats.pairedOddsRatio(counts, level);
    return 'status' in found ? found : found.logWald;
  },
};

function upTo(most: number): number[] {
  return Array.from({ length: most + 1 }, (_, at) => at);
}

/** Every table of up to so many units with each table in which one failure of the candidate is a success. */
function pairedSteps(most: number): (readonly [Counts, Counts])[] {
  const tables = upTo(most).flatMap((both) =>
    upTo(most - both).flatMap((onlyCandidate) =>
      upTo(most - both - onlyCandidate).flatMap((onlyBaseline) =>
        upTo(most - both - onlyCandidate - onlyBaseline).map((neither) => ({
          both,
          onlyCandidate,
          onlyBaseline,
          neither,
        })),
      ),
    ),
  );
  return tables.flatMap((counts) => {
    const { both, onlyCandidate, onlyBaseline, neither } = counts;
    const gain = { ...counts, onlyCandidate: onlyCandidate + 1, neither: neither - 1 };
    const mended = { ...counts, both: both + 1, onlyBaseline: onlyBaseline - 1 };
    return [gain, mended]
      .filter((better) => better.neither >= 0 && better.onlyBaseline >= 0)
      .map((better) => [counts, better] as const);
  });
}

const rateMethods: Readonly<Record<string, (successes: number, units: number) => object>> = {
  'clopper-pearson': (successes, units) =>
    stats.clopperPearsonInterval({ successes, units }, level),
  wilson: (successes, units) => stats.wilsonInterval({ successes, units }, level),
  'wilson-continuity': (successes, units) =>
    stats.wilsonContinuityInterval({ successes, units }, level),
  'agresti-coull': (successes, units) => stats.agrestiCoullInterval({ successes, units }, level),
  jeffreys: (successes, units) =>
    stats.jeffreysInterval({ successes, units }, { level, closedEnds: true }),
  'jeffreys-open-ends': (successes, units) =>
    stats.jeffreysInterval({ successes, units }, { level, closedEnds: false }),
  'mid-p': (successes, units) => stats.midPInterval({ successes, units }, level),
};

type Groups = Parameters<typeof stats.meeInterval>[0];

const groupMethods: Readonly<Record<string, (groups: Groups) => object>> = {
  'miettinen-nurminen': (groups) => stats.miettinenNurminenInterval(groups, level),
  mee: (groups) => stats.meeInterval(groups, level),
  newcombe: (groups) => stats.newcombeInterval(groups, { level, continuity: false }),
  'newcombe-continuity': (groups) => stats.newcombeInterval(groups, { level, continuity: true }),
  'agresti-caffo': (groups) => stats.agrestiCaffoInterval(groups, level),
  wald: (groups) => stats.twoProportionWaldInterval(groups, level),
};

const seed = '0'.repeat(64);
const baseline = [0, 0.1, 0, 0.1, 0];

const valueMethods: Readonly<Record<string, (values: readonly number[]) => object>> = {
  'betting-fixed-n': (values) =>
    stats.bettingBounds(values, { range: { lower: -1, upper: 1 }, error, truncation: 0.95 }),
  'order-statistic': (values) => {
    const { lower, upper } = stats.quantileRanks(values.length, { quantile: 0.5, error });
    const ordered = [...values].sort((first, second) => first - second);
    return { lower: ordered[(lower ?? 0) - 1], upper: ordered[(upper ?? 0) - 1] };
  },
  t: (values) => stats.meanDifferenceInterval(values, level),
  't-bootstrap-t': (values) => stats.tBootstrapTBounds(values, { error, seed, resamples: 1000 }),
  'bootstrap-t': (values) => stats.bootstrapTBounds(values, { error, seed, resamples: 1000 }),
  cr2: (values) => stats.clusteredMeanBounds(inUnits(values), error),
  'tango-effective-n': (values) =>
    stats.clusteredRiskDifferenceBounds(inUnits(values.map(Math.sign)), error),
  'roster-t': (values) => rosterBounds(inUnits(values), error),
  'welch-t': (values) => intervalOf(stats.welchTTest({ baseline, candidate: values }, level)),
  'pooled-t': (values) => intervalOf(stats.pooledTTest({ baseline, candidate: values }, level)),
  'noncentral-t': (values) => intervalOf(stats.standardizedDifference(values, level)),
  'trimmed-t': (values) => stats.trimmedMeanInterval(values, { trimPercent: 10, level }),
  'sign-flip': (values) => stats.signFlipInterval(values, level),
  'hodges-lehmann': (values) => intervalOf(stats.hodgesLehmann(values, level)),
  ...Object.fromEntries(
    (['bootstrap-percentile', 'bootstrap-basic', 'bootstrap-bca'] as const).map((method) => [
      method,
      (values: readonly number[]) =>
        stats.bootstrapInterval(values, { method, level, seed, resamples: 1000 }),
    ]),
  ),
};

/** Values in units of two. */
function inUnits(values: readonly number[]): number[][] {
  return Array.from({ length: values.length / 2 }, (_, at) => values.slice(2 * at, 2 * at + 2));
}

function intervalOf(found: object): object {
  return 'interval' in found && typeof found.interval === 'object' && found.interval !== null
    ? found.interval
    : found;
}

/** Two lists in which many a method falls, then drawn ones: values in tenths, each list with one value raised. */
function valueSteps(count: number): (readonly [number[], number[]])[] {
  const { below: draw } = stats.randomStream(seed, 'values');
  const steady = Array.from({ length: 12 }, (_, index) => (index % 3 === 0 ? 0.1 : 0));
  const drawn = Array.from({ length: count - 2 }, () => {
    const spread = 1 + draw(6);
    const length = 6 + 2 * draw(4);
    const values = Array.from({ length }, () => (draw(2 * spread + 1) - spread) / 10);
    const raised = draw(length);
    return { values, raised, top: Math.min(1, (values[raised] ?? 0) + (1 + draw(10)) / 10) };
  });
  return [
    { values: steady, raised: 0, top: 1 },
    { values: [-0.5, -0.5, -0.4, -0.6, 0.5, -0.1], raised: 2, top: -0.2 },
    ...drawn,
  ].map(({ values, raised, top }) => [
    values,
    values.map((value, index) => (index === raised ? top : value)),
  ]);
}

describe('what docs/statistics.md says about monotonicity', () => {
  const isMonotone = (method: string): boolean => {
    const said = methods.get(method)?.monotone ?? '';
    expect(said).toMatch(/^(?:yes|no: .+)$/);
    return said === 'yes';
  };

  test.each(Object.keys(pairedMethods))('%s on every paired table of up to 12 units', (method) => {
    const interval = pairedMethods[method] ?? Object;
    // The exact bound costs milliseconds a table; test/stats looks at larger ones.
    const steps = pairedSteps(method === 'exact-unconditional' ? 6 : 12);
    const failing = steps.filter(([worse, better]) => falls(interval(worse), interval(better)));
    expect(failing.length === 0).toBe(isMonotone(method));
  });

  test.each(Object.keys(rateMethods))('%s at every count of up to 40 units', (method) => {
    const interval = rateMethods[method] ?? Object;
    const steps = upTo(40).flatMap((units) =>
      upTo(units - 1).map((successes) => [successes, units] as const),
    );
    const failing = steps.filter(([successes, units]) =>
      falls(interval(successes, units), interval(successes + 1, units)),
    );
    expect(failing.length === 0).toBe(isMonotone(method));
  });

  test.each(Object.keys(groupMethods))('%s at every two groups of up to 8 units', (method) => {
    const interval = groupMethods[method] ?? Object;
    const groups = upTo(8).flatMap((units) =>
      units === 0 ? [] : upTo(units).map((successes) => ({ successes, units })),
    );
    const failing = groups.flatMap((other) =>
      groups.filter(({ successes, units }) => {
        if (successes === units) return false;
        const at = (count: number): object =>
          interval({ baseline: other, candidate: { successes: count, units } });
        return falls(at(successes), at(successes + 1));
      }),
    );
    expect(failing.length === 0).toBe(isMonotone(method));
  });

  test.each(Object.keys(valueMethods))('%s on seeded lists of values', (method) => {
    const interval = valueMethods[method] ?? Object;
    // The noncentral t distribution costs a tenth of a second an interval.
    const steps = valueSteps(method === 'noncentral-t' ? 2 : 300);
    const compared = steps.filter(([worse]) => endsOf(interval(worse)) !== null);
    expect(compared.length).toBeGreaterThan(steps.length / 2);
    const failing = steps.filter(([worse, better]) => falls(interval(worse), interval(better)));
    expect(failing.length === 0).toBe(isMonotone(method));
  });

  test('covers every method but those that only order candidates or looks', () => {
    const tried = [pairedMethods, rateMethods, groupMethods, valueMethods].flatMap(Object.keys);
    const left = [...methods.keys()].filter((method) => !tried.includes(method));
    expect(left.filter((each) => !/sequen/.test(each))).toEqual(['holm-by-bounds', 'max-t']);
  });
});
