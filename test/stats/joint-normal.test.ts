import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { normalQuantile, normalUpperQuantile } from '../../src/stats/distribution.ts';
import { commonFactor, jointDivisor } from '../../src/stats/joint-normal.ts';
import { randomStream } from '../../src/stats/random.ts';
import { exampleTests } from '../support/examples.ts';
import { refusedBy } from '../support/refused-by.ts';

function equal(count: number, correlation: number): number[][] {
  return Array.from({ length: count }, (_, at) =>
    Array.from({ length: count }, (_each, other) => (at === other ? 1 : correlation)),
  );
}

/** The critical value that belongs to a divisor. */
const criticalOf = (table: readonly (readonly number[])[], error: number): number =>
  normalUpperQuantile(error / jointDivisor(table, error));

describe('jointDivisor', () => {
  test('gives the critical values of Dunnett (1955), one-sided 5 %, many units, correlation 0.5', () => {
    const published = [1.64, 1.92, 2.06, 2.16, 2.23, 2.29, 2.34, 2.38, 2.42];
    const found = published.map((_, at) => criticalOf(equal(at + 1, 0.5), 0.05));
    expect(found.map((value) => Number(value.toFixed(2)))).toEqual(published);
  });

  test('is what docs/gates-and-findings.md says', () => {
    const page = readFileSync(new URL('../../docs/gates-and-findings.md', import.meta.url), 'utf8');
    const rows = [...page.matchAll(/^\| (\d+) \| \1 \| ([\d.]+) \| ([\d.]+) \| ([\d.]+) \|$/gm)];
    expect(rows).toHaveLength(4);
    for (const [, count, ...shown] of rows) {
      const found = [0, 0.5, 0.9].map((each) => jointDivisor(equal(Number(count), each), 0.025));
      expect(found.map((each) => each.toFixed(2))).toEqual(shown);
    }
  });

  test('is that of independent tests where nothing is correlated', () => {
    for (const count of [1, 2, 5, 10]) {
      const each = 1 - (1 - 0.025) ** (1 / count);
      expect(jointDivisor(equal(count, 0), 0.025)).toBeCloseTo(0.025 / each, 10);
    }
  });

  test.each([
    [2, 0.3, 0.025],
    [3, 0.8, 0.05],
    [4, 0.97, 0.1],
  ])(
    'holds the error of %i tests with correlation %d in simulated draws',
    (count, correlation, error) => {
      const stream = randomStream('7c'.repeat(32), `${count}`);
      const normal = (): number => normalQuantile(Math.max(stream.next(), 1e-12));
      const critical = criticalOf(equal(count, correlation), error);
      const draws = 40_000;
      let above = 0;
      for (let draw = 0; draw < draws; draw += 1) {
        const shared = Math.sqrt(correlation) * normal();
        const own = Math.sqrt(1 - correlation);
        const values = Array.from({ length: count }, () => shared + own * normal());
        if (values.some((value) => value > critical)) above += 1;
      }
      const deviation = Math.sqrt((error * (1 - error)) / draws);
      expect(Math.abs(above / draws - error)).toBeLessThan(3.5 * deviation);
    },
  );

  test('lies between 1 and the count, falls as correlations rise, and never grows for fewer tests', () => {
    let before = 4;
    for (const correlation of [0, 0.2, 0.5, 0.8, 0.99]) {
      const found = jointDivisor(equal(4, correlation), 0.025);
      expect(found).toBeLessThan(before);
      expect(found).toBeGreaterThan(1);
      expect(found).toBeGreaterThan(jointDivisor(equal(3, correlation), 0.025));
      before = found;
    }
    // No more than 0.99 of a statistic is ever taken as shared.
    expect(jointDivisor(equal(4, 1), 0.025)).toBe(before);
  });

  test('is the count where a correlation is negative, and 1 for one test', () => {
    expect(jointDivisor(equal(3, -0.1), 0.025)).toBe(3);
    expect(jointDivisor([[1]], 0.025)).toBe(1);
  });

  test('lies between those of its smallest and its largest correlation, in every order of the tests', () => {
    const table = [
      [1, 0.2, 0.6],
      [0.2, 1, 0.3],
      [0.6, 0.3, 1],
    ];
    const found = jointDivisor(table, 0.025);
    expect(found).toBeLessThan(jointDivisor(equal(3, 0.2), 0.025));
    expect(found).toBeGreaterThan(jointDivisor(equal(3, 0.6), 0.025));
    for (const order of [
      [1, 0, 2],
      [2, 1, 0],
      [1, 2, 0],
    ]) {
      const turned = order.map((at) => order.map((other) => table[at]?.[other] ?? 0));
      expect(jointDivisor(turned, 0.025)).toBeCloseTo(found, 11);
    }
  });

  test.each([
    [[], 0.025],
    [[[1, 0.5]], 0.025],
    [
      [
        [1, 2],
        [2, 1],
      ],
      0.025,
    ],
    [
      [
        [1, 0.5],
        [0.4, 1],
      ],
      0.025,
    ],
    [
      [
        [1, Number.NaN],
        [Number.NaN, 1],
      ],
      0.025,
    ],
    [[[1]], 0],
    [[[1]], 0.5],
    [[[1]], Number.NaN],
  ])('refuses %j at %d', (table, error) => {
    expect(refusedBy(() => jointDivisor(table, error))).toMatch(
      /^stats-argument-invalid: (?:correlations must be a symmetric table|error)/,
    );
  });
});

describe('commonFactor', () => {
  test('explains no pair by more than its correlation', () => {
    const stream = randomStream('5e'.repeat(32), 'tables');
    for (let round = 0; round < 50; round += 1) {
      const count = 2 + stream.below(5);
      const table = equal(count, 1);
      for (let at = 0; at < count; at += 1) {
        for (let other = 0; other < at; other += 1) {
          const value = stream.next();
          (table[at] ?? [])[other] = value;
          (table[other] ?? [])[at] = value;
        }
      }
      const loadings = commonFactor(table) ?? [];
      expect(loadings).toHaveLength(count);
      loadings.forEach((one, at) => {
        expect(one).toBeGreaterThanOrEqual(0);
        loadings.forEach((another, other) => {
          if (at !== other)
            expect(one * another).toBeLessThanOrEqual((table[at]?.[other] ?? 0) + 1e-12);
        });
      });
    }
  });
});

exampleTests('src/stats/joint-normal.ts', {
  names: ['commonFactor', 'jointDivisor'],
  scope: { commonFactor, jointDivisor },
});
