/**
 * The effect of an imported entry, conservatively: nothing its branch did is lost, nothing of this ledger is undone, nothing becomes
 * free. Where the ordinary transition refuses it, because this ledger went on otherwise meanwhile, what it exposed and spent counts all
 * the same.
 */
import { LiftgateError } from '../base/errors.ts';
import { replacePlan } from './amend.ts';
import { addClaim, claimOf } from './claim.ts';
import type { EntryOf, LedgerEntry } from './entry.ts';
import {
  answerTo,
  type Claim,
  type ExperimentState,
  familyClaims,
  type LedgerState,
  type ObjectResolver,
  type Policy,
  withClaim,
  withExperiment,
} from './projection.ts';
import { isReusable, nextSlot, policyOf, slotNano } from './reuse.ts';
import { storedUnits } from './stored-objects.ts';
import { applyReserve, exposedBy, type Step } from './transitions.ts';
import { retirementOf } from './withdraw.ts';

/** The ordinary transition of an entry. */
export type Transition = (
  state: LedgerState,
  step: Step<LedgerEntry>,
  objects: ObjectResolver,
) => LedgerState;

/** What absorbing needs beside state and entry. */
export interface Absorbing {
  readonly objects: ObjectResolver;
  readonly apply: Transition;
  /** Numbers from here on were given by the import under way: claims of the other branch alone. */
  readonly firstNew: number;
  /** An entry by its number in this ledger. */
  readonly entryAt: (seq: number) => Step<LedgerEntry> | undefined;
  /** Claims with two histories are added here. */
  readonly clashes: Set<number>;
}

/**
 * The state after an imported entry, numbered as in this ledger.
 * @throws {LiftgateError} ledger-conflict I12  when an object is missing
 */
export function absorb(
  state: LedgerState,
  step: Step<LedgerEntry>,
  absorbing: Absorbing,
): LedgerState {
  const { entry, entryId } = step;
  switch (entry.kind) {
    case 'reserve':
      return absorbReserve(state, { entry, entryId }, absorbing);
    case 'release':
      return absorbRelease(state, { entry, entryId }, absorbing);
    case 'expose':
      return absorbExpose(state, { entry, entryId }, absorbing);
    case 'attempt':
    case 'journal':
    case 'outcome':
    case 'abort':
      return absorbExecution(state, { entry, entryId }, absorbing);
    case 'develop':
      return addClaim(
        state,
        claimOf(entry),
        storedUnits({ entry, objects: absorbing.objects }, entry.body),
      );
    case 'policy':
      return absorbPolicy(state, entry.body);
    case 'seal':
      return tried(state, step, absorbing) ?? absorbFinal(state, entry);
    case 'retire':
      return tried(state, step, absorbing) ?? absorbRetire(state, { entry, entryId }, absorbing);
    case 'leak':
    case 'void':
    case 'key':
    case 'anchor':
      return tried(state, step, absorbing) ?? state;
    case 'amend':
      return tried(state, step, absorbing) ?? absorbAmend(state, entry);
    case 'import':
    case 'genesis':
      return state;
  }
}

/** The ordinary transition; null when the history of this ledger does not allow it. */
function tried(
  state: LedgerState,
  step: Step<LedgerEntry>,
  { apply, objects }: Absorbing,
): LedgerState | null {
  try {
    return apply(state, step, objects);
  } catch (error) {
    const refused = error instanceof LiftgateError && error.code === 'ledger-conflict';
    if (!refused || error.details['invariant'] === 'I12') throw error;
    return null;
  }
}

function absorbFinal(state: LedgerState, { body, seq }: EntryOf<'seal'>): LedgerState {
  const experiment = body.plan === null ? undefined : state.experiments.get(body.plan);
  const known = experiment?.finals.some(({ digest }) => digest === body.sealDigest) ?? true;
  if (experiment === undefined || known) return state;
  const finals = [...experiment.finals, { digest: body.sealDigest, seq }];
  return withExperiment(state, { ...experiment, finals });
}

/**
 * A plan that this ledger left as it was is amended all the same, though exposures on this side were not known to whoever amended it; of
 * a plan that this ledger has amended or exposed itself the amendment changes nothing.
 */
