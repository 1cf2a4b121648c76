/** Claims on units by name: the object with the list first, then the entry that names it. */
import { type Digest, digestHex, digestOfValue } from '../base/digest.ts';
import { LiftgateError } from '../base/errors.ts';
import type { UnitRecord } from '../spec/units.ts';
import { type Appended, type Ledger, maximumTries } from './ledger.ts';
import { nextSlot } from './reuse.ts';
import { formatUnits } from './units-object.ts';

/** A reservation: exclusive, before any search. */
export interface ReservationRequest {
  readonly experimentId: string;
  /** Digest of the recorded plan seal. */
  readonly plan: Digest;
  readonly population: string;
  readonly family: string;
  /** Units as `unitRecords` lists them: sorted by id, each once. */
  readonly units: readonly UnitRecord[];
  /** Error the measurement will spend, in units of 1e-9. */
  readonly alphaNano: number;
}

/** Use of units in development. */
export interface DevelopmentRequest {
  readonly experimentId: string;
  readonly population: string;
  readonly units: readonly UnitRecord[];
  readonly reason: string;
}

/**
 * Reserves units for one final measurement. Repeating it replays the recorded reservation; after a release it is a new request.
 *
 * @throws {LiftgateError} ledger-conflict  when a unit is held, exposed or developed, naming owner, entry and up to 10 units; when
 *   the family's next slot has less error than the request, naming the level to declare
 */
export async function reserveUnits(
  ledger: Ledger,
  request: ReservationRequest,
): Promise<Appended<'reserve'>> {
  const { experimentId, plan, population, family, alphaNano } = request;
  const units = formatUnits(request.units);
  await ledger.putObject(units.bytes);
  for (let attempt = 1; ; attempt += 1) {
    const state = await ledger.state();
    const experiment = state.experiments.get(plan);
    const slot = experiment?.reservation?.body.slot ?? nextSlot(state, family);
    const set = { unitCount: units.count, unitsRoot: units.root, unitsObject: units.object };
    try {
      return await ledger.append({
        kind: 'reserve',
        requestId: `reserve:${digestHex(plan)}:${experiment?.releasedSeqs.length ?? 0}`,
        body: { experimentId, plan, population, family, ...set, slot, alphaNano },
      });
    } catch (error) {
      if (attempt === maximumTries || !isSlotTaken(error)) throw error;
    }
  }
}

/** Somebody else took the slot between reading and writing; the next one may have another level. */
function isSlotTaken(error: unknown): boolean {
  return error instanceof LiftgateError && error.details['reason'] === 'slot-unknown';
}

/**
 * Records that units are used in development. The same experiment, units and reason are recorded once.
 *
 * @throws {LiftgateError} ledger-conflict  when a unit is held, or exposed and not yet settled
 */
export async function developUnits(
  ledger: Ledger,
  request: DevelopmentRequest,
): Promise<Appended<'develop'>> {
  const { experimentId, population, reason } = request;
  const units = formatUnits(request.units);
  const body = {
    experimentId,
    population,
    unitCount: units.count,
    unitsRoot: units.root,
    unitsObject: units.object,
    reason,
  };
  await ledger.putObject(units.bytes);
  const requestId = `develop:${digestHex(digestOfValue(body))}`;
  return ledger.append({ kind: 'develop', requestId, body });
}
