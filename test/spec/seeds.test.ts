import { describe, expect, test } from 'vitest';
import { digestHex, digestOf } from '../../src/base/digest.ts';
import { cellSeed, orderedUnits, seedHex, seedLabels, seedRule } from '../../src/spec/seeds.ts';

const cases = digestOf('cases');
const units = Array.from({ length: 20 }, (_, at) => `unit-${at}`);

describe('seedHex', () => {
  test('is sha256(casesDigest LF label), as the seal says', () => {
    expect(seedRule).toBe('sha256(casesDigest LF label)');
    expect(seedHex(cases, 'unit-order')).toBe(digestHex(digestOf(`${cases}\nunit-order`)));
  });

  test('gives every label its own stream', () => {
    expect(new Set(seedLabels.map((label) => seedHex(cases, label))).size).toBe(seedLabels.length);
  });
});

describe('orderedUnits', () => {
  test('is a permutation that the order of the input does not move', () => {
    const order = orderedUnits(cases, units);
    expect(order.toSorted()).toEqual(units.toSorted());
    expect(orderedUnits(cases, units.toReversed())).toEqual(order);
    expect(order).not.toEqual(units.toSorted());
  });

  test('changes with the cases and handles none and one', () => {
    expect(orderedUnits(digestOf('others'), units)).not.toEqual(orderedUnits(cases, units));
    expect(orderedUnits(cases, [])).toEqual([]);
    expect(orderedUnits(cases, ['only'])).toEqual(['only']);
  });
});

describe('cellSeed', () => {
  test('is a whole number below 2^31 that differs by case and repeat, and knows no arm', () => {
    const seeds = units.flatMap((id) => [0, 1, 2].map((repeat) => cellSeed(cases, id, repeat)));
    expect(new Set(seeds).size).toBe(seeds.length);
    expect(seeds.every((seed) => Number.isInteger(seed) && seed >= 0 && seed < 2 ** 31)).toBe(true);
    const hex = digestHex(digestOf(`${cases}\ncell/unit-0/0`)).slice(0, 8);
    expect(cellSeed(cases, 'unit-0', 0)).toBe(Number.parseInt(hex, 16) % 2 ** 31);
  });
});
