/**
 * Merkle trees of RFC 9162 section 2.1 with SHA-256: leaf = H(0x00 || bytes), node = H(0x01 || left || right), split at the
 * largest power of two below the number of leaves. Proofs are lists of digests, from the leaf's side to the root.
 */
import {
  type Digest,
  digestHex,
  digestOf,
  isDigest,
  prefixedSha256,
  prefixedSha256OfTexts,
} from './digest.ts';
import { invariant } from './errors.ts';

const [leafPrefix, nodePrefix] = [0, 1] as const;

/** What a proof says of one leaf: it stands at `index` (from 0) in the tree of `size` leaves with this root. */
export interface InclusionClaim {
  readonly leaf: Digest;
  readonly index: number;
  readonly size: number;
  readonly root: Digest;
  readonly proof: readonly Digest[];
}

/** What a proof says of two trees: the first `from` leaves of the tree of `to` leaves are the tree with root `fromRoot`. */
export interface ConsistencyClaim {
  readonly from: number;
  readonly to: number;
  readonly fromRoot: Digest;
  readonly toRoot: Digest;
  readonly proof: readonly Digest[];
}

/**
 * Digest of one leaf, which no inner node can have.
 * @example leafDigest('') // => 'sha256:6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d'
 */
export function leafDigest(bytes: Uint8Array | string): Digest {
  return digestFrom(leafText(bytes));
}

/**
 * The 32 bytes of {@link leafDigest} as a text of a character per byte: so all hashes of this file are held.
 * @example Buffer.from(leafText(''), 'latin1').toString('hex') === digestHex(leafDigest('')) // => true
 */
export function leafText(bytes: Uint8Array | string): string {
  return prefixedSha256(leafPrefix, bytes);
}

/**
 * Root over the leaves in the given order; the empty tree is the digest of nothing.
 * @example merkleRoot([]) // => 'sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'
 */
export function merkleRoot(leaves: readonly (Uint8Array | string)[]): Digest {
  return rootOfLeaves(mapped(leaves, leafText));
}

/** Root over leaf digests that are known already, as {@link leafDigest} gives them. */
export function merkleRootOf(leaves: readonly Digest[]): Digest {
  return rootOfLeaves(mapped(leaves, textOf));
}

/** A growing tree: its full subtrees from the smallest to the largest. Nothing is changed in place; later trees share it. */
export interface Peaks {
  /** Leaves of the smallest full subtree; a power of two. */
  readonly size: number;
  readonly root: Digest;
  readonly larger: Peaks | null;
}

/**
 * A tree with one more leaf; costs two hashes on average.
 * @param peaks  null for the empty tree
 * @example addLeaf(null, leafDigest('a')).size // => 1
 */
export function addLeaf(peaks: Peaks | null, leaf: Digest): Peaks {
  let [size, hash, larger] = [1, textOf(leaf), peaks];
  while (larger !== null && larger.size === size) {
    hash = nodeOf(textOf(larger.root), hash);
    [size, larger] = [size * 2, larger.larger];
  }
  return { size, root: digestFrom(hash), larger };
}

/**
 * Root of a growing tree: the one {@link merkleRootOf} gives for the same leaves.
 * @example rootOfPeaks(null) === merkleRoot([]) // => true
 */
export function rootOfPeaks(peaks: Peaks | null): Digest {
  if (peaks === null) return digestOf('');
  let hash = textOf(peaks.root);
  for (let next = peaks.larger; next !== null; next = next.larger) {
    hash = nodeOf(textOf(next.root), hash);
  }
  return digestFrom(hash);
}

/**
 * Proof that the leaf at `index` belongs to the tree of these leaves (RFC 9162 2.1.3.1); at most ceil(log2 n) digests.
 *
 * @param leaves  leaf digests in order
 * @param index   whole number, 0 <= index < leaves.length
 * @example proveInclusion([leafDigest('a')], 0) // => []
 */
export function proveInclusion(leaves: readonly Digest[], index: number): readonly Digest[] {
  invariant(index >= 0 && index < leaves.length, 'the leaf is one of the tree');
  const hashes = leaves.map(textOf);
  const path: string[] = [];
  let [from, to] = [0, hashes.length];
  while (to - from > 1) {
    const middle = from + splitOf(to - from);
    if (index < middle) {
      path.push(subtree(hashes, middle, to));
      to = middle;
    } else {
      path.push(subtree(hashes, from, middle));
      from = middle;
    }
  }
  return path.reverse().map(digestFrom);
}

/**
 * Whether an inclusion proof holds (RFC 9162 2.1.3.2). False for an index outside the tree, and for proofs too short or too long.
 * @example checkInclusion({ leaf: leafDigest('a'), index: 0, size: 1, root: merkleRoot(['a']), proof: [] }) // => true
 */
export function checkInclusion(claim: InclusionClaim): boolean {
  const { index, size } = claim;
  if (
    !areCounts(index, size) ||
    index >= size ||
    !areDigests(claim.leaf, claim.root, ...claim.proof)
  )
    return false;
  const sides = sidesOf(index, size - 1, claim.proof.length);
  if (sides === null) return false;
  let hash = textOf(claim.leaf);
  for (const [at, sibling] of claim.proof.map(textOf).entries()) {
    hash = sides[at] === 'left' ? nodeOf(sibling, hash) : nodeOf(hash, sibling);
  }
  return digestFrom(hash) === claim.root;
}

