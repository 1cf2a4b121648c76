import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { LiftgateError } from '../../src/base/errors.ts';
import { readWireJson, reasonOf } from '../../src/host/wire-json.ts';
import { exampleTests } from '../support/examples.ts';

describe('readWireJson', () => {
  test.each([
    [String.raw`"\\ud83d"`, String.raw`\ud83d`],
    [String.raw`"\ud83d\ude00"`, '\u{1f600}'],
    [String.raw`"\ud83d\ud83d\ude00"`, '\ufffd\u{1f600}'],
    [String.raw`"\ude00\ud83d"`, '\ufffd\ufffd'],
    [String.raw`"\ud83dx\u0041"`, '\ufffdxA'],
    [String.raw`"\\\ud83d"`, '\\\ufffd'],
  ])('reads %s', (text, value) => {
    expect(readWireJson(text)).toBe(value);
  });

  test('mends names of members too, and refuses two that become one', () => {
    expect(readWireJson(String.raw`{"a\ud83d":1}`)).toEqual({ 'a\ufffd': 1 });
    expect(() => readWireJson(String.raw`{"a\ud83d":1,"a\ud83e":2}`)).toThrow('appears twice');
  });

  test.each(['NaN', '{"a":1,"a":2}', '9007199254740993', '1e999', '{"a":"\\ud83d","b":NaN}'])(
    'still refuses %s',
    (text) => {
      expect(() => readWireJson(text)).toThrow(LiftgateError);
    },
  );

  test('reads what JSON writes of any strings, with halves mended', () => {
    const units = fc.array(fc.integer({ min: 0xd700, max: 0xe010 }), { maxLength: 8 });
    fc.assert(
      fc.property(units, (codes) => {
        const text = `\\${String.fromCharCode(...codes)}"`;
        expect(readWireJson(JSON.stringify([text]))).toEqual([text.toWellFormed()]);
      }),
      { numRuns: 500, seed: 5 },
    );
  });
});

exampleTests('src/host/wire-json.ts', {
  names: ['readWireJson', 'reasonOf'],
  scope: { readWireJson, reasonOf },
});
