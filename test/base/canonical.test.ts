import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import {
  canonicalBytes,
  canonicalLine,
  canonicalText,
  compareCodeUnits,
  maximumDepth,
  prettyText,
  recordedText,
} from '../../src/base/canonical.ts';
import { LiftgateError } from '../../src/base/errors.ts';
import { readCanonical, readJson } from '../../src/base/strict-json.ts';
import { jcsVectors as vectors } from '../support/vectors.ts';

function reasonOf(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    if (error instanceof LiftgateError) return error.details['reason'];
    throw error;
  }
  return 'nothing was refused';
}

/** The vectors hold the refused values as JavaScript expressions. */
function evaluated(expression: string): unknown {
  return new Function(`return ${expression};`)();
}

function doubleOf(hex: string): number {
  return Buffer.from(hex, 'hex').readDoubleBE(0);
}

function sha256Hex(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** JSON without whole numbers beyond 2^53 - 1: those the writer spells as ECMAScript does, and the reader refuses. */
const readableValue = fc
  .jsonValue()
  .filter((value) => !/(?<![.\d])\d{16,}(?![.\de])/.test(JSON.stringify(value)));

/** What RFC 8785 says, the slow way: members sorted at every level, numbers and strings as ECMAScript writes them. */
function sortedText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(sortedText).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).sort(([a], [b]) => compareCodeUnits(a, b));
  return `{${members.map(([key, each]) => `${JSON.stringify(key)}:${sortedText(each)}`).join(',')}}`;
}

describe('canonicalText', () => {
  test('writes members that stand in their order and others alike', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
        const text = sortedText(value);
        expect(canonicalText(value)).toBe(text);
        expect(canonicalText(JSON.parse(text))).toBe(text);
      }),
      { seed: 21, numRuns: 3000 },
    );
  });

  test('reads no getter, follows no toJSON of others, and ends for what contains itself twice', () => {
    let calls = 0;
    const spied = Object.defineProperty({ a: 1 }, 'b', {
      enumerable: true,
      get: () => {
        calls += 1;
        return 1;
      },
    });
    expect(reasonOf(() => canonicalText({ x: spied }))).toBe('E_TYPE');
    expect(reasonOf(() => canonicalText(Object.defineProperty({}, 'a', { value: 1 })))).toBe(
      'E_TYPE',
    );
    expect(reasonOf(() => canonicalText([{ a: 1, [Symbol('b')]: 1 }]))).toBe('E_TYPE');
    expect(reasonOf(() => canonicalText({ toJSON: () => 1 }))).toBe('E_TYPE');
    expect(calls).toBe(0);
    const own: Record<string, unknown> = {};
    own['a'] = own;
    own['b'] = own;
    expect(reasonOf(() => canonicalText(own))).toBe('E_CYCLE');
    Object.defineProperty(Object.prototype, 'toJSON', {
      configurable: true,
      value: () => 'changed',
    });
    try {
      expect(canonicalText({ a: [{}], b: { c: 'x' } })).toBe('{"a":[{}],"b":{"c":"x"}}');
    } finally {
      Reflect.deleteProperty(Object.prototype, 'toJSON');
    }
  });

  it('executes its documented example', () => {
    expect(canonicalText({ b: [1, -0], a: 'x' })).toBe('{"a":"x","b":[1,0]}');
  });

  test.each(vectors.canonical)('writes the published bytes of $id', (vector) => {
    const input = readJson(
      'input' in vector && typeof vector.input === 'string'
        ? vector.input
        : Buffer.from(String(Reflect.get(vector, 'inputHex')), 'hex'),
    );
    expect(canonicalText(input)).toBe(vector.canonical);
    expect(Buffer.from(canonicalBytes(input)).toString('hex')).toBe(vector.canonicalHex);
    expect(sha256Hex(canonicalText(input))).toBe(vector.sha256);
  });

  it('writes every number of the vectors as ECMAScript does and refuses the rest', () => {
    const lines = vectors.numbers.map((vector) => {
      const value = doubleOf(vector.ieee);
      const written = Number.isFinite(value)
        ? canonicalText(value)
        : String(reasonOf(() => canonicalText(value)));
      expect(written).toBe('json' in vector ? vector.json : vector.refuse);
      return `${vector.ieee},${written}\n`;
    });
    expect(lines).toHaveLength(151);
    expect(sha256Hex(lines.join(''))).toBe(vectors.numbersDigest.sha256);
  });

  test.each(vectors.equal)('gives equal texts one digest: $id', ({ inputs, sha256 }) => {
    expect(inputs.map((input) => sha256Hex(canonicalText(readJson(input))))).toEqual(
      inputs.map(() => sha256),
    );
  });

  test.each(vectors.different)('gives different values different digests: $id', (vector) => {
    const digests = vector.inputs.map((input) => sha256Hex(canonicalText(readJson(input))));
    expect(digests).toEqual(vector.sha256);
    expect(new Set(digests).size).toBe(digests.length);
  });

  test.each(vectors.refuseValue)('refuses $id with $code', ({ js, code }) => {
    expect(reasonOf(() => canonicalText(evaluated(js)))).toBe(code);
  });

  test.each(vectors.acceptValue)('writes $id', ({ js, canonical }) => {
    expect(canonicalText(evaluated(js))).toBe(canonical);
  });

  it('names the member it refuses and how to mend it', () => {
    expect(() => canonicalText({ spec: { rows: [1, Number.NaN] } })).toThrow(
      expect.objectContaining({
        code: 'value-not-canonical',
        message: 'The number NaN cannot be written as canonical JSON (E_NONFINITE).',
        where: { path: 'spec.rows[1]' },
        mend: 'Use null, booleans, finite numbers, well-formed strings, plain arrays and plain objects only.',
      }),
    );
  });

  it('writes 200 nested containers and refuses 201', () => {
    const nested = (depth: number) => {
      let value: unknown = 1;
      for (let level = 0; level < depth; level += 1) value = [value];
      return value;
    };
    expect(canonicalText(nested(maximumDepth))).toHaveLength(401);
    expect(reasonOf(() => canonicalText(nested(maximumDepth + 1)))).toBe('E_DEPTH');
  });

  it('sorts members by UTF-16 code units, not by code points or locale', () => {
    expect(canonicalText({ '\u{1F600}': 1, '\uFB33': 2, ä: 3, z: 4, Z: 5 })).toBe(
      '{"Z":5,"z":4,"ä":3,"\u{1F600}":1,"\uFB33":2}',
    );
  });

  it('is the inverse of the strict reader and does not depend on member order', () => {
    fc.assert(
      fc.property(readableValue, (value) => {
        const text = canonicalText(value);
        expect(canonicalText(readJson(text))).toBe(text);
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
      }),
      { seed: 20260101, numRuns: 300 },
    );
    fc.assert(
      fc.property(fc.dictionary(fc.string({ unit: 'binary' }), fc.integer()), (members) => {
        const reversed = Object.fromEntries(Object.entries(members).reverse());
        expect(canonicalText(reversed)).toBe(canonicalText(members));
      }),
      { seed: 20260102, numRuns: 200 },
    );
  });
});

