import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { canonicalLine, canonicalText } from '../../src/base/canonical.ts';
import { LiftgateError } from '../../src/base/errors.ts';
import * as z from '../../src/base/shape.ts';
import {
  decodeUtf8,
  objectOf,
  readCanonical,
  readJson,
  readRecorded,
} from '../../src/base/strict-json.ts';
import { jcsVectors as vectors } from '../support/vectors.ts';

const bytesOf = (text: string) => new TextEncoder().encode(text);

function failure(work: () => unknown): LiftgateError {
  try {
    work();
  } catch (error) {
    if (error instanceof LiftgateError) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}

describe('readJson', () => {
  it('executes its documented example', () => {
    expect(readJson('{"a": [1, 2.5]}')).toEqual({ a: [1, 2.5] });
  });

  test.each(vectors.refuseJson)('refuses $id with $code', (vector) => {
    const input =
      'inputHex' in vector && typeof vector.inputHex === 'string'
        ? Buffer.from(vector.inputHex, 'hex')
        : bytesOf(String(vector.input));
    const error = failure(() => readJson(input));
    expect(error.code).toBe('json-invalid');
    expect(error.details['reason']).toBe(vector.code);
    expect(error.mend).toMatch(/\.$/);
  });

  it('refuses deep nesting instead of overflowing the stack', () => {
    const { open, times, core, close, code } = vectors.refuseDepth;
    const deep = (count: number) => open.repeat(count) + core + close.repeat(count);
    expect(failure(() => readJson(deep(times))).details['reason']).toBe(code);
    expect(failure(() => readJson(deep(201))).details['reason']).toBe(code);
    expect(canonicalText(readJson(deep(200)))).toBe(deep(200));
    const members = `${'{"a":'.repeat(201)}1${'}'.repeat(201)}`;
    expect(failure(() => readJson(members)).details['reason']).toBe(code);
  });

  it('says where the fault is, counting from the first line it was told', () => {
    const error = failure(() =>
      readJson('{\n  "a": 1,\n  "a": 2\n}', { file: 'cases.jsonl', firstLine: 7 }),
    );
    expect(error.where).toEqual({ file: 'cases.jsonl', line: 9, column: 3 });
    expect(error.message).toBe('The member "a" appears twice (E_DUPLICATE_KEY).');
    expect(error.mend).toBe('Keep one of the two members.');
  });

  it('uses the error code of the caller', () => {
    expect(failure(() => readJson('{', { errorCode: 'receipt-invalid' })).code).toBe(
      'receipt-invalid',
    );
  });

  test.each([
    ['[1 2]', 'Expected a comma or ] (E_SYNTAX).'],
    ['{"a" 1}', 'A colon is missing (E_SYNTAX).'],
    ['{a:1}', 'A member name in double quotes is missing (E_SYNTAX).'],
    ['"\\x"', 'An unknown escape \\x (E_SYNTAX).'],
    ['"\\u12g4"', 'A malformed \\u escape (E_SYNTAX).'],
    ['"abc', 'An unfinished string or a raw control character (E_SYNTAX).'],
    ['-', 'A malformed number (E_SYNTAX).'],
    ['[', 'A value is missing (E_SYNTAX).'],
    ['tru', 'Unexpected character t (E_SYNTAX).'],
    ['[1e999]', 'The number 1e999 overflows (E_NONFINITE).'],
    ['1e-999', 'The number 1e-999 rounds to zero (E_UNDERFLOW).'],
    ['9007199254740993', 'The integer 9007199254740993 would be rounded (E_UNSAFE_INTEGER).'],
  ])('explains %s', (text, message) => {
    expect(failure(() => readJson(text)).message).toBe(message);
  });

  it('reads zero in every spelling and escapes of every kind', () => {
    expect(readJson('[0, -0, 0.0, 0e5, -0.0E-7]')).toEqual([0, -0, 0, 0, -0]);
    expect(readJson('"\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\ud83d\\ude00"')).toBe(
      '"\\/\b\f\n\r\té\u{1F600}',
    );
    expect(readJson(' [ true , false , null , { } , [ ] ] \r\n\t')).toEqual([
      true,
      false,
      null,
      {},
      [],
    ]);
  });

  it('keeps __proto__ as data', () => {
    const value = readJson('{"__proto__":{"polluted":true}}');
    expect(Object.keys(Object(value))).toEqual(['__proto__']);
    expect(Reflect.get({}, 'polluted')).toBeUndefined();
    expect(canonicalText(value)).toBe('{"__proto__":{"polluted":true}}');
  });
});

describe('objectOf', () => {
  it('defines members in the given order', () => {
    expect(
      Object.entries(
        objectOf([
          ['b', 1],
          ['a', 2],
        ]),
      ),
    ).toEqual([
      ['b', 1],
      ['a', 2],
    ]);
  });
});

describe('decodeUtf8', () => {
  it('decodes text and refuses other bytes with the file name', () => {
    expect(decodeUtf8(bytesOf('é\n'))).toBe('é\n');
    const error = failure(() => decodeUtf8(Uint8Array.of(0xff), { file: 'a.json' }));
    expect(error.message).toBe('The file is not valid UTF-8 (E_UTF8).');
    expect(error.where).toEqual({ file: 'a.json' });
    expect(error.mend).toBe('Save the file as UTF-8.');
  });
});

describe('readCanonical', () => {
  it('reads exactly the canonical line', () => {
    expect(readCanonical(bytesOf('{"a":1}\n'))).toEqual({ a: 1 });
  });

  test.each([
    ['{"a":1}', ' (the last line feed is missing)'],
    ['{"a":1}\r\n', ' (line ends were converted to CRLF)'],
    ['{\n  "a": 1\n}\n', ' (it was re-indented)'],
    ['{"b":1,"a":2}\n', ''],
    ['{"a":1.0}\n', ''],
    ['{"a":"\\u0041"}\n', ''],
    ['{"a":1}\n\n', ''],
  ])('refuses %j and names the likely cause', (text, cause) => {
    const error = failure(() => readCanonical(bytesOf(text), { file: 'x.json' }));
    expect(error.code).toBe('run-invalid');
    expect(error.message).toBe(`The bytes are not the canonical form of their value${cause}.`);
    expect(error.mend).toBe(
      'Restore the recorded file; it must not be re-indented, converted or edited.',
    );
  });

  test.each([
    ['<<<<<<< HEAD\n{"b":1}\n=======\n{"c":1}\n>>>>>>> theirs\n', 'it holds merge markers'],
    [
      'version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 12\n',
      'it is a Git LFS pointer',
    ],
  ])('diagnoses text that is no JSON at all', (text, cause) => {
    expect(failure(() => readCanonical(bytesOf(text))).message).toContain(cause);
  });

  it.each([
    ['a duplicate member', '{"a":1,"a":1}\n', 'E_DUPLICATE_KEY'],
    ['an integer that may have been rounded', '{"a":9007199254740992}\n', 'E_UNSAFE_INTEGER'],
    ['a lone surrogate that JSON.stringify writes back', '["\\ud800"]\n', 'E_SURROGATE'],
    ['a lone surrogate in a key', '{"\\udfff":1}\n', 'E_SURROGATE'],
    ['nesting deeper than 200', `${'['.repeat(201)}${']'.repeat(201)}\n`, 'E_DEPTH'],
  ])('refuses %s like the reader that trusts nothing', (_, text, reason) => {
    expect(failure(() => readCanonical(bytesOf(text))).details['reason']).toBe(reason);
  });

  it.each([
    '{"1":0,"10":0,"2":0}\n',
    '{"":1,"__proto__":{"a":[]}}\n',
    '[1e+21,1e-7,-1.5,"\\\\ud800","\u{1f600}",null]\n',
    `${'['.repeat(200)}${']'.repeat(200)}\n`,
  ])('accepts %s', (text) => {
    expect(canonicalLine(readCanonical(bytesOf(text)))).toBe(text);
  });

  it('accepts of any canonical text and its mangled copies exactly what is written back and read strictly', () => {
    let accepted = 0;
    fc.assert(
      fc.property(
        fc.jsonValue({ maxDepth: 4 }),
        fc.nat(),
        fc.constantFrom('', '0', '-', 'e1', ' ', ',', '"a":1,', '\\ud83d', '\n', '}'),
        (value, at, inserted) => {
          const canonical = `${canonicalText(value)}\n`;
          const place = at % canonical.length;
          const text = canonical.slice(0, place) + inserted + canonical.slice(place);
          const strict = () => {
            const read = readJson(text);
            return `${canonicalText(read)}\n` === text ? read : undefined;
          };
          expect(outcome(() => readCanonical(bytesOf(text)))).toEqual(outcome(strict));
          if (outcome(strict) !== undefined) accepted += 1;
        },
      ),
      { seed: 20261130, numRuns: 3000 },
    );
    expect(accepted).toBeGreaterThan(300);
  });
});

describe('readRecorded', () => {
  const item = z.strictObject({ id: z.string(), on: z.boolean().nullable() });
  const shape = z.strictObject({ list: z.array(item).max(3), n: z.number(), t: z.string() });
  const lineOf = (id: string, t: string) =>
    `{"list":[{"id":"${id}","on":null}],"n":-1.5,"t":"${t}"}\n`;
  const read = (line: string) => {
    const { success, data } = readRecorded(bytesOf(line), shape);
    return success ? data : undefined;
  };
  // As many lines as it takes to read by their form.
  for (let line = 0; line < 200; line += 1) read(lineOf('a', `text number ${line}`));

  it('gives every line a value of its own, which neither later lines nor the first ones share', () => {
    const lines = [lineOf('b', 'a text of some length'), lineOf('c', 'another text')];
    const [first, second] = lines.map(read);
    expect(first).toEqual(JSON.parse(lines[0] ?? ''));
    Object.assign(first?.list[0] ?? {}, { id: 'changed' });
    expect(lines.map(read)).toEqual(lines.map((line) => JSON.parse(line)));
    expect(canonicalLine(second)).toBe(lines[1]);
  });

  test.each(['\\u0000', '\\n', '\\"', 'é', '\u{1f600}', '\x7f', ''])(
    'takes %j in a text',
    (piece) => {
      const line = lineOf(piece, `some ${piece} text`);
      expect(read(line)).toEqual(JSON.parse(line));
      expect(canonicalLine(read(line))).toBe(line);
    },
  );

  test.each(['\0', '\x02', '\n', '"', '\\', '\\u0041', '\\/'])('refuses %j in a text', (piece) => {
    expect(outcome(() => read(lineOf(piece, 'some text')))).toBeUndefined();
    expect(outcome(() => read(lineOf('a', `some ${piece} text`)))).toBeUndefined();
  });
});

/** What a reader accepts; undefined when it refuses. */
function outcome(read: () => unknown): unknown {
  try {
    return read();
  } catch (error) {
    if (error instanceof LiftgateError) return undefined;
    throw error;
  }
}
