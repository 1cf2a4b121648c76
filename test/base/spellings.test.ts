/**
 * Other spellings of what was signed and who signed it, each kind tried directly instead of waiting for chance: a key has one spelling,
 * so that nobody counts twice and no ended key comes back; a signature holds in no other bytes, but for the two that ECDSA has.
 */
import { beforeAll, describe, expect, test } from 'vitest';
import { checkSsh, type PublicKey, type Signer, sshKey } from '../../src/base/signature.ts';
import { changesOf } from '../support/every-change.ts';
import { joinFields, sshSigner } from '../support/signers.ts';
import { temporaryFolders } from '../support/temporary-folder.ts';

const folder = temporaryFolders();
const message = Buffer.from('what is signed\n');
const soak = process.env['LIFTGATE_SOAK'] === '1';

/** Fields of an SSH blob. */
function fieldsOf(blob: Uint8Array): Buffer[] {
  const view = Buffer.from(blob);
  const fields: Buffer[] = [];
  for (let at = 0; at < view.length; ) {
    const end = at + 4 + view.readUInt32BE(at);
    fields.push(view.subarray(at + 4, end));
    at = end;
  }
  return fields;
}

const magic = Buffer.from('SSHSIG\0\0\0\u0001', 'latin1');

/** The signature after a change of its fields: key, namespace, reserved, hash, signature. */
function resigned(blob: Uint8Array, at: number, next: Uint8Array): Uint8Array {
  return Buffer.concat([
    magic,
    joinFields(fieldsOf(blob.subarray(magic.length)).with(at, Buffer.from(next))),
  ]);
}

const zero = Uint8Array.of(0);
const longer = (number: Uint8Array): Buffer => Buffer.concat([zero, number]);

const kinds = [
  { name: 'ed25519', type: 'ed25519', stride: 7 },
  { name: 'ecdsa 256', type: 'ecdsa', bits: 256, stride: 7 },
  // The same code, on curves that take node fifty times as long.
  { name: 'ecdsa 384', type: 'ecdsa', bits: 384, stride: 101 },
  { name: 'ecdsa 521', type: 'ecdsa', bits: 521, stride: 101 },
  { name: 'rsa', type: 'rsa', bits: 2048, stride: 7 },
] as const;
type Name = (typeof kinds)[number]['name'];

let signed: ReadonlyMap<Name, { readonly signer: Signer; readonly blob: Uint8Array }>;

beforeAll(async () => {
  const at = await folder();
  const made = kinds.map(async ({ name, stride: _, ...kind }) => {
    const signer = sshSigner({ folder: at, name, ...kind });
    return [name, { signer, blob: await signer.sign(message) }] as const;
  });
  signed = new Map(await Promise.all(made));
});

function signedBy(name: Name): { readonly key: PublicKey; readonly blob: Uint8Array } {
  const found = signed.get(name);
  if (found === undefined) throw new Error(`no ${name}`);
  return { key: found.signer.key, blob: found.blob };
}

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');

/** Orders of the curves (FIPS 186-4, appendix D.1.2). */
const orders = {
  'ecdsa 256': 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n,
  'ecdsa 384':
    0xffffffffffffffffffffffffffffffffffffffffffffffffc7634d81f4372ddf581a0db248b0a77aecec196accc52973n,
  'ecdsa 521':
    0x01fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffa51868783bf2f966b7fcc0148f709a5d03bb5c9b8899c47aebb6fb71e91386409n,
} as const;

/** The order less a number, as SSH writes numbers. */
function negated(number: Uint8Array, name: keyof typeof orders): Uint8Array {
  const digits = (orders[name] - BigInt(`0x${Buffer.from(number).toString('hex')}`)).toString(16);
  const bytes = Buffer.from(digits.padStart(digits.length + (digits.length % 2), '0'), 'hex');
  return (bytes[0] ?? 0) < 0x80 ? bytes : longer(bytes);
}

/** p of the curve over which x and x + p are the same point; only for P-521 has x + p as many bytes as x. */
const prime521 = (1n << 521n) - 1n;
function plusPrime(coordinate: Uint8Array): Buffer {
  const sum = BigInt(`0x${Buffer.from(coordinate).toString('hex')}`) + prime521;
  return Buffer.from(sum.toString(16).padStart(132, '0'), 'hex');
}

/** The curve of a key, and its point in other spellings. */
function respeltPoints(key: PublicKey): readonly (readonly [string, Uint8Array])[] {
  const [type = zero, curve = zero, point = Buffer.alloc(0)] = fieldsOf(key.blob);
  const half = (point.length - 1) / 2;
  const [x, y] = [point.subarray(1, 1 + half), point.subarray(1 + half)];
  const odd = (y.at(-1) ?? 0) & 1;
  const spelt = (lead: number, ...rest: readonly Uint8Array[]) =>
    joinFields([type, curve, Buffer.concat([Uint8Array.of(lead), ...rest])]);
  return [
    ['under another curve', joinFields([type, Buffer.from('nistp999'), point])],
    ['under no curve', joinFields([type, Buffer.alloc(0), point])],
    [
      'with the curve in capitals',
      joinFields([type, Buffer.from(String(curve).toUpperCase()), point]),
    ],
    ['compressed', spelt(2 + odd, x)],
    ['hybrid', spelt(6 + odd, x, y)],
    ['with a zero more', spelt(4, zero, x, zero, y)],
    ['with a field more', joinFields([type, curve, point, Buffer.alloc(0)])],
    ...(half === 66
      ? ([
          ['with x + p', spelt(4, plusPrime(x), y)],
          ['with y + p', spelt(4, x, plusPrime(y))],
        ] as const)
      : []),
  ];
}

