/**
 * Time stamps of RFC 3161, read and checked without a network: a reply of an authority says that it saw a digest at a time. Read is what
 * such replies hold (DER): status, and a CMS SignedData (RFC 5652) over a TSTInfo. What is not understood is refused.
 *
 * Whom to believe is the reader's choice: a certificate of the authority itself, or of whoever issued it, directly or through
 * certificates in the reply. Revocation is not checked: that needs a network.
 * @see RFC 3161 section 2.4.2, RFC 5652 section 5
 */
import { createHash, verify, X509Certificate } from 'node:crypto';
import { LiftgateError } from './errors.ts';

/** A certificate that a reader trusts to tell the time. */
export type Authority = X509Certificate;

/** What an authority says it saw, none of it checked. */
export interface TimeStamp {
  /** Hash that was used: sha256, sha384 or sha512. */
  readonly hash: string;
  /** The digest it saw. */
  readonly imprint: Uint8Array;
  /** UTC, `2026-01-01T00:00:00Z`; fractions of a second as given. */
  readonly time: string;
  readonly signed: SignedReply;
}

/** The parts of a reply that its signature covers. */
interface SignedReply {
  readonly content: Uint8Array;
  /** Attributes under their own SET tag, as they are signed. */
  readonly attributes: Uint8Array;
  readonly contentType: string;
  readonly messageDigest: Uint8Array;
  readonly digestHash: string;
  readonly signature: Uint8Array;
  readonly certificates: readonly Uint8Array[];
}

/** One DER value: its tag, its content, and all its bytes. */
interface Node {
  readonly tag: number;
  readonly content: Uint8Array;
  readonly bytes: Uint8Array;
}

const objectIds = {
  signedData: '2a864886f70d010702',
  stampInfo: '2a864886f70d0109100104',
  contentType: '2a864886f70d010903',
  messageDigest: '2a864886f70d010904',
} as const;

const hashes: Readonly<Record<string, string>> = {
  '608648016503040201': 'sha256',
  '608648016503040202': 'sha384',
  '608648016503040203': 'sha512',
};

/** Extended key usage of time-stamping authorities. */
const timeStamping = '1.3.6.1.5.5.7.3.8';
const longestChain = 8;
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

class Unreadable extends Error {}

function need<Value>(value: Value | undefined | null, what: string): Value {
  if (value === undefined || value === null) throw new Unreadable(what);
  return value;
}

/** The value at the start of the bytes; definite lengths of at most four bytes, as DER writes them. */
function readNode(bytes: Uint8Array): Node {
  const [tag, first] = [need(bytes[0], 'it ends early'), need(bytes[1], 'it ends early')];
  const more = first < 0x80 ? 0 : first & 0x7f;
  if (first === 0x80 || more > 4 || (tag & 0x1f) === 0x1f) throw new Unreadable('it is not DER');
  let length = more === 0 ? first : 0;
  for (let at = 0; at < more; at += 1) length = length * 256 + need(bytes[2 + at], 'it ends early');
  const [start, end] = [2 + more, 2 + more + length];
  if (end > bytes.length) throw new Unreadable('it ends early');
  return { tag, content: bytes.subarray(start, end), bytes: bytes.subarray(0, end) };
}

function childrenOf(content: Uint8Array): Node[] {
  const nodes: Node[] = [];
  for (let at = 0; at < content.length; ) {
    const node = readNode(content.subarray(at));
    nodes.push(node);
    at += node.bytes.length;
  }
  return nodes;
}

/** Children of a value that must have this tag. */
function parts(node: Node | undefined, tag: number, what: string): Node[] {
  if (node?.tag !== tag) throw new Unreadable(`it has no ${what}`);
  return childrenOf(node.content);
}

const sequence = 0x30;
const set = 0x31;
const explicit0 = 0xa0;

/**
 * Reads a reply (a `.tsr` file) or a bare token.
 * @throws {LiftgateError} signature-invalid  when it is none, or uses what is not supported
 */
export function parseTimeStamp(bytes: Uint8Array, file: string): TimeStamp {
  try {
    return readReply(bytes);
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    throw new LiftgateError('signature-invalid', `This is no time stamp: ${error.message}.`, {
      where: { file },
      mend: 'Take the reply as the authority sent it (openssl ts -reply -in FILE -text shows it).',
    });
  }
}

