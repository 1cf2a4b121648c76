/**
 * `liftgate completion`: a script for a shell, written from the tree of commands.
 *
 * The script holds every command, option and choice as plain words: pressing Tab starts no process and evaluates nothing that was
 * typed. Where no word is known, the shell's own completion of file names takes over.
 */
import type { CommandContext } from '../context.ts';

/** Shells that a script is written for. */
export type Shell = 'bash' | 'zsh' | 'fish';

/** An option as the shell sees it. */
export interface CompletedOption {
  /** `--format`, and a short spelling if there is one. */
  readonly spellings: readonly string[];
  readonly does: string;
  readonly takesValue: boolean;
  /** Values it accepts; empty: any. */
  readonly choices: readonly string[];
}

/** A command with what may follow it. */
export interface CommandTree {
  readonly name: string;
  readonly does: string;
  readonly options: readonly CompletedOption[];
  /** Choices of its argument; empty: any. */
  readonly choices: readonly string[];
  readonly commands: readonly CommandTree[];
}

/** Prints the script of a shell. */
export function completion(
  { output }: CommandContext,
  { shell, tree }: { readonly shell: Shell; readonly tree: CommandTree },
): Promise<number> {
  const script = completionScript(shell, tree);
  if (!output.json) output.line(script.trimEnd());
  output.document({ shell, script });
  return Promise.resolve(0);
}

/**
 * The script of a shell.
 * @returns lines that end with a line feed; equal trees give equal scripts
 */
export function completionScript(shell: Shell, tree: CommandTree): string {
  const places = placesOf(tree, '');
  switch (shell) {
    case 'bash':
      return bashScript(places);
    case 'zsh':
      return zshScript(places);
    case 'fish':
      return fishScript(places);
  }
}

/** A command and the words that lead to it, each with a space before it: '' or ' ledger list'. */
interface CommandPlace {
  readonly path: string;
  readonly tree: CommandTree;
}

function placesOf(tree: CommandTree, path: string): CommandPlace[] {
  const below = tree.commands.flatMap((each) => placesOf(each, `${path} ${each.name}`));
  return [{ path, tree }, ...below];
}

/** Patterns of a `case`, quoted. */
function patterns(words: readonly string[]): string {
  return words.map((word) => `'${word}'`).join('|');
}

/** Paths below the program itself. */
function deeper(places: readonly CommandPlace[]): string[] {
  return places.map(({ path }) => path).filter((path) => path !== '');
}

/** Branches on `path option` for every option that takes a value: its choices, or what completes file names. */
function valueBranches(
  places: readonly CommandPlace[],
  write: { readonly choices: (values: readonly string[]) => string; readonly files: string },
): string[] {
  const branches = places.flatMap(({ path, tree }) =>
    tree.options
      .filter((option) => option.takesValue)
      .map(({ spellings, choices }) => ({
        when: spellings.map((spelling) => `${path} ${spelling}`),
        choices,
      })),
  );
  const open = branches.filter((branch) => branch.choices.length === 0);
  return [
    ...branches
      .filter((branch) => branch.choices.length > 0)
      .map(({ when, choices }) => `    ${patterns(when)}) ${write.choices(choices)} ;;`),
    `    ${patterns(open.flatMap(({ when }) => when))}) ${write.files} ;;`,
  ];
}

function spellingsOf({ options }: CommandTree): string[] {
  return options.flatMap(({ spellings }) => spellings);
}

function wordsOf({ commands, choices }: CommandTree): string[] {
  return [...commands.map(({ name }) => name), ...choices];
}

