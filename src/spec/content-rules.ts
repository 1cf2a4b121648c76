/** Rules that need to know the cases: methods that exist for the declared design, floors, splits that leave something to measure. */
import { errorPerSide } from '../stats/interval.ts';
import { quantileRanks } from '../stats/percentile.ts';
import { largest } from '../stats/summary.ts';
import { caseShortfall, shortfallText } from './case-floors.ts';
import { admittedCases, type CaseIndex, finalCases } from './case-index.ts';
import { declaredDesign, gateRequests, type MethodRequest, plannedCasesPerUnit } from './design.ts';
import { type Finding, nearestWord, type SpecPath } from './finding.ts';
import { type GateDeclaration, gateName, pairedGate } from './gates.ts';
import { type DeclaredDesign, sealableMethods } from './inference.ts';
import { valueRange } from './measure.ts';
import { lookFindings } from './rules-stopping.ts';
import type { ExperimentSpec } from './spec.ts';
import type { CaseRow } from './units.ts';

/** Planned units below which an interval of an unbounded measure is refused (DESIGN 6). */
export const unboundedUnitsFloor = 10;

/**
 * All findings about a spec together with its admitted cases.
 * @example contentFindings(spec, { type: 'liftgate/cases/v1', rules: [], rows: [] })[0].code // => 'no-final-units'
 */
export function contentFindings(spec: ExperimentSpec, index: CaseIndex): Finding[] {
  return [
    ...splitFindings(spec, index),
    ...lookFindings(spec, index),
    ...spec.gates.flatMap((gate, position) =>
      gateRequests(gate).flatMap((request) =>
        methodFindings(gate, ['gates', position], { spec, index, request }),
      ),
    ),
  ];
}

function splitFindings(spec: ExperimentSpec, index: CaseIndex): Finding[] {
  const findings: Finding[] = [];
  const admitted = admittedCases(index);
  const final = finalCases(index).length;
  if (final === 0) {
    findings.push({
      code: 'no-final-units',
      path: ['splits'],
      message: `None of ${admitted.length} admitted cases is in the split "final", so nothing can be measured.`,
      mend: 'Put units into the split "final", or correct the admission rules.',
    });
  }
  if (admitted.length > final) return findings;
  spec.controls.forEach((control, position) => {
    if (control.case !== undefined) return;
    findings.push({
      code: 'control-without-cases',
      path: ['controls', position],
      message: `The control "${control.id}" needs development cases, and every case is final.`,
      mend: 'Give the control its own case: {...}, or put units into the split "train". Controls never run on final cases.',
    });
  });
  return findings;
}

const pairedMend = `Change the design so that another row serves it, or seal one of ${sealableMethods.join(', ')} by name where it fits; no other method takes its place in silence.`;
const oneArmMend = 'Write weights: unit and generalization: new-units, or remove the gate.';

function isOneArm(gate: GateDeclaration): boolean {
  return pairedGate(gate) === null && gate.gate !== 'pareto' && gate.gate !== 'custom';
}

interface Context {
  readonly spec: ExperimentSpec;
  readonly index: CaseIndex;
  readonly request: MethodRequest;
}

function methodFindings(
  gate: GateDeclaration,
  path: SpecPath,
  { spec, index, request }: Context,
): Finding[] {
  if (finalCases(index).length === 0) return [];
  const design = declaredDesign(spec, index, request.measure, request.threshold);
  if (design === null) return [];
  if (design.units === 0) {
    return [
      {
        code: 'measure-applies-nowhere',
        path: [...path, 'measure'],
        message: `No final case meets the where condition of "${request.measure}".`,
        mend: 'Correct the condition, or put cases that meet it into the split "final".',
      },
    ];
  }
  const resolution = request.resolve(design);
  if (resolution.status === 'refused') {
    return [
      {
        code: 'method-unavailable',
        path,
        message: `The gate "${gateName(gate)}" falls into the row "${resolution.row}" of the method table: ${resolution.reason}.`,
        mend: isOneArm(gate) ? oneArmMend : pairedMend,
      },
    ];
  }
  return floorFindings(gate, path, { spec, index, request, design });
}

interface FloorContext extends Context {
  readonly design: DeclaredDesign;
}

/** Planned sizes below a floor that no other method takes over: a certification on them could never ship. */
function floorFindings(gate: GateDeclaration, path: SpecPath, context: FloorContext): Finding[] {
  const { spec } = context;
  if (gate.gate === 'rate') return [];
  if (gate.gate === 'latency' && gate.quantile !== undefined) {
    return quantileFindings(gate.quantile, path, context);
  }
  if (spec.claim.generalization === 'fixed-roster') return rosterFindings(gate, path, spec);
  if (spec.claim.use !== 'certification') return [];
  return spec.inference.weights === 'case'
    ? caseWeightFindings(gate, path, context)
    : unboundedFindings(gate, path, context);
}

