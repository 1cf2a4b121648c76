import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canonicalLine, canonicalText } from '../../src/base/canonical.ts';
import { isCanonicalLine } from '../../src/base/canonical-text.ts';
import { readJson } from '../../src/base/strict-json.ts';
import { exampleTests } from '../support/examples.ts';
import { jcsVectors as vectors } from '../support/vectors.ts';

exampleTests('src/base/canonical-text.ts', {
  names: ['isCanonicalLine'],
  scope: { isCanonicalLine },
});

/** The slow answer: read strictly, write again, compare. */
function isWrittenSo(text: string): boolean {
  try {
    return `${canonicalText(readJson(text))}\n` === text;
  } catch {
    return false;
  }
}

const plainKey = fc.string({ unit: 'binary', maxLength: 6 }).filter((key) => key.isWellFormed());

describe('isCanonicalLine', () => {
  test('takes no vector for another', () => {
    const lines = vectors.canonical.map((each) => `${each.canonical}\n`);
    const known = lines.filter((line) => isCanonicalLine(line));
    expect(known.filter((line) => !isWrittenSo(line))).toEqual([]);
    expect(known.length).toBeGreaterThan(lines.length / 2);
  });

  test.each([
    '{}',
    '[]',
    '[[],{}]',
    'null',
    'true',
    'false',
    '0',
    '-1',
    '9007199254740991',
    '-9007199254740991',
    '0.1',
    '1e-7',
    '1.5e-300',
    '5e-324',
    '""',
    '"\u20ac\u{1f600}\u007f\u2028"',
    '"\\"\\\\\\b\\f\\n\\r\\t\\u0000\\u001f\\u000b"',
    '{"":1,"A":2,"a":3,"aa":4,"\u00e9":5}',
    '{"a":{"b":[1,2,{"c":null}]},"b":0}',
    '{"10":1,"9":2}',
    '{"__proto__":1}',
  ])('knows %s', (text) => {
    expect(isCanonicalLine(`${text}\n`)).toBe(true);
    expect(isWrittenSo(`${text}\n`)).toBe(true);
  });

  test.each([
    ['', 'nothing'],
    ['{"b":1,"a":2}', 'another order'],
    ['{"a":1,"a":2}', 'a key twice'],
    ['{"aa":1,"a":2}', 'a key before its beginning'],
    ['{"a":1,}', 'a comma too many'],
    ['{"a" :1}', 'white space'],
    [' 1', 'white space before'],
    ['1 ', 'white space behind'],
    ['[1, 2]', 'white space within'],
    ['-0', 'minus zero'],
    ['01', 'a leading zero'],
    ['-01', 'a leading zero behind a minus'],
    ['00', 'two zeros'],
    ['-', 'no digit'],
    ['1.0', 'a fraction that is none'],
    ['1e5', 'an exponent that is not needed'],
    ['1E-7', 'a large E'],
    ['1e400', 'an overflow'],
    ['1e-400', 'an underflow'],
    ['0.10', 'a zero at the end'],
    ['9007199254740993', 'a rounded integer'],
    ['9007199254740992', 'an integer beyond 2^53'],
    ['"\\/"', 'an escape that is not needed'],
    ['"\\u0041"', 'an escape of a letter'],
    ['"\\u0008"', 'a long escape'],
    ['"\\u001F"', 'an escape with capitals'],
    ['"\\ud83d\\ude00"', 'an escaped pair'],
    ['"\\ud800"', 'an escaped lone surrogate'],
    ['"\ud800"', 'a lone surrogate'],
    ['"\udc00\ud800"', 'a pair the wrong way round'],
    ['"a', 'an open string'],
    ['"\n"', 'a raw control character'],
    ["'a'", 'other quotes'],
    ['[1', 'an open array'],
    ['{"a":1', 'an open object'],
    ['{"a"}', 'no value'],
    ['{a:1}', 'a bare key'],
    ['[1]]', 'a bracket too many'],
    ['{"a":1]', 'another bracket'],
    ['nul', 'half a word'],
    ['nullx', 'more than a word'],
    ['NaN', 'no number'],
    ['1\n', 'a line feed too many'],
    ['\ufeff1', 'a byte order mark'],
  ])('refuses %j: %s', (text) => {
    expect(isCanonicalLine(`${text}\n`)).toBe(false);
  });

  test('refuses what has no line feed, and what is too deep', () => {
    expect(isCanonicalLine('1')).toBe(false);
    expect(isCanonicalLine('')).toBe(false);
    const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}\n`;
    expect(isCanonicalLine(nested(200))).toBe(true);
    expect(isCanonicalLine(nested(201))).toBe(false);
    expect(isCanonicalLine(`${'{"a":'.repeat(200)}[]${'}'.repeat(200)}\n`)).toBe(false);
  });

  test('leaves what it cannot be sure of to the slow reader', () => {
    for (const text of ['{"\\n":1}\n', '1e+21\n', '1.5e+300\n']) {
      expect(isCanonicalLine(text)).toBe(false);
      expect(isWrittenSo(text)).toBe(true);
    }
  });

  test('says yes to what canonicalLine writes, escaped keys and huge integers aside', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
        const line = writtenOr(value);
        fc.pre(line !== null && !/\\|[0-9]e\+/.test(line));
        expect(isCanonicalLine(line ?? '')).toBe(true);
      }),
      { seed: 11, numRuns: 2000 },
    );
    fc.assert(
      fc.property(fc.dictionary(plainKey, fc.double()), (value) => {
        const line = writtenOr(value);
        fc.pre(line !== null && !/\\|e\+/.test(line));
        expect(isCanonicalLine(line ?? '')).toBe(true);
      }),
      { seed: 12, numRuns: 1000 },
    );
  });

  test('never says yes to a changed text that is written otherwise', () => {
    const alphabet = [...'{}[]",:\\ue0123456789.-+ \n\tanulltrfs\u00e9\ud800\udc00'];
    let sure = 0;
    fc.assert(
      fc.property(
        fc.jsonValue({ maxDepth: 3 }),
        fc.array(fc.tuple(fc.nat(), fc.constantFrom(...alphabet), fc.nat(2)), {
          minLength: 1,
          maxLength: 3,
        }),
        (value, changes) => {
          let text = writtenOr(value) ?? '';
          for (const [place, character, how] of changes) {
            const at = place % (text.length + 1);
            const kept = how === 0 ? at : at + 1;
            text = text.slice(0, at) + (how === 2 ? '' : character) + text.slice(kept);
          }
          if (!isCanonicalLine(text)) return;
          sure += 1;
          expect(isWrittenSo(text)).toBe(true);
        },
      ),
      { seed: 13, numRuns: 20_000 },
    );
    expect(sure).toBeGreaterThan(100);
  });
});

function writtenOr(value: unknown): string | null {
  try {
    return canonicalLine(value);
  } catch {
    return null;
  }
}