/**
 * Proof that the tree of the first `from` leaves was only appended to (RFC 9162 2.1.4.1); empty when nothing was.
 *
 * @param leaves  leaf digests of the larger tree, in order
 * @param from    size of the smaller tree, 1 <= from <= leaves.length
 * @example proveConsistency([leafDigest('a'), leafDigest('b')], 1) // => [leafDigest('b')]
 */
export function proveConsistency(leaves: readonly Digest[], from: number): readonly Digest[] {
  invariant(from >= 1 && from <= leaves.length, 'the smaller tree is a part of the larger');
  const hashes = leaves.map(textOf);
  const path: string[] = [];
  let [start, end, whole] = [0, hashes.length, true];
  while (from !== end) {
    const middle = start + splitOf(end - start);
    if (from <= middle) {
      path.push(subtree(hashes, middle, end));
      end = middle;
    } else {
      path.push(subtree(hashes, start, middle));
      [start, whole] = [middle, false];
    }
  }
  if (!whole) path.push(subtree(hashes, start, end));
  return path.reverse().map(digestFrom);
}

/**
 * Whether a consistency proof holds (RFC 9162 2.1.4.2). A smaller tree of no leaves proves nothing and is false.
 * @example checkConsistency({ from: 1, to: 1, fromRoot: merkleRoot(['a']), toRoot: merkleRoot(['a']), proof: [] }) // => true
 */
export function checkConsistency(claim: ConsistencyClaim): boolean {
  const { from, to } = claim;
  if (
    !areCounts(from, to) ||
    from < 1 ||
    from > to ||
    !areDigests(claim.fromRoot, claim.toRoot, ...claim.proof)
  )
    return false;
  if (from === to) return claim.proof.length === 0 && claim.fromRoot === claim.toRoot;
  const path = claim.proof.map(textOf);
  let [node, last] = [from - 1, to - 1];
  while (node % 2 === 1) [node, last] = [half(node), half(last)];
  const first = node === 0 ? textOf(claim.fromRoot) : path.shift();
  const sides = sidesOf(node, last, path.length);
  if (first === undefined || sides === null) return false;
  let [smaller, larger] = [first, first];
  for (const [at, sibling] of path.entries()) {
    if (sides[at] === 'left') {
      [smaller, larger] = [nodeOf(sibling, smaller), nodeOf(sibling, larger)];
    } else {
      larger = nodeOf(larger, sibling);
    }
  }
  return digestFrom(smaller) === claim.fromRoot && digestFrom(larger) === claim.toRoot;
}

/** On which side each sibling of a proof stands on the way from a node to the root; null when the proof has another length. */
function sidesOf(
  from: number,
  lastNode: number,
  length: number,
): readonly ('left' | 'right')[] | null {
  const sides: ('left' | 'right')[] = [];
  let [node, last] = [from, lastNode];
  while (last > 0 && sides.length < length) {
    const isLeft = node % 2 === 1 || node === last;
    sides.push(isLeft ? 'left' : 'right');
    while (isLeft && node % 2 === 0 && node !== 0) [node, last] = [half(node), half(last)];
    [node, last] = [half(node), half(last)];
  }
  return last === 0 && sides.length === length ? sides : null;
}

const half = (position: number): number => Math.floor(position / 2);
const nodeOf = (left: string, right: string): string =>
  prefixedSha256OfTexts(nodePrefix, left, right);
const textOf = (digest: Digest): string => Buffer.from(digestHex(digest), 'hex').toString('latin1');
const digestFrom = (hash: string): Digest =>
  `sha256:${Buffer.from(hash, 'latin1').toString('hex')}`;
const areCounts = (...values: readonly number[]): boolean =>
  values.every((value) => Number.isSafeInteger(value) && value >= 0);
const areDigests = (...values: readonly unknown[]): boolean => values.every(isDigest);

function* mapped<From, To>(values: Iterable<From>, change: (value: From) => To): Generator<To> {
  for (const value of values) yield change(value);
}

/**
 * Root over leaves as {@link leafText} gives them, in their order, taken one at a time: no more than one hash per level is held.
 * @example rootOfLeaves([leafText('a')]) === merkleRoot(['a']) // => true
 */
export function rootOfLeaves(leaves: Iterable<string>): Digest {
  const full: { readonly size: number; readonly hash: string }[] = [];
  for (const leaf of leaves) {
    let [size, hash] = [1, leaf];
    for (let last = full.at(-1); last?.size === size; last = full.at(-1)) {
      hash = nodeOf(last.hash, hash);
      size *= 2;
      full.pop();
    }
    full.push({ size, hash });
  }
  const last = full.pop();
  if (last === undefined) return digestOf('');
  return digestFrom(full.reduceRight((right, { hash }) => nodeOf(hash, right), last.hash));
}

/** Largest power of two below a number of leaves above 1. */
function splitOf(leaves: number): number {
  let split = 1;
  while (split * 2 < leaves) split *= 2;
  return split;
}

function subtree(hashes: readonly string[], from: number, to: number): string {
  const only = hashes[from];
  if (to - from === 1 && only !== undefined) return only;
  const middle = from + splitOf(to - from);
  return nodeOf(subtree(hashes, from, middle), subtree(hashes, middle, to));
}
