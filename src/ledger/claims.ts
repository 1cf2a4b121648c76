/** Claims on units: who may take them, and the refusal that names whoever has them (I4, I5, I11). */
import { LiftgateError } from '../base/errors.ts';
import { likenessOf, shownId } from '../spec/lookalike.ts';
import type { UnitRecord } from '../spec/units.ts';
import type { InvariantId } from './chain.ts';
import { type Claim, type LedgerState, unitKey } from './projection.ts';

/** Why a unit cannot be claimed. */
export type ClaimRefusal =
  | 'unit-held'
  | 'unit-exposed'
  | 'unit-retired'
  | 'unit-developed'
  | 'unit-leaked'
  | 'unit-contested'
  | 'unit-alias'
  | 'unit-renamed';

interface Collision {
  readonly reason: ClaimRefusal;
  readonly claim: Claim;
  readonly unit: string;
  /** Id under which the ledger knows the unit, when it is another one. */
  readonly knownAs: string | null;
}

/** What is to be claimed. */
export interface ClaimRequest {
  readonly kind: 'reserve' | 'develop' | 'retire';
  readonly population: string;
  readonly units: readonly UnitRecord[];
  /** Family whose policy lets it measure its own settled units again; null for everybody else. */
  readonly reusableFamily: string | null;
}

/** Whether an exposure left its units fit for another measurement. */
function isMeasurable(claim: Claim): boolean {
  return claim.settled && !claim.retired && claim.disclosure !== 'per-unit';
}

/**
 * Development may share units with development and use up measured ones; a reservation shares nothing with anybody; a retirement waits
 * only for whoever holds the units.
 */
function blocks(claim: Claim, { kind, reusableFamily }: ClaimRequest): boolean {
  const again = claim.family !== null && claim.family === reusableFamily && isMeasurable(claim);
  switch (claim.status) {
    case 'released':
      return false;
    case 'held':
      return true;
    case 'development':
    case 'leaked':
    case 'retired':
    case 'contested':
      return kind === 'reserve';
    case 'exposed':
      return kind === 'reserve' ? !again : kind === 'develop' && !claim.settled;
  }
}

function refusalOf(claim: Claim): ClaimRefusal {
  switch (claim.status) {
    case 'exposed':
      return claim.retired ? 'unit-retired' : 'unit-exposed';
    case 'development':
      return 'unit-developed';
    case 'leaked':
      return 'unit-leaked';
    case 'retired':
      return 'unit-retired';
    case 'contested':
      return 'unit-contested';
    case 'held':
    case 'released':
      return 'unit-held';
  }
}

function collisionById(
  state: LedgerState,
  request: ClaimRequest,
  unit: UnitRecord,
): Collision | null {
  const known = state.units.get(unitKey(request.population, unit.skeleton));
  if (known === undefined) return collisionByLikeness(state, request, unit);
  const claims = known.claims.flatMap((seq) => state.claims.get(seq) ?? []);
  const latest = claims.at(-1);
  if (known.id !== unit.id && latest !== undefined) {
    return { reason: 'unit-alias', claim: latest, unit: unit.id, knownAs: known.id };
  }
  const claim = claims.find((each) => blocks(each, request));
  return claim === undefined
    ? null
    : { reason: refusalOf(claim), claim, unit: unit.id, knownAs: null };
}

/** An id nobody has claimed that people would read as a claimed one. */
function collisionByLikeness(
  state: LedgerState,
  { population }: ClaimRequest,
  unit: UnitRecord,
): Collision | null {
  const likeness = likenessOf(unit.id);
  const alike = state.lookalikes.get(unitKey(population, likeness)) ?? likeness;
  const known = state.units.get(unitKey(population, alike));
  const claim = state.claims.get(known?.claims.at(-1) ?? -1);
  return known === undefined || claim === undefined
    ? null
    : { reason: 'unit-alias', claim, unit: unit.id, knownAs: known.id };
}

/** Units measured again may share content among themselves: each is counted under its own id. */
function collisionByContent(
  state: LedgerState,
  request: ClaimRequest,
  unit: UnitRecord,
  skeletons: ReadonlySet<string>,
): Collision | null {
  const own = request.reusableFamily === null ? new Set([unit.skeleton]) : skeletons;
  const others = { ...request, reusableFamily: null };
  for (const print of unit.fingerprints) {
    for (const owner of state.fingerprints.get(print) ?? []) {
      if (owner.population === request.population && own.has(owner.skeleton)) continue;
      const claim = state.claims.get(owner.claim);
      if (claim === undefined || !blocks(claim, others)) continue;
      return { reason: 'unit-renamed', claim, unit: unit.id, knownAs: owner.id };
    }
  }
  return null;
}

const aliasRule =
  'ids that differ only in case, width, invisible characters or letters that look alike are one unit.';

/** Two spellings of one unit inside one list. */
function refuseInnerAlias(request: ClaimRequest): void {
  const seen = new Map<string, string>();
  for (const unit of request.units) {
    const likeness = likenessOf(unit.id);
    const first = seen.get(unit.skeleton) ?? seen.get(likeness);
    if (first !== undefined) {
      throw new LiftgateError(
        'ledger-conflict',
        `The list names one unit in two spellings: ${shownId(first)} and ${shownId(unit.id)}.`,
        {
          mend: `Keep one spelling; ${aliasRule}`,
          details: { reason: 'unit-alias', units: [first, unit.id], invariant: 'I4' },
        },
      );
    }
    seen.set(unit.skeleton, unit.id).set(likeness, unit.id);
  }
}

