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

/** The lines by their places and attempts, worked out here. */
const sorted = lines.toSorted(
  (first, second) =>
    first.position - second.position || first.receipt.attempt - second.receipt.attempt,
);

describe('orderedLines', () => {
  test('goes by place in the schedule, then by attempt', () => {
    expect([...orderedLines(lines.toReversed())]).toEqual(sorted);
    expect(new Set(sorted.map(({ position }) => position))).toEqual(new Set([0, 1, 2, 3]));
    const tried = sorted.filter(({ cell }) => cell.case === 'a' && cell.arm === 'next');
    expect(tried.map(({ receipt }) => receipt.attempt)).toEqual([1, 2]);
  });
});

describe('receiptsRoot', () => {
  test('is the Merkle root of the ordered canonical lines, whatever order they come in', () => {
    expect(receiptsRoot([...lines].reverse())).toBe(
      merkleRoot(sorted.map((line) => canonicalText(line))),
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
