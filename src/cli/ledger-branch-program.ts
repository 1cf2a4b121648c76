/** Commands of `liftgate ledger` for more than one copy of it, and for proofs kept outside. */
import type { Command } from 'commander';
import type { ExportFlags, ImportFlags } from './commands/ledger-branches.ts';
import { type Act, checkpointsText, ledgered } from './subcommand.ts';

/** Adds `ledger export` and `ledger import`. */
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
  ledgered(
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
}
