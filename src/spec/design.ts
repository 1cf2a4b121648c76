/**
 * Design digests: what a measurement is, apart from who runs it, where and when.
 *
 * The design holds the spec without its name, prose, paths, host command, concurrency, budget and disclosure; the content of cases, evaluator,
 * controls and custom gates; the cell set. `casesDigest` leaves out the arms and how several of them share the error, so that adding one moves no
 * seed; `designDigest` adds the baseline by content, the candidates by number, and the multiplicity by kind. Renaming an arm,
 * reordering rows or moving files changes neither.
 */
import { compareCodeUnits } from '../base/canonical.ts';
import { type Digest, digestOfValue } from '../base/digest.ts';
import { admittedCases, type CaseIndex, finalCases, type IndexedCase } from './case-index.ts';
import { type GateDeclaration, gapOf, pairedGate, rateLimit } from './gates.ts';
import {
  type DeclaredDesign,
  type MethodName,
  type OneArmMethod,
  type Resolution,
  resolveGapMethod,
  resolveMethod,
  resolveQuantileMethod,
  resolveRateMethod,
} from './inference.ts';
import type { ResolvedMethod, SealedArm } from './seal.ts';
import { candidateIds, type ExperimentSpec } from './spec.ts';
import { plannedLooks, sequentialOf } from './stopping.ts';

export interface DesignParts {
  readonly spec: ExperimentSpec;
  readonly index: CaseIndex;
  readonly baseline: SealedArm;
  /** Absent where none is declared. */
  readonly placebo?: SealedArm | undefined;
  /** Content digests of the evaluator's files, any order. */
  readonly evaluator: readonly string[];
  /** Content digests of the files of custom gates, any order. */
  readonly gateFiles: readonly string[];
  /** Surface digest per control id; null for a fault control. */
  readonly controls: Readonly<Record<string, Digest | null>>;
}

/** Digests that seeds (`cases`) and cell keys (`design`) are made from. */
export function designDigests(parts: DesignParts): { cases: Digest; design: Digest } {
  const cases = {
    type: 'liftgate/design/v1',
    spec: strippedSpec(parts),
    evaluator: [...parts.evaluator].sort(compareCodeUnits),
    ...(parts.gateFiles.length === 0
      ? {}
      : { gateFiles: [...parts.gateFiles].sort(compareCodeUnits) }),
    cases: admittedCases(parts.index)
      .map(({ id, unit, split, inputDigest, expectedDigest }) => ({
        id,
        unit,
        split,
        inputDigest,
        expectedDigest,
      }))
      .sort((first, second) => compareCodeUnits(first.id, second.id)),
    cells: cellSet(parts.index, parts.spec.repeats),
  };
  const { placebo } = parts;
  const arms = {
    baseline: { surface: parts.baseline.surfaceDigest, pins: parts.baseline.pins },
    ...(placebo === undefined
      ? {}
      : { placebo: { surface: placebo.surfaceDigest, pins: placebo.pins } }),
    candidates: candidateIds(parts.spec).length,
    multiplicity: multiplicityKind(parts.spec),
  };
  return { cases: digestOfValue(cases), design: digestOfValue({ ...cases, arms }) };
}

function strippedSpec({ spec, controls }: DesignParts): unknown {
  const {
    name: _name,
    arms: _arms,
    host,
    budget: _budget,
    disclosure: _disclosure,
    stopping: _stopping,
    cases,
    claim,
    multiplicity: _multiplicity,
    ...rest
  } = spec;
  const stopping = sequentialOf(spec);
  return {
    ...rest,
    ...(stopping === null ? {} : { stopping }),
    claim: {
      use: claim.use,
      population: claim.population.id,
      unit: claim.unit,
      generalization: claim.generalization,
      ...(claim.minimumEffect === undefined ? {} : { minimumEffect: claim.minimumEffect }),
    },
    cases: {
      id: cases.id,
      expected: cases.expected,
      ...(cases.input === undefined ? {} : { input: cases.input }),
    },
    host: { limits: host.limits },
    controls: spec.controls.map((control) => ({
      ...control,
      ...('surface' in control ? { surface: controls[control.id] ?? null } : {}),
    })),
  };
}

/** A fixed sequence is known by its length: the candidates have no identity before they are bound. */
function multiplicityKind({ multiplicity }: ExperimentSpec): string {
  return typeof multiplicity === 'string'
    ? multiplicity
    : `sequence of ${multiplicity.sequence.length}`;
}

function cellSet(index: CaseIndex, repeats: number): [string, number][] {
  const ids = finalCases(index).map((each) => each.id);
  return ids
    .sort(compareCodeUnits)
    .flatMap((id) =>
      Array.from({ length: repeats }, (_, repeat): [string, number] => [id, repeat]),
    );
}

