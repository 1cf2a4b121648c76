/** Merkle tree hash of RFC 9162 section 2.1.1 with SHA-256: leaf = H(0x00 || bytes), node = H(0x01 || left || right). */
import { type Digest, digestOf, sha256 } from './digest.ts';

const leafPrefix = Uint8Array.of(0);
const nodePrefix = Uint8Array.of(1);

/**
 * Root over the leaves in the given order; the empty tree is the digest of nothing.
 * @example merkleRoot([]) // => 'sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'
 */
export function merkleRoot(leaves: readonly (Uint8Array | string)[]): Digest {
  if (leaves.length === 0) return digestOf('');
  const hashes = leaves.map((leaf) => sha256(leafPrefix, leaf));
  return `sha256:${Buffer.from(subtree(hashes, 0, hashes.length)).toString('hex')}`;
}

function subtree(hashes: readonly Uint8Array[], from: number, to: number): Uint8Array {
  const only = hashes[from];
  if (to - from === 1 && only !== undefined) return only;
  let split = 1;
  while (split * 2 < to - from) split *= 2;
  return sha256(nodePrefix, subtree(hashes, from, from + split), subtree(hashes, from + split, to));
}
