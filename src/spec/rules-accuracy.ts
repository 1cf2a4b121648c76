/**
 * An accuracy adds two kinds of error that cost differently. It may be gated only where both are measured apart: two binary
 * measures whose `where` conditions split the cases into complementary halves (false positives and false negatives).
 */
import { canonicalText } from '../base/canonical.ts';
import type { Finding } from './finding.ts';
import { gateMeasures } from './gates.ts';
import type { Measure } from './measure.ts';
import type { ExperimentSpec } from './spec.ts';
import type { Condition } from './words.ts';

/**
 * Findings about gated accuracies without both error measures.
 * @example accuracyFindings({ measures: { accuracy: { kind: 'binary' } }, gates: [{ gate: 'lift', measure: 'accuracy' }] })[0].code // => 'accuracy-alone'
 */
export function accuracyFindings(spec: ExperimentSpec): Finding[] {
  if (splitsErrors(Object.values(spec.measures))) return [];
  return spec.gates.flatMap((gate, index) => {
    const accuracy = gateMeasures(gate).find(
      (id) =>
        Object.hasOwn(spec.measures, id) &&
        spec.measures[id]?.kind === 'binary' &&
        /accuracy/i.test(id),
    );
    if (accuracy === undefined) return [];
    return [
      {
        code: 'accuracy-alone',
        path: 'measure' in gate ? ['gates', index, 'measure'] : ['gates', index],
        message: `"${accuracy}" is gated, but false positives and false negatives are not measured apart: one can hide the other.`,
        mend: 'Declare two binary measures with complementary where conditions, such as {field: label, op: eq, value: 0} and {field: label, op: eq, value: 1}.',
      },
    ];
  });
}

function splitsErrors(measures: readonly Measure[]): boolean {
  const conditions = measures.flatMap((measure) =>
    measure.kind === 'binary' && measure.where !== undefined ? [measure.where] : [],
  );
  return conditions.some((first) => conditions.some((second) => complementary(first, second)));
}

const opposites = { eq: 'ne', ne: 'eq', lt: 'ge', ge: 'lt', gt: 'le', le: 'gt' } as const;

/** Whether no case meets both conditions and the two are meant as halves of one field. */
function complementary(first: Condition, second: Condition): boolean {
  if (first.field !== second.field) return false;
  const same = canonicalText(first.value) === canonicalText(second.value);
  if (first.op === 'eq' && second.op === 'eq') return !same;
  return first.op !== 'in' && opposites[first.op] === second.op && same;
}
