/** What every subcommand has: --json, an example in its help, and the ledger it may read or write. */
import type { Command } from 'commander';
import type { CommandContext } from './context.ts';

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

/** A subcommand with what all of them share; `words` are its name and its arguments. */
export function command(parent: Command, words: string, does: string, example: string): Command {
  const [name = '', ...places] = words.split(' ');
  const added = parent
    .command(name)
    .description(does)
    .option('--json', 'one JSON document on stdout, everything else on stderr')
    .addHelpText('after', `\nExample:\n  $ ${example}`)
    .exitOverride();
  const named = parent.name() === 'ledger' ? 'name of the experiment in the ledger' : undefined;
  for (const place of places) {
    added.argument(place, (place === '<experiment>' ? named : undefined) ?? argumentTexts[place]);
  }
  return added;
}

/** A subcommand that may read or write a ledger. */
export function ledgered(parent: Command, words: string, does: string, example: string): Command {
  return command(parent, words, does, example).option(
    '--ledger <place>',
    'ledger: a folder or a postgres:// URL',
    'ledger',
  );
}

/** A subcommand that records in a ledger what the policy of a family may want signed. */
export function recording(parent: Command, words: string, does: string, example: string): Command {
  return ledgered(parent, words, does, example).option(
    '--entry-key <file>',
    'private key that signs entries where the policy of their family wants that',
  );
}

/** The same command with what a reader brings along: a pin, keys, authorities and commits to believe, and what must vouch for what. */
export function demanding(added: Command, requireText: string): Command {
  return added
    .option('--checkpoints <folder>', checkpointsText)
    .option('--pin <size:head>', 'entries and head of the ledger as you know them from elsewhere')
    .option('--trust <keys>', 'file with the keys whose signatures count')
    .option('--require <what>', requireText)
    .option('--tsa <certificates>', 'PEM file with the time-stamping authorities you believe')
    .option('--commit <ids>', 'commits you know from elsewhere, full ids separated by commas');
}
