import { describe, expect, test } from 'vitest';
import {
  type ContributionParts,
  contributionOf,
  contributionSchema,
  levelOf,
  shownNumber,
  standingFinding,
} from '../../src/gate/gate.ts';
import { exampleTests } from '../support/examples.ts';

exampleTests('src/gate/gate.ts', {
  names: ['contributionOf', 'shownNumber', 'standingFinding'],
  scope: { contributionOf, shownNumber, standingFinding },
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

describe('levelOf', () => {
  const parts: ContributionParts = {
    name: 'rate',
    gate: 'rate',
    required: true,
    finding: 'cleared',
    reason: 'above',
  };
  const free = { clears: true, stepwise: false, stoppedBy: null };

  test('clears a gate whose turn has come and that no larger error objects to', () => {
    const level = levelOf(contributionOf(parts));
    expect(level.clears).toBe(true);
    expect(level.contribution(free)).toEqual(contributionOf(parts));
    expect(level.contribution({ ...free, stepwise: true }).flags).toEqual(['stepwise']);
  });

  test.each([
    [
      { ...free, stoppedBy: 'a' },
      'above, but the fixed sequence stopped at "a" before this candidate',
    ],
    [{ ...free, clears: false }, 'above, but not at every larger error level'],
    [
      { ...free, clears: false, stoppedBy: 'a' },
      'above, but not at every larger error level; besides, the fixed sequence stopped at "a" before this candidate',
    ],
  ])('leaves a bound beyond its threshold unresolved under %j', (standing, reason) => {
    const found = levelOf(contributionOf(parts)).contribution(standing);
    expect(found).toMatchObject({ status: 'fail', finding: 'unresolved', reason });
  });

  test.each(['breached', 'insufficient'] as const)(
    'keeps what is %s, whatever the order',
    (finding) => {
      const level = levelOf(contributionOf({ ...parts, finding }));
      expect(level.clears).toBe(false);
      expect(level.contribution({ clears: false, stepwise: false, stoppedBy: 'a' })).toEqual(
        contributionOf({ ...parts, finding }),
      );
    },
  );
});
