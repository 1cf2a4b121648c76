/** Signing keys in the ledger: who may introduce, replace and revoke them. */
import { createHash, createPrivateKey, sign } from 'node:crypto';
import { describe, expect, it, test } from 'vitest';
import { ed25519Key, fingerprintOf, type Signer } from '../../src/base/signature.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import { memoryLedger } from '../../src/ledger/memory-ledger.ts';
import { type KeyStep, keyBodyOf, recordKey } from '../support/ledger-keys.ts';
import { countingPorts, recordPlan } from '../support/ledger-story.ts';
import { refusalOf } from '../support/refusal.ts';
import { plainSigner } from '../support/signers.ts';

const [alice, bob, carol] = [plainSigner('alice'), plainSigner('bob'), plainSigner('carol')];
const idOf = ({ key }: Signer) => fingerprintOf(key);

/** A ledger of two entries, genesis and a plan. */
async function newLedger(): Promise<Ledger> {
  const ledger = memoryLedger(countingPorts());
  await recordPlan(ledger, 'e');
  return ledger;
}

/** Entry 2 introduces alice, who may sign for others. */
async function withAlice(): Promise<Ledger> {
  const ledger = await newLedger();
  await recordKey(ledger, { op: 'add', key: alice });
  return ledger;
}

const reasonOf = async (work: Promise<unknown>) => {
  const { message, details } = await refusalOf(work);
  return { message, reason: details['reason'], invariant: details['invariant'] };
};

const keyNames = async (ledger: Ledger) =>
  (await ledger.state()).keys
    .values()
    .map(({ name, ended }) => (ended === null ? name : `${name} ${ended.how} ${ended.seq}`));

