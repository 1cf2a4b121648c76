/** The amendments of a plan: the chain in its seal, and the entries of the ledger that it must be the trace of. */
import type { Digest } from '../base/digest.ts';
import type { LedgerState } from '../ledger/projection.ts';
import { causesOf } from '../spec/amendment.ts';
import type { SealedExperiment } from '../spec/seal.ts';
import { type Finding, findingOf } from './checklist.ts';

/** A link of the chain and the number of its ledger entry; null when the ledger does not record it. */
export interface RecordedAmendment {
  readonly entry: number | null;
  readonly at: string;
  readonly reason: string;
  /** Members of the seal that changed, as JSON pointers. */
  readonly changed: readonly string[];
  readonly seen: SealedExperiment['amendments'][number]['seen'];
}

/** Faults of a chain that need no ledger: the seal before a plan is the one its last amendment replaced. */
export function chainFaults({ previous, amendments }: SealedExperiment): string[] {
  const last = amendments.at(-1)?.parent ?? null;
  return previous === last
    ? []
    : ['the plan names another seal before it than its last amendment does'];
}

/** Plans that a seal descends from, itself first: a reservation may name any of them. */
export function plansOf({ plan, amendments }: SealedExperiment): readonly (Digest | null)[] {
  return [plan, ...amendments.map(({ parent }) => parent)];
}

/** The amendments of a seal, oldest first, each with the entry that records it. */
export function recordedAmendments(
  seal: SealedExperiment,
  state: LedgerState | null,
): readonly RecordedAmendment[] {
  let plan = seal.plan;
  return seal.amendments
    .toReversed()
    .map(({ at, parent, reason, changed, seen }) => {
      const experiment = plan === null ? undefined : state?.experiments.get(plan);
      plan = parent;
      const entry = experiment?.amendsPlan === parent ? experiment.sealedSeq : null;
      return { entry, at, reason, changed: changed.map(({ pointer }) => pointer), seen };
    })
    .toReversed();
}

/** Every amendment of the seal is recorded; that entry and seal say the same, and the truth, is the ledger's own invariant. */
export function checkAmendments(seal: SealedExperiment, state: LedgerState | null): Finding {
  const found = recordedAmendments(seal, state);
  const missing = found.filter(({ entry }) => entry === null);
  const shown = found.map(({ entry, reason, changed }) => {
    const causes = causesOf(changed);
    const more = causes.length > 3 ? ` and ${causes.length - 3} more` : '';
    return `entry ${entry}: ${causes.slice(0, 3).join(', ')}${more} (${reason})`;
  });
  return findingOf(
    missing.map(({ reason }) => `the ledger records no amendment "${reason}" of this plan`),
    shown.join('; '),
  );
}
