/** Work in order with a fixed number in flight. */

/**
 * Runs `work` over the items in order, at most `width` at once. After the first rejection no further item starts; the promise
 * rejects with it once everything in flight has ended.
 * @param width  a whole number >= 1
 * @returns results in item order
 */
export async function inLanes<Item, Result>(
  items: readonly Item[],
  width: number,
  work: (item: Item, index: number) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const queue = items.entries();
  let failed = false;
  const lane = async (): Promise<void> => {
    for (let next = queue.next(); !next.done && !failed; next = queue.next()) {
      const [index, item] = next.value;
      try {
        results[index] = await work(item, index);
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  };
  const ended = await Promise.allSettled(
    Array.from({ length: Math.min(width, items.length) }, lane),
  );
  for (const each of ended) if (each.status === 'rejected') throw each.reason;
  return results;
}
