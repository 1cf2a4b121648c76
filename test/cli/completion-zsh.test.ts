/** Completion in zsh itself: an interactive shell in a terminal of its own, Tab pressed after each line, what it offers read back. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { liftgate } from '../support/cli.ts';
import { temporaryFolders } from '../support/temporary-folder.ts';

const makeFolder = temporaryFolders();
let folder = '';

beforeAll(async () => {
  folder = await makeFolder();
  writeFileSync(
    join(folder, 'completion.zsh'),
    (await liftgate(folder, 'completion', 'zsh')).stdout,
  );
  writeFileSync(join(folder, 'receipts.jsonl'), '');
  mkdirSync(join(folder, 'experiments'));
  writeFileSync(join(folder, 'setup.zsh'), setup);
  writeFileSync(join(folder, 'drive.zsh'), drive);
});

/** What the interactive shell is told first: its completion system, the script, and to write down what it offers and the line it leaves. */
const setup = `
PROMPT= RPROMPT= LISTMAX=10000
autoload -Uz compinit && compinit -u -D
source ./completion.zsh
zstyle ':completion:*' menu no
compadd() {
  # Calls that only sort out matches are part of another one.
  if (( \${argv[(I)-[DOA]*]} )); then builtin compadd "$@"; return; fi
  local -a found
  builtin compadd -O found "$@"
  print -rl -- "\${found[@]}" >> offered
  builtin compadd "$@"
}
write-line() { print -r -- "$BUFFER" > left; BUFFER=; zle accept-line }
zle -N write-line
bindkey '^X^L' write-line
print > ready
`;

/** Starts an interactive zsh on a pseudo-terminal, types $1, Tab and the key that writes the line down. */
const drive = `
zmodload zsh/zpty
zpty -b asked zsh -f -i
until_there() {
  local text
  repeat 600; do
    zpty -r -t asked text
    [[ -s $1 ]] && return
    sleep 0.05
  done
  print -u2 "zsh never wrote $1"
  exit 1
}
zpty -w asked 'source ./setup.zsh'
until_there ready
zpty -w -n asked "$1"$'\\t\\C-x\\C-l'
until_there left
zpty -d asked
`;

/** What zsh offers after a line with Tab behind it, and the line it leaves. */
function tabbed(line: string): { readonly offered: readonly string[]; readonly left: string } {
  const file = (name: string): string => join(folder, name);
  for (const name of ['ready', 'offered', 'left']) rmSync(file(name), { force: true });
  writeFileSync(file('offered'), '');
  const asked = spawnSync('zsh', ['-f', 'drive.zsh', line], { cwd: folder, encoding: 'utf8' });
  expect([asked.status, asked.stderr]).toEqual([0, '']);
  const read = (name: string): string[] =>
    readFileSync(file(name), 'utf8')
      .split('\n')
      .filter((each) => each !== '');
  return { offered: [...new Set(read('offered'))].sort(), left: read('left').join('\n') };
}

/** Names of the commands, or spellings of the options, that a help text lists. */
async function shownBy(what: 'Commands' | 'Options', ...words: string[]): Promise<string[]> {
  const { stdout } = await liftgate(folder, ...words, '--help');
  const section = stdout.split(`\n${what}:\n`)[1]?.split('\n\n')[0] ?? '';
  const pattern = what === 'Commands' ? /^ {2}([a-z-]+)/gm : /^ {2}(?:-\w, )?(--[a-z-]+)/gm;
  return [...section.matchAll(pattern)].map(([, name = '']) => name).sort();
}

describe('zsh, with the script of liftgate loaded', () => {
  test('offers every command', async () => {
    const { offered, left } = tabbed('liftgate ');
    expect(offered).toEqual(await shownBy('Commands'));
    expect(left).toBe('liftgate ');
  });

  test.each([
    ['liftgate verif', 'liftgate verify '],
    ['liftgate ledger lis', 'liftgate ledger list '],
    ['liftgate report --format ht', 'liftgate report --format html '],
    ['liftgate report --format=ht', 'liftgate report --format=html '],
    ['liftgate completion z', 'liftgate completion zsh '],
    ['liftgate decide . --receipts rec', 'liftgate decide . --receipts receipts.jsonl '],
    ['liftgate check exp', 'liftgate check experiments/'],
  ])('completes "%s"', (line, left) => {
    expect(tabbed(line).left).toBe(left);
  });

  test.each([['ledger'], ['stats']])('offers every command below %s', async (group) => {
    expect(tabbed(`liftgate ${group} `).offered).toEqual(await shownBy('Commands', group));
  });

  test.each([['verify'], ['ledger release']])('offers every option of %s', async (words) => {
    const { offered } = tabbed(`liftgate ${words} --`);
    expect(offered.filter((each) => each.startsWith('--'))).toEqual(
      await shownBy('Options', ...words.split(' ')),
    );
  });

  test('runs nothing that was typed', () => {
    tabbed('liftgate $(touch ran) `touch ran` ');
    expect(existsSync(join(folder, 'ran'))).toBe(false);
  });
});
