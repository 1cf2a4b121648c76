import { describe, expect, test } from 'vitest';
import { analyzeEvidence, sealedMethod } from '../../src/analysis/analyze.ts';
import {
  baselineOf,
  candidateArms,
  gatedMeasures,
  measureIds,
  measureOf,
  primaryMeasure,
} from '../../src/analysis/evidence.ts';
import { orderedUnits } from '../../src/spec/seeds.ts';
import {
  binaryCases,
  type CaseTable,
  casesDigest,
  evidenceOf,
  rightMeasure,
} from '../support/evidence.ts';
import { refusedBy } from '../support/refused-by.ts';

const measures = {
  right: rightMeasure,
  safe: { ...rightMeasure, role: 'guardrail' },
  acts: { kind: 'binary', role: 'critical', direction: 'lower' },
  note: { ...rightMeasure, role: 'reported' },
};
const gates = [
  { gate: 'lift', measure: 'right' },
  { gate: 'no-regression', measure: 'safe', margin: 0.1 },
];
const { seal } = evidenceOf({
  measures,
  gates,
  cases: binaryCases({ gains: 3 }),
  candidates: ['b', 'B', 'a'],
});

describe('analyzeEvidence', () => {
  test('keeps units in the sealed order, with lost units left out in place', () => {
    const cases = binaryCases({ gains: 12 }).map(
      (each, at): CaseTable =>
        at % 5 === 0 ? { ...each, cells: { baseline: 0, next: 'cancelled' } } : each,
    );
    const order = orderedUnits(
      casesDigest,
      cases.map((each) => each.unit),
    );
    const [next] = analyzeEvidence(evidenceOf({ cases })).candidates;
    const measured = next?.measures.get('right');
    const lost = new Set(['u001', 'u006', 'u011']);
    expect(measured?.sample.units.map((each) => each.unit)).toEqual(
      order.filter((unit) => !lost.has(unit)),
    );
    expect(measured?.filled?.units.map((each) => each.unit)).toEqual(order);
    expect(measured?.filled?.units.find((each) => each.unit === 'u001')?.improvement).toBe(0);
    expect(measured?.spared?.units.find((each) => each.unit === 'u001')?.improvement).toBe(1);
  });

  test('has candidates in the order that decides ties', () => {
    const evidence = evidenceOf({ cases: binaryCases({ gains: 2 }), candidates: ['b', 'B', 'a'] });
    expect(analyzeEvidence(evidence).candidates.map((each) => each.id)).toEqual(['B', 'a', 'b']);
  });
});

describe('sealedMethod', () => {
  test('finds the method of a gate and of a shown measure', () => {
    expect(sealedMethod(seal, { measure: 'right', gate: 'lift', threshold: 0 })).toBe(
      'tango-score',
    );
    expect(sealedMethod(seal, { measure: 'note', gate: null, threshold: null })).toBe(
      'tango-score',
    );
  });

  test.each([
    ['another threshold', { measure: 'right', gate: 'lift', threshold: 0.1 }],
    ['another gate', { measure: 'right', gate: 'no-regression', threshold: 0 }],
    ['another measure', { measure: 'note', gate: 'lift', threshold: 0 }],
  ] as const)('is null for %s', (_, query) => {
    expect(sealedMethod(seal, query)).toBeNull();
  });
});

describe('the measures and arms of a seal', () => {
  test('are listed by code units', () => {
    expect(measureIds(seal)).toEqual(['acts', 'note', 'right', 'safe']);
    expect(candidateArms(seal).map((arm) => arm.id)).toEqual(['B', 'a', 'b']);
    expect(baselineOf(seal).id).toBe('baseline');
    expect(primaryMeasure(seal)).toBe('right');
  });

  test('are gated when a gate reads them or when they are critical', () => {
    expect(gatedMeasures(seal)).toEqual(['acts', 'right', 'safe']);
  });

  test('refuse a measure that is not declared and a seal without one baseline', () => {
    expect(refusedBy(() => measureOf(seal, 'constructor'))).toBe(
      'seal-invalid: The seal names the measure "constructor", which its spec does not declare. Restore the sealed file, or seal the experiment again.',
    );
    const arms = seal.arms.filter((arm) => arm.role === 'candidate');
    expect(refusedBy(() => baselineOf({ ...seal, arms }))).toBe(
      'seal-invalid: The seal does not name exactly one baseline arm. Restore the sealed file; arms of a seal are never edited.',
    );
  });

  test('have no primary measure when none is declared', () => {
    const bare = evidenceOf({
      measures: { note: { ...rightMeasure, role: 'reported' } },
      gates: [],
      cases: [],
    });
    expect(primaryMeasure(bare.seal)).toBeNull();
  });
});
