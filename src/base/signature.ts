/**
 * Public keys and signatures: ed25519 as signed notes and DSSE use it, and SSH signatures (PROTOCOL.sshsig of OpenSSH) with the keys
 * people have already. The one place beside `digest` that calls node:crypto.
 */
import {
  createHash,
  createPrivateKey,
  createPublicKey,
  type KeyObject,
  sign,
  verify,
} from 'node:crypto';
import { sha256 } from './digest.ts';

/** Signs bytes with a key that stays outside; ed25519 signs what it is given, SSH wraps it in an SSHSIG blob. */
export interface Signer {
  /** Name the key goes by in trust lists, e.g. `alice@example.org`. */
  readonly name: string;
  readonly key: PublicKey;
  sign(message: Uint8Array): Promise<Uint8Array>;
}

/** A public key as SSH spells it: the algorithm word and the key blob, which holds the word again. */
export interface PublicKey {
  readonly type: KeyType;
  /** The blob of PROTOCOL section 6.6: length-prefixed fields, the first being the type. */
  readonly blob: Uint8Array;
}

const keyTypes = [
  'ssh-ed25519',
  'ecdsa-sha2-nistp256',
  'ecdsa-sha2-nistp384',
  'ecdsa-sha2-nistp521',
  'ssh-rsa',
] as const;
/** Kinds of keys that can sign. */
export type KeyType = (typeof keyTypes)[number];

/** Namespace of our SSH signatures: a signature made for another purpose is no signature of ours. */
export const sshNamespace = 'liftgate';

const smallestRsaBits = 2048;
const spkiOfEd25519 = Buffer.from('302a300506032b6570032100', 'hex');

/**
 * Reads a public key from its 32 raw ed25519 bytes.
 * @returns a reason in words for 31 bytes, for points of small order and for spellings outside the field
 */
export function ed25519Key(raw: Uint8Array): PublicKey | string {
  if (raw.length !== 32) return `an ed25519 key has 32 bytes, this one has ${raw.length}`;
  if (isSmallOrder(raw))
    return 'this ed25519 key is a point of small order, for which anybody can forge signatures';
  return { type: 'ssh-ed25519', blob: joinFields(['ssh-ed25519', raw]) };
}

/**
 * Reads a public key from the base64 blob of an SSH public key line.
 * @returns a reason in words for unknown types, broken blobs, weak keys
 */
export function sshKey(base64: string): PublicKey | string {
  const blob = decodeBase64(base64);
  const fields = blob === null ? null : splitFields(blob);
  if (blob === null || fields === null || fields.length === 0) return 'this is no SSH public key';
  const word = textOf(fields[0]);
  const type = keyTypes.find((known) => known === word);
  if (type === undefined)
    return `keys of type "${word}" are not supported; use one of ${keyTypes.join(', ')}`;
  if (type === 'ssh-ed25519')
    return fields.length === 2 && fields[1] !== undefined
      ? ed25519Key(fields[1])
      : 'this is no SSH public key';
  const key: PublicKey = { type, blob };
  const opened = openKey(key);
  if (opened === null) return 'this is no SSH public key';
  const bits = opened.asymmetricKeyDetails?.modulusLength ?? smallestRsaBits;
  return bits < smallestRsaBits
    ? `RSA keys need ${smallestRsaBits} bits, this one has ${bits}`
    : key;
}

/**
 * A signer of an ed25519 private key in PEM (PKCS #8), as `openssl genpkey -algorithm ed25519` writes it.
 * @returns a reason in words for anything else; encrypted keys are among it
 */
export function ed25519Signer(name: string, pem: string): Signer | string {
  let privateKey: KeyObject;
  try {
    privateKey = createPrivateKey(pem);
  } catch {
    return 'this is no private key without a password';
  }
  if (privateKey.asymmetricKeyType !== 'ed25519') {
    return `private keys in PEM must be of type ed25519, this one is ${privateKey.asymmetricKeyType}`;
  }
  const raw = createPublicKey(privateKey).export({ format: 'der', type: 'spki' });
  const key = ed25519Key(raw.subarray(-32));
  if (typeof key === 'string') return key;
  return { name, key, sign: (message) => Promise.resolve(sign(null, message, privateKey)) };
}

/** The 32 raw bytes of an ed25519 key; null for other types. */
export function rawEd25519(key: PublicKey): Uint8Array | null {
  return key.type === 'ssh-ed25519' ? (splitFields(key.blob)?.[1] ?? null) : null;
}

/**
 * Fingerprint as `ssh-keygen -l` prints it.
 * @example fingerprintOf(key) // => 'SHA256:' and 43 characters of base64
 */
export function fingerprintOf(key: PublicKey): string {
  return `SHA256:${Buffer.from(sha256(key.blob)).toString('base64').replace(/=+$/, '')}`;
}

