/** `liftgate amend`: the experiment as it is now takes the place of its sealed plan, as long as nothing is exposed. */
import { systemClock } from '../../host/clock.ts';
import { gateRunner } from '../../host/gate-runner.ts';
import { amendPlan } from '../../store/amend-experiment.ts';
import { engineIdentity } from '../../store/engine.ts';
import { refuseBrokenGates } from '../../store/gate-desk.ts';
import { writeSealCopy } from '../../store/seal-experiment.ts';
import type { CommandContext } from '../context.ts';
import { commandLedger, openExperiment, type RecordingOptions } from '../workspace.ts';

/** Flags of the command. */
export interface AmendFlags extends RecordingOptions {
  readonly reason: string;
  readonly seen?: readonly string[];
}

/** Changes shown by name; the rest is counted. */
const shownChanges = 20;

/**
 * Amends the plan seal.
 * @throws {LiftgateError} seal-missing, usage, design-refused, ledger-conflict
 */
export async function amend(
  context: CommandContext,
  options: AmendFlags,
  path: string,
): Promise<number> {
  const { output } = context;
  const loaded = await openExperiment(path, { candidates: 'open' });
  await refuseBrokenGates(loaded, gateRunner());
  const { seal, digest, amendment, entry, notices } = await amendPlan({
    ...{ loaded, ledger: commandLedger(context, options), engine: engineIdentity() },
    ...{ reason: options.reason, declared: options.seen ?? [], now: () => systemClock.now() },
  });
  const copy = writeSealCopy(loaded, seal);
  const { changed, seen, parent } = amendment;
  output.line(`plan seal ${digest} amends ${parent} in entry ${entry.seq}`);
  for (const { pointer, from, to } of changed.slice(0, shownChanges))
    output.line(`  ${from === null ? 'added' : to === null ? 'removed' : 'changed'} ${pointer}`);
  if (changed.length > shownChanges) output.line(`  and ${changed.length - shownChanges} more`);
  output.line(
    `seen by then: ${counted(seen.exposures.length, 'exposure')} of the family, ${counted(seen.finals.length, 'final seal')} of the old plan`,
  );
  for (const each of seen.declared) output.line(`  declared: ${each}`);
  for (const notice of notices) output.note(`engine differs: ${notice}`);
  output.line(`copy: ${copy}; design ${seal.digests.design}`);
  output.document({
    ...{ plan: digest, amends: parent, entry: entry.seq, changed, seen },
    ...{ design: seal.digests.design, cases: seal.digests.cases, copy },
  });
  return 0;
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}