/** Ids shown in a refusal; the count is always given. */
const shownUnits = 10;

function listed(collisions: readonly Collision[]): string {
  const shown = collisions
    .slice(0, shownUnits)
    .map(({ unit, knownAs }) =>
      knownAs === null ? shownId(unit) : `${shownId(unit)} (recorded as ${shownId(knownAs)})`,
    );
  const rest = collisions.length - shown.length;
  return rest > 0 ? `${shown.join(', ')} and ${rest} more` : shown.join(', ');
}

function ownerSeq(claim: Claim): number {
  return claim.exposeSeq ?? claim.seq;
}

function sentence(reason: ClaimRefusal, claim: Claim, one: boolean): string {
  const owner = `experiment "${claim.experimentId}"`;
  const retired = claim.kind === 'retire';
  switch (reason) {
    case 'unit-held':
      return `held by ${owner} since entry ${claim.seq}`;
    case 'unit-exposed':
      return `exposed by ${owner} in entry ${ownerSeq(claim)}`;
    case 'unit-retired':
      return retired
        ? `retired in entry ${claim.seq}`
        : `retired since ${owner} measured ${one ? 'it' : 'them'} in entry ${ownerSeq(claim)}`;
    case 'unit-developed':
      return `used in development by ${owner} in entry ${claim.seq}`;
    case 'unit-leaked':
      return `known outside since entry ${claim.seq}`;
    case 'unit-contested':
      return `claimed by two branches that entry ${claim.seq} merged`;
    case 'unit-alias':
      return `${one ? 'another spelling of a unit' : 'other spellings of units'} ${claimedBy(claim)} in entry ${claim.seq}`;
    case 'unit-renamed':
      return `${one ? 'a renamed copy of a unit' : 'renamed copies of units'} ${claimedBy(claim)} in entry ${ownerSeq(claim)}`;
  }
}

function claimedBy({ kind, experimentId }: Claim): string {
  if (kind === 'leak') return 'recorded as known outside';
  if (kind === 'import') return 'contested';
  return kind === 'retire' ? 'retired' : `claimed by experiment "${experimentId}"`;
}

const mends: Record<Exclude<ClaimRefusal, 'unit-held'>, string> = {
  'unit-exposed':
    'Evidence is spent once: take units nobody has measured, or read the recorded outcome of that experiment.',
  'unit-retired':
    'Retired units are not measured again: they let a candidate ship, their results were seen, or somebody ended their use. Take units nobody has measured.',
  'unit-developed':
    'Units read in development cannot be final evidence: take units nobody has read.',
  'unit-leaked':
    'Units that somebody may have seen cannot be final evidence: take units nobody has read.',
  'unit-contested':
    'What one branch measured the other may have read: take units nobody has claimed.',
  'unit-alias': `Use the recorded spelling; ${aliasRule}`,
  'unit-renamed':
    'The same content under another id is the same unit: take units nobody has seen, or list ids and dates under fingerprint.ignore if only those coincide.',
};

function mendOf(reason: ClaimRefusal, claim: Claim): string {
  if (reason !== 'unit-held') return mends[reason];
  return `Take other units; or, if "${claim.experimentId}" will not be run as it was sealed, give them back with \`liftgate ledger release ${claim.experimentId} --reason "..."\` and repeat.`;
}

function invariantOf(reason: ClaimRefusal, kind: ClaimRequest['kind']): InvariantId {
  if (kind === 'develop' || reason === 'unit-developed') return 'I11';
  return reason === 'unit-exposed' || reason === 'unit-retired' ? 'I5' : 'I4';
}

/** The refusal names the first owner; units that belong to others are counted. */
function refusal(
  request: ClaimRequest,
  collisions: readonly [Collision, ...Collision[]],
): LiftgateError {
  const { reason, claim } = collisions[0];
  const same = collisions.filter((each) => each.reason === reason && each.claim.seq === claim.seq);
  const others = collisions.length - same.length;
  const tail =
    others === 0
      ? ''
      : ` ${others} further ${others === 1 ? 'unit is' : 'units are'} taken otherwise.`;
  const one = same.length === 1;
  return new LiftgateError(
    'ledger-conflict',
    `${same.length} of ${request.units.length} units ${one ? 'is' : 'are'} ${sentence(reason, claim, one)}: ${listed(same)}.${tail}`,
    {
      where: { path: request.population },
      mend: mendOf(reason, claim),
      details: {
        reason,
        owner: claim.experimentId,
        ownerSeq: ownerSeq(claim),
        units: same.map(({ unit }) => unit),
        knownAs: same.flatMap(({ knownAs }) => knownAs ?? []),
        invariant: invariantOf(reason, request.kind),
      },
    },
  );
}

/**
 * Checks that units may be claimed.
 * @throws {LiftgateError} ledger-conflict  naming owner, entry number, up to 10 ids and the count; `details` {reason, owner, ownerSeq, units}
 */
export function checkClaim(state: LedgerState, request: ClaimRequest): void {
  refuseInnerAlias(request);
  const skeletons = new Set(request.units.map(({ skeleton }) => skeleton));
  const collisions = request.units.flatMap(
    (unit) =>
      collisionById(state, request, unit) ??
      collisionByContent(state, request, unit, skeletons) ??
      [],
  );
  const [first, ...rest] = collisions;
  if (first !== undefined) throw refusal(request, [first, ...rest]);
}
