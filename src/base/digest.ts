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

/**
 * Raw SHA-256 of a byte and byte strings after it, for Merkle trees: they are laid together in one place that is used again.
 * @example prefixedSha256(0, '').length // => 32
 */
export function prefixedSha256(
  prefix: number,
  ...parts: readonly (Uint8Array | string)[]
): Uint8Array {
  return hash('sha256', prefixed(prefix, parts), 'buffer');
}

function prefixed(prefix: number, parts: readonly (Uint8Array | string)[]): Uint8Array {
  // A UTF-16 code unit takes up to three bytes of UTF-8.
  const most = parts.reduce(
    (total, part) => total + (typeof part === 'string' ? 3 * part.length : part.length),
    1,
  );
  if (most > scratch.length) scratch = Buffer.alloc(2 * most);
  scratch[0] = prefix;
  let end = 1;
  for (const part of parts) {
    if (typeof part === 'string') end += scratch.write(part, end);
    else {
      scratch.set(part, end);
      end += part.length;
    }
  }
  return scratch.subarray(0, end);
}

/**
 * {@link prefixedSha256} of one byte string as a text of 32 characters, one per byte, which takes less memory than bytes of their own.
 * @example prefixedSha256Text(0, '').length // => 32
 */
export function prefixedSha256Text(prefix: number, bytes: Uint8Array | string): string {
  return hash('sha256', prefixed(prefix, [bytes]), 'binary');
}

/** Raw SHA-256 of several byte strings after another, for Merkle trees. */
export function sha256(...parts: readonly (Uint8Array | string)[]): Uint8Array {
  const bytes = Buffer.concat(
    parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part)),
  );
  return new Uint8Array(hash('sha256', bytes, 'buffer'));
}
