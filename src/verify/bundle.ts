/**
 * A bundle: one run with the ledger that recorded it, in one file that needs nothing else. It is a tar archive in exactly one spelling
 * (`base/tar.ts`), so `tar -xf` opens it and every tool for run folders and ledgers works on what comes out:
 *
 *     bundle.json                      index, canonical JSON and a line feed:
 *                                      {type: "liftgate/bundle/v1", experimentId, seal, manifest, ledger: {id, entries, head, root},
 *                                       files: [{path, size, sha256}]}, the files being all others in the order of their paths
 *     ledger/checkpoints/00000057.txt  signed notes as they lie beside the ledger (also .tsr, .ots: proofs of time, not read here)
 *     ledger/log/00000000.json ...     every entry of the ledger when the bundle was made
 *     ledger/objects/<64 hex digits>   every object these entries name, and no other
 *     run/manifest.json ...            the files of the run folder
 *
 * `seal` is the final seal's digest, `manifest` the digest that the ledger's outcome entry names, `head` the last entry's digest and
 * `root` the Merkle root (RFC 9162) over the entries. There is no clock, path or environment in it: the same run and ledger give the
 * same bytes. A reader makes the index anew and refuses any other; unknown, missing, repeated or reordered members are refused. The
 * index guards against accidents, not against its author: that is for a pin or a signed checkpoint. A future version changes the word
 * in `type`.
 */
import { canonicalLine } from '../base/canonical.ts';
import {
  type ByteSource,
  type Content,
  checkedContent,
  type PartedFile,
  wholeBytes,
} from '../base/content.ts';
import { type Digest, digestHex } from '../base/digest.ts';
import { LiftgateError } from '../base/errors.ts';
import { merkleRoot } from '../base/merkle.ts';
import * as z from '../base/shape.ts';
import { decodeUtf8, readRecorded } from '../base/strict-json.ts';
import { parseTar, type TarMember, tarContent } from '../base/tar.ts';
import { objectsBehind, readObjectsBehind } from '../ledger/branch.ts';
import { parseCheckpoint, type SignedCheckpoint } from '../ledger/checkpoint.ts';
import { entryFileName, entryId, parseEntry, type StoredEntry } from '../ledger/entry.ts';
import { type Ledger, type LedgerStore, openLedgerStore } from '../ledger/ledger.ts';
import { stillPorts } from '../ledger/memory-ledger.ts';
import { type Material, materialOf, materialSchema } from '../spec/seal.ts';
import { digestSchema, idSchema } from '../spec/words.ts';
import { manifestDigest, parseManifest, type RunFiles, runFileNames } from './record.ts';

/** Type and version word of a bundle's index. */
export const bundleType = 'liftgate/bundle/v1';

/** Name of the index in the archive. */
const indexName = 'bundle.json';

/** Recorded shape of the index. */
export const bundleIndexSchema = z.strictObject({
  type: z.literal(bundleType),
  experimentId: idSchema,
  seal: digestSchema,
  manifest: digestSchema,
  ledger: z.strictObject({
    id: z.string(),
    entries: z.int().min(1),
    head: digestSchema,
    root: digestSchema,
  }),
  files: z.array(materialSchema),
});

/** What a bundle holds, none of it checked against the rest. */
export interface Bundle {
  /** Files of the run folder. */
  readonly run: RunFiles;
  /** All entries of the ledger, in order. */
  readonly entries: readonly StoredEntry[];
  /** Objects that the entries name. */
  readonly objects: ReadonlyMap<Digest, Uint8Array>;
  /** Files of the folder of checkpoints by name. */
  readonly notes: NoteFiles;
}

/** Signed notes and proofs of time beside a ledger, by file name. */
export type NoteFiles = ReadonlyMap<string, Uint8Array>;

/** Names such a file may have: the number of entries it covers, and what it is. */
export const notePattern = /^([0-9]{8})\.(txt|tsr|ots)$/;

/** A checkpoint and the name of its file. */
export interface NamedCheckpoint {
  readonly file: string;
  readonly signed: SignedCheckpoint;
}

/**
 * The checkpoints among such files, smallest first; none of them is trusted yet.
 * @throws {LiftgateError} signature-invalid  for one that is no checkpoint, or of another size than its name says
 */
export function checkpointsIn(notes: NoteFiles): readonly NamedCheckpoint[] {
  const names = [...notes.keys()].filter((name) => name.endsWith('.txt')).sort();
  return names.map((file) => {
    const bytes = notes.get(file) ?? new Uint8Array();
    const signed = parseCheckpoint(
      decodeUtf8(bytes, { file, errorCode: 'signature-invalid' }),
      file,
    );
    if (signed.size === Number(file.slice(0, 8))) return { file, signed };
    throw new LiftgateError(
      'signature-invalid',
      `This checkpoint covers ${signed.size} entries, its name says otherwise.`,
      { where: { file }, mend: 'Restore the file from version control.' },
    );
  });
}

