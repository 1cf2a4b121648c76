import { describe, expect, test } from 'vitest';
import { falseShipRates } from '../../src/gate/null-scenarios.ts';
import { pairedLaw } from '../../src/gate/outcome-law.ts';
import { planPower } from '../../src/gate/power-plan.ts';
import { Simulator, simulatedInPlace } from '../../src/gate/simulate.ts';
import { mcnemarExact, pairedRiskDifferenceBounds } from '../../src/stats/paired-binary.ts';
import { exactUnconditionalClears } from '../../src/stats/paired-binary-exact.ts';
import { binaryCases, evidenceOf, rightMeasure } from '../support/evidence.ts';
import { computed } from '../support/statistics.ts';

const seed = 'c4'.repeat(32);
const error = 0.025;

/** Probability of a rule over all tables of so many units, by the trinomial law. */
function enumerated(
  units: number,
  { win, loss }: { readonly win: number; readonly loss: number },
  holds: (wins: number, losses: number) => boolean,
): number {
  const logFactorial = (n: number): number =>
    Array.from({ length: n }, (_, at) => Math.log(at + 1)).reduce((all, each) => all + each, 0);
  let total = 0;
  for (let wins = 0; wins <= units; wins += 1) {
    for (let losses = 0; wins + losses <= units; losses += 1) {
      if (!holds(wins, losses)) continue;
      const ties = units - wins - losses;
      total += Math.exp(
        logFactorial(units) -
          logFactorial(wins) -
          logFactorial(losses) -
          logFactorial(ties) +
          wins * Math.log(win) +
          losses * Math.log(loss) +
          ties * Math.log(1 - win - loss),
      );
    }
  }
  return total;
}

/** The rules as their kernels have them. */
const rules = {
  asymptotic: (units: number) => (wins: number, losses: number) => {
    const counts = {
      both: 0,
      onlyCandidate: wins,
      onlyBaseline: losses,
      neither: units - wins - losses,
    };
    const { lower } = computed(pairedRiskDifferenceBounds(counts, error));
    return lower > 0 && mcnemarExact(counts).pGreater <= error;
  },
  'finite-sample': (units: number) => (wins: number, losses: number) => {
    const neither = units - wins - losses;
    const counts = { both: 0, onlyCandidate: wins, onlyBaseline: losses, neither };
    return computed(exactUnconditionalClears(counts, { error, threshold: 0 }));
  },
} as const;

describe('simulated rates of a binary lift', () => {
  test.each([
    ['asymptotic', 20, 0, 0.4],
    ['asymptotic', 30, 0, 0.5],
    ['asymptotic', 30, 0.25, 0.45],
    ['finite-sample', 25, 0.3, 0.5],
    ['finite-sample', 30, 0, 0.6],
  ] as const)(
    '%s, %d units, mean %d, discordance %d: within the Monte Carlo error of the sum over all tables',
    (guarantee, units, mean, discordance) => {
      const [win, loss] = [(discordance + mean) / 2, (discordance - mean) / 2];
      const exact = enumerated(units, { win, loss }, rules[guarantee](units));
      const { seal } = evidenceOf({
        cases: binaryCases({ gains: 0, losses: 0, both: units }),
        inference: { guarantee },
      });
      const law = pairedLaw({ mean, discordance, width: 1 });
      if (law === null) throw new Error('no such law');
      const pairs = Array.from({ length: units }, () => 1);
      const replicates = 40_000;
      const { any } = new Simulator(seal).run(
        { measures: [{ measure: 'right', law, correlation: 0, pairs }] },
        { replicates, seed, label: `${guarantee} ${units} ${mean}` },
      );
      expect(exact).toBeGreaterThan(0.005);
      expect(Math.abs(any / replicates - exact)).toBeLessThan(
        4 * Math.sqrt((exact * (1 - exact)) / replicates),
      );
    },
  );
});

/** Probability that a gate on pairs clears over all tables, at an error and a threshold. */
function clearing(
  units: number,
  { win, loss }: { readonly win: number; readonly loss: number },
  { threshold, spent }: { readonly threshold: number; readonly spent: number },
): number {
  return enumerated(units, { win, loss }, (wins, losses) => {
    const neither = units - wins - losses;
    const counts = { both: 0, onlyCandidate: wins, onlyBaseline: losses, neither };
    return computed(exactUnconditionalClears(counts, { error: spent, threshold }));
  });
}

