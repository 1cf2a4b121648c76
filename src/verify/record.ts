/**
 * What a run folder holds. Every file is canonical JSON (one value and a line feed, or one value per line) except the summary.
 *
 *   manifest.json    {type: "liftgate/run/v1", experimentId, seal, files: [{path, size, sha256}]}: every other file; its own digest
 *                    stands in the ledger's outcome entry
 *   plan.json        the seal of stage plan          seal.json      the seal of stage final
 *   cases.json       the case index                  entries.jsonl  the ledger entries of this run before its outcome
 *   controls.jsonl   receipt lines of the controls   journal.jsonl  every dispatch and every receipt
 *   decision.json    the decision                    summary.md     the same for people
 *   gates.json       code and replies of the custom gates, where the seal has some (`verify/gate-record`)
 *
 * A future version changes the word in `type`; unknown files are refused.
 */
import { canonicalLine } from '../base/canonical.ts';
import { type Content, wholeBytes } from '../base/content.ts';
import { type Digest, digestOf } from '../base/digest.ts';
import { LiftgateError } from '../base/errors.ts';
import * as z from '../base/shape.ts';
import { readCanonical, readRecorded } from '../base/strict-json.ts';
import { type ReceiptLine, receiptLineSchema } from '../run/receipt.ts';
import { type Material, materialOf, materialSchema } from '../spec/seal.ts';
import { digestSchema, idSchema } from '../spec/words.ts';

export const runType = 'liftgate/run/v1';

export const runFileNames = {
  manifest: 'manifest.json',
  plan: 'plan.json',
  seal: 'seal.json',
  cases: 'cases.json',
  entries: 'entries.jsonl',
  controls: 'controls.jsonl',
  journal: 'journal.jsonl',
  decision: 'decision.json',
  gates: 'gates.json',
  summary: 'summary.md',
} as const;

export const manifestSchema = z.strictObject({
  type: z.literal(runType),
  experimentId: idSchema,
  seal: digestSchema,
  files: z.array(materialSchema),
});
export type RunManifest = z.infer<typeof manifestSchema>;

/** Bytes of a run folder by file name. */
export type RunFiles = ReadonlyMap<string, Content>;

/** Files a manifest may list. */
const recordedNames: ReadonlySet<string> = new Set(
  Object.values(runFileNames).filter((name) => name !== runFileNames.manifest),
);

/** Manifest over the files of a run among the given ones, sorted by name; whatever else lies there is not recorded. */
export function buildManifest(experimentId: string, seal: Digest, files: RunFiles): RunManifest {
  const listed: Material[] = [...files.entries()]
    .filter(([path]) => recordedNames.has(path))
    .map(([path, bytes]) => materialOf(path, bytes))
    .sort((first, second) => (first.path < second.path ? -1 : 1));
  return { type: runType, experimentId, seal, files: listed };
}

/** Stored bytes of a manifest. */
export function formatManifest(manifest: RunManifest): string {
  return canonicalLine(manifest);
}

/** Digest of a manifest as the ledger's outcome entry names it. */
export function manifestDigest(manifest: RunManifest): Digest {
  return digestOf(formatManifest(manifest));
}

/**
 * One file of a run folder, all of it in memory.
 * @throws {LiftgateError} run-invalid when it is missing
 */
export function runFile(files: RunFiles, name: string): Uint8Array {
  return wholeBytes(runContent(files, name));
}

/**
 * One file of a run folder, to be read piece by piece.
 * @throws {LiftgateError} run-invalid when it is missing
 */
export function runContent(files: RunFiles, name: string): Content {
  const bytes = files.get(name);
  if (bytes === undefined) {
    throw new LiftgateError('run-invalid', `The run folder has no ${name}.`, {
      where: { file: name },
      mend: 'Restore the whole run folder; every file of a run is needed to check it.',
    });
  }
  return bytes;
}

/**
 * Reads the manifest.
 * @throws {LiftgateError} run-invalid
 */
export function parseManifest(files: RunFiles): RunManifest {
  const bytes = runFile(files, runFileNames.manifest);
  const parsed = readRecorded(bytes, manifestSchema, { file: runFileNames.manifest });
  if (parsed.success) return parsed.data;
  throw new LiftgateError('run-invalid', `The manifest does not have the shape ${runType}.`, {
    where: { file: runFileNames.manifest, path: parsed.error.issues[0]?.path.join('.') },
    mend: 'Restore the recorded manifest.',
  });
}

/**
 * Files that the manifest and the folder do not agree on, by name, each with what is wrong.
 * @param measured  a file whose bytes have been read already: it is not read again
 */
export function manifestDifferences(
  manifest: RunManifest,
  files: RunFiles,
  measured?: Material,
): string[] {
  const listed = new Map(manifest.files.map((material) => [material.path, material]));
  const changed = manifest.files.flatMap(({ path, sha256, size }) => {
    const bytes = files.get(path);
    if (bytes === undefined) return [`${path} is missing`];
    const found = measured?.path === path ? measured : materialOf(path, bytes);
    return found.sha256 === sha256 && found.size === size
      ? []
      : [`${path} has other bytes than recorded`];
  });
  const strange = manifest.files
    .filter(({ path }) => !recordedNames.has(path))
    .map(({ path }) => `${path} is listed but is no file of a run`);
  const extra = [...files.keys()]
    .filter((path) => path !== runFileNames.manifest && !listed.has(path))
    .map((path) => `${path} was not recorded`);
  return [...changed, ...strange, ...extra];
}

/** What is made of each line with its line feed and its number from 1; a file that ends without a line feed is refused. */
function mapLines<Made>(
  bytes: Uint8Array,
  file: string,
  make: (bytes: Uint8Array, line: number) => Made,
): Made[] {
  if (bytes.length > 0 && bytes[bytes.length - 1] !== 0x0a) {
    throw new LiftgateError('run-invalid', 'The last line has no line feed, so it may be torn.', {
      where: { file },
      mend: 'Restore the recorded file.',
    });
  }
  const made: Made[] = [];
  let from = 0;
  while (from < bytes.length) {
    const end = bytes.indexOf(0x0a, from) + 1;
    made.push(make(bytes.subarray(from, end), made.length + 1));
    from = end;
  }
  return made;
}

/** Lines of a canonical JSON Lines file, each with its line number from 1; a file that ends without a line feed is refused. */
export function canonicalLines(
  bytes: Uint8Array,
  file: string,
): { line: number; value: unknown }[] {
  return mapLines(bytes, file, (each, line) => ({
    line,
    value: readCanonical(each, { file, firstLine: line }),
  }));
}

/**
 * Receipt lines of a recorded file.
 * @throws {LiftgateError} run-invalid with file and line
 */
export function parseReceiptLines(bytes: Uint8Array, file: string): ReceiptLine[] {
  return mapLines(bytes, file, (each, line) => {
    const parsed = readRecorded(each, receiptLineSchema, { file, firstLine: line });
    if (parsed.success) return parsed.data;
    const issue = parsed.error.issues[0];
    throw new LiftgateError('run-invalid', `The line is no receipt line: ${issue?.message}.`, {
      where: { file, line, path: issue?.path.join('.') },
      mend: 'Restore the recorded file; receipts are never edited.',
    });
  });
}
