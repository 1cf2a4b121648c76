/** Rules about gates that ask whether the evidence itself can be trusted. */
import type { Finding, SpecPath } from './finding.ts';
import type { GateOf, Objective } from './gates.ts';
import { valueRange } from './measure.ts';
import { twice } from './rules-content.ts';
import { unknownMeasure } from './rules-controls.ts';
import type { ExperimentSpec } from './spec.ts';

/**
 * Findings about gates on a placebo, on canaries, on two measures that should move together, and on contamination.
 * @example evidenceGateFindings({ arms: {}, gates: [{ gate: 'neutral-control' }] })[0].code // => 'placebo-missing'
 */
export function evidenceGateFindings(spec: ExperimentSpec): Finding[] {
  const each = spec.gates.flatMap((gate, index) => {
    const path = ['gates', index];
    switch (gate.gate) {
      case 'canary':
        return canaryFindings(gate, path, spec);
      case 'reward-hacking':
        return gapFindings({ gate: 'reward-hacking', first: 'proxy', second: 'truth' }, path, {
          spec,
          ids: [gate.proxy, gate.truth],
        });
      case 'contamination':
        return contaminationFindings(gate, path, spec);
      case 'custom':
        return customFindings(gate, path, spec);
      case 'pareto':
        return gate.objectives.flatMap((objective, at) =>
          objectiveFindings(objective, [...path, 'objectives', at], {
            spec,
            isRepeated:
              gate.objectives.findIndex(({ measure }) => measure === objective.measure) < at,
          }),
        );
      default:
        return [];
    }
  });
  return [...each, ...placeboFindings(spec)];
}

/** An objective is a measure that decides, stands once, and can lose its margin. */
function objectiveFindings(
  { measure: id, margin }: Objective,
  path: SpecPath,
  { spec, isRepeated }: { readonly spec: ExperimentSpec; readonly isRepeated: boolean },
): Finding[] {
  const { measures } = spec;
  const at = [...path, 'measure'];
  const measure = Object.hasOwn(measures, id) ? measures[id] : undefined;
  if (measure === undefined) {
    return [unknownMeasure('The gate "pareto" reads', id, { path: at, measures })];
  }
  if (isRepeated) return [twice('objective', id, at)];
  if (measure.role !== 'primary' && measure.role !== 'guardrail') {
    return [
      {
        code: 'gate-role',
        path: at,
        message: `An objective of a pareto gate is a primary measure or a guardrail; "${id}" is ${measure.role}.`,
        mend: 'Give it another role, or leave it out of the objectives.',
      },
    ];
  }
  const range = valueRange(measure);
  if (range === null || margin <= (range.upper - range.lower) / 2) return [];
  return [
    {
      code: 'margin-too-wide',
      path: [...path, 'margin'],
      message: `A margin of ${margin} tolerates the loss of more than half of the range ${range.upper - range.lower} of "${id}": the gate guards nothing.`,
      mend: `Write the largest loss that is really tolerable, ${(range.upper - range.lower) / 2} at most.`,
    },
  ];
}

/** A custom gate reads measures that decide, each once, and its code is JavaScript as Node reads it. */
function customFindings(
  { module, files = [], measures: ids, intervals = [] }: GateOf<'custom'>,
  path: SpecPath,
  { measures }: ExperimentSpec,
): Finding[] {
  const ofMeasures = ids.flatMap((id, index): Finding[] => {
    const at = [...path, 'measures', index];
    const measure = Object.hasOwn(measures, id) ? measures[id] : undefined;
    if (measure === undefined) {
      return [unknownMeasure('The gate "custom" reads', id, { path: at, measures })];
    }
    if (ids.indexOf(id) < index) return [twice('measure of this gate', id, at)];
    if (measure.role !== 'reported') return [];
    return [
      {
        code: 'gate-role',
        path: at,
        message: `A custom gate reads measures that decide; "${id}" is reported.`,
        mend: 'A reported measure never moves a decision; give it another role first.',
      },
    ];
  });
  const ofFiles = [module, ...files].flatMap((file, index): Finding[] => {
    if (/\.m?js$/.test(file)) return [];
    return [
      {
        code: 'gate-module-invalid',
        path: index === 0 ? [...path, 'module'] : [...path, 'files', index - 1],
        message: /\.[cm]?ts$/.test(file)
          ? `The code of a gate runs as it is sealed, and Node 20 runs no TypeScript: ${file}.`
          : `The code of a gate is an ES module, and ${file} does not end in .js or .mjs.`,
        mend: /\.[cm]?ts$/.test(file)
          ? 'Compile it beforehand (tsc --module nodenext --target es2022) and name the .js or .mjs file: that one is sealed.'
          : 'Name a .js or .mjs file.',
      },
    ];
  });
  const ofIntervals = intervals.flatMap(({ measure, level }, index): Finding[] => {
    const at = [...path, 'intervals', index];
    if (!ids.includes(measure)) {
      return [
        {
          code: 'gate-interval-invalid',
          path: [...at, 'measure'],
          message: `An interval of "${measure}" is asked for, which the gate does not read.`,
          mend: 'Name it under measures of the gate too.',
        },
      ];
    }
    const first = intervals.findIndex((each) => each.measure === measure && each.level === level);
    if (first === index) return [];
    return [
      {
        code: 'gate-interval-invalid',
        path: at,
        message: `The interval of "${measure}" at ${level} is asked for twice.`,
        mend: 'Ask for it once, or at another level.',
      },
    ];
  });
  return [...ofMeasures, ...ofFiles, ...ofIntervals];
}

