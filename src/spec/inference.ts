/** Inference as declared, and the `auto` table that turns a declared design into a named method. */
import * as z from 'zod';
import { type Measure, valueRange } from './measure.ts';

/** Methods that can be sealed by name in this version. */
export const sealableMethods = [
  'tango-score',
  'exact-unconditional',
  'betting-fixed-n',
  't',
  't-bootstrap-t',
  'cr2',
  'tango-effective-n',
  'roster-t',
] as const;

export const inferenceSchema = z.strictObject({
  level: z.number().gt(0.5).lt(1).default(0.95),
  method: z.enum(['auto', ...sealableMethods]).default('auto'),
  guarantee: z.enum(['asymptotic', 'finite-sample']).default('asymptotic'),
  weights: z.enum(['unit', 'case']).default('unit'),
  resamples: z.int().min(1000).max(1_000_000).default(10_000),
});
export type Inference = z.infer<typeof inferenceSchema>;
export type MethodName = (typeof sealableMethods)[number];

/** Version of the table below, recorded in every seal. */
export const autoTableVersion = 1;

/** Bets of the fixed-n betting bound are truncated at this share of 1/m (DESIGN 6). */
export const bettingTruncation = 0.95;

/** What the table may look at: the declared design, never data. */
export interface DeclaredDesign {
  readonly measure: Measure;
  readonly inference: Inference;
  readonly generalization: 'new-units' | 'fixed-roster';
  /** Planned units that the measure applies to. */
  readonly units: number;
  /** Largest number of planned pairs (cases times repeats) of one unit. */
  readonly pairsPerUnit: number;
  /** Lift threshold or minus the margin, in the measure's units; null for a measure that no gate reads. */
  readonly threshold: number | null;
}

export type Resolution =
  | {
      readonly status: 'resolved';
      readonly row: string;
      readonly method: MethodName;
      readonly guarantee: 'finite-sample' | 'asymptotic';
    }
  | { readonly status: 'refused'; readonly row: string; readonly reason: string };

const rows = {
  caseWeights: 'weights: case',
  fixedRoster: 'fixed-roster',
  binaryPositive: 'binary, one pair per unit, threshold > 0',
  binaryFinite: 'binary, guarantee: finite-sample',
  binary: 'binary, one pair per unit, threshold <= 0',
  bounded: 'unit means of binary, score, ordinal, bounded count',
  unbounded: 'unbounded (duration, cost, continuous, count)',
} as const;

/** Planned units above which the Tango interval replaces the exact bound at a positive threshold. */
const exactUnitsLimit = 5000;

function refused(row: string, reason: string): Resolution {
  return { status: 'refused', row, reason };
}

/**
 * What a method promises about its error, whatever the data.
 * @example guaranteeOf('exact-unconditional') // => 'finite-sample'
 */
export function guaranteeOf(method: MethodName): 'finite-sample' | 'asymptotic' {
  switch (method) {
    case 'exact-unconditional':
    case 'betting-fixed-n':
      return 'finite-sample';
    case 'tango-score':
    case 't':
    case 't-bootstrap-t':
    case 'cr2':
    case 'tango-effective-n':
    case 'roster-t':
      return 'asymptotic';
  }
}

function resolved(row: string, method: MethodName): Resolution {
  return { status: 'resolved', row, method, guarantee: guaranteeOf(method) };
}

/**
 * Row of the table that a design falls into.
 * @example autoRow(design) // => 'binary, one pair per unit, threshold <= 0'
 */
export function autoRow(design: DeclaredDesign): string {
  const { measure, inference } = design;
  if (design.generalization === 'fixed-roster') return rows.fixedRoster;
  if (inference.weights === 'case') return rows.caseWeights;
  if (valueRange(measure) === null) return rows.unbounded;
  if (measure.kind !== 'binary' || design.pairsPerUnit > 1) return rows.bounded;
  if (inference.guarantee === 'finite-sample') return rows.binaryFinite;
  return design.threshold !== null && design.threshold > 0 ? rows.binaryPositive : rows.binary;
}

/**
 * Method that decides for a declared design. A row without a method in this version is refused, never replaced.
 * @see DESIGN 6, table version 1
 * @example resolveMethod(design).method // => 'tango-score'
 */
export function resolveMethod(design: DeclaredDesign): Resolution {
  const row = autoRow(design);
  if (row === rows.fixedRoster || row === rows.caseWeights) return ownRowMethod(row, design);
  const named = design.inference.method;
  if (named !== 'auto' && servesOwnRow(named)) {
    return refused(row, `${named} serves the row "${ownRowOf(named)}" only`);
  }
  if (named !== 'auto' && fits(named, design)) return namedMethod(row, named, design);
  switch (row) {
    case rows.binary:
      return resolved(row, 'tango-score');
    case rows.binaryPositive:
      return resolved(row, design.units > exactUnitsLimit ? 'tango-score' : 'exact-unconditional');
    case rows.binaryFinite:
      return resolved(row, 'exact-unconditional');
    case rows.bounded:
      return resolved(row, 'betting-fixed-n');
    default:
      return unboundedMethod(row, design);
  }
}

/** Methods of the rows that another estimand than the mean across sampled units leads to. */
type OwnRowMethod = 'cr2' | 'tango-effective-n' | 'roster-t';

function servesOwnRow(method: MethodName): method is OwnRowMethod {
  return method === 'cr2' || method === 'tango-effective-n' || method === 'roster-t';
}

function ownRowOf(method: OwnRowMethod): string {
  return method === 'roster-t' ? rows.fixedRoster : rows.caseWeights;
}

/** Method of the rows `weights: case` and `fixed-roster`; what would silently change the estimand or the guarantee is refused. */
function ownRowMethod(row: string, { measure, inference, threshold }: DeclaredDesign): Resolution {
  const named = inference.method;
  if (row === rows.fixedRoster && inference.weights === 'case') {
    return refused(row, 'it counts every listed unit once, so weights: case has no method here');
  }
  if (named !== 'auto' && !(servesOwnRow(named) && ownRowOf(named) === row)) {
    return refused(row, `${named} estimates the mean across sampled units, each counting once`);
  }
  if (inference.guarantee === 'finite-sample' && threshold !== null) {
    return refused(row, 'no finite-sample bound exists for this row');
  }
  if (row === rows.fixedRoster) return resolved(row, 'roster-t');
  return resolved(row, measure.kind === 'binary' && named !== 'cr2' ? 'tango-effective-n' : 'cr2');
}

function unboundedMethod(row: string, design: DeclaredDesign): Resolution {
  return design.inference.guarantee === 'finite-sample' && design.threshold !== null
    ? refused(row, 'no finite-sample bound exists for an unbounded measure')
    : resolved(row, 't-bootstrap-t');
}

function namedMethod(row: string, method: MethodName, design: DeclaredDesign): Resolution {
  const resolution = resolved(row, method);
  const weaker = resolution.status === 'resolved' && resolution.guarantee === 'asymptotic';
  return weaker && design.inference.guarantee === 'finite-sample'
    ? refused(row, `${method} has no finite-sample guarantee`)
    : resolution;
}

/** Whether a method sealed by name can serve a measure; a measure it cannot serve takes its own row. */
function fits(method: Exclude<MethodName, OwnRowMethod>, design: DeclaredDesign): boolean {
  switch (method) {
    case 'tango-score':
    case 'exact-unconditional':
      return design.measure.kind === 'binary' && design.pairsPerUnit === 1;
    case 'betting-fixed-n':
      return valueRange(design.measure) !== null;
    case 't':
    case 't-bootstrap-t':
      return true;
  }
}
