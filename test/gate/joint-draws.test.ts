/** Draws that belong together: as correlated as stated, read as the sealed decision reads them, and no different where nothing is stated. */
import { describe, expect, test } from 'vitest';
import { LiftgateError } from '../../src/base/errors.ts';
import type { JointWorld } from '../../src/gate/joint-draws.ts';
import { type PairLaw, pairedLaw, quantileOf, sampler } from '../../src/gate/outcome-law.ts';
import { Simulator } from '../../src/gate/simulate.ts';
import { type World, WorldDraw } from '../../src/gate/simulated-world.ts';
import { uniformStream } from '../../src/stats/draws.ts';
import { exactUnconditionalClears } from '../../src/stats/paired-binary-exact.ts';
import { binaryCases, type EvidenceTable, evidenceOf, rightMeasure } from '../support/evidence.ts';
import { computed } from '../support/statistics.ts';
import { guardrail, upTo } from '../support/two-measures.ts';

const seed = 'd7'.repeat(32);

function known<Value>(value: Value | null | undefined): Value {
  if (value === null || value === undefined) throw new Error('there is one');
  return value;
}

const binary = known(pairedLaw({ mean: 0, discordance: 0.5, width: 1 }));

/** Two measures of so many units of two pairs, for as many candidates as the seal has. */
function twoMeasures(units: number, joint: Omit<JointWorld, 'unitOf'>, within = 0): World {
  const common = { law: binary, correlation: within, pairs: upTo(units, () => 2) };
  return {
    measures: [
      { measure: 'right', ...common },
      { measure: 'kind', ...common },
    ],
    joint: { ...joint, unitOf: upTo(2 * units, (at) => Math.floor(at / 2)) },
  };
}

const twoMeasuresTable: EvidenceTable = {
  cases: binaryCases({ both: 4 }).map(({ id, unit }) => {
    const cell = { scores: { right: 1, kind: 1 } };
    return { id, unit, cells: { baseline: cell, next: cell, second: cell } };
  }),
  candidates: ['next', 'second'],
  measures: { right: rightMeasure, kind: guardrail },
  gates: [
    { gate: 'lift', measure: 'right' },
    { gate: 'no-regression', measure: 'kind', margin: 0.2 },
  ],
};

function correlationOf(first: readonly number[], second: readonly number[]): number {
  const mean = (values: readonly number[]) =>
    values.reduce((total, each) => total + each, 0) / values.length;
  const [one, other] = [mean(first), mean(second)];
  const products = (a: readonly number[], b: readonly number[], at: number, bt: number) =>
    a.reduce((total, each, place) => total + (each - at) * ((b[place] ?? 0) - bt), 0);
  return (
    products(first, second, one, other) /
    Math.sqrt(products(first, first, one, one) * products(second, second, other, other))
  );
}