function unboundedFindings(
  gate: GateDeclaration,
  path: SpecPath,
  { design }: FloorContext,
): Finding[] {
  if (valueRange(design.measure) !== null || design.units >= unboundedUnitsFloor) return [];
  return [
    {
      code: 'too-few-units',
      path,
      message: `The gate "${gateName(gate)}" reads an unbounded measure, which needs at least ${unboundedUnitsFloor} units; ${design.units} are planned.`,
      mend: 'Add final units, declare bounds, or claim use: comparison.',
    },
  ];
}

/** Below so many units not even the slowest bounds the quantile, at the undivided error of one candidate. */
function quantileFindings(
  quantile: number,
  path: SpecPath,
  { spec, design }: FloorContext,
): Finding[] {
  const error = errorPerSide(spec.inference.level);
  const { upper, unitsForUpper } = quantileRanks(design.units, { quantile, error });
  if (upper !== null || spec.claim.use !== 'certification') return [];
  return [
    {
      code: 'too-few-units',
      path: [...path, 'quantile'],
      message: `An upper bound of the ${quantile} quantile needs at least ${unitsForUpper} units; ${design.units} are planned.`,
      mend: 'Add final units, gate a smaller quantile or maxRatio, or claim use: comparison.',
    },
  ];
}

function caseWeightFindings(
  gate: GateDeclaration,
  path: SpecPath,
  { index, request }: FloorContext,
): Finding[] {
  const sizes = [...plannedCasesPerUnit(index, request.measure).values()];
  const shortfall = caseShortfall(sizes);
  if (shortfall === null) return [];
  const cases = sizes.reduce((total, size) => total + size, 0);
  return [
    {
      code: shortfall,
      path,
      message: `The gate "${gateName(gate)}" weighs cases, and its plan has ${shortfallText(shortfall)}: ${sizes.length} units with ${cases} cases, ${largest(sizes)} in the largest.`,
      mend: 'Add final units, even out their cases, write weights: unit, or claim use: comparison.',
    },
  ];
}

/** Without a second repeat a fixed roster has no uncertainty to state, whatever the use of the claim. */
function rosterFindings(gate: GateDeclaration, path: SpecPath, spec: ExperimentSpec): Finding[] {
  if (spec.repeats >= 2) return [];
  return [
    {
      code: 'too-few-repeats',
      path,
      message: `The gate "${gateName(gate)}" is about a fixed roster, whose uncertainty is the noise of repeats, and ${spec.repeats} repeat is planned.`,
      mend: 'Write repeats: 2 or more, or claim generalization: new-units.',
    },
  ];
}

/**
 * Fields that rules name and no row has: most likely misspelt.
 * @example fieldFindings(spec, []).map((each) => each.field) // => ['id', 'family', 'split', 'label', 'label', 'text']
 */
export function fieldFindings(
  spec: ExperimentSpec,
  rows: readonly CaseRow[],
): (Finding & { readonly field: string })[] {
  const known = new Set(rows.flatMap((each) => Object.keys(each.fields)));
  return namedFields(spec).flatMap(({ field, path }) => {
    if (known.has(field)) return [];
    const near = nearestWord(field, [...known]);
    return [
      {
        code: 'field-unknown',
        field,
        path,
        message: `No row has the field "${field}".`,
        mend:
          near === null
            ? `Fields of the rows: ${[...known].join(', ')}.`
            : `Did you mean "${near}"?`,
      },
    ];
  });
}

interface NamedField {
  readonly field: string;
  readonly path: SpecPath;
}

function namedFields(spec: ExperimentSpec): NamedField[] {
  const listed = (fields: readonly string[], path: SpecPath): NamedField[] =>
    fields.map((field, index) => ({ field, path: [...path, index] }));
  const { cases, claim, splits } = spec;
  return [
    { field: cases.id, path: ['cases', 'id'] },
    ...(claim.unit === cases.id ? [] : [{ field: claim.unit, path: ['claim', 'unit'] }]),
    ...(splits.by === 'field' ? [{ field: splits.field, path: ['splits', 'field'] }] : []),
    ...listed(cases.input ?? [], ['cases', 'input']),
    ...listed(cases.expected, ['cases', 'expected']),
    ...listed(spec.fingerprint.ignore, ['fingerprint', 'ignore']),
    ...spec.admission.map((rule, index) =>
      'keep' in rule
        ? { field: rule.keep.field, path: ['admission', index, 'keep', 'field'] }
        : { field: rule.unique.field, path: ['admission', index, 'unique', 'field'] },
    ),
    ...Object.entries(spec.measures).flatMap(([id, { where }]) =>
      where === undefined ? [] : [{ field: where.field, path: ['measures', id, 'where', 'field'] }],
    ),
  ];
}