/**
 * Bytes of a bundle.
 * @throws {LiftgateError} run-invalid  when the run has no manifest, as before its outcome
 */
export function formatBundle(bundle: Bundle): Uint8Array {
  return wholeBytes(bundleContent(bundle));
}

/**
 * Bytes of a bundle, {@link formatBundle} piece by piece.
 * @throws {LiftgateError} run-invalid  as above, and while it is read when a long file of the run is not the one of its manifest any more
 */
export function bundleContent(bundle: Bundle): ByteSource {
  const members = membersOf(bundle);
  const verified = new Map(
    parseManifest(bundle.run).files.map((material) => [`run/${material.path}`, material]),
  );
  const materials = members.map(({ path, bytes }) => {
    const known = bytes instanceof Uint8Array ? undefined : verified.get(path);
    return known === undefined ? materialOf(path, bytes) : { ...known, path };
  });
  const index = { path: indexName, bytes: indexBytes(bundle, materials) };
  return tarContent([index, ...members.map((member, at) => sameBytes(member, materials[at]))]);
}

/** A long file is read again: then it must still be the one that was verified, or that the index was held against. */
function sameBytes({ path, bytes }: TarMember, material: Material | undefined): TarMember {
  if (bytes instanceof Uint8Array || material === undefined) return { path, bytes };
  const refuse = (): never => {
    throw refused(`${path} changed while it was read`, path);
  };
  return { path, bytes: checkedContent(bytes, `sha256:${material.sha256}`, refuse) };
}

/** Files of a bundle below its index, in the order of their paths. */
export function membersOf({ run, entries, objects, notes }: Bundle): TarMember[] {
  const members = [
    ...[...run].map(([name, bytes]) => ({ path: `run/${name}`, bytes })),
    ...entries.map(({ entry, bytes }) => ({
      path: `ledger/log/${entryFileName(entry.seq)}`,
      bytes,
    })),
    ...[...objects].map(([digest, bytes]) => ({
      path: `ledger/objects/${digestHex(digest)}`,
      bytes,
    })),
    ...[...notes].map(([name, bytes]) => ({ path: `ledger/checkpoints/${name}`, bytes })),
  ];
  return members.sort((first, second) => (first.path < second.path ? -1 : 1));
}

/** What an index says of the ledger it comes with. */
export function ledgerFacts(entries: Bundle['entries']): Readonly<Record<string, unknown>> {
  const last = entries.at(-1);
  return {
    id: last?.entry.ledger,
    entries: entries.length,
    head: last?.entryId,
    root: merkleRoot(entries.map(({ bytes }) => bytes)),
  };
}

function indexBytes({ run, entries }: Bundle, files: readonly Material[]): Uint8Array {
  const manifest = parseManifest(run);
  const index = {
    type: bundleType,
    experimentId: manifest.experimentId,
    seal: manifest.seal,
    manifest: manifestDigest(manifest),
    ledger: ledgerFacts(entries),
    files,
  };
  return new TextEncoder().encode(canonicalLine(bundleIndexSchema.parse(index)));
}

/**
 * Reads a bundle: every byte is the one {@link formatBundle} writes. Whether the run, the ledger and the signatures hold is for
 * `checkRun`.
 *
 * @param file  how messages call it
 * @throws {LiftgateError} run-invalid, ledger-damaged, ledger-unsafe, signature-invalid
 */
export function parseBundle(archive: Uint8Array | PartedFile, file: string): Bundle {
  const [index, ...members] = parseTar(archive, file);
  if (index?.path !== indexName) throw refused('it has no index', file);
  const bytes = wholeBytes(index.bytes);
  const shape = readRecorded(bytes, bundleIndexSchema, { file: indexName });
  if (!shape.success) throw refused(`its index does not have the shape ${bundleType}`, file);
  const listed = new Map(shape.data.files.map((material) => [material.path, material.sha256]));
  const materials = members.map((member) => {
    const found = materialOf(member.path, member.bytes);
    if (listed.get(member.path) === found.sha256) return found;
    throw refused(`${member.path} is not the file of the index`, file);
  });
  const bundle = sorted(
    members.map((member, at) => sameBytes(member, materials[at])),
    file,
  );
  checkpointsIn(bundle.notes);
  if (Buffer.compare(indexBytes(bundle, materials), bytes) === 0) return bundle;
  throw refused('its index does not say what it holds', file);
}

