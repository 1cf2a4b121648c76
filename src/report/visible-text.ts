/** Text that others wrote, made safe to look at: what cannot be seen, or reorders what can, is shown by its code point. */

/**
 * Code points that are replaced: controls except tab and line feed, marks that change the direction of text, characters of no width
 * that no script needs, line and paragraph separators, lone surrogates, noncharacters, tags. Joiners stay: scripts and emoji use them.
 */
const hiddenRanges: readonly (readonly [number, number])[] = [
  [0x00, 0x08],
  [0x0b, 0x1f],
  [0x7f, 0x9f],
  [0xad, 0xad],
  [0x61c, 0x61c],
  [0x180e, 0x180e],
  [0x200b, 0x200b],
  [0x200e, 0x200f],
  [0x2028, 0x202e],
  [0x2060, 0x206f],
  [0xd800, 0xdfff],
  [0xfdd0, 0xfdef],
  [0xfeff, 0xfeff],
  [0xfff0, 0xfffb],
  [0xe0000, 0xe007f],
];

function isHidden(code: number): boolean {
  if (code >= 0x20 && code < 0x7f) return false;
  const noncharacter = code % 0x10000 >= 0xfffe;
  return noncharacter || hiddenRanges.some(([first, last]) => code >= first && code <= last);
}

function shownCode(code: number): string {
  return `⟨U+${code.toString(16).toUpperCase().padStart(4, '0')}⟩`;
}

/** Visible ASCII, tabs and line feeds: nothing to look at more closely. */
const plainText = /^[\t\n -~]*$/;

/**
 * The text with every invisible or reordering character written as its code point; tabs and line feeds stay.
 *
 * What is left is legal in XML 1.0 and reads in the order it is stored in.
 * @example visibleText('safe\u202Etxt.exe') // => 'safe⟨U+202E⟩txt.exe'
 */
export function visibleText(text: string): string {
  if (plainText.test(text)) return text;
  let shown = '';
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    shown += isHidden(code) ? shownCode(code) : character;
  }
  return shown;
}

/**
 * `visibleText` on one line: white space of any kind becomes single spaces, none at the ends.
 * @example visibleLine(' a\n b ') // => 'a b'
 */
export function visibleLine(text: string): string {
  return visibleText(text.replace(/[\t\n\r ]+/g, ' ')).trim();
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/**
 * Visible text for the content and the quoted attributes of HTML and XML.
 * @example escapeMarkup('<b title="x">') // => '&lt;b title=&quot;x&quot;&gt;'
 */
export function escapeMarkup(text: string): string {
  return visibleText(text).replace(/[&<>"']/g, (character) => entities[character] ?? character);
}
