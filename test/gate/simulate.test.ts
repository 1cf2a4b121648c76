import { beforeAll, describe, expect, test } from 'vitest';
import { DrawnMeasure } from '../../src/gate/drawn-measure.ts';
import {
  falseShipLimit,
  falseShipRates,
  falseShipRefusal,
  isBeyondLimit,
  pairsOfUnits,
  refuseFalseShips,
} from '../../src/gate/null-scenarios.ts';
import { type PairLaw, pairedLaw, rareLossLaw, sampler } from '../../src/gate/outcome-law.ts';
import { planPower } from '../../src/gate/power-plan.ts';
import { Simulator, simulateWorlds } from '../../src/gate/simulate.ts';
import type { World } from '../../src/gate/simulated-world.ts';
import { threadPool } from '../../src/host/pool.ts';
import type { CaseIndex } from '../../src/spec/case-index.ts';
import type { SealedExperiment } from '../../src/spec/seal.ts';
import { uniformStream } from '../../src/stats/draws.ts';
import { moments } from '../../src/stats/summary.ts';
import { binaryCases, type EvidenceTable, evidenceOf, rightMeasure } from '../support/evidence.ts';
import { judged } from '../support/judged.ts';

const seed = '5a'.repeat(32);
const inPlace = threadPool({ workers: 0 });

function law(found: PairLaw | null): PairLaw {
  if (found === null) throw new Error('no such law');
  return found;
}

function designOf(table: EvidenceTable): {
  readonly seal: SealedExperiment;
  readonly index: CaseIndex;
} {
  const { seal, index } = evidenceOf(table);
  return { seal, index };
}

const binaryTable = (units: number, changes: Partial<EvidenceTable> = {}): EvidenceTable => ({
  measures: { right: rightMeasure },
  gates: [{ gate: 'lift', measure: 'right' }],
  cases: binaryCases({ gains: 0, losses: 0, both: units }),
  ...changes,
});

const binaryWorld = (units: number, mean: number, discordance: number): World => ({
  measures: [
    {
      measure: 'right',
      law: law(pairedLaw({ mean, discordance, width: 1 })),
      correlation: 0,
      pairs: Array.from({ length: units }, () => 1),
    },
  ],
});

describe('laws', () => {
  const draws = 40_000;
  test.each<[string, PairLaw, number, number]>([
    [
      'win, tie, loss',
      law(pairedLaw({ mean: 0.1, discordance: 0.3, width: 1 })),
      0.1,
      Math.sqrt(0.29),
    ],
    [
      'a rare loss',
      law(rareLossLaw({ mean: 0, loss: 0.05, width: 2 })),
      0,
      Math.sqrt(0.05 * 4 + 0.95 * (0.1 / 0.95) ** 2),
    ],
    ['a triangle', { kind: 'triangular', mean: 0.2, deviation: 0.25 }, 0.2, 0.25],
    ['normal', { kind: 'normal', mean: -1, deviation: 2 }, -1, 2],
    ['a long tail of gains', { kind: 'lognormal', mean: 3, deviation: 0.5, skew: 1 }, 3, 0.5],
    ['a long tail of losses', { kind: 'lognormal', mean: 3, deviation: 0.5, skew: -1 }, 3, 0.5],
  ])('%s has the mean and deviation it says', (_, of, mean, deviation) => {
    const draw = sampler(of);
    const stream = uniformStream(seed, 'law');
    const found = moments(Array.from({ length: draws }, () => draw(stream)));
    expect(Math.abs(found.mean - mean)).toBeLessThan((5 * deviation) / Math.sqrt(draws));
    expect(Math.abs(Math.sqrt(found.variance) / deviation - 1)).toBeLessThan(0.1);
  });

  test('execute their documented examples, and are null outside their range', () => {
    expect(pairedLaw({ mean: 0.1, discordance: 0.3, width: 1 })).toEqual({
      kind: 'lattice',
      values: [1, 0, -1],
      probabilities: [0.2, 0.7, 0.1].map((each) => expect.closeTo(each, 12)),
    });
    expect(rareLossLaw({ mean: 0, loss: 0.02, width: 1 })).toEqual({
      kind: 'lattice',
      values: [0.0204081632653, -1],
      probabilities: [0.98, 0.02],
    });
    expect(pairedLaw({ mean: 0.4, discordance: 0.3, width: 1 })).toBeNull();
    expect(rareLossLaw({ mean: 0.99, loss: 0.5, width: 1 })).toBeNull();
  });

  test.each([0, 0.5, 0.9, 1])('give two pairs of a unit the correlation %d', (correlation) => {
    const world = {
      measure: 'right',
      law: { kind: 'normal', mean: 0, deviation: 1 },
      correlation,
      pairs: Array.from({ length: 4000 }, () => 2),
    } as const;
    const drawn = new DrawnMeasure(world, { width: 0, levels: false, losses: false });
    drawn.draw(uniformStream(seed, 'pairs'), null);
    const { units } = drawn.sample();
    const products = units.map(
      ({ values }) => (values[0]?.improvement ?? 0) * (values[1]?.improvement ?? 0),
    );
    expect(Math.abs(moments(products).mean - correlation)).toBeLessThan(0.1);
  });
});

