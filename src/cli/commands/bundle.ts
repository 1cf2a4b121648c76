/** `liftgate bundle`: a run and its ledger in one portable file. */
import { closeSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { ByteSource } from '../../base/content.ts';
import { type Digest, digestHex, runningDigest } from '../../base/digest.ts';
import { LiftgateError } from '../../base/errors.ts';
import { verdictLines } from '../../report/verdict-lines.ts';
import { verifiedBundle } from '../../serve/library.ts';
import { refuseOddFile } from '../../store/places.ts';
import type { CommandContext } from '../context.ts';
import { checkpointFolder, existingLedger } from '../workspace.ts';

/** Flags of the command. */
export interface BundleOptions {
  readonly ledger: string;
  readonly checkpoints?: string;
  readonly out?: string;
}

/** Verifies the run, then writes the bundle; the default name is the experiment and the start of its final seal. */
export async function bundle(
  context: CommandContext,
  options: BundleOptions,
  path: string,
): Promise<number> {
  const { output, cwd } = context;
  const checkpoints = checkpointFolder(context, options);
  const { content, verification } = await verifiedBundle(resolve(cwd, path), {
    ledger: await existingLedger(context, options),
    ...(checkpoints === null ? {} : { checkpoints }),
  });
  const { document, audit } = verification;
  const seal = document === null ? '' : digestHex(document.run.sealDigest).slice(0, 12);
  const file = options.out ?? `${document?.verdict.experiment}-${seal}.bundle.tar`;
  const digest = write(resolve(cwd, file), file, content);
  const { entries = 0, head = null } = audit?.ledger ?? {};
  output.line(`${file}: ${content.length} bytes, ${digest}`);
  output.line(`ledger of ${entries} entries, head ${head}`);
  output.line(`check it anywhere: liftgate verify ${file} --pin ${entries}:${head}`);
  if (document !== null) for (const line of verdictLines(document)) output.line(line);
  output.document({ file, size: content.length, digest, entries, head });
  return 0;
}

/** Writes the bundle piece by piece, with another name until it is whole; gives its digest. */
function write(path: string, shown: string, content: ByteSource): Digest {
  refuseOddFile(path, shown);
  const draft = `${path}.tmp-${process.pid}`;
  try {
    const digest = writePieces(draft, content);
    renameSync(draft, path);
    return digest;
  } catch (cause) {
    rmSync(draft, { force: true });
    if (cause instanceof LiftgateError) throw cause;
    throw new LiftgateError('usage', 'The bundle cannot be written.', {
      where: { file: shown },
      mend: 'Name a file with --out in a folder that exists, where you may write.',
      cause,
    });
  }
}

function writePieces(path: string, content: ByteSource): Digest {
  const running = runningDigest();
  const file = openSync(path, 'wx');
  try {
    for (const piece of content.chunks()) {
      running.add(piece);
      writeFileSync(file, piece);
    }
  } finally {
    closeSync(file);
  }
  return running.value();
}
