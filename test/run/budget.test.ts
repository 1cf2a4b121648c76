import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  attemptReserveUsd,
  type Budget,
  capBudget,
  capProblem,
  controlCellCount,
  costOf,
  openBudget,
  reserveBudget,
  settleBudget,
  spentOn,
  sumAmounts,
  unknownCost,
  usageTokens,
  usageUsd,
  usdOf,
} from '../../src/run/budget.ts';
import { BudgetDesk } from '../../src/run/budget-desk.ts';
import { exampleTests } from '../support/examples.ts';
import { deskOf } from './desk.ts';

function reserved(budget: Budget, usd: number): Budget {
  const next = reserveBudget(budget, usd);
  if (next === null) throw new Error('no room');
  return next;
}

describe('reserveBudget', () => {
  test('fits a hundred cents into a dollar exactly, and not one more', () => {
    let budget = openBudget(1);
    for (let cent = 0; cent < 100; cent += 1) budget = reserved(budget, 0.01);
    expect(usdOf(budget.reservedNanos)).toBe(1);
    expect(reserveBudget(budget, 0.01)).toBeNull();
  });

  test('counts what is settled and what is in flight together', () => {
    const budget = settleBudget(reserved(openBudget(1), 0.6), 0.6, { known: true, usd: 0.4 });
    expect(reserveBudget(budget, 0.7)).toBeNull();
    expect(usdOf(reserved(budget, 0.6).reservedNanos)).toBe(0.6);
  });

  test('never refuses without a cap', () => {
    expect(usdOf(reserved(openBudget(null), 1_000_000).reservedNanos)).toBe(1_000_000);
  });

  test('rounds an amount finer than a nano-dollar up', () => {
    expect(reserved(openBudget(null), 1.2e-9).reservedNanos).toBe(2);
  });
});

describe('settleBudget', () => {
  test('settles unknown cost at its reservation and says how many there are', () => {
    const budget = settleBudget(reserved(openBudget(1), 0.1), 0.1, unknownCost);
    expect(budget).toMatchObject({ reservedNanos: 0, settledNanos: 1e8, unknownCells: 1 });
  });

  test('settles an unknown cost at its known part when that is more', () => {
    const cost = { known: false, atLeast: 0.3 } as const;
    const budget = settleBudget(reserved(openBudget(1), 0.1), 0.1, cost);
    expect(usdOf(budget.settledNanos)).toBe(0.3);
  });

  test('takes a reported cost of 0 as known', () => {
    const budget = settleBudget(reserved(openBudget(1), 0.1), 0.1, { known: true, usd: 0 });
    expect(budget).toMatchObject({ reservedNanos: 0, settledNanos: 0, unknownCells: 0 });
  });

  test('stops on a settlement nobody reserved', () => {
    expect(() => settleBudget(openBudget(1), 0.1, unknownCost)).toThrow(
      'only what was reserved is settled',
    );
  });

  test('never passes the cap while hosts keep to their limit', () => {
    const step = fc.record({ cost: fc.integer({ min: 0, max: 10 }), settle: fc.boolean() });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        let budget = openBudget(0.5);
        let inFlight = 0;
        for (const { cost, settle } of steps) {
          const next = reserveBudget(budget, 0.01);
          if (next !== null) inFlight += 1;
          budget = next ?? budget;
          if (settle && inFlight > 0) {
            inFlight -= 1;
            budget = settleBudget(budget, 0.01, { known: true, usd: cost / 1000 });
          }
          expect(budget.settledNanos + budget.reservedNanos).toBeLessThanOrEqual(5e8);
        }
      }),
      { numRuns: 100, seed: 3 },
    );
  });
});

const tokens = { input: 100, cachedInput: 20, output: 30, reasoning: 4 };

describe('usageTokens', () => {
  test('adds all four, and keeps an unknown total unknown', () => {
    expect(usageTokens({ tokens, tokensKnown: true })).toEqual({ known: true, value: 154 });
    expect(usageTokens({ tokens, tokensKnown: false })).toEqual({ known: false, atLeast: 154 });
  });
});

describe('sumAmounts', () => {
  test('of nothing is a known 0', () => {
    expect(sumAmounts([])).toEqual({ known: true, value: 0 });
  });

  test('is unknown as soon as one amount is, wherever it stands', () => {
    const amount = fc.oneof(
      fc.record({ known: fc.constant(true as const), value: fc.integer({ min: 0, max: 99 }) }),
      fc.record({ known: fc.constant(false as const), atLeast: fc.integer({ min: 0, max: 99 }) }),
    );
    fc.assert(
      fc.property(fc.array(amount), (amounts) => {
        const total = amounts.reduce(
          (all, each) => all + (each.known ? each.value : each.atLeast),
          0,
        );
        const known = amounts.every((each) => each.known);
        const expected = known ? { known, value: total } : { known, atLeast: total };
        expect(sumAmounts(amounts)).toEqual(expected);
        expect(sumAmounts([...amounts].reverse())).toEqual(expected);
      }),
      { numRuns: 100, seed: 5 },
    );
  });
});

