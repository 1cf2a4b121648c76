import { describe, expect, test } from 'vitest';
import { type GateDeclaration, gateName, gateSchema, isInferential } from '../../src/spec/gates.ts';

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
    [
      { gate: 'rate', measure: 'm', arm: 'baseline', max: 0.5 },
      { gate: 'rate', measure: 'm', arm: 'baseline', max: 0.5, required: true },
    ],
    [
      { gate: 'latency', measure: 'm', quantile: 0.95, max: 2000 },
      { gate: 'latency', measure: 'm', quantile: 0.95, max: 2000, required: true },
    ],
    [
      { gate: 'matched-budget', of: 'tokens', tolerance: 0 },
      { gate: 'matched-budget', of: 'tokens', tolerance: 0, required: true },
    ],
    [{ gate: 'budget' }, { gate: 'budget', required: true }],
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
    { gate: 'rate', measure: 'm', min: 0.5 },
    { gate: 'rate', measure: 'm', arm: 'candidate', min: 1 },
    { gate: 'rate', measure: 'm', arm: 'candidate', max: 0 },
    { gate: 'latency', measure: 'm', quantile: 1, max: 3 },
    { gate: 'latency', measure: 'm', maxRatio: 0 },
    { gate: 'matched-budget', of: 'time', tolerance: 0.1 },
    { gate: 'matched-budget', of: 'usd', tolerance: -0.1 },
    { gate: 'budget', usd: 3 },
    { gate: 'lift', measure: 'm', level: 0.9 },
  ])('refuses %j', (written) => {
    expect(gateSchema.safeParse(written).success).toBe(false);
  });
});

test('gateName is the given name, or gate and measure', () => {
  const lift = gateSchema.parse({ gate: 'lift', measure: 'right' });
  expect(gateName(lift)).toBe('lift:right');
  expect(gateName({ ...lift, name: 'main' })).toBe('main');
  expect(gateName(gateSchema.parse({ gate: 'controls' }))).toBe('controls');
  const rate = gateSchema.parse({ gate: 'rate', measure: 'right', arm: 'baseline', min: 0.5 });
  expect(gateName(rate)).toBe('rate:baseline:right');
  const matched = gateSchema.parse({ gate: 'matched-budget', of: 'usd', tolerance: 0.1 });
  expect(gateName(matched)).toBe('matched-budget:usd');
});

test('lift, no-regression and the rate of the candidate say something about it by a bound', () => {
  const kinds = [
    { gate: 'lift', measure: 'm' },
    { gate: 'no-regression', measure: 'm', margin: 1 },
    { gate: 'rate', measure: 'm', arm: 'candidate', min: 0.5 },
    { gate: 'rate', measure: 'm', arm: 'baseline', min: 0.5 },
    { gate: 'latency', measure: 'm', maxRatio: 1 },
    { gate: 'critical', measure: 'm' },
    { gate: 'power' },
  ].map((each) => isInferential(gateSchema.parse(each)));
  expect(kinds).toEqual([true, true, true, false, false, false, false]);
});
