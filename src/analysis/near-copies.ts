/**
 * Near-copies: units whose content is almost that of another unit, which exact fingerprints take for different ones. They are reported,
 * never refused: whether two mails from one template are one source or two is for people to say.
 *
 * Rule `near-copy/1`. The words of a case's input are taken in the order of its fields, folded as fingerprints fold them, every number
 * written as #, so that a counter or a date makes no difference; writing without spaces counts each character as a word. Two cases are
 * near-copies when the sets of their word pairs overlap by at least 0.7 (Jaccard: pairs in both over pairs in either). Cases of fewer
 * than 5 words are not compared. Pairs are found by MinHash (64 values in 16 bands of 4; Broder 1997), which at an overlap of 0.7
 * misses one in 81 and at 0.8 one in 4,600, and then measured exactly. Of many near-copies each is compared with the first; of more than
 * 64 first cases that agree in a band, the first 64 are compared.
 */
import { compareCodeUnits, type Json } from '../base/canonical.ts';
import { type Case, foldText, type Split } from '../spec/units.ts';

/** The rule by name and numbers, as reports show it. */
export const nearCopyRule = {
  version: 'near-copy/1',
  /** Least overlap of the sets of word pairs. */
  threshold: 0.7,
  /** Fewest words of a case that is compared. */
  fewestWords: 5,
} as const;

/** A unit and the earlier one it resembles. */
export interface NearCopy {
  readonly unit: string;
  readonly split: Split;
  readonly like: string;
  readonly likeSplit: Split;
  /** Ids of the two cases. */
  readonly cases: readonly [string, string];
  /** Overlap of the word pairs, from 0.7 to 1. */
  readonly similarity: number;
  /** Whether the two texts are the same but for numbers. */
  readonly onlyNumbers: boolean;
}

/** Cases of one experiment, with the top-level input fields that its fingerprints leave out. */
export interface CaseTexts {
  readonly experiment: string;
  readonly cases: readonly Case[];
  readonly ignore: readonly string[];
}

/** A unit and the one of another experiment that it resembles. */
export interface CopyAcross extends NearCopy {
  /** Experiment of the unit that it is like. */
  readonly experiment: string;
}

/** What looking across experiments came to. */
export interface CopiesAcross {
  /** One per pair of units; pairs without a final unit are left out. */
  readonly pairs: readonly CopyAcross[];
  /** Own cases with too few words to compare. */
  readonly tooShort: number;
}

/** What looking for near-copies came to. */
export interface NearCopyReport {
  /** One per pair of units in row order, the later unit first; pairs without a final unit are left out. */
  readonly pairs: readonly NearCopy[];
  /** Cases that were compared, and cases with too few words. */
  readonly compared: number;
  readonly tooShort: number;
}

const minima = 64;
const bands = 16;
const rows = minima / bands;
/** First cases kept per band, so that a template with many variants does not make every case wait for every other. */
const mostCompared = 64;

/** First case of its kind. */
interface Leader {
  readonly each: Case;
  readonly words: string;
  readonly pairs: ReadonlySet<number>;
}

/**
 * Units that resemble another one.
 *
 * @param cases   admitted cases in row order
 * @param ignore  top-level input fields left out
 * @example nearCopies([]).pairs // => []
 */
export function nearCopies(cases: readonly Case[], ignore: readonly string[] = []): NearCopyReport {
  const buckets = new Map<string, Leader[]>();
  const found = new Map<string, NearCopy>();
  let tooShort = 0;
  for (const each of cases) {
    const own = leaderOf(each, ignore);
    if (own === null) {
      tooShort += 1;
      continue;
    }
    const keys = bandsOf(own.pairs);
    const [first, similarity] = closest(own, keys, buckets);
    if (first !== null) note(found, { own, first, similarity });
    else for (const key of keys) enter(buckets, key, own);
  }
  return { pairs: [...found.values()], compared: cases.length - tooShort, tooShort };
}

/**
 * Units of an experiment that resemble a unit of another one, by the same rule. Units of one id are the same unit, which is the ledger's
 * matter. Of cases that resemble several, the most similar of each experiment is reported.
 *
 * @param own     admitted cases in row order
 * @param others  other experiments, each compared by itself
 * @example copiesAcross({ experiment: 'a', cases: [], ignore: [] }, []).pairs // => []
 */
export function copiesAcross(own: CaseTexts, others: readonly CaseTexts[]): CopiesAcross {
  const mine = leadersOf(own);
  const pairs = others.flatMap((other) => {
    const buckets = new Map<string, Leader[]>();
    for (const leader of leadersOf(other))
      for (const key of bandsOf(leader.pairs)) enter(buckets, key, leader);
    const found = new Map<string, NearCopy>();
    for (const each of mine) {
      const [first, similarity] = closest(each, bandsOf(each.pairs), buckets);
      if (first !== null) note(found, { own: each, first, similarity });
    }
    return [...found.values()].map((copy) => ({ ...copy, experiment: other.experiment }));
  });
  return { pairs, tooShort: own.cases.length - mine.length };
}

/** Cases that have enough words to be compared. */
function leadersOf({ cases, ignore }: CaseTexts): Leader[] {
  return cases.flatMap((each) => leaderOf(each, ignore) ?? []);
}

function leaderOf(each: Case, ignore: readonly string[]): Leader | null {
  const words = wordsOf(each.input, ignore);
  if (words.filter((word) => word !== number).length < nearCopyRule.fewestWords) return null;
  return { each, words: words.join(' '), pairs: pairsOf(words) };
}

