/** The analysis in one call: receipts to settled cells, pairs, samples and the funnel, for every candidate and measure. */
import { LiftgateError } from '../base/errors.ts';
import type { Rows } from '../base/rows.ts';
import type { EvidenceLine } from '../run/measured-line.ts';
import { admittedCases, type CaseIndex } from '../spec/case-index.ts';
import type { PairedGate } from '../spec/gates.ts';
import { decidingMethods, type MethodName } from '../spec/inference.ts';
import type { Measure } from '../spec/measure.ts';
import type { ResolvedMethod, SealedExperiment } from '../spec/seal.ts';
import {
  baselineOf,
  candidateArms,
  type Evidence,
  type Look,
  measureIds,
  measureOf,
  placeboOf,
} from './evidence.ts';
import { cellStages, type Funnel, type FunnelStage, measureStages, rowStages } from './funnel.ts';
import { unitOrder } from './look.ts';
import { fillOutages, fillWorstCase, type Pair, pairCells } from './pair.ts';
import { plannedCases, type SettledCell, settleCells } from './settle.ts';
import { type Sample, sampleUnits } from './unit-value.ts';

/** One measure of one candidate: what was seen, and the same with every loss counted against the candidate. */
export interface MeasureAnalysis {
  readonly id: string;
  readonly measure: Measure;
  readonly pairs: Rows<Pair>;
  readonly sample: Sample;
  /** Null when something is lost and the measure has no range to fill from. */
  readonly filled: Sample | null;
  /** With every missing cell counted in the candidate's favour; null as above. */
  readonly spared: Sample | null;
  readonly stages: readonly FunnelStage[];
}

/** One candidate: its cells in the order of `settleCells`, and its measures by id. */
export interface CandidateAnalysis {
  readonly id: string;
  readonly cells: Rows<SettledCell>;
  readonly measures: ReadonlyMap<string, MeasureAnalysis>;
  /** Measures that neutral-control gates read, against the placebo in place of the baseline; null without a placebo arm. */
  readonly overPlacebo: ReadonlyMap<string, MeasureAnalysis> | null;
}

/** What the gates read: nothing here depends on a level or a threshold. */
export interface Analysis {
  readonly seal: SealedExperiment;
  readonly index: CaseIndex;
  /** Every attempt of every cell. */
  readonly lines: Rows<EvidenceLine>;
  readonly baselineCells: Rows<SettledCell>;
  /** Cells of the placebo arm; none without one. */
  readonly placeboCells: Rows<SettledCell>;
  /** Every final unit in the sealed order, with or without a value; at a look the first ones. */
  readonly order: readonly string[];
  /** The look it was made at, where the design has looks. */
  readonly look?: Look;
  /** In the order that decides ties. */
  readonly candidates: readonly CandidateAnalysis[];
  readonly funnel: Funnel;
}

function requireFinal(seal: SealedExperiment): void {
  if (seal.stage !== 'final') {
    throw new LiftgateError(
      'seal-invalid',
      `A decision needs a seal of stage "final", got "${seal.stage}".`,
      {
        where: { path: 'stage' },
        mend: 'Bind the candidates first: `run`, or `seal --candidates`.',
      },
    );
  }
}

/**
 * Analyses all receipts of a sealed experiment.
 *
 * @throws {LiftgateError} seal-invalid if the seal is not final, receipt-invalid as in `settleCells`
 */
