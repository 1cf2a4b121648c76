/**
 * The funnel: counts from input rows to units in the estimate, every exclusion named.
 *
 * `{stage, of, input, kept, excluded: [{reason, count}]}` with input = kept + excluded at every stage. The first stages count rows;
 * then, per candidate, planned and settled cells; then, per measure, cases, pairs and units. Where one stage ends in cases and the
 * next counts cells, `of` says so.
 */
import { compareCodeUnits } from '../base/canonical.ts';
import { invariant } from '../base/errors.ts';
import type { Rows } from '../base/rows.ts';
import * as z from '../base/shape.ts';
import { admittedCases, type CaseIndex } from '../spec/case-index.ts';
import type { Look } from './evidence.ts';
import type { Pair } from './pair.ts';
import type { SettledCell } from './settle.ts';

const countSchema = z.int().min(0);

/** Recorded shape of one stage. */
export const funnelStageSchema = z.strictObject({
  stage: z.string(),
  of: z.enum(['rows', 'cases', 'cells', 'pairs', 'units']),
  input: countSchema,
  kept: countSchema,
  excluded: z.array(z.strictObject({ reason: z.string(), count: countSchema })),
});
/** One stage; exclusions with a count above 0 in the order of their reasons. */
export type FunnelStage = z.infer<typeof funnelStageSchema>;

/** Recorded shape of the funnel; candidates in the order that decides ties, measures by code units. */
export const funnelSchema = z.strictObject({
  rows: z.array(funnelStageSchema),
  candidates: z.array(
    z.strictObject({
      candidate: z.string(),
      cells: z.array(funnelStageSchema),
      measures: z.array(
        z.strictObject({ measure: z.string(), stages: z.array(funnelStageSchema) }),
      ),
    }),
  ),
});
/** Counts from input rows to units in each estimate. */
export type Funnel = z.infer<typeof funnelSchema>;

type CountedThing = FunnelStage['of'];

/** A stage over the reasons of what it drops; null keeps an item. */
export function stageOf(
  stage: string,
  of: CountedThing,
  reasons: readonly (string | null)[],
): FunnelStage {
  const counts = new Map<string, number>();
  for (const reason of reasons) {
    if (reason !== null) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  }
  const excluded = [...counts]
    .map(([reason, count]) => ({ reason, count }))
    .sort((first, second) => compareCodeUnits(first.reason, second.reason));
  const kept = reasons.filter((reason) => reason === null).length;
  const dropped = excluded.reduce((total, each) => total + each.count, 0);
  invariant(reasons.length === kept + dropped, 'input = kept + excluded at each stage');
  return { stage, of, input: reasons.length, kept, excluded };
}

/** Row stages: one per admission rule in its order, then the split, and the look where measuring stopped at one. */
export function rowStages(index: CaseIndex, look?: Look): FunnelStage[] {
  let left: readonly (string | null)[] = index.rows.map((row) => row.excluded);
  const stages = index.rules.map((rule) => {
    const stage = stageOf(
      `admission:${rule}`,
      'rows',
      left.map((excluded) => (excluded === rule ? rule : null)),
    );
    left = left.filter((excluded) => excluded !== rule);
    return stage;
  });
  const splits = admittedCases(index).map((each) => (each.split === 'final' ? null : each.split));
  invariant(splits.length === left.length, 'every excluded row names one of the rules');
  return [...stages, stageOf('split:final', 'cases', splits), ...lookStages(index, look)];
}

function lookStages(index: CaseIndex, look: Look | undefined): FunnelStage[] {
  if (look === undefined) return [];
  const final = admittedCases(index).filter(({ split }) => split === 'final');
  const after = final.map(({ unit }) => (look.units.has(unit) ? null : 'after the look'));
  return [stageOf(`look:${look.number} of ${look.of}`, 'cases', after)];
}

function armReason(arm: string, cell: SettledCell): string | null {
  return cell.settlement.status === 'missing' ? `${arm}: ${cell.settlement.reason}` : null;
}

/** Cells of a candidate and its baseline: how many of the planned ones settled. */
export function cellStages(
  candidate: Rows<SettledCell>,
  baseline: Rows<SettledCell>,
): FunnelStage[] {
  const reasons = [
    ...candidate.map((cell) => armReason('candidate', cell)),
    ...baseline.map((cell) => armReason('baseline', cell)),
  ];
  return [stageOf('settled', 'cells', reasons)];
}

function pairReason(pair: Pair): string | null {
  const sides = (['baseline', 'candidate'] as const).flatMap((side) => {
    const value = pair[side];
    return value.status === 'lost' ? [`${side}: ${value.reason}`] : [];
  });
  return sides.length === 0 ? null : sides.join(', ');
}

/** Stages of one measure: cases it applies to, complete pairs, units with a value. */
export function measureStages(
  finalCases: number,
  pairs: Rows<Pair>,
  estimated: ReadonlySet<string>,
): FunnelStage[] {
  const cases = new Set(pairs.map((pair) => pair.case)).size;
  const units = [...new Set(pairs.map((pair) => pair.unit))];
  const where = Array.from({ length: finalCases }, (_, at) =>
    at < cases ? null : 'not-applicable',
  );
  return [
    stageOf('where', 'cases', where),
    stageOf('complete', 'pairs', pairs.map(pairReason)),
    stageOf(
      'estimated',
      'units',
      units.map((unit) => (estimated.has(unit) ? null : 'no-complete-pair')),
    ),
  ];
}