describe('canonicalLine', () => {
  it('ends with one line feed', () => {
    expect(canonicalLine({ a: 1 })).toBe('{"a":1}\n');
  });
});

describe('prettyText', () => {
  it('indents the canonical order for people', () => {
    expect(prettyText({ b: 1, a: [2] })).toBe('{\n  "a": [\n    2\n  ],\n  "b": 1\n}\n');
  });
});

describe('compareCodeUnits', () => {
  it('orders by code units and finds equal strings equal', () => {
    expect(['a', 'B', 'ä', 'Z', ''].sort(compareCodeUnits)).toEqual(['', 'B', 'Z', 'a', 'ä']);
    expect(compareCodeUnits('x', 'x')).toBe(0);
    expect(compareCodeUnits('x', 'y')).toBe(-1);
    expect(compareCodeUnits('y', 'x')).toBe(1);
  });
});

describe('recordedText', () => {
  test.each([2 ** 53, -(2 ** 53), 1e20, 123456789012345680])(
    'refuses %d, which the strict reader would not take back',
    (value) => {
      expect(reasonOf(() => recordedText({ n: [value] }))).toBe('E_UNSAFE_INTEGER');
      expect(reasonOf(() => canonicalLine(value))).toBe('E_UNSAFE_INTEGER');
      expect(reasonOf(() => readJson(canonicalText(value)))).toBe('E_UNSAFE_INTEGER');
    },
  );

  it('writes nothing that the strict reader refuses', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.jsonValue()),
        (value) => {
          let line = '';
          try {
            line = canonicalLine(value);
          } catch (error) {
            expect(error).toMatchObject({ details: { reason: 'E_UNSAFE_INTEGER' } });
            return;
          }
          expect(canonicalLine(readCanonical(Buffer.from(line)))).toBe(line);
        },
      ),
    );
    expect(recordedText(2 ** 53 - 1)).toBe('9007199254740991');
    expect(recordedText(1e21)).toBe('1e+21');
  });
});
