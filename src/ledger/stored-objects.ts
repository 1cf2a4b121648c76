/** Stored objects as transitions read them: what is missing, torn or differs from what the entry says breaks I12. */
import type { Digest } from '../base/digest.ts';
import { LiftgateError } from '../base/errors.ts';
import type { UnitRecord } from '../spec/units.ts';
import type { LedgerEntry } from './entry.ts';
import type { ObjectResolver } from './projection.ts';
import { conflict } from './transitions.ts';
import { parseUnits, unitsRoot } from './units-object.ts';

/** What names an object, and where the bytes come from. */
export interface Naming {
  readonly entry: LedgerEntry;
  readonly objects: ObjectResolver;
}

/**
 * One object that an entry names, read.
 * @param what   what the object is, in words: `list of units`
 * @param parse  reads the bytes; a LiftgateError it throws becomes the refusal of the entry
 * @throws {LiftgateError} ledger-conflict  I12
 */
export function storedObject<Value>(
  { entry, objects }: Naming,
  digest: Digest,
  { what, parse }: { readonly what: string; readonly parse: (bytes: Uint8Array) => Value },
): Value {
  const bytes = objects(digest);
  if (bytes === null) {
    throw conflict('I12', `The ${what} ${digest} is not stored.`, {
      mend: 'Store the object before the entry that names it.',
      details: { reason: 'object-missing' },
    });
  }
  try {
    return parse(bytes);
  } catch (error) {
    if (!(error instanceof LiftgateError)) throw error;
    throw conflict(
      'I12',
      `Entry ${entry.seq} (${entry.kind}) names an object that cannot be read: ${error.message}`,
      {
        mend: `Store a ${what} as Liftgate writes it.`,
        details: { reason: 'object-unreadable', object: digest },
      },
    );
  }
}

/** Count, root and list of a set of units as bodies name them. */
export interface NamedUnits {
  readonly unitCount: number;
  readonly unitsRoot: Digest;
  readonly unitsObject: Digest;
}

/**
 * The units that an entry names.
 * @throws {LiftgateError} ledger-conflict  I12 when they are not those it counts
 */
export function storedUnits(
  naming: Naming,
  { unitCount, unitsRoot: root, unitsObject }: NamedUnits,
): readonly UnitRecord[] {
  const units = storedObject(naming, unitsObject, {
    what: 'list of units',
    parse: (bytes) => parseUnits(bytes, unitsObject),
  });
  if (units.length === unitCount && unitsRoot(units) === root) return units;
  throw conflict(
    'I12',
    `The entry counts ${unitCount} units under ${root}; its list holds ${units.length} under ${unitsRoot(units)}.`,
    {
      mend: 'Take count and root from the stored list.',
      details: { reason: 'units-differ' },
    },
  );
}
