import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { LineReader, LongLine } from '../../src/host/line-reader.ts';
import { readHostLine } from '../../src/host/worker-line.ts';
import { exampleTests } from '../support/examples.ts';

function textOf(lines: readonly (Buffer | LongLine)[] | null): string[] | null {
  return (
    lines?.map((line) =>
      line instanceof LongLine ? `${line.length} bytes` : line.toString('utf8'),
    ) ?? null
  );
}

describe('LineReader', () => {
  test('gives the same lines however the bytes are cut into chunks', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: 'grapheme' })),
        fc.array(fc.nat(40)),
        (texts, cuts) => {
          const lines = texts.map((text) => text.replaceAll('\n', ' '));
          let rest = Buffer.from(lines.map((line) => `${line}\n`).join(''));
          const reader = new LineReader();
          const got: string[] = [];
          for (const cut of [...cuts, rest.length]) {
            got.push(...(textOf(reader.push(rest.subarray(0, cut))) ?? []));
            rest = rest.subarray(cut);
          }
          expect(got).toEqual(lines);
          expect(reader.unfinished).toBe(false);
        },
      ),
      { numRuns: 100, seed: 4 },
    );
  });

  test('takes a line of exactly the limit, and counts one of a byte more', () => {
    expect(textOf(new LineReader(4).push(Buffer.from('1234\n12')))).toEqual(['1234']);
    expect(textOf(new LineReader(4).push(Buffer.from('12345\n12\n')))).toEqual(['5 bytes', '12']);
    const reader = new LineReader(4);
    reader.push(Buffer.from('123'));
    expect(reader.unfinished).toBe(true);
    expect(reader.push(Buffer.from('45'))).toEqual([]);
    expect(textOf(reader.push(Buffer.from('6\n78\n')))).toEqual(['6 bytes', '78']);
    expect(reader.unfinished).toBe(false);
  });

  test('keeps start and end of a long line, and gives up one that does not end', () => {
    const reader = new LineReader(8);
    const line = reader.push(Buffer.from('"ab" and "c" and "de"\n'))?.[0];
    if (!(line instanceof LongLine)) throw new Error('the line is long');
    expect(['ab', 'c', 'de', 'b', 'f'].map((text) => line.names(text))).toEqual([
      true,
      true,
      true,
      false,
      false,
    ]);
    expect(new LineReader(4).push(Buffer.from('x'.repeat(64)))).toEqual([]);
    expect(new LineReader(4).push(Buffer.from('x'.repeat(65)))).toBeNull();
  });
});

describe('readHostLine', () => {
  test.each([
    ['{"kind":"log","text":"x"}', { kind: 'sign', cellKey: null }],
    ['{"kind":"heartbeat","cellKey":"abc"}', { kind: 'sign', cellKey: 'abc' }],
    ['{"kind":"heartbeat"}', { kind: 'sign', cellKey: null }],
    [
      '{"kind":"grade","cellKey":"abc"}',
      { kind: 'answer', cellKey: 'abc', value: { kind: 'grade', cellKey: 'abc' } },
    ],
  ])('reads %s', (text, line) => {
    expect(readHostLine(Buffer.from(text))).toEqual(line);
  });

  test.each([
    '',
    'ready',
    '[]',
    '1',
    'null',
    '{"kind":"execute","kind":"grade"}',
    '{"kind":NaN}',
    '{"kind":"bye"}',
    '{"kind":"hello"}',
  ])('takes %s as garbage', (text) => {
    expect(readHostLine(Buffer.from(text)).kind).toBe('garbage');
  });

  test('takes invalid UTF-8 as garbage', () => {
    expect(readHostLine(Buffer.from([0x7b, 0xff, 0x7d])).kind).toBe('garbage');
  });
});

exampleTests('src/host/worker-line.ts', {
  names: ['readHostLine'],
  scope: { readHostLine, Buffer },
});
