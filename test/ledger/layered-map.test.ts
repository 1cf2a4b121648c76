import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LayeredMap } from '../../src/ledger/layered-map.ts';

describe('LayeredMap', () => {
  it('answers like a plain map, in every version', () => {
    const batch = fc.array(fc.tuple(fc.integer({ min: 0, max: 20 }), fc.nat()), { maxLength: 6 });
    fc.assert(
      fc.property(fc.array(batch, { maxLength: 20 }), (batches) => {
        const versions: [LayeredMap<number, number>, Map<number, number>][] = [];
        let layered = LayeredMap.empty<number, number>();
        let plain = new Map<number, number>();
        for (const entries of batches) {
          layered = layered.with(entries);
          plain = new Map([...plain, ...entries]);
          versions.push([layered, plain]);
        }
        for (const [map, expected] of versions) {
          expect(map.entries()).toEqual([...expected]);
          expect(map.values()).toEqual([...expected.values()]);
          for (let key = 0; key <= 20; key += 1) expect(map.get(key)).toBe(expected.get(key));
        }
      }),
      { seed: 20260104, numRuns: 200 },
    );
  });

  it('keeps the number of layers small', () => {
    let map = LayeredMap.empty<number, number>();
    for (let key = 0; key < 10_000; key += 1) map = map.with([[key, key]]);
    const layers: unknown = Reflect.get(map, 'layers');
    expect(Array.isArray(layers) ? layers.length : Number.NaN).toBeLessThan(15);
    expect(map.get(9_999)).toBe(9_999);
    expect(map.get(0)).toBe(0);
  });

  it('is the same map after nothing was added', () => {
    const map = LayeredMap.empty<string, number>().with([['a', 1]]);
    expect(map.with([])).toBe(map);
  });
});
