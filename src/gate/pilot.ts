/** What recorded receipts say about the spread, likeness, rates, losses and costs that another design should expect: a pilot. */
import {
  type Analysis,
  analyzeEvidence,
  type CandidateAnalysis,
  type MeasureAnalysis,
} from '../analysis/analyze.ts';
import type { Evidence } from '../analysis/evidence.ts';
import type { SettledCell } from '../analysis/settle.ts';
import type { UnitValue } from '../analysis/unit-value.ts';
import { type Rows, rowsOf } from '../base/rows.ts';
import { usageTokens, usageUsd } from '../run/budget.ts';
import type { Assumptions, MeasureAssumption, SpendingAssumption } from '../spec/assumptions.ts';
import { latencyForm } from '../spec/gates.ts';
import { type Measure, valueRange, worstValue } from '../spec/measure.ts';
import type { SealedExperiment } from '../spec/seal.ts';
import { candidateIds } from '../spec/spec.ts';
import { roundSignificant } from '../stats/rounding.ts';
import { moments, sum } from '../stats/summary.ts';

/**
 * Correlation of two pairs of one unit, from the spread between and within units; null where no unit has two pairs or nothing varies.
 * @returns in [0, 1]: what falls below 0 by chance counts as 0
 * @example unitCorrelation([[1, 1], [0, 0]]) // => 1
 * @see Donner & Koval (1980), Biometrics 36:19: the analysis-of-variance estimator for units of unequal size
 */
export function unitCorrelation(units: readonly (readonly number[])[]): number | null {
  const total = units.reduce((all, unit) => all + unit.length, 0);
  const [between, within] = [units.length - 1, total - units.length];
  if (between < 1 || within < 1) return null;
  const grand = sum(units.flat()) / total;
  const means = units.map((unit) => sum(unit) / unit.length);
  const amongUnits = sum(
    units.map((unit, at) => unit.length * ((means[at] ?? 0) - grand) * ((means[at] ?? 0) - grand)),
  );
  const insideUnits = sum(
    units.flatMap((unit, at) =>
      unit.map((value) => (value - (means[at] ?? 0)) * (value - (means[at] ?? 0))),
    ),
  );
  const size = (total - sum(units.map((unit) => unit.length * unit.length)) / total) / between;
  const [large, small] = [amongUnits / between, insideUnits / within];
  const spread = large + (size - 1) * small;
  if (spread <= 0) return null;
  return roundSignificant(Math.max(0, Math.min(1, (large - small) / spread)), 1);
}

/** Whether both declare the same values. */
function isSameScale(first: Measure, second: Measure | undefined): boolean {
  if (second === undefined || first.kind !== second.kind) return false;
  const [one, other] = [valueRange(first), valueRange(second)];
  return (
    first.direction === second.direction &&
    one?.lower === other?.lower &&
    one?.upper === other?.upper
  );
}

/** Share of the candidate's cells that a gate of the design counts, or null where none does or no cell has a value. */
function rateOfCells(
  design: SealedExperiment,
  { id, pairs }: MeasureAnalysis,
  measure: Measure,
): number | null {
  const values = pairs.flatMap(({ candidate }) =>
    candidate.status === 'valued' ? [candidate.value] : [],
  );
  const limits = design.decision.gates.flatMap((gate) => {
    const form = gate.gate === 'latency' && gate.measure === id ? latencyForm(gate) : null;
    return form?.form === 'quantile' ? [form.max] : [];
  });
  const [limit] = limits;
  const counts =
    measure.role === 'critical'
      ? (value: number) => value === worstValue(measure)
      : measure.kind === 'binary'
        ? (value: number) => value !== 0
        : limit === undefined
          ? null
          : (value: number) => value >= limit;
  if (counts === null || values.length === 0) return null;
  return roundSignificant(values.filter(counts).length / values.length, 1);
}

function improvementsOf(units: Rows<UnitValue>): number[][] {
  return units.map(({ values }) => values.map(({ improvement }) => improvement));
}

function measureAssumption(
  design: SealedExperiment,
  measured: MeasureAnalysis,
  measure: Measure,
): MeasureAssumption {
  const { sample } = measured;
  const units = improvementsOf(sample.units);
  const all = units.flat();
  const rate = rateOfCells(design, measured, measure);
  if (all.length < 2) return rate === null ? {} : { rate };
  const deviation = roundSignificant(Math.sqrt(moments(all).variance));
  const discordance = roundSignificant(sample.n.discordant / sample.n.pairs, 1);
  const correlation = unitCorrelation(units);
  return {
    ...(measure.kind === 'binary' ? { discordance } : deviation > 0 ? { deviation } : {}),
    ...(correlation === null ? {} : { correlation }),
    ...(rate === null ? {} : { rate }),
  };
}

