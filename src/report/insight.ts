/**
 * What existing records show, for people who want to understand them: descriptions and differences, never a decision.
 *
 * Nothing here was declared beforehand, so every interval is exploratory and uncorrected for the number of comparisons. A section
 * exists only where its inputs do. Recommendations never contradict what a gate decided: release is a gate's word alone.
 */
import { recommendationsOf } from './insight-advice.ts';
import type { InsightSource, InsightView } from './insight-facts.ts';
import {
  differencesOf,
  distributionsOf,
  frontierOf,
  strataOf,
  uniqueSorted,
} from './insight-numbers.ts';
import { agreementOf, associationsOf, failuresOf, sharedInputsOf } from './insight-relations.ts';

/**
 * The report's numbers.
 *
 * @param source  records from anywhere; an arm named `baseline` there is compared with every other
 * @returns       equal records give an equal view, whatever their order
 */
export function insightView(source: InsightSource): InsightView {
  const names = uniqueSorted(source.records.map(({ arm }) => arm));
  const arms = [source.baseline, ...names.filter((arm) => arm !== source.baseline)];
  const facts = {
    type: 'liftgate/insight/v1',
    baseline: source.baseline,
    arms,
    records: source.records.length,
    units: new Set(source.records.map(({ unit }) => unit)).size,
    decisions: source.decisions,
    distributions: distributionsOf(source, arms),
    differences: differencesOf(source, arms),
    strata: strataOf(source, arms),
    frontier: frontierOf(source, arms),
    failures: failuresOf(source, arms),
    agreement: agreementOf(source),
    sharedInputs: sharedInputsOf(source),
    associations: associationsOf(source, arms),
  } as const;
  return { ...facts, recommendations: recommendationsOf(facts) };
}
