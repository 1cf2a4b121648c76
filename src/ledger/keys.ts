/**
 * Signing keys in the ledger: who may sign what, from which entry on (I13). Each `key` entry carries a signature of the canonical JSON
 *
 *     {"keyId":…,"key":…,"ledger":…,"op":…,"reason":…,"replaces":…,"type":"liftgate/key/v1"}
 *
 * over its own body and the ledger's id: ed25519 plainly (64 bytes), other keys as an SSH signature in the namespace `liftgate`. A key
 * signs its own entry only while no key of the ledger may sign for others; every later one is signed by a key that may (scope `key`),
 * or by the key it revokes or replaces. A revoked key never comes back, so an old signature cannot be used again.
 *
 * None of this makes a key worth trusting: that is for the trust list a reader brings along (`key-trust.ts`).
 */
import { canonicalBytes } from '../base/canonical.ts';
import {
  decodeBase64,
  fingerprintOf,
  type PublicKey,
  type Signer,
  sshKey,
} from '../base/signature.ts';
import { checkSignature, type TrustedKey } from '../base/trust.ts';
import type { EntryOf } from './entry.ts';
import type { KeyScope } from './entry-bodies.ts';
import type { LedgerKey, LedgerState } from './projection.ts';
import { conflict } from './transitions.ts';

type KeyBody = EntryOf<'key'>['body'];

/** What a `key` entry says before anybody has signed it. */
export type UnsignedKey = Omit<KeyBody, 'signer' | 'signature'>;

/** Exact bytes that the signature of a `key` entry covers. */
export function keyMessage(ledger: string, body: UnsignedKey): Uint8Array {
  const { op, keyId, key, replaces, reason } = body;
  return canonicalBytes({ type: 'liftgate/key/v1', ledger, op, keyId, key, replaces, reason });
}

function refuse(reason: string, message: string, mend: string): never {
  throw conflict('I13', message, { mend, details: { reason } });
}

/** Keys that are valid and may sign for others. */
function introducers(state: LedgerState): LedgerKey[] {
  return state.keys
    .values()
    .filter(({ ended, scopes }) => ended === null && scopes.includes('key'));
}

function validKey(state: LedgerState, keyId: string, what: string): LedgerKey {
  const known = state.keys.get(keyId);
  if (known === undefined) {
    refuse(
      'key-unknown',
      `The ledger knows no key ${keyId}.`,
      `Name the ${what} by a fingerprint that \`liftgate ledger key list\` shows.`,
    );
  }
  if (known.ended !== null) {
    refuse(
      'key-ended',
      `The key ${keyId} of ${known.name} was ${known.ended.how} in entry ${known.ended.seq}.`,
      'Use a key that is valid; a revoked or replaced one signs nothing later.',
    );
  }
  return known;
}

/** The key that an entry ends. One that was replaced may turn out to be in other hands: it is revoked from its replacement on. */
function endingKey(state: LedgerState, keyId: string, op: KeyBody['op']): LedgerKey {
  const known = state.keys.get(keyId);
  return op === 'revoke' && known?.ended?.how === 'rotated' ? known : validKey(state, keyId, 'key');
}

/** The key that a body brings, with everything wrong about it refused. */
function newKey(state: LedgerState, { keyId, key }: KeyBody): PublicKey {
  if (key === null) refuse('key-missing', 'The entry brings no key.', 'Name a public key.');
  const parsed = sshKey(key.public);
  if (typeof parsed === 'string') {
    refuse('key-unusable', `The key cannot be taken: ${parsed}.`, 'Make a new key pair.');
  }
  if (parsed.type !== key.type || fingerprintOf(parsed) !== keyId) {
    refuse(
      'key-differs',
      `The key is ${parsed.type} ${fingerprintOf(parsed)}, the entry says ${key.type} ${keyId}.`,
      'Take type and fingerprint from the key itself.',
    );
  }
  const before = state.keys.get(keyId);
  if (before !== undefined) {
    refuse(
      'key-known',
      `The key ${keyId} stands in entry ${before.addedSeq} already, for ${before.name}.`,
      'Make a new key pair: a key is introduced once, and never again after it was revoked.',
    );
  }
  if (new Set(key.scopes).size !== key.scopes.length) {
    refuse('scope-twice', 'A scope stands twice.', 'Name every scope once.');
  }
  if (key.scopes.includes('receipt')) {
    refuse(
      'scope-not-enforced',
      'Nothing checks signatures of single receipts, so no key is recorded for them.',
      'Leave the scope receipt out: keys with the scopes entry and statement sign the outcome, which names all receipts by their root.',
    );
  }
  return parsed;
}

