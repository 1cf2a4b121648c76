import { describe, expect, it } from 'vitest';
import { digestHex, digestOf, digestOfValue, isDigest, sha256 } from '../../src/base/digest.ts';

const empty = 'sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

describe('digestOf', () => {
  it('executes its documented example', () => {
    expect(digestOf('')).toBe(empty);
  });

  it('takes a string as UTF-8', () => {
    expect(digestOf('é')).toBe(digestOf(Uint8Array.of(0xc3, 0xa9)));
    expect(digestOf('abc')).toBe(
      'sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    );
  });
});

describe('digestOfValue', () => {
  it('hashes the canonical text without a line end', () => {
    expect(digestOfValue({ b: 2, a: 1 })).toBe(digestOf('{"a":1,"b":2}'));
  });
});

describe('isDigest', () => {
  it('knows our one spelling', () => {
    expect(isDigest(empty)).toBe(true);
    expect(isDigest(empty.toUpperCase())).toBe(false);
    expect(isDigest(digestHex(digestOf('')))).toBe(false);
    expect(isDigest(`${empty}0`)).toBe(false);
    expect(isDigest(null)).toBe(false);
  });
});

describe('digestHex', () => {
  it('drops the prefix', () => {
    expect(digestHex(digestOf(''))).toBe(empty.slice(7));
  });
});

describe('sha256', () => {
  it('hashes its parts one after another', () => {
    expect(Buffer.from(sha256('a', Uint8Array.of(0x62), 'c')).toString('hex')).toBe(
      digestHex(digestOf('abc')),
    );
  });
});
