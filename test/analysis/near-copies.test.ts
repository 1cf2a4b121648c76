import { describe, expect, test } from 'vitest';
import {
  type CaseTexts,
  copiesAcross,
  nearCopies,
  nearCopyLines,
  nearCopyRule,
} from '../../src/analysis/near-copies.ts';
import { digestHex, digestOf } from '../../src/base/digest.ts';
import type { Case, Split } from '../../src/spec/units.ts';
import { randomStream } from '../../src/stats/random.ts';
import { exampleTests } from '../support/examples.ts';

exampleTests('src/analysis/near-copies.ts', {
  names: ['nearCopies', 'copiesAcross', 'nearCopyLines'],
  scope: { nearCopies, copiesAcross, nearCopyLines },
});

let made = 0;

function caseOf(unit: string, input: Case['input'], split: Split = 'final'): Case {
  made += 1;
  return { id: `${unit}/${made}`, unit, split, row: made, fields: {}, input, expected: {} };
}

const mail =
  'Dear shop, my parcel with order 4711 came on 3 August and the blue cup was broken, please send me another cup or my money back';

function words(count: number, seed: string): string {
  const draw = randomStream(digestHex(digestOf(seed)), 'near-copies');
  const letter = () => String.fromCharCode(97 + draw.below(26));
  return Array.from({ length: count }, () => `w${letter()}${letter()}${letter()}`).join(' ');
}

describe('nearCopies', () => {
  test.each([
    ['a counter field', { mail, counter: 1 }, { mail, counter: 2 }],
    ['a number in the text', { mail }, { mail: mail.replace('4711', '90210') }],
    ['a date', { mail }, { mail: mail.replace('3 August', '17 August') }],
    [
      'numbers, case, width and white space',
      { mail },
      { mail: `  ${mail.toUpperCase()} `.replace('4711', '１２') },
    ],
  ])('finds a copy that differs by %s', (_, first, second) => {
    const { pairs, compared, tooShort } = nearCopies([caseOf('a', first), caseOf('b', second)]);
    expect(pairs).toMatchObject([{ unit: 'b', like: 'a', similarity: 1, onlyNumbers: true }]);
    expect([compared, tooShort]).toEqual([2, 0]);
  });

  test('takes ASCII apart into the same words as any other text', () => {
    const signs = Array.from({ length: 0x5f }, (_, at) => `w${String.fromCharCode(0x20 + at)}7`);
    const ascii = `${mail} ${signs.join(' ')}`;
    const { pairs } = nearCopies([
      caseOf('a', { mail: ascii }),
      // A dash is no word, and asks for the rules of all scripts.
      caseOf('b', { mail: `${ascii} \u2013` }),
    ]);
    expect(pairs).toMatchObject([{ similarity: 1, onlyNumbers: true }]);
  });

  test('finds a text with a word changed and says how much of it is the same', () => {
    const changed = mail.replace('blue', 'green');
    const { pairs } = nearCopies([caseOf('a', { mail }), caseOf('b', { mail: changed })]);
    expect(pairs).toMatchObject([{ unit: 'b', like: 'a', onlyNumbers: false }]);
    // 26 words, 25 pairs; two pairs of each text are its own.
    expect(pairs[0]?.similarity).toBeCloseTo(23 / 27, 12);
  });

  test('leaves other texts, cases of one unit and pairs outside the final split alone', () => {
    expect(
      nearCopies([
        caseOf('a', { mail }),
        caseOf('a', { mail: mail.replace('blue', 'red') }),
        caseOf('b', {
          mail: 'The invoice names another company than ours; who can change the address on it',
        }),
        caseOf('c', { mail: `${words(25, 'c')}` }, 'train'),
        caseOf('d', { mail: `${words(25, 'c')} more` }, 'selection'),
      ]).pairs,
    ).toEqual([]);
  });

  test('names the splits of a pair that only one final unit makes', () => {
    const { pairs } = nearCopies([caseOf('a', { mail }, 'train'), caseOf('b', { mail })]);
    expect(pairs).toMatchObject([{ unit: 'b', split: 'final', like: 'a', likeSplit: 'train' }]);
  });

  test('reads fields in one order and leaves ignored ones out', () => {
    const first = { text: mail, nonce: words(30, 'first') };
    const second = { nonce: words(30, 'second'), text: mail };
    expect(nearCopies([caseOf('a', first), caseOf('b', second)]).pairs).toEqual([]);
    expect(nearCopies([caseOf('a', first), caseOf('b', second)], ['nonce']).pairs).toHaveLength(1);
  });

  test('counts what is too short to compare, numbers aside', () => {
    const sums = [3, 4, 5].map((n) => caseOf(`s${n}`, { question: `what is ${n} + ${n}?`, n }));
    expect(nearCopies(sums)).toEqual({ pairs: [], compared: 0, tooShort: 3 });
  });

  test('takes writing without spaces by the character', () => {
    const text = '请帮我查询昨天的订单什么时候可以送到我家谢谢';
    const { pairs } = nearCopies([
      caseOf('a', { text }),
      caseOf('b', { text: text.replace('昨', '今') }),
      caseOf('c', { text: '发票上的公司名称写错了应该怎么修改呢麻烦你们尽快处理' }),
    ]);
    expect(pairs).toMatchObject([{ unit: 'b', like: 'a' }]);
  });

  test('finds every pair at an overlap of 0.8 among many texts, and nothing below 0.7', () => {
    const texts = Array.from({ length: 150 }, (_, at) => words(60, `text ${at}`));
    const edited = (text: string, share: number) => {
      const list = text.split(' ');
      return list.map((word, at) => (at % share === 5 ? `x${word}` : word)).join(' ');
    };
    const originals = texts.map((text, at) => caseOf(`u${at}`, { text }));
    const near = texts.map((text, at) => caseOf(`n${at}`, { text: edited(text, 20) }));
    const far = texts.map((text, at) => caseOf(`f${at}`, { text: edited(text, 8) }));
    const { pairs } = nearCopies([...originals, ...near, ...far]);
    expect(pairs.map(({ unit, like }) => [unit, like])).toEqual(
      texts.map((_, at) => [`n${at}`, `u${at}`]),
    );
    for (const { similarity } of pairs) expect(similarity).toBeGreaterThanOrEqual(0.8);
  });

  test('stays fast when all of many units come from one template', () => {
    const same = Array.from({ length: 3000 }, (_, at) => caseOf(`t${at}`, { mail, counter: at }));
    const { pairs } = nearCopies(same);
    expect(pairs).toHaveLength(2999);
    expect(new Set(pairs.map(({ like }) => like))).toEqual(new Set(['t0']));
  });
});

