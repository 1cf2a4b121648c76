/**
 * The error a gate may spend at a look of a group-sequential design, so that all looks together spend its whole error.
 *
 * A look's information is the share of the units a measure applies to. A bound whose scores are jointly normal over the looks takes the
 * nominal error of the design's critical value; a finite-sample bound takes the error the design spends at that look, and the looks
 * add up whatever their joint law. Anytime bounds hold at every look at once and share nothing.
 */
import type { Look } from '../analysis/evidence.ts';
import { canonicalText } from '../base/canonical.ts';
import type { SealedExperiment } from '../spec/seal.ts';
import { type Spending, sequentialOf } from '../spec/stopping.ts';
import { type GroupSequentialBounds, groupSequentialBounds } from '../stats/group-sequential.ts';

/** What is to be shared among the looks. */
export interface LookRequest {
  readonly measure: string;
  readonly guarantee: 'finite-sample' | 'asymptotic';
  /** One-sided error of all looks together, in (0, 0.5). */
  readonly error: number;
}

/** A look at which the design spends next to nothing keeps this much, so that its bound exists. */
const leastError = 1e-15;

const known = new Map<string, GroupSequentialBounds>();

/** Bounds of a design, computed once: the search takes some 50 ms and every gate and candidate asks for the same ones. */
export function lookBounds(
  spending: Spending,
  information: readonly number[],
  significanceLevel: number,
): GroupSequentialBounds {
  const key = canonicalText([spending, information, significanceLevel]);
  const found = known.get(key);
  if (found !== undefined) return found;
  const bounds = groupSequentialBounds(designOf(spending, information, significanceLevel));
  known.set(key, bounds);
  return bounds;
}

function designOf(
  spending: Spending,
  information: readonly number[],
  significanceLevel: number,
): Parameters<typeof groupSequentialBounds>[0] {
  switch (spending) {
    case 'obrien-fleming':
    case 'pocock':
      return {
        design: spending,
        looks: information.length,
        information,
        significanceLevel,
        sides: 1,
      };
    case 'lan-demets-obrien-fleming':
      return { design: 'spending-obrien-fleming', information, significanceLevel };
    case 'lan-demets-pocock':
      return { design: 'spending-pocock', information, significanceLevel };
  }
}

/** Where a measure stands at a look: its distinct information shares, and which of them the look has; -1 before the first unit. */
export function informationAt(
  look: Look,
  measure: string,
): { readonly shares: readonly number[]; readonly at: number } {
  const units = look.applicable.get(measure) ?? [];
  const all = units.at(-1) ?? 0;
  const shares = [...new Set(units)].filter((each) => each > 0).map((each) => each / all);
  return { shares, at: shares.indexOf((units[look.number - 1] ?? 0) / all) };
}

/**
 * One-sided error of a gate's bound at a look.
 *
 * A look without a new unit of the measure sees what the look before saw, and reads it at the same error.
 *
 * @returns the whole error without a look and under an anytime rule
 * @example lookError(seal, undefined, { measure: 'right', guarantee: 'asymptotic', error: 0.025 }) // => 0.025
 */
export function lookError(
  seal: SealedExperiment,
  look: Look | undefined,
  { measure, guarantee, error }: LookRequest,
): number {
  const rule = sequentialOf(seal.spec);
  if (look === undefined || rule?.rule !== 'group-sequential') return error;
  const { shares, at } = informationAt(look, measure);
  if (at < 0) return leastError;
  const { nominalP, stageError } = lookBounds(rule.spending, shares, error);
  const own = guarantee === 'asymptotic' ? nominalP[at] : stageError[at];
  return Math.max(leastError, own ?? 0);
}

/** Error of the first looks together, of the whole error of a gate: what is spent when measuring stops at this one. */
export function spentError(
  seal: SealedExperiment,
  look: Look,
  { measure, error }: Omit<LookRequest, 'guarantee'>,
): number {
  const rule = sequentialOf(seal.spec);
  if (rule?.rule !== 'group-sequential') return error;
  const { shares, at } = informationAt(look, measure);
  if (at < 0) return 0;
  return at === shares.length - 1
    ? error
    : (lookBounds(rule.spending, shares, error).cumulativeError[at] ?? 0);
}
