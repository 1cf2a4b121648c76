/** Rules about the claim and its gates: which measure each may read, thresholds that can be met, what is always required. */
import { type Finding, quoted, type SpecPath } from './finding.ts';
import { type GateDeclaration, gateName, isInferential } from './gates.ts';
import { type Measure, valueRange } from './measure.ts';
import { accuracyFindings } from './rules-accuracy.ts';
import { twice } from './rules-content.ts';
import { unknownMeasure } from './rules-controls.ts';
import type { ExperimentSpec } from './spec.ts';

/**
 * Findings about the claim as a whole.
 * @example claimFindings({ gates: [], claim: {}, measures: {} }, 0)[0].code // => 'design-refused'
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
      refused('A certification needs at least one required lift or no-regression gate.', {
        mend: 'Add {gate: lift, measure: ..., threshold: 0}, or claim use: development.',
      }),
    );
  }
  return [...findings, ...minimumEffectFindings(spec)];
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

/** Width of a measure's range, or null when unbounded. */
function rangeWidth(measure: Measure): number | null {
  const range = valueRange(measure);
  return range === null ? null : range.upper - range.lower;
}

/**
 * Findings about all gates.
 * @example gateFindings({ gates: [{ gate: 'lift', measure: 'm' }], measures: {} })[0].code // => 'unknown-measure'
 */
export function gateFindings(spec: ExperimentSpec): Finding[] {
  const names = spec.gates.map(gateName);
  const each = spec.gates.flatMap((gate, index) => {
    const path = ['gates', index];
    const name = gateName(gate);
    const doubled = names.indexOf(name) === index ? [] : [twice('gate', name, path)];
    return [...doubled, ...oneGate(gate, path, spec)];
  });
  return [...each, ...guardrailFindings(spec), ...accuracyFindings(spec)];
}

function oneGate(gate: GateDeclaration, path: SpecPath, spec: ExperimentSpec): Finding[] {
  switch (gate.gate) {
    case 'lift':
    case 'no-regression':
    case 'critical': {
      const measure = Object.hasOwn(spec.measures, gate.measure)
        ? spec.measures[gate.measure]
        : undefined;
      if (measure === undefined) {
        const who = `The gate "${gate.gate}" reads`;
        const where = [...path, 'measure'];
        return [unknownMeasure(who, gate.measure, { path: where, measures: spec.measures })];
      }
      return [...roleFindings(gate, measure, path), ...limitFindings(gate, measure, path)];
    }
    case 'power':
      return powerFindings(gate, path, spec);
    case 'completeness':
    case 'controls':
    case 'provenance':
      return [];
  }
}

type MeasureGate = GateDeclaration & { gate: 'lift' | 'no-regression' | 'critical' };

const rolesOfGate = {
  lift: ['primary'],
  'no-regression': ['guardrail', 'primary'],
  critical: ['critical'],
} as const;

const gateOfRole = {
  primary: 'A primary measure is gated with lift or no-regression.',
  guardrail: 'A guardrail is gated with no-regression.',
  critical: 'A critical measure is gated with critical.',
  reported: 'A reported measure never moves a decision; give it another role first.',
} as const;

function roleFindings(gate: MeasureGate, measure: Measure, path: SpecPath): Finding[] {
  const findings: Finding[] = [];
  const roles: readonly string[] = rolesOfGate[gate.gate];
  if (!roles.includes(measure.role)) {
    findings.push({
      code: 'gate-role',
      path: [...path, 'measure'],
      message: `A ${gate.gate} gate reads a measure with role ${roles.join(' or ')}; "${gate.measure}" is ${measure.role}.`,
      mend: gateOfRole[measure.role],
    });
  }
  if (gate.gate === 'critical' && measure.role === 'critical' && !gate.required) {
    findings.push({
      code: 'gate-not-optional',
      path: [...path, 'required'],
      message: `The critical gate of "${gate.measure}" cannot be optional: no average buys a critical failure back.`,
      mend: 'Remove required: false, or make the measure reported.',
    });
  }
  return findings;
}

/** Thresholds and margins that every or no difference would meet. */
function limitFindings(gate: MeasureGate, measure: Measure, path: SpecPath): Finding[] {
  if (gate.gate === 'lift' && gate.threshold < 0) return [negativeLift(gate.threshold, path)];
  const width = rangeWidth(measure);
  // A broken range is a finding of its own; limits cannot be judged against it.
  if (width === null || width <= 0 || gate.gate === 'critical') return [];
  const [key, limit] =
    gate.gate === 'lift'
      ? (['threshold', gate.threshold] as const)
      : (['margin', gate.margin] as const);
  if (Math.abs(limit) < width) return [];
  return [
    {
      code: 'out-of-reach',
      path: [...path, key],
      message: `Differences of "${gate.measure}" lie between ${-width} and ${width}, so the ${key} ${limit} decides nothing.`,
      mend: `Write the ${key} in the units of the measure: 0.05 is five points of a rate.`,
    },
  ];
}

function negativeLift(threshold: number, path: SpecPath): Finding {
  return {
    code: 'lift-below-zero',
    path: [...path, 'threshold'],
    message: `A lift above ${threshold} can be a loss: a candidate worse than the baseline would ship as better.`,
    mend: `Write a threshold of 0 or more, or tolerate a loss by name: {gate: no-regression, margin: ${-threshold}}.`,
  };
}

function powerFindings(
  gate: GateDeclaration & { gate: 'power' },
  path: SpecPath,
  spec: ExperimentSpec,
): Finding[] {
  const findings: Finding[] = [];
  if (gate.required) {
    findings.push({
      code: 'power-unavailable',
      path: [...path, 'required'],
      message: 'A required power gate simulates the sealed decision, which this version cannot do.',
      mend: 'Write required: false; no approximation takes its place in silence.',
    });
  }
  const effect = gate.atEffect ?? spec.claim.minimumEffect;
  if (effect === undefined) {
    findings.push({
      code: 'power-effect-missing',
      path,
      message: 'The power gate has no effect to reach its target at.',
      mend: 'Add atEffect, or declare claim.minimumEffect.',
    });
    return findings;
  }
  const thresholds = spec.gates.flatMap((each) => (each.gate === 'lift' ? [each.threshold] : []));
  const highest = Math.max(...thresholds);
  if (thresholds.length > 0 && effect <= highest) {
    findings.push({
      code: 'power-effect-too-small',
      path: gate.atEffect === undefined ? path : [...path, 'atEffect'],
      message: `The power gate asks for power at ${effect}, but the lift threshold is ${highest}: no number of units would do.`,
      mend: 'Set atEffect above every lift threshold.',
    });
  }
  return findings;
}

/** Every guardrail has a required no-regression gate. */
function guardrailFindings(spec: ExperimentSpec): Finding[] {
  return Object.entries(spec.measures).flatMap(([id, measure]) => {
    if (measure.role !== 'guardrail') return [];
    const gates = spec.gates.filter((gate) => gate.gate === 'no-regression' && gate.measure === id);
    if (gates.some((gate) => gate.required)) return [];
    const optional = gates.length > 0;
    return [
      {
        code: 'guardrail-ungated',
        path: ['measures', id, 'role'],
        message: optional
          ? `The guardrail ${quoted([id])} has an optional gate only; guardrails are always required.`
          : `The guardrail ${quoted([id])} has no no-regression gate, so nothing guards it.`,
        mend: optional
          ? 'Remove required: false from its gate, or make the measure reported.'
          : `Add {gate: no-regression, measure: ${id}, margin: ...}, or make the measure reported.`,
      },
    ];
  });
}
