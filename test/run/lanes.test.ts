import { describe, expect, test } from 'vitest';
import { inLanes } from '../../src/run/lanes.ts';

describe('inLanes', () => {
  test('gives results in item order whatever ends first', async () => {
    const result = await inLanes([3, 1, 2], 3, async (turns, index) => {
      for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
      return `${index}:${turns}`;
    });
    expect(result).toEqual(['0:3', '1:1', '2:2']);
  });

  test('starts nothing after a failure and waits for what is in flight', async () => {
    const started: number[] = [];
    let ended = 0;
    const work = async (item: number): Promise<void> => {
      started.push(item);
      await Promise.resolve();
      if (item === 1) throw new Error('first');
      await Promise.resolve();
      ended += 1;
    };
    await expect(inLanes([1, 2, 3, 4], 2, work)).rejects.toThrow('first');
    expect(started).toEqual([1, 2]);
    expect(ended).toBe(1);
  });

  test('does nothing with no items', async () => {
    expect(await inLanes([], 4, () => Promise.resolve(1))).toEqual([]);
  });
});