function bashScript(places: readonly CommandPlace[]): string {
  return `# bash completion of liftgate. Load it with:  source <(liftgate completion bash)
_liftgate() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]} path='' words='' options='' index
  # --option=value arrives as three words.
  if [[ $current == '=' ]]; then current=''
  elif [[ $previous == '=' ]]; then previous=\${COMP_WORDS[COMP_CWORD-2]}
  fi
  for ((index = 1; index < COMP_CWORD; index++)); do
    case "$path \${COMP_WORDS[index]}" in
      ${patterns(deeper(places))}) path="$path \${COMP_WORDS[index]}" ;;
    esac
  done
  case "$path $previous" in
${valueBranches(places, { choices: (values) => `words='${values.join(' ')}'`, files: ':' }).join('\n')}
    *)
      case "$path" in
${places
  .map(
    ({ path, tree }) =>
      `        '${path}') words='${wordsOf(tree).join(' ')}' options='${spellingsOf(tree).join(' ')}' ;;`,
  )
  .join('\n')}
      esac
      [[ $current == -* ]] && words=$options ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _liftgate liftgate
`;
}

/** Text between single quotes. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** A word with its description, as `_describe` reads it. */
function described(word: string, does: string): string {
  return quoted(`${word}:${does.replaceAll(':', '\\:')}`);
}

function zshScript(places: readonly CommandPlace[]): string {
  const branches = places.map(({ path, tree }) => {
    const words = [
      ...tree.commands.map(({ name, does }) => described(name, does)),
      ...tree.choices.map((choice) => quoted(choice)),
    ];
    const options = tree.options.flatMap(({ spellings, does }) =>
      spellings.map((spelling) => described(spelling, does)),
    );
    return `        '${path}') offered=(${words.join(' ')}) options=(${options.join(' ')}) ;;`;
  });
  return `#compdef liftgate
# zsh completion of liftgate. Load it after compinit with:  source <(liftgate completion zsh)
_liftgate() {
  local current=$words[CURRENT] previous=$words[CURRENT-1] line='' index
  local -a offered options
  if [[ $current == --*=* ]]; then
    previous=\${current%%=*}
    compset -P '*='
  fi
  for ((index = 2; index < CURRENT; index++)); do
    case "$line $words[index]" in
      ${patterns(deeper(places))}) line="$line $words[index]" ;;
    esac
  done
  case "$line $previous" in
${valueBranches(places, { choices: (values) => `offered=(${values.join(' ')})`, files: '_files; return' }).join('\n')}
    *)
      case "$line" in
${branches.join('\n')}
      esac
      [[ $current == -* ]] && offered=($options) ;;
  esac
  if (( $#offered )); then _describe liftgate offered; else _files; fi
}
if [[ $funcstack[1] == _liftgate ]]; then _liftgate "$@"; else compdef _liftgate liftgate; fi
`;
}

function fishQuoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}

function fishScript(places: readonly CommandPlace[]): string {
  const lines = places.flatMap(({ path, tree }) => {
    const at = `complete -c liftgate -n ${fishQuoted(`__liftgate_at ${fishQuoted(path)}`)}`;
    const commands = tree.commands.map(
      ({ name, does }) => `${at} -f -a ${name} -d ${fishQuoted(does)}`,
    );
    const choices = tree.choices.length === 0 ? [] : [`${at} -f -a '${tree.choices.join(' ')}'`];
    const options = tree.options.map(({ spellings, does, takesValue, choices: values }) => {
      const names = spellings.map((each) =>
        each.startsWith('--') ? `-l ${each.slice(2)}` : `-s ${each.slice(1)}`,
      );
      const value = values.length > 0 ? ` -x -a '${values.join(' ')}'` : ' -r';
      return `${at} ${names.join(' ')}${takesValue ? value : ''} -d ${fishQuoted(does)}`;
    });
    return [...commands, ...choices, ...options];
  });
  return `# fish completion of liftgate. Keep it with:  liftgate completion fish > ~/.config/fish/completions/liftgate.fish
function __liftgate_at
  set -l path ''
  set -l words (commandline -opc)
  for word in $words[2..]
    if contains -- "$path $word" ${deeper(places).map(fishQuoted).join(' ')}
      set path "$path $word"
    end
  end
  test "$path" = "$argv[1]"
end
${lines.join('\n')}
`;
}
