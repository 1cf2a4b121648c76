import { describe, expect, test } from 'vitest';
import { pairedLaw } from '../../src/gate/outcome-law.ts';
import { Simulator } from '../../src/gate/simulate.ts';
import { mcnemarExact, pairedRiskDifferenceBounds } from '../../src/stats/paired-binary.ts';
import { exactUnconditionalClears } from '../../src/stats/paired-binary-exact.ts';
import { binaryCases, evidenceOf } from '../support/evidence.ts';
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