function readReply(bytes: Uint8Array): TimeStamp {
  const whole = readNode(bytes);
  if (whole.bytes.length !== bytes.length) throw new Unreadable('something follows it');
  const outer = parts(whole, sequence, 'reply');
  if (outer[0]?.tag === 0x06) return readToken(whole);
  const status = parts(outer[0], sequence, 'status')[0];
  const granted = status?.tag === 0x02 && ['00', '01'].includes(hex(status.content));
  if (!granted) throw new Unreadable('the authority refused it');
  return readToken(need(outer[1], 'it has no token'));
}

function readToken(token: Node): TimeStamp {
  const [type, wrapped] = parts(token, sequence, 'token');
  if (hex(type?.content ?? new Uint8Array()) !== objectIds.signedData)
    throw new Unreadable('it is not signed data');
  const [inner] = parts(wrapped, explicit0, 'signed data');
  const [, , encapsulated, ...rest] = parts(inner, sequence, 'signed data');
  const [contentType, holder] = parts(encapsulated, sequence, 'content');
  if (hex(contentType?.content ?? new Uint8Array()) !== objectIds.stampInfo)
    throw new Unreadable('it signs something else than a time');
  const [octets] = parts(holder, explicit0, 'content');
  const content = need(octets?.tag === 0x04 ? octets.content : null, 'it has no content');
  const certificates = rest.find(({ tag }) => tag === explicit0);
  const signers = parts(
    rest.find(({ tag }) => tag === set),
    set,
    'signer',
  );
  if (signers.length !== 1) throw new Unreadable('it does not have one signer');
  const listed = certificates === undefined ? [] : childrenOf(certificates.content);
  return {
    ...readInfo(content),
    signed: {
      content,
      ...readSigner(need(signers[0], 'it has no signer')),
      certificates: listed.filter(({ tag }) => tag === sequence).map((each) => each.bytes),
    },
  };
}

function readInfo(content: Uint8Array): Omit<TimeStamp, 'signed'> {
  const [, , imprint, , time] = parts(readNode(content), sequence, 'time');
  const [algorithm, hashed] = parts(imprint, sequence, 'imprint');
  const [name] = parts(algorithm, sequence, 'hash');
  const [, year, month, day, hour, minute, second, fraction = ''] =
    /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\.\d+)?Z$/.exec(
      time?.tag === 0x18 ? Buffer.from(time.content).toString('latin1') : '',
    ) ?? [];
  return {
    hash: need(hashes[hex(name?.content ?? new Uint8Array())], 'its hash is not supported'),
    imprint: need(hashed?.tag === 0x04 ? hashed.content : null, 'it has no imprint'),
    time: `${need(year, 'it has no time')}-${month}-${day}T${hour}:${minute}:${second}${fraction}Z`,
  };
}

function readSigner(signer: Node): Omit<SignedReply, 'content' | 'certificates'> {
  const [, , digest, attributes, , signature] = parts(signer, sequence, 'signer');
  const [name] = parts(digest, sequence, 'hash of its signer');
  const listed = parts(attributes, explicit0, 'signed attributes');
  const attributeOf = (id: string): Uint8Array => {
    const found = listed
      .map((each) => parts(each, sequence, 'attribute'))
      .filter(([type]) => hex(type?.content ?? new Uint8Array()) === id);
    const values = found.length === 1 ? parts(found[0]?.[1], set, 'attribute') : [];
    return need(values.length === 1 ? values[0]?.content : null, 'a signed attribute is missing');
  };
  return {
    attributes: Buffer.concat([Uint8Array.of(set), need(attributes, '').bytes.subarray(1)]),
    contentType: hex(attributeOf(objectIds.contentType)),
    messageDigest: attributeOf(objectIds.messageDigest),
    digestHash: need(hashes[hex(name?.content ?? new Uint8Array())], 'its hash is not supported'),
    signature: need(signature?.tag === 0x04 ? signature.content : null, 'it has no signature'),
  };
}

/** Whether a time stamp is over these bytes. */
export function stampsBytes({ hash, imprint }: TimeStamp, bytes: Uint8Array): boolean {
  return Buffer.compare(createHash(hash).update(bytes).digest(), imprint) === 0;
}

