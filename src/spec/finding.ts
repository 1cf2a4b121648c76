/** A finding about a spec before it has a line: the rule knows the path, the reader knows the place. */
import { canonicalText } from '../base/canonical.ts';
import type { Problem } from '../base/errors.ts';

/** Steps from the root of a document to one of its values. */
export type SpecPath = readonly (string | number)[];

/** One finding of a rule; `at` says whether the key or the value is meant. */
export interface Finding {
  readonly code: Problem['code'];
  readonly path: SpecPath;
  readonly at?: 'key' | 'value' | undefined;
  readonly message: string;
  readonly mend: string;
}

/**
 * A path as problems show it; keys that are not plain words are quoted, so that two paths never look alike.
 * @example formatPath(['arms', 'candidates', 'r.2', 'pins', 0]) // => 'arms.candidates["r.2"].pins[0]'
 */
export function formatPath(path: SpecPath): string {
  let text = '';
  for (const step of path) {
    if (typeof step === 'number') text += `[${step}]`;
    else if (!/^[A-Za-z_][A-Za-z0-9_-]*$/.test(step)) text += `[${canonicalText(step)}]`;
    else text += text === '' ? step : `.${step}`;
  }
  return text;
}

/**
 * Path of the enclosing value, or '' at the root.
 * @example parentPath('gates[2].margin') // => 'gates[2]'
 */
export function parentPath(path: string): string {
  const last = /(?:\.?[A-Za-z_][A-Za-z0-9_-]*|\[\d+\]|\["(?:[^"\\]|\\.)*"\])$/.exec(path);
  return last === null ? '' : path.slice(0, last.index);
}

/**
 * The known word a misspelt one most likely stands for, or null when none is near.
 * @example nearestWord('treshold', ['measure', 'threshold']) // => 'threshold'
 */
export function nearestWord(word: string, known: readonly string[]): string | null {
  const reach = Math.max(1, Math.floor(word.length / 3));
  let best: string | null = null;
  let least = reach + 1;
  for (const each of known) {
    const steps = editDistance(word.toLowerCase(), each.toLowerCase());
    if (steps < least) {
      least = steps;
      best = each;
    }
  }
  return best;
}

/** Insertions, deletions, substitutions and swaps of neighbours between two words (optimal string alignment). */
function editDistance(first: string, second: string): number {
  let before: number[] = [];
  let previous = Array.from({ length: second.length + 1 }, (_, index) => index);
  for (let row = 1; row <= first.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= second.length; column += 1) {
      const same = first.charAt(row - 1) === second.charAt(column - 1);
      const swapped =
        row > 1 &&
        column > 1 &&
        first.charAt(row - 1) === second.charAt(column - 2) &&
        first.charAt(row - 2) === second.charAt(column - 1);
      const steps = [
        (previous[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (previous[column - 1] ?? 0) + (same ? 0 : 1),
        ...(swapped ? [(before[column - 2] ?? 0) + 1] : []),
      ];
      current.push(Math.min(...steps));
    }
    before = previous;
    previous = current;
  }
  return previous[second.length] ?? 0;
}

/**
 * Words in double quotes, joined by commas.
 * @example quoted(['a', 'b']) // => '"a", "b"'
 */
export function quoted(words: readonly string[]): string {
  return words.map((word) => `"${word}"`).join(', ');
}
