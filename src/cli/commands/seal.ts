/** `liftgate seal`: writes the plan seal, and with --candidates the final one; with --sign a signed statement about it. */
import { nearCopies, nearCopyLines } from '../../analysis/near-copies.ts';
import { describeKey } from '../../base/trust.ts';
import { requireSigner } from '../../ledger/key-trust.ts';
import { sealExperiment } from '../../serve/library.ts';
import { type RecordedSeal, writeSealStatement } from '../../store/seal-experiment.ts';
import type { CommandContext } from '../context.ts';
import { commandLedger, namedSigner, openExperiment, type SigningOptions } from '../workspace.ts';

/** Flags of the command. */
export interface SealOptions extends SigningOptions {
  readonly ledger: string;
  readonly candidates?: boolean;
}

export async function seal(
  context: CommandContext,
  options: SealOptions,
  path: string,
): Promise<number> {
  const bind = options.candidates === true;
  const signer = await namedSigner(context, options);
  const loaded = await openExperiment(path, { candidates: bind ? 'bound' : 'open' });
  const ledger = commandLedger(context, options);
  if (signer !== null) requireSigner(await ledger.state(), signer.key, ['statement']);
  const { plan, final, copy } = await sealExperiment({ loaded, ledger, candidates: bind });
  show(context, 'plan', plan);
  for (const line of nearCopyLines(nearCopies(loaded.cases, loaded.spec.fingerprint.ignore)))
    context.output.note(line);
  if (final !== null) show(context, 'final', final);
  const statement =
    signer === null
      ? null
      : await writeSealStatement({ loaded, ledger, signer, recorded: final ?? plan });
  context.output.line(`copy: ${copy}; design ${plan.seal.digests.design}`);
  if (signer !== null) context.output.line(`${statement}: signed by ${describeKey(signer)}`);
  context.output.document({
    plan: plan.digest,
    final: final?.digest ?? null,
    design: plan.seal.digests.design,
    cases: plan.seal.digests.cases,
    unpinned: plan.seal.unpinned,
    copy,
    statement,
  });
  return 0;
}

function show({ output }: CommandContext, stage: string, recorded: RecordedSeal): void {
  output.line(
    `${stage} seal ${recorded.digest}${recorded.written ? '' : ' (recorded before, unchanged)'}`,
  );
  for (const notice of recorded.notices) output.note(`engine differs: ${notice}`);
}