/** Where members of a bundle belong, by the start of their path. */
const places = {
  run: /^run\/([a-z]+\.[a-z]+)$/,
  entry: /^ledger\/log\/([0-9]{8}\.json)$/,
  object: /^ledger\/objects\/([0-9a-f]{64})$/,
  note: /^ledger\/checkpoints\/([0-9]{8}\.[a-z]{3})$/,
} as const;
const runNames: ReadonlySet<string> = new Set(Object.values(runFileNames));

/** Members by what they are; a stray one, a gap among the entries or an object too many or too few is refused. */
export function sorted(members: readonly TarMember[], file: string): Bundle {
  const run = new Map<string, Content>();
  const log: { readonly path: string; readonly bytes: Uint8Array }[] = [];
  const objects = new Map<Digest, Uint8Array>();
  const notes = new Map<string, Uint8Array>();
  for (const { path, bytes } of members) {
    const name = nameIn(path);
    if (places.run.test(path) && runNames.has(name)) run.set(name, bytes);
    else if (places.entry.test(path)) log.push({ path: name, bytes: wholeBytes(bytes) });
    else if (places.object.test(path) && materialOf(path, bytes).sha256 === name)
      objects.set(`sha256:${name}`, wholeBytes(bytes));
    else if (places.note.test(path) && notePattern.test(name)) notes.set(name, wholeBytes(bytes));
    else throw refused(`${path} is no file of a bundle`, file);
  }
  const entries = entriesOf(log, file);
  const needed = objectsBehind(
    entries.map(({ entry }) => entry),
    objects,
  );
  const missing = [...needed].find((digest) => !objects.has(digest));
  if (missing !== undefined) throw refused(`the object ${missing} is missing`, file);
  const extra = [...objects.keys()].find((digest) => !needed.has(digest));
  if (extra !== undefined) throw refused(`no entry names the object ${extra}`, file);
  return { run, entries, objects, notes };
}

function nameIn(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

function entriesOf(
  log: readonly (TarMember & { readonly bytes: Uint8Array })[],
  file: string,
): StoredEntry[] {
  return log.map(({ path, bytes }, seq) => {
    if (path !== entryFileName(seq)) throw refused(`entry ${seq} of the ledger is missing`, file);
    return { entry: parseEntry(bytes, `ledger/log/${path}`), entryId: entryId(bytes), bytes };
  });
}

function refused(what: string, file: string): LiftgateError {
  return new LiftgateError('run-invalid', `This is no bundle as it was made: ${what}.`, {
    where: { file },
    mend: 'Fetch the bundle again, or have it made anew with `liftgate bundle`.',
  });
}

/** The ledger in a bundle, to be read and checked like any other; it takes no entries. */
export function bundledLedger({ entries, objects }: Pick<Bundle, 'entries' | 'objects'>): Ledger {
  const readOnly = (): Promise<never> =>
    Promise.reject(new LiftgateError('ledger-unsafe', 'A bundle takes no entries.'));
  const store: LedgerStore = {
    listEntries: () => Promise.resolve(entries.length),
    readEntry: (seq) => {
      const stored = entries[seq];
      return stored === undefined ? readOnly() : Promise.resolve(stored.bytes);
    },
    putIfAbsent: readOnly,
    syncEntry: readOnly,
    readObject: (digest) => Promise.resolve(objects.get(digest) ?? null),
    putObject: readOnly,
  };
  return openLedgerStore(store, stillPorts);
}

/**
 * Every object behind the entries of a ledger.
 * @throws {LiftgateError} ledger-damaged  when one is gone
 */
export async function gatherObjects(
  ledger: Ledger,
  entries: readonly StoredEntry[],
): Promise<ReadonlyMap<Digest, Uint8Array>> {
  const objects = new Map<Digest, Uint8Array>();
  for (const [digest, bytes] of await readObjectsBehind(entries, (each) => ledger.object(each))) {
    if (bytes === null) {
      throw new LiftgateError('ledger-damaged', `The object ${digest} is missing.`, {
        mend: 'Restore ledger/objects from version control or a copy.',
      });
    }
    objects.set(digest, bytes);
  }
  return objects;
}

/**
 * Everything a bundle of a run holds, from the run and the ledger that recorded it.
 * @throws {LiftgateError} ledger-damaged  when an object that an entry names is gone
 */
export async function gatherBundle(
  run: RunFiles,
  ledger: Ledger,
  notes: NoteFiles,
): Promise<Bundle> {
  const entries = await ledger.entries();
  return { run, entries, objects: await gatherObjects(ledger, entries), notes };
}