describe('costOf', () => {
  test('never takes a cost that is called known without a number for 0', () => {
    const empty = { costUsd: null, costKnown: true };
    expect(costOf({ usage: empty, gradeUsage: null })).toEqual({ known: false, atLeast: 0 });
  });

  const known = { costUsd: 0.02, costKnown: true };

  test('adds grading', () => {
    expect(costOf({ usage: known, gradeUsage: { costUsd: 0.01, costKnown: true } })).toEqual({
      known: true,
      usd: 0.03,
    });
  });

  test('is unknown when either part is, with the known part as subtotal', () => {
    expect(costOf({ usage: known, gradeUsage: { costUsd: null, costKnown: false } })).toEqual({
      known: false,
      atLeast: 0.02,
    });
  });

  test('counts a replayed call once (PB-64)', () => {
    const usage = { costUsd: 0.02, costKnown: true };
    const billed = costOf({ usage, gradeUsage: null });
    const free = costOf({ usage: { costUsd: 0, costKnown: true }, gradeUsage: null });
    let budget = settleBudget(reserved(openBudget(null), 0.02), 0.02, billed);
    budget = settleBudget(reserved(budget, 0.02), 0.02, free);
    expect(usdOf(budget.settledNanos)).toBe(0.02);
  });
});

describe('capProblem', () => {
  const controls = [
    { id: 'ceiling', surface: { skill: 'a.yaml' }, cells: 4, expect: { right: { min: 1 } } },
    { id: 'own', surface: { skill: 'a.yaml' }, case: { id: 'x' }, expect: { right: { min: 1 } } },
    { id: 'dead', fault: 'host-exit', expect: { class: 'infrastructureFault' } },
    { id: 'scorer', fault: 'scorer-throw', expect: { class: 'evaluatorFailure' } },
  ];

  test('counts the cells of controls: a dead host takes a second cell to come back', () => {
    expect(controlCellCount(deskOf({ controls }).seal.spec)).toBe(4 + 1 + 2 + 1);
  });

  test('is silent when the cap pays one attempt at each cell exactly', () => {
    const { spec } = deskOf({ controls, budget: { usd: 1 }, limits: { maxCostUsd: 0.01 } }).seal;
    expect(capProblem(spec, 92)).toBeNull();
  });

  test('refuses a cap one cell short, with the numbers', () => {
    const { spec } = deskOf({ controls, budget: { usd: 1 }, limits: { maxCostUsd: 0.01 } }).seal;
    expect(capProblem(spec, 93)).toEqual({
      code: 'budget-too-small',
      where: { path: 'budget.usd' },
      message:
        'budget.usd is 1, but one attempt at each of 101 cells (93 planned, 8 of controls) may cost 1.01.',
      mend: 'Raise budget.usd, lower host.limits.maxCostUsd, or plan fewer cells.',
    });
  });

  test('refuses a cap when nothing says what an attempt may cost', () => {
    expect(capProblem(deskOf({ budget: { usd: 5 } }).seal.spec, 1)).toMatchObject({
      code: 'budget-without-limit',
      message: 'budget.usd is 5, but nothing says what one attempt may cost.',
    });
  });

  test('has nothing to say without a cap', () => {
    const { spec } = deskOf().seal;
    expect(capProblem(spec, 1_000_000)).toBeNull();
    expect(attemptReserveUsd(spec)).toBe(0);
  });
});

describe('BudgetDesk', () => {
  test('lets a caller wait until an attempt in flight settles below its reservation', async () => {
    const desk = new BudgetDesk(openBudget(1));
    expect(await desk.reserve(0.6)).toBe(true);
    const second = desk.reserve(0.6);
    desk.settle(0.6, { known: true, usd: 0.1 });
    expect(await second).toBe(true);
    expect(usdOf(desk.accounts.reservedNanos)).toBe(0.6);
  });

  test('says no once nothing in flight could make room', async () => {
    const desk = new BudgetDesk(openBudget(1));
    await desk.reserve(0.6);
    const second = desk.reserve(0.6);
    desk.settle(0.6, { known: true, usd: 0.6 });
    expect(await second).toBe(false);
  });
});

exampleTests('src/run/budget.ts', {
  names: [
    'openBudget',
    'capBudget',
    'reserveBudget',
    'settleBudget',
    'costOf',
    'usageUsd',
    'usageTokens',
    'sumAmounts',
    'spentOn',
    'attemptReserveUsd',
    'controlCellCount',
    'capProblem',
    'usdOf',
  ],
  scope: {
    openBudget,
    capBudget,
    reserveBudget,
    settleBudget,
    unknownCost,
    costOf,
    usageUsd,
    usageTokens,
    sumAmounts,
    spentOn,
    attemptReserveUsd,
    controlCellCount,
    capProblem,
    usdOf,
  },
});
