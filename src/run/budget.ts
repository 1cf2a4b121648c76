/**
 * Budget accounting: reserve before dispatch, settle with the receipt, never above the cap.
 *
 * Amounts are kept as whole nano-dollars, so that a hundred cents are exactly one dollar in any order of settling.
 */
import { invariant, type Problem } from '../base/errors.ts';
import type { Rows } from '../base/rows.ts';
import type { ExperimentSpec } from '../spec/spec.ts';
import { roundSignificant } from '../stats/rounding.ts';
import { sum } from '../stats/summary.ts';
import type { EvidenceLine } from './measured-line.ts';
import type { Usage } from './receipt.ts';

const nanosPerUsd = 1_000_000_000;

/** Accounts of one run. */
export interface Budget {
  /** Cap in nano-dollars, or null without a cap. */
  readonly capNanos: number | null;
  /** Reserved for attempts in flight. */
  readonly reservedNanos: number;
  /** Settled; attempts of unknown cost at their reservation. */
  readonly settledNanos: number;
  /** Settled attempts whose cost nobody knows. */
  readonly unknownCells: number;
}

/**
 * The accounts under a cap in dollars, or under none (null).
 * @example capBudget(openBudget(null), 5).capNanos // => 5000000000
 */
export function capBudget(budget: Budget, capUsd: number | null): Budget {
  return { ...budget, capNanos: openBudget(capUsd).capNanos };
}

/**
 * Empty accounts; `capUsd` above 0, or null for no cap.
 * @example openBudget(5) // => { capNanos: 5000000000, reservedNanos: 0, settledNanos: 0, unknownCells: 0 }
 */
export function openBudget(capUsd: number | null): Budget {
  const capNanos = capUsd === null ? null : Math.floor(nanosOf(capUsd));
  return { capNanos, reservedNanos: 0, settledNanos: 0, unknownCells: 0 };
}

function nanosOf(usd: number): number {
  const exact = usd * nanosPerUsd;
  const nearest = Math.round(exact);
  // Decimal amounts land next to a whole number; anything finer is rounded up, so that a reservation is never short.
  return Math.abs(exact - nearest) < 1e-3 ? nearest : Math.ceil(exact);
}

/**
 * The accounts with one more reservation, or null when settled + reserved + this would pass the cap.
 * @param usd  most the attempt can cost, >= 0
 * @example reserveBudget(openBudget(1), 1.01) // => null
 */
export function reserveBudget(budget: Budget, usd: number): Budget | null {
  const reservedNanos = budget.reservedNanos + nanosOf(usd);
  if (budget.capNanos !== null && budget.settledNanos + reservedNanos > budget.capNanos)
    return null;
  return { ...budget, reservedNanos };
}

/** What an attempt cost: a number, or unknown with the subtotal that is known. */
export type AttemptCost =
  | { readonly known: true; readonly usd: number }
  | { readonly known: false; readonly atLeast: number };

/** Cost of an attempt nobody answered for. */
export const unknownCost: AttemptCost = { known: false, atLeast: 0 };

/**
 * The accounts after an attempt came back. Unknown cost settles at its reservation (or its known part, if that is more).
 * @throws {LiftgateError} internal  if less than `reservedUsd` is reserved
 * @example settleBudget(reserveBudget(openBudget(1), 0.5), 0.5, unknownCost).settledNanos // => 500000000
 */
export function settleBudget(budget: Budget, reservedUsd: number, cost: AttemptCost): Budget {
  const reserved = nanosOf(reservedUsd);
  invariant(budget.reservedNanos >= reserved, 'only what was reserved is settled');
  const spent = cost.known ? nanosOf(cost.usd) : Math.max(reserved, nanosOf(cost.atLeast));
  return {
    ...budget,
    reservedNanos: budget.reservedNanos - reserved,
    settledNanos: budget.settledNanos + spent,
    unknownCells: budget.unknownCells + (cost.known ? 0 : 1),
  };
}

/** A quantity that is known whole, or of which only a part is known. */
export type Amount =
  | { readonly known: true; readonly value: number }
  | { readonly known: false; readonly atLeast: number };

/**
 * Dollars of one call. A cost called known without a number is not known.
 * @example usageUsd({ costUsd: 0.02, costKnown: false }) // => { known: false, atLeast: 0.02 }
 */
export function usageUsd({ costUsd, costKnown }: Pick<Usage, 'costUsd' | 'costKnown'>): Amount {
  return costKnown && costUsd !== null
    ? { known: true, value: costUsd }
    : { known: false, atLeast: costUsd ?? 0 };
}

/**
 * Tokens of one call: input, cached input, output and reasoning, of which none is part of another.
 * @example usageTokens({ tokens: null, tokensKnown: true }) // => { known: false, atLeast: 0 }
 */
