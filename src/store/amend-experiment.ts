/** Amends the plan of an experiment before its exposure: the files as they are now against the recorded seal, in one ledger entry. */
import { type Digest, digestHex } from '../base/digest.ts';
import { LiftgateError } from '../base/errors.ts';
import { simulatedSeal } from '../gate/power-seal.ts';
import { seenBy } from '../ledger/amend.ts';
import type { Appended, Ledger } from '../ledger/ledger.ts';
import type { ExperimentState } from '../ledger/projection.ts';
import { outOfOrder } from '../ledger/transitions.ts';
import { type Amendment, changesBetween } from '../spec/amendment.ts';
import { compareSeals } from '../spec/drift.ts';
import { formatSeal, type SealedExperiment } from '../spec/seal.ts';
import { planSeal, type SealDraft } from '../spec/seal-plan.ts';
import { seedHex } from '../spec/seeds.ts';
import {
  currentExperiment,
  missingSeal,
  readSeal,
  type SealOptions,
  sealInput,
} from './seal-experiment.ts';

/** What is amended, why, and who had seen what. */
export interface AmendOptions extends Omit<SealOptions, 'write'> {
  readonly reason: string;
  /** Declarations in words, such as `alice: the selection scores of r2`. */
  readonly declared: readonly string[];
  /** UTC with milliseconds, recorded as a claim. */
  readonly now: () => string;
}

/** A plan in the place of another. */
export interface AmendedPlan {
  readonly seal: SealedExperiment;
  readonly digest: Digest;
  readonly amendment: Amendment;
  readonly entry: Appended<'amend'>['entry'];
  readonly notices: readonly string[];
}

/** Exposures by others that may come between reading and writing before an amendment gives up. */
const maximumReadings = 5;

/**
 * Replaces the plan seal by one of the files as they are.
 *
 * @throws {LiftgateError} seal-missing     when there is no plan to amend
 * @throws {LiftgateError} usage            when nothing that is sealed has changed
 * @throws {LiftgateError} design-refused   for rules that ship too often by chance, or find too little
 * @throws {LiftgateError} ledger-conflict  once units are exposed; when held units, their family or their error would change
 */
export async function amendPlan(options: AmendOptions): Promise<AmendedPlan> {
  const { loaded, ledger, engine } = options;
  const draft = planSeal(sealInput(loaded, engine));
  let power: SealedExperiment['analysis']['power'] | null = null;
  for (let reading = 1; ; reading += 1) {
    const { current, before, notices } = await amendable(options, draft.seal);
    if (power === null) {
      const seed = seedHex(draft.seal.digests.cases, 'plan');
      const design = { seal: draft.seal, index: loaded.index };
      power = (await simulatedSeal(design, { seed, file: loaded.file })).analysis.power;
    }
    const analysis = { ...draft.seal.analysis, ...(power && { power }) };
    const fresh = { ...draft.seal, analysis };
    const { seal, amendment } = await continued(options, { current, before, fresh });
    try {
      const { digest, entry } = await recordAmendment(ledger, { seal, draft, amendment });
      return { seal, digest, amendment, entry, notices };
    } catch (error) {
      if (reading === maximumReadings || !isOutrun(error)) throw error;
    }
  }
}

/** Somebody exposed units of the family between reading and writing: the next reading names it. */
function isOutrun(error: unknown): boolean {
  return error instanceof LiftgateError && error.details['reason'] === 'seen-differs';
}

async function amendable(options: AmendOptions, fresh: SealedExperiment) {
  const { loaded, ledger } = options;
  const current = await currentExperiment(ledger, loaded.spec.name);
  if (current === undefined) throw missingSeal(options, 'plan');
  if (current.phase !== 'sealed' && current.phase !== 'reserved') {
    throw outOfOrder(current, 'amend its plan', 'sealed or reserved');
  }
  const before = await readSeal(ledger, current.plan);
  const { drift, notices } = compareSeals(before, fresh);
  if (drift.length > 0) return { current, before, notices };
  throw new LiftgateError(
    'usage',
    'Nothing that is sealed has changed, so there is nothing to amend.',
    {
      where: { file: loaded.file },
      mend: 'Change the experiment first, then amend its seal.',
    },
  );
}

/** The new seal with its chain. */
async function continued(
  { ledger, reason, declared, now }: AmendOptions,
  seals: {
    readonly current: ExperimentState;
    readonly before: SealedExperiment;
    readonly fresh: SealedExperiment;
  },
): Promise<{ readonly seal: SealedExperiment; readonly amendment: Amendment }> {
  const { current, before, fresh } = seals;
  const families = [before.units.family, fresh.units.family];
  const seen = seenBy(await ledger.state(), { experiment: current, families });
  const amendment: Amendment = {
    at: now(),
    parent: current.plan,
    reason,
    changed: [...changesBetween(before, fresh)],
    seen: { ...seen, declared: [...declared] },
  };
  const amendments = [...before.amendments, amendment];
  return { seal: { ...fresh, previous: current.plan, amendments }, amendment };
}

async function recordAmendment(
  ledger: Ledger,
  parts: {
    readonly seal: SealedExperiment;
    readonly draft: SealDraft;
    readonly amendment: Amendment;
  },
): Promise<{ readonly digest: Digest; readonly entry: Appended<'amend'>['entry'] }> {
  const { seal, draft, amendment } = parts;
  const encoder = new TextEncoder();
  for (const object of draft.objects) await ledger.putObject(encoder.encode(object));
  const bytes = encoder.encode(formatSeal(seal));
  const digest = await ledger.putObject(bytes);
  const { parent, reason, changed, seen } = amendment;
  const { entry } = await ledger.append({
    kind: 'amend',
    requestId: `amend:${digestHex(digest)}`,
    body: {
      ...{ experimentId: seal.experimentId, from: parent, to: digest, size: bytes.length },
      ...{ reason, changed, seen },
    },
  });
  return { digest, entry };
}
