/**
 * An export: a whole ledger in one file, whatever store it comes from. It is a tar archive in exactly one spelling (`base/tar.ts`), a
 * bundle without a run; `tar -xf` gives a folder `ledger` that every command reads.
 *
 *     export.json                      index, canonical JSON and a line feed: {type: "liftgate/ledger-export/v1",
 *                                      ledger: {id, entries, head, root}, files: [{path, size, sha256}]}
 *     ledger/checkpoints/00000057.txt  signed notes and proofs of time beside the ledger
 *     ledger/log/00000000.json ...     every entry
 *     ledger/objects/<64 hex digits>   every object behind these entries, and no other
 *
 * There is no clock, path or environment in it: equal ledgers give equal bytes. A future version changes the word in `type`.
 */

import { canonicalLine } from '../base/canonical.ts';
import { wholeBytes } from '../base/content.ts';
import { LiftgateError } from '../base/errors.ts';
import * as z from '../base/shape.ts';
import { readRecorded } from '../base/strict-json.ts';
import { formatTar, parseTar, type TarMember } from '../base/tar.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { materialOf, materialSchema } from '../spec/seal.ts';
import { digestSchema } from '../spec/words.ts';
import {
  type Bundle,
  gatherObjects,
  ledgerFacts,
  membersOf,
  type NoteFiles,
  sorted,
} from './bundle.ts';

/** Type and version word of an export's index. */
export const exportType = 'liftgate/ledger-export/v1';

/** Name of the index in the archive. */
const indexName = 'export.json';

/** Recorded shape of the index. */
export const exportIndexSchema = z.strictObject({
  type: z.literal(exportType),
  ledger: z.strictObject({
    id: z.string(),
    entries: z.int().min(1),
    head: digestSchema,
    root: digestSchema,
  }),
  files: z.array(materialSchema),
});

/** What an export holds. */
export type LedgerExport = Omit<Bundle, 'run'>;

/**
 * Everything an export holds.
 * @throws {LiftgateError} ledger-damaged  when there is no entry, or an object that an entry names is gone
 */
export async function gatherExport(ledger: Ledger, notes: NoteFiles): Promise<LedgerExport> {
  const entries = await ledger.entries();
  if (entries.length > 0) return { entries, objects: await gatherObjects(ledger, entries), notes };
  throw new LiftgateError('ledger-damaged', 'The ledger has no entry that could be exported.', {
    mend: 'Name the ledger with --ledger.',
  });
}

/** Bytes of an export. */
export function formatExport(held: LedgerExport): Uint8Array {
  const members = membersOf({ ...held, run: new Map() });
  return formatTar([{ path: indexName, bytes: indexBytes(held, members) }, ...members]);
}

function indexBytes({ entries }: LedgerExport, members: readonly TarMember[]): Uint8Array {
  const index = {
    type: exportType,
    ledger: ledgerFacts(entries),
    files: members.map(({ path, bytes }) => materialOf(path, bytes)),
  };
  return new TextEncoder().encode(canonicalLine(exportIndexSchema.parse(index)));
}

/**
 * Reads an export: every byte is the one {@link formatExport} writes. Whether the ledger in it holds is for `ledger verify`.
 *
 * @param file  how messages call it
 * @throws {LiftgateError} run-invalid, ledger-damaged, ledger-unsafe
 */
export function parseExport(archive: Uint8Array, file: string): LedgerExport {
  const [index, ...members] = parseTar(archive, file);
  if (index?.path !== indexName) throw refused('it has no index', file);
  const bytes = wholeBytes(index.bytes);
  const shape = readRecorded(bytes, exportIndexSchema, { file: indexName });
  if (!shape.success) throw refused(`its index does not have the shape ${exportType}`, file);
  const { run, ...held } = sorted(members, file);
  if (run.size > 0) throw refused('it holds files of a run', file);
  if (Buffer.compare(indexBytes(held, members), bytes) === 0) return held;
  throw refused('its index does not say what it holds', file);
}

function refused(what: string, file: string): LiftgateError {
  return new LiftgateError('run-invalid', `This is no export as it was made: ${what}.`, {
    where: { file },
    mend: 'Fetch the file again, or have it made anew with `liftgate ledger export`.',
  });
}
