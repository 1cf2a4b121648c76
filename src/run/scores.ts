/** Scores of a grade held against the sealed measures: unknown names, missing values and values outside their declaration. */

import { type Measure, valueProblem } from '../spec/measure.ts';
import type { ExperimentSpec } from '../spec/spec.ts';
import type { Case } from '../spec/units.ts';
import { meets } from '../spec/words.ts';
import type { ExecuteReply, GradeReply } from './receipt.ts';

/**
 * Whether a measure counts for a case: its `where` holds.
 * @example measureApplies({ where: { field: 'lang', op: 'eq', value: 'de' } }, { lang: 'en' }) // => false
 */
export function measureApplies(measure: Measure, fields: Case['fields']): boolean {
  return measure.where === undefined || meets(measure.where, fields);
}

/**
 * What in a grade contradicts the sealed measures, or null.
 *
 * Every reported number is held against its declaration, also of a measure that does not apply to the case; a finding must name a
 * critical measure, or it would be lost in silence.
 *
 * @example gradeProblem({}, { scores: { charm: 1 }, critical: [] }) // => 'the grade scores the unknown measure "charm"'
 */
export function gradeProblem(
  measures: ExperimentSpec['measures'],
  reply: GradeReply,
): string | null {
  for (const [id, value] of Object.entries(reply.scores)) {
    const measure = Object.hasOwn(measures, id) ? measures[id] : undefined;
    if (measure === undefined) return `the grade scores the unknown measure "${id}"`;
    const problem = value === null ? null : valueProblem(measure, value);
    if (problem !== null) return `the grade's "${id}" is ${value}: ${problem}`;
  }
  const stray = (reply.critical ?? []).find(
    (finding) => !Object.hasOwn(measures, finding.id) || measures[finding.id]?.role !== 'critical',
  );
  return stray === undefined
    ? null
    : `the grade reports a finding "${stray.id}", which is no critical measure`;
}

/**
 * The scores a receipt keeps: one entry per measure that applies to the case, null where nobody scored it.
 *
 * A duration the grader did not score is the execution's active time, a cost its known cost; a value the measure cannot hold (0
 * without a floor) stays null, because it is nobody's statement.
 *
 * @example keptScores({ right: {} }, {}, { execute: {}, grade: { scores: {} } }) // => { right: null }
 */
export function keptScores(
  measures: ExperimentSpec['measures'],
  fields: Case['fields'],
  replies: { readonly execute: ExecuteReply; readonly grade: GradeReply },
): Record<string, number | null> {
  const kept: Record<string, number | null> = {};
  for (const [id, measure] of Object.entries(measures)) {
    if (!measureApplies(measure, fields)) continue;
    const given = Object.hasOwn(replies.grade.scores, id) ? replies.grade.scores[id] : undefined;
    kept[id] = given ?? derivedScore(measure, replies.execute);
  }
  return kept;
}

function derivedScore(measure: Measure, execute: ExecuteReply): number | null {
  const value = observedValue(measure, execute);
  return value === null || valueProblem(measure, value) !== null ? null : value;
}

function observedValue(measure: Measure, execute: ExecuteReply): number | null {
  if (measure.kind === 'duration') return execute.timing.activeMs;
  if (measure.kind === 'cost') return execute.usage.costKnown ? execute.usage.costUsd : null;
  return null;
}
