import { describe, expect, test } from 'vitest';
import type { Pair } from '../../src/analysis/pair.ts';
import {
  improvementOf,
  rangeWidth,
  type Sample,
  sampleUnits,
  scaledValue,
  type UnitValue,
} from '../../src/analysis/unit-value.ts';
import { type Measure, measureSchema } from '../../src/spec/measure.ts';
import { exampleTests } from '../support/examples.ts';

exampleTests('src/analysis/unit-value.ts', {
  names: ['scaledValue', 'improvementOf', 'rangeWidth'],
  scope: { scaledValue, improvementOf, rangeWidth },
});

function measure(declared: Readonly<Record<string, unknown>>): Measure {
  return measureSchema.parse({ role: 'primary', direction: 'higher', ...declared });
}

function pair(unit: string, candidate: number | string, baseline: number | string): Pair {
  const value = (given: number | string): Pair['candidate'] =>
    typeof given === 'number'
      ? { status: 'valued', value: given, failed: false }
      : { status: 'lost', reason: 'infrastructureFault' };
  return { unit, case: unit, repeat: 0, candidate: value(candidate), baseline: value(baseline) };
}

describe('improvementOf', () => {
  test.each([
    [{ kind: 'binary' }, { candidate: 1, baseline: 0 }, 1],
    [{ kind: 'binary', direction: 'lower' }, { candidate: 1, baseline: 0 }, -1],
    [{ kind: 'binary', scale: 100 }, { candidate: 100, baseline: 0 }, 100],
    [{ kind: 'score', min: 0, max: 10, direction: 'lower' }, { candidate: 2, baseline: 5 }, 3],
    [{ kind: 'continuous' }, { candidate: -2, baseline: 5 }, -7],
  ])('%j of %j is %d', (declared, values, expected) => {
    expect(improvementOf(measure(declared), values)).toBe(expected);
  });

  test('is the log of a ratio for durations and costs', () => {
    const duration = measure({ kind: 'duration', direction: 'lower' });
    expect(improvementOf(duration, { candidate: 50, baseline: 100 })).toBeCloseTo(Math.LN2, 14);
    expect(improvementOf(duration, { candidate: 100, baseline: 50 })).toBeCloseTo(-Math.LN2, 14);
  });

  test('raises values to the declared floor', () => {
    const cost = measure({ kind: 'cost', direction: 'lower', floor: 0.01 });
    expect(improvementOf(cost, { candidate: 0, baseline: 0.01 })).toBe(0);
    expect(improvementOf(cost, { candidate: 0, baseline: 0.02 })).toBeCloseTo(Math.LN2, 14);
  });

  test('is never minus zero', () => {
    expect(
      improvementOf(measure({ kind: 'binary', direction: 'lower' }), { candidate: 1, baseline: 1 }),
    ).toBe(0);
  });
});

function valuesOf(id: string, improvements: readonly number[]) {
  return improvements.map((improvement) => ({ case: id, repeat: 0, improvement }));
}

const plainUnits = ({ units }: Sample): UnitValue[] =>
  units.map(({ unit, improvement, pairs, values }) => ({ unit, improvement, pairs, values }));

describe('sampleUnits', () => {
  const binary = measure({ kind: 'binary' });

  test('gives each unit the mean of its complete pairs, in the order asked for', () => {
    const pairs = [
      pair('a', 1, 0),
      pair('b', 1, 1),
      pair('a', 0, 0),
      pair('b', 0, 1),
      pair('b', 'lost', 1),
    ];
    const sample = sampleUnits(binary, pairs, ['b', 'a']);
    expect(plainUnits(sample)).toEqual([
      { unit: 'b', improvement: -0.5, pairs: 2, values: valuesOf('b', [0, -1]) },
      { unit: 'a', improvement: 0.5, pairs: 2, values: valuesOf('a', [1, 0]) },
    ]);
    expect(sample.n).toEqual({ units: 2, pairs: 4, cells: 8, discordant: 2 });
    expect(sample.plannedValues).toBe(10);
    expect([...sample.lost]).toEqual([
      { side: 'candidate', case: 'b', repeat: 0, reason: 'infrastructureFault' },
    ]);
  });

  test('keeps the complete pairs by case and repeat, whatever order they come in', () => {
    const pairs = [
      { ...pair('a', 1, 0), case: 'z', repeat: 1 },
      { ...pair('a', 0, 0), case: 'z' },
      { ...pair('a', 0, 1), case: 'B' },
      { ...pair('a', 'lost', 1), case: 'b' },
    ];
    expect(sampleUnits(binary, pairs, ['a']).units.at(0)?.values).toEqual([
      { case: 'B', repeat: 0, improvement: -1 },
      { case: 'z', repeat: 0, improvement: 0 },
      { case: 'z', repeat: 1, improvement: 1 },
    ]);
  });

  test('leaves out a unit without a complete pair and names both lost sides', () => {
    const sample = sampleUnits(binary, [pair('a', 'lost', 'lost'), pair('b', 1, 0)], ['a', 'b']);
    expect(sample.units.map((each) => each.unit)).toEqual(['b']);
    expect(sample.lost.map((each) => each.side)).toEqual(['baseline', 'candidate']);
  });

  test('has no units without pairs', () => {
    expect(sampleUnits(binary, [], ['a']).n).toEqual({
      units: 0,
      pairs: 0,
      cells: 0,
      discordant: 0,
    });
  });

  test('counts what is left of a sum of rounding errors as 0', () => {
    const score = measure({ kind: 'score', min: 0, max: 1 });
    const pairs = [pair('a', 0.3, 0.1), pair('a', 0.1, 0.2), pair('a', 0, 0.1)];
    expect(sampleUnits(score, pairs, ['a']).units.at(0)?.improvement).toBe(0);
  });

  test('makes no more units of more repeats', () => {
    const repeats = Array.from({ length: 10 }, () => pair('a', 1, 0));
    expect(sampleUnits(binary, repeats, ['a']).n).toMatchObject({ units: 1, pairs: 10 });
  });
});
