/** Rules between the fields of a spec: everything that can be judged before a single case is read. */
import type { Finding } from './finding.ts';
import { caseFindings, hostFindings, splitFindings } from './rules-content.ts';
import { controlFindings } from './rules-controls.ts';
import { claimFindings, gateFindings } from './rules-gates.ts';
import { measureFindings } from './rules-measures.ts';
import { baselineArm, candidateIds, type ExperimentSpec } from './spec.ts';

/**
 * All findings about one spec, in no particular order; the reader sorts them by place.
 * @param spec           with required gates added
 * @param declaredGates  how many gates the file itself declares, whole and >= 0
 * @example specFindings(spec, 3) // => []
 */
export function specFindings(spec: ExperimentSpec, declaredGates: number): Finding[] {
  return [
    ...claimFindings(spec, declaredGates),
    ...caseFindings(spec),
    ...splitFindings(spec.splits),
    ...armFindings(spec),
    ...hostFindings(spec),
    ...measureFindings(spec.measures),
    ...controlFindings(spec),
    ...gateFindings(spec),
  ];
}

function armFindings(spec: ExperimentSpec): Finding[] {
  const ids = candidateIds(spec);
  const path = ['arms', 'candidates'];
  const findings: Finding[] = [];
  if (ids.length === 0) {
    findings.push({
      code: 'no-candidate',
      path,
      message: 'There is no candidate to compare with the baseline.',
      mend: 'Declare at least one: candidates: {new: {surface: {...}}}.',
    });
  }
  if (ids.includes(baselineArm)) {
    findings.push({
      code: 'candidate-id-reserved',
      path: [...path, baselineArm],
      at: 'key',
      message: 'No candidate can be called "baseline".',
      mend: 'Give the candidate another id.',
    });
  }
  for (const arm of [spec.arms.baseline, ...ids.flatMap((id) => spec.arms.candidates[id] ?? [])]) {
    if (Object.keys(arm.surface).length > 0) continue;
    const id = ids.find((each) => spec.arms.candidates[each] === arm);
    findings.push({
      code: 'surface-empty',
      path: id === undefined ? ['arms', baselineArm, 'surface'] : [...path, id, 'surface'],
      message: 'A surface without components changes nothing and cannot be told from another.',
      mend: 'Name at least one file: surface: {skill: skills/new.yaml}.',
    });
  }
  return [...findings, ...multiplicityFindings(spec, ids)];
}

function multiplicityFindings(spec: ExperimentSpec, ids: readonly string[]): Finding[] {
  const { multiplicity } = spec;
  if (multiplicity === 'none' && ids.length > 1) {
    return [
      {
        code: 'multiplicity-missing',
        path: ['multiplicity'],
        message: `${ids.length} candidates are tested, but no multiplicity correction is declared.`,
        mend: 'Write multiplicity: holm, or test one candidate.',
      },
    ];
  }
  if (typeof multiplicity === 'string') return [];
  const listed = [...multiplicity.sequence].sort();
  const exact = listed.length === ids.length && ids.every((id) => listed.includes(id));
  if (exact) return [];
  return [
    {
      code: 'sequence-incomplete',
      path: ['multiplicity', 'sequence'],
      message: `The sequence must list every candidate once: expected ${ids.join(', ')}, got ${multiplicity.sequence.join(', ')}.`,
      mend: 'List each candidate exactly once, in the order to be tested.',
    },
  ];
}
