/** Commands of `liftgate ledger` that keep it trustworthy: signing keys, and units that must not be measured any more. */
import type { Command } from 'commander';
import type { AddKeyFlags, EndKeyFlags, ListKeysFlags, RotateKeyFlags } from './commands/keys.ts';
import type { LeakFlags, RetireFlags } from './commands/withdraw.ts';
import { type Act, ledgered, recording } from './subcommand.ts';

const byText =
  'private key that signs for it (default: the key itself, while none may sign for it)';
const scopesText =
  'what it may sign: checkpoint, witness, statement, key, entry; separated by commas';
const unitsText = 'file with the ids of the units, one a line';
const experimentText = 'experiment whose cases say what the units contain: finds them renamed too';

/** Adds `ledger leak`, `ledger retire` and `ledger key`. */
export function addUpkeepCommands(ledger: Command, act: Act): void {
  addWithdrawals(ledger, act);
  addKeys(ledger, act);
}

function addWithdrawals(ledger: Command, act: Act): void {
  const load = async () => import('./commands/withdraw.ts');
  ledgered(
    ledger,
    'leak <population>',
    'record units that somebody may have seen: nobody reserves or exposes them from then on',
    'liftgate ledger leak refunds --units leaked.txt --source "forum post" --reason "answers posted"',
  )
    .requiredOption('--units <file>', unitsText)
    .requiredOption('--source <text>', 'where they became known')
    .requiredOption('--reason <text>', 'why, kept in the ledger')
    .option('--experiment <folder>', experimentText)
    .action((population: string, options: LeakFlags) =>
      act(async (context) => (await load()).leak(context, options, population)),
    );
  recording(
    ledger,
    'retire <family>',
    'end the measurement of a family, or with --units of units of it',
    'liftgate ledger retire refunds --reason "the desk has another form now"',
  )
    .requiredOption('--reason <text>', 'why, kept in the ledger')
    .option('--units <file>', unitsText)
    .option('--population <id>', 'population of these units (default: the family)')
    .option('--experiment <folder>', experimentText)
    .action((family: string, options: RetireFlags) =>
      act(async (context) => (await load()).retire(context, options, family)),
    );
}

function addKeys(ledger: Command, act: Act): void {
  const load = async () => import('./commands/keys.ts');
  const keys = ledger
    .command('key')
    .description('signing keys in the ledger: who may sign what, from which entry on')
    .addHelpText('after', '\nExample:\n  $ liftgate ledger key list --trust keys.txt')
    .exitOverride();
  brought(
    keys,
    'add',
    'introduce a key; the first one signs for itself, every later one is signed for',
    'liftgate ledger key add --key ci.pub --name ci --scopes witness --by alice.pem --reason "new CI"',
  )
    .requiredOption('--scopes <list>', scopesText)
    .option('--by <file>', byText)
    .action((options: AddKeyFlags) =>
      act(async (context) => (await load()).addKey(context, options)),
    );
  brought(
    keys,
    'rotate <key>',
    'put a new key in the place of another, which signs nothing later',
    'liftgate ledger key rotate ci --key ci-2027.pub --name ci --by ci.pem --reason "yearly"',
  )
    .option('--scopes <list>', `${scopesText} (default: what the old key may)`)
    .requiredOption(
      '--by <file>',
      'private key that signs for it: the old one, or one with scope key',
    )
    .action((key: string, options: RotateKeyFlags) =>
      act(async (context) => (await load()).rotateKey(context, options, key)),
    );
  ledgered(
    keys,
    'revoke <key>',
    'end a key that may be in other hands; it never comes back',
    'liftgate ledger key revoke ci --by alice.pem --reason "laptop stolen"',
  )
    .requiredOption(
      '--by <file>',
      'private key that signs for it: the key itself, or one with scope key',
    )
    .requiredOption('--reason <text>', 'why, kept in the ledger')
    .action((key: string, options: EndKeyFlags) =>
      act(async (context) => (await load()).revokeKey(context, options, key)),
    );
  ledgered(keys, 'list', 'every key, what it may sign and how it ended', 'liftgate ledger key list')
    .option('--trust <keys>', 'file with the keys you trust: says which keys count for you')
    .action((options: ListKeysFlags) =>
      act(async (context) => (await load()).listKeys(context, options)),
    );
}

/** A command that brings a new key. */
function brought(parent: Command, words: string, does: string, example: string): Command {
  return ledgered(parent, words, does, example)
    .requiredOption(
      '--key <file>',
      'the new key: an SSH public key, a verifier key, or a private key',
    )
    .option('--name <name>', 'name its signatures carry (default: the one in the file)')
    .requiredOption('--reason <text>', 'why, kept in the ledger');
}
