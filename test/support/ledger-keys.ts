/** `key` entries for tests, signed by keys that live in memory. */
import { fingerprintOf, type Signer } from '../../src/base/signature.ts';
import type { EntryOf } from '../../src/ledger/entry.ts';
import type { KeyScope } from '../../src/ledger/entry-bodies.ts';
import { keyMembers, signKeyBody } from '../../src/ledger/keys.ts';
import type { Appended, Ledger } from '../../src/ledger/ledger.ts';

type Key = EntryOf<'key'>['body'];

/** Who is introduced or ended, and who signs; the key itself when nobody is named. */
export interface KeyStep {
  readonly op: Key['op'];
  readonly key: Signer;
  readonly by?: Signer;
  readonly scopes?: readonly KeyScope[];
  readonly replaces?: Signer;
}

/** Signed body of a step in a ledger. */
export function keyBodyOf(ledger: string, step: KeyStep): Promise<Key> {
  const { op, key, by = key, scopes = ['checkpoint', 'key'], replaces } = step;
  const { keyId, key: members } = keyMembers(key, scopes);
  const unsigned = {
    ...{ op, keyId, key: op === 'revoke' ? null : members, reason: 'r' },
    replaces: replaces === undefined ? null : fingerprintOf(replaces.key),
  };
  return signKeyBody(ledger, unsigned, by);
}

/** Records a step; the ledger must have its genesis. */
export async function recordKey(ledger: Ledger, step: KeyStep): Promise<Appended<'key'>> {
  const { chain } = await ledger.state();
  const body = await keyBodyOf(chain.ledger ?? '', step);
  return ledger.append({ kind: 'key', requestId: `key:${chain.size}`, body });
}
