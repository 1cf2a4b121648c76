/** `liftgate seal`: writes the plan seal, and with --candidates the final one. */
import { sealExperiment } from '../../serve/library.ts';
import type { RecordedSeal } from '../../store/seal-experiment.ts';
import type { CommandContext } from '../context.ts';
import { commandLedger, openExperiment } from '../workspace.ts';

export async function seal(
  context: CommandContext,
  options: { readonly ledger: string; readonly candidates?: boolean },
  path: string,
): Promise<number> {
  const bind = options.candidates === true;
  const loaded = await openExperiment(path, { candidates: bind ? 'bound' : 'open' });
  const ledger = commandLedger(context, options);
  const { plan, final, copy } = await sealExperiment({ loaded, ledger, candidates: bind });
  show(context, 'plan', plan);
  if (final !== null) show(context, 'final', final);
  context.output.line(`copy: ${copy}; design ${plan.seal.digests.design}`);
  context.output.document({
    plan: plan.digest,
    final: final?.digest ?? null,
    design: plan.seal.digests.design,
    cases: plan.seal.digests.cases,
    unpinned: plan.seal.unpinned,
    copy,
  });
  return 0;
}

function show({ output }: CommandContext, stage: string, recorded: RecordedSeal): void {
  output.line(
    `${stage} seal ${recorded.digest}${recorded.written ? '' : ' (recorded before, unchanged)'}`,
  );
  for (const notice of recorded.notices) output.note(`engine differs: ${notice}`);
}