function canaryFindings(
  gate: GateOf<'canary'>,
  path: SpecPath,
  { measures }: ExperimentSpec,
): Finding[] {
  const at = [...path, 'measure'];
  const measure = Object.hasOwn(measures, gate.measure) ? measures[gate.measure] : undefined;
  if (measure === undefined) {
    return [unknownMeasure('The gate "canary" reads', gate.measure, { path: at, measures })];
  }
  if (measure.kind === 'binary' && measure.where !== undefined && measure.role === 'guardrail') {
    return [];
  }
  return [
    {
      code: 'canary-measure',
      path: at,
      message: `A canary gate reads a binary guardrail whose where condition names the canary cases; "${gate.measure}" is no such measure.`,
      mend: 'Declare it as {kind: binary, role: guardrail, direction: higher, where: {field: canary, op: eq, value: true}}.',
    },
  ];
}

interface GapWords {
  readonly gate: string;
  readonly first: string;
  readonly second: string;
}

/** Two different measures with ranges, of which the second guards what the first is read for. */
function gapFindings(
  { gate, first, second }: GapWords,
  path: SpecPath,
  { spec, ids }: { readonly spec: ExperimentSpec; readonly ids: readonly [string, string] },
): Finding[] {
  const { measures } = spec;
  const missing = ids.flatMap((id, at) =>
    Object.hasOwn(measures, id)
      ? []
      : [
          unknownMeasure(`The gate "${gate}" reads`, id, {
            path: [...path, at === 0 ? first : second],
            measures,
          }),
        ],
  );
  if (missing.length > 0) return missing;
  const [ahead, behind] = ids.map((id) => measures[id]);
  const ranged = [ahead, behind].every((each) => each !== undefined && valueRange(each) !== null);
  const roles =
    (ahead?.role === 'primary' || ahead?.role === 'guardrail') && behind?.role === 'guardrail';
  if (ranged && roles && ids[0] !== ids[1]) return [];
  return [
    {
      code: 'gap-measures',
      path: [...path, second],
      message: `A ${gate} gate holds a primary or guardrail measure with a declared range (${first}) against another one with the role guardrail (${second}); "${ids[0]}" and "${ids[1]}" are no such pair.`,
      mend: `Declare two measures with ranges, that of ${second} with role: guardrail and a scorer of its own.`,
    },
  ];
}

function contaminationFindings(
  { canaries, similarity, probe }: GateOf<'contamination'>,
  path: SpecPath,
  spec: ExperimentSpec,
): Finding[] {
  if (canaries === undefined && similarity === undefined && probe === undefined) {
    return [
      {
        code: 'contamination-empty',
        path,
        message:
          'A contamination gate looks for canaries, for copies or at a probe, and none is declared.',
        mend: 'Add canaries: [...], similarity: 0.8 or probe: {original: ..., perturbed: ..., margin: ...}.',
      },
    ];
  }
  if (probe === undefined) return [];
  const words = { gate: 'contamination', first: 'original', second: 'perturbed' };
  return gapFindings(words, [...path, 'probe'], { spec, ids: [probe.original, probe.perturbed] });
}

/** A placebo that no gate reads costs cells for nothing, and a gate on a placebo needs one. */
function placeboFindings({ arms, gates }: ExperimentSpec): Finding[] {
  const index = gates.findIndex(({ gate }) => gate === 'neutral-control');
  if (index >= 0 && arms.placebo === undefined) {
    return [
      {
        code: 'placebo-missing',
        path: ['gates', index],
        message:
          'A neutral-control gate holds the candidate against arms.placebo, and none is declared.',
        mend: 'Declare arms: {placebo: {surface: {...}}}, a change that should change nothing, or remove the gate.',
      },
    ];
  }
  if (index >= 0 || arms.placebo === undefined) return [];
  return [
    {
      code: 'placebo-ungated',
      path: ['arms', 'placebo'],
      message: 'The placebo runs in every block, and no gate reads it.',
      mend: 'Add {gate: neutral-control, measure: ...} on the primary measure, or remove the placebo.',
    },
  ];
}