describe('a key entry', () => {
  it('introduces the first key by its own signature and every later one by a key that may', async () => {
    const ledger = await withAlice();
    await recordKey(ledger, { op: 'add', key: bob, by: alice, scopes: ['witness'] });
    expect((await ledger.state()).keys.get(idOf(bob))).toEqual({
      ...{ keyId: idOf(bob), name: 'bob', key: bob.key, scopes: ['witness'], addedSeq: 3 },
      ...{ signer: idOf(alice), ended: null },
    });
    expect((await ledger.verify()).problems).toEqual([]);
  });

  it('puts one key in the place of another, signed by that one', async () => {
    const ledger = await withAlice();
    const next = plainSigner('alice');
    await recordKey(ledger, { op: 'rotate', key: next, replaces: alice, by: alice });
    expect(await keyNames(ledger)).toEqual(['alice rotated 3', 'alice']);
    await recordKey(ledger, { op: 'add', key: bob, by: next });
    expect((await ledger.verify()).problems).toEqual([]);
  });

  it('revokes a key by the key itself, or by one that may sign for others', async () => {
    const ledger = await withAlice();
    for (const key of [bob, carol])
      await recordKey(ledger, { op: 'add', key, by: alice, scopes: ['witness'] });
    await recordKey(ledger, { op: 'revoke', key: bob });
    await recordKey(ledger, { op: 'revoke', key: carol, by: alice });
    expect(await keyNames(ledger)).toEqual(['alice', 'bob revoked 5', 'carol revoked 6']);
  });

  it('may turn out to be in other hands after it was replaced: it is revoked from there on', async () => {
    const ledger = await withAlice();
    const next = plainSigner('alice');
    await recordKey(ledger, { op: 'rotate', key: next, replaces: alice, by: alice });
    expect(await reasonOf(recordKey(ledger, { op: 'revoke', key: alice }))).toMatchObject({
      reason: 'key-ended',
    });
    await recordKey(ledger, { op: 'revoke', key: alice, by: next });
    expect(await keyNames(ledger)).toEqual(['alice revoked 3', 'alice']);
    const again = recordKey(ledger, { op: 'revoke', key: alice, by: next });
    expect(await reasonOf(again)).toMatchObject({ reason: 'key-ended' });
  });

  it('may begin anew when no key is left that may sign for others', async () => {
    const ledger = await withAlice();
    await recordKey(ledger, { op: 'revoke', key: alice });
    await recordKey(ledger, { op: 'add', key: carol });
    expect(await keyNames(ledger)).toEqual(['alice revoked 3', 'carol']);
  });

  const refusals: [string, (ledger: Ledger) => Promise<KeyStep>, string][] = [
    ['a second key that signs for itself', async () => ({ op: 'add', key: bob }), 'key-unsigned'],
    [
      'a key that an unknown one signed for',
      async () => ({ op: 'add', key: bob, by: carol }),
      'key-unknown',
    ],
    [
      'a key that stands in the ledger',
      async () => ({ op: 'add', key: alice, by: alice }),
      'key-known',
    ],
    [
      'a revoked key for the second time',
      async (ledger) => {
        await recordKey(ledger, { op: 'add', key: bob, by: alice, scopes: ['witness'] });
        await recordKey(ledger, { op: 'revoke', key: bob, by: alice });
        return { op: 'add', key: bob, by: alice };
      },
      'key-known',
    ],
    [
      'a key that a revoked one signed for',
      async (ledger) => {
        await recordKey(ledger, { op: 'add', key: bob, by: alice });
        await recordKey(ledger, { op: 'revoke', key: alice, by: bob });
        return { op: 'add', key: carol, by: alice };
      },
      'key-ended',
    ],
    [
      'a key that was introduced for something else signing for others',
      async (ledger) => {
        await recordKey(ledger, { op: 'add', key: bob, by: alice, scopes: ['witness'] });
        return { op: 'add', key: carol, by: bob };
      },
      'key-not-allowed',
    ],
    [
      'a witness ending the key of somebody else',
      async (ledger) => {
        await recordKey(ledger, { op: 'add', key: bob, by: alice, scopes: ['witness'] });
        return { op: 'revoke', key: alice, by: bob };
      },
      'key-not-allowed',
    ],
    [
      'a successor with more rights than the key had',
      async (ledger) => {
        await recordKey(ledger, { op: 'add', key: bob, by: alice, scopes: ['witness'] });
        return { op: 'rotate', key: carol, replaces: bob, by: bob, scopes: ['witness', 'key'] };
      },
      'key-not-allowed',
    ],
    [
      'a key for receipts',
      async () => ({ op: 'add', key: bob, by: alice, scopes: ['receipt'] }),
      'scope-not-enforced',
    ],
    [
      'a scope that stands twice',
      async () => ({ op: 'add', key: bob, by: alice, scopes: ['witness', 'witness'] }),
      'scope-twice',
    ],
    [
      'the end of a key that is none',
      async () => ({ op: 'revoke', key: carol, by: alice }),
      'key-unknown',
    ],
    ['a replacement of nothing', async () => ({ op: 'rotate', key: bob, by: alice }), 'key-shape'],
    [
      'an addition that replaces',
      async () => ({ op: 'add', key: bob, replaces: alice, by: alice }),
      'key-shape',
    ],
  ];
  test.each(refusals)('refuses %s', async (_, step, reason) => {
    const ledger = await withAlice();
    const last = await step(ledger);
    expect(await reasonOf(recordKey(ledger, last))).toMatchObject({ reason, invariant: 'I13' });
    expect((await ledger.verify()).problems).toEqual([]);
  });

  it('refuses a first key that could introduce no other', async () => {
    const step = { op: 'add', key: alice, scopes: ['checkpoint'] } as const;
    expect(await reasonOf(recordKey(await newLedger(), step))).toMatchObject({
      reason: 'first-key-scope',
    });
  });

  it.each([
    [
      'scopes',
      { scopes: ['checkpoint', 'key', 'witness'] as ('checkpoint' | 'key' | 'witness')[] },
    ],
    ['name', { name: 'mallory' }],
  ])('refuses %s that were not signed', async (_, change) => {
    const ledger = await newLedger();
    const id = (await ledger.state()).chain.ledger ?? '';
    const body = await keyBodyOf(id, { op: 'add', key: alice });
    if (body.key === null) throw new Error('no key');
    const changed = { ...body, key: { ...body.key, ...change } };
    const work = ledger.append({ kind: 'key', requestId: 'k', body: changed });
    expect(await reasonOf(work)).toMatchObject({
      message: `The signature of ${idOf(alice)} does not hold: the signature does not match.`,
      reason: 'key-signature',
    });
  });

  it('refuses an entry that was signed for another ledger, or under another reason', async () => {
    const ledger = await newLedger();
    const foreign = await keyBodyOf('cd'.repeat(16), { op: 'add', key: alice });
    const work = ledger.append({ kind: 'key', requestId: 'k', body: foreign });
    expect(await reasonOf(work)).toMatchObject({ reason: 'key-signature' });
    const body = await keyBodyOf('ab'.repeat(16), { op: 'add', key: alice });
    const other = { ...body, reason: 'other' };
    expect(
      await reasonOf(ledger.append({ kind: 'key', requestId: 'k', body: other })),
    ).toMatchObject({ reason: 'key-signature' });
  });

  it.each([
    ['a fingerprint that is not its own', { keyId: `SHA256:${'A'.repeat(43)}` }],
    ['a type that is not its own', { type: 'ssh-rsa' }],
  ])('refuses a key with %s', async (_, { keyId, type }: { keyId?: string; type?: string }) => {
    const ledger = await withAlice();
    const body = await keyBodyOf('ab'.repeat(16), { op: 'add', key: bob, by: alice });
    if (body.key === null) throw new Error('no key');
    const key = { ...body.key, ...(type === undefined ? {} : { type }) };
    const changed = { ...body, key, ...(keyId === undefined ? {} : { keyId }) };
    const work = ledger.append({ kind: 'key', requestId: 'k', body: changed });
    expect(await reasonOf(work)).toMatchObject({ reason: 'key-differs' });
  });
});

