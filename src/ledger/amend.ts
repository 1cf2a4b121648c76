/**
 * Amendments (I14): before its units are exposed, a plan may be replaced by another of the same experiment. The entry and the new seal
 * say what changed, why, and what had been seen: all exposures of the family so far and all candidates bound to the plan. After the
 * exposure nothing is amended: whatever could still change would move a decision whose evidence is being seen. While units are held,
 * they, their family, the error held for them and the development units stay what they are.
 */
import { canonicalText } from '../base/canonical.ts';
import type { Digest } from '../base/digest.ts';
import { LiftgateError } from '../base/errors.ts';
import * as z from '../base/shape.ts';
import { readRecorded } from '../base/strict-json.ts';
import { amendmentSchema, changesBetween, type Seen } from '../spec/amendment.ts';
import { digestSchema, idSchema } from '../spec/words.ts';
import type { EntryOf } from './entry.ts';
import { type ExperimentState, type LedgerState, withClaim, withExperiment } from './projection.ts';
import { type Naming, storedObject } from './stored-objects.ts';
import { conflict, outOfOrder, plannedExperiment } from './transitions.ts';

/** What the ledger reads of a plan seal; the rest of its shape is for those who execute and verify it. */
const planShape = z.looseObject({
  stage: z.literal('plan'),
  experimentId: idSchema,
  previous: digestSchema.nullable(),
  amendments: z.array(amendmentSchema),
  units: z.looseObject({ family: idSchema }),
  development: z.unknown(),
  analysis: z.looseObject({ alphaNano: z.int() }),
});
type PlanSeal = z.infer<typeof planShape>;

function parsePlan(bytes: Uint8Array, digest: Digest): PlanSeal {
  const parsed = readRecorded(bytes, planShape, { file: digest });
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw new LiftgateError(
    'seal-invalid',
    `it is no plan seal (${issue?.path.join('.')}: ${issue?.message})`,
    { where: { file: digest } },
  );
}

function refuse(reason: string, message: string, mend: string): never {
  throw conflict('I14', message, { mend, details: { reason } });
}

/** The plan seal that an experiment has now, and families of both plans: exposures of either have been seen. */
export interface Amended {
  readonly experiment: ExperimentState;
  readonly families: readonly string[];
}

/**
 * What has been seen by now, without what people declare.
 * @example seenBy(state, { experiment, families: ['mails'] }).exposures.length // => 0
 */
export function seenBy(
  state: LedgerState,
  { experiment, families }: Amended,
): Pick<Seen, 'exposures' | 'finals'> {
  const claims = state.claims
    .values()
    .filter((claim) => claim.exposeSeq !== null && families.includes(claim.family ?? ''))
    .map(({ plan }) => (plan === null ? undefined : state.experiments.get(plan)?.exposure))
    .filter((exposure) => exposure !== undefined && exposure !== null)
    .sort((first, second) => first.seq - second.seq);
  return {
    exposures: claims.map(({ entryId }) => entryId),
    finals: experiment.finals.map(({ digest }) => digest),
  };
}

/** What no amendment may touch while units are held. */
const heldMembers = {
  '/units': 'the final units or their family',
  '/development': 'the development units',
  '/analysis/alphaNano': 'the error that is held',
} as const;

function refuseHeld(experiment: ExperimentState, changed: readonly { readonly pointer: string }[]) {
  if (experiment.phase !== 'reserved') return;
  for (const [member, what] of Object.entries(heldMembers)) {
    const touched = changed.find(({ pointer }) => `${pointer}/`.startsWith(`${member}/`));
    if (touched === undefined) continue;
    refuse(
      'amends-held',
      `The amendment changes ${what} (${touched.pointer}) while experiment "${experiment.experimentId}" holds its units.`,
      `Give them back with \`liftgate ledger release ${experiment.experimentId} --reason "..."\`, amend, and reserve again.`,
    );
  }
}

const same = (first: unknown, second: unknown): boolean =>
  canonicalText(first) === canonicalText(second);

