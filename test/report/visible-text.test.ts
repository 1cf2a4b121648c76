import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { dataTable, html, isolated } from '../../src/report/html-text.ts';
import { escapeMarkdown } from '../../src/report/markdown.ts';
import { escapeMarkup, visibleLine, visibleText } from '../../src/report/visible-text.ts';
import { exampleTests } from '../support/examples.ts';

const scope = { visibleText, visibleLine, escapeMarkup, html, isolated };
exampleTests('src/report/visible-text.ts', {
  names: ['visibleText', 'visibleLine', 'escapeMarkup'],
  scope,
});
exampleTests('src/report/html-text.ts', { names: ['html', 'isolated'], scope });

describe('visibleText', () => {
  test.each([
    ['a\u0000b', 'a⟨U+0000⟩b'],
    ['a\rb', 'a⟨U+000D⟩b'],
    ['\u202Dx\u2069', '⟨U+202D⟩x⟨U+2069⟩'],
    ['a\uFEFFb\u200Bc', 'a⟨U+FEFF⟩b⟨U+200B⟩c'],
    ['lone \uD800 surrogate', 'lone ⟨U+D800⟩ surrogate'],
    ['tag \u{E0041}', 'tag ⟨U+E0041⟩'],
    ['\uFFFF', '⟨U+FFFF⟩'],
    ['tab\tline\n', 'tab\tline\n'],
    ['grüße, שלום, 👩‍🚀', 'grüße, שלום, 👩‍🚀'],
  ])('writes what cannot be seen or reorders text as code points: %j', (text, shown) => {
    expect(visibleText(text)).toBe(shown);
  });

  test('leaves only characters that XML 1.0 allows', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(visibleText(text)).toMatch(
          /^[\t\n\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]*$/u,
        );
      }),
      { seed: 7 },
    );
  });
});

describe('html', () => {
  test('escapes every value but markup, in content and in attributes', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const inner = html`<p title="${text}">${text}</p>`.text.slice('<p title="'.length, -4);
        expect(inner.replace('">', '')).not.toMatch(/[<>"']/);
      }),
      { seed: 11 },
    );
    expect(html`${[html`<i>`, '<i>', 1]}`.text).toBe('<i>&lt;i&gt;1');
  });
});

describe('dataTable', () => {
  test('labels each cell with its column and keeps table roles for narrow screens', () => {
    const table = dataTable({ caption: 'C', head: ['a', 'b'], rows: [['<x>', 2]] }).text;
    expect(table).toContain(
      '<th scope="row" role="rowheader" data-label="a"><div>&lt;x&gt;</div></th>',
    );
    expect(table).toContain('<td role="cell" data-label="b"><div>2</div></td>');
    expect(table).toContain('<caption class="unseen">C</caption>');
  });
});

describe('escapeMarkdown', () => {
  test('leaves no markup, line break or invisible character', () => {
    expect(escapeMarkdown('a|b\n<i> `c` [x](y) \u202E##[error]')).toBe(
      'a\\|b \\<i\\> \\`c\\` \\[x\\](y) ⟨U+202E⟩\\#\\#\\[error\\]',
    );
  });
});