describe('Simulator', () => {
  const units = 12;
  const factorial = (n: number): number => (n < 2 ? 1 : n * factorial(n - 1));

  /** Ship rate by every table of 12 units, through the decision itself. */
  function enumerated(
    table: (counts: { gains: number; losses: number }) => EvidenceTable,
    win: number,
    loss: number,
  ): number {
    let rate = 0;
    for (let gains = 0; gains <= units; gains += 1) {
      for (let losses = 0; gains + losses <= units; losses += 1) {
        const ties = units - gains - losses;
        const orders = factorial(units) / (factorial(gains) * factorial(losses) * factorial(ties));
        if (judged(table({ gains, losses })).decision === 'ship')
          rate += orders * win ** gains * loss ** losses * (1 - win - loss) ** ties;
      }
    }
    return rate;
  }

  test.each([
    ['threshold 0', {}, {}, { mean: 0.25, discordance: 0.45 }],
    [
      'a minimum effect that most gains miss',
      {},
      { minimumEffect: 0.6 },
      { mean: 0.3, discordance: 0.3 },
    ],
    [
      'finite-sample',
      { inference: { guarantee: 'finite-sample' } },
      {},
      { mean: 0.4, discordance: 0.6 },
    ],
  ] as const)(
    'ships as often as all tables together: %s',
    (_, changes, claim, { mean, discordance }) => {
      const table = ({ gains, losses }: { gains: number; losses: number }): EvidenceTable => ({
        ...binaryTable(units, changes),
        claim,
        cases: binaryCases({ gains, losses, both: units - gains - losses }),
      });
      const [win, loss] = [(discordance + mean) / 2, (discordance - mean) / 2];
      const exact = enumerated(table, win, loss);
      const replicates = 4000;
      const { seal } = designOf(table({ gains: 0, losses: 0 }));
      const { any } = new Simulator(seal).run(binaryWorld(units, mean, discordance), {
        replicates,
        seed,
        label: 'exact',
      });
      const error = Math.sqrt((exact * (1 - exact)) / replicates);
      expect(exact).toBeGreaterThan(0.01);
      expect(Math.abs(any / replicates - exact)).toBeLessThan(4 * error);
    },
  );

  test('counts the same for every number of workers', async () => {
    const { seal } = designOf(binaryTable(60));
    const jobs = [0, 0.1].map((mean) => ({
      world: binaryWorld(60, mean, 0.4),
      label: String(mean),
    }));
    const program = new URL('../../dist/host/pool-worker.js', import.meta.url);
    const counts = [];
    for (const workers of [0, 1, 2]) {
      const pool = threadPool({ workers, program, shortJobMs: 0 });
      counts.push(await simulateWorlds(seal, jobs, { replicates: 600, seed, pool }));
      await pool.close();
    }
    expect(counts[1]).toEqual(counts[0]);
    expect(counts[2]).toEqual(counts[0]);
    expect(counts[0]?.map(({ replicates }) => replicates)).toEqual([600, 600]);
    expect(counts[0]?.[1]?.any).toBeGreaterThan(counts[0]?.[0]?.any ?? 600);
  });
});

describe('falseShipRates', () => {
  const simulation = { replicates: 1000, seed, pool: inPlace };

  test('keep a finite-sample bound at nominal on both grids', async () => {
    const design = designOf(binaryTable(40, { inference: { guarantee: 'finite-sample' } }));
    const rates = await falseShipRates(design, simulation);
    expect(rates.map(({ grid }) => grid)).toEqual(['regular', 'rare-loss']);
    for (const { worst, nominal, guarantee } of rates) {
      expect(guarantee).toBe('finite-sample');
      expect(worst?.rate).toBeLessThanOrEqual(
        nominal + 4 * Math.sqrt((nominal * (1 - nominal)) / 1000),
      );
    }
  });

  test('keep three candidates at the null at nominal together, under Holm', () => {
    const { seal } = designOf(
      binaryTable(100, {
        candidates: ['next', 'second', 'third'],
        multiplicity: 'holm',
        inference: { guarantee: 'finite-sample' },
      }),
    );
    const options = { replicates: 2000, seed, label: 'null' };
    const { any, candidates } = new Simulator(seal).run(binaryWorld(100, 0, 0.3), options);
    expect(candidates).toHaveLength(3);
    expect(any / 2000).toBeLessThanOrEqual(0.025 + 4 * Math.sqrt((0.025 * 0.975) / 2000));
    expect(any).toBeGreaterThan(0);
  });

  test('have no regular scenario where no class could be expected in five units', async () => {
    const rates = await falseShipRates(designOf(binaryTable(8)), simulation);
    expect(rates.find(({ grid }) => grid === 'regular')?.worst).toBeNull();
    expect(rates.find(({ grid }) => grid === 'rare-loss')?.worst).not.toBeNull();
  });

  test('allow 1.4 times nominal, 2.2 times below 50 units', () => {
    expect(falseShipLimit(0.025, 50)).toBeCloseTo(0.035, 12);
    expect(falseShipLimit(0.025, 49)).toBeCloseTo(0.055, 12);
  });
});