/** The new seal continues the chain of the old one by exactly what the entry says. */
function checkChain(body: EntryOf<'amend'>['body'], from: PlanSeal, to: PlanSeal): void {
  const link = to.amendments.at(-1);
  const { reason, changed, seen } = body;
  const told = { parent: body.from, reason, changed, seen };
  const { at: _at, ...recorded } = link ?? { at: null };
  const ids = [from.experimentId, to.experimentId].every((id) => id === body.experimentId);
  if (
    ids &&
    to.previous === body.from &&
    same(to.amendments.slice(0, -1), from.amendments) &&
    same(recorded, told)
  ) {
    return;
  }
  refuse(
    'chain-differs',
    `The seal ${body.to} does not continue ${body.from} as the amendment says.`,
    'Amend with `liftgate amend`, which writes seal and entry from one comparison.',
  );
}

function checkTold(body: EntryOf<'amend'>['body'], from: PlanSeal, to: PlanSeal): void {
  const changed = changesBetween(from, to);
  if (changed.length > 0 && same(changed, body.changed)) return;
  refuse(
    changed.length === 0 ? 'nothing-amended' : 'changes-differ',
    changed.length === 0
      ? 'The amended seal says what the old one says.'
      : `The amendment names ${body.changed.length} changes; the seals differ in ${changed.length}.`,
    'Amend with `liftgate amend`, which compares the seals itself.',
  );
}

function checkSeen(state: LedgerState, { seen }: EntryOf<'amend'>['body'], amended: Amended): void {
  const { exposures, finals } = seenBy(state, amended);
  if (same({ exposures: seen.exposures, finals: seen.finals }, { exposures, finals })) return;
  refuse(
    'seen-differs',
    `The amendment names ${seen.exposures.length} exposures and ${seen.finals.length} final seals; the ledger holds ${exposures.length} and ${finals.length}.`,
    'Read the ledger again and amend again: another experiment may have been exposed meanwhile.',
  );
}

/**
 * Replaces the plan of an experiment that is not exposed. The old plan stays visible, in phase `amended`, with its final seals; what was
 * reserved under it is held by the new one.
 *
 * @throws {LiftgateError} ledger-conflict  I6 out of order, I12 an object that cannot be read, I14 whatever the entry leaves out
 */
export function applyAmend(
  state: LedgerState,
  entry: EntryOf<'amend'>,
  { objects }: Pick<Naming, 'objects'>,
): LedgerState {
  const { body, seq } = entry;
  const experiment = plannedExperiment(state, body.from, body.experimentId);
  if (experiment.phase !== 'sealed' && experiment.phase !== 'reserved') {
    throw outOfOrder(experiment, 'amend its plan', 'sealed or reserved');
  }
  if (state.experiments.get(body.to) !== undefined) {
    refuse('already-sealed', `The plan ${body.to} is recorded already.`, 'Amend to another plan.');
  }
  const read = (digest: Digest): PlanSeal =>
    storedObject({ entry, objects }, digest, {
      what: 'plan seal',
      parse: (bytes) => parsePlan(bytes, digest),
    });
  const [from, to] = [read(body.from), read(body.to)];
  checkTold(body, from, to);
  checkChain(body, from, to);
  checkSeen(state, body, { experiment, families: [from.units.family, to.units.family] });
  refuseHeld(experiment, body.changed);
  return replacePlan(state, { experiment, to: body.to, seq });
}

/** The state with the experiment under its new plan. */
export function replacePlan(
  state: LedgerState,
  parts: { readonly experiment: ExperimentState; readonly to: Digest; readonly seq: number },
): LedgerState {
  const { experiment, to, seq } = parts;
  const amended = { plan: to, finals: [], amendsPlan: experiment.plan, sealedSeq: seq };
  const next = withExperiment(
    withExperiment(state, { ...experiment, phase: 'amended', amendedBy: to, reservation: null }),
    { ...experiment, ...amended },
  );
  const held = experiment.reservation;
  return held === null ? next : withClaim(next, held.seq, { plan: to });
}
