/** `liftgate reserve`: claims the final units of a sealed plan before a search. */
import { reserveUnits } from '../../serve/library.ts';
import type { CommandContext } from '../context.ts';
import { commandLedger, openExperiment, type RecordingOptions } from '../workspace.ts';

export async function reserve(
  context: CommandContext,
  options: RecordingOptions,
  path: string,
): Promise<number> {
  const loaded = await openExperiment(path, { candidates: 'open' });
  const ledger = commandLedger(context, options);
  const { plan, phase, units, entry } = await reserveUnits({ loaded, ledger });
  context.output.line(
    `${loaded.spec.name}: ${units} final units, entry ${entry ?? 'none'}, ${phase}`,
  );
  context.output.document({
    experiment: loaded.spec.name,
    plan,
    phase,
    units,
    entry,
  });
  return 0;
}
