/** Cost, tokens and outcome classes by arm: what is known summed, what is unknown counted, never mixed. */
import type { Rows } from '../base/rows.ts';
import type { EvidenceLine, MeasuredUsage } from '../run/measured-line.ts';
import { type OutcomeClass, outcomeClassSchema } from '../spec/spec.ts';
import { roundSignificant } from '../stats/rounding.ts';
import { sum } from '../stats/summary.ts';

/** Known cost of some calls in dollars, and how many calls it covers. */
export interface CostView {
  readonly knownUsd: number;
  readonly known: number;
  readonly unknown: number;
}

/** Known tokens of some calls, and how many calls they cover. */
export interface TokensView {
  readonly input: number;
  readonly cachedInput: number;
  readonly output: number;
  readonly reasoning: number;
  readonly known: number;
  readonly unknown: number;
}

/** All attempts of one arm. */
export interface ArmUsage {
  readonly arm: string;
  readonly attempts: number;
  readonly classes: readonly { readonly class: OutcomeClass; readonly count: number }[];
  readonly execution: CostView;
  /** Attempts whose grading reported its usage; grading without a report is not counted here. */
  readonly grading: CostView;
  readonly tokens: TokensView;
}

function costView(usages: readonly MeasuredUsage[]): CostView {
  const known = usages.flatMap(({ costKnown, costUsd }) =>
    costKnown && costUsd !== null ? [costUsd] : [],
  );
  return {
    knownUsd: roundSignificant(sum(known)),
    known: known.length,
    unknown: usages.length - known.length,
  };
}

function tokensView(usages: readonly MeasuredUsage[]): TokensView {
  const known = usages.flatMap(({ tokens, tokensKnown }) =>
    tokensKnown && tokens !== null ? [tokens] : [],
  );
  return {
    input: sum(known.map((each) => each.input)),
    cachedInput: sum(known.map((each) => each.cachedInput)),
    output: sum(known.map((each) => each.output)),
    reasoning: sum(known.map((each) => each.reasoning)),
    known: known.length,
    unknown: usages.length - known.length,
  };
}

/** Usage of the named arms in their order, from every attempt. */
export function armUsages(arms: readonly string[], lines: Rows<EvidenceLine>): ArmUsage[] {
  return arms.map((arm) => {
    const receipts = lines.filter((line) => line.cell.arm === arm).map((line) => line.receipt);
    const usages = receipts.map((receipt) => receipt.usage);
    return {
      arm,
      attempts: receipts.length,
      classes: outcomeClassSchema.options.flatMap((name) => {
        const count = receipts.filter((receipt) => receipt.outcome === name).length;
        return count === 0 ? [] : [{ class: name, count }];
      }),
      execution: costView(usages),
      grading: costView(receipts.flatMap(({ gradeUsage }) => gradeUsage ?? [])),
      tokens: tokensView(usages),
    };
  });
}
