/**
 * The words of a command as data, and the reading of a call that has nothing wrong with it. Whatever is not such a call, from a
 * misspelt option to `--help`, is for the parser of all commands, which is loaded then and says what is wrong.
 */

/** An option as the help shows it. */
export interface DeclaredOption {
  /** `--name` alone, or with what it takes: `--name <word>`. */
  readonly flags: string;
  readonly text: string;
  /** The words it takes; any without them. */
  readonly choices?: readonly string[];
  /** What stands for a call without it. */
  readonly preset?: string;
}

/** A command as the help shows it; `words` are its name and its arguments. */
export interface Declaration {
  readonly words: string;
  readonly does: string;
  readonly example: string;
  readonly options: readonly DeclaredOption[];
}

/** Options of a call by their names in camel case; true for one that takes nothing. */
export type GivenOptions = Readonly<Record<string, string | true>>;

/** What a call names. */
export interface Given {
  readonly options: GivenOptions;
  readonly places: readonly string[];
}

/** Name of an option in the code: `--without-ledger` gives `withoutLedger`. */
function nameOf(long: string): string {
  return long.slice(2).replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** One word that begins with a hyphen, and the one behind it where the option takes one; false when something is odd about it. */
function takeOption(
  options: Record<string, string | true>,
  { declaration, word, next }: { declaration: Declaration; word: string; next: () => string },
): boolean {
  const [long = '', ...inline] = word.split('=');
  const option = declaration.options.find(({ flags }) => flags.split(' ')[0] === long);
  const name = nameOf(long);
  if (option === undefined || Object.hasOwn(options, name)) return false;
  if (!option.flags.includes(' ')) {
    options[name] = true;
    return inline.length === 0;
  }
  const value = inline.length > 0 ? inline.join('=') : next();
  options[name] = value;
  return value !== '' && !value.startsWith('-') && (option.choices?.includes(value) ?? true);
}

/**
 * The words of a call behind the command's name.
 *
 * @returns null when the parser has to look at them: an unknown or repeated option, one without its word, words that begin with a
 * hyphen, too few or too many places
 * @example plainCall({ words: 'check <experiment>', does: '', example: '', options: [] }, ['desk'])
 * // => { options: {}, places: ['desk'] }
 */
export function plainCall(declaration: Declaration, words: readonly string[]): Given | null {
  const options: Record<string, string | true> = {};
  const places: string[] = [];
  const left = [...words];
  const next = (): string => left.shift() ?? '';
  while (left.length > 0) {
    const word = next();
    if (!word.startsWith('-')) places.push(word);
    else if (!takeOption(options, { declaration, word, next })) return null;
  }
  for (const { flags, preset } of declaration.options)
    if (preset !== undefined) options[nameOf(flags.split(' ')[0] ?? '')] ??= preset;
  return areEnough(declaration, places) ? { options, places } : null;
}

/** As many places as the declaration has, or more where the last one repeats. */
function areEnough({ words }: Declaration, places: readonly string[]): boolean {
  const wanted = words.split(' ').length - 1;
  return words.endsWith('...>') ? places.length >= wanted : places.length === wanted;
}
