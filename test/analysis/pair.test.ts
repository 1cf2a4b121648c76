import { describe, expect, test } from 'vitest';
import { analyzeEvidence } from '../../src/analysis/analyze.ts';
import { cellValue, fillOutages, fillWorstCase, type Pair } from '../../src/analysis/pair.ts';
import { settleCells } from '../../src/analysis/settle.ts';
import { type Measure, measureSchema } from '../../src/spec/measure.ts';
import { type Attempt, type CellTable, evidenceOf, rightMeasure } from '../support/evidence.ts';

const duration = { kind: 'duration', role: 'guardrail', direction: 'lower' };

function nextValue(
  cell: CellTable,
  declared: Readonly<Record<string, unknown>> = rightMeasure,
): unknown {
  const evidence = evidenceOf({
    measures: { right: declared },
    gates: [],
    cases: [{ id: 'a', unit: 'a', cells: { baseline: null, next: cell } }],
  });
  const [settled] = settleCells(evidence).get('next') ?? [];
  const measure = evidence.seal.spec.measures['right'];
  if (settled === undefined || measure === undefined) throw new Error('the table has one cell');
  return cellValue(settled, 'right', measure);
}

const valued = (value: number, failed = false) => ({ status: 'valued', value, failed });
const lost = (reason: string) => ({ status: 'lost', reason });

describe('cellValue', () => {
  test.each<[string, CellTable, unknown]>([
    ['takes the score of a completed cell', 1, valued(1)],
    ['loses a completed cell that was not scored', { scores: { right: null } }, lost('not-scored')],
    ['loses a completed cell without the score', { scores: {} }, lost('not-scored')],
    [
      'takes the score of a graded refusal',
      { outcome: 'safeRefusal', scores: { right: 1 } },
      valued(1),
    ],
    ['gives an ungraded refusal the failure value', { outcome: 'safeRefusal' }, valued(0, true)],
    [
      'gives a crash the failure value, whatever was scored',
      { outcome: 'agentError', scores: { right: 1 } },
      valued(0, true),
    ],
    ['gives an exceeded limit the failure value', { outcome: 'limitExceeded' }, valued(0, true)],
    [
      'loses an infrastructure fault, whatever was scored',
      { outcome: 'infrastructureFault', scores: { right: 1 } },
      lost('infrastructureFault'),
    ],
    ['loses an evaluator failure', { outcome: 'evaluatorFailure' }, lost('evaluatorFailure')],
    ['loses a cancelled cell', { outcome: 'cancelled' }, lost('cancelled')],
    ['loses a cell that never ran', null, lost('not-run')],
  ])('%s', (_, cell, expected) => {
    expect(nextValue(cell)).toEqual(expected);
  });

  test.each<[string, Readonly<Record<string, unknown>>, unknown]>([
    ['worst value when lower is better', { ...rightMeasure, direction: 'lower' }, valued(1, true)],
    ['sealed onFailure value', { ...rightMeasure, onFailure: 1 }, valued(1, true)],
    [
      'indeterminate by declaration',
      { ...rightMeasure, onFailure: 'indeterminate' },
      lost('failure-indeterminate'),
    ],
    ['indeterminate for an unbounded measure', duration, lost('failure-indeterminate')],
    [
      'worst value on the scale of 100',
      { ...rightMeasure, scale: 100, direction: 'lower' },
      valued(100, true),
    ],
  ])('a failed cell takes the %s', (_, declared, expected) => {
    expect(nextValue({ outcome: 'agentError' }, declared)).toEqual(expected);
  });
});

const right: Measure = measureSchema.parse(rightMeasure);

function pairOf(candidate: Pair['candidate'], baseline: Pair['baseline']): Pair {
  return { unit: 'a', case: 'a', repeat: 0, candidate, baseline };
}

const one: Pair['candidate'] = { status: 'valued', value: 1, failed: false };
const faulted: Pair['candidate'] = { status: 'lost', reason: 'infrastructureFault' };
const unscored: Pair['candidate'] = { status: 'lost', reason: 'not-scored' };

describe('fillWorstCase', () => {
  test('counts every loss against the candidate', () => {
    const filled = fillWorstCase(
      [pairOf(faulted, one), pairOf(one, unscored), pairOf(faulted, faulted)],
      right,
    );
    const values = filled?.map((pair) =>
      [pair.candidate, pair.baseline].map((each) => 'value' in each && each.value),
    );
    expect(values).toEqual([
      [0, 1],
      [1, 1],
      [0, 1],
    ]);
  });

  test('cannot fill a measure without a range, and need not when nothing is lost', () => {
    const unbounded = measureSchema.parse(duration);
    expect(fillWorstCase([pairOf(faulted, one)], unbounded)).toBeNull();
    expect(fillWorstCase([pairOf(one, one)], unbounded)).toEqual([pairOf(one, one)]);
  });
});

describe('fillOutages', () => {
  test("counts missing cells in the candidate's favour and leaves unscored ones lost", () => {
    const filled = fillOutages([pairOf(faulted, faulted), pairOf(unscored, one)], right);
    expect(filled?.at(0)).toMatchObject({ candidate: { value: 1 }, baseline: { value: 0 } });
    expect(filled?.at(1)).toEqual(pairOf(unscored, one));
  });

  test('cannot fill a measure without a range', () => {
    expect(fillOutages([pairOf(faulted, one)], measureSchema.parse(duration))).toBeNull();
    expect(fillOutages([pairOf(unscored, one)], measureSchema.parse(duration))).toHaveLength(1);
  });
});

describe('pairs of an experiment', () => {
  test('hold only the cases a measure applies to, once per repeat', () => {
    const cell: Attempt = { scores: { right: 1, rare: 0 } };
    const evidence = evidenceOf({
      repeats: 2,
      measures: { right: rightMeasure, rare: { ...rightMeasure, role: 'reported' } },
      cases: [
        { id: 'a', unit: 'u', applies: ['right', 'rare'], cells: { baseline: cell, next: cell } },
        { id: 'b', unit: 'u', applies: ['right'], cells: { baseline: cell, next: cell } },
      ],
    });
    const [candidate] = analyzeEvidence(evidence).candidates;
    const placed = (id: string) =>
      candidate?.measures.get(id)?.pairs.map((pair) => `${pair.case}/${pair.repeat}`);
    expect(placed('rare')).toEqual(['a/0', 'a/1']);
    expect(placed('right')).toEqual(['a/0', 'a/1', 'b/0', 'b/1']);
  });
});
