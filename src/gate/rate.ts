/**
 * The `rate` gate: one arm's rate over the units its measure applies to, held against a limit by a bound that is valid at every
 * sample size: Clopper and Pearson's for one cell per unit, the betting bound on [0, 1] for unit means of several cells.
 *
 * A rate is a rate: the measure's direction is not applied. Lost cells are left out where the gate is read as seen, counted against
 * it where losses are filled, and in its favour before an outage may breach it.
 */
import type { CandidateAnalysis } from '../analysis/analyze.ts';
import { measureOf } from '../analysis/evidence.ts';
import type { CellValue, Pair } from '../analysis/pair.ts';
import { isLostByFault, isMissingClass } from '../analysis/settle.ts';
import { LiftgateError } from '../base/errors.ts';
import type { Rows } from '../base/rows.ts';
import { type GateOf, gateName, type RateLimit, rateLimit } from '../spec/gates.ts';
import { valueRange } from '../spec/measure.ts';
import type { SealedExperiment } from '../spec/seal.ts';
import { bettingBounds } from '../stats/betting.ts';
import { type Bounds, type Indeterminate, isIndeterminate } from '../stats/interval.ts';
import { clopperPearsonLower, clopperPearsonUpper, wilsonInterval } from '../stats/proportion.ts';
import { roundSignificant } from '../stats/rounding.ts';
import { sum } from '../stats/summary.ts';
import { type Contribution, type ContributionParts, contributionOf, shownNumber } from './gate.ts';

/** A rate gate with its sealed method. */
export interface RateGate {
  readonly declared: GateOf<'rate'>;
  readonly limit: RateLimit;
  readonly method: 'clopper-pearson' | 'betting-fixed-n';
  /** The value that counts as 1. */
  readonly one: number;
  readonly truncation: number;
  /** Coverage of the interval that is shown. */
  readonly level: number;
}

/**
 * A rate gate as sealed.
 * @throws {LiftgateError} seal-invalid  if the seal resolves no method for it, or it has no limit
 */
export function rateGate(seal: SealedExperiment, declared: GateOf<'rate'>): RateGate {
  const limit = rateLimit(declared);
  const method = seal.analysis.methods.find(
    ({ gate, measure, threshold }) =>
      gate === 'rate' && measure === declared.measure && threshold === limit?.value,
  )?.method;
  if (limit === null || (method !== 'clopper-pearson' && method !== 'betting-fixed-n')) {
    const name = gateName(declared);
    throw new LiftgateError('seal-invalid', `The seal resolves no method for the gate "${name}".`, {
      where: { path: 'analysis.methods' },
      mend: 'Seal the experiment again; a design without a method for a gate is refused then.',
    });
  }
  const one = valueRange(measureOf(seal, declared.measure))?.upper ?? 1;
  const { bettingTruncation: truncation, level } = seal.analysis;
  return { declared, limit, method, one, truncation, level };
}

/** What a lost value counts as, between 0 and 1; null leaves it out. */
type Fill = (reason: string) => number | null;

interface ArmShares {
  /** Share of ones of each unit that has a value, in the sealed order. */
  readonly shares: readonly number[];
  readonly cells: number;
  readonly lost: readonly string[];
}

function cellShare(value: CellValue, one: number, fill: Fill): number | null {
  return value.status === 'valued' ? value.value / one : fill(value.reason);
}

function armShares(
  { declared, one }: RateGate,
  { pairs, order }: RateInput,
  fill: Fill,
): ArmShares {
  const units = new Map<string, number[]>();
  let cells = 0;
  for (const pair of pairs) {
    const share = cellShare(pair[declared.arm], one, fill);
    if (share === null) continue;
    cells += 1;
    units.set(pair.unit, [...(units.get(pair.unit) ?? []), share]);
  }
  return {
    shares: order.flatMap((unit) => {
      const own = units.get(unit);
      return own === undefined ? [] : [sum(own) / own.length];
    }),
    cells,
    lost: pairs.flatMap((pair) => {
      const value = pair[declared.arm];
      return value.status === 'lost' ? [value.reason] : [];
    }),
  };
}

/**
 * Bounds of a rate from the shares of its units in the sealed order, each one-sided.
 * @returns indeterminate('no-units') without a unit, indeterminate('several-cells-per-unit') for a share no exact bound can take
 */
export function rateBounds(
  { method, truncation }: Pick<RateGate, 'method' | 'truncation'>,
  shares: readonly number[],
  error: number,
): Bounds | Indeterminate {
  if (method === 'betting-fixed-n') {
    return bettingBounds(shares, { range: { lower: 0, upper: 1 }, error, truncation });
  }
  const counts = { successes: shares.filter((share) => share === 1).length, units: shares.length };
  const lower = clopperPearsonLower(counts, error);
  const upper = clopperPearsonUpper(counts, error);
  if (typeof lower !== 'number') return lower;
  if (typeof upper !== 'number') return upper;
  return { lower, upper };
}

