import { describe, expect, test } from 'vitest';
import { exactUnconditionalClears } from '../../src/stats/paired-binary-exact.ts';
import { tangoPower } from '../../src/stats/power-paired-binary.ts';
import {
  exactUnconditionalPower,
  exactUnconditionalUnits,
} from '../../src/stats/power-paired-binary-exact.ts';
import { expectRefusal } from '../support/statistics.ts';

const error = 0.025;

/** The probability of every table on which the bound clears, table by table. */
function enumerated(
  units: number,
  threshold: number,
  { gain, loss }: { readonly gain: number; readonly loss: number },
): number {
  const factorial = [1];
  for (let k = 1; k <= units; k += 1) factorial.push((factorial[k - 1] ?? 1) * k);
  let total = 0;
  for (let gains = 0; gains <= units; gains += 1) {
    for (let losses = 0; losses <= units - gains; losses += 1) {
      const ties = units - gains - losses;
      const counts = { both: ties, onlyCandidate: gains, onlyBaseline: losses, neither: 0 };
      if (exactUnconditionalClears(counts, { error, threshold }) !== true) continue;
      const orders =
        (factorial[units] ?? 0) /
        ((factorial[gains] ?? 1) * (factorial[losses] ?? 1) * (factorial[ties] ?? 1));
      total += orders * gain ** gains * loss ** losses * (1 - gain - loss) ** ties;
    }
  }
  return total;
}

describe('exactUnconditionalPower', () => {
  test.each([
    [1, 0.05],
    [7, -0.1],
    [12, 0],
    [20, 0.02],
    [25, 0.05],
    [40, 0.1],
  ])(
    'with %i units and a threshold of %d it is the sum over every table that clears',
    (units, threshold) => {
      for (const [gain, loss] of [
        [0.3, 0.05],
        [0.55, 0.1],
        [0.15, 0.1],
        [0.4, 0],
      ] as const) {
        const rates = { onlyCandidate: gain, onlyBaseline: loss };
        const power = exactUnconditionalPower({ units, rates, threshold, error });
        expect(power).toBeCloseTo(enumerated(units, threshold, { gain, loss }), 9);
      }
    },
  );

  test('at rates whose difference is the threshold it is an error and stays within the nominal one', () => {
    for (const loss of [0.01, 0.05, 0.2, 0.4]) {
      const rates = { onlyCandidate: loss + 0.05, onlyBaseline: loss };
      const spent = exactUnconditionalPower({ units: 60, rates, threshold: 0.05, error });
      expect(spent).toBeLessThanOrEqual(error);
    }
  });

  test('is the price of the guarantee: below Tango at 76 units and 10 points', () => {
    const design = {
      units: 76,
      rates: { onlyCandidate: 0.3, onlyBaseline: 0.03 },
      threshold: 0.1,
      error,
    };
    const exact = exactUnconditionalPower(design);
    expect(exact).toBeLessThan(tangoPower(design));
    expect(exact).toBeGreaterThan(tangoPower(design) - 0.15);
  });

  test('refuses a threshold beyond the scale and rates beyond 1', () => {
    const design = { units: 5, rates: { onlyCandidate: 0.3, onlyBaseline: 0.1 }, error };
    expectRefusal(
      () => exactUnconditionalPower({ ...design, threshold: 1 }),
      'threshold must be a number from -0.999999 to 0.999999, got 1',
    );
    expectRefusal(
      () =>
        exactUnconditionalPower({
          ...design,
          threshold: 0,
          rates: { onlyCandidate: 0.7, onlyBaseline: 0.6 },
        }),
      'rates.onlyCandidate + rates.onlyBaseline must be a number from 0 to 1.000000000001, got 1.2999999999999998',
    );
  });
});

describe('exactUnconditionalUnits', () => {
  test('is the first number of units with the power wanted', () => {
    const rates = { onlyCandidate: 0.45, onlyBaseline: 0.05 };
    const plan = { rates, threshold: 0.1, error };
    const units = exactUnconditionalUnits({ ...plan, power: 0.8, limit: 100 });
    expect(units).toBeGreaterThan(20);
    for (let smaller = 1; smaller < (units ?? 0); smaller += 1) {
      expect(exactUnconditionalPower({ ...plan, units: smaller })).toBeLessThan(0.8);
    }
    expect(exactUnconditionalPower({ ...plan, units: units ?? 1 })).toBeGreaterThanOrEqual(0.8);
  });

  test('says when the limit is too low', () => {
    const rates = { onlyCandidate: 0.2, onlyBaseline: 0.1 };
    const plan = { rates, threshold: 0.05, error, power: 0.8 };
    expect(exactUnconditionalUnits({ ...plan, limit: 30 })).toBeUndefined();
  });
});

describe('exactUnconditionalUnits at its ends', () => {
  const design = { rates: { onlyCandidate: 0.5, onlyBaseline: 0.05 }, threshold: 0, error };

  test('looks at the limit too, and not beyond it', () => {
    const units = exactUnconditionalUnits({ ...design, power: 0.6, limit: 60 });
    expect(units).toBeGreaterThan(5);
    expect(exactUnconditionalUnits({ ...design, power: 0.6, limit: Number(units) })).toBe(units);
    expect(exactUnconditionalUnits({ ...design, power: 0.6, limit: Number(units) - 1 })).toBe(
      undefined,
    );
  });

  test('a power met exactly is enough', () => {
    const units = Number(exactUnconditionalUnits({ ...design, power: 0.6, limit: 60 }));
    const power = exactUnconditionalPower({ ...design, units });
    expect(power).toBeGreaterThanOrEqual(0.6);
    expect(exactUnconditionalUnits({ ...design, power, limit: 60 })).toBe(units);
  });

  test('a design no table of which clears has the power 0', () => {
    expect(exactUnconditionalPower({ ...design, units: 1, threshold: 0.5 })).toBe(0);
    expect(exactUnconditionalPower({ ...design, units: 2, threshold: -0.2 })).toBe(0);
  });
});
