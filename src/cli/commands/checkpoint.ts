/** `liftgate ledger checkpoint|witness|prove|check-proof`: signed checkpoints and proofs that stand without the ledger. */
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { prettyText } from '../../base/canonical.ts';
import { LiftgateError } from '../../base/errors.ts';
import { describeKey, type TrustedKey } from '../../base/trust.ts';
import {
  parseCheckpoint,
  parseEntryProof,
  proveEntry,
  signersOf,
} from '../../ledger/checkpoint.ts';
import { countingKeys, requireSigner } from '../../ledger/key-trust.ts';
import {
  addCheckpoint,
  readCheckpoints,
  type StoredCheckpoint,
  witnessCheckpoint,
} from '../../store/checkpoints.ts';
import { witnessFolder, witnessMemory } from '../../store/seen-ledgers.ts';
import { openSigner, readTrust } from '../../store/signing.ts';
import type { CommandContext } from '../context.ts';
import { checkpointFolder, existingLedger } from '../workspace.ts';

/** Where ledger and checkpoints lie. */
export interface CheckpointFlags {
  readonly ledger: string;
  readonly checkpoints?: string;
}

/** Who signs. */
export interface SignerFlags {
  readonly key: string;
  readonly name?: string;
}

/** Whose checkpoints a witness signs, and what it remembers. */
export interface WitnessFlags extends CheckpointFlags, SignerFlags {
  readonly trust: string;
  readonly state?: string;
}

/** Signs the ledger as it is now. */
export async function checkpoint(
  context: CommandContext,
  options: CheckpointFlags & SignerFlags,
): Promise<number> {
  const { entries, folder, state } = await sources(context, options);
  const signer = await openSigner({ file: resolve(context.cwd, options.key), name: options.name });
  requireSigner(state, signer.key, ['checkpoint']);
  const stored = await addCheckpoint({ folder, entries, signer });
  return show(context, stored, `signed by ${describeKey(signer)}`);
}

/** Co-signs the newest checkpoint after comparing it with everything this witness has seen. */
export async function witness(context: CommandContext, options: WitnessFlags): Promise<number> {
  const { entries, folder, state } = await sources(context, options);
  const signer = await openSigner({ file: resolve(context.cwd, options.key), name: options.name });
  requireSigner(state, signer.key, ['checkpoint', 'witness']);
  const listed = await readTrust(resolve(context.cwd, options.trust));
  const trust = countingKeys(state, listed).filter(({ ended }) => ended === null);
  const memory =
    options.state === undefined ? witnessFolder() : resolve(context.cwd, options.state);
  const stored = await witnessCheckpoint({
    folder,
    entries,
    signer,
    trust,
    seen: witnessMemory(memory),
  });
  return show(context, stored, `witnessed by ${describeKey(signer)}`);
}

/** Prints the proof of one entry under the newest checkpoint that covers it, or under the ledger's own root when there is none. */
export async function prove(
  context: CommandContext,
  options: CheckpointFlags & { readonly entry: string },
): Promise<number> {
  if (!/^[0-9]{1,8}$/.test(options.entry)) {
    throw new LiftgateError('usage', `"${options.entry}" is no number of an entry.`, {
      mend: 'Write --entry with a number that `liftgate ledger list` shows.',
    });
  }
  const seq = Number(options.entry);
  const { entries, folder } = await sources(context, options);
  const covering = (await readCheckpoints(folder)).findLast(({ signed }) => signed.size > seq);
  const proof = proveEntry(entries, seq, covering?.note ?? null);
  context.output.line(prettyText(proof).trimEnd());
  context.output.document(proof);
  return 0;
}

/** Checks a proof that `prove` printed, with nothing but the file and, when given, the keys that count. */
export async function checkProof(
  context: CommandContext,
  options: { readonly trust?: string },
  path: string,
): Promise<number> {
  const file = resolve(context.cwd, path);
  const proof = parseEntryProof(await readFile(file), path);
  const trust =
    options.trust === undefined ? null : await readTrust(resolve(context.cwd, options.trust));
  const signers = trust === null ? [] : trustedSigners(proof.checkpoint, trust, path);
  const by =
    trust === null ? 'signatures not checked: no --trust' : `signed by ${signers.join(', ')}`;
  context.output.line(
    `entry ${proof.index} of a ledger with ${proof.size} entries, root ${proof.root}; ${by}`,
  );
  context.output.line(proof.entry.trimEnd());
  context.output.line('RESULT confirmed');
  context.output.document({
    ok: true,
    index: proof.index,
    size: proof.size,
    root: proof.root,
    signers,
  });
  return 0;
}

function trustedSigners(
  note: string | null,
  trust: readonly TrustedKey[],
  file: string,
): readonly string[] {
  const signers = note === null ? [] : signersOf(parseCheckpoint(note, file), trust, file);
  if (signers.length > 0) return signers;
  throw new LiftgateError(
    'signature-missing',
    'Nobody trusted has signed the checkpoint of this proof.',
    {
      where: { file },
      mend: 'Ask for a proof under a checkpoint that one of your trusted keys signed.',
    },
  );
}

async function sources(context: CommandContext, options: CheckpointFlags) {
  const folder = checkpointFolder(context, options);
  if (folder === null) {
    throw new LiftgateError('usage', 'A ledger in PostgreSQL has no folder for its checkpoints.', {
      mend: 'Name one with --checkpoints.',
    });
  }
  const ledger = await existingLedger(context, options);
  return { folder, entries: await ledger.entries(), state: await ledger.state() };
}

function show(
  context: CommandContext,
  { file, note, signed }: StoredCheckpoint,
  by: string,
): number {
  context.output.line(note.trimEnd());
  context.output.line(`${by}; ${file}`);
  context.output.document({
    file,
    note,
    origin: signed.origin,
    size: signed.size,
    root: signed.root,
  });
  return 0;
}
