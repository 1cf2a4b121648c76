import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatProblem, LiftgateError } from '../../src/base/errors.ts';
import { readJson } from '../../src/base/strict-json.ts';
import { formatPath, type SpecPath } from '../../src/spec/finding.ts';
import { jsonSpans, problemOfError, readJsonSource } from '../../src/spec/json-source.ts';
import { readYamlSource } from '../../src/spec/parse.ts';
import { isMapping, positionOf, positionsOf, valueAt } from '../../src/spec/source.ts';

const encoder = new TextEncoder();

function readable(text: string): boolean {
  try {
    readJson(text);
    return !text.includes('"__proto__"');
  } catch (error) {
    if (error instanceof LiftgateError) return false;
    throw error;
  }
}

/** Texts of random JSON values that the strict reader accepts. */
const jsonText = fc
  .jsonValue({ maxDepth: 4 })
  .map((value) => JSON.stringify(value))
  .filter(readable);

function pathsOf(value: unknown, path: SpecPath = []): SpecPath[] {
  if (Array.isArray(value)) {
    return [path, ...value.flatMap((item, index) => pathsOf(item, [...path, index]))];
  }
  if (value === null || typeof value !== 'object') return [path];
  return [path, ...Object.entries(value).flatMap(([key, item]) => pathsOf(item, [...path, key]))];
}

describe('jsonSpans', () => {
  test('points at exactly the text of every value and every key', () => {
    fc.assert(
      fc.property(jsonText, (text) => {
        const value = readJson(text);
        const spans = jsonSpans(text);
        const paths = pathsOf(value);
        expect([...spans.keys()].sort()).toEqual(paths.map(formatPath).sort());
        for (const path of paths) {
          const span = spans.get(formatPath(path));
          expect(text.startsWith(JSON.stringify(valueAt(value, path)), span?.value)).toBe(true);
          const key = path.at(-1);
          if (typeof key === 'string')
            expect(text.startsWith(JSON.stringify(key), span?.key ?? -1)).toBe(true);
          else expect(span?.key).toBeNull();
        }
      }),
      { seed: 6, numRuns: 300 },
    );
  });

  test('agrees with the YAML reader on every JSON text', async () => {
    await fc.assert(
      fc.asyncProperty(jsonText, async (text) => {
        const yaml = await readYamlSource(encoder.encode(text), 'a.yaml');
        expect(yaml.status).toBe('read');
        if (yaml.status !== 'read') return;
        expect([...yaml.document.spans].sort()).toEqual([...jsonSpans(text)].sort());
      }),
      { seed: 7, numRuns: 200 },
    );
  });

  test('leaves out what lies below the depth limit', () => {
    expect([...jsonSpans('[{"a": [1]}, 2]', 1).keys()]).toEqual(['', '[0]', '[1]']);
  });
});

describe('readJsonSource', () => {
  test('gives the value, the text and the spans', () => {
    expect(readJsonSource(encoder.encode('{"a": 1}'), 'a.json')).toEqual({
      status: 'read',
      document: {
        value: { a: 1 },
        text: '{"a": 1}',
        spans: new Map([
          ['', { key: null, value: 0 }],
          ['a', { key: 1, value: 6 }],
        ]),
      },
    });
  });

  test.each([
    [
      '{"a": 1,}',
      'a.json:1:9 [json-invalid]\n  A member name in double quotes is missing (E_SYNTAX).',
    ],
    ['{"a": 1e400}', 'a.json:1:7 [json-invalid]\n  The number 1e400 overflows (E_NONFINITE).'],
    [
      '{"a": "\\ud800"}',
      'a.json:1:7 [json-invalid]\n  A string with a lone surrogate (E_SURROGATE).',
    ],
    [
      '{"__proto__": 1}',
      'a.json:1:2 __proto__ [json-invalid]\n  The key __proto__ has a meaning of its own.',
    ],
  ])('refuses %s', (text, expected) => {
    const reading = readJsonSource(encoder.encode(text), 'a.json');
    const texts = reading.status === 'refused' ? reading.problems.map(formatProblem) : [];
    expect(texts).toHaveLength(1);
    expect(texts[0]).toContain(expected);
  });
});

describe('problemOfError', () => {
  test('passes on what is no refusal of ours', () => {
    expect(() => problemOfError(new TypeError('bug'), 'a.json')).toThrow('bug');
  });

  test('keeps the place an error already has', () => {
    const error = new LiftgateError('json-invalid', 'M.', { where: { file: 'b.json', line: 2 } });
    expect(formatProblem(problemOfError(error, 'a.json'))).toBe(
      'b.json:2:1 [json-invalid]\n  M.\n  Mend the file and try again.',
    );
  });
});

describe('positions', () => {
  test('positionsOf gives for ascending offsets what positionOf gives for each', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('a', '\n', '\r'), maxLength: 40 }), (text) => {
        const offsets = Array.from({ length: text.length + 1 }, (_, offset) => offset);
        expect(positionsOf(text, offsets)).toEqual(
          offsets.map((offset) => positionOf(text, offset)),
        );
      }),
      { seed: 8, numRuns: 200 },
    );
  });

  test('valueAt is undefined outside the document and never inherited', () => {
    expect(valueAt({ a: [1] }, ['a', 0])).toBe(1);
    expect(valueAt({ a: [1] }, ['a', '0'])).toBeUndefined();
    expect(valueAt({ a: [1] }, ['b', 'c'])).toBeUndefined();
    expect(valueAt({}, ['toString'])).toBeUndefined();
    expect(valueAt(null, ['a'])).toBeUndefined();
    expect(valueAt(7, [])).toBe(7);
  });

  test.each([
    [{}, true],
    [[], false],
    [null, false],
    ['a', false],
    [undefined, false],
  ])('isMapping(%j) is %s', (value, expected) => {
    expect(isMapping(value)).toBe(expected);
  });
});