/** Who signs a body: the key that signs, and why it may. */
function signerOf(state: LedgerState, body: KeyBody, brought: PublicKey | null): PublicKey {
  const { op, keyId, key, replaces, signer } = body;
  if (op === 'add' && signer === keyId && brought !== null) {
    const [other] = introducers(state);
    if (other !== undefined) {
      refuse(
        'key-unsigned',
        `The key of ${other.name} (${other.keyId}) may sign for others, so no key signs for itself.`,
        'Let that key sign: --by KEY.',
      );
    }
    if (key?.scopes.includes('key') === true) return brought;
    refuse(
      'first-key-scope',
      'The first key must be able to sign for others, or no other could follow it.',
      'Give it the scope key too.',
    );
  }
  const by = validKey(state, signer, 'signer');
  const own = op === 'revoke' ? keyId : replaces;
  if (by.scopes.includes('key')) return by.key;
  if (by.keyId === own && (key?.scopes ?? []).every((scope) => by.scopes.includes(scope)))
    return by.key;
  refuse(
    'key-not-allowed',
    `The key of ${by.name} (${by.keyId}) signs ${by.scopes.join(', ')}; it cannot sign for this.`,
    'Let a key with the scope key sign, or the key itself for its own end; a successor has no scope that the key did not have.',
  );
}

function checkSigned(ledger: string, body: KeyBody, signer: PublicKey): void {
  const signature = decodeBase64(body.signature);
  const fault =
    signature === null
      ? 'it is no base64'
      : checkSignature(signer, keyMessage(ledger, body), signature);
  if (fault === null) return;
  refuse(
    'key-signature',
    `The signature of ${body.signer} does not hold: ${fault}.`,
    'Sign the entry as `liftgate ledger key` does.',
  );
}

function refuseShape(body: KeyBody): void {
  const { op, key, replaces } = body;
  const right = op === 'rotate' ? replaces !== null : replaces === null;
  if (right && (key === null) === (op === 'revoke')) return;
  refuse(
    'key-shape',
    `A key entry with op "${op}" has ${op === 'revoke' ? 'no key' : 'a key'} and ${op === 'rotate' ? 'a replaced key' : 'no replaced key'}.`,
    'Write it with `liftgate ledger key add`, `rotate` or `revoke`.',
  );
}

/** Introduces, replaces or revokes a signing key. */
export function applyKey(state: LedgerState, { body, seq, ledger }: EntryOf<'key'>): LedgerState {
  refuseShape(body);
  const { op, keyId, key, replaces, signer } = body;
  const brought = op === 'revoke' ? null : newKey(state, body);
  const ending = op === 'revoke' ? keyId : replaces;
  const before = ending === null ? null : endingKey(state, ending, op);
  checkSigned(ledger, body, signerOf(state, body, brought));
  const changed: [string, LedgerKey][] = [];
  if (before !== null) {
    const how = op === 'revoke' ? 'revoked' : 'rotated';
    changed.push([
      before.keyId,
      { ...before, ended: { seq: before.ended?.seq ?? seq, how, signer } },
    ]);
  }
  if (brought !== null && key !== null) {
    const { name, scopes } = key;
    changed.push([
      keyId,
      { keyId, name, key: brought, scopes, addedSeq: seq, signer, ended: null },
    ]);
  }
  return { ...state, keys: state.keys.with(changed) };
}

/** The body of a `key` entry with the signature of whoever introduces, replaces or revokes. */
export async function signKeyBody(
  ledger: string,
  body: UnsignedKey,
  signer: Signer,
): Promise<KeyBody> {
  const signature = await signer.sign(keyMessage(ledger, body));
  return {
    ...body,
    signer: fingerprintOf(signer.key),
    signature: Buffer.from(signature).toString('base64'),
  };
}

/** How an entry names a key that is introduced. */
export function keyMembers(
  { name, key }: TrustedKey,
  scopes: readonly KeyScope[],
): Pick<KeyBody, 'keyId' | 'key'> {
  const blob = Buffer.from(key.blob).toString('base64');
  return {
    keyId: fingerprintOf(key),
    key: { name, type: key.type, public: blob, scopes: [...scopes] },
  };
}