/** What the `auto` table may look at for one measure: planned units and pairs, never data. */
export function declaredDesign(
  spec: ExperimentSpec,
  index: CaseIndex,
  measureId: string,
  threshold: number | null,
): DeclaredDesign | null {
  const measure = spec.measures[measureId];
  if (measure === undefined) return null;
  const casesPerUnit = plannedCasesPerUnit(index, measureId);
  return {
    measure,
    inference: spec.inference,
    generalization: spec.claim.generalization,
    units: casesPerUnit.size,
    pairsPerUnit: Math.max(0, ...casesPerUnit.values()) * spec.repeats,
    threshold,
    stopping: sequentialOf(spec)?.rule ?? 'fixed',
  };
}

/**
 * Units at each look of the spec, in the order they are taken; null for a fixed design.
 * @example sealedLooks(spec, index) // => null
 */
export function sealedLooks(spec: ExperimentSpec, index: CaseIndex): number[] | null {
  const rule = sequentialOf(spec);
  const units = new Set(finalCases(index).map((each) => each.unit)).size;
  return rule === null ? null : plannedLooks(rule, units);
}

/** Final cases that a measure applies to, by unit; units without one are left out. */
export function plannedCasesPerUnit(index: CaseIndex, measureId: string): Map<string, number> {
  return countByUnit(finalCases(index).filter((each) => each.applies.includes(measureId)));
}

function countByUnit(cases: readonly IndexedCase[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const each of cases) counts.set(each.unit, (counts.get(each.unit) ?? 0) + 1);
  return counts;
}

/** A measure's method request: the gate that reads it, or none for a measure that is only shown. */
export interface MethodRequest {
  readonly measure: string;
  readonly gate: string | null;
  readonly threshold: number | null;
  readonly resolve: (design: DeclaredDesign) => Resolution<MethodName | OneArmMethod>;
}

/**
 * What a gate asks of the method table; nothing for a gate that needs no bound. `threshold` is the number a seal names: the lift
 * threshold, minus the margin, the largest ratio, the largest quantile, the limit of a rate, or 0 for an interval a custom gate is given.
 */
export function gateRequests(declared: GateDeclaration): MethodRequest[] {
  if (declared.gate === 'pareto') {
    const { gate, objectives } = declared;
    return objectives.map(({ measure, margin }) => {
      return { measure, gate, threshold: margin === 0 ? 0 : -margin, resolve: resolveMethod };
    });
  }
  if (declared.gate === 'custom') {
    const { gate, intervals = [] } = declared;
    const asked = [...new Set(intervals.map(({ measure }) => measure))];
    return asked.map((measure) => ({ measure, gate, threshold: 0, resolve: resolveMethod }));
  }
  const request = methodRequest(declared);
  return request === null ? [] : [request];
}

function methodRequest(declared: GateDeclaration): MethodRequest | null {
  const paired = pairedGate(declared);
  if (paired !== null) return { ...paired, resolve: resolveMethod };
  if (declared.gate === 'rate') {
    const { gate, measure } = declared;
    const threshold = rateLimit(declared)?.value ?? null;
    return { measure, gate, threshold, resolve: resolveRateMethod };
  }
  const gap = gapOf(declared);
  if (gap !== null) {
    const { gate } = declared;
    return { measure: gap.ahead, gate, threshold: gap.margin, resolve: resolveGapMethod };
  }
  if (declared.gate !== 'latency') return null;
  const { gate, measure, max = null } = declared;
  return { measure, gate, threshold: max, resolve: resolveQuantileMethod };
}

/** Every bound the experiment needs: one per gate that asks for one, one per measure that no paired gate reads. */
export function methodRequests(spec: ExperimentSpec): MethodRequest[] {
  const gated = spec.gates.flatMap(gateRequests);
  const read = new Set(spec.gates.map((gate) => pairedGate(gate)?.measure));
  const shown = Object.keys(spec.measures)
    .filter((id) => !read.has(id))
    .sort(compareCodeUnits)
    .map((measure) => ({ measure, gate: null, threshold: null, resolve: resolveMethod }));
  return [...gated, ...shown];
}

/** Resolved method of every request; refused rows are left out (the rules report them, so that a gated one is never sealed). */
export function resolvedMethods(spec: ExperimentSpec, index: CaseIndex): ResolvedMethod[] {
  return methodRequests(spec).flatMap(({ measure, gate, threshold, resolve }) => {
    const design = declaredDesign(spec, index, measure, threshold);
    const resolution = design === null ? null : resolve(design);
    if (resolution?.status !== 'resolved') return [];
    const { row, method, guarantee } = resolution;
    return [{ measure, gate, row, method, guarantee, threshold }];
  });
}