describe('what is drawn together', () => {
  test.each([
    ['measures and candidates', 0.4, 0.6, 0],
    ['candidates alone', 0, 0.5, 0],
    ['two measures that go apart', -0.5, 0, 0],
    ['pairs of one unit besides', 0.5, 0.5, 0.5],
  ] as const)('has the stated correlations: %s', (_, measures, candidates, within) => {
    const units = 3000;
    const { seal } = evidenceOf(twoMeasuresTable);
    const world = twoMeasures(units, { measures, candidates }, within);
    const drawn = new WorldDraw(seal, world, 2).next(uniformStream(seed, 'joint'));
    const [first, second] = [0, 1].map((pair) =>
      drawn.map(({ replicate }) =>
        ['right', 'kind'].map((id) =>
          known(replicate.measures.get(id))
            .sample()
            .units.map(({ values }) => values[pair]?.improvement ?? 0),
        ),
      ),
    );
    const of = (rows: typeof first, candidate: number, measure: number) =>
      known(rows?.[candidate]?.[measure]);
    const expected = (found: number, stated: number) =>
      expect(Math.abs(found - stated)).toBeLessThan(4.5 / Math.sqrt(units));
    expected(correlationOf(of(first, 0, 0), of(first, 0, 1)), measures);
    expected(correlationOf(of(first, 1, 0), of(first, 1, 1)), measures);
    expected(correlationOf(of(first, 0, 0), of(first, 1, 0)), candidates);
    expected(correlationOf(of(first, 0, 1), of(first, 1, 1)), candidates);
    expected(correlationOf(of(first, 0, 0), of(first, 1, 1)), measures * candidates);
    // Two pairs of a unit, and these of two measures.
    expected(correlationOf(of(first, 0, 0), of(second, 0, 0)), within);
    expected(correlationOf(of(first, 0, 0), of(second, 0, 1)), within * measures);
  });

  test('follows the law of each measure, whatever belongs together', () => {
    const laws: readonly PairLaw[] = [
      binary,
      { kind: 'triangular', mean: 0.2, deviation: 0.25 },
      { kind: 'normal', mean: -1, deviation: 2 },
      { kind: 'lognormal', mean: 3, deviation: 0.5, skew: -1 },
      { kind: 'lognormal', mean: 3, deviation: 0.5, skew: 1 },
    ];
    for (const law of laws) {
      const quantile = quantileOf(law);
      const values = upTo(999, (at) => quantile((at + 1) / 1000));
      expect(values.toSorted((one, other) => one - other)).toEqual(values);
      const draw = sampler(law);
      const stream = uniformStream(seed, 'law');
      const drawn = upTo(10_000, () => draw(stream));
      for (const at of [99, 499, 899]) {
        const limit = known(values[at]);
        const below = drawn.filter((each) => each < limit).length / drawn.length;
        const upTil = drawn.filter((each) => each <= limit).length / drawn.length;
        const share = (at + 1) / 1000;
        expect(below).toBeLessThan(share + 0.02);
        expect(upTil).toBeGreaterThan(share - 0.02);
      }
    }
  });

  test('draws what is worse against what is better', () => {
    const { seal } = evidenceOf(twoMeasuresTable);
    const pairs = upTo(4000, () => 1);
    const law = { kind: 'lattice', values: [1, 0], probabilities: [0.5, 0.5] } as const;
    const own = [{ measure: 'kind', law, correlation: 0, pairs, reversed: true }] as const;
    const measures = [{ measure: 'right', law, correlation: 0, pairs }];
    const joint = { measures: 1, candidates: 0, unitOf: pairs.map((__, at) => at) };
    const world = { measures, own, joint };
    const [drawn] = new WorldDraw(seal, world, 1).next(uniformStream(seed, 'reversed'));
    const improves = known(drawn?.replicate.measures.get('right')).counts;
    const violates = known(drawn?.replicate.own.get('kind')).hits();
    expect(improves?.wins).toBe(4000 - violates.units);
    expect(Math.abs(violates.units - 2000)).toBeLessThan(150);
  });

  test('refuses a correlation below 0 for more than two measures', () => {
    const { seal } = evidenceOf(twoMeasuresTable);
    const world = twoMeasures(4, { measures: -0.2, candidates: 0 });
    const third = {
      measures: [
        ...world.measures,
        { ...known(world.measures[0]), measure: 'kind', overPlacebo: 'third' },
      ],
    };
    let caught: unknown;
    try {
      new WorldDraw(seal, { ...world, ...third }, 1);
    } catch (error) {
      caught = error;
    }
    expect(caught).toBeInstanceOf(LiftgateError);
    expect(caught).toMatchObject({
      code: 'design-refused',
      message:
        'A negative correlation between measures is stated, but 3 are drawn: one number below 0 holds between two of them only.',
      where: { path: 'assume.joint.measures' },
    });
  });
});

/** What both differences of a unit of one pair show, and how likely it is. */
interface Both {
  readonly first: number;
  readonly second: number;
  readonly p: number;
}

/** Probabilities of all wins and losses of two differences, by the law of one unit after another; places in base `units` + 1. */
function lawOfBoth(units: number, joint: readonly Both[]): ReadonlyMap<number, number> {
  const size = units + 1;
  const stepOf = (shown: number): number => (shown > 0 ? size : shown < 0 ? 1 : 0);
  let law = new Map<number, number>([[0, 1]]);
  for (let unit = 0; unit < units; unit += 1) {
    const next = new Map<number, number>();
    for (const [place, mass] of law) {
      for (const { first, second, p } of joint) {
        const at = place + stepOf(first) * size * size + stepOf(second);
        next.set(at, (next.get(at) ?? 0) + mass * p);
      }
    }
    law = next;
  }
  return law;
}

