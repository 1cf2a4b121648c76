import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { digestOf } from '../../src/base/digest.ts';
import type { Rows } from '../../src/base/rows.ts';
import type { Cell } from '../../src/run/receipt.ts';
import { armOrders, cellId, planSchedule } from '../../src/run/schedule.ts';
import type { IndexedCase } from '../../src/spec/case-index.ts';
import { orderedUnits } from '../../src/spec/seeds.ts';
import { randomStream } from '../../src/stats/random.ts';
import { exampleTests } from '../support/examples.ts';

const casesDigest = digestOf('schedule');

function indexed(id: string, unit = `unit-${id}`): IndexedCase {
  const inputDigest = digestOf(id);
  return {
    row: 1,
    id,
    unit,
    split: 'final',
    excluded: null,
    applies: [],
    inputDigest,
    expectedDigest: inputDigest,
  };
}

function many(count: number): IndexedCase[] {
  return Array.from({ length: count }, (_, at) => indexed(`c${String(at).padStart(3, '0')}`));
}

function blocksOf(planned: Rows<Cell>, arms: number): Cell[][] {
  const cells = [...planned];
  return Array.from({ length: cells.length / arms }, (_, block) =>
    cells.slice(block * arms, (block + 1) * arms),
  );
}

describe('planSchedule', () => {
  test('keeps the cells of one case and repeat adjacent', () => {
    const arms = ['baseline', 'r2', 'r3'];
    const cells = planSchedule({ cases: many(7), arms, repeats: 2, casesDigest });
    expect(cells).toHaveLength(42);
    for (const block of blocksOf(cells, 3)) {
      expect(new Set(block.map((cell) => `${cell.case} ${cell.repeat}`)).size).toBe(1);
      expect(block.map((cell) => cell.arm).sort()).toEqual(arms);
    }
  });

  test('takes units in the sealed order, their cases by id, then repeats', () => {
    const cases = [indexed('b', 'two'), indexed('a', 'two'), indexed('c', 'one')];
    const cells = planSchedule({ cases, arms: ['baseline'], repeats: 2, casesDigest });
    const perUnit = { one: ['c0', 'c1'], two: ['a0', 'a1', 'b0', 'b1'] };
    const order = orderedUnits(casesDigest, ['one', 'two']);
    expect(cells.map((cell) => `${cell.case}${cell.repeat}`)).toEqual(
      order.flatMap((unit) => (unit === 'one' ? perUnit.one : perUnit.two)),
    );
  });

  test('uses permuted blocks of four for two arms: two of each order', () => {
    const arms = ['baseline', 'next'];
    const cells = planSchedule({ cases: many(40), arms, repeats: 1, casesDigest });
    const firsts = blocksOf(cells, 2).map((block) => block[0]?.arm);
    const groups = Array.from({ length: 10 }, (_, at) => firsts.slice(4 * at, 4 * at + 4));
    expect(groups.map((group) => group.filter((arm) => arm === 'next').length)).toEqual(
      groups.map(() => 2),
    );
    expect(new Set(groups.map((group) => group.join())).size).toBeGreaterThan(2);
  });

  test('puts every arm at every place equally often over a full group, for any number of arms', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 2, max: 5 }),
        fc.integer({ min: 1, max: 3 }),
        (arms, groups) => {
          const names = Array.from({ length: arms }, (_, at) => `arm${at}`);
          const cases = many(2 * arms * groups);
          const cells = planSchedule({ cases, arms: names, repeats: 1, casesDigest });
          const counts = new Map<string, number>();
          [...cells].forEach((cell, position) => {
            const key = `${cell.arm} at ${position % arms}`;
            counts.set(key, (counts.get(key) ?? 0) + 1);
          });
          expect([...counts.values()]).toEqual(
            Array.from({ length: arms * arms }, () => 2 * groups),
          );
        },
      ),
      { numRuns: 30, seed: 1 },
    );
  });

  test('follows no arm always by the same other arm', () => {
    const arms = ['a', 'b', 'c'];
    const cells = planSchedule({ cases: many(60), arms, repeats: 1, casesDigest });
    const orders = blocksOf(cells, 3).map((block) => block.map((cell) => cell.arm).join(''));
    expect(new Set(orders).size).toBe(6);
  });

  test('keeps mean positions of two arms within one place of each other', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 60 }), fc.string(), (count, salt) => {
        const cells = planSchedule({
          cases: many(count),
          arms: ['baseline', 'next'],
          repeats: 1,
          casesDigest: digestOf(salt),
        });
        const mean = (arm: string): number => {
          const places = cells.flatMap((cell, at) => (cell.arm === arm ? [at] : []));
          return places.reduce((sum, at) => sum + at, 0) / places.length;
        };
        expect(Math.abs(mean('next') - mean('baseline'))).toBeLessThanOrEqual(1);
      }),
      { numRuns: 50, seed: 2 },
    );
  });

  test('does not depend on the order of the cases', () => {
    const plan = { arms: ['baseline', 'r2'], repeats: 1, casesDigest };
    expect(planSchedule({ ...plan, cases: many(9).reverse() })).toEqual(
      planSchedule({ ...plan, cases: many(9) }),
    );
  });

  test('changes only names when arms are renamed', () => {
    const plan = { cases: many(9), repeats: 2, casesDigest };
    const first = planSchedule({ ...plan, arms: ['baseline', 'a', 'b'] });
    const second = planSchedule({ ...plan, arms: ['baseline', 'x', 'y'] });
    const renamed = new Map([
      ['a', 'x'],
      ['b', 'y'],
    ]);
    expect(first.map((cell) => ({ ...cell, arm: renamed.get(cell.arm) ?? cell.arm }))).toEqual([
      ...second,
    ]);
  });

  test('is another one for other cases', () => {
    const plan = { cases: many(12), arms: ['baseline', 'a'], repeats: 1 };
    expect(planSchedule({ ...plan, casesDigest: digestOf('one') })).not.toEqual(
      planSchedule({ ...plan, casesDigest: digestOf('two') }),
    );
  });

  test('refuses an arm named twice', () => {
    expect(() =>
      planSchedule({ cases: [], arms: ['baseline', 'baseline'], repeats: 1, casesDigest }),
    ).toThrow('Liftgate broke its own rule: arm ids must be distinct');
  });
});

describe('cellId', () => {
  test('tells cells apart whose parts only differ in where they end', () => {
    const cell = { unit: 'u', case: 'c', arm: 'a1', repeat: 0 };
    expect(cellId(cell)).not.toBe(cellId({ ...cell, arm: 'a', repeat: 10 }));
  });
});

exampleTests('src/run/schedule.ts', {
  names: ['planSchedule', 'cellId', 'armOrders'],
  scope: { planSchedule, cellId, armOrders, randomStream, casesDigest },
});
