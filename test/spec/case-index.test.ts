import { describe, expect, test } from 'vitest';
import { digestOf } from '../../src/base/digest.ts';
import {
  admittedCases,
  type CaseIndex,
  caseIndexSchema,
  finalCases,
  indexedCases,
} from '../../src/spec/case-index.ts';

function row(at: number, split: string): CaseIndex['rows'][number] {
  const digests = { inputDigest: digestOf(`i${at}`), expectedDigest: digestOf(`e${at}`) };
  const parsed = caseIndexSchema.shape.rows.element.safeParse({
    row: at,
    id: `c${at}`,
    unit: `u${at}`,
    split,
    excluded: null,
    applies: ['right'],
    ...digests,
  });
  if (!parsed.success) throw parsed.error;
  return parsed.data;
}

const index: CaseIndex = {
  type: 'liftgate/cases/v1',
  rules: ['labelled'],
  rows: [row(1, 'final'), { row: 2, excluded: 'labelled' }, row(3, 'train'), row(4, 'final')],
};

describe('a case index', () => {
  test('keeps excluded rows by their rule and admitted ones in row order', () => {
    expect(admittedCases(index).map((each) => each.id)).toEqual(['c1', 'c3', 'c4']);
    expect(finalCases(index).map((each) => each.id)).toEqual(['c1', 'c4']);
    expect([...indexedCases(index).keys()]).toEqual(['c1', 'c3', 'c4']);
    expect(indexedCases(index).get('c3')?.split).toBe('train');
  });

  test('of no rows holds no case', () => {
    const empty = { ...index, rows: [] };
    expect([admittedCases(empty), finalCases(empty), indexedCases(empty).size]).toEqual([
      [],
      [],
      0,
    ]);
  });

  test.each([
    ['an unknown member', { row: 1, excluded: 'labelled', note: 'x' }],
    ['row 0', { row: 0, excluded: 'labelled' }],
    ['an unknown split', { ...row(1, 'final'), split: 'test' }],
    ['an admitted row without a digest', { ...row(1, 'final'), inputDigest: 'x' }],
  ])('refuses %s', (_what, bad) => {
    expect(caseIndexSchema.safeParse({ ...index, rows: [bad] }).success).toBe(false);
  });
});
