/**
 * The stored list of a set of units: the canonical JSON array of `{fingerprints, id, skeleton}` and one line feed, sorted by id
 * (code units), each id once. Its Merkle root is taken over the canonical text of each record, so that a single unit can be shown.
 */
import { canonicalLine, canonicalText, compareCodeUnits } from '../base/canonical.ts';
import { type Digest, digestOf } from '../base/digest.ts';
import { LiftgateError } from '../base/errors.ts';
import { merkleRoot } from '../base/merkle.ts';
import * as z from '../base/shape.ts';
import { readRecorded } from '../base/strict-json.ts';
import { skeletonOf, type UnitRecord, unitIdProblem } from '../spec/units.ts';
import { digestSchema } from '../spec/words.ts';

const recordSchema = z.strictObject({
  id: z.string(),
  skeleton: z.string(),
  fingerprints: z.array(digestSchema),
});
const recordsSchema = z.array(recordSchema);

/** A set of units ready to be stored and named. */
export interface UnitsObject {
  readonly bytes: Uint8Array;
  readonly object: Digest;
  readonly root: Digest;
  readonly count: number;
}

/** What is wrong with a list of units, or null: ids, their skeletons, their order. */
export function unitsProblem(units: readonly UnitRecord[]): string | null {
  let before: UnitRecord | null = null;
  for (const unit of units) {
    const reason = unitIdProblem(unit.id);
    if (reason !== null)
      return `The unit id ${canonicalText(unit.id)} cannot name a unit (${reason}).`;
    if (unit.skeleton !== skeletonOf(unit.id)) {
      return `Unit "${unit.id}" is recorded with the skeleton "${unit.skeleton}"; it is "${skeletonOf(unit.id)}".`;
    }
    if (before !== null && compareCodeUnits(before.id, unit.id) >= 0) {
      return `Unit "${unit.id}" does not follow "${before.id}": units are sorted by id and appear once.`;
    }
    const prints = unit.fingerprints;
    if (prints.some((print, at) => at > 0 && compareCodeUnits(prints[at - 1] ?? '', print) >= 0)) {
      return `The fingerprints of unit "${unit.id}" are not sorted or appear twice.`;
    }
    before = unit;
  }
  return null;
}

/**
 * Bytes, digest and Merkle root of a set of units.
 * @throws {LiftgateError} usage  when an id cannot name a unit, a skeleton is not the id's, or the order is wrong
 */
export function formatUnits(units: readonly UnitRecord[]): UnitsObject {
  const problem = unitsProblem(units);
  if (problem !== null) {
    throw new LiftgateError('usage', problem, {
      mend: 'Build the list with unitRecords, which normalizes and sorts.',
    });
  }
  const bytes = new TextEncoder().encode(canonicalLine(units));
  return { bytes, object: digestOf(bytes), root: unitsRoot(units), count: units.length };
}

/** Merkle root over the canonical text of each record. */
export function unitsRoot(units: readonly UnitRecord[]): Digest {
  return merkleRoot(units.map((unit) => canonicalText(unit)));
}

/**
 * Reads a stored list of units.
 * @throws {LiftgateError} ledger-damaged  when a byte differs from what `formatUnits` writes
 */
export function parseUnits(bytes: Uint8Array, file?: string): readonly UnitRecord[] {
  const parsed = readRecorded(bytes, recordsSchema, { file, errorCode: 'ledger-damaged' });
  const problem = parsed.success
    ? unitsProblem(parsed.data)
    : `A unit has not the shape {fingerprints, id, skeleton}: ${parsed.error.issues[0]?.message}.`;
  if (!parsed.success || problem !== null) {
    throw new LiftgateError('ledger-damaged', problem ?? '', {
      where: { file },
      mend: 'Restore the recorded object from version control or a copy.',
      details: { invariant: 'I12' },
    });
  }
  return parsed.data;
}