/** Whether a plain ed25519 signature of 64 bytes holds; false for keys of other types. */
export function checkEd25519(key: PublicKey, message: Uint8Array, signature: Uint8Array): boolean {
  if (key.type !== 'ssh-ed25519' || signature.length !== 64) return false;
  const opened = openKey(key);
  return opened !== null && verify(null, message, opened, signature);
}

/**
 * Why an SSH signature (its blob, without armour) of a message is not one of this key in a namespace; null when it holds.
 * @param namespace  ours when left out
 * @example checkSsh(key, message, blob) // => null
 * @see OpenSSH PROTOCOL.sshsig
 */
export function checkSsh(
  key: PublicKey,
  message: Uint8Array,
  signature: Uint8Array,
  namespace: string = sshNamespace,
): string | null {
  const parts = readSshSignature(signature);
  if (parts === null) return 'this is no SSH signature';
  if (!sameBytes(parts.key, key.blob)) return 'the signature was made by another key';
  if (parts.namespace !== namespace)
    return `the signature was made for the namespace "${parts.namespace}", not "${namespace}"`;
  const hash = hashOf(parts.hash);
  const inner = splitFields(parts.signature);
  const [word, raw] = [textOf(inner?.[0]), inner?.[1]];
  const opened = openKey(key);
  if (hash === null || raw === undefined || inner?.length !== 2 || opened === null)
    return 'this is no SSH signature';
  const signed = Buffer.concat([
    Buffer.from('SSHSIG'),
    joinFields([parts.namespace, parts.reserved, parts.hash, hash(message)]),
  ]);
  return verifyInner({ key: opened, type: key.type, word, raw, signed })
    ? null
    : 'the signature does not match';
}

/** The key blob of an SSH signature, to look its signer up; null when it is none. */
export function signerOfSsh(signature: Uint8Array): Uint8Array | null {
  return readSshSignature(signature)?.key ?? null;
}

/** The blob inside `-----BEGIN SSH SIGNATURE-----`; null for any other text. */
export function unarmourSsh(text: string): Uint8Array | null {
  const found =
    /^-----BEGIN SSH SIGNATURE-----\n([A-Za-z0-9+/=\n]+)\n-----END SSH SIGNATURE-----\n?$/.exec(
      text,
    );
  return found?.[1] === undefined ? null : decodeBase64(found[1].replaceAll('\n', ''));
}

interface SshSignature {
  readonly key: Uint8Array;
  readonly namespace: string;
  readonly reserved: Uint8Array;
  readonly hash: string;
  readonly signature: Uint8Array;
}

/** Magic, version 1, then five length-prefixed fields and nothing after them. */
function readSshSignature(blob: Uint8Array): SshSignature | null {
  const bytes = Buffer.from(blob);
  if (
    bytes.length < 10 ||
    bytes.toString('latin1', 0, 6) !== 'SSHSIG' ||
    bytes.readUInt32BE(6) !== 1
  )
    return null;
  const [key, namespace, reserved, hash, signature, ...rest] =
    splitFields(bytes.subarray(10)) ?? [];
  if (signature === undefined || key === undefined || reserved === undefined || rest.length > 0)
    return null;
  return { key, namespace: textOf(namespace), reserved, hash: textOf(hash), signature };
}

interface InnerSignature {
  readonly key: KeyObject;
  readonly type: KeyType;
  readonly word: string;
  readonly raw: Uint8Array;
  readonly signed: Uint8Array;
}

function verifyInner({ key, type, word, raw, signed }: InnerSignature): boolean {
  switch (type) {
    case 'ssh-ed25519':
      return word === type && raw.length === 64 && verify(null, signed, key, raw);
    case 'ssh-rsa':
      // SHA-1 signatures (the word ssh-rsa) are refused.
      if (word === 'rsa-sha2-512') return verify('sha512', signed, key, raw);
      return word === 'rsa-sha2-256' && verify('sha256', signed, key, raw);
    case 'ecdsa-sha2-nistp256':
    case 'ecdsa-sha2-nistp384':
    case 'ecdsa-sha2-nistp521': {
      const [r, s, ...rest] = splitFields(raw) ?? [];
      if (word !== type || r === undefined || s === undefined || rest.length > 0) return false;
      return verify(
        curveOf[type].hash,
        signed,
        key,
        derOf(0x30, Buffer.concat([derOf(0x02, r), derOf(0x02, s)])),
      );
    }
  }
}

const curveOf = {
  'ecdsa-sha2-nistp256': { crv: 'P-256', bytes: 32, hash: 'sha256' },
  'ecdsa-sha2-nistp384': { crv: 'P-384', bytes: 48, hash: 'sha384' },
  'ecdsa-sha2-nistp521': { crv: 'P-521', bytes: 66, hash: 'sha512' },
} as const;

