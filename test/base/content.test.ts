import { describe, expect, test } from 'vitest';
import {
  type ByteSource,
  checkedContent,
  chunksOf,
  digestOfContent,
  isWholeLine,
  linesOf,
  wholeBytes,
} from '../../src/base/content.ts';
import { digestOf } from '../../src/base/digest.ts';
import { exampleTests } from '../support/examples.ts';

const encoder = new TextEncoder();

/** The bytes in pieces of some length; every piece comes in the same place, as a file is read. */
function inPieces(bytes: Uint8Array, length: number): ByteSource {
  return {
    length: bytes.length,
    chunks: function* () {
      const place = Buffer.alloc(length);
      for (let at = 0; at < bytes.length; at += length) {
        const piece = bytes.subarray(at, at + length);
        place.fill('x');
        place.set(piece);
        yield place.subarray(0, piece.length);
      }
    },
  };
}

/** Lines as texts, each read before the next is asked for. */
function textsOf(content: Parameters<typeof linesOf>[0]): string[] {
  const texts: string[] = [];
  for (const line of linesOf(content)) texts.push(new TextDecoder().decode(line));
  return texts;
}

describe('linesOf', () => {
  const text = 'a\n\nzwölf €\r\n\u{1F600}\nopen';
  const lines = ['a\n', '\n', 'zwölf €\r\n', '\u{1F600}\n', 'open'];

  test.each(Array.from({ length: 30 }, (_, at) => at + 1))(
    'gives the same lines from pieces of %i bytes, a character or a line end cut in two among them',
    (length) => {
      const bytes = encoder.encode(text);
      expect(textsOf(inPieces(bytes, length))).toEqual(lines);
      expect(textsOf(inPieces(encoder.encode(`${text}\n`), length)).at(-1)).toBe('open\n');
    },
  );

  test('gives the lines of bytes in memory, and none of an empty file', () => {
    expect(textsOf(encoder.encode(text))).toEqual(lines);
    expect(textsOf(new Uint8Array())).toEqual([]);
    expect(textsOf(inPieces(new Uint8Array(), 7))).toEqual([]);
  });

  test('takes a line of 64 MB once, not again with every piece', () => {
    const long = new Uint8Array(64e6).fill(0x61);
    const file: ByteSource = {
      length: long.length + 3,
      chunks: function* () {
        for (let at = 0; at < long.length; at += 1e6) yield long.subarray(at, at + 1e6);
        yield encoder.encode('\nb\n');
      },
    };
    const started = process.cpuUsage();
    const found = [...linesOf(file)].map((line) => line.length);
    expect(found).toEqual([64e6 + 1, 2]);
    expect(process.cpuUsage(started).user / 1e6).toBeLessThan(5);
  });

  test('only a line without line feed is open', () => {
    expect([...linesOf(encoder.encode('a\nb'))].map(isWholeLine)).toEqual([true, false]);
    expect(isWholeLine(new Uint8Array())).toBe(false);
  });
});

describe('content in pieces', () => {
  const bytes = encoder.encode('some bytes that come in pieces');

  test('is the same as in memory, whole and as a digest', () => {
    expect(wholeBytes(inPieces(bytes, 4))).toEqual(bytes);
    expect(digestOfContent(inPieces(bytes, 4))).toBe(digestOf(bytes));
    expect(digestOfContent(bytes)).toBe(digestOf(bytes));
  });

  test('is refused at its end when it is read again and has other bytes', () => {
    const refuse = (): never => {
      throw new Error('changed');
    };
    const same = checkedContent(inPieces(bytes, 4), digestOf(bytes), refuse);
    expect(wholeBytes(same)).toEqual(bytes);
    const other = checkedContent(inPieces(bytes.with(3, 0), 4), digestOf(bytes), refuse);
    expect(() => wholeBytes(other)).toThrow('changed');
  });
});

exampleTests('src/base/content.ts', {
  names: ['chunksOf', 'wholeBytes', 'digestOfContent', 'linesOf'],
  scope: { chunksOf, wholeBytes, digestOfContent, linesOf },
});
