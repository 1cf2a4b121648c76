import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canonicalText, type Json } from '../../src/base/canonical.ts';
import { formatProblem, LiftgateError } from '../../src/base/errors.ts';
import { readJson } from '../../src/base/strict-json.ts';
import { readYamlSource } from '../../src/spec/parse.ts';
import { jcsVectors as vectors } from '../support/vectors.ts';

const encoder = new TextEncoder();

async function refusals(text: string): Promise<string[]> {
  const reading = await readYamlSource(encoder.encode(text), 'f.yaml');
  return reading.status === 'refused' ? reading.problems.map(formatProblem) : [];
}

async function read(text: string): Promise<Json> {
  const reading = await readYamlSource(encoder.encode(text), 'f.yaml');
  if (reading.status === 'refused') throw new Error(reading.problems.map(formatProblem).join('\n'));
  return reading.document.value;
}

function readableByJson(text: string): boolean {
  try {
    readJson(text);
    return true;
  } catch (error) {
    if (error instanceof LiftgateError) return false;
    throw error;
  }
}

describe('readYamlSource', () => {
  test.each(vectors.refuseYaml)('refuses $id with $code', async ({ input, code }) => {
    const texts = await refusals(input);
    expect(texts[0]).toContain(`(${code}).`);
    expect(texts[0]).toMatch(/^f\.yaml/);
    expect(texts[0]).toContain('[');
  });

  test.each(vectors.acceptYaml)(
    'reads $id to the canonical bytes',
    async ({ yaml, canonical, sha256 }) => {
      const text = canonicalText(await read(yaml));
      expect(text).toBe(canonical);
      expect(createHash('sha256').update(text).digest('hex')).toBe(sha256);
    },
  );

  test.each([
    [
      'a duplicate key',
      'a: 1\nb: 2\na: 3\n',
      'f.yaml:3:1 [yaml-invalid]\n  The key a appears twice (E_DUPLICATE_KEY).\n  Keep one of the two keys.',
    ],
    [
      'a key that is a number',
      'a:\n  1: x\n',
      'f.yaml:2:3 a [yaml-invalid]\n  A key that is not plain text (E_YAML_KEY).\n  Write the key as text; put numbers, true, false and null in quotes.',
    ],
    [
      'an anchor on a key',
      '&a k: 1\n',
      'f.yaml:1:4 [yaml-invalid]\n  The anchor &a marks a part for reuse (E_YAML_ALIAS).\n  Write the value out where it is used: what is read is what is sealed.',
    ],
    [
      'a tag',
      'a: {b: !!str 5}\n',
      'f.yaml:1:14 a.b [yaml-invalid]\n  The tag tag:yaml.org,2002:str changes what the value means (E_YAML_TAG).\n  Remove the tag and write the plain value.',
    ],
    [
      'the tag that means nothing',
      'a: ! x\n',
      'f.yaml:1:6 a [yaml-invalid]\n  The tag ! changes what the value means (E_YAML_TAG).\n  Remove the tag and write the plain value.',
    ],
    [
      'a tag directive',
      '%TAG ! x:\n---\na: 1\n',
      'f.yaml:1:1 [yaml-invalid]\n  The file starts with a directive (E_YAML_DIRECTIVE).\n  Remove the line; the file is read as YAML 1.2.',
    ],
    [
      'an unknown directive',
      '%FOO\n---\na: 1\n',
      'f.yaml:1:1 [yaml-invalid]\n  Unknown directive %FOO (E_YAML_DIRECTIVE).\n  Remove the line; the file is read as YAML 1.2.',
    ],
    [
      'a second document',
      'a: 1\n---\nb: 2\n',
      'f.yaml:2:1 [yaml-invalid]\n  A second document starts here (E_YAML_MULTI).\n  Keep one document per file and remove the other "---".',
    ],
    [
      'a number that rounds to zero',
      'a: [1, 1e-400]\n',
      'f.yaml:1:8 a[1] [yaml-invalid]\n  The number 1e-400 rounds to zero (E_UNDERFLOW).\n  Use a number that does not round to zero.',
    ],
    [
      'a rounded integer',
      'a: -9007199254740992\n',
      'f.yaml:1:4 a [yaml-invalid]\n  The integer -9007199254740992 would be rounded (E_UNSAFE_INTEGER).\n  Write integers beyond 9007199254740991 as text, in quotes.',
    ],
    [
      'a lone surrogate in a key',
      '"\\uD800": 1\n',
      'f.yaml:1:1 [yaml-invalid]\n  A key with a lone surrogate (E_SURROGATE).\n  Write the character itself or a complete pair of escapes.',
    ],
    [
      'the key __proto__',
      '__proto__: 1\n',
      'f.yaml:1:1 [yaml-invalid]\n  The key __proto__ has a meaning of its own (E_YAML_KEY).\n  Write the key as text; put numbers, true, false and null in quotes.',
    ],
    [
      'no document at all',
      '',
      'f.yaml:1:1 [yaml-invalid]\n  The file holds no document (E_SYNTAX).\n  Write one YAML 1.2 document, indented with spaces.',
    ],
    [
      'an unfinished list',
      'a: [1, 2\n',
      'f.yaml:2:1 [yaml-invalid]\n  Flow sequence in block collection must be sufficiently indented and end with a ] (E_SYNTAX).\n  Write one YAML 1.2 document, indented with spaces.',
    ],
  ])('says where and how to mend %s', async (_name, text, expected) => {
    expect((await refusals(text))[0]).toBe(expected);
  });

  test('reports every fault of a file at once', async () => {
    const texts = await refusals('a: &x 1\nb: !t 2\nc: .inf\na: 3\n');
    expect(texts.map((text) => /\((E_\w+)\)/.exec(text)?.[1]).sort()).toEqual([
      'E_DUPLICATE_KEY',
      'E_NONFINITE',
      'E_YAML_ALIAS',
      'E_YAML_TAG',
    ]);
  });

  test('refuses bytes that are not UTF-8', async () => {
    const reading = await readYamlSource(Uint8Array.of(0x61, 0x3a, 0x20, 0xff), 'f.yaml');
    expect(reading.status === 'refused' && reading.problems.map(formatProblem)).toEqual([
      'f.yaml [yaml-invalid]\n  The file is not valid UTF-8 (E_UTF8).\n  Save the file as UTF-8.',
    ]);
  });

  test.each([201, 3000])('refuses nesting %i deep', async (depth) => {
    const texts = await refusals('['.repeat(depth) + ']'.repeat(depth));
    expect(texts[0]).toContain('nests deeper than 200 levels (E_DEPTH)');
  });

  test('reads what JSON reads: canonical JSON is YAML with the same value', async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue({ maxDepth: 4 }), async (value) => {
        const text = canonicalText(value);
        fc.pre(readableByJson(text) && !text.includes('"__proto__"'));
        expect(canonicalText(await read(text))).toBe(text);
      }),
      { seed: 20260801, numRuns: 400 },
    );
  });
});
