/**
 * Units that two branches of a ledger claimed without knowing of each other. Whatever one of them measured, the other may have read, so
 * neither may rest on them: a contested reservation is never exposed, a contested measurement lets nobody ship, and the units are not
 * claimed again.
 */
import { canonicalLine, compareCodeUnits } from '../base/canonical.ts';
import type { Digest } from '../base/digest.ts';
import {
  type Claim,
  type FingerprintOwner,
  type KnownUnit,
  type LedgerState,
  withClaim,
} from './projection.ts';
import { isReusable } from './reuse.ts';

/** A unit with the claims on it that do not agree, as an import lists it. */
export interface ContestedUnit {
  readonly population: string;
  readonly id: string;
  /** Numbers of these claims in this ledger, ascending. */
  readonly claims: readonly number[];
}

/** Whose claims are held against whose: which numbers of entries belong to either branch alone. */
export interface Sides {
  readonly mine: (seq: number) => boolean;
  readonly theirs: (seq: number) => boolean;
  /** Claims that are contested whatever units they name: two histories of one claim. */
  readonly clashes: ReadonlySet<number>;
}

const touches = ({ seq, exposeSeq }: Claim, side: (seq: number) => boolean): boolean =>
  side(seq) || (exposeSeq !== null && side(exposeSeq));

/** Whether two claims of different branches cannot both stand; one of them is a final measurement or the right to one. */
function disagree(first: Claim, second: Claim): boolean {
  if (first.seq === second.seq) return false;
  const [claim, other] = first.kind === 'reserve' ? [first, second] : [second, first];
  if (claim.kind !== 'reserve') return false;
  // A retirement ends future use; what was measured before anybody knew of it stays.
  return other.kind !== 'retire' || claim.status === 'held';
}

function disagreeing(claims: readonly Claim[], { mine, theirs }: Sides): Set<number> {
  const alive = claims.filter(({ status }) => status !== 'released');
  const found = new Set<number>();
  for (const first of alive.filter((claim) => touches(claim, mine))) {
    for (const second of alive.filter((claim) => touches(claim, theirs))) {
      if (disagree(first, second)) found.add(first.seq).add(second.seq);
    }
  }
  return found;
}

/** Claims in conflict by unit, each unit under its key: by id or by content. */
function conflicts(state: LedgerState, sides: Sides): Map<string, Set<number>> {
  const claimsOf = (seqs: readonly number[]) => seqs.flatMap((seq) => state.claims.get(seq) ?? []);
  const found = new Map<string, Set<number>>();
  const add = (key: string, seqs: Iterable<number>): void => {
    const known = found.get(key) ?? new Set();
    for (const seq of seqs) known.add(seq);
    if (known.size > 0) found.set(key, known);
  };
  for (const [key, { claims }] of state.units.entries()) {
    add(key, disagreeing(claimsOf(claims), sides));
    add(
      key,
      claims.filter((seq) => sides.clashes.has(seq)),
    );
  }
  for (const owners of state.fingerprints.values()) {
    const seqs = disagreeing(claimsOf(owners.map(({ claim }) => claim)), sides);
    for (const { claim, population, skeleton } of owners)
      if (seqs.has(claim)) add(`${population}\n${skeleton}`, seqs);
  }
  return found;
}

/** A state in which nobody may rest on contested units any more, and the list of them. */
export interface Contested {
  readonly state: LedgerState;
  readonly units: readonly ContestedUnit[];
}

/**
 * Marks the claims of two branches that do not agree, and takes their units out of use.
 * @param seq  number of the import that found it
 */
export function contest(state: LedgerState, sides: Sides, seq: number): Contested {
  const found = conflicts(state, sides);
  const claims = new Set([...sides.clashes, ...[...found.values()].flatMap((seqs) => [...seqs])]);
  let next = state;
  for (const claim of claims) {
    const { kind, family, retired } = state.claims.get(claim) ?? { kind: 'import' };
    if (kind !== 'reserve') continue;
    const ended = retired === true || isReusable(state, family ?? null);
    next = withClaim(next, claim, { contestedSeq: seq, retired: ended });
  }
  if (found.size === 0) return { state: next, units: [] };
  return { state: burn(next, found, seq), units: listed(state, found) };
}

/** Adds a claim that keeps everybody else away from these units, by id and by content. */
function burn(
  state: LedgerState,
  found: ReadonlyMap<string, ReadonlySet<number>>,
  seq: number,
): LedgerState {
  const units: [string, KnownUnit][] = [];
  for (const key of found.keys()) {
    const known = state.units.get(key);
    if (known !== undefined) units.push([key, { ...known, claims: [...known.claims, seq] }]);
  }
  const prints: [Digest, readonly FingerprintOwner[]][] = [];
  for (const [print, owners] of state.fingerprints.entries()) {
    const burnt = owners.find(({ population, skeleton }) =>
      found.has(`${population}\n${skeleton}`),
    );
    if (burnt !== undefined) prints.push([print, [...owners, { ...burnt, claim: seq }]]);
  }
  const claim: Claim = {
    ...{ seq, kind: 'import', status: 'contested', experimentId: '', population: '' },
    ...{ unitCount: found.size, plan: null, family: null, alphaNano: 0, slot: 0 },
    ...{ exposeSeq: null, settled: true, disclosure: null, candidates: 0, retired: false },
    leakedSeq: null,
  };
  return {
    ...state,
    claims: state.claims.with([[seq, claim]]),
    units: state.units.with(units),
    fingerprints: state.fingerprints.with(prints),
  };
}

function listed(
  state: LedgerState,
  found: ReadonlyMap<string, ReadonlySet<number>>,
): ContestedUnit[] {
  const units = [...found].map(([key, seqs]) => ({
    population: key.slice(0, key.indexOf('\n')),
    id: state.units.get(key)?.id ?? key.slice(key.indexOf('\n') + 1),
    claims: [...seqs].sort((first, second) => first - second),
  }));
  return units.sort(
    (first, second) =>
      compareCodeUnits(first.population, second.population) ||
      compareCodeUnits(first.id, second.id),
  );
}

/** Bytes of the object that lists contested units: canonical JSON, sorted by population and id, and a line feed. */
export function formatContested(units: readonly ContestedUnit[]): Uint8Array {
  return new TextEncoder().encode(canonicalLine(units));
}
