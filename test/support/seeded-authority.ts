/**
 * A time-stamping authority without openssl and without chance: keys, certificates, time and signatures follow from a number, so that a
 * stamp that led to a fault can be made again. RSA, whose signatures (PKCS #1 v1.5) are always the same.
 * @see RFC 5280 section 4.1, RFC 5652 section 5, RFC 3161 section 2.4.2
 */
import {
  checkPrimeSync,
  createHash,
  createPrivateKey,
  createPublicKey,
  type KeyObject,
  sign,
} from 'node:crypto';

const oids = {
  rsa: '2a864886f70d010101',
  sha256WithRsa: '2a864886f70d01010b',
  sha256: '608648016503040201',
  commonName: '550403',
  basicConstraints: '551d13',
  keyUsage: '551d0f',
  extendedKeyUsage: '551d25',
  timeStamping: '2b06010505070308',
  signedData: '2a864886f70d010702',
  stampInfo: '2a864886f70d0109100104',
  contentType: '2a864886f70d010903',
  messageDigest: '2a864886f70d010904',
  signingCertificate: '2a864886f70d010910022f',
  policy: '2a030401',
} as const;

function tagged(tag: number, ...contents: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(contents);
  const { length } = content;
  const lengths =
    length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Uint8Array.of(tag, ...lengths), content]);
}

const hex = (text: string): Buffer => Buffer.from(text, 'hex');
const sequence = (...contents: readonly Uint8Array[]): Buffer => tagged(0x30, ...contents);
const set = (...contents: readonly Uint8Array[]): Buffer => tagged(0x31, ...contents);
const oid = (name: keyof typeof oids): Buffer => tagged(0x06, hex(oids[name]));
const small = (value: number): Buffer => tagged(0x02, Uint8Array.of(value));
const octets = (...contents: readonly Uint8Array[]): Buffer => tagged(0x04, ...contents);
const bits = (content: Uint8Array): Buffer => tagged(0x03, Uint8Array.of(0), content);
const algorithm = (name: keyof typeof oids): Buffer => sequence(oid(name), hex('0500'));
const digest = (...contents: readonly Uint8Array[]): Buffer =>
  createHash('sha256').update(Buffer.concat(contents)).digest();

const smallPrimes = Array.from({ length: 1000 }, (_, at) => 2 * at + 3).filter((odd) =>
  Array.from({ length: Math.floor(Math.sqrt(odd)) - 1 }, (_, at) => at + 2).every((by) => odd % by),
);

/** A prime of 1,024 bits with the two highest set, the first above a number that the words give. */
function primeOf(words: string): bigint {
  const blocks = ['0', '1', '2', '3'].map((each) => digest(Buffer.from(`${words} ${each}`)));
  const given = BigInt(`0x${Buffer.concat(blocks).toString('hex')}`);
  const first = given | (3n << 1022n) | 1n;
  const rests = smallPrimes.map((each) => Number(first % BigInt(each)));
  for (let more = 0; ; more += 2) {
    if (smallPrimes.some((each, at) => ((rests[at] ?? 0) + more) % each === 0)) continue;
    const prime = first + BigInt(more);
    if (prime % 65_537n !== 1n && checkPrimeSync(prime)) return prime;
  }
}

function inverse(value: bigint, modulus: bigint): bigint {
  let [above, below, x, y] = [value % modulus, modulus, 1n, 0n];
  while (below > 0n) {
    const quotient = above / below;
    [above, below] = [below, above % below];
    [x, y] = [y, x - quotient * y];
  }
  return ((x % modulus) + modulus) % modulus;
}

function keyOf(words: string): KeyObject {
  const [p, q] = [primeOf(`${words} p`), primeOf(`${words} q`)];
  const d = inverse(65_537n, (p - 1n) * (q - 1n));
  const shown = (value: bigint): string => {
    const digits = value.toString(16);
    return hex(digits.padStart(digits.length + (digits.length % 2), '0')).toString('base64url');
  };
  const parts = {
    ...{ n: shown(p * q), e: 'AQAB', d: shown(d), p: shown(p), q: shown(q) },
    ...{ dp: shown(d % (p - 1n)), dq: shown(d % (q - 1n)), qi: shown(inverse(q, p)) },
  };
  return createPrivateKey({ key: { kty: 'RSA', ...parts }, format: 'jwk' });
}

