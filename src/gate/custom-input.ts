/** What a custom gate is given: the paired unit values of its measures, intervals it asks for, and counts, never receipts, texts of cases or the ledger. */
import { type Analysis, type CandidateAnalysis, sealedMethod } from '../analysis/analyze.ts';
import { estimateImprovement } from '../analysis/estimate.ts';
import { fillWorstCase, type Pair } from '../analysis/pair.ts';
import type { SettledCell } from '../analysis/settle.ts';
import type { Sample } from '../analysis/unit-value.ts';
import { canonicalText } from '../base/canonical.ts';
import { digestOf } from '../base/digest.ts';
import { invariant, LiftgateError } from '../base/errors.ts';
import type { Rows } from '../base/rows.ts';
import type { GateQuestion } from '../run/gate-reply.ts';
import { type GateOf, gateName } from '../spec/gates.ts';
import { guaranteeOf } from '../spec/inference.ts';
import { type Measure, valueRange } from '../spec/measure.ts';
import { roundSignificant } from '../stats/rounding.ts';
import { sum } from '../stats/summary.ts';
import type { GateInput, GateInterval, GateMeasure } from './define-gate.ts';
import { lookError } from './look-error.ts';

/** Outcomes of the cells of one arm: how many ended in each class, cells that never ran as `not-run`. */
function outcomesOf(cells: Rows<SettledCell>): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { settlement } of cells) {
    const word = settlement.status === 'settled' ? settlement.receipt.outcome : settlement.reason;
    counts[word] = (counts[word] ?? 0) + 1;
  }
  return counts;
}

interface ArmSums {
  readonly baseline: number[];
  readonly candidate: number[];
}

function valuesByUnit(pairs: Rows<Pair>): ReadonlyMap<string, ArmSums> {
  const found = new Map<string, ArmSums>();
  for (const { unit, baseline, candidate } of pairs) {
    if (baseline.status === 'lost' || candidate.status === 'lost') continue;
    const own = found.get(unit) ?? { baseline: [], candidate: [] };
    own.baseline.push(baseline.value);
    own.candidate.push(candidate.value);
    found.set(unit, own);
  }
  return found;
}

const mean = (values: readonly number[]): number => roundSignificant(sum(values) / values.length);

/** The declared intervals of one measure of a gate, by the method that the seal resolved for them. */
function intervalsOf(
  { declared, analysis }: CustomRequest,
  id: string,
  { measure, sample }: { readonly measure: Measure; readonly sample: Sample },
): readonly GateInterval[] {
  const { seal, look } = analysis;
  const asked = (declared.intervals ?? []).filter((each) => each.measure === id);
  if (asked.length === 0) return [];
  const method = sealedMethod(seal, { measure: id, gate: 'custom', threshold: 0 });
  if (method === null) {
    throw new LiftgateError(
      'seal-invalid',
      `The seal resolves no method for the intervals of "${id}".`,
      {
        where: { path: 'analysis.methods' },
        mend: 'Seal the experiment again; a design without a method for an interval is refused then.',
      },
    );
  }
  return asked.map(({ level }): GateInterval => {
    const error = lookError(seal, look, {
      measure: id,
      guarantee: guaranteeOf(method),
      error: roundSignificant((1 - level) / 2),
    });
    const found = estimateImprovement({ seal, measureId: id, measure, sample, method, error });
    if (found.status !== 'estimated') {
      return { status: found.status, level, reason: found.reason };
    }
    const { value, interval, guarantee } = found.estimate;
    const { lower, upper } = interval;
    return {
      status: 'estimated',
      level,
      value,
      lower,
      upper,
      method: found.estimate.method,
      guarantee,
    };
  });
}

function measureInput(request: CustomRequest, id: string): GateMeasure | null {
  const { candidate, filled } = request;
  const analysis = candidate.measures.get(id);
  invariant(analysis !== undefined, 'every declared measure is analysed');
  const { measure, pairs } = analysis;
  const sample = filled ? analysis.filled : analysis.sample;
  const used = filled ? fillWorstCase(pairs, measure) : pairs;
  if (sample === null || used === null) return null;
  const values = valuesByUnit(used);
  const lost = (side: 'baseline' | 'candidate'): number =>
    sample.lost.filter((each) => each.side === side).length;
  const intervals = intervalsOf(request, id, { measure, sample });
  return {
    kind: measure.kind,
    role: measure.role,
    direction: measure.direction,
    range: valueRange(measure),
    units: sample.units.map(({ unit, improvement, pairs: complete }) => {
      const own = values.get(unit);
      invariant(own !== undefined, 'a unit with a value has complete pairs');
      const arms = { baseline: mean(own.baseline), candidate: mean(own.candidate) };
      return { unit, ...arms, improvement: roundSignificant(improvement), pairs: complete };
    }),
    plannedPairs: pairs.length,
    lost: { baseline: lost('baseline'), candidate: lost('candidate') },
    ...(intervals.length === 0 ? {} : { intervals }),
  };
}

/** A custom gate and what it is to be asked about. */
export interface CustomRequest {
  readonly declared: GateOf<'custom'>;
  readonly analysis: Analysis;
  readonly candidate: CandidateAnalysis;
  /** Whether every lost value is counted against the candidate. */
  readonly filled: boolean;
}

/** Why a custom gate is not asked: a measure without any unit, or without a range to fill its losses from. */
export interface NotAsked {
  readonly measure: string;
  readonly why: 'no-unit' | 'no-range';
}

/** The intervals of a question by measure, as records keep them beside the reply. */
function givenIntervals(
  { measures: ids }: GateOf<'custom'>,
  measures: Readonly<Record<string, GateMeasure>>,
): NonNullable<GateQuestion['intervals']> {
  return ids.flatMap((measure) =>
    (measures[measure]?.intervals ?? []).map((interval) => ({ measure, ...interval })),
  );
}

/**
 * The question to a custom gate about one candidate, or why there is none to ask.
 *
 * Equal evidence gives an equal question, byte for byte: numbers have 12 significant digits, units stand in the sealed order.
 */
export function customQuestion(request: CustomRequest): GateQuestion | NotAsked {
  const { declared, analysis, candidate } = request;
  const measures: Record<string, GateMeasure> = {};
  for (const id of declared.measures) {
    const found = measureInput(request, id);
    if (found === null) return { measure: id, why: 'no-range' };
    if (found.units.length === 0) return { measure: id, why: 'no-unit' };
    measures[id] = found;
  }
  const { seal, order, look } = analysis;
  const input: GateInput = {
    type: 'liftgate/gate-input/v1',
    gate: gateName(declared),
    candidate: candidate.id,
    level: seal.analysis.level,
    look: look === undefined ? null : { number: look.number, of: look.of },
    plannedUnits: order.length,
    measures,
    cells: {
      baseline: outcomesOf(analysis.baselineCells),
      candidate: outcomesOf(candidate.cells),
    },
    options: declared.options ?? {},
  };
  const text = canonicalText(input);
  return {
    gate: input.gate,
    candidate: input.candidate,
    input: text,
    digest: digestOf(text),
    units: Math.max(...Object.values(measures).map(({ units }) => units.length)),
    ...(declared.intervals === undefined ? {} : { intervals: givenIntervals(declared, measures) }),
  };
}
