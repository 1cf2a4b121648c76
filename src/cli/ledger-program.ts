/** The commands of `liftgate ledger`. */
import type { Command } from 'commander';
import type { CheckpointFlags, SignerFlags, WitnessFlags } from './commands/checkpoint.ts';
import type { VerifyLedgerFlags } from './commands/ledger.ts';
import type { PolicyFlags } from './commands/reuse.ts';
import { addBranchCommands } from './ledger-branch-program.ts';
import { addUpkeepCommands } from './ledger-upkeep-program.ts';
import {
  type Act,
  checkpointsText,
  command,
  demanding,
  ledgered,
  recording,
  type Shared,
} from './subcommand.ts';

/** Adds `liftgate ledger` and everything below it. */
export function addLedgerCommands(program: Command, act: Act): void {
  const ledger = program
    .command('ledger')
    .description('read and check the final-evidence ledger')
    .addHelpText('after', '\nExample:\n  $ liftgate ledger list')
    .exitOverride();
  const load = async () => import('./commands/ledger.ts');
  ledgered(ledger, 'list', 'every entry, a line each', 'liftgate ledger list').action(
    (options: Shared) => act(async (context) => (await load()).list(context, options)),
  );
  ledgered(ledger, 'show <entry>', 'one entry by its number', 'liftgate ledger show 3').action(
    (entry: string, options: Shared) =>
      act(async (context) => (await load()).showEntry(context, options, entry)),
  );
  demanding(
    ledgered(ledger, 'verify', 'check chain, states and objects', 'liftgate ledger verify').option(
      '--fix',
      'first move files that are neither entry nor object to quarantine/, and drop old temporary files',
    ),
    'what must vouch for every outcome: signed, witnessed, anchored',
  ).action((options: VerifyLedgerFlags) =>
    act(async (context) => (await load()).verifyLedger(context, options)),
  );
  recording(
    ledger,
    'release <experiment>',
    'give reserved, never exposed units back',
    'liftgate ledger release refund-desk --reason "search stopped"',
  )
    .requiredOption('--reason <text>', 'why, kept in the ledger')
    .action((experiment: string, options: Shared & { reason: string }) =>
      act(async (context) => (await load()).release(context, options, experiment)),
    );
  recording(
    ledger,
    'void <experiment>',
    'declare a recorded outcome unusable; its units stay spent',
    'liftgate ledger void refund-desk --reason "scorer bug"',
  )
    .requiredOption('--reason <text>', 'why, kept in the ledger')
    .action((experiment: string, options: Shared & { reason: string }) =>
      act(async (context) => (await load()).voidOutcome(context, options, experiment)),
    );
  addReuseCommands(ledger, act);
  addCheckpointCommands(ledger, act);
  addUpkeepCommands(ledger, act);
  addBranchCommands(ledger, act);
}

function addReuseCommands(ledger: Command, act: Act): void {
  const load = async () => import('./commands/reuse.ts');
  ledgered(
    ledger,
    'budget',
    'error spent, held and left by family of units, and the level of the next look',
    'liftgate ledger budget',
  ).action((options: Shared) => act(async (context) => (await load()).budget(context, options)));
  recording(
    ledger,
    'policy <family>',
    'say how often units of a family may be measured, before any is reserved',
    'liftgate ledger policy refunds --alpha-slots 3 --alpha 0.05',
  )
    .option('--alpha-slots <number>', 'measurements that share the error (default: one-shot)')
    .option('--alpha <level>', 'error of all slots together; one-shot: of each measurement', '0.05')
    .option('--require-signature', 'entries about its units are signed, with --entry-key')
    .option('--require-anchor', 'reservation and exposure are anchored before cells run')
    .action((family: string, options: PolicyFlags) =>
      act(async (context) => (await load()).policy(context, options, family)),
    );
}

function addCheckpointCommands(ledger: Command, act: Act): void {
  const load = async () => import('./commands/checkpoint.ts');
  signed(
    ledger,
    'checkpoint',
    'sign the ledger as it is now, once it continues every earlier checkpoint',
    'liftgate ledger checkpoint --key key.pem --name alice@example.org',
  ).action((options: CheckpointFlags & SignerFlags) =>
    act(async (context) => (await load()).checkpoint(context, options)),
  );
  signed(
    ledger,
    'witness',
    'co-sign the newest checkpoint, once it continues everything this witness has seen',
    'liftgate ledger witness --key ci.pem --name ci --trust keys.txt',
  )
    .requiredOption('--trust <keys>', 'file with the keys whose checkpoints are co-signed')
    .option('--state <folder>', 'memory of this witness (default: in a folder of the user)')
    .action((options: WitnessFlags) =>
      act(async (context) => (await load()).witness(context, options)),
    );
  ledgered(
    ledger,
    'prove',
    'print a proof that an entry stands in the ledger, for somebody without it',
    'liftgate ledger prove --entry 9 > proof.json',
  )
    .requiredOption('--entry <number>', 'number of the entry')
    .option('--checkpoints <folder>', checkpointsText)
    .action((options: CheckpointFlags & { readonly entry: string }) =>
      act(async (context) => (await load()).prove(context, options)),
    );
  command(
    ledger,
    'check-proof <proof>',
    'check such a proof with nothing but the file and the keys you trust',
    'liftgate ledger check-proof proof.json --trust keys.txt',
  )
    .option('--trust <keys>', 'file with the keys whose signatures count')
    .action((file: string, options: { readonly trust?: string }) =>
      act(async (context) => (await load()).checkProof(context, options, file)),
    );
}

/** A command that signs with a key. */
function signed(parent: Command, words: string, does: string, example: string): Command {
  return ledgered(parent, words, does, example)
    .requiredOption('--key <file>', 'private key: ed25519 in PEM, or an SSH key')
    .option('--name <name>', 'name the signature carries (SSH keys: default their comment)')
    .option('--checkpoints <folder>', checkpointsText);
}
