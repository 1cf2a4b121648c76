/**
 * What every interval of the kernel must do: mirror when the arms swap, never narrow with the level, ignore the order of the units
 * (the betting bounds, whose order is sealed, excepted), hold its estimate, and move and stretch with the values.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Bounds, type Indeterminate, isIndeterminate } from '../../src/stats/interval.ts';
import { computed } from './statistics.ts';

/** Methods whose error holds at every number of units. */
const holding = ['exact-unconditional', 'clopper-pearson'];

const levels = { narrow: 0.8, middle: 0.9, wide: 0.99 } as const;

/** A method on one kind of evidence. */
export interface Row<Evidence> {
  readonly interval: (evidence: Evidence, level: number) => Bounds | Indeterminate;
  /** What the interval is about; left out where it is not the raw estimate, because the method draws that to the middle. */
  readonly estimate?: (evidence: Evidence) => number;
  /** How far the mirrored bounds may be apart, as a share of the width: quantiles of a drawn law step on one side. */
  readonly mirrorSlack?: number;
  /** Two bounds alone, without method, level and guarantee. */
  readonly bare?: boolean;
  /** Widths may depend on the order. */
  readonly ordered?: boolean;
}

/** What swaps the arms and what renames or reorders the units of a kind of evidence. */
export interface Kind<Evidence> {
  readonly arbitrary: fc.Arbitrary<Evidence>;
  readonly swap: (evidence: Evidence) => Evidence;
  readonly reorder: (evidence: Evidence) => Evidence;
  /** All values moved by a number, or stretched by a positive one, and the bounds with them. */
  readonly move?: (evidence: Evidence, by: number) => Evidence;
  readonly stretch?: (evidence: Evidence, by: number) => Evidence;
  /** Where the bounds of swapped arms lie: differences flip about 0, rates about ½. */
  readonly mirror: (value: number) => number;
}

export function closeTo(found: number, expected: number, slack: number): void {
  expect(Math.abs(found - expected)).toBeLessThanOrEqual(slack);
}

/** Room for rounding, relative to the numbers at hand. */
export function rounding(...values: readonly number[]): number {
  return 1e-9 * Math.max(1, ...values.map(Math.abs));
}

export function propertiesOf<Evidence>(
  kind: Kind<Evidence>,
  rows: Readonly<Record<string, Row<Evidence>>>,
  numRuns: number,
): void {
  const over = (check: (evidence: Evidence) => void): void => {
    fc.assert(fc.property(kind.arbitrary, check), { seed: 20261130, numRuns });
  };
  describe.each(Object.entries(rows))(
    '%s',
    (method, { interval, estimate, mirrorSlack = 0, ordered, bare = false }) => {
      test('gives an interval to most of the evidence', () => {
        const given: boolean[] = [];
        over((evidence) => {
          given.push(!isIndeterminate(interval(evidence, levels.middle)));
        });
        expect(given.filter(Boolean).length).toBeGreaterThan(given.length / 2);
      });

      test(bare ? 'is two bounds' : 'says its method, its level and what it guarantees', () => {
        over((evidence) => {
          const found = interval(evidence, levels.middle);
          if (isIndeterminate(found)) return;
          const guarantee = holding.includes(method) ? 'finite-sample' : 'asymptotic';
          if (bare) expect(found).not.toHaveProperty('method');
          else expect(found).toMatchObject({ method, level: levels.middle, guarantee });
        });
      });

      test('swapping the arms mirrors it', () => {
        over((evidence) => {
          const found = interval(evidence, levels.middle);
          const other = interval(kind.swap(evidence), levels.middle);
          if (isIndeterminate(found)) {
            expect(other).toEqual(found);
            return;
          }
          const { lower, upper } = computed(other);
          const slack =
            rounding(found.lower, found.upper) + mirrorSlack * (found.upper - found.lower);
          closeTo(lower, kind.mirror(found.upper), slack);
          closeTo(upper, kind.mirror(found.lower), slack);
        });
      });

      test('a higher level never narrows it', () => {
        over((evidence) => {
          const nested = [levels.narrow, levels.middle, levels.wide].map((level) =>
            interval(evidence, level),
          );
          nested.slice(1).forEach((wider, at) => {
            const narrower = nested[at];
            if (narrower === undefined || isIndeterminate(wider) || isIndeterminate(narrower))
              return;
            expect(wider.lower).toBeLessThanOrEqual(narrower.lower);
            expect(wider.upper).toBeGreaterThanOrEqual(narrower.upper);
          });
        });
      });

      test(ordered ? 'depends on the order of the units' : 'ignores the order of the units', () => {
        let moved = 0;
        over((evidence) => {
          const found = interval(evidence, levels.middle);
          const other = interval(kind.reorder(evidence), levels.middle);
          if (isIndeterminate(found) || isIndeterminate(other)) {
            expect(other).toEqual(found);
            return;
          }
          const slack = rounding(found.lower, found.upper);
          const gap = Math.max(
            Math.abs(other.lower - found.lower),
            Math.abs(other.upper - found.upper),
          );
          if (gap > slack) moved += 1;
        });
        if (ordered) expect(moved).toBeGreaterThan(0);
        else expect(moved).toBe(0);
      });

      const changes = [
        ['moves', kind.move, (value: number, by: number) => value + by],
        ['stretches', kind.stretch, (value: number, by: number) => value * by],
      ] as const;
      test.each(changes.filter(([, change]) => change !== undefined))(
        '%s with the values',
        (_change, change, expected) => {
          over((evidence) => {
            const found = interval(evidence, levels.middle);
            for (const by of [3, 0.25]) {
              const other = interval(change?.(evidence, by) ?? evidence, levels.middle);
              if (isIndeterminate(found)) {
                expect(other).toEqual(found);
                continue;
              }
              const { lower, upper } = computed(other);
              const [low, high] = [expected(found.lower, by), expected(found.upper, by)];
              const slack = rounding(low, high, by);
              closeTo(lower, low, slack);
              closeTo(upper, high, slack);
            }
          });
        },
      );

      if (estimate === undefined) return;
      test('holds its estimate', () => {
        over((evidence) => {
          const found = interval(evidence, levels.narrow);
          if (isIndeterminate(found)) return;
          const value = estimate(evidence);
          const slack = rounding(value);
          expect(found.lower).toBeLessThanOrEqual(value + slack);
          expect(found.upper).toBeGreaterThanOrEqual(value - slack);
        });
      });
    },
  );
}
