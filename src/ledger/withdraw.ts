/**
 * Units taken out of final measurements for good: `leak` records that somebody knows them, `retire` that nobody shall measure them.
 * Both leave what was measured as it is, and both leave development use open.
 */
import { addClaim, spoilHeld } from './claim.ts';
import { checkClaim } from './claims.ts';
import type { EntryOf } from './entry.ts';
import { type Claim, familyClaims, type LedgerState, type ObjectResolver } from './projection.ts';
import { storedUnits } from './stored-objects.ts';
import { conflict } from './transitions.ts';

function withdrawal(
  seq: number,
  what: Pick<Claim, 'kind' | 'status' | 'experimentId' | 'population' | 'unitCount' | 'family'>,
): Claim {
  return {
    ...what,
    ...{ seq, plan: null, alphaNano: 0, slot: 0, exposeSeq: null },
    ...{ settled: true, disclosure: null, candidates: 0, retired: true, leakedSeq: null },
  };
}

/** Units known outside are never reserved again; whoever holds them can only give them back. */
export function applyLeak(
  state: LedgerState,
  entry: EntryOf<'leak'>,
  objects: ObjectResolver,
): LedgerState {
  const units = storedUnits({ entry, objects }, entry.body);
  const { population, unitCount, source: experimentId } = entry.body;
  const what = { kind: 'leak', status: 'leaked', experimentId, population, unitCount } as const;
  const claim = withdrawal(entry.seq, { ...what, family: null });
  return addClaim(spoilHeld(state, claim, units), claim, units);
}

/**
 * Ends the use of a family, or of units of it. A decision, unlike a leak: units that somebody holds are measured or given back first.
 * @throws {LiftgateError} ledger-conflict  naming who holds them, or the entry that retired the family already
 */
export function applyRetire(
  state: LedgerState,
  entry: EntryOf<'retire'>,
  objects: ObjectResolver,
): LedgerState {
  const { family, units: set } = entry.body;
  if (set === null) return retireFamily(state, family, entry.seq);
  const units = storedUnits({ entry, objects }, set);
  checkClaim(state, { kind: 'retire', population: set.population, units, reusableFamily: null });
  return addClaim(state, retirementOf(entry, set), units);
}

/** The claim that keeps retired units from every measurement. */
export function retirementOf(
  { seq, body }: EntryOf<'retire'>,
  { population, unitCount }: NonNullable<EntryOf<'retire'>['body']['units']>,
): Claim {
  const { family } = body;
  const what = { kind: 'retire', status: 'retired', experimentId: family } as const;
  return withdrawal(seq, { ...what, population, unitCount, family });
}

function retireFamily(state: LedgerState, family: string, seq: number): LedgerState {
  const before = state.retiredFamilies.get(family);
  if (before !== undefined) throw familyRetired(family, before);
  const held = familyClaims(state, family).find(({ status }) => status === 'held');
  if (held === undefined) {
    return { ...state, retiredFamilies: state.retiredFamilies.with([[family, seq]]) };
  }
  const { experimentId, seq: since } = held;
  throw conflict(
    'I4',
    `Units of family "${family}" are held by experiment "${experimentId}" since entry ${since}.`,
    {
      mend: `Finish that experiment, or give its units back with \`liftgate ledger release ${experimentId} --reason "..."\`; then retire the family.`,
      details: { reason: 'unit-held', owner: experimentId, ownerSeq: since },
    },
  );
}

function familyRetired(family: string, seq: number) {
  return conflict('I5', `Family "${family}" was retired in entry ${seq}.`, {
    mend: 'Take units of another family: a retired one is not measured again.',
    details: { reason: 'family-retired', ownerSeq: seq },
  });
}

/** @throws {LiftgateError} ledger-conflict  when no unit of the family may be reserved any more */
export function refuseRetiredFamily(state: LedgerState, family: string): void {
  const seq = state.retiredFamilies.get(family);
  if (seq !== undefined) throw familyRetired(family, seq);
}
