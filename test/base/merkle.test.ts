import { describe, expect, it } from 'vitest';
import { merkleRoot } from '../../src/base/merkle.ts';
import vectors from '../reference/merkle-vectors.json' with { type: 'json' };

describe('merkleRoot', () => {
  it('executes its documented example', () => {
    expect(merkleRoot([])).toBe(
      'sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    );
  });

  it('gives the published roots of the certificate transparency test data', () => {
    const leaves = vectors.ctPublished.leaves.map((hex) => Buffer.from(hex, 'hex'));
    const roots = vectors.ctPublished.roots.map((_, size) => merkleRoot(leaves.slice(0, size)));
    expect(roots).toEqual(vectors.ctPublished.roots.map((root) => `sha256:${root}`));
    expect(roots).toHaveLength(9);
  });

  it('gives the reference roots of 0 to 33 leaves', () => {
    const leaves = Array.from({ length: 33 }, (_, index) => `leaf-${index}`);
    const roots = vectors.roots.map((_, size) => merkleRoot(leaves.slice(0, size)));
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
