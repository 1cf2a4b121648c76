import { sign } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  checkEd25519,
  checkSsh,
  ed25519Key,
  fingerprintOf,
  rawEd25519,
  sshKey,
  unarmourSsh,
} from '../../src/base/signature.ts';
import { checkSignature } from '../../src/base/trust.ts';
import { accepted, joinFields, plainSigner, sshSigner } from '../support/signers.ts';
import { temporaryFolders } from '../support/temporary-folder.ts';

const folder = temporaryFolders();
const message = Buffer.from('what is signed\n');

/** The curve -x^2 + y^2 = 1 + d x^2 y^2 over 2^255 - 19, slowly. */
const p = (1n << 255n) - 19n;
const mod = (value: bigint) => ((value % p) + p) % p;
function power(base: bigint, exponent: bigint): bigint {
  let [result, factor] = [1n, mod(base)];
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = mod(result * factor);
    factor = mod(factor * factor);
  }
  return result;
}
const inverse = (value: bigint) => power(value, p - 2n);
const d = mod(-121665n * inverse(121666n));
/** y of twice a point, from its y alone: the curve gives x^2. */
function doubled(y: bigint): bigint {
  const ySquared = mod(y * y);
  const xSquared = mod((ySquared - 1n) * inverse(mod(d * ySquared + 1n)));
  return mod((ySquared + xSquared) * inverse(mod(1n - d * xSquared * ySquared)));
}
function littleEndian(y: bigint, xSign = 0): Uint8Array {
  return Uint8Array.from(
    { length: 32 },
    (_, index) => Number((y >> BigInt(8 * index)) & 255n) | (index === 31 ? xSign << 7 : 0),
  );
}
const smallOrder = [
  0n,
  1n,
  p - 1n,
  0x05fc536d880238b13933c6d305acdfd5f098eff289f4c345b027b2c28f95e826n,
  p - 0x05fc536d880238b13933c6d305acdfd5f098eff289f4c345b027b2c28f95e826n,
];

describe('ed25519Key', () => {
  test.each(smallOrder.map((y) => [y.toString(16), y] as const))(
    'refuses y = %s, whose multiple by 8 is the neutral point',
    (_, y) => {
      expect(doubled(doubled(doubled(y)))).toBe(1n);
      expect(ed25519Key(littleEndian(y))).toContain('small order');
      expect(ed25519Key(littleEndian(y, 1))).toContain('small order');
    },
  );

  test('refuses spellings outside the field', () => {
    for (const y of [p, p + 1n, (1n << 255n) - 1n]) {
      expect(ed25519Key(littleEndian(y))).toContain('small order');
    }
  });

  test('refuses a key under which node accepts a forged signature', () => {
    // R = the neutral point, S = 0 verifies for the key "1" and any message.
    const neutral = littleEndian(1n);
    const forged = Buffer.concat([neutral, new Uint8Array(32)]);
    const key = { type: 'ssh-ed25519', blob: blobOf('ssh-ed25519', neutral) } as const;
    expect(checkEd25519(key, message, forged)).toBe(true);
    expect(typeof ed25519Key(neutral)).toBe('string');
  });

  test.each([0, 31, 33])('refuses %i bytes', (length) => {
    expect(ed25519Key(new Uint8Array(length))).toBe(
      `an ed25519 key has 32 bytes, this one has ${length}`,
    );
  });

  test('keeps the raw bytes', () => {
    const signer = plainSigner('a');
    const raw = rawEd25519(signer.key);
    expect(raw).toHaveLength(32);
    expect(accepted(ed25519Key(raw ?? new Uint8Array()))).toEqual(signer.key);
  });
});

function blobOf(...fields: readonly (string | Uint8Array)[]): Buffer {
  return Buffer.from(joinFields(fields.map((field) => Buffer.from(field))));
}

describe('checkEd25519', () => {
  test('accepts the signature of the key and nothing else', async () => {
    const [signer, other] = [plainSigner('a'), plainSigner('b')];
    const signature = await signer.sign(message);
    expect(checkEd25519(signer.key, message, signature)).toBe(true);
    expect(checkEd25519(other.key, message, signature)).toBe(false);
    expect(checkEd25519(signer.key, Buffer.from('else'), signature)).toBe(false);
    for (const at of signature.keys()) {
      const flipped = signature.with(at, (signature[at] ?? 0) ^ 1);
      expect(checkEd25519(signer.key, message, flipped)).toBe(false);
    }
  });

  test('refuses S + L, another spelling of the same signature', () => {
    const signer = plainSigner('a');
    const signature = Buffer.from(sign(null, message, signer.privateKey));
    const order = (1n << 252n) + 27742317777372353535851937790883648493n;
    const s =
      BigInt(`0x${Buffer.from(signature.subarray(32).toReversed()).toString('hex')}`) + order;
    expect(s < 1n << 256n).toBe(true);
    expect(
      checkEd25519(
        signer.key,
        message,
        Buffer.concat([signature.subarray(0, 32), littleEndian(s)]),
      ),
    ).toBe(false);
  });
});

