/** Seal inputs of the mails experiment and seals made from them, for tests that change one thing. */

import { type SealedExperiment, sealDigest } from '../../src/spec/seal.ts';
import { bindSeal, planSeal, type SealInput } from '../../src/spec/seal-plan.ts';
import type { LoadedExperiment } from '../../src/store/experiment-folder.ts';
import { sealInput } from '../../src/store/seal-experiment.ts';
import { engine, mailsIn } from './run.ts';

export interface Sealed {
  readonly loaded: LoadedExperiment;
  readonly input: SealInput;
  readonly plan: SealedExperiment;
  readonly final: SealedExperiment;
}

/** Plan and final seal of an input. */
export function sealsOf(input: SealInput): Pick<Sealed, 'plan' | 'final'> {
  const { seal: plan } = planSeal(input);
  return { plan, final: bindSeal(plan, sealDigest(plan), input.arms) };
}

/** The mails experiment with some files changed, sealed in memory. */
export async function sealedMails(
  folder: string,
  changes: Readonly<Record<string, string | null>> = {},
): Promise<Sealed> {
  const loaded = await mailsIn(folder, changes);
  const input = sealInput(loaded, engine());
  return { loaded, input, ...sealsOf(input) };
}