const nameOf = (name: string): Buffer =>
  sequence(set(sequence(oid('commonName'), tagged(0x0c, Buffer.from(name)))));

interface Certified {
  readonly key: KeyObject;
  readonly certificate: Uint8Array;
}

/** A certificate of a key by an issuer. */
function certificateOf(
  subject: { readonly name: string; readonly serial: number; readonly key: KeyObject },
  issuer: { readonly name: string; readonly key: KeyObject },
  extensions: readonly Uint8Array[],
): Uint8Array {
  const [from, to] = ['20260101000000Z', '21000101000000Z'].map((time) =>
    tagged(0x18, Buffer.from(time)),
  );
  const told = sequence(
    ...[tagged(0xa0, small(2)), small(subject.serial), algorithm('sha256WithRsa')],
    ...[nameOf(issuer.name), sequence(from ?? hex(''), to ?? hex('')), nameOf(subject.name)],
    createPublicKey(subject.key).export({ format: 'der', type: 'spki' }),
    tagged(0xa3, sequence(...extensions)),
  );
  return sequence(told, algorithm('sha256WithRsa'), bits(sign('sha256', told, issuer.key)));
}

const critical = hex('0101ff');

/** Stamps bytes; whoever trusts `ca` (PEM) believes it. */
export interface SeededAuthority {
  readonly ca: string;
  stamp(bytes: Uint8Array): Uint8Array;
}

/** The authority of a number; it stamps everything at the same time. */
export function seededAuthority(seed: number): SeededAuthority {
  const [root, own] = [keyOf(`ca ${seed}`), keyOf(`tsa ${seed}`)];
  const issuer = { name: 'ca', key: root };
  const ca = certificateOf({ ...issuer, serial: 1 }, issuer, [
    sequence(oid('basicConstraints'), critical, octets(sequence(critical))),
    sequence(oid('keyUsage'), critical, octets(hex('03020204'))),
  ]);
  const certificate = certificateOf({ name: 'tsa', serial: 7, key: own }, issuer, [
    sequence(oid('basicConstraints'), octets(sequence())),
    sequence(oid('keyUsage'), critical, octets(hex('03020780'))),
    sequence(oid('extendedKeyUsage'), critical, octets(sequence(oid('timeStamping')))),
  ]);
  const pem = Buffer.from(ca).toString('base64').replace(/.{64}/g, '$&\n');
  return {
    ca: `-----BEGIN CERTIFICATE-----\n${pem}\n-----END CERTIFICATE-----\n`,
    stamp: (bytes) => replyOf(bytes, { key: own, certificate }, ca),
  };
}

function replyOf(bytes: Uint8Array, own: Certified, ca: Uint8Array): Uint8Array {
  const info = sequence(
    ...[small(1), oid('policy'), sequence(algorithm('sha256'), octets(digest(bytes)))],
    ...[small(2), tagged(0x18, Buffer.from('20260103000000Z'))],
  );
  const attributes = [
    sequence(oid('contentType'), set(oid('stampInfo'))),
    sequence(oid('messageDigest'), set(octets(digest(info)))),
    sequence(
      oid('signingCertificate'),
      set(sequence(sequence(sequence(octets(digest(own.certificate)))))),
    ),
  ];
  const signer = sequence(
    ...[small(1), sequence(nameOf('ca'), small(7)), algorithm('sha256')],
    ...[tagged(0xa0, ...attributes), algorithm('rsa')],
    octets(sign('sha256', set(...attributes), own.key)),
  );
  const signed = sequence(
    ...[small(3), set(algorithm('sha256'))],
    sequence(oid('stampInfo'), tagged(0xa0, octets(info))),
    ...[tagged(0xa0, own.certificate, ca), set(signer)],
  );
  return sequence(sequence(small(0)), sequence(oid('signedData'), tagged(0xa0, signed)));
}
