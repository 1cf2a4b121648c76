import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { likenessOf, lookalikeVersion, shownId } from '../../src/spec/lookalike.ts';
import { skeletonOf, unitIdProblem } from '../../src/spec/units.ts';
import { exampleTests } from '../support/examples.ts';

exampleTests('src/spec/lookalike.ts', {
  names: ['likenessOf', 'shownId'],
  scope: { likenessOf, shownId },
});

describe('likenessOf', () => {
  test.each([
    ['Cyrillic small letters', '\u0441\u0430\u0455\u0435-1', 'case-1'],
    ['Cyrillic capitals, which do not look alike when small', '\u0412\u041d\u0425-1', 'BHX-1'],
    ['a Cyrillic capital i, which UTS #39 takes for l', '\u0406D-1', 'id-1'],
    ['Greek letters', '\u03bf\u03bd\u03b1-7', 'ova-7'],
    ['fullwidth letters', '\uff43\uff41\uff53\uff45-1', 'case-1'],
    ['a mathematical letter', '\u{1d41c}ase-1', 'case-1'],
    ['Cherokee letters', '\u13df\u13aa\u13da\u13ac', 'case'],
    ['Armenian letters', '\u0585\u057d\u057c', 'oun'],
    ['a dotless i', 'un\u0131t', 'unit'],
    ['a letter with an accent', 'caf\u0451', 'caf\u00eb'],
    ['another hyphen', 'case\u20101', 'case-1'],
    ['a minus sign', 'case\u22121', 'case-1'],
    ['Arabic-Indic digits', 'case-\u0661\u0662', 'case-12'],
    ['Devanagari digits', 'case-\u0967\u0968', 'case-12'],
    ['a multiplication sign', '2\u00d73', '2x3'],
  ])('sees through %s', (_, id, plain) => {
    expect(unitIdProblem(id)).toBeNull();
    expect(likenessOf(id)).toBe(likenessOf(plain));
  });

  test.each([
    ['u-1', 'u-l'],
    ['u-1', 'u-I'],
    ['u-l', 'u-I'],
    ['u-0', 'u-O'],
    ['m-1', 'rn-1'],
    ['vv', 'w'],
    ['case-1', 'case_1'],
    ['caf\u00e9', 'cafe'],
    ['\u0436\u0443\u043a', '\u0436\u0443\u043a\u0438'],
    ['\u4e00', '-'],
    ['\u05d5', 'l'],
  ])('keeps %s and %s apart', (first, second) => {
    expect(likenessOf(first)).not.toBe(likenessOf(second));
  });

  test('is the skeleton of every id in ASCII, and stays what it is when taken again', () => {
    const ascii = fc.string({ unit: 'grapheme-ascii', maxLength: 12 });
    fc.assert(
      fc.property(ascii, (id) => {
        expect(likenessOf(id)).toBe(skeletonOf(id));
      }),
      { seed: 5, numRuns: 300 },
    );
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 12 }), (id) => {
        fc.pre(unitIdProblem(id) === null);
        const once = likenessOf(id);
        expect(likenessOf(once)).toBe(once);
      }),
      { seed: 5, numRuns: 500 },
    );
  });
});

describe('the table', () => {
  const source = readFileSync(new URL('../../src/spec/lookalike.ts', import.meta.url), 'utf8');
  const rows = [...source.matchAll(/\[\s*(?:'(.|\\\\)'|"(')"),\s*'((?:\\u[^']*)+)',?\s*\],/g)].map(
    ([, plain, quote, alike = '']) => ({
      plain: quote ?? (plain === '\\\\' ? '\\' : (plain ?? '')),
      alike: [
        ...alike.replace(/\\u\{?([0-9a-f]+)\}?/g, (_, hex: string) =>
          String.fromCodePoint(Number.parseInt(hex, 16)),
        ),
      ],
    }),
  );

  test('names every look-alike once, in the form in which ids are looked up', () => {
    expect(lookalikeVersion).toBe('lookalike/1');
    const all = rows.flatMap(({ alike }) => alike);
    expect(all.length).toBe(444);
    expect(new Set(all).size).toBe(all.length);
    for (const character of all) {
      expect(character.normalize('NFKC').normalize('NFD')).toBe(character);
      expect(character.codePointAt(0)).toBeGreaterThan(0x7f);
    }
    for (const { plain, alike } of rows) {
      expect(plain).toMatch(/^[!-@[-~]$/);
      for (const character of alike) expect(likenessOf(`x${character}x`)).toBe(`x${plain}x`);
    }
  });
});

describe('shownId', () => {
  test('names each look-alike once and leaves other ids alone', () => {
    expect(shownId('case-1')).toBe('"case-1"');
    expect(shownId('\u0436\u0443\u043a')).toBe('"\u0436\u0443\u043a" (U+0443 looks like y)');
    expect(shownId('\u0441\u0441\u0435')).toBe(
      '"\u0441\u0441\u0435" (U+0441 looks like c, U+0435 looks like e)',
    );
  });
});