/** Known amounts of settled cells; null as soon as one of them is unknown. */
function amountsOf(
  cells: Rows<SettledCell>,
  read: typeof usageUsd | typeof usageTokens,
): number[] | null {
  const amounts = cells.flatMap(({ settlement }) =>
    settlement.status === 'settled' ? [read(settlement.receipt.usage)] : [],
  );
  const known = amounts.flatMap((each) => (each.known ? [each.value] : []));
  return known.length < amounts.length || known.length < 2 ? null : known;
}

function spendingOf(
  baseline: readonly number[] | null,
  candidate: readonly number[] | null,
): SpendingAssumption | null {
  if (baseline === null || candidate === null) return null;
  const [one, other] = [moments(baseline), moments(candidate)];
  return {
    baseline: roundSignificant(one.mean),
    candidate: roundSignificant(other.mean),
    deviation: roundSignificant(Math.sqrt(Math.max(one.variance, other.variance))),
  };
}

function spendingFacts(
  { baselineCells }: Analysis,
  own: Rows<SettledCell>,
): Pick<Assumptions, 'usdPerCell' | 'tokensPerCell'> {
  const usd = spendingOf(amountsOf(baselineCells, usageUsd), amountsOf(own, usageUsd));
  const tokens = spendingOf(amountsOf(baselineCells, usageTokens), amountsOf(own, usageTokens));
  return {
    ...(usd === null ? {} : { usdPerCell: usd }),
    ...(tokens === null ? {} : { tokensPerCell: tokens }),
  };
}

function cellFacts(cells: Rows<SettledCell>): Pick<Assumptions, 'lossRate' | 'msPerCell'> {
  const settled = cells.flatMap(({ settlement }) =>
    settlement.status === 'settled' ? [settlement.receipt] : [],
  );
  const times = settled.flatMap(({ timing: { activeMs } }) =>
    activeMs === null ? [] : [activeMs],
  );
  return {
    ...(cells.length === 0
      ? {}
      : { lossRate: roundSignificant(1 - settled.length / cells.length, 1) }),
    ...(times.length === 0 ? {} : { msPerCell: roundSignificant(sum(times) / times.length) }),
  };
}

/** What a pilot says of one candidate of a design. */
export interface CandidatePilot {
  readonly candidate: string;
  /** The candidate of the pilot that it was read from: that of its name, or the first where there is none. */
  readonly from: string;
  /** Its measures and spending; losses and times of every arm that was read. */
  readonly assumptions: Assumptions;
}

function candidateFacts(
  analysis: Analysis,
  { measures, cells }: CandidateAnalysis,
  design: SealedExperiment,
): Assumptions {
  const read = [...measures.values()].flatMap((measured) => {
    const wanted = design.spec.measures[measured.id];
    return wanted !== undefined && isSameScale(measured.measure, wanted)
      ? [[measured.id, measureAssumption(design, measured, wanted)] as const]
      : [];
  });
  return { measures: Object.fromEntries(read), ...spendingFacts(analysis, cells) };
}

/**
 * Assumptions for a design from recorded receipts, of every measure that both declare alike: for each candidate from the pilot's own of
 * its name, or from its first where the pilot has none.
 *
 * @returns  one for each candidate of the design, in its order; losses and times are the same in all of them
 * @param evidence  receipts of other units than the design's
 * @param design    seal whose gates say which rates are wanted
 */
export function readPilot(evidence: Evidence, design: SealedExperiment): readonly CandidatePilot[] {
  const analysis = analyzeEvidence(evidence);
  const [first] = analysis.candidates;
  if (first === undefined) return [];
  const wanted = candidateIds(design.spec).map((candidate) => ({
    candidate,
    source: analysis.candidates.find(({ id }) => id === candidate) ?? first,
  }));
  const sources = [...new Set(wanted.map(({ source }) => source))];
  const facts = new Map(sources.map((each) => [each.id, candidateFacts(analysis, each, design)]));
  const cells = sources.reduce((all, each) => rowsOf(all, each.cells), analysis.baselineCells);
  const shared = cellFacts(cells);
  return wanted.map(({ candidate, source: { id: from } }) => ({
    candidate,
    from,
    assumptions: { ...facts.get(from), ...shared },
  }));
}
