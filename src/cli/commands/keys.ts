/** `liftgate ledger key add|rotate|revoke|list`: who may sign what, from which entry on. */
import { resolve } from 'node:path';
import { LiftgateError } from '../../base/errors.ts';
import type { Signer } from '../../base/signature.ts';
import { describeKey, type TrustedKey } from '../../base/trust.ts';
import type { KeyScope } from '../../ledger/entry-bodies.ts';
import { countingKeys, inOrder } from '../../ledger/key-trust.ts';
import { keyMembers, signKeyBody, type UnsignedKey } from '../../ledger/keys.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { LedgerKey } from '../../ledger/projection.ts';
import { openPublicKey, openSigner, readTrust } from '../../store/signing.ts';
import type { CommandContext } from '../context.ts';
import { table } from '../print.ts';
import { existingLedger } from '../workspace.ts';

interface LedgerFlags {
  readonly ledger: string;
}

/** Flags of every command that records. */
export interface EndKeyFlags extends LedgerFlags {
  readonly by: string;
  readonly reason: string;
}

interface NewKeyFlags extends LedgerFlags {
  readonly key: string;
  readonly name?: string;
  readonly reason: string;
}

/** Flags of `add`. */
export interface AddKeyFlags extends NewKeyFlags {
  readonly scopes: string;
  readonly by?: string;
}

/** Flags of `rotate`. */
export interface RotateKeyFlags extends NewKeyFlags {
  readonly by: string;
  readonly scopes?: string;
}

/** Flags of `list`. */
export interface ListKeysFlags extends LedgerFlags {
  readonly trust?: string;
}

const knownScopes = [
  'checkpoint',
  'witness',
  'statement',
  'key',
  'entry',
] as const satisfies KeyScope[];

function scopesOf(words: string): KeyScope[] {
  return words.split(',').map((word) => {
    const known = knownScopes.find((each) => each === word.trim());
    if (known !== undefined) return known;
    throw new LiftgateError('usage', `"${word}" is nothing that --scopes knows.`, {
      mend: `Write one or more of ${knownScopes.join(', ')}, separated by commas.`,
    });
  });
}

/** The key that signs; its own name in signatures does not matter here. */
function signerIn({ cwd }: CommandContext, file: string): Promise<Signer> {
  return openSigner({ file: resolve(cwd, file), name: 'signer' });
}

async function ledgerId(ledger: Ledger): Promise<string> {
  const { chain } = await ledger.state();
  if (chain.ledger !== null) return chain.ledger;
  throw new LiftgateError(
    'ledger-conflict',
    'The ledger has no entry yet, so it has no id to sign.',
    {
      mend: 'Record something first: `liftgate seal`, or `liftgate ledger policy`.',
    },
  );
}

interface Recording {
  readonly ledger: Ledger;
  readonly unsigned: UnsignedKey;
  readonly signer: Signer;
}

async function record(
  context: CommandContext,
  recording: Recording,
  what: string,
): Promise<number> {
  const { ledger, unsigned, signer } = recording;
  const body = await signKeyBody(await ledgerId(ledger), unsigned, signer);
  const { op, keyId } = body;
  const { entry } = await ledger.append({ kind: 'key', requestId: `key:${op}:${keyId}`, body });
  context.output.line(`${what} in entry ${entry.seq}, signed by ${body.signer}`);
  context.output.document({ entry: entry.seq, body: entry.body });
  return 0;
}

/**
 * Introduces a key.
 * @throws {LiftgateError} usage, ledger-conflict (I13)
 */
export async function addKey(context: CommandContext, options: AddKeyFlags): Promise<number> {
  const scopes = scopesOf(options.scopes);
  const { trusted, ledger } = await newKey(context, options);
  const signer = await signerIn(context, options.by ?? options.key);
  const members = keyMembers(trusted, scopes);
  const unsigned = { op: 'add' as const, ...members, replaces: null, reason: options.reason };
  return record(context, { ledger, unsigned, signer }, `${describeKey(trusted)} introduced`);
}

