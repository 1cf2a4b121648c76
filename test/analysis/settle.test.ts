import { describe, expect, test } from 'vitest';
import type { Evidence } from '../../src/analysis/evidence.ts';
import { isLostByFault, isMissingClass, settleCells } from '../../src/analysis/settle.ts';
import type { EvidenceLine } from '../../src/run/measured-line.ts';
import { binaryCases, type CaseTable, evidenceOf } from '../support/evidence.ts';
import { refusedBy } from '../support/refused-by.ts';

function withCell(next: CaseTable['cells'][string]): Evidence {
  return evidenceOf({ cases: [{ id: 'a', unit: 'ua', cells: { baseline: 0, next } }] });
}

function settlements(evidence: Evidence): unknown[] {
  return (settleCells(evidence).get('next') ?? []).map(({ attempts, settlement }) => ({
    attempts,
    ended: settlement.status === 'settled' ? settlement.receipt.outcome : settlement.reason,
  }));
}

function changed(evidence: Evidence, change: (line: EvidenceLine) => EvidenceLine): Evidence {
  return { ...evidence, lines: evidence.lines.map(change) };
}

describe('settleCells', () => {
  test.each([
    [1, { attempts: 1, ended: 'completed' }],
    [{ outcome: 'agentError' }, { attempts: 1, ended: 'agentError' }],
    [{ outcome: 'limitExceeded' }, { attempts: 1, ended: 'limitExceeded' }],
    [
      { outcome: 'safeRefusal', scores: { right: 1 } },
      { attempts: 1, ended: 'safeRefusal' },
    ],
    [
      [{ outcome: 'infrastructureFault' }, { scores: { right: 1 } }],
      { attempts: 2, ended: 'completed' },
    ],
    [[{ outcome: 'cancelled' }, { scores: { right: 0 } }], { attempts: 2, ended: 'completed' }],
    [
      [{ outcome: 'infrastructureFault' }, { outcome: 'cancelled' }],
      { attempts: 2, ended: 'cancelled' },
    ],
    ['infrastructureFault', { attempts: 1, ended: 'infrastructureFault' }],
    ['evaluatorFailure', { attempts: 1, ended: 'evaluatorFailure' }],
    [null, { attempts: 0, ended: 'not-run' }],
  ] as const)('ends %j as %j', (cell, expected) => {
    expect(settlements(withCell(cell))).toEqual([expected]);
  });

  test('gives the same cells whatever the order of the receipts', () => {
    const evidence = evidenceOf({ cases: binaryCases({ gains: 3, losses: 2, both: 1 }) });
    const reversed = { ...evidence, lines: [...evidence.lines].reverse() };
    const settled = (from: typeof evidence): unknown[] =>
      [...settleCells(from)].map(([arm, cells]) => [
        arm,
        cells.map(({ cell, attempts, settlement }) => ({ cell, attempts, settlement })),
      ]);
    expect(settled(reversed)).toEqual(settled(evidence));
  });

  test('plans every repeat of every final case for every arm and no development case', () => {
    const evidence = evidenceOf({
      repeats: 2,
      cases: [
        { id: 'b', unit: 'u', cells: { baseline: 0, next: 1 } },
        { id: 'a', unit: 'u', cells: { baseline: 0, next: 1 } },
        { id: 'c', unit: 'v', split: 'train', cells: {} },
      ],
    });
    const cells = settleCells(evidence).get('baseline') ?? [];
    expect(cells.map(({ cell }) => [cell.case, cell.repeat])).toEqual([
      ['a', 0],
      ['a', 1],
      ['b', 0],
      ['b', 1],
    ]);
  });

  test('refuses a cell outside the plan', () => {
    const evidence = changed(withCell(1), (line) => ({
      ...line,
      cell: { ...line.cell, case: 'z' },
    }));
    expect(refusedBy(() => settleCells(evidence))).toBe(
      'receipt-invalid: The receipt of case "z", arm "baseline", repeat 0 is of a cell that the seal does not plan. Give receipts of this seal only.',
    );
  });

  test.each([
    ['repeat', { repeat: 1 }],
    ['arm', { arm: 'other' }],
  ])('refuses a foreign %s', (_, change) => {
    const evidence = changed(withCell(1), (line) => ({
      ...line,
      cell: { ...line.cell, ...change },
    }));
    expect(refusedBy(() => settleCells(evidence))).toContain(
      'is of a cell that the seal does not plan',
    );
  });

  test('refuses a receipt that moves a case to another unit', () => {
    const evidence = changed(withCell(1), (line) => ({
      ...line,
      cell: { ...line.cell, unit: 'other' },
    }));
    expect(refusedBy(() => settleCells(evidence))).toContain(
      'names the unit "other", but the case belongs to "ua"',
    );
  });

  test('refuses a receipt given twice', () => {
    const evidence = withCell(1);
    const doubled = { ...evidence, lines: [...evidence.lines, ...evidence.lines] };
    expect(refusedBy(() => settleCells(doubled))).toContain(
      'is given twice for attempt 1. Give every attempt once.',
    );
  });

  test('refuses attempts whose first one vanished', () => {
    const evidence = withCell([{ outcome: 'infrastructureFault' }, { scores: { right: 1 } }]);
    const cut = {
      ...evidence,
      lines: evidence.lines.filter(
        (line) => line.receipt.attempt !== 1 || line.cell.arm === 'baseline',
      ),
    };
    expect(refusedBy(() => settleCells(cut))).toContain(
      'is of attempt 2, but attempt 1 is not there. Give all attempts of the cell, the first one included.',
    );
  });

  test.each([
    'completed',
    'agentError',
    'limitExceeded',
    'safeRefusal',
    'evaluatorFailure',
  ] as const)('refuses a new attempt after %s', (outcome) => {
    const evidence = withCell([{ outcome, scores: { right: 0 } }, { scores: { right: 1 } }]);
    expect(refusedBy(() => settleCells(evidence))).toContain(
      `follows attempt 1, which ended with ${outcome} and is final. Only infrastructure faults and cancelled cells are tried again.`,
    );
  });

  test('refuses more attempts than are sealed', () => {
    const fault = { outcome: 'infrastructureFault' } as const;
    const evidence = withCell([fault, fault, fault, fault]);
    expect(refusedBy(() => settleCells(evidence))).toContain('is attempt 4, but 3 are sealed');
  });

  test('refuses a measure that the spec does not declare', () => {
    expect(refusedBy(() => settleCells(withCell({ scores: { rihgt: 1 } })))).toContain(
      'scores "rihgt", which is no measure of the spec',
    );
  });

  test('refuses a value outside its declaration', () => {
    expect(refusedBy(() => settleCells(withCell(0.5)))).toContain(
      'scores "right" as 0.5: expected 0 or 1',
    );
  });
});

describe('isLostByFault', () => {
  test.each([
    ['infrastructureFault', true],
    ['evaluatorFailure', true],
    ['cancelled', true],
    ['not-run', false],
    ['not-scored', false],
  ])('%s: %s', (reason, expected) => {
    expect(isLostByFault(reason)).toBe(expected);
  });
});

describe('isMissingClass', () => {
  test('counts a cell nobody dispatched as missing and an unscored outcome as none', () => {
    expect(isMissingClass('not-run')).toBe(true);
    expect(isMissingClass('not-scored')).toBe(false);
    expect(isMissingClass('failure-indeterminate')).toBe(false);
  });
});
