/** Simulated looks stop where the gates do, ship no more often than nominal, and save units. */
import { describe, expect, test } from 'vitest';
import { judgeSealed } from '../../src/gate/sequential.ts';
import { LookSimulator } from '../../src/gate/simulate-looks.ts';
import { anytime, evidenceAt, group, type Kind, repeated, stoppings } from '../support/looks.ts';

describe('LookSimulator', () => {
  const lattice = (win: number, tie: number) => ({
    kind: 'lattice' as const,
    values: [1, 0, -1],
    probabilities: [win, tie, 1 - win - tie],
  });
  const world = (units: number, win: number, tie: number) => ({
    measures: [
      { measure: 'right', law: lattice(win, tie), correlation: 0, pairs: new Array(units).fill(1) },
    ],
  });
  const run = (
    stopping: unknown,
    at: { units: number; win: number; tie: number },
    replicates = 1,
  ) => {
    const { seal } = evidenceAt(repeated(at.units, 'tie'), { stopping });
    const options = { replicates, seed: 'ab'.repeat(32), label: 'test' };
    return new LookSimulator(seal).run(world(at.units, at.win, at.tie), options);
  };

  test.each(stoppings)('stops where the gates stop on evidence: %o', (stopping) => {
    const cases: readonly [Kind, number, number][] = [
      ['gain', 1, 0],
      ['tie', 0, 1],
      ['loss', 0, 0],
    ];
    for (const [kind, win, tie] of cases) {
      const { futility: _, ...rule } = { futility: null, ...stopping };
      const judged = judgeSealed(evidenceAt(repeated(24, kind), { stopping: rule }));
      const found = run(rule, { units: 24, win, tie });
      const [candidate] = judged.candidates;
      expect(found.any).toBe(candidate?.decision === 'ship' ? 1 : 0);
      expect(found.units).toBe(candidate?.look?.units.size);
    }
  });

  test.each([
    ['group-sequential', group([20, 40, 60]), 0.025],
    ['Pocock', group([20, 40, 60], 'pocock'), 0.025],
    ['anytime', anytime([10, 20, 30, 40, 50, 60]), 0.025],
  ])(
    '%s ships no more often than nominal where the candidate is no better, and saves units where it is',
    (_, stopping, nominal) => {
      const replicates = 4000;
      for (const tie of [0.8, 0.5, 0.2]) {
        const win = (1 - tie) / 2;
        const found = run(stopping, { units: 60, win, tie }, replicates);
        const error = Math.sqrt((nominal * (1 - nominal)) / replicates);
        expect(found.any / replicates).toBeLessThan(nominal + 3 * error);
      }
      const better = run(stopping, { units: 60, win: 0.6, tie: 0.3 }, 400);
      expect(better.any).toBeGreaterThan(320);
      expect(better.units / 400).toBeLessThan(50);
    },
  );
});
