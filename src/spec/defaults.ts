/** Shorthands written out and gates that are always required added, so that the sealed spec says everything. */
import type { Json } from '../base/canonical.ts';
import { compareCodeUnits } from '../base/canonical.ts';
import type { GateDeclaration } from './gates.ts';
import { isMapping } from './source.ts';
import type { ExperimentSpec } from './spec.ts';

/**
 * Whether `cases` is written in the short form `{file, id}`.
 * @example hasShortCases({ cases: { file: 'cases.jsonl', id: 'id' } }) // => true
 */
export function hasShortCases(value: Json): boolean {
  const cases = isMapping(value) ? value['cases'] : undefined;
  return isMapping(cases) && Object.hasOwn(cases, 'file') && !Object.hasOwn(cases, 'files');
}

/**
 * Path of the long form as the user of the short form knows it.
 * @example shortCasesPath('cases.files[0].path') // => 'cases.file'
 */
export function shortCasesPath(path: string): string {
  return path
    .replace(/^cases\.files\[0\]\.path$/, 'cases.file')
    .replace(/^cases\.files(?:\[0\])?$/, 'cases.file');
}

function longCases(cases: { readonly [key: string]: Json }): Json {
  const { file, ...rest } = cases;
  return { ...rest, files: [{ path: file ?? null }] };
}

/**
 * The document with `cases: {file, id}` written as `files` and `multiplicity` defaulted: `holm` for several candidates, `none` for one.
 * Anything else, wrong shapes included, is left for the schema to judge.
 * @example withShorthand({ cases: { file: 'a', id: 'id' } }) // => { cases: { id: 'id', files: [{ path: 'a' }] }, multiplicity: 'none' }
 */
export function withShorthand(value: Json): Json {
  if (!isMapping(value)) return value;
  const result: { [key: string]: Json } = { ...value };
  const cases = value['cases'];
  if (hasShortCases(value) && isMapping(cases)) result['cases'] = longCases(cases);
  if (!Object.hasOwn(value, 'multiplicity')) {
    const arms = value['arms'];
    const candidates = isMapping(arms) ? arms['candidates'] : undefined;
    const several = isMapping(candidates) && Object.keys(candidates).length > 1;
    result['multiplicity'] = several ? 'holm' : 'none';
  }
  return result;
}

/**
 * The spec with the gates that are always required: `completeness`, `controls`, `provenance`, and `critical` for every critical
 * measure that declares none. Declared gates keep their place; added ones follow in that order, measures by code units.
 * @example withRequiredGates({ gates: [], measures: {} }).gates.map((each) => each.gate) // => ['completeness', 'controls', 'provenance']
 */
export function withRequiredGates(spec: ExperimentSpec): ExperimentSpec {
  const declared = (gate: string, measure?: string): boolean =>
    spec.gates.some(
      (each) =>
        each.gate === gate &&
        (measure === undefined || ('measure' in each && each.measure === measure)),
    );
  const added: GateDeclaration[] = [];
  if (!declared('completeness')) added.push({ gate: 'completeness', required: true });
  if (!declared('controls')) added.push({ gate: 'controls', required: true });
  if (!declared('provenance'))
    added.push({ gate: 'provenance', allowUnverified: false, required: true });
  for (const [id, measure] of Object.entries(spec.measures).sort(([a], [b]) =>
    compareCodeUnits(a, b),
  )) {
    if (measure.role === 'critical' && !declared('critical', id))
      added.push({ gate: 'critical', measure: id, required: true });
  }
  return { ...spec, gates: [...spec.gates, ...added] };
}