function absorbAmend(state: LedgerState, { body, seq }: EntryOf<'amend'>): LedgerState {
  const experiment = state.experiments.get(body.from);
  const open = experiment?.phase === 'sealed' || experiment?.phase === 'reserved';
  if (experiment === undefined || !open || state.experiments.get(body.to) !== undefined)
    return state;
  return replacePlan(state, { experiment, to: body.to, seq });
}

/** What this ledger holds is retired all the same, and contested: nobody is to measure it, and somebody was about to. */
function absorbRetire(
  state: LedgerState,
  { entry }: Step<EntryOf<'retire'>>,
  { objects, clashes }: Absorbing,
): LedgerState {
  const { family, units: set } = entry.body;
  if (set !== null) {
    const units = storedUnits({ entry, objects }, set);
    return addClaim(state, retirementOf(entry, set), units);
  }
  for (const { seq, status } of familyClaims(state, family))
    if (status === 'held') clashes.add(seq);
  const known = state.retiredFamilies.get(family) ?? entry.seq;
  return { ...state, retiredFamilies: state.retiredFamilies.with([[family, known]]) };
}

/** A plan that this ledger reserved too has two claims; they contest each other by their units. */
function absorbReserve(
  state: LedgerState,
  step: Step<EntryOf<'reserve'>>,
  { objects, clashes }: Absorbing,
): LedgerState {
  const { entry } = step;
  const units = storedUnits({ entry, objects }, entry.body);
  const phase = state.experiments.get(entry.body.plan)?.phase;
  const next = phase === 'sealed' ? applyReserve(state, step) : state;
  const slot = slotFor(state, entry.body);
  if (slot === null) {
    clashes.add(entry.seq);
    for (const claim of familyClaims(state, entry.body.family))
      if (claim.slot === entry.body.slot) clashes.add(claim.seq);
  }
  const claim = { ...claimOf(entry), slot: slot ?? nextSlot(state, entry.body.family) };
  return addClaim(next, claim, units);
}

/** Slot of a reservation in this ledger: its own while that is free, else the first free one with as much error; null when none has. */
function slotFor(
  state: LedgerState,
  { family, slot, alphaNano }: EntryOf<'reserve'>['body'],
): number | null {
  if (!isReusable(state, family)) return 0;
  const taken = new Set(familyClaims(state, family).map((claim) => claim.slot));
  if (!taken.has(slot)) return slot;
  const policy = policyOf(state, family);
  const free = policy.weights.findIndex(
    (_, at) => !taken.has(at) && slotNano(policy, at, 1n) >= alphaNano,
  );
  return free < 0 ? null : free;
}

/** Only what their branch reserved itself is given back: this ledger may count on a reservation both know. */
function absorbRelease(
  state: LedgerState,
  step: Step<EntryOf<'release'>>,
  absorbing: Absorbing,
): LedgerState {
  const { reserve } = step.entry.body;
  const claim = state.claims.get(reserve);
  if (claim?.status !== 'held' || reserve < absorbing.firstNew) return state;
  const own = experimentOf(state, claim)?.reservation?.seq === reserve;
  const next = own ? tried(state, step, absorbing) : null;
  return next ?? withClaim(state, reserve, { status: 'released' });
}

const experimentOf = (state: LedgerState, { plan }: Claim): ExperimentState | undefined =>
  plan === null ? undefined : state.experiments.get(plan);

/** Spends the units in any case; the experiment is exposed by it unless this ledger exposed it, or holds its units, otherwise. */
function absorbExpose(
  state: LedgerState,
  step: Step<EntryOf<'expose'>>,
  absorbing: Absorbing,
): LedgerState {
  const { reserve } = step.entry.body;
  const claim = state.claims.get(reserve);
  const experiment = claim === undefined ? undefined : experimentOf(state, claim);
  if (claim === undefined || experiment === undefined) return state;
  if (experiment.reservation?.seq === reserve && claim.status === 'held') {
    const next = tried(state, step, absorbing);
    if (next !== null) return next;
  }
  const spent = spend(state, claim, { step, absorbing });
  if (experiment.exposure !== null) return spent;
  if (experiment.reservation !== null && experiment.reservation.seq !== reserve) return spent;
  const recorded = absorbing.entryAt(reserve);
  if (recorded?.entry.kind !== 'reserve' || claim.status === 'exposed') return spent;
  const { entry, entryId } = recorded;
  const reservation = experiment.reservation ?? { seq: reserve, entryId, body: entry.body };
  return exposedBy(spent, step, { ...experiment, reservation });
}

