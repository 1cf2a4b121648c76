/** `liftgate reserve`: claims the final units of a sealed plan before a search. */
import { engineIdentity } from '../../store/engine.ts';
import { reserveExperiment } from '../../store/prepare-run.ts';
import { ensurePlanSeal } from '../../store/seal-experiment.ts';
import type { CommandContext } from '../context.ts';
import { commandLedger, openExperiment } from '../workspace.ts';

export async function reserve(
  context: CommandContext,
  options: { readonly ledger: string },
  path: string,
): Promise<number> {
  const loaded = await openExperiment(path, { candidates: 'open' });
  const ledger = commandLedger(context, options);
  const plan = await ensurePlanSeal({ loaded, ledger, engine: engineIdentity(), write: false });
  const state = await reserveExperiment(ledger, loaded, plan);
  const seq = state.reservation?.seq ?? null;
  const units = state.reservation?.body.unitCount ?? 0;
  context.output.line(
    `${loaded.spec.name}: ${units} final units, entry ${seq ?? 'none'}, ${state.phase}`,
  );
  context.output.document({
    experiment: loaded.spec.name,
    plan: plan.digest,
    phase: state.phase,
    units,
    entry: seq,
  });
  return 0;
}
