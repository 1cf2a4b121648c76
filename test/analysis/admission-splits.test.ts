import { describe, expect, test } from 'vitest';
import { admitCases, unitFraction } from '../../src/analysis/admission.ts';
import { finalCases } from '../../src/spec/case-index.ts';
import type { ExperimentSpec } from '../../src/spec/spec.ts';
import type { Splits } from '../../src/spec/units.ts';
import { smallExperiment, specOf } from '../spec/small-experiment.ts';
import { rowsOf } from './rows.ts';

const spec = await specOf(smallExperiment);

describe('splits by hash', () => {
  const splits = (final: number, selection: number, train: number): Splits => ({
    by: 'hash',
    salt: 'pepper',
    final,
    selection,
    train,
  });

  function share(units: number, under: Splits, split: string): number {
    const rows = rowsOf(
      ...Array.from({ length: units }, (_, at) => ({ id: `c${at}`, family: `u${at}` })),
    );
    const { cases } = admitCases({ ...spec, splits: under }, rows);
    return cases.filter((each) => each.split === split).length / units;
  }

  test('takes the fraction from the first 13 hex digits of sha256(salt LF unit)', () => {
    // printf 'salt\nu1' | sha256sum
    expect(unitFraction('salt', 'u1')).toBe(0xd2f078fec79fb / 2 ** 52);
  });

  test('lays final, selection and train out from 0', () => {
    const rows = rowsOf(
      ...Array.from({ length: 200 }, (_, at) => ({ id: `c${at}`, family: `u${at}` })),
    );
    const { cases, index } = admitCases({ ...spec, splits: splits(0.5, 0.2, 0.3) }, rows);
    for (const { unit, split } of cases) {
      const fraction = unitFraction('pepper', unit);
      const later = fraction < 0.7 ? 'selection' : 'train';
      expect(split).toBe(fraction < 0.5 ? 'final' : later);
    }
    expect(finalCases(index).length).toBe(cases.filter((each) => each.split === 'final').length);
  });

  test('comes near the declared shares', () => {
    expect(share(2000, splits(0.5, 0.2, 0.3), 'final')).toBeCloseTo(0.5, 1);
    expect(share(2000, splits(0.5, 0.2, 0.3), 'selection')).toBeCloseTo(0.2, 1);
  });

  test('a share of 1 takes all, whatever rounding does', () => {
    expect(share(300, splits(1, 0, 0), 'final')).toBe(1);
    expect(share(300, splits(0.7, 0.3, 0), 'train')).toBe(0);
    expect(share(300, splits(0.7, 0, 0.3), 'selection')).toBe(0);
  });

  test('keeps the cases of a unit together and moves with the salt', () => {
    const rows = rowsOf(
      ...Array.from({ length: 60 }, (_, index) => ({ id: `c${index}`, family: `u${index % 12}` })),
    );
    const under = { ...spec, splits: splits(0.5, 0.2, 0.3) };
    expect(admitCases(under, rows).problems).toEqual([]);
    const other = { ...spec, splits: { ...splits(0.5, 0.2, 0.3), salt: 'salt' } };
    const layout = (each: ExperimentSpec): string[] =>
      admitCases(each, rows).cases.map(({ split }) => split);
    expect(layout(other)).not.toEqual(layout(under));
  });
});