function enter(buckets: Map<string, Leader[]>, key: string, own: Leader): void {
  const bucket = buckets.get(key);
  if (bucket === undefined) buckets.set(key, [own]);
  else if (bucket.length < mostCompared) bucket.push(own);
}

interface Match {
  readonly own: Leader;
  readonly first: Leader;
  readonly similarity: number;
}

function note(found: Map<string, NearCopy>, { own, first, similarity }: Match): void {
  const [copy, original] = [own.each, first.each];
  if (copy.unit === original.unit) return;
  if (copy.split !== 'final' && original.split !== 'final') return;
  const key = `${copy.unit}\n${original.unit}`;
  if ((found.get(key)?.similarity ?? 0) >= similarity) return;
  found.set(key, {
    unit: copy.unit,
    split: copy.split,
    like: original.unit,
    likeSplit: original.split,
    cases: [copy.id, original.id],
    similarity,
    onlyNumbers: own.words === first.words,
  });
}

/** The most similar first case that shares a band, or null below the threshold. */
function closest(
  own: Leader,
  keys: readonly string[],
  buckets: ReadonlyMap<string, readonly Leader[]>,
): [Leader | null, number] {
  let [best, most]: [Leader | null, number] = [null, 0];
  for (const leader of new Set(keys.flatMap((key) => buckets.get(key) ?? []))) {
    const similarity = overlap(own.pairs, leader.pairs);
    if (similarity >= nearCopyRule.threshold && similarity > most)
      [best, most] = [leader, similarity];
  }
  return [best, most];
}

function overlap(first: ReadonlySet<number>, second: ReadonlySet<number>): number {
  let both = 0;
  for (const pair of first) if (second.has(pair)) both += 1;
  return both / (first.size + second.size - both);
}

const number = '#';

/** Words; a run of digits is a number, and scripts without spaces count by the character. */
function foldedWords(text: string): readonly string[] {
  const folded = foldText(text);
  // The same for ASCII, without the tables of all scripts, which take a short command a millisecond to make.
  if (/^[ -~]*$/.test(folded)) return folded.match(/[0-9]+|[a-z]+/g) ?? [];
  const words =
    /\p{N}+|[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]|[\p{L}\p{M}]+/gu;
  return folded.match(words) ?? [];
}

function isNumber(word: string): boolean {
  return /^[0-9]/.test(word) || (!/^[a-z]/.test(word) && /^\p{N}/u.test(word));
}

function wordsOf(input: Case['input'], ignore: readonly string[]): string[] {
  const kept = Object.entries(input).filter(([key]) => !ignore.includes(key));
  return leavesOf(Object.fromEntries(kept)).flatMap((leaf) => {
    if (typeof leaf === 'number') return [number];
    return foldedWords(String(leaf)).map((word) => (isNumber(word) ? number : word));
  });
}

type Leaf = null | boolean | number | string;

/** Values without members, in the order of their keys. */
function leavesOf(value: Json): Leaf[] {
  if (value === null || typeof value !== 'object') return [value];
  if (Array.isArray(value)) return value.flatMap(leavesOf);
  return Object.entries(value)
    .sort(([first], [second]) => compareCodeUnits(first, second))
    .flatMap(([, member]) => leavesOf(member));
}

function pairsOf(words: readonly string[]): ReadonlySet<number> {
  const pairs = new Set<number>();
  for (let at = 1; at < words.length; at += 1) pairs.add(hashOf(`${words[at - 1]} ${words[at]}`));
  return pairs;
}

/** FNV-1a over UTF-16 code units; nothing but finding candidates rests on it. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1)
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return mixed(hash);
}

/** The finalizer of MurmurHash3: every bit of the argument reaches every bit of the result. */
function mixed(value: number): number {
  let hash = value;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** Keys of the bands: cases that agree in one are compared. */
function bandsOf(pairs: ReadonlySet<number>): string[] {
  const least = new Uint32Array(minima).fill(0xffffffff);
  for (const pair of pairs) {
    for (let at = 0; at < minima; at += 1) {
      const hash = mixed(pair ^ Math.imul(at + 1, 0x9e3779b1));
      if (hash < (least[at] ?? 0)) least[at] = hash;
    }
  }
  return Array.from(
    { length: bands },
    (_, band) => `${band}:${least.subarray(band * rows, (band + 1) * rows).join(',')}`,
  );
}

/** Pairs shown to people; the count is always given. */
const shownPairs = 10;

/**
 * The report as lines of text; none when there is nothing to report.
 * @example nearCopyLines({ pairs: [], compared: 4, tooShort: 0 }) // => []
 */
export function nearCopyLines({ pairs, tooShort }: NearCopyReport): string[] {
  const lines = pairs
    .slice(0, shownPairs)
    .map(({ unit, split, like, likeSplit, similarity, onlyNumbers }) => {
      const how = onlyNumbers ? 'only numbers differ' : `${similarity.toFixed(2)} alike`;
      return `  "${unit}" (${split}) ~ "${like}" (${likeSplit}): ${how}`;
    });
  const units = new Set(pairs.map(({ unit }) => unit)).size;
  const more = pairs.length > shownPairs ? [`  and ${pairs.length - shownPairs} more`] : [];
  const short = tooShort === 1 ? '1 case has' : `${tooShort} cases have`;
  return pairs.length === 0
    ? []
    : [
        `near copies: ${units} ${units === 1 ? 'unit resembles' : 'units resemble'} another (word pairs in common at least ${nearCopyRule.threshold}, numbers left out; ${short} too few words to compare)`,
        ...lines,
        ...more,
        '  If they come from one source, give them one unit id: copies under several ids count several times toward n.',
      ];
}