export function usageTokens({
  tokens,
  tokensKnown,
}: Pick<Usage, 'tokens' | 'tokensKnown'>): Amount {
  if (tokens === null) return { known: false, atLeast: 0 };
  const total = tokens.input + tokens.cachedInput + tokens.output + tokens.reasoning;
  return tokensKnown ? { known: true, value: total } : { known: false, atLeast: total };
}

/**
 * The sum of some amounts: known only if each of them is.
 * @example sumAmounts([{ known: true, value: 2 }, { known: false, atLeast: 1 }]) // => { known: false, atLeast: 3 }
 */
export function sumAmounts(amounts: readonly Amount[]): Amount {
  const total = sum(amounts.map((each) => (each.known ? each.value : each.atLeast)));
  return amounts.every((each) => each.known)
    ? { known: true, value: total }
    : { known: false, atLeast: total };
}

/**
 * What an attempt cost, grading included. An attempt the host never answered has an unknown cost.
 * @example costOf({ usage: { costUsd: 0, costKnown: true }, gradeUsage: null }) // => { known: true, usd: 0 }
 */
export function costOf(receipt: {
  readonly usage: Pick<Usage, 'costUsd' | 'costKnown'>;
  readonly gradeUsage: Pick<Usage, 'costUsd' | 'costKnown'> | null;
}): AttemptCost {
  const { usage, gradeUsage } = receipt;
  const cost = sumAmounts([usage, ...(gradeUsage === null ? [] : [gradeUsage])].map(usageUsd));
  return cost.known ? { known: true, usd: cost.value } : cost;
}

/** Dollars that are known, and cells of which an attempt or its grading has an unknown cost. */
export interface Spent {
  readonly knownUsd: number;
  readonly unknownCells: number;
}

/**
 * Known cost of all attempts; a cell with one attempt of unknown cost counts as unknown, never as free.
 * @example spentOn([]) // => { knownUsd: 0, unknownCells: 0 }
 */
export function spentOn(lines: Rows<EvidenceLine>): Spent {
  const unknown = new Set<string>();
  const known: number[] = [];
  for (const { cell, receipt } of lines) {
    for (const usage of [receipt.usage, receipt.gradeUsage]) {
      if (usage === null) continue;
      if (usage.costKnown && usage.costUsd !== null) known.push(usage.costUsd);
      else unknown.add(`${cell.arm}\n${cell.repeat}\n${cell.case}`);
    }
  }
  return { knownUsd: roundSignificant(sum(known)), unknownCells: unknown.size };
}

/**
 * Most one attempt may cost under the spec, in dollars; 0 when no limit is declared.
 * @example attemptReserveUsd({ host: { limits: { maxCostUsd: 0.01 } } }) // => 0.01
 */
export function attemptReserveUsd(spec: Pick<ExperimentSpec, 'host'>): number {
  return spec.host.limits.maxCostUsd ?? 0;
}

/**
 * Cells the controls run at most, each at one attempt: `host-exit` takes a second cell to see the host come back.
 * @example controlCellCount({ controls: [{ id: 'dead', fault: 'host-exit', expect: { class: 'infrastructureFault' } }] }) // => 2
 */
export function controlCellCount(spec: Pick<ExperimentSpec, 'controls'>): number {
  return spec.controls.reduce((cells, control) => {
    if ('fault' in control) return cells + (control.fault === 'host-exit' ? 2 : 1);
    return cells + (control.case === undefined ? control.cells : 1);
  }, 0);
}

/**
 * Why the declared cap cannot pay one attempt at each planned cell and control cell, or null when it can or there is no cap.
 * @param plannedCells  cases x repeats x arms of the final split, a whole number >= 0
 * @example capProblem({ budget: {}, host: { limits: {} }, controls: [] }, 100) // => null
 */
export function capProblem(
  spec: Pick<ExperimentSpec, 'budget' | 'host' | 'controls'>,
  plannedCells: number,
): Problem | null {
  const cap = spec.budget.usd;
  if (cap === undefined) return null;
  const each = spec.host.limits.maxCostUsd;
  if (each === undefined) {
    return {
      code: 'budget-without-limit',
      where: { path: 'budget.usd' },
      message: `budget.usd is ${cap}, but nothing says what one attempt may cost.`,
      mend: 'Declare host.limits.maxCostUsd, the most one attempt may cost, or remove budget.usd.',
    };
  }
  const cells = plannedCells + controlCellCount(spec);
  const needed = nanosOf(each) * cells;
  if (needed <= nanosOf(cap)) return null;
  return {
    code: 'budget-too-small',
    where: { path: 'budget.usd' },
    message: `budget.usd is ${cap}, but one attempt at each of ${cells} cells (${plannedCells} planned, ${cells - plannedCells} of controls) may cost ${needed / nanosPerUsd}.`,
    mend: 'Raise budget.usd, lower host.limits.maxCostUsd, or plan fewer cells.',
  };
}

/**
 * Dollars of an amount in nano-dollars.
 * @example usdOf(10_000_000) // => 0.01
 */
export function usdOf(nanos: number): number {
  return nanos / nanosPerUsd;
}
