/** How much memory `liftgate verify` holds at most for runs of more and more receipts, each in a process of its own. */
import { execFileSync, spawnSync } from 'node:child_process';
import { rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { rounded, row, told } from './measure.mjs';

const project = join(import.meta.dirname, '../..');

/** Most memory of one verification in MB, and the length of the journal. */
function verified(folder, units) {
  const make = join(project, 'test/support/large-run.mjs');
  execFileSync(process.execPath, ['--max-old-space-size=8000', make, folder, String(units), '5']);
  const { stderr, stdout, status } = spawnSync(
    process.execPath,
    [
      ...['--import', join(project, 'test/support/peak-memory.mjs')],
      ...[join(project, 'bin/liftgate.js'), 'verify', 'run', '--ledger', 'ledger'],
    ],
    { cwd: folder, encoding: 'utf8' },
  );
  if (status !== 0) throw new Error(`the run does not verify: ${stdout}${stderr}`);
  const journal = statSync(join(folder, 'run/journal.jsonl')).size / 1e6;
  rmSync(folder, { recursive: true });
  return { mostMb: Number(/^peak-kb ([0-9]+)$/m.exec(stderr)?.[1]) / 1024, journal };
}

/** Adds the rows of 10,000 and 100,000 receipts. */
export function verifyMemory(folder) {
  const [small, large] = [1000, 10_000].map((units) => ({
    receipts: 10 * units,
    ...verified(join(folder, `run-${units}`), units),
  }));
  for (const { receipts, mostMb, journal } of [small, large]) {
    const name = `${receipts.toLocaleString('en')} receipts (journal of ${Math.round(journal)} MB): most memory that verify holds`;
    row(name, ['<=', 400, ' MB'], mostMb);
  }
  const bytes = ((large.mostMb - small.mostMb) * 2 ** 20) / (large.receipts - small.receipts);
  told('the same: what one receipt more takes', `${rounded(bytes / 1024)} KB`);
}
