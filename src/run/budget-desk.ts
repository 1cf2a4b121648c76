/** Budget accounts shared by the cells in flight. */
import { type AttemptCost, type Budget, reserveBudget, settleBudget } from './budget.ts';

/** Hands out reservations; whoever finds no room waits for attempts in flight to settle below their reservation. */
export class BudgetDesk {
  private budget: Budget;
  private waiting: (() => void)[] = [];

  constructor(budget: Budget) {
    this.budget = budget;
  }

  /** Accounts as they stand. */
  get accounts(): Budget {
    return this.budget;
  }

  /** True when `usd` is reserved; false when the cap leaves no room and nothing in flight could make any. */
  async reserve(usd: number): Promise<boolean> {
    for (;;) {
      const next = reserveBudget(this.budget, usd);
      if (next !== null) {
        this.budget = next;
        return true;
      }
      if (this.budget.reservedNanos === 0) return false;
      await new Promise<void>((resolve) => this.waiting.push(resolve));
    }
  }

  /** Settles a reservation and wakes whoever waits for room. */
  settle(reservedUsd: number, cost: AttemptCost): void {
    this.budget = settleBudget(this.budget, reservedUsd, cost);
    const woken = this.waiting;
    this.waiting = [];
    for (const wake of woken) wake();
  }
}
