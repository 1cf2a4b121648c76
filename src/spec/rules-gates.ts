/** Rules about gates: which measure each may read, thresholds that can be met, what is always required. */
import { type Finding, quoted, type SpecPath } from './finding.ts';
import {
  type GateDeclaration,
  type GateOf,
  gapOf,
  gateName,
  latencyForm,
  rateLimit,
} from './gates.ts';
import { type Measure, valueRange } from './measure.ts';
import { accuracyFindings } from './rules-accuracy.ts';
import { twice } from './rules-content.ts';
import { unknownMeasure } from './rules-controls.ts';
import { evidenceGateFindings } from './rules-evidence-gates.ts';
import type { ExperimentSpec } from './spec.ts';

/**
 * Width of a measure's range, or null when unbounded.
 * @example rangeWidth({ kind: 'binary', scale: 1 }) // => 1
 */
export function rangeWidth(measure: Measure): number | null {
  const range = valueRange(measure);
  return range === null ? null : range.upper - range.lower;
}

/**
 * Findings about all gates.
 * @example gateFindings({ gates: [{ gate: 'lift', measure: 'm' }], measures: {}, arms: {} })[0].code // => 'unknown-measure'
 */
export function gateFindings(spec: ExperimentSpec): Finding[] {
  const names = spec.gates.map(gateName);
  const each = spec.gates.flatMap((gate, index) => {
    const path = ['gates', index];
    const name = gateName(gate);
    const doubled = names.indexOf(name) === index ? [] : [twice('gate', name, path)];
    return [...doubled, ...oneGate(gate, path, spec)];
  });
  return [
    ...each,
    ...guardrailFindings(spec),
    ...accuracyFindings(spec),
    ...evidenceGateFindings(spec),
  ];
}