/**
 * Puts a key in the place of another.
 * @throws {LiftgateError} usage, ledger-conflict (I13)
 */
export async function rotateKey(
  context: CommandContext,
  options: RotateKeyFlags,
  word: string,
): Promise<number> {
  const { trusted, ledger } = await newKey(context, options);
  const old = await keyNamed(ledger, word);
  const scopes = options.scopes === undefined ? old.scopes : scopesOf(options.scopes);
  const signer = await signerIn(context, options.by);
  const members = keyMembers(trusted, scopes);
  const { reason } = options;
  const unsigned = { op: 'rotate' as const, ...members, replaces: old.keyId, reason };
  const what = `${describeKey(trusted)} takes the place of ${old.keyId}`;
  return record(context, { ledger, unsigned, signer }, what);
}

/**
 * Ends a key.
 * @throws {LiftgateError} usage, ledger-conflict (I13)
 */
export async function revokeKey(
  context: CommandContext,
  options: EndKeyFlags,
  word: string,
): Promise<number> {
  const ledger = await existingLedger(context, options);
  const old = await keyNamed(ledger, word);
  const signer = await signerIn(context, options.by);
  const { keyId } = old;
  const unsigned = { op: 'revoke' as const, keyId, key: null, replaces: null };
  const recording = { ledger, unsigned: { ...unsigned, reason: options.reason }, signer };
  return record(context, recording, `${describeKey(old)} revoked`);
}

async function newKey(
  context: CommandContext,
  options: NewKeyFlags,
): Promise<{ readonly trusted: TrustedKey; readonly ledger: Ledger }> {
  const file = resolve(context.cwd, options.key);
  const trusted = await openPublicKey({ file, name: options.name });
  return { trusted, ledger: await existingLedger(context, options) };
}

/** The key of that fingerprint, or the valid one of that name. */
async function keyNamed(ledger: Ledger, word: string): Promise<LedgerKey> {
  const keys = inOrder(await ledger.state());
  const named = keys.filter(({ name, ended }) => name === word && ended === null);
  const found = keys.find(({ keyId }) => keyId === word) ?? named[0];
  if (found !== undefined && named.length < 2) return found;
  throw new LiftgateError(
    'usage',
    named.length > 1
      ? `The ledger has ${named.length} valid keys of the name "${word}".`
      : `The ledger has no valid key "${word}".`,
    { mend: 'Name one by its fingerprint, as `liftgate ledger key list` shows it.' },
  );
}

/** Every key of the ledger; with a trust list, which of them count for its reader. */
export async function listKeys(context: CommandContext, options: ListKeysFlags): Promise<number> {
  const { output, cwd } = context;
  const state = await (await existingLedger(context, options)).state();
  const trust = options.trust === undefined ? null : await readTrust(resolve(cwd, options.trust));
  const counting = trust === null ? [] : countingKeys(state, trust);
  const keys = inOrder(state).map((key) => ({
    ...{ keyId: key.keyId, name: key.name, type: key.key.type, scopes: key.scopes },
    ...{ addedSeq: key.addedSeq, signer: key.signer, ended: key.ended },
    trusted: trust === null ? null : counting.some(({ keyId }) => keyId === key.keyId),
  }));
  const rows = keys.map(({ keyId, name, scopes, addedSeq, ended, signer, trusted }) => [
    ...[name, scopes.join(','), `entry ${addedSeq}`],
    ended === null ? 'valid' : `${ended.how} in entry ${ended.seq}`,
    signer === keyId ? 'itself' : (state.keys.get(signer)?.name ?? signer),
    ...(trusted === null ? [] : [trusted ? 'yes' : 'no']),
    keyId,
  ]);
  const head = ['name', 'signs', 'since', 'state', 'signed for by'];
  const columns = [...head, ...(trust === null ? [] : ['trusted']), 'fingerprint'];
  for (const line of table([columns, ...rows])) output.line(line);
  output.document(keys);
  return 0;
}
