import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatPath, nearestWord, parentPath, quoted } from '../../src/spec/finding.ts';

const step = fc.oneof(fc.nat(99), fc.string({ minLength: 1, maxLength: 6 }));

describe('formatPath', () => {
  test('quotes keys that are not plain words', () => {
    expect(formatPath(['arms', 'candidates', 'r.2', 'pins', 0])).toBe(
      'arms.candidates["r.2"].pins[0]',
    );
    expect(formatPath(['3r', ''])).toBe('["3r"][""]');
    expect(formatPath([])).toBe('');
  });

  test('never writes two paths alike', () => {
    const path = fc.array(step, { maxLength: 4 });
    fc.assert(
      fc.property(path, path, (first, second) => {
        fc.pre(JSON.stringify(first) !== JSON.stringify(second));
        expect(formatPath(first)).not.toBe(formatPath(second));
      }),
      { seed: 1, numRuns: 300 },
    );
  });
});

describe('parentPath', () => {
  test('takes the last step off', () => {
    expect(parentPath('gates[2].margin')).toBe('gates[2]');
    expect(parentPath('gates[2]')).toBe('gates');
    expect(parentPath('gates')).toBe('');
    expect(parentPath('')).toBe('');
  });

  test('undoes one step of formatPath', () => {
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 5 }), (path) => {
        expect(parentPath(formatPath(path))).toBe(formatPath(path.slice(0, -1)));
      }),
      { seed: 2, numRuns: 300 },
    );
  });
});

describe('nearestWord', () => {
  test.each([
    ['treshold', 'threshold'],
    ['unti', 'unit'],
    ['Measure', 'measure'],
    ['mesure', 'measure'],
    ['entirely', null],
    ['', null],
  ])('%s may mean %s', (word, expected) => {
    expect(nearestWord(word, ['unit', 'measure', 'threshold'])).toBe(expected);
  });

  test('has nothing to offer where nothing is known', () => {
    expect(nearestWord('a', [])).toBeNull();
  });
});

test('quoted joins words in double quotes', () => {
  expect(quoted(['a', 'b'])).toBe('"a", "b"');
});
