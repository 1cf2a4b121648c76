import { createHash } from 'node:crypto';
import { describe, expect, it, test } from 'vitest';
import type { Digest } from '../../src/base/digest.ts';
import {
  addLeaf,
  checkConsistency,
  checkInclusion,
  leafDigest,
  leafText,
  merkleRoot,
  merkleRootOf,
  type Peaks,
  proveConsistency,
  proveInclusion,
  rootOfPeaks,
} from '../../src/base/merkle.ts';
import { merkleVectors as vectors } from '../support/vectors.ts';

const digest = (digits = ''): Digest => `sha256:${digits}`;
const hexOf = (digests: readonly Digest[]) => digests.map((entry) => entry.slice('sha256:'.length));
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const leaves = vectors.leafHashes.map((_, index) => leafDigest(`leaf-${index}`));
const rootOf = (size: number) => merkleRootOf(leaves.slice(0, size));
const sizes = Array.from({ length: leaves.length }, (_, index) => index + 1);

describe('merkleRoot', () => {
  it('executes its documented example', () => {
    expect(merkleRoot([])).toBe(
      'sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    );
  });

  it('gives the published roots of the certificate transparency test data', () => {
    const published = vectors.ctPublished.leaves.map((text) => Buffer.from(text, 'hex'));
    const roots = vectors.ctPublished.roots.map((_, size) => merkleRoot(published.slice(0, size)));
    expect(roots).toEqual(vectors.ctPublished.roots.map((root) => `sha256:${root}`));
    expect(roots).toHaveLength(9);
  });

  it('gives the reference roots of 0 to 33 leaves', () => {
    const texts = Array.from({ length: 33 }, (_, index) => `leaf-${index}`);
    const roots = vectors.roots.map((_, size) => merkleRoot(texts.slice(0, size)));
    expect(roots).toEqual(vectors.roots.map((root) => `sha256:${root}`));
    expect(roots).toHaveLength(34);
  });

  it('separates a leaf from a node with the same bytes', () => {
    const pair = merkleRoot(['a', 'b']);
    expect(merkleRoot([pair])).not.toBe(pair);
    expect(merkleRoot(['ab'])).not.toBe(pair);
  });

  it('changes when leaves change places', () => {
    expect(merkleRoot(['a', 'b', 'c'])).not.toBe(merkleRoot(['b', 'a', 'c']));
  });
});

describe('leafDigest', () => {
  test.each(['', 'a', 'é', '\u{1f600}'.repeat(3), 'ü'.repeat(5000), 'x'.repeat(70_000)])(
    'takes a text as its UTF-8 bytes, whatever its length: %#',
    (text) => {
      const bytes = Buffer.from(text);
      const whole = createHash('sha256').update(Uint8Array.of(0)).update(bytes).digest('hex');
      expect(leafDigest(text)).toBe(digest(whole));
      expect(leafDigest(bytes)).toBe(digest(whole));
      expect(Buffer.from(leafText(text), 'latin1').toString('hex')).toBe(whole);
    },
  );

  it('executes its documented example', () => {
    expect(leafDigest('')).toBe(
      'sha256:6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
    );
  });

  it('gives the reference digests', () => {
    expect(hexOf(leaves)).toEqual(vectors.leafHashes);
    expect(leaves).toHaveLength(33);
  });
});

describe('addLeaf and rootOfPeaks', () => {
  it('execute their documented examples', () => {
    expect(addLeaf(null, leafDigest('a')).size).toBe(1);
    expect(rootOfPeaks(null)).toBe(merkleRoot([]));
  });

  it('give every root of a growing tree, and leave the smaller trees as they were', () => {
    const grown: Peaks[] = [];
    for (const leaf of leaves) grown.push(addLeaf(grown.at(-1) ?? null, leaf));
    expect(grown.map(rootOfPeaks)).toEqual(sizes.map(rootOf));
    expect(leaves.length).toBeGreaterThan(16);
  });
});

describe('inclusion proofs', () => {
  it('are the reference proofs, each of them and all up to 33 leaves', () => {
    for (const { size, index, proof } of vectors.inclusion) {
      expect(hexOf(proveInclusion(leaves.slice(0, size), index))).toEqual(proof);
    }
    const lines = sizes.flatMap((size) =>
      leaves.slice(0, size).map((_, index) => {
        const proof = hexOf(proveInclusion(leaves.slice(0, size), index));
        return `${[size, index, ...proof].join(' ')}\n`;
      }),
    );
    expect(lines).toHaveLength(vectors.inclusionAll.count);
    expect(sha256(lines.join(''))).toBe(vectors.inclusionAll.sha256);
  });

  it('hold for their own leaf, place, size and root, and for no other', () => {
    let held = 0;
    for (const size of sizes) {
      const tree = leaves.slice(0, size);
      tree.forEach((leaf, index) => {
        const claim = { leaf, index, size, root: rootOf(size), proof: proveInclusion(tree, index) };
        expect(checkInclusion(claim)).toBe(true);
        held += 1;
        for (const other of tree.keys()) {
          if (other !== index) expect(checkInclusion({ ...claim, index: other })).toBe(false);
        }
        expect(checkInclusion({ ...claim, root: rootOf(size + 1) })).toBe(size === leaves.length);
        for (const at of claim.proof.keys()) {
          expect(checkInclusion({ ...claim, proof: claim.proof.toSpliced(at, 1) })).toBe(false);
        }
        expect(checkInclusion({ ...claim, proof: [...claim.proof, leaf] })).toBe(false);
      });
    }
    expect(held).toBe(561);
  });
});

describe('consistency proofs', () => {
  it('are the reference proofs, each of them and all up to 33 leaves', () => {
    for (const { from, to, proof } of vectors.consistency) {
      expect(hexOf(proveConsistency(leaves.slice(0, to), from))).toEqual(proof);
    }
    const lines = sizes.flatMap((to) =>
      sizes.slice(0, to).map((from) => {
        const proof = hexOf(proveConsistency(leaves.slice(0, to), from));
        return `${[from, to, ...proof].join(' ')}\n`;
      }),
    );
    expect(lines).toHaveLength(vectors.consistencyAll.count);
    expect(sha256(lines.join(''))).toBe(vectors.consistencyAll.sha256);
  });

  it('hold for their own trees, and not once a digest, a size or a root differs', () => {
    for (const to of sizes) {
      for (const from of sizes.slice(0, to)) {
        const proof = proveConsistency(leaves.slice(0, to), from);
        const claim = { from, to, fromRoot: rootOf(from), toRoot: rootOf(to), proof };
        expect(checkConsistency(claim)).toBe(true);
        expect(checkConsistency({ ...claim, fromRoot: leafDigest('other') })).toBe(false);
        expect(checkConsistency({ ...claim, toRoot: leafDigest('other') })).toBe(false);
        expect(checkConsistency({ ...claim, proof: [...proof, leafDigest('other')] })).toBe(false);
        for (const at of proof.keys()) {
          const changed = proof.with(at, leafDigest('other'));
          expect(checkConsistency({ ...claim, proof: changed })).toBe(false);
          expect(checkConsistency({ ...claim, proof: proof.toSpliced(at, 1) })).toBe(false);
        }
      }
    }
  });
});

describe('proofs that must be refused', () => {
  it.each(
    vectors.mustRefuse.map((vector, index) => [index, vector.kind, vector.why, vector] as const),
  )('%i %s: %s', (_, kind, __, vector) => {
    const proof = vector.proof.map(digest);
    const holds =
      kind === 'inclusion'
        ? checkInclusion({
            leaf: digest(vector.leafHash),
            index: vector.index ?? Number.NaN,
            size: vector.size ?? Number.NaN,
            root: digest(vector.root),
            proof,
          })
        : checkConsistency({
            from: vector.from ?? Number.NaN,
            to: vector.to ?? Number.NaN,
            fromRoot: digest(vector.rootFrom),
            toRoot: digest(vector.rootTo),
            proof,
          });
    expect(holds).toBe(false);
  });
});
