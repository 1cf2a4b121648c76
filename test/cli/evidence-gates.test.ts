/** Gates that ask whether the evidence can be trusted, each to the decisions it can lead to, on the built binary. */
import { describe, test } from 'vitest';
import { type Asked, expectRow, firstCases, type Row } from '../support/gate-rows.ts';

describe.concurrent('neutral-control', () => {
  const rightIn = (next: number, placebo: number): Asked => ({
    gate: { gate: 'neutral-control', measure: 'right' },
    next: { scores: { right: firstCases(next) } },
    options: { placebo: { scores: { right: firstCases(placebo) } } },
  });

  test.each<Row>([
    ['ship', rightIn(20, 1), /over the placebo the lower bound 0\.\d+ is above 0/],
    ['need_more_work', rightIn(20, 17), /over the placebo .* includes 0/],
    ['hold', rightIn(9, 20), /over the placebo the interval .* lies wholly at or below 0/],
  ])('%s', async (...row) => expectRow(row));
});
