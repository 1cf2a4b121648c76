/** The record of a claim on units: how entries make it, spoil it, and find it spoilt. */
import type { Digest } from '../base/digest.ts';
import { LiftgateError } from '../base/errors.ts';
import { likenessOf } from '../spec/lookalike.ts';
import { skeletonOf, type UnitRecord } from '../spec/units.ts';
import type { EntryOf } from './entry.ts';
import {
  type Claim,
  type FingerprintOwner,
  type KnownUnit,
  type LedgerState,
  unitKey,
  withClaim,
} from './projection.ts';

/** The state with held claims on any of these units, by id or content, marked as leaked. */
export function spoilHeld(
  state: LedgerState,
  leak: Claim,
  units: readonly UnitRecord[],
): LedgerState {
  const seqs = new Set<number>();
  for (const { skeleton, fingerprints } of units) {
    for (const seq of state.units.get(unitKey(leak.population, skeleton))?.claims ?? [])
      seqs.add(seq);
    for (const print of fingerprints) {
      for (const { claim } of state.fingerprints.get(print) ?? []) seqs.add(claim);
    }
  }
  let next = state;
  for (const seq of seqs) {
    if (state.claims.get(seq)?.status === 'held')
      next = withClaim(next, seq, { leakedSeq: leak.seq });
  }
  return next;
}

/** The claim that a reservation or a development use makes. */
export function claimOf(entry: EntryOf<'reserve'> | EntryOf<'develop'>): Claim {
  const { experimentId, population, unitCount } = entry.body;
  const common = { seq: entry.seq, experimentId, population, unitCount };
  const unseen = { disclosure: null, candidates: 0, retired: false, leakedSeq: null };
  const open = { ...common, ...unseen, exposeSeq: null, settled: false };
  if (entry.kind === 'develop') {
    return {
      ...open,
      kind: 'develop',
      status: 'development',
      plan: null,
      family: null,
      alphaNano: 0,
      slot: 0,
    };
  }
  const { plan, family, alphaNano, slot } = entry.body;
  return { ...open, kind: 'reserve', status: 'held', plan, family, alphaNano, slot };
}

/** The state with a claim on units added; the caller has checked it. */
export function addClaim(
  state: LedgerState,
  claim: Claim,
  units: readonly UnitRecord[],
): LedgerState {
  const alive = (seq: number) => state.claims.get(seq)?.status !== 'released';
  const known: [string, KnownUnit][] = [];
  const lookalikes: [string, string][] = [];
  const prints = new Map<Digest, readonly FingerprintOwner[]>();
  for (const { id, skeleton, fingerprints } of units) {
    const key = unitKey(claim.population, skeleton);
    const likeness = likenessOf(id);
    if (likeness !== skeleton) lookalikes.push([unitKey(claim.population, likeness), skeleton]);
    const before = state.units.get(key);
    const claims = [...(before?.claims ?? []).filter(alive), claim.seq];
    known.push([key, { id: before?.id ?? id, claims }]);
    for (const print of fingerprints) {
      const owners = prints.get(print) ?? state.fingerprints.get(print) ?? [];
      const owner = { claim: claim.seq, population: claim.population, skeleton, id };
      prints.set(print, [...owners.filter((each) => alive(each.claim)), owner]);
    }
  }
  return {
    ...state,
    claims: state.claims.with([[claim.seq, claim]]),
    units: state.units.with(known),
    fingerprints: state.fingerprints.with(prints),
    lookalikes: lookalikes.length === 0 ? state.lookalikes : state.lookalikes.with(lookalikes),
  };
}

/** Ends what units were claimed for: a measurement that nobody may rest on. */
function spoilt(
  claim: Claim,
  seq: number,
  reason: 'unit-leaked' | 'unit-contested',
): LiftgateError {
  const { experimentId } = claim;
  const what =
    reason === 'unit-leaked'
      ? `became known outside in entry ${seq}`
      : `were claimed by another branch too, as entry ${seq} found`;
  const mend =
    claim.status === 'held'
      ? `Give them back with \`liftgate ledger release ${experimentId} --reason "..."\` and reserve units nobody has read.`
      : `Its result cannot be used: end it with \`liftgate ledger void ${experimentId} --reason "..."\` and measure units nobody has read.`;
  return new LiftgateError('ledger-conflict', `Units of experiment "${experimentId}" ${what}.`, {
    mend,
    details: { invariant: 'I4', reason, owner: experimentId, ownerSeq: seq },
  });
}

/**
 * Refuses to go on with units that another branch claimed too.
 * @throws {LiftgateError} ledger-conflict I4
 */
export function refuseContested(claim: Claim | undefined): void {
  if (claim?.contestedSeq === undefined) return;
  throw spoilt(claim, claim.contestedSeq, 'unit-contested');
}

/**
 * Refuses to expose units that leaked or are contested.
 * @throws {LiftgateError} ledger-conflict I4
 */
export function refuseSpoiled(claim: Claim | undefined): void {
  refuseContested(claim);
  if (typeof claim?.leakedSeq === 'number') throw spoilt(claim, claim.leakedSeq, 'unit-leaked');
}

/** What is known of one unit; `count` is the number of measurements that saw it, `seq` the entry that says so. */
export type UnitStatus =
  | { readonly status: 'free' }
  | {
      readonly status: 'held' | 'development' | 'contested';
      readonly by: string;
      readonly seq: number;
    }
  | {
      readonly status: 'exposed' | 'retired' | 'leaked';
      readonly by: string;
      readonly seq: number;
      readonly count: number;
    };

/**
 * What a unit may still be used for, the narrowest answer first: known outside, retired, measured, claimed by two
 * branches, held, read in development, free. A
 * measurement that ended the use of its units says `retired`.
 */
export function unitStatus(state: LedgerState, population: string, id: string): UnitStatus {
  const known = state.units.get(unitKey(population, skeletonOf(id)));
  const claims = (known?.claims ?? []).flatMap((seq) => state.claims.get(seq) ?? []);
  const withStatus = (status: Claim['status']) => claims.filter((claim) => claim.status === status);
  const exposed = withStatus('exposed');
  const count = exposed.length;
  const [leak] = withStatus('leaked');
  if (leak !== undefined) {
    return { status: 'leaked', by: leak.experimentId, seq: leak.seq, count };
  }
  const retired = claims.find((claim) => claim.retired) ?? retiredFamily(state, claims);
  if (retired !== undefined) {
    const seq = retired.exposeSeq ?? retired.seq;
    return { status: 'retired', by: retired.experimentId, seq, count };
  }
  const last = exposed.at(-1);
  if (last !== undefined) {
    return { status: 'exposed', by: last.experimentId, seq: last.exposeSeq ?? last.seq, count };
  }
  const [burnt] = withStatus('contested');
  if (burnt !== undefined) return { status: 'contested', by: 'two branches', seq: burnt.seq };
  const [held] = withStatus('held');
  if (held !== undefined) return { status: 'held', by: held.experimentId, seq: held.seq };
  const [read] = withStatus('development');
  if (read !== undefined) return { status: 'development', by: read.experimentId, seq: read.seq };
  return { status: 'free' };
}

/** The retirement of a family that claimed these units. */
function retiredFamily(
  state: LedgerState,
  claims: readonly Claim[],
): Pick<Claim, 'experimentId' | 'seq' | 'exposeSeq'> | undefined {
  for (const { family, status } of claims) {
    if (status === 'released') continue;
    const seq = family === null ? undefined : state.retiredFamilies.get(family);
    if (family !== null && seq !== undefined) return { experimentId: family, seq, exposeSeq: null };
  }
  return undefined;
}
