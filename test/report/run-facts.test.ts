import { describe, expect, test } from 'vitest';
import { canonicalText } from '../../src/base/canonical.ts';
import { merkleRoot } from '../../src/base/merkle.ts';
import { orderedLines, receiptsRoot } from '../../src/report/run-facts.ts';
import { evidenceOf } from '../support/evidence.ts';

const { lines } = evidenceOf({
  cases: [
    {
      id: 'a',
      unit: 'a',
      cells: { baseline: 0, next: [{ outcome: 'infrastructureFault' }, { scores: { right: 1 } }] },
    },
    { id: 'b', unit: 'b', cells: { baseline: 0, next: 1 } },
  ],
});

describe('orderedLines', () => {
  test('goes by place in the schedule, then by attempt', () => {
    const found = orderedLines([...lines].reverse());
    expect(found.map((line) => [line.position, line.receipt.attempt])).toEqual([
      [0, 1],
      [1, 1],
      [1, 2],
      [2, 1],
      [3, 1],
    ]);
  });
});

describe('receiptsRoot', () => {
  test('is the Merkle root of the ordered canonical lines, whatever order they come in', () => {
    expect(receiptsRoot([...lines].reverse())).toBe(
      merkleRoot(lines.map((line) => canonicalText(line))),
    );
    expect(receiptsRoot([])).toBe(merkleRoot([]));
  });

  test('changes with any byte of a receipt', () => {
    const changed = lines.map((line, at) =>
      at === 2 ? { ...line, receivedAt: `${line.receivedAt} ` } : line,
    );
    expect(receiptsRoot(changed)).not.toBe(receiptsRoot(lines));
  });
});