function respeltNumbers(key: PublicKey): readonly (readonly [string, Uint8Array])[] {
  const [type = zero, e = zero, n = zero] = fieldsOf(key.blob);
  return [
    ['with a zero before e', joinFields([type, longer(e), n])],
    ['with two zeros before n', joinFields([type, e, longer(n)])],
    ['with a negative n', joinFields([type, e, n.subarray(1)])],
    ['with a field more', joinFields([type, e, n, Buffer.alloc(0)])],
  ];
}

describe('a public key', () => {
  test.each(['ecdsa 256', 'ecdsa 384', 'ecdsa 521', 'rsa'] as const)(
    'of type %s has no second spelling, under which its signatures would count again',
    (name) => {
      const { key, blob } = signedBy(name);
      const respelt = name === 'rsa' ? respeltNumbers(key) : respeltPoints(key);
      expect(sshKey(base64(key.blob))).toEqual(key);
      for (const [what, spelling] of respelt) {
        expect([what, sshKey(base64(spelling))]).toEqual([what, 'this is no SSH public key']);
        const other = { ...key, blob: spelling };
        expect([what, checkSsh(other, message, resigned(blob, 0, spelling))]).not.toEqual([
          what,
          null,
        ]);
      }
    },
  );

  test('of RSA under whose exponent anybody can sign, or nobody, is refused', () => {
    const [type = zero, , n = zero] = fieldsOf(signedBy('rsa').key.blob);
    for (const e of [[], [0], [1], [2], [4], [0x81]])
      expect(sshKey(base64(joinFields([type, Uint8Array.from(e), n])))).toBe(
        'this is no SSH public key',
      );
  });

  test.each(kinds)(
    'of type $name is no other key after a small change, for which its signatures hold',
    ({ name, stride }) => {
      const { key, blob } = signedBy(name);
      const changes = changesOf(key.blob, 'lines');
      let read = 0;
      for (let number = 0; number < changes.count; number += soak ? 1 : stride) {
        const { bytes } = changes.at(number);
        const other = Buffer.compare(bytes, key.blob) === 0 ? '' : sshKey(base64(bytes));
        if (typeof other === 'string') continue;
        read += 1;
        expect(checkSsh(other, message, resigned(blob, 0, other.blob))).not.toBeNull();
      }
      // Other bytes of a curve are points of it only by the rarest chance.
      expect(read > 0).toBe(name === 'ed25519' || name === 'rsa');
    },
  );
});

describe('a signature', () => {
  test.each(kinds)('of $name through SSH holds after no small change', ({ name, stride }) => {
    const { key, blob } = signedBy(name);
    const changes = changesOf(blob, 'lines');
    const held: string[] = [];
    for (let number = 0; number < changes.count; number += soak ? 1 : stride) {
      const { what, bytes } = changes.at(number);
      const other = Buffer.compare(bytes, blob) !== 0;
      if (other && checkSsh(key, message, bytes) === null) held.push(what);
    }
    expect(held).toEqual([]);
    expect(checkSsh(key, message, blob)).toBeNull();
  });

  test.each(['ecdsa 256', 'ecdsa 384', 'ecdsa 521'] as const)(
    'of %s is (r, s) or (r, n - s), in the shortest numbers',
    (name) => {
      const { key, blob } = signedBy(name);
      const [word = zero, inner = zero] = fieldsOf(
        fieldsOf(blob.subarray(magic.length))[4] ?? zero,
      );
      const [r = zero, s = zero] = fieldsOf(inner);
      const holds = (...numbers: readonly Uint8Array[]) =>
        checkSsh(key, message, resigned(blob, 4, joinFields([word, joinFields(numbers)]))) === null;
      expect(holds(r, s)).toBe(true);
      expect(holds(r, negated(s, name))).toBe(true);
      for (const [first, second] of [
        [longer(r), s],
        [r, longer(s)],
        [longer(longer(r)), longer(s)],
        [negated(r, name), s],
        [s, r],
        [r, Buffer.alloc(0)],
        [Buffer.alloc(0), Buffer.alloc(0)],
        [zero, zero],
      ] as const)
        expect(holds(first, second)).toBe(false);
      expect(holds(r, s, zero)).toBe(false);
    },
  );

  test('of RSA is as long as its key, and of no older hash', () => {
    const { key, blob } = signedBy('rsa');
    const [word = zero, raw = zero] = fieldsOf(fieldsOf(blob.subarray(magic.length))[4] ?? zero);
    const holds = (first: string, second: Uint8Array) =>
      checkSsh(key, message, resigned(blob, 4, joinFields([Buffer.from(first), second]))) === null;
    expect(holds(String(word), raw)).toBe(true);
    expect(holds(String(word), longer(raw))).toBe(false);
    expect(holds(String(word), Buffer.concat([raw, zero]))).toBe(false);
    expect(holds('ssh-rsa', raw)).toBe(false);
    expect(holds('rsa-sha2-256', raw)).toBe(false);
    const n = BigInt(`0x${Buffer.from(fieldsOf(key.blob)[2] ?? zero).toString('hex')}`);
    const above = BigInt(`0x${raw.toString('hex')}`) + n;
    const spelt = above.toString(16).padStart(512, '0');
    expect(
      holds(
        String(word),
        Buffer.from(spelt.padStart(spelt.length + (spelt.length % 2), '0'), 'hex'),
      ),
    ).toBe(false);
  });
});
