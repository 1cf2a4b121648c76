/**
 * An immutable map that is cheap to extend: layers of plain maps of growing size, the newest first to answer.
 * Adding n keys one by one costs O(n log n) in all; every older version stays valid.
 */
export class LayeredMap<Key, Value> {
  private readonly layers: readonly ReadonlyMap<Key, Value>[];

  private constructor(layers: readonly ReadonlyMap<Key, Value>[]) {
    this.layers = layers;
  }

  /** A map without keys. */
  static empty<OwnKey, OwnValue>(): LayeredMap<OwnKey, OwnValue> {
    return new LayeredMap<OwnKey, OwnValue>([]);
  }

  /** The value last set for a key. */
  get(key: Key): Value | undefined {
    for (let at = this.layers.length - 1; at >= 0; at -= 1) {
      const layer = this.layers[at];
      if (layer?.has(key) === true) return layer.get(key);
    }
    return undefined;
  }

  /** A map that also holds the given entries; later ones win. */
  with(entries: Iterable<readonly [Key, Value]>): LayeredMap<Key, Value> {
    let newest: ReadonlyMap<Key, Value> = new Map(entries);
    if (newest.size === 0) return this;
    const layers = [...this.layers];
    for (let below = layers.at(-1); below !== undefined; below = layers.at(-1)) {
      if (below.size > newest.size * 2) break;
      layers.pop();
      newest = new Map([...below, ...newest]);
    }
    return new LayeredMap([...layers, newest]);
  }

  /** All entries; keys in the order of their first appearance. */
  entries(): [Key, Value][] {
    const all = new Map<Key, Value>();
    for (const layer of this.layers) for (const [key, value] of layer) all.set(key, value);
    return [...all];
  }

  /** All values; in the order of their keys' first appearance. */
  values(): Value[] {
    return this.entries().map(([, value]) => value);
  }
}
