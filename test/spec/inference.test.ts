import { describe, expect, test } from 'vitest';
import {
  autoRow,
  type DeclaredDesign,
  type Inference,
  inferenceSchema,
  resolveMethod,
} from '../../src/spec/inference.ts';
import { type Measure, measureSchema } from '../../src/spec/measure.ts';

const common = { role: 'primary', direction: 'higher' } as const;
const binary = measureSchema.parse({ kind: 'binary', ...common });
const score = measureSchema.parse({ kind: 'score', min: 0, max: 1, ...common });
const duration = measureSchema.parse({ kind: 'duration', ...common });

interface Change {
  readonly measure?: Measure;
  readonly inference?: Partial<Inference>;
  readonly generalization?: 'new-units' | 'fixed-roster';
  readonly units?: number;
  readonly pairsPerUnit?: number;
  readonly threshold?: number | null;
}

function design({ inference = {}, ...change }: Change): DeclaredDesign {
  return {
    measure: binary,
    generalization: 'new-units',
    units: 50,
    pairsPerUnit: 1,
    threshold: 0,
    ...change,
    inference: inferenceSchema.parse(inference),
  };
}

describe('resolveMethod', () => {
  test.each<[name: string, change: Change, row: string, resolved: string]>([
    ['a binary lift', {}, 'binary, one pair per unit, threshold <= 0', 'tango-score, asymptotic'],
    [
      'a binary guardrail',
      { threshold: -0.05 },
      'binary, one pair per unit, threshold <= 0',
      'tango-score, asymptotic',
    ],
    [
      'a shown binary',
      { threshold: null },
      'binary, one pair per unit, threshold <= 0',
      'tango-score, asymptotic',
    ],
    [
      'a binary lift above a margin',
      { threshold: 0.01, units: 5000 },
      'binary, one pair per unit, threshold > 0',
      'exact-unconditional, finite-sample',
    ],
    [
      'a finite-sample binary lift',
      { inference: { guarantee: 'finite-sample' } },
      'binary, guarantee: finite-sample',
      'exact-unconditional, finite-sample',
    ],
    [
      'a finite-sample binary guardrail of many units',
      { threshold: -0.05, units: 6000, inference: { guarantee: 'finite-sample' } },
      'binary, guarantee: finite-sample',
      'exact-unconditional, finite-sample',
    ],
    [
      'the exact bound by name',
      { inference: { method: 'exact-unconditional' } },
      'binary, one pair per unit, threshold <= 0',
      'exact-unconditional, finite-sample',
    ],
    [
      'the exact bound by name where it cannot serve',
      { pairsPerUnit: 2, inference: { method: 'exact-unconditional' } },
      'unit means of binary, score, ordinal, bounded count',
      'betting-fixed-n, finite-sample',
    ],
    [
      'a large binary lift above a margin',
      { threshold: 0.01, units: 5001 },
      'binary, one pair per unit, threshold > 0',
      'tango-score, asymptotic',
    ],
    [
      'a margin sealed as Tango by name',
      { threshold: 0.01, inference: { method: 'tango-score' } },
      'binary, one pair per unit, threshold > 0',
      'tango-score, asymptotic',
    ],
    [
      'unit means of a binary',
      { pairsPerUnit: 4 },
      'unit means of binary, score, ordinal, bounded count',
      'betting-fixed-n, finite-sample',
    ],
    [
      'a score',
      { measure: score },
      'unit means of binary, score, ordinal, bounded count',
      'betting-fixed-n, finite-sample',
    ],
    [
      'a finite-sample score',
      { measure: score, inference: { guarantee: 'finite-sample' } },
      'unit means of binary, score, ordinal, bounded count',
      'betting-fixed-n, finite-sample',
    ],
    [
      'a score by name',
      { measure: score, inference: { method: 't-bootstrap-t' } },
      'unit means of binary, score, ordinal, bounded count',
      't-bootstrap-t, asymptotic',
    ],
    [
      'Tango by name where it cannot serve',
      { measure: score, inference: { method: 'tango-score' } },
      'unit means of binary, score, ordinal, bounded count',
      'betting-fixed-n, finite-sample',
    ],
    [
      'a duration',
      { measure: duration },
      'unbounded (duration, cost, continuous, count)',
      't-bootstrap-t, asymptotic',
    ],
    [
      'a duration by name',
      { measure: duration, inference: { method: 't' } },
      'unbounded (duration, cost, continuous, count)',
      't, asymptotic',
    ],
    [
      'betting by name on a binary',
      { inference: { method: 'betting-fixed-n', guarantee: 'finite-sample' } },
      'binary, guarantee: finite-sample',
      'betting-fixed-n, finite-sample',
    ],
    [
      'a binary weighed by cases',
      { inference: { weights: 'case' }, pairsPerUnit: 7, threshold: 0.1 },
      'weights: case',
      'tango-effective-n, asymptotic',
    ],
    [
      'a binary weighed by cases, by cr2 by name',
      { inference: { weights: 'case', method: 'cr2' } },
      'weights: case',
      'cr2, asymptotic',
    ],
    [
      'a score weighed by cases, whatever binary measures are decided by',
      { measure: score, inference: { weights: 'case', method: 'tango-effective-n' } },
      'weights: case',
      'cr2, asymptotic',
    ],
    [
      'a duration weighed by cases',
      { measure: duration, inference: { weights: 'case' } },
      'weights: case',
      'cr2, asymptotic',
    ],
    [
      'a fixed roster',
      { generalization: 'fixed-roster', pairsPerUnit: 3 },
      'fixed-roster',
      'roster-t, asymptotic',
    ],
    [
      'a finite-sample roster measure that no gate reads',
      {
        generalization: 'fixed-roster',
        threshold: null,
        inference: { guarantee: 'finite-sample' },
      },
      'fixed-roster',
      'roster-t, asymptotic',
    ],
  ])('%s', (_name, change, row, resolved) => {
    const [method, guarantee] = resolved.split(', ');
    expect(resolveMethod(design(change))).toEqual({ status: 'resolved', row, method, guarantee });
  });

  test.each<[name: string, change: Change, row: string, reason: string]>([
    [
      'a finite-sample duration',
      { measure: duration, inference: { guarantee: 'finite-sample' } },
      'unbounded (duration, cost, continuous, count)',
      'no finite-sample bound exists for an unbounded measure',
    ],
    [
      'a named method without the guarantee',
      { inference: { method: 'tango-score', guarantee: 'finite-sample' } },
      'binary, guarantee: finite-sample',
      'tango-score has no finite-sample guarantee',
    ],
    [
      'finite-sample case weights',
      { inference: { weights: 'case', guarantee: 'finite-sample' } },
      'weights: case',
      'no finite-sample bound exists for this row',
    ],
    [
      'a finite-sample fixed roster',
      { generalization: 'fixed-roster', inference: { guarantee: 'finite-sample' } },
      'fixed-roster',
      'no finite-sample bound exists for this row',
    ],
    [
      'a fixed roster by a method of sampled units',
      { generalization: 'fixed-roster', inference: { method: 't' } },
      'fixed-roster',
      't estimates the mean across sampled units, each counting once',
    ],
    [
      'case weights by the bound of unit means',
      { measure: score, inference: { weights: 'case', method: 'betting-fixed-n' } },
      'weights: case',
      'betting-fixed-n estimates the mean across sampled units, each counting once',
    ],
    [
      'case weights on a fixed roster',
      { generalization: 'fixed-roster', inference: { weights: 'case' } },
      'fixed-roster',
      'it counts every listed unit once, so weights: case has no method here',
    ],
    [
      'cr2 where units count once',
      { inference: { method: 'cr2' } },
      'binary, one pair per unit, threshold <= 0',
      'cr2 serves the row "weights: case" only',
    ],
    [
      'roster-t where units are a sample',
      { inference: { method: 'roster-t' } },
      'binary, one pair per unit, threshold <= 0',
      'roster-t serves the row "fixed-roster" only',
    ],
  ])('refuses %s, naming the row', (_name, change, row, reason) => {
    expect(resolveMethod(design(change))).toEqual({ status: 'refused', row, reason });
  });

  test('a finite-sample duration that no gate reads is only described', () => {
    const shown = design({
      measure: duration,
      threshold: null,
      inference: { guarantee: 'finite-sample' },
    });
    expect(resolveMethod(shown)).toMatchObject({ status: 'resolved', method: 't-bootstrap-t' });
  });
});

test('autoRow never looks at the number of units, only resolveMethod does', () => {
  const rows = [1, 50, 5001].map((units) => autoRow(design({ units, threshold: 0.1 })));
  expect(new Set(rows)).toEqual(new Set(['binary, one pair per unit, threshold > 0']));
});

describe('inferenceSchema', () => {
  test('defaults to 95 % by the auto table', () => {
    expect(inferenceSchema.parse({})).toEqual({
      level: 0.95,
      method: 'auto',
      guarantee: 'asymptotic',
      weights: 'unit',
      resamples: 10_000,
    });
  });

  test.each([
    { level: 0.5 },
    { level: 1 },
    { method: 'wald' },
    { resamples: 999 },
    { weights: 'row' },
    { alpha: 0.05 },
  ])('refuses %j', (shape) => {
    expect(inferenceSchema.safeParse(shape).success).toBe(false);
  });
});