describe('nearCopyLines', () => {
  test('says the rule, how each pair differs, and what to do', () => {
    const report = nearCopies([
      caseOf('a', { mail }),
      caseOf('b', { mail: mail.replace('blue', 'green') }, 'train'),
      caseOf('c', { mail, n: 2 }),
      caseOf('d', { n: 1 }),
    ]);
    expect(nearCopyRule).toEqual({ version: 'near-copy/1', threshold: 0.7, fewestWords: 5 });
    expect(nearCopyLines(report)).toEqual([
      'near copies: 2 units resemble another (word pairs in common at least 0.7, numbers left out; 1 case has too few words to compare)',
      '  "b" (train) ~ "a" (final): 0.85 alike',
      '  "c" (final) ~ "a" (final): 0.96 alike',
      '  If they come from one source, give them one unit id: copies under several ids count several times toward n.',
    ]);
  });

  test('shows ten pairs and counts the rest', () => {
    const many = Array.from({ length: 14 }, (_, at) => caseOf(`t${at}`, { mail, counter: at }));
    const lines = nearCopyLines(nearCopies(many));
    expect(lines).toHaveLength(13);
    expect(lines[11]).toBe('  and 3 more');
    expect(lines[1]).toBe('  "t1" (final) ~ "t0" (final): only numbers differ');
  });
});

describe('copiesAcross', () => {
  const textsOf = (
    experiment: string,
    cases: readonly Case[],
    ignore: string[] = [],
  ): CaseTexts => ({
    ...{ experiment, cases, ignore },
  });
  const changed = { mail: mail.replace('4711', '90210').replace('cup or', 'cup soon or') };

  test('names unit, split and experiment of what a unit resembles', () => {
    const own = textsOf('new', [caseOf('n-1', changed), caseOf('n-2', { mail: words(20, 'x') })]);
    const other = textsOf('old', [caseOf('o-1', { mail }, 'train')]);
    expect(copiesAcross(own, [textsOf('empty', []), other]).pairs).toEqual([
      expect.objectContaining({
        ...{ unit: 'n-1', split: 'final', experiment: 'old', like: 'o-1', likeSplit: 'train' },
        onlyNumbers: false,
      }),
    ]);
  });

  test('finds what copies within its own experiment, and what is copied within the other, would hide', () => {
    const own = textsOf('new', [caseOf('n-1', { mail }), caseOf('n-2', changed)]);
    const other = textsOf('old', [caseOf('o-1', { mail }), caseOf('o-2', changed)]);
    const pairs = copiesAcross(own, [other]).pairs.map(({ unit, like }) => `${unit} ${like}`);
    expect(pairs).toEqual(['n-1 o-1', 'n-2 o-2']);
  });

  test('leaves out one unit under one id, pairs without a final unit, and fields that are ignored', () => {
    const own = [caseOf('u', { mail }), caseOf('d', { mail }, 'train'), caseOf('f', { mail })];
    const same = textsOf('old', [caseOf('u', { mail }, 'train')]);
    const found = copiesAcross(textsOf('new', own), [same]).pairs;
    expect(found.map(({ unit }) => unit)).toEqual(['f']);
    const ignored = textsOf('old', [caseOf('o', { mail, note: words(60, 'y') })], ['note']);
    expect(copiesAcross(textsOf('new', own), [ignored]).pairs).toHaveLength(3);
    expect(copiesAcross(textsOf('new', own, ['mail']), [same])).toEqual({ pairs: [], tooShort: 3 });
  });

  test('compares with every experiment by itself', () => {
    const own = textsOf('new', [caseOf('n', { mail })]);
    const others = ['a', 'b'].map((id) => textsOf(id, [caseOf(`of-${id}`, { mail })]));
    const found = copiesAcross(own, others).pairs;
    expect(found.map(({ experiment, similarity }) => [experiment, similarity])).toEqual([
      ['a', 1],
      ['b', 1],
    ]);
  });
});
