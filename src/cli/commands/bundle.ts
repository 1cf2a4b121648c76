/** `liftgate bundle`: a run and its ledger in one portable file. */
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { digestHex, digestOf } from '../../base/digest.ts';
import { LiftgateError } from '../../base/errors.ts';
import { verdictLines } from '../../report/verdict-lines.ts';
import { bundleRun } from '../../serve/library.ts';
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
  const { bytes, verification } = await bundleRun(resolve(cwd, path), {
    ledger: await existingLedger(context, options),
    ...(checkpoints === null ? {} : { checkpoints }),
  });
  const { document, audit } = verification;
  const seal = document === null ? '' : digestHex(document.run.sealDigest).slice(0, 12);
  const file = options.out ?? `${document?.verdict.experiment}-${seal}.bundle.tar`;
  write(resolve(cwd, file), file, bytes);
  const digest = digestOf(bytes);
  const { entries = 0, head = null } = audit?.ledger ?? {};
  output.line(`${file}: ${bytes.length} bytes, ${digest}`);
  output.line(`ledger of ${entries} entries, head ${head}`);
  output.line(`check it anywhere: liftgate verify ${file} --pin ${entries}:${head}`);
  if (document !== null) for (const line of verdictLines(document)) output.line(line);
  output.document({ file, size: bytes.length, digest, entries, head });
  return 0;
}

function write(path: string, shown: string, bytes: Uint8Array): void {
  refuseOddFile(path, shown);
  const draft = `${path}.tmp-${process.pid}`;
  try {
    writeFileSync(draft, bytes, { flag: 'wx' });
    renameSync(draft, path);
  } catch (cause) {
    rmSync(draft, { force: true });
    throw new LiftgateError('usage', 'The bundle cannot be written.', {
      where: { file: shown },
      mend: 'Name a file with --out in a folder that exists, where you may write.',
      cause,
    });
  }
}