/** Counts an exposure on its claim; on one that was exposed already as a claim of its own, so that both count. */
function spend(
  state: LedgerState,
  claim: Claim,
  { step, absorbing }: { readonly step: Step<EntryOf<'expose'>>; readonly absorbing: Absorbing },
): LedgerState {
  const { seq, body } = step.entry;
  const shown = { disclosure: body.disclosure, candidates: body.arms.length - 1 };
  const exposed = { ...claim, ...shown, status: 'exposed' as const, exposeSeq: seq };
  if (claim.status === 'held') return withClaim(state, claim.seq, exposed);
  const { objects, clashes, entryAt } = absorbing;
  const entry = entryAt(body.reserve)?.entry;
  if (entry?.kind !== 'reserve') return state;
  const units = storedUnits({ entry, objects }, entry.body);
  if (claim.status === 'released') return addClaim(state, exposed, units);
  clashes.add(claim.seq).add(seq);
  return addClaim(state, { ...exposed, seq, settled: false, retired: false }, units);
}

type Execution = EntryOf<'attempt'> | EntryOf<'journal'> | EntryOf<'outcome'> | EntryOf<'abort'>;

/** Two runners of one exposure that did not know of each other contest it; the same entry on both sides is one. */
function absorbExecution(
  state: LedgerState,
  step: Step<Execution>,
  absorbing: Absorbing,
): LedgerState {
  const { entry } = step;
  const { expose } = entry.body;
  const plan = state.exposures.get(expose);
  const experiment = plan === undefined ? undefined : state.experiments.get(plan);
  const attached = experiment?.exposure?.seq === expose;
  const next = attached ? tried(state, step, absorbing) : null;
  if (next !== null) return next;
  const claim = attached
    ? state.claims.get(experiment.reservation?.seq ?? expose)
    : state.claims.values().find(({ exposeSeq }) => exposeSeq === expose);
  if (claim === undefined) return state;
  if (attached && !isAnswered(state, entry)) absorbing.clashes.add(claim.seq);
  return entry.kind === 'outcome' || entry.kind === 'abort' ? settle(state, claim, entry) : state;
}

/** Whether this ledger records the same request with the same body; requests of imported entries do not count. */
function isAnswered(state: LedgerState, entry: LedgerEntry): boolean {
  return answerTo(state, entry)?.isSame === true;
}

/** Settles a claim with everything either side has shown of it. */
function settle(
  state: LedgerState,
  claim: Claim,
  entry: EntryOf<'outcome'> | EntryOf<'abort'>,
): LedgerState {
  const shown = entry.kind === 'outcome' ? entry.body.disclosure : 'per-unit';
  const disclosure = claim.settled ? 'per-unit' : shown;
  const retired = claim.retired || isReusable(state, claim.family);
  return withClaim(state, claim.seq, { settled: true, disclosure, retired });
}

/** The stricter of two policies in every respect. */
function absorbPolicy(state: LedgerState, body: Policy): LedgerState {
  const { family } = body;
  const bound = state.policies.get(family) !== undefined || familyClaims(state, family).length > 0;
  const next = bound ? stricter(policyOf(state, family), body) : body;
  return { ...state, policies: state.policies.with([[family, next]]) };
}

function stricter(first: Policy, second: Policy): Policy {
  const same = first.mode === second.mode;
  const length = Math.min(first.weights.length, second.weights.length);
  const lower = (at: number) => Math.min(first.weights[at] ?? 0, second.weights[at] ?? 0);
  return {
    ...second,
    mode: same ? first.mode : 'one-shot',
    alphaNano: Math.min(first.alphaNano, second.alphaNano),
    weights: same ? Array.from({ length }, (_, at) => lower(at)) : [],
    retireOnShip: first.retireOnShip || second.retireOnShip,
    requireSignature: first.requireSignature || second.requireSignature,
    requireAnchor: first.requireAnchor || second.requireAnchor,
  };
}