describe('simulated rates of gates that are judged together', () => {
  const units = 28;
  const options = { replicates: 6000, seed, pool: simulatedInPlace };
  const monteCarlo = 4 * 0.5 * Math.sqrt(1 / options.replicates);

  test('a neutral control is drawn over its placebo, apart from the lift', async () => {
    const { seal, index } = evidenceOf({
      cases: binaryCases({ both: units }).map((each) => ({
        ...each,
        cells: { ...each.cells, placebo: 1 },
      })),
      gates: [
        { gate: 'lift', measure: 'right' },
        { gate: 'neutral-control', measure: 'right' },
        { gate: 'power', target: 0.8, atEffect: 0.35 },
      ],
      placebo: true,
      inference: { guarantee: 'finite-sample' },
    });
    const powerWith = async (placebo: number) => {
      const assumptions = { measures: { right: { discordance: 0.45, placebo } } };
      const found = await planPower({ seal, index, assumptions }, options);
      const [row] = found?.rows ?? [];
      if (row === undefined) throw new Error('there is a row');
      return row;
    };
    const at = { threshold: 0, spent: error };
    const lift = clearing(units, { win: 0.4, loss: 0.05 }, at);
    const { ship, gates } = await powerWith(0.1);
    expect(gates.map(({ gate }) => gate)).toEqual(['lift:right', 'neutral-control:right']);
    // Over a placebo that has 0.1 of the 0.35 itself.
    const over = clearing(units, { win: 0.35, loss: 0.1 }, at);
    expect(Math.abs((gates[0]?.rate ?? 0) - lift)).toBeLessThan(monteCarlo);
    expect(Math.abs((gates[1]?.rate ?? 0) - over)).toBeLessThan(monteCarlo);
    expect(Math.abs(ship.rate - lift * over)).toBeLessThan(monteCarlo);
    // A placebo that does as much ships next to nobody.
    expect((await powerWith(0.35)).ship.rate).toBeLessThan(error + monteCarlo);
  });

  test('a pareto gate asks all floors and one gain, each at its share of the error', async () => {
    const { seal, index } = evidenceOf({
      cases: binaryCases({ both: units }).map(({ id, unit }) => {
        const cell = { scores: { right: 1, kind: 1 } };
        return { id, unit, cells: { baseline: cell, next: cell } };
      }),
      measures: { right: rightMeasure, kind: { ...rightMeasure, role: 'guardrail' } },
      gates: [
        {
          gate: 'pareto',
          objectives: [
            { measure: 'right', margin: 0.3 },
            { measure: 'kind', margin: 0.3 },
          ],
        },
        { gate: 'power', target: 0.8, atEffect: 0.3 },
      ],
      inference: { guarantee: 'finite-sample' },
    });
    const assumptions = {
      measures: { right: { discordance: 0.4 }, kind: { discordance: 0.1 } },
    };
    const design = { seal, index, assumptions };
    const [better, same] = [
      { win: 0.35, loss: 0.05 },
      { win: 0.05, loss: 0.05 },
    ];
    const spent = error / 2;
    const [floor, gain] = [
      { threshold: -0.3, spent },
      { threshold: 0, spent },
    ];
    const both = clearing(units, better, floor) * clearing(units, same, floor);
    // Whoever gains is above the floor as well.
    const [first, second] = [better, same].map(
      (law) => clearing(units, law, floor) - clearing(units, law, gain),
    );
    const expected = both - (first ?? 0) * (second ?? 0);
    const [row] = (await planPower(design, options))?.rows ?? [];
    expect(Math.abs((row?.ship.rate ?? 0) - expected)).toBeLessThan(monteCarlo);
    const nulls = await falseShipRates(design, options, ['regular']);
    expect(nulls.map(({ gate }) => gate)).toEqual(['pareto right', 'pareto kind', 'pareto']);
    for (const { worst } of nulls) {
      expect(worst?.rate).toBeLessThanOrEqual(error + monteCarlo);
    }
    expect(nulls[2]?.worst?.scenario).toMatch(/^no objective better, \d+ % of pairs discordant; /);
    expect(nulls[2]?.worst?.rate).toBeGreaterThan(0.002);
  });
});
