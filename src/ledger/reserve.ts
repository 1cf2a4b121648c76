/** Claims on units by name: the object with the list first, then the entry that names it. */
import { type Digest, digestHex, digestOfValue } from '../base/digest.ts';
import type { UnitRecord } from '../spec/units.ts';
import type { Appended, Ledger } from './ledger.ts';
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
 * @throws {LiftgateError} ledger-conflict  when a unit is held, exposed or developed, naming owner, entry and up to 10 units
 */
export async function reserveUnits(
  ledger: Ledger,
  request: ReservationRequest,
): Promise<Appended<'reserve'>> {
  const { experimentId, plan, population, family, alphaNano } = request;
  const units = formatUnits(request.units);
  const released = (await ledger.state()).experiments.get(plan)?.releasedSeqs.length ?? 0;
  await ledger.putObject(units.bytes);
  return ledger.append({
    kind: 'reserve',
    requestId: `reserve:${digestHex(plan)}:${released}`,
    body: {
      experimentId,
      plan,
      population,
      family,
      unitCount: units.count,
      unitsRoot: units.root,
      unitsObject: units.object,
      slot: 0,
      alphaNano,
    },
  });
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
