/** Commands of `liftgate ledger` for more than one copy of it, and for proofs kept outside. */
import type { Command } from 'commander';
import type { AnchorFlags } from './commands/anchor.ts';
import type { ExportFlags, ImportFlags } from './commands/ledger-branches.ts';
import { type Act, checkpointsText, ledgered, recording } from './subcommand.ts';

/** Adds `ledger export`, `ledger import` and `ledger anchor`. */
export function addBranchCommands(ledger: Command, act: Act): void {
  const load = async () => import('./commands/ledger-branches.ts');
  ledgered(
    ledger,
    'export',
    'write the whole ledger into one file: equal ledgers give equal bytes',
    'liftgate ledger export --out ledger.tar',
  )
    .option('--out <file>', 'file to write (default: ledger-ID.tar)')
    .option('--checkpoints <folder>', checkpointsText)
    .action((options: ExportFlags) =>
      act(async (context) => (await load()).exportLedger(context, options)),
    );
  recording(
    ledger,
    'import',
    'bring in what another branch of this ledger recorded; what both claimed is contested',
    'liftgate ledger import --theirs feature',
  )
    .requiredOption(
      '--theirs <copy>',
      'the other side: a commit or branch, a ledger folder, or an exported file',
    )
    .option(
      '--ours <commit>',
      'the published side, whose entries stay as they are (default: this folder)',
    )
    .action((options: ImportFlags) =>
      act(async (context) => (await load()).importLedger(context, options)),
    );
  ledgered(
    ledger,
    'anchor',
    'bind the ledger to a proof outside of it: a commit, a time stamp, a signed note',
    'liftgate ledger anchor --commit HEAD',
  )
    .option('--text <file>', 'only write the text that others stamp or sign')
    .option('--commit <commit>', 'commit that holds the ledger')
    .option('--time-stamp <file>', 'reply of an RFC 3161 authority over the text')
    .option('--note <file>', 'signed checkpoint of a witness')
    .option('--ots <file>', 'OpenTimestamps file over the text; kept, not checked')
    .action((options: AnchorFlags) =>
      act(async (context) => (await import('./commands/anchor.ts')).anchor(context, options)),
    );
}
