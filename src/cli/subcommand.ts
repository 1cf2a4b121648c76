/** What every subcommand has: --json, an example in its help, and the ledger it may read or write. */
import type { Command } from 'commander';
import type { CommandContext } from './context.ts';
import type { Declaration, DeclaredOption } from './words.ts';

/** Runs a command's work in the context of the call. */
export type Act = (work: (context: CommandContext) => Promise<number>) => Promise<void>;

/** Options that all ledgered commands share. */
export interface Shared {
  readonly json?: boolean;
  readonly ledger: string;
  readonly entryKey?: string;
}

/** What --checkpoints says of itself wherever it stands. */
export const checkpointsText = 'folder of signed checkpoints (default: checkpoints/ in the ledger)';

/** What stands for an argument, by its spelling. */
const argumentTexts: Readonly<Record<string, string>> = {
  '<name>': 'new folder; the last part of its path names the experiment',
  '<experiment>': 'folder of the experiment, or its file',
  '<run>': 'folder that `liftgate run` wrote',
  '<run...>': 'folders that `liftgate run` wrote',
  '<evidence>': 'folder that `liftgate run` wrote, or file that `liftgate bundle` wrote',
  '<evidence...>': 'folders that `liftgate run` wrote, or files that `liftgate bundle` wrote',
  '<proof>': 'file with what `liftgate ledger prove` printed',
  '<entry>': 'number of the entry',
  '<family>': "family of units: the id of the claim's population",
  '<population>': "population of the units: its id in the experiment's claim",
  '<key>': 'name or fingerprint of a key that `liftgate ledger key list` shows',
};

/** Every command's. */
export const jsonOption: DeclaredOption = {
  flags: '--json',
  text: 'one JSON document on stdout, everything else on stderr',
};

/** Of every command that may read or write a ledger. */
export const ledgerOption: DeclaredOption = {
  flags: '--ledger <place>',
  text: 'ledger: a folder or a postgres:// URL',
  preset: 'ledger',
};

/** What a reader brings along: a pin, keys, authorities and commits to believe, and what must vouch for what. */
export function readerOptions(requireText: string): readonly DeclaredOption[] {
  return [
    { flags: '--checkpoints <folder>', text: checkpointsText },
    {
      flags: '--pin <size:head>',
      text: 'entries and head of the ledger as you know them from elsewhere',
    },
    { flags: '--trust <keys>', text: 'file with the keys whose signatures count' },
    { flags: '--require <what>', text: requireText },
    {
      flags: '--tsa <certificates>',
      text: 'PEM file with the time-stamping authorities you believe',
    },
    {
      flags: '--commit <ids>',
      text: 'commits you know from elsewhere, full ids separated by commas',
    },
  ];
}

function addOptions(added: Command, options: readonly DeclaredOption[]): Command {
  for (const { flags, text, choices, preset } of options) {
    const option = added.createOption(flags, text);
    if (choices !== undefined) option.choices(choices);
    added.addOption(option.default(preset));
  }
  return added;
}

/** A subcommand as it is declared. */
export function declared(parent: Command, declaration: Declaration): Command {
  const { words, does, example, options } = declaration;
  const [name = '', ...places] = words.split(' ');
  const added = parent
    .command(name)
    .description(does)
    .addHelpText('after', `\nExample:\n  $ ${example}`)
    .exitOverride();
  addOptions(added, options);
  const named = parent.name() === 'ledger' ? 'name of the experiment in the ledger' : undefined;
  for (const place of places) {
    added.argument(place, (place === '<experiment>' ? named : undefined) ?? argumentTexts[place]);
  }
  return added;
}

/** A subcommand with what all of them share; `words` are its name and its arguments. */
export function command(parent: Command, words: string, does: string, example: string): Command {
  return declared(parent, { words, does, example, options: [jsonOption] });
}

/** A subcommand that may read or write a ledger. */
export function ledgered(parent: Command, words: string, does: string, example: string): Command {
  return declared(parent, { words, does, example, options: [jsonOption, ledgerOption] });
}

/** A subcommand that records in a ledger what the policy of a family may want signed. */
export function recording(parent: Command, words: string, does: string, example: string): Command {
  return ledgered(parent, words, does, example).option(
    '--entry-key <file>',
    'private key that signs entries where the policy of their family wants that',
  );
}

/** The same command with what a reader brings along. */
export function demanding(added: Command, requireText: string): Command {
  return addOptions(added, readerOptions(requireText));
}
