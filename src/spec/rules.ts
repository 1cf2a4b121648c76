/** Rules between the fields of a spec: everything that can be judged before a single case is read. */
import type { Finding } from './finding.ts';
import { isInferential } from './gates.ts';
import { caseFindings, hostFindings, splitFindings } from './rules-content.ts';
import { controlFindings } from './rules-controls.ts';
import { gateFindings, rangeWidth } from './rules-gates.ts';
import { measureFindings } from './rules-measures.ts';
import { stoppingFindings } from './rules-stopping.ts';
import { type Arm, baselineArm, candidateIds, type ExperimentSpec, placeboArm } from './spec.ts';

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
    ...stoppingFindings(spec),
  ];
}

/**
 * Findings about the claim as a whole.
 * @example claimFindings({ gates: [], claim: {}, measures: {}, inference: { level: 0.95 } }, 0)[0].code // => 'design-refused'
 */
export function claimFindings(spec: ExperimentSpec, declaredGates: number): Finding[] {
  const findings: Finding[] = [];
  const required = spec.gates.some((gate) => isInferential(gate) && gate.required);
  if (declaredGates === 0) {
    findings.push(
      refused('Without gates there is nothing to decide: no outcome could hold a candidate back.', {
        mend: 'Declare at least one gate: {gate: lift, measure: ..., threshold: 0}.',
      }),
    );
  } else if (spec.claim.use === 'certification' && !required) {
    findings.push(
      refused(
        'A certification needs at least one required gate on the candidate: lift, no-regression or rate.',
        { mend: 'Add {gate: lift, measure: ..., threshold: 0}, or claim use: development.' },
      ),
    );
  }
  return [...findings, ...levelFindings(spec), ...minimumEffectFindings(spec)];
}

/** Lowest level a decision may rest on: below it one candidate in ten that is no better would clear its gate. */
const lowestLevel = 0.8;

function levelFindings({ claim, inference }: ExperimentSpec): Finding[] {
  if (claim.use === 'development' || inference.level >= lowestLevel) return [];
  const share = Number(((1 - inference.level) / 2).toPrecision(3));
  return [
    {
      code: 'level-too-low',
      path: ['inference', 'level'],
      message: `At level ${inference.level} a candidate that is no better ships with probability up to ${share}: that decides little more than a coin.`,
      mend: `Write a level of ${lowestLevel} or more (0.95 is usual), or claim use: development.`,
    },
  ];
}

function refused(message: string, { mend }: { readonly mend: string }): Finding {
  return { code: 'design-refused', path: ['gates'], message, mend };
}

function minimumEffectFindings(spec: ExperimentSpec): Finding[] {
  const effect = spec.claim.minimumEffect;
  if (effect === undefined) return [];
  const path = ['claim', 'minimumEffect'];
  const primary = Object.values(spec.measures).find((measure) => measure.role === 'primary');
  if (primary === undefined) {
    return [
      {
        code: 'minimum-effect-without-primary',
        path,
        message:
          'minimumEffect is an improvement of the primary measure, and no measure is primary.',
        mend: 'Give one measure the role primary, or remove minimumEffect.',
      },
    ];
  }
  const width = rangeWidth(primary);
  const findings = spec.gates.flatMap((gate) =>
    gate.gate === 'lift' && effect < gate.threshold ? [belowThreshold(effect, gate.threshold)] : [],
  );
  if (width !== null && width > 0 && effect > width) {
    findings.push({
      code: 'out-of-reach',
      path,
      message: `An improvement of ${effect} is larger than the whole range ${width} of the primary measure.`,
      mend: 'Write minimumEffect in the units of the measure: 0.05 is five points of a rate.',
    });
  }
  return findings;
}

function belowThreshold(effect: number, threshold: number): Finding {
  return {
    code: 'minimum-effect-below-threshold',
    path: ['claim', 'minimumEffect'],
    message: `minimumEffect ${effect} is below the lift threshold ${threshold}.`,
    mend: 'The smallest useful improvement cannot be less than what must be shown: raise it or lower the threshold.',
  };
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
  if (spec.arms.placebo !== undefined) findings.push(...placeboArmFindings(spec.arms.placebo, ids));
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

function placeboArmFindings({ surface }: Arm, ids: readonly string[]): Finding[] {
  const findings: Finding[] = [];
  if (ids.includes(placeboArm)) {
    findings.push({
      code: 'candidate-id-reserved',
      path: ['arms', 'candidates', placeboArm],
      at: 'key',
      message: 'No candidate can be called "placebo" beside a placebo arm.',
      mend: 'Give the candidate another id.',
    });
  }
  if (Object.keys(surface).length === 0) {
    findings.push({
      code: 'surface-empty',
      path: ['arms', placeboArm, 'surface'],
      message: 'A surface without components changes nothing and cannot be told from another.',
      mend: 'Name at least one file: surface: {skill: skills/new.yaml}.',
    });
  }
  return findings;
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
