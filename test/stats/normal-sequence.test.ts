import { describe, expect, test } from 'vitest';
import { asymptoticSequence, normalMixture } from '../../src/stats/normal-sequence.ts';
import { expectRefusal } from '../support/statistics.ts';

const looked = Object.freeze({
  units: 50,
  mean: 0.4,
  variance: 1,
  mixingVariance: 0.1,
  against: 0,
  error: 0.05,
});

describe('normalMixture', () => {
  test('depends on the distance of the mean from what it is tested against, in either direction', () => {
    const plain = normalMixture(looked);
    const moved = normalMixture({ ...looked, mean: 5.4, against: 5 });
    expect(moved.eValue / plain.eValue).toBeCloseTo(1, 12);
    expect(moved.halfWidth).toBe(plain.halfWidth);
    const turned = normalMixture({ ...looked, mean: -0.4 });
    expect(turned).toEqual(plain);
    const farther = normalMixture({ ...looked, against: -0.2 });
    expect(farther.eValue).toBeGreaterThan(plain.eValue);
  });

  test('rejects exactly the means outside its sequence: there the e-value is 1 / error', () => {
    const { halfWidth } = normalMixture(looked);
    const edge = normalMixture({ ...looked, against: looked.mean - halfWidth });
    expect(edge.eValue).toBeCloseTo(20, 9);
    expect(edge.pNow).toBeCloseTo(0.05, 12);
    expect(normalMixture({ ...looked, against: looked.mean }).pNow).toBe(1);
  });

  test('one unit by hand', () => {
    // Variance 1 + mixing 1 × 1 unit = 2: e = exp(2² × 1 / (2 × 1 × 2)) / √2 at a mean of 2.
    const one = { ...looked, units: 1, mean: 2, mixingVariance: 1 };
    expect(normalMixture(one).eValue).toBeCloseTo(Math.E / Math.SQRT2, 12);
    const width = Math.sqrt(4 * (Math.log(2) / 2 + Math.log(20)));
    expect(normalMixture(one).halfWidth).toBeCloseTo(width, 12);
  });

  test('refuses every argument by its name', () => {
    const rows = [
      [{ units: 0 }, 'units must be a whole number of at least 1, got 0'],
      [{ mean: Number.NaN }, 'mean must be a finite number, got NaN'],
      [{ variance: 0 }, 'variance must be a finite number above 0, got 0'],
      [{ mixingVariance: -1 }, 'mixingVariance must be a finite number above 0, got -1'],
      [{ against: Number.POSITIVE_INFINITY }, 'against must be a finite number, got Infinity'],
      [{ error: 0.5 }, 'error must be a one-sided error strictly between 0 and 0.5, got 0.5'],
    ] as const;
    for (const [changes, text] of rows)
      expectRefusal(() => normalMixture({ ...looked, ...changes }), text);
  });
});

describe('asymptoticSequence', () => {
  const input = Object.freeze({ units: 100, standardDeviation: 2, tightestAt: 100, error: 0.05 });

  test('its width is in standard deviations, and nearly least for the units it is made tight for', () => {
    const { halfWidth, rho } = asymptoticSequence(input);
    expect(asymptoticSequence({ ...input, standardDeviation: 6 }).halfWidth).toBeCloseTo(
      3 * halfWidth,
      12,
    );
    expect(asymptoticSequence({ ...input, standardDeviation: 0 }).halfWidth).toBe(0);
    for (const tightestAt of [20, 50, 300, 2000]) {
      expect(asymptoticSequence({ ...input, tightestAt }).halfWidth).toBeGreaterThan(halfWidth);
    }
    // ρ² × units = −2 ln(error) + ln(−2 ln(error) + 1).
    const surprise = 2 * Math.log(20);
    expect(rho * rho * 100).toBeCloseTo(surprise + Math.log(surprise + 1), 12);
  });

  test('refuses every argument by its name', () => {
    const rows = [
      [{ units: 0 }, 'units must be a whole number of at least 1, got 0'],
      [{ tightestAt: 0.5 }, 'tightestAt must be a whole number of at least 1, got 0.5'],
      [
        { standardDeviation: -1 },
        'standardDeviation must be a finite number of at least 0, got -1',
      ],
      [{ error: 0 }, 'error must be a one-sided error strictly between 0 and 0.5, got 0'],
    ] as const;
    for (const [changes, text] of rows)
      expectRefusal(() => asymptoticSequence({ ...input, ...changes }), text);
  });
});