/** Points of small order and spellings outside the field, as raw bytes in hex. */
const weakKeys = [
  '00'.repeat(32),
  `01${'00'.repeat(31)}`,
  `ec${'ff'.repeat(30)}7f`,
  `${'00'.repeat(31)}80`,
  `01${'00'.repeat(30)}80`,
  `ec${'ff'.repeat(31)}`,
  `ed${'ff'.repeat(30)}7f`,
  `ee${'ff'.repeat(30)}7f`,
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
];

describe('a key that cannot be taken', () => {
  const blobOf = (raw: Buffer, word = 'ssh-ed25519') => {
    const field = (bytes: Buffer) => {
      const length = Buffer.alloc(4);
      length.writeUInt32BE(bytes.length);
      return Buffer.concat([length, bytes]);
    };
    return Buffer.concat([field(Buffer.from(word)), field(raw)]);
  };
  const offered = async (blob: Buffer, signature = 'AAAA') => {
    const digest = createHash('sha256').update(blob).digest('base64').replace(/=+$/, '');
    const key = {
      ...{ name: 'm', type: 'ssh-ed25519', public: blob.toString('base64') },
      scopes: ['key' as const],
    };
    const unsigned = { op: 'add' as const, keyId: `SHA256:${digest}`, key, replaces: null };
    const body = { ...unsigned, reason: 'r', signer: unsigned.keyId, signature };
    return reasonOf((await newLedger()).append({ kind: 'key', requestId: 'k', body }));
  };

  it.each(weakKeys)('is one of small order or outside the field: %s', async (hex) => {
    expect(ed25519Key(Buffer.from(hex, 'hex'))).toContain('small order');
    // R = identity, S = 0: what anybody can write under such a key.
    const forged = Buffer.concat([Buffer.from(`01${'00'.repeat(31)}`, 'hex'), Buffer.alloc(32)]);
    const refused = await offered(blobOf(Buffer.from(hex, 'hex')), forged.toString('base64'));
    expect(refused).toMatchObject({ reason: 'key-unusable', invariant: 'I13' });
    expect(refused.message).toContain('small order');
  });

  it.each([
    ['of 31 bytes', blobOf(Buffer.alloc(31, 1))],
    ['of 33 bytes', blobOf(Buffer.alloc(33, 1))],
    ['without an end', blobOf(Buffer.alloc(32, 1)).subarray(0, 40)],
    ['with something behind it', Buffer.concat([blobOf(Buffer.alloc(32, 1)), Buffer.from('x')])],
    ['of an unknown type', blobOf(Buffer.alloc(32, 1), 'ssh-dss')],
    ['of nothing', Buffer.from('x')],
  ])('is one %s', async (_, blob) => {
    expect(await offered(blob)).toMatchObject({ reason: 'key-unusable' });
  });

  it('has a signature that somebody else made with the same words', async () => {
    const body = await keyBodyOf('ab'.repeat(16), { op: 'add', key: alice });
    const pem = bob.privateKey.export({ type: 'pkcs8', format: 'pem' });
    const signature = sign(null, Buffer.from('other words'), createPrivateKey(pem));
    const changed = { ...body, signature: signature.toString('base64') };
    const work = (await newLedger()).append({ kind: 'key', requestId: 'k', body: changed });
    expect(await reasonOf(work)).toMatchObject({ reason: 'key-signature' });
  });
});
