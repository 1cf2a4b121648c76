/** SHA-256 digests: the one place that hashes. */
import { createHash, createHmac, hash } from 'node:crypto';
import { canonicalBytes } from './canonical.ts';

/** `sha256:` and 64 lower-case hex digits. */
export type Digest = `sha256:${string}`;

/** Our spelling of a digest. */
export const digestPattern = /^sha256:[0-9a-f]{64}$/;

/** Whether a value is a digest in our spelling. */
export function isDigest(value: unknown): value is Digest {
  return typeof value === 'string' && digestPattern.test(value);
}

/**
 * SHA-256 of bytes (a string is taken as UTF-8).
 * @example digestOf('') // => 'sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'
 */
export function digestOf(bytes: Uint8Array | string): Digest {
  return `sha256:${hash('sha256', bytes, 'hex')}`;
}

/**
 * HMAC-SHA-256 of bytes in the spelling of a digest: what nobody can guess or repeat without the secret.
 * @example keyedDigest(new Uint8Array(), '') // => 'sha256:b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad'
 * @see RFC 2104
 */
export function keyedDigest(secret: Uint8Array, bytes: Uint8Array | string): Digest {
  return `sha256:${createHmac('sha256', secret).update(bytes).digest('hex')}`;
}

/** A digest over bytes that are still coming. */
export interface RunningDigest {
  /** Takes the next bytes (a string as UTF-8). */
  add(bytes: Uint8Array | string): void;
  /** Digest of everything taken so far; more may follow. */
  value(): Digest;
}

/**
 * SHA-256 of bytes taken piece by piece, readable at every point.
 * @example runningDigest().value() // => 'sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'
 */
export function runningDigest(): RunningDigest {
  const running = createHash('sha256');
  return {
    add: (bytes) => {
      running.update(bytes);
    },
    value: () => `sha256:${running.copy().digest('hex')}`,
  };
}

/** SHA-256 of the canonical JSON of a value, without a line end. */
export function digestOfValue(value: unknown): Digest {
  return digestOf(canonicalBytes(value));
}

/** The 64 hex digits of a digest. */
export function digestHex(digest: Digest): string {
  return digest.slice('sha256:'.length);
}

let scratch = Buffer.alloc(4096);

/** The scratch place with room for so many bytes behind a prefix. */
function roomFor(prefix: number, most: number): Buffer {
  if (most >= scratch.length) scratch = Buffer.alloc(2 * most);
  scratch[0] = prefix;
  return scratch;
}

/**
 * SHA-256 of a byte and a byte string after it as a text of 32 characters, one per byte, for Merkle trees: such a text takes less time
 * and memory than bytes of their own.
 * @example prefixedSha256(0, '').length // => 32
 */
export function prefixedSha256(prefix: number, bytes: Uint8Array | string): string {
  // A UTF-16 code unit takes up to three bytes of UTF-8.
  const isText = typeof bytes === 'string';
  const room = roomFor(prefix, isText ? 3 * bytes.length : bytes.length);
  let size = bytes.length;
  if (isText) size = room.write(bytes, 1);
  else room.set(bytes, 1);
  return hash('sha256', room.subarray(0, 1 + size), 'binary');
}

/**
 * {@link prefixedSha256} of bytes that come as texts of one character per byte.
 * @example prefixedSha256OfTexts(0, '\xff', '') === prefixedSha256(0, Uint8Array.of(255)) // => true
 */
export function prefixedSha256OfTexts(prefix: number, left: string, right: string): string {
  const both = left + right;
  const room = roomFor(prefix, both.length);
  room.write(both, 1, 'latin1');
  return hash('sha256', room.subarray(0, 1 + both.length), 'binary');
}

/** Raw SHA-256 of several byte strings after another, for Merkle trees. */
export function sha256(...parts: readonly (Uint8Array | string)[]): Uint8Array {
  const bytes = Buffer.concat(
    parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part)),
  );
  return new Uint8Array(hash('sha256', bytes, 'buffer'));
}
