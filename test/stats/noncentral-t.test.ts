import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { normalUpper, tUpper } from '../../src/stats/distribution.ts';
import { noncentralityAt, noncentralTCdf, noncentralTUpper } from '../../src/stats/noncentral-t.ts';
import { expectRefusal } from '../support/statistics.ts';

const settings = { seed: 20260902, numRuns: 100 };
const statistic = fc.double({ min: -30, max: 30, noNaN: true });
const df = fc.double({ min: 1, max: 500, noNaN: true });
const noncentrality = fc.double({ min: -8, max: 8, noNaN: true });

describe('noncentral t', () => {
  test.each([
    [2.093024054408263, 19, Math.sqrt(5), 0.5644828966786404],
    [102, 5, 42, 0.02621469146156841],
    [102, 5, 164, 0.9758744933373518],
    [50, 3, -2, 6.015175437980014e-8],
  ])('P(T > %f) with df %f and noncentrality %f keeps 12 digits', (x, degrees, delta, expected) => {
    // 30-digit quadrature of ∫ P(Z > xs − δ) f(s) ds with mpmath 1.3.0.
    const got = noncentralTUpper(x, { df: degrees, noncentrality: delta });
    expect(got / expected).toBeCloseTo(1, 12);
  });

  test('without noncentrality is Student t', () => {
    fc.assert(
      fc.property(statistic, df, (x, degrees) => {
        const got = noncentralTUpper(x, { df: degrees, noncentrality: 0 });
        expect(got / tUpper(x, degrees)).toBeCloseTo(1, 11);
      }),
      settings,
    );
  });

  test('the tails add up to 1, mirror each other and rise with the noncentrality', () => {
    fc.assert(
      fc.property(statistic, df, noncentrality, (x, degrees, delta) => {
        const upper = noncentralTUpper(x, { df: degrees, noncentrality: delta });
        expect(upper + noncentralTCdf(x, { df: degrees, noncentrality: delta })).toBeCloseTo(1, 12);
        expect(noncentralTCdf(-x, { df: degrees, noncentrality: -delta })).toBeCloseTo(upper, 12);
        expect(
          noncentralTUpper(x, { df: degrees, noncentrality: delta + 1 }),
        ).toBeGreaterThanOrEqual(upper * (1 - 1e-13));
        expect(
          noncentralTUpper(0, { df: degrees, noncentrality: delta }) / normalUpper(-delta),
        ).toBeCloseTo(1, 11);
      }),
      settings,
    );
  });

  test('noncentralityAt leads back to its tail', () => {
    fc.assert(
      fc.property(statistic, df, fc.double({ min: 0.001, max: 0.999 }), (x, degrees, tail) => {
        const delta = noncentralityAt({ statistic: x, df: degrees, tail });
        const got = noncentralTUpper(x, { df: degrees, noncentrality: delta });
        expect(got / tail).toBeCloseTo(1, 9);
      }),
      { ...settings, numRuns: 30 },
    );
  });

  test('refuses what is outside its range', () => {
    expectRefusal(
      () => noncentralTUpper(Number.NaN, { df: 1, noncentrality: 0 }),
      'x must be a finite number, got NaN',
    );
    expectRefusal(
      () => noncentralTCdf(1, { df: -1, noncentrality: 0 }),
      'df must be a finite number above 0, got -1',
    );
    expectRefusal(
      () => noncentralityAt({ statistic: 1, df: 3, tail: 1 }),
      'tail must be a probability strictly between 0 and 1, got 1',
    );
  });
});