/**
 * Certificates in PEM that a reader trusts to tell the time.
 * @throws {LiftgateError} trust-invalid  when there is none, or one cannot be read
 */
export function parseAuthorities(text: string, file: string): readonly Authority[] {
  const blocks = text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  try {
    if (blocks.length > 0) return blocks.map(readCertificate);
  } catch {
    // Named below.
  }
  throw new LiftgateError('trust-invalid', 'This file holds no certificate that can be read.', {
    where: { file },
    mend: 'Name a PEM file with the certificate of the time-stamping authority, or of whoever issued it.',
  });
}

/** Why nobody trusted stands behind a time stamp; null when an authority the reader named does. */
export function timeStampFault(
  { signed, time }: TimeStamp,
  authorities: readonly X509Certificate[],
): string | null {
  const digest = createHash(signed.digestHash).update(signed.content).digest();
  if (
    signed.contentType !== objectIds.stampInfo ||
    Buffer.compare(digest, signed.messageDigest) !== 0
  )
    return 'what was signed is not this time';
  const known = [...authorities, ...signed.certificates.flatMap(certificateOf)];
  const signer = known.find((each) => signs(each, signed));
  if (signer === undefined) return 'no certificate at hand made its signature';
  if (!(signer.keyUsage ?? []).includes(timeStamping))
    return `${nameOf(signer)} is not certified to stamp times`;
  return chainFault(signer, { known, authorities, at: time.slice(0, 19) });
}

/** Reads a certificate with its key, which is decoded only when it is asked for. */
function readCertificate(bytes: string | Uint8Array): X509Certificate {
  const certificate = new X509Certificate(bytes);
  certificate.publicKey.export({ format: 'der', type: 'spki' });
  return certificate;
}

/** A certificate of a reply; none when it, or the key in it, cannot be read. */
function certificateOf(bytes: Uint8Array): X509Certificate[] {
  try {
    return [readCertificate(bytes)];
  } catch {
    return [];
  }
}

/** What a check of a signature says; a key that does not fit the signature has not made it. */
function holds(check: () => boolean): boolean {
  try {
    return check();
  } catch {
    return false;
  }
}

function signs({ publicKey }: X509Certificate, signed: SignedReply): boolean {
  return holds(() => verify(signed.digestHash, signed.attributes, publicKey, signed.signature));
}

/** Why a certificate is not one the reader trusts, at the time it stamped; null when it is. */
function chainFault(
  signer: X509Certificate,
  found: {
    readonly known: readonly X509Certificate[];
    readonly authorities: readonly X509Certificate[];
    /** `2026-01-01T00:00:00`, UTC. */
    readonly at: string;
  },
): string | null {
  const { known, authorities, at } = found;
  const trusted = new Set(authorities.map(({ fingerprint256 }) => fingerprint256));
  let holder = signer;
  for (let length = 0; length < longestChain; length += 1) {
    if (at < moment(holder.validFrom) || at > moment(holder.validTo))
      return `${nameOf(holder)} was not valid at that time`;
    if (trusted.has(holder.fingerprint256)) return null;
    const own = holder;
    const issuer = known.find(
      (each) => each.ca && holds(() => own.checkIssued(each) && own.verify(each.publicKey)),
    );
    if (issuer === undefined || issuer === holder) break;
    holder = issuer;
  }
  return `nobody the reader trusts certified ${nameOf(signer)}`;
}

const months = 'JanFebMarAprMayJunJulAugSepOctNovDec';

/** A time as certificates show it (`Nov  3 11:34:32 2026 GMT`) in the spelling of `at`, which orders by its characters. */
function moment(shown: string): string {
  const [, month = '', day = '', clock = '', year = ''] =
    /^([A-Z][a-z]{2}) +(\d+) (\d\d:\d\d:\d\d) (\d{4}) GMT$/.exec(shown) ?? [];
  const number = months.indexOf(month) / 3 + 1;
  return `${year}-${String(number).padStart(2, '0')}-${day.padStart(2, '0')}T${clock}`;
}

function nameOf({ subject }: X509Certificate): string {
  return subject.replaceAll('\n', ', ');
}
