import { describe, expect, test } from 'vitest';
import {
  type GateDeclaration,
  gateName,
  gateSchema,
  isInferential,
  plannedGates,
} from '../../src/spec/gates.ts';

describe('gateSchema', () => {
  test.each<[unknown, GateDeclaration]>([
    [
      { gate: 'lift', measure: 'm' },
      { gate: 'lift', measure: 'm', threshold: 0, required: true },
    ],
    [
      { gate: 'no-regression', measure: 'm', margin: 0 },
      { gate: 'no-regression', measure: 'm', margin: 0, required: true },
    ],
    [
      { gate: 'critical', measure: 'm' },
      { gate: 'critical', measure: 'm', required: true },
    ],
    [{ gate: 'completeness' }, { gate: 'completeness', required: true }],
    [{ gate: 'controls' }, { gate: 'controls', required: true }],
    [{ gate: 'provenance' }, { gate: 'provenance', allowUnverified: false, required: true }],
    [{ gate: 'power' }, { gate: 'power', target: 0.8, required: false }],
  ])('fills the defaults of %j', (written, sealed) => {
    expect(gateSchema.parse(written)).toEqual(sealed);
  });

  test.each([
    { gate: 'lift' },
    { gate: 'no-regression', measure: 'm' },
    { gate: 'no-regression', measure: 'm', margin: -0.1 },
    { gate: 'critical', measure: 'm', maxRate: 0 },
    { gate: 'critical', measure: 'm', maxRate: 1 },
    { gate: 'completeness', required: false },
    { gate: 'controls', required: false },
    { gate: 'provenance', required: false },
    { gate: 'power', target: 1 },
    { gate: 'lift', measure: 'm', level: 0.9 },
  ])('refuses %j', (written) => {
    expect(gateSchema.safeParse(written).success).toBe(false);
  });

  test.each(plannedGates)('does not know %s yet', (gate) => {
    expect(gateSchema.safeParse({ gate }).success).toBe(false);
  });
});

test('gateName is the given name, or gate and measure', () => {
  const lift = gateSchema.parse({ gate: 'lift', measure: 'right' });
  expect(gateName(lift)).toBe('lift:right');
  expect(gateName({ ...lift, name: 'main' })).toBe('main');
  expect(gateName(gateSchema.parse({ gate: 'controls' }))).toBe('controls');
});

test('lift and no-regression decide by an interval', () => {
  const kinds = [
    { gate: 'lift', measure: 'm' },
    { gate: 'no-regression', measure: 'm', margin: 1 },
    { gate: 'critical', measure: 'm' },
    { gate: 'power' },
  ].map((each) => isInferential(gateSchema.parse(each)));
  expect(kinds).toEqual([true, true, false, false]);
});
