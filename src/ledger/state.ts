/** The pure transition of a ledger: state and next entry in, next state or a refusal out; the same for every store. */
import type { Digest } from '../base/digest.ts';
import { applyAmend } from './amend.ts';
import { applyAnchor } from './anchor.ts';
import { addClaim, claimOf } from './claim.ts';
import { type ClaimRequest, checkClaim } from './claims.ts';
import { type EntryOf, formatEntry, type LedgerEntry } from './entry.ts';
import { applyKey } from './keys.ts';
import { applyImport, mergeBranch } from './merge.ts';
import { extendPast } from './past.ts';
import { checkDemands } from './policy-demands.ts';
import { type LedgerState, type ObjectResolver, requestKey } from './projection.ts';
import { applyPolicy, checkSlot, closeLook, isReusable } from './reuse.ts';
import { applySeal } from './sealing.ts';
import { storedUnits } from './stored-objects.ts';
import {
  applyAbort,
  applyAttempt,
  applyExpose,
  applyJournal,
  applyOutcome,
  applyRelease,
  applyReserve,
  applyVoid,
  conflict,
} from './transitions.ts';
import { applyLeak, applyRetire, refuseRetiredFamily } from './withdraw.ts';

function claimUnits(
  state: LedgerState,
  entry: EntryOf<'reserve'> | EntryOf<'develop'>,
  objects: ObjectResolver,
): LedgerState {
  const units = storedUnits({ entry, objects }, entry.body);
  if (entry.kind === 'reserve') refuseRetiredFamily(state, entry.body.family);
  const reusable = entry.kind === 'reserve' && isReusable(state, entry.body.family);
  const request: ClaimRequest = {
    kind: entry.kind,
    population: entry.body.population,
    units,
    reusableFamily: reusable ? entry.body.family : null,
  };
  checkClaim(state, request);
  if (entry.kind === 'reserve') checkSlot(state, entry, units);
  return addClaim(state, claimOf(entry), units);
}

/** Phase before units: a spent experiment is told so before it is told that its own units are taken. */
function reserve(
  state: LedgerState,
  step: { readonly entry: EntryOf<'reserve'>; readonly entryId: Digest },
  objects: ObjectResolver,
): LedgerState {
  return claimUnits(applyReserve(state, step), step.entry, objects);
}

/** Effect of an entry on experiments and units. */
function applyKind(
  state: LedgerState,
  { entry, entryId }: { readonly entry: LedgerEntry; readonly entryId: Digest },
  objects: ObjectResolver,
): LedgerState {
  switch (entry.kind) {
    case 'genesis':
      return state;
    case 'seal':
      return applySeal(state, { entry, entryId });
    case 'reserve':
      return reserve(state, { entry, entryId }, objects);
    case 'release':
      return applyRelease(state, { entry, entryId });
    case 'expose':
      return applyExpose(state, { entry, entryId });
    case 'attempt':
      return applyAttempt(state, { entry, entryId });
    case 'journal':
      return applyJournal(state, { entry, entryId });
    case 'outcome':
      return closeLook(applyOutcome(state, { entry, entryId }), entry.body.expose, entry.body);
    case 'abort':
      return closeLook(applyAbort(state, { entry, entryId }), entry.body.expose, null);
    case 'void':
      return applyVoid(state, { entry, entryId });
    case 'develop':
      return claimUnits(state, entry, objects);
    case 'policy':
      return applyPolicy(state, { entry, entryId });
    case 'leak':
      return applyLeak(state, entry, objects);
    case 'retire':
      return applyRetire(state, entry, objects);
    case 'key':
      return applyKey(state, entry);
    case 'amend':
      return applyAmend(state, entry, { objects });
    case 'anchor':
      return applyAnchor(state, entry, objects);
    case 'import':
      return applyImport(state, entry, { objects, apply: applyKind });
  }
}

/**
 * The list of contested units that an import must name, as stored; null when there are none.
 * @throws {LiftgateError} ledger-conflict, ledger-damaged
 */
export function contestedBy(
  state: LedgerState,
  entry: EntryOf<'import'>,
  objects: ObjectResolver,
): Uint8Array | null {
  return mergeBranch(state, entry, { objects, apply: applyKind }).contested;
}

/**
 * The state after one more entry. The bytes of the entry were checked by the chain; here the history is.
 *
 * @param step     entry and its identity
 * @param objects  resolves the objects that `transitionObjects` lists for the entry
 * @returns        a new state; the given one stays as it was
 * @throws {LiftgateError} ledger-conflict  with `details.invariant` I1, I4 to I16 when the history does not allow the entry
 */
export function applyEntry(
  state: LedgerState,
  step: {
    readonly entry: LedgerEntry;
    readonly entryId: Digest;
    /** As stored; written anew when left out. */
    readonly bytes?: Uint8Array;
  },
  objects: ObjectResolver,
): LedgerState {
  const { entry, entryId, bytes = formatEntry(entry) } = step;
  const key = requestKey(entry.kind, entry.requestId);
  const answered = state.requests.get(key);
  if (answered !== undefined) {
    throw conflict(
      'I10',
      `The request "${entry.requestId}" of kind "${entry.kind}" was answered by entry ${answered.seq}.`,
      {
        mend: 'Use a new request id for a new request.',
        details: { reason: 'request-answered', ownerSeq: answered.seq },
      },
    );
  }
  checkDemands(state, entry);
  const next = applyKind(state, step, objects);
  return {
    ...next,
    past: extendPast(state.past, { entry, entryId, bytes }),
    chain: { size: entry.seq + 1, head: entryId, ledger: entry.ledger },
    requests: next.requests.with([[key, { seq: entry.seq, entryId, body: entry.body }]]),
  };
}
