/** What a decision shows of one candidate beside its gates: the primary estimate, other measures, losses, regressed units. */
import { type Analysis, type CandidateAnalysis, sealedMethod } from '../analysis/analyze.ts';
import { type Estimate, estimateImprovement } from '../analysis/estimate.ts';
import { baselineOf, measureIds, primaryMeasure } from '../analysis/evidence.ts';
import type { SettledCell } from '../analysis/settle.ts';
import { compareCodeUnits } from '../base/canonical.ts';
import { invariant } from '../base/errors.ts';
import type { Rows } from '../base/rows.ts';
import * as z from '../base/shape.ts';
import type { CandidateJudgement } from '../gate/judge.ts';
import { placeboArm } from '../spec/spec.ts';

/** So many cells or units are named; the count is always whole. */
const namedAtMost = 20;

/** Recorded shape of missing cells. */
export const missingSchema = z.array(
  z.strictObject({
    arm: z.string(),
    reason: z.string(),
    count: z.int(),
    cells: z
      .array(z.strictObject({ case: z.string(), repeat: z.int() }))
      .describe('The first 20 by case and repeat.'),
  }),
);
/** Missing cells of a candidate and its baseline by arm and reason. */
export type MissingCells = z.infer<typeof missingSchema>;

function candidateOf(analysis: Analysis, id: string): CandidateAnalysis {
  const found = analysis.candidates.find((each) => each.id === id);
  invariant(found !== undefined, 'a judged candidate is analysed');
  return found;
}

/** Estimate of a measure that no interval gate reads, at the seal's error without regard to the number of candidates and looks. */
function shownEstimate(analysis: Analysis, candidate: string, id: string): Estimate | null {
  const { seal } = analysis;
  const method = sealedMethod(seal, { measure: id, gate: null, threshold: null });
  const measured = candidateOf(analysis, candidate).measures.get(id);
  if (method === null || measured === undefined) return null;
  const result = estimateImprovement({
    seal,
    measureId: id,
    measure: measured.measure,
    sample: measured.sample,
    method,
    error: seal.analysis.errorLevels.lift,
  });
  if (result.status !== 'estimated') return null;
  const { estimate } = result;
  return analysis.candidates.length > 1 || analysis.look !== undefined
    ? { ...estimate, flags: [...estimate.flags, 'unadjusted'] }
    : estimate;
}

/** Estimates of all measures that no interval gate reads, by code units of their ids; those without an interval are left out. */
export function shownEstimates(analysis: Analysis, candidate: string): Estimate[] {
  return measureIds(analysis.seal).flatMap((id) => shownEstimate(analysis, candidate, id) ?? []);
}

/** Estimate of the primary measure: that of its first interval gate, else the one that is only shown. */
export function primaryEstimate(analysis: Analysis, judged: CandidateJudgement): Estimate | null {
  const primary = primaryMeasure(analysis.seal);
  if (primary === null) return null;
  const gated = judged.contributions.find(
    ({ gate, measure, estimate }) =>
      gate !== 'neutral-control' && measure === primary && estimate !== null,
  );
  return gated?.estimate ?? shownEstimate(analysis, judged.candidate, primary);
}

/** Units the candidate made worse on the primary measure, by code units; the first 20 by name. */
export function regressedUnits(
  analysis: Analysis,
  candidate: string,
  primary: string | null,
): { count: number; units: string[] } {
  const measured =
    primary === null ? undefined : candidateOf(analysis, candidate).measures.get(primary);
  const units = (measured?.sample.units ?? [])
    .filter((each) => each.improvement < 0)
    .map((each) => each.unit)
    .sort(compareCodeUnits);
  return { count: units.length, units: units.slice(0, namedAtMost) };
}

/** Missing cells of a candidate, of its baseline and of the placebo. */
export function missingCells(analysis: Analysis, candidate: string): MissingCells {
  return [
    ...missingOf(baselineOf(analysis.seal).id, analysis.baselineCells),
    ...missingOf(candidate, candidateOf(analysis, candidate).cells),
    ...missingOf(placeboArm, analysis.placeboCells),
  ];
}

function missingOf(arm: string, cells: Rows<SettledCell>): MissingCells {
  const byReason = new Map<string, { case: string; repeat: number }[]>();
  for (const { cell, settlement } of cells) {
    if (settlement.status === 'settled') continue;
    const known = byReason.get(settlement.reason) ?? [];
    known.push({ case: cell.case, repeat: cell.repeat });
    byReason.set(settlement.reason, known);
  }
  return [...byReason]
    .sort(([first], [second]) => compareCodeUnits(first, second))
    .map(([reason, lost]) => ({
      arm,
      reason,
      count: lost.length,
      cells: lost.slice(0, namedAtMost),
    }));
}