/** The pairs a rate is read from, the sealed order of units, and the error of its bounds. */
export interface RateInput {
  readonly pairs: Rows<Pair>;
  readonly order: readonly string[];
  /** With every lost value counted against the gate. */
  readonly filled: boolean;
  readonly error: number;
}

/** Shares of the units that have a value, in the sealed order: what the bounds are made from. */
export function seenShares(gate: RateGate, input: RateInput): readonly number[] {
  return armShares(gate, input, () => null).shares;
}

/** What of an analysis a rate gate reads. */
export function ratePairs(candidate: CandidateAnalysis, measure: string): Rows<Pair> {
  return candidate.measures.get(measure)?.pairs ?? [];
}

function roundedBounds(gate: RateGate, shares: readonly number[], error: number): Bounds | null {
  const found = rateBounds(gate, shares, error);
  if (isIndeterminate(found)) return null;
  return { lower: roundSignificant(found.lower, 1), upper: roundSignificant(found.upper, 1) };
}

function isBreached({ limit }: RateGate, { lower, upper }: Bounds): boolean {
  return limit.side === 'min' ? upper <= limit.value : lower >= limit.value;
}

/** What was seen, with Wilson's interval where units are counted. */
function seenText({ declared, method, level }: RateGate, { shares }: ArmShares): string {
  const rate = shownNumber(sum(shares) / shares.length);
  if (method === 'betting-fixed-n') {
    return `mean rate ${rate} over ${shares.length} ${declared.arm} units`;
  }
  const counts = { successes: shares.filter((share) => share === 1).length, units: shares.length };
  const shown = wilsonInterval(counts, level);
  const wilson = isIndeterminate(shown)
    ? ''
    : ` (Wilson ${shownNumber(shown.lower)} .. ${shownNumber(shown.upper)})`;
  return `${counts.successes} of ${counts.units} ${declared.arm} units, ${rate}${wilson}`;
}

/** Contribution of a rate gate at one error level. */
export function judgeRate(gate: RateGate, input: RateInput): Contribution {
  const { declared, limit } = gate;
  const { error, filled } = input;
  const against = limit.side === 'min' ? 0 : 1;
  const seen = armShares(gate, input, () => (filled ? against : null));
  const common = {
    name: gateName(declared),
    gate: declared.gate,
    measure: declared.measure,
    required: declared.required,
    threshold: limit.value,
    errorLevel: roundSignificant(error),
    n: { units: seen.shares.length, pairs: 0, cells: seen.cells, discordant: 0 },
  };
  const bounds = roundedBounds(gate, seen.shares, error);
  if (bounds === null) {
    const reason = `no ${declared.arm} unit has a value`;
    return contributionOf({ ...common, ...insufficient(reason, seen) });
  }
  const text = seenText(gate, seen);
  if (isBreached(gate, bounds)) {
    return contributionOf({ ...common, ...breach(gate, { input, seen, bounds, text }) });
  }
  const bound = limit.side === 'min' ? bounds.lower : bounds.upper;
  const clears = limit.side === 'min' ? bound > limit.value : bound < limit.value;
  const place = `${clears ? 'is' : 'is not'} ${limit.side === 'min' ? 'above' : 'below'}`;
  return contributionOf({
    ...common,
    statistic: bound,
    finding: clears ? 'cleared' : 'unresolved',
    reason: `${text}: the ${limit.side === 'min' ? 'lower' : 'upper'} bound ${shownNumber(bound)} ${place} ${shownNumber(limit.value)}`,
  });
}

type RateFinding = Pick<ContributionParts, 'finding' | 'reason' | 'flags' | 'statistic'>;

function insufficient(reason: string, { lost }: ArmShares): RateFinding {
  const byFault = lost.length > 0 && lost.every(isLostByFault);
  return { finding: 'insufficient', reason, flags: byFault ? ['lost-by-fault'] : [] };
}

interface BreachParts {
  readonly input: RateInput;
  readonly seen: ArmShares;
  readonly bounds: Bounds;
  readonly text: string;
}

/** A breach that stands with every missing cell in the gate's favour; an outage alone never gives hold. */
function breach(gate: RateGate, { input, seen, bounds, text }: BreachParts): RateFinding {
  const isMin = gate.limit.side === 'min';
  const statistic = isMin ? bounds.upper : bounds.lower;
  const reason = `${text}: the ${isMin ? 'upper' : 'lower'} bound ${shownNumber(statistic)} is at or ${isMin ? 'below' : 'above'} ${shownNumber(gate.limit.value)}`;
  const favour = isMin ? 1 : 0;
  const spared = armShares(gate, input, (why) => (isMissingClass(why) ? favour : null));
  const kept = roundedBounds(gate, spared.shares, input.error);
  if (kept !== null && isBreached(gate, kept)) return { finding: 'breached', statistic, reason };
  return {
    ...insufficient(`${reason}, but the missing cells could undo it`, seen),
    statistic,
  };
}
