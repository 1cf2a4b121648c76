/** False-ship rates of the whole decision by exact enumeration of every table: no simulation error. */
import { describe, expect, test } from 'vitest';
import { binaryCases, rightMeasure } from '../support/evidence.ts';
import { judged } from '../support/judged.ts';

const units = 16;

interface Rates {
  readonly gain: number;
  readonly loss: number;
}

function factorial(n: number): number {
  return n < 2 ? 1 : n * factorial(n - 1);
}

function tableProbability(gains: number, losses: number, { gain, loss }: Rates): number {
  const ties = units - gains - losses;
  const orders = factorial(units) / (factorial(gains) * factorial(losses) * factorial(ties));
  return orders * gain ** gains * loss ** losses * (1 - gain - loss) ** ties;
}

/** Gains and losses of every table that ships under a gate. */
function shippingTables(
  gate: Readonly<Record<string, unknown>>,
  inference: Readonly<Record<string, unknown>> = {},
): [number, number][] {
  const ships: [number, number][] = [];
  for (let gains = 0; gains <= units; gains += 1) {
    for (let losses = 0; gains + losses <= units; losses += 1) {
      const cases = binaryCases({ gains, losses, both: units - gains - losses });
      const measures = { right: { ...rightMeasure, role: 'guardrail' } };
      if (judged({ measures, gates: [gate], cases, inference }).decision === 'ship')
        ships.push([gains, losses]);
    }
  }
  return ships;
}

function shipRate(ships: readonly (readonly [number, number])[], rates: Rates): number {
  return ships.reduce((sum, [gains, losses]) => sum + tableProbability(gains, losses, rates), 0);
}

const discordances = [0.05, 0.1, 0.2, 0.3, 0.45, 0.6, 0.8, 1];

describe('the false-ship rate', () => {
  test('of a lift above 0 is at most nominal at every null', () => {
    const ships = shippingTables({ gate: 'lift', measure: 'right' });
    expect(ships.length).toBeGreaterThan(20);
    for (const discordance of discordances) {
      expect(shipRate(ships, { gain: discordance / 2, loss: discordance / 2 })).toBeLessThanOrEqual(
        0.025,
      );
    }
  });

  test('of a guardrail at its margin stays below 1.4 times nominal', () => {
    const margin = 0.2;
    const ships = shippingTables({ gate: 'no-regression', measure: 'right', margin });
    expect(ships.length).toBeGreaterThan(20);
    for (const discordance of discordances.filter((each) => each >= margin)) {
      const rates = { gain: (discordance - margin) / 2, loss: (discordance + margin) / 2 };
      expect(shipRate(ships, rates)).toBeLessThan(1.4 * 0.025);
    }
  });

  test.each([
    ['a lift above 0.1', { gate: 'lift', measure: 'right', threshold: 0.1 }, {}, 0.1],
    [
      'a guardrail under a finite-sample guarantee',
      { gate: 'no-regression', measure: 'right', margin: 0.2 },
      { guarantee: 'finite-sample' },
      -0.2,
    ],
  ])('of %s, decided by the exact bound, is at most nominal at every null', (...row) => {
    const [, gate, inference, truth] = row;
    const ships = shippingTables(gate, inference);
    expect(ships.length).toBeGreaterThan(10);
    const sides = Math.abs(truth);
    for (const discordance of [sides, 0.25, ...discordances.filter((each) => each >= 0.3)]) {
      const rates = { gain: (discordance + truth) / 2, loss: (discordance - truth) / 2 };
      expect(shipRate(ships, rates)).toBeLessThanOrEqual(0.025);
    }
  });
});