function oneGate(gate: GateDeclaration, path: SpecPath, spec: ExperimentSpec): Finding[] {
  switch (gate.gate) {
    case 'lift':
    case 'no-regression':
    case 'critical':
    case 'rate':
    case 'latency':
    case 'evaluator':
    case 'neutral-control': {
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
    case 'budget':
      return budgetFindings(path, spec);
    case 'completeness':
    case 'controls':
    case 'provenance':
    case 'matched-budget':
    case 'canary':
    case 'reward-hacking':
    case 'contamination':
    case 'infrastructure-symmetry':
    case 'interleaving':
    case 'custom':
    case 'pareto':
      return [];
  }
}

function budgetFindings(path: SpecPath, spec: ExperimentSpec): Finding[] {
  if (spec.budget.usd !== undefined || spec.budget.wallMinutes !== undefined) return [];
  return [
    {
      code: 'budget-gate-without-cap',
      path,
      message: 'The budget gate holds a run against caps on cost and time, and none is declared.',
      mend: 'Add budget: {usd: ...} with host.limits.maxCostUsd, or {wallMinutes: ...}, or remove the gate.',
    },
  ];
}

type MeasureGate = GateOf<
  'lift' | 'no-regression' | 'critical' | 'rate' | 'latency' | 'neutral-control' | 'evaluator'
>;

const rolesOfGate = {
  lift: ['primary'],
  'no-regression': ['guardrail', 'primary'],
  critical: ['critical'],
  rate: ['primary', 'guardrail'],
  latency: ['guardrail', 'primary'],
  'neutral-control': ['primary'],
  evaluator: ['primary', 'guardrail', 'critical'],
} as const;

const gateOfRole = {
  primary: 'A primary measure is gated with lift, no-regression or rate.',
  guardrail: 'A guardrail is gated with no-regression, rate or latency.',
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

/** What a gate's own numbers ask of its measure. */
function limitFindings(gate: MeasureGate, measure: Measure, path: SpecPath): Finding[] {
  switch (gate.gate) {
    case 'rate':
      return rateFindings(gate, measure, path);
    case 'latency':
      return latencyFindings(gate, measure, path);
    case 'critical':
    case 'evaluator':
      return [];
    case 'lift':
    case 'no-regression':
    case 'neutral-control':
      return reachFindings(gate, measure, path);
  }
}

function rateFindings(gate: GateOf<'rate'>, measure: Measure, path: SpecPath): Finding[] {
  const findings: Finding[] = [];
  if (measure.kind !== 'binary') {
    findings.push({
      code: 'rate-not-binary',
      path: [...path, 'measure'],
      message: `A rate is the share of units that score 1, so its measure is binary; "${gate.measure}" is a ${measure.kind}.`,
      mend: 'Declare a binary measure that says which cells count.',
    });
  }
  if (rateLimit(gate) === null) {
    const both = gate.min !== undefined;
    findings.push({
      code: 'rate-limit',
      path: both ? [...path, 'max'] : path,
      message: `A rate gate has exactly one limit, min or max; ${both ? 'both are' : 'neither is'} written.`,
      mend: both
        ? 'Write two gates with names of their own, one with min and one with max.'
        : 'Add min, the share that must be exceeded, or max, the share to stay below.',
    });
  }
  return findings;
}

function latencyFindings(gate: GateOf<'latency'>, measure: Measure, path: SpecPath): Finding[] {
  const findings: Finding[] = [];
  if (measure.kind !== 'duration' || measure.direction !== 'lower') {
    findings.push({
      code: 'latency-not-duration',
      path: [...path, 'measure'],
      message: `A latency gate reads a duration of which less is better; "${gate.measure}" is a ${measure.kind}, ${measure.direction} is better.`,
      mend: 'Declare the measure as {kind: duration, direction: lower}, or gate it with no-regression.',
    });
  }
  if (latencyForm(gate) === null) {
    findings.push({
      code: 'latency-limit',
      path,
      message:
        'A latency gate holds either the paired ratio against maxRatio, or a quantile against max.',
      mend: 'Write maxRatio: 1.2 alone, or quantile: 0.95 together with max; two gates with names of their own for both.',
    });
  }
  return findings;
}

/** Thresholds and margins that every or no difference would meet. */
function reachFindings(
  gate: GateOf<'lift' | 'no-regression' | 'neutral-control'>,
  measure: Measure,
  path: SpecPath,
): Finding[] {
  if (gate.gate === 'lift' && gate.threshold < 0) return [negativeLift(gate.threshold, path)];
  const width = rangeWidth(measure);
  // A broken range is a finding of its own; limits cannot be judged against it.
  if (width === null || width <= 0) return [];
  const [key, limit] =
    gate.gate === 'no-regression'
      ? (['margin', gate.margin] as const)
      : (['threshold', gate.threshold] as const);
  if (Math.abs(limit) < width) return wideMarginFindings(gate, width, path);
  return [
    {
      code: 'out-of-reach',
      path: [...path, key],
      message: `Differences of "${gate.measure}" lie between ${-width} and ${width}, so the ${key} ${limit} decides nothing.`,
      mend: `Write the ${key} in the units of the measure: 0.05 is five points of a rate.`,
    },
  ];
}

/** A margin of more than half the range lets a candidate pass that loses most of what there is to lose. */
function wideMarginFindings(
  gate: GateOf<'lift' | 'no-regression' | 'neutral-control'>,
  width: number,
  path: SpecPath,
): Finding[] {
  if (gate.gate !== 'no-regression' || gate.margin <= width / 2) return [];
  return [
    {
      code: 'margin-too-wide',
      path: [...path, 'margin'],
      message: `A margin of ${gate.margin} tolerates the loss of more than half of the range ${width} of "${gate.measure}": the gate guards nothing.`,
      mend: `Write the largest loss that is really tolerable, ${width / 2} at most, or make the measure reported.`,
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

/** Whether a gate holds the candidate to a limit of a guardrail. */
function guards(gate: GateDeclaration, id: string): boolean {
  if (gate.gate === 'rate') return gate.measure === id && gate.arm === 'candidate';
  if (gate.gate === 'canary') return gate.measure === id;
  if (gapOf(gate)?.behind === id) return true;
  if (gate.gate === 'pareto') return gate.objectives.some(({ measure }) => measure === id);
  return (gate.gate === 'no-regression' || gate.gate === 'latency') && gate.measure === id;
}

/** Every guardrail has a required gate that guards it. */
function guardrailFindings(spec: ExperimentSpec): Finding[] {
  return Object.entries(spec.measures).flatMap(([id, measure]) => {
    if (measure.role !== 'guardrail') return [];
    const gates = spec.gates.filter((gate) => guards(gate, id));
    if (gates.some((gate) => gate.required)) return [];
    const optional = gates.length > 0;
    return [
      {
        code: 'guardrail-ungated',
        path: ['measures', id, 'role'],
        message: optional
          ? `The guardrail ${quoted([id])} has an optional gate only; guardrails are always required.`
          : `The guardrail ${quoted([id])} has no gate that guards it: no-regression, rate of the candidate, or latency.`,
        mend: optional
          ? 'Remove required: false from its gate, or make the measure reported.'
          : `Add {gate: no-regression, measure: ${id}, margin: ...}, or make the measure reported.`,
      },
    ];
  });
}