/** One key has one blob: other spellings are refused, under which a key would count twice, or come back after its end. */
function openKey(key: PublicKey): KeyObject | null {
  const [, first, second, ...rest] = splitFields(key.blob) ?? [];
  if (first === undefined) return null;
  try {
    if (key.type === 'ssh-ed25519') {
      return createPublicKey({
        key: Buffer.concat([spkiOfEd25519, first]),
        format: 'der',
        type: 'spki',
      });
    }
    if (second === undefined || rest.length > 0) return null;
    if (key.type === 'ssh-rsa') {
      if (!isNumber(first) || !isNumber(second) || !isExponent(first)) return null;
      return createPublicKey({
        key: { kty: 'RSA', e: base64Url(unsigned(first)), n: base64Url(unsigned(second)) },
        format: 'jwk',
      });
    }
    const { crv, bytes } = curveOf[key.type];
    if (textOf(first) !== key.type.slice('ecdsa-sha2-'.length)) return null;
    if (second.length !== 1 + 2 * bytes || second[0] !== 4) return null;
    const [x, y] = [second.subarray(1, 1 + bytes), second.subarray(1 + bytes)];
    return createPublicKey({
      key: { kty: 'EC', crv, x: base64Url(x), y: base64Url(y) },
      format: 'jwk',
    });
  } catch {
    // Not a point of the curve, or no key at all.
    return null;
  }
}

const fieldPrime = (1n << 255n) - 19n;
/** y-coordinates of the eight points whose order divides 8 (Chalkias, Garillot & Nikolaenko 2020, table 1). */
const orderEightY = 0x05fc536d880238b13933c6d305acdfd5f098eff289f4c345b027b2c28f95e826n;
const smallOrderY: readonly bigint[] = [
  0n,
  1n,
  fieldPrime - 1n,
  orderEightY,
  fieldPrime - orderEightY,
];

/** Whether a key is one of the eight points of small order in any spelling, or a spelling outside the field. */
function isSmallOrder(raw: Uint8Array): boolean {
  let y = 0n;
  for (const byte of raw.toReversed()) y = (y << 8n) | BigInt(byte);
  y &= (1n << 255n) - 1n;
  return y >= fieldPrime || smallOrderY.includes(y);
}

function hashOf(word: string): ((message: Uint8Array) => Uint8Array) | null {
  if (word !== 'sha256' && word !== 'sha512') return null;
  return (message) => new Uint8Array(createHash(word).update(message).digest());
}

/** Length-prefixed fields that fill the bytes exactly; null otherwise. */
function splitFields(bytes: Uint8Array): readonly Uint8Array[] | null {
  const view = Buffer.from(bytes);
  const fields: Uint8Array[] = [];
  let at = 0;
  while (at < view.length) {
    if (at + 4 > view.length) return null;
    const end = at + 4 + view.readUInt32BE(at);
    if (end > view.length) return null;
    fields.push(view.subarray(at + 4, end));
    at = end;
  }
  return fields;
}

function joinFields(fields: readonly (string | Uint8Array)[]): Uint8Array {
  return Buffer.concat(
    fields.flatMap((field) => {
      const bytes = Buffer.from(field);
      const length = Buffer.alloc(4);
      length.writeUInt32BE(bytes.length);
      return [length, bytes];
    }),
  );
}

function derOf(tag: number, content: Uint8Array): Uint8Array {
  const length =
    content.length < 128
      ? [content.length]
      : content.length < 256
        ? [0x81, content.length]
        : [0x82, content.length >> 8, content.length & 255];
  return Buffer.concat([Uint8Array.of(tag, ...length), content]);
}

/** Standard base64 with its padding, and nothing else; null otherwise. */
export function decodeBase64(text: string): Uint8Array | null {
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64') === text ? bytes : null;
}

const textOf = (field: Uint8Array | undefined): string => Buffer.from(field ?? []).toString('utf8');

/** Whether bytes are a positive number (mpint) as RFC 4251 section 5 spells it: without a zero that its sign does not need. */
function isNumber([first, second]: Uint8Array): boolean {
  return first !== undefined && first < 0x80 && (first > 0 || (second ?? 0) >= 0x80);
}

/** Whether a number is an exponent of RSA: odd, and not 1, with which everything is its own signature. */
function isExponent(number: Uint8Array): boolean {
  return ((number.at(-1) ?? 0) & 1) === 1 && (number.length > 1 || number[0] !== 1);
}

const unsigned = (number: Uint8Array): Uint8Array =>
  number[0] === 0 ? number.subarray(1) : number;
const base64Url = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url');
const sameBytes = (left: Uint8Array, right: Uint8Array): boolean =>
  Buffer.compare(left, right) === 0;