/** Probability that the first difference clears, and that both do. */
function bothCleared(
  units: number,
  joint: readonly Both[],
  clears: (wins: number, losses: number) => boolean,
): { readonly first: number; readonly both: number } {
  const size = units + 1;
  const answers = upTo(size * size, (at) => {
    const [wins, losses] = [Math.floor(at / size), at % size];
    return wins + losses <= units && clears(wins, losses);
  });
  let [first, both] = [0, 0];
  for (const [place, mass] of lawOfBoth(units, joint)) {
    if (answers[Math.floor(place / size / size)] !== true) continue;
    first += mass;
    if (answers[place % (size * size)] === true) both += mass;
  }
  return { first, both };
}

describe('rates of decisions that belong together', () => {
  const units = 12;
  const replicates = 3000;
  const law = { win: 0.6, loss: 0.05 };
  /** Both shown by one number with probability `shared`, otherwise each by its own. */
  const jointLaw = (shared: number) => {
    const values = [1, -1, 0];
    const mass = [law.win, law.loss, 1 - law.win - law.loss];
    return values.flatMap((first, one) =>
      values.map((second, other) => {
        const p = known(mass[one]);
        return {
          first,
          second,
          p: (1 - shared) * p * known(mass[other]) + (one === other ? shared * p : 0),
        };
      }),
    );
  };
  const clears = (error: number) => (wins: number, losses: number) =>
    computed(
      exactUnconditionalClears(
        { both: 0, onlyCandidate: wins, onlyBaseline: losses, neither: units - wins - losses },
        { error, threshold: 0 },
      ),
    );
  const near = (count: number, exact: number) => {
    expect(exact).toBeGreaterThan(0.05);
    expect(Math.abs(count / replicates - exact)).toBeLessThan(
      4 * Math.sqrt((exact * (1 - exact)) / replicates),
    );
  };
  const drawnLaw = known(pairedLaw({ mean: 0.55, discordance: 0.65, width: 1 }));
  const pairs = upTo(units, () => 1);
  const unitOf = pairs.map((_, at) => at);

  test.each([0, 0.5, 1])(
    'two measures that both have to clear, correlation %d: as the sum over all tables',
    (stated) => {
      const { seal } = evidenceOf({
        ...twoMeasuresTable,
        cases: twoMeasuresTable.cases.map(({ cells: { second: _, ...cells }, ...each }) => ({
          ...each,
          cells,
        })),
        candidates: ['next'],
        gates: [
          { gate: 'lift', measure: 'right' },
          { gate: 'lift', measure: 'kind' },
        ],
        measures: { right: rightMeasure, kind: rightMeasure },
        inference: { guarantee: 'finite-sample' },
      });
      const measures = ['right', 'kind'].map((measure) => ({
        measure,
        law: drawnLaw,
        correlation: 0,
        pairs,
      }));
      const joint = { measures: stated, candidates: 0, unitOf };
      const { any } = new Simulator(seal).run(
        { measures, joint },
        { replicates, seed, label: String(stated) },
      );
      near(any, bothCleared(units, jointLaw(stated), clears(0.025)).both);
    },
  );

  test.each([0, 0.5, 1])(
    'two candidates under Holm, correlation %d: as the sum over all tables',
    (stated) => {
      const { seal } = evidenceOf({
        cases: twoMeasuresTable.cases.map(({ id, unit }) => ({
          id,
          unit,
          cells: { baseline: 1, next: 1, second: 1 },
        })),
        candidates: ['next', 'second'],
        multiplicity: 'holm',
        inference: { guarantee: 'finite-sample' },
      });
      const measures = [{ measure: 'right', law: drawnLaw, correlation: 0, pairs }];
      const joint = { measures: 0, candidates: stated, unitOf };
      const { any, candidates } = new Simulator(seal).run(
        { measures, joint },
        { replicates, seed, label: `holm ${stated}` },
      );
      const half = bothCleared(units, jointLaw(stated), clears(0.0125));
      near(any, 2 * half.first - half.both);
      expect(Math.abs(known(candidates[0]) - known(candidates[1]))).toBeLessThan(
        stated === 1 ? 1 : 6 * Math.sqrt(replicates),
      );
    },
  );
});