const kinds = [
  ['ed25519', undefined],
  ['ecdsa', 256],
  ['ecdsa', 384],
  ['ecdsa', 521],
  ['rsa', 2048],
] as const;

describe('checkSsh', () => {
  test.each(kinds)(
    'accepts what ssh-keygen signs with %s %s, and no changed byte',
    async (type, bits) => {
      const signer = sshSigner({
        folder: await folder(),
        name: 'alice',
        type,
        ...(bits === undefined ? {} : { bits }),
      });
      const signature = await signer.sign(message);
      expect(checkSsh(signer.key, message, signature)).toBeNull();
      expect(checkSignature(signer.key, message, signature)).toBeNull();
      expect(checkSsh(signer.key, Buffer.from('else'), signature)).toBe(
        'the signature does not match',
      );
      const accepts: number[] = [];
      for (const at of signature.keys()) {
        const flipped = signature.with(at, (signature[at] ?? 0) ^ 1);
        if (checkSsh(signer.key, message, flipped) === null) accepts.push(at);
      }
      expect(accepts).toEqual([]);
      for (let end = 0; end < signature.length; end += 7) {
        expect(checkSsh(signer.key, message, signature.slice(0, end))).not.toBeNull();
      }
      expect(
        checkSsh(signer.key, message, Buffer.concat([signature, Uint8Array.of(0)])),
      ).not.toBeNull();
    },
  );

  test('refuses a signature of another key or for another purpose, saying which', async () => {
    const [signer, other, foreign] = await Promise.all([
      folder().then((at) => sshSigner({ folder: at, name: 'alice', type: 'ed25519' })),
      folder().then((at) => sshSigner({ folder: at, name: 'bob', type: 'ed25519' })),
      folder().then((at) =>
        sshSigner({ folder: at, name: 'carol', type: 'ed25519', namespace: 'git' }),
      ),
    ]);
    const signature = await signer.sign(message);
    expect(checkSsh(other.key, message, signature)).toBe('the signature was made by another key');
    expect(checkSsh(foreign.key, message, await foreign.sign(message))).toBe(
      'the signature was made for the namespace "git", not "liftgate"',
    );
  });

  test('never throws and never accepts, whatever the bytes', () => {
    const { key } = plainSigner('a');
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        expect(checkSignature(key, message, bytes)).not.toBeNull();
        expect(
          checkSsh(key, message, Buffer.concat([Buffer.from('SSHSIG\0\0\0\x01'), bytes])),
        ).not.toBeNull();
      }),
      { seed: 20261130, numRuns: 500 },
    );
  });
});

describe('sshKey', () => {
  test('prints fingerprints as ssh-keygen does', async () => {
    const { execFileSync } = await import('node:child_process');
    const { writeFileSync } = await import('node:fs');
    const at = await folder();
    const { key } = sshSigner({ folder: at, name: 'alice', type: 'ecdsa', bits: 256 });
    writeFileSync(
      `${at}/key.pub`,
      `${key.type} ${Buffer.from(key.blob).toString('base64')} alice\n`,
    );
    expect(
      execFileSync('ssh-keygen', ['-l', '-f', `${at}/key.pub`], { encoding: 'utf8' }),
    ).toContain(` ${fingerprintOf(key)} `);
  });

  test.each([
    ['an unknown type', blobOf('ssh-dss', 'x'), 'keys of type "ssh-dss" are not supported'],
    ['a broken blob', Buffer.from('nothing'), 'this is no SSH public key'],
    [
      'an ed25519 key with a field too many',
      blobOf('ssh-ed25519', new Uint8Array(32).fill(9), 'x'),
      'this is no SSH public key',
    ],
    [
      'a point off the curve',
      blobOf('ecdsa-sha2-nistp256', 'nistp256', Uint8Array.of(4, ...new Uint8Array(64))),
      'this is no SSH public key',
    ],
    [
      '512 bits of RSA',
      blobOf('ssh-rsa', Uint8Array.of(1, 0, 1), new Uint8Array(65).fill(255, 1)),
      'RSA keys need 2048 bits, this one has 512',
    ],
  ])('refuses %s', (_, blob, reason) => {
    expect(sshKey(blob.toString('base64'))).toContain(reason);
  });
});

describe('unarmourSsh', () => {
  test('reads only whole armour', () => {
    const armoured = '-----BEGIN SSH SIGNATURE-----\nAAAA\nBBBB\n-----END SSH SIGNATURE-----\n';
    expect(Buffer.from(unarmourSsh(armoured) ?? []).toString('base64')).toBe('AAAABBBB');
    expect(unarmourSsh(armoured.slice(1))).toBeNull();
    expect(unarmourSsh(armoured.replace('BBBB', 'BB!B'))).toBeNull();
  });
});
