import { describe, expect, it } from 'vitest';
import {
  errorExitCodes,
  formatPlace,
  formatProblem,
  invariant,
  LiftgateError,
} from '../../src/base/errors.ts';

describe('LiftgateError', () => {
  it('carries code, place, mend, cause, problems and details', () => {
    const cause = new Error('disk');
    const problem = { code: 'unknown-key' as const, where: { line: 3 }, message: 'M.', mend: 'D.' };
    const error = new LiftgateError('ledger-unsafe', 'What.', {
      where: { file: 'ledger' },
      mend: 'How.',
      cause,
      problems: [problem],
      details: { reason: 'durability' },
    });
    expect(error).toBeInstanceOf(Error);
    expect(error.name).toBe('LiftgateError');
    expect(error.exitCode).toBe(42);
    expect(error.cause).toBe(cause);
    expect(error.problems).toEqual([problem]);
    expect(error.details).toEqual({ reason: 'durability' });
    expect(error.where).toEqual({ file: 'ledger' });
  });

  it('has empty lists and no cause by default', () => {
    const error = new LiftgateError('usage', 'What.');
    expect('cause' in error).toBe(false);
    expect(error.problems).toEqual([]);
    expect(error.details).toEqual({});
    expect(error.mend).toBeUndefined();
  });
});

describe('errorExitCodes', () => {
  it('never uses 0, 1 or the code of a verdict', () => {
    const verdicts = [0, 1, 20, 21, 22, 23];
    const codes = Object.values(errorExitCodes);
    expect(codes.filter((code) => verdicts.includes(code))).toEqual([]);
    // 30 is how a run ends that has more to do, never how one fails.
    expect(new Set(codes)).toEqual(new Set([64, 70, 130, 40, 41, 42, 31, 32]));
  });
});

describe('invariant', () => {
  it('stops with internal and says whose fault it is', () => {
    expect(() => invariant(1 > 2, 'order holds')).toThrow(
      expect.objectContaining({
        code: 'internal',
        exitCode: 70,
        message: 'Liftgate broke its own rule: order holds',
        mend: 'Please report this with the command you ran.',
      }),
    );
    expect(invariant(true, 'unused')).toBeUndefined();
  });
});

describe('formatPlace', () => {
  it('executes its documented example', () => {
    expect(formatPlace({ file: 'a.yaml', line: 3, column: 7, path: 'claim.use' })).toBe(
      'a.yaml:3:7 claim.use',
    );
  });

  it('leaves out what is not known', () => {
    expect(formatPlace({})).toBe('');
    expect(formatPlace({ path: 'a.b' })).toBe('a.b');
    expect(formatPlace({ file: 'a', line: 2 })).toBe('a:2:1');
  });
});

describe('formatProblem', () => {
  it('executes its documented example', () => {
    expect(
      formatProblem({
        code: 'unknown-key',
        where: { file: 'a.yaml' },
        message: 'M.',
        mend: 'D.',
      }),
    ).toBe('a.yaml [unknown-key]\n  M.\n  D.');
  });

  it('starts with the code when there is no place', () => {
    expect(formatProblem({ code: 'no-measure', where: {}, message: 'M.', mend: 'D.' })).toBe(
      '[no-measure]\n  M.\n  D.',
    );
  });
});