describe('planPower', () => {
  const options = { replicates: 300, seed, pool: inPlace };
  let plan: Awaited<ReturnType<typeof planPower>>;

  beforeAll(async () => {
    plan = await planPower(
      designOf({ ...binaryTable(60), claim: { minimumEffect: 0.2 } }),
      options,
    );
  });

  test('ships only whole runs where no cell may be lost', () => {
    expect(plan?.rows[3]?.assumption).toMatch(/, and 0\.1 % of cells are lost$/);
    // 120 cells settle all in 0.999^120 of the runs.
    const expected = 0.999 ** 120 * (plan?.rows[1]?.ship.rate ?? 0);
    expect(Math.abs((plan?.rows[3]?.ship.rate ?? 0) - expected)).toBeLessThan(0.12);
  });

  test('falls as more pairs change that have nothing to do with the effect', () => {
    const all = plan?.rows.map(({ ship }) => ship.rate) ?? [];
    const rates = all.slice(0, 3);
    expect(rates.toSorted((first, second) => second - first)).toEqual(rates);
    expect(plan).toMatchObject({ effect: 0.2, target: 0.8 });
  });

  test('finds an effect and a number of units that reach the target', async () => {
    expect(plan?.minimumDetectableEffect).toBeGreaterThan(0.1);
    expect(plan?.minimumDetectableEffect).toBeLessThan(0.3);
    const more = await planPower(
      designOf({ ...binaryTable(Number(plan?.unitsForTarget)), claim: { minimumEffect: 0.2 } }),
      options,
    );
    expect(more?.rows[1]?.ship.rate).toBeGreaterThan(0.75);
  });

  test('says nothing of units for an effect at the threshold, nor without a lift gate', async () => {
    const design = designOf({ ...binaryTable(60), claim: {} });
    expect(await planPower(design, options)).toMatchObject({
      effect: null,
      rows: [],
      unitsForTarget: null,
    });
    const guarded = designOf(
      binaryTable(60, {
        measures: { right: { ...rightMeasure, role: 'guardrail' } },
        gates: [{ gate: 'no-regression', measure: 'right', margin: 0.1 }],
      }),
    );
    expect(await planPower(guarded, options)).toMatchObject({
      gate: 'no-regression:right',
      effect: null,
      rows: [],
      unitsForTarget: null,
    });
    const rated = designOf(
      binaryTable(60, { gates: [{ gate: 'rate', measure: 'right', arm: 'candidate', min: 0.5 }] }),
    );
    expect(await planPower(rated, options)).toBeNull();
  });
});

describe('pairsOfUnits', () => {
  test('counts cases and repeats of every final unit', () => {
    const { index } = designOf(binaryTable(3));
    expect(pairsOfUnits(index, 'right', 2)).toEqual([2, 2, 2]);
    expect(pairsOfUnits(index, 'other', 2)).toEqual([]);
  });
});

describe('refuseFalseShips', () => {
  const at = { seed, file: 'experiment.yaml' };

  test('passes designs whose asymptotic bound keeps its regular grid, at small and larger numbers of units', async () => {
    for (const units of [20, 60, 200]) {
      const guarded = binaryTable(units, {
        measures: { right: { ...rightMeasure, role: 'guardrail' } },
        gates: [{ gate: 'no-regression', measure: 'right', margin: 0.05 }],
      });
      await refuseFalseShips(designOf(binaryTable(units)), at);
      await refuseFalseShips(designOf(guarded), at);
    }
  });

  test('refuses rules that ship too often by chance: 40, with rate, null and limit', async () => {
    const { seal, index } = designOf(binaryTable(60));
    const loose = {
      ...seal,
      analysis: { ...seal.analysis, errorLevels: { ...seal.analysis.errorLevels, lift: 0.3 } },
    };
    const rates = await falseShipRates(
      { seal: loose, index },
      { replicates: 1000, seed, pool: inPlace },
      ['regular'],
    );
    const [rate] = rates;
    if (rate === undefined) throw new Error('no rate');
    const worst = { rate: 0.0731, standardError: 0.008, scenario: '80 % of pairs discordant' };
    expect(
      falseShipRefusal({ ...rate, nominal: 0.025, limit: 0.055, worst }, 'e.yaml'),
    ).toMatchObject({
      code: 'design-refused',
      exitCode: 40,
      where: { file: 'e.yaml', path: 'inference' },
      message:
        'The gate "lift:right" would ship a candidate that is no better in 7.31 % of experiments (80 % of pairs discordant); nominal is 2.5 %, the limit 5.5 %.',
      mend: 'Plan more units, or write `guarantee: finite-sample`; `liftgate plan` shows the rates.',
    });
    expect(isBeyondLimit({ ...rate, limit: 0.035 })).toBe(true);
    expect(isBeyondLimit({ ...rate, limit: 0.035, guarantee: 'finite-sample' })).toBe(false);
    expect(isBeyondLimit({ ...rate, limit: null })).toBe(false);
    expect(isBeyondLimit({ ...rate, worst: null })).toBe(false);
    expect(isBeyondLimit(rate)).toBe(false);
  });
});
