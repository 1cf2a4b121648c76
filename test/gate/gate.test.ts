import { describe, expect, test } from 'vitest';
import { contributionOf, contributionSchema, shownNumber } from '../../src/gate/gate.ts';
import { exampleTests } from '../support/examples.ts';

exampleTests('src/gate/gate.ts', {
  names: ['contributionOf', 'shownNumber'],
  scope: { contributionOf, shownNumber },
});

describe('contributionOf', () => {
  test('fills in null for what a gate does not have, and names a flag once', () => {
    const found = contributionOf({
      name: 'controls',
      gate: 'controls',
      required: true,
      finding: 'cleared',
      reason: 'as declared',
      flags: ['one-unit', 'one-unit'],
    });
    expect(found).toEqual({
      name: 'controls',
      gate: 'controls',
      measure: null,
      status: 'pass',
      finding: 'cleared',
      required: true,
      statistic: null,
      threshold: null,
      errorLevel: null,
      n: null,
      reason: 'as declared',
      flags: ['one-unit'],
      estimate: null,
    });
    expect(contributionSchema.parse(found)).toEqual(found);
  });
});

describe('shownNumber', () => {
  test.each([
    [0, '0'],
    [-0.05, '-0.05'],
    [1 / 3, '0.3333'],
    [123456, '123500'],
    [0.0000123456, '0.00001235'],
  ])('shows %d as %s', (value, text) => {
    expect(shownNumber(value)).toBe(text);
  });
});
