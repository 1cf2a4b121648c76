/**
 * Look-alikes: ids that people read as one and machines tell apart, such as a Cyrillic letter among Latin ones.
 *
 * Source of the table: confusables.txt of UTS #39 (Unicode 15.0, as ICU 72 holds it; Unicode License v3), written by
 * scripts/lookalikes.c. It keeps what looks like one ASCII character and is not folded by NFKC anyway, of Latin, Greek, Cyrillic,
 * Armenian, Georgian, Coptic, Cherokee, Lisu, Canadian syllabics, alphabets no longer in use, and signs; letters of other scripts and
 * combining marks stay themselves. Unlike UTS #39, which takes I, l and 1 for one and O and 0 for another, ASCII characters never look
 * like each other: ids tell them apart. Decimal digits of every script are taken for their value.
 *
 * Whatever changes the table changes `lookalikeVersion` too: the ledger refuses by it.
 */
import { skeletonOf } from './units.ts';

/** Version word of `likenessOf`. */
export const lookalikeVersion = 'lookalike/1';

/** Lower-case ASCII character and everything that looks like it or its capital. */
const likenesses: readonly (readonly [plain: string, alike: string])[] = [
  ['!', '\u01c3'],
  ['&', '\ua778'],
  [
    "'",
    '\u02b9\u02bb\u02bc\u02bd\u02be\u02c8\u02ca\u02cb\u02f4\u055a\u055d\u144a\u16cc\u2018\u2019\u201b\u2032\u2035\ua78c',
  ],
  ['(', '\u2768\u2772\u3014\ufd3e'],
  [')', '\u2769\u2773\u3015\ufd3f'],
  ['*', '\u204e\u2217\u{1031f}'],
  ['+', '\u16ed\u2795\u{1029b}'],
  [',', '\u201a\ua4f9'],
  ['-', '\u02d7\u2010\u2012\u2013\u2043\u2212\u2796\u2cba'],
  ['.', '\ua4f8'],
  ['/', '\u1735\u2041\u2044\u2215\u2571\u27cb\u29f8\u2cc6\u3033\u31d3\u{1d23a}'],
  ['2', '\u01a7\u03e8\u14bf\ua644\ua75a'],
  ['3', '\u01b7\u021c\u0417\u04e0\u2ccc\ua76a\ua7ab\u{118ca}\u{1d206}'],
  ['4', '\u13ce\u{118af}'],
  ['5', '\u01bc\u{118bb}'],
  ['6', '\u0431\u13ee\u2cd2\u{118d5}'],
  ['7', '\u{104d2}\u{118c6}\u{1d212}'],
  ['8', '\u0222\u0223\u{1031a}'],
  ['9', '\u2cca\ua76e\u{118ac}\u{118cc}\u{118d6}'],
  [':', '\u02d0\u02f8\u0589\u16ec\u1803\u205a\u2236\ua4fd\ua789'],
  ['<', '\u02c2\u1438\u16b2\u2039\u276e\u{1d236}'],
  ['=', '\u1400\u2e40\u30a0\ua4ff'],
  ['>', '\u02c3\u1433\u203a\u276f\u{1d237}'],
  ['?', '\u0241\u0294\u13ae'],
  ['\\', '\u2216\u27cd\u29f5\u29f9\u31d4\u{1d20f}\u{1d23b}'],
  ['^', '\u02c4\u02c6'],
  ['a', '\u0251\u0391\u03b1\u0410\u0430\u13aa\u15c5\u237a\ua4ee\u{102a0}'],
  [
    'b',
    '\u0184\u0392\u0412\u042c\u13cf\u13f4\u1472\u15af\u15f7\ua4d0\ua7b4\u{10282}\u{102a1}\u{10301}',
  ],
  [
    'c',
    '\u0421\u0441\u13df\u1d04\u2ca4\u2ca5\ua4da\uabaf\u{102a2}\u{10302}\u{10415}\u{1043d}\u{118f2}\u{1f74c}',
  ],
  ['d', '\u0501\u13a0\u13e7\u146f\u15de\u15ea\ua4d2\ua4d3'],
  ['e', '\u0395\u0415\u0435\u04bd\u13ac\u212e\u22ff\ua4f0\uab32\u{10286}\u{118a6}\u{118ae}'],
  [
    'f',
    '\u03dc\u0584\u15b4\u1e9d\ua4dd\ua798\ua799\uab35\u{10287}\u{102a5}\u{118a2}\u{118c2}\u{1d213}',
  ],
  ['g', '\u018d\u0261\u050c\u0581\u13c0\u13f3\u1d83\ua4d6'],
  ['h', '\u0397\u041d\u04bb\u0570\u13bb\u13c2\u157c\u2c8e\ua4e7\u{102cf}'],
  [
    'i',
    '\u0131\u0196\u0269\u026a\u0399\u03b9\u0406\u0456\u04c0\u04cf\u13a5\u2373\u2c92\ua647\uab75\u{118c3}',
  ],
  ['j', '\u037f\u03f3\u0408\u0458\u13ab\u148d\ua4d9\ua7b2'],
  ['k', '\u039a\u041a\u13e6\u16d5\u2c94\ua4d7'],
  [
    'l',
    '\u01c0\u13de\u14aa\u16c1\u2223\u23fd\u2cd0\ua4e1\ua4f2\u{1028a}\u{10309}\u{10320}\u{1041b}\u{118a3}\u{118b2}\u{1d22a}',
  ],
  ['m', '\u039c\u03fa\u041c\u13b7\u15f0\u16d6\u2c98\ua4df\u{102b0}\u{10311}'],
  ['n', '\u039d\u0578\u057c\u2c9a\ua4e0'],
  [
    'o',
    '\u039f\u03bf\u03c3\u041e\u043e\u0555\u0585\u10ff\u1d0f\u1d11\u2c9e\u2c9f\ua4f3\uab3d\u{10292}\u{102ab}\u{10404}\u{1042c}\u{104c2}\u{104ea}\u{118b5}\u{118c8}\u{118d7}',
  ],
  ['p', '\u03a1\u03c1\u0420\u0440\u13e2\u146d\u2374\u2ca2\u2ca3\ua4d1\u{10295}'],
  ['q', '\u051b\u0563\u0566'],
  ['r', '\u01a6\u0433\u13a1\u13d2\u1587\u1d26\u2c85\ua4e3\uab47\uab48\uab81\u{104b4}\u{1d216}'],
  [
    's',
    '\u01bd\u0405\u0455\u054f\u13d5\u13da\ua4e2\ua731\uabaa\u{10296}\u{10420}\u{10448}\u{118c1}',
  ],
  ['t', '\u03a4\u0422\u13a2\u22a4\u27d9\u2ca6\ua4d4\u{10297}\u{102b1}\u{10315}\u{118bc}\u{1f768}'],
  [
    'u',
    '\u028b\u03c5\u054d\u057d\u144c\u1d1c\u222a\u22c3\ua4f4\ua79f\uab4e\uab52\u{104ce}\u{104f6}\u{118b8}\u{118d8}',
  ],
  ['v', '\u03bd\u0474\u0475\u13d9\u142f\u1d20\u2228\u22c1\ua4e6\uaba9\u{118a0}\u{118c0}\u{1d20d}'],
  ['w', '\u026f\u0461\u051c\u051d\u0561\u13b3\u13d4\u1d21\ua4ea\uab83\u{118ef}'],
  [
    'x',
    '\u00d7\u03a7\u0425\u0445\u1541\u157d\u166d\u166e\u16b7\u2573\u292b\u292c\u2a2f\u2cac\ua4eb\ua7b3\u{10290}\u{102b4}\u{10317}\u{10322}\u{118ec}',
  ],
  [
    'y',
    '\u0263\u028f\u03a5\u03b3\u0423\u0443\u04ae\u04af\u10e7\u13a9\u13bd\u1d8c\u1eff\u2ca8\ua4ec\uab5a\u{102b2}\u{118a4}\u{118dc}',
  ],
  ['z', '\u0396\u13c3\u1d22\ua4dc\uab93\u{102f5}\u{118a9}\u{118c4}'],
  ['{', '\u2774\u{1d114}'],
  ['}', '\u2775'],
  ['~', '\u2053\u223c'],
];