export function analyzeEvidence(evidence: Evidence): Analysis {
  requireFinal(evidence.seal);
  const settled = settleCells(evidence);
  const baselineCells = settled.get(baselineOf(evidence.seal).id) ?? [];
  const cases = new Map(admittedCases(evidence.index).map((each) => [each.id, each]));
  const planned = plannedCases(evidence);
  const { look } = evidence;
  const order = unitOrder(evidence).filter((unit) => look === undefined || look.units.has(unit));
  const placebo = placeboOf(evidence.seal);
  const placeboCells = placebo === null ? [] : (settled.get(placebo.id) ?? []);
  const candidates = candidateArms(evidence.seal).map((arm): CandidateAnalysis => {
    const cells = settled.get(arm.id) ?? [];
    const over = (
      ids: readonly string[],
      baseline: Rows<SettledCell>,
    ): ReadonlyMap<string, MeasureAnalysis> =>
      new Map(
        ids.map((id) => {
          const measure = measureOf(evidence.seal, id);
          const pairs = pairCells({ measureId: id, measure, cases, candidate: cells, baseline });
          return [id, analyzeMeasure({ id, measure, pairs, order, finalCases: planned.length })];
        }),
      );
    return {
      id: arm.id,
      cells,
      measures: over(measureIds(evidence.seal), baselineCells),
      overPlacebo: placebo === null ? null : over(neutralMeasures(evidence.seal), placeboCells),
    };
  });
  return {
    seal: evidence.seal,
    index: evidence.index,
    lines: evidence.lines,
    baselineCells,
    placeboCells,
    order,
    ...(look === undefined ? {} : { look }),
    candidates,
    funnel: funnelOf(evidence, candidates, baselineCells),
  };
}

/** Ids of the measures that are compared with the placebo. */
function neutralMeasures(seal: SealedExperiment): string[] {
  const read = seal.decision.gates.flatMap((gate) =>
    gate.gate === 'neutral-control' ? [gate.measure] : [],
  );
  return [...new Set(read)];
}

interface MeasureInput {
  readonly id: string;
  readonly measure: Measure;
  readonly pairs: Rows<Pair>;
  readonly order: readonly string[];
  readonly finalCases: number;
}

function analyzeMeasure(input: MeasureInput): MeasureAnalysis {
  const { id, measure, pairs, order, finalCases } = input;
  const sample = sampleUnits(measure, pairs, order);
  const sampled = (from: Rows<Pair> | null): Sample | null => {
    if (from === null) return null;
    return from === pairs ? sample : sampleUnits(measure, from, order);
  };
  const estimated = new Set(sample.units.map((each) => each.unit));
  return {
    id,
    measure,
    pairs,
    sample,
    filled: sampled(fillWorstCase(pairs, measure)),
    spared: sampled(fillOutages(pairs, measure)),
    stages: measureStages(finalCases, pairs, estimated),
  };
}

function funnelOf(
  evidence: Evidence,
  candidates: readonly CandidateAnalysis[],
  baselineCells: Rows<SettledCell>,
): Funnel {
  return {
    rows: rowStages(evidence.index, evidence.look),
    candidates: candidates.map(({ id, cells, measures }) => ({
      candidate: id,
      cells: cellStages(cells, baselineCells),
      measures: [...measures.values()].map((each) => ({
        measure: each.id,
        stages: [...each.stages],
      })),
    })),
  };
}

function isMethodName(name: string): name is MethodName {
  return decidingMethods.some((method) => method === name);
}

/** Which sealed method is wanted: that of a gate, or that of a measure which is only shown. */
export interface MethodQuery {
  readonly measure: string;
  readonly gate: PairedGate['gate'] | 'pareto' | 'custom' | null;
  readonly threshold: number | null;
}

function matches(sealed: ResolvedMethod, query: MethodQuery): boolean {
  return (
    sealed.measure === query.measure &&
    sealed.gate === query.gate &&
    sealed.threshold === query.threshold
  );
}

/**
 * The sealed method of a gate or a shown measure, or null when the seal resolved none.
 * @throws {LiftgateError} seal-invalid  if the seal names a method that this version does not have
 */
export function sealedMethod(seal: SealedExperiment, query: MethodQuery): MethodName | null {
  const sealed = seal.analysis.methods.filter((each) => matches(each, query));
  const [first] = sealed;
  if (first === undefined) return null;
  // A quantile of a latency may be held against the same number as its ratio: the method of pairs is meant.
  const method = sealed.map((each) => each.method).find(isMethodName);
  if (method !== undefined) return method;
  throw new LiftgateError(
    'seal-invalid',
    `The seal decides "${query.measure}" by the method "${first.method}", which this version does not have.`,
    {
      where: { path: 'analysis.methods' },
      mend: `Use the version that sealed it; this one has ${decidingMethods.join(', ')}.`,
    },
  );
}