/** The zero of every script; its digits follow it in order. */
const zeros =
  '\u0660\u06f0\u07c0\u0966\u09e6\u0a66\u0ae6\u0b66\u0be6\u0c66\u0ce6\u0d66\u0de6\u0e50' +
  '\u0ed0\u0f20\u1040\u1090\u17e0\u1810\u1946\u19d0\u1a80\u1a90\u1b50\u1bb0\u1c40\u1c50' +
  '\ua620\ua8d0\ua900\ua9d0\ua9f0\uaa50\uabf0\u{104a0}\u{10d30}\u{11066}\u{110f0}\u{11136}\u{111d0}\u{112f0}' +
  '\u{11450}\u{114d0}\u{11650}\u{116c0}\u{11730}\u{118e0}\u{11950}\u{11c50}\u{11d50}\u{11da0}\u{11f50}\u{16a60}\u{16ac0}\u{16b50}' +
  '\u{1e140}\u{1e2f0}\u{1e4f0}\u{1e950}';

let table: ReadonlyMap<string, string> | null = null;

/** The table by character; made when an id first needs it. */
function tableOf(): ReadonlyMap<string, string> {
  if (table !== null) return table;
  const made = new Map<string, string>();
  for (const [plain, alike] of likenesses) {
    for (const character of alike) made.set(character, plain);
  }
  for (const zero of zeros) {
    const first = zero.codePointAt(0) ?? 0;
    for (let value = 0; value < 10; value += 1)
      made.set(String.fromCodePoint(first + value), String(value));
  }
  table = made;
  return made;
}

/** Whether an id can hold no look-alike at all. */
function isPlain(id: string): boolean {
  return /^[\x20-\x7e]*$/.test(id);
}

/** The characters of an id as the table knows them: compatibility folded, accents apart. */
function charactersOf(id: string): string[] {
  return [...id.normalize('NFKC').normalize('NFD')];
}

/**
 * What two ids share that look alike: their skeleton with every look-alike replaced by the ASCII character it looks like.
 * @example likenessOf('\u0441\u0430se-1') === likenessOf('case-1') // => true
 */
export function likenessOf(id: string): string {
  // Twice: some letters look alike as written, some only when small.
  return isPlain(id) ? skeletonOf(id) : replaced(replaced(id));
}

function replaced(id: string): string {
  const known = tableOf();
  const plain = charactersOf(id).map((character) => known.get(character) ?? character);
  return skeletonOf(plain.join('').normalize('NFC'));
}

/**
 * An id in quotes for people, its look-alikes named by their code points: two ids that look alike can be told apart then.
 * @example shownId('\u0441ase-1') // => '"\u0441ase-1" (U+0441 looks like c)'
 */
export function shownId(id: string): string {
  const known = isPlain(id) ? null : tableOf();
  const named = new Set<string>();
  for (const character of known === null ? [] : charactersOf(id)) {
    const plain = known?.get(character);
    const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
    if (plain !== undefined) named.add(`U+${code} looks like ${plain}`);
  }
  return named.size === 0 ? `"${id}"` : `"${id}" (${[...named].join(', ')})`;
}
